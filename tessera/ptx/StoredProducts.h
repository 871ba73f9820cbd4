// StoredProducts: products of a warpgroup whose registers are in memory before and after.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace tessera::ptx {

/// Whether a module has products of a warpgroup (wgmma).
bool hasProducts(const llvm::Module &module);

/// wgmma.mma_async returns before it has written its registers, and a wgmma.fence comes between
/// what else writes to them and the product. Where LLVM keeps a fragment in memory, as of those a
/// loop swaps, it loads the registers right before the product and stores them right after it. Such
/// loads get a fence after them, and such a product ends before the stores: slower, but what the
/// program says.
void endStoredProducts(llvm::Module &module);

} // namespace tessera::ptx
