// Atomic ops on pointers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_eval/Atomics.h"

#include "tessera/base/Result.h"

#include <algorithm>

namespace tessera::tile_eval {

uint64_t updated(AtomicRMWMode mode, TypeKind kind, uint64_t old, uint64_t argument) {
  unsigned bits = bitsOf(kind);
  auto isLess = [&] { return signedOf(old, bits) < signedOf(argument, bits); };
  switch (mode) {
  case AtomicRMWMode::And: return old & argument;
  case AtomicRMWMode::Or: return old | argument;
  case AtomicRMWMode::Xor: return old ^ argument;
  case AtomicRMWMode::Add: return (old + argument) & lowBits(bits);
  case AtomicRMWMode::AddF: {
    Source a{&old, 0}, b{&argument, 0};
    return compute(Arithmetic::Add, kind, {}, 1, a, b, a)[0];
  }
  case AtomicRMWMode::Max: return isLess() ? argument : old;
  case AtomicRMWMode::Min: return isLess() ? old : argument;
  case AtomicRMWMode::UMax: return std::max(old, argument);
  case AtomicRMWMode::UMin: return std::min(old, argument);
  case AtomicRMWMode::Xchg: return argument;
  }
  return old;
}

std::optional<std::string> checkMode(AtomicRMWMode mode, TypeKind kind) {
  bool isInt = kind == TypeKind::I32 || kind == TypeKind::I64;
  bool isReal = kind == TypeKind::F32 || kind == TypeKind::F64;
  bool fits = mode == AtomicRMWMode::AddF
                  ? isReal || kind == TypeKind::F16 || kind == TypeKind::BF16
              : mode == AtomicRMWMode::Xchg ? isInt || isReal
                                            : isInt;
  if (fits)
    return {};
  return cat("expects elements of ",
             mode == AtomicRMWMode::AddF   ? "f16, bf16, f32 or f64"
             : mode == AtomicRMWMode::Xchg ? "i32, i64, f32 or f64"
                                           : "i32 or i64",
             " for ", keyword(mode), ", but got ", rowOf(kind).text);
}

} // namespace tessera::tile_eval
