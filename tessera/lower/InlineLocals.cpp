// InlineLocals: calls of functions that return what is on their own stack, in place.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fragments in registers are allocas that LLVM promotes, launch configurations bytes that the
// runtime reads. As results of a call they would be addresses of a frame that is gone; LLVM takes
// what is read there for anything, and a kernel for empty. In place they are the caller's.
#include "tessera/lower/InlineLocals.h"
#include "tessera/lower/Passes.h"

#include "tessera/cuda/Cuda.h"
#include "tessera/cute/Cute.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tessera::lower {
#define GEN_PASS_DEF_INLINELOCALS
#include "tessera/lower/Passes.h.inc"

bool endsWithItsCall(Type type) {
  if (auto memref = dyn_cast<cute::CuteMemRefType>(type))
    return memref.getAddressSpace() == cute::AddressSpace::Rmem;
  if (auto pointer = dyn_cast<cute::PtrType>(type))
    return pointer.getAddressSpace() == cute::AddressSpace::Rmem;
  return isa<cuda::LaunchCfgType>(type);
}

namespace {
func::FuncOp calleeOf(func::CallOp call) {
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
}

/// Whether `function` calls itself, directly or through others.
bool isRecursive(func::FuncOp function) {
  SmallVector<func::FuncOp> open = {function};
  llvm::SmallPtrSet<Operation *, 8> seen;
  bool found = false;
  while (!open.empty() && !found)
    open.pop_back_val().walk([&](func::CallOp call) {
      func::FuncOp callee = calleeOf(call);
      found |= callee == function;
      if (callee && seen.insert(callee).second)
        open.push_back(callee);
    });
  return found;
}

/// Whether the body means the same in the caller: a return at an error would leave the caller.
bool canMove(func::FuncOp function) {
  return function && !function.isExternal() && !isRecursive(function) &&
         !function.walk([](cuda::ReturnIfErrorOp) { return WalkResult::interrupt(); })
              .wasInterrupted();
}

void relocate(Region &region, Location call) {
  region.walk([&](Operation *op) { op->setLoc(CallSiteLoc::get(op->getLoc(), call)); });
}

/// Puts the body of `callee` in the place of `call`.
void inlineCall(func::CallOp call, func::FuncOp callee) {
  OpBuilder b(call);
  auto body = scf::ExecuteRegionOp::create(b, call.getLoc(), call.getResultTypes());
  IRMapping map;
  callee.getBody().cloneInto(&body.getRegion(), map);
  relocate(body.getRegion(), call.getLoc());
  Block &entry = body.getRegion().front();
  for (auto [argument, operand] : llvm::zip(entry.getArguments(), call.getOperands()))
    argument.replaceAllUsesWith(operand);
  entry.eraseArguments(0, entry.getNumArguments());
  if (body.getRegion().hasOneBlock()) {
    auto end = cast<func::ReturnOp>(entry.getTerminator());
    call.replaceAllUsesWith(end.getOperands());
    end.erase();
    call->getBlock()->getOperations().splice(Block::iterator(call), entry.getOperations());
    body.erase();
  } else {
    for (auto end : llvm::make_early_inc_range(body.getRegion().getOps<func::ReturnOp>())) {
      b.setInsertionPoint(end);
      scf::YieldOp::create(b, end.getLoc(), end.getOperands());
      end.erase();
    }
    call.replaceAllUsesWith(body.getResults());
  }
  call.erase();
}

/// Twenty functions that call each other twice are a million bodies.
constexpr int64_t mostOps = 1 << 20;

struct InlineLocalsPass : impl::InlineLocalsBase<InlineLocalsPass> {
  void runOnOperation() override {
    int64_t moved = 0;
    SmallVector<func::CallOp> open;
    auto note = [&](func::CallOp call) {
      if (llvm::any_of(call.getResultTypes(), endsWithItsCall) && canMove(calleeOf(call)))
        open.push_back(call);
    };
    bool changed = false;
    // A body that is put somewhere may have such calls itself: they are looked for again.
    do {
      open.clear();
      getOperation()->walk(note);
      for (func::CallOp call : open) {
        func::FuncOp callee = calleeOf(call);
        callee.walk([&](Operation *) { ++moved; });
        if (moved > mostOps) {
          call.emitOpError("returns what is on the stack of '@")
              << callee.getName() << "', so that its body is put in place; all such bodies of this "
              << "module have more than " << mostOps << " ops: return fewer fragments in registers";
          return signalPassFailure();
        }
        inlineCall(call, callee);
      }
      changed |= !open.empty();
    } while (!open.empty());
    FailureOr<bool> carried = carryLocals(getOperation());
    if (failed(carried))
      return signalPassFailure();
    if (!changed && !*carried)
      markAllAnalysesPreserved();
  }
};
} // namespace
} // namespace tessera::lower
