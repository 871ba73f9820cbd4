// Access: loads, stores and atomic updates of elements in global memory, with their ordering.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens. All threads of a block run all ops in program order. Each element of an access is touched
// by one thread, but another access may use a different thread for it. An access that follows
// others by its token therefore begins with a barrier of the block, which also makes the writes of
// all threads visible. An access without a token, or with a fresh one, may come at any time.
//
// Orderings. A release is a barrier, so that earlier accesses of all threads come before it, and
// then a releasing access by each thread; an acquire is an acquiring access and then a barrier.
// Atomic updates are relaxed, with a fence of their scope before, after or both.
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

/// The barriers before and after an access of a whole tile.
void beginAccess(Kernel &k, Value token, Ordering ordering);
void endAccess(Kernel &k, Ordering ordering);

/// The same for an update, by the threads that make it, all if `owner` is null.
void beginUpdate(Kernel &k, Value token, Ordering ordering, Value owner);
void endUpdate(Kernel &k, Ordering ordering, Value owner);

/// Loads an element of whole bytes in its register form. Atomic if the ordering is not weak.
Value loadElement(Kernel &k, Type element, Value address, Ordering ordering);
void storeElement(Kernel &k, Type element, Value address, Value held, Ordering ordering);
/// Updates an element and returns its old value; relaxed.
Value updateElement(Kernel &k, cuda_tile::AtomicRMWMode mode, Value address, Value argument,
                    cuda_tile::MemoryScope scope);
Value swapElement(Kernel &k, Value address, Value expected, Value value, Ordering ordering);

/// The value of an element of a view outside of the tensor.
Value paddingOf(Kernel &k, Type view, Type element);

/// Makes a tile whose elements only their owners know known to all threads that hold them.
ThreadTile shownToAll(Kernel &k, const ThreadTile &tile);

} // namespace tessera::tile_lower
