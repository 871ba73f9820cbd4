// Sizes and places of values, as LLVM has them on x86-64.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/jit/Packing.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tessera::jit {

namespace {

constexpr unsigned pointerBits = 64;

/// In bytes. An empty struct has size 0 and alignment 1, as in LLVM and unlike in C.
struct Extent {
  size_t size = 0, alignment = 1;
};

bool isLeaf(Type type) {
  return isa<LLVM::LLVMPointerType>(type) ||
         (type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 64 &&
          LLVM::isCompatibleType(type));
}

/// Adds the leaves of a type that begins at 0.
std::optional<Extent> place(Type type, std::vector<run::Packing::Leaf> &leaves) {
  auto fields = dyn_cast<LLVM::LLVMStructType>(type);
  if (!fields) {
    if (!isLeaf(type))
      return std::nullopt;
    unsigned bits = isa<LLVM::LLVMPointerType>(type) ? pointerBits : type.getIntOrFloatBitWidth();
    size_t bytes = llvm::PowerOf2Ceil(llvm::divideCeil(bits, 8));
    leaves.push_back({0, bits});
    return Extent{bytes, bytes};
  }
  Extent whole;
  for (Type field : fields.getBody()) {
    // Its alignment is known once its leaves are: they move to where it begins.
    size_t first = leaves.size();
    std::optional<Extent> e = place(field, leaves);
    if (!e)
      return std::nullopt;
    size_t begin = llvm::alignTo(whole.size, e->alignment);
    for (size_t i = first; i < leaves.size(); ++i)
      leaves[i].offset += begin;
    whole.size = begin + e->size;
    whole.alignment = std::max(whole.alignment, e->alignment);
  }
  whole.size = llvm::alignTo(whole.size, whole.alignment);
  return whole;
}

} // namespace

std::optional<run::Packing> packingOf(Type lowered) {
  run::Packing packing;
  std::optional<Extent> whole = place(lowered, packing.leaves);
  if (!whole)
    return std::nullopt;
  packing.size = whole->size;
  return packing;
}

} // namespace tessera::jit
