// RowKernel: the operands of a kernel of rows, and what it computes. For the rows only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/rows/Row.h"

#include <span>

namespace tessera::kernels::rows {

/// What each element of an operand belongs to.
enum class Extent : uint8_t {
  Matrix,   // each row and column
  Heads,    // each token, head and twice each column: rows are heads of tokens
  Tokens,   // each token and column, beside Heads
  OfRow,    // each row, or each segment of it
  OfColumn, // each column
  Number    // one, an argument of the call
};
/// The type of an operand's elements.
enum class Holds : uint8_t {
  Element, // RowConfig's
  Result,
  F32,
  I64
};
struct RowOperand {
  std::string_view name;
  Extent extent = Extent::Matrix;
  Holds holds = Holds::Element;
};

struct RowKernel {
  std::string_view name, formula;
  std::span<const RowOperand> operands;
  void (*of)(Row &);     // null: it has a kernel of its own
  bool exchanges = true; // whether the threads of a row exchange numbers
  bool streams = false;  // whether it reads a row piece by piece, of any length
  /// Threads that must fit on a multiprocessor, which limits their registers. Many threads keep
  /// more loads in flight; kernels that hold several matrices are faster with fewer
  /// (docs/benchmarks.md).
  int threads = 1024;
  void (*build)(const RowConfig &) = nullptr; // for kernels of their own
  void (*ofLong)(Row &) = nullptr;            // piece by piece, for rows that a block does not hold
};
/// Null for an unknown name.
const RowKernel *findRowKernel(std::string_view name);

dsl::Element elementOf(const RowConfig &, Holds);

// The formulas.
void rmsNorm(Row &);
void layerNorm(Row &);
void rmsNormBackward(Row &);
void layerNormBackward(Row &);
void softmax(Row &);
void softmaxOfLong(Row &);
void softmaxBackward(Row &);
void crossEntropy(Row &);
void crossEntropyBackward(Row &);
void rope(Row &);
void ropeBackward(Row &);
void activateAndMultiply(Row &);
void quantize(Row &);

// Host functions and kernels that have no formula of a row.
void buildTranspose(const RowConfig &);
void buildNormWeights(const RowConfig &);

} // namespace tessera::kernels::rows
