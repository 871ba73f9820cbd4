// Pointers and tensors: made, moved, divided, read and written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Layouts.h"

namespace tessera::dsl {

enum class Space : uint8_t {
  Generic,
  Global,
  Shared,
  Registers
};

/// The type of a tensor that a program is given: the layout says what is known of it, the alignment
/// of its first element is in bytes (0: that of an element).
mlir::Type tensor_type(Element, const Layout &, Space = Space::Global, int64_t alignment = 0,
                       Place = Place::current());

//===--- pointers -----------------------------------------------------------------------------===//

/// A pointer so many elements further; the number may be promised to be a multiple.
Pointer offset(Pointer, const Coord &elements, Place = Place::current());
/// The same address, as that of other elements, with this alignment (bytes) and swizzle.
Pointer recast_ptr(Pointer, Element, int64_t alignment = 0, layout::Swizzle = {},
                   Place = Place::current());

/// Where the pointer points in its memory, in bytes, as an i64.
Num address(Pointer, Place = Place::current());
/// The same pointer, of which the author knows that its address is a multiple of so many bytes.
Pointer aligned_ptr(Pointer, int64_t alignment, Place = Place::current());
/// The same place in the shared memory of block `rank` of the cluster.
Pointer map_to_rank(Pointer, Num rank, Place = Place::current());

//===--- tensors ------------------------------------------------------------------------------===//

Tensor make_tensor(Pointer, const Layout &, Place = Place::current());
/// Registers, aligned to 32 bytes.
Tensor make_rmem_tensor(Element, const Layout &, Place = Place::current());
Pointer get_iter(Tensor, Place = Place::current());
Layout get_layout(Tensor, Place = Place::current());
Num size(Tensor, int mode, Place = Place::current());
Tensor group_modes(Tensor, int begin, int end, Place = Place::current());
/// The tile at a coordinate of the tensor divided by tiles; `_` keeps a mode of tiles.
Tensor local_tile(Tensor, const Tile &, const Coord &, Place = Place::current());
Tensor zipped_divide(Tensor, const Tile &, Place = Place::current());

/// What it holds; none of coordinates and descriptors, and of what is not set.
std::optional<Element> element_of(const Tensor &);
/// Whether its elements are in shared memory; not where it is of descriptors.
bool is_shared(const Tensor &);
bool is_in_registers(const Tensor &);
/// What the type of a tensor says of where it begins: its memory ("gmem", "smem", ...) with the
/// swizzle of the pointer, or the coordinate that it holds first.
struct Start {
  std::string_view space;
  layout::Swizzle swizzle = {.bits = 0};
  std::optional<layout::Tree> coord = {};
};
Start start_of(const Tensor &);
std::optional<Element> element_of(const Pointer &);
std::optional<Element> element_of(const Num &);
/// The element that the IR's type is of.
std::optional<Element> element_named(mlir::Type);
/// The same elements by another layout, from the start of the tensor.
Tensor with_layout(Tensor, const Layout &, Place = Place::current());

//===--- elements -----------------------------------------------------------------------------===//

Num load(Tensor, const Coord &, Place = Place::current());
void store(Num, Tensor, const Coord &, Place = Place::current());
/// All elements in the order of coordinates, as a vector.
Num load_vec(Tensor, Place = Place::current());
void store_vec(Num vector, Tensor, Place = Place::current());

/// What the author wrote before is seen by whoever sees what is written after, on the device.
void fence_device(Place = Place::current());
/// What another number makes of an element at once, seen by all threads of the device; it orders
/// nothing else.
enum class Atomic : uint8_t {
  Add, // whole numbers, and floats of 16 to 64 bits; the others whole numbers
  Sub,
  Min,
  Max,
  And,
  Or,
  Xor,
  Exchange
};
/// Of an element of global or shared memory; gives what it was.
Num atomic(Atomic, Tensor, const Coord &, Num, Place = Place::current());
/// Writes a whole number to such an element if it is `expected`; gives what it was.
Num atomic_cas(Tensor, const Coord &, Num expected, Num desired, Place = Place::current());
/// Counts an i32 of device memory up, from `last` to 0; gives what it was. It orders nothing else.
Num atomic_inc_wrap(Pointer, Num last, Place = Place::current());

} // namespace tessera::dsl
