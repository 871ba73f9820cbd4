// stencil_divide: the windows of a convolution as a layout.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"
#include "tessera/layout/Zip.h"

namespace tessera::layout {

namespace {
/// What happens to one mode.
struct Window {
  Int window, stride, dilation, before, after;
};

/// The part of an operand that belongs to mode `i`; a number holds for every mode.
Result<Tree> part(const Tree &operand, const Tree &window, size_t i) {
  if (operand.isLeaf())
    return operand;
  if (operand.rank() != window.rank())
    return fail(Error::StructureMismatch, str(window), str(operand));
  return operand[i];
}
Result<Stencil> part(const Stencil &s, size_t i) {
  Stencil mode;
  mode.window = s.window[i];
  TESSERA_TRY(mode.stride, part(s.stride, s.window, i));
  TESSERA_TRY(mode.dilation, part(s.dilation, s.window, i));
  TESSERA_TRY(mode.before, part(s.before, s.window, i));
  TESSERA_TRY(mode.after, part(s.after, s.window, i));
  return mode;
}

/// `x` >= `least`, a refusal or an assumption.
Result<bool> atLeast(Arith &arith, Int x, int64_t least, const char *what, const Tree &mode) {
  if (!x.isStatic())
    arith.assume(Pre::AtMost, least, x);
  else if (x.value < least)
    return fail(Error::StencilOperand, what, str(mode), least, x.value);
  return true;
}

Result<Window> checkedWindow(Arith &arith, const Stencil &s, const Tree &extent) {
  struct Operand {
    const char *name;
    const Tree &value;
    int64_t least;
  };
  const Operand operands[] = {{"window", s.window, 1},
                              {"stride", s.stride, 1},
                              {"dilation", s.dilation, 1},
                              {"padding before", s.before, 0},
                              {"padding after", s.after, 0}};
  for (const Operand &operand : operands) {
    if (operand.value.isTuple() || operand.value.leaf().any || operand.value.leaf().isBasis())
      return fail(Error::StructureMismatch, str(s.window), str(operand.value));
    auto ok = atLeast(arith, operand.value.leaf().value, operand.least, operand.name, extent);
    if (!ok)
      return std::move(ok).reason();
  }
  return Window{s.window.leaf().value, s.stride.leaf().value, s.dilation.leaf().value,
                s.before.leaf().value, s.after.leaf().value};
}

/// The number of places where the window fits into the padded extent.
Result<Int> outputs(Arith &arith, const Window &w, Int extent, const Tree &mode) {
  Int padded = arith.add(arith.add(extent, w.before), w.after);
  Int reach = arith.mul(arith.sub(w.window, 1), w.dilation); // what the window spans, less one
  Int span = arith.add(reach, 1);
  if (!padded.isStatic() || !span.isStatic())
    arith.assume(Pre::AtMost, span, padded);
  else if (padded.value < span.value)
    return fail(Error::StencilWindow, w.window.isStatic() ? w.window.value : span.value, span.value,
                str(mode), padded.value);
  // (padded - span) / stride + 1 with all static terms added first, so that divisors of the sum are
  // not lost on the way.
  Int fixed = 0, open = 0;
  for (Int term : {extent, w.before, w.after, w.stride})
    (term.isStatic() ? fixed : open) = arith.add(term.isStatic() ? fixed : open, term);
  (span.isStatic() ? fixed : open) = arith.sub(span.isStatic() ? fixed : open, span);
  // A multiple of the stride divides without a remainder, so the static part can be divided by
  // itself.
  const int64_t step = w.stride.value;
  if (!open.isStatic() && w.stride.isStatic() && open.div % step == 0)
    return arith.add(arith.div(open, w.stride), fixed.value / step - (fixed.value % step < 0));
  return arith.div(arith.add(open, fixed), w.stride);
}

/// (windows, outputs) of one mode; `first` becomes the coordinate at which its first window starts.
Result<Layout> divideMode(Arith &arith, const Layout &mode, const Stencil &s, Tree &first) {
  TESSERA_TRY(Window w, checkedWindow(arith, s, mode.shape));
  TESSERA_TRY(Int count, outputs(arith, w, product(arith, mode.shape), mode.shape));
  first = arith.sub(0, w.before);
  // Not coalesced if it is one leaf already: an extent of 1 has a stride, too, which padding
  // reaches.
  const Layout own = {unwrap(mode.shape), unwrap(mode.stride)};
  const Layout simple = own.shape.isLeaf() ? own : coalesce(arith, mode);
  if (simple.shape.isLeaf()) {
    const Leaf &step = simple.stride.leaf();
    auto scaled = [&](Int factor) { return Tree(Leaf(arith.mul(factor, step.value), step.basis)); };
    return Layout{Tree::of({w.window, count}), Tree::of({scaled(w.dilation), scaled(w.stride)})};
  }
  // Windows over several modes: refused unless all of them, and where they start, lie on a layout.
  if (!w.before.is(0))
    return fail(Error::StencilPaddedMode, str(mode));
  return composition(arith, mode,
                     Layout{Tree::of({w.window, count}), Tree::of({w.dilation, w.stride})});
}

Result<Layout> divideModes(Arith &arith, const Layout &l, const Stencil &s, Tree &first) {
  if (s.window.isLeaf() && s.window.leaf().any) {
    first = Tree(0);
    return l;
  }
  if (s.window.isLeaf())
    return divideMode(arith, l, s, first);
  if (l.shape.isLeaf() || s.window.rank() > l.rank())
    return fail(Error::TilerRank, s.window.rank(), l.rank());
  std::vector<Layout> modes;
  Trees firsts;
  for (size_t i = 0; i < l.rank(); ++i) {
    modes.push_back(l[i]);
    firsts.emplace_back(0);
    if (i >= s.window.rank())
      continue;
    TESSERA_TRY(Stencil own, part(s, i));
    TESSERA_TRY(modes.back(), divideModes(arith, l[i], own, firsts.back()));
  }
  first = Tree(std::move(firsts));
  return sideBySide(modes);
}

/// The windows, and next to them the outputs with the modes that were left alone.
std::pair<Tree, Tree> windowsAndRest(const Tree &divided, const Tree &window) {
  if (window.isLeaf())
    return {divided[0], divided[1]};
  Trees windows, rest;
  for (size_t i = 0; i < divided.rank(); ++i) {
    if (i >= window.rank() || window[i].isAllUnderscore()) {
      rest.push_back(divided[i]);
      continue;
    }
    auto [own, others] = windowsAndRest(divided[i], window[i]);
    windows.push_back(std::move(own));
    rest.push_back(std::move(others));
  }
  return {Tree(std::move(windows)), Tree(std::move(rest))};
}
} // namespace

Result<Sliced> stencilDivide(Arith &arith, const AnyLayout &l, const Stencil &s,
                             Grouping grouping) {
  Tree first;
  TESSERA_TRY(Layout divided, divideModes(arith, l.outer(), s, first));
  if (grouping != Grouping::Logical && s.window.isAllUnderscore())
    return fail(Error::StencilNothing, str(s.window));
  if (grouping != Grouping::Logical)
    divided = {regrouped(windowsAndRest(divided.shape, s.window), grouping),
               regrouped(windowsAndRest(divided.stride, s.window), grouping)};
  TESSERA_TRY(Sliced start, domainOffset(arith, first, l));
  return Sliced{start.layout.withOuter(std::move(divided)), std::move(start.offset)};
}

} // namespace tessera::layout
