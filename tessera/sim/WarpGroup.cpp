// Collects the warps of a group, and multiplies matrices in shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/WarpGroup.h"

#include "tessera/sim/SharedMatrix.h"

namespace tessera::sim {

Flow WarpGroup::start(Warp &w, const Instruction &i, Mask mask) {
  const auto &plan = *static_cast<const GroupPlan *>(i.plan);
  Member &member = members[w.index % size];
  int lane = std::countr_zero(mask);
  auto uniform = [&](Slot slot) { return slot == noSlot ? 0 : w.uniform<uint64_t>(slot, mask); };
  Mask says = plan.accumulates == noSlot ? allLanes : w.predicate(plan.accumulates);
  Product mine{
      &i, {}, uniform(plan.aDescriptor), uniform(plan.bDescriptor), bool(says >> lane & 1)};
  for (Mask left = mask; left; left &= left - 1) {
    int other = std::countr_zero(left);
    bool same = plan.aDescriptor == noSlot || w.in<uint64_t>(plan.aDescriptor)[other] == mine.a;
    if (!same || w.in<uint64_t>(plan.bDescriptor)[other] != mine.b ||
        (says >> other & 1) != mine.accumulates)
      return w.fault(other, Error::GroupDiffers, w.index, w.index);
  }
  if (!w.tell(AsyncWork{.what = AsyncWork::Begin,
                        .by = Agent::Group,
                        .lane = lane,
                        .number = member.started + 1,
                        .instruction = &i}))
    return Flow::Fault;
  uint64_t at = member.started++ - made;
  if (at == products.size())
    products.push_back(mine);
  Product &product = products[at];
  if (product.instruction != &i || product.a != mine.a || product.b != mine.b ||
      product.accumulates != mine.accumulates)
    return w.fault(lane, Error::GroupDiffers, w.index / size * size, w.index);
  product.frames[w.index % size] = w.frame;
  if (product.isWhole()) {
    if (w.observer && !noteReads(w, product, member.started))
      return Flow::Fault;
    w.cta.wakeAll(Wait::Group, w.index / size, true);
  }
  return w.grid.limits.lateCopies || make(w, ~uint64_t(0)) ? Flow::Next : Flow::Fault;
}

void WarpGroup::commit(Warp &w) {
  Member &member = members[w.index % size];
  member.groups.push_back(member.started);
}

Flow WarpGroup::wait(Warp &w, Mask mask, uint32_t left) {
  Member &member = members[w.index % size];
  if (member.groups.size() <= left)
    return Flow::Next;
  uint64_t end = member.groups[member.groups.size() - 1 - left];
  if (made < end && !make(w, end))
    return Flow::Fault;
  if (made < end)
    return w.block(mask, Wait::Group, w.index / size);
  w.tell(AsyncWork{
      .what = AsyncWork::End, .by = Agent::Group, .lane = std::countr_zero(mask), .number = end});
  member.groups.erase(member.groups.begin(), member.groups.end() - left);
  return Flow::Next;
}

bool WarpGroup::needs(const Frame *frame) const {
  for (const Product &product : products)
    if (std::find(product.frames.begin(), product.frames.end(), frame) != product.frames.end())
      return true;
  return false;
}

bool WarpGroup::make(Warp &w, uint64_t end) {
  for (; made < end && !products.empty() && products.front().isWhole();
       ++made, products.pop_front())
    if (!multiply(w, products.front()))
      return false;
  return true;
}

bool WarpGroup::noteReads(Warp &w, const Product &product, uint64_t number) {
  const auto &plan = *static_cast<const GroupPlan *>(product.instruction->plan);
  const atom::MmaRow &row = *plan.row;
  auto noteFor = [&](uint32_t address, Mask warps) {
    return w.tell(ProductRead{address, SharedMatrix::unitBytes, number, warps});
  };
  // Each warp multiplies its 16 rows of A, those of its sums (PTX ISA 9.7.15.5.1), by all of B.
  auto noteA = [&](const std::byte *, uint32_t address, size_t r, size_t unit) {
    size_t m = plan.aMajor == atom::Major::K
                   ? r
                   : unit * SharedMatrix::unitBytes * 8 / size_t(row.a.storedBits());
    return noteFor(address, Mask(1) << m * size / plan.m);
  };
  auto noteB = [&](const std::byte *, uint32_t address, size_t, size_t) {
    return noteFor(address, (Mask(1) << size) - 1);
  };
  size_t k = row.sparsity.isSparse() ? plan.k / 2 : plan.k;
  SharedMatrix a(w, w.cta, atom::DescriptorKind::Wgmma, row.a, plan.aMajor),
      b(w, w.cta, atom::DescriptorKind::Wgmma, row.b, plan.bMajor);
  return (plan.aDescriptor == noSlot || a.units(product.a, plan.m, k, noteA)) &&
         b.units(product.b, plan.n, plan.k, noteB);
}

bool WarpGroup::multiply(Warp &w, const Product &product) {
  const auto &plan = *static_cast<const GroupPlan *>(product.instruction->plan);
  w.blamed = product.instruction->line;
  const atom::MmaRow &row = *plan.row;
  const Slot *registers = product.instruction->list;
  Holders holders{{}, plan.lanes};
  for (size_t i = 0; i < size; ++i)
    holders.files[i] = {{product.frames[i]->registers.get(), w.registers().bases[1]}};
  std::optional<Kept> kept;
  if (row.sparsity.isSparse() && !(kept = keptElements(w, holders, plan)))
    return false;
  Panels &panels = panelsOfThread();
  size_t n = plan.n, k = plan.k;
  panels.a.assign(plan.m * k, 0);
  panels.b.resize(k * n);
  panels.c.assign(plan.m * n, 0);
  if (product.accumulates)
    gather(holders, row.c, plan.c, registers, nullptr, panels.c);
  double *a = panels.a.data(), *b = panels.b.data();
  if (plan.aDescriptor == noSlot)
    gather(holders, row.a, plan.a, registers + plan.c.registers, kept ? &*kept : nullptr, panels.a);
  else if (!SharedMatrix(w, w.cta, atom::DescriptorKind::Wgmma, row.a, plan.aMajor)
                .read(product.a, plan.m, kept ? k / 2 : k,
                      [&](size_t m, size_t first, const double *values, size_t count) {
                        bool inK = plan.aMajor == atom::Major::K;
                        for (size_t i = 0; i < count; ++i)
                          a[inK ? m * k + first + i : (m + i) * k + first] = values[i];
                      }))
    return false;
  if (kept &&
      plan.aDescriptor !=
          noSlot) // what is stored stands in the first half of each row; it goes to its place
    for (size_t m = 0; m < plan.m; ++m)
      for (size_t to = k, from = k / 2; to-- > 0;)
        a[m * k + to] = (*kept)[m * k + to] ? a[m * k + --from] : 0;
  bool read =
      SharedMatrix(w, w.cta, atom::DescriptorKind::Wgmma, row.b, plan.bMajor)
          .read(product.b, n, k, [&](size_t column, size_t j, const double *values, size_t count) {
            bool inK = plan.bMajor == atom::Major::K;
            for (size_t i = 0; i < count; ++i)
              b[inK ? (j + i) * n + column : j * n + column + i] = values[i];
          });
  if (!read)
    return false;
  sim::multiply(plan, panels, plan.sign);
  scatter(holders, plan, registers, panels);
  w.blamed = 0;
  return true;
}

} // namespace tessera::sim
