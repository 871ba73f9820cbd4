// Usage: what a kernel takes of a GPU, as one line for a person.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Occupancy.h"
#include "tessera/ptx/PtxasLog.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace tessera::cli {

/// What the host functions of a file say of a kernel's blocks, where it is constant and the same in
/// all launches.
struct BlockShape {
  std::optional<int64_t> threads, dynamicShared; // shared memory in bytes
};

/// By the kernel's name; of the threads also what the kernel itself says (nvvm.reqntid). Of a
/// module as it was read.
llvm::StringMap<BlockShape> blockShapesOf(mlir::ModuleOp);

/// "kernel: 168 registers, 213,008 bytes of shared memory, 1 block of 384 threads per SM (12 of 64
/// warps, limited by shared memory), no spills". Without threads: no occupancy; without dynamic
/// shared memory: that the host function computes it. `arch` is a target such as sm_90a.
std::string usageOf(const ptx::PtxasReport &, const BlockShape &, const std::string &arch);

/// "1 block of 384 threads per SM (12 of 64 warps, limited by shared memory)".
std::string heldText(const atom::Occupancy &, int64_t threadsOfBlock);

} // namespace tessera::cli
