// Dtype: the element types of buffers, their names, sizes, and conversion to and from double.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A *code* is the bit pattern of one element in the low bits of a uint64_t. Conversion from double
// rounds once, to nearest, ties to even. Beyond the largest finite value:
//   f64 f32 tf32 f16 bf16      infinity (IEEE 754)
//   f8E4M3FN f8E5M2 f4E2M1FN   the largest finite value, for infinities too (PTX cvt.satfinite)
//   f8E8M0FNU                  2^127; the sign is dropped and zero is 2^-127, as CUDA does it
//   integers                   the nearest bound, and 0 for NaN (PTX cvt.rni)
// NaN becomes CUDA's canonical NaN; f4E2M1FN has none and takes +6, as CUDA does.
// Sources: OCP 8-bit Floating Point Specification 1.0, OCP Microscaling Formats 1.0, PTX ISA 9.7.9
// (cvt), CUDA 13.0 cuda_fp16.hpp, cuda_fp8.hpp, cuda_fp4.hpp (test/run/CudaHeadersTest.cpp).
#pragma once

#include "tessera/run/Errors.h"

#include <cstddef>

namespace tessera::run {

// clang-format off
enum class Dtype : uint8_t {
  F64, F32, TF32, F16, BF16, F8E4M3FN, F8E5M2, F8E8M0FNU, F4E2M1FN,
  I1, I4, I8, I16, I32, I64, U8, U16, U32, U64,
};
// clang-format on
inline constexpr size_t dtypeCount = 19;

/// The name that is printed and read: "f32", "f8E4M3FN", "i32", "u8".
std::string_view name(Dtype);
/// Every canonical name, separated by blanks; for sentences.
std::string dtypeNames();
/// Reads a canonical name or an alias (fp16, half, bfloat16, float32, e4m3, int8, bool, ui8 ...),
/// in any letter case. numpy's f2, f4, f8 are refused: next to f8E4M3FN they would be misread.
Result<Dtype> parseDtype(std::string_view);

/// Bits that carry the value: 19 for tf32, 1 for i1.
int valueBits(Dtype);
/// Bits between neighbours in memory: 32 for tf32 (the low 13 are zero), 8 for i1 (one byte per
/// bool, as numpy and torch), 4 for i4 and f4E2M1FN (two per byte, the first in the low half as in
/// PTX `e2m1x2`).
int storageBits(Dtype);
/// Bytes that `count` neighbours take, rounded up; nothing if that exceeds int64.
Result<int64_t> storageBytes(Dtype, int64_t count);

bool isFloat(Dtype);
bool isInteger(Dtype);

/// The bounds of an integer type; i1 is 0..1.
struct IntegerRange {
  int64_t min;
  uint64_t max;
};
IntegerRange integerRange(Dtype);
/// The largest finite value of a floating-point type.
double largestFinite(Dtype);

/// The value of a code. Exact, except for i64 and u64 beyond 2^53 (rounded to nearest even). The
/// low 13 bits of tf32, which the tensor cores ignore, are ignored.
double toDouble(Dtype, uint64_t code);
/// The code of the value nearest to a double; see the top of this file.
uint64_t fromDouble(Dtype, double value);
/// The code of an integer type as a number; the type must be signed or small enough for int64.
int64_t toInteger(Dtype, uint64_t code);

/// The code of element `index` (in elements of this type, packed where the type is) of a buffer.
uint64_t loadCode(Dtype, const std::byte *buffer, int64_t index);
/// Stores the code; neighbours in the same byte keep theirs.
void storeCode(Dtype, std::byte *buffer, int64_t index, uint64_t code);

} // namespace tessera::run
