// BlockMemory: the threads of a tile block and the memory that they share, as code reaches it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_lower/Code.h"
#include "tessera/tile_lower/Elements.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace tessera::tile_lower {

using llvm::ArrayRef;
using llvm::SmallVector;

class BlockMemory : public Code {
public:
  static constexpr int64_t mostShared = 32768; // bytes, without a plan

  BlockMemory(mlir::gpu::GPUModuleOp module, llvm::StringRef arch);

  const llvm::StringRef arch;
  mlir::gpu::GPUModuleOp module;

  //===--- Threads

  int64_t threads = 128;
  Value thread; // the number of this one, i32
  /// Of the threads that run the program.
  void barrier();
  /// Whether the block has other threads too.
  bool hasOthers = false;
  Value specialRegister(llvm::StringRef name);
  /// What a lane whose number differs in these bits has.
  Value shuffled(Value value, int64_t laneMask);

  //===--- Memory

  Value loadAt(Type element, Value address);
  void storeAt(Type element, Value address, Value held);
  /// 2^n neighbours in memory as they are held, in one access of at most 16 bytes.
  SmallVector<Value> loadVector(Type element, Value address, int64_t count);
  void storeVector(Type element, Value address, ArrayRef<Value> held);
  /// Whether pointers may point into shared memory: those of `alloca`, and so all of the kernel.
  bool hasOwnMemory = false;
  /// What an address of the program points to.
  Value globalAddress(Value address);
  /// What a global of the program is called in the module.
  mlir::LLVM::GlobalOp constantArray(llvm::StringRef stem, Type element,
                                     mlir::DenseElementsAttr values, int64_t alignment = 0);

  //===--- Shared memory

  /// Bytes of shared memory that what moves elements has at a time.
  int64_t scratch = mostShared;
  /// Bytes from the begin of shared memory that are in use, before which nothing is moved.
  int64_t sharedTop = 0;
  /// The address of an element in shared memory, whose part for this kernel has at least
  /// `bytes` bytes, and which begins `offset` bytes in it.
  Value shared(Type element, Value index, int64_t bytes, int64_t offset = 0);
  /// An address in shared memory, `offset` (i32) bytes from where it begins.
  Value sharedBytesAt(Value offset);
  /// Takes bytes, aligned to 1024; they are free again when sharedTop is set back.
  int64_t takeShared(int64_t bytes);
  /// Says that so many bytes from sharedTop on are used.
  void useShared(int64_t bytes) { sharedBytes = std::max(sharedBytes, sharedTop + bytes); }
  /// Bytes of shared memory of a block so far.
  int64_t sharedUsed() const { return sharedBytes; }

protected:
  /// Makes what all kernels of the module share as large as the one that needs most.
  void sizeShared();

private:
  int64_t sharedBytes = 0;
};

} // namespace tessera::tile_lower
