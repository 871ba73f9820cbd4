// Bulk: the parts of the family of bulk copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/lower/families/Families.h"

namespace tessera::lower {

void addBulkPatterns(mlir::RewritePatternSet &, const mlir::TypeConverter &);

} // namespace tessera::lower
