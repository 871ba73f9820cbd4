// The kinds of values that a program is written with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Num, Pointer, Tensor, Atom, TiledMma and TiledCopy are values of the IR. Layout, Tile and Coord
// are values of the layout algebra: what is static is computed here, in C++, and becomes a constant
// of the IR where an operation takes it; what is known at run time only is a value of the IR too.
//
// A value is unset (default-constructed), set, or poisoned: the result of a call that failed.
#pragma once

#include "tessera/dsl/Element.h"
#include "tessera/layout/Layout.h"
#include "tessera/layout/Text.h"

#include "mlir/IR/Value.h"

#include <array>
#include <variant>
#include <vector>

namespace tessera::dsl {

/// A value of the IR, of any kind.
class Handle {
public:
  Handle() = default;
  /// A null value makes a poisoned handle.
  explicit Handle(mlir::Value value) : value(value), failed(!value) {}

  /// Null if unset or poisoned.
  mlir::Value ir() const { return value; }
  bool poisoned() const { return failed; }
  explicit operator bool() const { return value || failed; } // whether it was set
  /// Another value of the same kind; what was known of the old one is forgotten.
  void rebind(mlir::Value to) {
    value = to;
    failed = !to;
    divisor = 1;
  }

protected:
  mlir::Value value;
  bool failed = false;
  int64_t divisor = 1; // of a Num
};

/// A number, or a vector of numbers, on which the operators work element by element. Whole numbers
/// are i32 unless said otherwise.
class Num : public Handle {
public:
  Num() = default;
  explicit Num(mlir::Value value) : Handle(value) {}
  /// The i32 constant.
  template <std::integral T>
  Num(T value, Place at = Place::current()) : Num(i32(int64_t(value), at)) {}

  /// The number is known to be a multiple of this (1 unless someone said so).
  int64_t multipleOf() const { return divisor; }
  /// The same number with that promise, which strides and offsets pass on to alignments.
  Num promised(int64_t multiple) const {
    Num other = *this;
    other.divisor = multiple;
    return other;
  }
  mlir::Type type() const { return value ? value.getType() : mlir::Type(); }
};

/// A pointer to elements, or another iterator: where a tensor starts.
class Pointer : public Handle {
  using Handle::Handle;
};
/// A tensor: a pointer and a layout; also coordinates, and descriptors of matrices.
class Tensor;
/// What copies or multiplies: an instruction, with its run-time fields.
class Atom : public Handle {
  using Handle::Handle;
};
/// An atom that is repeated over threads and values.
class TiledMma : public Handle {
  using Handle::Handle;
};
class TiledCopy : public Handle {
  using Handle::Handle;
};
/// The stream of a launch, in host code.
class Stream : public Handle {
  using Handle::Handle;
};

/// `_`: a whole mode.
struct Underscore {};
inline constexpr Underscore _{};

class Index;

/// A tuple of whole numbers, of `_` and of such tuples: a coordinate, shape, stride or offset;
/// which it is follows from where it is used.
class Coord {
public:
  Coord() = default; // ()
  template <std::integral T> Coord(T number) : known(layout::Int(int64_t(number))) {}
  Coord(Num number);
  Coord(Underscore) : known(layout::Leaf::underscore()) {}
  /// A tuple without dynamic leaves.
  explicit Coord(layout::Tree tree) : known(std::move(tree)) {}
  /// A tuple of the IR, with what its type says of it; a null value makes a poisoned tuple.
  Coord(mlir::Value value, layout::Tree known);
  /// From the notation of layout/Text.h, without dynamic leaves: "(2,(4,_))".
  Coord(const char *text, Place at = Place::current());

  /// The tuple of these modes.
  static Coord of(std::vector<Coord> modes, Place at = Place::current());
  /// The tuple of this form with these numbers as its dynamic leaves, depth first.
  static Coord of(layout::Tree form, std::vector<Num> leaves);

  const layout::Tree &tree() const { return known; } // dynamic leaves are anonymous
  const std::vector<Num> &numbers() const { return leaves; }
  mlir::Value ir() const { return value; }
  bool isStatic() const { return leaves.empty() && !value && !failed; }
  bool poisoned() const { return failed; }
  explicit operator bool() const { return true; }

private:
  layout::Tree known{std::vector<layout::Tree>()};
  std::vector<Num> leaves; // the dynamic ones, depth first
  mlir::Value value;
  bool failed = false;
};
using Shape = Coord;
using Stride = Coord;

/// A mode of a coordinate, and where it is written.
class Index {
public:
  template <class T>
    requires std::constructible_from<Coord, T>
  Index(T mode, Place at = Place::current()) : mode(Coord(mode)), at(at) {}
  Coord mode;
  Place at;
};

/// (first, rest...): at least one mode.
template <std::convertible_to<Index>... Modes> Coord make_coord(Index first, Modes... rest) {
  return Coord::of({first.mode, Index(rest).mode...}, first.at);
}
template <std::convertible_to<Index>... Modes> Shape make_shape(Index first, Modes... rest) {
  return Coord::of({first.mode, Index(rest).mode...}, first.at);
}
template <std::convertible_to<Index>... Modes> Stride make_stride(Index first, Modes... rest) {
  return Coord::of({first.mode, Index(rest).mode...}, first.at);
}

/// A layout, plain or with a swizzle.
class Layout {
public:
  Layout() = default; // unset
  Layout(layout::AnyLayout value) : known(std::move(value)), given(true) {}
  Layout(layout::Layout value) : Layout(layout::AnyLayout(std::move(value))) {}
  /// From the notation of layout/Text.h: "(8,4):(1,8)". With `?` it describes tensors that a
  /// program is given, and is not a value.
  Layout(const char *text, Place at = Place::current());
  Layout(const std::string &text, Place at = Place::current()) : Layout(text.c_str(), at) {}
  /// A layout of the IR; a null value makes a poisoned layout.
  explicit Layout(mlir::Value value);
  /// What a refusal of the algebra makes: a mistake at the place.
  Layout(Result<layout::AnyLayout>, const char *call, Place at);

  const layout::AnyLayout &get() const { return known; } // dynamic leaves are anonymous
  mlir::Value ir() const { return value; }
  bool isStatic() const { return given && !value && !failed && known.isStatic(); }
  bool poisoned() const { return failed; }
  explicit operator bool() const { return given; }

private:
  layout::AnyLayout known;
  mlir::Value value;
  bool given = false, failed = false;
};

/// A tiler: a layout or `_` for each mode.
class Tile {
public:
  Tile() = default; // unset
  Tile(layout::Tile value) : known(std::move(value)), given(true) {}
  /// "[64:1;(8,2):(1,16);_]".
  Tile(const char *text, Place at = Place::current());

  /// What came of a call that failed.
  static Tile failure() {
    Tile tile;
    tile.given = tile.failed = true;
    return tile;
  }

  const layout::Tile &get() const { return known; }
  bool poisoned() const { return failed; }
  explicit operator bool() const { return given; }

private:
  layout::Tile known;
  bool given = false, failed = false;
};
/// So many neighbours of each mode: [64:1;128:1] of (64, 128).
template <std::integral... Extents> Tile make_tile(Extents... extents) {
  return layout::Tile(std::vector<layout::Tile>{
      layout::Tile(layout::Layout{layout::Int(int64_t(extents)), layout::Int(int64_t(1))})...});
}

class Tensor : public Handle {
public:
  using Handle::Handle;
  /// What is left of the tensor where the modes that are no `_` are fixed: cute.slice.
  template <std::convertible_to<Index>... Modes>
  Tensor operator()(Index first, Modes... rest) const {
    return at(sizeof...(rest) ? Coord::of({first.mode, Index(rest).mode...}, first.at) : first.mode,
              first.at);
  }
  Tensor at(const Coord &, Place at = Place::current()) const;
};

//===--- values that go together --------------------------------------------------------------===//

/// Values that go together have a member `members()` that gives std::tie of them, or are an array,
/// vector or tuple, or an optional that is there or not. Loops carry such values, kernels take
/// them.
template <class T, class F> void forEachHandle(T &values, F &&f) {
  if constexpr (std::derived_from<T, Handle>)
    f(values);
  else if constexpr (requires { values.has_value(); }) {
    if (values)
      forEachHandle(*values, f);
  } else if constexpr (requires { values.members(); })
    std::apply([&](auto &...each) { (forEachHandle(each, f), ...); }, values.members());
  else if constexpr (requires { values.begin(); })
    for (auto &each : values)
      forEachHandle(each, f);
  else
    std::apply([&](auto &...each) { (forEachHandle(each, f), ...); }, values);
}
template <class T> std::vector<Handle *> handlesOf(T &values) {
  std::vector<Handle *> handles;
  forEachHandle(values, [&](Handle &handle) { handles.push_back(&handle); });
  return handles;
}

//===--- constants ----------------------------------------------------------------------------===//

namespace detail {
Num constant(Element, int64_t, Place);
Num constant(Element, double, Place);
} // namespace detail
template <std::integral T> Num Element::operator()(T value, Place at) const {
  return detail::constant(*this, int64_t(value), at);
}
template <std::floating_point T> Num Element::operator()(T value, Place at) const {
  return detail::constant(*this, double(value), at);
}

} // namespace tessera::dsl
