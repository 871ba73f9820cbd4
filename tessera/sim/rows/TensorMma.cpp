// Products with sums in tensor memory. PTX ISA 9.7.16.10.9.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/TensorMma.h"

#include "tessera/sim/Lanes.h"

namespace tessera::sim {

namespace {

Flow run(Warp &w, const Instruction &i, Mask mask) {
  for (Mask left = mask; left; left &= left - 1)
    if (!multiply(w, *static_cast<const TensorMmaPlan *>(i.plan), std::countr_zero(left)))
      return Flow::Fault;
  return Flow::Next;
}

/// [d], a, b {, [metadata]}, idesc {, [scale-a], [scale-b]} {, {lanes}}, enable-input-d {,
/// scale-input-d or zero-column-mask}
class TensorOperands {
public:
  TensorOperands(Binding &b, TensorMmaPlan &plan) : b(b), plan(plan) {}

  Status bind() {
    TESSERA_CHECK(address(plan.d));
    if (at() && at()->kind == Operand::Address) {
      TESSERA_CHECK(address(plan.aTensor));
    } else
      TESSERA_CHECK(value(plan.a, Type::b64));
    TESSERA_CHECK(value(plan.b, Type::b64));
    if (plan.isSparse)
      TESSERA_CHECK(address(plan.metadata));
    TESSERA_CHECK(value(plan.descriptor, Type::b32));
    if (isBlockScaled(plan.kind)) {
      TESSERA_CHECK(address(plan.scaleA));
      TESSERA_CHECK(address(plan.scaleB));
    }
    if (at() && at()->kind == Operand::Vector && !plan.isWs) {
      size_t expected = 4u * plan.ctas;
      if (at()->parts.size() != expected)
        return fail(Error::OperandKind, next + 1, b.modifiers.mnemonic, cat(expected, " registers"),
                    at()->parts.size());
      for (const Operand &part : at()->parts) {
        TESSERA_TRY(Slot slot, b.binder.source(part, Type::b32));
        plan.disabled.push_back(slot);
      }
      ++next;
    }
    TESSERA_CHECK(value(plan.accumulates, Type::pred));
    bool scales = plan.kind == atom::MmaKind::F16 || plan.kind == atom::MmaKind::Tf32;
    if (at() && scales && !plan.isWs) {
      if (at()->kind != Operand::Integer || at()->bits > 15)
        return fail(Error::OperandKind, next + 1, b.modifiers.mnemonic, "a number from 0 to 15",
                    cat("'", at()->str(), "'"));
      plan.inputShift = int(b.operands[next++].bits);
    }
    if (at() && plan.isWs)
      TESSERA_CHECK(value(plan.zeros, Type::b64));
    return at() ? fail(Error::OperandCount, b.modifiers.mnemonic, next, "[d] a b ...",
                       b.operands.size())
                : Status(Done{});
  }

private:
  const Operand *at() const { return next < b.operands.size() ? &b.operands[next] : nullptr; }
  Status missing() const {
    return fail(Error::OperandCount, b.modifiers.mnemonic, cat("more than ", next), "[d] a b ...",
                b.operands.size());
  }
  Status address(AddressOperand &to) {
    if (!at())
      return missing();
    if (at()->kind != Operand::Address)
      return fail(Error::OperandKind, next + 1, b.modifiers.mnemonic, "an address in brackets",
                  cat("'", at()->str(), "'"));
    return b.binder.address(b.operands[next++], to.operand, 0);
  }
  Status value(Slot &to, Type type) {
    if (!at())
      return missing();
    TESSERA_TRY(to, b.binder.source(b.operands[next++], type));
    return Done{};
  }

  Binding &b;
  TensorMmaPlan &plan;
  size_t next = 0;
};

/// How many elements share a factor: .block16 and .block32, before PTX 8.8 .scale_vec.
struct Scaling {
  atom::MmaKind kind;
  std::string_view word; // "": none of them
  int vec;
};
constexpr Scaling scalings[] = {
    {atom::MmaKind::Mxf8f6f4, "", 32},
    {atom::MmaKind::Mxf8f6f4, "block32", 32},
    {atom::MmaKind::Mxf8f6f4, "scale_vec::1X", 32},
    {atom::MmaKind::Mxf4, "", 32},
    {atom::MmaKind::Mxf4, "block32", 32},
    {atom::MmaKind::Mxf4, "scale_vec::2X", 32},
    {atom::MmaKind::Mxf4nvf4, "block32", 32},
    {atom::MmaKind::Mxf4nvf4, "scale_vec::2X", 32},
    {atom::MmaKind::Mxf4nvf4, "block16", 16},
    {atom::MmaKind::Mxf4nvf4, "scale_vec::4X", 16},
};

Status bindTensorMma(Binding &b) {
  const Modifiers &m = b.modifiers;
  auto &plan = b.binder.plan<TensorMmaPlan>();
  using enum atom::MmaKind;
  for (atom::MmaKind kind : {F16, Tf32, F8f6f4, I8, Mxf8f6f4, Mxf4, Mxf4nvf4})
    if (m.has(cat("kind::", name(kind))))
      plan.kind = kind;
  plan.ctas = m.has("cta_group::2") ? 2 : 1;
  plan.isSparse = m.has("sp");
  plan.isWs = m.has("ws");
  plan.shifts = m.has("ashift");
  bool isScaled = isBlockScaled(plan.kind);
  std::string_view word;
  for (std::string_view each :
       {"block16", "block32", "scale_vec::1X", "scale_vec::2X", "scale_vec::4X"})
    word = m.has(each) ? each : word;
  for (const Scaling &scaling : scalings)
    if (scaling.kind == plan.kind && scaling.word == word)
      plan.vec = scaling.vec;
  if (isScaled != m.has("block_scale") || (isScaled ? !plan.vec : !word.empty()))
    return fail(Error::NoAtom, m.mnemonic);
  TESSERA_CHECK(TensorOperands(b, plan).bind());
  if (plan.shifts && plan.a != noSlot)
    return fail(Error::OperandKind, 2, m.mnemonic, "A in tensor memory, whose rows move,",
                "a descriptor");
  b.out.plan = &plan;
  return done(b, run);
}

#define OPERANDS "any any any any any any? any? any? any?"
#define PLAIN " kind::f16|kind::tf32|kind::f8f6f4|kind::i8"
#define HINTS " ?collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard"
#define SHIFTED " ashift ?collector::a::lastuse|collector::a::discard"
#define VECTORS " ?block16|block32|scale_vec::1X|scale_vec::2X|scale_vec::4X"
// clang-format off
constexpr InstructionRow rows[] = {
    {"tcgen05 mma ?sp cta_group::1|cta_group::2" PLAIN HINTS, OPERANDS, bindTensorMma, "d = a * b + d by a block or a pair, of every type that the descriptor names"},
    {"tcgen05 mma ?sp cta_group::1|cta_group::2" PLAIN SHIFTED, OPERANDS, bindTensorMma, "the same, and then a shift of A, which is in tensor memory"},
    {"tcgen05 mma ?sp cta_group::1|cta_group::2 kind::mxf8f6f4|kind::mxf4|kind::mxf4nvf4 block_scale" VECTORS HINTS, OPERANDS, bindTensorMma,
     "the same with scale factors in tensor memory"},
    {"tcgen05 mma ws ?sp cta_group::1" PLAIN " ?collector::b0::fill|collector::b0::use|collector::b0::lastuse|collector::b0::discard"
     "|collector::b1::fill|collector::b1::use|collector::b1::lastuse|collector::b1::discard|collector::b2::fill|collector::b2::use"
     "|collector::b2::lastuse|collector::b2::discard|collector::b3::fill|collector::b3::use|collector::b3::lastuse|collector::b3::discard", OPERANDS, bindTensorMma,
     "the same of 32, 64 or 128 rows, with columns folded onto free lanes"},
};
// clang-format on

} // namespace

const RowGroup tensorMmaRows = {"Products in tensor memory", rows};

} // namespace tessera::sim
