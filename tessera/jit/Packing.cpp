// Sizes and places of values, as LLVM has them on x86-64.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/jit/Packing.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;

namespace tessera::jit {

namespace {

constexpr size_t pointerBytes = 8;

/// In bytes. An empty struct has size 0 and alignment 1, as in LLVM, other than in C.
struct Extent {
  size_t size = 0, alignment = 1;
};

Extent extentOf(Type type);

Extent structExtent(LLVM::LLVMStructType type) {
  Extent whole;
  for (Type field : type.getBody()) {
    Extent e = extentOf(field);
    whole.size = llvm::alignTo(whole.size, e.alignment) + e.size;
    whole.alignment = std::max(whole.alignment, e.alignment);
  }
  whole.size = llvm::alignTo(whole.size, whole.alignment);
  return whole;
}

Extent extentOf(Type type) {
  if (auto fields = dyn_cast<LLVM::LLVMStructType>(type))
    return structExtent(fields);
  size_t bytes = isa<LLVM::LLVMPointerType>(type)
                     ? pointerBytes
                     : llvm::PowerOf2Ceil(llvm::divideCeil(type.getIntOrFloatBitWidth(), 8));
  return {bytes, bytes};
}

struct Packer {
  std::vector<std::byte> &out;
  ArrayRef<uint64_t> leaves;

  void put(Type type, size_t at) {
    auto fields = dyn_cast<LLVM::LLVMStructType>(type);
    if (!fields)
      return putLeaf(type, at);
    for (Type field : fields.getBody()) {
      Extent e = extentOf(field);
      at = llvm::alignTo(at, e.alignment);
      put(field, at);
      at += e.size;
    }
  }

  void putLeaf(Type type, size_t at) {
    unsigned bits = isa<LLVM::LLVMPointerType>(type) ? 64 : type.getIntOrFloatBitWidth();
    uint64_t value = leaves.front() & llvm::maskTrailingOnes<uint64_t>(bits);
    leaves = leaves.drop_front();
    std::memcpy(out.data() + at, &value, extentOf(type).size); // little-endian, as the target
  }
};

} // namespace

std::optional<size_t> leafCount(Type lowered) {
  auto fields = dyn_cast<LLVM::LLVMStructType>(lowered);
  if (!fields) {
    bool known = isa<LLVM::LLVMPointerType>(lowered) ||
                 (lowered.isIntOrFloat() && lowered.getIntOrFloatBitWidth() <= 64 &&
                  LLVM::isCompatibleType(lowered));
    return known ? std::optional<size_t>(1) : std::nullopt;
  }
  size_t count = 0;
  for (Type field : fields.getBody()) {
    std::optional<size_t> leaves = leafCount(field);
    if (!leaves)
      return std::nullopt;
    count += *leaves;
  }
  return count;
}

std::vector<std::byte> pack(Type lowered, ArrayRef<uint64_t> leaves) {
  std::vector<std::byte> out(extentOf(lowered).size);
  Packer{out, leaves}.put(lowered, 0);
  return out;
}

} // namespace tessera::jit
