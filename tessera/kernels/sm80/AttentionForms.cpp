// Which forms attention by products of warps has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm80/Attention.h"

#include "tessera/atom/Occupancy.h"
#include "tessera/kernels/Errors.h"
#include "tessera/kernels/sm80/AttentionPlan.h"
#include "tessera/kernels/sm80/AttentionTiles.h"

using namespace tessera;
using namespace tessera::kernels;
using sm80::AttentionPlan;
using sm80::SlicedTile;

AttentionPlan::AttentionPlan(const AttentionConfig &c) : AttentionMemory(c) {
  auto tiles = [&](int count, int rows, int columns) {
    int64_t bytes = count * SlicedTile(rows, columns * operandBits() / bits).bytes();
    return memory.allocate(bytes, SlicedTile::alignment);
  };
  q = o = tiles(1, c.tileM(), c.headDim);
  k = tiles(c.stages, c.tileN, c.headDim);
  v = tiles(c.stages, c.tileN, c.valueDims());
  if (c.splits)
    placeFew(q.start, v.end());
  else
    parked = memory.allocate(4 * int64_t(sizeof(int32_t)), sizeof(int32_t));
}
static int64_t smemBytes(const AttentionConfig &c) { return AttentionPlan(c).memory.bytes(); }

/// Keys that all threads load at once; of 8 bits a product takes 32.
static int keysAtOnce(const AttentionConfig &c) {
  const int lanes = SlicedTile(c.tileN, c.isNarrow() ? c.headDim / 2 : c.headDim).lanes();
  return std::max(sm80::threadsOfAttention / lanes, c.isNarrow() ? 32 : 1);
}
/// The registers of O and S.
static int registersOfSums(const AttentionConfig &c) {
  return c.consumers * (c.valueDims() + c.tileN) / 2;
}
/// Of 255, so that nothing is spilled: of 8 bits four words of V are exchanged at a time, and
/// slopes of the widest heads then leave no room for as many.
static int mostOfSums(const AttentionConfig &c) {
  if (!c.isNarrow())
    return 192;
  return c.alibi && c.headDim > 128 ? 144 : 160;
}

/// The first form of which a multiprocessor has room for two blocks, else the first that fits. The
/// order is by what FlashAttention-2 found on A100 and RTX 3090: as many rows as registers have
/// room for, but square tiles where a mask cuts through them.
static void completeAttention(AttentionConfig &c) {
  struct Form {
    int consumers, tileN;
  };
  static constexpr Form whole[] = {{2, 64}, {2, 32}, {1, 64}, {1, 32}, {1, 16}},
                        cut[] = {{2, 64}, {1, 64}, {2, 32}, {1, 32}, {1, 16}};
  if (c.splits && !c.consumers) // a tile of few queries has 64 rows
    c.consumers = 1;
  // These have more numbers in registers.
  const bool narrow = c.alibi || (c.headDim > 64 && c.window && !c.causal) ||
                      (c.headDim > 96 && c.varlen && c.causal && c.lse);
  const atom::Multiprocessor &sm = atom::multiprocessorOf(c.target.number());
  AttentionConfig fits = c;
  fits.consumers = fits.consumers ? fits.consumers : 1, fits.tileN = fits.tileN ? fits.tileN : 32;
  bool found = false;
  for (Form form : c.causal || c.window ? cut : whole) {
    AttentionConfig with = c;
    with.consumers = c.consumers ? c.consumers : form.consumers;
    with.tileN = c.tileN ? c.tileN : form.tileN;
    bool spills = registersOfSums(with) > mostOfSums(with) ||
                  (with.consumers > 1 && !c.tileN && narrow && form.tileN > 32);
    int64_t bytes = smemBytes(with);
    if (spills || with.tileN % keysAtOnce(with) || bytes > c.target.maxDynamicShared())
      continue;
    bool two = with.tileN > 16 && 2 * (bytes + sm.reservedBytes()) <= sm.sharedBytes();
    if (two || !found)
      fits = with;
    found = true;
    if (two)
      break;
  }
  c = fits;
}

static std::optional<Reason> refusedAttention(const AttentionConfig &c) {
  if (c.splits > 1 && !c.hasClusters())
    return fail(Error::AttentionWarpSplits, c.target.str(), c.splits);
  if (c.splits && c.consumers != 1)
    return fail(Error::AttentionFewRows, c.consumers);
  if (c.consumers != 1 && c.consumers != 2)
    return fail(Error::AttentionWarpRows, c.consumers);
  if (c.tileN < 16 || c.tileN > 128 || c.tileN % keysAtOnce(c))
    return fail(Error::AttentionWarpTile, keysAtOnce(c), c.headDim, c.tileN);
  if (registersOfSums(c) > mostOfSums(c))
    return fail(Error::AttentionWarpSums, registersOfSums(c), mostOfSums(c), c.tileM(), c.tileN,
                c.headDim);
  if (c.takesSeveral.value_or(false))
    return fail(Error::AttentionWarpGrid);
  if (sm80::isTuring(c) && c.element != "f16")
    return fail(Error::AttentionElement, cat("f16 on ", c.target.str()), c.element);
  return std::nullopt;
}

const AttentionKernel sm80::attentionKernel = {
    .complete = completeAttention,
    .smemBytes = smemBytes,
    .refused = refusedAttention,
    .build = sm80::buildAttention,
};
