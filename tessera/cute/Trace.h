// Trace: the domain of `evaluate` in which a leaf is known by its origin.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definition. An id stands for an origin: leaf i of an SSA value, a number, or an operation on
// other ids. Equal ids mean equal values, but not vice versa. Id 1, `Symbolic::anonymous`, stands
// for a leaf or pointer of unknown origin. It equals nothing, and results computed with it are
// unknown too.
//
// Example. With n, leaf 0 of %shape, and 1 in the type of %y:
//
//   %x = cute.tuple_mul(%shape, %y)   n * 1, which is n: so %x is %shape
//   %z = cute.tuple_add(%shape, %y)   {OfOp, Add, n, 1}: the same id wherever n + 1 is computed
//
// Fold.cpp and Canonicalize.cpp use it.
#pragma once

#include "tessera/cute/Cute.h"

#include "llvm/ADT/MapVector.h"

#include <map>

namespace tessera::cute {

/// Leaves and pointers known by their origin: equal ids mean equal values, but not vice versa.
class Trace final : public layout::Arith, public Domain {
public:
  layout::Arith &arith() override { return *this; }
  Result<Iterator> advance(const Iterator &from, const layout::Tree &offset) override;
  void assume(layout::Pre, layout::Int, layout::Int, layout::Int) override { assumed = true; }
  void assumeSeparate(std::span<const layout::Int>, std::span<const layout::Walk>) override {
    assumed = true;
  }

  /// The results of a pure algebra op. Nothing if there is no answer, or only one under an
  /// assumption: then the op has to stay.
  std::optional<Data> resultsOf(mlir::Operation *op);
  /// The value of type `type` equal to `datum`, among the operands of `op` and the values that they
  /// are made of.
  mlir::Value find(const Datum &datum, mlir::Type type, mlir::Operation *op) const;
  /// An integer that can fill a dynamic leaf; null if there is none.
  mlir::Value scalarFor(layout::Int leaf) const;
  /// The constant value of a leaf, if it is known.
  std::optional<int64_t> number(layout::Int leaf) const;

private:
  /// Limit on how far back a chain of ops is followed.
  static constexpr unsigned maxDepth = 4;
  static constexpr size_t maxValues = 64;

  /// The origin of a leaf or pointer, spelled as numbers: a kind and its parts.
  using Origin = llvm::SmallVector<int64_t, 6>;
  enum Kind : int64_t {
    Unknown,   // the anonymous id only
    OfValue,   // value, which leaf of it
    OfNumber,  // number, width
    OfOp,      // op, width, both operands
    OfPointer, // value
    Advanced   // pointer, static distance, dynamic distances in ascending order
  };

  uint32_t idOf(Origin origin);
  uint32_t known(int64_t number, layout::Width width);
  uint32_t emit(layout::LeafOp op, layout::Int a, layout::Int b, layout::Width width) override;
  std::optional<int64_t> computed(layout::LeafOp op, int64_t x, int64_t y,
                                  layout::Width width) const;
  uint32_t neutral(layout::LeafOp op, layout::Int a, layout::Int b, layout::Width width);
  std::optional<Data> evaluated(mlir::Operation *op);
  Datum datumOfValue(mlir::Value value);
  Datum named(mlir::Value value);

  std::map<Origin, uint32_t> ids;
  std::vector<Origin> origins = {{}, {Unknown}}; // of each id; 0: none, 1: anonymous
  llvm::MapVector<mlir::Value, Datum> seen;
  unsigned depth = 0;
  bool assumed = false;
};

/// The fold of a result: an attribute or an existing value; null if it does not fold.
mlir::OpFoldResult folded(const Trace &trace, const Datum &datum, mlir::OpResult result);

} // namespace tessera::cute
