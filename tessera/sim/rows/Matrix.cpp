// Matrices between registers and shared memory. PTX ISA 9.7.14.5.15 to .17.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/MatrixPlan.h"

#include "tessera/sim/Lanes.h"
#include "tessera/sim/Mma.h"

#include <algorithm>

namespace tessera::sim {

namespace {

//===--- ldmatrix, stmatrix ------------------------------------------------------------------===//

/// ldmatrix may name the space as shared, shared::cta, or not at all.
const atom::CopyRow *matrixRow(std::string_view mnemonic) {
  std::string text(mnemonic);
  if (size_t at = text.find(".shared::cta"); at != text.npos)
    text.erase(at + 7, 5);
  for (const atom::CopyRow &row : atom::copyRows()) {
    if (row.key.family != atom::CopyFamily::Ldsm && row.key.family != atom::CopyFamily::Stsm)
      continue;
    std::string generic = row.mnemonic;
    generic.erase(generic.find(".shared"), 7);
    if (sameWords(text, row.mnemonic) || sameWords(text, generic))
      return &row;
  }
  return nullptr;
}

void prepare(MatrixPlan &plan, const atom::CopyRow &row) {
  bool loads = row.key.family == atom::CopyFamily::Ldsm;
  layout::CopyAtomLayouts tv = *atom::bitLayouts(row, row.amounts.first);
  std::vector<uint32_t> memory = indicesOf(loads ? tv.src : tv.dst),
                        lanes = indicesOf(loads ? tv.dst : tv.src);
  size_t rowBits = memory.size() / warpSize, laneBits = lanes.size() / warpSize;
  std::vector<MatrixPlan::Source> at(65536 / 8, {255, 0});
  for (size_t lane = 0; lane < warpSize; ++lane)
    for (size_t bit = 0; bit < rowBits; bit += 8)
      if (auto &source = at[memory[lane * rowBits + bit] / 8]; source.lane == 255) {
        source = {uint8_t(lane), uint8_t(bit / 8)};
        plan.rows |= Mask(1) << lane;
      }
  plan.perLane = laneBits / 8;
  plan.format = row.key.format;
  // CuTe's layouts tell where bytes are after its fix-up; the instruction leaves them in this
  // order.
  constexpr size_t interleaved[] = {0, 1, 4, 5, 2, 3, 6, 7};
  bool mixed = row.fixup == atom::Fixup::InterleaveBytes;
  for (size_t lane = 0; lane < warpSize; ++lane)
    for (size_t byte = 0; byte < plan.perLane; ++byte) {
      size_t from = mixed ? byte / 8 * 8 + interleaved[byte % 8] : byte;
      plan.sources.push_back(at[lanes[lane * laneBits + from * 8] / 8]);
    }
}

/// Sixteen packed numbers as bytes. Those of 4 bits are the low ones: products want them in the
/// middle, and CUTLASS moves them there (mma_traits_sm120.hpp, fp4_shift_A).
void widen(atom::PackedFormat format, const std::byte *from, uint8_t (&to)[16]) {
  unpack(format, from, to);
  for (uint8_t &byte : to)
    byte = format == atom::PackedFormat::B4x16P64 ? byte >> 2 : byte;
}

template <bool loads> Flow matrix(Warp &w, const Instruction &i, Mask mask) {
  Flow flow = Flow::Next;
  if (!w.together(mask, allLanes, flow))
    return flow;
  const auto &plan = *static_cast<const MatrixPlan *>(i.plan);
  uint64_t address[warpSize];
  w.addresses(i, 0, address);
  std::byte *place[warpSize] = {};
  uint8_t rows[warpSize][16];
  for (Mask left = plan.rows; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    place[lane] = w.locate(i.space, address[lane], 16, loads ? Access::Read : Access::Write, lane);
    if (!place[lane])
      return Flow::Fault;
    if (loads && plan.format == atom::PackedFormat::None)
      std::memcpy(rows[lane], place[lane], 16);
    else if (loads)
      widen(plan.format, place[lane], rows[lane]);
  }
  for (size_t lane = 0; lane < warpSize; ++lane)
    for (size_t byte = 0; byte < plan.perLane; ++byte) {
      MatrixPlan::Source source = plan.sources[lane * plan.perLane + byte];
      auto *reg = const_cast<uint8_t *>(w.in<uint8_t>(i.list[byte / 4])) + lane * 4 + byte % 4;
      if (loads)
        *reg = rows[source.lane][source.byte];
      else
        place[source.lane][source.byte] = std::byte(*reg);
    }
  return Flow::Next;
}
template <bool loads> Status bindMatrix(Binding &b) {
  const atom::CopyRow *row = matrixRow(b.modifiers.mnemonic);
  if (!row)
    return fail(Error::NoAtom, b.modifiers.mnemonic);
  auto &plan = b.binder.plan<MatrixPlan>();
  prepare(plan, *row);
  if (b.out.listSize * 4u != plan.perLane)
    return fail(Error::OperandKind, loads ? 1 : 2, b.modifiers.mnemonic,
                cat(plan.perLane / 4, " registers"), int(b.out.listSize));
  b.out.plan = &plan;
  return done(b, matrix<loads>);
}

/// Row r of the 8x8 matrix lies in lanes 4r to 4r+3, two numbers each.
Flow movmatrix(Warp &w, const Instruction &i, Mask mask) {
  Flow flow = Flow::Next;
  if (!w.together(mask, allLanes, flow))
    return flow;
  const uint16_t *a = w.in<uint16_t>(i.operand[1]);
  uint32_t result[warpSize];
  for (int lane = 0; lane < warpSize; ++lane) {
    auto element = [&](int column) { return uint32_t(a[column * 8 + lane / 4]); };
    result[lane] = element(lane % 4 * 2) | element(lane % 4 * 2 + 1) << 16;
  }
  w.put(i.operand[0], result, mask);
  return Flow::Next;
}

// clang-format off
constexpr InstructionRow rows[] = {
    {"ldmatrix sync aligned ...", "=b32{} addr", bindMatrix<true>, "matrices from shared memory: every row of the atom table"},
    {"stmatrix sync aligned ...", "addr b32{}", bindMatrix<false>, "matrices to shared memory"},
    {"movmatrix sync aligned m8n8 trans b16", "=b32 b32", [](Binding &b) { return done(b, movmatrix); }, "a matrix transposed"},
};
// clang-format on

} // namespace

const RowGroup matrixRows = {"Matrices in shared memory", rows};

} // namespace tessera::sim
