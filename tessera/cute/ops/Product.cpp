// Products of layouts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Cute.h"
#include "tessera/cute/Diagnostics.h"
#include "tessera/cute/ops/Regrouped.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using layout::AnyLayout;
using layout::Grouping;

/// Requirements of the public dialect's products on their operands.
static std::optional<Reason> unfit(ArrayRef<Datum> in, ValueRange operands) {
  const layout::Layout &block = in[0].anyLayout()->outer(), &copies = *in[1].anyLayout()->affine();
  Type lhs = operands[0].getType(), rhs = operands[1].getType();
  if (!block.isStatic())
    return Reason{"LhsStatic", sentence(Diag::LhsStatic, lhs)};
  if (copies.stride.hasBasis())
    return Reason{"RhsBases", sentence(Diag::RhsBases, rhs)};
  if (block.stride.hasBasis() && !copies.isStatic())
    return Reason{"RhsStatic", sentence(Diag::RhsStatic, rhs)};
  return std::nullopt;
}

static Result<Data> multiplied(Domain &d, ArrayRef<Datum> in, ValueRange operands,
                               Grouping grouping) {
  if (std::optional<Reason> reason = unfit(in, operands))
    return *std::move(reason);
  TESSERA_TRY(AnyLayout l, layout::product(d.arith(), *in[0].anyLayout(),
                                           *in[1].anyLayout()->affine(), groupedFirst(grouping)));
  return Data{Datum(regrouped(l, grouping))};
}

Result<Data> LogicalProductOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  return multiplied(d, in, op.getOperands(), Grouping::Logical);
}
Result<Data> ZippedProductOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  return multiplied(d, in, op.getOperands(), Grouping::Zipped);
}
Result<Data> TiledProductOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  return multiplied(d, in, op.getOperands(), Grouping::Tiled);
}
Result<Data> FlatProductOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  return multiplied(d, in, op.getOperands(), Grouping::Flat);
}

Result<Data> BlockedProductOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  if (std::optional<Reason> reason = unfit(in, op.getOperands()))
    return *std::move(reason);
  TESSERA_TRY(AnyLayout paired,
              layout::blockedProduct(d.arith(), *in[0].anyLayout(), *in[1].anyLayout()->affine()));
  return Data{Datum(std::move(paired))};
}

/// Raked, the dialect simplifies each mode: (1,32):(0,4) becomes 32:4.
Result<Data> RakedProductOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  if (std::optional<Reason> reason = unfit(in, op.getOperands()))
    return *std::move(reason);
  TESSERA_TRY(AnyLayout paired,
              layout::rakedProduct(d.arith(), *in[0].anyLayout(), *in[1].anyLayout()->affine()));
  std::vector<layout::Layout> modes;
  for (size_t i = 0; i < paired.rank(); ++i)
    modes.push_back(layout::coalesce(d.arith(), paired.outer()[i]));
  TESSERA_TRY(layout::Layout whole, layout::concat(modes));
  return Data{Datum(paired.withOuter(std::move(whole)))};
}

#define GET_OP_CLASSES
#include "tessera/cute/ops/Product.cpp.inc"
