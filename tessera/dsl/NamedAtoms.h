// Atoms by their names in CuTe C++, and what is tiled with them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Atoms.h"

#include <string_view>

namespace tessera::dsl {

/// The MMA atom of a name: "SM80_16x8x16_F32F16F16F32_TN", "SM90_64x128x16_F32F16F16_SS",
/// "UniversalFMA<f32>". `a` and `b` choose the contiguous mode of A and B where the instruction has
/// a choice. A product of a warpgroup adds to the accumulator; `accumulate` changes that.
Atom make_mma_atom(std::string_view name, atom::Major a = atom::Major::K,
                   atom::Major b = atom::Major::K, Place = Place::current());
/// The copy atom of a name: "UniversalCopy", "SM75_U32x4_LDSM_N", "SM80_CP_ASYNC_CACHEGLOBAL".
/// `bits` is the width per thread where the name does not fix it.
Atom make_copy_atom(std::string_view name, Element, int bits, Place = Place::current());

/// `permutation` says how many elements of each mode one product of all threads covers.
TiledMma make_tiled_mma(Atom, const Layout &atoms, const Tile &permutation,
                        Place = Place::current());
/// The tiled product or copy, or atom, as a value of the algebra; nothing after a mistake.
std::optional<layout::TiledMma> tiling_of(const TiledMma &, Place = Place::current());
std::optional<layout::TiledCopy> tiling_of(const TiledCopy &, Place = Place::current());
std::optional<layout::MmaAtomLayouts> mma_layouts(const Atom &, Place = Place::current());
std::optional<layout::CopyAtomLayouts> copy_layouts(const Atom &, Place = Place::current());
/// (thread, value) -> index in the tile of an operand: (M,K) of A, (N,K) of B, (M,N) of C.
Result<layout::Layout> operand_layout(const layout::TiledMma &, layout::MmaOperand);
/// The element type of a copy, tiled or not.
std::optional<Element> element_of_copy(const Handle &);
/// Extent of the tile that one product of all threads covers, and the number of its threads.
int64_t tile_size(const TiledMma &, int mode, Place = Place::current());
int64_t thread_count(const TiledMma &, Place = Place::current());
int64_t thread_count(const TiledCopy &, Place = Place::current());
/// The shape of a partition of an extent: (M,K) of A, (N,K) of B, (M,N) of C.
Shape partition_shape(const TiledMma &, const Shape &, layout::MmaOperand,
                      Place = Place::current());
/// A fragment of registers, or a view of descriptors, for such a shape or partition.
Tensor make_fragment(TiledMma, const Shape &, layout::MmaOperand, Place = Place::current());
Tensor make_fragment(TiledMma, Tensor, layout::MmaOperand, Place = Place::current());

/// `tv` maps (thread, value) to an index of the tile.
TiledCopy make_tiled_copy_tv(Atom, const Layout &tv, const Tile &tile, Place = Place::current());
/// The tiled copy whose values are those of an operand of a product.
TiledCopy make_tiled_copy_for(Atom, const TiledMma &, layout::MmaOperand, Place = Place::current());
/// The fragment of registers with its values in the order of the copy's values.
Tensor retile(TiledCopy, Tensor, Place = Place::current());

/// Number of elements per thread that one call of a copy's atom reads, and that it writes: of
/// ldmatrix and stmatrix a thread names a row of the matrix in memory, and holds other elements.
int64_t values_per_call(const Handle &atom, Place = Place::current());
int64_t values_written_per_call(const Handle &atom, Place = Place::current());
/// Required alignments of the source and destination of one call, in bits.
std::pair<int64_t, int64_t> alignments_of(const Handle &atom, Place = Place::current());
/// Copies only where the predicate holds. It has one element for each call of mode 0 and each
/// coordinate of the rest. cp.async fills with zeros what the predicate excludes.
void copy_if(const Handle &atom, Tensor pred, Tensor from, Tensor to, Place = Place::current());
void copy_with(const Handle &atom, Tensor from, Tensor to, Place = Place::current());
/// By the atom of a product or by a whole tiled product.
void gemm_with(const Handle &atom, Tensor d, Tensor a, Tensor b, Tensor c,
               Place = Place::current());

/// Groups of cp.async. The first function makes a group of the copies begun so far; the second
/// waits until all but the last `pending` groups have arrived.
void cp_async_commit(Place = Place::current());
void cp_async_wait(int pending, Place = Place::current());

} // namespace tessera::dsl
