// Access: loads, stores and atomic updates of elements in global memory, with their ordering.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens. All threads of a block run all ops in program order, and each element of an access is
// touched by one thread, but not by the same one in another access. So an access that comes after
// others by its token begins with a barrier of the block, which also makes visible to each thread
// what the others wrote. An access without a token, or with a fresh one, may come at any time.
//
// Orderings. A release is a barrier, so that what all threads did before is before it, and then a
// releasing access by each thread; an acquire is an acquiring access and then a barrier.
#pragma once

#include "tessera/tile_lower/Kernel.h"

namespace tessera::tile_lower {

struct Ordering {
  cuda_tile::MemoryOrderingSemantics semantics = cuda_tile::MemoryOrderingSemantics::Weak;
  cuda_tile::MemoryScope scope = cuda_tile::MemoryScope::TileBlock;

  bool isWeak() const { return semantics == cuda_tile::MemoryOrderingSemantics::Weak; }
  bool acquires() const {
    return semantics == cuda_tile::MemoryOrderingSemantics::Acquire ||
           semantics == cuda_tile::MemoryOrderingSemantics::AcqRel;
  }
  bool releases() const {
    return semantics == cuda_tile::MemoryOrderingSemantics::Release ||
           semantics == cuda_tile::MemoryOrderingSemantics::AcqRel;
  }
};

/// What comes before and after an access of a whole tile.
void beginAccess(Kernel &k, Value token, Ordering ordering);
void endAccess(Kernel &k, Ordering ordering);

/// One element of whole bytes at an address, as it is held. Atomic where the ordering is not weak.
Value loadElement(Kernel &k, Type element, Value address, Ordering ordering);
void storeElement(Kernel &k, Type element, Value address, Value held, Ordering ordering);
/// What was there before.
Value updateElement(Kernel &k, cuda_tile::AtomicRMWMode mode, Value address, Value argument,
                    Ordering ordering);
Value swapElement(Kernel &k, Value address, Value expected, Value value, Ordering ordering);

/// What an element of a view outside of the tensor reads as.
Value paddingOf(Kernel &k, Type view, Type element);

/// A tile each of whose elements is known to the threads that own it only, as all know it.
ThreadTile shownToAll(Kernel &k, const ThreadTile &tile);

} // namespace tessera::tile_lower
