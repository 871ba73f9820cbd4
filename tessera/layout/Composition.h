// Composition: operations on lists of modes, for operations that combine several without making
// trees.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/layout/Algebra.h"
#include "tessera/layout/Modes.h"

namespace tessera::layout {

/// A layout and the list of its modes.
template <class Number> struct Listed {
  const Layout &layout;
  const Modes<Number> &modes;
};

/// The coalesced modes of a left layout. The last one is never dropped, even if its extent is 1: a
/// right layout may run past it, and then continues with its stride.
template <class Number> Modes<Number> coalescedLeft(Numbers<Number> &, const Modes<Number> &);

/// composition(a, b).
template <class Number>
Result<Layout> composition(Numbers<Number> &, const Listed<Number> &a, const Listed<Number> &b);
/// composition(a, (b, rest)), where `left` is coalescedLeft(a) and `rest` one mode of these modes.
template <class Number>
Result<Layout> composition(Numbers<Number> &, const Layout &a, const Modes<Number> &left,
                           const Listed<Number> &b, const Modes<Number> &rest);

/// complement as modes, at least one, appended to the empty `out`. `cotarget` has the leaves of a
/// shape; the extent of `l` is divided out of them from the left.
template <class Number>
Result<bool> complementModes(Numbers<Number> &, const Listed<Number> &l, Nums<Number> &cotarget,
                             Modes<Number> &out, OpenRest);

template <class Number>
Result<Layout> logicalDivide(Numbers<Number> &, const Listed<Number> &a,
                             const Listed<Number> &tiler, OpenRest);

/// coalesce as modes; one mode 1:0 of a layout with one element.
template <class Number> Modes<Number> coalesced(Numbers<Number> &, const Modes<Number> &);

/// `separate` (Domains.h) on modes of numbers, the left ones in the order of the layout.
bool separate(std::span<const PlainMode> left, std::span<const PlainMode> modes);

} // namespace tessera::layout
