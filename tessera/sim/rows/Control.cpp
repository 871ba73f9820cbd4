// Branches, calls, and the end of threads. PTX ISA 9.7.12.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Calls.h"
#include "tessera/sim/Lanes.h"

#include <algorithm>

namespace tessera::sim {

namespace {

Flow bra(Warp &w, const Instruction &i, Mask mask) {
  return w.branch(mask, uint32_t(i.immediate[0]));
}
Status bindBra(Binding &b) {
  TESSERA_CHECK(b.binder.label(b.operands[0].name));
  return done(b, bra);
}

struct TargetPlan : InstructionParts {
  std::vector<uint32_t> places;
};
/// The lanes with the index of the first one; the others follow on their own.
Flow brx(Warp &w, const Instruction &i, Mask mask) {
  const auto &places = static_cast<const TargetPlan *>(i.plan)->places;
  const uint32_t *index = w.in<uint32_t>(i.operand[0]);
  uint32_t chosen = index[std::countr_zero(mask)];
  if (chosen >= places.size())
    return w.fault(std::countr_zero(mask), Error::CallTarget, chosen);
  Mask same = 0;
  for (int lane = 0; lane < warpSize; ++lane)
    same |= Mask(index[lane] == chosen) << lane;
  w.leaveThere(mask & ~same);
  return w.branch(mask & same, places[chosen]);
}
Status bindBrx(Binding &b) {
  const std::vector<Operand> *table = b.binder.findTable(b.operands[1].name);
  if (!table)
    return fail(Error::Undefined, b.operands[1].name);
  auto &plan = b.binder.plan<TargetPlan>();
  plan.places.resize(table->size());
  for (size_t i = 0; i < table->size(); ++i)
    TESSERA_CHECK(b.binder.label((*table)[i].name, &plan.places[i]));
  b.out.plan = &plan;
  return done(b, brx);
}

//===--- Calls -------------------------------------------------------------------------------===//

Place placeOf(const Parameter &p) { return {p.slot, p.offset, p.size}; }

void copy(Warp &w, Frame &fromFrame, const std::vector<Place> &from, Frame &toFrame,
          const std::vector<Place> &to, Mask mask) {
  for (size_t k = 0; k < std::min(from.size(), to.size()); ++k) {
    uint32_t size = std::min(from[k].size, to[k].size);
    for (Mask left = mask; left; left &= left - 1) {
      int lane = std::countr_zero(left);
      std::memmove(bytesOf(w, toFrame, to[k], lane), bytesOf(w, fromFrame, from[k], lane), size);
    }
    if (to[k].slot != noSlot)
      continue;
    uint64_t address = toFrame.localBase + to[k].offset;
    bool isLocal = from[k].slot == noSlot;
    w.tell(MemoryChange{isLocal ? MemoryChange::Copied : MemoryChange::Written, Space::Local,
                        address, size, mask, isLocal ? fromFrame.localBase + from[k].offset : 0});
  }
}
std::vector<Place> places(const std::vector<Parameter> &parameters) {
  std::vector<Place> out;
  for (const Parameter &p : parameters)
    out.push_back(placeOf(p));
  return out;
}

/// The function of the first lane; lanes with another one follow on their own.
const Function *target(Warp &w, const Instruction &i, Mask &mask) {
  const uint64_t *address = w.in<uint64_t>(i.operand[0]);
  uint64_t chosen = address[std::countr_zero(mask)], index = (chosen - window::functions) / 16;
  if (index >= w.grid.program.functions.size() || chosen % 16)
    return nullptr;
  Mask same = 0;
  for (int lane = 0; lane < warpSize; ++lane)
    same |= Mask(address[lane] == chosen) << lane;
  w.leaveThere(mask & ~same);
  mask &= same;
  return w.grid.program.functions[index].get();
}

Flow call(Warp &w, const Instruction &i, Mask mask) {
  const auto &plan = *static_cast<const CallPlan *>(i.plan);
  const Function *callee = plan.callee ? plan.callee : target(w, i, mask);
  if (!callee)
    return w.fault(std::countr_zero(mask), Error::CallTarget,
                   hex(w.uniform<uint64_t>(i.operand[0], mask)));
  if (callee->code.empty()) {
    std::optional<Flow> flow = callBuiltin(w, callee->name, plan, mask);
    return flow ? *flow : w.fault(std::countr_zero(mask), Error::Undefined, callee->name);
  }
  Frame *caller = w.frame;
  Flow flow = w.enter(mask, *callee, i);
  if (flow == Flow::Jumped)
    copy(w, *caller, plan.arguments, *w.frame, places(callee->parameters), mask);
  return flow;
}

Flow ret(Warp &w, const Instruction &, Mask mask) {
  Frame *callee = w.frame;
  if (!callee->parent)
    return w.exit(mask);
  const auto &plan = *static_cast<const CallPlan *>(callee->call->plan);
  copy(w, *callee, places(callee->function->results), *callee->parent, plan.results, mask);
  if (const uint32_t bytes = callee->function->localBytes) // nobody may use the frame any more
    w.tell(MemoryChange{MemoryChange::New, Space::Local, callee->localBase, bytes, mask});
  return w.leave(mask);
}

Result<std::vector<Place>> bindPlaces(Binding &b, const Operand *list) {
  std::vector<Place> out;
  for (const Operand &operand : list ? list->parts : std::vector<Operand>()) {
    std::optional<Symbol> symbol =
        operand.kind == Operand::Name ? b.binder.find(operand.name) : std::nullopt;
    if (symbol && symbol->kind == Symbol::Frame)
      out.push_back({noSlot, uint32_t(symbol->offset), uint32_t(symbol->size)});
    else if (symbol && symbol->kind == Symbol::Register)
      out.push_back({symbol->slot, 0, bytes(symbol->type)});
    else if (operand.kind == Operand::Integer)
      out.push_back({b.binder.module.constant(operand.bits, 64), 0, 8});
    else
      return fail(Error::Undefined, operand.str());
  }
  return out;
}

/// {(results),} function {, (arguments)} {, prototype}
Status bindCall(Binding &b) {
  const Operand *results = nullptr, *arguments = nullptr, *name = nullptr;
  for (const Operand &operand : b.operands)
    if (operand.kind == Operand::List)
      (name ? arguments : results) = &operand;
    else if (!name)
      name = &operand;
  if (!name || name->kind != Operand::Name)
    return fail(Error::CallSignature, b.modifiers.mnemonic, "a function", "none");
  auto &plan = b.binder.plan<CallPlan>();
  TESSERA_TRY(plan.results, bindPlaces(b, results));
  for (const Place &result : plan.results)
    b.binder.writes(result.slot);
  TESSERA_TRY(plan.arguments, bindPlaces(b, arguments));
  b.out.plan = &plan;
  std::optional<Symbol> symbol = b.binder.find(name->name);
  if (!symbol)
    return fail(Error::Undefined, name->name);
  if (symbol->kind != Symbol::Callable) {
    TESSERA_TRY(b.out.operand[0], b.binder.source(*name, Type::b64));
    return done(b, call);
  }
  plan.callee = symbol->function;
  const Function &f = *symbol->function;
  // nvcc leaves out the array of further arguments where there are none.
  size_t missing = f.parameters.size() - plan.arguments.size();
  if ((missing && !(missing == 1 && f.isVariadic)) || f.results.size() != plan.results.size())
    return fail(Error::CallSignature, name->name,
                cat(f.parameters.size(), " arguments and ", f.results.size(), " results"),
                cat(plan.arguments.size(), " and ", plan.results.size()));
  return done(b, call);
}

Flow nothing(Warp &, const Instruction &, Mask) { return Flow::Next; }
Flow changeRegisters(Warp &w, const Instruction &i, Mask mask) {
  const auto registers = uint32_t(i.immediate[0] >> 1);
  const uint32_t before = w.cta.registers.of(w.index);
  if (!w.cta.registers.change(w.index, registers))
    return w.block(mask, Wait::Registers, registers);
  if (registers < before)
    w.cta.wakeAll(Wait::Registers, 0, true);
  w.tell(
      Synchronize{.what = Synchronize::Registers, .lanes = mask, .id = uint32_t(i.immediate[0])});
  return Flow::Next;
}
Status bindRegisters(Binding &b) {
  b.out.immediate[0] = int64_t(b.operands[0].bits << 1 | uint64_t(b.modifiers.has("inc")));
  return done(b, changeRegisters);
}
/// Grids run one after the other: only observers are told.
template <Fence::What what> Flow depend(Warp &w, const Instruction &, Mask mask) {
  w.tell(Fence{.what = what, .lanes = mask});
  return Flow::Next;
}
Status bindDependency(Binding &b) {
  return done(b, b.modifiers.has("wait") ? depend<Fence::DependenciesEnd>
                                         : depend<Fence::DependentsBegin>);
}
Flow sleep(Warp &w, const Instruction &, Mask) {
  w.yield();
  return Flow::Next;
}

// clang-format off
constexpr InstructionRow rows[] = {
    {"bra ?uni", "label", bindBra, "goes to a label"},
    {"brx idx ?uni", "u32 label", bindBrx, "goes to one of the labels of a .branchtargets"},
    {"call ?uni", "...", bindCall, "calls a function, or the one at an address"},
    {"ret ?uni", "", [](Binding &b) { return done(b, ret); }, "leaves the function; in a kernel the thread ends"},
    {"exit", "", [](Binding &b) { return done(b, +[](Warp &w, const Instruction &, Mask m) { return w.exit(m); }); }, "the thread ends"},
    {"trap", "", [](Binding &b) { return done(b, +[](Warp &w, const Instruction &, Mask m) { return w.fault(std::countr_zero(m), Error::Trap); }); },
     "the kernel ends with an error"},
    {"brkpt", "", [](Binding &b) { return done(b, nothing); }, "nothing: there is no debugger"},
    {"nanosleep u32", "u32", [](Binding &b) { return done(b, sleep); }, "lets others run; no time passes"},
    {"pmevent ?mask", "imm", [](Binding &b) { return done(b, nothing); }, "nothing"},
    {"setmaxnreg inc|dec sync aligned u32", "imm", bindRegisters, "gives registers to the block, or waits until it has them"},
    {"griddepcontrol launch_dependents|wait", "", bindDependency, "nothing: grids run one after the other"},
};
// clang-format on

} // namespace

Executor returnExecutor() { return ret; }

const RowGroup controlRows = {"Control flow", rows};

} // namespace tessera::sim
