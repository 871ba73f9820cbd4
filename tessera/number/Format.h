// Format: the formats of numbers that GPUs know, with their names, sizes and fields.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats.def is the table. A *code* is the bit pattern of one number, in the low bits of a
// uint64_t. Code.h converts codes to numbers and back, Text.h to text, and Packing.h places them in
// memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tessera::number {

/// A format, by PTX's name for the type. `none` marks an absent one.
enum class Format : uint8_t {
  none,
#define FLOAT(id, ...) id,
#define INTEGER(id, ...) id,
#include "tessera/number/Formats.def"
#undef FLOAT
#undef INTEGER
};

/// How the bits of a format are read. Bits have no meaning of their own; here they are read as an
/// unsigned number.
enum class Kind : uint8_t {
  None,
  Float,
  Signed,
  Unsigned,
  Bits
};

/// The fields of a binary floating-point format: sign, exponent, mantissa, from the high end. All
/// masks and codes here are of its value bits alone, without the zeros below tf32's mantissa.
struct Floating {
  /// The meaning of the codes with the largest exponent.
  enum Top : uint8_t {
    Ieee,    // infinity, and NaN where the mantissa is not zero
    NanOnly, // numbers, but all ones is NaN; there is no infinity
    Finite   // numbers
  };
  uint8_t exponent = 0, mantissa = 0; // bits, without the hidden one
  int16_t bias = 0;
  Top top = Ieee;
  bool isSigned = true;

  constexpr int bits() const { return exponent + mantissa + isSigned; }
  constexpr uint64_t signBit() const { return isSigned ? uint64_t(1) << (exponent + mantissa) : 0; }
  constexpr uint64_t magnitudeMask() const { return (uint64_t(1) << (exponent + mantissa)) - 1; }
  constexpr uint64_t mantissaMask() const { return (uint64_t(1) << mantissa) - 1; }
  /// The code of +infinity in an Ieee format; in any format, the exponent field with all bits set.
  constexpr uint64_t infinity() const { return magnitudeMask() ^ mantissaMask(); }
  /// The code of the largest number.
  constexpr uint64_t largest() const {
    return top == Ieee ? infinity() - 1 : top == NanOnly ? magnitudeMask() - 1 : magnitudeMask();
  }
  /// The NaN that instructions produce: all ones without a sign. PTX ISA 9.0, 9.7.3 and 9.7.4. A
  /// Finite format has no NaN; this is its largest number then, which is what a NaN becomes.
  constexpr uint64_t nan() const { return magnitudeMask(); }
};

/// One row of Formats.def, where the columns are explained.
struct Row {
  Format format;
  std::string_view ptx, name, mlir, cute, aliases;
  Kind kind;
  Floating floating; // where kind is Float
  uint8_t lowZeros;
  uint8_t valueBits, storedBits, bufferBits;
  uint64_t hostNan;
};

inline constexpr Row rows[] = {
    {Format::none, "none", "none", "", "", "", Kind::None, {}, 0, 0, 0, 0, 0},
#define FLOAT(id, name, mlir, cute, aliases, exponent, mantissa, bias, top, sign, lowZeros,        \
              stored, buffer, hostNan)                                                             \
  {Format::id,  #id,                                                                               \
   name,        mlir,                                                                              \
   cute,        aliases,                                                                           \
   Kind::Float, {exponent, mantissa, bias, Floating::top, sign != 0},                              \
   lowZeros,    exponent + mantissa + sign,                                                        \
   stored,      buffer,                                                                            \
   hostNan},
#define INTEGER(id, name, mlir, cute, aliases, kind, bits, buffer)                                 \
  {Format::id, #id, name, mlir, cute, aliases, Kind::kind, {}, 0, bits, bits, buffer, 0},
#include "tessera/number/Formats.def"
#undef FLOAT
#undef INTEGER
};

/// All formats, `none` left out, in the order of the table.
constexpr std::span<const Row> formats() { return std::span(rows).subspan(1); }
constexpr const Row &row(Format format) { return rows[size_t(format)]; }

constexpr Kind kindOf(Format format) { return row(format).kind; }
/// The fields of a floating-point format; meaningless for other formats.
constexpr const Floating &floating(Format format) { return row(format).floating; }
/// Bits that carry the value: 19 for tf32, 7 for ue4m3, 1 for b1.
constexpr int valueBits(Format format) { return row(format).valueBits; }
/// Bits of an element in dense storage: 32 for tf32, 8 for ue4m3, 6 for e2m3, 1 for b1.
constexpr int storedBits(Format format) { return row(format).storedBits; }
/// Bits from one element of a buffer to the next: 8 for b1, 4 for s4 and e2m1 (two in a byte, the
/// first in the low half), 6 for e2m3 (four in three bytes); 0 if no buffer has the format.
constexpr int bufferBits(Format format) { return row(format).bufferBits; }

/// "e4m3", "s8": the type of PTX, without the dot.
constexpr std::string_view ptxName(Format format) { return row(format).ptx; }
/// "f8E4M3FN", "i8", "u8": what we print.
constexpr std::string_view ourName(Format format) { return row(format).name; }
/// "E4M3", "S8": part of the names of CuTe atoms; empty where no atom has the format.
constexpr std::string_view cuteName(Format format) { return row(format).cute; }
/// "f8E4M3FN", "i8", "ui8": the type as MLIR prints it; empty where MLIR has none.
constexpr std::string_view mlirName(Format format) {
  std::string_view all = row(format).mlir;
  return all.substr(0, all.find(' '));
}

/// The format with this name in PTX, without a dot.
std::optional<Format> findPtx(std::string_view);
/// The format with this type name in MLIR. Signless integers are the signed formats, except i1,
/// which is b1. `index` is not a format.
std::optional<Format> findMlir(std::string_view);
/// The format with this name of ours or alias (fp16, half, bfloat16, e4m3, int8, bool, ui8), in any
/// letter case. numpy's f2, f4, f8 are not among them: next to f8E4M3FN they would be misread.
std::optional<Format> findName(std::string_view);

} // namespace tessera::number
