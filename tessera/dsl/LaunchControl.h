// LaunchControl: running clusters that take over clusters of the grid which have not begun, and
// kernels that begin before earlier ones have ended.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Barriers.h"

namespace tessera::dsl {

/// Size of an answer in shared memory, in bytes; also its alignment.
inline constexpr int64_t answerBytes = 16;

/// Called by one thread of a cluster: asks for a cluster that has not begun. The answer, of
/// `answerBytes` bytes, is written to the same place of each block (of this block only unless
/// `cluster`), and the barrier there counts its bytes.
void ask_for_cluster(Pointer answer, Barrier, bool cluster, Place = Place::current());

/// The content of an answer: whether a cluster was taken over, and the x index of its first block.
struct TakenOver {
  Num there, block;
  auto members() { return std::tie(there, block); }
};
/// Called by readers, after the barrier's phase has ended. `block` is defined only if `there`.
TakenOver taken_over(Pointer answer, Place = Place::current());

/// Programmatic dependent launch, for kernels whose LaunchConfig has `overlaps`: waits until all
/// earlier kernels of the stream have ended and their writes are visible. Every thread calls it
/// before it reads or writes memory that those kernels may write or read.
void griddepcontrol_wait(Place = Place::current());

} // namespace tessera::dsl
