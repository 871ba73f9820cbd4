// Overlap: kernels that begin before earlier kernels of their stream have ended.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of a few microseconds waits about as long for its launch as it works. With programmatic
// dependent launch (CUDA C++ Programming Guide) the next kernel's blocks start when this kernel's
// blocks end, not only when its writes are visible. They initialise their barriers, and
// griddepcontrol_wait holds them until the writes are visible. On an H200 a product takes 0.2 to
// 0.4 us less (docs/benchmarks.md). No kernel lets the next one begin even earlier
// (griddepcontrol.launch_dependents): its blocks would go to the multiprocessors that have room
// first, two to some and none to others, and products of 45 us took 55.
#pragma once

#include "tessera/atom/Target.h"

namespace tessera::kernels {

/// Whether a target has it. Decides the `overlaps` of a launch, and whether the kernel calls
/// dsl::griddepcontrol_wait before it reads or writes global memory.
bool overlaps(const atom::Target &);

} // namespace tessera::kernels
