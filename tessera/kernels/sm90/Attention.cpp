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
#include "tessera/kernels/sm90/AttentionPlan.h"

#include "tessera/layout/Domains.h"

#include <numbers>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm90;

namespace {

class Attention {
public:
  explicit Attention(const AttentionConfig &c) : c(c), s(c) {}

  void build() {
    hostFunction();
    kernel("attention_" + c.name(), {s.plan.threads(), s.plan.together()}, s.given,
           [&](const AttentionParameters &given) { kernelBody(given); });
  }

private:
  const AttentionConfig &c;
  AttentionBlock s;

  //===--- host -------------------------------------------------------------------------------===//

  /// (batch, sequence, head, dimension), the batch only where sequences are as long as each other;
  /// TMA takes strides of 16 bytes.
  mlir::Type tensorType(int dimension) const {
    std::vector<layout::Tree> extents(
        c.varlen ? 2 : 3, layout::Tree(layout::Int::dynamic(layout::Symbolic::anonymous)));
    std::vector<layout::Tree> strides(
        extents.size(),
        layout::Tree(layout::Int::dynamic(layout::Symbolic::anonymous, layout::Width::I64,
                                          128 / AttentionPlan::bits)));
    extents.push_back(layout::Int(int64_t(dimension)));
    strides.push_back(layout::Int(int64_t(1)));
    return tensor_type(s.element(), layout::Layout{layout::Tree(extents), layout::Tree(strides)},
                       Space::Global, 16);
  }

  void hostFunction() {
    mlir::Type ofQueries = tensorType(c.headDim), ofValues = tensorType(c.valueDims());
    llvm::SmallVector<mlir::Type> types = {ofQueries, ofQueries, ofValues, ofValues};
    mlir::MLIRContext *context = Context::current()->mlirContext();
    types.push_back(f32.type(context));
    if (c.window)
      types.push_back(i32.type(context));
    if (c.softcap)
      types.push_back(f32.type(context));
    if (c.alibi)
      types.push_back(tensor_type(f32, Layout("(?):(1)"), Space::Global, 4));
    if (c.varlen) {
      types.append(2, tensor_type(i32, Layout("(?):(1)"), Space::Global, 4));
      types.push_back(i32.type(context));
    }
    if (c.lengths)
      types.push_back(tensor_type(i32, Layout("(?):(1)"), Space::Global, 4));
    if (c.pageSize)
      types.push_back(tensor_type(i32, Layout("(?,?):(?{i64},1)"), Space::Global, 4));
    host(c.splits ? "decode" : "attention", types, [&](Arguments arguments, Stream stream) {
      // (sequence, dimension, head, batch): what TMA boxes have first.
      Tensor t[4];
      for (size_t i = 0; i < 4; ++i) {
        Pointer start = get_iter(arguments.tensor(i));
        Layout layout = get_layout(arguments.tensor(i));
        t[i] =
            make_tensor(start, c.varlen ? select(layout, {0, 2, 1}) : select(layout, {1, 3, 2, 0}));
      }
      const AttentionPlan &plan = s.plan;
      if (!c.splits)
        s.given.q = make_tma_load(t[0], plan.tileQ().swizzled(), make_tile(c.tileM(), c.headDim));
      auto loads = [&](Tensor tensor, const SmemTile &tile, int columns) {
        return make_tma_load(tensor, plan.boxOf(tile, columns).swizzled(),
                             make_tile(plan.keysOfBox(), columns));
      };
      TmaTensor tK = loads(t[1], plan.tileK(), c.headDim),
                tV = loads(t[2], plan.tileV(), c.valueDims());
      if (c.splits)
        s.given.plainQ = t[0];
      if (c.splits || c.varlen)
        s.given.plainO = t[3];
      else
        s.given.o = make_tma_store(t[3], plan.boxO().swizzled(),
                                   make_tile(AttentionPlan::rowsOfConsumer, plan.panelO()));
      Num keys = size(t[1], 0);
      if (c.pageSize) // of the longest batch, at most
        keys = size(arguments.tensor(arguments.size() - 1), 1) * c.pageSize;
      Num queries = size(t[0], 0), heads = size(t[0], 2), batch = c.varlen ? Num() : size(t[0], 3);
      Num sharing = heads / size(t[1], 2);
      auto same = [&](int one, int other, std::initializer_list<int> modes) {
        for (int mode : modes)
          check(size(t[one], mode) == size(t[other], mode), fail(Error::AttentionOperands).text);
      };
      constexpr int sequence = 0, head = 2, batches = 3; // modes; the dimension is static
      same(0, 3, {sequence, head});
      same(1, 2, {sequence, head});
      if (c.pageSize) {
        same(1, 2, {batches});
        same(0, 3, {batches});
        check(size(t[1], sequence) == c.pageSize, fail(Error::AttentionPages, c.pageSize).text);
      } else
        for (int other = 1; !c.varlen && other < 4; ++other)
          same(0, other, {batches});
      check(sharing * size(t[1], 2) == heads, fail(Error::AttentionHeads).text);
      s.given.scale = arguments.num(4) * f32(std::numbers::log2e);
      size_t next = takeScores(arguments, heads, keys + queries);
      s.given.k = tK, s.given.v = tV;
      s.given.queries = queries, s.given.keys = keys;
      s.given.sharing = sharing;
      Num longest = queries, ofHeads = heads;
      if (c.varlen) {
        s.given.startsQ = arguments.tensor(next), s.given.startsK = arguments.tensor(next + 1);
        batch = size(*s.given.startsQ, 0) - 1, longest = arguments.num(next + 2);
        check(size(*s.given.startsK, 0) == batch + 1, fail(Error::AttentionStarts).text);
        check(longest >= 0, fail(Error::AttentionLongest).text);
      }
      if (c.lengths) {
        s.given.lengths = arguments.tensor(next++);
        check(size(*s.given.lengths, 0) == batch, fail(Error::AttentionLengths).text);
      }
      if (c.pageSize) {
        s.given.pages = arguments.tensor(next++);
        check(size(*s.given.pages, 0) == batch, fail(Error::AttentionLengths).text);
      }
      Num tiles = (longest + (c.tileM() - 1)) / c.tileM();
      if (c.splits) {
        Num ofRows = (sharing * queries + (c.tileM() - 1)) / c.tileM();
        tiles = i32(c.splits), ofHeads = size(t[1], 2) * ofRows;
      }
      launch("attention_" + c.name(),
             {tiles, ofHeads, batch, s.plan.threads(), c.smemBytes(), std::max(c.splits, 1)},
             stream, s.given);
    });
  }

  /// The arguments after the scale that say what scores are and which are seen; no key is farther
  /// from a query's own than `farthest`, so that sums with a window have room. Returns the argument
  /// after them.
  size_t takeScores(const Arguments &arguments, Num heads, Num farthest) {
    size_t next = 5;
    if (c.window) {
      Num reach = arguments.num(next++);
      check(reach >= 0, fail(Error::AttentionWindow).text);
      s.given.reach = min(reach, farthest);
    }
    if (c.softcap) {
      Num cap = arguments.num(next++);
      check(cap > f32(0), fail(Error::AttentionCap).text);
      s.given.scale = s.given.scale * f32(2) / cap;
      s.given.cap = cap * f32(std::numbers::log2e);
    }
    if (c.alibi) {
      s.given.slopes = arguments.tensor(next++);
      check(size(*s.given.slopes, 0) == heads, fail(Error::AttentionSlopes).text);
    }
    return next;
  }

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
    sync_threads();
    RegisterBudget registers = s.plan.registers();
    If(
        s.group == 0,
        [&] {
          set_max_registers(registers.producer, false);
          If(s.warp == 0, [&] { produce(); });
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
    if (s.given.q)
      prefetch_tma_desc(s.given.q->atom);
    for (const TmaTensor *t : {&s.given.k, &s.given.v})
      prefetch_tma_desc(t->atom);
    if (s.given.o)
      prefetch_tma_desc(s.given.o->atom);
    s.fullQ.init(1);
    for (const Pipeline *ring : {&s.ringK, &s.ringV}) // a lane of each warp that reads it
      ring->init(c.consumers * atom::Threads::warpsOfGroup);
    mbarrier_init_fence();
  }

  //===--- producer ---------------------------------------------------------------------------===//

  TmaParts partsOf(Atom atom, Tensor coords, const Tile &tile, const Coord &tiles, Tensor smem) {
    Tensor g = local_tile(coords, tile, tiles);
    Tensor inSmem = group_modes(smem, 0, 2), inGmem = group_modes(g, 0, 2);
    return tma_partition(atom, inSmem, inGmem);
  }

  /// Keys from the last tile to the first; V follows one step later, as it is needed later.
  void produce() {
    std::optional<TmaParts> q;
    if (s.given.q) {
      Tensor sQ = make_tensor(s.tiles(s.plan.q, c.headDim), s.plan.tileQ().layout());
      q = partsOf(s.given.q->atom, s.ofHead(s.given.q->coords, s.head, s.startQ),
                  make_tile(c.tileM(), c.headDim), make_coord(s.tile, 0), sQ);
    }
    Num shared = c.splits ? s.head : s.head / s.given.sharing;
    struct Source {
      const Pipeline &ring;
      const TmaTensor &from;
      Tensor stages;
      int columns;
      int64_t bytes;
      TmaParts parts; // without pages
    };
    auto source = [&](const Pipeline &ring, const TmaTensor &from, Region region, int columns,
                      const SmemTile &tile) {
      Tensor stages = make_tensor(s.tiles(region, columns), tile.staged(c.stages, tile.elements()));
      Source made{ring, from, stages, columns, s.plan.bytesOf(tile), {}};
      if (!c.pageSize)
        made.parts = partsOf(from.atom, s.ofHead(from.coords, shared, s.startK),
                             make_tile(c.tileN, columns), make_coord(_, 0), stages);
      return made;
    };
    // A tile of keys is of one page, or of several, each with boxes of its own.
    auto loadPages = [&](const Source &of, Num tile, Num stage, Barrier barrier) {
      const int rows = s.plan.keysOfBox();
      for (int box = 0; box < c.tileN / rows; ++box) {
        Num key = tile * c.tileN + box * rows;
        // After the last key its page once more: the mask hides what comes from there.
        Num last = max(s.given.keys - 1, 0) / c.pageSize;
        Num page = load(*s.given.pages, make_coord(s.batch, min(key / c.pageSize, last)));
        Tensor g = local_tile(of.from.coords(_, _, shared, page), make_tile(rows, of.columns),
                              make_coord(key % c.pageSize / rows, 0));
        Tensor in =
            local_tile(of.stages(_, _, stage), make_tile(rows, of.columns), make_coord(box, 0));
        TmaParts parts = tma_partition(of.from.atom, group_modes(in, 0, 2), group_modes(g, 0, 2));
        tma_load(of.from.atom, parts.gmem, parts.smem, barrier);
      }
    };
    Source ofK = source(s.ringK, s.given.k, s.plan.k, c.headDim, s.plan.tileK());
    Source ofV = source(s.ringV, s.given.v, s.plan.v, c.valueDims(), s.plan.tileV());
    auto load = [&](const Source &from, Num step, const Stage &at) {
      Barrier barrier = from.ring.acquire(at, from.bytes);
      if (c.pageSize)
        return loadPages(from, s.keysOf(step), at.index, barrier);
      Tensor tile = from.parts.gmem(_, s.keysOf(step));
      tma_load(from.from.atom, tile, from.parts.smem(_, at.index), barrier);
    };
    Stage first = Pipeline::producerStart();
    if (q) {
      expect_bytes(s.fullQ, s.plan.q.bytes);
      tma_load(s.given.q->atom, q->gmem, q->smem, s.fullQ);
    }
    load(ofK, i32(0), first);
    std::array<Stage, 2> at = {s.ringK.next(first), first}; // of K and of V
    at = For(1, s.steps, 1, at, [&](Num step, std::array<Stage, 2> &now) {
      load(ofK, step, now[0]);
      load(ofV, step - 1, now[1]);
      now = {s.ringK.next(now[0]), s.ringV.next(now[1])};
    });
    load(ofV, s.steps - 1, at[1]);
  }
};
} // namespace

//===--- what all threads know ----------------------------------------------------------------===//

AttentionPlan::AttentionPlan(const AttentionConfig &c) : c(c) {
  q = memory.allocate(c.splits ? 0 : tileQ().elements() * bits / 8);
  k = memory.allocate(c.stages * bytesOf(tileK()));
  v = memory.allocate(c.stages * bytesOf(tileV()));
  if (c.splits) {
    sums = {k.start, (statesStart() + 2 * rowsOfConsumer) * int64_t(sizeof(float))};
    if (int64_t more = sums.end() - v.end(); more > 0)
      memory.allocate(more);
  }
  barriers = memory.barriers(1 + 4 * c.stages);
}

int AttentionPlan::together() const {
  const atom::Multiprocessor &sm = atom::multiprocessorOf(90);
  return c.splits && 2 * (memory.bytes() + sm.reservedBytes()) <= sm.sharedBytes() ? 2 : 1;
}

void AttentionBlock::begin(const AttentionParameters &parameters) {
  given = parameters;
  static_cast<ThreadIds &>(*this) = ThreadIds::here();
  plan.memory.open();
  tile = block_idx(0);
  if (c.causal && !c.splits) // the longest first
    tile = grid_dim(0) - 1 - tile;
  head = block_idx(1);
  batch = block_idx(2);
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
  Barriers first = plan.memory.at(plan.barriers);
  fullQ = first[0];
  Barriers fullK = first.from(1), emptyK = first.from(1 + c.stages);
  ringK = Pipeline(c.stages, fullK, emptyK);
  Barriers fullV = first.from(1 + 2 * c.stages), emptyV = first.from(1 + 3 * c.stages);
  ringV = Pipeline(c.stages, fullV, emptyV);
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

/// Of few queries all keys are cut into parts of as many tiles. A part without keys takes a step
/// too, of which it sees nothing.
void AttentionBlock::extentOfPart() {
  Num tilesOfRows = (given.sharing * given.queries + (c.tileM() - 1)) / c.tileM();
  part = tile, tile = head % tilesOfRows, head = head / tilesOfRows;
  past = given.keys - given.queries;
  Num firstRow = tile * c.tileM(), firstQuery = firstRow / given.sharing;
  Num tiles = (max(given.keys, 1) + (c.tileN - 1)) / c.tileN, before;
  if (c.window) {
    before = firstKey(firstQuery) / c.tileN;
    tiles = tiles - before;
  }
  Num each = (tiles + (c.splits - 1)) / c.splits;
  first = part * each;
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

//===--- configurations -----------------------------------------------------------------------===//

AttentionConfig AttentionConfig::complete() const {
  AttentionConfig c = *this;
  if (c.headDim == 192 && !c.valueDim)
    c.valueDim = 128;
  if (!c.consumers)
    c.consumers = c.splits ? 1 : c.headDim > 64 ? 2 : 3;
  if (!c.tileN && c.splits) // 16 KiB; of pages those of 32 and 64 too
    c.tileN = c.headDim == 64 ? 128 : c.headDim == 96 && !c.pageSize ? 80 : 64;
  c.lengths |= c.pageSize != 0;
  // Of the widest heads what shared memory has room for. Elsewhere as many as registers have room
  // for, but a mask that cuts through tiles wastes less of small ones.
  bool plain = !c.window && !c.alibi;
  if (!c.tileN && c.headDim == 256)
    c.tileN = plain && !c.softcap ? 80 : 64;
  if (!c.tileN)
    c.tileN = (c.headDim == 96 || c.headDim == 128) && !c.causal && plain ? 176 : 128;
  return c;
}
int64_t AttentionConfig::smemBytes() const { return AttentionPlan(*this).memory.bytes(); }
std::string AttentionConfig::name() const {
  return cat("m", tileM(), "n", tileN, "d", headDim,
             valueDims() == headDim ? "" : cat("v", valueDim), "_s", stages, "_", element,
             causal ? "_causal" : "", window ? "_window" : "", softcap ? "_softcap" : "",
             alibi ? "_alibi" : "", varlen ? "_varlen" : "", splits ? cat("_decode", splits) : "",
             lengths && !pageSize ? "_lengths" : "", pageSize ? cat("_pages", pageSize) : "");
}

int kernels::partsFor(int64_t groups) {
  constexpr int64_t filled = 120; // multiprocessors of an H100 or H200 that clusters of 8 reach
  int parts = 1;
  while (parts < 8 && groups * parts < filled)
    parts *= 2;
  return parts;
}

std::optional<Reason> kernels::refused(const AttentionConfig &given) {
  auto among = [](const auto &value, const auto &...of) { return ((value == of) || ...); };
  const AttentionConfig c = given.complete();
  if (!among(c.element, "f16", "bf16"))
    return fail(Error::AttentionElement, c.element);
  if (!among(c.headDim, 64, 96, 128, 192, 256))
    return fail(Error::AttentionHead, c.headDim);
  if (int right = c.headDim == 192 ? 128 : c.headDim; c.valueDims() != right)
    return fail(Error::AttentionValue, right, c.headDim, c.valueDims());
  if (c.splits && !among(c.headDim, 64, 96, 128))
    return fail(Error::AttentionFewHead, c.headDim);
  if (!among(c.splits, 0, 1, 2, 4, 8))
    return fail(Error::AttentionSplits, c.splits);
  if (c.splits && c.varlen)
    return fail(Error::AttentionFewVarlen);
  if (c.lengths && !c.splits)
    return fail(Error::AttentionFewLengths);
  if (c.pageSize &&
      (c.pageSize < 8 || c.pageSize % 8 || (c.pageSize % c.tileN && c.tileN % c.pageSize)))
    return fail(Error::AttentionPageSize, c.tileN, c.pageSize);
  if (c.splits ? c.consumers != 1 : !among(c.consumers, 2, 3))
    return fail(Error::AttentionConsumers, c.consumers);
  if (c.tileN < 16 || c.tileN > 176 || c.tileN % 16)
    return fail(Error::AttentionTile, c.tileN);
  int64_t most = c.target.maxDynamicShared();
  if (c.stages < 1 || c.smemBytes() > most)
    return fail(Error::AttentionShared, c.stages, c.tileN, c.smemBytes(), most);
  return std::nullopt;
}

void kernels::buildAttention(const AttentionConfig &config) {
  AttentionConfig complete = config.complete();
  Attention(complete).build();
}
