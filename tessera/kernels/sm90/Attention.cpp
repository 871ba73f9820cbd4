// Hopper attention: TMA -> shared memory -> wgmma -> softmax in registers -> wgmma -> stmatrix ->
// TMA.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule is FlashAttention-3's (Shah et al., 2024, section 3): the product of a step is
// issued before the softmax of the step before is used, and consumers hand each other the tensor
// core by named barriers.
#include "tessera/kernels/sm90/Attention.h"

#include "tessera/atom/Occupancy.h"
#include "tessera/kernels/Errors.h"
#include "tessera/kernels/sm100/Attention.h"
#include "tessera/kernels/sm100/AttentionPlan.h"
#include "tessera/kernels/sm80/Attention.h"
#include "tessera/kernels/sm80/AttentionTiles.h"
#include "tessera/kernels/sm90/AttentionPlan.h"
#include "tessera/kernels/sm90/GemmRates.h"

#include <limits>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm90;

namespace {

class Attention {
public:
  explicit Attention(const AttentionConfig &c) : c(c), s(c) {}

  void build() {
    writeHost(s, s.plan.threads());
    kernel("attention_" + c.name(), {s.plan.threads(), s.plan.together()}, s.given,
           [&](const AttentionParameters &given) { kernelBody(given); });
  }

private:
  const AttentionConfig &c;
  AttentionBlock s;

  //===--- kernel -----------------------------------------------------------------------------===//

  void kernelBody(const AttentionParameters &given) {
    s.begin(given);
    if (c.varlen) // the longest sequence has this tile
      If(s.tile * c.tileM() < s.given.queries, [&] { work(); });
    else
      work();
  }
  void work() {
    If(s.index == 0, [&] { initialise(); });
    if (s.plan.overlaps() && !c.lengths)
      griddepcontrol_wait();
    sync_threads();
    RegisterBudget registers = s.plan.registers();
    If(
        s.group == 0,
        [&] {
          set_max_registers(registers.producer, false);
          If(s.warp == 0, [&] { produce(s); });
          if (c.isNarrow())
            If(s.warp >= firstThatTurns, [&] { turn(s); });
          if (c.splits) {
            s.meet();
            s.meet();
          }
        },
        [&] {
          set_max_registers(registers.consumer, true);
          consume(s);
          if (c.splits)
            s.meet(); // not before others have read what this block summed
        });
  }

  void initialise() {
    s.initialise(c.consumers * atom::Threads::warpsOfGroup); // a lane of each warp that reads it
    mbarrier_init_fence();
  }
};
} // namespace

//===--- what all threads know ----------------------------------------------------------------===//

AttentionPlan::AttentionPlan(const AttentionConfig &c) : c(c) {
  if (c.multipliesByWarps()) {
    auto tiles = [&](int count, int rows, int columns) {
      int64_t bytes = count * sm80::SlicedTile(rows, columns).bytes();
      return memory.allocate(bytes, sm80::SlicedTile::alignment);
    };
    q = o = tiles(1, c.tileM(), c.headDim);
    k = tiles(c.stages, c.tileN, c.headDim);
    v = tiles(c.stages, c.tileN, c.valueDims());
    if (c.splits)
      placeFew(q.start, v.end());
    else
      parked = memory.allocate(4 * int64_t(sizeof(int32_t)), sizeof(int32_t));
    return;
  }
  q = memory.allocate(c.splits ? 0 : bytesOf(tileQ()));
  k = memory.allocate(c.stages * bytesOf(tileK()));
  v = memory.allocate(c.stages * bytesOf(tileV()));
  turned = memory.allocate(c.isNarrow() ? c.stages * bytesOf(tileTurned()) : 0);
  o = c.persistent && !c.storesRows()
          ? memory.allocate(boxO().elements() * bits / 8 * c.consumers * (c.valueDims() / panelO()))
          : q;
  if (c.splits)
    placeFew(k.start, v.end());
  barriers = memory.barriers(1 + (c.isNarrow() ? 6 : 4) * c.stages + c.persistent);
}

void AttentionPlan::placeFew(int64_t start, int64_t end) {
  sums = {start, (statesStart() + 2 * rowsOfConsumer) * int64_t(sizeof(float))};
  if (int64_t more = sums.end() - end; more > 0)
    memory.allocate(more);
  flag = memory.allocate(c.teams > 1 ? int64_t(sizeof(int32_t)) : 0);
}

int AttentionPlan::together() const {
  const atom::Multiprocessor &sm = atom::multiprocessorOf(90);
  return c.splits && 2 * (memory.bytes() + sm.reservedBytes()) <= sm.sharedBytes() ? 2 : 1;
}

void AttentionBlock::begin(const AttentionParameters &parameters) {
  given = parameters;
  scaleOfCall = given.scale;
  static_cast<ThreadIds &>(*this) = ThreadIds::here();
  plan.memory.open();
  if (plan.overlaps() && c.lengths) // which are read to know what the block has to do
    griddepcontrol_wait();
  if (!c.persistent) {
    tile = block_idx(0);
    if (c.causal && !c.splits) // the longest first
      tile = grid_dim(0) - 1 - tile;
    head = block_idx(1);
    batch = block_idx(2);
    read();
  }
  if (c.multipliesByWarps()) // without mbarriers
    return;
  Barriers first = plan.memory.at(plan.barriers);
  fullQ = first[0];
  Barriers fullK = first.from(1), emptyK = first.from(1 + c.stages);
  ringK = Pipeline(c.stages, fullK, emptyK);
  Barriers fullV = first.from(1 + 2 * c.stages), emptyV = first.from(1 + 3 * c.stages);
  ringV = Pipeline(c.stages, fullV, emptyV);
  if (c.isNarrow())
    ringTurned = Pipeline(c.stages, first.from(1 + 4 * c.stages), first.from(1 + 5 * c.stages));
  if (c.persistent)
    emptyQ = first[1 + (c.isNarrow() ? 6 : 4) * c.stages];
}

/// Tiles of a head one after the other, which read the same keys; with a mask that makes them
/// differ the longest first, of so many heads as K and V of have room in the L2 cache, so that
/// blocks end together.
void AttentionBlock::place(Num item) {
  Num pair;
  if (c.causal) {
    Num ofSection = *given.together * *given.tiles, section = item / ofSection;
    Num firstPair = section * *given.together, at = item - section * ofSection;
    Num pairsThere = min(*given.together, *given.pairs - firstPair);
    tile = at / pairsThere;
    pair = firstPair + (at - tile * pairsThere);
    tile = *given.tiles - 1 - tile;
  } else {
    pair = item / *given.tiles;
    tile = item - pair * *given.tiles;
  }
  batch = pair / *given.heads;
  head = pair - batch * *given.heads;
  read();
}

/// Computes what belongs to the batch and the head.
void AttentionBlock::read() {
  if (c.varlen) {
    auto lengthOf = [&](Tensor starts, Num &start) {
      start = load(starts, batch);
      return load(starts, batch + 1) - start;
    };
    given.queries = lengthOf(*given.startsQ, startQ);
    given.keys = lengthOf(*given.startsK, startK);
  }
  if (c.lengths)
    given.keys = load(*given.lengths, batch);
  if (c.splits)
    extentOfPart();
  else
    extent();
  if (!c.isNarrow())
    return;
  auto scaleOf = [&](const Tensor &scales, Num which) {
    return load(scales, c.varlen ? make_coord(which) : make_coord(which, batch));
  };
  Num ofK = head / given.sharing;
  given.scale = scaleOfCall * scaleOf(*given.scalesQ, head) * scaleOf(*given.scalesK, ofK);
  scaleV = scaleOf(*given.scalesV, ofK);
}

void AttentionBlock::initialise(int readers) const {
  if (given.q)
    prefetch_tma_desc(given.q->atom);
  for (const auto *t : {&given.k, &given.v})
    prefetch_tma_desc((*t)->atom);
  if (given.o)
    prefetch_tma_desc(given.o->atom);
  fullQ.init(1);
  if (c.persistent)
    emptyQ.init(readers);
  ringK.init(readers);
  ringV.init(c.isNarrow() ? warpsThatTurn : readers);
  if (c.isNarrow())
    ringTurned.init(readers, warpsThatTurn);
}

Tensor AttentionBlock::ofHead(Tensor coords, Num which, Num start) const {
  if (!c.varlen)
    return coords(_, _, which, batch);
  return rowsFrom(coords(_, _, which), start);
}

Num AttentionBlock::firstKey(Num query) const { return max(query + past - *given.reach, 0); }
Num AttentionBlock::seen(Num own) const {
  return min(given.keys, c.causal ? own : own + *given.reach);
}

/// Query q sees the keys up to q + past, with a window those near that one, and at most all. A
/// block takes one step at least, so that O is written.
void AttentionBlock::extent() {
  past = given.keys - given.queries;
  Num begin = tile * c.tileM();
  Num some = given.keys, all = given.keys;
  if (hasBounds())
    some = seen((tile + 1) * c.tileM() + past), all = max(seen(begin + past + 1), 0);
  steps = (max(some, 1) + (c.tileN - 1)) / c.tileN;
  whole = all / c.tileN;
  if (!c.window)
    return;
  first = firstKey(begin) / c.tileN;
  steps = max(steps - first, 1);
  whole = max(whole - first, 0);
  cut = (firstKey(begin + (c.tileM() - 1)) + (c.tileN - 1)) / c.tileN - first;
}

/// For few queries all keys are divided into parts with equal numbers of tiles. A part without keys
/// also does one step, in which it sees no key.
void AttentionBlock::extentOfPart() {
  Num tilesOfRows = (given.sharing * given.queries + (c.tileM() - 1)) / c.tileM();
  Num place = tile;
  if (c.teams > 1)
    item = batch * grid_dim(1) + head, part = place % c.splits, team = place / c.splits;
  else
    part = place;
  tile = head % tilesOfRows, head = head / tilesOfRows;
  past = given.keys - given.queries;
  Num firstRow = tile * c.tileM(), firstQuery = firstRow / given.sharing;
  Num tiles = (max(given.keys, 1) + (c.tileN - 1)) / c.tileN, before;
  if (c.window) {
    before = firstKey(firstQuery) / c.tileN;
    tiles = tiles - before;
  }
  const int parts = c.splits * c.teams;
  Num each = (tiles + (parts - 1)) / parts;
  first = place * each;
  steps = max(min(each, tiles - first), 1);
  if (c.window)
    first = first + before;
  Num all = given.keys;
  if (hasBounds())
    all = max(seen(firstQuery + past + 1), 0);
  whole = max(all / c.tileN - first, 0);
  if (!c.window)
    return;
  Num lastQuery = (firstRow + (c.tileM() - 1)) / given.sharing;
  cut = max((firstKey(lastQuery) + (c.tileN - 1)) / c.tileN - first, 0);
}

//===--- scores -------------------------------------------------------------------------------===//

Num AttentionBlock::score(Num row, llvm::ArrayRef<int32_t> columns, Num firstColumn, Num after,
                          Num slope, bool masks) const {
  int64_t count = int64_t(columns.size());
  Num at = vector_of(columns);
  if (c.softcap)
    row = capped(row);
  else if (c.alibi)
    row = row * broadcast(given.scale, count);
  if (c.alibi) {
    Num away = at - broadcast(after + past - 1 - firstColumn, count);
    if (!c.causal) // else those on the other side are masked
      away = min(away, broadcast(i32(0), count) - away);
    row = fma(convert(away, f32), broadcast(slope, count), row);
  }
  if (!masks)
    return row;
  Num end = given.keys;
  if (c.causal && c.multipliesByWarps()) // queries after the last one are not stored
    end = after + past;
  else if (hasBounds())
    end = seen(after + past);
  Num none = broadcast(f32(-std::numeric_limits<double>::infinity()), count);
  row = select(at < broadcast(end - firstColumn, count), row, none);
  if (!c.window)
    return row;
  Num begin = after + past - 1 - *given.reach;
  return select(at >= broadcast(begin - firstColumn, count), row, none);
}
/// cap tanh(score / cap), where tanh(x) = 1 - 2 / (1 + e^2x): the hardware's own tanh is off by
/// 2^-11, which a cap of 50 makes 2 % of a probability.
Num AttentionBlock::capped(Num products) const {
  int64_t count = dsl::count(products);
  Num power = exp2(products * broadcast(given.scale, count));
  Num below =
      divide_approx(broadcast(*given.cap * f32(-2), count), power + broadcast(f32(1), count));
  return below + broadcast(*given.cap, count);
}

//===--- configurations -----------------------------------------------------------------------===//

AttentionConfig AttentionConfig::complete() const {
  AttentionConfig c = *this;
  if (c.headDim == 192 && !c.valueDim)
    c.valueDim = 128;
  if (c.result.empty())
    c.result = c.isNarrow() ? "bf16" : c.element;
  if (c.multipliesByWarps())
    sm80::completeAttention(c);
  // A block has 512 columns of tensor memory: enough for one consumer with the widest heads.
  if (!c.consumers && hasTensorMemory() && !c.splits)
    c.consumers = c.headDim > 128 ? 1 : 2;
  if (!c.tileN && hasTensorMemory() && !c.splits)
    c.tileN = c.headDim > 192 ? 64 : 128;
  if (!c.consumers)
    c.consumers = c.splits ? 1 : c.headDim > 64 ? 2 : 3;
  if (!c.tileN && c.splits) // 16 KiB; of pages those of 32 and 64 too
    c.tileN = c.headDim == 64 ? 128 : c.headDim == 96 && !c.pageSize ? 80 : 64;
  c.lengths |= c.pageSize != 0;
  // Of the widest heads what shared memory has room for. Elsewhere as many as registers have room
  // for, but a mask that cuts through tiles wastes less of small ones.
  bool plain = !c.window && !c.alibi;
  if (!c.tileN && c.isNarrow())
    c.tileN = c.headDim == 256 ? 96 : c.headDim == 64 ? 128 : 160;
  if (!c.tileN && c.headDim == 256)
    c.tileN = plain && !c.softcap ? 80 : 64;
  c.persistent = c.takesSeveral.value_or(!c.isNarrow()) && !c.splits && !c.varlen &&
                 !hasTensorMemory() && !multipliesByWarps();
  if (!c.tileN)
    c.tileN =
        (c.headDim == 96 || c.headDim == 128) && !c.causal && plain && !c.persistent ? 176 : 128;
  if (c.persistent && c.smemBytes() > c.target.maxDynamicShared())
    c.persistent = false;
  return c;
}
int64_t AttentionConfig::smemBytes() const {
  return hasTensorMemory() ? sm100::AttentionPlan(*this).memory.bytes()
                           : AttentionPlan(*this).memory.bytes();
}
std::string AttentionConfig::name() const {
  return cat("m", tileM(), "n", tileN, "d", headDim,
             valueDims() == headDim ? "" : cat("v", valueDim), "_s", stages, "_", element,
             isNarrow() && result != "bf16" ? cat("_", result) : "", causal ? "_causal" : "",
             window ? "_window" : "", softcap ? "_softcap" : "", alibi ? "_alibi" : "",
             varlen ? "_varlen" : "", splits ? cat("_decode", splits) : "",
             teams > 1 ? cat("x", teams) : "", lengths && !pageSize ? "_lengths" : "",
             pageSize ? cat("_pages", pageSize) : "", lse ? "_lse" : "");
}

/// How many multiprocessors clusters of `blocks` blocks reach, on the GPU of most measurements.
static int64_t reachedBy(int64_t blocks) { return ratesOf().clusters[size_t(blocks - 1)] * blocks; }

int kernels::partsFor(int64_t groups) {
  constexpr int most = 8;
  const int64_t filled = reachedBy(most);
  int parts = 1;
  while (parts < most && groups * parts < filled)
    parts *= 2;
  return parts;
}
std::pair<int, int> kernels::teamsFor(int64_t groups) {
  constexpr int64_t most = 16;
  int64_t parts = std::max<int64_t>(reachedBy(1) / std::max<int64_t>(groups, 1), 1);
  int64_t splits = 1;
  while (splits < 8 && parts / splits > most)
    splits *= 2;
  if (splits > 2) // clusters of 4 and 8 reach fewer
    parts = reachedBy(splits) / groups;
  return {int(splits), int(std::clamp<int64_t>(parts / splits, 1, most))};
}

std::optional<Reason> kernels::refused(const AttentionConfig &given) {
  auto among = [](const auto &value, const auto &...of) { return ((value == of) || ...); };
  const AttentionConfig c = given.complete();
  if (!c.hasTensorMemory() && !c.multipliesByWarps() && !sm90::hasGroupMma(c.target))
    return fail(Error::AttentionTarget, c.target.str());
  const bool few = c.splits, takesNarrow = !few && !c.hasTensorMemory() && !c.multipliesByWarps();
  if (!among(c.element, "f16", "bf16") && !(takesNarrow && c.isNarrow()))
    return fail(Error::AttentionElement,
                takesNarrow           ? "f16, bf16 or f8E4M3FN"
                : few                 ? "f16 or bf16 for few queries"
                : c.hasTensorMemory() ? "f16 or bf16 on targets with tensor memory"
                                      : "f16 or bf16 on targets without products of warpgroups",
                c.element);
  if (c.isNarrow() ? !among(c.result, "f16", "bf16") : c.result != c.element)
    return fail(Error::AttentionResult, c.isNarrow() ? "f16 or bf16" : c.element, c.result);
  if (!among(c.headDim, 64, 96, 128, 192, 256))
    return fail(Error::AttentionHead, c.headDim);
  if (int right = c.headDim == 192 ? 128 : c.headDim; c.valueDims() != right)
    return fail(Error::AttentionValue, right, c.headDim, c.valueDims());
  if (c.splits && !among(c.headDim, 64, 96, 128))
    return fail(Error::AttentionFewHead, c.headDim);
  if (!among(c.splits, 0, 1, 2, 4, 8))
    return fail(Error::AttentionSplits, c.splits);
  if (c.teams < 1 || c.teams > c.mostTeams || (c.teams > 1 && !c.splits))
    return fail(Error::AttentionTeams, c.mostTeams, c.teams);
  if (c.splits && c.lse)
    return fail(Error::AttentionFewLogs);
  if (c.splits && c.varlen)
    return fail(Error::AttentionFewVarlen);
  if (c.lengths && !c.splits)
    return fail(Error::AttentionFewLengths);
  if (c.pageSize &&
      (c.pageSize < 8 || c.pageSize % 8 || (c.pageSize % c.tileN && c.tileN % c.pageSize)))
    return fail(Error::AttentionPageSize, c.tileN, c.pageSize);
  if (c.hasTensorMemory()) {
    if (auto why = sm100::refusedAttention(c))
      return why;
  } else if (c.multipliesByWarps()) {
    if (auto why = sm80::refusedAttention(c))
      return why;
  } else if (c.splits ? c.consumers != 1 : !among(c.consumers, 2, 3)) {
    return fail(Error::AttentionConsumers, c.consumers);
  } else if (c.isNarrow() && (c.tileN < 32 || c.tileN > 192 || c.tileN % 32)) {
    return fail(Error::AttentionNarrowTile, c.tileN);
  } else if (!c.isNarrow() && (c.tileN < 16 || c.tileN > 176 || c.tileN % 16)) {
    return fail(Error::AttentionTile, c.tileN);
  }
  if (c.sms < 1)
    return fail(Error::AttentionGrid, c.sms);
  int64_t most = c.target.maxDynamicShared();
  if (c.stages < 1 || c.smemBytes() > most)
    return fail(Error::AttentionShared, c.stages, c.tileN, c.smemBytes(), most);
  return std::nullopt;
}

void kernels::buildAttention(const AttentionConfig &config) {
  AttentionConfig complete = config.complete();
  if (complete.hasTensorMemory())
    return sm100::buildAttention(complete);
  if (complete.multipliesByWarps())
    return sm80::buildAttention(complete);
  Attention(complete).build();
}
