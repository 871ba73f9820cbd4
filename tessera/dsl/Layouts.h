// Layouts: made, put together, taken apart; computed here where they are static.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Scalars.h"
#include "tessera/layout/Algebra.h"

namespace tessera::dsl {

/// Without a stride it is compact, first mode fastest.
Layout make_layout(const Shape &, Place = Place::current());
Layout make_layout(const Shape &, const Stride &, Place = Place::current());
/// The swizzle after the layout, of a static one.
Layout make_swizzled(const layout::Swizzle &, const Layout &, Place = Place::current());
/// Each coordinate to itself.
Layout make_identity_layout(const Shape &, Place = Place::current());

/// c -> a(b(c)); mode by mode of a tile.
Layout composition(const Layout &a, const Layout &b, Place = Place::current());
Layout composition(const Layout &a, const Tile &b, Place = Place::current());
/// ((tile), (rest)) and (tile, rest) of each mode.
Layout zipped_divide(const Layout &, const Tile &, Place = Place::current());
Layout logical_divide(const Layout &, const Tile &, Place = Place::current());
/// The same in any grouping; a tile that is one layout divides the whole domain.
Layout divide(const Layout &, const Tile &, layout::Grouping, Place = Place::current());
Layout coalesce(const Layout &, Place = Place::current());
Layout flatten(const Layout &, Place = Place::current());
/// Modes [begin, end) as one.
Layout group_modes(const Layout &, int begin, int end, Place = Place::current());
Layout select(const Layout &, llvm::ArrayRef<int32_t> modes, Place = Place::current());

Layout get_mode(const Layout &, int mode, Place = Place::current());

Shape get_shape(const Layout &, Place = Place::current());
Stride get_stride(const Layout &, Place = Place::current());
/// The index of a coordinate, and the coordinate of an index.
Coord crd2idx(const Coord &, const Layout &, Place = Place::current());
Coord idx2crd(const Coord &index, const Shape &, Place = Place::current());
/// Elements of the domain, or of a mode of it.
Num size(const Layout &, Place = Place::current());
Num size(const Layout &, int mode, Place = Place::current());

} // namespace tessera::dsl
