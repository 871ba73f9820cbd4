// The Hopper GEMM: TMA -> shared memory -> wgmma -> registers -> stmatrix -> TMA.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/Gemm.h"

#include "tessera/kernels/Errors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::dsl;
using tessera::kernels::GemmConfig;

namespace {

constexpr int consumers = 2, rowsOfConsumer = 64, tileM = consumers * rowsOfConsumer;
constexpr int groupThreads = 128, threads = (consumers + 1) * groupThreads;
constexpr int rowBytes = 128; // of a tile in shared memory: what the widest swizzle permutes
constexpr int boxN = 64;      // columns of D that are stored at once, 128 bytes of 16-bit elements
constexpr int boxesStaged = 2;
constexpr int producerRegisters = 40, consumerRegisters = 232;
constexpr const char *swizzle = "S<3,4,3>";

/// Shared memory: stages of A and B, D on its way out, barriers. In bytes.
struct Plan {
  explicit Plan(const GemmConfig &c) : c(c) {}
  const GemmConfig &c;

  int64_t aStage() const { return tileM * rowBytes; }
  int64_t bStage() const { return int64_t(c.tileN) * rowBytes; }
  int64_t dBox() const { return rowsOfConsumer * boxN * 2; }
  int64_t b() const { return c.stages * aStage(); }
  int64_t d() const { return b() + c.stages * bStage(); }
  int64_t barriers() const { return d() + consumers * boxesStaged * dBox(); }
  int64_t end() const { return barriers() + 2 * int64_t(c.stages) * 8; }
};

std::string text(const Twine &t) { return t.str(); }

/// A tile of `rows` x tileK, contiguous in K (or in rows), in the order that one TMA box fills.
struct SmemTile {
  std::string shape, stride;
  int64_t elements;
};
SmemTile smemTile(int rows, int tileK, bool kMajor) {
  std::string r = std::to_string(rows), k = std::to_string(tileK);
  if (kMajor)
    return {text("(8," + Twine(rows / 8) + "),(" + k + ",1)"), text("(" + k + "," + Twine(8 * tileK) + "),(1,0)"),
            int64_t(rows) * tileK};
  // 64 elements of M or N in a row, eight rows an atom, K before M.
  return {text("(64," + Twine(rows / 64) + "),(8," + Twine(tileK / 8) + ")"),
          text("(1," + Twine(64 * tileK) + "),(64,512)"), int64_t(rows) * tileK};
}
std::string layoutOf(const SmemTile &t) { return "(" + t.shape + "):(" + t.stride + ")"; }
std::string staged(const SmemTile &t, int stages, int64_t stride) {
  return text("(" + t.shape + ",(1," + Twine(stages) + ")):(" + t.stride + ",(0," + Twine(stride) + "))");
}

class Gemm {
public:
  Gemm(dsl::Builder &k, const GemmConfig &c) : k(k), c(c), plan(c) {}

  void build() {
    hostFunction();
    k.kernel("gemm_" + c.name(), argumentTypes, threads, [&](ValueRange arguments) { kernelBody(arguments); });
  }

private:
  dsl::Builder &k;
  const GemmConfig &c;
  Plan plan;
  SmallVector<Type> argumentTypes;

  bool kMajor(int operand) const { return c.major[size_t(operand)] == 'k'; }
  SmemTile tileOf(int operand) const { return smemTile(operand == 0 ? tileM : c.tileN, c.tileK(), kMajor(operand)); }

  //===--- host -----------------------------------------------------------------------------------------------------===//

  Type matrix(const std::string &element, bool secondContiguous) {
    int div = 128 / (element == c.d ? 16 : c.elementBits());
    std::string pitch = text("?{i64 div=" + Twine(div) + "}");
    std::string strides = secondContiguous ? "(" + pitch + ",1)" : "(1," + pitch + ")";
    return k.type("!cute.memref<" + element + ", gmem, align<16>, \"(?,?):" + strides + "\">");
  }

  void hostFunction() {
    SmallVector<Type> matrices = {matrix(c.ab, kMajor(0)), matrix(c.ab, kMajor(1)), matrix(c.d, true)};
    k.host("gemm", matrices, [&](ValueRange arguments, Value stream) {
      Value a = arguments[0], b = arguments[1], d = arguments[2];
      auto smem = [&](const SmemTile &t) { return k.composed_layout(text(Twine(swizzle) + " o 0 o " + layoutOf(t))); };
      std::string tileK = text(Twine(c.tileK()) + ":1]");
      TmaTensor tA = k.make_tma_load(a, smem(tileOf(0)), text("[" + Twine(tileM) + ":1;" + tileK));
      TmaTensor tB = k.make_tma_load(b, smem(tileOf(1)), text("[" + Twine(c.tileN) + ":1;" + tileK), c.cluster);
      TmaTensor tD = k.make_tma_store(d, smem(smemTile(rowsOfConsumer, boxN, true)), "[64:1;64:1]");
      auto tiles = [&](Num extent, int tile) { return (extent + (tile - 1)) / tile; };
      Num tilesM = tiles(k.size(d, 0), tileM * c.cluster), tilesN = tiles(k.size(d, 1), c.tileN);
      Num tilesK = tiles(k.size(a, 1), c.tileK());
      Num blocks = k.min(tilesM * tilesN, k.i32(c.sms / c.cluster)) * c.cluster;
      Nums passed = {tA.atom, tA.coords, tB.atom, tB.coords, tD.atom, tD.coords, tilesM, tilesN, tilesK};
      argumentTypes = SmallVector<Type>(ValueRange(passed).getTypes());
      k.launch("gemm_" + c.name(), {blocks, k.i32(1), k.i32(1), threads, c.smemBytes(), c.cluster}, stream, passed);
    });
  }

  //===--- kernel ---------------------------------------------------------------------------------------------------===//

  Value atomA, coordsA, atomB, coordsB, atomD, coordsD;
  Num tilesM, tilesN, tilesK;
  Num tid, warp, group, lane, rank;
  Value smem, barriers;

  Value full(Num stage) { return k.offset(barriers, stage); }
  Value empty(Num stage) { return k.offset(barriers, stage + c.stages); }
  Value pointer(int64_t bytes, const std::string &element, int alignment = 1024) {
    return k.recast_iter(k.offset(smem, bytes), text("!cute.ptr<" + Twine(element) + ", smem, align<" +
                                                     Twine(alignment) + ">, " + swizzle + ">"));
  }

  void kernelBody(ValueRange arguments) {
    atomA = arguments[0], coordsA = arguments[1], atomB = arguments[2], coordsB = arguments[3];
    atomD = arguments[4], coordsD = arguments[5];
    tilesM = k.num(arguments[6]), tilesN = k.num(arguments[7]), tilesK = k.num(arguments[8]);
    tid = k.sreg("tid.x");
    warp = k.warp_uniform(tid / 32);
    group = warp / 4;
    lane = tid % 32;
    rank = c.cluster > 1 ? k.sreg("cluster.ctarank") : k.i32(0);
    smem = k.dyn_smem(1024);
    barriers = k.recast_iter(k.offset(smem, plan.barriers()), "!cute.ptr<i64, smem, align<8>>");
    k.If(tid == 0, [&] { initialise(); });
    if (c.cluster > 1)
      k.cluster_sync();
    else
      k.sync_threads();
    k.If(group == 0,
         [&] {
           k.setmaxnreg(producerRegisters, false);
           k.If(warp == 0, [&] { produce(); });
         },
         [&] {
           k.setmaxnreg(consumerRegisters, true);
           consume();
         });
    if (c.cluster > 1)
      k.cluster_sync(); // a block that left could not be arrived at
  }

  void initialise() {
    for (Value atom : {atomA, atomB, atomD})
      k.prefetch_tma_desc(atom);
    for (int i = 0; i < c.stages; ++i) {
      k.mbarrier_init(full(k.i32(i)), k.i32(1));
      k.mbarrier_init(empty(k.i32(i)), k.i32(consumers * 4 * c.cluster)); // a lane of each consumer warp that reads it
    }
    k.mbarrier_init_fence();
  }

  /// Every block's walk over tiles: rows of `group` tiles, column by column, so that neighbours in time share A and B.
  struct Tile {
    Num m, n;
  };
  Tile tileAt(Num t) {
    Num perGroup = tilesN * c.group;
    Num first = t / perGroup * c.group, inside = t % perGroup;
    Num rows = k.min(tilesM - first, k.i32(c.group));
    return {(first + inside % rows) * c.cluster + rank, inside / rows};
  }
  void forTiles(const std::function<Nums(Tile, ValueRange)> &body, ValueRange carried) {
    Num first = k.sreg("ctaid.x") / c.cluster, step = k.sreg("nctaid.x") / c.cluster;
    k.For(first, tilesM * tilesN, step, carried, [&](Num t, ValueRange now) { return body(tileAt(t), now); });
  }
  /// The next stage, and the parity with which its barriers are waited for.
  Nums next(Num stage, Num parity) {
    Num further = stage + 1, wraps = further == c.stages;
    return {k.select(wraps, k.i32(0), further), k.select(wraps, parity ^ 1, parity)};
  }

  void produce() {
    auto partsOf = [&](int operand, Value atom, Value coords, const Tile &tile) {
      int rows = operand == 0 ? tileM : c.tileN, tileK = c.tileK();
      SmemTile t = tileOf(operand);
      Value s = k.make_tensor(pointer(operand == 0 ? 0 : plan.b(), c.ab), k.layout(staged(t, c.stages, t.elements)));
      Value g = k.local_tile(coords, text("[" + Twine(rows) + ":1;" + Twine(tileK) + ":1]"),
                             k.coord("(?,_)", {operand == 0 ? tile.m.v : tile.n.v}));
      Value one = k.group_modes(s, 0, 2), other = k.group_modes(g, 0, 2);
      if (operand == 1 && c.cluster > 1)
        return k.tma_partition(atom, one, other, k.coord("?", rank.v), k.layout(text(Twine(c.cluster) + ":1")));
      return k.tma_partition(atom, one, other);
    };
    forTiles(
        [&](Tile tile, ValueRange outer) {
          TmaParts a = partsOf(0, atomA, coordsA, tile), b = partsOf(1, atomB, coordsB, tile);
          return k.For(k.i32(0), tilesK, k.i32(1), outer, [&](Num i, ValueRange now) {
            Num stage = k.num(now[0]), parity = k.num(now[1]);
            k.mbarrier_wait(empty(stage), parity);
            Value barrier = full(stage);
            k.If(k.elect(), [&] { k.mbarrier_expect_tx(barrier, k.i32(plan.aStage() + plan.bStage())); });
            Value atStage = k.coord("(_,?)", stage.v), atK = k.coord("(_,?)", i.v);
            k.tma_load(atomA, k.slice(a.gmem, atK), k.slice(a.smem, atStage), barrier);
            Num mask = c.cluster > 1 ? everyone() : Num{};
            k.tma_load(atomB, k.slice(b.gmem, atK), k.slice(b.smem, atStage), barrier, mask);
            return next(stage, parity);
          });
        },
        {k.i32(0).v, k.i32(1).v});
  }
  Num everyone() {
    return k.num(arith::ConstantOp::create(k.b, k.loc, k.b.getI16IntegerAttr(int16_t((1 << c.cluster) - 1))));
  }

  //===--- consumers ------------------------------------------------------------------------------------------------===//

  /// Lets the producers of all blocks that loaded the stage fill it again.
  void release(Num stage) {
    Value barrier = empty(stage);
    if (c.cluster == 1)
      k.If(lane == 0, [&] { k.mbarrier_arrive(barrier); });
    else
      k.If(lane < c.cluster, [&] { k.mbarrier_arrive_cluster(barrier, lane); });
  }

  void consume() {
    Num consumer = group - 1;
    auto major = [&](int operand) { return kMajor(operand) ? "k" : "mn"; };
    int mmaK = 32 * 8 / c.elementBits();
    Value mma = k.make_tiled_mma(k.make_atom(
        text("sm90.mma<64x" + Twine(c.tileN) + "x" + Twine(mmaK) + ", ab_major = (" + major(0) + ", " + major(1) +
             "), elem_type = (" + c.ab + ", " + c.ab + ", f32), frag_kind = ss>"),
        k.i1(false).v));
    SmemTile a = smemTile(rowsOfConsumer, c.tileK(), kMajor(0)), b = tileOf(1);
    Value mine = k.offset(pointer(0, c.ab), consumer * a.elements, a.elements);
    Value sA = k.make_tensor(mine, k.layout(staged(a, c.stages, tileOf(0).elements)));
    Value sB = k.make_tensor(pointer(plan.b(), c.ab), k.layout(staged(b, c.stages, b.elements)));
    Num first = k.i32(0);
    Value fragA = k.make_fragment_A(mma, k.partition_A(mma, sA, first));
    Value fragB = k.make_fragment_B(mma, k.partition_B(mma, sB, first));
    Value sums = k.make_fragment_C(mma, text("(64," + Twine(c.tileN) + ")"));
    int blocks = c.tileK() / mmaK;

    forTiles(
        [&](Tile tile, ValueRange outer) {
          Nums carried(outer);
          carried.push_back(outer[0]); // the stage before this one
          Nums left = k.For(k.i32(0), tilesK, k.i32(1), carried, [&](Num i, ValueRange now) {
            Num stage = k.num(now[0]), parity = k.num(now[1]), before = k.num(now[2]);
            k.mbarrier_wait(full(stage), parity);
            k.warpgroup_arrive();
            for (int block = 0; block < blocks; ++block) {
              Num counts = block ? k.i1(true) : k.i32(0) < i;
              Value at = k.coord(text("(_,_," + Twine(block) + ",?)"), stage.v);
              k.gemm(k.accumulate(mma, counts), sums, k.slice(fragA, at), k.slice(fragB, at), sums);
            }
            k.warpgroup_commit();
            k.warpgroup_wait(1);
            k.If(k.i32(0) < i, [&] { release(before); });
            Nums further = next(stage, parity);
            further.push_back(stage);
            return further;
          });
          k.warpgroup_wait(0);
          release(k.num(left[2]));
          store(consumer, tile, sums);
          return Nums{left[0], left[1]};
        },
        {k.i32(0).v, k.i32(0).v});
    k.If(warp % 4 == 0, [&] { k.tma_store_wait(0); });
  }

  /// 64 rows of D, a few boxes of columns at a time.
  void store(Num consumer, const Tile &tile, Value sums) {
    Value stsm = k.make_atom(text("atom.stsm<" + Twine(c.d) + ", mode = <\"(8,8)\">, num_matrices = 4, n>"));
    int64_t boxElements = rowsOfConsumer * boxN;
    Value staging = k.offset(pointer(plan.d(), c.d), consumer * (boxesStaged * boxElements), boxElements);
    // Each lane gives a row of a matrix: 16 rows of a warp, twice eight columns.
    Num row = warp % 4 * 16 + lane % 16, half = lane / 16;
    Num barrier = consumer + 1, leads = warp % 4 == 0;
    Value d = k.local_tile(coordsD, "[64:1;64:1]", k.coord("(?,_)", (tile.m * consumers + consumer).v));
    Value registers = k.make_rmem_tensor(c.d, "(8,4):(1,8)");
    for (int box = 0; box < c.tileN / boxN; ++box) {
      int slot = box % boxesStaged;
      if (slot == 0) {
        k.If(leads, [&] { k.tma_store_wait(0); });
        k.named_barrier(barrier, groupThreads);
      }
      Value part = k.make_tensor(k.offset(k.get_iter(sums), box * boxN / 2), k.layout("32:1"));
      k.store_vec(converted(k.load_vec(part)), registers);
      Value at = k.offset(staging, slot * boxElements);
      Value rows = k.make_tensor(at, k.layout("(64,2,8,4):(64,8,1,16)"));
      k.copy(stsm, registers, k.slice(rows, k.coord("(?,?,_,_)", {row.v, half.v})));
      if (slot + 1 < boxesStaged && box + 1 < c.tileN / boxN)
        continue;
      k.fence_async_shared();
      k.named_barrier(barrier, groupThreads);
      k.If(leads, [&] {
        for (int out = 0; out <= slot; ++out)
          storeBox(staging, out, d, tile.n * (c.tileN / boxN) + (box - slot + out));
        k.tma_store_commit();
      });
    }
  }
  Value converted(Value vector) {
    auto from = cast<VectorType>(vector.getType());
    Type to = VectorType::get(from.getShape(), k.type(c.d));
    return arith::TruncFOp::create(k.b, k.loc, to, vector);
  }
  void storeBox(Value staging, int slot, Value d, Num column) {
    SmemTile t = smemTile(rowsOfConsumer, boxN, true);
    Value from = k.make_tensor(k.offset(staging, slot * t.elements), k.layout(layoutOf(t)));
    Value to = k.slice(d, k.coord("(_,_,?)", column.v));
    TmaParts parts = k.tma_partition(atomD, k.group_modes(from, 0, 2), k.group_modes(to, 0, 2));
    k.tma_store(atomD, parts.smem, parts.gmem);
  }
};
} // namespace

int GemmConfig::elementBits() const {
  return llvm::StringSwitch<int>(ab).Cases({"f16", "bf16"}, 16).Cases({"f8E4M3FN", "f8E5M2"}, 8).Default(0);
}
int64_t GemmConfig::smemBytes() const { return Plan(*this).end(); }
std::string GemmConfig::name() const {
  return text("m" + Twine(tileM) + "n" + Twine(tileN) + "k" + Twine(tileK()) + "_s" + Twine(stages) + "_c" +
              Twine(cluster) + "_" + ab);
}

std::optional<Reason> tessera::kernels::refused(const GemmConfig &c) {
  auto among = [](const auto &value, const auto &...of) { return ((value == of) || ...); };
  constexpr int maxSmemBytes = 232448; // of a block of SM90
  if (!c.elementBits())
    return fail(Error::GemmElement, c.ab);
  if (!among(c.d, "f16", "bf16"))
    return fail(Error::GemmResult, c.d);
  if (!among(c.major, "kk", "km", "mk", "mm"))
    return fail(Error::GemmMajor, c.major);
  if (c.elementBits() == 8 && c.major != "kk")
    return fail(Error::GemmMajorBits, c.major);
  if (!among(c.tileN, 64, 128, 192, 256))
    return fail(Error::GemmTile, c.tileN);
  if (c.stages < 2)
    return fail(Error::GemmStages, c.stages);
  if (c.smemBytes() > maxSmemBytes)
    return fail(Error::GemmShared, c.stages, c.tileN, c.smemBytes(), maxSmemBytes);
  if (!among(c.cluster, 1, 2, 4, 8))
    return fail(Error::GemmCluster, c.cluster);
  if (c.group < 1)
    return fail(Error::GemmGroup, c.group);
  if (c.sms < c.cluster)
    return fail(Error::GemmGrid, c.cluster, c.sms);
  return std::nullopt;
}

void tessera::kernels::buildGemm(dsl::Builder &builder, const GemmConfig &config) { Gemm(builder, config).build(); }
