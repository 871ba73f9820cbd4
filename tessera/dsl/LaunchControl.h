// LaunchControl: clusters that run take over others of the grid that have not begun, and kernels
// that begin before those before them have ended.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Barriers.h"

namespace tessera::dsl {

/// Bytes of an answer in shared memory, aligned to as many.
inline constexpr int64_t answerBytes = 16;

/// By one thread of a cluster: asks for a cluster that has not begun. The answer comes to the same
/// place in each of its blocks (only in this one unless `cluster`), and so many bytes to the
/// barrier there.
void ask_for_cluster(Pointer answer, Barrier, bool cluster, Place = Place::current());

/// What an answer says: whether there was one, and the first block of it, by x.
struct TakenOver {
  Num there, block;
  auto members() { return std::tie(there, block); }
};
/// By readers, after the barrier's phase. `block` means something only where there was one.
TakenOver taken_over(Pointer answer, Place = Place::current());

/// Programmatic dependent launch, of kernels whose LaunchConfig has `overlaps`: until all kernels
/// before this one in its stream have ended, and what they wrote is seen. By every thread, before
/// it reads or writes what they may write or read.
void griddepcontrol_wait(Place = Place::current());

} // namespace tessera::dsl
