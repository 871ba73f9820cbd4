// TileAccess: one op's accesses to memory in a tile block: bounds, alignment, order, bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_eval/Step.h"

namespace tessera::tile_eval {

/// Lets other tile blocks run before an op that they may wait for, or that waits for them. Fails if
/// the launch was stopped meanwhile.
Status takeTurn(Step &step);

class TileAccess {
public:
  /// An op that accesses elements of a type, ordered by its token; null: no token.
  TileAccess(Step &step, TypeKind element, const Value *token);

  /// Loads the element at `address`; for 4-bit elements `high` selects the half of the byte.
  /// `linear` is the element of `tile` that errors name.
  Result<uint64_t> load(uint64_t address, bool high, const Type &tile, size_t linear);
  Status store(uint64_t address, bool high, uint64_t code, const Type &tile, size_t linear);

  /// Updates the element atomically to f(old); if f returns nothing it is not stored. Atomic ops do
  /// not race with each other.
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

  /// The token of the op's result, after which later accesses are ordered.
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
