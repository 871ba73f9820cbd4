// Selectors: which parts of registers the operands of video instructions name. PTX ISA 9.7.18.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Rows.h"

#include <random>
#include <string>

namespace tessera::hw {

class Selectors {
public:
  /// How many jobs a row's spellings become.
  static size_t variants(std::string_view operands) {
    return operands.find(". ") == operands.npos ? 1 : 4;
  }

  /// Variant 0 has no selector but where there has to be one; the others are drawn, the same in
  /// every run.
  Selectors(const std::string &spelling, std::string_view operands, size_t variant);

  /// ".h1", "-" before a register, or nothing, for the next operand.
  std::string next(bool isDestination);
  /// All that were given, for the name of a job.
  std::string text() const { return given; }

private:
  std::string drawn(bool isDestination);

  enum Kind : uint8_t {
    Scalar,
    Merging, // a scalar result becomes a part of c
    MultiplyAdd,
    Packed
  } kind = Scalar;
  int parts = 0; // of a packed register
  bool draws = false, mayNegate = false;
  size_t operand = 0;
  std::string given;
  std::mt19937 random;
};

} // namespace tessera::hw
