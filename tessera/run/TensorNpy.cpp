// Tensors from and to .npy arrays: which types stand for which, and what is converted.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/Npy.h"
#include "tessera/run/Tensor.h"

#include <algorithm>
#include <cmath>

namespace tessera::run {

namespace {

/// An element type and the .npy type in which it is written.
struct Pairing {
  Dtype type;
  NpyType npy;
  bool natural; // the .npy type stands for the element type when none is named
};
constexpr Pairing pairings[] = {
    {Dtype::f64, {NpyKind::Float, 8}, true},    {Dtype::f32, {NpyKind::Float, 4}, true},
    {Dtype::f16, {NpyKind::Float, 2}, true},    {Dtype::b1, {NpyKind::Bool, 1}, true},
    {Dtype::s8, {NpyKind::Int, 1}, true},       {Dtype::s16, {NpyKind::Int, 2}, true},
    {Dtype::s32, {NpyKind::Int, 4}, true},      {Dtype::s64, {NpyKind::Int, 8}, true},
    {Dtype::u8, {NpyKind::Unsigned, 1}, true},  {Dtype::u16, {NpyKind::Unsigned, 2}, true},
    {Dtype::u32, {NpyKind::Unsigned, 4}, true}, {Dtype::u64, {NpyKind::Unsigned, 8}, true},
    {Dtype::tf32, {NpyKind::Float, 4}, false},  {Dtype::bf16, {NpyKind::Raw, 2}, false},
    {Dtype::e4m3, {NpyKind::Raw, 1}, false},    {Dtype::e5m2, {NpyKind::Raw, 1}, false},
    {Dtype::ue8m0, {NpyKind::Raw, 1}, false},   {Dtype::e2m1, {NpyKind::Raw, 1}, false},
    {Dtype::s4, {NpyKind::Int, 1}, false},      {Dtype::e2m3, {NpyKind::Raw, 1}, false},
    {Dtype::e3m2, {NpyKind::Raw, 1}, false},    {Dtype::s2, {NpyKind::Int, 1}, false},
    {Dtype::u4, {NpyKind::Unsigned, 1}, false}, {Dtype::u2, {NpyKind::Unsigned, 1}, false},
    {Dtype::u1, {NpyKind::Bool, 1}, false},
};

const Pairing &pairingOf(Dtype type) {
  for (const Pairing &p : pairings)
    if (p.type == type)
      return p;
  return pairings[0]; // every type has its row: test/run/TensorNpyTest.cpp
}

std::optional<Dtype> naturalType(NpyType npy) {
  for (const Pairing &p : pairings)
    if (p.natural && p.npy == npy)
      return p.type;
  return std::nullopt;
}

/// How elements of a file become codes of a type.
struct Conversion {
  Dtype type;
  bool bits;    // the file's bytes are codes of `type`
  Dtype source; // else: the type of the file's values
};

Result<Conversion> planConversion(NpyType npy, std::optional<Dtype> wanted) {
  std::optional<Dtype> own = naturalType(npy);
  if (!wanted && !own)
    return fail(Error::NpyRaw, str(npy), npy.bytes == 1 ? "f8E4M3FN" : "bf16");
  Dtype type = wanted ? *wanted : *own;
  bool sameSize = std::max(storageBits(type), 8) == npy.bytes * 8;
  bool hasName = pairingOf(type).natural || (isInteger(type) && storageBits(type) < 8);
  bool isPattern = npy.kind == NpyKind::Raw ||
                   (!hasName && (npy.kind == NpyKind::Int || npy.kind == NpyKind::Unsigned));
  if (type == own || (isPattern && sameSize))
    return Conversion{type, true, type};
  if (!own)
    return fail(Error::NpyRawMismatch, str(npy), npy.bytes * 8, name(type), storageBits(type));
  return Conversion{type, false, *own};
}

/// A code that the file stores in a whole byte although the type has fewer bits: the upper bits
/// must be zero, or copies of the sign. Anything else is most likely a file with two elements per
/// byte.
bool fitsItsBits(Dtype type, uint64_t code) {
  const int bits = storageBits(type);
  if (bits >= 8)
    return true;
  const bool isSigned = number::kindOf(type) == number::Kind::Signed;
  return code >> bits == 0 || (isSigned && code >> (bits - 1) == uint64_t(0xFF) >> (bits - 1));
}

/// The code of an exact integer in another integer type, or nothing where it has none.
std::optional<uint64_t> convertInteger(Dtype from, uint64_t code, Dtype to) {
  bool negative = from != Dtype::u64 && toInteger(from, code) < 0;
  auto [min, max] = integerRange(to);
  if (negative ? toInteger(from, code) < min : code > max)
    return std::nullopt;
  return uint64_t(negative ? toInteger(from, code) : int64_t(code)) &
         (~uint64_t(0) >> (64 - storageBits(to)));
}

std::optional<uint64_t> convert(const Conversion &plan, uint64_t code) {
  if (plan.bits)
    return fitsItsBits(plan.type, code) ? std::optional(code) : std::nullopt;
  if (isInteger(plan.source) && isInteger(plan.type))
    return convertInteger(plan.source, code, plan.type);
  double value = toDouble(plan.source, code);
  uint64_t converted = fromDouble(plan.type, value);
  if (isInteger(plan.type) && toDouble(plan.type, converted) != value)
    return std::nullopt;
  return converted;
}

/// The element of a file as an unsigned number of its bytes.
uint64_t fileCode(const NpyArray &array, int64_t index) {
  constexpr Dtype bySize[] = {Dtype::u8,  Dtype::u8,  Dtype::u16, Dtype::u16, Dtype::u32,
                              Dtype::u32, Dtype::u32, Dtype::u32, Dtype::u64};
  return loadCode(bySize[array.type.bytes], array.data.data(), index);
}

/// The text for an element that does not fit: its value, or its bits.
std::string shown(const Conversion &plan, uint64_t code) {
  if (plan.bits)
    return hex(code);
  bool exact = isInteger(plan.source) && plan.source != Dtype::u64;
  return exact ? std::to_string(toInteger(plan.source, code))
               : decimal(toDouble(plan.source, code));
}

} // namespace

Result<Tensor> fromNpy(const NpyArray &array, std::optional<Dtype> wanted,
                       std::optional<std::vector<int64_t>> strides) {
  TESSERA_TRY(Conversion plan, planConversion(array.type, wanted));
  TESSERA_TRY(Tensor tensor, Tensor::make(plan.type, array.shape, std::move(strides)));
  std::vector<int64_t> fileStrides =
      array.fortranOrder ? columnMajor(array.shape) : rowMajor(array.shape);
  int64_t flat = 0, refusedFlat = -1, refusedAt = 0;
  walk(array.shape, fileStrides, tensor.strides(), [&](int64_t from, int64_t to) {
    std::optional<uint64_t> code = convert(plan, fileCode(array, from));
    if (code)
      storeCode(plan.type, tensor.bytes().data(), to, *code);
    else if (refusedFlat < 0)
      refusedFlat = flat, refusedAt = from;
    ++flat;
  });
  if (refusedFlat >= 0)
    return fail(Error::NpyValue, tuple(coordinate(array.shape, refusedFlat)),
                shown(plan, fileCode(array, refusedAt)), name(plan.type));
  return tensor;
}

Result<NpyArray> toNpy(const Tensor &tensor) {
  const Pairing &pairing = pairingOf(tensor.dtype());
  NpyArray array;
  array.type = pairing.npy;
  array.shape = tensor.shape();
  int64_t size;
  if (__builtin_mul_overflow(tensor.size(), int64_t(array.type.bytes), &size))
    return fail(Error::ShapeOverflow, tuple(array.shape));
  TESSERA_TRY(array.data, Bytes::zeros(size_t(size)));
  std::byte *next = array.data.data();
  walk(tensor.shape(), tensor.strides(), tensor.strides(), [&](int64_t at, int64_t) {
    uint64_t code = loadCode(tensor.dtype(), tensor.bytes().data(), at);
    const bool isSigned = number::kindOf(tensor.dtype()) == number::Kind::Signed;
    uint64_t stored = isSigned ? uint64_t(toInteger(tensor.dtype(), code)) : code;
    for (int i = 0; i < array.type.bytes; ++i)
      *next++ = std::byte(stored >> (8 * i) & 0xFF);
  });
  return array;
}

} // namespace tessera::run
