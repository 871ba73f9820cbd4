// Copies of a run of bytes between global and shared memory, without a tensor map: in bulk, or by
// each thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Barriers.h"

namespace tessera::dsl {

/// Called by one thread. From global memory the barrier counts the bytes; to it the copy belongs to
/// a group of tma_store_commit. `bytes` is a multiple of 16, as both addresses are.
void bulk_load(Pointer from, Pointer to, int64_t bytes, Barrier, Place = Place::current());
void bulk_store(Pointer from, Pointer to, int64_t bytes, Place = Place::current());

/// cp.async by one thread, for cp_async_commit and cp_async_wait: `bytes` are 4, 8 or 16, and both
/// addresses multiples of that. Only the first `there` bytes are read, none or some or all; zeros
/// follow them.
void copy_async(Pointer from, Pointer to, int64_t bytes, Num there, Place = Place::current());

} // namespace tessera::dsl
