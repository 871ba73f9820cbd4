// Expander: rebuilds a function so that cute values leave nothing but arithmetic on their leaves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The expander walks a function once, in order. For each value of the old function it knows what
// stands for it in the new one: a value, the datum of a cute value, or the elements of a vector.
// Ops that it has no rule for are cloned.
#pragma once

#include "tessera/cute/Emit.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace tessera::lower {

class Expander {
public:
  /// Builds the body of `function` anew; `function` keeps its signature.
  /// With `checks` what the algebra assumes becomes assertions.
  static mlir::LogicalResult expand(mlir::FunctionOpInterface function, bool checks);

  //===--- what recipes build with ------------------------------------------------------------===//

  mlir::OpBuilder b;
  cute::Emit emit;
  /// Where the op that is being expanded stands.
  mlir::Location loc() const { return emit.loc; }

  /// The pointer `elements` elements further.
  cute::Iterator advanced(const cute::Iterator &, int64_t elements);
  /// One value of `type` (a scalar or a vector of adjacent elements) at an address. Bytes of
  /// alignment: what the pointer's type promises for it, unless stated.
  mlir::Value load(const cute::Iterator &, mlir::Type type, int64_t alignment = 0);
  void store(const cute::Iterator &, mlir::Value value, int64_t alignment = 0);

  /// The elements of a vector, or the value itself.
  llvm::SmallVector<mlir::Value> elements(mlir::Value);
  /// Scalars as a vector; one scalar stays.
  mlir::Value pack(mlir::ValueRange scalars);
  /// The same bits as another type.
  mlir::Value bitcast(mlir::Value, mlir::Type type);

  /// The value that stands for a value of the old function.
  mlir::Value value(mlir::Value old);
  /// The elements of what stands for an old vector.
  llvm::SmallVector<mlir::Value> elementsOf(mlir::Value old);
  /// The datum of a cute value, integer or other value of the old function.
  cute::Datum datum(mlir::Value old);
  const cute::View view(mlir::Value old) { return *datum(old).as<cute::View>(); }

  /// An atom by its run-time fields: what is only known as a value is taken apart.
  cute::Opaque atom(mlir::Value old);
  /// Field `i` of an atom; null where it is not set.
  mlir::Value field(const cute::Opaque &atom, size_t i);

private:
  explicit Expander(mlir::FunctionOpInterface function, mlir::Block *entry);

  friend struct RegionRules;
  friend struct VectorRules;
  friend struct MemoryRules;
  friend struct AtomRules;

  /// A rule: what an op becomes. Rules are found by op name.
  using Rule = mlir::LogicalResult (*)(Expander &, mlir::Operation *);

  /// The elements of a vector become values of their own, and registers become such values later:
  /// beyond this many no program is meant, and none compiles in reasonable time.
  static constexpr int64_t maxElements = 65536;
  mlir::LogicalResult checkElements(mlir::Operation *);

  mlir::LogicalResult block(mlir::Block &old);
  mlir::LogicalResult blocks(llvm::ArrayRef<mlir::Block *> old);
  mlir::LogicalResult jump(mlir::BranchOpInterface);
  mlir::LogicalResult op(mlir::Operation *);
  mlir::LogicalResult algebra(mlir::Operation *);
  mlir::LogicalResult clone(mlir::Operation *);

  /// Whether values of a type are known by their leaves.
  static bool isCute(mlir::Type);
  /// Records what stands for an old value, in place of what an earlier iteration of an unrolled
  /// loop recorded.
  void bind(mlir::Value old, cute::Datum);
  void bind(mlir::Value old, mlir::Value);
  void bindVector(mlir::Value old, llvm::SmallVector<mlir::Value> elements);

  /// All that stands for an old value.
  struct Known {
    std::optional<cute::Datum> datum;
    std::optional<llvm::SmallVector<mlir::Value>> vector;
    mlir::Value value;
  };
  Known known(mlir::Value old) const;
  void forget(mlir::Value old);
  void bind(mlir::Value old, Known);

  /// The values that carry an old value across a region boundary, and back.
  llvm::SmallVector<mlir::Value> parts(mlir::Value old, mlir::Type type);
  llvm::SmallVector<mlir::Type> partTypes(mlir::Type);
  void bindParts(mlir::Value old, mlir::ValueRange parts);

  llvm::DenseMap<mlir::OperationName, Rule> rules;
  llvm::DenseMap<mlir::Value, cute::Datum> data;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> vectors;
  mlir::IRMapping values;
  llvm::DenseMap<mlir::Value, mlir::Value> sources; // see RegionRules::source
};

} // namespace tessera::lower
