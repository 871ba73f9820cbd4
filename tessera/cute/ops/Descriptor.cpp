// Descriptor iterators: a pointer that walks a layout.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Cute.h"
#include "tessera/cute/Diagnostics.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;

static Result<layout::Tree> tupleOf(const Datum &datum) {
  if (const layout::Int *x = datum.as<layout::Int>())
    return layout::Tree(*x);
  if (const layout::Tree *tree = datum.tree())
    return *tree;
  return Reason{"DescIterOperands", sentence(Diag::DescIterOperands, "a layout among several")};
}

/// The layout of the operands after the pointer. Source of the second form:
/// docs/specification/abi.md#layouts-and-iterators.
static Result<layout::AnyLayout> walkOf(Domain &d, ArrayRef<Datum> in) {
  if (in.size() == 1 && in[0].anyLayout())
    return *in[0].anyLayout();
  if (in.size() != 3)
    return Reason{"DescIterOperands",
                  sentence(Diag::DescIterOperands, cat(in.size(), " operands"))};
  TESSERA_TRY(layout::Tree extent, tupleOf(in[0]));
  TESSERA_TRY(layout::Tree tile, tupleOf(in[1]));
  TESSERA_TRY(layout::Tree stride, tupleOf(in[2]));
  TESSERA_TRY(layout::Tree steps, layout::ceilDiv(d.arith(), extent, tile));
  TESSERA_TRY(layout::Layout l,
              layout::checked(layout::Layout{std::move(steps), std::move(stride)}));
  return layout::AnyLayout(std::move(l));
}

Result<Data> MakeDescIterOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  const Iterator &base = *in[0].as<Iterator>();
  TESSERA_TRY(layout::AnyLayout l, walkOf(d, in.drop_front()));
  if (!cast<IteratorType>(base.type).viewWith(l))
    return Reason{"ViewLayout", sentence(Diag::ViewLayout, l)};
  return Data{Datum(View{base, std::move(l), layout::Int(0)})};
}

Result<Data> DerefDescIterOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  const View &at = *in[0].as<View>();
  TESSERA_TRY(layout::Tree element, layout::crd2idx(d.arith(), layout::Tree(*at.index), at.layout));
  TESSERA_TRY(Iterator it, d.advance(at.iterator, element));
  return Data{Datum(std::move(it))};
}

#define GET_OP_CLASSES
#include "tessera/cute/ops/Descriptor.cpp.inc"
