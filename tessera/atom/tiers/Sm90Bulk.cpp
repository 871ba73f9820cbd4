// Rows of Hopper: copies and reductions of a run of bytes, and stores to another CTA of the
// cluster.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/tiers/Tiers.h"

#include <initializer_list>

namespace tessera::atom {

namespace {
/// A run between shared memory and another memory.
struct Bulk {
  std::string_view name;
  CopyFamily family;
  bool multicast;
  AddressSpace from, to;
  Completion completion;
  std::string_view mnemonic;
};
constexpr Bulk copies[] = {
    {"SM90_BULK_COPY_G2S", CopyFamily::BulkG2S, false, AddressSpace::Gmem, AddressSpace::Smem,
     Completion::Mbarrier, "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"},
    {"SM90_BULK_COPY_G2S_MULTICAST", CopyFamily::BulkG2S, true, AddressSpace::Gmem,
     AddressSpace::Smem, Completion::Mbarrier,
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"},
    {"SM90_BULK_COPY_S2G", CopyFamily::BulkS2G, false, AddressSpace::Smem, AddressSpace::Gmem,
     Completion::BulkGroup, "cp.async.bulk.global.shared::cta.bulk_group"},
    {"SM90_BULK_COPY_S2S", CopyFamily::BulkS2S, false, AddressSpace::Smem, AddressSpace::Dsmem,
     Completion::Mbarrier,
     "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"},
};
constexpr Bulk reductions[] = {
    {"SM90_BULK_REDUCE_S2G", CopyFamily::BulkReduceS2G, false, AddressSpace::Smem,
     AddressSpace::Gmem, Completion::BulkGroup,
     "cp.reduce.async.bulk.global.shared::cta.bulk_group"},
    {"SM90_BULK_REDUCE_S2S", CopyFamily::BulkReduceS2S, false, AddressSpace::Smem,
     AddressSpace::Dsmem, Completion::Mbarrier,
     "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"},
};

CopyRow bulkRow(const Bulk &bulk) {
  CopyRow row;
  row.name = bulk.name;
  row.key = {.family = bulk.family, .multicast = bulk.multicast};
  row.amounts = {Amounts::Bits, 128, 1u << 23, 128};
  row.threads = "1:0";
  row.src = row.dst = row.ref = Fragment::BitsOne;
  row.from = bulk.from;
  row.to = bulk.to;
  row.alignFrom = row.alignTo = 128;
  row.completion = bulk.completion;
  row.needs = Requirement::atLeast(90);
  row.ptx = 80;
  row.mnemonic = bulk.mnemonic;
  row.source = "PTX ISA 9.7.9.25.4.1; CUTLASS copy_traits_sm90_tma.hpp";
  return row;
}

using enum ReducedType;
/// PTX ISA 9.7.9.25.4.2, the table of redOp and element type.
struct Reducible {
  std::initializer_list<Reduction> reductions;
  std::initializer_list<ReducedType> global, cluster;
};
const Reducible reducible[] = {
    {{Reduction::Add}, {U32, S32, U64, F32, F64, F16, BF16}, {U32, S32, U64}},
    {{Reduction::Min, Reduction::Max}, {U32, S32, U64, S64, F16, BF16}, {U32, S32}},
    {{Reduction::Inc, Reduction::Dec}, {U32}, {U32}},
    {{Reduction::And, Reduction::Or, Reduction::Xor}, {B32, B64}, {B32}},
};

std::string upper(std::string_view text) {
  std::string out(text);
  for (char &c : out)
    c = c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c;
  return out;
}
} // namespace

void addSm90Bulk(std::vector<CopyRow> &rows) {
  for (const Bulk &bulk : copies)
    rows.push_back(bulkRow(bulk));
  for (const Bulk &bulk : reductions) // CuTe has no atoms for them: the names are ours
    for (const Reducible &entry : reducible)
      for (Reduction reduction : entry.reductions)
        for (ReducedType type : bulk.to == AddressSpace::Gmem ? entry.global : entry.cluster) {
          CopyRow row = bulkRow(bulk);
          row.name = cat(bulk.name, "_", upper(name(reduction)), "_", upper(name(type)));
          row.key.reduction = reduction;
          row.key.reduced = type;
          bool rounds = reduction == Reduction::Add && (type == F16 || type == BF16);
          row.mnemonic += cat(".", name(reduction), rounds ? ".noftz." : ".", name(type));
          row.source = "PTX ISA 9.7.9.25.4.2";
          rows.push_back(std::move(row));
        }
  CopyRow store;
  store.name = "SM90_ST_ASYNC";
  store.key = {.family = CopyFamily::DsmemStore};
  store.amounts = {Amounts::Bits, 32, 128, 0};
  store.threads = "1:0";
  store.src = store.dst = store.ref = Fragment::BitsOne;
  store.from = AddressSpace::Rmem;
  store.to = AddressSpace::Dsmem;
  store.completion = Completion::Mbarrier;
  store.route = Route::Asm;
  store.needs = Requirement::atLeast(90);
  store.ptx = 81;
  store.mnemonic = "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes{V}.b32";
  store.source = "PTX ISA 9.7.9.13";
  rows.push_back(std::move(store));
}

} // namespace tessera::atom
