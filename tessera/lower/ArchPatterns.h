// ArchPatterns: the patterns of ConvertCuteNvgpuToNVVM, by what they lower.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Transforms/DialectConversion.h"

namespace tessera::lower {

/// Warp group MMAs and their descriptors.
void addGroupMmaPatterns(mlir::RewritePatternSet &, const mlir::TypeConverter &);
/// Bulk copies, and what goes to other CTAs of the cluster.
void addBulkPatterns(mlir::RewritePatternSet &, const mlir::TypeConverter &);
/// TMA copies, and tensor maps in host code.
void addTmaPatterns(mlir::RewritePatternSet &, const mlir::TypeConverter &);

} // namespace tessera::lower
