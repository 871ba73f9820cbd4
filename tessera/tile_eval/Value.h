// Value: the values of a tile program while it runs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_bytecode/Program.h"
#include "tessera/tile_eval/Element.h"

#include <memory>

namespace tessera::tile_eval {

using tile_bytecode::Index;
using tile_bytecode::Instruction;
using tile_bytecode::Op;
using tile_bytecode::OpRow;
using tile_bytecode::Program;
using tile_bytecode::Region;
using tile_bytecode::Type;

/// A tensor in memory. It has as many extents and strides, in elements, as its type.
struct TensorView {
  uint64_t base = 0; // address
  std::vector<int64_t> shape, strides;
};

/// The accesses of a tile block that come before a token: bit i is access i. Null: none.
using Before = std::vector<uint64_t>;
using Order = std::shared_ptr<const Before>;

/// The union of both.
inline Order joined(const Order &a, const Order &b) {
  if (!a || a == b)
    return b;
  if (!b)
    return a;
  auto out = std::make_shared<Before>(a->size() > b->size() ? *a : *b);
  const Before &shorter = a->size() > b->size() ? *b : *a;
  for (size_t i = 0; i < shorter.size(); ++i)
    (*out)[i] |= shorter[i];
  return out;
}
inline Order with(const Order &before, uint32_t access) {
  auto out = before ? std::make_shared<Before>(*before) : std::make_shared<Before>();
  if (out->size() <= access / 64)
    out->resize(access / 64 + 1);
  (*out)[access / 64] |= uint64_t(1) << access % 64;
  return out;
}
inline bool isBefore(const Order &order, uint32_t access) {
  return order && access / 64 < order->size() && ((*order)[access / 64] >> access % 64 & 1);
}

/// A tile, a view or a token; the type says which.
struct Value {
  Index type = tile_bytecode::noIndex;
  std::shared_ptr<const Codes> codes = {};     // a tile
  std::shared_ptr<const TensorView> view = {}; // a tensor_view, or a view of one
  Order order = {};                            // a token

  /// Its size in bytes, not considering shared data.
  uint64_t bytes() const {
    return 8 * ((codes ? codes->size() : 0) + (order ? order->size() : 0) +
                (view ? view->shape.size() + view->strides.size() : 0));
  }
};

} // namespace tessera::tile_eval
