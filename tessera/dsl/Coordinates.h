// Tensors of coordinates, tuples as numbers, and what a thread of a layout of threads sees.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Memory.h"

namespace tessera::dsl {

/// A tensor that holds its own coordinates.
Tensor make_identity_tensor(const Shape &, Place = Place::current());
/// What it, or a part of it, holds at a coordinate.
Coord coordinate_at(Tensor, const Coord &, Place = Place::current());
/// The same tuple with its run-time leaves as numbers.
Coord by_numbers(const Coord &, layout::TreeKind, Place = Place::current());
/// Whether each leaf of a is less than its partner in b.
Num elem_less(const Coord &a, const Coord &b, Place = Place::current());

/// The tile at a coordinate; of tile and coordinate only the modes count that the projection has.
Tensor local_tile(Tensor, const Tile &, const Coord &, const Coord &projection,
                  Place = Place::current());
/// The elements of thread number `thread` of a layout of threads; a projection drops modes of it.
Tensor local_partition(Tensor, const Layout &threads, Num thread, const Coord *projection = nullptr,
                       Place = Place::current());
/// Registers for a partition: mode 0 compact, the rest in the order of the strides.
Layout make_fragment_like(const Layout &, Place = Place::current());

/// Prints numbers: `{}` of the format stands for the next one.
void print(const std::string &format, llvm::ArrayRef<Num>, Place = Place::current());
/// Prints a tensor with its elements.
void print_tensor(Tensor, Place = Place::current());
/// Ends the kernel with an error of the device unless the condition holds, having printed why.
void device_assert(Num condition, const std::string &otherwise, Place = Place::current());

} // namespace tessera::dsl
