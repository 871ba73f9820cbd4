// Loads of a loop that run ahead of it, by cp.async, in a ring of buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With s stages the loads of the first s - 1 iterations begin before the loop. Iteration i waits
// until its own have arrived, which are followed by s - 2 groups; the barrier after that shows them
// to all threads, and says that all have read the buffers of iteration i - 1, which the loads of
// iteration i + s - 1 then take. Groups without loads keep the count at the end.
#include "tessera/tile_lower/Planned.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

Pipelined::Pipelined(Kernel &k, ForOp loop, const Pipeline &pipeline)
    : k(k), loop(loop), pipeline(pipeline) {}

/// Runs the ops that the indices need for an iteration, and then the loads.
void Pipelined::issue(Value number, Value stage) {
  k.define(loop.getInductionVar(),
           Tile{.element = number.getType(), .count = 1, .registers = {number}});
  for (Operation *op : pipeline.addressing)
    (void)lowerOp(k, op); // scalars and views, none of which is refused
  int64_t offset = ring;
  for (const Staging *staging : pipeline.loads) {
    copyStaged(k, *staging, k.add(stage, offset));
    offset += staging->bytes;
  }
}

void Pipelined::start() {
  topBefore = k.sharedTop;
  ring = k.takeShared(pipeline.bytes * pipeline.stages);
  k.barrier(); // what was there before has been read
  Value lower = k.scalar(loop.getLowerBound()), upper = k.scalar(loop.getUpperBound());
  Value step = k.scalar(loop.getStep());
  bool isSigned = !loop.getUnsignedCmp();
  auto wide = [&](Value number) { return k.resize(number, k.i64, isSigned); };
  for (int64_t s = 0; s < pipeline.stages - 1; ++s) {
    Value ahead = k.add(wide(lower), k.mul(wide(step), s));
    Value isIn = k.compare(arith::CmpIPredicate::slt, ahead, wide(upper));
    k.when(isIn,
           [&] { issue(k.resize(ahead, lower.getType(), false), k.int32(s * pipeline.bytes)); });
    k.make<NVVM::CpAsyncCommitGroupOp>();
  }
}

void Pipelined::step(Value number, Value stage) {
  k.make<NVVM::CpAsyncWaitGroupOp>(k.b.getI32IntegerAttr(int32_t(pipeline.stages - 2)));
  if (pipeline.isShared)
    showStaged(k);
  Value upper = k.scalar(loop.getUpperBound()), step = k.scalar(loop.getStep());
  bool isSigned = !loop.getUnsignedCmp();
  auto wide = [&](Value v) { return k.resize(v, k.i64, isSigned); };
  Value ahead = k.add(wide(number), k.mul(wide(step), pipeline.stages - 1));
  Value isIn = k.compare(arith::CmpIPredicate::slt, ahead, wide(upper));
  // The buffers before these, in a ring.
  Value before = k.select(k.equal(stage, 0), k.int32((pipeline.stages - 1) * pipeline.bytes),
                          k.sub(stage, pipeline.bytes));
  k.when(isIn, [&] { issue(k.resize(ahead, number.getType(), false), before); });
  k.make<NVVM::CpAsyncCommitGroupOp>();
  int64_t offset = ring;
  for (const Staging *staging : pipeline.loads) {
    k.staged[staging->load] = {staging, k.add(stage, offset)};
    offset += staging->bytes;
  }
}

Value Pipelined::stageAfter(Value stage) {
  return k.select(k.equal(stage, (pipeline.stages - 1) * pipeline.bytes), k.int32(0),
                  k.add(stage, pipeline.bytes));
}

void Pipelined::finish() {
  k.make<NVVM::CpAsyncWaitGroupOp>(k.b.getI32IntegerAttr(0));
  for (const Staging *staging : pipeline.loads)
    k.staged.erase(staging->load);
  k.sharedTop = topBefore;
}

} // namespace tessera::tile_lower
