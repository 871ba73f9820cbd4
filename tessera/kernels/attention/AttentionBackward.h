// AttentionBackward: gradients of attention on all targets, as CuTe IR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With S = scale Q K^T, P = softmax(S), O = P V and dO the gradient of O:
//
//   dP = dO V^T    delta = rows' sums of dO O    dS = P (dP - delta)
//   dV = P^T dO    dQ = scale dS K               dK = scale dS^T Q
//
// The forward pass does not keep P: it is exp(S - lse), where lse is the logarithm of each query's
// sum of exponentials, which the forward pass writes (AttentionConfig::lse). A block accumulates
// its results in registers: one kernel goes over the queries for each tile of keys and computes dK
// and dV, another over the keys for each tile of queries and computes dQ. That computes S and dP
// twice, seven products instead of five, but needs no atomic sums: the same numbers give the same
// bits.
// Source: Dao, FlashAttention-2 (arXiv 2307.08691), 2.3 and 3.1.
#pragma once

#include "tessera/atom/Target.h"
#include "tessera/base/Result.h"

#include <optional>
#include <string>

namespace tessera::kernels {

struct AttentionBackwardConfig {
  std::string element = "bf16"; // of the tensors: f16, bf16
  int headDim = 128;            // of Q and K: 64, 96, 128, 192, 256
  // As in the forward pass (AttentionConfig):
  bool causal = false, window = false, softcap = false, alibi = false, varlen = false;
  /// Tiles in flight: of queries, in the kernel of dK and dV; where warps multiply, of keys in that
  /// of dQ, too.
  int stages = 3;
  atom::Target target = *atom::Target::parse("sm_90a");

  /// Of V and O: as many, but 128 with a headDim of 192.
  int valueDims() const { return headDim == 192 ? 128 : headDim; }
  /// Whether one kernel computes dV and another one dK.
  bool isWide() const { return headDim > 128; }
  /// Whether products are those of warps (mma.sync): the kernels of sm80/, not those of sm90/.
  bool multipliesByWarps() const;
  /// The stages of a target: 3 on Hopper, of wide heads 2, as elsewhere, or 1 on Turing, and for
  /// wide heads where two would not fit.
  int stagesThere() const;

  /// "d128_s2_bf16_causal".
  std::string name() const;
};

/// The reason why there is no such kernel, or nothing.
std::optional<Reason> refused(const AttentionBackwardConfig &);

/// Writes `@attention_backward(Q, K, V, O, dO, lse, dQ, dK, dV, workspace, scale: f32, stream)`
/// into the thread's dsl::Context, for a configuration that is not refused. The tensors have the
/// modes (batch, sequence, head, dimension), contiguous in the last; lse is f32 of (batch, head,
/// query), as the forward pass writes it; the workspace is f32 of (batch, head of Q, 2, queries
/// rounded up to 64), contiguous in the last, and may hold anything. K, V, dK and dV may have a
/// divisor of Q's heads. The scale is positive. After it come, where the configuration has them,
/// `window: i32`, `cap: f32` and `slopes`, f32 of (heads of Q), as the forward pass had them.
///
/// Of sequences of their own lengths no tensor has a batch: rows of all are one after the other.
/// The last arguments then are `startsQ` and `startsK`, i32 of (sequences + 1), and `longestQ: i32`
/// and `longestK: i32`, at least the queries and the keys of any of them. All numbers are finite,
/// as those of the next sequence may be multiplied by 0.
void buildAttentionBackward(const AttentionBackwardConfig &);

} // namespace tessera::kernels
