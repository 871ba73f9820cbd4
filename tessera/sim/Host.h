// Host: optional instructions of this machine's processor that the library may use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that profits is written once, in a function that is always inlined, and called in two
// functions: one is compiled as usual, the other, marked as below, with AVX2 or with fused
// products. Both compute the same bits. Loops over floating-point numbers use vectors
// (`vector_size`), because -frounding-math keeps compilers from vectorising them.
#pragma once

#ifdef __x86_64__
#define TESSERA_WITH_AVX2 [[gnu::target("avx2")]]
#define TESSERA_WITH_FMA [[gnu::target("avx2,fma")]]
#else
#define TESSERA_WITH_AVX2
#define TESSERA_WITH_FMA
#endif

namespace tessera::sim {

/// Whether functions with this mark may be called.
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
