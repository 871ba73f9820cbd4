// Products of matrices in fragments whose layout is not specified. PTX ISA 9.7.14.4. Here element e
// of a matrix, counted by rows, is value e / 32 of lane e % 32; values lie packed in the first
// registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Lanes.h"
#include "tessera/sim/Mma.h"

#include <charconv>

namespace tessera::sim {

namespace {

/// m, n and k of a word such as m16n16k16.
bool readShape(std::string_view word, MmaPlan &to) {
  size_t *extents[] = {&to.m, &to.n, &to.k};
  for (size_t i = 0; i < 3; ++i) {
    if (!word.starts_with("mnk"[i]))
      return false;
    word.remove_prefix(1);
    auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), *extents[i]);
    if (error != std::errc())
      return false;
    word.remove_prefix(size_t(end - word.data()));
  }
  return word.empty();
}
atom::Element elementOf(std::string_view text) {
  return number::findPtx(text).value_or(atom::Element::none);
}

/// The code of an element of a fragment.
struct FragmentView {
  const RegisterFile &file;
  const Slot *registers;
  size_t bits;

  uint64_t get(size_t e) const {
    size_t lane = e % warpSize, bit = e / warpSize * bits;
    if (bits == 64)
      return file.in<uint64_t>(registers[bit / 64])[lane];
    uint32_t word = file.in<uint32_t>(registers[bit / 32])[lane];
    return bits == 32 ? word : word >> bit % 32 & ((1u << bits) - 1);
  }
  void put(size_t e, uint64_t code) const {
    size_t lane = e % warpSize, bit = e / warpSize * bits;
    if (bits == 64) {
      file.out<uint64_t>(registers[bit / 64])[lane] = code;
      return;
    }
    uint32_t &word = file.out<uint32_t>(registers[bit / 32])[lane];
    uint32_t ones = bits == 32 ? ~0u : (1u << bits) - 1;
    word = (word & ~(ones << bit % 32)) | (uint32_t(code) & ones) << bit % 32;
  }
};

/// operand[0]: the address; list: the fragment.
template <bool loads> Flow move(Warp &w, const Instruction &i, Mask mask) {
  Flow flow = Flow::Next;
  if (!w.together(mask, allLanes, flow))
    return flow;
  const auto &plan = *static_cast<const WmmaPlan *>(i.plan);
  uint64_t address[warpSize];
  w.addresses(i, 0, address);
  size_t bits = WmmaPlan::bitsOf(plan.row.a.element),
         along = plan.byColumns ? plan.rows : plan.columns;
  size_t stride = plan.stride == noSlot ? along : w.uniform<uint32_t>(plan.stride, mask);
  FragmentView fragment{w.registers(), i.list, bits};
  for (size_t e = 0; e < plan.rows * plan.columns; ++e) {
    size_t row = e / plan.columns, column = e % plan.columns;
    size_t bit = (plan.byColumns ? column * stride + row : row * stride + column) * bits,
           lane = e % warpSize;
    std::byte *at = w.locate(i.space, address[0] + bit / 8, uint32_t(std::max<size_t>(bits / 8, 1)),
                             loads ? Access::Read : Access::Write, int(lane));
    if (!at)
      return Flow::Fault;
    uint64_t code = loads ? 0 : fragment.get(e);
    if (loads) {
      std::memcpy(&code, at, std::max<size_t>(bits / 8, 1));
      fragment.put(e, code >> bit % 8);
    } else
      std::memcpy(at, &code, bits / 8); // sums are of whole bytes
  }
  return Flow::Next;
}

Flow multiplyFragments(Warp &w, const Instruction &i, Mask mask) {
  Flow flow = Flow::Next;
  if (!w.together(mask, allLanes, flow))
    return flow;
  const auto &plan = *static_cast<const WmmaPlan *>(i.plan);
  Panels &x = panelsOfThread();
  auto read = [&](const atom::Operand &operand, const Slot *registers, size_t count,
                  std::vector<double> &to) {
    FragmentView fragment{w.registers(), registers, WmmaPlan::bitsOf(operand.element)};
    to.resize(count);
    for (size_t e = 0; e < count; ++e) {
      uint64_t code = fragment.get(e);
      decode(operand, reinterpret_cast<const std::byte *>(&code), 1, &to[e]);
    }
  };
  const MmaPlan &p = plan.product;
  const Slot *d = i.list, *a = d + plan.registers[0], *b = a + plan.registers[1],
             *c = b + plan.registers[2];
  read(plan.row.a, a, p.m * p.k, x.a);
  read(plan.row.b, b, p.k * p.n, x.b);
  read(plan.row.c, c, p.m * p.n, x.c);
  multiply(p, x);
  FragmentView result{w.registers(), d, WmmaPlan::bitsOf(plan.row.d.element)};
  for (size_t e = 0; e < p.m * p.n; ++e)
    result.put(e, x.d[e]);
  return Flow::Next;
}

/// How many registers a fragment has: as many as its elements need, and for f16 operands of
/// m16n16k16 and the like twice as many.
size_t registersOf(char matrix, atom::Element element, const MmaPlan &p) {
  if (element == atom::Element::f16 && (matrix == 'a' || matrix == 'b'))
    return 8;
  size_t elements = matrix == 'a'   ? p.m * p.k
                    : matrix == 'b' ? p.k * p.n
                                    : p.m * p.n,
         bits = WmmaPlan::bitsOf(element);
  return std::max<size_t>(1, elements / warpSize * bits / (bits == 64 ? 64 : 32));
}
Status fragment(Binding &b, size_t which, atom::Element element, size_t count, bool isDestination,
                std::vector<Slot> &to) {
  const Operand &operand = b.operands[which];
  std::span<const Operand> parts =
      operand.kind == Operand::Vector ? std::span(operand.parts) : std::span(&operand, 1);
  if (parts.size() != count)
    return fail(Error::OperandKind, which + 1, b.modifiers.mnemonic, cat(count, " registers"),
                parts.size());
  Type type = WmmaPlan::bitsOf(element) == 64 ? Type::b64 : Type::b32;
  for (const Operand &part : parts) {
    TESSERA_TRY(Slot slot,
                isDestination ? b.binder.destination(part, type) : b.binder.source(part, type));
    to.push_back(slot);
  }
  return Done{};
}
/// The word that is a shape, or npos.
size_t shapeAt(const Modifiers &m, MmaPlan &to) {
  for (size_t i = 0; i < m.words.size(); ++i)
    if (readShape(m.words[i], to))
      return i;
  return std::string_view::npos;
}

/// wmma.load: fragment, [address] {, stride}; wmma.store: the other way round.
template <bool loads> Status bindMove(Binding &b) {
  const Modifiers &m = b.modifiers;
  auto &plan = b.binder.plan<WmmaPlan>();
  plan.matrix = m.words[2][0];
  atom::Element element = elementOf(m.words.back());
  if (shapeAt(m, plan.product) == std::string_view::npos || element == atom::Element::none)
    return fail(Error::NoAtom, m.mnemonic);
  const MmaPlan &p = plan.product;
  plan.rows = plan.matrix == 'b' ? p.k : p.m;
  plan.columns = plan.matrix == 'a' ? p.k : p.n;
  plan.byColumns = m.has("col");
  plan.row.a.element = element;
  size_t at = loads ? 1 : 0;
  if (b.operands[at].kind != Operand::Address)
    return fail(Error::OperandKind, at + 1, m.mnemonic, "an address in brackets",
                cat("'", b.operands[at].str(), "'"));
  std::vector<Slot> list;
  TESSERA_CHECK(fragment(b, 1 - at, element, registersOf(plan.matrix, element, p), loads, list));
  TESSERA_CHECK(b.binder.address(b.operands[at], b.out, 0));
  if (b.operands.size() == 3) {
    TESSERA_TRY(plan.stride, b.binder.source(b.operands[2], Type::b32));
  }
  plan.registers[0] = list.size();
  b.out.list = b.binder.keep(list);
  b.out.plan = &plan;
  return done(b, move<loads>);
}

/// d, a, b, c. After the shape stand the types of d and c, or of d, a, b and c.
Status bindProduct(Binding &b) {
  const Modifiers &m = b.modifiers;
  auto &plan = b.binder.plan<WmmaPlan>();
  std::vector<atom::Element> elements;
  for (size_t i = shapeAt(m, plan.product); i < m.words.size(); ++i)
    if (atom::Element element = elementOf(m.words[i]); element != atom::Element::none)
      elements.push_back(element);
  if (elements.size() != 2 && elements.size() != 4)
    return fail(Error::NoAtom, m.mnemonic);
  bool all = elements.size() == 4;
  const atom::Element types[] = {elements[0], all ? elements[1] : atom::Element::f16,
                                 all ? elements[2] : atom::Element::f16, elements.back()};
  atom::Operand *operands[] = {&plan.row.d, &plan.row.a, &plan.row.b, &plan.row.c};
  std::vector<Slot> list;
  for (size_t i = 0; i < 4; ++i) {
    operands[i]->element = types[i];
    plan.registers[i] = registersOf("dabc"[i], types[i], plan.product);
    TESSERA_CHECK(fragment(b, i, types[i], plan.registers[i], i == 0, list));
  }
  plan.row.overflow = m.has("satfinite") ? atom::Overflow::Satfinite : atom::Overflow::Wrapped;
  plan.row.bitOp = m.has("popc") ? (m.has("and") ? atom::BitOp::AndPopc : atom::BitOp::XorPopc)
                                 : atom::BitOp::None;
  plan.product.row = &plan.row;
  plan.product.chunk = types[1] == atom::Element::tf32 ? 4 : 0;
  b.out.list = b.binder.keep(list);
  b.out.plan = &plan;
  return done(b, multiplyFragments);
}

#define SHAPES " m16n16k16|m32n8k16|m8n32k16|m16n16k8|m8n8k4|m8n8k32|m8n8k128"
#define SPACES " ?global|shared|shared::cta|shared::cluster"
// clang-format off
constexpr InstructionRow rows[] = {
    {"wmma load a|b|c sync aligned row|col" SHAPES SPACES " f16|bf16|tf32|f32|f64|s8|u8|s4|u4|b1|s32", "any any b32?", bindMove<true>, "a matrix from memory as a fragment"},
    {"wmma store d sync aligned row|col" SHAPES SPACES " f16|f32|f64|s32", "any any b32?", bindMove<false>, "a fragment to memory"},
    {"wmma mma sync aligned row|col row|col" SHAPES " ...", "any any any any", bindProduct, "d = a * b + c of fragments"},
    {"wmma mma xor|and popc sync aligned row col m8n8k128 ...", "any any any any", bindProduct, "the same, counting single bits"},
};
// clang-format on
#undef SHAPES
#undef SPACES

} // namespace

const RowGroup wmmaRows = {"Products of fragments", rows};

} // namespace tessera::sim
