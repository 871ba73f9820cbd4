// IdlePasses: passes of LLVM that look long and find nothing in most kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
class Module;
class PassInstrumentationCallbacks;
} // namespace llvm

namespace tessera::ptx {

/// Whether a function may have stores that LLVM's elimination of dead stores (DSE) can remove or
/// shorten: two that overlap, one of what its address has, or one to memory that ends with the
/// function. Two addresses overlap here if they are made of the same values; DSE asks of every
/// pair, for thousands of instructions, what is known of the bits of their difference. Equal
/// addresses of different values are not seen: earlier passes leave one of two equal values.
bool mayHaveDeadStores(const llvm::Function &);

/// Whether a call of the module goes through a pointer.
bool callsThroughPointers(const llvm::Module &);

/// Has LLVM's pipelines leave out what could not change a module or function. The cheap question
/// comes when the pass would, so it sees what earlier passes made.
void leaveOutIdlePasses(llvm::PassInstrumentationCallbacks &);

} // namespace tessera::ptx
