// LocalOrigins: which op may have made the fragment that a value is a view of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/LocalOrigins.h"

#include "tessera/cuda/Cuda.h"
#include "tessera/cute/Cute.h"
#include "tessera/lower/InlineLocals.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace tessera::cute;

namespace tessera::lower {

bool makesLocal(Operation *op) {
  return isa_and_nonnull<MemRefAllocaOp, MmaMakeFragmentOp, cuda::LaunchCfgCreateOp>(op) &&
         endsWithItsCall(op->getResult(0).getType());
}

SmallVector<Operation *> LocalOrigins::makersIn(Operation *op) const {
  SmallVector<Operation *> makers;
  for (Value value : seen)
    if (Operation *maker = value.getDefiningOp(); makesLocal(maker) && op->isProperAncestor(maker))
      makers.push_back(maker);
  return makers;
}
bool LocalOrigins::inside(Operation *op) const { return !makersIn(op).empty(); }

bool LocalOrigins::meets(const LocalOrigins &other, Operation *op) const {
  return llvm::any_of(seen, [&](Value value) {
    Operation *maker = value.getDefiningOp();
    return other.has(value) && (maker ? makesLocal(maker) && op->isProperAncestor(maker)
                                      : cast<BlockArgument>(value).getOwner()->getParentOp() == op);
  });
}

void LocalOrigins::add(Value value) {
  if (!endsWithItsCall(value.getType()) || !seen.insert(value).second)
    return;
  if (auto argument = dyn_cast<BlockArgument>(value))
    addArgument(argument);
  else
    addResult(cast<OpResult>(value));
}

void LocalOrigins::addArgument(BlockArgument argument) {
  Block *block = argument.getOwner();
  const unsigned number = argument.getArgNumber();
  for (auto at = block->pred_begin(); at != block->pred_end(); ++at)
    if (auto branch = dyn_cast<BranchOpInterface>((*at)->getTerminator()))
      add(branch.getSuccessorOperands(at.getSuccessorIndex())[number]);
  if (!block->isEntryBlock())
    return;
  Operation *parent = block->getParentOp();
  // The body of a while loop has what its condition gives it.
  if (auto around = dyn_cast<scf::WhileOp>(parent); around && block == around.getAfterBody())
    return add(around.getConditionOp().getArgs()[number]);
  if (parent == within)
    return;
  if (auto around = dyn_cast<scf::ForOp>(parent)) {
    if (OpOperand *init = around.getTiedLoopInit(argument)) {
      add(init->get());
      add(around.getTiedLoopYieldedValue(argument)->get());
    }
  } else if (auto around = dyn_cast<scf::WhileOp>(parent)) {
    add(around.getInits()[number]);
    add(around.getYieldOp().getOperand(number));
  }
}

void LocalOrigins::addResult(OpResult value) {
  Operation *op = value.getOwner();
  if (makesLocal(op))
    return;
  const unsigned number = value.getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    add(loop.getInitArgs()[number]);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return add(loop.getConditionOp().getArgs()[number]);
  for (Region &region : op->getRegions())
    for (auto yield : region.getOps<scf::YieldOp>())
      add(yield.getOperand(number));
  if (op->getNumRegions() == 0)
    llvm::for_each(op->getOperands(), [&](Value operand) { add(operand); });
}

VectorType elementsOf(Type type) {
  auto memref = dyn_cast<CuteMemRefType>(type);
  if (!memref || !endsWithItsCall(type) || !memref.getLayout().outer().isStatic() ||
      !VectorType::isValidElementType(memref.getElementType()))
    return {};
  layout::Const arith;
  layout::Int count = layout::product(arith, memref.getLayout().shape());
  return arith.overflowed() ? VectorType()
                            : VectorType::get({count.value}, memref.getElementType());
}

void CopiesAtEnd::write(Operation *terminator) const {
  OpBuilder b(terminator);
  SmallVector<Value> elements;
  for (auto [from, to] : all)
    elements.push_back(
        MemRefLoadVecOp::create(b, terminator->getLoc(), elementsOf(from.getType()), from));
  for (auto [vector, copy] : llvm::zip(elements, all))
    MemRefStoreVecOp::create(b, terminator->getLoc(), vector, copy.second);
}

} // namespace tessera::lower
