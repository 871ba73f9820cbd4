// Tma: the parts of the family of TMA.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/lower/families/Families.h"

namespace tessera::lower {

void addTmaPatterns(mlir::RewritePatternSet &, const mlir::TypeConverter &);

} // namespace tessera::lower
