// Dtype: the element types of buffers, and their conversion to and from double.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formats of `number` that have bufferBits. Conversion from double rounds once, to nearest,
// ties to even (number::hostRules). Beyond the largest finite value:
//   f64 f32 tf32 f16 bf16      infinity (IEEE 754)
//   f8E4M3FN f8E5M2 f6 f4      the largest finite value, for infinities too (PTX cvt.satfinite)
//   f8E8M0FNU                  2^127; the sign is dropped and zero is 2^-127, as CUDA does it
//   integers                   the nearest bound, and 0 for NaN (PTX cvt.rni)
// NaN becomes the canonical NaN of CUDA's headers; f4E2M1FN, f6E2M3FN and f6E3M2FN have none and
// take their largest number, as CUDA does.
// Sources: OCP 8-bit Floating Point Specification 1.0, OCP Microscaling Formats 1.0, PTX ISA 9.7.9
// (cvt), CUDA 13.0 cuda_fp16.hpp, cuda_fp8.hpp, cuda_fp4.hpp (test/run/CudaHeadersTest.cpp).
#pragma once

#include "tessera/number/Code.h"
#include "tessera/number/Packing.h"
#include "tessera/run/Errors.h"

#include <cstddef>

namespace tessera::run {

/// By PTX's names: s8 is printed as i8, b1 as i1, e4m3 as f8E4M3FN.
using Dtype = number::Format;

using number::integerRange;
using number::largestFinite;
using number::loadCode; // element `index`, in elements of this type, packed where the type is
using number::storeCode;
using number::toInteger;
using number::valueBits;

/// The name that is printed and read: "f32", "f8E4M3FN", "i32", "u8".
constexpr std::string_view name(Dtype type) { return number::ourName(type); }
/// All canonical names, separated by blanks, for messages.
std::string dtypeNames();
/// Reads a canonical name or an alias (fp16, half, bfloat16, float32, e4m3, int8, bool, ui8 ...),
/// in any letter case. numpy's f2, f4, f8 are refused: next to f8E4M3FN they would be misread.
Result<Dtype> parseDtype(std::string_view);

/// Bits from one element to the next in memory: 32 for tf32 (the low 13 are zero), 8 for i1 (one
/// byte per bool, as in numpy and torch), 4 for i4 and f4E2M1FN (two per byte, the first in the low
/// half as in PTX `e2m1x2`), 6 for f6E2M3FN, 1 for u1, which is i1 in the memory of a kernel.
constexpr int storageBits(Dtype type) { return number::bufferBits(type); }
/// Bytes of `count` adjacent elements, rounded up; nothing if that exceeds int64.
Result<int64_t> storageBytes(Dtype, int64_t count);

constexpr bool isFloat(Dtype type) { return number::kindOf(type) == number::Kind::Float; }
constexpr bool isInteger(Dtype type) { return !isFloat(type); }

/// The value of a code. Exact, except for i64 and u64 beyond 2^53 (rounded to nearest even). NaN
/// keeps its sign.
double toDouble(Dtype, uint64_t code);
/// The code of the value nearest to a double; see the top of this file.
inline uint64_t fromDouble(Dtype type, double value) {
  return number::encode(type, value, number::hostRules(type));
}

} // namespace tessera::run
