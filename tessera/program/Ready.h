// Ready: ready kernels as programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/program/Program.h"

namespace tessera::program {

// Types are names: "f16", "bf16", "f8E4M3FN". Each function fails for types and shapes that no
// kernel takes, with the kernels' own messages.

/// D = A B^T, of row-major matrices: A is m x k, B n x k and D m x n.
struct GemmForm {
  int64_t m = 0, n = 0, k = 0;
  std::string a, b, d;
  std::string groups = {};  // empty: one product; else as GemmConfig's
  bool blockScales = false; // A and B have factors of blocks, GemmConfig's
  std::string major = {};   // empty: "kk"; else as GemmConfig's
  int groupScales = 0;      // elements of B that share a scale, GemmConfig's
};
/// The kernel in the table for the shape, or else the fastest without a workspace by the model of
/// the device's GPU, with its multiprocessors (of an H200 if there is no GPU). Where warps
/// multiply, on the GPU or the target of the options, it is the kernel of kernels/sm80/Gemm.h.
Result<std::shared_ptr<Program>> gemm(std::shared_ptr<Device>, const GemmForm &,
                                      const LoadOptions &);

/// O = softmax(scale Q K^T) V, as in kernels/attention/Attention.h.
struct AttentionForm {
  std::string element;
  int headDim = 0; // of Q and K
  bool causal = false, window = false, softcap = false, alibi = false, varlen = false;
  int64_t groups = 0; // not 0: few queries, for this many pairs of a batch and a head of K
  bool lengths = false;
  int pageSize = 0;
  bool lse = false;        // writes the logarithms of sums
  std::string result = {}; // of O; empty: as the others, for f8E4M3FN bf16
  bool workspace = false;  // for few queries: takes a workspace if it gains from one
};
/// The workspace of attention for a number of rows of queries of all heads that share one of K: f32
/// numbers, and counters, which are 0 before the first call and after each. None if it takes none.
struct AttentionWorkspace {
  int64_t numbers = 0, counters = 0;
};
/// Refuses a form without a kernel, and groups or rows below 0 or too many for any memory.
Result<AttentionWorkspace> workspaceOf(const AttentionForm &, int64_t rows);
Result<std::shared_ptr<Program>> attention(std::shared_ptr<Device>, const AttentionForm &,
                                           const LoadOptions &);

/// Gradients of attention, as in kernels/sm90/AttentionBackward.h.
struct AttentionBackwardForm {
  std::string element;
  int headDim = 0;
  bool causal = false, window = false, softcap = false, alibi = false, varlen = false;
};
Result<std::shared_ptr<Program>>
attentionBackward(std::shared_ptr<Device>, const AttentionBackwardForm &, const LoadOptions &);

/// A kernel of rows, as in kernels/rows/Rows.h. Empty and zero fields are chosen automatically.
struct RowForm {
  std::string kernel, element, result, activation;
  int64_t columns = 0; // the most of any row
  int64_t segment = 0; // columns that share a scale, for `quantize`
};
Result<std::shared_ptr<Program>> rows(std::shared_ptr<Device>, const RowForm &,
                                      const LoadOptions &);

} // namespace tessera::program
