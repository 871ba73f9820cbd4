// Usage: the GPU resources that a kernel takes, as one line for a person.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Occupancy.h"
#include "tessera/ptx/PtxasLog.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace tessera::cli {

/// What a file's host functions state about a kernel's blocks, if it is constant and the same in
/// all launches.
struct BlockShape {
  std::optional<int64_t> threads, dynamicShared; // shared memory in bytes
};

/// By the kernel's name; for the threads also the kernel's own statement (nvvm.reqntid). For a
/// module as read.
llvm::StringMap<BlockShape> blockShapesOf(mlir::ModuleOp);

/// "kernel: 168 registers, 213,008 bytes of shared memory, 1 block of 384 threads per SM (12 of 64
/// warps, limited by shared memory), no spills". Without threads there is no occupancy; without
/// dynamic shared memory it says that the host function computes it. `arch` is a target such as
/// sm_90a.
std::string usageOf(const ptx::PtxasReport &, const BlockShape &, const std::string &arch);

/// "1 block of 384 threads per SM (12 of 64 warps, limited by shared memory)".
std::string heldText(const atom::Occupancy &, int64_t threadsOfBlock);

} // namespace tessera::cli
