// Mma: matrix products by a warp or a warpgroup, for every row of the atom table with its
// accumulator in registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands become panels of doubles, from registers by the row's fragments or from shared memory by
// descriptors; one loop multiplies all of them. Order of accumulation, which the ISA leaves open
// (9.7.14.5.14). Real numbers up to f32 of mma and wgmma: as an H100 does, bit for bit
// (MmaSums.cpp). Those of tcgen05 and of the mma of sm_120, which no GPU here has: products are
// exact, they are added in double precision in the order of k, then C is added, and the sum is
// rounded once to the type of D, to nearest even. f64: a chain of fused products in the order of k,
// from C. Integers: exact, then wrapped or clamped.
#pragma once

#include "tessera/atom/Registry.h"
#include "tessera/sim/Number.h"
#include "tessera/sim/Warp.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace tessera::sim {

/// The places of an operand's values: for each value and each position the index of an element of
/// the panel.
struct FragmentTable {
  std::vector<uint16_t> index; // value by value
  size_t positions = 1, perLane = 0;
  size_t registers = 0; // of each lane

  size_t at(size_t position, size_t value) const { return index[value * positions + position]; }
};

struct MmaPlan : InstructionParts {
  const atom::MmaRow *row = nullptr;
  size_t m = 0, n = 0, k = 0;
  size_t chunk = 0; // elements of K that an H100 adds at once; 0: all of them
  FragmentTable a, b, c,
      metadata;           // elements of A, B and C by rows of M, K and M; of metadata by those of A
  std::vector<int> lanes; // of one product, by position: threads of a group
  int products = 1;       // made side by side by the warp
  uint32_t selector = 0;  // of sparsity
  Slot scale[2] = {}, byteId[2] = {}, threadId[2] = {};
  Slot metadataSlot = 0;
};

/// The plan of a wmma instruction. Its list has the registers of the fragment, or those of d, a, b
/// and c. Element e of a matrix, counted by rows, is value e / 32 of lane e % 32; values are packed
/// in the first registers.
struct WmmaPlan : InstructionParts {
  MmaPlan product;  // with a row if the instruction multiplies
  atom::MmaRow row; // elements of the operands
  char matrix = 'd';
  size_t rows = 0, columns = 0;
  bool byColumns = false;
  Slot stride = noSlot;
  std::array<size_t, 4> registers{}; // of d, a, b, c, or of one

  static size_t bitsOf(atom::Element element) {
    return element == atom::Element::tf32 ? 32 : size_t(atom::bits(element));
  }
};

/// All indices of a (thread, value) layout, thread by thread.
std::vector<uint32_t> indicesOf(const layout::Layout &);
/// Prepares everything that follows from a row except slots. N is that of a parametric row.
void prepare(MmaPlan &, const atom::MmaRow &, int64_t n);

/// The operands of one product: A (M,K), B (K,N), C (M,N), each by rows, so that the innermost loop
/// runs along N.
struct Panels {
  std::vector<double> a, b, c;
  std::vector<uint64_t> d; // codes of the result
};
/// Room for the products of this thread, one after another.
Panels &panelsOfThread();

/// Registers of the lanes that make a product: position p is lane lanes[p] + shift of warp p / 32.
struct Holders {
  std::array<RegisterFile, 4> files;
  const std::vector<int> &lanes;
  int shift = 0;

  const RegisterFile &file(size_t position) const { return files[position / warpSize]; }
  int lane(size_t position) const { return lanes[position] % warpSize + shift; }
};

/// Which elements of a sparse A are stored, by rows; four bits of metadata describe a chunk.
/// Nothing after a fault.
using Kept = std::vector<bool>;
/// Records a chunk of 2, 4 or 8 elements from its four bits; false if they name an element twice.
bool keepChunk(Kept &, size_t first, size_t chunk, uint32_t bits);
std::optional<Kept> keptElements(Warp &, const Holders &, const MmaPlan &);

/// Writes the values of an operand into a panel.
void gather(const Holders &, const atom::Operand &, const FragmentTable &, const Slot *registers,
            const Kept *, std::vector<double> &to);
/// Decodes an operand's values from packed bytes of shared memory.
void decode(const atom::Operand &, const std::byte *from, size_t count, double *to);
/// Unpacks sixteen 6-bit or 4-bit numbers to bytes, from the low end of their 16 bytes.
void unpack(atom::PackedFormat, const std::byte *from, uint8_t (&to)[16]);
/// Writes the results into the registers of C.
void scatter(const Holders &, const MmaPlan &, const Slot *registers, const Panels &);

/// The type of D, or of C if a row names none.
atom::Element resultElement(const atom::MmaRow &);
/// The code of c + sum in the type of D.
uint64_t codeOfSum(const atom::MmaRow &, double c, double sum);
/// Whether it is known how an H100 adds up a row's products: real numbers up to f32, in an
/// instruction that it has.
bool hasKnownSums(const atom::MmaRow &);
/// d = sign * a * b + c for such a row.
void addAsAnH100(const MmaPlan &, Panels &, double sign);

/// d = sign * a * b + c.
void multiply(const MmaPlan &, Panels &, double sign = 1,
              const std::vector<double> *scales = nullptr);

} // namespace tessera::sim
