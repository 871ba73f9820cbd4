// Gemm: D = A B^T on Hopper, persistent and warp-specialised, as CuTe IR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Builder.h"

#include <string>

namespace tessera::kernels {

/// A block has one producer warp group, which runs TMA, and two consumers of 64 rows each.
struct GemmConfig {
  std::string ab = "bf16"; // element type of A and B: f16, bf16, tf32, f8E4M3FN, f8E5M2, i8
  std::string d = "bf16";  // of D: f16, bf16
  std::string major = "kk"; // of A and B: k or m (n), contiguous
  int tileN = 256;         // columns of a block: 64, 128, 192, 256
  int stages = 4;          // tiles of K in flight; one is 128 bytes wide
  int cluster = 1;         // blocks side by side in M that share the tile of B
  int group = 8;           // rows of tiles that are walked together, for the L2 cache
  int sms = 132;           // multiprocessors: blocks of the persistent grid

  /// "m128n256k64_s4_c1_bf16".
  std::string name() const;
  int elementBits() const;
  int tileK() const { return 128 * 8 / elementBits(); }
  int smemBytes() const;
};

/// Builds `@gemm(A: MxK, B: NxK, D: MxN, stream)` into the builder's module.
void buildGemm(dsl::Builder &, const GemmConfig &);

} // namespace tessera::kernels
