// Placing allocations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/SharedMemory.h"

#include "tessera/cuda/Cuda.h"
#include "tessera/cute/Cute.h"
#include "tessera/import/Diagnostics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tessera::import {

namespace {

constexpr StringLiteral allocaName = "cute.memref.alloca", allocName = "cute.memref.alloc_smem",
                        archName = "cute_nvgpu.arch.alloc_smem", sizeName = "cute.kernel_smem_size",
                        dynamicName = "cute_nvgpu.arch.get_dyn_smem";
/// PTX's limit for static .shared memory (ptxas: "uses too much shared data (..., 0xc000 max)").
constexpr int64_t mostStatic = 48 << 10;
/// That of what get_dyn_smem returns in all dumps.
constexpr int64_t dynamicAlignment = 1024;

StringRef nameOf(Operation *op) { return op->getName().getStringRef(); }

/// A property or an attribute, in whichever form the op was written.
Attribute attributeOf(Operation *op, StringRef name) {
  if (Attribute found = op->getDiscardableAttr(name))
    return found;
  auto properties = dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute());
  return properties ? properties.get(name) : Attribute();
}

struct Allocation {
  Operation *op;
  cute::PtrType pointer;
  int64_t bytes, partition, offset = 0;
};

FailureOr<Allocation> allocationOf(Operation *op) {
  Type type = op->getNumResults() == 1 ? op->getResult(0).getType() : Type();
  bool isPointer = nameOf(op) == archName;
  auto memref = dyn_cast_or_null<cute::CuteMemRefType>(type);
  auto pointer = isPointer ? dyn_cast_or_null<cute::PtrType>(type)
                           : (memref ? memref.getPtrType() : cute::PtrType());
  if (!pointer || pointer.getAddressSpace() != cute::AddressSpace::Smem)
    return refuse(op->getLoc(), Diag::SharedType, nameOf(op),
                  isPointer ? "a pointer to smem" : "a tensor in smem",
                  type ? type : Type(NoneType::get(op->getContext())));
  int64_t elements = 0;
  if (isPointer) {
    auto count = dyn_cast_or_null<IntegerAttr>(attributeOf(op, "input"));
    if (!count || count.getValue().getSignificantBits() > 32 || count.getInt() < 0)
      return refuse(op->getLoc(), Diag::PropertyMissing, nameOf(op), "input",
                    "a number of elements");
    elements = count.getInt();
  } else {
    const StringRef expected = "a tensor of a static layout";
    if (!memref.getLayout().isStatic())
      return refuse(op->getLoc(), Diag::SharedType, nameOf(op), expected, type);
    layout::Const arith;
    Result<layout::Int> size = layout::cosize(arith, memref.getLayout());
    if (!size)
      return refuse(op->getLoc(), Diag::SharedType, nameOf(op), expected, type);
    elements = size->value;
  }
  int64_t bits;
  if (llvm::MulOverflow(elements, pointer.getElementBits(), bits))
    return refuse(op->getLoc(), Diag::SharedType, nameOf(op), "less than 2^60 bytes", type);
  auto partition = dyn_cast_or_null<IntegerAttr>(attributeOf(op, "smem.partition_id"));
  return Allocation{op, pointer, (bits + 7) / 8, partition ? partition.getInt() : 1};
}

/// All that one function allocates.
class Array {
public:
  explicit Array(Operation *function) : function(function) {}

  void add(Allocation allocation) { parts.push_back(allocation); }

  LogicalResult place() {
    llvm::stable_sort(
        parts, [](const Allocation &a, const Allocation &b) { return a.partition < b.partition; });
    for (Allocation &part : parts) {
      part.offset = llvm::alignTo(bytes, part.pointer.getAlignment());
      bytes = part.offset + part.bytes;
      alignment = std::max(alignment, part.pointer.getAlignment());
    }
    isStatic = bytes <= mostStatic || !isa<cuda::KernelOp>(function);
    if (!isStatic && takesDynamic())
      return refuse(parts.front().op->getLoc(), Diag::SharedTwice, nameOf(parts.front().op), bytes,
                    mostStatic);
    return success();
  }

  /// For the dynamic memory that a launch has to ask for.
  int64_t dynamicBytes() const { return isStatic ? 0 : bytes; }

  void replace() {
    Value base = isStatic ? staticBase() : dynamicBase();
    for (const Allocation &part : parts) {
      part.op->getResult(0).replaceAllUsesWith(valueOf(part, base));
      part.op->erase();
    }
  }

  bool takesDynamic() const {
    return function
        ->walk([](Operation *op) {
          return nameOf(op) == dynamicName ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

private:
  cute::PtrType bytePointer(int64_t aligned) const {
    MLIRContext *context = function->getContext();
    return cute::PtrType::get(context, IntegerType::get(context, 8), cute::AddressSpace::Smem,
                              aligned, layout::Swizzle());
  }

  OpBuilder atEntry() const { return OpBuilder::atBlockBegin(&function->getRegion(0).front()); }

  Value staticBase() {
    OpBuilder b = atEntry();
    Location loc = parts.front().op->getLoc();
    Operation *table = SymbolTable::getNearestSymbolTable(function->getParentOp());
    std::string name = (SymbolTable::getSymbolName(function).getValue() + "_smem").str();
    LLVM::GlobalOp global;
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(function);
      global = LLVM::GlobalOp::create(b, loc, LLVM::LLVMArrayType::get(b.getI8Type(), bytes),
                                      /*isConstant=*/false, LLVM::Linkage::Internal, name,
                                      Attribute(), uint64_t(alignment), /*addrSpace=*/3);
    }
    SymbolTable(table).insert(global); // renames it where the name is taken
    Value address = LLVM::AddressOfOp::create(b, loc, global);
    return UnrealizedConversionCastOp::create(b, loc, bytePointer(alignment), address).getResult(0);
  }

  Value dynamicBase() {
    OpBuilder b = atEntry();
    function->getContext()->getOrLoadDialect("cute_nvgpu");
    OperationState state(parts.front().op->getLoc(), dynamicName, {},
                         bytePointer(std::max(alignment, dynamicAlignment)));
    return b.create(state)->getResult(0);
  }

  /// The pointer or tensor that an allocation returns.
  static Value valueOf(const Allocation &part, Value base) {
    OpBuilder b(part.op);
    Location loc = part.op->getLoc();
    Value offset = cute::StaticOp::create(
        b, loc, cute::IntTupleType::get(b.getContext(), layout::Tree(layout::Int(part.offset))));
    Value at = cute::AddOffsetOp::create(b, loc, base, offset);
    Value pointer = cute::RecastIterOp::create(b, loc, part.pointer, at);
    auto memref = dyn_cast<cute::CuteMemRefType>(part.op->getResult(0).getType());
    if (!memref)
      return pointer;
    Value layout = cute::StaticOp::create(
        b, loc, cute::typeOf(b.getContext(), cute::Datum(memref.getLayout())));
    return cute::MakeViewOp::create(b, loc, memref, pointer, layout);
  }

  Operation *function;
  SmallVector<Allocation> parts;
  int64_t bytes = 0, alignment = 16;
  bool isStatic = true;
};

/// Whether the value is only compared and printed, as the checks do that CuTe DSL writes in front
/// of a launch: such a check passes with 0.
bool isOnlyChecked(Value size) {
  SmallVector<Value> values{size};
  while (!values.empty())
    for (Operation *user : values.pop_back_val().getUsers()) {
      if (isa<arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp>(user))
        values.push_back(user->getResult(0));
      else if (!isa<arith::CmpIOp, cute::PrintOp>(user))
        return false;
    }
  return true;
}

bool isCounted(Value bytes) {
  SmallVector<Value> from{bytes};
  llvm::DenseSet<Operation *> seen;
  while (!from.empty()) {
    Operation *op = from.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (nameOf(op) == sizeName)
      return true;
    llvm::append_range(from, op->getOperands());
  }
  return false;
}

/// A launch that does not ask how much the kernel takes, which other compilers then add.
void askFor(int64_t bytes, cuda::LaunchExOp launch) {
  auto create = launch.getConfig().getDefiningOp<cuda::LaunchCfgCreateOp>();
  if (!create || isCounted(create.getDynamicSmemBytes()))
    return;
  Value stated = create.getDynamicSmemBytes();
  APInt constant;
  if (matchPattern(stated, m_ConstantInt(&constant)) && constant.getSExtValue() >= bytes)
    return;
  OpBuilder b(create);
  Value least = arith::ConstantIntOp::create(b, create.getLoc(), bytes, 64);
  Value asked = arith::MaxSIOp::create(b, create.getLoc(), stated, least);
  create.getDynamicSmemBytesMutable().assign(asked);
}

} // namespace

bool allocatesShared(Operation *op) {
  if (nameOf(op) != allocaName)
    return nameOf(op) == archName || nameOf(op) == allocName;
  auto memref = op->getNumResults() == 1
                    ? dyn_cast<cute::CuteMemRefType>(op->getResult(0).getType())
                    : cute::CuteMemRefType();
  return memref && memref.getAddressSpace() == cute::AddressSpace::Smem;
}

LogicalResult placeSharedMemory(ModuleOp module, std::map<std::string, unsigned> &counts) {
  llvm::MapVector<Operation *, Array> arrays;
  SmallVector<Operation *> sizes;
  bool good = true;
  module.walk([&](Operation *op) {
    if (nameOf(op) == sizeName)
      sizes.push_back(op);
    if (!allocatesShared(op))
      return;
    ++counts[nameOf(op).str()];
    auto function = op->getParentOfType<FunctionOpInterface>();
    FailureOr<Allocation> allocation = allocationOf(op);
    if (!function)
      refuse(op->getLoc(), Diag::SharedPlace, nameOf(op));
    good &= function && succeeded(allocation);
    if (good)
      arrays.try_emplace(function, function).first->second.add(*allocation);
  });
  for (auto &[function, array] : arrays)
    good &= good && succeeded(array.place());
  if (!good)
    return failure();
  if (!arrays.empty())
    module.getContext()->loadDialect<arith::ArithDialect, LLVM::LLVMDialect>();

  SymbolTableCollection symbols;
  module.walk([&](cuda::LaunchExOp launch) {
    auto found = arrays.find(symbols.lookupNearestSymbolFrom(launch, launch.getCallee()));
    if (found != arrays.end() && found->second.dynamicBytes())
      askFor(found->second.dynamicBytes(), launch);
  });
  for (Operation *size : sizes) {
    Attribute named = attributeOf(size, "kernel_name");
    auto symbol = dyn_cast_or_null<SymbolRefAttr>(named ? named : attributeOf(size, "kernel"));
    if (!symbol || size->getNumOperands() || size->getNumResults() != 1 ||
        !size->getResult(0).getType().isInteger(64))
      return refuse(size->getLoc(), Diag::SizeForm, sizeName);
    ++counts[sizeName.str()];
    Operation *kernel = symbols.lookupNearestSymbolFrom(size, symbol);
    auto found = arrays.find(kernel);
    // Shared memory that a kernel only takes by address is not counted: the launch has to state it.
    if (kernel && Array(kernel).takesDynamic() && !isOnlyChecked(size->getResult(0)))
      return refuse(size->getLoc(), Diag::SmemSize, sizeName, symbol);
    OpBuilder b(size);
    size->replaceAllUsesWith(arith::ConstantIntOp::create(
        b, size->getLoc(), found == arrays.end() ? 0 : found->second.dynamicBytes(), 64));
    size->erase();
  }
  for (auto &[function, array] : arrays)
    array.replace();
  return success();
}

} // namespace tessera::import
