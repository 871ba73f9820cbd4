// Reading `{...}` after the operands of an op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/OpImplementation.h"

namespace tessera::cute {

/// `attr-dict` of a parser written by hand. Attributes that the op declares are checked, as parsers
/// that ODS writes do: creating an op with a wrong one would leave a property that is none of its
/// type.
inline mlir::ParseResult parseDictionary(mlir::OpAsmParser &parser, mlir::OperationState &state) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(state.attributes))
    return mlir::failure();
  return state.name.verifyInherentAttrs(state.attributes, [&] {
    return parser.emitError(loc) << "'" << state.name.getStringRef() << "' op ";
  });
}

} // namespace tessera::cute
