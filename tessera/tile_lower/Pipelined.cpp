// Loads of a loop that run ahead of it, by cp.async, in a ring of buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With s stages the loads of the first s - 1 iterations begin before the loop. Iteration i waits
// until all but the last s - 2 groups of loads have arrived, so that its own are there. The barrier
// after that makes them visible to all threads. It also means that all threads have read the
// buffers of iteration i - 1 and the operands that its products rewrote: the loads of iteration i +
// s - 1 now go to these buffers. Groups without loads keep the count right at the end.
//
// Where a product of a warpgroup is in flight meanwhile, all this is done between its beginning and
// its wait. Iteration i then awaits the loads of iteration i + 1: all but the last s - 3 groups.
// The buffers of iteration i - 1 have been read all the same, as every thread comes to the barrier
// from the end of that iteration.
//
// Where a warp of its own makes the loads (Produced.h), an iteration waits for them, and says at
// its end that they were read. That warp needs about 2,200 cycles before its first load arrives, so
// all threads make those of the first iterations, if they can.
#include "tessera/tile_lower/Planned.h"
#include "tessera/tile_lower/Produced.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

Pipelined::Pipelined(Kernel &k, ForOp loop, const Pipeline &pipeline)
    : k(k), loop(loop), pipeline(pipeline) {}

/// Sets the number of an iteration, and computes what the indices of the loads need of it.
void Pipelined::setNumber(Value number) {
  k.define(loop.getInductionVar(),
           ThreadTile{.element = number.getType(), .count = 1, .registers = {number}});
  for (Operation *op : pipeline.addressing)
    (void)lowerOp(k, op); // scalars and views, none of which is refused
}

/// Begins the loads of an iteration.
void Pipelined::issue(Value number, Value stage, Value condition) {
  setNumber(number);
  int64_t offset = ring;
  for (const Staging *staging : pipeline.loads) {
    copyStaged(k, *staging, k.add(stage, offset), condition);
    offset += staging->bytes;
  }
}

/// Which of the loop's values the carried product makes.
size_t Pipelined::carriedNumber() {
  auto passed = loop.getBody()->getTerminator()->getOperands();
  return size_t(llvm::find(passed, pipeline.carried->getResult(0)) - passed.begin());
}

/// Has the carried product awaited in the next iteration.
void Pipelined::leaveInFlight() {
  k.leftInFlight.insert(pipeline.carried);
  bool isInMemory = k.plan->productOf(pipeline.carried)->row->a.where == atom::Residency::Smem;
  if (pipeline.sumsUse == pipeline.carried && isInMemory)
    k.after[pipeline.carried].push_back([this] {
      k.effect("wgmma.wait_group.sync.aligned 1;");
      k.produced->leaveLoadsBefore();
    });
  else // before registers that the product reads are written again, too
    k.before[pipeline.sumsUse].push_back([this] {
      Value sums = loop.getRegionIterValues()[carriedNumber()];
      ThreadTile tile = k.held(sums);
      awaitProducts(k, tile.registers);
      k.define(sums, tile);
      k.produced->leaveLoadsBefore();
    });
  if (pipeline.early)
    k.before[pipeline.carried].push_back([this] { beginEarly(); });
  if (pipeline.othersUse)
    k.before[pipeline.othersUse].push_back([this] { k.produced->awaitLoads(); });
}

/// Begins the product of the next iteration.
void Pipelined::beginEarly() {
  Value now = k.produced->base();
  stageLoads(k.produced->awaitNextLoads(hasNext));
  early = beginProduct(k, pipeline.early);
  stageLoads(now);
}

/// The number some iterations after the first one, and whether there is that iteration.
std::pair<Value, Value> Pipelined::ahead(int64_t iterations) {
  Value lower = k.scalar(loop.getLowerBound());
  auto wide = [&](Value number) { return k.resize(number, k.i64, !loop.getUnsignedCmp()); };
  Value number = k.add(wide(lower), k.mul(wide(k.scalar(loop.getStep())), iterations));
  Value isIn = k.compare(arith::CmpIPredicate::slt, number, wide(k.scalar(loop.getUpperBound())));
  return {k.resize(number, lower.getType(), false), isIn};
}

/// Makes the loads of the first iterations in place of the separate warp, which begins later.
void Pipelined::beginByThreads() {
  ring = k.produced->ringAt();
  SmallVector<Value> made;
  for (int64_t s = 0; s < k.produced->begunIn(loop); ++s) {
    auto [number, isIn] = ahead(s);
    k.when(isIn, [&] { issue(number, k.int32(s * k.produced->stageBytes())); });
    made.push_back(isIn);
  }
  k.make<NVVM::CpAsyncCommitGroupOp>();
  await(0);
  for (auto [s, isIn] : llvm::enumerate(made))
    k.produced->haveLoaded(int64_t(s), isIn);
}

void Pipelined::start() {
  if (pipeline.isProduced) {
    k.produced->startLoop();
    if (k.produced->begunIn(loop))
      beginByThreads();
    if (pipeline.carried)
      leaveInFlight();
    return;
  }
  topBefore = k.sharedTop;
  ring = k.takeShared(pipeline.bytes * pipeline.stages);
  for (Operation *op : pipeline.remaking)
    k.remaking[op] = k.takeShared(k.plan->productOf(op)->remade->bytes);
  k.barrier(); // what was there before has been read
  for (int64_t s = 0; s < pipeline.stages - 1; ++s) {
    auto [number, isIn] = ahead(s);
    k.when(isIn, [&] { issue(number, k.int32(s * pipeline.bytes)); });
    k.make<NVVM::CpAsyncCommitGroupOp>();
  }
  if (pipeline.waitsMeanwhile())
    await(pipeline.stages - 2);
}

/// Waits until all but the last `groups` groups of loads have arrived, for all threads.
void Pipelined::await(int64_t groups) {
  k.make<NVVM::CpAsyncWaitGroupOp>(k.b.getI32IntegerAttr(int32_t(groups)));
  showStaged(k);
}

SmallVector<Type> Pipelined::passedTypes() const {
  if (!pipeline.isProduced)
    return {k.i32}; // where the buffers of an iteration begin in the ring
  if (!pipeline.early)
    return {};
  bool isReal = isa<FloatType>(elementOf(pipeline.early->getResult(0).getType()));
  return SmallVector<Type>(size_t(k.plan->productOf(pipeline.early)->result.registerCount()),
                           isReal ? k.f32 : k.i32);
}

SmallVector<Value> Pipelined::enter() {
  if (!pipeline.isProduced)
    return {k.int32(0)};
  if (!pipeline.early)
    return {};
  stageLoads(k.produced->awaitEarlyLoads());
  SmallVector<Value> sums = beginProduct(k, pipeline.early);
  awaitProducts(k, sums);
  return sums;
}

void Pipelined::step(Value number, ValueRange passed, Value another) {
  hasNext = another;
  if (pipeline.early) {
    if (pipeline.othersUse)
      k.produced->leaveEarlyLoads(hasNext);
    if (pipeline.carried)
      stageLoads(k.produced->base());
    else
      beginEarly();
    k.begun[pipeline.early] = SmallVector<Value>(passed);
    return;
  }
  if (pipeline.isProduced) {
    stageLoads(k.produced->awaitLoads());
    return;
  }
  Value stage = passed[0];
  if (!pipeline.waitsMeanwhile())
    await(pipeline.stages - 2);
  Value upper = k.scalar(loop.getUpperBound()), step = k.scalar(loop.getStep());
  bool isSigned = !loop.getUnsignedCmp();
  auto wide = [&](Value v) { return k.resize(v, k.i64, isSigned); };
  Value ahead = k.add(wide(number), k.mul(wide(step), pipeline.stages - 1));
  Value isIn = k.compare(arith::CmpIPredicate::slt, ahead, wide(upper));
  // The buffers before these, in a ring.
  Value before = k.select(k.equal(stage, 0), k.int32((pipeline.stages - 1) * pipeline.bytes),
                          k.sub(stage, pipeline.bytes));
  Value later = k.resize(ahead, number.getType(), false);
  if (pipeline.meanwhile) {
    // Without a branch, because no product may be in flight across one.
    k.meanwhile[pipeline.meanwhile] = [this, number, later, before, isIn] {
      if (pipeline.waitsMeanwhile())
        await(pipeline.stages - 3);
      issue(later, before, isIn);
      k.make<NVVM::CpAsyncCommitGroupOp>();
      setNumber(number);
    };
  } else {
    k.when(isIn, [&] { issue(later, before); });
    k.make<NVVM::CpAsyncCommitGroupOp>();
  }
  stageLoads(k.add(stage, ring));
}

/// Says where the tiles of an iteration are.
void Pipelined::stageLoads(Value first) {
  int64_t offset = 0;
  for (const Staging *staging : pipeline.loads) {
    k.staged[staging->load] = {staging, k.add(first, offset)};
    offset += staging->bytes;
  }
}

SmallVector<Value> Pipelined::leave(ValueRange passed) {
  if (pipeline.isProduced) {
    if (pipeline.early)
      awaitProducts(k, early, pipeline.carried ? 1 : 0);
    k.produced->leaveLoads(/*isLater=*/pipeline.carried);
    return early;
  }
  Value stage = passed[0];
  return {k.select(k.equal(stage, (pipeline.stages - 1) * pipeline.bytes), k.int32(0),
                   k.add(stage, pipeline.bytes))};
}

void Pipelined::finish(std::vector<ThreadTile> &values) {
  for (const Staging *staging : pipeline.loads)
    k.staged.erase(staging->load);
  if (pipeline.carried) {
    // Tokens are carried too, but have no registers.
    size_t number = 0;
    for (Value value : loop.getRegionIterValues().take_front(carriedNumber()))
      number += isa<TileType>(value.getType());
    awaitProducts(k, values[number].registers);
    k.produced->leaveLoadsBefore();
    if (pipeline.othersUse)
      k.produced->leaveLastEarlyLoads();
    k.leftInFlight.erase(pipeline.carried);
    k.after.erase(pipeline.carried);
    for (Operation *op : {pipeline.carried, pipeline.sumsUse, pipeline.othersUse})
      k.before.erase(op);
  }
  k.begun.erase(pipeline.early);
  if (pipeline.isProduced) {
    k.produced->endLoop(loop);
    return;
  }
  k.make<NVVM::CpAsyncWaitGroupOp>(k.b.getI32IntegerAttr(0));
  for (Operation *op : pipeline.remaking)
    k.remaking.erase(op);
  k.meanwhile.erase(pipeline.meanwhile);
  k.sharedTop = topBefore;
}

} // namespace tessera::tile_lower
