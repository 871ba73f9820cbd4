// compute: sums, products, quotients, fused products and square roots, rounded once in each of
// IEEE's directions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_bytecode/Enums.h"
#include "tessera/tile_eval/Element.h"

namespace tessera::tile_eval {

using tile_bytecode::RoundingMode;

enum class Arithmetic : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  Fma, // a * b + c
  Sqrt // of a
};

/// Elements of a tile, or one element for all.
struct Source {
  const uint64_t *codes = nullptr;
  size_t step = 0; // 0: one for all

  uint64_t operator[](size_t i) const { return codes[i * step]; }
};
inline Source sourceOf(const Codes &codes) { return {codes.data(), codes.size() == 1 ? 0u : 1u}; }

struct Modifiers {
  RoundingMode rounding = RoundingMode::NearestEven; // Approx and Full: to nearest even
  bool flushesToZero = false; // f32: subnormal operands and results become zeros of the same sign
};

/// `count` results. f32 and f64 follow IEEE 754; f16 and bf16 are rounded once from the exact
/// result, but quotients twice, through f32, as the dialect requires. A NaN of f16, bf16 and f32 is
/// that of PTX's instructions, 0x7fff and 0x7fffffff. Sources: IEEE 754-2019, 4.3 and 5.4.1; the
/// public dialect's ops addf, subf, mulf, divf, fma, sqrt.
Codes compute(Arithmetic, TypeKind, Modifiers, size_t count, Source a, Source b, Source c);

/// A subnormal f32 as zero of its sign; other codes as they are.
constexpr uint64_t flushed(uint64_t code) { return code & 0x7f800000 ? code : code & 0x80000000; }

} // namespace tessera::tile_eval
