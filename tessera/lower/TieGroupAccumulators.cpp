// TieGroupAccumulators: a warpgroup's products and other code take turns at its registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma.mma_async returns before its registers are written, yet to LLVM they are its results, and a
// computation on them has no reason to stay after wgmma.wait_group. So accumulators that are read
// after a wait, and before the next one, first go through an empty instruction that reads and
// writes them: what is computed of its results cannot precede it, and it cannot precede the wait.
// CUTLASS does the same with warpgroup_fence_operand (include/cute/arch/mma_sm90.hpp). Accumulators
// that only the next products read stay alone.
//
// The other turn: wgmma.fence comes between what other code writes to registers and the products
// that read them (PTX ISA, wgmma.fence), yet to LLVM a zero, a conversion or a scaling
// has no reason to stay before the fence. So registers of products that something else writes go
// through such an instruction where the writing ends: before the next fence, or at the end of the
// block. There it is executed as often as the writes are, whatever loop or branch the fence is in.
//
// And the fence stands in the block of the products. It may stand before a branch to them, which is
// right, but then ptxas sees a branch that lanes could take differently, adds fences of its own and
// lets each product finish before the next (C7520, CUDA 13.0). One fence more costs nothing else.
#include "tessera/lower/Functions.h"
#include "tessera/lower/InlinePtx.h"
#include "tessera/lower/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tessera::lower {
#define GEN_PASS_DEF_TIEGROUPACCUMULATORS
#include "tessera/lower/Passes.h.inc"

namespace {

/// A word of memory that becomes registers: an offset from a pointer, which LLVM promotes with all
/// its offsets.
struct Word {
  int64_t offset; // in bytes
  Type type;
  bool operator==(const Word &) const = default;
};
using Registers = llvm::MapVector<Value, SmallVector<Word>>;

/// Where a run of writes ends, and the words of the memory that it writes to.
struct Write {
  Operation *last;
  Value pointer;
  SmallVector<Word> words;
};

/// The pointer that constant offsets start from, and their sum.
std::pair<Value, int64_t> base(Value pointer, const DataLayout &layout) {
  int64_t offset = 0;
  while (auto step = pointer.getDefiningOp<LLVM::GEPOp>()) {
    ArrayRef<int32_t> indices = step.getRawConstantIndices();
    if (indices.size() != 1 || indices[0] == LLVM::GEPOp::kDynamicIndex)
      break;
    offset += indices[0] * int64_t(layout.getTypeSize(step.getElemType()));
    pointer = step.getBase();
  }
  return {pointer, offset};
}

/// The memory that a pointer points into: an alloca, after offsets of all kinds and the struct of
/// a view; as far as it is known.
Value rootOf(Value pointer) {
  for (;;) {
    if (auto step = pointer.getDefiningOp<LLVM::GEPOp>()) {
      pointer = step.getBase();
      continue;
    }
    auto part = pointer.getDefiningOp<LLVM::ExtractValueOp>();
    auto whole = part ? part.getContainer().getDefiningOp<LLVM::InsertValueOp>() : nullptr;
    while (whole && whole.getPosition() != part.getPosition())
      whole = whole.getContainer().getDefiningOp<LLVM::InsertValueOp>();
    if (!whole)
      return pointer;
    pointer = whole.getValue();
  }
}

/// The memory that is read between two waits.
struct Reads {
  llvm::SmallSetVector<Value, 4> roots;
  bool anything = false; // through a pointer of which nothing is known
  bool of(Value pointer) const { return anything || roots.contains(rootOf(pointer)); }
};

struct TieGroupAccumulatorsPass : impl::TieGroupAccumulatorsBase<TieGroupAccumulatorsPass> {
  bool canScheduleOn(RegisteredOperationName name) const override {
    return isModuleOrFunction(name);
  }
  void runOnOperation() override {
    DataLayout layout = DataLayout::closest(getOperation());
    bool any = false;
    getOperation()->walk<WalkOrder::PreOrder>([&](LLVM::LLVMFuncOp function) {
      Registers results = resultsOf(function, layout);
      if (results.empty())
        return WalkResult::skip();
      any = true;
      DominanceInfo dominance(function);
      SmallVector<Write> writes = writesOf(function, operandsOf(function, layout), dominance);
      function.walk([&](NVVM::WgmmaWaitGroupSyncOp wait) {
        Reads reads = readAfter(wait);
        for (auto &[pointer, words] : results)
          if (reads.of(pointer) && dominance.properlyDominates(pointer, wait))
            tie(wait, pointer, words);
      });
      for (auto &[last, pointer, words] : writes)
        tie(last, pointer, words);
      function.walk([&](Block *block) { beginWithFence(block); });
      return WalkResult::skip(); // no functions inside of functions
    });
    if (!any)
      markAllAnalysesPreserved();
  }

  static bool isProduct(Operation *op) { return hasInlineInstruction(op, "wgmma.mma_async"); }

  /// Reads between a wait and the next ones, for purposes other than products. Shared and global
  /// memory have pointers of their own address spaces.
  static Reads readAfter(NVVM::WgmmaWaitGroupSyncOp wait) {
    Reads reads;
    /// Whether the way goes on after the block's end.
    auto passes = [&](Block::iterator from, Block::iterator end) {
      for (Operation &op : llvm::make_range(from, end)) {
        if (isa<NVVM::WgmmaWaitGroupSyncOp>(op))
          return false;
        auto load = dyn_cast<LLVM::LoadOp>(op);
        if (!load || load.getAddr().getType().getAddressSpace() != 0 ||
            llvm::all_of(load->getUsers(), isProduct))
          continue;
        Value root = rootOf(load.getAddr());
        reads.roots.insert(root);
        reads.anything |= !root.getDefiningOp<LLVM::AllocaOp>();
      }
      return true;
    };
    llvm::SmallPtrSet<Block *, 16> seen;
    SmallVector<Block *> next;
    if (passes(std::next(wait->getIterator()), wait->getBlock()->end()))
      llvm::append_range(next, wait->getBlock()->getSuccessors());
    while (!next.empty()) {
      Block *block = next.pop_back_val();
      if (seen.insert(block).second && passes(block->begin(), block->end()))
        llvm::append_range(next, block->getSuccessors());
    }
    return reads;
  }

  static void add(Registers &found, Value address, Type type, const DataLayout &layout) {
    auto [pointer, offset] = base(address, layout);
    SmallVector<Word> &words = found[pointer];
    Word word{offset, type};
    if (!llvm::is_contained(words, word))
      words.push_back(word);
  }
  static Registers sorted(Registers found) {
    for (auto &[pointer, words] : found)
      llvm::stable_sort(words, [](const Word &x, const Word &y) { return x.offset < y.offset; });
    return found;
  }

  /// Where the results of products are kept.
  static Registers resultsOf(LLVM::LLVMFuncOp function, const DataLayout &layout) {
    Registers found;
    function.walk([&](LLVM::InlineAsmOp product) {
      if (!isProduct(product) || product->getNumResults() == 0)
        return;
      for (Operation *part : product.getResult(0).getUsers())
        for (Operation *user : part->getUsers())
          if (auto store = dyn_cast<LLVM::StoreOp>(user))
            add(found, store.getAddr(), store.getValue().getType(), layout);
    });
    return sorted(std::move(found));
  }

  /// Where products take registers from: accumulators, and A where it is in registers.
  static Registers operandsOf(LLVM::LLVMFuncOp function, const DataLayout &layout) {
    Registers found;
    function.walk([&](LLVM::InlineAsmOp product) {
      if (!isProduct(product))
        return;
      for (Value operand : product.getOperands())
        if (auto load = operand.getDefiningOp<LLVM::LoadOp>();
            load && load.getAddr().getType().getAddressSpace() == 0)
          add(found, load.getAddr(), load.getType(), layout);
    });
    return sorted(std::move(found));
  }

  static bool isResultOfProduct(Value value) {
    auto part = value.getDefiningOp<LLVM::ExtractValueOp>();
    Operation *op = part ? part.getContainer().getDefiningOp() : value.getDefiningOp();
    return op && isProduct(op);
  }

  /// The ends of what other code than products writes to `operands`, in each block up to a fence.
  static SmallVector<Write> writesOf(LLVM::LLVMFuncOp function, const Registers &operands,
                                     const DominanceInfo &dominance) {
    SmallVector<Write> found;
    function.walk([&](Block *block) {
      llvm::MapVector<Value, Operation *> last; // of each root
      auto end = [&] {
        for (auto [root, op] : last)
          for (auto &[pointer, words] : operands)
            if (rootOf(pointer) == root && dominance.properlyDominates(pointer, op))
              found.push_back({op, pointer, words});
        last.clear();
      };
      for (Operation &op : *block) {
        if (isa<NVVM::WgmmaFenceAlignedOp>(op))
          end();
        else if (auto store = dyn_cast<LLVM::StoreOp>(op);
                 store && store.getAddr().getType().getAddressSpace() == 0 &&
                 !isResultOfProduct(store.getValue()))
          last[rootOf(store.getAddr())] = &op;
      }
      end();
    });
    return found;
  }

  static void beginWithFence(Block *block) {
    for (Operation &op : *block) {
      if (isa<NVVM::WgmmaFenceAlignedOp>(op))
        return;
      if (isProduct(&op)) {
        OpBuilder b(&op);
        NVVM::WgmmaFenceAlignedOp::create(b, op.getLoc());
        return;
      }
    }
  }

  /// Leads the words of a memory through an empty instruction after `op`.
  static void tie(Operation *op, Value pointer, ArrayRef<Word> words) {
    OpBuilder b(op->getContext());
    b.setInsertionPointAfter(op);
    Location loc = op->getLoc();
    SmallVector<Value> addresses, values;
    SmallVector<Type> types;
    std::string outputs, inputs;
    for (auto [index, word] : llvm::enumerate(words)) {
      addresses.push_back(LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer,
                                              ArrayRef<LLVM::GEPArg>{int32_t(word.offset)}));
      values.push_back(LLVM::LoadOp::create(b, loc, word.type, addresses.back()));
      types.push_back(word.type);
      outputs += (index ? ",=" : "=") + std::string(word.type.isF32() ? "f" : "r");
      inputs += "," + std::to_string(index);
    }
    Type result =
        types.size() == 1 ? types[0] : LLVM::LLVMStructType::getLiteral(b.getContext(), types);
    Value tied = inlinePtx(b, loc, "", outputs + inputs, values, result).getResult(0);
    for (auto [index, address] : llvm::enumerate(addresses)) {
      Value value =
          types.size() == 1 ? tied : LLVM::ExtractValueOp::create(b, loc, tied, int64_t(index));
      LLVM::StoreOp::create(b, loc, value, address);
    }
  }
};

} // namespace
} // namespace tessera::lower
