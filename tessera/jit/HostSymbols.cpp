// The C functions that compiled host code may call.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/jit/HostSymbols.h"

#include "tessera/run/Dtype.h"

#include <bit>
#include <cmath>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tessera::jit {

namespace {

//===--- assertions ---------------------------------------------------------------------------===//

// MLIR lowers cf.assert to puts(message); abort(). Here the message becomes a reason, and abort
// leaves the compiled code only: no frame between callGuarded and it has anything to destroy.
thread_local std::jmp_buf *guard = nullptr;
thread_local const char *lastLine = "";

int hostPuts(const char *line) {
  lastLine = line;
  return 0;
}

[[noreturn]] void hostAbort() {
  if (guard)
    std::longjmp(*guard, 1);
  std::abort();
}

[[noreturn]] void hostNoQuotient() {
  lastLine = "a number is divided by zero, or the smallest one by -1";
  hostAbort();
}

//===--- narrow floating-point types ----------------------------------------------------------===//

// Compilers call these by fixed names; not every libgcc has all. A half or bf16 travels in the low
// bits of an SSE register, as a float does (System V ABI, AMD64, 3.2.3).
float asFloat(uint64_t code) { return std::bit_cast<float>(uint32_t(code)); }

float truncateToHalf(float x) { return asFloat(run::fromDouble(run::Dtype::f16, x)); }
float truncateDoubleToHalf(double x) { return asFloat(run::fromDouble(run::Dtype::f16, x)); }
float truncateToBf16(float x) { return asFloat(run::fromDouble(run::Dtype::bf16, x)); }
float truncateDoubleToBf16(double x) { return asFloat(run::fromDouble(run::Dtype::bf16, x)); }
float extendHalf(float half) {
  return float(run::toDouble(run::Dtype::f16, std::bit_cast<uint32_t>(half) & 0xFFFF));
}

template <class F> Symbol symbol(const char *name, F *function) {
  return {name, reinterpret_cast<void *>(function)};
}

} // namespace

std::span<const Symbol> hostSymbols() {
  using Unary = double(double);
  using UnaryF = float(float);
  using Binary = double(double, double);
  using BinaryF = float(float, float);
#define UNARY(name) symbol<Unary>(#name, ::name), symbol<UnaryF>(#name "f", ::name##f)
#define BINARY(name) symbol<Binary>(#name, ::name), symbol<BinaryF>(#name "f", ::name##f)
  // clang-format off
  static const Symbol symbols[] = {
      symbol("printf", ::printf), symbol("puts", hostPuts), symbol("abort", hostAbort),
      symbol(noQuotient, hostNoQuotient),
      symbol("malloc", ::malloc), symbol("free", ::free), symbol("aligned_alloc", ::aligned_alloc),
      symbol("memcpy", static_cast<void *(*)(void *, const void *, size_t)>(::memcpy)),
      symbol("memmove", static_cast<void *(*)(void *, const void *, size_t)>(::memmove)),
      symbol("memset", static_cast<void *(*)(void *, int, size_t)>(::memset)),
      UNARY(exp), UNARY(exp2), UNARY(expm1), UNARY(log), UNARY(log2), UNARY(log10), UNARY(log1p),
      UNARY(sin), UNARY(cos), UNARY(tan), UNARY(sinh), UNARY(cosh), UNARY(tanh), UNARY(asin),
      UNARY(acos), UNARY(atan), UNARY(erf), UNARY(cbrt), UNARY(sqrt), UNARY(floor), UNARY(ceil),
      UNARY(trunc), UNARY(round), UNARY(roundeven), UNARY(rint), UNARY(nearbyint),
      BINARY(pow), BINARY(fmod), BINARY(atan2), BINARY(fmin), BINARY(fmax),
      symbol<double(double, double, double)>("fma", ::fma),
      symbol<float(float, float, float)>("fmaf", ::fmaf),
      symbol("__truncsfhf2", truncateToHalf), symbol("__truncdfhf2", truncateDoubleToHalf),
      symbol("__truncsfbf2", truncateToBf16), symbol("__truncdfbf2", truncateDoubleToBf16),
      symbol("__extendhfsf2", extendHalf),
  };
  // clang-format on
#undef UNARY
#undef BINARY
  return symbols;
}

const char *callGuarded(PackedFunction function, void **arguments, int32_t *result) {
  std::jmp_buf here;
  std::jmp_buf *volatile before = guard; // volatile: read again after the jump
  if (setjmp(here)) {
    guard = before;
    return lastLine;
  }
  guard = &here;
  lastLine = "";
  function(arguments, result);
  guard = before;
  return nullptr;
}

} // namespace tessera::jit
