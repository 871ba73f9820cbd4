// The passes of expansion, each a step on every function, and CuteFoldStatic.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Cute.h"
#include "tessera/lower/AtomLoops.h"
#include "tessera/lower/Functions.h"
#include "tessera/lower/Passes.h"
#include "tessera/lower/expand/Steps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;

namespace tessera::lower {
#define GEN_PASS_DEF_CUTEUNROLLLOOPS
#define GEN_PASS_DEF_CUTEMAKETENSORMAPS
#define GEN_PASS_DEF_CUTEEXPANDALGEBRA
#define GEN_PASS_DEF_CUTEEXPANDVECTORS
#define GEN_PASS_DEF_CUTEEXPANDATOMCALLS
#define GEN_PASS_DEF_CUTEEXPANDOPS
#define GEN_PASS_DEF_CUTEFOLDSTATIC
#include "tessera/lower/Passes.h.inc"

/// From the last op to the first, and inner regions before the ops around them, so that one sweep
/// is enough.
bool eraseDeadOps(Region &region) {
  bool erased = false;
  SmallVector<Operation *> work;
  region.walk<WalkOrder::PreOrder>([&](Operation *op) { work.push_back(op); });
  for (size_t i = work.size(); i-- > 0;) {
    Operation *op = work[i];
    if (op->use_empty() && !op->hasTrait<OpTrait::IsTerminator>() && isOpTriviallyDead(op)) {
      op->erase();
      erased = true;
    }
  }
  return erased;
}

namespace {

/// Runs steps on every function of `root`, and counts the ops that each expanded if that is asked
/// for. Returns whether any changed something, as the verifier need not run again if none did.
Changed run(Pass &pass, Operation *root, ArrayRef<Step> steps, bool checks, bool statistics) {
  if (failed(expectDesugared(root, pass.getArgument())))
    return failure();
  OpCounts counts;
  bool changed = false;
  for (FunctionOpInterface function : functionsOf(root))
    for (Step step : steps) {
      Changed done = step(function, checks, counts);
      if (failed(done))
        return failure();
      changed |= *done;
    }
  for (auto [name, count] : counts)
    if (statistics)
      llvm::errs() << pass.getArgument() << ": " << count << " " << name << "\n";
  return changed;
}

/// A pass of one step.
#define STEP(PASS, STEP_FUNCTION, CHECKS)                                                          \
  struct PASS##Pass : impl::PASS##Base<PASS##Pass> {                                               \
    using PASS##Base::PASS##Base;                                                                  \
    bool canScheduleOn(RegisteredOperationName name) const override {                              \
      return isModuleOrFunction(name);                                                             \
    }                                                                                              \
    void runOnOperation() override {                                                               \
      Changed done = run(*this, getOperation(), {STEP_FUNCTION}, CHECKS, statistics);              \
      if (failed(done))                                                                            \
        signalPassFailure();                                                                       \
      else if (!*done)                                                                             \
        markAllAnalysesPreserved();                                                                \
    }                                                                                              \
  }
STEP(CuteUnrollLoops, unrollLoops, false);
STEP(CuteMakeTensorMaps, makeTensorMaps, checkLayoutAssumptions);
STEP(CuteExpandAlgebra, expandAlgebra, checkLayoutAssumptions);
STEP(CuteExpandVectors, expandVectors, checkLayoutAssumptions);
STEP(CuteExpandAtomCalls, expandAtomCalls, checkLayoutAssumptions);
#undef STEP

struct CuteExpandOpsPass : impl::CuteExpandOpsBase<CuteExpandOpsPass> {
  using CuteExpandOpsBase::CuteExpandOpsBase;

  bool canScheduleOn(RegisteredOperationName name) const override {
    return isModuleOrFunction(name);
  }
  void runOnOperation() override {
    static constexpr Step steps[] = {unrollLoops, makeTensorMaps, expandAlgebra, expandVectors,
                                     expandAtomCalls};
    if (failed(run(*this, getOperation(), steps, checkLayoutAssumptions, statistics)))
      signalPassFailure();
  }
};

bool isStatic(Type type) {
  auto maybe = dyn_cast<MaybeStaticType>(type);
  return maybe && maybe.isStatic();
}

struct CuteFoldStaticPass : impl::CuteFoldStaticBase<CuteFoldStaticPass> {
  bool canScheduleOn(RegisteredOperationName name) const override {
    return isModuleOrFunction(name);
  }
  void runOnOperation() override {
    if (failed(refine()))
      return signalPassFailure();
    IRRewriter b(&getContext());
    SmallVector<AlgebraOpInterface> ops;
    getOperation()->walk([&](AlgebraOpInterface op) { ops.push_back(op); });
    for (AlgebraOpInterface op : ops) {
      if (!isPure(op) || !llvm::all_of(op->getResultTypes(), isStatic))
        continue;
      b.setInsertionPoint(op);
      SmallVector<Value> statics;
      for (Type type : op->getResultTypes())
        statics.push_back(StaticOp::create(b, op.getLoc(), type));
      b.replaceOp(op, statics);
    }
    for (Region &region : getOperation()->getRegions())
      eraseDeadOps(region);
  }

  /// Where constants make a value static that its type leaves open, a static value stands beside
  /// it, and takes its place in algebra and prints; what states the type (a function's result, a
  /// loop) keeps the old one.
  LogicalResult refine() {
    OpBuilder b(&getContext());
    DenseMap<Value, Value> refined;
    SmallVector<Operation *> ops;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      auto algebra = dyn_cast<AlgebraOpInterface>(op);
      bool named = false;
      Data in;
      for (OpOperand &operand : op->getOpOperands()) {
        Value better = refined.lookup(operand.get());
        if (better && isa<PrintOp>(op))
          operand.set(better);
        named |= bool(better) || (algebra && operand.get().getType().isIntOrIndex() &&
                                  matchPattern(operand.get(), m_Constant()));
        if (algebra)
          in.push_back(datumOf(better ? better : operand.get()));
      }
      if (!algebra || !named || !isPure(op))
        continue;
      TypeDomain domain;
      Result<Data> out = algebra.evaluateWith(domain, in);
      if (!out)
        return op->emitOpError() << out.reason().text;
      for (const Datum &datum : *out)
        if (const auto *tuple = datum.as<TreeDatum>();
            tuple && tuple->kind == layout::TreeKind::Shape)
          if (Result<layout::Tree> shape = layout::checkedShape(tuple->tree); !shape)
            return op->emitOpError() << shape.reason().text;
      if (domain.arith().overflowed() || out->size() != op->getNumResults())
        continue;
      b.setInsertionPointAfter(op);
      for (auto [datum, result] : llvm::zip(*out, op->getResults()))
        if (Type type = typeOf(&getContext(), datum); type != result.getType() && isStatic(type))
          refined[result] = StaticOp::create(b, op->getLoc(), type);
    }
    return success();
  }
};

} // namespace
} // namespace tessera::lower
