// Registers, loads, stores, pointers and prints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/expand/Rebuilder.h"

#include "tessera/atom/SmemDescriptor.h"
#include "tessera/cute/Cute.h"
#include "tessera/cute/Narrowed.h"
#include "tessera/cute/ops/Far.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/layout/Index.h"
#include "tessera/lower/Printing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {

namespace {
struct MemoryRules {
  Rebuilder &e;

  LogicalResult refuse(Operation *op, const Reason &reason) {
    return op->emitOpError() << reason.text;
  }

  //===--- registers --------------------------------------------------------------------------===//

  /// Registers live as long as the function: in a loop they must not grow the stack.
  View registers(CuteMemRefType type) {
    OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToStart(e.emit.entryBlock());
    Value memory = MemRefAllocaOp::create(e.b, e.loc(), type, /*layout=*/Value());
    Value pointer = GetIterOp::create(e.b, e.loc(), type.getPtrType(), memory);
    return View{Iterator{type.getPtrType(), e.emit.handle(pointer), {}}, type.getLayout()};
  }
  LogicalResult allocate(MemRefAllocaOp op) {
    e.bind(op, Datum(registers(op.getType())));
    return success();
  }
  LogicalResult makeFragment(MmaMakeFragmentOp op) {
    if (auto view = dyn_cast<SmemDescViewType>(op.getType()))
      return makeDescriptors(op, view);
    auto type = cast<CuteMemRefType>(op.getType());
    e.bind(op, Datum(type.getAddressSpace() == AddressSpace::Tmem ? inTensorMemory(op, type)
                                                                  : registers(type)));
    return success();
  }

  /// Where a partition of tensor memory is, or address 0: a program adds what it allocated.
  View inTensorMemory(MmaMakeFragmentOp op, CuteMemRefType type) {
    Value pointer;
    if (isa<CuteMemRefType>(op.getPartition().getType()))
      pointer = RecastIterOp::create(e.b, e.loc(), type.getPtrType(),
                                     e.emit.value(e.view(op.getPartition()).iterator));
    else
      pointer =
          IntToPtrOp::create(e.b, e.loc(), type.getPtrType(), e.emit.constant(0, e.b.getI32Type()));
    return View{Iterator{type.getPtrType(), e.emit.handle(pointer), {}}, type.getLayout()};
  }

  /// The descriptor of the first matrix; the others are offsets from it.
  LogicalResult makeDescriptors(MmaMakeFragmentOp op, SmemDescViewType type) {
    View partition = e.view(op.getPartition());
    Type atomType = untiled(op.getTiledMma().getType());
    std::optional<MmaInstance> mma = mmaInstanceOf(atomType);
    auto operand = layout::MmaOperand(op.getOperandId());
    std::optional<atom::Major> major = descriptorMajor(atomType, operand);
    if (!major)
      return op.emitOpError() << "expects an atom that takes descriptors, but got " << atomType;
    auto build = [&](auto op) -> Value {
      return decltype(op)::create(
          e.b, e.loc(), cast<SmemDescType>(type.getDesc()), e.emit.value(partition.iterator),
          LayoutAttr::get(e.b.getContext(), keptLayout(*mma, operand, partition.layout.outer())),
          *major);
    };
    Value desc = atom::descriptorOf(*mma->row) == atom::DescriptorKind::Wgmma
                     ? build(MakeGmmaSmemDescOp())
                     : build(MakeUmmaSmemDescOp());
    e.bind(op, Datum(View{Iterator{type.getDesc(), e.emit.handle(desc), {}}, type.getLayout()}));
    return success();
  }

  /// Likewise of a copy to tensor memory.
  LogicalResult makeCopyDescriptors(GetCopyS2TSmemDescViewOp op) {
    auto type = cast<SmemDescViewType>(op.getType());
    View partition = e.view(op.getPartition());
    Value desc = MakeUmmaSmemDescOp::create(
        e.b, e.loc(), cast<SmemDescType>(type.getDesc()), e.emit.value(partition.iterator),
        LayoutAttr::get(e.b.getContext(), *op.getMatrix()), atom::Major::K);
    e.bind(op, Datum(View{Iterator{type.getDesc(), e.emit.handle(desc), {}}, type.getLayout()}));
    return success();
  }

  //===--- single elements --------------------------------------------------------------------===//

  Result<Iterator> elementAt(const View &view, const layout::Tree &coord) {
    TESSERA_TRY(layout::Tree index,
                layout::elementIndex(e.emit, coord, view.layout, isFar(view.iterator.type)));
    return e.emit.advance(view.iterator, index);
  }
  /// Elements of less than a byte have a place that no pointer names.
  static bool isInBits(const View &view) {
    return Expander::isInBits(cast<PtrType>(view.iterator.type).getElementType());
  }
  LogicalResult loadElement(MemRefLoadOp op) {
    if (View view = e.view(op.getView()); isInBits(view)) {
      Result<layout::Tree> index = layout::elementIndex(e.emit, *e.datum(op.getCoord()).tree(),
                                                        view.layout, isFar(view.iterator.type));
      if (!index)
        return refuse(op, index.reason());
      e.bind(op, e.loadBits(view.iterator, index->leaf().value, op.getType()));
      return success();
    }
    Result<Iterator> at = elementAt(e.view(op.getView()), *e.datum(op.getCoord()).tree());
    if (!at)
      return refuse(op, at.reason());
    e.bind(op, e.load(*at, op.getType()));
    return success();
  }
  LogicalResult storeElement(MemRefStoreOp op) {
    if (View view = e.view(op.getView()); isInBits(view)) {
      Result<layout::Tree> index = layout::elementIndex(e.emit, *e.datum(op.getCoord()).tree(),
                                                        view.layout, isFar(view.iterator.type));
      if (!index)
        return refuse(op, index.reason());
      e.storeBits(view.iterator, index->leaf().value, e.value(op.getValue()));
      return success();
    }
    Result<Iterator> at = elementAt(e.view(op.getView()), *e.datum(op.getCoord()).tree());
    if (!at)
      return refuse(op, at.reason());
    e.store(*at, e.value(op.getValue()));
    return success();
  }

  static bool isInBits(Value pointer, Type value) {
    return value == cast<PtrType>(pointer.getType()).getElementType() && Expander::isInBits(value);
  }

  //===--- pointers ---------------------------------------------------------------------------===//

  Iterator iterator(Value old) {
    Datum d = e.datum(old);
    return *d.as<Iterator>();
  }
  LogicalResult bindPointer(Operation *op, Value pointer) {
    e.bind(op->getResult(0), Datum(Iterator{pointer.getType(), e.emit.handle(pointer), {}}));
    return success();
  }
  LogicalResult recast(RecastIterOp op) {
    Value pointer = e.emit.value(iterator(op.getIter()));
    return bindPointer(op, RecastIterOp::create(e.b, e.loc(), op.getType(), pointer));
  }
  LogicalResult fromInt(IntToPtrOp op) {
    Value address = e.emit.value(*e.datum(op.getAddress()).as<layout::Int>());
    return bindPointer(op, IntToPtrOp::create(e.b, e.loc(), op.getType(), address));
  }
  LogicalResult toInt(PtrToIntOp op) {
    Value pointer = e.emit.value(iterator(op.getIter()));
    e.bind(op, Value(PtrToIntOp::create(e.b, e.loc(), op.getType(), pointer)));
    return success();
  }
  LogicalResult assume(AssumeOp op) {
    e.bind(op, e.conformed(e.datum(op.getValue()), op.getType()));
    return success();
  }
  LogicalResult loadPointer(PtrLoadOp op) {
    if (isInBits(op.getPtr(), op.getType())) {
      e.bind(op, e.loadBits(iterator(op.getPtr()), int64_t(op.getOffset()), op.getType()));
      return success();
    }
    e.bind(op, e.load(e.advanced(iterator(op.getPtr()), op.getOffset()), op.getType(),
                      op.getAlignment().value_or(0)));
    return success();
  }
  LogicalResult storePointer(PtrStoreOp op) {
    if (isInBits(op.getPtr(), op.getValue().getType()) &&
        !op.getValue().getType().isInteger(1)) { // which takes a byte
      e.storeBits(iterator(op.getPtr()), int64_t(op.getOffset()), e.value(op.getValue()));
      return success();
    }
    e.store(e.advanced(iterator(op.getPtr()), op.getOffset()), e.value(op.getValue()),
            op.getAlignment().value_or(0));
    return success();
  }

  //===--- values and prints ------------------------------------------------------------------===//

  LogicalResult statically(Operation *op) {
    e.bind(op->getResult(0), datumOf(op->getResult(0).getType()));
    return success();
  }
  /// An index that fills a leaf.
  LogicalResult narrow(arith::IndexCastOp op) {
    bool isMade = bool(op->removeDiscardableAttr(narrowedAttrName));
    if (failed(e.clone(op)))
      return failure();
    Value narrow = e.value(op.getOut());
    if (isMade && e.emit.checks && !matchPattern(narrow, m_Constant()))
      assertSame(e.b, e.loc(), e.value(op.getIn()), narrow);
    return success();
  }
  LogicalResult print(PrintOp op) {
    Data operands;
    for (Value v : op.getValues()) {
      auto integer = dyn_cast<IntegerType>(v.getType());
      if (integer && integer.getWidth() > 64)
        return op.emitOpError() << "expects integers of up to 64 bits, but got " << integer;
      operands.push_back(e.datum(v));
    }
    auto load = [&](const Iterator &at) {
      return e.load(at, cast<PtrType>(at.type).getElementType());
    };
    Printf printed = formatPrint(e.emit, op.getFmtAttr(), operands, load);
    PrintfOp::create(e.b, e.loc(), printed.values, printed.format);
    return success();
  }
};

template <class Op, LogicalResult (MemoryRules::*rule)(Op)>
LogicalResult apply(Rebuilder &e, Operation *op) {
  if constexpr (std::is_same_v<Op, Operation *>)
    return (MemoryRules{e}.*rule)(op);
  else
    return (MemoryRules{e}.*rule)(cast<Op>(op));
}
constexpr Rebuilder::NamedRule rules[] = {
    {"cute.memref.alloca", apply<MemRefAllocaOp, &MemoryRules::allocate>},
    {"cute.mma.make_fragment", apply<MmaMakeFragmentOp, &MemoryRules::makeFragment>},
    {"cute_nvgpu.atom.get_copy_s2t_smem_desc_view",
     apply<GetCopyS2TSmemDescViewOp, &MemoryRules::makeCopyDescriptors>},
    {"cute.memref.load", apply<MemRefLoadOp, &MemoryRules::loadElement>},
    {"cute.memref.store", apply<MemRefStoreOp, &MemoryRules::storeElement>},
    {"cute.recast_iter", apply<RecastIterOp, &MemoryRules::recast>},
    {"cute.inttoptr", apply<IntToPtrOp, &MemoryRules::fromInt>},
    {"cute.ptrtoint", apply<PtrToIntOp, &MemoryRules::toInt>},
    {"cute.assume", apply<AssumeOp, &MemoryRules::assume>},
    {"cute.ptr.load", apply<PtrLoadOp, &MemoryRules::loadPointer>},
    {"cute.ptr.store", apply<PtrStoreOp, &MemoryRules::storePointer>},
    {"cute.static", apply<Operation *, &MemoryRules::statically>},
    {"cute.make_swizzle", apply<Operation *, &MemoryRules::statically>},
    {"cute.print", apply<PrintOp, &MemoryRules::print>},
    {"arith.index_cast", apply<arith::IndexCastOp, &MemoryRules::narrow>},
};
} // namespace

ArrayRef<Rebuilder::NamedRule> memoryRules() { return rules; }

} // namespace tessera::lower
