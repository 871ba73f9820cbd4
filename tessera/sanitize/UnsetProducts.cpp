// Bits that nobody wrote in fragments of matrices: rows and columns of which only a part is kept.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/UnsetPassing.h"
#include "tessera/sim/MatrixPlan.h"
#include "tessera/sim/Mma.h"
#include "tessera/sim/Rows.h"

namespace tessera::sanitize {

using sim::MmaPlan;
using sim::warpSize;
using sim::WmmaPlan;

namespace {

bool isOf(const Instruction &i, const sim::RowGroup &group) {
  return i.row && sim::rowGroups()[i.group].rows.data() == group.rows.data();
}

/// Where an element lies.
struct Place {
  Slot slot;
  int lane;
  uint64_t bits; // of the register
};
Place placeOf(const Slot *registers, size_t bits, size_t value, int lane) {
  const size_t size = bits == 64 ? 64 : 32, bit = value * bits;
  return {registers[bit / size], lane, lowest(bits) << bit % size};
}
/// For a fragment of wmma.
Place placeOf(const Slot *registers, size_t bits, size_t element) {
  return placeOf(registers, bits, element / warpSize, int(element % warpSize));
}
const WmmaPlan &wmmaOf(const Instruction &i) { return *static_cast<const WmmaPlan *>(i.plan); }
Place placeOf(const Instruction &i, size_t element) {
  return placeOf(i.list, WmmaPlan::bitsOf(wmmaOf(i).row.a.element), element);
}

} // namespace

bool movesFragment(const Instruction &i) {
  return isOf(i, sim::wmmaRows) && !wmmaOf(i).product.row;
}
bool isOfFragments(const Instruction &i) {
  if (!isOf(i, sim::mmaRows))
    return isOf(i, sim::wmmaRows);
  const atom::MmaRow &row = *static_cast<const MmaPlan *>(i.plan)->row;
  return !row.sparsity.isSparse() && !row.scale.isScaled();
}

bool loadsMatrices(const Instruction &i) {
  return isOf(i, sim::matrixRows) && i.row->name() == "ldmatrix" &&
         static_cast<const sim::MatrixPlan *>(i.plan)->format == atom::PackedFormat::None;
}

void UnsetRegisters::loadRow(const Instruction &i, int row, uint32_t unset,
                             const UnsetOrigin &origin) {
  const auto &plan = *static_cast<const sim::MatrixPlan *>(i.plan);
  for (size_t k = 0; k < plan.sources.size(); ++k) {
    const sim::MatrixPlan::Source &from = plan.sources[k];
    if (from.lane != row || !(unset >> from.byte & 1))
      continue;
    const size_t byte = k % plan.perLane;
    const Slot slot = i.list[byte / 4];
    const int lane = int(k / plan.perLane);
    load(slot, lane, {at(slot, lane).bits | uint64_t(255) << byte % 4 * 8, false, origin});
  }
}

void UnsetRegisters::loadElement(const Instruction &i, size_t element, const UnsetOrigin &origin) {
  const Place place = placeOf(i, element);
  const UnsetBits before = at(place.slot, place.lane);
  load(place.slot, place.lane,
       {before.bits | place.bits, false, before.bits ? before.origin : origin});
}
UnsetBits UnsetRegisters::elementAt(const Instruction &i, size_t element) const {
  const Place place = placeOf(i, element);
  UnsetBits bits = at(place.slot, place.lane);
  bits.bits = bits.bits & place.bits ? lowest(WmmaPlan::bitsOf(wmmaOf(i).row.a.element)) : 0;
  return bits;
}

/// each('d', f) and so on call f(element, place); elements count by rows. What nobody wrote may be
/// no number at all, so that a product with zero does not drop it.
template <class Each> void UnsetRegisters::product(size_t m, size_t n, size_t k, Each each) {
  std::vector<UnsetBits> rows(m), columns(n), sums(m * n);
  auto note = [this](UnsetBits &of, const Place &place) {
    if (UnsetBits bits = at(place.slot, place.lane); !of.bits && bits.bits & place.bits)
      of = {all, true, bits.origin};
  };
  each('a', [&](size_t e, const Place &place) { note(rows[e / k], place); });
  each('b', [&](size_t e, const Place &place) { note(columns[e % n], place); });
  each('c', [&](size_t e, const Place &place) { note(sums[e], place); });
  each('d', [&](size_t e, const Place &place) {
    const UnsetBits &why = rows[e / n].bits      ? rows[e / n]
                           : columns[e % n].bits ? columns[e % n]
                                                 : sums[e];
    const UnsetBits before = at(place.slot, place.lane);
    const uint64_t bits = (before.bits & ~place.bits) | (why.bits & place.bits);
    load(place.slot, place.lane, {bits, true, why.bits ? why.origin : before.origin});
  });
}

/// Lanes that come alone come again.
std::optional<UnsetUse> UnsetRegisters::fragments(const Instruction &i, Mask active) {
  if (auto use = usedAt(i.operand[0], active)) // an address
    return use;
  if (w.live & ~active)
    return std::nullopt;
  if (isOf(i, sim::mmaRows)) {
    const auto &plan = *static_cast<const MmaPlan *>(i.plan);
    const Slot *a = i.list + plan.c.registers, *b = a + plan.a.registers, *c = b + plan.b.registers;
    for (int shift = 0; shift < 4 * plan.products; shift += 4)
      product(plan.m, plan.n, plan.k, [&](char which, auto f) {
        const bool isA = which == 'a', isB = which == 'b';
        const sim::FragmentTable &table = isA ? plan.a : isB ? plan.b : plan.c;
        const atom::Operand &operand = isA ? plan.row->a : isB ? plan.row->b : plan.row->c;
        const Slot *registers = isA ? a : isB ? b : which == 'c' ? c : i.list;
        for (size_t value = 0; value < table.perLane; ++value)
          for (size_t p = 0; p < table.positions; ++p)
            f(table.at(p, value), placeOf(registers, size_t(operand.storedBits()), value,
                                          plan.lanes[p] % warpSize + shift));
      });
    return std::nullopt;
  }
  const WmmaPlan &plan = wmmaOf(i);
  const MmaPlan &of = plan.product;
  if (of.row) {
    const Slot *a = i.list + plan.registers[0], *b = a + plan.registers[1],
               *c = b + plan.registers[2];
    product(of.m, of.n, of.k, [&](char which, auto f) {
      const bool isA = which == 'a', isB = which == 'b';
      const atom::Operand &operand = isA            ? plan.row.a
                                     : isB          ? plan.row.b
                                     : which == 'c' ? plan.row.c
                                                    : plan.row.d;
      const size_t count = isA ? of.m * of.k : isB ? of.k * of.n : of.m * of.n;
      for (size_t e = 0; e < count; ++e)
        f(e, placeOf(isA            ? a
                     : isB          ? b
                     : which == 'c' ? c
                                    : i.list,
                     WmmaPlan::bitsOf(operand.element), e));
    });
    return std::nullopt;
  }
  if (plan.stride != noSlot)
    if (auto use = usedAt(plan.stride, active))
      return use;
  if (plan.matrix != 'd') // a load fills the fragment
    for (size_t k = 0; k < plan.registers[0]; ++k)
      for (int lane = 0; lane < warpSize; ++lane)
        load(i.list[k], lane, {});
  return std::nullopt;
}

} // namespace tessera::sanitize
