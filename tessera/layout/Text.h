// The textual notation of layouts, tuples, tiles and swizzles, as CuTe DSL and NVIDIA's `cute`
// dialect print it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   int        ::= ['-'] digit+
//   dyn        ::= '?' [ '{' [ 'i64' ] [ 'div=' N ] '}' ]     (also 'x' in a tuple: Errors.h)
//   T(leaf)    ::= leaf | '(' [ T(leaf) { ',' T(leaf) } ] ')'
//   int_tuple  ::= T(int | dyn)          shape ::= T(int | dyn)
//   coord      ::= T(int | '_' | dyn)
//   basis      ::= (int | dyn | int '/' N) '@' N { '@' N }
//   stride     ::= T(int | dyn | basis)  (a ratio where the reader takes them: Ratios)
//   layout     ::= shape [ ':' stride ]  (no stride: compact, first mode fastest)
//   tile       ::= layout | '_' | '[' [ tile { ';' tile } ] ']'
//   swizzle    ::= 'S<' bits ',' base ',' shift '>'
//   composed   ::= (swizzle | layout) 'o' int_tuple 'o' layout
//
// The last index after `@` is the outermost mode: 1@1@0 steps mode 1 of mode 0. Blanks between
// tokens are skipped on input and never printed, except around ` o `. A dynamic leaf that is read
// gets the id Symbolic::anonymous.
#pragma once

#include "tessera/base/Result.h"
#include "tessera/layout/Layout.h"

namespace tessera {
class Scanner;
}

namespace tessera::layout {

enum class TreeKind : uint8_t {
  IntTuple,
  Coord,
  Shape,
  Stride
};
std::string_view name(TreeKind); // "int_tuple", "coord", "shape", "stride"

/// Whether a stride may be a ratio, 1/2@0. NVIDIA's public dialect refuses them; CuTe DSL writes
/// them in layouts of coordinates.
enum class Ratios : uint8_t {
  Refused,
  Read
};

/// Reads a whole text; trailing characters, numbers beyond int64 and ill-formed values are reasons.
Result<Tree> parseTree(std::string_view, TreeKind, Ratios = Ratios::Refused);
Result<Layout> parseLayout(std::string_view, Ratios = Ratios::Refused);
Result<AnyLayout> parseAnyLayout(std::string_view, Ratios = Ratios::Refused);
Result<Tile> parseTile(std::string_view);
Result<Swizzle> parseSwizzle(std::string_view);

std::string str(Int);
std::string str(const Leaf &);
std::string str(const Tree &);
std::string str(const Layout &);
std::string str(const Composed &);
std::string str(const AnyLayout &);
std::string str(const Tile &);
std::string str(const Swizzle &);

/// The rules for any layout, however it was made: positive static extents, congruent trees, strides
/// all numbers or all bases, no basis path that is a prefix of another.
Result<Layout> checked(Layout);
/// Extents: no static leaf below 1.
Result<Tree> checkedShape(Tree);
/// The rules of a composition: offset and outer values must add up, and a swizzle takes plain
/// numbers.
Result<AnyLayout> checked(Composed);
/// |shift| >= bits and |shift| + bits + base <= 32.
Result<Swizzle> checked(Swizzle);

} // namespace tessera::layout
