// Layouts: functions that make, combine and divide them. Static ones are computed here.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Scalars.h"
#include "tessera/layout/Algebra.h"

namespace tessera::dsl {

/// Without a stride the layout is compact, first mode fastest.
Layout make_layout(const Shape &, Place = Place::current());
Layout make_layout(const Shape &, const Stride &, Place = Place::current());
/// The composition of a swizzle with a static layout; the swizzle is applied last.
Layout make_swizzled(const layout::Swizzle &, const Layout &, Place = Place::current());
/// The layout that maps each coordinate to itself.
Layout make_identity_layout(const Shape &, Place = Place::current());

/// c -> a(b(c)). With a tile: mode by mode.
Layout composition(const Layout &a, const Layout &b, Place = Place::current());
Layout composition(const Layout &a, const Tile &b, Place = Place::current());
/// The two divisions by a tile: ((tile), (rest)), and (tile, rest) in each mode.
Layout zipped_divide(const Layout &, const Tile &, Place = Place::current());
Layout logical_divide(const Layout &, const Tile &, Place = Place::current());
/// A division with any grouping. A tile that is a single layout divides the whole domain.
Layout divide(const Layout &, const Tile &, layout::Grouping, Place = Place::current());
Layout coalesce(const Layout &, Place = Place::current());
Layout flatten(const Layout &, Place = Place::current());
/// Groups the modes [begin, end) into one.
Layout group_modes(const Layout &, int begin, int end, Place = Place::current());
Layout select(const Layout &, llvm::ArrayRef<int32_t> modes, Place = Place::current());

Layout get_mode(const Layout &, int mode, Place = Place::current());

Shape get_shape(const Layout &, Place = Place::current());
Stride get_stride(const Layout &, Place = Place::current());
/// The index of a coordinate, and the coordinate of an index.
Coord crd2idx(const Coord &, const Layout &, Place = Place::current());
Coord idx2crd(const Coord &index, const Shape &, Place = Place::current());
/// Number of elements of the domain, or of one of its modes.
Num size(const Layout &, Place = Place::current());
Num size(const Layout &, int mode, Place = Place::current());

} // namespace tessera::dsl
