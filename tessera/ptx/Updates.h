// Updates: atomic updates of LLVM IR with the order and the scope that they say.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tessera::ptx {

/// The NVPTX backend of LLVM 22 writes `atom` without order and scope for each `atomicrmw` that is
/// one instruction, which is relaxed and of the device. Orders become fences before and after, and
/// updates of the system, which is what LLVM means where no scope is said, instructions that say
/// so.
void stateUpdates(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace tessera::ptx
