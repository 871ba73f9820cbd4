// Products of layouts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Cute.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using layout::AnyLayout;
using layout::Grouping;

static Result<Data> multiplied(Domain &d, ArrayRef<Datum> in, Grouping grouping) {
  TESSERA_TRY(AnyLayout l, layout::product(d.arith(), *in[0].anyLayout(),
                                           *in[1].anyLayout()->affine(), grouping));
  return Data{Datum(std::move(l))};
}

Result<Data> LogicalProductOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  return multiplied(d, in, Grouping::Logical);
}
Result<Data> ZippedProductOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  return multiplied(d, in, Grouping::Zipped);
}
Result<Data> TiledProductOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  return multiplied(d, in, Grouping::Tiled);
}
Result<Data> FlatProductOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  return multiplied(d, in, Grouping::Flat);
}

/// The IR simplifies each mode of a paired product: (1,32):(0,4) becomes 32:4.
static Result<Data> coalescedModes(Domain &d, Result<AnyLayout> paired) {
  if (!paired)
    return std::move(paired).reason();
  std::vector<layout::Layout> modes;
  for (size_t i = 0; i < paired->rank(); ++i)
    modes.push_back(layout::coalesce(d.arith(), paired->outer()[i]));
  TESSERA_TRY(layout::Layout whole, layout::concat(modes));
  return Data{Datum(paired->withOuter(std::move(whole)))};
}

Result<Data> BlockedProductOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  return coalescedModes(
      d, layout::blockedProduct(d.arith(), *in[0].anyLayout(), *in[1].anyLayout()->affine()));
}
Result<Data> RakedProductOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  return coalescedModes(
      d, layout::rakedProduct(d.arith(), *in[0].anyLayout(), *in[1].anyLayout()->affine()));
}

#define GET_OP_CLASSES
#include "tessera/cute/ops/Product.cpp.inc"
