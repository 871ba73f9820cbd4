// Atoms: instructions that multiply and copy, alone and repeated over threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/MmaRow.h"
#include "tessera/dsl/Memory.h"

#include <optional>

namespace tessera::dsl {

/// A product of a warpgroup (wgmma): 64 x n x k. K covers 32 bytes of A and of B.
struct GroupMma {
  int64_t n;
  Element a, b, c;
  atom::Major aMajor = atom::Major::K, bMajor = atom::Major::K; // which mode is contiguous
  atom::Residency aFrom = atom::Residency::Smem;                // or registers

  int64_t m() const { return 64; }
  int64_t k() const { return 32 * 8 / a.bits(); }
};
/// The atom. Its product adds to the accumulator if `accumulates`, else overwrites it.
Atom make_atom(const GroupMma &, Num accumulates, Place = Place::current());

/// A product into tensor memory (tcgen05.mma): m x n x k. K covers 32 bytes of A and of B. With
/// `blocks` = 2, each block of the pair has half of the rows of A, of B and of the accumulator.
struct TensorMma {
  int64_t m, n;
  Element a, b, c;
  atom::Major aMajor = atom::Major::K, bMajor = atom::Major::K;
  int blocks = 1;                     // or 2
  std::optional<Element> factor = {}; // of scale factors, which scaled_by places
  int vector = 0;
  atom::Residency aFrom = atom::Residency::Smem; // or tensor memory

  int64_t k() const { return 32 * 8 / a.bits(); }
};
Atom make_atom(const TensorMma &, Num accumulates, Place = Place::current());
/// With scale factors at these places in tensor memory.
Atom make_atom(const TensorMma &, Num accumulates, Pointer factorsA, Pointer factorsB,
               Place = Place::current());
/// tcgen05.ld: each lane loads `columns` adjacent elements of a row of tensor memory.
Atom make_tmem_load(Element, int columns, Place = Place::current());
/// tcgen05.st: each lane stores `columns` adjacent elements to a row.
Atom make_tmem_store(Element, int columns, Place = Place::current());

/// stmatrix and ldmatrix of 8 x 8 matrices of 16-bit elements. ldmatrix can transpose them.
Atom make_stmatrix(Element, int matrices, Place = Place::current());
Atom make_ldmatrix(Element, int matrices, bool transposed = false, Place = Place::current());
/// Plain loads and stores of `bits` bits at once.
Atom make_universal_copy(Element, int bits, Place = Place::current());

/// An atom of a type that this room has no function for. `fields` are its run-time fields in their
/// order.
Atom make_atom(mlir::Type, llvm::ArrayRef<Handle> fields = {}, Place = Place::current());
/// The atom with a run-time field set, under the dialect's name for it.
Atom with_field(Atom, mlir::Attribute field, Handle value, Place = Place::current());

//===--- products -----------------------------------------------------------------------------===//

/// (1,1,1):(0,0,0), one group of threads in M, N and K.
Layout oneGroup();
/// The atom repeated over groups of threads in M, N and K.
TiledMma make_tiled_mma(Atom, const Layout &atoms = oneGroup(), Place = Place::current());
/// The part of a tensor A (M,K), B (N,K) or C (M,N) that a thread works on: (value, rest...).
Tensor partition_A(TiledMma, Tensor, Num thread, Place = Place::current());
Tensor partition_B(TiledMma, Tensor, Num thread, Place = Place::current());
Tensor partition_C(TiledMma, Tensor, Num thread, Place = Place::current());
/// The fragment for a partition: registers or matrix descriptors, whichever the instruction takes.
Tensor make_fragment_A(TiledMma, Tensor partition, Place = Place::current());
Tensor make_fragment_B(TiledMma, Tensor partition, Place = Place::current());
/// The fragment of an A of one tile that products read from tensor memory, from this pointer on:
/// (value, 1, K).
Tensor make_fragment_A(Pointer inTensorMemory, const TensorMma &, int blocksOfK,
                       Place = Place::current());
/// The accumulator of an extent (M,N): registers, or for tcgen05 tensor memory from address 0 on.
Tensor make_fragment_C(TiledMma, const Shape &, Place = Place::current());
/// Sets whether products add to the accumulator.
TiledMma accumulate(TiledMma, Num whether, Place = Place::current());
/// The same product with the scale factors of A and B at other places in tensor memory.
TiledMma scaled_by(TiledMma, Pointer factorsA, Pointer factorsB, Place = Place::current());
/// d = a b + c, fragment by fragment.
void gemm(TiledMma, Tensor d, Tensor a, Tensor b, Tensor c, Place = Place::current());

//===--- copies -------------------------------------------------------------------------------===//

/// The atom repeated over threads, each with some values. The layouts set the order of both.
TiledCopy make_tiled_copy(Atom, const Layout &threads, const Layout &values,
                          Place = Place::current());
/// A copy of this tensor between tensor memory and the registers of four warps.
TiledCopy make_tmem_copy(Atom, Tensor, Place = Place::current());
Tensor partition_S(TiledCopy, Tensor, Num thread, Place = Place::current());
Tensor partition_D(TiledCopy, Tensor, Num thread, Place = Place::current());
void copy(Atom, Tensor from, Tensor to, Place = Place::current());
void copy(TiledCopy, Tensor from, Tensor to, Place = Place::current());

//===--- a warpgroup's products in flight ----------------------------------------------------===//

void warpgroup_arrive(Place = Place::current());
void warpgroup_commit(Place = Place::current());
/// Waits until all but the last `pending` groups of products are done.
void warpgroup_wait(int pending, Place = Place::current());

} // namespace tessera::dsl
