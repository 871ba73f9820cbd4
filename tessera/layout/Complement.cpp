// The layout of what another layout leaves out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Composition.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"

#include <algorithm>

namespace tessera::layout {

namespace {
/// Puts the extents as the modes of a compact layout that starts at `first`: neighbours as one where both are static
/// or both dynamic; stride 0 for an extent of 1.
template <class Put> void putCompact(Numbers &n, const Nums &extents, Num first, Put &&put) {
  Num next = {1};
  for (size_t i = 0; i < extents.size();) {
    Num extent = extents[i];
    for (++i; i < extents.size() && extents[i].isStatic() == extent.isStatic(); ++i)
      extent = n.mul(extent, extents[i]);
    put(extent, extent.is(1) ? Num{0} : n.mul(next, first));
    next = extent.is(1) ? next : n.mul(next, extent);
  }
}

/// `divisor` divided out of the extents from the left, rounding up.
Result<bool> ceilDivide(Numbers &n, Nums &extents, Num divisor) {
  for (Num &extent : extents) {
    if (divisor.is(0)) // an illegal extent of 0
      return fail(Error::TilerZero, str(n(divisor)));
    const Num before = extent;
    extent = n.ceilDiv(before, divisor);
    if (&extent != &extents.back())
      divisor = n.ceilDiv(divisor, before);
  }
  return true;
}

/// No modes are the mode 1:0.
bool atLeastOne(Modes &modes) {
  if (modes.empty())
    modes.push_back({{1}, {0}});
  return true;
}

/// Modes of static strides in the order of these, equal ones as they stand.
void sortByStride(Modes &modes) {
  auto less = [](const Mode &x, const Mode &y) { return x.step.value < y.step.value; };
  if (std::is_sorted(modes.begin(), modes.end(), less)) // as most are
    return;
  for (size_t i = 0; i < modes.size(); ++i)
    modes[i].extent.path = uint32_t(i); // extents have no basis; std::stable_sort would take memory
  std::sort(modes.begin(), modes.end(), [&](const Mode &x, const Mode &y) {
    return less(x, y) || (x.step.value == y.step.value && x.extent.path < y.extent.path);
  });
  for (Mode &mode : modes)
    mode.extent.path = 0;
}
} // namespace

Result<bool> complementModes(Numbers &n, const Layout &l, Nums cotarget, Modes &out) {
  Modes modes;
  bool numbers = true, known = true;
  forEachMode(l.shape, l.stride, [&](const Leaf &extent, const Leaf &step) {
    numbers &= !step.isBasis();
    if (!step.value.is(0))
      addCoalesced(n, modes, n.of(extent), n.of(step.value));
  });
  if (!numbers)
    return fail(Error::StridesNotNumbers, "complement", str(l));
  if (modes.empty()) {
    putCompact(n, cotarget, {1}, [&](Num extent, Num step) { out.emplace_back(extent, step); });
    return atLeastOne(out);
  }
  for (const Mode &mode : modes)
    known &= mode.step.isStatic();
  if (modes.size() > 1 && !known)
    return fail(Error::ComplementDynamic, str(l));
  if (modes.size() > 1)
    sortByStride(modes);

  Num covered = {1}; // indices below this are hit by the modes so far together with the complement
  for (const auto &[extent, step] : modes) {
    const bool decided = step.isStatic() && covered.isStatic();
    if (step.isStatic() && step.value < 0)
      return fail(Error::ComplementNegative, str(l), step.value);
    if (decided && step.value < covered.value) // modes overlap
      return fail(Error::ComplementNotInjective, str(l));
    if (!decided)
      n.assume(Pre::AtMost, covered, step);
    addCoalesced(n, out, n.div(step, covered), covered);
    covered = n.mul(step, extent);
  }
  if (auto divided = ceilDivide(n, cotarget, covered); !divided)
    return divided;
  putCompact(n, cotarget, covered, [&](Num extent, Num step) { addCoalesced(n, out, extent, step); });
  return atLeastOne(out);
}

Result<Layout> complement(Arith &arith, const Layout &l, const Tree &cotarget) {
  Numbers n(arith);
  Modes modes;
  Result<Layout> complement(std::in_place);
  if (auto made = complementModes(n, l, n.leavesOf(cotarget), modes); !made)
    complement = std::move(made).reason();
  else
    n.write(modes, complement->shape, complement->stride);
  return complement;
}

Result<Layout> complement(Arith &arith, const Layout &l) {
  TESSERA_TRY(Int target, cosize(arith, AnyLayout(filter(arith, l))));
  return complement(arith, l, Tree(target));
}

} // namespace tessera::layout
