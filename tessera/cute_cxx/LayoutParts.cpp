// Parts of layouts, and layouts made of parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_cxx/LayoutCall.h"

#include <numeric>

using namespace tessera;
using layout::AnyLayout;

namespace tessera::cute {

/// Shape and stride regrouped in the same way.
template <class F> static Layout<> regrouped(const Layout<> &l, Place at, F f) {
  if (l.is_poisoned())
    return l;
  IntTuple shape = f(l.shape(at));
  return shape.is_poisoned() ? refusedLayout() : make_layout(shape, f(l.stride(at)), at);
}
/// The same for the layout before a swizzle, if there is one; the swizzle stays.
template <class F> static Layout<> regroupedOuter(const Layout<> &l, Place at, F f) {
  dsl::Layout given = layoutOf(l);
  if (l.is_poisoned() || given.get().affine())
    return regrouped(l, at, f);
  Layout<> outer = regrouped(get_nonswizzle_portion(l, at), at, f);
  if (outer.is_poisoned())
    return outer;
  layout::Layout of = layoutOf(outer).get().outer();
  return layoutFrom(dsl::Layout(given.get().withOuter(std::move(of))), onPointer(l));
}

Layout<> slice(const IntTuple &coord, const Layout<> &l, Place at) {
  return regroupedOuter(l, at, [&](const IntTuple &t) { return slice(coord, t, at); });
}
Layout<> dice(const IntTuple &coord, const Layout<> &l, Place at) {
  return regroupedOuter(l, at, [&](const IntTuple &t) { return dice(coord, t, at); });
}
/// The coordinate with 0 for `_`.
static IntTuple fixedPart(const IntTuple &coord, Place at) {
  if (!tuple(coord).tree().isTuple())
    return tuple(coord).tree().leaf().any ? IntTuple(0) : coord;
  std::vector<IntTuple> modes;
  for (int i = 0; i < coord.rank(); ++i)
    modes.push_back(fixedPart(coord.mode(i, at), at));
  return IntTuple::of(modes, at);
}
std::tuple<Layout<>, IntTuple> slice_and_offset(const IntTuple &coord, const Layout<> &l,
                                                Place at) {
  if (dsl::Layout given = layoutOf(l); given.isStatic() && given.get().composed()) {
    if (!tuple(coord).isStatic()) {
      mistake("slice_and_offset",
              cat("expects a coordinate that C++ knows for a layout with a swizzle, but got ",
                  coord.str()),
              at);
      return {refusedLayout(), coord};
    }
    layout::Const arith;
    Result<layout::Sliced> parts = layout::sliceAndOffset(arith, tuple(coord).tree(), given.get());
    if (parts)
      return {layoutFrom(dsl::Layout(parts->layout), onPointer(l)),
              made<IntTuple>(dsl::Coord(parts->offset))};
    mistake("slice_and_offset", parts.reason().text, at);
    return {refusedLayout(), coord};
  }
  Layout<> kept = slice(coord, l, at);
  if (kept.is_poisoned())
    return {kept, coord};
  return {kept, intTuple(dsl::crd2idx(tuple(fixedPart(coord, at)), layoutOf(l), at),
                         layout::TreeKind::IntTuple, at)};
}
Layout<> Layout<>::sliced(const IntTuple &coord, Place place) const {
  return std::get<0>(slice_and_offset(coord, *this, place));
}

Layout<> zip(const Layout<> &a, const Layout<> &b, Place at) {
  if (a.is_poisoned() || b.is_poisoned())
    return a.is_poisoned() ? a : b;
  return make_layout(zip(a.shape(at), b.shape(at), at), zip(a.stride(at), b.stride(at), at), at);
}
Layout<> zip(const Layout<> &l, Place at) {
  return regrouped(l, at, [&](const IntTuple &t) { return zip(t, at); });
}
Layout<> detail::filled(const Layout<> &l, int rank, const Layout<> &x, bool behind, Place at) {
  if (l.is_poisoned() || x.is_poisoned())
    return l;
  if (rank >= 0 && l.rank() > rank) {
    mistake(behind ? "append" : "prepend",
            cat("expects at most ", rank, rank == 1 ? " mode" : " modes", ", but got ", l.str()),
            at);
    return refusedLayout();
  }
  return make_layout(filled(l.shape(at), rank, x.shape(at), behind, at),
                     filled(l.stride(at), rank, x.stride(at), behind, at), at);
}

Layout<> unflatten(const Layout<> &l, const IntTuple &profile, Place at) {
  return regroupedOuter(l, at, [&](const IntTuple &t) { return unflatten(t, profile, at); });
}
Layout<> make_fragment_like(const Layout<> &l, Place at) {
  return layoutFrom(dsl::make_fragment_like(layoutOf(l), at));
}
Layout<> make_layout_like(const Layout<> &l, Place at) {
  dsl::Layout given = layoutOf(l);
  if (given.poisoned())
    return l;
  layout::Layout outer = given.get().outer();
  if (!outer.shape.isStatic()) {
    mistake("make_layout_like",
            cat("expects a shape that C++ knows while it traces, but got ", l.str()), at);
    return refusedLayout();
  }
  layout::Const arith;
  return layoutFrom(dsl::Layout(layout::AnyLayout(layout::layoutLike(arith, outer))));
}
IntTuple compact_order(const IntTuple &shape, const IntTuple &order, Place at) {
  return make_ordered_layout(shape, order, at).stride(at);
}
/// An offset that C++ knows; else a mistake.
static bool isKnownOffset(const IntTuple &offset, Place at) {
  if (!tuple(offset).isStatic() && !offset.is_poisoned())
    mistake("make_composed_layout",
            cat("expects an offset that C++ knows while it traces, but got ", offset.str()), at);
  return tuple(offset).isStatic();
}
Layout<> make_composed_layout(const Layout<> &a, const IntTuple &offset, const Layout<> &b,
                              Place at) {
  if (!isKnownOffset(offset, at))
    return refusedLayout();
  if (tuple(offset).tree().isLeaf() && tuple(offset).tree().leaf().is(0))
    return composition(a, b, at);
  return fixed("make_composed_layout", b, at,
               [&](layout::Arith &, const AnyLayout &given) -> Result<AnyLayout> {
                 if (!given.affine())
                   return Reason{"Layout", cat("expects one swizzle at most, but got ", b.str())};
                 dsl::Layout inner = layoutOf(a);
                 if (!inner.isStatic() || !inner.get().affine())
                   return Reason{"Layout", cat("expects a layout that C++ knows, without a "
                                               "swizzle, but got ",
                                               a.str())};
                 return AnyLayout(layout::Composed{*inner.get().affine(), tuple(offset).tree(),
                                                   *given.affine()});
               });
}
Layout<> make_composed_layout(const AnySwizzle &a, const IntTuple &offset, const Layout<> &l,
                              Place at) {
  if (!isKnownOffset(offset, at))
    return refusedLayout();
  return fixed("make_composed_layout", l, at,
               [&](layout::Arith &, const AnyLayout &given) -> Result<AnyLayout> {
                 if (!given.affine())
                   return Reason{"Layout", cat("expects one swizzle at most, but got ", l.str())};
                 TESSERA_TRY(layout::Swizzle swizzle,
                             layout::checked({a.num_bits, a.num_base, a.num_shft}));
                 return layout::compose(swizzle, tuple(offset).tree(), *given.affine());
               });
}
AnySwizzle get_swizzle_portion(const Layout<> &l, Place at) {
  dsl::Layout given = layoutOf(l);
  const layout::Composed *composed = given.get().composed();
  if (composed && !composed->swizzle() && !given.poisoned())
    mistake("get_swizzle_portion",
            cat("expects a layout with a swizzle or with nothing after it, but got ", l.str()), at);
  if (!composed || !composed->swizzle())
    return Swizzle<0, 4, 3>();
  const layout::Swizzle &swizzle = *composed->swizzle();
  return {int(swizzle.bits), int(swizzle.base), int(swizzle.shift)};
}
Layout<> get_nonswizzle_portion(const Layout<> &l, Place) {
  dsl::Layout given = layoutOf(l);
  return given.get().affine() ? l : layoutFrom(dsl::Layout(layout::Layout(given.get().outer())));
}
Num max_alignment(const Layout<> &l, Place at) {
  layout::Const arith;
  dsl::Layout given = layoutOf(l);
  const layout::Composed *composed = given.get().composed();
  if (!given.isStatic() || (composed && !composed->swizzle())) {
    if (!given.poisoned())
      mistake(
          "max_alignment",
          cat("expects a layout that C++ knows while it traces, or a swizzle after it, but got ",
              l.str()),
          at);
    return num(dsl::Num(mlir::Value()));
  }
  int64_t elements = layout::maxAlignment(arith, given.get().outer()).value;
  if (composed) // a swizzle moves blocks of 2^base elements
    elements = std::gcd(elements, std::gcd(int64_t(1) << composed->swizzle()->base,
                                           composed->offset.leaf().value.value));
  return elements;
}
Layout<> filter(const Layout<> &l, const IntTuple &profile, Place at) {
  return ofDomain("filter", l, at, [&](layout::Arith &arith, const layout::Layout &given) {
    return layout::filter(arith, given, tuple(profile).tree());
  });
}
Layout<> filter_zeros(const Layout<> &l, const IntTuple &profile, Place at) {
  return ofDomain("filter_zeros", l, at, [&](layout::Arith &, const layout::Layout &given) {
    return layout::filterZeros(given, tuple(profile).tree());
  });
}
Layout<> domain_distribute(const IntTuple &shape, const Num &count, Place at) {
  return ofOuter("domain_distribute", make_layout(shape, at), at,
                 [&](layout::Arith &arith, const layout::Layout &given) -> Result<layout::Layout> {
                   if (!staticOf(count))
                     return Reason{"Count", "expects a count that C++ knows while it traces"};
                   return layout::domainDistribute(arith, given.shape,
                                                   layout::Int(staticOf(count)->number));
                 });
}
IntTuple coprofile(const Layout<> &l, Place) {
  return made<IntTuple>(dsl::Coord(layout::coprofile(layoutOf(l).get())));
}

//===--- coordinates of an index --------------------------------------------------------------===//

IntTuple Layout<>::get_hier_coord(const Num &index, Place at) const {
  return idx2crd(index, shape(at), stride(at), at);
}
IntTuple Layout<>::get_flat_coord(const Num &index, Place at) const {
  IntTuple coord = get_hier_coord(index, at), own = shape(at);
  if (coord.is_poisoned() || !detail::is_tuple(own))
    return coord;
  std::vector<IntTuple> modes;
  for (int i = 0; i < own.rank(); ++i)
    modes.push_back(crd2idx(coord.mode(i, at), own.mode(i, at), at));
  return IntTuple::of(modes, at);
}
Num Layout<>::get_1d_coord(const Num &index, Place at) const {
  return crd2idx(get_hier_coord(index, at), shape(at), at);
}

} // namespace tessera::cute
