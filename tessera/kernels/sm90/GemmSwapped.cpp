// The GEMM for few rows: TMA -> shared memory -> wgmma -> sums of the cluster -> D.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm90/GemmSwapped.h"

#include "tessera/kernels/Errors.h"
#include "tessera/kernels/Overlap.h"
#include "tessera/kernels/gemm/Finish.h"
#include "tessera/kernels/gemm/GemmCall.h"
#include "tessera/kernels/gemm/GemmWalk.h"
#include "tessera/kernels/sm90/GemmScales.h"
#include "tessera/kernels/sm90/GemmWeights.h"

#include <algorithm>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm90;

SwappedPlan::SwappedPlan(const GemmConfig &c) : c(c) {
  a = memory.allocate(c.stages * aStage());
  b = memory.allocate(c.stages * bStage());
  sums = {a.start, int64_t(c.tileM) * sumsPitch() * 4}; // when the last product is made
  if (int64_t more = sums.end() - b.end(); more > 0)
    memory.allocate(more);
  ring = memory.barriers(2 * int64_t(c.stages));
}

std::optional<Reason> sm90::refusedSwapped(const GemmConfig &c) {
  const GemmType &a = *findGemmType(c.a);
  // PTX ISA, wgmma: N is a multiple of 8, for integers 8, 24 or a multiple of 16.
  bool shape = c.tileM >= 8 && c.tileM <= 256 && c.tileM % 8 == 0 &&
               (!a.integer() || c.tileM == 8 || c.tileM == 24 || c.tileM % 16 == 0);
  if (!shape)
    return fail(Error::GemmSwapRows, c.tileM);
  if (c.tileN != 64 && c.tileN != 128)
    return fail(Error::GemmSwapTile, c.tileN);
  if (c.major[0] == 'm' && c.tileM % 64)
    return fail(Error::GemmSwapMajor, c.tileM);
  if (c.splitK < 1 || c.splitK > 8)
    return fail(Error::GemmSwapSplit, c.splitK);
  if (c.cluster != 1)
    return fail(Error::GemmSwapCluster, c.cluster);
  return std::nullopt;
}

namespace {

/// The parameters of the kernel.
struct Parameters {
  TmaTensor a, b;
  Tensor d;
  Num tilesM, tilesK;
  std::optional<Tensor> c, bias, scaleA, scaleB;
  std::optional<Num> alpha, beta;
  std::optional<Tensor> factorsA, factorsB, groupScales;

  auto members() {
    return std::tie(a, b, d, tilesM, tilesK, c, bias, scaleA, scaleB, alpha, beta, factorsA,
                    factorsB, groupScales);
  }
};

class SwappedGemm {
public:
  explicit SwappedGemm(const GemmConfig &c)
      : c(c), plan(c), typeA(*findGemmType(c.a)), typeB(*findGemmType(c.b)) {}

  void build() {
    host("gemm", GemmCall::types(c), [&](Arguments arguments, Stream stream) {
      GemmCall call(c, arguments);
      call.begin();
      TmaTensor tA = map(call.a, typeA, tileA(), c.tileM),
                tB = map(call.b, typeB, tileB(), c.tileN);
      Num tilesM = tilesOf(size(call.d, 0), c.tileM), tilesN = tilesOf(size(call.d, 1), c.tileN),
          tilesK = tilesOf(size(call.a, 1), c.tileK());
      given = {tA,
               tB,
               call.d,
               tilesM,
               tilesK,
               call.c,
               call.bias,
               call.scaleA,
               call.scaleB,
               call.alpha,
               call.beta,
               call.factorsA,
               call.factorsB,
               call.groupScales};
      launch("gemm_" + c.name(),
             {.gridX = tilesM * tilesN * c.splitK,
              .threads = plan.threads(),
              .smemBytes = c.smemBytes(),
              .clusterX = c.splitK,
              .overlaps = overlaps(c.target)},
             stream, given);
    });
    kernel("gemm_" + c.name(), plan.threads(), given, [&](const Parameters &parameters) {
      given = parameters;
      kernelBody();
    });
  }

private:
  const GemmConfig &c;
  SwappedPlan plan;
  const GemmType &typeA, &typeB;
  Parameters given;
  ThreadIds self;
  Pipeline ring;
  Num m, n;          // the tile of D
  Num firstK, lastK; // this block's tiles of K, if it has any

  SmemTile tileA() const {
    return operandTile(c.tileM, c.tileK(), typeA.bits(), c.major[0] == 'k');
  }
  SmemTile tileB() const {
    return c.groupScales ? Weights::tile(c, c.tileN)
                         : operandTile(c.tileN, c.tileK(), typeB.bits(), c.major[1] == 'k');
  }
  layout::Swizzle swizzleB() const {
    return c.groupScales ? Weights::swizzle(c) : SmemTile::swizzle;
  }
  TmaTensor map(Tensor tensor, const GemmType &type, const SmemTile &tile, int rows) const {
    // For tf32 the map says how f32 is truncated; for i4 its elements are bytes.
    bool asItIs = type.memory() == type.mma || type.integer();
    return make_tma_load(tensor, tile.swizzled(), make_tile(rows, c.tileK() / type.packed()),
                         {1, asItIs ? std::nullopt : std::optional(type.mma)});
  }
  Num isConsumer() const { return self.warp < plan.consumerThreads() / atom::Threads::ofWarp; }

  void kernelBody() {
    self = ThreadIds::here();
    plan.memory.open();
    Pointer barriers = plan.memory.pointer(plan.ring, i64, {}, Barrier::bytes);
    ring = Pipeline(c.stages, Barriers(barriers), Barriers(barriers, c.stages));
    Num rank = c.splitK > 1 ? block_rank_in_cluster() : i32(0), tile = block_idx() / c.splitK;
    m = tile % given.tilesM, n = tile / given.tilesM; // neighbours read the same of B
    Num each = (given.tilesK + (c.splitK - 1)) / c.splitK;
    firstK = min(each * rank, given.tilesK), lastK = min(firstK + each, given.tilesK);
    If(self.index == 0, [&] {
      prefetch_tma_desc(given.a.atom);
      prefetch_tma_desc(given.b.atom);
      ring.init(plan.consumerThreads() / atom::Threads::ofWarp);
      mbarrier_init_fence();
    });
    if (overlaps(c.target))
      griddepcontrol_wait();
    sync_threads();
    If(
        isConsumer(),
        [&] {
          if (plan.budgeted())
            set_max_registers(GemmPlan::registers.consumer, true);
          consume();
          everyone();
          finish(rank);
          leave();
        },
        [&] {
          if (plan.budgeted()) {
            set_max_registers(GemmPlan::registers.producer, false);
            If(self.warp == plan.consumerThreads() / atom::Threads::ofWarp, [&] { produce(); });
          } else
            produce();
          everyone();
          leave();
        });
  }
  void everyone() {
    if (c.splitK > 1)
      cluster_sync();
    else
      sync_threads();
  }
  /// Not before others have read what this block summed.
  void leave() {
    if (c.splitK > 1)
      cluster_sync();
  }

  //===--- stages -----------------------------------------------------------------------------===//

  TmaParts partsOf(const TmaTensor &from, const SmemTile &tile, dsl::Region region,
                   layout::Swizzle swizzle, const GemmType &type, int rows, Num at) {
    Pointer smem = plan.memory.pointer(region, type.memory(), swizzle);
    Tensor stages = make_tensor(smem, tile.staged(c.stages, tile.elements()));
    Tensor boxes =
        local_tile(from.coords, make_tile(rows, c.tileK() / type.packed()), make_coord(at, _));
    return tma_partition(from.atom, group_modes(stages, 0, 2), group_modes(boxes, 0, 2));
  }
  void produce() {
    TmaParts a = partsOf(given.a, tileA(), plan.a, SmemTile::swizzle, typeA, c.tileM, m),
             b = partsOf(given.b, tileB(), plan.b, swizzleB(), typeB, c.tileN, n);
    For(firstK, lastK, 1, Pipeline::producerStart(), [&](Num i, Stage &at) {
      Barrier barrier = ring.acquire(at, plan.aStage() + plan.bStage());
      tma_load(given.b.atom, b.gmem(_, i), b.smem(_, at.index), barrier);
      tma_load(given.a.atom, a.gmem(_, i), a.smem(_, at.index), barrier);
      at = ring.next(at);
    });
  }

  /// A stage that is read, and the one before it, which the tensor core may still read.
  struct Progress {
    Stage at;
    Num before;
    auto members() { return std::tie(at, before); }
  };
  void release(Num stage) {
    if (c.groupScales) // whose lanes read B themselves
      sync_warp();
    If(self.lane == 0, [&] { ring.empty(stage).arrive(); });
  }
  Tensor stagesOfA() const {
    SmemTile a = tileA();
    return make_tensor(plan.memory.pointer(plan.a, typeA.mma, SmemTile::swizzle),
                       a.staged(c.stages, a.elements()));
  }
  void consume() {
    Tensor sums = c.groupScales ? sumsOfWeights() : sumsOfTiles();
    // The sums go to where the stages were, which the other consumer may still read.
    named_barrier(1, plan.consumerThreads());
    Num values = load_vec(make_tensor(get_iter(sums), make_layout(c.tileM / 2)));
    // A slice may have no tiles of K, if there are few.
    If(firstK < lastK, [&] { putAway(values); }, [&] { putZeros(); });
  }

  /// Half of a stage is widened while the other half is multiplied.
  Tensor sumsOfWeights() {
    GroupMma product{
        .n = c.tileM, .a = typeA.mma, .b = typeA.mma, .c = f32, .aFrom = atom::Residency::Rmem};
    TiledMma mma = make_tiled_mma(make_atom(product, i1(false)));
    Tensor fragA = make_fragment_B(mma, partition_B(mma, stagesOfA(), i32(0)));
    Tensor sums = make_fragment_C(mma, make_shape(product.m(), c.tileM));
    Num inStage = self.group * SwappedPlan::columnsOfConsumer;
    Weights weights(c, plan.memory.pointer(plan.b, u8), *given.groupScales, n * c.tileN + inStage,
                    inStage, self.warp, self.lane);
    constexpr int blocks = Weights::tileK / Weights::blockK, half = blocks / 2;
    Tensor widened[] = {weights.fragment(half), weights.fragment(half)};
    struct Progress {
      Stage at;
      Weights::Held scales;
      auto members() { return std::tie(at, scales); }
    };
    Progress start{Pipeline::consumerStart(), weights.load(firstK)};
    For(firstK, lastK, 1, start, [&](Num i, Progress &now) {
      Num stage = now.at.index;
      ring.wait(now.at);
      for (int part : {0, 1}) {
        weights.widen(stage, part * half, half, now.scales, widened[part]);
        warpgroup_arrive();
        for (int block = 0; block < half; ++block)
          gemm(accumulate(mma, part + block ? i1(true) : firstK < i), sums,
               widened[part](_, _, block), fragA(_, _, part * half + block, stage), sums);
        warpgroup_commit();
      }
      Weights::Held next = weights.load(i + 1);
      warpgroup_wait(0);
      release(stage);
      now = {ring.next(now.at), next};
    });
    return sums;
  }

  Tensor sumsOfTiles() {
    auto major = [&](size_t operand) {
      return c.major[operand] == 'k' ? atom::Major::K : atom::Major::MN;
    };
    GroupMma product{.n = c.tileM,
                     .a = typeB.mma,
                     .b = typeA.mma,
                     .c = typeA.integer() ? i32 : f32,
                     .aMajor = major(1),
                     .bMajor = major(0)};
    TiledMma mma = make_tiled_mma(make_atom(product, i1(false)));
    SmemTile mine =
        operandTile(SwappedPlan::columnsOfConsumer, c.tileK(), typeB.bits(), c.major[1] == 'k');
    Pointer ofB = plan.memory.pointer(plan.b, typeB.mma, SmemTile::swizzle);
    Pointer first = offset(ofB, (self.group * mine.elements()).promised(mine.elements()));
    Tensor sB = make_tensor(first, mine.staged(c.stages, tileB().elements()));
    Num zero = i32(0);
    Tensor fragB = make_fragment_A(mma, partition_A(mma, sB, zero));
    Tensor fragA = make_fragment_B(mma, partition_B(mma, stagesOfA(), zero));
    Tensor sums = make_fragment_C(mma, make_shape(product.m(), c.tileM));
    /// Issues the products of a stage, as sums of their own or added to those that there are.
    auto multiply = [&](Stage stage, Num adds, Tensor to) {
      ring.wait(stage);
      warpgroup_arrive();
      int blocks = c.tileK() / int(product.k());
      for (int block = 0; block < blocks; ++block)
        gemm(accumulate(mma, block ? i1(true) : adds), to, fragB(_, _, block, stage.index),
             fragA(_, _, block, stage.index), to);
      warpgroup_commit();
    };

    if (c.scalesBlocks()) {
      Tensor part = make_fragment_C(mma, make_shape(product.m(), c.tileM));
      scaled(multiply, part, sums);
    } else {
      Progress start{Pipeline::consumerStart(), i32(0)};
      For(firstK, lastK, 1, start, [&](Num i, Progress &now) {
        Stage stage = now.at;
        multiply(stage, firstK < i, sums);
        warpgroup_wait(1);
        If(firstK < i, [&] { release(now.before); });
        now = {ring.next(stage), stage.index};
      });
      warpgroup_wait(0);
    }
    return sums;
  }

  /// The sums with factors of blocks: see Gemm::scaled. A slice without tiles of K loads factors
  /// of the last tile, which nobody uses.
  struct Scaling {
    Stage at;
    BlockScales::Held factors;
    auto members() { return std::tie(at, factors); }
  };
  template <class Multiply> void scaled(Multiply multiply, Tensor part, Tensor sums) {
    BlockScales scales(*given.factorsA, *given.factorsB, m * c.tileM, c.tileM,
                       n * c.tileN + self.group * SwappedPlan::columnsOfConsumer, self.lane);
    Tensor all = make_tensor(get_iter(sums), make_layout(c.tileM / 2));
    store_vec(broadcast(f32(0), c.tileM / 2), all);
    Scaling first{Pipeline::consumerStart(), scales.load(min(firstK, given.tilesK - 1))};
    For(firstK, lastK, 1, first, [&](Num i, Scaling &now) {
      multiply(now.at, i1(false), part);
      BlockScales::Held next = scales.load(min(i + 1, lastK - 1));
      warpgroup_wait(0);
      release(now.at.index);
      BlockScales::add(part, sums, c.tileM, now.factors);
      now = {ring.next(now.at), next};
    });
  }

  //===--- sums -------------------------------------------------------------------------------===//

  Element sumType() const { return typeA.integer() ? i32 : f32; }
  /// A thread has two rows of D side by side (wgmma's columns), two columns eight apart, and the
  /// same eight rows further: PTX ISA, wgmma, fragment of D.
  void putAway(Num values) {
    int64_t pitch = plan.sumsPitch();
    auto mode = [](int64_t shape, int64_t stride) { return layout::Layout{shape, stride}; };
    layout::Layout modes[] = {mode(plan.consumers(), SwappedPlan::columnsOfConsumer),
                              mode(4, 16),
                              mode(8, 1),
                              mode(4, 2 * pitch),
                              mode(2, pitch),
                              mode(2, 8),
                              mode(c.tileM / 8, 8 * pitch)};
    std::vector<layout::Tree> shapes, strides;
    for (const layout::Layout &one : modes)
      shapes.push_back(one.shape), strides.push_back(one.stride);
    Tensor all = make_tensor(plan.memory.pointer(plan.sums, sumType()),
                             layout::Layout{layout::Tree(shapes), layout::Tree(strides)});
    Tensor here = all(self.group, self.warp % 4, self.lane / 4, self.lane % 4, _, _, _);
    store_vec(values, here);
  }

  /// Separate from putAway, in which there would be two sets of sums in registers.
  void putZeros() {
    Pointer sums = plan.memory.pointer(plan.sums, sumType());
    Num none = broadcast(sumType()(0), side);
    For(self.index * side, c.tileM * plan.sumsPitch(), plan.consumerThreads() * side, [&](Num i) {
      store_vec(none, make_tensor(offset(sums, i.promised(side)), make_layout(side)));
    });
  }

  static constexpr int side = 4; // columns of D that a thread finishes at a time: 16 bytes of sums

  /// Each block of the cluster finishes as many rows of the tile.
  void finish(Num rank) {
    Finish what(c, given.alpha, given.beta, given.scaleA, given.scaleB);
    int across = c.tileN / side, threads = plan.consumerThreads();
    For(rank * threads + self.index, c.tileM * across, threads * c.splitK, [&](Num unit) {
      Num row = unit / across, column = unit % across * side;
      Num inD = m * c.tileM + row, columnInD = n * c.tileN + column;
      If(inD < size(given.d, 0), [&] { finish(what, row, column, inD, columnInD.promised(side)); });
    });
  }
  Num sumsAt(Num row, Num column, Num slice) {
    Pointer all = plan.memory.pointer(plan.sums, sumType());
    if (c.splitK > 1)
      all = map_to_rank(all, slice);
    Pointer at = offset(all, (row * plan.sumsPitch() + column).promised(side));
    return load_vec(make_tensor(at, make_layout(side)));
  }
  void finish(const Finish &what, Num row, Num column, Num inD, Num columnInD) {
    Num sum = sumsAt(row, column, i32(0));
    for (int slice = 1; slice < c.splitK; ++slice) {
      Num more = sumsAt(row, column, i32(slice));
      sum = typeA.integer() ? sum + more : add_rn(sum, more);
    }
    Tensor sums = make_rmem_tensor(sumType(), make_layout(side));
    store_vec(sum, sums);
    Num columns = size(given.d, 1);
    If(
        columnInD + side <= columns, [&] { whole(what, sums, inD, columnInD); },
        [&] { edge(what, sums, inD, columnInD, columns); });
  }
  /// The columns of a row of D or C, side by side.
  static Tensor part(Tensor matrix, Num row, Num column) {
    return local_tile(matrix, make_tile(1, side), make_coord(row, column / side));
  }
  void whole(const Finish &what, Tensor sums, Num row, Num column) {
    Num bias;
    if (given.bias)
      bias = load_vec(local_tile(*given.bias, make_tile(side), make_coord(column / side)));
    store_vec(converted(what.of(
                  load_vec(sums),
                  [&] { return convert(load_vec(part(*given.c, row, column)), f32); }, bias)),
              part(given.d, row, column));
  }
  void edge(const Finish &what, Tensor sums, Num row, Num column, Num columns) {
    for (int i = 0; i < side; ++i)
      If(column + i < columns, [&] {
        Coord at = make_coord(row, column + i);
        Num bias;
        if (given.bias)
          bias = load(*given.bias, column + i);
        dsl::store(converted(what.of(
                       load(sums, i), [&] { return convert(load(*given.c, at), f32); }, bias)),
                   given.d, at);
      });
  }
  Num converted(Num x) const { return typeA.integer() ? x : convert(x, *Element::named(c.d)); }
};
} // namespace

void sm90::buildSwappedGemm(const GemmConfig &config) { SwappedGemm(config).build(); }
