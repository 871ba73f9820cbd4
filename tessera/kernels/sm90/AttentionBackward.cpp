// Three kernels: what each query needs, dK and dV, dQ.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm90/AttentionBackward.h"

#include "tessera/kernels/Errors.h"
#include "tessera/kernels/SmemTile.h"
#include "tessera/kernels/WarpGroups.h"
#include "tessera/kernels/sm90/AttentionStatistics.h"
#include "tessera/layout/Domains.h"

#include <array>
#include <numbers>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm90;

namespace {

constexpr int bits = 16, consumers = 2, rowsOfConsumer = 64, ownRows = consumers * rowsOfConsumer;
constexpr int rounding = 64; // of the queries that the workspace has room for
constexpr int groupThreads = atom::Threads::ofGroup;
constexpr int rowsOfThread = 2; // of an accumulator of wgmma: 8 apart

/// The tiles that a block of dK and dV, or of dQ, keeps, and those that it goes over.
enum class Of {
  Keys,
  Queries
};

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
  int step() const { return of == Of::Queries ? 2 * rounding : rounding; }
  /// Tiles of those in flight.
  int stages() const { return of == Of::Queries ? 2 : c.stages; }
  SmemTile tileOther() const { return {step(), c.headDim, bits}; }
  static int64_t bytesOf(const SmemTile &tile) { return tile.elements() * bits / 8; }
  static int64_t bytesOfStatistics() { return 2 * rounding * int64_t(sizeof(float)); }
  int64_t bytesOfStage() const {
    return 2 * bytesOf(tileOther()) + (of == Of::Keys ? bytesOfStatistics() : 0);
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
  Num queries, keys, sharing;
  Num scale, log2Scale; // times log2(e)

  auto members() {
    return std::tie(own, others, statistics, plainStatistics, results, queries, keys, sharing,
                    scale, log2Scale);
  }
};

/// The kernel of dK and dV, or of dQ.
class Gradient : ThreadIds {
public:
  Gradient(const AttentionBackwardConfig &c, Of of) : c(c), plan(c, of) {}

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
  Num tile, head, batch;  // of the block; the head is one of what it keeps
  Num past;               // keys before the one that the first query sees last
  Num first, steps;       // of what the block goes over: tiles
  Num masksFrom, masksTo; // the tiles that masks cut, among those
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
    tile = block_idx(0), head = block_idx(1), batch = block_idx(2);
    if (c.causal && !ofKeys()) // the longest first
      tile = grid_dim(0) - 1 - tile;
    extent();
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

  /// Query q sees the keys up to q + past. Finds which tiles the block goes over, and which of them
  /// a mask cuts: those in which some query does not see some key.
  void extent() {
    past = given.keys - given.queries;
    Num begin = tile * ownRows, end = begin + ownRows;
    auto up = [&](Num x) { return (max(x, 0) + (plan.step() - 1)) / plan.step(); };
    Num all = ofKeys() ? given.queries : given.keys;
    first = i32(0), steps = up(all), masksFrom = i32(0), masksTo = i32(0);
    if (ofKeys() && c.causal) {
      // Queries before begin - past see none of the block's keys, those from end - 1 - past all.
      first = min(max(begin - past, 0) / plan.step(), steps);
      masksTo = min(up(end - 1 - past), steps);
      masksTo = max(masksTo, first);
      masksFrom = first;
    } else if (!ofKeys()) {
      Num whole = given.keys;
      if (c.causal) {
        steps = min(steps, up(end + past));
        whole = min(whole, max(begin + past + 1, 0));
      }
      masksFrom = min(whole / plan.step(), steps), masksTo = steps;
    }
  }

  //===--- producer ---------------------------------------------------------------------------===//

  TmaParts partsOf(const TmaTensor &from, Num ofHead, const Tile &box, const Coord &at,
                   Tensor smem) const {
    Tensor g = local_tile(from.coords(_, _, ofHead, batch), box, at);
    return tma_partition(from.atom, group_modes(smem, 0, 2), group_modes(g, 0, 2));
  }

  void produce() {
    expect_bytes(fullOwn, 2 * Plan::bytesOf(plan.tileOwn()));
    for (size_t i : {0, 1}) {
      TmaParts parts =
          partsOf(given.own[i], head, make_tile(ownRows, c.headDim), make_coord(tile, 0),
                  make_tensor(tiles(plan.own[i]), plan.tileOwn().layout()));
      tma_load(given.own[i].atom, parts.gmem, parts.smem, fullOwn);
    }
    overHeads(Pipeline::producerStart(), [&](Num ofHead, Stage &at) {
      SmemTile tile = plan.tileOther();
      std::array<TmaParts, 2> parts;
      for (size_t i : {0, 1})
        parts[i] = partsOf(
            given.others[i], ofHead, make_tile(plan.step(), c.headDim), make_coord(_, 0),
            make_tensor(tiles(plan.others[i]), tile.staged(plan.stages(), tile.elements())));
      TmaParts statistics;
      if (ofKeys())
        statistics = partsOf(*given.statistics, ofHead, make_tile(plan.step(), 2), make_coord(_, 0),
                             statisticsInMemory());
      at = For(first, steps, 1, at, [&](Num i, Stage &now) {
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
    Num row = tile * ownRows + consumer * rowsOfConsumer + warp % 4 * 16 + lane / 4;
    if (!ofKeys())
      for (int r = 0; r < rowsOfThread; ++r) {
        Tensor of = (*given.plainStatistics)(_, _, head, batch);
        Num query = min(row + 8 * r, size(of, 0) - 1);
        rowLog[r] = load(of, make_coord(query, 0)), rowDelta[r] = load(of, make_coord(query, 1));
      }
    fullOwn.wait(0);
    overHeads(Progress{Pipeline::consumerStart(), i32(-1)}, [&](Num, Progress &at) {
      auto over = [&](Num from, Num to, bool masks) {
        at = For(from, to, 1, at, [&](Num i, Progress &now) { oneStep(i, row, now, masks); });
      };
      if (!ofKeys())
        over(first, masksFrom, false);
      if (!ofKeys() || c.causal)
        over(masksFrom, masksTo, true);
      if (ofKeys())
        over(masksTo, steps, false);
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
    forRows(products[0], [&](int r, Num s) {
      Num log = ofKeys() ? logs : broadcast(rowLog[r], perRow());
      Num p = exp2(fma(s, broadcast(given.log2Scale, perRow()), log));
      return masks ? seen(i, row + 8 * r, p) : p;
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
      store_vec(load_vec(rowOf(products[0])) * (load_vec(rowOf(products[1])) - delta),
                rowOf(products[1]));
    }
    add(1, 0, stage, sums[0]);
    if (!inFlight()) {
      warpgroup_wait(0);
      release(stage);
    }
    now = {ring.next(now.at), stage};
  }
  /// P where a query sees a key, else 0.
  Num seen(Num tileOfOthers, Num row, Num p) const {
    llvm::SmallVector<int32_t> columns;
    for (int i = 0; i < perRow(); ++i)
      columns.push_back(i / 2 * 8 + i % 2);
    Num at = vector_of(columns), ofThread = tileOfOthers * plan.step() + lane % 4 * 2;
    Num none = broadcast(f32(0), perRow());
    if (ofKeys()) // the columns are queries, which see the row if it is at most theirs + past
      return select(at >= broadcast(row - past - ofThread, perRow()), p, none);
    Num end = given.keys;
    if (c.causal)
      end = min(end, row + past + 1);
    return select(at < broadcast(end - ofThread, perRow()), p, none);
  }

  void store(Tensor result, Tensor of, Num row, bool scaled) {
    Tensor to = result(_, _, head, batch);
    Shape pairs = make_shape(2, c.headDim / 8);
    for (int r = 0; r < rowsOfThread; ++r)
      If(row + 8 * r < size(to, 0), [&] {
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
      : c(c), statistics(c), ofKeys(c, Of::Keys), ofQueries(c, Of::Queries) {}

  void build() {
    mlir::Type tensor = tensorType(*Element::named(c.element), 128 / bits, {0, 0, 0, c.headDim});
    mlir::Type number = f32.type(Context::current()->mlirContext());
    mlir::Type types[] = {tensor, tensor,
                          tensor, tensor,
                          tensor, tensorType(f32, 1, {0, 0, 0}),
                          tensor, tensor,
                          tensor, tensorType(f32, 4, {0, 0, 2, 0}),
                          number};
    host("attention_backward", types,
         [&](Arguments arguments, Stream stream) { hostBody(arguments, stream); });
    statistics.write();
    ofKeys.write();
    ofQueries.write();
  }

private:
  const AttentionBackwardConfig &c;
  AttentionStatistics statistics;
  Gradient ofKeys, ofQueries;

  /// Contiguous in the last mode, the other strides multiples of so many elements; extents of 0 are
  /// known when it is called.
  static mlir::Type tensorType(Element element, int64_t multiple, std::initializer_list<int> of) {
    std::vector<layout::Tree> extents, strides;
    for (int extent : of) {
      extents.push_back(extent ? layout::Tree(layout::Int(int64_t(extent)))
                               : layout::Tree(layout::Int::dynamic(layout::Symbolic::anonymous)));
      strides.push_back(layout::Tree(
          layout::Int::dynamic(layout::Symbolic::anonymous, layout::Width::I64, multiple)));
    }
    strides.back() = layout::Tree(layout::Int(int64_t(1)));
    return tensor_type(element, layout::Layout{layout::Tree(extents), layout::Tree(strides)},
                       AddressSpace::Gmem, multiple * element.bits() / 8);
  }

  void hostBody(const Arguments &arguments, Stream stream) {
    // (sequence, dimension, head, batch): what TMA boxes have first.
    auto tensor = [&](size_t i, std::initializer_list<int32_t> modes) {
      Tensor of = arguments.tensor(i);
      return make_tensor(get_iter(of), select(get_layout(of), modes));
    };
    auto matrix = [&](size_t i) { return tensor(i, {1, 3, 2, 0}); };
    Tensor q = matrix(0), k = matrix(1), v = matrix(2), o = matrix(3), gradient = matrix(4);
    Tensor log = tensor(5, {2, 1, 0}), dQ = matrix(6), dK = matrix(7), dV = matrix(8);
    Tensor workspace = tensor(9, {3, 2, 1, 0});
    Num scale = arguments.num(10);
    check(scale > f32(0), fail(Error::AttentionScale).text);
    Num queries = size(q, 0), keys = size(k, 0), heads = size(q, 2), ofK = size(k, 2),
        batch = size(q, 3);
    std::string why = fail(Error::AttentionGradients).text;
    for (const Tensor &like : {o, gradient, dQ})
      for (int mode : {0, 2, 3})
        check(size(like, mode) == size(q, mode), why);
    for (const Tensor &like : {v, dK, dV})
      for (int mode : {0, 2, 3})
        check(size(like, mode) == size(k, mode), why);
    check(size(k, 3) == batch, why);
    check(ofK > 0, fail(Error::AttentionHeads).text); // which divides
    Num sharing = heads / ofK;
    check(sharing * ofK == heads, fail(Error::AttentionHeads).text);
    check((size(log, 0) == queries) & (size(log, 1) == heads) & (size(log, 2) == batch),
          fail(Error::AttentionLogs).text);
    Num rounded = (queries + (rounding - 1)) / rounding * rounding;
    check((size(workspace, 0) == rounded) & (size(workspace, 2) == heads) &
              (size(workspace, 3) == batch),
          fail(Error::AttentionWorkspace, rounding).text);

    statistics.given = {o, gradient, log, workspace};
    launch(statistics.name(),
           {rounded / AttentionStatistics::rowsOfBlock, heads, batch, AttentionStatistics::threads},
           stream, statistics.given);
    auto prepare = [&](Gradient &of, std::array<Tensor, 2> own, std::array<Tensor, 2> others) {
      auto map = [&](Tensor of, const SmemTile &tile, int rows) {
        return make_tma_load(of, tile.swizzled(), make_tile(rows, c.headDim));
      };
      Parameters &given = of.given;
      for (size_t i : {0, 1}) {
        given.own[i] = map(own[i], of.its().tileOwn(), ownRows);
        given.others[i] = map(others[i], of.its().tileOther(), of.its().step());
      }
      given.queries = queries, given.keys = keys, given.sharing = sharing;
      given.scale = scale, given.log2Scale = scale * f32(std::numbers::log2e);
    };
    prepare(ofKeys, {k, v}, {q, gradient});
    ofKeys.given.statistics =
        make_tma_load(workspace, make_layout(make_shape(rounding, 2)), make_tile(rounding, 2));
    ofKeys.given.results = {dK, dV};
    prepare(ofQueries, {q, gradient}, {k, v});
    ofQueries.given.plainStatistics = workspace;
    ofQueries.given.results = {dQ};
    auto go = [&](const Gradient &of, Num rows, Num ofHeads) {
      launch(of.name(),
             {(rows + (ownRows - 1)) / ownRows, ofHeads, batch, Plan::threads,
              of.its().memory.bytes()},
             stream, of.given);
    };
    go(ofKeys, keys, ofK);
    go(ofQueries, queries, heads);
  }
};
} // namespace

std::string AttentionBackwardConfig::name() const {
  return cat("d", headDim, "_s", stages, "_", element, causal ? "_causal" : "");
}

std::optional<Reason> kernels::refused(const AttentionBackwardConfig &c) {
  if (c.element != "f16" && c.element != "bf16")
    return fail(Error::AttentionElement, "f16 or bf16", c.element);
  if (c.headDim != 64 && c.headDim != 96 && c.headDim != 128)
    return fail(Error::AttentionBackwardHead, c.headDim);
  if (c.stages < 2) // a step lets go the tiles of the step before
    return fail(Error::AttentionBackwardStages, c.stages);
  int64_t most = c.target.maxDynamicShared();
  for (Of of : {Of::Keys, Of::Queries})
    if (int64_t bytes = Plan(c, of).memory.bytes(); bytes > most)
      return fail(Error::AttentionShared, c.stages, rounding, bytes, most);
  return std::nullopt;
}

void kernels::buildAttentionBackward(const AttentionBackwardConfig &config) {
  Backward(config).build();
}
