// The syntax of expressions over layouts: text in, tree of nodes out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang-format off
//
//   expression ::= { 'let' NAME '=' chain ';' } chain
//   chain      ::= pair { 'o' pair }              composition, or a composed layout `A o offset o B`
//   pair       ::= primary [ ':' primary ]        shape and stride
//   primary    ::= int { '@' int } | dynamic { '@' int } | '_' | swizzle | list | tuple | tile | call | NAME
//   dynamic    ::= '?' [ '{' { 'i32' | 'i64' | 'div=' int | int } '}' ]
//                                                 a bare number: its value at run time
//   swizzle    ::= 'S<' int ',' int ',' int '>'
//   list       ::= '<' int { ',' int } '>' | int '->' int [ 'bits' ]
//   tuple      ::= '(' [ chain { ',' chain } ] ')'
//   tile       ::= '[' [ chain { (';' | ',') chain } ] ']'
//   call       ::= NAME [ '<' int { ',' int } '>' ] '(' [ argument { (',' | '|') argument } ] ')'
//   argument   ::= [ NAME '=' ] chain
//
// clang-format on
// Blanks and line ends may be between tokens. The literals are those of tessera/layout/Text.h,
// but any part may be an expression: `(size(A),4):(1,size(A))`.
#pragma once

#include "tessera/eval/Refusal.h"

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

namespace tessera::eval {

enum class NodeKind : uint8_t {
  Number,  // numbers[0]; after it the mode indices of a basis, innermost first
  Dynamic, // numbers: width in bits, divisor, 1 if the value is known, the value; then mode indices
  Any,
  Swizzle, // numbers: bits, base, shift
  Modes,   // numbers of `<..>`
  Bits,    // numbers of `a->b`
  Name,
  Tuple,
  Tile,   // children separated by `;`, or a single one
  List,   // children separated by `,`
  Layout, // shape and stride
  Chain,  // operands of `o`
  Call,   // text: the function; arguments
  Let,    // children: values, then the result; names
};

struct Node {
  NodeKind kind;
  Span span;
  std::string text; // of a name
  std::vector<int64_t> numbers;
  std::vector<Node> children;
  std::vector<std::string> names; // of a `let`
};

inline constexpr size_t maxText = size_t(1) << 16; // characters of an expression
inline constexpr size_t maxLevels = 64; // what calls itself must end before the stack does

/// The tree of a whole text, or what was expected where.
std::variant<Node, Refusal> parse(std::string_view text);

} // namespace tessera::eval
