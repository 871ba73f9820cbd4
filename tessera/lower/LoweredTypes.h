// LoweredTypes: the types of the LLVM dialect for cute and cuda types, and the leaves in them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only dynamic leaves are stored. A tuple without any is `struct<()>`, with one the integer itself,
// otherwise a struct; a layout is (shape, stride), a composed layout (outer, offset, inner), a
// tensor (iterator, layout). This is the ABI of CuTe DSL. Source: NVIDIA's public cute dialect,
// CuteToBase; dumps of its pipeline.
//
// With layout-abi=packed a value of type `layout` has all leaves, also static ones, with shape and
// stride side by side: (s0, d0, s1, d1, ...). A mode that is a tuple is a struct of its own.
// Source: docs/specification/abi.md#layout-value-to-struct.
#pragma once

#include "tessera/cute/Emit.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"

namespace tessera::lower {

enum class LayoutAbi : uint8_t {
  Dynamic,
  Packed
};

/// The upstream converter with our types added.
class LoweredTypes : public mlir::LLVMTypeConverter {
public:
  explicit LoweredTypes(mlir::MLIRContext *context, bool checks = false,
                        LayoutAbi abi = LayoutAbi::Dynamic);

  /// Whether algebra lowered with these types asserts its assumptions about run-time values.
  const bool checks;
  const LayoutAbi abi;
  /// Whether a value of this type is packed: an affine layout whose strides are numbers.
  bool isPacked(mlir::Type) const;

  /// Whether a lowered type holds anything at run time. Values of other types are not parameters of
  /// a kernel.
  static bool hasContent(mlir::Type lowered);
  /// LLVM's number of our address space.
  static unsigned addressSpace(cute::AddressSpace);

private:
  mlir::Type atom(mlir::Type type);
};

/// The leaves of a lowered value, depth first: integers and pointers.
llvm::SmallVector<mlir::Value> leavesOf(mlir::OpBuilder &, mlir::Location, mlir::Value lowered);
/// The lowered value with these leaves.
mlir::Value fromLeaves(mlir::OpBuilder &, mlir::Location, mlir::Type lowered,
                       mlir::ValueRange leaves);

/// The datum of a lowered value of the cute type `type`; pointers become cute pointers again.
cute::Datum readLowered(cute::Emit &, mlir::Type type, mlir::Value lowered);
/// The lowered value of a datum.
mlir::Value buildLowered(cute::Emit &, const cute::Datum &, mlir::Type type, mlir::Type lowered);
/// The same for a packed layout; a fully static one is a constant.
cute::Datum readPacked(cute::Emit &, mlir::Type type, mlir::Value lowered);
mlir::Value buildPacked(cute::Emit &, const cute::Datum &, mlir::Type type, mlir::Type lowered);

} // namespace tessera::lower
