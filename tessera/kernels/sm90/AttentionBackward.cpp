// Kernels of dK and dV, or of each of them, and of dQ: TMA -> shared memory -> wgmma.
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
using Work = GradientWork;

/// Its shared memory: two tiles of its own rows, stages of two tiles of the others and, where these
/// are queries, of what softmax needs of each. Of two tiles the first is as wide as Q and K, the
/// second as V and dO.
///
/// Both tiles of a step come and go together, in one ring. Those of wide heads have a ring each, as
/// there is room for three of them and not for four: one that only gives scores is free again
/// before the other one is added up.
struct Plan {
  Plan(const AttentionBackwardConfig &c, Work work) : c(c), work(work) {
    stages.fill(work.ofKeys() || c.isWide() ? c.stages : 2);
    allocate();
    if (c.isWide() && memory.bytes() > c.target.maxDynamicShared()) {
      stages[onlyForScores()] = std::max(c.stages - 1, 1);
      allocate();
    }
  }
  const AttentionBackwardConfig &c;
  Work work;
  SharedMemory memory;
  Region own[2], others[2], statistics, barriers;
  std::array<int, 2> stages; // tiles of the others in flight

  int width(size_t i) const { return i ? c.valueDims() : c.headDim; }
  SmemTile tileOwn(size_t i) const { return {ownRows, width(i), bits}; }
  SmemTile tileOther(size_t i) const { return {step(), width(i), bits}; }
  /// Rows of what a block goes over, at a time. Sums of wide heads leave registers for fewer.
  int step() const {
    const int most = work.ofKeys() || c.isWide() ? rounding : 2 * rounding;
    return takesRegisters() ? most / 2 : most;
  }
  size_t rings() const { return c.isWide() ? 2 : 1; }
  size_t ringOf(size_t tile) const { return c.isWide() ? tile : 0; }
  static int64_t bytesOf(const SmemTile &tile) { return tile.elements() * bits / 8; }
  int64_t bytesOfStatistics() const { return 2 * step() * int64_t(sizeof(float)); }
  /// That a stage of a ring brings: statistics come with the first tile.
  int64_t bytesOfStage(size_t ring) const {
    int64_t bytes = work.ofKeys() && ring == 0 ? bytesOfStatistics() : 0;
    for (size_t i : {0, 1})
      if (ringOf(i) == ring)
        bytes += bytesOf(tileOther(i));
    return bytes;
  }
  /// Whether scores or sequences leave too few registers for whole steps: what ptxas spills else.
  bool takesRegisters() const {
    return c.headDim > 64 ? c.softcap || c.alibi || (c.varlen && c.headDim > 96)
                          : c.softcap && c.alibi;
  }
  static constexpr int threads = (consumers + 1) * groupThreads;
  static constexpr RegisterBudget registers{24, 240};

private:
  size_t onlyForScores() const { return work.scores ? 1 : 0; }
  void allocate() {
    memory = SharedMemory();
    for (size_t i = 0; i < work.tilesKept(); ++i)
      own[i] = memory.allocate(bytesOf(tileOwn(i)));
    for (size_t i : {0, 1})
      others[i] = memory.allocate(stages[i] * bytesOf(tileOther(i)));
    if (work.ofKeys())
      statistics = memory.allocate(stages[0] * bytesOfStatistics());
    int64_t both = 0;
    for (size_t ring = 0; ring < rings(); ++ring)
      both += stages[ring];
    barriers = memory.barriers(1 + 2 * both);
  }
};

/// The parameters of a kernel: tensor maps of (K, V) or (Q, dO), of (Q, dO) or (K, V); for each
/// query the logarithm of its sum and delta; dK and dV, or one of them, or dQ.
struct Parameters {
  llvm::SmallVector<TmaTensor, 2> own;
  std::array<TmaTensor, 2> others;
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

/// The kernel of dK and dV, of one of them, or of dQ.
class Gradient : ThreadIds {
public:
  Gradient(const AttentionBackwardConfig &c, Work work)
      : c(c), plan(c, work), at(c, work.of, ownRows, plan.step()) {}

  /// In the host function.
  void prepareFor(const GradientCall &call) {
    std::array<Tensor, 2> own{call.k, call.v}, others{call.q, call.gradient};
    if (!ofKeys())
      std::swap(own, others);
    auto map = [&](Tensor of, const SmemTile &tile, int rows, size_t i) {
      return make_tma_load(of, tile.swizzled(), make_tile(rows, plan.width(i)));
    };
    for (size_t i : {0, 1}) {
      if (i < plan.work.tilesKept())
        given.own.push_back(map(own[i], plan.tileOwn(i), ownRows, i));
      given.others[i] = map(others[i], plan.tileOther(i), plan.step(), i);
    }
    given.queries = call.queries, given.keys = call.keys, given.sharing = call.sharing;
    given.scale = call.scale, given.scores = call.scores;
    if (ofKeys()) {
      const int step = plan.step();
      given.statistics =
          make_tma_load(call.statistics, make_layout(make_shape(step, 2)), make_tile(step, 2));
    } else {
      given.plainStatistics = call.statistics;
    }
    if (plan.work.scores)
      given.results.push_back(ofKeys() ? call.dK : call.dQ);
    if (plan.work.values)
      given.results.push_back(call.dV);
  }
  void launchFor(const GradientCall &call, Stream stream) const {
    Num rows = ofKeys() ? call.longestK : call.longestQ;
    launch(name(),
           {(rows + (ownRows - 1)) / ownRows, ofKeys() ? call.headsOfK : call.heads, call.batches,
            Plan::threads, plan.memory.bytes()},
           stream, given);
  }

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
  Parameters given; // set by the host function
  Num head;         // of the block: one of what it keeps
  Barrier fullOwn;
  llvm::SmallVector<Pipeline, 2> rings;
  using Places = llvm::SmallVector<Stage, 2>; // in each ring

  bool ofKeys() const { return plan.work.ofKeys(); }
  std::string name() const { return cat("attention_backward_", plan.work.name(), c.name()); }
  Element element() const { return *Element::named(c.element); }
  Pointer tiles(Region region, size_t i) const {
    int64_t bytes = SmemTile::panelBytes(plan.width(i), bits);
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
    for (int next = 1; size_t ring : llvm::seq(plan.rings())) {
      int stages = plan.stages[ring];
      rings.push_back(Pipeline(stages, barriers.from(next), barriers.from(next + stages)));
      next += 2 * stages;
    }
    If(index == 0, [&] {
      for (const TmaTensor &tensor : given.own)
        prefetch_tma_desc(tensor.atom);
      for (const TmaTensor &tensor : given.others)
        prefetch_tma_desc(tensor.atom);
      fullOwn.init(1);
      for (const Pipeline &ring : rings)
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
    int64_t bytes = 0;
    for (size_t i : llvm::seq(plan.work.tilesKept()))
      bytes += Plan::bytesOf(plan.tileOwn(i));
    expect_bytes(fullOwn, bytes);
    for (size_t i : llvm::seq(plan.work.tilesKept())) {
      TmaParts parts =
          partsOf(given.own[i].atom, at.rowsOf(given.own[i].coords, plan.work.of, head),
                  make_tile(ownRows, plan.width(i)), make_coord(at.tile, 0),
                  make_tensor(tiles(plan.own[i], i), plan.tileOwn(i).layout()));
      tma_load(given.own[i].atom, parts.gmem, parts.smem, fullOwn);
    }
    overHeads(placesOf(Pipeline::producerStart), [&](Num ofHead, Places &places) {
      std::array<TmaParts, 2> parts;
      for (size_t i : {0, 1})
        parts[i] =
            partsOf(given.others[i].atom, at.rowsOf(given.others[i].coords, ofOthers(), ofHead),
                    make_tile(plan.step(), plan.width(i)), make_coord(_, 0),
                    stagesOf(i, plan.tileOther(i)));
      TmaParts statistics;
      if (ofKeys())
        statistics =
            partsOf(given.statistics->atom, at.statisticsOf(given.statistics->coords, ofHead),
                    make_tile(plan.step(), 2), make_coord(_, 0), statisticsInMemory());
      places = For(at.first, at.steps, 1, places, [&](Num i, Places &now) {
        for (auto [r, ring] : llvm::enumerate(rings)) {
          Barrier barrier = ring.acquire(now[r], plan.bytesOfStage(r));
          for (size_t which : {0, 1})
            if (plan.ringOf(which) == r)
              tma_load(given.others[which].atom, parts[which].gmem(_, i),
                       parts[which].smem(_, now[r].index), barrier);
          if (ofKeys() && r == 0)
            tma_load(given.statistics->atom, statistics.gmem(_, i),
                     statistics.smem(_, now[r].index), barrier);
          now[r] = ring.next(now[r]);
        }
      });
    });
  }
  template <class Start> Places placesOf(Start start) const {
    Places places;
    for (size_t ring = 0; ring < rings.size(); ++ring)
      places.push_back(start(Place::current()));
    return places;
  }
  /// Tiles of the others, in all stages, as a layout of one of them sees them.
  Tensor stagesOf(size_t i, const SmemTile &as) const {
    return make_tensor(tiles(plan.others[i], i), as.staged(plan.stages[i], as.elements()));
  }
  Of ofOthers() const { return ofKeys() ? Of::Queries : Of::Keys; }
  /// (query of a tile, logarithm and delta, stage).
  Tensor statisticsInMemory() const {
    return make_tensor(plan.memory.pointer(plan.statistics, f32),
                       make_layout(make_shape(plan.step(), 2, plan.stages[0])));
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
  TiledMma scores, sum;          // S and dP; dK, dV and dQ
  Tensor ownFragments[2];        // of the consumer's rows
  Tensor otherFragments[2];      // as K^T (Q^T) and V^T (dO^T)
  Tensor otherTransposed[2];     // the same as what is summed
  Tensor products[2], narrow[2]; // S, then P, and dP, then dS: as f32 and as elements
  std::optional<Tensor> sumOfScores, sumOfValues; // dK or dQ; dV
  Num rowLog[rowsOfThread], rowDelta[rowsOfThread];
  Num slope; // of ALiBi

  int perThread() const { return rowsOfConsumer * plan.step() / groupThreads; }
  int perRow() const { return perThread() / 2; }

  /// After all lanes have read what wgmma does not read for them.
  void release(size_t ring, Num stage) {
    if (ofKeys() && ring == 0)
      sync_warp();
    If(lane == 0, [&] { rings[ring].empty(stage).arrive(); });
  }
  GroupMma product(int n, atom::Major majorB, atom::Residency aFrom) const {
    return {.n = n, .a = element(), .b = element(), .c = f32, .bMajor = majorB, .aFrom = aFrom};
  }
  int mmaK() const { return int(product(plan.step(), {}, {}).k()); }

  void prepare() {
    consumer = group - 1;
    using enum atom::Residency;
    scores = make_tiled_mma(make_atom(product(plan.step(), atom::Major::K, Smem), i1(false)));
    sum = make_tiled_mma(
        make_atom(product(plan.width(plan.work.scores ? 0 : 1), atom::Major::MN, Rmem), i1(true)));
    Num zero = i32(0);
    for (size_t i : {0, 1}) {
      SmemTile other = plan.tileOther(i);
      if (i < plan.work.tilesKept()) {
        if (!placesAnew())
          ownFragments[i] = ownFragment(i, consumer);
        otherFragments[i] = make_fragment_B(scores, partition_B(scores, stagesOf(i, other), zero));
      }
      if (i == 0 ? plan.work.scores : plan.work.values)
        otherTransposed[i] =
            make_fragment_B(sum, partition_B(sum, stagesOf(i, other.transposed()), zero));
      if (i == 1 && !plan.work.scores)
        continue;
      products[i] = make_fragment_C(scores, make_shape(rowsOfConsumer, plan.step()));
      // A thread's accumulators are, in their order, its elements of A for the second product.
      narrow[i] = make_rmem_tensor(
          element(), make_layout(make_shape(make_shape(2, 2, 2), 1, plan.step() / mmaK()),
                                 make_stride(make_stride(1, 2, 4), 0, 8)));
    }
    auto zeros = [&](size_t i) {
      Tensor zeros = make_fragment_C(sum, make_shape(rowsOfConsumer, plan.width(i)));
      int64_t count = rowsOfConsumer * plan.width(i) / groupThreads;
      store_vec(broadcast(f32(0), count), flat(zeros, count));
      return zeros;
    };
    if (plan.work.scores)
      sumOfScores = zeros(0);
    if (plan.work.values)
      sumOfValues = zeros(1);
  }
  /// Whether each step computes the places that it has in common with all others. Compilers move
  /// them out of the loop, a descriptor for every 16 columns, and beside the sums of wide heads
  /// there are no registers for them: up to 816 bytes are spilled. A shuffle stays where it is.
  bool placesAnew() const { return c.isWide(); }
  Tensor ownFragment(size_t i, Num consumer) const {
    SmemTile rows = SmemTile(rowsOfConsumer, plan.width(i), bits).within(ownRows);
    int64_t mine = rowsOfConsumer * 8 * SmemTile::panelBytes(plan.width(i), bits) / bits;
    Pointer at = offset(tiles(plan.own[i], i), (consumer * mine).promised(mine));
    return make_fragment_A(scores, partition_A(scores, make_tensor(at, rows.layout()), i32(0)));
  }
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
    overHeads(Progress{placesOf(Pipeline::consumerStart), i32(-1)},
              [&](Num ofHead, Progress &progress) {
                slope = at.slopeOf(ofKeys() ? ofHead : head);
                auto over = [&](Num from, Num to, bool masks) {
                  progress = For(from, to, 1, progress,
                                 [&](Num i, Progress &now) { oneStep(i, row, now, masks); });
                };
                if (at.wholeBefore())
                  over(at.first, at.masksFrom, false);
                if (at.masks())
                  over(at.masksFrom, at.masksTo, true);
                if (at.wholeAfter())
                  over(at.masksTo, at.steps, false);
              });
    warpgroup_wait(0);
    size_t next = 0;
    if (sumOfScores)
      store(given.results[next++], *sumOfScores, row, 0);
    if (sumOfValues)
      store(given.results[next], *sumOfValues, row, 1);
  }

  void multiply(size_t which, Num stage) {
    Tensor mine = ownFragments[which];
    if (placesAnew()) {
      mine = ownFragment(which, warp_uniform(consumer));
      stage = plan.stages[which] == 1 ? warp_uniform(stage) : stage;
    }
    warpgroup_arrive();
    for (int block = 0; block < plan.width(which) / mmaK(); ++block)
      gemm(accumulate(scores, i1(block > 0)), products[which], mine(_, _, block),
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
    Places at;
    Num before; // the stage before it, or less than 0
    auto members() { return std::tie(at, before); }
  };
  /// Whether the last product of a step is waited for in the next one. It pays if the registers
  /// allow it: with heads of 128 elements ptxas makes products wait (C7512), and with sums of one
  /// kind only the tensor core was measured to be busier without (H200, docs/benchmarks.md).
  bool inFlight() const { return ofKeys() && c.headDim < 128; }
  void oneStep(Num i, Num row, Progress &now, bool masks) {
    const Work &work = plan.work;
    auto stageOf = [&](size_t tile) { return now.at[plan.ringOf(tile)].index; };
    auto awaitTile = [&](size_t tile) { // with that of tile 0, where they share a ring
      if (size_t ring = plan.ringOf(tile); ring == tile)
        rings[ring].wait(now.at[ring]);
    };
    auto releaseTile = [&](size_t tile) {
      if (plan.ringOf(tile) == tile)
        release(tile, stageOf(tile));
    };
    awaitTile(0);
    multiply(0, stageOf(0));
    if (work.scores) {
      awaitTile(1);
      multiply(1, stageOf(1));
    }
    warpgroup_wait(work.scores ? 1 : 0);
    if (inFlight())
      If(now.before >= 0, [&] { release(0, now.before); });
    Num logs;
    if (ofKeys())
      logs = ofColumns(stageOf(0), 0);
    Num firstColumn = i * plan.step() + lane % 4 * 2;
    auto logsOf = [&](int r) { return ofKeys() ? logs : broadcast(rowLog[r], perRow()); };
    forRows(products[0], [&](int r, Num s) {
      Num p = at.powers(s, logsOf(r), row + 8 * r, firstColumn, slope);
      return masks ? at.seen(p, row + 8 * r, firstColumn) : p;
    });
    if (work.scores) {
      warpgroup_wait(0);
      releaseTile(1); // wide heads: only dP needs it
    } else {
      releaseTile(0); // and S, here
      awaitTile(1);
    }
    if (work.values)
      add(0, 1, stageOf(1), *sumOfValues);
    if (work.scores) {
      addScores(row, stageOf(0), logsOf, firstColumn);
    }
    if (!inFlight()) {
      warpgroup_wait(0);
      releaseTile(work.scores ? 0 : 1);
    }
    now.before = stageOf(0);
    for (auto [place, ring] : llvm::zip_equal(now.at, rings))
      place = ring.next(place);
  }
  /// dS, of P and dP, and its products.
  void addScores(Num row, Num stage, const std::function<Num(int)> &logsOf, Num firstColumn) {
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
    add(1, 0, stage, *sumOfScores);
  }
  /// `i` is 0 for what comes of dS, which is scaled, 1 for dV.
  void store(Tensor result, Tensor of, Num row, size_t i) {
    Tensor to = at.rowsOf(result, plan.work.of, head);
    Num rows = !c.varlen ? size(to, 0) : ofKeys() ? at.keys : at.queries;
    Shape pairs = make_shape(2, plan.width(i) / 8);
    for (int r = 0; r < rowsOfThread; ++r)
      If(row + 8 * r < rows, [&] {
        Tensor mine =
            make_tensor(offset(get_iter(of), 2 * r), make_layout(pairs, make_stride(1, 4)));
        Num values = load_vec(mine);
        if (i == 0)
          values = values * broadcast(given.scale, plan.width(i) / 4);
        Pointer at = offset(get_iter(to(row + 8 * r, _)), (lane % 4 * 2).promised(2));
        store_vec(convert(values, element()),
                  make_tensor(at, make_layout(pairs, make_stride(1, 8))));
      });
  }
};

} // namespace

std::optional<Reason> sm90::refusedAttentionBackward(const AttentionBackwardConfig &c) {
  int64_t most = c.target.maxDynamicShared();
  for (Work work : worksOf(c))
    if (Plan plan(c, work); plan.memory.bytes() > most)
      return fail(Error::AttentionShared, c.stages, plan.step(), plan.memory.bytes(), most);
  return std::nullopt;
}

void sm90::buildAttentionBackward(const AttentionBackwardConfig &c) {
  std::vector<Gradient> kernels;
  for (Work work : worksOf(c))
    kernels.emplace_back(c, work);
  writeGradients(c, [&](const GradientCall &call, Stream stream) {
    for (Gradient &kernel : kernels)
      kernel.prepareFor(call);
    for (const Gradient &kernel : kernels)
      kernel.launchFor(call, stream);
  });
  for (Gradient &kernel : kernels)
    kernel.write();
}
