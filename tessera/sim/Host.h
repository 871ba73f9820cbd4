// Host: instructions that the processor of this machine may have beyond what the library is
// compiled for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that is worth it is written once, in a function that is always inlined, and called in two:
// one is compiled as all code is, the other, marked as below, for AVX2 or for fused products too.
// Both compute the same bits. Loops over floating-point numbers state vectors (`vector_size`), as
// -frounding-math keeps compilers from making them.
#pragma once

#ifdef __x86_64__
#define TESSERA_WITH_AVX2 [[gnu::target("avx2")]]
#define TESSERA_WITH_FMA [[gnu::target("avx2,fma")]]
#else
#define TESSERA_WITH_AVX2
#define TESSERA_WITH_FMA
#endif

namespace tessera::sim {

/// Whether functions marked so may be called.
inline bool hostHasAvx2() {
#ifdef __x86_64__
  static const bool has = __builtin_cpu_supports("avx2");
  return has;
#else
  return false; // nothing to gain
#endif
}
inline bool hostHasFma() {
#ifdef __x86_64__
  static const bool has = __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
  return has;
#else
  return true; // AArch64 and its like have always had them
#endif
}

} // namespace tessera::sim
