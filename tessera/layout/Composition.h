// Operations on lists of modes, for operations that combine several without trees in between.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/layout/Algebra.h"
#include "tessera/layout/Modes.h"

namespace tessera::layout {

/// A layout and the list of its modes.
template <class Num> struct Listed {
  const Layout &layout;
  const Modes<Num> &modes;
};

/// The coalesced modes of a left layout. The last one is never dropped, even if its extent is 1: a
/// right layout may run past it, and then continues with its stride.
template <class Num> Modes<Num> coalescedLeft(Numbers<Num> &, const Modes<Num> &);

/// composition(a, b).
template <class Num>
Result<Layout> composition(Numbers<Num> &, const Listed<Num> &a, const Listed<Num> &b);
/// composition(a, (b, rest)), where `left` is coalescedLeft(a) and `rest` one mode of these modes.
template <class Num>
Result<Layout> composition(Numbers<Num> &, const Layout &a, const Modes<Num> &left,
                           const Listed<Num> &b, const Modes<Num> &rest);

/// complement as modes, one at least, appended to the empty `out`. `cotarget` are the leaves of a
/// shape; what `l` covers is divided out of them, from the left.
template <class Num>
Result<bool> complementModes(Numbers<Num> &, const Listed<Num> &l, Nums<Num> &cotarget,
                             Modes<Num> &out, OpenRest);

template <class Num>
Result<Layout> logicalDivide(Numbers<Num> &, const Listed<Num> &a, const Listed<Num> &tiler,
                             OpenRest);

/// coalesce as modes; one mode 1:0 of a layout with one element.
template <class Num> Modes<Num> coalesced(Numbers<Num> &, const Modes<Num> &);

/// `separate` (Domains.h) on modes of numbers, the left ones in the order of the layout.
bool separate(std::span<const PlainMode> left, std::span<const PlainMode> modes);

} // namespace tessera::layout
