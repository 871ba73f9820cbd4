// The kinds of values that a program is written with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Num, Pointer, Tensor, Atom, TiledMma and TiledCopy are values of the IR. Layout, Tile and Coord
// are values of the layout algebra. Static ones are computed here, in C++, and become constants of
// the IR where an operation takes them; ones known only at run time are values of the IR too.
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
  /// Makes this handle stand for another value of the same kind, and forgets the divisor.
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

  /// The divisor: the number is known to be a multiple of it (1 if nothing is known).
  int64_t multipleOf() const { return divisor; }
  /// The same number with a promised divisor, from which strides and offsets derive alignments.
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
/// An atom: an instruction that copies or multiplies, with its run-time fields.
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

/// A tuple of integers, `_` and such tuples. Its use decides whether it is a coordinate,
/// shape, stride or offset.
class Coord {
public:
  Coord() = default; // ()
  template <std::integral T> Coord(T number) : known(layout::Int(int64_t(number))) {}
  Coord(Num number);
  Coord(Underscore) : known(layout::Leaf::underscore()) {}
  /// A tuple without dynamic leaves.
  explicit Coord(layout::Tree tree) : known(std::move(tree)) {}
  /// A tuple of the IR, with what its type tells about it; a null value makes a poisoned tuple.
  Coord(mlir::Value value, layout::Tree known);
  /// From the notation of layout/Text.h, without dynamic leaves: "(2,(4,_))".
  Coord(const char *text, Place at = Place::current());

  /// The tuple of these modes.
  static Coord of(std::vector<Coord> modes, Place at = Place::current());
  /// The tuple of this form, with these numbers as its dynamic leaves in depth-first order.
  static Coord of(layout::Tree form, std::vector<Num> leaves);

  const layout::Tree &tree() const { return known; } // dynamic leaves are anonymous
  const std::vector<Num> &numbers() const { return leaves; }
  mlir::Value ir() const { return value; }
  bool isStatic() const { return leaves.empty() && !value && !failed; }
  bool poisoned() const { return failed; }
  explicit operator bool() const { return true; }

private:
  layout::Tree known{std::vector<layout::Tree>()};
  std::vector<Num> leaves; // the dynamic ones in depth-first order
  mlir::Value value;
  bool failed = false;
};
using Shape = Coord;
using Stride = Coord;

/// A mode of a coordinate, and where in the source it is written.
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
  /// From the notation of layout/Text.h: "(8,4):(1,8)". With `?` it describes tensor parameters of
  /// a program, and is not a value.
  Layout(const char *text, Place at = Place::current());
  Layout(const std::string &text, Place at = Place::current()) : Layout(text.c_str(), at) {}
  /// A layout of the IR; a null value makes a poisoned layout.
  explicit Layout(mlir::Value value);
  /// The result of the algebra; a refusal becomes a mistake at the place.
  Layout(Result<layout::AnyLayout>, const char *call, Place at);

  /// Dynamic leaves are anonymous.
  const layout::AnyLayout &get() const TESSERA_LIFETIME { return known; }
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

  /// The result of a call that failed.
  static Tile failure() {
    Tile tile;
    tile.given = tile.failed = true;
    return tile;
  }

  const layout::Tile &get() const TESSERA_LIFETIME { return known; }
  bool poisoned() const { return failed; }
  explicit operator bool() const { return given; }

private:
  layout::Tile known;
  bool given = false, failed = false;
};
/// A tile of this many adjacent elements in each mode: [64:1;128:1] for (64, 128).
template <std::integral... Extents> Tile make_tile(Extents... extents) {
  return layout::Tile(std::vector<layout::Tile>{
      layout::Tile(layout::Layout{layout::Int(int64_t(extents)), layout::Int(int64_t(1))})...});
}

class Tensor : public Handle {
public:
  using Handle::Handle;
  /// cute.slice: fixes the modes whose coordinate is not `_`; the result has the other modes.
  template <std::convertible_to<Index>... Modes>
  Tensor operator()(Index first, Modes... rest) const {
    return at(sizeof...(rest) ? Coord::of({first.mode, Index(rest).mode...}, first.at) : first.mode,
              first.at);
  }
  Tensor at(const Coord &, Place at = Place::current()) const;
};

//===--- values that go together --------------------------------------------------------------===//

/// A group of values is a class with a member `members()` that returns std::tie of them, or an
/// array, vector, tuple or optional. Loops carry such values, and kernels take them.
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
