// Coordinates as operations of cute, and what a kernel prints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/Coordinates.h"

#include "tessera/dsl/Call.h"
#include "tessera/dsl/Control.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using layout::TreeKind;

namespace tessera::dsl {

Tensor make_identity_tensor(const Shape &shape, Place at) {
  Call call("make_identity_tensor", at, shape);
  Value extents = call.value(shape, TreeKind::Shape);
  return Tensor(call.infer<MakeIdentityTensorOp>({extents}));
}

/// The run-time leaves of a tuple of the IR as numbers.
static Coord numbersOf(Call &call, Value tuple) {
  if (!tuple)
    return Coord(Value(), layout::Tree());
  layout::Tree known = *datumOf(tuple.getType()).tree();
  NamedAttrList attrs;
  attrs.set("only_dynamic", call.builder().getUnitAttr());
  std::vector<Num> numbers;
  if (!known.isStatic())
    for (Value leaf : call.inferAll<GetScalarsOp>({tuple}, attrs))
      numbers.push_back(Num(leaf));
  if (!call.good())
    return Coord(Value(), known);
  return Coord::of(std::move(known), std::move(numbers));
}
Coord by_numbers(const Coord &tuple, TreeKind kind, Place at) {
  Call call("get", at, tuple);
  if (!call.good() || !tuple.ir())
    return tuple;
  return numbersOf(call, call.value(tuple, kind));
}
Coord coordinate_at(Tensor tensor, const Coord &coord, Place at) {
  Call call("coordinate", at, tensor, coord);
  Value where = call.value(coord, TreeKind::Coord);
  Value rest = call.infer<SliceOp>({tensor.ir(), where});
  Value start = call.infer<GetIterOp>({rest});
  if (start && !isa<ArithTupleIterType>(start.getType()))
    call.fail("expects a tensor of coordinates, as make_identity_tensor gives it");
  return numbersOf(call, call.infer<DerefArithTupleIterOp>({start}));
}
Num elem_less(const Coord &a, const Coord &b, Place at) {
  Call call("elem_less", at, a, b);
  Value x = call.value(a, TreeKind::Coord), y = call.value(b, TreeKind::Coord);
  return Num(call.infer<ElemLessOp>({x, y}));
}

static NamedAttrList projectionOf(Call &call, const Coord *projection) {
  NamedAttrList attrs;
  if (call.good() && projection)
    attrs.set("proj", CoordAttr::get(call.mlirContext(), projection->tree()));
  return attrs;
}
Tensor local_tile(Tensor tensor, const Tile &tile, const Coord &coord, const Coord &projection,
                  Place at) {
  Call call("local_tile", at, tensor, tile, coord, projection);
  Value where = call.value(coord, TreeKind::Coord), tiler = call.value(tile);
  return Tensor(
      call.infer<LocalTileOp>({tensor.ir(), tiler, where}, projectionOf(call, &projection)));
}
Tensor local_partition(Tensor tensor, const Layout &threads, Num thread, const Coord *projection,
                       Place at) {
  Call call("local_partition", at, tensor, threads, thread);
  Value all = call.value(threads), who = call.value(Coord(thread), TreeKind::Coord);
  return Tensor(
      call.infer<LocalPartitionOp>({tensor.ir(), all, who}, projectionOf(call, projection)));
}
Layout make_fragment_like(const Layout &l, Place at) {
  Call call("make_fragment_like", at, l);
  if (call.good() && !l.get().shape().isStatic())
    call.fail(cat("expects a shape that is known while the kernel is traced, but got ",
                  layout::str(l.get().shape())));
  Value x = call.value(l);
  return Layout(call.infer<MakeFragmentLikeOp>({x}));
}

void printf(const std::string &format, ArrayRef<Num> numbers, Place at) {
  Call call("printf", at);
  SmallVector<Value> values;
  for (const Num &number : numbers) {
    Call each("printf", at, number);
    if (!each.good())
      return;
    values.push_back(number.ir());
  }
  if (call.good())
    call.create<PrintfOp>(values, call.builder().getStringAttr(format));
}
void print_tensor(Tensor tensor, Place at) {
  Call call("print_tensor", at, tensor);
  if (call.good())
    call.create<PrintViewOp>(tensor.ir(), /*is_signed=*/true, /*verbose=*/false);
}
void device_assert(Num condition, const std::string &otherwise, Place at) {
  Call call("assert", at, condition);
  if (call.good() && !condition.type().isInteger(1))
    call.fail("expects a condition of i1, as comparisons give it");
  if (!call.good())
    return;
  If(
      condition == i1(false, at),
      [&] {
        std::string text =
            cat(at.file_name(), ":", at.line(), ": assertion failed: ", otherwise, "\n");
        for (size_t i = 0; (i = text.find('%', i)) != std::string::npos; i += 2)
          text.insert(i, "%"); // no conversion
        printf(text, {}, at);
        Call("assert", at).create<LLVM::Trap>();
      },
      {}, at);
}

} // namespace tessera::dsl
