// BlockMemory: the threads of a tile block, their shared memory, and access to memory.
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
  /// A barrier of the threads that run the program.
  void barrier();
  /// Whether the block also has threads that do not run the program.
  bool hasOthers = false;
  Value specialRegister(llvm::StringRef name);
  /// The value in the lane whose number differs in these bits.
  Value shuffled(Value value, int64_t laneMask);

  //===--- Memory

  Value loadAt(Type element, Value address);
  void storeAt(Type element, Value address, Value held);
  /// 2^n adjacent elements in register form, loaded in one access of at most 16 bytes.
  SmallVector<Value> loadVector(Type element, Value address, int64_t count);
  void storeVector(Type element, Value address, ArrayRef<Value> held);
  /// Whether any pointer of the kernel may point into shared memory, because of `alloca`.
  bool hasOwnMemory = false;
  /// The global address of an address of the program.
  Value globalAddress(Value address);
  /// A constant array as a global of the module, with a name that begins with `stem`.
  mlir::LLVM::GlobalOp constantArray(llvm::StringRef stem, Type element,
                                     mlir::DenseElementsAttr values, int64_t alignment = 0);

  //===--- Shared memory

  /// Bytes of shared memory for exchanging elements, at a time.
  int64_t scratch = mostShared;
  /// Bytes in use at the beginning of shared memory. Exchanges come after them.
  int64_t sharedTop = 0;
  /// The address of an element in this kernel's shared memory. The array of `bytes` bytes or more
  /// begins `offset` bytes into it.
  Value shared(Type element, Value index, int64_t bytes, int64_t offset = 0);
  /// The address `offset` (i32) bytes after the beginning of shared memory.
  Value sharedBytesAt(Value offset);
  /// Allocates bytes, aligned to 1024. Setting sharedTop back frees them.
  int64_t takeShared(int64_t bytes);
  /// Records that `bytes` bytes after sharedTop are used.
  void useShared(int64_t bytes) { sharedBytes = std::max(sharedBytes, sharedTop + bytes); }
  /// Bytes of shared memory that a block uses so far.
  int64_t sharedUsed() const { return sharedBytes; }

protected:
  /// Sets the shared array of the module to the size of the kernel that needs most.
  void sizeShared();

private:
  int64_t sharedBytes = 0;
};

} // namespace tessera::tile_lower
