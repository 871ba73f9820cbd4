// The code of the separate warp that loads, and how the other threads wait for it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Produced.h"

#include "tessera/tile_lower/Elements.h"
#include "tessera/tile_lower/Planned.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <algorithm>
#include <array>

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

Produced::Produced(Kernel &k, const Producer &plan) : k(k), plan(plan), maps(k, plan) {}

//===--- The ring

void Produced::startRing(int64_t first) {
  k.make<LLVM::StoreOp>(k.int32(0), stage);
  k.make<LLVM::StoreOp>(k.int32(first), parity);
}
/// A barrier of a stage.
Value Produced::barrierAt(Value number, Barrier which) {
  return k.sharedBytesAt(k.add(k.mul(number, Producer::barrierBytes),
                               control + which * plan.stages * Producer::barrierBytes));
}
Value Produced::barrierAt(Barrier which) {
  return barrierAt(k.make<LLVM::LoadOp>(k.i32, stage).getResult(), which);
}
/// The barrier of the early product's loads.
Produced::Barrier Produced::early(Barrier barrier) const {
  return !plan.hasEarly ? barrier : barrier == Full ? EarlyFull : EarlyEmpty;
}
void Produced::await(Value barrier, Value itsParity) {
  constexpr int64_t nanoseconds = 10'000'000; // how long one try may sleep
  k.make<NVVM::MBarrierTryWaitParityOp>(barrier, itsParity, k.int32(nanoseconds));
}
void Produced::await(Value barrier) { await(barrier, k.make<LLVM::LoadOp>(k.i32, parity)); }
Value Produced::base() {
  return k.add(k.mul(k.make<LLVM::LoadOp>(k.i32, stage).getResult(), plan.bytes), ring);
}
/// The stage after this one, and its parity.
std::pair<Value, Value> Produced::next() {
  Value after = k.add(k.make<LLVM::LoadOp>(k.i32, stage).getResult(), 1);
  Value wraps = k.equal(after, plan.stages), now = k.make<LLVM::LoadOp>(k.i32, parity);
  return {k.select(wraps, k.int32(0), after), k.select(wraps, k.xori(now, 1), now)};
}
void Produced::advance() {
  auto [number, itsParity] = next();
  k.make<LLVM::StoreOp>(number, stage);
  k.make<LLVM::StoreOp>(itsParity, parity);
}

Value Produced::awaitLoads() {
  await(barrierAt(Full));
  return base();
}
Value Produced::awaitEarlyLoads() {
  await(barrierAt(early(Full)));
  return base();
}
/// Without a branch, because products may be in flight: if no iteration follows, it waits for the
/// loads of this one, which have arrived already.
Value Produced::awaitNextLoads(Value hasNext) {
  auto [after, itsParity] = next();
  Value number = k.select(hasNext, after, k.make<LLVM::LoadOp>(k.i32, stage).getResult());
  await(barrierAt(number, early(Full)),
        k.select(hasNext, itsParity, k.make<LLVM::LoadOp>(k.i32, parity).getResult()));
  return k.add(k.mul(number, plan.bytes), ring);
}
void Produced::haveLoaded(int64_t number, Value condition) {
  Value barrier = k.make<LLVM::PtrToIntOp>(k.i32, barrierAt(k.int32(number), Full));
  k.memoryPtx("@$0 mbarrier.arrive.shared::cta.b64 _, [$1];", "b,r",
              {k.andi(condition, k.equal(k.thread, 0)), barrier}, 0);
}
void Produced::startLoop() { k.make<LLVM::StoreOp>(k.int32(0), before); }
/// One lane arrives for its warp.
void Produced::arrive(Value barrier, Value condition) {
  k.make<NVVM::SyncWarpOp>(k.int32(-1));
  Value isFirst = k.equal(k.andi(k.thread, Producer::warpThreads - 1), 0);
  k.memoryPtx("@$0 mbarrier.arrive.shared::cta.b64 _, [$1];", "b,r",
              {condition ? k.andi(isFirst, condition) : isFirst, barrier}, 0);
}
void Produced::leaveEarlyLoads(Value hasNext) {
  Value barrier = k.make<LLVM::PtrToIntOp>(k.i32, barrierAt(EarlyEmpty));
  k.make<LLVM::StoreOp>(barrier, lastEarly);
  arrive(barrier, hasNext);
}
void Produced::leaveLastEarlyLoads() { arrive(k.make<LLVM::LoadOp>(k.i32, lastEarly), {}); }
void Produced::leaveLoads(bool isLater) {
  Value barrier = k.make<LLVM::PtrToIntOp>(k.i32, barrierAt(Empty));
  if (isLater)
    k.make<LLVM::StoreOp>(barrier, before);
  else
    arrive(barrier, {});
  advance();
}
void Produced::leaveLoadsBefore() {
  Value barrier = k.make<LLVM::LoadOp>(k.i32, before);
  arrive(barrier, k.differ(barrier, 0));
}

/// After the last loop the memory of the ring is free for others, if nothing lies after it. Whoever
/// writes there waits for all threads first.
void Produced::endLoop(ForOp loop) {
  int64_t bytes = plan.stages * plan.bytes;
  if (loop.getOperation() != plan.last || k.sharedTop != ring + bytes)
    return;
  k.sharedTop = ring;
  if (bytes >= Kernel::mostShared)
    k.scratch = Kernel::mostShared;
}

//===--- The warp

void Produced::initialize() {
  int64_t warps = k.threads / Producer::warpThreads;
  constexpr std::array barriers = {Full, Empty, EarlyFull, EarlyEmpty};
  k.when(k.equal(k.thread, 0), [&] {
    for (int64_t s = 0; s < plan.stages; ++s)
      for (Barrier which : ArrayRef(barriers).take_front(plan.barriers()))
        k.make<NVVM::MBarrierInitOp>(
            k.sharedBytesAt(k.int32(control + (which * plan.stages + s) * Producer::barrierBytes)),
            k.int32(which == Full || which == EarlyFull ? 1 : warps), Value());
    k.make<NVVM::FenceMbarrierInitOp>();
  });
  k.make<NVVM::Barrier0Op>();
}

/// Loads that threads make as fast as TMA. The ring begins with the first loop, if no other loop is
/// around it.
static bool canBeBegun(ForOp loop, const Pipeline &ring) {
  constexpr int64_t widest = 16; // bytes of one copy
  return isa<EntryOp>(loop->getParentOp()) && !ring.early &&
         llvm::all_of(ring.loads, [](const Staging *load) {
           return load->isAsync && !load->isRounded &&
                  load->vector() * memoryBytes(elementOf(load->tile())) == widest;
         });
}
/// As many iterations as take about as long as it takes until the first load by TMA arrives: 2,200
/// cycles on an H200 (docs/tile.md). The tensor cores of a multiprocessor, which its blocks share,
/// multiply 2048 numbers of 16 bits in a cycle. More loads at once keep the first ones waiting.
void Produced::chooseBegun(EntryOp entry) {
  constexpr int64_t wait = 2048, bitsInCycle = 2048 * 16, fewest = 2, most = 4;
  const int64_t blocks = std::max<int64_t>(k.plan->blocksPerMultiprocessor, 1);
  entry.walk([&](ForOp loop) {
    const Pipeline *ring = k.plan->pipelineOf(loop);
    if (!ring || !ring->isProduced)
      return WalkResult::advance();
    if (!canBeBegun(loop, *ring))
      return WalkResult::interrupt();
    int64_t cycles = 1;
    for (Operation &op : *loop.getBody())
      if (const Product *product = k.plan->productOf(&op)) {
        const Extents &e = product->extents;
        unsigned bits = elementOf(op.getOperand(0).getType()).getIntOrFloatBitWidth();
        cycles += e.batch * e.m * e.n * e.k * bits * blocks / bitsInCycle;
      }
    first = loop;
    begunIterations = std::min(plan.stages, std::clamp(wait / cycles, fewest, most));
    return WalkResult::interrupt();
  });
}

void Produced::begin(EntryOp entry) {
  chooseBegun(entry);
  control = k.takeShared(plan.controlBytes());
  ring = k.takeShared(plan.stages * plan.bytes);
  stage = k.newVariable(k.i32);
  parity = k.newVariable(k.i32);
  begun = k.newVariable(k.i32);
  before = k.newVariable(k.i32);
  lastEarly = k.newVariable(k.i32);
  initialize();
  Block *loads = k.newBlock(), *program = k.newBlock();
  k.branchIf(k.below(k.thread, k.threads), program, loads);
  auto setRegisters = [&](int64_t registers, NVVM::SetMaxRegisterAction action) {
    if (plan.registers)
      k.make<NVVM::SetMaxRegisterOp>(k.b.getI32IntegerAttr(int32_t(registers)),
                                     NVVM::SetMaxRegisterActionAttr::get(k.b.getContext(), action));
  };
  k.goTo(loads);
  setRegisters(Producer::ownRegisters, NVVM::SetMaxRegisterAction::decrease);
  Block *warp = k.newBlock(), *one = k.newBlock(), *end = k.newBlock();
  k.branchIf(k.below(k.thread, k.threads + Producer::warpThreads), warp, end);
  k.goTo(warp);
  for (Operation *op : plan.ofMaps)
    (void)lowerOp(k, op); // scalars and views, none of which is refused
  maps.make(control + plan.imagesAt());
  k.branchIf(k.equal(k.thread, k.threads), one, end);
  k.goTo(one);
  startRing(1); // a new barrier answers for the phase before its first
  k.make<LLVM::StoreOp>(k.int32(begunIterations), begun);
  walk(entry.getBody().front());
  drain();
  maps.release();
  k.branch(end);
  k.goTo(end);
  k.make<LLVM::ReturnOp>(ValueRange());
  k.goTo(program);
  setRegisters(plan.registers, NVVM::SetMaxRegisterAction::increase);
  startRing(0);
  k.hasOthers = true;
}

/// The code of a block of the program that loads need.
void Produced::walk(Block &block) {
  for (Operation &op : block) {
    const Pipeline *pipeline = k.plan->pipelineOf(&op);
    if (pipeline && pipeline->isProduced) {
      iterate(cast<ForOp>(op), [&] {
        walk(*cast<ForOp>(op).getBody());
        begunIn(&op) ? loadUnlessBegun(*pipeline) : loadInto(*pipeline);
      });
    } else if (!plan.around.contains(&op)) {
      if (plan.needed.contains(&op))
        (void)lowerOp(k, &op); // as above
    } else if (auto loop = dyn_cast<ForOp>(op)) {
      iterate(loop, [&] { walk(*loop.getBody()); });
    } else {
      auto branch = cast<IfOp>(op);
      Value condition = k.scalar(branch.getCondition());
      k.when(condition, [&] { walk(*branch.getThenBlock()); });
      if (branch.getElseBlock())
        k.when(k.negate(condition), [&] { walk(*branch.getElseBlock()); });
    }
  }
}

/// Runs through the numbers of a loop's iterations. As in all loops, a number that wraps around
/// ends it.
void Produced::iterate(ForOp loop, function_ref<void()> body) {
  Value upper = k.scalar(loop.getUpperBound()), step = k.scalar(loop.getStep());
  Type type = upper.getType();
  bool isUnsigned = loop.getUnsignedCmp();
  Block *head = k.newBlock({type}), *inside = k.newBlock(), *after = k.newBlock();
  k.branch(head, {k.scalar(loop.getLowerBound())});
  k.goTo(head);
  Value number = head->getArgument(0);
  k.branchIf(
      k.compare(isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt, number, upper),
      inside, after);
  k.goTo(inside);
  k.define(loop.getInductionVar(), ThreadTile{.element = type, .count = 1, .registers = {number}});
  body();
  Value next = k.add(number, step);
  Block *again = k.newBlock();
  k.branchIf(
      k.compare(isUnsigned ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt, next, number),
      again, after);
  k.goTo(again);
  k.branch(head, {next});
  k.goTo(after);
}

/// The loads of one iteration.
void Produced::loadInto(const Pipeline &pipeline) {
  auto load = [&](Barrier whenEmpty, Barrier whenFull, auto isOfThese) {
    await(barrierAt(whenEmpty));
    Value full = k.make<LLVM::PtrToIntOp>(k.i32, barrierAt(whenFull)), first = base();
    int64_t bytes = 0, offset = 0;
    for (const Staging *staging : pipeline.loads)
      bytes += isOfThese(staging) ? TensorMaps::bytesOf(*staging) : 0;
    k.memoryPtx("mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", "r,r",
                {full, k.int32(bytes)}, 0);
    for (const Staging *staging : pipeline.loads) {
      if (isOfThese(staging))
        maps.copy(*staging, k.add(first, offset), full);
      offset += staging->bytes;
    }
  };
  auto isEarly = [&](const Staging *staging) {
    return plan.hasEarly && llvm::is_contained(pipeline.earlyLoads, staging);
  };
  if (plan.hasEarly)
    load(EarlyEmpty, EarlyFull, isEarly);
  load(Empty, Full, [&](const Staging *staging) { return !isEarly(staging); });
  advance();
}
/// The same, but leaves to all threads the iterations that they begin with.
void Produced::loadUnlessBegun(const Pipeline &pipeline) {
  Value left = k.make<LLVM::LoadOp>(k.i32, begun);
  Block *skip = k.newBlock(), *load = k.newBlock(), *done = k.newBlock();
  k.branchIf(k.equal(left, 0), load, skip);
  k.goTo(skip);
  k.make<LLVM::StoreOp>(k.sub(left, 1), begun);
  advance();
  k.branch(done);
  k.goTo(load);
  loadInto(pipeline);
  k.branch(done);
  k.goTo(done);
}

/// Waits until all stages have been read; then all copies have come.
void Produced::drain() {
  k.repeat(plan.stages, [&](Value) {
    await(barrierAt(Empty));
    if (plan.hasEarly)
      await(barrierAt(EarlyEmpty));
    advance();
  });
}

} // namespace tessera::tile_lower
