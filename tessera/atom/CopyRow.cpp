// Names and layouts of copy rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/CopyRow.h"

#include "tessera/atom/Errors.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Text.h"

namespace tessera::atom {

namespace {
constexpr std::string_view families[] = {"atom.universal_copy",
                                         "atom.simt_async_copy",
                                         "atom.ldsm",
                                         "atom.stsm",
                                         "atom.tmem_load",
                                         "atom.tmem_load_red",
                                         "atom.tmem_store",
                                         "atom.s2t_copy",
                                         "atom.tma_load",
                                         "atom.tma_store",
                                         "atom.tma_reduce",
                                         "atom.bulk_copy_g2s",
                                         "atom.bulk_copy_s2g",
                                         "atom.bulk_copy_s2s",
                                         "atom.bulk_reduce_s2g",
                                         "atom.bulk_reduce_s2s",
                                         "atom.dsmem_store"};
constexpr std::string_view spaces[] = {"any", "gmem", "smem", "dsmem", "rmem", "tmem"};
constexpr std::string_view caches[] = {"none", "always", "global"};
constexpr std::string_view formats[] = {"none", "b6x16_p32", "b4x16_p64"};
constexpr std::string_view broadcasts[] = {"none", "lw_0213", "lw_0123", "x4"};
constexpr std::string_view modes[] = {"none",         "tiled",   "im2col",  "im2col_w",
                                      "im2col_w_128", "gather4", "scatter4"};
constexpr std::string_view reductions[] = {"none", "add", "min", "max", "inc",
                                           "dec",  "and", "or",  "xor"};
constexpr std::string_view reducedNames[] = {"none", "u32", "s32", "u64", "s64", "f16",
                                             "bf16", "f32", "f64", "b32", "b64"};
constexpr std::string_view completions[] = {"immediate",  "async_group",    "mbarrier",
                                            "bulk_group", "tcgen05_commit", "tcgen05_wait"};
} // namespace

std::string_view mnemonic(CopyFamily family) { return families[size_t(family)]; }
std::string_view name(Space space) { return spaces[size_t(space)]; }
std::string_view name(CacheMode cache) { return caches[size_t(cache)]; }
std::string_view name(PackedFormat format) { return formats[size_t(format)]; }
std::string_view name(Broadcast broadcast) { return broadcasts[size_t(broadcast)]; }
std::string_view name(TmaMode mode) { return modes[size_t(mode)]; }
std::string_view name(Reduction reduction) { return reductions[size_t(reduction)]; }
std::string_view name(ReducedType type) { return reducedNames[size_t(type)]; }
std::string_view name(Completion completion) { return completions[size_t(completion)]; }

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
  if (from != Space::Rmem && to != Space::Rmem)
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
