// Overlap: kernels that begin before those before them in their stream have ended.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of a few microseconds waits about as long for its launch as it works. With programmatic
// dependent launch (CUDA C++ Programming Guide) the next kernel's blocks are brought when those of
// this one end rather than when all that they wrote is seen: they make their barriers ready, and
// griddepcontrol_wait holds them until it is. On an H200 a product takes 0.2 to 0.4 us less so
// (docs/benchmarks.md). No kernel lets the next one begin earlier
// (griddepcontrol.launch_dependents): blocks would come to the multiprocessors that have room
// first, two to some and none to others, and products of 45 us took 55.
#pragma once

#include "tessera/atom/Target.h"

namespace tessera::kernels {

/// Whether a target has it: what a launch is given as `overlaps`, and whether its kernel calls
/// dsl::griddepcontrol_wait before it reads or writes global memory.
bool overlaps(const atom::Target &);

} // namespace tessera::kernels
