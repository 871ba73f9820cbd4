// Control flow: loops, branches, returns, as blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All threads take the same way: conditions and bounds are scalars, which all threads know.
#include "tessera/tile_lower/PlanValues.h"
#include "tessera/tile_lower/Planned.h"
#include "tessera/tile_lower/Unrolled.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {

bool isTile(Value value) { return isa<TileType>(value.getType()); }

/// A block whose arguments become these values, with arrays of its own for large tiles. `more` are
/// the types of arguments before those of the values.
BranchTarget targetFor(Kernel &k, ValueRange values, TypeRange more = {}) {
  BranchTarget out;
  SmallVector<Type> arguments(more);
  for (Value value : values) {
    if (!isTile(value))
      continue; // tokens hold nothing
    ThreadTile tile = k.newTileFor(value);
    arguments.append(tile.registers.size(), heldType(tile.element));
    out.values.push_back(std::move(tile));
  }
  out.block = k.newBlock(arguments);
  unsigned next = unsigned(more.size());
  for (ThreadTile &tile : out.values)
    for (Value &value : tile.registers)
      value = out.block->getArgument(next++);
  return out;
}
/// Assigns the values that the target passes to values of the program.
void defineFrom(Kernel &k, const BranchTarget &target, ValueRange values) {
  size_t next = 0;
  for (Value value : values)
    if (isTile(value))
      k.define(value, target.values[next++]);
}

void copyArray(Kernel &k, const ThreadTile &from, ThreadTile &to) {
  k.forSlots(from.count, [&](const Slot &slot) { k.set(to, slot, k.get(from, slot)); });
}

/// Goes to a target with values. `more` are arguments before those of the values.
void jump(Kernel &k, const BranchTarget &target, ValueRange values, ArrayRef<Value> more = {}) {
  SmallVector<ThreadTile> sources;
  for (Value value : values)
    if (isTile(value)) {
      const ThreadTile &to = target.values[sources.size()];
      sources.push_back(!k.plan    ? k.held(value)
                        : to.array ? k.simple(k.held(value))
                                   : k.inLayout(value, to.layout));
    }
  // An array that another value overwrites is saved first.
  for (size_t i = 0; i < sources.size(); ++i)
    for (size_t j = 0; j < sources.size(); ++j)
      if (i != j && sources[i].array && sources[i].array == target.values[j].array) {
        ThreadTile saved = k.newTile(sources[i].element, sources[i].count);
        copyArray(k, sources[i], saved);
        sources[i] = saved;
        break;
      }
  SmallVector<Value> arguments(more);
  for (size_t i = 0; i < sources.size(); ++i) {
    ThreadTile to = target.values[i];
    if (to.array && to.array != sources[i].array)
      copyArray(k, sources[i], to);
    for (size_t r = 0; r < to.registers.size(); ++r)
      arguments.push_back(sources[i].registers[sources[i].isUniform ? 0 : r]);
  }
  k.branch(target.block, arguments);
}

/// A number of a loop, so wide that the next ones do not wrap around.
Value wide(Kernel &k, ForOp loop, Value number) {
  return k.resize(number, k.i64, !loop.getUnsignedCmp());
}
Value wideNumberAfter(Kernel &k, ForOp loop, Value number, int64_t iterations) {
  Value step = wide(k, loop, k.scalar(loop.getStep()));
  return k.add(wide(k, loop, number), k.mul(step, iterations));
}
/// The number some iterations after another one, but at most the end.
Value followingNumber(Kernel &k, ForOp loop, Value number, Value end, int64_t iterations = 1) {
  Value next = wideNumberAfter(k, loop, number, iterations);
  return k.select(k.compare(arith::CmpIPredicate::slt, next, wide(k, loop, end)),
                  k.resize(next, number.getType(), false), end);
}
SmallVector<Value> argumentsOf(SmallVector<Value> first, ArrayRef<ThreadTile> values) {
  for (const ThreadTile &value : values)
    first.append(value.registers);
  return first;
}

/// Makes the iterations of a loop of which there are several at once, from those of `start`. Goes
/// on to `rest` with the others.
LogicalResult lowerSeveral(Kernel &k, ForOp loop, const Unrolled &plan, Value start,
                           const BranchTarget &rest) {
  Value upper = k.scalar(loop.getUpperBound()), step = k.scalar(loop.getStep());
  BranchTarget head = targetFor(k, loop.getRegionIterValues(), start.getType());
  Block *several = k.newBlock(), *others = k.newBlock();
  jump(k, head, loop.getInitValues(), start);
  k.goTo(head.block);
  Value number = head.block->getArgument(0);
  Value last = wideNumberAfter(k, loop, number, plan.copies - 1);
  k.branchIf(k.compare(arith::CmpIPredicate::slt, last, wide(k, loop, upper)), several, others);
  k.goTo(several);
  std::vector<ThreadTile> carried = head.values;
  if (failed(lowerCopies(k, loop, plan, number, step, carried)))
    return failure();
  Value next = followingNumber(k, loop, number, upper, plan.copies);
  k.branch(head.block, argumentsOf({next}, carried));
  k.goTo(others);
  k.branch(rest.block, argumentsOf({number}, head.values));
  return success();
}

Value isBelow(Kernel &k, ForOp loop, Value number, Value end) {
  auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  return k.compare(predicate, number, end);
}

/// Copies the tiles of the first iterations that this is the first loop to read, from the number
/// `start` up to `end`, and waits for them.
LogicalResult copyKept(Kernel &k, ForOp loop, const KeptTiles &kept, Value start, Value end) {
  SmallVector<const KeptTiles::Shared *> own = kept.readBy(loop);
  llvm::erase_if(own, [&](const KeptTiles::Shared *tile) { return tile->firstLoop() != loop; });
  if (own.empty())
    return success();
  auto [at, isNew] = k.keptAt.try_emplace(&kept);
  if (isNew)
    at->second = k.takeShared(kept.bytes * kept.iterations);
  k.barrier(); // what was there before has been read
  auto isOwn = [&](Operation *op) {
    return llvm::any_of(own, [&](auto *tile) { return tile->staging->load == op; });
  };
  SmallVector<Operation *> code = loadsFirst(loop, isOwn);
  Block *head = k.newBlock({start.getType(), k.i32}), *body = k.newBlock(), *done = k.newBlock();
  for (const KeptTiles::Shared *tile : own)
    beginAccess(k, tokenOf(tile->staging->load), {});
  k.branch(head, {start, k.int32(at->second)});
  k.goTo(head);
  Value number = head->getArgument(0), base = head->getArgument(1);
  k.branchIf(isBelow(k, loop, number, end), body, done);
  k.goTo(body);
  k.define(loop.getInductionVar(),
           ThreadTile{.element = number.getType(), .count = 1, .registers = {number}});
  for (Operation *op : code)
    if (!isOwn(op) && failed(k.lowerOne(*op)))
      return failure();
  for (const KeptTiles::Shared *tile : own)
    copyStaged(k, *tile->staging, k.add(base, *tile->offset));
  k.branch(head, {followingNumber(k, loop, number, end), k.add(base, kept.bytes)});
  k.goTo(done);
  k.make<NVVM::CpAsyncCommitGroupOp>();
  k.make<NVVM::CpAsyncWaitGroupOp>(k.b.getI32IntegerAttr(0));
  return success();
}

/// Makes the first iterations of a loop, whose tiles are kept. Goes on to `rest` with the others.
LogicalResult lowerKept(Kernel &k, ForOp loop, const KeptTiles &kept, Value start,
                        const BranchTarget &rest) {
  Value end = followingNumber(k, loop, start, k.scalar(loop.getUpperBound()), kept.iterations);
  if (failed(copyKept(k, loop, kept, start, end)))
    return failure();
  BranchTarget head = targetFor(k, loop.getRegionIterValues(), {start.getType(), k.i32});
  Block *body = k.newBlock(), *others = k.newBlock();
  jump(k, head, loop.getInitValues(), {start, k.int32(k.keptAt.lookup(&kept))});
  k.goTo(head.block);
  Value number = head.block->getArgument(0), base = head.block->getArgument(1);
  k.branchIf(isBelow(k, loop, number, end), body, others);
  k.goTo(body);
  Unrolled form;
  for (const KeptTiles::Shared *tile : kept.readBy(loop))
    for (auto [load, in] : tile->loads)
      if (in == loop) {
        form.known.insert(load);
        k.define(load->getResult(0), ownElements(k, *tile->staging, k.add(base, *tile->offset)));
      }
  form.first = loadsFirst(loop, [&](Operation *op) { return !form.known.contains(op); });
  std::vector<ThreadTile> carried = head.values;
  if (failed(lowerCopies(k, loop, form, number, k.scalar(loop.getStep()), carried)))
    return failure();
  Value next = followingNumber(k, loop, number, end);
  k.branch(head.block, argumentsOf({next, k.add(base, kept.bytes)}, carried));
  k.goTo(others);
  k.branch(rest.block, argumentsOf({number}, head.values));
  return success();
}

/// A loop, in one of two forms. Usually its head decides whether there is another iteration. Where
/// products are still in flight when the next iteration begins, the end of an iteration decides:
/// they are awaited at the end of the last iteration, because until then nothing may touch their
/// registers, not even a move (ptxas: C7514). A loop without iterations is skipped as a whole.
LogicalResult lowerFor(Kernel &k, Operation *op) {
  auto loop = cast<ForOp>(op);
  Value upper = k.scalar(loop.getUpperBound()), step = k.scalar(loop.getStep());
  Type type = upper.getType();
  std::optional<Pipelined> ahead;
  SmallVector<Type> counters = {type};
  SmallVector<Value> start = {k.scalar(loop.getLowerBound())};
  if (const Pipeline *pipeline = k.plan ? k.plan->pipelineOf(op) : nullptr) {
    ahead.emplace(k, loop, *pipeline);
    ahead->start();
    counters.append(ahead->passedTypes());
  }
  bool knowsNext = ahead && ahead->knowsNext();
  auto isInside = [&](Value number) { return isBelow(k, loop, number, upper); };
  BranchTarget head = targetFor(k, loop.getRegionIterValues(), counters);
  BranchTarget next = targetFor(k, loop.getRegionIterValues());
  Block *body = knowsNext ? head.block : k.newBlock();
  BranchTarget end = targetFor(k, knowsNext ? loop.getResults() : ValueRange());
  if (knowsNext) {
    Block *enter = k.newBlock(), *skip = k.newBlock();
    k.branchIf(isInside(start[0]), enter, skip);
    k.goTo(skip);
    jump(k, end, loop.getInitValues());
    k.goTo(enter);
  }
  if (ahead)
    start.append(ahead->enter());
  auto kept =
      llvm::find_if(k.kept, [&](const KeptTiles &group) { return !group.readBy(loop).empty(); });
  if (kept != k.kept.end()) {
    if (failed(lowerKept(k, loop, *kept, start[0], head)))
      return failure();
  } else if (std::optional<Unrolled> several =
                 ahead || !k.plan ? std::nullopt : unrolled(*k.plan, loop)) {
    if (failed(lowerSeveral(k, loop, *several, start[0], head)))
      return failure();
  } else {
    jump(k, head, loop.getInitValues(), start);
  }

  k.goTo(head.block);
  Value number = head.block->getArgument(0);
  ValueRange passed = head.block->getArguments().slice(1, counters.size() - 1);
  if (!knowsNext) {
    k.branchIf(isInside(number), body, end.block);
    k.goTo(body);
  }
  // A next number that wraps around would be past the bound, so it ends the loop.
  auto goesOnWith = [&](Value after) {
    auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt;
    return k.compare(predicate, after, number);
  };
  Value after, goesOn;
  if (knowsNext) {
    after = k.add(number, step);
    goesOn = k.andi(goesOnWith(after), isInside(after));
  }
  if (ahead)
    ahead->step(number, passed, goesOn);
  k.define(loop.getInductionVar(), ThreadTile{.element = type, .count = 1, .registers = {number}});
  defineFrom(k, head, loop.getRegionIterValues());
  k.frames.push_back({.yield = {}, .next = next, .end = {}});
  if (failed(k.lowerBlock(*loop.getBody())))
    return failure();
  k.frames.pop_back();

  // The end of an iteration.
  k.goTo(next.block);
  SmallVector<Value> arguments = {knowsNext ? after : k.add(number, step)};
  if (ahead)
    arguments.append(ahead->leave(passed));
  auto copyTo = [&](const BranchTarget &target, SmallVector<Value> &out) {
    for (size_t i = 0; i < next.values.size(); ++i) {
      ThreadTile to = target.values[i];
      if (to.array)
        copyArray(k, next.values[i], to);
      out.append(next.values[i].registers);
    }
  };
  Block *again = k.newBlock(), *last = k.newBlock();
  if (knowsNext) {
    k.branchIf(goesOn, again, last);
    k.goTo(again);
    copyTo(head, arguments);
    k.branch(head.block, arguments);
    k.goTo(last);
    ahead->finish(next.values);
    SmallVector<Value> results;
    copyTo(end, results);
    k.branch(end.block, results);
  } else {
    copyTo(head, arguments);
    k.branchIf(goesOnWith(arguments[0]), again, last);
    k.goTo(again);
    k.branch(head.block, arguments);
    k.goTo(last);
    // A number that is not below the bound makes the head end the loop.
    arguments[0] = upper;
    k.branch(head.block, arguments);
  }
  k.goTo(end.block);
  if (ahead && !knowsNext)
    ahead->finish(head.values);
  defineFrom(k, knowsNext ? end : head, loop.getResults());
  return success();
}

LogicalResult lowerLoop(Kernel &k, Operation *op) {
  auto loop = cast<LoopOp>(op);
  BranchTarget head = targetFor(k, loop.getRegionIterValues());
  BranchTarget end = targetFor(k, loop.getResults());
  jump(k, head, loop.getInitValues());
  k.goTo(head.block);
  defineFrom(k, head, loop.getRegionIterValues());
  k.frames.push_back({.yield = {}, .next = head, .end = end});
  if (failed(k.lowerBlock(*loop.getBody())))
    return failure();
  k.frames.pop_back();
  k.goTo(end.block);
  defineFrom(k, end, loop.getResults());
  return success();
}

LogicalResult lowerIf(Kernel &k, Operation *op) {
  auto branch = cast<IfOp>(op);
  BranchTarget end = targetFor(k, branch.getResults());
  Block *yes = k.newBlock();
  Block *no = branch.getElseBlock() ? k.newBlock() : end.block;
  k.branchIf(k.scalar(branch.getCondition()), yes, no);
  k.frames.push_back({.yield = end, .next = {}, .end = {}});
  k.goTo(yes);
  if (failed(k.lowerBlock(*branch.getThenBlock())))
    return failure();
  if (branch.getElseBlock()) {
    k.goTo(no);
    if (failed(k.lowerBlock(*branch.getElseBlock())))
      return failure();
  }
  k.frames.pop_back();
  k.goTo(end.block);
  defineFrom(k, end, branch.getResults());
  return success();
}

//===--- Terminators: they go to the nearest frame that has a place for them

template <BranchTarget BranchTargets::*place> LogicalResult leave(Kernel &k, Operation *op) {
  for (const BranchTargets &frame : llvm::reverse(k.frames))
    if ((frame.*place).block) {
      BranchTarget target = frame.*place;
      jump(k, target, op->getOperands());
      return success();
    }
  return refuse(op, Diag::NotLowered);
}
LogicalResult lowerReturn(Kernel &k, Operation *) {
  k.make<LLVM::ReturnOp>(ValueRange());
  return success();
}

constexpr Row rows[] = {
    {"for", nullptr, lowerFor},
    {"loop", nullptr, lowerLoop},
    {"if", nullptr, lowerIf},
    {"break", nullptr, leave<&BranchTargets::end>},
    {"continue", nullptr, leave<&BranchTargets::next>},
    {"yield", nullptr, leave<&BranchTargets::yield>},
    {"return", nullptr, lowerReturn},
};

} // namespace

ArrayRef<Row> controlFlowRows() { return rows; }

} // namespace tessera::tile_lower
