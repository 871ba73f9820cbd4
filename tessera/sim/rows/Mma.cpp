// Products of matrices by a warp. PTX ISA 9.7.14.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Mma.h"
#include "tessera/sim/Lanes.h"

#include <map>

namespace tessera::sim {

namespace {

Type typeOf(atom::RegisterType type) {
  using enum atom::RegisterType;
  return type == F64 || type == B64 ? Type::b64 : type == B16 ? Type::b16 : Type::b32;
}
/// One operand's registers, which have to be as many as the row says.
Status registers(Binding &b, size_t which, atom::Registers expected, bool isDestination,
                 std::vector<Slot> &to) {
  const Operand &operand = b.operands[which];
  std::span<const Operand> parts =
      operand.kind == Operand::Vector ? std::span(operand.parts) : std::span(&operand, 1);
  if (parts.size() != expected.count)
    return fail(Error::OperandKind, which + 1, b.modifiers.mnemonic,
                cat(int(expected.count), " registers"), parts.size());
  for (const Operand &part : parts) {
    TESSERA_TRY(Slot slot, isDestination ? b.binder.destination(part, typeOf(expected.type))
                                         : b.binder.source(part, typeOf(expected.type)));
    to.push_back(slot);
  }
  return Done{};
}
/// A register, which may stand in braces: CUTLASS writes metadata and factors so, and ptxas takes
/// it.
Result<Slot> word(Binding &b, const Operand &operand) {
  bool braced = operand.kind == Operand::Vector && operand.parts.size() == 1;
  return b.binder.source(braced ? operand.parts[0] : operand, Type::b32);
}
/// metadata, selector {, scale-a, {byte, thread}, scale-b, {byte, thread}}
Status bindExtras(Binding &b, MmaPlan &plan) {
  size_t next = 4;
  const atom::MmaRow &row = *plan.row;
  size_t expected = 4 + (row.sparsity.isSparse() ? 2u : 0u) + (row.scale.isScaled() ? 4u : 0u);
  if (b.operands.size() != expected)
    return fail(Error::OperandCount, b.modifiers.mnemonic, expected, "d a b c ...",
                b.operands.size());
  if (row.sparsity.isSparse()) {
    TESSERA_TRY(plan.metadataSlot, word(b, b.operands[next++]));
    plan.selector = uint32_t(b.operands[next++].bits);
  }
  for (int which = 0; which < 2 && row.scale.isScaled(); ++which) {
    TESSERA_TRY(plan.scale[which], word(b, b.operands[next++]));
    const Operand &ids = b.operands[next++];
    if (ids.kind != Operand::Vector || ids.parts.size() != 2)
      return fail(Error::OperandKind, next, b.modifiers.mnemonic, "{byte-id, thread-id}",
                  cat("'", ids.str(), "'"));
    TESSERA_TRY(plan.byteId[which], b.binder.source(ids.parts[0], Type::b16));
    TESSERA_TRY(plan.threadId[which], b.binder.source(ids.parts[1], Type::b16));
  }
  return Done{};
}
/// The row with this mnemonic, or null.
const atom::MmaRow *warpMma(std::string_view mnemonic) {
  static const auto rows = [] {
    std::map<std::string, const atom::MmaRow *, std::less<>> out;
    using enum atom::Recipe;
    for (const atom::MmaRow &row : atom::mmaRows())
      if (row.recipe == MmaSync || row.recipe == MmaSparse || row.recipe == BlockScale ||
          row.recipe == BlockScaleSparse)
        out.emplace(row.mnemonic, &row);
    return out;
  }();
  auto found = rows.find(mnemonic);
  if (found == rows.end()) // its words in another order
    found = std::find_if(rows.begin(), rows.end(),
                         [&](const auto &entry) { return sameWords(entry.first, mnemonic); });
  // Where it says no size of the factors' vectors, there is one only. PTX ISA 9.7.14.5.
  for (auto [kind, size] : {std::pair{"mxf8f6f4", "1X"}, {"mxf4", "2X"}})
    if (found == rows.end() && mnemonic.find(cat("kind::", kind, ".")) != mnemonic.npos &&
        mnemonic.find("scale_vec") == mnemonic.npos)
      return warpMma(cat(mnemonic, ".scale_vec::", size));
  return found == rows.end() ? nullptr : found->second;
}

/// The factors of rows (or columns) along K, one for `vec` elements each. PTX ISA 9.7.14.3.
std::vector<double> factors(Warp &w, const MmaPlan &plan, int which) {
  const atom::BlockScale &scale = plan.row->scale;
  int extent = int(which == 0 ? plan.m : plan.n), count = int(plan.k) / scale.vec;
  std::vector<double> out(size_t(extent) * size_t(count), 1.0);
  for (int lane = 0; lane < warpSize; ++lane) {
    uint32_t thread = w.in<uint16_t>(plan.threadId[which])[lane],
             byte = w.in<uint16_t>(plan.byteId[which])[lane];
    if (which == 0 ? uint32_t(lane) % 4 / 2 != thread : uint32_t(lane) % 4 != thread)
      continue;
    int row = which == 0 ? lane / 4 + lane % 2 * 8 : lane / 4;
    for (int f = 0; f < count; ++f) {
      uint32_t code =
          w.in<uint32_t>(plan.scale[which])[lane] >> (8 * ((byte + uint32_t(f)) & 3)) & 255;
      out[size_t(row * count + f)] = number::decode(scale.element, code);
    }
  }
  return out;
}

Flow runMma(Warp &w, const Instruction &i, Mask mask) {
  Flow flow = Flow::Next;
  if (!w.together(mask, allLanes, flow))
    return flow;
  const auto &plan = *static_cast<const MmaPlan *>(i.plan);
  const atom::MmaRow &row = *plan.row;
  Holders holders{{w.registers()}, plan.lanes};
  std::optional<Kept> kept;
  if (row.sparsity.isSparse() && !(kept = keptElements(w, holders, plan)))
    return Flow::Fault;
  std::vector<double> scales[2];
  for (int which : {0, 1})
    if (row.scale.isScaled())
      scales[which] = factors(w, plan, which);
  Panels &panels = panelsOfThread();
  const Slot *a = i.list + plan.c.registers, *b = a + plan.a.registers, *c = b + plan.b.registers;
  for (; holders.shift < 4 * plan.products; holders.shift += 4) {
    panels.a.assign(plan.m * plan.k, 0);
    panels.b.resize(plan.k * plan.n);
    panels.c.resize(plan.m * plan.n);
    gather(holders, row.a, plan.a, a, kept ? &*kept : nullptr, panels.a);
    gather(holders, row.b, plan.b, b, nullptr, panels.b);
    gather(holders, row.c, plan.c, c, nullptr, panels.c);
    multiply(plan, panels, 1, row.scale.isScaled() ? scales : nullptr);
    scatter(holders, plan, i.list, panels);
  }
  return Flow::Next;
}
Status bindMma(Binding &b) {
  const atom::MmaRow *row = warpMma(b.modifiers.mnemonic);
  if (!row)
    return fail(Error::NoAtom, b.modifiers.mnemonic);
  auto &plan = b.binder.plan<MmaPlan>();
  prepare(plan, *row, row->n.first);
  std::vector<Slot> slots;
  bool own = row->d.registers.type != atom::RegisterType::None;
  TESSERA_CHECK(registers(b, 0, own ? row->d.registers : row->c.registers, true, slots));
  TESSERA_CHECK(registers(b, 1, row->a.registers, false, slots));
  TESSERA_CHECK(registers(b, 2, row->b.registers, false, slots));
  TESSERA_CHECK(registers(b, 3, row->c.registers, false, slots));
  TESSERA_CHECK(bindExtras(b, plan));
  b.out.list = b.binder.keep(slots);
  b.out.plan = &plan;
  return done(b, runMma);
}

// clang-format off
constexpr InstructionRow rows[] = {
    {"mma sync aligned ...", "any any any any any? any? any? any? any? any?", bindMma, "d = a * b + c: every row of the atom table in registers"},
    {"mma sp|sp::ordered_metadata sync aligned ...", "any any any any any? any? any? any? any? any?", bindMma, "the same with a sparse a"},
};
// clang-format on

} // namespace

const RowGroup mmaRows = {"Products of matrices by a warp", rows};

} // namespace tessera::sim
