// Names and layouts of copy rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/CopyRow.h"

#include "tessera/atom/Errors.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Text.h"

namespace tessera::atom {

namespace {
/// Of each family, in their order, its mnemonic and how its instructions go through memory. PTX
/// ISA, cp.async, ldmatrix, stmatrix, cp.async.bulk.tensor, tcgen05.ld and tcgen05.st.
struct FamilyRow {
  std::string_view mnemonic;
  MemoryOrders orders{};
};
using enum MemoryOrder;
constexpr FamilyRow families[] = {
    {"atom.universal_copy"},
    {"atom.simt_async_copy", {.src = Run, .dst = Run}},
    {"atom.ldsm", {.src = Run}},
    {"atom.stsm", {.dst = Run}},
    {"atom.tmem_load", {.src = Lanes}},
    {"atom.tmem_load_red", {.src = Lanes}},
    {"atom.tmem_store", {.dst = Lanes}},
    {"atom.s2t_copy"},
    {"atom.tma_load", {.dst = Whole}},
    {"atom.tma_store", {.src = Whole}},
    {"atom.tma_reduce", {.src = Whole}},
    {"atom.bulk_copy_g2s"},
    {"atom.bulk_copy_s2g"},
    {"atom.bulk_copy_s2s"},
    {"atom.bulk_reduce_s2g"},
    {"atom.bulk_reduce_s2s"},
    {"atom.dsmem_store"},
};
static_assert(std::size(families) == size_t(CopyFamily::DsmemStore) + 1);
constexpr Spelling<CacheMode> caches[] = {
    {CacheMode::Always, "always"},       {CacheMode::Global, "global"},
    {CacheMode::Streaming, "streaming"}, {CacheMode::LastUse, "last_use"},
    {CacheMode::None, "none"},
};
constexpr Spelling<EvictionPriority> evictions[] = {
    {EvictionPriority::Normal, "evict_normal"},    {EvictionPriority::First, "evict_first"},
    {EvictionPriority::Last, "evict_last"},        {EvictionPriority::Unchanged, "evict_unchanged"},
    {EvictionPriority::NoAllocate, "no_allocate"},
};
constexpr Spelling<PackedFormat> formats[] = {
    {PackedFormat::None, "none", ""},
    {PackedFormat::B6x16P32, "b6x16_p32"},
    {PackedFormat::B4x16P64, "b4x16_p64"},
};
constexpr Spelling<SizePattern> patterns[] = {
    {SizePattern::U16, "u16"},
    {SizePattern::U4to8, "u4to8"},
    {SizePattern::S4to8, "s4to8"},
    {SizePattern::U2to4, "u2to4"},
    {SizePattern::S2to4, "s2to4"},
    {SizePattern::U4x16p64to8, "u4x16p64to8"},
    {SizePattern::U6x16p32to8, "u6x16p32to8"},
    {SizePattern::U8, "u8"},
};
constexpr Spelling<Broadcast> broadcasts[] = {
    {Broadcast::None, "none"},
    {Broadcast::Lw0213, "lw_0213"},
    {Broadcast::Lw0123, "lw_0123"},
    {Broadcast::X4, "x4"},
};
constexpr Spelling<TmaMode> modes[] = {
    {TmaMode::None, "none", ""},         {TmaMode::Tiled, "tiled"},
    {TmaMode::Im2col, "im2col"},         {TmaMode::Im2colW128, "im2col_w_128", "w128"},
    {TmaMode::Im2colW, "im2col_w", "w"}, {TmaMode::Gather4, "gather4"},
    {TmaMode::Scatter4, "scatter4"},
};
constexpr Spelling<TiledLoad> loads[] = {
    {TiledLoad::Sm90, "sm_90"},           {TiledLoad::Sm90Multicast, "sm_90_multicast"},
    {TiledLoad::Sm100, "sm_100"},         {TiledLoad::Sm100Multicast, "sm_100_multicast"},
    {TiledLoad::Sm100Pair, "sm_100_2sm"}, {TiledLoad::Sm100PairMulticast, "sm_100_2sm_multicast"},
};
constexpr Spelling<Reduction> reductions[] = {
    {Reduction::None, "none", ""},  {Reduction::Add, "add", "ADD"}, {Reduction::Min, "min", "MIN"},
    {Reduction::Max, "max", "MAX"}, {Reduction::Inc, "inc", "INC"}, {Reduction::Dec, "dec", "DEC"},
    {Reduction::And, "and", "AND"}, {Reduction::Or, "or", "OR"},    {Reduction::Xor, "xor", "XOR"},
};
constexpr Spelling<ReducedType> reducedNames[] = {
    {ReducedType::None, "none", ""}, {ReducedType::U32, "u32", ""}, {ReducedType::S32, "s32", ""},
    {ReducedType::U64, "u64", ""},   {ReducedType::S64, "s64", ""}, {ReducedType::F16, "f16", ""},
    {ReducedType::BF16, "bf16", ""}, {ReducedType::F32, "f32", ""}, {ReducedType::F64, "f64", ""},
    {ReducedType::B32, "b32", ""},   {ReducedType::B64, "b64", ""},
};
constexpr Spelling<Completion> completions[] = {
    {Completion::Immediate, "immediate", ""},        {Completion::AsyncGroup, "async_group", ""},
    {Completion::Mbarrier, "mbarrier", ""},          {Completion::BulkGroup, "bulk_group", ""},
    {Completion::TcgenCommit, "tcgen05_commit", ""}, {Completion::TcgenWait, "tcgen05_wait", ""},
};

// Words of plain accesses, the usual one first.
constexpr std::string_view orders[] = {"weak", "relaxed", "acquire",  "release", "acq_rel",
                                       "sc",   "mmio",    "volatile", "constant"};
constexpr std::string_view scopes[] = {"cta", "cluster", "gpu", "sys"};
constexpr std::string_view prefetches[] = {"none", "size_64b", "size_128b", "size_256b"};
constexpr std::string_view keeps[] = {"evict_normal", "evict_first", "evict_last",
                                      "evict_unchanged", "no_allocate"};
constexpr std::string_view loadCaches[] = {"always", "global", "streaming", "last_use", "none"};
constexpr std::string_view storeCaches[] = {"write_back", "global", "streaming", "write_through",
                                            "none"};
constexpr std::string_view sharedSpaces[] = {"cta", "cluster"};
constexpr std::string_view flags[] = {"false", "true"};
constexpr AccessKey accesses[] = {
    {"mem_order", orders},
    {"mem_scope", scopes},
    {"l2_prefetch_size", prefetches},
    {"l1_cache_evict_priority", keeps},
    {"load_cache_mode", loadCaches},
    {"store_cache_mode", storeCaches},
    {"shared_space", sharedSpaces},
    {"invariant", flags},
};
} // namespace

std::span<const AccessKey> accessKeys() { return accesses; }

std::string_view mnemonic(CopyFamily family) { return families[size_t(family)].mnemonic; }
MemoryOrders memoryOrders(CopyFamily family) { return families[size_t(family)].orders; }
std::span<const Spelling<CacheMode>> spellings(CacheMode) { return caches; }
std::span<const Spelling<EvictionPriority>> spellings(EvictionPriority) { return evictions; }
std::span<const Spelling<PackedFormat>> spellings(PackedFormat) { return formats; }
std::span<const Spelling<SizePattern>> spellings(SizePattern) { return patterns; }
std::span<const Spelling<Broadcast>> spellings(Broadcast) { return broadcasts; }
std::span<const Spelling<TmaMode>> spellings(TmaMode) { return modes; }
std::span<const Spelling<TiledLoad>> spellings(TiledLoad) { return loads; }
std::span<const Spelling<Reduction>> spellings(Reduction) { return reductions; }
std::span<const Spelling<ReducedType>> spellings(ReducedType) { return reducedNames; }
std::span<const Spelling<Completion>> spellings(Completion) { return completions; }

PackedFormat packedFormat(SizePattern pattern) {
  return pattern == SizePattern::U4x16p64to8   ? PackedFormat::B4x16P64
         : pattern == SizePattern::U6x16p32to8 ? PackedFormat::B6x16P32
                                               : PackedFormat::None;
}
bool isMulticast(TiledLoad kind) {
  return kind == TiledLoad::Sm90Multicast || kind == TiledLoad::Sm100Multicast ||
         kind == TiledLoad::Sm100PairMulticast;
}
int ctas(TiledLoad kind) {
  return kind == TiledLoad::Sm100Pair || kind == TiledLoad::Sm100PairMulticast ? 2 : 1;
}

std::string Amounts::str() const {
  std::string_view what = unit == Bits ? "bits" : "repetitions";
  if (isFixed())
    return cat(first, " ", what);
  if (step)
    return cat("multiples of ", step, " ", what);
  std::string out = "one of ";
  for (uint32_t amount = first; amount <= last; amount *= 2)
    out += cat(amount == first ? "" : amount == last ? " or " : ", ", amount);
  return cat(out, " ", what);
}

int CopyRow::registersFor(int64_t amount) const {
  if (from != AddressSpace::Rmem && to != AddressSpace::Rmem)
    return 0;
  if (!registers)
    return int((amount + 31) / 32);
  return registers * int(amounts.unit == Amounts::Repeats ? amount : 1);
}

std::string mnemonicFor(const CopyRow &row, int64_t number) {
  std::string text = row.mnemonic;
  for (std::string_view hole : {"{R}", "{D}"})
    if (size_t at = text.find(hole); at != std::string::npos)
      text.replace(at, hole.size(), std::to_string(number));
  if (size_t at = text.find("{V}"); at != std::string::npos)
    text.replace(at, 3, number > 32 ? cat(".v", number / 32) : "");
  return text;
}

std::string mnemonicFor(const CopyRow &row, int64_t repeats, const LaneReduction &reduction,
                        std::string_view type) {
  std::string text = mnemonicFor(row, repeats);
  return cat(text.substr(0, text.rfind('.')), reduction.magnitude ? ".abs" : "",
             reduction.nan ? ".NaN" : "", ".", type);
}

Result<layout::CopyAtomLayouts> bitLayouts(const CopyRow &row, int64_t amount) {
  if (row.amounts.isFixed() && (amount == 0 || row.amounts.first == 0))
    amount = row.amounts.first;
  if (!row.amounts.contains(amount))
    return fail(Error::AmountNotLegal, row.name, row.amounts.str(), amount);
  Extents extents{.ctas = row.key.ctas};
  (row.amounts.unit == Amounts::Bits ? extents.bits : extents.repeat) = amount;
  return layout::CopyAtomLayouts{layoutOf(row.src, extents), layoutOf(row.dst, extents),
                                 layoutOf(row.ref, extents)};
}

Result<layout::CopyAtomLayouts> layouts(const CopyRow &row, int64_t amount, int64_t valueBits) {
  TESSERA_TRY(layout::CopyAtomLayouts atom, bitLayouts(row, amount));
  layout::Const none;
  for (layout::Layout *side : {&atom.src, &atom.dst, &atom.ref}) {
    layout::Int threads = layout::size(none, (*side)[0]);
    Result<layout::Layout> inValues = layout::upcast(none, *side, valueBits);
    // upcast merges lanes that share a value, which no lane can hold then.
    if (!inValues || !layout::size(none, (*inValues)[0]).is(threads.value))
      return fail(Error::BitsNotWhole, row.name, valueBits);
    *side = *std::move(inValues);
  }
  return atom;
}

} // namespace tessera::atom
