// Gives the operands of instructions their slots: registers, numbers, addresses, lists.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Binder.h"

#include "tessera/sim/Number.h"

namespace tessera::sim {

Reason Binder::wrongKind(const Operand &operand, std::string_view expected) {
  return fail(Error::OperandKind, operandIndex + 1, mnemonic, expected,
              cat("'", operand.str(), "'"));
}

/// The bits of a number in a type. Integers stand for themselves in untyped and 16-bit registers.
Slot Binder::literal(const Operand &operand, Type type) {
  bool real = operand.kind == Operand::Double, integer = operand.kind == Operand::Integer;
  double value = real      ? std::bit_cast<double>(operand.bits)
                 : integer ? double(int64_t(operand.bits))
                           : double(std::bit_cast<float>(uint32_t(operand.bits)));
  uint64_t code = operand.bits;
  if (type == Type::f64 || (!integer && bits(type) == 64))
    code = real || integer ? std::bit_cast<uint64_t>(value) : operand.bits;
  else if (type == Type::f32 || (real && bits(type) == 32))
    code = real || integer ? std::bit_cast<uint32_t>(float(value)) : operand.bits;
  else if (real && bits(type) == 16)
    code =
        number::encode(type == Type::bf16 ? number::Format::bf16 : number::Format::f16, value, {});
  return module.constant(code, bits(type));
}

Result<Slot> Binder::named(const Operand &operand, Type type, bool loose, uint8_t *width) {
  Type special = Type::b32;
  Instruction i;
  if (operand.name == "WARP_SZ")
    return module.constant(warpSize, bits(type));
  if ((i.run = specialRegister(operand.name, special))) {
    module.program.usesReserved |= operand.name.starts_with("%reserved_smem");
    if ((special == Type::pred) != (type == Type::pred))
      return wrongKind(operand,
                       type == Type::pred ? "a predicate" : "a register that is not a predicate");
    // A 64-bit register may be read in 32 bits (%clock64 has its own name), and a 32-bit one in 64.
    i.modes.to = loose ? special : bitsOf(bits(type));
    i.operand[0] = scratch(i.modes.to);
    emit(i);
    if (width)
      *width = uint8_t(bytes(i.modes.to));
    return i.operand[0];
  }
  std::optional<Symbol> symbol = find(operand.name);
  if (!symbol)
    return fail(Error::Undefined, operand.name);
  if (symbol->kind == Symbol::Register) {
    int have = bits(symbol->type), need = bits(type);
    if (operand.offset)
      return wrongKind(operand, "a register");
    if (width)
      *width = uint8_t(bytes(symbol->type));
    if (have == need || (loose && have > need && need > 1))
      return symbol->slot;
    return fail(Error::OperandWidth, cat("'", operand.name, "'"), mnemonic, have, name(type), need);
  }
  TESSERA_CHECK(address(operand, i, 1));
  i.run = placeOf(type);
  i.immediate[0] = i.immediate[1];
  i.operand[0] = scratch(bitsOf(bits(type)));
  if (!i.run)
    return wrongKind(operand, "a register of 32 or 64 bits");
  if (width)
    *width = uint8_t(bytes(type));
  emit(i);
  return i.operand[0];
}

Operand Binder::unselected(Operand operand) {
  if (operand.kind == Operand::Name && !find(operand.name))
    operand.name = operand.name.substr(0, operand.name.rfind('.'));
  return operand;
}

Result<Slot> Binder::source(const Operand &operand, Type type, bool loose, uint8_t *width) {
  switch (operand.kind) {
  case Operand::Name: {
    TESSERA_TRY(Slot slot, named(operand, type, loose, width));
    if (!operand.negated)
      return slot;
    if (type != Type::pred)
      return wrongKind(operand, "a value without '!'");
    Instruction invert;
    invert.run = notPredicate();
    invert.operand = {scratch(Type::pred), slot};
    emit(invert);
    return invert.operand[0];
  }
  case Operand::Integer:
  case Operand::Single:
  case Operand::Double:
    if (width)
      *width = uint8_t(bytes(type));
    return type == Type::pred ? module.constant(operand.bits != 0, 1) : literal(operand, type);
  default: return wrongKind(operand, "a register or a number");
  }
}

Result<Slot> Binder::destination(const Operand &operand, Type type, bool loose, uint8_t *width) {
  if (operand.kind == Operand::Sink) {
    if (width)
      *width = uint8_t(bytes(type));
    return scratch(type);
  }
  std::optional<Symbol> symbol = operand.kind == Operand::Name ? find(operand.name) : std::nullopt;
  if (operand.kind == Operand::Name && !symbol)
    return fail(Error::Undefined, operand.name);
  if (!symbol || symbol->kind != Symbol::Register || operand.negated)
    return wrongKind(operand, "a register");
  writes(symbol->slot);
  return named(operand, type, loose, width);
}

/// A base and an offset. The base of a variable is a slot that every frame has.
Status Binder::address(const Operand &operand, Instruction &i, int which) {
  bool isAddress = operand.kind == Operand::Address;
  const Operand &base = isAddress ? operand.parts[0] : operand;
  int64_t &offset = i.immediate[size_t(which)];
  Slot &slot = i.operand[size_t(which)];
  offset = isAddress ? operand.offset : base.offset;
  i.wide[which] = true;
  if (base.kind == Operand::Integer) {
    slot = module.constant(base.bits, 64);
    return Done{};
  }
  std::optional<Symbol> symbol = base.kind == Operand::Name ? find(base.name) : std::nullopt;
  if (!symbol)
    return base.kind == Operand::Name ? fail(Error::Undefined, base.name)
                                      : wrongKind(operand, "an address");
  offset += int64_t(symbol->offset);
  switch (symbol->kind) {
  case Symbol::Register:
    if (bits(symbol->type) != 32 && bits(symbol->type) != 64)
      return wrongKind(operand, "a register of 32 or 64 bits");
    slot = symbol->slot;
    i.wide[which] = bits(symbol->type) == 64;
    return Done{};
  case Symbol::Frame:
    slot = FrameSlots::local;
    i.wide[which] = false;
    if (i.space == Space::Param) // parameters of device functions and their calls
      i.space = Space::Local;
    return Done{};
  case Symbol::Shared:
  case Symbol::DynamicShared:
    slot = symbol->kind == Symbol::Shared ? FrameSlots::shared : FrameSlots::dynamicShared;
    i.wide[which] = false;
    return Done{};
  case Symbol::Global: slot = FrameSlots::global; return Done{};
  case Symbol::EntryParameter: slot = module.constant(0, 64); return Done{};
  case Symbol::Callable: slot = module.constant(window::functions, 64); return Done{};
  }
  return Done{};
}

Status Binder::vector(const Operand &operand, Type type, bool isDestination, bool loose, bool sinks,
                      Instruction &i) {
  std::span<const Operand> parts =
      operand.kind == Operand::Vector ? std::span(operand.parts) : std::span(&operand, 1);
  for (const Operand &part : parts) {
    uint8_t width = uint8_t(bytes(type));
    if (sinks && part.kind == Operand::Sink) {
      listed.push_back(noSlot);
      continue;
    }
    TESSERA_TRY(Slot slot, isDestination ? destination(part, type, loose, &width)
                                         : source(part, type, loose, &width));
    if (part.kind != Operand::Sink)
      i.width = width;
    listed.push_back(slot);
  }
  return Done{};
}

} // namespace tessera::sim
