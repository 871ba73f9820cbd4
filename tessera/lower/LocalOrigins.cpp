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

bool LocalOrigins::inside(Operation *op) const {
  return llvm::any_of(seen, [&](Value value) {
    return makesLocal(value.getDefiningOp()) && op->isProperAncestor(value.getDefiningOp());
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
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    if (OpOperand *init = loop.getTiedLoopInit(argument)) {
      add(init->get());
      add(loop.getTiedLoopYieldedValue(argument)->get());
    }
  } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    // The body of a while loop has what its condition gives it.
    if (block == loop.getAfterBody())
      return add(loop.getConditionOp().getArgs()[number]);
    add(loop.getInits()[number]);
    add(loop.getYieldOp().getOperand(number));
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
