// MmaRow: one matrix multiply-accumulate instruction, with all its properties that any layer needs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a row is. D = A * B + C on tiles of fixed size, A of M x K, B of N x K, C and D of M x N. A
// row states the operands of such an instruction, which thread holds which element, its
// requirements and how it is written. The type's verifier, the partitions, the SM gate, the
// lowering, the simulator, the reference and the tests all read the row, so that a new instruction
// of a known family is one line in tiers/.
//
// An example, from tiers/Sm80.cpp:
//
//   {{"SM80_16x8x16", 16, 8, 16, W16x16_2, W8x16_2, W16x8_2, 4, 2}, {f32, f16, f16}}
//
// is SM80_16x8x16_F32F16F16F32_TN: M, N and K; the fragment layouts of A, B and C; 4 and 2
// registers of 32 bits for A and B; the types of C, A and B. The function `ampere` adds the columns
// that all rows of Ampere share (the first target sm_80, PTX 7.0, the recipe mma.sync, the route
// through NVVM).
//
// Fragments. W16x16_2, a row of Fragments.def, maps (lane, value) to an element of A, which counts
// down the 16 rows first. It is a layout, so the algebra says who holds what. Lane 5 = 4 * 1 + 1
// holds 8 values. Its first two are elements 33 and 49 of the tile, row 1, columns 2 and 3, which
// share a register; the third is 8 rows further down, the fifth 8 columns further right:
//
//   crd2idx((5,0), ((4,8),(2,2,2)):((32,1),(16,8,128)))  =  33
//   idx2crd(33, (16,16))  =  (1,2)
//   idx2crd(crd2idx((5,1), ((4,8),(2,2,2)):((32,1),(16,8,128))), (16,16))  =  (1,3)
//   idx2crd(crd2idx((5,2), ((4,8),(2,2,2)):((32,1),(16,8,128))), (16,16))  =  (9,2)
//   idx2crd(crd2idx((5,4), ((4,8),(2,2,2)):((32,1),(16,8,128))), (16,16))  =  (1,10)
//
// Laws, each a test over all rows (test/atom):
//   * A fragment layout is a bijection onto its tile: 32 lanes times 8 values are 16 * 16 elements.
//   * Registers times their bits are the values times theirs: 4 * 32 = 8 * 16.
//   * It is the (row, column) formula of the PTX ISA (FragmentWitnesses.h), and CuTe's layout where
//     TESSERA_ORACLE has one. A wrong layout may still be a bijection, so this is tested apart.
//   * ptxas takes a kernel with the instruction for every target that the row names, and the
//     simulator's product is that of the matrices.
//
// A row with a parametric extent (SM90_64xNx16_...) stands for one instruction for each legal N:
// its fragment layouts contain the letter N, which `layouts(row, m, n)` replaces.
#pragma once

#include "tessera/atom/Element.h"
#include "tessera/atom/Fragments.h"
#include "tessera/atom/Spelling.h"
#include "tessera/atom/Target.h"
#include "tessera/layout/Algebra.h"

#include <algorithm>

namespace tessera::atom {

/// The atom type of the dialect. `mnemonic` gives its spelling; sm80.mma also has the shapes of
/// sm_70, sm_75 and the f64 shapes of sm_90.
enum class MmaFamily : uint8_t {
  UniversalFma,
  Sm80Mma,
  Sm80SparseMma,
  Sm89Mma,
  Sm90Mma,
  Sm90MmaSp,
  Sm100Mma,
  Sm100MmaSp,
  Sm100MmaBs,
  Sm100MmaBsSp,
  Sm120Mma,
  Sm120MmaSp,
  Sm120MmaBs,
  Sm120MmaBsSp
};

/// PTX's `.kind::`. None if the instruction has no such qualifier.
enum class MmaKind : uint8_t {
  None,
  F16,
  Tf32,
  F8f6f4,
  I8,
  Mxf8f6f4,
  Mxf4,
  Mxf4nvf4
};

/// Where an operand is. Smem stands for a matrix descriptor, Tmem for an address.
enum class Residency : uint8_t {
  Rmem,
  Smem,
  Tmem
};

/// Which modes of an operand may be contiguous: K, M (of A) or N (of B), or either.
enum class Major : uint8_t {
  K = 1,
  MN = 2,
  Any = 3
};

enum class Overflow : uint8_t {
  Wrapped,
  Satfinite
}; // of s32 accumulators
enum class BitOp : uint8_t {
  None,
  XorPopc,
  AndPopc
};
enum class Metadata : uint8_t {
  None,
  Plain,
  Ordered
};

/// How an instruction is built from registers, descriptors and immediates.
enum class Recipe : uint8_t {
  Fma,
  MmaSync,
  MmaSparse,
  BlockScale,
  BlockScaleSparse,
  Wgmma,
  Umma
};

/// What LLVM 22 offers: a working op of its NVVM dialect, only the intrinsic, or neither (inline
/// PTX).
enum class Route : uint8_t {
  Nvvm,
  Intrinsic,
  Asm
};

enum class RegisterType : uint8_t {
  None,
  B16,
  B32,
  B64,
  F32,
  F64
};

/// The PTX registers of a thread that hold an operand; None if D overwrites C.
struct Registers {
  RegisterType type = RegisterType::None;
  uint8_t count = 0;
  bool perEightColumns = false; // `count` registers for each eight columns of N

  constexpr int at(int64_t n) const { return perEightColumns ? int(count * n / 8) : count; }
};
int bits(RegisterType);
std::string_view ptxName(RegisterType); // "b32"

/// Legal values of an extent: multiples of `step` from first to last; up to `fine`, multiples of 8.
struct Range {
  int16_t first = 0, last = 0, step = 1, fine = 0;

  constexpr Range() = default;
  constexpr Range(int only) : first(int16_t(only)), last(int16_t(only)) {}
  constexpr Range(int first, int last, int step, int fine = 0)
      : first(int16_t(first)), last(int16_t(last)), step(int16_t(step)), fine(int16_t(fine)) {}

  constexpr bool isFixed() const { return first == last; }
  constexpr bool contains(int64_t value) const {
    return value >= first && value <= last && value % (value <= fine ? 8 : step) == 0;
  }
  std::vector<int> values() const;
  /// "8", "64 or 128", "8 to 256 in steps of 8", "8, 16, 24, 32, then to 256 in steps of 16".
  std::string str() const;
};

/// A, B, C or D. `element` is the format of the numbers; fp4 and fp6 may sit in 8-bit containers.
struct Operand {
  Element element = Element::none;
  Fragment fragment = Fragment::None;
  Registers registers = {};
  Residency where = Residency::Rmem;
  Major majors = Major::K;
  uint8_t containerBits = 0; // 0: densely packed

  int storedBits() const { return containerBits ? containerBits : bits(element); }
  /// Lowest bit of the number in its container: fp4 sits in the middle of a byte, fp6 at its
  /// bottom. Source: PTX ISA 9.7.14.5.14.
  int containerShift() const { return containerBits == 8 && bits(element) == 4 ? 2 : 0; }
};

/// Structured sparsity of A: half of the values are stored, and metadata says which.
struct Sparsity {
  Metadata metadata = Metadata::None;
  Residency where = Residency::Rmem; // one .b32 register, or tensor memory
  Fragment fragment = Fragment::None;
  uint8_t elementsPerByte = 0; // logical elements of A that one metadata byte describes
  uint8_t selectors = 0;       // legal selector operands are 0 .. selectors - 1; 0: no such operand

  bool isSparse() const { return metadata != Metadata::None; }
};

/// Scale factors of A and B: one per row (column) and `vec` logical elements along K.
struct BlockScale {
  Element element = Element::none;
  uint8_t vec = 0;
  Residency where = Residency::Rmem; // of both; in registers one .b32 each
  Fragment a = Fragment::None, b = Fragment::None;

  bool isScaled() const { return element != Element::none; }
};

/// One instruction, or one for each N if N is parametric.
struct MmaRow {
  std::string name;  // as in CuTe; parametric extents as in SM90_64xNx16_F32F16F16_SS
  std::string alias; // another CuTe name of the same instruction, or empty
  MmaFamily family;
  MmaKind kind = MmaKind::None;
  Range m, n;
  int16_t k = 0;
  Operand a, b, c, d;
  std::string_view threads = "32:1"; // position in the atom -> lane, thread of a group, or block
  uint8_t ctas = 1;
  Overflow overflow = Overflow::Wrapped;
  BitOp bitOp = BitOp::None;
  Sparsity sparsity;
  BlockScale scale;
  bool scalesInput = false; // may multiply C by 2^-i (tcgen05's scale-input-d)
  bool weightStationary =
      false; // tcgen05.mma.ws: B stays, and folds of N lie in lanes that M leaves
  Recipe recipe = Recipe::MmaSync;
  Route route = Route::Nvvm;
  Requirement needs = Requirement::atLeast(70);
  uint8_t ptx = 0;      // lowest PTX version of the instruction, major * 10 + minor
  std::string mnemonic; // PTX without operands; "{N}" if N is parametric
  std::string_view source;

  /// Whether a wgmma can take -A or -B.
  bool negates() const { return kindOf(a.element) == NumberKind::Float; }
  /// Lowest PTX version in which the instruction can be written for `target`.
  int ptxFor(Target target) const { return std::max(int(ptx), target.minimumPtx()); }
};

/// The dialect's spelling of a family, without its dialect: "sm80.mma".
std::string_view mnemonic(MmaFamily);
std::span<const Spelling<MmaKind>> spellings(MmaKind); // "f8f6f4", "" for None
std::span<const Spelling<Residency>>
    spellings(Residency);                          // "rmem"; as keywords where A and B are: "rs"
std::span<const Spelling<Major>> spellings(Major); // "k", "mn", "any"
std::span<const Spelling<Overflow>> spellings(Overflow); // "wrapped"
std::span<const Spelling<BitOp>> spellings(BitOp);       // "none", "xor_popc"
std::span<const Spelling<Metadata>> spellings(Metadata); // "none", "tid", "ordered"
std::span<const Spelling<Recipe>> spellings(Recipe);
std::span<const Spelling<Route>> spellings(Route);

/// The instruction's PTX for an N, which must be legal: "wgmma.mma_async...m64n128k16.f32.f16.f16".
std::string mnemonicFor(const MmaRow &, int64_t n);
/// LLVM's intrinsic for a row whose route is Intrinsic:
/// "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e5m2.f32". It takes the registers of A, B and C, then
/// the metadata and the selector of a sparse A.
std::string intrinsicName(const MmaRow &);
/// CuTe's name for an N: "SM90_64x128x16_F32F16F16_SS".
std::string nameFor(const MmaRow &, int64_t n);
/// m, n and k as a type prints them, parametric extents as sets: "64x(8 to 256 in steps of 8)x16".
std::string shapeText(const MmaRow &);

/// The TV layouts of the atom for one choice of M and N, in elements, or a reason if the row has no
/// such M or N. Layouts of a sparse A cover its logical tile.
Result<layout::MmaAtomLayouts> layouts(const MmaRow &, int64_t m, int64_t n);
/// For a row without parametric extents.
layout::MmaAtomLayouts layouts(const MmaRow &);

} // namespace tessera::atom
