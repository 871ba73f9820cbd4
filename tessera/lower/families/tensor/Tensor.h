// Tensor: the parts of the family of tensor memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/lower/families/Families.h"

namespace tessera::lower {

void addTensorPatterns(mlir::RewritePatternSet &, const mlir::TypeConverter &);

} // namespace tessera::lower
