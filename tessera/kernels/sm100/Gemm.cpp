// The Blackwell GEMM: TMA -> shared memory -> tcgen05.mma -> tensor memory -> registers -> TMA.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm100/Gemm.h"

#include "tessera/kernels/gemm/GemmCall.h"
#include "tessera/kernels/gemm/GemmWalk.h"
#include "tessera/kernels/sm100/GemmEpilogue.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm100;

namespace {

constexpr int tileM = GemmPlan::tileM;

class Gemm {
public:
  explicit Gemm(const GemmConfig &c) : c(c), plan(c), s(c, plan), epilogue(s, plan) {}

  void build() {
    hostFunction();
    kernel("gemm_" + c.name(), plan.threads(), s.given, [&](const GemmParameters &given) {
      s.begin(given);
      kernelBody();
    });
  }

private:
  const GemmConfig &c;
  GemmPlan plan;
  GemmBlock s;
  TensorEpilogue epilogue;

  const int blocks = c.clusterBlocks(); // that multiply together

  bool kMajor(int operand) const { return c.major[size_t(operand)] == 'k'; }
  /// Rows of A or B that a block loads.
  int rowsOf(int operand) const { return operand == 0 ? tileM : plan.rowsOfB(); }
  const GemmType &typeOf(int operand) const { return operand == 0 ? s.a : s.b; }
  /// As the product reads it, and as it is copied from memory, where 4 bits are in bytes.
  SmemTile tileOf(int operand) const {
    return operandTile(rowsOf(operand), c.tileK(), typeOf(operand).bits(), kMajor(operand));
  }
  SmemTile copiedTileOf(int operand) const {
    const GemmType &type = typeOf(operand);
    return operandTile(rowsOf(operand), tileKInMemory(), type.memory().bits(), kMajor(operand));
  }
  int tileKInMemory() const { return c.tileK() / s.a.packed(); }
  Tile extentOf(int operand) const { return make_tile(rowsOf(operand), tileKInMemory()); }
  Element factor() const { return *Element::named(c.factorType()); }

  /// Factors of four blocks of K: 128 words in a row.
  static Layout factorTile() {
    return make_layout(make_shape(1, GemmPlan::factorWords), make_stride(GemmPlan::factorWords, 1));
  }
  static Tile factorExtent() { return make_tile(1, GemmPlan::factorWords); }

  //===--- host -------------------------------------------------------------------------------===//

  void hostFunction() {
    host("gemm", GemmCall::types(c), [&](Arguments arguments, Stream stream) {
      GemmCall call(c, arguments);
      call.begin();
      auto map = [&](int operand, Tensor tensor) {
        const GemmType &type = typeOf(operand);
        return make_tma_load(
            tensor, copiedTileOf(operand).swizzled(), extentOf(operand),
            {.as = type.mma == tf32 ? std::optional(tf32) : std::nullopt, .blocks = blocks});
      };
      GemmExtras extras = call.extras();
      Num tilesM = tilesOf(size(call.d, 0), tileM * blocks),
          tilesN = tilesOf(size(call.d, 1), c.tileN),
          tilesK = tilesOf(size(call.a, 1), tileKInMemory());
      TmaTensor tA = map(0, call.a), tB = map(1, call.b), tD = epilogue.mapD(call.d);
      if (c.c)
        extras.c = epilogue.mapC(*call.c);
      if (c.factors)
        for (auto [map, words] :
             {std::pair(&extras.factorsA, &call.factorsA), {&extras.factorsB, &call.factorsB}})
          *map = make_tma_load(**words, factorTile(), factorExtent(), {.blocks = blocks});
      s.given = {tA, tB, tD, tilesM, tilesN, tilesK, extras};
      Num clusters = tilesOfProducts(c, tilesM, tilesN, extras);
      if (!c.dynamic)
        clusters = min(clusters, c.sms / blocks);
      launch("gemm_" + c.name(),
             {.gridX = clusters * blocks,
              .threads = plan.threads(),
              .smemBytes = c.smemBytes(),
              .clusterX = blocks},
             stream, s.given);
    });
  }

  //===--- kernel -----------------------------------------------------------------------------===//

  dsl::TensorMemory columns;
  Pipeline ring, sums, answers; // of operands, of accumulators, of clusters that were asked for
  Pointer tmem, tmemOfFactors;  // the first column, as sums and as factors

  bool paired() const { return blocks > 1; }
  /// The work that only the first block of a pair does.
  void byFirst(const std::function<void()> &body) { paired() ? If(s.rank == 0, body) : body(); }
  Pipeline pipelineAt(int stages, Region region) {
    Pointer barriers = s.plan.memory.pointer(region, i64, {}, Barrier::bytes);
    return Pipeline(stages, Barriers(barriers), Barriers(barriers, stages));
  }

  void kernelBody() {
    ring = pipelineAt(c.stages, plan.ring);
    sums = pipelineAt(GemmPlan::accumulators, plan.sums);
    if (c.dynamic)
      answers = pipelineAt(GemmPlan::answersKept, plan.asked);
    Pointer address = s.plan.memory.pointer(plan.address, i32, {}, 8);
    columns = dsl::TensorMemory(plan.columns(), address, blocks);
    If(s.index == 0, [&] { initialise(); });
    if (paired())
      cluster_sync();
    If(s.warp == GemmPlan::multiplies, [&] { columns.take(); });
    sync_threads();
    tmem = columns.pointer(plan.sum());
    if (c.factors)
      tmemOfFactors = columns.pointer(factor());
    If(s.warp == GemmPlan::loads, [&] { load(); });
    If(s.warp == GemmPlan::multiplies, [&] { byFirst([&] { multiply(); }); });
    If(s.warp < GemmPlan::storingWarps, [&] { store(); });
    if (c.dynamic)
      If(s.warp == GemmPlan::asks, [&] { ask(); });
    // A block that left could not be arrived at, and its tensor memory is its pair's too.
    paired() ? cluster_sync() : sync_threads();
    If(s.warp == GemmPlan::multiplies, [&] { columns.giveBack(); });
  }

  void initialise() {
    prefetch_tma_desc(s.given.a.atom);
    prefetch_tma_desc(s.given.b.atom);
    epilogue.prefetch();
    ring.init(1); // a commit empties a stage
    sums.init(GemmPlan::storingWarps * blocks);
    if (c.dynamic)
      answers.init(readersOfAnswers());
    epilogue.initialise();
    mbarrier_init_fence();
  }

  //===--- tiles ------------------------------------------------------------------------------===//

  /// Where a warp is: tile t, if there is one; the answer that says which comes next.
  struct Walk {
    Num t, there;
    Stage answer;
    auto members() { return std::tie(t, there, answer); }
  };

  TilePosition tileAt(Num t) { return tileOfWalk(c, s.given, s.rank, t, i32(0), s.given.tilesK); }
  Walk begin() { return {block_idx() / blocks, i1(true), Pipeline::consumerStart()}; }
  /// `body(tile, values)` changes the values; the result is what is left of them.
  template <class Values, class Body> Values forTiles(Values start, Body body) {
    if (c.groups != "none")
      return forTilesOfProducts(c, s.given, s.rank, begin().t, grid_dim() / blocks, start, body);
    if (!c.dynamic)
      return For(begin().t, s.given.tilesM * s.given.tilesN, grid_dim() / blocks, start,
                 [&](Num t, Values &now) { body(tileAt(t), now); });
    struct Both {
      Walk walk;
      Values values;
      auto members() { return std::tie(walk, values); }
    };
    auto more = [](Both &now) { return now.walk.there; };
    return While(Both{begin(), start}, more,
                 [&](Both &now) {
                   body(tileAt(now.walk.t), now.values);
                   now.walk = next(now.walk);
                 })
        .values;
  }

  //===--- clusters that have not begun -------------------------------------------------------===//

  /// Warps of the cluster that read an answer: of each block those that load, store and ask, and
  /// one that multiplies.
  int readersOfAnswers() const { return blocks * (GemmPlan::storingWarps + 2) + 1; }
  Pointer answerAt(Num stage) {
    Pointer all = s.plan.memory.pointer(plan.answers, i32, {}, answerBytes);
    constexpr int words = answerBytes / 4;
    return offset(all, (stage * words).promised(words));
  }
  /// The tile that the answer names. The reading is over for the one who asks next, which is the
  /// asynchronous proxy.
  Walk next(const Walk &walk) {
    answers.wait(walk.answer);
    TakenOver taken = taken_over(answerAt(walk.answer.index));
    fence_async_shared();
    sync_warp();
    Barrier read = answers.empty(walk.answer.index);
    If(s.lane == 0, [&] { paired() ? read.arrive_cluster(i32(0)) : read.arrive(); });
    return {taken.block / blocks, taken.there, answers.next(walk.answer)};
  }
  /// Asks for the tile after the one that is begun, as often as there was one.
  void ask() {
    struct Both {
      Walk walk;
      Stage free;
      auto members() { return std::tie(walk, free); }
    };
    auto more = [](Both &now) { return now.walk.there; };
    While(Both{begin(), Pipeline::producerStart()}, more, [&](Both &now) {
      Num stage = now.free.index;
      byFirst([&] { answers.empty(stage).wait(now.free.parity); });
      expect_bytes(answers.full(stage), answerBytes);
      byFirst([&] {
        If(elect_one(), [&] { ask_for_cluster(answerAt(stage), answers.full(stage), paired()); });
      });
      now.walk = next(now.walk);
      now.free = answers.next(now.free);
    });
  }

  //===--- the warp that loads ----------------------------------------------------------------===//

  /// The part of A or B that this block loads for a tile: (box, stages) and (box, tiles of K).
  TmaParts partsOf(int operand, const TmaTensor &from, const TilePosition &tile) {
    SmemTile t = copiedTileOf(operand);
    Pointer smem = s.tiles(operand == 0 ? plan.a : plan.b, typeOf(operand).memory());
    Num row = operand == 0 ? tile.m : tile.n;
    if (operand == 1 && paired())
      row = tile.n * blocks + s.rank;
    Tensor coords = ofProduct(c, from.coords, tile, operand == 1);
    Tensor rows = local_tile(coords, extentOf(operand), make_coord(row, _));
    Tensor stages = make_tensor(smem, t.staged(c.stages, t.elements()));
    return tma_partition(from.atom, group_modes(stages, 0, 2), group_modes(rows, 0, 2));
  }
  const TmaTensor &factorsOf(int operand) {
    return operand == 0 ? *s.given.extras.factorsA : *s.given.extras.factorsB;
  }
  /// For each tile of K, the factors of four blocks from `group` on.
  TmaParts partsOfFactors(int operand, int group, const TilePosition &tile) {
    constexpr int words = GemmPlan::factorWords;
    int ofStage = plan.factorWordsOfStage();
    const TmaTensor &from = factorsOf(operand);
    Pointer smem = offset(s.plan.memory.pointer(plan.factors, i32, {}, 128),
                          operand * ofStage + group * words);
    Tensor rows =
        local_tile(from.coords, factorExtent(), make_coord(operand == 0 ? tile.m : tile.n, _));
    Tensor stages = make_tensor(
        smem, make_layout(make_shape(1, words, c.stages), make_stride(words, 1, 2 * ofStage)));
    return tma_partition(from.atom, group_modes(stages, 0, 2), group_modes(rows, 0, 2));
  }
  template <class Body> void eachOfFactors(Body body) {
    for (int operand = 0; c.factors && operand < 2; ++operand)
      for (int group = 0; group < plan.factorGroups(); ++group)
        body(operand, group);
  }
  void load() {
    TmaTensor tA = s.given.a, tB = s.given.b;
    int64_t bytes = (plan.aStage() + plan.bStage() + plan.factorBytes()) * blocks;
    Stage left = forTiles(Pipeline::producerStart(), [&](const TilePosition &tile, Stage &outer) {
      TmaParts a = partsOf(0, tA, tile), b = partsOf(1, tB, tile);
      llvm::SmallVector<TmaParts> factors[2];
      eachOfFactors([&](int operand, int group) {
        factors[operand].push_back(partsOfFactors(operand, group, tile));
      });
      outer = For(tile.firstK, tile.endK, 1, outer, [&](Num i, Stage &at) {
        ring.empty(at.index).wait(at.parity);
        Barrier full = ring.full(at.index);
        byFirst([&] { expect_bytes(full, bytes); });
        tma_load(tA.atom, a.gmem(_, i), a.smem(_, at.index), full);
        tma_load(tB.atom, b.gmem(_, i), b.smem(_, at.index), full);
        eachOfFactors([&](int operand, int group) {
          const TmaParts &parts = factors[operand][size_t(group)];
          int groups = plan.factorGroups();
          tma_load(factorsOf(operand).atom, parts.gmem(_, groups == 1 ? i : i * groups + group),
                   parts.smem(_, at.index), full);
        });
        at = ring.next(at);
      });
    });
    // The barriers at which the first block's products arrive must exist until they have arrived.
    if (paired())
      For(0, c.stages, 1, left, [&](Num, Stage &at) {
        ring.empty(at.index).wait(at.parity);
        at = ring.next(at);
      });
  }

  //===--- the warp that multiplies -----------------------------------------------------------===//

  /// Every block of the pair, or none where there is no pair.
  Num everyone() { return paired() ? i16((1 << blocks) - 1) : Num(); }

  /// Stages of A or B as the product reads them: the rows of a pair's second block lie at the same
  /// place in its own memory.
  Tensor operandOf(int operand) {
    SmemTile tile = tileOf(operand);
    layout::Layout l = tile.staged(c.stages, tile.elements());
    if (paired()) {
      using layout::Tree;
      Tree rows = Tree::of({l.shape[0], int64_t(blocks)}), at = Tree::of({l.stride[0], int64_t(0)});
      l = {Tree::of({rows, l.shape[1], l.shape[2]}), Tree::of({at, l.stride[1], l.stride[2]})};
    }
    return make_tensor(s.tiles(operand == 0 ? plan.a : plan.b, typeOf(operand).mma), l);
  }
  void multiply() {
    auto major = [&](int operand) { return kMajor(operand) ? atom::Major::K : atom::Major::MN; };
    TensorMma product{.m = int64_t(tileM) * blocks,
                      .n = c.tileN,
                      .a = s.a.mma,
                      .b = s.b.mma,
                      .c = plan.sum(),
                      .aMajor = major(0),
                      .bMajor = major(1),
                      .blocks = blocks};
    if (c.factors)
      product.factor = factor(), product.vector = plan.factorVector();
    TiledMma mma =
        make_tiled_mma(c.factors ? make_atom(product, i1(false), factorsAt(0), factorsAt(1))
                                 : make_atom(product, i1(false)));
    Num first = i32(0);
    Tensor fragA = make_fragment_A(mma, partition_A(mma, operandOf(0), first));
    Tensor fragB = make_fragment_B(mma, partition_B(mma, operandOf(1), first));
    Layout place = get_layout(make_fragment_C(mma, make_shape(product.m, product.n)));
    int steps = c.tileK() / int(product.k());

    struct Progress {
      Stage operands, sums;
      auto members() { return std::tie(operands, sums); }
    };
    Progress start{Pipeline::consumerStart(), Pipeline::producerStart()};
    forTiles(start, [&](const TilePosition &tile, Progress &now) {
      Num which = now.sums.index;
      sums.empty(which).wait(now.sums.parity);
      Tensor d = make_tensor(sumsAt(which), place);
      now.operands = For(tile.firstK, tile.endK, 1, now.operands, [&](Num i, Stage &at) {
        ring.wait(at);
        eachOfFactors([&](int operand, int group) {
          copy_factors(factorsOfStage(operand, group, at.index),
                       factorsAt(operand, group * GemmPlan::factorsOfWord), factor(), blocks);
        });
        for (int step = 0; step < steps; ++step) {
          Num adds = step ? i1(true) : tile.firstK < i;
          TiledMma adding = accumulate(mma, adds);
          if (int block = step * int(product.k()) / plan.factorVector(); c.factors)
            adding = scaled_by(adding, factorsAt(0, block), factorsAt(1, block));
          gemm(adding, d, fragA(_, _, step, at.index), fragB(_, _, step, at.index), d);
        }
        mma_commit(ring.empty(at.index), everyone());
        at = ring.next(at);
      });
      mma_commit(sums.full(which), everyone());
      now.sums = sums.next(now.sums);
    });
  }
  /// The factors of A or B in tensor memory from a block of a tile of K on: a byte each.
  Pointer factorsAt(int operand, int block = 0) {
    constexpr int ofWord = GemmPlan::factorsOfWord, columnsOfGroup = GemmPlan::factorColumns;
    int group = operand * plan.factorGroups() + block / ofWord;
    int column = plan.firstFactorColumn() + group * columnsOfGroup;
    return offset(tmemOfFactors, column * ofWord + block % ofWord);
  }
  Pointer factorsOfStage(int operand, int group, Num stage) {
    constexpr int bytes = 4 * GemmPlan::factorWords;
    int inStage = (operand * plan.factorGroups() + group) * bytes;
    Pointer all = s.plan.memory.pointer(plan.factors, factor(), {}, 128);
    return offset(all, (stage * int(plan.factorBytes()) + inStage).promised(bytes));
  }
  /// An accumulator.
  Pointer sumsAt(Num which) { return offset(tmem, (which * c.tileN).promised(c.tileN)); }

  //===--- the warps that store ---------------------------------------------------------------===//

  void store() {
    epilogue.begin(s.warp);
    forTiles(Pipeline::consumerStart(), [&](const TilePosition &tile, Stage &at) {
      epilogue.beginTile(tile);
      sums.wait(at);
      epilogue.store(tile, sumsAt(at.index), [&] {
        Barrier read = sums.empty(at.index);
        If(s.lane == 0, [&] { paired() ? read.arrive_cluster(i32(0)) : read.arrive(); });
      });
      at = sums.next(at);
    });
    epilogue.end();
  }
};
} // namespace

void sm100::buildGemm(const GemmConfig &config) { Gemm(config).build(); }
