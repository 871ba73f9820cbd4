// TileAccess: the touches of memory by one op of a tile block: bounds, alignment, order, bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_eval/Step.h"

namespace tessera::tile_eval {

/// Lets other tile blocks run before an op that they may wait for, or that waits for them; what
/// stopped the launch meanwhile.
Status takeTurn(Step &step);

class TileAccess {
public:
  /// An op that touches elements of a type, ordered after what its token says; null: no token.
  TileAccess(Step &step, TypeKind element, const Value *token);

  /// The element at a place: `address` and, of 4-bit elements, which half of the byte. `linear` is
  /// the element of `tile` that errors name.
  Result<uint64_t> load(uint64_t address, bool high, const Type &tile, size_t linear);
  Status store(uint64_t address, bool high, uint64_t code, const Type &tile, size_t linear);

  /// What an atomic op does with the element: f(old) is the new one, which is not stored if it is
  /// nothing. Atomic ops do not race with each other.
  template <class F>
  Result<uint64_t> update(uint64_t address, const Type &tile, size_t linear, F f) {
    TESSERA_CHECK(check(address, tile, linear));
    id.isAtomic = 1;
    if (checksRaces)
      TESSERA_CHECK(order(address, true, tile, linear));
    uint64_t old = bytesAt(address);
    if (std::optional<uint64_t> code = f(old))
      setBytes(address, *code);
    return old;
  }

  /// What follows is ordered after this op: the token of its result.
  Order token() const;

private:
  Status check(uint64_t address, const Type &tile, size_t linear) const;
  Status order(uint64_t address, bool writes, const Type &tile, size_t linear);
  uint64_t bytesAt(uint64_t address) const;
  void setBytes(uint64_t address, uint64_t code) const;

  Step &step;
  TypeKind element;
  size_t bytes;
  bool checksRaces;
  Order before;
  AccessId id;
};

} // namespace tessera::tile_eval
