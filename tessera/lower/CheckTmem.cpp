// CheckTmem: the life of tensor memory in a function. What one op cannot know: which ops come
// before it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order is that of the text, as warps meet at barriers in it. Ops that are each in a branch of
// their own have no order: kernels give each warp its branch. Sources: PTX ISA 9.7.16.7.1 (alloc,
// dealloc, relinquish_alloc_permit), 9.7.16.5 (one CTA group in a kernel).
#include "tessera/lower/Functions.h"
#include "tessera/lower/Passes.h"

#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/cute_nvgpu/Diagnostics.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
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

/// Whether `a` is in a branch of an scf.if that `b` is not in.
bool isInBranchWithout(Operation *a, Operation *b) {
  for (Region *region = a->getParentRegion(); region; region = region->getParentRegion())
    if (isa_and_present<scf::IfOp>(region->getParentOp()) &&
        !region->isAncestor(b->getParentRegion()))
      return true;
  return false;
}
/// Whether two ops are in branches of their own, of one scf.if or of two: these are for other
/// warps, which nothing orders but barriers.
bool areApart(Operation *a, Operation *b) {
  return isInBranchWithout(a, b) && isInBranchWithout(b, a);
}

/// All events of a function in the order of the text, one of them, and those that surely come
/// before and after it.
struct Life {
  ArrayRef<Event> all;
  const Event *at;

  SmallVector<const Event *> before(Step step) const {
    return filtered(all.take_front(size_t(at - all.data())), step);
  }
  SmallVector<const Event *> after(Step step) const {
    return filtered(all.drop_front(size_t(at - all.data()) + 1), step);
  }

private:
  SmallVector<const Event *> filtered(ArrayRef<Event> events, Step step) const {
    SmallVector<const Event *> found;
    for (const Event &event : events)
      if (event.step == step && !areApart(event.op, at->op))
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
    return e.step == Step::Alloc && areApart(e.op, life.at->op);
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
  for (const Event &event : events)
    for (auto rule : rules)
      if (failed(rule(Life{events, &event})))
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
