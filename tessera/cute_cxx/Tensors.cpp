// Tensors as operations of the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_cxx/Whole.h"
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Text.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

using namespace tessera;

namespace tessera::cute {

//===--- pointers -----------------------------------------------------------------------------===//

static Format formatOf(std::optional<dsl::Element> element) {
  return element ? element->format() : Format::none;
}
Format Pointer::format() const { return formatOf(dsl::element_of(held<dsl::Pointer>(*this))); }
Format Tensor::format() const { return formatOf(dsl::element_of(tensorOf(*this))); }
Pointer operator+(const Pointer &p, const detail::Fixed &elements) {
  return made<Pointer>(dsl::offset(held<dsl::Pointer>(p), tuple(elements.mode), elements.at));
}
/// Of dsmem, the memory of another block, addresses have the form of smem.
static bool isIn(std::string_view space, const Pointer &p, const char *call, Place at) {
  dsl::Pointer pointer = held<dsl::Pointer>(p);
  std::string_view own = dsl::start_of(pointer).space;
  if (pointer.poisoned() || own == space || (space == "smem" && own == "dsmem"))
    return true;
  mistake(call,
          pointer.ir() ? cat("expects a pointer to ", space, ", but got one to ",
                             own.empty() ? std::string_view("coordinates") : own)
                       : "expects a pointer that is set",
          at);
  return false;
}
Pointer detail::in_memory(const Pointer &p, const char *space, const char *call, Place at) {
  return isIn(space, p, call, at) ? p : made<Pointer>(dsl::Pointer(mlir::Value()));
}
/// What is known of the address stays known.
static Pointer recastTo(const Pointer &p, dsl::Element element, const layout::Swizzle &swizzle,
                        Place at) {
  dsl::Pointer pointer = held<dsl::Pointer>(p);
  int64_t aligned = std::max<int64_t>(dsl::start_of(pointer).alignment, element.bits() / 8);
  return made<Pointer>(dsl::recast_ptr(pointer, element, aligned, swizzle, at));
}
Pointer detail::recast(const Pointer &p, Format format, Place at) {
  return recastTo(p, dsl::Element(format), dsl::start_of(held<dsl::Pointer>(p)).swizzle, at);
}
Pointer raw_pointer_cast(const Pointer &p, Place at) {
  std::optional<dsl::Element> element = dsl::element_of(held<dsl::Pointer>(p));
  if (element)
    return recastTo(p, *element, {.bits = 0}, at);
  if (!p.is_set())
    mistake("raw_pointer_cast", "expects a pointer that is set", at);
  return p.is_set() ? p : made<Pointer>(dsl::Pointer(mlir::Value()));
}
Num cast_smem_ptr_to_uint(const Pointer &p, Place at) {
  if (!isIn("smem", p, "cast_smem_ptr_to_uint", at))
    return num(dsl::Num(mlir::Value()));
  return detail::convert(num(dsl::address(held<dsl::Pointer>(p), at)), Format::u32, at);
}

//===--- lazy ---------------------------------------------------------------------------------===//

dsl::Tensor viewOf(const Value &t) {
  const LazyTensor *lazy = lazyOf(t);
  return lazy ? lazy->base : held<dsl::Tensor>(t);
}
dsl::Tensor tensorOf(const Value &t) {
  const LazyTensor *lazy = lazyOf(t);
  if (!lazy)
    return held<dsl::Tensor>(t);
  if (!lazy->poisoned())
    mistake("lazy::transform",
            "makes a tensor whose elements are computed where they are read: t(i), copy to "
            "registers, transform, and the predicate of copy_if; other calls need a tensor in "
            "memory, so copy it to registers first",
            lazy->at);
  return dsl::Tensor(mlir::Value());
}
Tensor detail::lazily(const Tensor &t, std::function<Num(const ElementRef &)> f, Place at) {
  const LazyTensor *before = lazyOf(t);
  LazyTensor lazy{viewOf(t), {}, at};
  if (before)
    lazy.functions = before->functions;
  lazy.functions.push_back(std::move(f));
  return made<Tensor>(std::move(lazy));
}
Tensor detail::evaluated(const Tensor &t, Place at) {
  if (!lazyOf(t) || t.is_poisoned())
    return t;
  Tensor out = tensorFrom(dsl::Tensor(mlir::Value()));
  for (int64_t i = 0, n = elements("lazy::transform", t, at); i < n; ++i) {
    Num element = ElementRef(t, i, at).load(at);
    std::optional<dsl::Element> format = dsl::element_of(typed(element, at));
    if (i == 0 && format)
      out = registers(format->format(), make_layout(t.shape(at), at), at);
    ElementRef(out, i, at) = Operand(element, at);
  }
  return out;
}

//===--- elements -----------------------------------------------------------------------------===//

ElementRef::ElementRef(const Tensor &tensor, IntTuple coord, Place at)
    : tensor(tensor), coord(std::move(coord)), at(at) {}

ElementRef::ElementRef(const ElementRef &) = default;
ElementRef::~ElementRef() = default;

/// The value to write to a tensor: literals and integers are converted to the type of its
/// elements, where both are whole, as C++'s assignment does it.
static dsl::Num written(const Operand &value, const dsl::Tensor &to) {
  std::optional<dsl::Element> element = dsl::element_of(to);
  const Static *known = value.number.is_set() ? staticOf(value.number) : nullptr;
  bool isLiteral = !value.number.is_set() && value.format != Format::none;
  if (to.poisoned())
    return dsl::Num(mlir::Value());
  if (isLiteral && element)
    return (*element)(value.literal, value.at);
  bool isWhole = wholeType(value.number) != Format::none;
  if (element && (known || (isWhole && !element->isFloat())))
    return typed(value.number, element->format(), value.at);
  return typed(value.number, value.at);
}

Num ElementRef::load(Place) const {
  const LazyTensor *lazy = lazyOf(tensor);
  if (!lazy)
    return num(dsl::load(held<dsl::Tensor>(tensor), tuple(coord, at), at));
  LazyTensor inner = *lazy;
  inner.functions.pop_back();
  return lazy->functions.back()(
      ElementRef(inner.functions.empty() ? tensorFrom(inner.base) : made<Tensor>(std::move(inner)),
                 coord, at));
}
bool ElementRef::is_coordinate() const {
  return !lazyOf(tensor) && dsl::start_of(viewOf(tensor)).coord.has_value();
}
IntTuple ElementRef::coordinate(Place) const {
  if (lazyOf(tensor))
    return IntTuple(load(at), at);
  return made<IntTuple>(dsl::coordinate_at(held<dsl::Tensor>(tensor), tuple(coord, at), at));
}
const ElementRef &ElementRef::operator=(const Operand &value) const {
  dsl::Tensor to = tensorOf(tensor);
  dsl::store(written(value, to), to, tuple(coord, at), at);
  return *this;
}
const ElementRef &ElementRef::operator=(const ElementRef &other) const {
  return *this = Operand(Num(other, at), at);
}
const ElementRef &operator+=(const ElementRef &x, const Operand &y) {
  return x = Operand(x, y.at) + y;
}
const ElementRef &operator-=(const ElementRef &x, const Operand &y) {
  return x = Operand(x, y.at) - y;
}
const ElementRef &operator*=(const ElementRef &x, const Operand &y) {
  return x = Operand(x, y.at) * y;
}

Num ElementRef::update(int how, const Operand &value) const {
  dsl::Tensor to = tensorOf(tensor);
  return num(dsl::atomic(dsl::Atomic(how), to, tuple(coord), written(value, to), at));
}
Num ElementRef::exchange(const Operand &expected, const Operand &desired) const {
  dsl::Tensor to = tensorOf(tensor);
  return num(dsl::atomic_cas(to, tuple(coord), written(expected, to), written(desired, to), at));
}
#define TESSERA_ATOMIC(NAME, UPDATE)                                                               \
  Num NAME(const ElementRef &x, const Operand &y) { return x.update(int(dsl::Atomic::UPDATE), y); }
TESSERA_ATOMIC(atomicAdd, Add)
TESSERA_ATOMIC(atomicSub, Sub)
TESSERA_ATOMIC(atomicMin, Min)
TESSERA_ATOMIC(atomicMax, Max)
TESSERA_ATOMIC(atomicAnd, And)
TESSERA_ATOMIC(atomicOr, Or)
TESSERA_ATOMIC(atomicXor, Xor)
TESSERA_ATOMIC(atomicExch, Exchange)
#undef TESSERA_ATOMIC
Num atomicCAS(const ElementRef &x, const Operand &expected, const Operand &desired) {
  return x.exchange(expected, desired);
}

//===--- tensors ------------------------------------------------------------------------------===//

Tensor Tensor::slice(const IntTuple &coord, Place at) const {
  return viewed(*this, [&](const dsl::Tensor &t) { return t.at(tuple(coord, at), at); });
}
Layout<> Tensor::layout(Place at) const { return layoutFrom(dsl::get_layout(viewOf(*this), at)); }
const Pointer Tensor::data(Place at) const {
  return made<Pointer>(dsl::get_iter(tensorOf(*this), at));
}
Num Tensor::load(Place at) const {
  return num(dsl::load_vec(tensorOf(detail::evaluated(*this, at)), at));
}
/// One number for all elements, or as many as there are.
static void storeAll(const char *call, const dsl::Tensor &to, dsl::Num value, Place at) {
  layout::Const arith;
  if (to.poisoned())
    return;
  layout::Tree shape = dsl::get_layout(to, at).get().shape();
  if (!shape.isStatic())
    return mistake(call, cat("expects a static shape, but got ", layout::str(shape)), at);
  if (value.ir() && dsl::count(value) == 1 && !mlir::isa<mlir::VectorType>(value.type()))
    value = dsl::broadcast(value, layout::product(arith, shape).value, at);
  dsl::store_vec(value, to, at);
}
void Tensor::store(const Num &vector, Place at) const {
  dsl::Tensor to = tensorOf(*this);
  storeAll("store", to, written(Operand(vector, at), to), at);
}

Tensor make_tensor(const Pointer &p, const Layout<> &l, Place at) {
  LayoutValue view = held<LayoutValue>(l);
  dsl::Pointer start = held<dsl::Pointer>(p);
  const layout::Composed *composed = view.layout.get().composed();
  if (view.onPointer && composed && composed->swizzle()) {
    std::optional<dsl::Element> element = dsl::element_of(start);
    constexpr int64_t aligned = 1024; // eight rows of 128 bytes
    if (element)
      start = dsl::recast_ptr(start, *element, aligned, *composed->swizzle(), at);
    view.layout = dsl::Layout(composed->outer);
  }
  return tensorFrom(dsl::make_tensor(start, view.layout, at));
}
Tensor make_tensor(const Pointer &p, const IntTuple &shape, const IntTuple &stride, Place at) {
  return make_tensor(p, make_layout(shape, stride, at), at);
}
Tensor detail::registers(Format format, const Layout<> &l, Place at) {
  return tensorFrom(dsl::make_rmem_tensor(dsl::Element(format), layoutOf(l), at));
}
static Tensor registersLike(const char *call, const Tensor &t,
                            Layout<> (*like)(const Layout<> &, Place), Place at) {
  Format format = t.format();
  if (format != Format::none)
    return detail::registers(format, like(t.layout(at), at), at);
  if (!t.is_set())
    mistake(call, "expects a tensor that is set", at);
  else if (!t.is_poisoned())
    mistake(call, cat("expects a tensor of elements; ", call, "<T> says which"), at);
  return tensorFrom(dsl::Tensor(mlir::Value()));
}
Tensor make_fragment_like(const Tensor &t, Place at) {
  return registersLike("make_fragment_like", t, make_fragment_like, at);
}
Tensor make_tensor_like(const Tensor &t, Place at) {
  return registersLike("make_tensor_like", t, make_layout_like, at);
}
Pointer make_inttuple_iter(const IntTuple &start, Place at) {
  IntTuple plain = as_arithmetic_tuple(start, at);
  Tensor zero = make_identity_tensor(repeat_like(plain, 1, at), at);
  return made<Pointer>(dsl::offset(held<dsl::Pointer>(zero.data(at)), tuple(plain), at));
}
Tensor make_identity_tensor(const IntTuple &shape, Place at) {
  return tensorFrom(dsl::make_identity_tensor(tuple(shape, at), at));
}
Tensor make_coord_tensor(const Layout<> &l, Place at) {
  layout::Tree zeros = layout::coprofile(layoutOf(l).get());
  if (!l.is_poisoned() && !zeros.isTuple()) {
    mistake("make_coord_tensor",
            cat("expects a layout whose strides are bases, as (E<0>{}, E<1>{}), but got ", l.str()),
            at);
    return tensorFrom(dsl::Tensor(mlir::Value()));
  }
  // Only its start is used.
  Tensor start = make_identity_tensor(repeat_like(made<IntTuple>(dsl::Coord(zeros)), 1, at), at);
  return detail::with_layout(start, l, at);
}

Tensor detail::with_layout(const Tensor &t, const Layout<> &l, Place at) {
  return viewed(t, [&](const dsl::Tensor &v) { return dsl::with_layout(v, layoutOf(l), at); });
}
Tensor detail::group(const Tensor &t, int begin, int end, Place at) {
  return viewed(t, [&](const dsl::Tensor &v) { return dsl::group_modes(v, begin, end, at); });
}
Tensor logical_divide(const Tensor &t, const Tiler &tile, Place at) {
  return detail::with_layout(t, logical_divide(t.layout(at), tile, at), at);
}
Tensor zipped_divide(const Tensor &t, const Tiler &tile, Place at) {
  return detail::with_layout(t, zipped_divide(t.layout(at), tile, at), at);
}
Tensor tiled_divide(const Tensor &t, const Tiler &tile, Place at) {
  return detail::with_layout(t, tiled_divide(t.layout(at), tile, at), at);
}
Tensor flat_divide(const Tensor &t, const Tiler &tile, Place at) {
  return detail::with_layout(t, flat_divide(t.layout(at), tile, at), at);
}
Tensor composition(const Tensor &t, const Tiler &tile, Place at) {
  return detail::with_layout(t, composition(t.layout(at), tile, at), at);
}
Tensor coalesce(const Tensor &t, Place at) {
  return detail::with_layout(t, coalesce(t.layout(at), at), at);
}
Tensor flatten(const Tensor &t, Place at) {
  return detail::with_layout(t, flatten(t.layout(at), at), at);
}
Tensor filter_zeros(const Tensor &t, Place at) {
  return detail::with_layout(t, filter_zeros(t.layout(at), at), at);
}
Tensor filter(const Tensor &t, Place at) {
  return detail::with_layout(t, filter(t.layout(at), at), at);
}
Tensor detail::recast(const Tensor &t, Format format, int bits, Place at) {
  Format own = t.format();
  if (own == Format::none) {
    if (!t.is_set())
      mistake("recast", "expects a tensor that is set", at);
    else if (!t.is_poisoned())
      mistake("recast", "expects a tensor of elements, but got one of coordinates", at);
    return tensorFrom(dsl::Tensor(mlir::Value()));
  }
  return make_tensor(recast(t.data(at), format, at),
                     recast("recast", t.layout(at), elementBits(own), bits, at), at);
}
Tensor domain_offset(const IntTuple &given, const Tensor &t, Place at) {
  // Of an argument of one mode the shape is a number.
  bool isOfOneMode = given.is_set() && detail::is_tuple(given) && given.rank() == 1;
  IntTuple coord = isOfOneMode && !detail::is_tuple(t.shape(at)) ? given.mode(0, at) : given;
  return viewed(t, [&](const dsl::Tensor &view) {
    dsl::Layout l = dsl::get_layout(view, at);
    return dsl::make_tensor(
        dsl::offset(dsl::get_iter(view, at), dsl::crd2idx(tuple(coord, at), l, at), at), l, at);
  });
}
Tensor local_tile(const Tensor &t, const Tiler &tile, const IntTuple &coord, Place at) {
  if (!detail::is_tuple(coord)) // counts all tiles
    return inner_partition(t, tile, coord, at);
  return viewed(t, [&](const dsl::Tensor &view) {
    return dsl::local_tile(view, tileOf(tile), tuple(coord, at), at);
  });
}
Tensor local_tile(const Tensor &t, const Tiler &tile, const IntTuple &coord,
                  const IntTuple &projection, Place at) {
  return viewed(t, [&](const dsl::Tensor &view) {
    return dsl::local_tile(view, tileOf(tile), tuple(coord, at), tuple(projection, at), at);
  });
}
Tensor local_partition(const Tensor &t, const Layout<> &threads, const Num &thread, Place at) {
  if (staticOf(thread) && layoutOf(threads).isStatic()) // so that coordinates stay known
    return outer_partition(t, product_each(threads.shape(at), at),
                           threads.get_flat_coord(thread, at), at);
  return viewed(t, [&](const dsl::Tensor &view) {
    return dsl::local_partition(view, layoutOf(threads), number(thread, at), nullptr, at);
  });
}
Tensor local_partition(const Tensor &t, const Layout<> &threads, const Num &thread,
                       const IntTuple &projection, Place at) {
  if (staticOf(thread) && layoutOf(threads).isStatic())
    return local_partition(t, dice(projection, threads, at), thread, at);
  dsl::Coord kept = tuple(projection, at);
  return viewed(t, [&](const dsl::Tensor &view) {
    return dsl::local_partition(view, layoutOf(threads), number(thread, at), &kept, at);
  });
}

/// A part of a tensor that is divided into tiles: one tile, or one element of each tile.
static Tensor partOf(const Tensor &t, const Tiler &tiler, const IntTuple &coord, bool inner,
                     Place at) {
  Tensor tiled = zipped_divide(t, tiler, at);
  if (tiled.is_poisoned() || coord.is_poisoned())
    return tiled;
  IntTuple shape = tiled.shape(at), kept = shape.mode(inner ? 0 : 1, at),
           other = shape.mode(inner ? 1 : 0, at);
  // A number counts tiles or elements through all modes; a tuple may lack modes. Modes that are
  // kept stay separate.
  IntTuple part =
      detail::is_tuple(coord) ? detail::filled(coord, cute::rank(other), _, true, at) : coord;
  IntTuple all = detail::is_tuple(kept) ? repeat_like(product_each(kept, at), _, at) : IntTuple(_);
  return tiled.slice(inner ? make_tuple(all, part) : make_tuple(part, all), at);
}
Tensor inner_partition(const Tensor &t, const Tiler &tiler, const IntTuple &coord, Place at) {
  return partOf(t, tiler, coord, true, at);
}
Tensor outer_partition(const Tensor &t, const Tiler &tiler, const IntTuple &coord, Place at) {
  return partOf(t, tiler, coord, false, at);
}

Tensor in_bounds(const Tensor &coords, const IntTuple &limit, Place at) {
  IntTuple extents = coords.shape(at);
  Num n = size(extents, at);
  if (!n.is_static()) {
    if (!n.is_poisoned())
      mistake("in_bounds", cat("expects a static shape, but got ", extents.str()), at);
    return tensorFrom(dsl::Tensor(mlir::Value()));
  }
  Tensor pred = detail::registers(Format::b1, make_layout(extents, at), at);
  for (int64_t i = 0; i < int64_t(n); ++i)
    ElementRef(pred, i, at) =
        Operand(elem_less(ElementRef(coords, i, at).coordinate(at), limit, at), at);
  return pred;
}

//===--- all elements -------------------------------------------------------------------------===//

void fill(const Tensor &t, const Operand &value) {
  dsl::Tensor to = tensorOf(t);
  storeAll("fill", to, written(value, to), value.at);
}
void clear(const Tensor &t, Place at) { fill(t, Operand(0, at)); }

void axpby(const Operand &alpha, const Tensor &x, const Operand &beta, const Tensor &y) {
  Place at = alpha.at;
  dsl::Tensor to = tensorOf(y);
  std::optional<dsl::Element> element = dsl::element_of(to);
  bool isLiteral = !alpha.number.is_set();
  dsl::Element computes = isLiteral ? dsl::Element(alpha.format) : dsl::Element(Format::f32);
  auto as = [&](const Num &n) { return detail::convert(n, computes.format(), at); };
  Num scaled = alpha * Operand(as(x.load(at)), at);
  const Static *none = beta.number.is_set() ? staticOf(beta.number) : nullptr;
  bool skips = (none && none->number == 0) || (!beta.number.is_set() && beta.literal == 0);
  if (!skips)
    scaled = Operand(scaled, at) + Operand(beta * Operand(as(y.load(at)), at), at);
  if (element)
    y.store(detail::convert(scaled, element->format(), at), at);
}
int64_t detail::elements(const char *call, const Tensor &t, Place at) {
  Num n = size(t, at);
  if (n.is_static())
    return int64_t(n);
  if (!n.is_poisoned())
    mistake(call, cat("expects a static shape, but got ", t.shape(at).str()), at);
  return 0;
}
void transform(const Tensor &x, const Tensor &y, const std::function<Num(Num)> &f, Place at) {
  if (!f)
    return mistake("transform", "expects a function of elements", at);
  for (int64_t i = 0, n = detail::elements("transform", x, at); i < n; ++i)
    ElementRef(y, i, at) = Operand(f(ElementRef(x, i, at).load(at)), at);
}
void transform(const Tensor &a, const Tensor &b, const Tensor &y,
               const std::function<Num(Num, Num)> &f, Place at) {
  if (!f)
    return mistake("transform", "expects a function of elements", at);
  for (int64_t i = 0, n = detail::elements("transform", a, at); i < n; ++i)
    ElementRef(y, i, at) =
        Operand(f(ElementRef(a, i, at).load(at), ElementRef(b, i, at).load(at)), at);
}
Num reduce(const Tensor &given, const Operand &start, const std::function<Num(Num, Num)> &f) {
  Place at = start.at;
  Tensor t = detail::evaluated(given, at);
  int64_t n = detail::elements("reduce", t, at);
  // A literal takes the type of the elements.
  Num sum = start.number.is_set() ? start.number : num(written(start, tensorOf(t)));
  for (int64_t i = 0; i < n; ++i) {
    Num element = ElementRef(t, i, at).load(at);
    sum = f ? f(sum, element) : Operand(sum, at) + Operand(element, at);
  }
  return sum;
}
void batch_reduce(const Tensor &from, const Tensor &to, const std::function<Num(Num, Num)> &f,
                  Place at) {
  if (from.is_poisoned() || to.is_poisoned())
    return;
  if (from.rank() != 2 || !bool(size<1>(from, at) == size(to, at)))
    return mistake("batch_reduce",
                   cat("expects modes (reduced, kept), the second with the ",
                       IntTuple(size(to, at)).str(), " elements of the result, but got ",
                       from.shape(at).str()),
                   at);
  for (int64_t i = 0, n = detail::elements("batch_reduce", to, at); i < n; ++i)
    ElementRef(to, i, at) = Operand(
        reduce(from.slice(make_tuple(_, i), at), Operand(ElementRef(to, i, at), at), f), at);
}
void logical_reduce(const Tensor &from, const Tensor &to, const IntTuple &profile,
                    const std::function<Num(Num, Num)> &f, Place at) {
  auto modes = [&](const Layout<> &l) {
    return l.is_poisoned() || l.rank() > 0 ? l : make_layout(1, 0, at);
  };
  Layout<> whole = from.layout(at);
  batch_reduce(detail::with_layout(from,
                                   make_layout(modes(dice(profile, whole, at)),
                                               modes(slice(profile, whole, at)), at),
                                   at),
               to, f, at);
}

void print_tensor(const Tensor &t, Place at) { dsl::print_tensor(tensorOf(t), at); }
void named(const Value &value, const char *name) {
  dsl::Context *context = dsl::Context::current();
  for (const dsl::Handle &handle : handlesOf(value))
    if (mlir::Operation *op = context && handle.ir() ? handle.ir().getDefiningOp() : nullptr)
      op->setLoc(
          mlir::NameLoc::get(mlir::StringAttr::get(context->mlirContext(), name), op->getLoc()));
}

} // namespace tessera::cute
