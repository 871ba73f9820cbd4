// Binder: resolves the operands of one function's instructions to slots, addresses and plans.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Program.h"
#include "tessera/sim/Rows.h"

#include <map>
#include <set>
#include <unordered_map>

namespace tessera::sim {

/// The meaning of a name.
struct Symbol {
  enum Kind : uint8_t {
    Register,
    Frame,
    Shared,
    DynamicShared,
    Global,
    EntryParameter,
    Callable
  } kind = Register;
  Slot slot = noSlot; // Register
  Type type = Type::b32;
  uint64_t offset =
      0; // into the frame's local memory, shared memory, the block of globals, the parameters
  uint64_t size = 0; // bytes
  const Function *function = nullptr;
};

/// State that all functions of a module share during decoding.
struct ModuleNames {
  Program &program;
  std::unordered_map<std::string_view, Symbol> symbols;
  std::map<std::pair<uint64_t, int>, Slot> constants;

  /// A slot of the program's constants that holds `value`, of `size` bits, for all 32 lanes.
  Slot constant(uint64_t value, int size);
};

/// The plan of an instruction that makes an operand of the next one: the value of a special
/// register, the address of a variable, a negated predicate.
struct OperandPlan : InstructionParts {};

class Binder {
public:
  Binder(ModuleNames &module, Function &function) : module(module), function(function) {}

  /// Binds one statement that is an instruction: appends its code.
  Status bind(const Statement &);

  //===--- Names ------------------------------------------------------------------------------===//

  Status declare(const Variable &, Symbol);
  /// Declares registers. They get slots when they are first used.
  Status declareRegisters(const Variable &);
  std::optional<Symbol> find(std::string_view name);
  void open() { scopes.push_back({nextScope++, {}, {}}); }
  void close() { scopes.pop_back(); }
  void noteLabel(uint32_t scope, std::string_view name) { labels[{scope, name}] = ~0u; }
  void placeLabel(std::string_view name) {
    labels[{scopes.back().id, name}] = uint32_t(function.code.size());
  }
  void noteTable(std::string_view name, std::vector<Operand> entries) {
    tables[name] = std::move(entries);
  }
  const std::vector<Operand> *findTable(std::string_view name) const;
  /// At the end of the function: writes the positions of labels into the branches that name them,
  /// and notes the registers that nothing writes.
  void patch();

  //===--- For the bind functions of rows -----------------------------------------------------===//

  Result<Slot> source(const Operand &, Type, bool loose = false, uint8_t *width = nullptr);
  Result<Slot> destination(const Operand &, Type, bool loose = false, uint8_t *width = nullptr);
  Status address(const Operand &, Instruction &, int which);
  /// Records that the instruction writes a register.
  void writes(Slot slot) { written.insert(slot); }
  /// An operand without its selector: r1 of r1.b0.
  Operand unselected(Operand);
  /// The elements of `{...}`, or a single register, appended to the instruction's list of
  /// registers. With `sinks` a source may be `_`: noSlot.
  Status vector(const Operand &, Type, bool isDestination, bool loose, bool sinks, Instruction &);
  /// Register space for an unnamed value of a type.
  Slot scratch(Type);
  /// The slots as a list that lives as long as the program.
  const Slot *keep(const std::vector<Slot> &);
  template <class P> P &plan() {
    auto made = std::make_unique<P>();
    P &out = *made;
    module.program.plans.push_back(std::move(made));
    return out;
  }
  /// Emits an instruction that the text does not have before the one that is being bound.
  void emit(Instruction i) {
    static const OperandPlan ofOperand;
    i.line = line;
    i.plan = &ofOperand;
    function.code.push_back(i);
  }
  /// Sets `place` to the position of the label: in a plan, or immediate[0] of the instruction that
  /// is being bound if it is null.
  Status label(std::string_view name, uint32_t *place = nullptr);

  ModuleNames &module;
  Function &function;
  int line = 0;
  std::string_view mnemonic;

private:
  struct NameBlock {
    uint32_t id;
    std::unordered_map<std::string_view, Symbol> symbols;
    std::unordered_map<std::string_view, std::pair<Type, uint32_t>> ranges; // %r: b32, 72
  };
  struct Fixup {
    uint32_t *place; // or null: immediate[0] of
    size_t instruction;
    std::pair<uint32_t, std::string_view> label;
  };

  Status resolve(const InstructionRow &, const Modifiers &, std::span<const Operand>,
                 Instruction &);
  Status attempt(const InstructionRow &, const Modifiers &, const Statement &, Slot guard);
  Result<Slot> named(const Operand &, Type, bool loose, uint8_t *width);
  Slot literal(const Operand &, Type);
  Reason wrongKind(const Operand &, std::string_view expected);

  std::vector<NameBlock> scopes;
  uint32_t nextScope = 0;
  std::map<std::pair<uint32_t, std::string_view>, uint32_t> labels;
  std::unordered_map<std::string_view, std::vector<Operand>> tables;
  std::vector<Fixup> fixups;
  std::vector<Slot> listed;         // of the instruction being bound
  std::vector<Unwritten> registers; // that have a slot
  std::set<Slot> written;
  size_t operandIndex = 0; // for messages
};

/// The executor that reads a special register, or null; sets `type` to its type. PTX ISA 10.
Executor specialRegister(std::string_view name, Type &type);
/// operand[0] = operand[1] + immediate[0]: addresses that are known only when a block runs. The
/// types are modes.to and modes.from.
Executor placeOf(Type to);
/// Returns from the function, or ends the kernel.
Executor returnExecutor();
/// operand[0] = !operand[1], for predicates.
Executor notPredicate();

} // namespace tessera::sim
