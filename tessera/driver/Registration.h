// Registration: all dialects, interfaces and passes that Tessera's tools work with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace mlir {
class DialectRegistry;
}

namespace tessera::driver {

/// cute, cute_nvgpu and cuda, and the spellings of other versions (tessera/import/Spellings.h).
void registerOwnDialects(mlir::DialectRegistry &);
/// Our own dialects, the upstream ones that kernels use, and what translation to LLVM IR needs.
void registerAllDialects(mlir::DialectRegistry &);
/// Our passes and the upstream ones of the pipeline, by their command-line names.
void registerAllPasses();

} // namespace tessera::driver
