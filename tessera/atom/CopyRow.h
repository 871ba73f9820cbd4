// CopyRow: one copy instruction, with all its properties that any layer needs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a row is. A copy moves bits from one space to another. Its row states which bits each thread
// reads and writes, the widths and alignments of the accesses, how completion is signalled, which
// targets have the instruction, and how it is written. MmaRow.h explains what rows are for.
//
// An example, from tiers/Sm75.cpp: SM75_U32x4_LDSM_N is ldmatrix of four 8 x 8 matrices of 16 bits.
//
//   {"SM75_U32x4_LDSM_N", false, 4, Rows32, Regs4}
//
// Source and destination are fragment layouts (thread, value) -> bit. Rows32 is (32,128):(128,1):
// lane t gives the address of row t, 128 bits. Regs4 is (32,(32,4)):(32,(1,1024)): lane t gets 32
// bits of each matrix, one register each. So lane 5 gives row 5, from bit 640 on, and gets the bits
// from 160 on, which are row 1 from bit 32 on: its elements 2 and 3, of which another lane gave the
// address. Its second register is the same of the next matrix, 8 rows further on:
//
//   crd2idx((5,0), (32,128):(128,1))  =  640
//   crd2idx((5,(0,0)), (32,(32,4)):(32,(1,1024)))  =  160
//   idx2crd(160, (128,32))  =  (32,1)
//   idx2crd(crd2idx((5,(0,1)), (32,(32,4)):(32,(1,1024))), (128,32))  =  (32,9)
//
// Laws, each tested on all rows (test/atom): source and destination cover the same bits; registers
// times 32 are a lane's bits; the layouts are CuTe's if TESSERA_ORACLE has them; ptxas accepts the
// instruction for every target that the row names.
//
// `ref` is the side on which tiled copies are built: the registers. `layouts` gives all three in
// elements of a value type; a run of bits must be a whole number of values.
#pragma once

#include "tessera/atom/AddressSpace.h"
#include "tessera/atom/MmaRow.h"

#include <array>

namespace tessera::atom {

/// The atom type of the dialect; `mnemonic` gives its spelling.
enum class CopyFamily : uint8_t {
  UniversalCopy,
  SimtAsyncCopy,
  Ldsm,
  Stsm,
  TmemLoad,
  TmemLoadRed,
  TmemStore,
  S2TCopy,
  TmaLoad,
  TmaStore,
  TmaReduce,
  BulkG2S,
  BulkS2G,
  BulkS2S,
  BulkReduceS2G,
  BulkReduceS2S,
  DsmemStore
};

/// What an instruction asks of a side in memory.
enum class MemoryOrder : uint8_t {
  Free,  // nothing
  Run,   // one run of bytes for each thread
  Whole, // all of the view in order, which TMA itself swizzles
  Lanes  // the lanes and columns of tensor memory in an order of its own
};
struct MemoryOrders {
  MemoryOrder src = MemoryOrder::Free, dst = MemoryOrder::Free;
  bool any() const { return src != MemoryOrder::Free || dst != MemoryOrder::Free; }
};

/// The caches that a load uses: `always` both L1 and L2 (.ca), `global` only L2 (.cg). cp.async has
/// these two.
enum class CacheMode : uint8_t {
  None,
  Always,
  Global,
  Streaming,
  LastUse
};
/// What L1 does with a line that a plain load or store touches.
enum class EvictionPriority : uint8_t {
  Normal,
  First,
  Last,
  Unchanged,
  NoAllocate
};

/// Shared memory formats that are widened to bytes on the way: sixteen 6-bit numbers and 32 bits of
/// padding, or sixteen 4-bit numbers and 64 bits of padding.
enum class PackedFormat : uint8_t {
  None,
  B6x16P32,
  B4x16P64
};

/// How ldmatrix widens the elements of a matrix: their sizes in shared memory and in registers.
enum class SizePattern : uint8_t {
  U16,
  U4to8,
  S4to8,
  U2to4,
  S2to4,
  U4x16p64to8,
  U6x16p32to8,
  U8
};
/// The format in shared memory that a pattern reads; None if it is not packed.
PackedFormat packedFormat(SizePattern);

/// How tcgen05.cp replicates over the four groups of 32 data paths.
enum class Broadcast : uint8_t {
  None,
  Lw0213,
  Lw0123,
  X4
};

enum class TmaMode : uint8_t {
  None,
  Tiled,
  Im2col,
  Im2colW,
  Im2colW128,
  Gather4,
  Scatter4
};
/// A kind of tiled load: its architecture, number of blocks, and whether it multicasts.
enum class TiledLoad : uint8_t {
  Sm90,
  Sm90Multicast,
  Sm100,
  Sm100Multicast,
  Sm100Pair,
  Sm100PairMulticast
};
bool isMulticast(TiledLoad);
int ctas(TiledLoad);

enum class Reduction : uint8_t {
  None,
  Add,
  Min,
  Max,
  Inc,
  Dec,
  And,
  Or,
  Xor
};

/// The options of a plain load or store: a choice for each key of `accessKeys`, 0 being the
/// default.
struct AccessOptions {
  std::array<uint8_t, 8> choice = {};
  friend bool operator==(const AccessOptions &, const AccessOptions &) = default;
};
/// A key in texts, and its words.
struct AccessKey {
  std::string_view name;
  std::span<const std::string_view> words;
};
enum AccessIndex : uint8_t {
  MemOrder,
  MemScope,
  L2Prefetch,
  L1Eviction,
  LoadCache,
  StoreCache,
  SharedSpace,
  Invariant
};
std::span<const AccessKey> accessKeys();

struct CopyRow;
/// An additional result of a load from tensor memory: the largest or smallest number of a lane, of
/// magnitudes if `magnitude`; with `nan`, NaN if any number is one.
struct LaneReduction {
  bool smallest = false, magnitude = false, nan = false;
  friend bool operator==(const LaneReduction &, const LaneReduction &) = default;
};
/// ".min.abs.NaN.f32" for a row's ".min.f32" with these options.
std::string mnemonicFor(const CopyRow &, int64_t repeats, const LaneReduction &,
                        std::string_view type);

/// The type of the numbers in a bulk reduction; part of the instruction's name.
enum class ReducedType : uint8_t {
  None,
  U32,
  S32,
  U64,
  S64,
  F16,
  BF16,
  F32,
  F64,
  B32,
  B64
};

/// How completion of an asynchronous copy is signalled.
enum class Completion : uint8_t {
  Immediate,
  AsyncGroup,
  Mbarrier,
  BulkGroup,
  TcgenCommit,
  TcgenWait
};

/// Changes to the registers that the lowering must add to the instruction. InterleaveBytes: in each
/// register pair {b0..b3}, {b4..b7} become {b0,b1,b4,b5}, {b2,b3,b6,b7}. CuTe's atoms for
/// ldmatrix.m16n16 do so, and their layouts describe the result. Source: CUTLASS
/// include/cute/arch/copy_sm100.hpp.
enum class Fixup : uint8_t {
  None,
  InterleaveBytes
};

/// The columns that distinguish the rows of a family, which an atom type states. Unused columns
/// keep their defaults. Numbers are as wide as a type can state them: 260 matrices are not 4.
struct CopyKey {
  CopyFamily family;
  int64_t rows = 0, columns = 0; // ldsm, stsm: elements of a matrix; tmem, s2t: data paths, bits
  int64_t matrices = 0;          // ldsm, stsm
  bool transpose = false;        // ldsm, stsm
  PackedFormat format = PackedFormat::None; // ldsm, s2t
  bool packed16 = false;                    // tmem: two 16-bit columns share a register
  Broadcast broadcast = Broadcast::None;    // s2t
  CacheMode cache = CacheMode::None;        // cp.async
  TmaMode mode = TmaMode::None;
  Reduction reduction = Reduction::None;
  ReducedType reduced = ReducedType::None; // of bulk reductions
  bool multicast = false;
  int64_t ctas = 1;

  friend constexpr bool operator==(const CopyKey &, const CopyKey &) = default;
};

/// The amount that one instruction moves, if it is a parameter: legal bits, or legal repetitions.
struct Amounts {
  enum Unit : uint8_t {
    Bits,
    Repeats
  } unit = Bits;
  uint32_t first = 0, last = 0;
  uint32_t step = 0; // 0: powers of two

  constexpr bool isFixed() const { return first == last; }
  constexpr bool contains(int64_t amount) const {
    return amount >= first && amount <= last &&
           (step ? amount % step == 0 : (amount & (amount - 1)) == 0);
  }
  /// "128 bits", "multiples of 128 bits", "one of 8, 16 or 32 bits".
  std::string str() const;
};

/// One instruction, or one for each legal amount.
struct CopyRow {
  std::string name;  // as in CuTe; without the amount if that is a parameter
  std::string alias; // another CuTe name of the same instruction, or empty
  CopyKey key;
  Amounts amounts;
  std::string_view threads = "32:1";
  Fragment src = Fragment::None; // (thread, value) -> bit; likewise dst and ref
  Fragment dst = Fragment::None;
  Fragment ref = Fragment::None;     // the side on which tiled copies are built
  Fragment address = Fragment::None; // bit of the block -> bit address in tensor memory
  AddressSpace from = AddressSpace::Generic, to = AddressSpace::Generic;
  uint16_t alignFrom = 0, alignTo = 0; // bits; 0 in memory: the width that one thread moves
  uint8_t registers = 0; // .b32 of a lane for one repetition; 0: none, or as many as the bits need
  Fixup fixup = Fixup::None;
  Completion completion = Completion::Immediate;
  Range rank; // of the tensor map, for TMA
  Route route = Route::Nvvm;
  Requirement needs = Requirement::atLeast(70);
  uint8_t ptx = 0;      // lowest PTX version, major * 10 + minor
  std::string mnemonic; // PTX without operands; "{R}" repetitions, "{D}" rank of the tensor map,
                        // "{V}" registers
  std::string_view source;

  int ptxFor(Target target) const { return std::max(int(ptx), target.minimumPtx()); }
  /// .b32 registers of a lane on the register side; 0 if there is none.
  int registersFor(int64_t amount) const;
};

std::string_view mnemonic(CopyFamily); // "atom.ldsm"
MemoryOrders memoryOrders(CopyFamily);
std::span<const Spelling<CacheMode>> spellings(CacheMode); // "always"
std::span<const Spelling<EvictionPriority>> spellings(EvictionPriority);
std::span<const Spelling<PackedFormat>> spellings(PackedFormat); // "b6x16_p32"
std::span<const Spelling<SizePattern>> spellings(SizePattern);   // "u16"
std::span<const Spelling<Broadcast>> spellings(Broadcast);       // "lw_0213"
std::span<const Spelling<TmaMode>> spellings(TmaMode);           // "im2col_w"; as a keyword "w"
std::span<const Spelling<TiledLoad>> spellings(TiledLoad);       // "sm_90_multicast"
std::span<const Spelling<Reduction>> spellings(Reduction);       // "add"; as a keyword "ADD"
std::span<const Spelling<ReducedType>> spellings(ReducedType);   // "u32"
std::span<const Spelling<Completion>> spellings(Completion);     // "mbarrier"

/// The instruction's PTX with "{R}" or "{D}" replaced by `number`, and "{V}" by ".v2" or ".v4" if
/// `number` bits are 2 or 4 words.
std::string mnemonicFor(const CopyRow &, int64_t number);

/// The (thread, value) layouts of the source, the destination and the reference in elements of
/// `valueBits`, for `amount` bits or repetitions (0 if the row fixes it; ignored if the row has
/// none). A reason if the amount is not legal or runs of bits are not a whole number of values.
Result<layout::CopyAtomLayouts> layouts(const CopyRow &, int64_t amount, int64_t valueBits);
/// The same in bits.
Result<layout::CopyAtomLayouts> bitLayouts(const CopyRow &, int64_t amount);

} // namespace tessera::atom
