// Products of matrices by a warpgroup. PTX ISA 9.7.15.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Lanes.h"
#include "tessera/sim/WarpGroup.h"

#include <algorithm>
#include <map>

namespace tessera::sim {

namespace {

WarpGroup &groupOf(Warp &w) { return w.cta.group(w.index); }

/// f(warp, instruction, lanes) when all of the warp's lanes are here.
template <auto f> Flow aligned(Warp &w, const Instruction &i, Mask mask) {
  Flow flow = Flow::Next;
  return w.together(mask, allLanes, flow) ? f(w, i, mask) : flow;
}
Flow start(Warp &w, const Instruction &i, Mask mask) { return groupOf(w).start(w, i, mask); }
Flow fence(Warp &w, const Instruction &, Mask) {
  w.tell(Fence{.what = Fence::Products});
  return Flow::Next;
}
Flow commit(Warp &w, const Instruction &, Mask) {
  groupOf(w).commit(w);
  return Flow::Next;
}
Flow wait(Warp &w, const Instruction &i, Mask mask) {
  return groupOf(w).wait(w, mask, uint32_t(std::min<int64_t>(i.immediate[0], UINT16_MAX)));
}

/// The row and N of a mnemonic; A in shared memory or in registers makes two rows of it.
struct GroupRow {
  const atom::MmaRow *row = nullptr;
  int n = 0;
};
GroupRow groupRow(std::string_view mnemonic, bool inMemory) {
  static const auto rows = [] {
    std::map<std::pair<std::string, bool>, GroupRow> out;
    for (const atom::MmaRow &row : atom::mmaRows())
      if (row.recipe == atom::Recipe::Wgmma)
        for (int n : row.n.values())
          out[{atom::mnemonicFor(row, n), row.a.where == atom::Residency::Smem}] = {&row, n};
    return out;
  }();
  auto found = rows.find({std::string(mnemonic), inMemory});
  if (found == rows.end()) // its words in another order
    found = std::find_if(rows.begin(), rows.end(), [&](const auto &entry) {
      return entry.first.second == inMemory && sameWords(entry.first.first, mnemonic);
    });
  return found == rows.end() ? GroupRow{} : found->second;
}

/// d, a, b {, metadata, selector}, scale-d {, scale-a, scale-b} {, trans-a} {, trans-b}
class GroupOperands {
public:
  GroupOperands(Binding &b, GroupPlan &plan) : b(b), plan(plan) {}

  Status bind() {
    const atom::MmaRow &row = *plan.row;
    bool inMemory = row.a.where == atom::Residency::Smem,
         real = kindOf(row.a.element) == atom::NumberKind::Float;
    auto isAny = [](const atom::Operand &o) { return size_t(o.majors == atom::Major::Any); };
    size_t expected =
        4 + (row.sparsity.isSparse() ? 2u : 0u) + (real ? 2u : 0u) + isAny(row.a) + isAny(row.b);
    if (b.operands.size() != expected)
      return fail(Error::OperandCount, b.modifiers.mnemonic, expected, "d a b ...",
                  b.operands.size());
    std::vector<Slot> slots;
    TESSERA_CHECK(registers(row.c.registers.at(int64_t(plan.n)), true, slots));
    if (inMemory) {
      TESSERA_TRY(plan.aDescriptor, b.binder.source(b.operands[next++], Type::b64));
    } else
      TESSERA_CHECK(registers(row.a.registers.count, false, slots));
    TESSERA_TRY(plan.bDescriptor, b.binder.source(b.operands[next++], Type::b64));
    if (row.sparsity.isSparse()) {
      TESSERA_TRY(plan.metadataSlot, b.binder.source(b.operands[next++], Type::b32));
      TESSERA_TRY(int64_t selector, immediate(0, row.sparsity.selectors - 1));
      plan.selector = uint32_t(selector);
    }
    TESSERA_TRY(plan.accumulates, b.binder.source(b.operands[next++], Type::pred));
    for (int i = 0; i < 2 && real; ++i) {
      TESSERA_TRY(int64_t sign, immediate(-1, 1));
      plan.sign *= double(sign);
    }
    TESSERA_CHECK(major(row.a, plan.aMajor));
    TESSERA_CHECK(major(row.b, plan.bMajor));
    b.out.list = b.binder.keep(slots);
    return Done{};
  }

private:
  Status registers(int count, bool isDestination, std::vector<Slot> &to) {
    const Operand &operand = b.operands[next++];
    if (operand.kind != Operand::Vector || int(operand.parts.size()) != count)
      return fail(Error::OperandKind, next, b.modifiers.mnemonic, cat(count, " registers"),
                  operand.parts.size());
    for (const Operand &part : operand.parts) {
      TESSERA_TRY(Slot slot, isDestination ? b.binder.destination(part, Type::b32)
                                           : b.binder.source(part, Type::b32));
      to.push_back(slot);
    }
    return Done{};
  }
  Result<int64_t> immediate(int64_t low, int64_t high) {
    const Operand &operand = b.operands[next++];
    auto value = int64_t(operand.bits);
    if (operand.kind != Operand::Integer || value < low || value > high)
      return fail(Error::OperandKind, next, b.modifiers.mnemonic,
                  cat("a number from ", low, " to ", high), cat("'", operand.str(), "'"));
    return value;
  }
  Status major(const atom::Operand &operand, atom::Major &to) {
    if (operand.majors != atom::Major::Any)
      return Done{};
    TESSERA_TRY(int64_t transposed, immediate(0, 1));
    to = transposed ? atom::Major::MN : atom::Major::K;
    return Done{};
  }

  Binding &b;
  GroupPlan &plan;
  size_t next = 0;
};

Status bindGroup(Binding &b) {
  GroupRow found = groupRow(b.modifiers.mnemonic, b.operands[1].kind != Operand::Vector);
  if (!found.row)
    return fail(Error::NoAtom, b.modifiers.mnemonic);
  auto &plan = b.binder.plan<GroupPlan>();
  prepare(plan, *found.row, found.n);
  TESSERA_CHECK(GroupOperands(b, plan).bind());
  b.out.plan = &plan;
  return done(b, aligned<start>);
}

#define OPERANDS "any any any any any? any? any? any? any? any?"
// clang-format off
constexpr InstructionRow rows[] = {
    {"wgmma mma_async sync aligned ...", OPERANDS, bindGroup, "d = a * b + d by four warps: every row of the atom table"},
    {"wgmma mma_async sp sync aligned ...", OPERANDS, bindGroup, "the same with a sparse a"},
    {"wgmma fence sync aligned", "", [](Binding &b) { return done(b, aligned<fence>); }, "orders accesses of registers before wgmma's"},
    {"wgmma commit_group sync aligned", "", [](Binding &b) { return done(b, aligned<commit>); }, "makes a group of the products since the last one"},
    {"wgmma wait_group sync aligned", "imm", [](Binding &b) { return done(b, aligned<wait>); }, "waits for all but the latest n groups of products"},
};
// clang-format on
#undef OPERANDS

} // namespace

const RowGroup groupRows = {"Products of matrices by a warpgroup", rows};

} // namespace tessera::sim
