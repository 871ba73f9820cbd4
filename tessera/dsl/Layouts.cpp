// Layouts by the algebra, or as operations where a leaf is known at run time only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/Layouts.h"

#include "tessera/dsl/Call.h"
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using layout::AnyLayout;
using layout::TreeKind;

namespace tessera::dsl {

/// A static layout, checked.
static Layout made(Call &call, const char *name, Result<AnyLayout> value) {
  return call.good() ? Layout(std::move(value), name, call.place()) : Layout(Value());
}
static Result<AnyLayout> any(Result<layout::Layout> l) {
  if (!l)
    return l.reason();
  return AnyLayout(*std::move(l));
}

Layout make_layout(const Shape &shape, Place at) {
  Call call("make_layout", at, shape);
  layout::Const arith;
  if (!shape.isStatic()) {
    Value s = call.value(shape, TreeKind::Shape);
    return Layout(call.infer<MakeLayoutOp>({s}));
  }
  Result<layout::Tree> checked = layout::checkedShape(shape.tree());
  return made(call, "make_layout",
              checked ? any(layout::checked(layout::compactMajor(arith, *checked)))
                      : Result<AnyLayout>(checked.reason()));
}
Layout make_layout(const Shape &shape, const Stride &stride, Place at) {
  Call call("make_layout", at, shape, stride);
  if (shape.isStatic() && stride.isStatic())
    return made(call, "make_layout", any(layout::checked({shape.tree(), stride.tree()})));
  Value s = call.value(shape, TreeKind::Shape), d = call.value(stride, TreeKind::Stride);
  return Layout(call.infer<MakeLayoutOp>({s, d}));
}
Layout make_swizzled(const layout::Swizzle &swizzle, const Layout &outer, Place at) {
  Call call("make_swizzled", at, outer);
  if (call.good() && (!outer.isStatic() || !outer.get().affine()))
    call.fail("expects a static layout without a swizzle");
  if (!call.good())
    return Layout(Value());
  Result<layout::Swizzle> checked = layout::checked(swizzle);
  if (!checked)
    return made(call, "make_swizzled", checked.reason());
  return layout::compose(*checked, int64_t(0), *outer.get().affine());
}
Layout make_identity_layout(const Shape &shape, Place at) {
  Call call("make_identity_layout", at, shape);
  if (shape.isStatic())
    return made(call, "make_identity_layout", AnyLayout(layout::identityLayout(shape.tree())));
  Value s = call.value(shape, TreeKind::Shape);
  return Layout(call.infer<MakeIdentityLayoutOp>({s}));
}

//===--- algebra ------------------------------------------------------------------------------===//

/// Op on a layout and another value: by `here` where both are static.
template <class Op, class Other, class Here>
static Layout algebra(const char *name, const Layout &a, const Other &b, Place at, Here here) {
  Call call(name, at, a, b);
  if (!call.good())
    return Layout(Value());
  bool fixed = a.isStatic();
  if constexpr (std::is_same_v<Other, Layout>)
    fixed &= b.isStatic();
  if (fixed) {
    layout::Const arith;
    Result<AnyLayout> value = here(arith);
    if (value && arith.overflowed())
      value = layout::fail(layout::Error::ResultTooLarge);
    return made(call, name, std::move(value));
  }
  Value x = call.value(a), y = call.value(b);
  return Layout(call.infer<Op>({x, y}));
}

Layout composition(const Layout &a, const Layout &b, Place at) {
  return algebra<CompositionOp>("composition", a, b, at, [&](layout::Const &arith) {
    return b.get().affine() ? layout::composition(arith, a.get(), *b.get().affine())
                            : layout::composition(arith, a.get(), *b.get().composed());
  });
}
Layout composition(const Layout &a, const Tile &b, Place at) {
  return algebra<CompositionOp>("composition", a, b, at, [&](layout::Const &arith) {
    return layout::composition(arith, a.get(), b.get());
  });
}
Layout zipped_divide(const Layout &a, const Tile &b, Place at) {
  return algebra<ZippedDivideOp>("zipped_divide", a, b, at, [&](layout::Const &arith) {
    return layout::divide(arith, a.get(), b.get(), layout::Grouping::Zipped);
  });
}
Layout logical_divide(const Layout &a, const Tile &b, Place at) {
  return algebra<LogicalDivideOp>("logical_divide", a, b, at, [&](layout::Const &arith) {
    return layout::divide(arith, a.get(), b.get(), layout::Grouping::Logical);
  });
}
Layout divide(const Layout &a, const Tile &b, layout::Grouping grouping, Place at) {
  auto here = [&](layout::Const &arith) {
    return b.get().isLayout() ? layout::divide(arith, a.get(), b.get().single, grouping)
                              : layout::divide(arith, a.get(), b.get(), grouping);
  };
  switch (grouping) {
  case layout::Grouping::Logical: return algebra<LogicalDivideOp>("logical_divide", a, b, at, here);
  case layout::Grouping::Zipped: return algebra<ZippedDivideOp>("zipped_divide", a, b, at, here);
  case layout::Grouping::Tiled: return algebra<TiledDivideOp>("tiled_divide", a, b, at, here);
  case layout::Grouping::Flat: return algebra<FlatDivideOp>("flat_divide", a, b, at, here);
  }
  return Layout(Value());
}
Layout coalesce(const Layout &l, Place at) {
  Call call("coalesce", at, l);
  layout::Const arith;
  if (l.isStatic())
    return made(call, "coalesce", l.get().withOuter(layout::coalesce(arith, l.get().outer())));
  Value x = call.value(l);
  return Layout(call.infer<CoalesceOp>({x}));
}
Layout flatten(const Layout &l, Place at) {
  Call call("flatten", at, l);
  if (l.isStatic())
    return made(call, "flatten", l.get().withOuter(layout::flatten(l.get().outer())));
  Value x = call.value(l);
  return Layout(call.infer<FlattenOp>({x}));
}
Layout group_modes(const Layout &l, int begin, int end, Place at) {
  Call call("group_modes", at, l);
  NamedAttrList attrs;
  if (call.good()) {
    attrs.set("begin", call.builder().getI32IntegerAttr(begin));
    attrs.set("end", call.builder().getI32IntegerAttr(end));
  }
  Value x = call.value(l);
  return Layout(call.infer<GroupModesOp>({x}, attrs));
}
Layout select(const Layout &l, ArrayRef<int32_t> modes, Place at) {
  Call call("select", at, l);
  NamedAttrList attrs;
  if (call.good())
    attrs.set("mode", call.builder().getDenseI32ArrayAttr(modes));
  Value x = call.value(l);
  return Layout(call.infer<SelectOp>({x}, attrs));
}

Layout get_mode(const Layout &l, int mode, Place at) {
  Call call("get", at, l);
  NamedAttrList attrs;
  if (call.good())
    attrs.set("mode", call.builder().getDenseI32ArrayAttr({mode}));
  Value x = call.value(l);
  return Layout(call.infer<GetOp>({x}, attrs));
}

//===--- parts --------------------------------------------------------------------------------===//

Shape get_shape(const Layout &l, Place at) {
  Call call("get_shape", at, l);
  if (l.isStatic())
    return Shape(l.get().shape());
  Value x = call.value(l);
  return Shape(call.infer<GetShapeOp>({x}), l.get().shape());
}
Stride get_stride(const Layout &l, Place at) {
  Call call("get_stride", at, l);
  if (call.good() && !l.get().affine())
    call.fail(cat("expects a layout without a swizzle, but got ", layout::str(l.get())));
  if (!call.good() || l.isStatic())
    return call.good() ? Stride(l.get().outer().stride) : Stride(Value(), layout::Tree());
  Value x = call.value(l);
  return Stride(call.infer<GetStrideOp>({x}), l.get().outer().stride);
}
/// A tuple of the IR, with what its type says.
static Coord tupleOf(Value value) {
  return value ? Coord(value, *datumOf(value.getType()).tree()) : Coord(Value(), layout::Tree());
}
Coord crd2idx(const Coord &coord, const Layout &l, Place at) {
  Call call("crd2idx", at, coord, l);
  Value where = call.value(coord, TreeKind::Coord), x = call.value(l);
  return tupleOf(call.infer<Crd2IdxOp>({where, x}));
}
Coord idx2crd(const Coord &index, const Shape &shape, Place at) {
  Call call("idx2crd", at, index, shape);
  Value i = call.value(index, TreeKind::IntTuple), s = call.value(shape, TreeKind::Shape);
  return tupleOf(call.infer<Idx2CrdOp>({i, s}));
}
static Num sizeOf(Call &call, Value value, std::optional<int> mode) {
  NamedAttrList attrs;
  if (call.good() && mode)
    attrs.set("mode", call.builder().getDenseI32ArrayAttr({*mode}));
  Value extent = call.infer<SizeOp>({value}, attrs);
  return Num(extent ? call.infer<GetScalarsOp>({extent}) : Value());
}
Num size(const Layout &l, Place at) {
  Call call("size", at, l);
  Value x = call.value(l);
  return sizeOf(call, x, std::nullopt);
}
Num size(const Layout &l, int mode, Place at) {
  Call call("size", at, l);
  Value x = call.value(l);
  return sizeOf(call, x, mode);
}

} // namespace tessera::dsl
