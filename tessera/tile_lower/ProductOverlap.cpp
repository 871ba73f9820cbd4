// Which products of warpgroups are in flight while something else is done.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/ProductOverlap.h"

#include "tessera/tile_lower/Elements.h"
#include "tessera/tile_lower/Facts.h"
#include "tessera/tile_lower/PlanValues.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {

/// Whether every iteration of a loop comes to its end.
bool comesToEnd(ForOp loop) {
  bool isGood = true;
  loop.getBody()->walk([&](ContinueOp end) {
    isGood = isGood && (end->getBlock() == loop.getBody() || !endsIn(end, loop));
  });
  return isGood;
}

/// What a loop carries of a product's result.
Value sumsOf(ForOp loop, Operation *product) {
  auto passed = loop.getBody()->getTerminator()->getOperands();
  return loop
      .getRegionIterValues()[size_t(llvm::find(passed, product->getResult(0)) - passed.begin())];
}

} // namespace

/// Whether hardware reads an operand of a product where loads of the ring, or loads before the
/// loop, left it, so that nothing writes there while the product goes on.
bool ProductOverlap::readsRing(Operation *op, unsigned operand) {
  if (operand == 0 && plan.productOf(op)->row->a.where != atom::Residency::Smem)
    return false;
  const Source *source = plan.sourceOf(op->getOperand(operand));
  return source && (llvm::is_contained(ring.loads, source->staging) ||
                    !loop->isAncestor(source->staging->load));
}

/// The first product of a loop, if it reads what loads of the loop and loads before it leave in
/// shared memory, and adds to zeros.
Operation *ProductOverlap::earlyProduct() {
  auto isProduct = [&](Operation &op) { return plan.productOf(&op); };
  auto found = llvm::find_if(*loop.getBody(), isProduct);
  if (found == loop.getBody()->end() || !comesToEnd(loop))
    return nullptr;
  const Product &product = *plan.productOf(&*found);
  Type element = elementOf(found->getResult(0).getType());
  bool isGood =
      product.isGroup() && !product.isSummedByThreads && isEverywhere(found->getOperand(2), 0) &&
      (element.isF32() || element.isInteger(32)) && readsRing(&*found, 0) && readsRing(&*found, 1);
  return isGood ? &*found : nullptr;
}

/// The last product of a loop, if the sums that the loop carries are its registers as they are, and
/// every iteration comes to it.
Operation *ProductOverlap::carriedProduct() {
  Operation *found = nullptr;
  for (Operation &op : *loop.getBody()) {
    if (op.getNumRegions() != 0 && !isa<ReduceOp, ScanOp>(op))
      return nullptr; // which may have products, or end the iteration
    if (plan.productOf(&op))
      found = &op;
  }
  const Product *product = plan.productOf(found);
  if (!product || !product->isGroup() || product->isSummedByThreads || !readsRing(found, 1) ||
      (product->row->a.where == atom::Residency::Smem && !readsRing(found, 0)))
    return nullptr;
  Value result = found->getResult(0);
  Operation *end = loop.getBody()->getTerminator();
  Type element = elementOf(result.getType());
  if (!result.hasOneUse() || *result.user_begin() != end ||
      !(element.isF32() || element.isInteger(32)))
    return nullptr;
  const BitLayout *held = plan.layoutOf(sumsOf(loop, found));
  return held && *held == product->result ? found : nullptr;
}

void ProductOverlap::choose(int64_t left, bool isShared) {
  constexpr int64_t bytesOfRegister = 4;
  ring.early = earlyProduct();
  ring.carried = carriedProduct();
  if (ring.early == ring.carried)
    ring.early = nullptr;
  if (ring.carried) {
    Value sums = sumsOf(loop, ring.carried);
    ring.sumsUse = nullptr;
    for (Operation &op : llvm::reverse(*loop.getBody()))
      if (llvm::is_contained(op.getOperands(), sums))
        ring.sumsUse = &op;
    const Product &product = *plan.productOf(ring.carried);
    Type lhs = elementOf(ring.carried->getOperand(0).getType());
    bool isInMemory = product.row->a.where == atom::Residency::Smem;
    int64_t held =
        isInMemory ? 0 : product.lhs.registerCount() * memoryBytes(lhs) / bytesOfRegister;
    // Where something is done with the sums between products, another block's products go on
    // meanwhile, if there is one (docs/tile.md has what was measured).
    bool isOnlySum = ring.sumsUse == ring.carried && isInMemory;
    if (!ring.sumsUse || held > std::max<int64_t>(left, 0) || (!isOnlySum && isShared) ||
        (ring.sumsUse != ring.carried && !ring.sumsUse->isBeforeInBlock(ring.carried)))
      ring.carried = nullptr;
    else
      left -= held;
  }
  // Just before the carried product, the registers of this iteration's result are free.
  if (ring.early && !ring.carried && plan.productOf(ring.early)->result.registerCount() > left)
    ring.early = nullptr;
}

bool ProductOverlap::separate() {
  if (!ring.early || !ring.carried)
    return false;
  auto reads = [&](Operation &op, const Staging *staging) {
    return plan.productOf(&op) &&
           llvm::any_of(ValueRange(op.getOperands()).take_front(2), [&](Value v) {
             const Source *source = plan.sourceOf(v);
             return source && source->staging == staging;
           });
  };
  for (const Staging *staging : ring.loads) {
    auto other = llvm::find_if(
        *loop.getBody(), [&](Operation &op) { return &op != ring.early && reads(op, staging); });
    if (other == loop.getBody()->end())
      ring.earlyLoads.push_back(staging);
    else if (reads(*ring.early, staging))
      return false;
    else if (!ring.othersUse || other->isBeforeInBlock(ring.othersUse))
      ring.othersUse = &*other;
  }
  return !ring.earlyLoads.empty() && ring.othersUse;
}

} // namespace tessera::tile_lower
