// The Hopper GEMM: TMA -> shared memory -> wgmma -> registers -> stmatrix -> TMA.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/Gemm.h"

#include "tessera/kernels/Errors.h"
#include "tessera/kernels/GemmEpilogue.h"
#include "tessera/kernels/GemmSplit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;

namespace {

constexpr int producerRegisters = 40, consumerRegisters = 232;

class Gemm {
public:
  Gemm(dsl::Builder &k, const GemmConfig &c) : k(k), c(c), s(k, c), epilogue(s), split(s) {}

  void build() {
    hostFunction();
    k.kernel("gemm_" + c.name(), argumentTypes, threads,
             [&](ValueRange arguments) { kernelBody(arguments); });
  }

private:
  dsl::Builder &k;
  const GemmConfig &c;
  Scope s;
  Epilogue epilogue;
  SplitK split;
  SmallVector<Type> argumentTypes;

  bool kMajor(int operand) const { return c.major[size_t(operand)] == 'k'; }
  int rowsOf(int operand) const { return operand == 0 ? tileM : c.tileN; }
  SmemTile tileOf(int operand) const {
    return operandTile(rowsOf(operand), c.tileK(), elementOf(operand).bits, kMajor(operand));
  }
  const Element &elementOf(int operand) const { return operand == 0 ? s.a : s.b; }

  //===--- host -------------------------------------------------------------------------------===//

  void hostFunction() {
    SmallVector<Type> parameters;
    for (int operand : {0, 1})
      parameters.push_back(
          k.type(matrixType(elementOf(operand).memory, elementOf(operand).bits, kMajor(operand))));
    parameters.push_back(k.type(matrixType(c.d, s.plan.bitsOfD(), true)));
    for (const ExtraRow &row : extrasOf(c))
      parameters.push_back(k.type(row.type));
    k.host("gemm", parameters, [&](ValueRange arguments, Value stream) {
      Value a = arguments[0], b = arguments[1], d = arguments[2];
      checkExtents(a, b, d, arguments.drop_front(3));
      auto map = [&](int operand, Value tensor, int multicast) {
        bool asItIs = StringRef(elementOf(operand).memory) == elementOf(operand).mma;
        return k.make_tma_load(
            tensor, k.composed_layout(tileOf(operand).swizzled()),
            text("[" + Twine(rowsOf(operand)) + ":1;" + Twine(c.tileK()) + ":1]"), multicast,
            asItIs ? Type() : k.type(elementOf(operand).mma));
      };
      TmaTensor tA = map(0, a, 1), tB = map(1, b, c.cluster);
      TmaTensor tD = epilogue.mapD(d);
      auto tiles = [&](Num extent, int tile) { return (extent + (tile - 1)) / tile; };
      Num tilesM = tiles(k.size(d, 0), tileM * c.cluster), tilesN = tiles(k.size(d, 1), c.tileN);
      Num tilesK = tiles(k.size(a, 1), c.tileK());
      Num units = tilesM * tilesN;
      if (split.there()) {
        split.check(units * c.cluster, split.slices(tilesK), arguments.drop_back().back(),
                    arguments.back());
        units = units * split.slices(tilesK);
      }
      Num blocks = k.min(units, k.i32(c.sms / c.cluster)) * c.cluster;
      Nums passed = {tA.atom,   tA.coords, tB.atom, tB.coords, tD.atom,
                     tD.coords, tilesM,    tilesN,  tilesK};
      passExtras(arguments.drop_front(3), passed);
      argumentTypes = SmallVector<Type>(ValueRange(passed).getTypes());
      k.launch("gemm_" + c.name(), {blocks, k.i32(1), k.i32(1), threads, c.smemBytes(), c.cluster},
               stream, passed);
    });
  }
  /// What a tensor map would hide: reads beyond an extent give 0, writes are dropped.
  void checkExtents(Value a, Value b, Value d, ValueRange extras) {
    auto expect = [&](Value one, int mode, Value other, int otherMode, Error otherwise) {
      k.check(k.size(one, mode) == k.size(other, otherMode), fail(otherwise).text);
    };
    expect(a, 1, b, 1, Error::GemmOperands);
    expect(d, 0, a, 0, Error::GemmOperands);
    expect(d, 1, b, 0, Error::GemmOperands);
    for (auto [row, value] : llvm::zip_equal(extrasOf(c), extras)) {
      if (row.extra == Extra::Bias)
        expect(value, 0, d, 1, Error::GemmBiasExtent);
      if (row.extra == Extra::C)
        for (int mode : {0, 1})
          expect(value, mode, d, mode, Error::GemmOperands);
    }
  }
  void passExtras(ValueRange given, Nums &passed) {
    for (auto [row, value] : llvm::zip_equal(extrasOf(c), given)) {
      if (row.extra != Extra::C) {
        passed.push_back(value);
        continue;
      }
      TmaTensor tC = epilogue.mapC(value);
      passed.append({tC.atom, tC.coords});
    }
  }
  void takeExtras(ValueRange passed) {
    size_t at = 0;
    for (const ExtraRow &row : extrasOf(c)) {
      s.extras[row.extra] = passed[at++];
      if (row.extra == Extra::C)
        s.extras[Extra::CoordsC] = passed[at++];
    }
  }

  //===--- kernel -----------------------------------------------------------------------------===//

  Value atomA, coordsA, atomB, coordsB;
  Num tilesM, tilesN, tilesK, slices;
  Value barriers;

  Value full(Num stage) { return k.offset(barriers, stage); }
  Value empty(Num stage) { return k.offset(barriers, stage + c.stages); }

  void kernelBody(ValueRange arguments) {
    atomA = arguments[0], coordsA = arguments[1], atomB = arguments[2], coordsB = arguments[3];
    epilogue.take(arguments[4], arguments[5]);
    tilesM = k.num(arguments[6]), tilesN = k.num(arguments[7]), tilesK = k.num(arguments[8]);
    takeExtras(arguments.drop_front(9));
    if (split.there())
      slices = split.slices(tilesK);
    s.begin();
    barriers = s.barriers(s.plan.barriers());
    k.If(s.tid == 0, [&] { initialise(); });
    if (c.cluster > 1)
      k.cluster_sync();
    else
      k.sync_threads();
    k.If(
        s.group == 0,
        [&] {
          k.setmaxnreg(producerRegisters, false);
          k.If(s.warp == 0, [&] { produce(); });
        },
        [&] {
          k.setmaxnreg(consumerRegisters, true);
          consume();
        });
    if (c.cluster > 1)
      k.cluster_sync(); // a block that left could not be arrived at
  }

  void initialise() {
    k.prefetch_tma_desc(atomA);
    k.prefetch_tma_desc(atomB);
    epilogue.prefetch();
    for (int i = 0; i < c.stages; ++i) {
      k.mbarrier_init(full(k.i32(i)), k.i32(1));
      k.mbarrier_init(
          empty(k.i32(i)),
          k.i32(consumers * 4 * c.cluster)); // a lane of each consumer warp that reads it
    }
    epilogue.initialise();
    k.mbarrier_init_fence();
  }

  /// Every block's walk over tiles: rows of `group` tiles, column by column, so that neighbours in
  /// time share A and B.
  Tile tileAt(Num t) {
    if (split.there()) {
      Tile tile = tileAt(t / slices, k.i32(0), tilesK);
      tile.index = t / slices * c.cluster + s.rank, tile.slice = t % slices, tile.slices = slices;
      tile.firstK = tilesK * tile.slice / slices, tile.endK = tilesK * (tile.slice + 1) / slices;
      return tile;
    }
    return tileAt(t, k.i32(0), tilesK);
  }
  Tile tileAt(Num t, Num firstK, Num endK) {
    Num perGroup = tilesN * c.group;
    Num first = t / perGroup * c.group, inside = t % perGroup;
    Num rows = k.min(tilesM - first, k.i32(c.group));
    return {(first + inside % rows) * c.cluster + s.rank, inside / rows, firstK, endK};
  }
  void forTiles(const std::function<Nums(Tile, ValueRange)> &body, ValueRange carried) {
    Num first = k.sreg("ctaid.x") / c.cluster, step = k.sreg("nctaid.x") / c.cluster;
    Num units = split.there() ? tilesM * tilesN * slices : tilesM * tilesN;
    k.For(first, units, step, carried, [&](Num t, ValueRange now) { return body(tileAt(t), now); });
  }
  void produce() {
    auto partsOf = [&](int operand, Value atom, Value coords, const Tile &tile) {
      SmemTile t = tileOf(operand);
      Value smem = s.pointer(operand == 0 ? 0 : s.plan.b(), elementOf(operand).memory);
      Value stages = k.make_tensor(smem, k.layout(t.staged(c.stages, t.elements())));
      Value g = k.local_tile(coords,
                             text("[" + Twine(rowsOf(operand)) + ":1;" + Twine(c.tileK()) + ":1]"),
                             k.coord("(?,_)", {operand == 0 ? tile.m.v : tile.n.v}));
      Value one = k.group_modes(stages, 0, 2), other = k.group_modes(g, 0, 2);
      if (operand == 1 && c.cluster > 1)
        return k.tma_partition(atom, one, other, k.coord("?", s.rank.v),
                               k.layout(text(Twine(c.cluster) + ":1")));
      return k.tma_partition(atom, one, other);
    };
    forTiles(
        [&](Tile tile, ValueRange outer) {
          TmaParts a = partsOf(0, atomA, coordsA, tile), b = partsOf(1, atomB, coordsB, tile);
          return k.For(tile.firstK, tile.endK, k.i32(1), outer, [&](Num i, ValueRange now) {
            Stage at{k.num(now[0]), k.num(now[1])};
            k.mbarrier_wait(empty(at.index), at.parity);
            Value barrier = full(at.index);
            k.If(k.elect(),
                 [&] { k.mbarrier_expect_tx(barrier, k.i32(s.plan.aStage() + s.plan.bStage())); });
            Value atStage = k.coord("(_,?)", at.index.v), atK = k.coord("(_,?)", i.v);
            k.tma_load(atomA, k.slice(a.gmem, atK), k.slice(a.smem, atStage), barrier);
            Num mask = c.cluster > 1 ? everyone() : Num{};
            k.tma_load(atomB, k.slice(b.gmem, atK), k.slice(b.smem, atStage), barrier, mask);
            Stage next = at.next(c.stages);
            return Nums{next.index, next.parity};
          });
        },
        {k.i32(0).v, k.i32(1).v});
  }
  Num everyone() {
    return k.num(arith::ConstantOp::create(k.b, k.loc,
                                           k.b.getI16IntegerAttr(int16_t((1 << c.cluster) - 1))));
  }

  //===--- consumers --------------------------------------------------------------------------===//

  /// Lets the producers of all blocks that loaded the stage fill it again.
  void release(Num stage) {
    Value barrier = empty(stage);
    if (c.cluster == 1)
      k.If(s.lane == 0, [&] { k.mbarrier_arrive(barrier); });
    else
      k.If(s.lane < c.cluster, [&] { k.mbarrier_arrive_cluster(barrier, s.lane); });
  }

  void consume() {
    Num consumer = s.group - 1;
    auto major = [&](int operand) { return kMajor(operand) ? "k" : "mn"; };
    int mmaK = 32 * 8 / s.a.bits;
    Value mma = k.make_tiled_mma(
        k.make_atom(text("sm90.mma<64x" + Twine(c.tileN) + "x" + Twine(mmaK) + ", ab_major = (" +
                         major(0) + ", " + major(1) + "), elem_type = (" + s.a.mma + ", " +
                         s.b.mma + ", " + (s.integer() ? "i32" : "f32") + "), frag_kind = ss>"),
                    k.i1(false).v));
    SmemTile a = operandTile(rowsOfConsumer, c.tileK(), s.a.bits, kMajor(0)), b = tileOf(1);
    Value mine = k.offset(s.pointer(0, s.a.mma), consumer * a.elements(), a.elements());
    Value sA = k.make_tensor(mine, k.layout(a.staged(c.stages, tileOf(0).elements())));
    Value sB =
        k.make_tensor(s.pointer(s.plan.b(), s.b.mma), k.layout(b.staged(c.stages, b.elements())));
    Num first = k.i32(0);
    Value fragA = k.make_fragment_A(mma, k.partition_A(mma, sA, first));
    Value fragB = k.make_fragment_B(mma, k.partition_B(mma, sB, first));
    Value sums = k.make_fragment_C(mma, text("(64," + Twine(c.tileN) + ")"));
    int blocks = c.tileK() / mmaK;

    epilogue.begin(consumer);
    forTiles(
        [&](Tile tile, ValueRange outer) {
          if (!split.there())
            epilogue.beginTile(tile);
          Nums carried(outer);
          carried.push_back(outer[0]); // the stage before this one
          Nums left = k.For(tile.firstK, tile.endK, k.i32(1), carried, [&](Num i, ValueRange now) {
            Stage stage{k.num(now[0]), k.num(now[1])};
            Num before = k.num(now[2]);
            k.mbarrier_wait(full(stage.index), stage.parity);
            k.warpgroup_arrive();
            for (int block = 0; block < blocks; ++block) {
              Num counts = block ? k.i1(true) : tile.firstK < i;
              Value at = k.coord(text("(_,_," + Twine(block) + ",?)"), stage.index.v);
              k.gemm(k.accumulate(mma, counts), sums, k.slice(fragA, at), k.slice(fragB, at), sums);
            }
            k.warpgroup_commit();
            k.warpgroup_wait(1);
            k.If(tile.firstK < i, [&] { release(before); });
            Stage next = stage.next(c.stages);
            return Nums{next.index, next.parity, stage.index};
          });
          k.warpgroup_wait(0);
          release(k.num(left[2]));
          finish(consumer, tile, sums);
          return Nums{left[0], left[1]};
        },
        {k.i32(0).v, k.i32(0).v});
    epilogue.end();
  }
  void finish(Num consumer, const Tile &tile, Value sums) {
    if (!split.there())
      return epilogue.store(tile, sums);
    split.store(consumer, tile, sums, [&] {
      epilogue.beginTile(tile);
      epilogue.store(tile, sums);
    });
  }
};
} // namespace

void tessera::kernels::buildGemm(dsl::Builder &builder, const GemmConfig &config) {
  Gemm(builder, config).build();
}
