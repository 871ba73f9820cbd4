// Emit: the domain of `evaluate` whose leaves and iterators are SSA values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluating an algebra op here turns it into `arith` on its dynamic leaves. A leaf whose value is
// a known constant stays a dynamic leaf, so that the algebra takes the same branches as inference
// did; only the arithmetic on it is folded.
#pragma once

#include "tessera/cute/Evaluate.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/ScopedHashTable.h"

#include <optional>

namespace tessera::cute {

/// A pointer as a value and a static distance in elements: the operands of a load or store.
struct Address {
  mlir::Value base;
  int64_t offset = 0;
};

class Emit final : public layout::Arith, public Domain {
  using Key = std::tuple<unsigned, unsigned, unsigned, int64_t>;
  struct KeyInfo {
    static Key getEmptyKey() { return {~0u, 0, 0, 0}; }
    static Key getTombstoneKey() { return {~0u - 1, 0, 0, 0}; }
    static unsigned getHashValue(const Key &key) {
      auto [op, a, b, literal] = key;
      return unsigned(llvm::hash_combine(op, a, b, literal));
    }
    static bool isEqual(const Key &a, const Key &b) { return a == b; }
  };
  using Memo = llvm::ScopedHashTable<Key, uint32_t, KeyInfo>;

public:
  /// Builds at the insertion point of `builder`; constants go to the start of `entry`.
  Emit(mlir::OpBuilder &builder, mlir::Block *entry);

  /// Code of one region: what is computed inside is not reused outside.
  class RegionMemo {
  public:
    explicit RegionMemo(Emit &emit) : scope(emit.memo) {}

  private:
    Memo::ScopeTy scope;
  };

  mlir::Location loc;
  mlir::OpBuilder &builder;
  /// Whether assumptions of the algebra about run-time values, and that results fit their width,
  /// become `cf.assert`.
  bool checks = false;

  //===--- leaves -----------------------------------------------------------------------------===//

  /// The leaf that stands for an integer value (i1, i32, i64 or a constrained integer).
  layout::Int leaf(mlir::Value);
  /// A leaf with a known value that counts as dynamic.
  layout::Int known(int64_t value, layout::Width width = layout::Width::I32);
  /// A constant of an integer type, one for each function.
  mlir::Value constant(int64_t value, mlir::Type type);
  /// The constant value of a leaf, if it is known.
  std::optional<int64_t> constant(layout::Int) const;
  /// The value of a leaf as i1, i32 or i64 by its width, or as `type`, which must not be narrower.
  mlir::Value value(layout::Int, mlir::Type type = {});

  //===--- iterators and other values ---------------------------------------------------------===//

  /// A handle for a pointer, descriptor, atom or other value.
  uint32_t handle(mlir::Value);
  /// The value of an opaque; an atom that is known by its fields is built from them.
  mlir::Value value(const Opaque &);
  /// Field `i` of an atom that is known by its fields: 0 or null if it is not set.
  mlir::Value field(const Opaque &, size_t i);
  /// A pointer or descriptor with all its offsets applied.
  mlir::Value value(const Iterator &);
  /// A pointer with its static offset split off. A swizzle is applied, so the address is the one to
  /// access.
  Address address(const Iterator &);
  /// An address as one pointer.
  mlir::Value moved(const Address &);

  /// Where constants and registers are put.
  mlir::Block *entryBlock() const { return entry; }

  layout::Arith &arith() override { return *this; }
  Result<Iterator> advance(const Iterator &, const layout::Tree &offset) override;

  //===--- whole data -------------------------------------------------------------------------===//

  /// The datum of a value of any type; its dynamic leaves are read with `cute.get_scalars`.
  Datum read(mlir::Value);
  /// Builds a value of `type` from a datum.
  mlir::Value build(const Datum &, mlir::Type type);

  void assume(layout::Pre what, layout::Int a, layout::Int b, layout::Int c) override;
  void assumeSeparate(std::span<const layout::Int> extents,
                      std::span<const layout::Walk> modes) override;

private:
  uint32_t emit(layout::LeafOp, layout::Int, layout::Int, layout::Width) override;
  /// An assertion: "layout algebra: expects <what>".
  void require(mlir::Value condition, const std::string &what);
  void requireFits(layout::LeafOp, mlir::Value x, mlir::Value y, mlir::Value result);

  struct LeafState {
    mlir::Value value; // null while only `number` is needed
    std::optional<int64_t> number;
    layout::Width width = layout::Width::I32;
  };
  /// A value, and for a pointer the offsets that are not applied yet.
  struct HandleState {
    mlir::Value value;
    int64_t offset = 0;
    mlir::Value origin;                      // of a swizzled pointer: the start of its terms
    llvm::SmallVector<layout::Int, 2> terms; // of a swizzled pointer: dynamic offsets from `origin`
    int64_t originOffset = 0;
  };

  uint32_t newLeaf(LeafState);
  std::optional<uint32_t> simplify(layout::LeafOp, layout::Int, layout::Int, layout::Width);
  mlir::Value addOffset(mlir::Value pointer, layout::Int offset);
  layout::Int swizzled(const HandleState &, PtrType);
  mlir::Type typeOfWidth(layout::Width);

  mlir::Block *entry;
  std::vector<LeafState> leaves;
  std::vector<HandleState> handles;
  llvm::DenseMap<mlir::Value, uint32_t> leafOfValue, handleOfValue;
  llvm::DenseMap<std::pair<int64_t, mlir::Type>, mlir::Value> constants;
  Memo memo;
  Memo::ScopeTy outermost{memo};
};

} // namespace tessera::cute
