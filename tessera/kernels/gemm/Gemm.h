// Gemm: D = activation(alpha * A B^T + beta * C + bias) as CuTe IR, for all targets: on Hopper and
// Blackwell persistent and warp-specialised, on others a block for each tile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"
#include "tessera/kernels/Products.h"

#include <optional>
#include <string>

namespace tessera::kernels {

/// A block has one producer warpgroup, which runs TMA, and two consumers, which share a tile of D.
/// In the ping-pong form each has a tile, and they alternate at the tensor cores. If D has few rows
/// the product may be swapped: the rows of B take the place where wgmma has 64. On Blackwell see
/// sm100/Gemm.h, and sm80/Gemm.h for targets without either.
struct GemmConfig {
  // Element types of A and B: f16, bf16, tf32 (f32 in memory), or a pair of f8E4M3FN and f8E5M2, or
  // of i8 and u8; of Blackwell f4E2M1FN too (two in a byte of u8), with factors.
  std::string a = "bf16", b = "bf16";
  std::string d = "bf16";   // of D: f16, bf16 or f32; i32 where A and B are integers
  std::string major = "kk"; // contiguous mode of A and of B: k, or m for M (N) with 16 bits
  bool swap = false;        // few rows: see sm90/GemmSwapped.h
  bool pingpong = false;    // of Hopper: each consumer has a tile of its own
  // Rows of a tile: 128, in the ping-pong form 64 or 128; if swapped, what wgmma calls N, 8 to 256.
  int tileM = 128;
  // Columns of a tile: 16, 32 ... 256, on Blackwell 64, 128, 192, 256; if swapped, 64 or 128.
  int tileN = 256;
  int stages = 4;  // tiles of K in flight, 2 or more; one is 128 bytes wide
  int cluster = 1; // blocks side by side in M that share the tile of B: 1, 2, 4, 8
  int group = 8;   // rows of tiles that are walked together, for the L2 cache
  int sms = 132;   // multiprocessors: blocks of the persistent grid
  int splitK = 1;  // slices of K, each computed by its own block; if swapped, 1, 2, 4, 8
  /// Many products in one launch: none; "batches" with equal numbers of rows; "masked" batches, of
  /// which only some rows count; "contiguous" groups of the rows of A, each with its own B.
  std::string groups = "none";
  bool pair = false;    // on Blackwell: two blocks multiply 256 rows, and each has half of B
  bool dynamic = false; // on Blackwell: blocks take over tiles of clusters that have not begun
  /// Blocks of elements share a factor. On Blackwell a block is part of a row (mxf8, mxf4, nvf4);
  /// elsewhere 128 elements of a row of A, and 128 x 128 of B.
  bool factors = false;
  /// f8E8M0FNU for 32 elements, or f8E4M3FN for 16 of f4E2M1FN; elsewhere, and by warps on
  /// Blackwell too, f32. Empty: the first.
  std::string factor;

  /// Number of adjacent elements in a row of B that share a scale of A's type: 32, 64, 128; 0:
  /// none. B is then i4 (two in a byte of u8), f8E4M3FN or f8E5M2, and A f16 or bf16; the product
  /// is swapped: sm90/GemmWeights.h.
  int groupScales = 0;

  // Operations on the product before it becomes D; the kernel has no code for those not asked for.
  bool scales = false;             // times a scale of A and one of B, each an f32 in device memory
  bool alpha = false;              // times alpha, an f32 of the call
  bool c = false;                  // plus beta, an f32 of the call, times C, a matrix like D
  std::string bias = "none";       // plus a number for each column: none, f32, or the type of D
  std::string activation = "none"; // none, relu, gelu (its tanh form), silu

  atom::Target target = *atom::Target::parse("sm_90a");

  /// "m128n256k64_s4_c1_bf16", followed by the operations on the product: "..._alpha_relu".
  std::string name() const;
  /// Elements of K in a stage.
  int tileK() const;
  int64_t smemBytes() const;
  std::string_view factorType() const { return factor.empty() ? factorOfTarget() : factor; }
  /// The default of `factor`.
  std::string_view factorOfTarget() const { return hasTensorMemory() ? "f8E8M0FNU" : "f32"; }
  /// On Blackwell: elements of K, four blocks, whose factors make a word.
  int elementsOfWord() const { return factorType() == "f8E8M0FNU" ? 4 * 32 : 4 * 16; }
  static constexpr int scaledBlock = 128; // on Hopper: elements of K, and rows of B, of a factor
  /// On Hopper: whether products of 128 elements of K are scaled before they are added up.
  bool scalesBlocks() const { return factors && !hasTensorMemory(); }
  /// Whether accumulators are in tensor memory: the kernel of sm100/, which has neither scales of
  /// groups nor factors of f32.
  bool hasTensorMemory() const {
    return kernels::hasTensorMemory(target) && !groupScales && !(factors && factor == "f32");
  }
  /// Whether products are those of warps (mma.sync): the kernel of sm80/.
  bool multipliesByWarps() const {
    return kernels::multipliesByWarps(target) ||
           (kernels::hasTensorMemory(target) && !hasTensorMemory());
  }
  /// Groups of a block's threads that count slices of K for themselves.
  int teamsOfSlices() const;
  /// Blocks of a cluster.
  int clusterBlocks() const { return pair ? 2 : cluster; }
};

/// The reason why there is no such kernel, or nothing; the second function only checks the types.
std::optional<Reason> refused(const GemmConfig &);
std::optional<Reason> refusedTypes(const GemmConfig &);

/// Writes `@gemm(A: MxK, B: NxK, D: MxN, ..., stream)` into the thread's dsl::Context, for a
/// configuration that is not refused. After D come those of these that the configuration has: C:
/// MxN, bias: N, scale of A: 1, scale of B: 1, factors of A and of B (sm90/GemmScales.h,
/// sm100/Gemm.h), scales of groups: N x (K / groupScales, rounded up), alpha, beta, workspace,
/// counters. Batches are a first mode of A, B, C and D. If they are masked, a last argument has the
/// number of rows of each that count, i32 of (batches). With contiguous groups B is (groups)xNxK,
/// and the last argument says where the rows of each group begin and those of the last end, i32 of
/// (groups + 1).
void buildGemm(const GemmConfig &);

} // namespace tessera::kernels
