// Tensors: a pointer with a layout. Making, tiling, partitioning, reading and writing them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_cxx/Layouts.h"

namespace tessera::cute {

/// The address of elements.
class Pointer : public Value {
public:
  using Value::Value;
  Format format() const;
};
Pointer operator+(const Pointer &, const detail::Fixed &elements);
namespace detail {
Pointer recast(const Pointer &, Format, Place);
}
/// The same address as a pointer to other elements, with the swizzle.
template <ElementType T> Pointer recast_ptr(const Pointer &p, Place at = Place::current()) {
  return detail::recast(p, format_of<T>, at);
}
namespace detail {
/// The pointer, if it is to this memory; else a mistake of the call.
Pointer in_memory(const Pointer &, const char *space, const char *call, Place);
} // namespace detail
// The memory is part of the pointer, so these only check it; with a type, recast_ptr.
inline Pointer make_gmem_ptr(const Pointer &p, Place at = Place::current()) {
  return detail::in_memory(p, "gmem", "make_gmem_ptr", at);
}
inline Pointer make_smem_ptr(const Pointer &p, Place at = Place::current()) {
  return detail::in_memory(p, "smem", "make_smem_ptr", at);
}
inline Pointer make_rmem_ptr(const Pointer &p, Place at = Place::current()) {
  return detail::in_memory(p, "rmem", "make_rmem_ptr", at);
}
template <ElementType T> Pointer make_gmem_ptr(const Pointer &p, Place at = Place::current()) {
  return recast_ptr<T>(make_gmem_ptr(p, at), at);
}
template <ElementType T> Pointer make_smem_ptr(const Pointer &p, Place at = Place::current()) {
  return recast_ptr<T>(make_smem_ptr(p, at), at);
}
template <ElementType T> Pointer make_rmem_ptr(const Pointer &p, Place at = Place::current()) {
  return recast_ptr<T>(make_rmem_ptr(p, at), at);
}
/// The pointer without its swizzle: elements in the order of memory.
Pointer raw_pointer_cast(const Pointer &, Place = Place::current());
/// The address in shared memory, in the form that PTX takes.
Num cast_smem_ptr_to_uint(const Pointer &, Place = Place::current());

class Tensor;

/// An element of a tensor. It is read where a number is expected, and written by assignment. An
/// element of a tensor of coordinates is a coordinate.
class ElementRef {
public:
  ElementRef(const Tensor &tensor, IntTuple coord, Place at);
  const ElementRef &operator=(const Operand &) const;
  const ElementRef &operator=(const ElementRef &other) const;
  ElementRef(const ElementRef &);
  ~ElementRef();
  Num load(Place) const;
  IntTuple coordinate(Place) const;
  bool is_coordinate() const;                                          // of a tensor of coordinates
  Num update(int how, const Operand &) const;                          // atomically; a dsl::Atomic
  Num exchange(const Operand &expected, const Operand &desired) const; // likewise

private:
  Value tensor;
  IntTuple coord;
  Place at;
};
const ElementRef &operator+=(const ElementRef &, const Operand &);
const ElementRef &operator-=(const ElementRef &, const Operand &);
const ElementRef &operator*=(const ElementRef &, const Operand &);

// CUDA's atomics, with an element where CUDA takes its address: atomicAdd(t(i), x). They return the
// old value, and all threads of the device see the result; they order no other access. They take
// integers of 32 and 64 bits; floats of 16 to 64 bits can be added.
Num atomicAdd(const ElementRef &, const Operand &);
Num atomicSub(const ElementRef &, const Operand &);
Num atomicMin(const ElementRef &, const Operand &);
Num atomicMax(const ElementRef &, const Operand &);
Num atomicAnd(const ElementRef &, const Operand &);
Num atomicOr(const ElementRef &, const Operand &);
Num atomicXor(const ElementRef &, const Operand &);
Num atomicExch(const ElementRef &, const Operand &);
Num atomicCAS(const ElementRef &, const Operand &expected, const Operand &desired);

class Tensor : public Value {
public:
  Tensor() = default;
  using Value::Value;

  /// The element at a coordinate.
  template <class... Rest>
    requires(!(detail::is_slice<Rest> || ...))
  ElementRef operator()(detail::Fixed first, const Rest &...rest) const {
    return ElementRef(*this, detail::coord(first, rest...), first.at);
  }
  /// With `_`: the tensor of the kept modes, with the others fixed.
  template <class... Rest>
    requires(detail::is_slice<Rest> || ...)
  Tensor operator()(detail::Fixed first, const Rest &...rest) const {
    return slice(detail::coord(first, rest...), first.at);
  }
  template <class... Rest> Tensor operator()(detail::Free first, const Rest &...rest) const {
    return slice(detail::coord(first, rest...), first.at);
  }
  // The same for one mode or coordinate.
  ElementRef operator[](detail::Fixed coord) const { return (*this)(coord); }
  Tensor operator[](detail::Free coord) const { return (*this)(coord); }
  Tensor slice(const IntTuple &coord, Place = Place::current()) const;

  Layout<> layout(Place = Place::current()) const;
  IntTuple shape(Place at = Place::current()) const { return layout(at).shape(at); }
  IntTuple stride(Place at = Place::current()) const { return layout(at).stride(at); }
  /// Constant, so that t.data() = t.data() + n does not compile, which would change nothing here;
  /// domain_offset and make_tensor move a tensor.
  const Pointer data(Place = Place::current()) const;
  Format format() const;
  int rank(Place at = Place::current()) const { return layout(at).rank(); }
  Num size(Place at = Place::current()) const { return cute::size(layout(at), at); }
  /// The part of the tensor that a tiler names, from the same start: composition. Several arguments
  /// are the modes of one tiler.
  template <class... Ts> Tensor compose(const Ts &...tilers) const;
  /// The same as tiled_divide: ((tile), rest...).
  template <class... Ts> Tensor tile(const Ts &...tilers) const;
  /// All elements in the order of their coordinates, as a vector of numbers; and back.
  Num load(Place = Place::current()) const;
  void store(const Num &vector, Place = Place::current()) const;
};

//===--- made ---------------------------------------------------------------------------------===//

Tensor make_tensor(const Pointer &, const Layout<> &, Place = Place::current());
Tensor make_tensor(const Pointer &, const IntTuple &shape, const IntTuple &stride,
                   Place = Place::current());
inline Tensor make_tensor(const Pointer &p, const IntTuple &shape, Place at = Place::current()) {
  return make_tensor(p, make_layout(shape, at), at);
}
inline Tensor make_tensor(const Pointer &p, const IntTuple &shape, LayoutLeft order,
                          Place at = Place::current()) {
  return make_tensor(p, make_layout(shape, order, at), at);
}
inline Tensor make_tensor(const Pointer &p, const IntTuple &shape, LayoutRight order,
                          Place at = Place::current()) {
  return make_tensor(p, make_layout(shape, order, at), at);
}
namespace detail {
Tensor registers(Format, const Layout<> &, Place);
} // namespace detail
/// A tensor in registers.
template <ElementType T> Tensor make_tensor(const Layout<> &l, Place at = Place::current()) {
  return detail::registers(format_of<T>, l, at);
}
template <ElementType T> Tensor make_tensor(const IntTuple &shape, Place at = Place::current()) {
  return detail::registers(format_of<T>, make_layout(shape, at), at);
}
template <ElementType T>
Tensor make_tensor(const IntTuple &shape, const IntTuple &stride, Place at = Place::current()) {
  return detail::registers(format_of<T>, make_layout(shape, stride, at), at);
}
template <ElementType T>
Tensor make_tensor(const IntTuple &shape, LayoutLeft order, Place at = Place::current()) {
  return detail::registers(format_of<T>, make_layout(shape, order, at), at);
}
template <ElementType T>
Tensor make_tensor(const IntTuple &shape, LayoutRight order, Place at = Place::current()) {
  return detail::registers(format_of<T>, make_layout(shape, order, at), at);
}
/// A tensor in registers, whose elements are in the order of the given tensor's strides.
Tensor make_fragment_like(const Tensor &, Place = Place::current());
template <ElementType T> Tensor make_fragment_like(const Tensor &t, Place at = Place::current()) {
  return detail::registers(format_of<T>, make_fragment_like(t.layout(at), at), at);
}
/// The same without the exception that make_fragment_like makes for mode 0, which is compact there.
Tensor make_tensor_like(const Tensor &, Place = Place::current());
template <ElementType T> Tensor make_tensor_like(const Tensor &t, Place at = Place::current()) {
  return detail::registers(format_of<T>, make_layout_like(t.layout(at), at), at);
}
/// Where a tensor of coordinates begins: make_tensor(make_inttuple_iter(start), layout).
Pointer make_inttuple_iter(const IntTuple &start, Place = Place::current());
/// A tensor that holds its own coordinates.
Tensor make_identity_tensor(const IntTuple &shape, Place = Place::current());
/// A tensor that holds the coordinates given by a layout of bases.
Tensor make_coord_tensor(const Layout<> &, Place = Place::current());

namespace detail {
Tensor recast(const Tensor &, Format, int bits, Place);
} // namespace detail
/// The same memory as elements of another type. C++ must know the layout.
template <ElementType T> Tensor recast(const Tensor &t, Place at = Place::current()) {
  return detail::recast(t, format_of<T>, sizeof_bits_v<T>, at);
}

//===--- shapes -------------------------------------------------------------------------------===//

namespace detail {
Tensor with_layout(const Tensor &, const Layout<> &, Place);
Tensor group(const Tensor &, int begin, int end, Place);
} // namespace detail

inline Layout<> layout(const Tensor &t, Place at = Place::current()) { return t.layout(at); }
inline IntTuple shape(const Tensor &t, Place at = Place::current()) { return t.shape(at); }
template <int I, int... Js> IntTuple shape(const Tensor &t, Place at = Place::current()) {
  return get<I, Js...>(t.shape(at), at);
}
inline IntTuple stride(const Tensor &t, Place at = Place::current()) { return t.stride(at); }
inline Num size(const Tensor &t, Place at = Place::current()) { return size(t.layout(at), at); }
template <int I, int... Js> Num size(const Tensor &t, Place at = Place::current()) {
  return size<I, Js...>(t.layout(at), at);
}
inline int rank(const Tensor &t, Place at = Place::current()) { return t.rank(at); }
template <int I, int... Js> int rank(const Tensor &t) { return rank<I, Js...>(t.layout()); }
inline int depth(const Tensor &t) { return depth(t.layout()); }
inline Num cosize(const Tensor &t, Place at = Place::current()) { return cosize(t.layout(at), at); }
template <int I, int... Js> IntTuple stride(const Tensor &t, Place at = Place::current()) {
  return get<I, Js...>(t.stride(at), at);
}
template <int I, int... Js> Layout<> layout(const Tensor &t, Place at = Place::current()) {
  return layout<I, Js...>(t.layout(at), at);
}
/// Mode I of a tensor, from the tensor's start.
template <int I, int... Js> Tensor tensor(const Tensor &t, Place at = Place::current()) {
  return detail::with_layout(t, layout<I, Js...>(t.layout(at), at), at);
}
inline int max_common_vector(const Tensor &a, const Tensor &b, Place at = Place::current()) {
  return max_common_vector(a.layout(at), b.layout(at), at);
}

/// Does nothing: addresses are computed with the swizzle, wherever it stands.
inline Tensor as_position_independent_swizzle_tensor(const Tensor &t) { return t; }

//===--- tiled and partitioned ----------------------------------------------------------------===//

Tensor logical_divide(const Tensor &, const Tiler &, Place = Place::current());
Tensor zipped_divide(const Tensor &, const Tiler &, Place = Place::current());
Tensor tiled_divide(const Tensor &, const Tiler &, Place = Place::current());
Tensor flat_divide(const Tensor &, const Tiler &, Place = Place::current());
Tensor composition(const Tensor &, const Tiler &, Place = Place::current());
Tensor coalesce(const Tensor &, Place = Place::current());
Tensor flatten(const Tensor &, Place = Place::current());
// Without modes of stride 0; filter also coalesces.
Tensor filter_zeros(const Tensor &, Place = Place::current());
Tensor filter(const Tensor &, Place = Place::current());
template <class... Ts> Tensor Tensor::compose(const Ts &...tilers) const {
  if constexpr (sizeof...(Ts) == 1)
    return composition(*this, Tiler(tilers...));
  else
    return composition(*this, make_tile(tilers...));
}
template <class... Ts> Tensor Tensor::tile(const Ts &...tilers) const {
  if constexpr (sizeof...(Ts) == 1)
    return tiled_divide(*this, Tiler(tilers...));
  else
    return tiled_divide(*this, make_tile(tilers...));
}
/// The same elements from a coordinate on.
Tensor domain_offset(const IntTuple &coord, const Tensor &, Place = Place::current());
/// The tile at a coordinate of the tiles; `_` keeps a mode that counts tiles.
Tensor local_tile(const Tensor &, const Tiler &, const IntTuple &coord, Place = Place::current());
/// Uses only the modes of tiler and coordinate that the projection keeps: Step<_1, X, _1>.
Tensor local_tile(const Tensor &, const Tiler &, const IntTuple &coord, const IntTuple &projection,
                  Place = Place::current());
/// The elements of one thread in a layout of threads.
Tensor local_partition(const Tensor &, const Layout<> &threads, const Num &thread,
                       Place = Place::current());
Tensor local_partition(const Tensor &, const Layout<> &threads, const Num &thread,
                       const IntTuple &projection, Place = Place::current());
// The tile at a coordinate of the rest of zipped_divide, and the rest at a coordinate of the tile.
Tensor inner_partition(const Tensor &, const Tiler &, const IntTuple &coord,
                       Place = Place::current());
Tensor outer_partition(const Tensor &, const Tiler &, const IntTuple &coord,
                       Place = Place::current());
template <int B, int E> Tensor group_modes(const Tensor &t, Place at = Place::current()) {
  return detail::group(t, B, E, at);
}
template <int B, int E> Tensor take(const Tensor &t, Place at = Place::current()) {
  return detail::with_layout(t, take<B, E>(t.layout(at), at), at);
}
template <int... Is> Tensor select(const Tensor &t, Place at = Place::current()) {
  return detail::with_layout(t, detail::select(t.layout(at), {Is...}, at), at);
}

/// A tensor in registers for copy_if: whether each element of a tensor of coordinates is below the
/// limit.
Tensor in_bounds(const Tensor &coords, const IntTuple &limit, Place = Place::current());

//===--- all elements -------------------------------------------------------------------------===//

void fill(const Tensor &, const Operand &);
void clear(const Tensor &, Place = Place::current());
/// y = alpha x + beta y in the format of alpha, converted to that of y. If beta is the literal 0, y
/// is not read.
void axpby(const Operand &alpha, const Tensor &x, const Operand &beta, const Tensor &y);
// Element by element: y = f(x), y = f(a, b), x = f(x).
void transform(const Tensor &x, const Tensor &y, const std::function<Num(Num)> &f,
               Place = Place::current());
void transform(const Tensor &a, const Tensor &b, const Tensor &y,
               const std::function<Num(Num, Num)> &f, Place = Place::current());
inline void transform(const Tensor &x, const std::function<Num(Num)> &f,
                      Place at = Place::current()) {
  transform(x, x, f, at);
}
namespace detail {
/// The number of elements, which C++ has to know; a mistake of the call and 0 otherwise.
int64_t elements(const char *call, const Tensor &, Place);
} // namespace detail
/// f of each element, which it may read and write.
template <class F>
  requires std::invocable<F &, ElementRef>
void for_each(const Tensor &t, F &&f, Place at = Place::current()) {
  for (int64_t i = 0, n = detail::elements("for_each", t, at); i < n; ++i)
    f(ElementRef(t, i, at));
}
/// f(... f(f(start, t(0)), t(1)) ..., t(n - 1)); the sum, if there is no f.
Num reduce(const Tensor &, const Operand &start, const std::function<Num(Num, Num)> &f = {});
/// to(i) = reduce(from(_, i), to(i), f). `from` has the modes (reduced, kept).
void batch_reduce(const Tensor &from, const Tensor &to, const std::function<Num(Num, Num)> &f = {},
                  Place = Place::current());
/// The same for the modes that a profile such as (_, 1) does not keep.
void logical_reduce(const Tensor &from, const Tensor &to, const IntTuple &profile,
                    const std::function<Num(Num, Num)> &f = {}, Place = Place::current());
/// While tracing: the pointer and the layout. For an element: printed by each thread, its value.
void print(const Tensor &, Place = Place::current());
void print(const ElementRef &);
/// Printed by each thread: all elements, one per line.
void print_tensor(const Tensor &, Place = Place::current());

namespace detail {
Tensor lazily(const Tensor &, std::function<Num(const ElementRef &)>, Place);
/// A lazy tensor as one in registers; another one itself.
Tensor evaluated(const Tensor &, Place);
} // namespace detail
namespace lazy {
/// A tensor whose element i is f(t(i)), computed where it is read. copy_if takes it as a predicate.
template <class F>
  requires std::invocable<F &, const ElementRef &>
Tensor transform(const Tensor &t, F f, Place at = Place::current()) {
  return detail::lazily(t, [f = std::move(f)](const ElementRef &x) { return Num(f(x)); }, at);
}
} // namespace lazy
/// Names a value in printed IR: named(tAgA, "tAgA").
void named(const Value &, const char *name);

} // namespace tessera::cute
