// Constants: the values of constant expressions. PTX ISA 4.5.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/ptx_text/Errors.h"

#include <optional>

namespace tessera::ptx_text {

/// A number of 64 bits: .s64, .u64 or .f64.
struct Constant {
  enum Kind : uint8_t {
    Signed,
    Unsigned,
    Real
  } kind = Signed;
  uint64_t bits = 0;

  bool isTrue() const { return bits != 0; }
};

/// A row of the table of operators between two operands; a higher level binds tighter.
struct BinaryOperator {
  std::string_view text;
  int level;
  enum Operands : uint8_t {
    Common,  // reals, or integers that are unsigned if one of them is
    First,   // integers; the result is of the first one's kind
    Unsigned // integers that are read as unsigned
  } operands;
};
inline constexpr int lowestLevel = 1, highestLevel = 10;
/// The longest operator with which a text begins.
const BinaryOperator *findOperator(std::string_view text);

/// PTX ISA 4.5.6. A reason if the table does not have such operands, and for a division by zero.
Result<Constant> apply(const BinaryOperator &, Constant a, Constant b);
/// `+`, `-`, `~` or `!`.
Result<Constant> apply(char sign, Constant);

} // namespace tessera::ptx_text
