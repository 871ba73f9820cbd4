// ClusterPointers: addresses of shared memory, of the block and of its cluster.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shared memory of a block is a window of that of its cluster, so the same 32-bit address names
// a place in both (PTX ISA 5.1.7). LLVM 22 emits two instructions for a cast of address spaces, and
// none for a cast through an integer.
#pragma once

#include "tessera/atom/AddressSpace.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tessera::lower {

/// The 32 bits of a pointer to shared memory.
inline mlir::Value addressOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value shared) {
  return mlir::LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), shared);
}
inline mlir::Value inSpace(mlir::OpBuilder &b, mlir::Location loc, mlir::Value shared,
                           unsigned space) {
  auto type = mlir::LLVM::LLVMPointerType::get(b.getContext(), space);
  if (shared.getType() == type)
    return shared;
  return mlir::LLVM::IntToPtrOp::create(b, loc, type, addressOf(b, loc, shared));
}
inline mlir::Value inCluster(mlir::OpBuilder &b, mlir::Location loc, mlir::Value shared) {
  return inSpace(b, loc, shared, unsigned(atom::AddressSpace::Dsmem));
}
inline mlir::Value inShared(mlir::OpBuilder &b, mlir::Location loc, mlir::Value shared) {
  return inSpace(b, loc, shared, unsigned(atom::AddressSpace::Smem));
}

} // namespace tessera::lower
