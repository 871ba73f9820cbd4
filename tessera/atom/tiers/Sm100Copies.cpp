// Rows of Blackwell: byte matrices, tensor memory, new tensor copies, 256-bit loads and stores.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/tiers/Tiers.h"

namespace tessera::atom {

namespace {
using enum Fragment;

constexpr Requirement blackwell = familySm100 | familySm110 | familySm120;
constexpr Requirement withTmem = familySm100 | familySm110;

void addMatrices(std::vector<CopyRow> &rows) {
  using enum PackedFormat;
  struct Matrices {
    std::string_view name;
    CopyFamily family;
    uint16_t rows, columns;
    uint8_t count, registers;
    PackedFormat format;
    Fragment memory, lanes;
    std::string_view mnemonic;
  };
  constexpr CopyFamily load = CopyFamily::Ldsm, store = CopyFamily::Stsm;
  // All 16x16 loads and all stores transpose.
  constexpr Matrices table[] = {
      {"SM100_U8x8_LDSM_T", load, 16, 16, 1, 2, None, Rows16Byte, RegsByteT2,
       "m16n16.x1.trans.shared.b8"},
      {"SM100_U8x16_LDSM_T", load, 16, 16, 2, 4, None, Rows32Byte, RegsByteT4,
       "m16n16.x2.trans.shared.b8"},
      {"SM100_SU6_DU8x8_LDSM_T", load, 16, 16, 1, 2, B6x16P32, Rows16Byte, RegsByteT2,
       "m16n16.x1.trans.shared.b8x16.b6x16_p32"},
      {"SM100_SU6_DU8x16_LDSM_T", load, 16, 16, 2, 4, B6x16P32, Rows32Byte, RegsByteT4,
       "m16n16.x2.trans.shared.b8x16.b6x16_p32"},
      {"SM100_SU4_DU8x8_LDSM_T", load, 16, 16, 1, 2, B4x16P64, Rows16Byte, RegsByteT2,
       "m16n16.x1.trans.shared.b8x16.b4x16_p64"},
      {"SM100_SU4_DU8x16_LDSM_T", load, 16, 16, 2, 4, B4x16P64, Rows32Byte, RegsByteT4,
       "m16n16.x2.trans.shared.b8x16.b4x16_p64"},
      {"SM100_SU6_DU8x16_x1_LDSM_N", load, 8, 16, 1, 1, B6x16P32, Rows8, Regs1,
       "m8n16.x1.shared.b8x16.b6x16_p32"},
      {"SM100_SU6_DU8x16_x2_LDSM_N", load, 8, 16, 2, 2, B6x16P32, Rows16, Regs2,
       "m8n16.x2.shared.b8x16.b6x16_p32"},
      {"SM100_SU6_DU8x16_x4_LDSM_N", load, 8, 16, 4, 4, B6x16P32, Rows32, Regs4,
       "m8n16.x4.shared.b8x16.b6x16_p32"},
      {"SM100_SU4_DU8x16_x1_LDSM_N", load, 8, 16, 1, 1, B4x16P64, Rows8, Regs1,
       "m8n16.x1.shared.b8x16.b4x16_p64"},
      {"SM100_SU4_DU8x16_x2_LDSM_N", load, 8, 16, 2, 2, B4x16P64, Rows16, Regs2,
       "m8n16.x2.shared.b8x16.b4x16_p64"},
      {"SM100_SU4_DU8x16_x4_LDSM_N", load, 8, 16, 4, 4, B4x16P64, Rows32, Regs4,
       "m8n16.x4.shared.b8x16.b4x16_p64"},
      {"SM100_U8x4_STSM_T", store, 16, 8, 1, 1, None, Rows8, RegsByteT1,
       "m16n8.x1.trans.shared.b8"},
      {"SM100_U8x8_STSM_T", store, 16, 8, 2, 2, None, Rows16, RegsByteT2,
       "m16n8.x2.trans.shared.b8"},
      {"SM100_U8x16_STSM_T", store, 16, 8, 4, 4, None, Rows32, RegsByteT4,
       "m16n8.x4.trans.shared.b8"},
  };
  for (const Matrices &matrices : table) {
    bool loads = matrices.family == load;
    CopyRow row;
    row.name = matrices.name;
    row.key = {.family = matrices.family,
               .rows = matrices.rows,
               .columns = matrices.columns,
               .matrices = matrices.count,
               .transpose = !loads || matrices.rows == 16,
               .format = matrices.format};
    row.src = loads ? matrices.memory : matrices.lanes;
    row.dst = loads ? matrices.lanes : matrices.memory;
    row.ref = matrices.lanes;
    row.from = loads ? AddressSpace::Smem : AddressSpace::Rmem;
    row.to = loads ? AddressSpace::Rmem : AddressSpace::Smem;
    row.alignFrom = loads ? 128 : 32;
    row.alignTo = loads ? 32 : 128;
    row.registers = matrices.registers;
    row.fixup = loads && matrices.rows == 16 ? Fixup::InterleaveBytes : Fixup::None;
    row.needs = blackwell;
    row.ptx = 86;
    row.mnemonic = cat(loads ? "ldmatrix" : "stmatrix", ".sync.aligned.", matrices.mnemonic);
    row.source = loads ? "PTX ISA 9.7.14.5.15; CUTLASS copy_traits_sm100.hpp"
                       : "PTX ISA 9.7.14.5.16; CUTLASS copy_traits_sm100.hpp";
    rows.push_back(std::move(row));
  }
}

// SM100_TMEM_{LOAD,STORE}_<dp>dp<bits>b[_16b]; repetitions (CuTe's 1x to 128x) are the parameter.
void addTmem(std::vector<CopyRow> &rows) {
  struct Shape {
    std::string_view name, ptx;
    uint16_t dataPaths, bits;
    uint32_t mostRepeats;
    uint8_t registers;
    Fragment lanes, block, address, packed;
  };
  constexpr Shape shapes[] = {
      {"16dp64b", "16x64b", 16, 64, 128, 1, Tmem16x64, Block16x64, Address16x64,
       AddressPacked16x64},
      {"16dp128b", "16x128b", 16, 128, 64, 2, Tmem16x128, Block16x128, Address16x128,
       AddressPacked16x128},
      {"16dp256b", "16x256b", 16, 256, 32, 4, Tmem16x256, Block16x256, Address16x256,
       AddressPacked16x256},
      {"16dp32b", "16x32bx2", 16, 32, 128, 1, Tmem16x32x2, Block16x64, Address16x64,
       AddressPacked16x64},
      {"32dp32b", "32x32b", 32, 32, 128, 1, Tmem32x32, Block32x32, Address32x32,
       AddressPacked32x32},
  };
  auto base = [](const Shape &shape, CopyFamily family) {
    bool loads = family != CopyFamily::TmemStore;
    CopyRow row;
    row.key = {.family = family, .rows = shape.dataPaths, .columns = shape.bits};
    row.amounts = {Amounts::Repeats, 1, shape.mostRepeats};
    row.src = loads ? shape.block : shape.lanes;
    row.dst = loads ? shape.lanes : shape.block;
    row.ref = shape.block;
    row.address = shape.address;
    row.from = loads ? AddressSpace::Tmem : AddressSpace::Rmem;
    row.to = loads ? AddressSpace::Rmem : AddressSpace::Tmem;
    row.alignFrom = row.alignTo = 32;
    row.registers = shape.registers;
    row.completion = Completion::TcgenWait;
    row.needs = withTmem;
    row.ptx = 86;
    row.source = "PTX ISA 9.7.16.2.3, 9.7.16.8; CUTLASS copy_traits_sm100.hpp";
    return row;
  };
  for (CopyFamily family : {CopyFamily::TmemLoad, CopyFamily::TmemStore})
    for (const Shape &shape : shapes)
      for (bool packed : {false, true}) {
        bool loads = family == CopyFamily::TmemLoad;
        CopyRow row = base(shape, family);
        row.name = cat("SM100_TMEM_", loads ? "LOAD_" : "STORE_", shape.name, packed ? "_16b" : "");
        row.key.packed16 = packed;
        row.address = packed ? shape.packed : shape.address;
        row.mnemonic = cat("tcgen05.", loads ? "ld" : "st", ".sync.aligned.", shape.ptx, ".x{R}",
                           !packed ? ""
                           : loads ? ".pack::16b"
                                   : ".unpack::16b",
                           ".b32");
        rows.push_back(std::move(row));
      }
  // Loads that also reduce each lane's columns to their largest or smallest, in one more register.
  for (const Shape &shape : {shapes[3], shapes[4]})
    for (Reduction reduction : {Reduction::Max, Reduction::Min}) {
      CopyRow row = base(shape, CopyFamily::TmemLoadRed);
      row.name =
          cat("SM100_TMEM_LOAD_STAT_", shape.name, reduction == Reduction::Max ? "" : "_MIN");
      row.key.reduction = reduction;
      row.amounts.first = 2;
      row.route = Route::Asm;
      row.needs = Requirement::family(103) | familySm110;
      row.ptx = 88;
      row.mnemonic =
          cat("tcgen05.ld.red.sync.aligned.", shape.ptx, ".x{R}.", name(reduction), ".f32");
      rows.push_back(std::move(row));
    }
}

// SM100_UTCCP_<shape>_{1cta,2cta}[_B6X16_P32, _B4X16_P64]: from shared to tensor memory.
void addSmemToTmem(std::vector<CopyRow> &rows) {
  struct Shape {
    std::string_view name, ptx;
    uint16_t dataPaths, bits;
    Broadcast broadcast;
    uint32_t movedBits;
    Fragment memory, tensor, address;
  };
  constexpr Shape shapes[] = {
      {"128dp256bit", "128x256b", 128, 256, Broadcast::None, 32768, CpWhole, CpWhole,
       AddressCp128x256},
      {"128dp128bit", "128x128b", 128, 128, Broadcast::None, 16384, CpWhole, CpWhole,
       AddressCp128x128},
      {"4dp256bit", "4x256b", 4, 256, Broadcast::None, 1024, CpFourLanes, CpFourLanes,
       AddressCp128x256},
      {"4x32dp128bit", "32x128b.warpx4", 32, 128, Broadcast::X4, 16384, CpTimes4, CpWhole,
       AddressCpTimes4},
      {"2x64dp128bitlw0213", "64x128b.warpx2::02_13", 64, 128, Broadcast::Lw0213, 16384,
       CpTimes2Lanes0213, CpWhole, AddressCp0213},
      {"2x64dp128bitlw0123", "64x128b.warpx2::01_23", 64, 128, Broadcast::Lw0123, 16384,
       CpTimes2Lanes0123, CpWhole, AddressCp0123},
  };
  constexpr std::string_view suffixes[] = {"", "_B6X16_P32", "_B4X16_P64"};
  for (const Shape &shape : shapes)
    for (uint8_t ctas : {1, 2})
      for (PackedFormat format :
           {PackedFormat::None, PackedFormat::B6x16P32, PackedFormat::B4x16P64}) {
        bool packed = format != PackedFormat::None;
        CopyRow row;
        row.name = cat("SM100_UTCCP_", shape.name, "_", int(ctas), "cta", suffixes[size_t(format)]);
        row.key = {.family = CopyFamily::S2TCopy,
                   .rows = shape.dataPaths,
                   .columns = shape.bits,
                   .format = format,
                   .broadcast = shape.broadcast,
                   .ctas = ctas};
        row.amounts = {Amounts::Bits, shape.movedBits, shape.movedBits, shape.movedBits};
        row.threads = ctas == 1 ? "1:0" : "2:1";
        row.src = shape.memory;
        row.dst = row.ref = shape.tensor;
        row.address = shape.address;
        row.from = AddressSpace::Smem;
        row.to = AddressSpace::Tmem;
        row.alignFrom = 128;
        row.alignTo = 32;
        row.completion = Completion::TcgenCommit;
        row.needs = withTmem;
        row.ptx = 86;
        row.mnemonic = cat("tcgen05.cp.cta_group::", int(ctas), ".", shape.ptx,
                           packed ? cat(".b8x16.", name(format)) : "");
        row.source = "PTX ISA 9.7.16.9; CUTLASS copy_traits_sm100.hpp";
        rows.push_back(std::move(row));
      }
}

CopyRow tensorLoad(std::string name, TmaMode mode, std::string_view ptxMode, bool multicast,
                   uint8_t ctas) {
  bool gather = mode == TmaMode::Gather4;
  CopyRow row;
  row.name = std::move(name);
  row.key = {.family = CopyFamily::TmaLoad, .mode = mode, .multicast = multicast, .ctas = ctas};
  row.amounts = {Amounts::Bits, 128, 1u << 23, 128};
  row.threads = ctas == 2 ? "2:1" : "1:0";
  row.src = row.dst = row.ref = ctas == 2 ? BitsTwo : BitsOne;
  row.from = AddressSpace::Gmem;
  row.to = AddressSpace::Smem;
  row.alignFrom = 128;
  row.alignTo = 1024;
  row.completion = Completion::Mbarrier;
  row.rank = gather ? Range(2) : mode == TmaMode::Tiled ? Range(1, 5, 1) : Range(3, 5, 1);
  row.needs = withTmem;
  row.ptx = 86;
  row.mnemonic = cat("cp.async.bulk.tensor.{D}d.shared::cluster.global.", ptxMode,
                     ".mbarrier::complete_tx::bytes", multicast ? ".multicast::cluster" : "",
                     ctas == 2 ? ".cta_group::2" : "");
  row.source = "PTX ISA 9.7.9.25.5.2; CUTLASS copy_traits_sm100_tma.hpp";
  return row;
}

void addTensorCopies(std::vector<CopyRow> &rows) {
  struct Mode {
    TmaMode mode;
    std::string_view suffix, ptx;
  };
  // SM100_TMA_2SM_LOAD[_IM2COL][_MULTICAST]
  constexpr Mode both[] = {{TmaMode::Tiled, "", "tile"}, {TmaMode::Im2col, "_IM2COL", "im2col"}};
  // SM100_TMA_LOAD_{GATHER4,IM2COL_W,IM2COL_W_128}[_MULTICAST], SM100_TMA_2SM_LOAD_...
  constexpr Mode fresh[] = {{TmaMode::Gather4, "_GATHER4", "tile::gather4"},
                            {TmaMode::Im2colW, "_IM2COL_W", "im2col::w"},
                            {TmaMode::Im2colW128, "_IM2COL_W_128", "im2col::w::128"}};
  for (bool multicast : {false, true}) {
    std::string_view cast = multicast ? "_MULTICAST" : "";
    for (const Mode &mode : both)
      rows.push_back(tensorLoad(cat("SM100_TMA_2SM_LOAD", mode.suffix, cast), mode.mode, mode.ptx,
                                multicast, 2));
    for (const Mode &mode : fresh) {
      rows.push_back(
          tensorLoad(cat("SM100_TMA_LOAD", mode.suffix, cast), mode.mode, mode.ptx, multicast, 1));
      rows.push_back(tensorLoad(cat("SM100_TMA_2SM_LOAD", mode.suffix, cast), mode.mode, mode.ptx,
                                multicast, 2));
    }
  }
  CopyRow row = tensorLoad("SM100_TMA_STORE_SCATTER4", TmaMode::Scatter4, "", false, 1);
  row.key.family = CopyFamily::TmaStore;
  row.from = AddressSpace::Smem;
  row.to = AddressSpace::Gmem;
  std::swap(row.alignFrom, row.alignTo);
  row.completion = Completion::BulkGroup;
  row.rank = 2;
  row.mnemonic = "cp.async.bulk.tensor.{D}d.global.shared::cta.tile::scatter4.bulk_group";
  rows.push_back(std::move(row));
}

// LLVM 22 selects these for <8 x i32> with 32-byte alignment in global memory.
void addWideAccesses(std::vector<CopyRow> &rows) {
  for (bool loads : {true, false}) {
    CopyRow row;
    row.name = cat("SM100_", loads ? "LOAD" : "STORE", "_256bit_CACHE_NOALLOCATION");
    row.key = {.family = CopyFamily::UniversalCopy, .columns = 256};
    row.amounts = {Amounts::Bits, 256, 256};
    row.threads = "1:0";
    row.src = row.dst = row.ref = BitsOne;
    row.from = loads ? AddressSpace::Gmem : AddressSpace::Rmem;
    row.to = loads ? AddressSpace::Rmem : AddressSpace::Gmem;
    (loads ? row.alignFrom : row.alignTo) = 256;
    row.registers = 8;
    row.needs = Requirement::atLeast(100);
    row.ptx = 88;
    row.mnemonic = loads ? "ld.global.v8.b32" : "st.global.v8.b32";
    row.source = "PTX ISA 9.7.9.8, 9.7.9.12; CUTLASS copy_traits_sm100.hpp";
    rows.push_back(std::move(row));
  }
}
} // namespace

void addSm100Copies(std::vector<CopyRow> &rows) {
  addMatrices(rows);
  addTmem(rows);
  addSmemToTmem(rows);
  addTensorCopies(rows);
  addWideAccesses(rows);
}

} // namespace tessera::atom
