// Layouts: by the algebra where they are static, else as operations of the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_cxx/LayoutCall.h"

using namespace tessera;
using layout::AnyLayout;
using layout::TreeKind;

namespace tessera::cute {

Layout<> layoutFrom(dsl::Layout l, bool onPointer) {
  if (l.ir() && l.get().isStatic()) // the program's type says all of it
    l = dsl::Layout(l.get());
  return made<Layout<>>(LayoutValue{std::move(l), onPointer});
}
Layout<>::Layout(const char *text, Place at) {
  haveContext();
  *this = layoutFrom(dsl::Layout(text, at));
}
Layout<> make_layout(const IntTuple &shape, Place at) {
  return layoutFrom(dsl::make_layout(tuple(shape, at), at));
}
Layout<> make_layout(const IntTuple &shape, const IntTuple &stride, Place at) {
  return layoutFrom(dsl::make_layout(tuple(shape, at), tuple(stride, at), at));
}
Layout<> make_layout(const IntTuple &shape, LayoutLeft, Place at) { return make_layout(shape, at); }
Layout<> detail::joined(std::initializer_list<Layout<>> layouts, Place at) {
  std::vector<IntTuple> shapes, strides;
  for (const Layout<> &l : layouts) {
    dsl::Layout given = layoutOf(l);
    if (!given.poisoned() && !given.get().affine()) {
      mistake("make_layout", cat("expects layouts without a swizzle as modes, but got ", l.str()),
              at);
      return refusedLayout();
    }
    shapes.push_back(l.shape(at));
    strides.push_back(l.stride(at));
  }
  return make_layout(IntTuple::of(shapes, at), IntTuple::of(strides, at), at);
}
Layout<> make_layout(const Layout<> &a, Place at) { return detail::joined({a}, at); }
Layout<> make_layout(const Layout<> &a, const Layout<> &b, Place at) {
  return detail::joined({a, b}, at);
}
Layout<> make_layout(const Layout<> &a, const Layout<> &b, const Layout<> &c, Place at) {
  return detail::joined({a, b, c}, at);
}
Layout<> make_layout(const Layout<> &a, const Layout<> &b, const Layout<> &c, const Layout<> &d,
                     Place at) {
  return detail::joined({a, b, c, d}, at);
}

/// The shape as a layout of itself, for operations on static shapes.
static Layout<> ofShape(const IntTuple &shape, Place at) { return make_layout(shape, at); }
/// Strides with the last mode fastest, of any shape.
static IntTuple rightStrides(const IntTuple &shape, Num &next, Place at) {
  if (!tuple(shape).tree().isTuple()) {
    IntTuple stride = next;
    next = Operand(next, at) * Operand(Num(shape, at), at);
    return stride;
  }
  std::vector<IntTuple> modes(size_t(shape.rank()), IntTuple(0));
  for (int i = shape.rank(); i-- > 0;)
    modes[size_t(i)] = rightStrides(shape.mode(i, at), next, at);
  return IntTuple::of(modes, at);
}
Layout<> make_layout(const IntTuple &shape, LayoutRight, Place at) {
  if (tuple(shape).isStatic())
    return fixed("make_layout", ofShape(shape, at), at,
                 [](layout::Arith &arith, const AnyLayout &l) -> Result<layout::Layout> {
                   return layout::compactRight(arith, l.shape());
                 });
  Num next = 1;
  IntTuple strides = rightStrides(shape, next, at);
  return make_layout(shape, strides, at);
}
/// Strides times a number.
static IntTuple scaled(const IntTuple &strides, const Num &by, Place at) {
  if (!tuple(strides).tree().isTuple())
    return Operand(Num(strides, at), at) * Operand(by, at);
  std::vector<IntTuple> modes;
  for (int i = 0; i < strides.rank(); ++i)
    modes.push_back(scaled(strides.mode(i, at), by, at));
  return IntTuple::of(modes, at);
}
IntTuple compact_col_major(const IntTuple &shape, const Num &first, Place at) {
  return scaled(compact_col_major(shape, at), first, at);
}
IntTuple compact_row_major(const IntTuple &shape, const Num &first, Place at) {
  return scaled(compact_row_major(shape, at), first, at);
}
Layout<> make_ordered_layout(const IntTuple &shape, const IntTuple &order, Place at) {
  return fixed("make_ordered_layout", ofShape(shape, at), at,
               [&](layout::Arith &arith, const AnyLayout &l) {
                 return layout::orderedLayout(arith, l.shape(), tuple(order).tree());
               });
}
Layout<> make_identity_layout(const IntTuple &shape, Place at) {
  return layoutFrom(dsl::make_identity_layout(tuple(shape, at), at));
}

//===--- parts --------------------------------------------------------------------------------===//

IntTuple Layout<>::shape(Place at) const {
  return intTuple(dsl::get_shape(layoutOf(*this), at), TreeKind::Shape, at);
}
IntTuple Layout<>::stride(Place at) const {
  dsl::Layout l = layoutOf(*this);
  return intTuple(dsl::get_stride(l, at), TreeKind::Stride, at);
}
Layout<> Layout<>::mode(int i, Place at) const {
  if (i == 0 && !is_poisoned() && layoutOf(*this).get().shape().isLeaf())
    return *this; // as of tuples
  return layoutFrom(dsl::get_mode(layoutOf(*this), i, at), onPointer(*this));
}
bool Layout<>::is_static() const { return layoutOf(*this).isStatic(); }
int Layout<>::rank() const { return int(layoutOf(*this).get().rank()); }
int depth(const Layout<> &l) { return int(layoutOf(l).get().outer().depth()); }
std::string Layout<>::str() const { return layout::str(layoutOf(*this).get()); }
bool operator==(const detail::LayoutAt &a, const detail::LayoutAt &b) {
  for (const Layout<> *l : {&a.layout, &b.layout})
    if (!layoutOf(*l).isStatic()) {
      if (!l->is_poisoned())
        mistake("operator==",
                cat("expects layouts that C++ knows while it traces, but got ", l->str()), a.at);
      return false;
    }
  return layoutOf(a.layout).get() == layoutOf(b.layout).get();
}
IntTuple Layout<>::offset(Place) const {
  const dsl::Layout own = layoutOf(*this); // whose part the composed one is
  const layout::Composed *composed = own.get().composed();
  return composed ? made<IntTuple>(dsl::Coord(composed->offset)) : IntTuple(0);
}
Layout<> Layout<>::layout_b(Place at) const { return get_nonswizzle_portion(*this, at); }
Num Layout<>::at(const IntTuple &coord, Place at) const { return crd2idx(coord, *this, at); }

Num size(const Layout<> &l, Place at) { return size(l.shape(at), at); }
Num cosize(const Layout<> &l, Place at) {
  dsl::Layout given = layoutOf(l);
  layout::Const arith;
  if (!given.isStatic()) {
    if (!given.poisoned())
      mistake("cosize", cat("expects a layout that C++ knows while it traces, but got ", l.str()),
              at);
    return num(dsl::Num(mlir::Value()));
  }
  Result<layout::Int> reach = layout::cosize(arith, given.get());
  if (reach)
    return counted(reach->value);
  mistake("cosize", reach.reason().text, at);
  return num(dsl::Num(mlir::Value()));
}
Num crd2idx(const IntTuple &coord, const Layout<> &l, Place at) {
  IntTuple index =
      intTuple(dsl::crd2idx(tuple(coord, at), layoutOf(l), at), TreeKind::IntTuple, at);
  // Where strides are bases, the index is a coordinate.
  return detail::is_tuple(index) ? Num(index.node()) : Num(index, at);
}
IntTuple idx2crd(const IntTuple &index, const IntTuple &shape, Place at) {
  return intTuple(dsl::idx2crd(tuple(index, at), tuple(shape, at), at), TreeKind::Coord, at);
}

//===--- tuples and coordinates that C++ knows -----------------------------------------------===//

static IntTuple poisonedTuple() {
  return made<IntTuple>(dsl::Coord(mlir::Value(), layout::Tree()));
}
/// The result of the algebra on tuples that have to be static: a tree, or 0 or 1 for false or true.
template <class F>
static IntTuple fixed(const char *call, std::initializer_list<const IntTuple *> given, Place at,
                      F f) {
  for (const IntTuple *t : given)
    if (!tuple(*t).isStatic()) {
      if (!tuple(*t).poisoned())
        mistake(call, cat("expects tuples that C++ knows while it traces, but got ", t->str()), at);
      return poisonedTuple();
    }
  layout::Const arith;
  Result<layout::Tree> result = f(arith);
  if (result)
    return made<IntTuple>(dsl::Coord(*std::move(result)));
  mistake(call, result.reason().text, at);
  return poisonedTuple();
}
static bool holds(const IntTuple &truth) {
  return tuple(truth).isStatic() && tuple(truth).tree().leaf().value.value;
}
IntTuple shape_div(const IntTuple &a, const IntTuple &b, Place at) {
  return fixed("shape_div", {&a, &b}, at, [&](layout::Arith &arith) {
    return layout::shapeDiv(arith, tuple(a).tree(), tuple(b).tree());
  });
}
bool congruent(const IntTuple &a, const IntTuple &b, Place) {
  return layout::congruent(tuple(a).tree(), tuple(b).tree());
}
bool compatible(const IntTuple &a, const IntTuple &b, Place at) {
  return holds(fixed("compatible", {&a, &b}, at, [&](layout::Arith &arith) -> Result<layout::Tree> {
    return layout::Tree(layout::compatible(arith, tuple(a).tree(), tuple(b).tree()));
  }));
}
bool weakly_compatible(const IntTuple &a, const IntTuple &b, Place at) {
  return holds(
      fixed("weakly_compatible", {&a, &b}, at, [&](layout::Arith &arith) -> Result<layout::Tree> {
        return layout::Tree(layout::weaklyCompatible(arith, tuple(a).tree(), tuple(b).tree()));
      }));
}
/// The number of an index that has to be static.
static layout::Int known(const IntTuple &index) { return tuple(index).tree().leaf().value; }
/// The same where the device knows the index, an extent or a stride.
static IntTuple coordOf(const Num &index, const IntTuple &shape, const IntTuple &stride, Place at) {
  if (!detail::is_tuple(shape)) {
    Num extent(shape, at), step(stride, at);
    const Static *one = staticOf(extent), *none = staticOf(step);
    if ((one && one->number == 1) || (none && none->number == 0))
      return IntTuple(0);
    return IntTuple(Operand(Operand(index, at) / Operand(step, at), at) % Operand(extent, at), at);
  }
  std::vector<IntTuple> modes;
  for (int i = 0; i < shape.rank(); ++i)
    modes.push_back(coordOf(index, shape.mode(i, at), stride.mode(i, at), at));
  return IntTuple::of(modes, at);
}
IntTuple idx2crd(const Num &index, const IntTuple &shape, const IntTuple &stride, Place at) {
  IntTuple n = index;
  dsl::Coord extents = tuple(shape, at), steps = tuple(stride, at);
  if (index.is_poisoned() || extents.poisoned() || steps.poisoned())
    return poisonedTuple();
  if (!layout::congruent(extents.tree(), steps.tree())) {
    mistake("idx2crd",
            cat("expects strides of the nesting of the shape, but got ", stride.str(), " for ",
                shape.str()),
            at);
    return poisonedTuple();
  }
  if (!tuple(n, at).isStatic() || !extents.isStatic() || !steps.isStatic())
    return coordOf(index, shape, stride, at);
  layout::Const arith;
  return made<IntTuple>(dsl::Coord(layout::idx2crd(arith, known(n), extents.tree(), steps.tree())));
}
IntTuple crd2crd(const IntTuple &coord, const IntTuple &from, const IntTuple &to, Place at) {
  return fixed("crd2crd", {&coord, &from, &to}, at, [&](layout::Arith &arith) {
    return layout::crd2crd(arith, tuple(coord).tree(), tuple(from).tree(), tuple(to).tree());
  });
}
IntTuple coshape(const Layout<> &l, Place at) {
  IntTuple shape = l.shape(at), stride = l.stride(at);
  return fixed("coshape", {&shape, &stride}, at,
               [&](layout::Arith &arith) { return layout::coshape(arith, layoutOf(l).get()); });
}

//===--- tilers -------------------------------------------------------------------------------===//

/// Of a number, its compact layout: that of 1 has the stride 0.
static layout::Tile tilerOf(const layout::Tree &extents) {
  if (!extents.isTuple())
    return extents.leaf().any
               ? layout::Tile()
               : layout::Tile(layout::Layout{extents, layout::Int(!extents.leaf().is(1))});
  std::vector<layout::Tile> modes;
  for (const layout::Tree &mode : extents.modes())
    modes.push_back(tilerOf(mode));
  return layout::Tile(std::move(modes));
}
Tiler::Tiler(const IntTuple &extents, Place at) {
  dsl::Coord t = tuple(extents, at);
  if (!t.isStatic() && !t.poisoned())
    mistake("tiler", cat("expects extents that C++ knows while it traces, but got ", extents.str()),
            at);
  *this = made<Tiler>(t.isStatic() ? dsl::Tile(tilerOf(t.tree())) : dsl::Tile::failure());
}
Tiler::Tiler(const Layout<> &whole, Place at) {
  dsl::Layout l = layoutOf(whole);
  if (!l.poisoned() && !l.get().affine())
    mistake("tiler", cat("expects a layout without a swizzle, but got ", whole.str()), at);
  *this = made<Tiler>(!l.poisoned() && l.get().affine() ? dsl::Tile(layout::Tile(*l.get().affine()))
                                                        : dsl::Tile::failure());
}
int Tiler::rank() const { return int(tileOf(*this).get().rank()); }
Tiler Tiler::mode(int i, Place at) const {
  dsl::Tile t = tileOf(*this);
  if (t.poisoned() || (i == 0 && !t.get().isTuple()))
    return *this;
  if (i >= 0 && i < rank())
    return made<Tiler>(dsl::Tile(t.get().modes[size_t(i)]));
  mistake("get",
          cat("expects one of the ", rank(), " modes of ", str(), ", counted from 0, but got ", i),
          at);
  return made<Tiler>(dsl::Tile::failure());
}
IntTuple Tiler::shape(Place at) const {
  dsl::Tile t = tileOf(*this);
  if (t.poisoned())
    return poisonedTuple();
  if (t.get().isLayout())
    return made<IntTuple>(dsl::Coord(t.get().single.shape));
  if (t.get().isAny()) {
    mistake("shape", "expects a tiler of extents and layouts, but got _", at);
    return poisonedTuple();
  }
  std::vector<IntTuple> modes;
  for (int i = 0; i < rank(); ++i)
    modes.push_back(mode(i, at).shape(at));
  return IntTuple::of(modes, at);
}
bool detail::evenly_divides(const IntTuple &shape, const Tiler &tiler, Place at) {
  if (tileOf(tiler).poisoned())
    return false;
  return holds(
      fixed("evenly_divides", {&shape}, at, [&](layout::Arith &arith) -> Result<layout::Tree> {
        return layout::Tree(layout::evenlyDivides(arith, tuple(shape).tree(), tileOf(tiler).get()));
      }));
}
Tiler::Tiler(Underscore) : Tiler(made<Tiler>(dsl::Tile(layout::Tile()))) {}
Tiler Tiler::of(std::initializer_list<Tiler> modes, Place) {
  std::vector<layout::Tile> all;
  for (const Tiler &mode : modes) {
    if (tileOf(mode).poisoned())
      return mode;
    all.push_back(tileOf(mode).get());
  }
  return made<Tiler>(dsl::Tile(layout::Tile(std::move(all))));
}
std::string Tiler::str() const { return layout::str(tileOf(*this).get()); }

//===--- algebra ------------------------------------------------------------------------------===//

/// A tiler that is one layout works on the whole domain: CuTe's rule for layouts as tilers.
static const layout::Layout *wholeOf(const Tiler &t, dsl::Tile &tile) {
  tile = tileOf(t);
  return !tile.poisoned() && tile.get().isLayout() ? &tile.get().single : nullptr;
}
Layout<> composition(const Layout<> &a, const Layout<> &b, Place at) {
  return layoutFrom(dsl::composition(layoutOf(a), layoutOf(b), at), onPointer(a));
}
Layout<> composition(const Layout<> &a, const Tiler &b, Place at) {
  dsl::Tile tile;
  if (const layout::Layout *whole = wholeOf(b, tile))
    return layoutFrom(dsl::composition(layoutOf(a), dsl::Layout(*whole), at), onPointer(a));
  return layoutFrom(dsl::composition(layoutOf(a), tile, at), onPointer(a));
}
Num AnySwizzle::operator()(const Num &index, Place at) const {
  int64_t read = ((int64_t(1) << num_bits) - 1) << (num_base + std::max(num_shft, 0));
  Operand moved(Operand(index, at) & Operand(read, at), at);
  return Operand(index, at) ^
         Operand(num_shft > 0 ? moved >> Operand(num_shft, at) : moved << Operand(-num_shft, at),
                 at);
}
Layout<> composition(const AnySwizzle &a, const Layout<> &b, Place at) {
  layout::Swizzle swizzle{a.num_bits, a.num_base, a.num_shft};
  return layoutFrom(dsl::make_swizzled(swizzle, layoutOf(b), at));
}
Layout<> Layout<>::compose(const Tiler &t, Place at) const { return composition(*this, t, at); }
Layout<> Layout<>::with_shape(const IntTuple &shape, Place at) const {
  return composition(*this, make_layout(shape, at), at);
}
Layout<> coalesce(const Layout<> &l, Place at) {
  return layoutFrom(dsl::coalesce(layoutOf(l), at), onPointer(l));
}
Layout<> flatten(const Layout<> &l, Place at) {
  return layoutFrom(dsl::flatten(layoutOf(l), at), onPointer(l));
}
Layout<> detail::select(const Layout<> &l, std::vector<int> modes, Place at) {
  return layoutFrom(dsl::select(layoutOf(l), modes, at), onPointer(l));
}
Layout<> detail::group(const Layout<> &l, int begin, int end, Place at) {
  if (begin == end) // as in CuTe C++
    return l;
  return layoutFrom(dsl::group_modes(layoutOf(l), begin, end, at), onPointer(l));
}
Layout<> complement(const Layout<> &l, const IntTuple &cotarget, Place at) {
  return ofOuter("complement", l, at, [&](layout::Arith &arith, const layout::Layout &given) {
    return layout::complement(arith, given, tuple(cotarget).tree());
  });
}
Layout<> complement(const Layout<> &l, Place at) {
  return ofOuter("complement", l, at, [](layout::Arith &arith, const layout::Layout &given) {
    return layout::complement(arith, given);
  });
}
Layout<> right_inverse(const Layout<> &l, Place at) {
  return fixed("right_inverse", l, at, [](layout::Arith &arith, const AnyLayout &given) {
    return layout::rightInverse(arith, given);
  });
}
Layout<> left_inverse(const Layout<> &l, Place at) {
  return fixed("left_inverse", l, at, [](layout::Arith &arith, const AnyLayout &given) {
    return layout::leftInverse(arith, given);
  });
}
Layout<> coalesce(const Layout<> &l, const IntTuple &profile, Place at) {
  return ofDomain("coalesce", l, at, [&](layout::Arith &arith, const layout::Layout &given) {
    return layout::coalesce(arith, given, tuple(profile).tree());
  });
}
Layout<> nullspace(const Layout<> &l, Place at) {
  return ofOuter("nullspace", l, at,
                 [](layout::Arith &arith, const layout::Layout &given) -> Result<layout::Layout> {
                   return layout::nullspace(arith, given);
                 });
}
Layout<> detail::take(const Layout<> &l, int begin, int end, Place at) {
  return ofDomain("take", l, at, [&](layout::Arith &, const layout::Layout &given) {
    return layout::take(given, begin, end);
  });
}
Layout<> detail::cast(const char *call, const Layout<> &l, int factor, bool up, Place at) {
  return recast(call, l, up ? 1 : factor, up ? factor : 1, at);
}
/// A swizzle of a pointer is one of bytes, whatever the elements are.
Layout<> detail::recast(const char *call, const Layout<> &l, int old_bits, int new_bits, Place at) {
  return fixed(call, l, at, [&](layout::Arith &arith, const AnyLayout &given) -> Result<AnyLayout> {
    if (!onPointer(l))
      return layout::recast(arith, given, old_bits, new_bits);
    TESSERA_TRY(AnyLayout outer, layout::recast(arith, given.outer(), old_bits, new_bits));
    return given.withOuter(layout::Layout(outer.outer()));
  });
}
Layout<> filter(const Layout<> &l, Place at) {
  return ofDomain("filter", l, at,
                  [](layout::Arith &arith, const layout::Layout &given) -> Result<layout::Layout> {
                    return layout::filter(arith, given);
                  });
}
Layout<> filter_zeros(const Layout<> &l, Place at) {
  return ofDomain("filter_zeros", l, at,
                  [](layout::Arith &, const layout::Layout &given) -> Result<layout::Layout> {
                    return layout::filterZeros(given);
                  });
}

static Layout<> divided(const char *call, const Layout<> &l, const Tiler &t,
                        layout::Grouping grouping, Place at) {
  dsl::Tile tile;
  const layout::Layout *whole = wholeOf(t, tile);
  if (tile.poisoned())
    return refusedLayout();
  if (layoutOf(l).isStatic())
    return fixed(call, l, at, [&](layout::Arith &arith, const AnyLayout &given) {
      return whole ? layout::divide(arith, given, *whole, grouping)
                   : layout::divide(arith, given, tile.get(), grouping);
    });
  return layoutFrom(dsl::divide(layoutOf(l), tile, grouping, at), onPointer(l));
}
Layout<> logical_divide(const Layout<> &l, const Tiler &t, Place at) {
  return divided("logical_divide", l, t, layout::Grouping::Logical, at);
}
Layout<> zipped_divide(const Layout<> &l, const Tiler &t, Place at) {
  return divided("zipped_divide", l, t, layout::Grouping::Zipped, at);
}
Layout<> tiled_divide(const Layout<> &l, const Tiler &t, Place at) {
  return divided("tiled_divide", l, t, layout::Grouping::Tiled, at);
}
Layout<> flat_divide(const Layout<> &l, const Tiler &t, Place at) {
  return divided("flat_divide", l, t, layout::Grouping::Flat, at);
}
static Layout<> multiplied(const char *call, const Layout<> &l, const Tiler &t,
                           layout::Grouping grouping, Place at) {
  dsl::Tile tile;
  const layout::Layout *whole = wholeOf(t, tile);
  return fixed(call, l, at, [&](layout::Arith &arith, const AnyLayout &given) {
    return whole ? layout::product(arith, given, *whole, grouping)
                 : layout::product(arith, given, tile.get(), grouping);
  });
}
Layout<> logical_product(const Layout<> &l, const Tiler &t, Place at) {
  return multiplied("logical_product", l, t, layout::Grouping::Logical, at);
}
Layout<> zipped_product(const Layout<> &l, const Tiler &t, Place at) {
  return multiplied("zipped_product", l, t, layout::Grouping::Zipped, at);
}
Layout<> tiled_product(const Layout<> &l, const Tiler &t, Place at) {
  return multiplied("tiled_product", l, t, layout::Grouping::Tiled, at);
}
Layout<> flat_product(const Layout<> &l, const Tiler &t, Place at) {
  return multiplied("flat_product", l, t, layout::Grouping::Flat, at);
}
/// An operation of two static layouts, the second without a swizzle.
template <class F>
static Layout<> ofTwo(const char *call, const Layout<> &a, const Layout<> &b, Place at, F f) {
  return fixed(call, a, at, [&](layout::Arith &arith, const AnyLayout &left) -> Result<AnyLayout> {
    dsl::Layout right = layoutOf(b);
    if (!right.isStatic() || !right.get().affine())
      return Reason{"Layout",
                    cat("expects a layout that C++ knows, without a swizzle, but got ", b.str())};
    auto result = f(arith, left, *right.get().affine());
    if (!result)
      return result.reason();
    return AnyLayout(*std::move(result));
  });
}
Layout<> blocked_product(const Layout<> &a, const Layout<> &b, Place at) {
  return ofTwo("blocked_product", a, b, at,
               [](layout::Arith &arith, const AnyLayout &x, const layout::Layout &y) {
                 return layout::blockedProduct(arith, x, y);
               });
}
Layout<> raked_product(const Layout<> &a, const Layout<> &b, Place at) {
  return ofTwo("raked_product", a, b, at,
               [](layout::Arith &arith, const AnyLayout &x, const layout::Layout &y) {
                 return layout::rakedProduct(arith, x, y);
               });
}
/// An operation on coordinates of two static layouts, the second without a swizzle.
template <class F>
static Layout<> domainOfTwo(const char *call, const Layout<> &a, const Layout<> &b, Place at, F f) {
  return ofTwo(
      call, a, b, at,
      [&](layout::Arith &, const AnyLayout &x, const layout::Layout &y) -> Result<AnyLayout> {
        Result<layout::Layout> outer = f(x.outer(), y);
        if (!outer)
          return outer.reason();
        return x.withOuter(*std::move(outer));
      });
}
Layout<> detail::replace(const Layout<> &l, int mode, const Layout<> &by, Place at) {
  return domainOfTwo("replace", l, by, at, [&](const layout::Layout &x, const layout::Layout &y) {
    return layout::replace(x, mode, y);
  });
}
Layout<> max_common_layout(const Layout<> &a, const Layout<> &b, Place at) {
  return ofTwo("max_common_layout", a, b, at,
               [&](layout::Arith &arith, const AnyLayout &x,
                   const layout::Layout &y) -> Result<layout::Layout> {
                 if (!x.affine())
                   return Reason{"Layout",
                                 cat("expects layouts without a swizzle, but got ", a.str())};
                 return layout::maxCommonLayout(arith, *x.affine(), y);
               });
}
int max_common_vector(const Layout<> &a, const Layout<> &b, Place at) {
  // Both swizzled alike: the elements change places together. With one swizzle, those that it does
  // not move stay (CUTLASS include/cute/swizzle_layout.hpp).
  auto swizzleOf = [](const Layout<> &l) -> std::optional<layout::Swizzle> {
    const dsl::Layout own = layoutOf(l); // whose part the composed one is
    const layout::Composed *composed = own.get().composed();
    return composed && composed->swizzle() ? std::optional(*composed->swizzle()) : std::nullopt;
  };
  std::optional<layout::Swizzle> x = swizzleOf(a), y = swizzleOf(b);
  if (!x && !y)
    return detail::common_vector(a, b, at);
  int all = detail::common_vector(x ? a.layout_b(at) : a, y ? b.layout_b(at) : b, at);
  if (x && y && *x == *y)
    return all;
  for (const auto &s : {x, y})
    all = s ? int(std::min<int64_t>(all, int64_t(1) << s->base)) : all;
  return all;
}
int detail::common_vector(const Layout<> &a, const Layout<> &b, Place at) {
  for (const Layout<> *l : {&a, &b})
    if (!layoutOf(*l).isStatic()) {
      if (!l->is_poisoned())
        mistake("max_common_vector",
                cat("expects layouts that C++ knows while it traces, but got ", l->str()), at);
      return 1;
    }
  IntTuple most =
      fixed("max_common_vector", {}, at, [&](layout::Arith &arith) -> Result<layout::Tree> {
        Result<layout::Int> found =
            layout::maxCommonVector(arith, layoutOf(a).get(), layoutOf(b).get());
        if (!found)
          return found.reason();
        return layout::Tree(*found);
      });
  return tuple(most).isStatic() ? int(known(most).value) : 1;
}
Layout<> append(const Layout<> &a, const Layout<> &b, Place at) {
  return domainOfTwo("append", a, b, at, [](const layout::Layout &x, const layout::Layout &y) {
    return layout::append(x, y);
  });
}
Layout<> prepend(const Layout<> &a, const Layout<> &b, Place at) {
  return domainOfTwo("prepend", a, b, at, [](const layout::Layout &x, const layout::Layout &y) {
    return layout::prepend(x, y);
  });
}
Layout<> tile_to_shape(const Layout<> &block, const IntTuple &shape, const IntTuple &order,
                       Place at) {
  return fixed("tile_to_shape", block, at, [&](layout::Arith &arith, const AnyLayout &l) {
    return layout::tileToShape(arith, l, tuple(shape).tree(), tuple(order).tree());
  });
}
/// 0, 1, 2, ..., or backwards.
static IntTuple orderOf(int rank, bool isLeft, Place at) {
  std::vector<IntTuple> order;
  for (int i = 0; i < rank; ++i)
    order.push_back(isLeft ? i : rank - 1 - i);
  return IntTuple::of(order, at);
}
Layout<> tile_to_shape(const Layout<> &block, const IntTuple &shape, Place at) {
  return tile_to_shape(block, shape, orderOf(shape.rank(), true, at), at);
}
Layout<> tile_to_shape(const Layout<> &block, const IntTuple &shape, LayoutRight, Place at) {
  return tile_to_shape(block, shape, orderOf(shape.rank(), false, at), at);
}

} // namespace tessera::cute
