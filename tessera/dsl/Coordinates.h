// Tensors of coordinates, tuples as numbers, and the part of a tensor that a thread works on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Memory.h"

namespace tessera::dsl {

/// A tensor that holds its own coordinates.
Tensor make_identity_tensor(const Shape &, Place = Place::current());
/// The coordinate that an identity tensor, or a part of it, holds at a place.
Coord coordinate_at(Tensor, const Coord &, Place = Place::current());
/// The same tuple, with its dynamic leaves as numbers.
Coord by_numbers(const Coord &, layout::TreeKind, Place = Place::current());
/// Whether each leaf of a is less than the leaf of b in its place.
Num elem_less(const Coord &a, const Coord &b, Place = Place::current());

/// The tile at a coordinate. The projection says which modes of tile and coordinate are used.
Tensor local_tile(Tensor, const Tile &, const Coord &, const Coord &projection,
                  Place = Place::current());
/// The elements of thread `thread` in a layout of threads. A projection drops modes of the layout.
Tensor local_partition(Tensor, const Layout &threads, Num thread, const Coord *projection = nullptr,
                       Place = Place::current());
/// The layout of registers for a partition: mode 0 compact, the rest in the order of the strides.
Layout make_fragment_like(const Layout &, Place = Place::current());

/// Prints numbers as C's printf does. They are of i32, i64 and f64, as the conversions say.
void printf(const std::string &format, llvm::ArrayRef<Num>, Place = Place::current());
/// Prints a tensor with its elements.
void print_tensor(Tensor, Place = Place::current());
/// Unless the condition holds, prints the message and ends the kernel with a device error.
void device_assert(Num condition, const std::string &otherwise, Place = Place::current());

} // namespace tessera::dsl
