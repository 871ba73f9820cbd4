// Plan: products of warpgroups, of which hardware reads operands in shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/PlanValues.h"

#include "tessera/atom/Registry.h"
#include "tessera/atom/SmemDescriptor.h"
#include "tessera/tile_lower/Elements.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {

/// What a matrix descriptor says of an operand of a warpgroup's product, or nothing if hardware
/// cannot read it. `first` and `count` are the bits of M or N of one instruction, `k0` the first of
/// K.
std::optional<std::pair<uint64_t, atom::Major>> descriptorOf(const Source &source,
                                                             const atom::MmaRow &row,
                                                             const atom::Operand &operand,
                                                             int first, int count, int k0) {
  int64_t bytes = operand.storedBits() / 8;
  if (!source.elementwise.empty() || source.staging->swizzle.isIdentity() ||
      memoryBytes(elementOf(LoadViewTkoOp(source.staging->load).getTile().getType())) != bytes)
    return std::nullopt;
  int kBits = log2Of(row.k);
  // What lies between instructions is added to the address, so the swizzle may not change it.
  for (int bit = 0; bit < int(source.places.size()); ++bit) {
    bool isInside = (bit >= first && bit < first + count) || (bit >= k0 && bit < k0 + kBits);
    if (!isInside && source.places[size_t(bit)] != source.plain[size_t(bit)])
      return std::nullopt;
  }
  layout::Layout rows = modeOf(ArrayRef(source.plain).slice(size_t(first), size_t(count)), bytes);
  layout::Layout along = modeOf(ArrayRef(source.plain).slice(size_t(k0), size_t(kBits)), bytes);
  layout::Layout tile{layout::Tree::of({rows.shape, along.shape}),
                      layout::Tree::of({rows.stride, along.stride})};
  for (atom::Major major : {atom::Major::K, atom::Major::MN}) {
    if (operand.majors != atom::Major::Any && operand.majors != major)
      continue;
    Result<uint64_t> word = atom::smemDescriptor(atom::DescriptorKind::Wgmma, tile,
                                                 source.staging->swizzle, bytes * 8, major);
    if (word)
      return std::pair(*word, major);
  }
  return std::nullopt;
}

} // namespace

/// Products of which B, and A or none, lie in shared memory as they are multiplied.
void Plan::chooseGroups() {
  Result<atom::Target> target = atom::Target::parse(arch);
  if (!target)
    return;
  for (auto &[op, product] : products) {
    const Extents &e = product->extents;
    const Source *lhs = sourceOf(op->getOperand(0)), *rhs = sourceOf(op->getOperand(1));
    constexpr int64_t mostColumns = 256;
    if (!rhs || e.m < 64 || e.n > mostColumns || (lhs && !lhs->elementwise.empty()))
      continue;
    atom::Residency from = lhs ? atom::Residency::Smem : atom::Residency::Rmem;
    for (const atom::MmaRow &row : atom::mmaRows()) {
      bool fits =
          row.recipe == atom::Recipe::Wgmma && !row.sparsity.isSparse() &&
          row.a.element == product->row->a.element && row.b.element == product->row->b.element &&
          row.c.element == product->row->c.element && row.a.where == from &&
          row.overflow == atom::Overflow::Wrapped && row.k <= e.k && row.needs.metBy(*target);
      if (!fits)
        continue;
      Product group = *product;
      group.row = &row;
      BitLayout layout = fragmentOf(group, false);
      int64_t columns = 8;
      for (int8_t bit : layout.registers)
        if (bit >= 3 && bit < log2Of(e.n))
          columns *= 2;
      group.columns = columns;
      if (!row.n.contains(columns) || layout.registerCount() > mostRegisters)
        continue;
      int n = log2Of(e.n), k = log2Of(e.k);
      auto b = descriptorOf(*rhs, row, row.b, 0, log2Of(columns), n);
      if (!b)
        continue;
      std::tie(group.rhsDescriptor, group.rhsMajor) = *b;
      if (lhs) {
        auto a = descriptorOf(*lhs, row, row.a, k, 6, 0);
        if (!a)
          continue;
        std::tie(group.lhsDescriptor, group.lhsMajor) = *a;
      }
      *product = group;
      groupProducts = true;
      break;
    }
  }
}

} // namespace tessera::tile_lower
