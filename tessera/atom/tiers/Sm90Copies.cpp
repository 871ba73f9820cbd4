// Rows of Hopper: stmatrix and tensor copies (TMA).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/tiers/Tiers.h"

namespace tessera::atom {

namespace {
using enum Fragment;

void addStmatrix(std::vector<CopyRow> &rows) {
  struct Matrices {
    std::string_view name;
    bool transpose;
    uint8_t count;
    Fragment lanes, memory;
  };
  constexpr Matrices table[] = {
      {"SM90_U32x1_STSM_N", false, 1, Regs1, Rows8},
      {"SM90_U32x2_STSM_N", false, 2, Regs2, Rows16},
      {"SM90_U32x4_STSM_N", false, 4, Regs4, Rows32},
      {"SM90_U16x2_STSM_T", true, 1, RegsT1, Rows8},
      {"SM90_U16x4_STSM_T", true, 2, RegsT2, Rows16},
      {"SM90_U16x8_STSM_T", true, 4, RegsT4, Rows32},
  };
  for (const Matrices &matrices : table) {
    CopyRow row;
    row.name = matrices.name;
    row.key = {.family = CopyFamily::Stsm,
               .rows = 8,
               .columns = 8,
               .matrices = matrices.count,
               .transpose = matrices.transpose};
    row.src = row.ref = matrices.lanes;
    row.dst = matrices.memory;
    row.from = AddressSpace::Rmem;
    row.to = AddressSpace::Smem;
    row.alignFrom = 32;
    row.alignTo = 128;
    row.registers = matrices.count;
    row.needs = Requirement::atLeast(90);
    row.ptx = 78;
    row.mnemonic = cat("stmatrix.sync.aligned.m8n8.x", int(matrices.count),
                       matrices.transpose ? ".trans" : "", ".shared.b16");
    row.source = "PTX ISA 9.7.14.5.16; CUTLASS copy_traits_sm90.hpp";
    rows.push_back(std::move(row));
  }
}

// A tensor copy moves a box; its bits are the parameter. In shared memory a box starts at a
// multiple of 128 bytes, in global memory the tensor at one of 16.
CopyRow tensorRow(CopyFamily family, std::string name, TmaMode mode) {
  CopyRow row;
  row.name = std::move(name);
  row.key = {.family = family, .mode = mode};
  row.amounts = {Amounts::Bits, 128, 1u << 23, 128};
  row.threads = "1:0";
  row.src = row.dst = row.ref = BitsOne;
  row.from = family == CopyFamily::TmaLoad ? AddressSpace::Gmem : AddressSpace::Smem;
  row.to = family == CopyFamily::TmaLoad ? AddressSpace::Smem : AddressSpace::Gmem;
  row.alignFrom = family == CopyFamily::TmaLoad ? 128 : 1024;
  row.alignTo = family == CopyFamily::TmaLoad ? 1024 : 128;
  row.completion = family == CopyFamily::TmaLoad ? Completion::Mbarrier : Completion::BulkGroup;
  row.rank = mode == TmaMode::Tiled ? Range(1, 5, 1) : Range(3, 5, 1);
  row.needs = Requirement::atLeast(90);
  row.ptx = 80;
  row.source = "PTX ISA 9.7.9.25.5; CUTLASS copy_traits_sm90_tma.hpp";
  return row;
}

void addTensorCopies(std::vector<CopyRow> &rows) {
  struct Mode {
    TmaMode mode;
    std::string_view suffix, load, store;
  };
  constexpr Mode modes[] = {{TmaMode::Tiled, "", "tile", "tile"},
                            {TmaMode::Im2col, "_IM2COL", "im2col", "im2col_no_offs"}};
  for (const Mode &mode : modes)
    for (bool multicast : {false, true}) { // SM90_TMA_LOAD[_IM2COL][_MULTICAST]
      CopyRow row =
          tensorRow(CopyFamily::TmaLoad,
                    cat("SM90_TMA_LOAD", mode.suffix, multicast ? "_MULTICAST" : ""), mode.mode);
      row.key.multicast = multicast;
      row.mnemonic = cat("cp.async.bulk.tensor.{D}d.shared::cluster.global.", mode.load,
                         ".mbarrier::complete_tx::bytes", multicast ? ".multicast::cluster" : "");
      rows.push_back(std::move(row));
    }
  for (const Mode &mode : modes) { // SM90_TMA_STORE[_IM2COL]
    CopyRow row = tensorRow(CopyFamily::TmaStore, cat("SM90_TMA_STORE", mode.suffix), mode.mode);
    row.mnemonic = cat("cp.async.bulk.tensor.{D}d.global.shared::cta.", mode.store, ".bulk_group");
    rows.push_back(std::move(row));
  }
  for (const Mode &mode : modes) // SM90_TMA_REDUCE_{ADD,MIN,MAX,INC,DEC,AND,OR,XOR}[_IM2COL]
    for (const Spelling<Reduction> &op : spellings(Reduction())) {
      if (op.value == Reduction::None)
        continue;
      CopyRow row = tensorRow(CopyFamily::TmaReduce,
                              cat("SM90_TMA_REDUCE_", op.keyword, mode.suffix), mode.mode);
      row.key.reduction = op.value;
      row.mnemonic = cat("cp.reduce.async.bulk.tensor.{D}d.global.shared::cta.", op.name, ".",
                         mode.store, ".bulk_group");
      rows.push_back(std::move(row));
    }
}
} // namespace

void addSm90Copies(std::vector<CopyRow> &rows) {
  addStmatrix(rows);
  addTensorCopies(rows);
}

} // namespace tessera::atom
