// Group: the parts of the family of a warpgroup.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/lower/families/Families.h"

namespace tessera::lower {

void addGroupPatterns(mlir::RewritePatternSet &, const mlir::TypeConverter &);

} // namespace tessera::lower
