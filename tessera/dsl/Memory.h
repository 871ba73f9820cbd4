// Pointers and tensors: made, moved, divided, read and written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/AddressSpace.h"
#include "tessera/dsl/Layouts.h"

namespace tessera::dsl {

using atom::AddressSpace;

/// The type of a tensor parameter. The layout says what is known of the tensor; `alignment` is that
/// of its first element in bytes (0: the alignment of an element).
mlir::Type tensor_type(Element, const Layout &, AddressSpace = AddressSpace::Gmem,
                       int64_t alignment = 0, Place = Place::current());

//===--- pointers -----------------------------------------------------------------------------===//

/// The pointer moved by `elements`; the number may carry a promised divisor.
Pointer offset(Pointer, const Coord &elements, Place = Place::current());
/// The same address as a pointer to other elements, with this alignment (bytes) and swizzle.
Pointer recast_ptr(Pointer, Element, int64_t alignment = 0, layout::Swizzle = {},
                   Place = Place::current());

/// The address of the pointer in its memory, in bytes, as an i64.
Num address(Pointer, Place = Place::current());
/// The same pointer, with the author's promise that its address is a multiple of `alignment` bytes.
Pointer aligned_ptr(Pointer, int64_t alignment, Place = Place::current());
/// The same place in the shared memory of block `rank` of the cluster.
Pointer map_to_rank(Pointer, Num rank, Place = Place::current());

//===--- tensors ------------------------------------------------------------------------------===//

Tensor make_tensor(Pointer, const Layout &, Place = Place::current());
/// A tensor in registers, aligned to 32 bytes.
Tensor make_rmem_tensor(Element, const Layout &, Place = Place::current());
Pointer get_iter(Tensor, Place = Place::current());
Layout get_layout(Tensor, Place = Place::current());
Num size(Tensor, int mode, Place = Place::current());
Tensor group_modes(Tensor, int begin, int end, Place = Place::current());
/// The tile at a coordinate of the tensor divided into tiles; `_` keeps a mode that counts tiles.
Tensor local_tile(Tensor, const Tile &, const Coord &, Place = Place::current());
Tensor zipped_divide(Tensor, const Tile &, Place = Place::current());

/// The element type of a tensor; none for coordinates, descriptors and an unset tensor.
std::optional<Element> element_of(const Tensor &);
/// Whether its elements are in shared memory; false for a tensor of descriptors.
bool is_shared(const Tensor &);
bool is_in_registers(const Tensor &);
/// What the type of a tensor or pointer says of its start: the memory ("gmem", "smem", ...) with
/// the swizzle of the pointer and the bytes that it is a multiple of, or the first coordinate of a
/// tensor of coordinates.
struct Start {
  std::string_view space;
  layout::Swizzle swizzle = {.bits = 0};
  std::optional<layout::Tree> coord = {};
  int64_t alignment = 1;
};
Start start_of(const Tensor &);
Start start_of(const Pointer &);
std::optional<Element> element_of(const Pointer &);
std::optional<Element> element_of(const Num &);
/// The element of this type of the IR.
std::optional<Element> element_named(mlir::Type);
/// The same elements with another layout, from the start of the tensor.
Tensor with_layout(Tensor, const Layout &, Place = Place::current());

//===--- elements -----------------------------------------------------------------------------===//

Num load(Tensor, const Coord &, Place = Place::current());
void store(Num, Tensor, const Coord &, Place = Place::current());
/// All elements in the order of their coordinates, as a vector.
Num load_vec(Tensor, Place = Place::current());
void store_vec(Num vector, Tensor, Place = Place::current());

/// A fence of the device: a thread that sees a later write of this one also sees its earlier ones.
void fence_device(Place = Place::current());
/// How an atomic operation combines an element with a number. All threads of the device see the
/// result; other accesses are not ordered.
enum class Atomic : uint8_t {
  Add, // integers, and floats of 16 to 64 bits; the others take integers
  Sub,
  Min,
  Max,
  And,
  Or,
  Xor,
  Exchange
};
/// Acts on an element of global or shared memory; returns its old value.
Num atomic(Atomic, Tensor, const Coord &, Num, Place = Place::current());
/// Writes an integer to such an element if its value is `expected`; returns the old value.
Num atomic_cas(Tensor, const Coord &, Num expected, Num desired, Place = Place::current());
/// Increments an i32 in device memory; `last` is followed by 0. Returns the old value. Orders no
/// other accesses.
Num atomic_inc_wrap(Pointer, Num last, Place = Place::current());

} // namespace tessera::dsl
