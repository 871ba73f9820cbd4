// The layout of what another layout leaves out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Composition.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"

#include <algorithm>

namespace tessera::layout {

namespace {
/// Puts the extents as the modes of a compact layout that starts at `first`: neighbours as one
/// where both are static, or both dynamic and joined; stride 0 for an extent of 1.
template <class Number, class Put>
void putCompact(Numbers<Number> &n, const Nums<Number> &extents, Number first, OpenRest rest,
                Put &&put) {
  auto join = [&](Number a, Number b) {
    return a.isStatic() == b.isStatic() && (a.isStatic() || rest == OpenRest::Joined);
  };
  Number next = {1};
  for (size_t i = 0; i < extents.size();) {
    Number extent = extents[i];
    for (++i; i < extents.size() && join(extent, extents[i]); ++i)
      extent = n.mul(extent, extents[i]);
    put(extent, extent.is(1) ? Number{0} : n.mul(next, first));
    next = extent.is(1) ? next : n.mul(next, extent);
  }
}

/// `divisor` divided out of the extents from the left, rounding up; false if it becomes 0, by an
/// illegal extent of 0.
template <class Number> bool ceilDivide(Numbers<Number> &n, Nums<Number> &extents, Number divisor) {
  for (Number &extent : extents) {
    if (divisor.is(0))
      return false;
    const Number before = extent;
    extent = n.ceilDiv(before, divisor);
    if (&extent != &extents.back())
      divisor = n.ceilDiv(divisor, before);
  }
  return true;
}

/// No modes are the mode 1:0.
template <class Number> bool atLeastOne(Modes<Number> &modes) {
  if (modes.empty())
    modes.push_back({{1}, {0}});
  return true;
}

/// Modes of static strides in the order of these, equal ones as they stand.
template <class Number> void sortByStride(Modes<Number> &modes) {
  auto less = [](const auto &x, const auto &y) { return x.step.value < y.step.value; };
  if (!std::is_sorted(modes.begin(), modes.end(), less)) // as most are
    std::stable_sort(modes.begin(), modes.end(), less);
}
} // namespace

template <class Number>
Result<bool> complementModes(Numbers<Number> &n, const Listed<Number> &l, Nums<Number> &cotarget,
                             Modes<Number> &out, OpenRest rest) {
  Modes<Number> modes;
  bool numbers = true, known = true;
  for (const auto &[extent, step] : l.modes) {
    numbers &= !step.isBasis();
    if (!step.is(0))
      addCoalesced(n, modes, extent, step);
  }
  if (!numbers)
    return fail(Error::StridesNotNumbers, "complement", str(l.layout));
  if (modes.empty()) {
    putCompact(n, cotarget, {1}, rest,
               [&](Number extent, Number step) { out.emplace_back(extent, step); });
    return atLeastOne(out);
  }
  for (const auto &mode : modes)
    known &= mode.step.isStatic();
  if (modes.size() > 1 && !known)
    return fail(Error::ComplementDynamic, str(l.layout));
  if (modes.size() > 1)
    sortByStride(modes);

  Number covered = {
      1}; // indices below this are hit by the modes so far together with the complement
  for (const auto &[extent, step] : modes) {
    const bool decided = step.isStatic() && covered.isStatic();
    if (step.isStatic() && step.value < 0)
      return fail(Error::ComplementNegative, str(l.layout), step.value);
    if (decided && step.value < covered.value) // modes overlap
      return fail(Error::ComplementNotInjective, str(l.layout));
    if (!decided)
      n.assume(Pre::AtMost, covered, step);
    addCoalesced(n, out, n.div(step, covered), covered);
    covered = n.mul(step, extent);
  }
  if (!ceilDivide(n, cotarget, covered))
    return fail(Error::TilerZero, 0);
  putCompact(n, cotarget, covered, rest,
             [&](Number extent, Number step) { addCoalesced(n, out, extent, step); });
  return atLeastOne(out);
}

template Result<bool> complementModes(Numbers<LeafNumber> &, const Listed<LeafNumber> &,
                                      Nums<LeafNumber> &, Modes<LeafNumber> &, OpenRest);
template Result<bool> complementModes(Numbers<PlainNumber> &, const Listed<PlainNumber> &,
                                      Nums<PlainNumber> &, Modes<PlainNumber> &, OpenRest);

namespace {
/// Modes of one basis on their way into a layout.
struct BasisModes {
  Trees shape, stride;

  void add(const Layout &numbers, const Path &path) {
    forEachMode(numbers.shape, numbers.stride, [&](const Leaf &extent, const Leaf &step) {
      if (extent.is(1))
        return;
      shape.emplace_back(extent);
      stride.emplace_back(Leaf(step.value, path));
    });
  }
};

Path joined(Path path, size_t index) {
  path.push(int64_t(index));
  return path;
}

/// The modes of `l` that step through the basis at `path`, as numbers.
Layout modesAt(const Layout &l, const Path &path) {
  Trees shape, stride;
  forEachMode(l.shape, l.stride, [&](const Leaf &extent, const Leaf &step) {
    if (step.basis != path)
      return;
    shape.emplace_back(extent);
    stride.emplace_back(step.value);
  });
  if (shape.empty())
    return {Tree(1), Tree(0)};
  return {Tree(std::move(shape)), Tree(std::move(stride))};
}

bool startsWith(const Path &path, const Path &start) {
  bool same = path.size() >= start.size();
  for (size_t i = 0; same && i < start.size(); ++i)
    same = path[i] == start[i];
  return same;
}

/// What `l`, whose strides are bases, leaves out of the box `target` of coordinates: a complement
/// in each mode of it.
Result<bool> addBoxComplement(Arith &arith, const Layout &l, const std::vector<Path> &paths,
                              const Tree &target, const Path &path, BasisModes &out) {
  bool ends = false, goesOn = false;
  size_t rank = 0;
  for (const Path &other : paths) {
    ends |= other == path;
    if (other.size() > path.size() && startsWith(other, path)) {
      goesOn = true;
      rank = std::max(rank, size_t(other[path.size()]) + 1);
    }
  }
  if (ends || (target.isLeaf() && !goesOn)) {
    TESSERA_TRY(Layout rest, complement(arith, modesAt(l, path), target));
    out.add(rest, path);
    return true;
  }
  if (target.isLeaf() || target.rank() < rank)
    return fail(Error::StructureMismatch, str(l), str(target));
  for (size_t i = 0; i < target.rank(); ++i)
    if (auto done = addBoxComplement(arith, l, paths, target[i], joined(path, i), out); !done)
      return done;
  return true;
}

/// The same of layouts with bases. A box of coordinates is the target, or a number of elements:
/// then the last mode of the codomain goes on beyond what `l` reaches.
Result<Layout> complementOfBases(Arith &arith, const Layout &l, const Tree &cotarget) {
  std::vector<Path> paths;
  l.stride.forEachLeaf([&](const Leaf &step) {
    if (step.isBasis() && std::find(paths.begin(), paths.end(), step.basis) == paths.end())
      paths.push_back(step.basis);
  });
  BasisModes out;
  if (cotarget.isTuple()) {
    if (auto done = addBoxComplement(arith, l, paths, cotarget, Path(), out); !done)
      return std::move(done).reason();
  } else {
    std::sort(paths.begin(), paths.end(), [](const Path &a, const Path &b) {
      for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        if (a[i] != b[i])
          return a[i] < b[i];
      return a.size() < b.size();
    });
    Int covered = 1, reach = 1;
    for (const Path &path : paths) {
      const Layout here = modesAt(l, path);
      TESSERA_TRY(Int end, cosize(arith, AnyLayout(here)));
      TESSERA_TRY(Layout gaps, complement(arith, here, Tree(end)));
      out.add(gaps, path);
      reach = arith.mul(size(arith, filter(arith, here)), size(arith, gaps)); // with its gaps
      covered = arith.mul(covered, reach);
    }
    out.add({Tree(arith.ceilDiv(cotarget.leaf().value, covered)), Tree(reach)}, paths.back());
  }
  if (out.shape.empty())
    return Layout{Tree(1), Tree(0)};
  return coalesce(arith, {Tree(std::move(out.shape)), Tree(std::move(out.stride))});
}
} // namespace

Result<Layout> complement(Arith &arith, const Layout &l, const Tree &cotarget, OpenRest rest) {
  if (l.stride.hasBasis())
    return complementOfBases(arith, l, cotarget);
  Result<Layout> complement(std::in_place);
  withNumbers(
      arith,
      [&]<class Number>(Numbers<Number> &n, const Modes<Number> &modes, Nums<Number> &&target) {
        Modes<Number> out;
        if (auto made = complementModes(n, {l, modes}, target, out, rest); !made)
          complement = std::move(made).reason();
        else
          n.write(out, complement->shape, complement->stride);
      },
      l, cotarget);
  return complement;
}

Result<Layout> complement(Arith &arith, const Layout &l) {
  if (l.stride.hasBasis())
    return fail(Error::StridesNotNumbers, "complement", str(l));
  TESSERA_TRY(Int target, cosize(arith, AnyLayout(filter(arith, l))));
  return complement(arith, l, Tree(target));
}

} // namespace tessera::layout
