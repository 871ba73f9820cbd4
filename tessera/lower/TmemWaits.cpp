// TmemWaits: tcgen05.wait and tcgen05.fence where the ISA asks for them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp's loads and stores of tensor memory are asynchronous. Their registers are safe: hardware
// follows them. What others do to the same memory is not:
//   * what was loaded may be overwritten, or its memory freed, after wait::ld only;
//   * what was stored may be read by a product or another warp after wait::st only;
//   * accesses of two warps that meet at a barrier are in order if the first has a
//     fence::before_thread_sync before it, the other a fence::after_thread_sync after it.
// Sources: PTX ISA 9.7.16.6 (the memory model), 9.7.16.6.4.5, 9.7.16.8. Programs of CuTe DSL leave
// most of this out. So the pass adds what is missing before ops that tell others (barriers,
// arrivals, products, dealloc), once on each path; a commit implies its fence.
#include "tessera/lower/Functions.h"
#include "tessera/lower/Passes.h"
#include "tessera/ptx_text/InlineAssembly.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tessera::lower {
#define GEN_PASS_DEF_TMEMWAITS
#include "tessera/lower/Passes.h.inc"

namespace {

/// The effects of an op, as a set of these.
enum Deed : unsigned {
  Loads = 1,
  Stores = 2,
  Uses = 4,      // any other access of tensor memory: products, copies, allocation
  Tells = 8,     // others may go on
  Waits = 16,    // others may have gone on before
  LoadWait = 32, // what the program has itself
  StoreWait = 64,
  FenceBefore = 128,
  FenceAfter = 256
};

/// Inline PTX, by the start of an instruction. One of tensor memory without a row of its own uses
/// it and tells of it.
struct TextRow {
  StringLiteral start;
  unsigned deeds;
};
constexpr TextRow texts[] = {
    {"tcgen05.ld.", Loads},
    {"tcgen05.st.", Stores},
    {"tcgen05.mma", Uses | Tells},
    {"tcgen05.cp.", Uses | Tells},
    {"tcgen05.shift", Uses | Tells},
    {"tcgen05.dealloc", Uses | Tells},
    {"tcgen05.alloc", 0},
    {"tcgen05.relinquish_alloc_permit", 0},
    {"tcgen05.commit", 0}, // implies its fence
    {"tcgen05.wait::ld", LoadWait},
    {"tcgen05.wait::st", StoreWait},
    {"tcgen05.fence::before", FenceBefore},
    {"tcgen05.fence::after", FenceAfter},
    {"tcgen05.", Uses | Tells},
    {"barrier.cluster.arrive", Tells},
    {"barrier.cluster.wait", Waits},
    {"barrier.arrive", Tells},
    {"bar.arrive", Tells},
    {"bar", Tells | Waits}, // bar.sync, barrier.sync, their reductions
    {"mbarrier.arrive", Tells},
    {"mbarrier.test_wait", Waits},
    {"mbarrier.try_wait", Waits},
};
/// NVVM ops, by the start of their names; the same of those without a row.
constexpr TextRow ops[] = {
    {"nvvm.tcgen05.ld", Loads},
    {"nvvm.tcgen05.st", Stores},
    {"nvvm.tcgen05.mma_smem_desc", 0},
    {"nvvm.tcgen05.mma", Uses | Tells},
    {"nvvm.tcgen05.cp", Uses | Tells},
    {"nvvm.tcgen05.shift", Uses | Tells},
    {"nvvm.tcgen05.dealloc", Uses | Tells},
    {"nvvm.tcgen05.alloc", 0},
    {"nvvm.tcgen05.relinquish_alloc_permit", 0},
    {"nvvm.tcgen05.commit", 0},
    {"nvvm.tcgen05.", Uses | Tells},
    {"nvvm.barrier.arrive", Tells},
    {"nvvm.barrier", Tells | Waits},
    {"nvvm.cluster.arrive", Tells},
    {"nvvm.cluster.wait", Waits},
    {"nvvm.mbarrier.arrive", Tells},
    {"nvvm.mbarrier.complete", Tells},
    {"nvvm.mbarrier.test.wait", Waits},
    {"nvvm.mbarrier.try_wait", Waits},
    {"nvvm.bar.warp.sync", 0},
};
unsigned deedsOf(ArrayRef<TextRow> rows, StringRef text) {
  for (const TextRow &row : rows)
    if (text.starts_with(row.start))
      return row.deeds;
  return 0;
}
/// For all instructions of an inline text; one that cannot be read counts as a barrier.
unsigned deedsOfText(StringRef text) {
  Result<std::vector<ptx_text::Instruction>> instructions = ptx_text::parseInlineAssembly(text);
  if (!instructions)
    return Tells | Waits;
  unsigned deeds = 0;
  for (const ptx_text::Instruction &instruction : *instructions)
    deeds |= deedsOf(texts, instruction.text);
  return deeds;
}
unsigned deedsOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, unsigned>(op)
      .Case([](LLVM::InlineAsmOp text) { return deedsOfText(text.getAsmString()); })
      .Case([](NVVM::InlinePtxOp text) { return deedsOfText(text.getPtxCode()); })
      .Case([](NVVM::Tcgen05WaitOp wait) {
        return unsigned(wait.getKind() == NVVM::Tcgen05WaitKind::LOAD ? LoadWait : StoreWait);
      })
      .Case([](NVVM::Tcgen05FenceOp fence) {
        bool before = fence.getKind() == NVVM::Tcgen05FenceKind::BEFORE_THREAD_SYNC;
        return unsigned(before ? FenceBefore : FenceAfter);
      })
      .Default([](Operation *other) { return deedsOf(ops, other->getName().getStringRef()); });
}

/// A wait: what makes it necessary, what it comes before, and what it is. It is for a whole warp,
/// as the accesses are, so it stands in their block: others may be those of one lane.
struct WaitRow {
  unsigned after, before, done;
  NVVM::Tcgen05WaitKind kind;
};
constexpr WaitRow waitRows[] = {
    // A store after a load of the same warp may be to the same place, and the reverse.
    {Loads, Tells | Stores, LoadWait, NVVM::Tcgen05WaitKind::LOAD},
    {Stores, Tells | Loads, StoreWait, NVVM::Tcgen05WaitKind::STORE},
};

/// Which fences are missing at a point of the program, on some path to it.
struct Open {
  bool told = false;   // accesses without a fence before what tells of them
  bool waited = false; // others were waited for, without a fence since
  friend bool operator==(const Open &, const Open &) = default;
};
struct Missing {
  bool before = false, after = false;
};
Missing missingAt(unsigned deeds, const Open &open) {
  return {.before = open.told && (deeds & Tells) && !(deeds & Uses),
          .after = open.waited && (deeds & (Loads | Stores | Uses))};
}
void step(unsigned deeds, Open &open) {
  Missing missing = missingAt(deeds, open);
  open.told &= !missing.before && !(deeds & FenceBefore);
  open.waited &= !missing.after && !(deeds & FenceAfter);
  open.told |= bool(deeds & (Loads | Stores));
  open.waited |= bool(deeds & Waits);
}

struct TmemWaitsPass : impl::TmemWaitsBase<TmemWaitsPass> {
  using TmemWaitsBase::TmemWaitsBase;

  bool canScheduleOn(RegisteredOperationName name) const override {
    return isModuleOrFunction(name);
  }
  void runOnOperation() override {
    bool any = false;
    forEachFunction(getOperation(),
                    [&](FunctionOpInterface function) { any |= complete(function); });
    if (!any)
      markAllAnalysesPreserved();
  }

  /// Whether the function has accesses of tensor memory.
  bool complete(FunctionOpInterface function) {
    deeds.clear();
    bool accesses = false;
    function->walk([&](Operation *op) {
      if (unsigned does = deedsOf(op)) {
        deeds[op] = does;
        accesses |= bool(does & (Loads | Stores | Uses));
      }
    });
    if (!accesses)
      return false;
    Region &body = function.getFunctionBody();
    for (const WaitRow &row : waitRows)
      placeWaits(body, row);
    placeFences(body);
    return true;
  }

private:
  llvm::DenseMap<Operation *, unsigned> deeds;

  void tell(Operation *op, StringRef what) {
    if (remarks)
      op->emitRemark() << "places " << what << " before this, as the program has none";
  }

  /// In a block with accesses, before what must not come first: in it, or on a path from it.
  void placeWaits(Region &body, const WaitRow &row) {
    llvm::DenseMap<Block *, bool> needed; // at the start of a block
    auto neededAfter = [&](Block &block) {
      return llvm::any_of(block.getSuccessors(), [&](Block *next) { return needed.lookup(next); });
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (Block &block : llvm::reverse(body)) {
        std::optional<bool> here;
        for (Operation &op : block) {
          unsigned does = deeds.lookup(&op);
          if (does & (row.before | row.done)) {
            here = !(does & row.done);
            break;
          }
        }
        bool result = here.value_or(neededAfter(block));
        changed |= result != needed.lookup(&block);
        needed[&block] = result;
      }
    }
    for (Block &block : body) {
      bool open = false;
      auto place = [&](Operation *op) {
        OpBuilder b(op);
        NVVM::Tcgen05WaitOp::create(b, op->getLoc(), row.kind);
        ++waits;
        tell(op, row.done == LoadWait ? "tcgen05.wait::ld" : "tcgen05.wait::st");
        open = false;
      };
      for (Operation &op : block) {
        unsigned does = deeds.lookup(&op);
        if (open && (does & row.before))
          place(&op);
        open = (open && !(does & row.done)) || (does & row.after);
      }
      if (open && neededAfter(block))
        place(block.getTerminator());
    }
  }

  void placeFences(Region &body) {
    llvm::DenseMap<Block *, Open> atStart;
    auto run = [&](Block &block, auto visit) {
      Open open = atStart[&block];
      for (Operation &op : block)
        if (auto found = deeds.find(&op); found != deeds.end()) {
          visit(&op, missingAt(found->second, open));
          step(found->second, open);
        }
      return open;
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (Block &block : body) {
        Open end = run(block, [](Operation *, const Missing &) {});
        for (Block *next : block.getSuccessors()) {
          Open joined = atStart[next];
          joined.told |= end.told;
          joined.waited |= end.waited;
          changed |= !(joined == atStart[next]);
          atStart[next] = joined;
        }
      }
    }
    auto place = [&](Operation *op, NVVM::Tcgen05FenceKind kind, StringRef what) {
      OpBuilder b(op);
      NVVM::Tcgen05FenceOp::create(b, op->getLoc(), kind);
      ++fences;
      tell(op, what);
    };
    for (Block &block : body)
      run(block, [&](Operation *op, const Missing &missing) {
        if (missing.before)
          place(op, NVVM::Tcgen05FenceKind::BEFORE_THREAD_SYNC,
                "tcgen05.fence::before_thread_sync");
        if (missing.after)
          place(op, NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC, "tcgen05.fence::after_thread_sync");
      });
  }
};

} // namespace
} // namespace tessera::lower
