// The Hopper GEMM: TMA -> shared memory -> wgmma -> registers -> stmatrix -> TMA.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm90/Gemm.h"

#include "tessera/kernels/Errors.h"
#include "tessera/kernels/sm90/GemmEpilogue.h"
#include "tessera/kernels/sm90/GemmSplit.h"
#include "tessera/layout/Domains.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm90;

namespace {

constexpr int consumers = GemmPlan::consumers, tileM = GemmPlan::tileM;

class Gemm {
public:
  explicit Gemm(const GemmConfig &c) : c(c), s(c), epilogue(s), split(s) {}

  void build() {
    hostFunction();
    kernel("gemm_" + c.name(), GemmPlan::threads, s.given,
           [&](const GemmParameters &given) { kernelBody(given); });
  }

private:
  const GemmConfig &c;
  GemmBlock s;
  Epilogue epilogue;
  SplitK split;

  bool kMajor(int operand) const { return c.major[size_t(operand)] == 'k'; }
  int rowsOf(int operand) const { return operand == 0 ? tileM : c.tileN; }
  const GemmType &typeOf(int operand) const { return operand == 0 ? s.a : s.b; }
  SmemTile tileOf(int operand) const {
    return operandTile(rowsOf(operand), c.tileK(), typeOf(operand).bits(), kMajor(operand));
  }
  /// A block's tile of A or of B.
  Tile extentOf(int operand) const { return make_tile(rowsOf(operand), c.tileK()); }

  //===--- host -------------------------------------------------------------------------------===//

  /// A matrix whose rows (columns) begin at multiples of 16 bytes, as TMA wants them.
  static mlir::Type matrix(Element element, bool rowMajor) {
    auto extent = layout::Int::dynamic(layout::Symbolic::anonymous);
    auto pitch =
        layout::Int::dynamic(layout::Symbolic::anonymous, layout::Width::I64, 128 / element.bits());
    layout::Tree stride =
        rowMajor ? layout::Tree::of({pitch, int64_t(1)}) : layout::Tree::of({int64_t(1), pitch});
    return tensor_type(element, layout::Layout{layout::Tree::of({extent, extent}), stride},
                       Space::Global, 16);
  }
  /// A vector of so many elements; 0: of any number.
  static mlir::Type vector(Element element, int64_t extent, int64_t alignment = 0) {
    layout::Int n =
        extent ? layout::Int(extent) : layout::Int::dynamic(layout::Symbolic::anonymous);
    return tensor_type(element,
                       layout::Layout{layout::Tree::of({n}), layout::Tree::of({int64_t(1)})},
                       Space::Global, alignment);
  }
  llvm::SmallVector<mlir::Type> parameters() const {
    llvm::SmallVector<mlir::Type> types;
    for (int operand : {0, 1})
      types.push_back(matrix(typeOf(operand).memory(), kMajor(operand)));
    types.push_back(matrix(s.plan.elementD(), true));
    mlir::Type number = f32.type(Context::current()->mlirContext());
    if (c.c)
      types.push_back(matrix(s.plan.elementD(), true));
    if (c.bias != "none")
      types.push_back(vector(*Element::named(c.bias), 0));
    if (c.scales)
      types.append({vector(f32, 1), vector(f32, 1)});
    if (c.alpha)
      types.push_back(number);
    if (c.c)
      types.push_back(number);
    if (split.there())
      types.append({vector(s.a.integer() ? i32 : f32, 0, 16), vector(i32, 0)});
    return types;
  }

  void hostFunction() {
    host("gemm", parameters(), [&](Arguments arguments, Stream stream) {
      Tensor a = arguments.tensor(0), b = arguments.tensor(1), d = arguments.tensor(2);
      // In the order of parameters().
      Tensor matrixC;
      GemmExtras extras;
      size_t next = 3;
      if (c.c)
        matrixC = arguments.tensor(next++);
      if (c.bias != "none")
        extras.bias = arguments.tensor(next++);
      if (c.scales)
        extras.scaleA = arguments.tensor(next++), extras.scaleB = arguments.tensor(next++);
      if (c.alpha)
        extras.alpha = arguments.num(next++);
      if (c.c)
        extras.beta = arguments.num(next++);
      if (split.there())
        extras.workspace = arguments.tensor(next++), extras.counters = arguments.tensor(next++);

      checkExtents(a, b, d, matrixC, extras);
      auto map = [&](int operand, Tensor tensor, int multicast) {
        const GemmType &type = typeOf(operand);
        return make_tma_load(
            tensor, tileOf(operand).swizzled(), extentOf(operand),
            {multicast, type.memory() == type.mma ? std::nullopt : std::optional(type.mma)});
      };
      TmaTensor tA = map(0, a, 1), tB = map(1, b, c.cluster), tD = epilogue.mapD(d);
      auto tiles = [&](Num extent, int tile) { return (extent + (tile - 1)) / tile; };
      Num tilesM = tiles(size(d, 0), tileM * c.cluster), tilesN = tiles(size(d, 1), c.tileN);
      Num tilesK = tiles(size(a, 1), c.tileK());
      Num units = tilesM * tilesN;
      if (split.there()) {
        Num blocks = units * c.cluster;
        split.check(blocks, split.slices(tilesK), *extras.workspace, *extras.counters);
        units = units * split.slices(tilesK);
      }
      Num blocks = min(units, c.sms / c.cluster) * c.cluster;
      if (c.c)
        extras.c = epilogue.mapC(matrixC);
      s.given = {tA, tB, tD, tilesM, tilesN, tilesK, extras};
      launch("gemm_" + c.name(),
             {.gridX = blocks,
              .threads = GemmPlan::threads,
              .smemBytes = c.smemBytes(),
              .clusterX = c.cluster},
             stream, s.given);
    });
  }
  /// What a tensor map would hide: reads beyond an extent give 0, writes are dropped.
  void checkExtents(Tensor a, Tensor b, Tensor d, Tensor matrixC, const GemmExtras &extras) {
    auto expect = [&](Tensor one, int mode, Tensor other, int otherMode, Error otherwise) {
      check(size(one, mode) == size(other, otherMode), fail(otherwise).text);
    };
    expect(a, 1, b, 1, Error::GemmOperands);
    expect(d, 0, a, 0, Error::GemmOperands);
    expect(d, 1, b, 0, Error::GemmOperands);
    if (c.c)
      for (int mode : {0, 1})
        expect(matrixC, mode, d, mode, Error::GemmOperands);
    if (extras.bias)
      expect(*extras.bias, 0, d, 1, Error::GemmBiasExtent);
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
    ring.init(consumers * atom::Threads::warpsOfGroup * c.cluster);
    epilogue.initialise();
    mbarrier_init_fence();
  }

  /// Every block's walk over tiles: rows of `group` tiles, column by column, so that neighbours in
  /// time share A and B.
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
    Num perGroup = s.given.tilesN * c.group;
    Num first = t / perGroup * c.group, inside = t % perGroup;
    Num rows = min(s.given.tilesM - first, c.group);
    return {(first + inside % rows) * c.cluster + s.rank, inside / rows, firstK, endK};
  }
  /// `body(tile, stage)` moves the stage on.
  template <class Body> void forTiles(Stage start, Body body) {
    Num first = block_idx() / c.cluster, step = grid_dim() / c.cluster;
    Num units = s.given.tilesM * s.given.tilesN;
    if (split.there())
      units = units * slices;
    For(first, units, step, start, [&](Num t, Stage &at) { body(tileAt(t), at); });
  }

  //===--- producer ---------------------------------------------------------------------------===//

  /// What this block loads of A or of B for a tile: (box, stages) and (box, tiles of K).
  TmaParts partsOf(int operand, const TmaTensor &from, const TilePosition &tile) {
    SmemTile t = tileOf(operand);
    Pointer smem = s.tiles(operand == 0 ? s.plan.a : s.plan.b, typeOf(operand).memory());
    Tensor stages = make_tensor(smem, t.staged(c.stages, t.elements()));
    Tensor rows =
        local_tile(from.coords, extentOf(operand), make_coord(operand == 0 ? tile.m : tile.n, _));
    Tensor inSmem = group_modes(stages, 0, 2), inGmem = group_modes(rows, 0, 2);
    if (operand == 1 && c.cluster > 1)
      return tma_partition(from.atom, inSmem, inGmem, s.rank, make_layout(c.cluster));
    return tma_partition(from.atom, inSmem, inGmem);
  }
  void produce() {
    TmaTensor tA = s.given.a, tB = s.given.b;
    forTiles(Pipeline::producerStart(), [&](const TilePosition &tile, Stage &outer) {
      TmaParts a = partsOf(0, tA, tile), b = partsOf(1, tB, tile);
      outer = For(tile.firstK, tile.endK, 1, outer, [&](Num i, Stage &at) {
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
    SmemTile a = operandTile(GemmPlan::rowsOfConsumer, c.tileK(), s.a.bits(), kMajor(0)),
             b = tileOf(1);
    Pointer ofA = s.tiles(s.plan.a, s.a.mma);
    Pointer mine = offset(ofA, (consumer * a.elements()).promised(a.elements()));
    Tensor sA = make_tensor(mine, a.staged(c.stages, tileOf(0).elements()));
    Tensor sB = make_tensor(s.tiles(s.plan.b, s.b.mma), b.staged(c.stages, b.elements()));
    Num first = i32(0);
    Tensor fragA = make_fragment_A(mma, partition_A(mma, sA, first));
    Tensor fragB = make_fragment_B(mma, partition_B(mma, sB, first));
    Tensor sums = make_fragment_C(mma, make_shape(product.m(), c.tileN));
    int blocks = c.tileK() / int(product.k());

    epilogue.begin(consumer);
    forTiles(Pipeline::consumerStart(), [&](const TilePosition &tile, Stage &outer) {
      if (!split.there())
        epilogue.beginTile(tile);
      Progress start{outer, outer.index};
      Progress left = For(tile.firstK, tile.endK, 1, start, [&](Num i, Progress &now) {
        Stage stage = now.at;
        ring.wait(stage);
        warpgroup_arrive();
        for (int block = 0; block < blocks; ++block) {
          Num adds = block ? i1(true) : tile.firstK < i;
          TiledMma adding = accumulate(mma, adds);
          gemm(adding, sums, fragA(_, _, block, stage.index), fragB(_, _, block, stage.index),
               sums);
        }
        warpgroup_commit();
        warpgroup_wait(1);
        If(tile.firstK < i, [&] { release(now.before); });
        now = {ring.next(stage), stage.index};
      });
      warpgroup_wait(0);
      release(left.before);
      finish(consumer, tile, sums);
      outer = left.at;
    });
    epilogue.end();
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

void tessera::kernels::buildGemm(const GemmConfig &config) { Gemm(config).build(); }
