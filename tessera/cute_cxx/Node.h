// Node: the values of tessera/dsl that a value of the surface stands for. For this room.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The surface shows only handles. This header unwraps them for the functions of dsl, and wraps the
// results. A value that was never set is unset in dsl too, which reports it at the call.
#pragma once

#include "tessera/cute_cxx/Blackwell.h"
#include "tessera/dsl/Dsl.h"

namespace tessera::cute {

/// A number that C++ knows, and its type there: b1 of a bool, s32, u32, s64 or u64.
struct Static {
  int64_t number; // of a u64, its bits
  Format type = Format::s32;
};
/// A layout. If its swizzle permutes bytes of shared memory, as for wgmma and TMA, the pointer of a
/// tensor carries the swizzle.
struct LayoutValue {
  dsl::Layout layout;
  bool onPointer = false;
};
/// A tensor whose elements are what functions make of those of another one, the last one last.
struct LazyTensor {
  dsl::Tensor base;
  std::vector<std::function<Num(const ElementRef &)>> functions;
  Place at;

  bool poisoned() const { return base.poisoned(); }
};
using Content = std::variant<Static, dsl::Num, dsl::Coord, LayoutValue, dsl::Tile, dsl::Pointer,
                             dsl::Tensor, dsl::Atom, dsl::TiledMma, dsl::TiledCopy, dsl::TmaTensor,
                             dsl::Barrier, dsl::Barriers, LazyTensor>;
struct detail::Node {
  Content content;
};

template <class Public> Public made(Content content) {
  return Public(std::make_shared<const detail::Node>(detail::Node{std::move(content)}));
}
/// Whether a host function or kernel is being traced. If not, layouts are computed in a context of
/// the thread's own, whose mistakes go to stderr.
bool isTraced();
void haveContext();

/// What a value stands for; default-constructed if it was never set.
template <class T> T held(const Value &value) {
  haveContext();
  const T *content = value.node() ? std::get_if<T>(&value.node()->content) : nullptr;
  return content ? *content : T();
}

/// The number as a number of the program, for what only counts: a u32 becomes an i32, and one that
/// C++ knows, which is made here, an i32 where it fits. `typed` of Whole.h keeps the type.
dsl::Num number(const Num &, Place);
/// What stands for a number of the device; a mistake for an index that is a coordinate, where
/// strides are bases.
dsl::Num ofDevice(const Num &, Place);
/// A number of the algebra, an int where it fits, as in CuTe C++.
Num counted(int64_t);
/// The number that C++ knows; null for a number of the device.
const Static *staticOf(const Num &);
Num num(dsl::Num);
inline dsl::Coord tuple(const IntTuple &t) { return held<dsl::Coord>(t); }
/// The same for a tuple that a call needs: one that was declared only is a mistake there.
dsl::Coord tuple(const IntTuple &, Place);
/// Any tuple of the program, as a tuple whose leaves are numbers.
IntTuple intTuple(const dsl::Coord &, layout::TreeKind, Place);
inline dsl::Layout layoutOf(const Layout<> &l) { return held<LayoutValue>(l).layout; }
Layout<> layoutFrom(dsl::Layout, bool onPointer = false);
inline dsl::Tile tileOf(const Tiler &t) { return held<dsl::Tile>(t); }
/// The tensor in memory, or of coordinates or descriptors. A mistake for a lazy one.
dsl::Tensor tensorOf(const Value &);
inline Tensor tensorFrom(dsl::Tensor t) { return made<Tensor>(std::move(t)); }
/// For functions that see no elements: a lazy tensor stands for what its elements are made of.
dsl::Tensor viewOf(const Value &);
inline const LazyTensor *lazyOf(const Value &t) {
  return t.node() ? std::get_if<LazyTensor>(&t.node()->content) : nullptr;
}
template <class F> Tensor viewed(const Value &t, F f) {
  dsl::Tensor view = f(viewOf(t));
  const LazyTensor *lazy = lazyOf(t);
  return lazy ? made<Tensor>(LazyTensor{std::move(view), lazy->functions, lazy->at})
              : tensorFrom(std::move(view));
}

/// Bits from one element of memory to the next: of a bool 8, and 4 of an int4_t.
inline int elementBits(Format f) {
  return number::bufferBits(f) ? number::bufferBits(f) : number::storedBits(f);
}

/// Records a mistake of a call.
void mistake(const char *call, const std::string &why, Place);
/// Whether a number that C++ knows is in a range, or C++ does not know it; else a mistake, that the
/// call expects `what` from the least to the most.
bool isWithin(const char *call, const char *what, const Num &, int64_t least, int64_t most, Place);

/// Whether two tensors that are copied element by element are of known and equal sizes and of one
/// type; else a mistake of the call.
bool areAlike(const char *call, const Tensor &from, const Tensor &to, Place);

/// Text in CuTe C++'s notation: `_8` for a number that C++ knows, `?` for one of the device.
std::string textOf(const layout::Tree &);
std::string textOf(const layout::Layout &);
std::string textOf(const layout::Tile &);
/// Writes to standard output, after the output that C++ itself has buffered.
void put(const std::string &);

/// The handles of a value, for loops to carry and kernels to take; and making the value of others.
std::vector<dsl::Handle> handlesOf(const Value &);
void rebind(Value &, std::span<const dsl::Handle>);

} // namespace tessera::cute
