// CallWidth: how many elements one call of a copy takes whose atom states no width.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CuTe DSL's reference of CopyUniversalOp: without a width "the compiler will do a best effort at
// auto-vectorizing". Nobody can tell such a call from calls for single elements
// (docs/decisions.md).
#pragma once

#include "tessera/layout/Layout.h"

#include "mlir/IR/Types.h"

namespace tessera::lower {

/// Elements that one access takes on either side.
struct WideCall {
  layout::Layout tile; // their coordinates, in the order of their addresses
  bool whole;          // in all modes of a view as one, or in its first mode
};

/// The widest call, of up to 128 bits, of a copy without predicates; nothing if the atom states a
/// width, or one element is all that the two views have together.
std::optional<WideCall> wideCall(mlir::Type atom, mlir::Type src, mlir::Type dst);

} // namespace tessera::lower
