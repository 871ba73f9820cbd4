// Three kernels: what each query needs, dK and dV, dQ.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm90/AttentionBackward.h"

#include "tessera/kernels/Errors.h"
#include "tessera/kernels/SmemTile.h"
#include "tessera/kernels/WarpGroups.h"
#include "tessera/kernels/attention/AttentionBackwardCall.h"

#include <array>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm90;

namespace {

constexpr int bits = 16, consumers = 2, rowsOfConsumer = 64, ownRows = consumers * rowsOfConsumer;
constexpr int rounding = GradientCall::rounding;
constexpr int groupThreads = atom::Threads::ofGroup;
constexpr int rowsOfThread = 2; // of an accumulator of wgmma: 8 apart

using Of = GradientOf;

/// Its shared memory: two tiles of its own rows, stages of two tiles of the others and, where these
/// are queries, of what softmax needs of each.
struct Plan {
  Plan(const AttentionBackwardConfig &c, Of of) : c(c), of(of) {
    for (Region &region : own)
      region = memory.allocate(bytesOf(tileOwn()));
    for (Region &region : others)
      region = memory.allocate(stages() * bytesOf(tileOther()));
    if (of == Of::Keys)
      statistics = memory.allocate(stages() * bytesOfStatistics());
    barriers = memory.barriers(1 + 2 * int64_t(stages()));
  }
  const AttentionBackwardConfig &c;
  Of of;
  SharedMemory memory;
  Region own[2], others[2], statistics, barriers;

  SmemTile tileOwn() const { return {ownRows, c.headDim, bits}; }
  /// Rows of what a block goes over, at a time.
  int step() const {
    const int most = of == Of::Queries ? 2 * rounding : rounding;
    return takesRegisters() ? most / 2 : most;
  }
  /// Tiles of those in flight.
  int stages() const { return of == Of::Queries ? 2 : c.stages; }
  SmemTile tileOther() const { return {step(), c.headDim, bits}; }
  static int64_t bytesOf(const SmemTile &tile) { return tile.elements() * bits / 8; }
  int64_t bytesOfStatistics() const { return 2 * step() * int64_t(sizeof(float)); }
  int64_t bytesOfStage() const {
    return 2 * bytesOf(tileOther()) + (of == Of::Keys ? bytesOfStatistics() : 0);
  }
  /// Whether scores or sequences leave too few registers for whole steps: what ptxas spills else.
  bool takesRegisters() const {
    return c.headDim > 64 ? c.softcap || c.alibi || (c.varlen && c.headDim > 96)
                          : c.softcap && c.alibi;
  }
  static constexpr int threads = (consumers + 1) * groupThreads;
  static constexpr RegisterBudget registers{24, 240};
};

/// The parameters of a kernel: tensor maps of (K, V) or (Q, dO), of (Q, dO) or (K, V); for each
/// query the logarithm of its sum and delta; dK and dV, or dQ.
struct Parameters {
  std::array<TmaTensor, 2> own, others;
  std::optional<TmaTensor> statistics;
  std::optional<Tensor> plainStatistics;
  llvm::SmallVector<Tensor> results;
  Num queries, keys, sharing, scale;
  GradientScores scores;

  auto members() {
    return std::tie(own, others, statistics, plainStatistics, results, queries, keys, sharing,
                    scale, scores);
  }
};

/// The kernel of dK and dV, or of dQ.
class Gradient : ThreadIds {
public:
  Gradient(const AttentionBackwardConfig &c, Of of)
      : c(c), plan(c, of), at(c, of, ownRows, plan.step()) {}

  std::string name() const {
    return cat("attention_backward_", ofKeys() ? "keys_" : "queries_", c.name());
  }
  Plan const &its() const { return plan; }
  Parameters given; // set by the host function

  void write() {
    kernel(name(), Plan::threads, given, [&](const Parameters &parameters) {
      given = parameters;
      body();
    });
  }

private:
  const AttentionBackwardConfig &c;
  Plan plan;
  GradientTile at;
  Num head; // of the block: one of what it keeps
  Barrier fullOwn;
  Pipeline ring;

  bool ofKeys() const { return plan.of == Of::Keys; }
  Element element() const { return *Element::named(c.element); }
  Pointer tiles(Region region) const {
    int64_t bytes = SmemTile::panelBytes(c.headDim, bits);
    return plan.memory.pointer(region, element(), SmemTile::swizzleOf(bytes));
  }

  void body() {
    static_cast<ThreadIds &>(*this) = ThreadIds::here();
    plan.memory.open();
    head = block_idx(1);
    Num tile = block_idx(0);
    if (c.causal && !ofKeys()) // the longest first
      tile = grid_dim(0) - 1 - tile;
    at.begin(given.scores, tile, block_idx(2), given.queries, given.keys);
    c.varlen ? If(at.isThere(), [&] { work(); }) : work(); // the longest sequence has this tile
  }
  void work() {
    Barriers barriers = plan.memory.at(plan.barriers);
    fullOwn = barriers[0];
    ring = Pipeline(plan.stages(), barriers.from(1), barriers.from(1 + plan.stages()));
    If(index == 0, [&] {
      for (const auto *side : {&given.own, &given.others})
        for (const TmaTensor &tensor : *side)
          prefetch_tma_desc(tensor.atom);
      fullOwn.init(1);
      ring.init(consumers * atom::Threads::warpsOfGroup);
      mbarrier_init_fence();
    });
    sync_threads();
    If(
        group == 0,
        [&] {
          set_max_registers(Plan::registers.producer, false);
          If(warp == 0, [&] { produce(); });
        },
        [&] {
          set_max_registers(Plan::registers.consumer, true);
          consume();
        });
  }

  //===--- producer ---------------------------------------------------------------------------===//

  /// `rows` are the coordinates of a sequence.
  static TmaParts partsOf(const Atom &atom, Tensor rows, const Tile &box, const Coord &where,
                          Tensor smem) {
    Tensor g = local_tile(rows, box, where);
    return tma_partition(atom, group_modes(smem, 0, 2), group_modes(g, 0, 2));
  }

  void produce() {
    expect_bytes(fullOwn, 2 * Plan::bytesOf(plan.tileOwn()));
    for (size_t i : {0, 1}) {
      TmaParts parts = partsOf(given.own[i].atom, at.rowsOf(given.own[i].coords, plan.of, head),
                               make_tile(ownRows, c.headDim), make_coord(at.tile, 0),
                               make_tensor(tiles(plan.own[i]), plan.tileOwn().layout()));
      tma_load(given.own[i].atom, parts.gmem, parts.smem, fullOwn);
    }
    overHeads(Pipeline::producerStart(), [&](Num ofHead, Stage &stage) {
      SmemTile tile = plan.tileOther();
      std::array<TmaParts, 2> parts;
      for (size_t i : {0, 1})
        parts[i] = partsOf(
            given.others[i].atom, at.rowsOf(given.others[i].coords, ofOthers(), ofHead),
            make_tile(plan.step(), c.headDim), make_coord(_, 0),
            make_tensor(tiles(plan.others[i]), tile.staged(plan.stages(), tile.elements())));
      TmaParts statistics;
      if (ofKeys())
        statistics =
            partsOf(given.statistics->atom, at.statisticsOf(given.statistics->coords, ofHead),
                    make_tile(plan.step(), 2), make_coord(_, 0), statisticsInMemory());
      stage = For(at.first, at.steps, 1, stage, [&](Num i, Stage &now) {
        Barrier barrier = ring.acquire(now, plan.bytesOfStage());
        for (size_t which : {0, 1})
          tma_load(given.others[which].atom, parts[which].gmem(_, i),
                   parts[which].smem(_, now.index), barrier);
        if (ofKeys())
          tma_load(given.statistics->atom, statistics.gmem(_, i), statistics.smem(_, now.index),
                   barrier);
        now = ring.next(now);
      });
    });
  }
  Of ofOthers() const { return ofKeys() ? Of::Queries : Of::Keys; }
  /// (query of a tile, logarithm and delta, stage).
  Tensor statisticsInMemory() const {
    return make_tensor(plan.memory.pointer(plan.statistics, f32),
                       make_layout(make_shape(plan.step(), 2, plan.stages())));
  }
  /// Keys have all the heads of Q that share them, one after the other; `body(head, values)`.
  template <class Values, class Body> Values overHeads(Values values, Body body) {
    if (!ofKeys()) {
      body(head / given.sharing, values);
      return values;
    }
    return For(0, given.sharing, 1, values,
               [&](Num i, Values &now) { body(head * given.sharing + i, now); });
  }

  //===--- consumers --------------------------------------------------------------------------===//

  Num consumer;
  TiledMma scores, sum;           // S and dP; dK, dV and dQ
  Tensor ownFragments[2];         // of the consumer's rows
  Tensor otherFragments[2];       // as K^T (Q^T) and V^T (dO^T)
  Tensor otherTransposed[2];      // the same as what is summed
  Tensor products[2], narrow[2];  // S, then P, and dP, then dS: as f32 and as elements
  llvm::SmallVector<Tensor> sums; // dK and dV, or dQ
  Num rowLog[rowsOfThread], rowDelta[rowsOfThread];
  Num slope; // of ALiBi

  int perThread() const { return rowsOfConsumer * plan.step() / groupThreads; }
  int perRow() const { return perThread() / 2; }

  /// After all lanes have read what wgmma does not read for them.
  void release(Num stage) {
    if (ofKeys())
      sync_warp();
    If(lane == 0, [&] { ring.empty(stage).arrive(); });
  }
  GroupMma product(int n, atom::Major majorB, atom::Residency aFrom) const {
    return {.n = n, .a = element(), .b = element(), .c = f32, .bMajor = majorB, .aFrom = aFrom};
  }
  int mmaK() const { return int(product(plan.step(), {}, {}).k()); }

  void prepare() {
    consumer = group - 1;
    using enum atom::Residency;
    scores = make_tiled_mma(make_atom(product(plan.step(), atom::Major::K, Smem), i1(false)));
    sum = make_tiled_mma(make_atom(product(c.headDim, atom::Major::MN, Rmem), i1(true)));
    Num zero = i32(0);
    SmemTile rows = SmemTile(rowsOfConsumer, c.headDim, bits).within(ownRows),
             other = plan.tileOther();
    int64_t mine = rowsOfConsumer * 8 * SmemTile::panelBytes(c.headDim, bits) / bits;
    for (size_t i : {0, 1}) {
      Pointer at = offset(tiles(plan.own[i]), (consumer * mine).promised(mine));
      ownFragments[i] =
          make_fragment_A(scores, partition_A(scores, make_tensor(at, rows.layout()), zero));
      Tensor all =
          make_tensor(tiles(plan.others[i]), other.staged(plan.stages(), other.elements()));
      otherFragments[i] = make_fragment_B(scores, partition_B(scores, all, zero));
      Tensor across = make_tensor(tiles(plan.others[i]),
                                  other.transposed().staged(plan.stages(), other.elements()));
      otherTransposed[i] = make_fragment_B(sum, partition_B(sum, across, zero));
      products[i] = make_fragment_C(scores, make_shape(rowsOfConsumer, plan.step()));
      // A thread's accumulators are, in their order, its elements of A for the second product.
      narrow[i] = make_rmem_tensor(
          element(), make_layout(make_shape(make_shape(2, 2, 2), 1, plan.step() / mmaK()),
                                 make_stride(make_stride(1, 2, 4), 0, 8)));
    }
    for (size_t i = 0; i < given.results.size(); ++i) {
      Tensor zeros = make_fragment_C(sum, make_shape(rowsOfConsumer, c.headDim));
      store_vec(broadcast(f32(0), sumsOfThread()), flat(zeros, sumsOfThread()));
      sums.push_back(zeros);
    }
  }
  int64_t sumsOfThread() const { return rowsOfConsumer * c.headDim / groupThreads; }
  static Tensor flat(Tensor fragment, int64_t count) {
    return make_tensor(get_iter(fragment), make_layout(count));
  }

  void consume() {
    prepare();
    Num row = at.tile * ownRows + consumer * rowsOfConsumer + warp % 4 * 16 + lane / 4;
    if (!ofKeys())
      for (int r = 0; r < rowsOfThread; ++r) {
        Tensor of = at.statisticsOf(*given.plainStatistics, head);
        Num query = min(row + 8 * r, (c.varlen ? at.queries : size(of, 0)) - 1);
        rowLog[r] = load(of, make_coord(query, 0)), rowDelta[r] = load(of, make_coord(query, 1));
      }
    fullOwn.wait(0);
    overHeads(Progress{Pipeline::consumerStart(), i32(-1)}, [&](Num ofHead, Progress &progress) {
      slope = at.slopeOf(ofKeys() ? ofHead : head);
      auto over = [&](Num from, Num to, bool masks) {
        progress =
            For(from, to, 1, progress, [&](Num i, Progress &now) { oneStep(i, row, now, masks); });
      };
      if (at.wholeBefore())
        over(at.first, at.masksFrom, false);
      if (at.masks())
        over(at.masksFrom, at.masksTo, true);
      if (at.wholeAfter())
        over(at.masksTo, at.steps, false);
    });
    warpgroup_wait(0);
    for (size_t i = 0; i < sums.size(); ++i)
      store(given.results[i], sums[i], row, i == 0);
  }

  void multiply(size_t which, Num stage) {
    warpgroup_arrive();
    for (int block = 0; block < c.headDim / mmaK(); ++block)
      gemm(accumulate(scores, i1(block > 0)), products[which], ownFragments[which](_, _, block),
           otherFragments[which](_, _, block, stage), products[which]);
    warpgroup_commit();
  }
  void add(size_t narrowed, size_t other, Num stage, Tensor to) {
    store_vec(convert(load_vec(flat(products[narrowed], perThread())), element()),
              flat(narrow[narrowed], perThread()));
    warpgroup_arrive();
    for (int block = 0; block < plan.step() / mmaK(); ++block)
      gemm(accumulate(sum, i1(true)), to, narrow[narrowed](_, _, block),
           otherTransposed[other](_, _, block, stage), to);
    warpgroup_commit();
  }

  /// A thread has pairs of columns, 8 apart, of two rows, 8 apart (PTX ISA, wgmma, fragment of D):
  /// `f` of each row's elements.
  void forRows(Tensor of, const std::function<Num(int, Num)> &f) {
    for (int r = 0; r < rowsOfThread; ++r) {
      Tensor row = make_tensor(offset(get_iter(of), 2 * r),
                               make_layout(make_shape(2, plan.step() / 8), make_stride(1, 4)));
      store_vec(f(r, load_vec(row)), row);
    }
  }
  /// A number of each of a thread's columns (0: minus the logarithm, 1: delta).
  Num ofColumns(Num stage, int which) const {
    Tensor all = statisticsInMemory()(_, which, stage);
    Pointer mine = offset(get_iter(all), (lane % 4 * 2).promised(2));
    return load_vec(
        make_tensor(mine, make_layout(make_shape(2, plan.step() / 8), make_stride(1, 8))));
  }

  struct Progress {
    Stage at;
    Num before; // the stage before it, or less than 0
    auto members() { return std::tie(at, before); }
  };
  /// Whether the last product of a step is waited for in the next one. It pays if the registers
  /// allow it: with heads of 128 elements ptxas makes products wait (C7512), and with sums of one
  /// kind only the tensor core was measured to be busier without (H200, docs/benchmarks.md).
  bool inFlight() const { return ofKeys() && c.headDim < 128; }
  void oneStep(Num i, Num row, Progress &now, bool masks) {
    Num stage = now.at.index;
    ring.wait(now.at);
    multiply(0, stage);
    multiply(1, stage);
    warpgroup_wait(1);
    if (inFlight())
      If(now.before >= 0, [&] { release(now.before); });
    Num logs;
    if (ofKeys())
      logs = ofColumns(stage, 0);
    Num firstColumn = i * plan.step() + lane % 4 * 2;
    auto logsOf = [&](int r) { return ofKeys() ? logs : broadcast(rowLog[r], perRow()); };
    forRows(products[0], [&](int r, Num s) {
      Num p = at.powers(s, logsOf(r), row + 8 * r, firstColumn, slope);
      return masks ? at.seen(p, row + 8 * r, firstColumn) : p;
    });
    warpgroup_wait(0);
    if (ofKeys())
      add(0, 1, stage, sums[1]);
    Num deltas;
    if (ofKeys())
      deltas = ofColumns(stage, 1);
    for (int r = 0; r < rowsOfThread; ++r) {
      auto rowOf = [&](Tensor of) {
        return make_tensor(offset(get_iter(of), 2 * r),
                           make_layout(make_shape(2, plan.step() / 8), make_stride(1, 4)));
      };
      Num delta = ofKeys() ? deltas : broadcast(rowDelta[r], perRow());
      store_vec(at.gradients(load_vec(rowOf(products[0])), load_vec(rowOf(products[1])), delta,
                             logsOf(r), row + 8 * r, firstColumn, slope),
                rowOf(products[1]));
    }
    add(1, 0, stage, sums[0]);
    if (!inFlight()) {
      warpgroup_wait(0);
      release(stage);
    }
    now = {ring.next(now.at), stage};
  }
  void store(Tensor result, Tensor of, Num row, bool scaled) {
    Tensor to = at.rowsOf(result, plan.of, head);
    Num rows = !c.varlen ? size(to, 0) : ofKeys() ? at.keys : at.queries;
    Shape pairs = make_shape(2, c.headDim / 8);
    for (int r = 0; r < rowsOfThread; ++r)
      If(row + 8 * r < rows, [&] {
        Tensor mine =
            make_tensor(offset(get_iter(of), 2 * r), make_layout(pairs, make_stride(1, 4)));
        Num values = load_vec(mine);
        if (scaled)
          values = values * broadcast(given.scale, c.headDim / 4);
        Pointer at = offset(get_iter(to(row + 8 * r, _)), (lane % 4 * 2).promised(2));
        store_vec(convert(values, element()),
                  make_tensor(at, make_layout(pairs, make_stride(1, 8))));
      });
  }
};

class Backward {
public:
  explicit Backward(const AttentionBackwardConfig &c)
      : c(c), ofKeys(c, Of::Keys), ofQueries(c, Of::Queries) {}

  void build() {
    writeGradients(c, [&](const GradientCall &call, Stream stream) { hostBody(call, stream); });
    ofKeys.write();
    ofQueries.write();
  }

private:
  const AttentionBackwardConfig &c;
  Gradient ofKeys, ofQueries;

  void hostBody(const GradientCall &call, Stream stream) {
    auto prepare = [&](Gradient &of, std::array<Tensor, 2> own, std::array<Tensor, 2> others) {
      auto map = [&](Tensor of, const SmemTile &tile, int rows) {
        return make_tma_load(of, tile.swizzled(), make_tile(rows, c.headDim));
      };
      Parameters &given = of.given;
      for (size_t i : {0, 1}) {
        given.own[i] = map(own[i], of.its().tileOwn(), ownRows);
        given.others[i] = map(others[i], of.its().tileOther(), of.its().step());
      }
      given.queries = call.queries, given.keys = call.keys, given.sharing = call.sharing;
      given.scale = call.scale, given.scores = call.scores;
    };
    prepare(ofKeys, {call.k, call.v}, {call.q, call.gradient});
    const int step = ofKeys.its().step();
    ofKeys.given.statistics =
        make_tma_load(call.statistics, make_layout(make_shape(step, 2)), make_tile(step, 2));
    ofKeys.given.results = {call.dK, call.dV};
    prepare(ofQueries, {call.q, call.gradient}, {call.k, call.v});
    ofQueries.given.plainStatistics = call.statistics;
    ofQueries.given.results = {call.dQ};
    auto go = [&](const Gradient &of, Num rows, Num ofHeads) {
      launch(of.name(),
             {(rows + (ownRows - 1)) / ownRows, ofHeads, call.batches, Plan::threads,
              of.its().memory.bytes()},
             stream, of.given);
    };
    go(ofKeys, call.longestK, call.headsOfK);
    go(ofQueries, call.longestQ, call.heads);
  }
};
} // namespace

std::optional<Reason> sm90::refusedAttentionBackward(const AttentionBackwardConfig &c) {
  int64_t most = c.target.maxDynamicShared();
  for (Of of : {Of::Keys, Of::Queries})
    if (int64_t bytes = Plan(c, of).memory.bytes(); bytes > most)
      return fail(Error::AttentionShared, c.stages, rounding, bytes, most);
  return std::nullopt;
}

void sm90::buildAttentionBackward(const AttentionBackwardConfig &c) { Backward(c).build(); }
