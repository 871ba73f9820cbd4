// MergeUniform: one broadcast of what a warp has in common.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CuTe DSL asks for the number of a thread's warp wherever a program names it, and tells the
// compiler each time that it is the same in all threads. That becomes a shuffle, which LLVM may not
// merge with another, as it may not move it either; of the arithmetic around it LLVM merges all.
// Here it is known that such a value is nothing but its operand.
//
// Only within a block. Across branches and loops comparisons with the value become one as well, and
// to keep their results costs ptxas more than a shuffle: the grouped GEMM of the corpus has 3 %
// more instructions then. Merging all other ops of CuTe IR changes the order in which values are
// computed, and with it registers and instructions, both ways.
#include "tessera/lower/Functions.h"
#include "tessera/lower/Passes.h"

#include "tessera/cute_nvgpu/CuteNvgpu.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tessera::lower {
#define GEN_PASS_DEF_MERGEUNIFORM
#include "tessera/lower/Passes.h.inc"

namespace {

/// Whether values are computed in the same way from the same ones.
class SameValues {
public:
  bool same(Value a, Value b, unsigned depth = 0) {
    if (a == b)
      return true;
    Operation *one = a.getDefiningOp(), *other = b.getDefiningOp();
    if (!one || !other || depth == mostDepth || one->getName() != other->getName() ||
        one->getNumOperands() != other->getNumOperands() || one->getNumRegions() ||
        !isMemoryEffectFree(one) ||
        cast<OpResult>(a).getResultNumber() != cast<OpResult>(b).getResultNumber())
      return false;
    auto [entry, isNew] = known.try_emplace({a, b}, false);
    if (!isNew)
      return entry->second;
    bool equal = OperationEquivalence::isEquivalentTo(
        one, other, OperationEquivalence::ignoreValueEquivalence, nullptr,
        OperationEquivalence::IgnoreLocations);
    for (unsigned i = 0; equal && i < one->getNumOperands(); ++i)
      equal = same(one->getOperand(i), other->getOperand(i), depth + 1);
    known[{a, b}] = equal;
    return equal;
  }

private:
  static constexpr unsigned mostDepth = 64; // of calls: programs have chains of any length
  DenseMap<std::pair<Value, Value>, bool> known;
};

struct MergeUniformPass : impl::MergeUniformBase<MergeUniformPass> {
  bool canScheduleOn(RegisteredOperationName name) const override {
    return isModuleOrFunction(name);
  }
  void runOnOperation() override {
    bool changed = false;
    for (FunctionOpInterface function : functionsOf(getOperation())) {
      SameValues values;
      DenseMap<Block *, SmallVector<cute_nvgpu::MakeWarpUniformOp>> kept;
      function.walk([&](cute_nvgpu::MakeWarpUniformOp op) {
        for (cute_nvgpu::MakeWarpUniformOp earlier : kept[op->getBlock()])
          if (values.same(earlier.getValue(), op.getValue())) {
            op.getResult().replaceAllUsesWith(earlier.getResult());
            changed = true;
            return;
          }
        kept[op->getBlock()].push_back(op);
      });
    }
    if (!changed)
      markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace tessera::lower
