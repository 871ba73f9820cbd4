// CheckTmem: the life of tensor memory in a function. What one op cannot know: which ops come
// before it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order is that of the text, as warps meet at barriers in it, and between blocks that which every
// way through them has. Ops that are each in a branch of their own have no order: kernels give each
// warp its branch. Sources: PTX ISA 9.7.16.7.1 (alloc, dealloc, relinquish_alloc_permit), 9.7.16.5
// (one CTA group in a kernel).
#include "tessera/lower/Functions.h"
#include "tessera/lower/Passes.h"

#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/cute_nvgpu/Diagnostics.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {
#define GEN_PASS_DEF_CHECKTMEM
#include "tessera/lower/Passes.h.inc"

namespace {

enum class Step : uint8_t {
  Alloc,
  Retrieve,
  Relinquish,
  Dealloc,
  Use
};
struct Event {
  Operation *op;
  Step step;
  std::optional<bool> pair;       // CTA group 2; none where the op has no group
  std::optional<int64_t> columns; // where they are constant
};

std::optional<int64_t> constant(Value value) {
  APInt number;
  return matchPattern(value, m_ConstantInt(&number)) ? std::optional(number.getSExtValue())
                                                     : std::nullopt;
}
std::optional<Event> eventOf(Operation *op) {
  if (std::optional<atom::UmmaForm> form = ummaFormOf(op))
    return Event{op, Step::Use, form->ctas == 2, {}};
  return TypeSwitch<Operation *, std::optional<Event>>(op)
      .Case([](AllocTmemOp o) {
        return Event{o, Step::Alloc, o.getIsTwoCta(), constant(o.getNumColumns())};
      })
      .Case([](DeallocTmemOp o) {
        return Event{o, Step::Dealloc, o.getIsTwoCta(), constant(o.getNumColumns())};
      })
      .Case([](RelinquishTmemAllocPermitOp o) {
        return Event{o, Step::Relinquish, o.getIsTwoCta(), {}};
      })
      .Case([](RetrieveTmemPtrOp o) { return Event{o, Step::Retrieve, {}, {}}; })
      .Default(std::nullopt);
}

/// What control flow says of two ops of a function: branches are regions of an op that chooses one,
/// and blocks that not every way through others passes.
class Ways {
public:
  explicit Ways(Operation *function) : dominance(function), postDominance(function) {}

  /// Whether two ops are in branches of their own, of one choice or of two: these are for other
  /// warps, which nothing orders but barriers.
  bool areApart(Operation *a, Operation *b) {
    return isInBranchWithout(a, b) && isInBranchWithout(b, a);
  }
  /// Whether `a` is before `b`, of which the text says `isTextBefore`.
  bool isBefore(Operation *a, Operation *b, bool isTextBefore) {
    auto [first, second] = blocksOf(a, b);
    bool forth = leadsTo(first, second), back = leadsTo(second, first);
    return forth == back ? isTextBefore : forth;
  }

private:
  /// The blocks, of the innermost region that has both ops, in which they are.
  static std::pair<Block *, Block *> blocksOf(Operation *a, Operation *b) {
    Region *region = a->getParentRegion();
    while (!region->findAncestorOpInRegion(*b))
      region = region->getParentRegion();
    return {region->findAncestorOpInRegion(*a)->getBlock(),
            region->findAncestorOpInRegion(*b)->getBlock()};
  }
  /// Whether one block surely ran when the other does, or surely runs after it.
  bool leadsTo(Block *from, Block *to) {
    return from != to && (dominance.dominates(from, to) || postDominance.postDominates(to, from));
  }
  bool isInBranchWithout(Operation *a, Operation *b) {
    for (Region *region = a->getParentRegion(); !region->findAncestorOpInRegion(*b);
         region = region->getParentRegion())
      if (isa_and_present<scf::IfOp, scf::IndexSwitchOp>(region->getParentOp()))
        return true;
    auto [first, second] = blocksOf(a, b);
    return first != second && !leadsTo(first, second) && !leadsTo(second, first);
  }

  DominanceInfo dominance;
  PostDominanceInfo postDominance;
};

/// All events of a function in the order of the text, one of them, and those that surely come
/// before and after it.
struct Life {
  ArrayRef<Event> all;
  const Event *at;
  Ways &ways;

  SmallVector<const Event *> before(Step step) const { return filtered(step, true); }
  SmallVector<const Event *> after(Step step) const { return filtered(step, false); }

private:
  SmallVector<const Event *> filtered(Step step, bool before) const {
    SmallVector<const Event *> found;
    for (const Event &event : all)
      if (event.step == step && &event != at && !ways.areApart(event.op, at->op) &&
          ways.isBefore(event.op, at->op, &event < at) == before)
        found.push_back(&event);
    return found;
  }
};
int64_t columnsOf(ArrayRef<const Event *> events) {
  int64_t sum = 0;
  for (const Event *event : events)
    sum += event->columns.value_or(0);
  return sum;
}
StringRef groupName(bool pair) { return pair ? "cta_2" : "cta_1"; }

LogicalResult oneGroup(const Life &life) {
  auto first = llvm::find_if(life.all, [](const Event &e) { return e.pair.has_value(); });
  if (!life.at->pair || *life.at->pair == *first->pair)
    return success();
  return refuse(life.at->op, Diag::TmemGroup, groupName(*first->pair), groupName(*life.at->pair));
}
LogicalResult permitIsHeld(const Life &life) {
  if (life.at->step != Step::Alloc || life.before(Step::Relinquish).empty())
    return success();
  return refuse(life.at->op, Diag::TmemRelinquished);
}
LogicalResult columnsAreLeft(const Life &life) {
  if (life.at->step != Step::Alloc)
    return success();
  int64_t live = columnsOf(life.before(Step::Alloc)) - columnsOf(life.before(Step::Dealloc));
  int64_t more = life.at->columns.value_or(0);
  return live + more <= tmemColumns
             ? success()
             : refuse(life.at->op, Diag::TmemResource, live, more, tmemColumns);
}
/// Memory may come from another function, so this asks for an allocation only where there is one
/// after.
LogicalResult allocationIsBefore(const Life &life) {
  bool early = life.at->step != Step::Alloc && life.before(Step::Alloc).empty() &&
               !life.after(Step::Alloc).empty();
  bool elsewhere = llvm::any_of(life.all, [&](const Event &e) {
    return e.step == Step::Alloc && life.ways.areApart(e.op, life.at->op);
  });
  return early && !elsewhere ? refuse(life.at->op, Diag::TmemNotAllocated) : success();
}
LogicalResult isNotFreed(const Life &life) {
  bool uses = life.at->step == Step::Retrieve || life.at->step == Step::Use ||
              life.at->step == Step::Dealloc;
  size_t made = life.before(Step::Alloc).size();
  return uses && made && life.before(Step::Dealloc).size() >= made
             ? refuse(life.at->op, Diag::TmemFreed)
             : success();
}
LogicalResult columnsAreThose(const Life &life) {
  if (life.at->step != Step::Dealloc || !life.at->columns)
    return success();
  SmallVector<int64_t> made;
  for (const Event &event : life.all)
    if (event.step == Step::Alloc) {
      if (!event.columns || *event.columns == *life.at->columns)
        return success();
      made.push_back(*event.columns);
    }
  return made.empty() ? success()
                      : refuse(life.at->op, Diag::TmemFreedColumns, made.back(), *life.at->columns);
}
LogicalResult isFreedAtAll(const Life &life) {
  auto kernel = life.at->op->getParentOfType<FunctionOpInterface>();
  bool freed = llvm::any_of(life.all, [](const Event &e) { return e.step == Step::Dealloc; });
  if (life.at->step != Step::Alloc || freed || !kernel->hasAttr("cute.kernel"))
    return success();
  return refuse(life.at->op, Diag::TmemLeak);
}

/// Of the first op that breaks a rule, the first rule that it breaks is reported.
constexpr LogicalResult (*rules[])(const Life &) = {
    oneGroup,   permitIsHeld,    columnsAreLeft, allocationIsBefore,
    isNotFreed, columnsAreThose, isFreedAtAll};

LogicalResult check(FunctionOpInterface function) {
  SmallVector<Event> events;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (std::optional<Event> event = eventOf(op))
      events.push_back(*event);
  });
  Ways ways(function);
  for (const Event &event : events)
    for (auto rule : rules)
      if (failed(rule(Life{events, &event, ways})))
        return failure();
  return success();
}

struct CheckTmemPass : impl::CheckTmemBase<CheckTmemPass> {
  bool canScheduleOn(RegisteredOperationName name) const override {
    return isModuleOrFunction(name);
  }
  void runOnOperation() override {
    forEachFunction(getOperation(), [&](FunctionOpInterface function) {
      if (failed(check(function)))
        signalPassFailure();
    });
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace tessera::lower
