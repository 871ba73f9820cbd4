// Matches operands with a row's signature and gives them slots.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Binder.h"

#include "tessera/sim/Forms.h"
#include "tessera/sim/Number.h"

#include <algorithm>
#include <cstring>

namespace tessera::sim {

namespace {

constexpr uint32_t slotBytes(Type type) { return type == Type::pred ? 4 : bytes(type) * warpSize; }

} // namespace

Slot ModuleNames::constant(uint64_t value, int size) {
  if (size < 64)
    value &= (uint64_t(1) << size) - 1;
  auto [found, isNew] = constants.try_emplace({value, size}, 0);
  if (!isNew)
    return found->second;
  std::vector<std::byte> &pool = program.constants;
  size_t at = (pool.size() + 63) / 64 * 64, step = size == 1 ? 4 : size_t(size) / 8;
  Mask all = value ? allLanes : 0;
  pool.resize(at + (size == 1 ? 4 : step * warpSize));
  if (size == 1)
    std::memcpy(&pool[at], &all, 4);
  else
    for (size_t lane = 0; lane < warpSize; ++lane)
      std::memcpy(&pool[at + lane * step], &value, std::min<size_t>(step, 8));
  return found->second = Slot(at) | 1;
}

//===--- Names -------------------------------------------------------------------------------===//

Status Binder::declare(const Variable &variable, Symbol symbol) {
  if (!scopes.back().symbols.emplace(variable.name, symbol).second)
    return fail(Error::Redefined, variable.name);
  return Done{};
}

Status Binder::declareRegisters(const Variable &variable) {
  if (variable.vector > 1) {
    // The elements of a vector register are registers of their own: v.x, v.y, v.z, v.w.
    for (int i = 0; i < variable.vector; ++i) {
      module.program.names.push_back(cat(variable.name, ".", std::string(1, "xyzw"[i & 3])));
      Variable part = variable;
      part.vector = 1;
      part.name = module.program.names.back();
      TESSERA_CHECK(declareRegisters(part));
    }
    return Done{};
  }
  if (!variable.count)
    return declare(variable, {Symbol::Register, noSlot, variable.type});
  if (!scopes.back().ranges.emplace(variable.name, std::pair(variable.type, variable.count)).second)
    return fail(Error::Redefined, variable.name);
  return Done{};
}

std::optional<Symbol> Binder::find(std::string_view name) {
  std::string_view digits = name;
  size_t stem = name.size();
  while (stem > 0 && name[stem - 1] >= '0' && name[stem - 1] <= '9')
    --stem;
  digits.remove_prefix(stem);
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    auto found = scope->symbols.find(name);
    if (found == scope->symbols.end() && !digits.empty() && digits.size() < 9) {
      auto range = scope->ranges.find(name.substr(0, stem));
      uint32_t number = 0;
      for (char c : digits)
        number = number * 10 + uint32_t(c - '0');
      bool plain = digits.size() == 1 || digits[0] != '0';
      if (range != scope->ranges.end() && plain && number < range->second.second)
        found = scope->symbols.emplace(name, Symbol{Symbol::Register, noSlot, range->second.first})
                    .first;
    }
    if (found == scope->symbols.end())
      continue;
    Symbol &symbol = found->second;
    if (symbol.kind == Symbol::Register && symbol.slot == noSlot) {
      symbol.slot = scratch(symbol.type);
      registers.push_back({std::string(name), symbol.slot, bits(symbol.type)});
    }
    return symbol;
  }
  auto found = module.symbols.find(name);
  return found == module.symbols.end() ? std::nullopt : std::optional(found->second);
}

const std::vector<Operand> *Binder::findTable(std::string_view name) const {
  auto found = tables.find(name);
  return found == tables.end() ? nullptr : &found->second;
}

Slot Binder::scratch(Type type) {
  uint32_t size = slotBytes(type), align = std::min(size, 64u);
  uint32_t at = (function.registerBytes + align - 1) / align * align;
  function.registerBytes = at + size;
  return at;
}

const Slot *Binder::keep(const std::vector<Slot> &slots) {
  auto &list = module.program.lists.emplace_back(std::make_unique<Slot[]>(slots.size()));
  std::copy(slots.begin(), slots.end(), list.get());
  return list.get();
}

Status Binder::label(std::string_view name, uint32_t *place) {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    if (labels.count({scope->id, name})) {
      fixups.push_back({place, function.code.size(), {scope->id, name}});
      return Done{};
    }
  return fail(Error::Undefined, name);
}

void Binder::patch() {
  std::copy_if(registers.begin(), registers.end(), std::back_inserter(function.unwritten),
               [&](const Unwritten &r) { return !written.contains(r.slot); });
  for (const Fixup &fixup : fixups)
    if (fixup.place)
      *fixup.place = labels[fixup.label];
    else
      function.code[fixup.instruction].immediate[0] = labels[fixup.label];
}

//===--- Instructions ------------------------------------------------------------------------===//

Status Binder::resolve(const InstructionRow &row, const Modifiers &modifiers,
                       std::span<const Operand> operands, Instruction &i) {
  std::vector<OperandItem> items = operandItems(row.operands);
  size_t needed = size_t(std::count_if(items.begin(), items.end(),
                                       [](const OperandItem &item) { return !item.optional; }));
  bool rest = !items.empty() && items.back().what == "...";
  if (operands.size() < needed - rest || (operands.size() > items.size() && !rest))
    return fail(Error::OperandCount, mnemonic,
                rest                     ? cat("at least ", needed - 1)
                : needed == items.size() ? cat(needed)
                                         : cat(needed, " to ", items.size()),
                row.operands, operands.size());
  size_t next = 0; // slot
  int addresses = 0, immediates = 0;
  for (operandIndex = 0; operandIndex < operands.size(); ++operandIndex) {
    const OperandItem &item = items[std::min(operandIndex, items.size() - 1)];
    const Operand *operand = &operands[operandIndex];
    if (item.what == "..." || item.what == "any" || item.what == "label")
      continue;
    if (item.what == "imm") {
      if (operand->kind != Operand::Integer)
        return wrongKind(*operand, "an integer");
      i.immediate[size_t(addresses ? 1 : immediates++ & 1)] = int64_t(operand->bits);
      continue;
    }
    if (item.what == "addr") {
      if (operand->kind != Operand::Address)
        return wrongKind(*operand, "an address in brackets");
      TESSERA_CHECK(address(*operand, i, addresses++));
      next = std::max(next, size_t(addresses));
      continue;
    }
    Type type = typeOf(item.what, modifiers);
    if (item.list) {
      TESSERA_CHECK(vector(*operand, type, item.destination, item.loose, item.sinks, i));
      continue;
    }
    const Operand *second = nullptr;
    Operand bare;
    if (item.selected)
      operand = &(bare = unselected(*operand));
    if (item.pair && operand->kind == Operand::Pair) {
      second = &operand->parts[1];
      operand = &operand->parts[0];
    }
    if (next < i.operand.size()) {
      uint8_t width = 0;
      TESSERA_TRY(i.operand[next], item.destination
                                       ? destination(*operand, type, item.loose, &width)
                                       : source(*operand, type, item.loose, &width));
      i.modes.widths[next == 0 ? 0 : 1] = width;
      ++next;
    }
    if (item.pair) {
      if (second) {
        TESSERA_TRY(i.operand[next], destination(*second, Type::pred));
      }
      ++next;
    }
  }
  return Done{};
}

namespace {
uint8_t groupOf(const InstructionRow &row) {
  auto holds = [&](const RowGroup &group) {
    return &row >= group.rows.data() && &row < group.rows.data() + group.rows.size();
  };
  std::span<const RowGroup> groups = rowGroups();
  return uint8_t(std::find_if(groups.begin(), groups.end(), holds) - groups.begin());
}

/// Reads order and scope, with the defaults of atomics, fences and volatile accesses. PTX ISA 8.3
/// and 8.5.
void readOrder(const Modifiers &m, Instruction &i) {
  std::string_view name = m.words[0];
  bool atomic = name == "atom" || name == "red" || (name == "multimem" && m.words[1] == "red"),
       fence = name == "fence" || name == "membar";
  constexpr Order orders[] = {Order::Relaxed, Order::Relaxed,        Order::Acquire,
                              Order::Release, Order::AcquireRelease, Order::Relaxed};
  int order = m.pick({"relaxed", "volatile", "acquire", "release", "acq_rel", "mmio"}, -1);
  i.order = order >= 0 ? orders[order]
            : atomic   ? Order::Relaxed
            : fence    ? Order::AcquireRelease
                       : Order::Weak;
  constexpr Scope scopes[] = {Scope::Cta, Scope::Cluster};
  int scope = m.pick({"cta", "cluster"}, -1);
  i.scope = scope >= 0 ? scopes[scope] : Scope::Gpu;
  i.aligned = m.has("aligned") || (name == "bar" && !m.has("warp"));
}
} // namespace

Status Binder::attempt(const InstructionRow &row, const Modifiers &modifiers,
                       const Statement &statement, Slot guard) {
  Instruction i;
  i.guard = guard;
  i.guardNegated = statement.guardNegated;
  i.line = line;
  i.usedBytes = statement.usedBytes;
  i.modes.to = modifiers.type(0);
  i.modes.from = modifiers.type();
  constexpr std::pair<std::string_view, Space> spaces[] = {
      {"global", Space::Global},      {"shared", Space::Shared},
      {"shared::cta", Space::Shared}, {"shared::cluster", Space::Shared},
      {"local", Space::Local},        {"const", Space::Global},
      {"param", Space::Param},        {"param::entry", Space::Param},
      {"param::func", Space::Param}};
  for (auto [word, space] : spaces)
    if (modifiers.has(word) && i.space == Space::Generic)
      i.space = space;
  readOrder(modifiers, i);
  i.group = groupOf(row);
  i.row = &row;
  listed.clear();
  TESSERA_CHECK(resolve(row, modifiers, statement.operands, i));
  if (!listed.empty()) {
    i.list = keep(listed);
    i.listSize = uint8_t(std::min<size_t>(listed.size(), 255));
  }
  Binding binding{i, modifiers, statement.operands, *this};
  TESSERA_CHECK(row.bind(binding));
  if (!i.run)
    return fail(Error::Instruction, mnemonic);
  function.code.push_back(i);
  return Done{};
}

/// Rows of the same form differ in their operands: the first one that accepts them is chosen. If
/// none does, one with that number of operands gives the reason.
Status Binder::bind(const Statement &statement) {
  line = statement.line;
  mnemonic = statement.name;
  Modifiers modifiers = modifiersOf(statement.name);
  TESSERA_TRY(std::vector<FoundRow> rows, findRows(modifiers));
  Slot guard = noSlot;
  if (!statement.guard.empty()) {
    Operand operand;
    operand.kind = Operand::Name;
    operand.name = statement.guard;
    TESSERA_TRY(guard, source(operand, Type::pred));
  }
  Status status = Done{};
  for (const auto &[row, ordered] : rows) {
    size_t emitted = function.code.size();
    Status tried = attempt(*row, ordered, statement, guard);
    if (tried) {
      ++module.program.rowUses[row];
      return tried;
    }
    function.code.resize(emitted);
    if (status || status.reason().id == errors[size_t(Error::OperandCount)].id)
      status = std::move(tried);
  }
  return status;
}

} // namespace tessera::sim
