// The Hopper GEMM: TMA -> shared memory -> wgmma -> registers -> stmatrix -> TMA.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm90/Gemm.h"

#include "tessera/kernels/Overlap.h"
#include "tessera/kernels/gemm/GemmCall.h"
#include "tessera/kernels/gemm/GemmWalk.h"
#include "tessera/kernels/sm90/GemmEpilogue.h"
#include "tessera/kernels/sm90/GemmScales.h"
#include "tessera/kernels/sm90/GemmSplit.h"
#include "tessera/kernels/sm90/GemmSwapped.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm90;

namespace {

constexpr int consumers = GemmPlan::consumers;

class Gemm {
public:
  explicit Gemm(const GemmConfig &c) : c(c), plan(c), s(c, plan), epilogue(s), split(s, plan) {}

  void build() {
    hostFunction();
    kernel("gemm_" + c.name(), GemmPlan::threads, s.given,
           [&](const GemmParameters &given) { kernelBody(given); });
  }

private:
  const GemmConfig &c;
  GemmPlan plan;
  GemmBlock s;
  GroupEpilogue epilogue;
  SplitK split;

  bool kMajor(int operand) const { return c.major[size_t(operand)] == 'k'; }
  int rowsOf(int operand) const { return operand == 0 ? c.tileM : c.tileN; }
  const GemmType &typeOf(int operand) const { return operand == 0 ? s.a : s.b; }
  SmemTile tileOf(int operand) const {
    return operandTile(rowsOf(operand), c.tileK(), typeOf(operand).bits(), kMajor(operand));
  }
  /// A block's tile of A or of B.
  Tile extentOf(int operand) const { return make_tile(rowsOf(operand), c.tileK()); }

  //===--- host -------------------------------------------------------------------------------===//

  void hostFunction() {
    host("gemm", GemmCall::types(c), [&](Arguments arguments, Stream stream) {
      GemmCall call(c, arguments);
      call.begin();
      GemmExtras extras = call.extras();
      auto map = [&](int operand, Tensor tensor, int multicast) {
        const GemmType &type = typeOf(operand);
        return make_tma_load(
            tensor, tileOf(operand).swizzled(), extentOf(operand),
            {multicast, type.memory() == type.mma ? std::nullopt : std::optional(type.mma)});
      };
      TmaTensor tA = map(0, call.a, 1), tB = map(1, call.b, c.cluster), tD = epilogue.mapD(call.d);
      Num tilesM = tilesOf(size(call.d, 0), c.tileM * c.cluster),
          tilesN = tilesOf(size(call.d, 1), c.tileN);
      Num tilesK = tilesOf(size(call.a, 1), c.tileK());
      Num units = tilesOfProducts(c, tilesM, tilesN, extras);
      if (split.there()) {
        Num blocks = units * c.cluster;
        split.check(blocks, split.slices(tilesK), *extras.workspace, *extras.counters);
        units = units * split.slices(tilesK);
      }
      Num blocks = min(units, c.sms / c.cluster) * c.cluster;
      if (c.c)
        extras.c = epilogue.mapC(*call.c);
      if (s.plan.tail())
        extras.tailD = epilogue.mapTail(call.d);
      s.given = {tA, tB, tD, tilesM, tilesN, tilesK, extras};
      launch("gemm_" + c.name(),
             {.gridX = blocks,
              .threads = GemmPlan::threads,
              .smemBytes = c.smemBytes(),
              .clusterX = c.cluster,
              .overlaps = overlaps(c.target)},
             stream, s.given);
    });
  }

  //===--- kernel -----------------------------------------------------------------------------===//

  Num slices;
  Pipeline ring;

  void kernelBody(const GemmParameters &given) {
    if (split.there())
      slices = split.slices(given.tilesK);
    s.begin(given);
    // The barriers that say empty come after those that say full.
    Pointer barriers = s.plan.memory.pointer(s.plan.ring, i64, {}, Barrier::bytes);
    ring = Pipeline(c.stages, Barriers(barriers), Barriers(barriers, c.stages));
    If(s.index == 0, [&] { initialise(); });
    if (overlaps(c.target))
      griddepcontrol_wait();
    if (c.cluster > 1)
      cluster_sync();
    else
      sync_threads();
    If(
        s.group == 0,
        [&] {
          set_max_registers(GemmPlan::registers.producer, false);
          If(s.warp == 0, [&] { produce(); });
        },
        [&] {
          set_max_registers(GemmPlan::registers.consumer, true);
          consume();
        });
    if (c.cluster > 1)
      cluster_sync(); // a block that left could not be arrived at
  }

  void initialise() {
    prefetch_tma_desc(s.given.a.atom);
    prefetch_tma_desc(s.given.b.atom);
    epilogue.prefetch();
    // A lane of each consumer warp that reads a stage arrives at each block that loaded it.
    ring.init((c.pingpong ? 1 : consumers) * atom::Threads::warpsOfGroup * c.cluster);
    epilogue.initialise();
    for (int i = 0; c.pingpong && i < consumers; ++i)
      turnOf(i).init(atom::Threads::warpsOfGroup);
    mbarrier_init_fence();
  }

  /// Tiles of K that are loaded; one after the last of A and B is zeros.
  Num stagesOf(const TilePosition &tile) const {
    return c.scalesBlocks() ? (tile.endK - tile.firstK + 1) / 2 * 2 : tile.endK - tile.firstK;
  }
  TilePosition tileAt(Num t) {
    if (!split.there())
      return tileAt(t, i32(0), s.given.tilesK);
    TilePosition tile = tileAt(t / slices, i32(0), s.given.tilesK);
    tile.index = t / slices * c.cluster + s.rank, tile.slice = t % slices, tile.slices = slices;
    tile.firstK = s.given.tilesK * tile.slice / slices,
    tile.endK = s.given.tilesK * (tile.slice + 1) / slices;
    return tile;
  }
  TilePosition tileAt(Num t, Num firstK, Num endK) {
    return tileOfWalk(c, s.given, s.rank, t, firstK, endK);
  }
  /// `body(tile, values)` moves the values on, for all tiles of the block, or for every other one
  /// from the first or the second on.
  template <class Values, class Body> void forTiles(Values start, Body body, Num of = {}) {
    Num first = block_idx() / c.cluster, step = grid_dim() / c.cluster;
    if (of)
      first = first + of * step, step = step * consumers;
    Num units = s.given.tilesM * s.given.tilesN;
    if (c.groups != "none") {
      forTilesOfProducts(c, s.given, s.rank, first, step, start, body);
      return;
    }
    if (split.there())
      units = units * slices;
    For(first, units, step, start, [&](Num t, Values &at) { body(tileAt(t), at); });
  }

  //===--- producer ---------------------------------------------------------------------------===//

  /// The part of A or B that this block loads for a tile: (box, stages) and (box, tiles of K).
  TmaParts partsOf(int operand, const TmaTensor &from, const TilePosition &tile) {
    SmemTile t = tileOf(operand);
    Pointer smem = s.tiles(operand == 0 ? s.plan.a : s.plan.b, typeOf(operand).memory());
    Tensor stages = make_tensor(smem, t.staged(c.stages, t.elements()));
    Tensor coords = ofProduct(c, from.coords, tile, operand == 1);
    Tensor rows =
        local_tile(coords, extentOf(operand), make_coord(operand == 0 ? tile.m : tile.n, _));
    Tensor inSmem = group_modes(stages, 0, 2), inGmem = group_modes(rows, 0, 2);
    if (operand == 1 && c.cluster > 1)
      return tma_partition(from.atom, inSmem, inGmem, s.rank, make_layout(c.cluster));
    return tma_partition(from.atom, inSmem, inGmem);
  }
  void produce() {
    TmaTensor tA = s.given.a, tB = s.given.b;
    forTiles(Pipeline::producerStart(), [&](const TilePosition &tile, Stage &outer) {
      TmaParts a = partsOf(0, tA, tile), b = partsOf(1, tB, tile);
      outer = For(tile.firstK, tile.firstK + stagesOf(tile), 1, outer, [&](Num i, Stage &at) {
        Barrier barrier = ring.acquire(at, s.plan.aStage() + s.plan.bStage());
        tma_load(tA.atom, a.gmem(_, i), a.smem(_, at.index), barrier);
        Num everyone;
        if (c.cluster > 1)
          everyone = i16((1 << c.cluster) - 1);
        tma_load(tB.atom, b.gmem(_, i), b.smem(_, at.index), barrier, everyone);
        at = ring.next(at);
      });
    });
  }

  //===--- consumers --------------------------------------------------------------------------===//

  /// Lets the producers of all blocks that loaded the stage fill it again.
  void release(Num stage) {
    Barrier barrier = ring.empty(stage);
    if (c.cluster == 1)
      If(s.lane == 0, [&] { barrier.arrive(); });
    else
      If(s.lane < c.cluster, [&] { barrier.arrive_cluster(s.lane); });
  }

  /// A stage that is read, and the one before it, which the tensor core may still read.
  struct Progress {
    Stage at;
    Num before;
    auto members() { return std::tie(at, before); }
  };

  /// In the ping-pong form, whose consumers take turns: the first waits for what the second lets
  /// go after its tile, and the other way round. A consumer goes on from where the other one's
  /// tile ends in the ring, and looks at no stage before the other has seen all of its own full:
  /// barriers tell phases by their parities only.
  struct Turn {
    Stage at;
    Num parity; // that the consumer's barrier has before its turn
    auto members() { return std::tie(at, parity); }
  };
  Barrier turnOf(Index consumer) { return s.plan.memory.at(plan.turns)[consumer]; }
  /// The stage after so many.
  Stage skipped(const Stage &from, Num count) {
    Num index = from.index + count;
    return {index % c.stages, (from.parity + index / c.stages) & 1};
  }

  void consume() {
    Num consumer = s.group - 1;
    auto major = [&](int operand) { return kMajor(operand) ? atom::Major::K : atom::Major::MN; };
    GroupMma product{.n = c.tileN,
                     .a = s.a.mma,
                     .b = s.b.mma,
                     .c = s.a.integer() ? i32 : f32,
                     .aMajor = major(0),
                     .bMajor = major(1)};
    TiledMma mma = make_tiled_mma(make_atom(product, i1(false)));
    int rows = GemmPlan::rowsOfConsumer * s.plan.rowBlocks();
    SmemTile a = operandTile(rows, c.tileK(), s.a.bits(), kMajor(0)), b = tileOf(1);
    Pointer mine = s.tiles(s.plan.a, s.a.mma);
    if (!c.pingpong)
      mine = offset(mine, (consumer * a.elements()).promised(a.elements()));
    Tensor sA = make_tensor(mine, a.staged(c.stages, tileOf(0).elements()));
    Tensor sB = make_tensor(s.tiles(s.plan.b, s.b.mma), b.staged(c.stages, b.elements()));
    Num first = i32(0);
    Tensor fragA = make_fragment_A(mma, partition_A(mma, sA, first));
    Tensor fragB = make_fragment_B(mma, partition_B(mma, sB, first));
    Tensor sums = make_fragment_C(mma, make_shape(rows, c.tileN));
    std::array<Tensor, 2> parts; // of tiles of K, before they are scaled
    if (c.scalesBlocks())
      for (Tensor &part : parts)
        part = make_fragment_C(mma, make_shape(product.m(), c.tileN));
    /// Issues the products of a stage, as sums of their own or added to those that there are.
    auto multiply = [&](Stage stage, Num adds, Tensor to) {
      ring.wait(stage);
      warpgroup_arrive();
      int blocks = c.tileK() / int(product.k());
      for (int block = 0; block < blocks; ++block)
        gemm(accumulate(mma, block ? i1(true) : adds), to, fragA(_, _, block, stage.index),
             fragB(_, _, block, stage.index), to);
      warpgroup_commit();
    };

    /// The products of a tile; `issued` is called when all are on their way.
    auto multiplyTile = [&](const TilePosition &tile, Stage from, auto issued) {
      Progress start{from, from.index};
      Progress left = For(tile.firstK, tile.endK, 1, start, [&](Num i, Progress &now) {
        Stage stage = now.at;
        multiply(stage, tile.firstK < i, sums);
        warpgroup_wait(1);
        If(tile.firstK < i, [&] { release(now.before); });
        now = {ring.next(stage), stage.index};
      });
      issued();
      warpgroup_wait(0);
      release(left.before);
      return left.at;
    };

    epilogue.begin(consumer);
    if (c.pingpong) {
      Num tilesK = s.given.tilesK, other = 1 - consumer;
      Turn start{skipped(Pipeline::consumerStart(), tilesK * consumer), other};
      auto body = [&](const TilePosition &tile, Turn &now) {
        epilogue.beginTile(tile);
        turnOf(consumer).wait(now.parity);
        Stage end =
            multiplyTile(tile, now.at, [&] { If(s.lane == 0, [&] { turnOf(other).arrive(); }); });
        finish(consumer, tile, sums);
        now = {skipped(end, tilesK), now.parity ^ 1};
      };
      forTiles(start, body, consumer);
      return epilogue.end();
    }
    forTiles(Pipeline::consumerStart(), [&](const TilePosition &tile, Stage &outer) {
      if (!split.there())
        epilogue.beginTile(tile);
      if (c.scalesBlocks()) {
        outer = scaled(consumer, tile, outer, multiply, parts, sums);
        return finish(consumer, tile, sums);
      }
      Stage end = multiplyTile(tile, outer, [] {});
      finish(consumer, tile, sums);
      outer = end;
    });
    epilogue.end();
  }
  /// Where tiles of K are multiplied on their own, which they are by twos: the products of the
  /// first are scaled while the second are made. (Products that are on their way from one iteration
  /// to the next would leave the tensor core no pause at all, but ptxas makes them wait: C7514.)
  struct Scaling {
    Stage at;
    BlockScales::Held factors; // of the tile of K there
    auto members() { return std::tie(at, factors); }
  };
  template <class Multiply>
  Stage scaled(Num consumer, const TilePosition &tile, Stage start, Multiply multiply,
               const std::array<Tensor, 2> &parts, Tensor sums) {
    BlockScales scales(s, consumer, tile);
    auto factorsOf = [&](Num tileOfK) { return scales.load(min(tileOfK, s.given.tilesK - 1)); };
    Tensor all = make_tensor(get_iter(sums), make_layout(c.tileN / 2));
    store_vec(broadcast(f32(0), c.tileN / 2), all);
    Scaling first{start, factorsOf(tile.firstK)};
    Scaling left =
        For(tile.firstK, tile.firstK + stagesOf(tile), 2, first, [&](Num i, Scaling &now) {
          Stage stages[2] = {now.at, ring.next(now.at)};
          multiply(stages[0], i1(false), parts[0]);
          BlockScales::Held next = factorsOf(i + 1);
          multiply(stages[1], i1(false), parts[1]);
          warpgroup_wait(1);
          release(stages[0].index);
          BlockScales::add(parts[0], sums, c.tileN, now.factors);
          now.factors = factorsOf(i + 2);
          warpgroup_wait(0);
          release(stages[1].index);
          BlockScales::add(parts[1], sums, c.tileN, next);
          now.at = ring.next(stages[1]);
        });
    return left.at;
  }
  void finish(Num consumer, const TilePosition &tile, Tensor sums) {
    if (!split.there())
      return epilogue.store(tile, sums);
    split.store(consumer, tile, sums, [&] {
      epilogue.beginTile(tile);
      epilogue.store(tile, sums);
    });
  }
};
} // namespace

void sm90::buildGemm(const GemmConfig &config) {
  config.swap ? buildSwappedGemm(config) : Gemm(config).build();
}
