// Types, attributes and interfaces of the `cute` dialect, in C++.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/AddressSpace.h"
#include "tessera/base/Result.h"
#include "tessera/cute/Hash.h"
#include "tessera/layout/Algebra.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpDefinition.h"

namespace tessera::cute {
using atom::AddressSpace;
}

#include "tessera/cute/Dialect.h.inc"
#include "tessera/cute/Enums.h.inc"
#include "tessera/cute/TypeInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tessera/cute/Attrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tessera/cute/Types.h.inc"

namespace tessera::cute {

/// Reads `<"text">` and parses the text; on error emits a diagnostic at the text and returns null.
/// `#cute.layout` and `!cute.layout` print alike except for the sigil.
template <class AttrOrType> AttrOrType parseQuoted(mlir::AsmParser &parser);

/// Bits of an element in memory: 32 for tf32, 8 for opaque objects such as tensor maps.
int64_t bitsOf(mlir::Type element);

/// The layouts of a tiled copy or MMA type, ready for partitioning. The atom must have its
/// interface.
layout::TiledCopy tiledCopyOf(TiledCopyType);
layout::TiledMma tiledMmaOf(TiledMmaType);

} // namespace tessera::cute
