// Threads, and memory that they share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/BlockMemory.h"

#include "tessera/atom/AddressSpace.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace tessera::tile_lower {

namespace {
constexpr unsigned globalSpace = unsigned(atom::AddressSpace::Gmem),
                   sharedSpace = unsigned(atom::AddressSpace::Smem);
constexpr StringLiteral sharedName = "tile.shared";
} // namespace

BlockMemory::BlockMemory(gpu::GPUModuleOp module, StringRef arch)
    : Code(module.getContext()), arch(arch), module(module) {}

//===--- Threads and memory

void BlockMemory::barrier() {
  if (!hasOthers) {
    make<NVVM::Barrier0Op>();
    return;
  }
  constexpr int64_t number = 1; // 0 is that of the whole block
  make<NVVM::BarrierOp>(TypeRange(), int32(number), int32(threads), NVVM::BarrierReductionAttr(),
                        Value());
}
Value BlockMemory::specialRegister(StringRef name) {
  OperationState state(loc, ("nvvm.read.ptx.sreg." + name).str());
  state.addTypes(i32);
  return b.create(state)->getResult(0);
}

Value BlockMemory::shared(Type element, Value index, int64_t bytes, int64_t offset) {
  useShared(offset + bytes);
  offset += sharedTop;
  auto global = module.lookupSymbol<LLVM::GlobalOp>(sharedName);
  if (!global) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    // A swizzle repeats after 1024 bytes.
    constexpr unsigned alignment = 1024;
    global = make<LLVM::GlobalOp>(LLVM::LLVMArrayType::get(i8, unsigned(mostShared)),
                                  /*isConstant=*/false, LLVM::Linkage::Internal, sharedName,
                                  Attribute(), alignment, sharedSpace);
  }
  Value base = make<LLVM::AddressOfOp>(global);
  if (offset)
    base = make<LLVM::GEPOp>(base.getType(), i8, base, ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  return make<LLVM::GEPOp>(base.getType(), memoryType(element), base, ValueRange(index));
}

Value BlockMemory::loadAt(Type element, Value address) {
  return fromMemory(*this, element, make<LLVM::LoadOp>(memoryType(element), address));
}
void BlockMemory::storeAt(Type element, Value address, Value held) {
  make<LLVM::StoreOp>(toMemory(*this, element, held), address);
}
Value BlockMemory::globalAddress(Value address) {
  unsigned space = hasOwnMemory ? 0 : globalSpace;
  return make<LLVM::IntToPtrOp>(LLVM::LLVMPointerType::get(b.getContext(), space), address);
}

LLVM::GlobalOp BlockMemory::constantArray(StringRef stem, Type element, DenseElementsAttr values,
                                          int64_t alignment) {
  // As integers of their width in memory: LLVM has no numbers of the narrow formats.
  unsigned bits = unsigned(memoryBytes(element) * 8);
  auto inMemory = [&](APInt code) {
    code = code.zext(std::max(bits, code.getBitWidth())).trunc(bits);
    return isa<FloatTF32Type>(element) ? code << 13 : code;
  };
  SmallVector<APInt> codes;
  if (isa<FloatType>(values.getElementType()))
    for (APFloat number : values.getValues<APFloat>())
      codes.push_back(inMemory(number.bitcastToAPInt()));
  else
    for (APInt number : values.getValues<APInt>())
      codes.push_back(inMemory(number));
  auto type = RankedTensorType::get(int64_t(codes.size()), intOf(bits));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  auto global =
      make<LLVM::GlobalOp>(LLVM::LLVMArrayType::get(intOf(bits), unsigned(codes.size())),
                           /*isConstant=*/false, LLVM::Linkage::Internal, stem,
                           DenseElementsAttr::get(type, codes), uint64_t(alignment), globalSpace);
  return global;
}

Value BlockMemory::shuffled(Value value, int64_t laneMask) {
  Type type = value.getType();
  unsigned bits = bitsOf(type);
  auto exchange = [&](Value word) -> Value {
    constexpr int64_t allLanes = -1, lastLane = 31;
    return make<NVVM::ShflOp>(i32, int32(allLanes), word, int32(laneMask), int32(lastLane),
                              NVVM::ShflKind::bfly, UnitAttr());
  };
  Value whole = bitsOf(value);
  if (bits <= 32)
    return bitcast(resize(exchange(resize(whole, i32, false)), intOf(bits), false), type);
  Value low = exchange(resize(whole, i32, false)),
        high = exchange(resize(shr(whole, 32), i32, false));
  return bitcast(ori(resize(low, i64, false), shl(resize(high, i64, false), 32)), type);
}

//===--- Vectors

SmallVector<Value> BlockMemory::loadVector(Type element, Value address, int64_t count) {
  if (count == 1)
    return {loadAt(element, address)};
  auto type = VectorType::get(count, memoryType(element));
  auto alignment = unsigned(count * memoryBytes(element));
  Value vector = make<LLVM::LoadOp>(type, address, alignment);
  SmallVector<Value> out;
  for (int64_t i = 0; i < count; ++i)
    out.push_back(
        fromMemory(*this, element, make<LLVM::ExtractElementOp>(vector, int32(i)).getResult()));
  return out;
}
void BlockMemory::storeVector(Type element, Value address, ArrayRef<Value> held) {
  if (held.size() == 1)
    return storeAt(element, address, held[0]);
  auto type = VectorType::get(int64_t(held.size()), memoryType(element));
  Value vector = make<LLVM::UndefOp>(type);
  for (auto [i, value] : llvm::enumerate(held))
    vector =
        make<LLVM::InsertElementOp>(vector, toMemory(*this, element, value), int32(int64_t(i)));
  make<LLVM::StoreOp>(vector, address, unsigned(int64_t(held.size()) * memoryBytes(element)));
}

//===--- Shared memory

Value BlockMemory::sharedBytesAt(Value offset) {
  Value base = shared(i8, int32(0), 0, -sharedTop);
  return make<LLVM::GEPOp>(base.getType(), i8, base, ValueRange(offset));
}
int64_t BlockMemory::takeShared(int64_t bytes) {
  constexpr int64_t alignment = 1024;
  sharedTop = (sharedTop + alignment - 1) / alignment * alignment;
  int64_t first = sharedTop;
  sharedTop += bytes;
  useShared(0);
  return first;
}

void BlockMemory::sizeShared() {
  if (auto shared = module.lookupSymbol<LLVM::GlobalOp>(sharedName)) {
    auto known = shared->getAttrOfType<IntegerAttr>("tile.bytes");
    int64_t bytes = std::max(sharedBytes, known ? known.getInt() : 0);
    shared->setAttr("tile.bytes", b.getI64IntegerAttr(bytes));
    shared.setGlobalType(LLVM::LLVMArrayType::get(i8, unsigned(bytes)));
  }
}

} // namespace tessera::tile_lower
