// The GEMM of warps: cp.async -> shared memory -> ldmatrix -> mma.sync -> shared memory -> D.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm80/Gemm.h"

#include "tessera/dsl/Bulk.h"
#include "tessera/kernels/Overlap.h"
#include "tessera/kernels/sm80/GemmEpilogue.h"
#include "tessera/kernels/sm80/WarpProducts.h"
#include "tessera/kernels/sm90/GemmCall.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm80;

namespace {

/// A and B on their way to the stages.
class OperandCopy {
public:
  OperandCopy() = default;
  /// `matrix` is (rows, K); the tile begins at row `first`.
  OperandCopy(Tensor matrix, StagedTile tile, int threads, Num thread, Num first)
      : matrix(matrix), pieces(CopiedPieces(tile, threads, thread)), first(first),
        rows(size(matrix, 0)), depth(size(matrix, 1)) {}

  int count() const { return pieces->count(); }
  /// By cp.async, into the stage that begins there.
  void begin(Num tileK, Pointer stage) const {
    const StagedTile &tile = pieces->tile;
    for (int i = 0; i < count(); ++i)
      copy_async(source(i, tileK), offset(stage, pieces->placeOf(i)), StagedTile::pieceBytes,
                 there(i, tileK) * tile.bits / 8);
  }

private:
  Tensor matrix;
  std::optional<CopiedPieces> pieces;
  Num first, rows, depth;

  /// The elements of piece i along its line, and its line: first ones.
  Num row(int i) const {
    const StagedTile &tile = pieces->tile;
    return first + (tile.kMajor ? pieces->lineOf(i) : pieces->piece * tile.elementsOfPiece());
  }
  Num k(int i, Num tileK) const {
    const StagedTile &tile = pieces->tile;
    return tileK * tile.elementsOfK() +
           (tile.kMajor ? pieces->piece * tile.elementsOfPiece() : pieces->lineOf(i));
  }
  Pointer source(int i, Num tileK) const {
    const int piece = pieces->tile.elementsOfPiece();
    if (pieces->tile.kMajor)
      return offset(get_iter(matrix(row(i), _)), k(i, tileK).promised(piece));
    return offset(get_iter(matrix(_, k(i, tileK))), row(i).promised(piece));
  }
  /// Elements of piece i that the matrix has: all, some or none.
  Num there(int i, Num tileK) const {
    const StagedTile &tile = pieces->tile;
    auto along = [&](Num from, Num end) { return min(max(end - from, 0), tile.elementsOfPiece()); };
    if (tile.kMajor)
      return select(row(i) < rows, along(k(i, tileK), depth), i32(0));
    return select(k(i, tileK) < depth, along(row(i), rows), i32(0));
  }
};

class Gemm {
public:
  explicit Gemm(const GemmConfig &c)
      : c(c), plan(c), epilogue(plan),
        products(c.target, sm90::findGemmType(c.a)->mma, sm90::findGemmType(c.b)->mma,
                 plan.tile.rows() / 16, plan.tile.columns() / 8) {}

  void build() {
    hostFunction();
    kernel("gemm_" + c.name(), plan.tile.threads(), given, [&](const GemmParameters &parameters) {
      given = parameters;
      kernelBody();
    });
  }

private:
  const GemmConfig &c;
  GemmPlan plan;
  GemmParameters given;
  Epilogue epilogue;
  WarpProducts products;

  void hostFunction() {
    host("gemm", sm90::GemmCall::types(c), [&](Arguments arguments, Stream stream) {
      sm90::GemmCall call(c, arguments);
      call.begin();
      Num tilesM = sm90::tilesOf(size(call.d, 0), c.tileM),
          tilesN = sm90::tilesOf(size(call.d, 1), c.tileN);
      Num blocks = tilesM * tilesN;
      if (c.groups == "batches")
        blocks = blocks * size(call.b, 2);
      given = {call.a,      call.b,     call.d,    call.c, call.bias, call.scaleA,
               call.scaleB, call.alpha, call.beta, tilesM, tilesN};
      launch("gemm_" + c.name(),
             {.gridX = blocks,
              .threads = plan.tile.threads(),
              .smemBytes = c.smemBytes(),
              .overlaps = overlaps(c.target)},
             stream, given);
    });
  }

  //===--- kernel -----------------------------------------------------------------------------===//

  Num warp, lane;
  OperandCopy copyA, copyB;
  Pointer ring; // as bytes

  /// A tile of D: rows of `group` tiles, column by column, so that blocks close in time share A and
  /// B.
  struct Position {
    Num m, n;
  };
  Position positionOf(Num t) const {
    Num group = min(given.tilesM, c.group), ofGroup = given.tilesN * group;
    Num first = t / ofGroup * group, inside = t % ofGroup;
    Num rows = min(given.tilesM - first, group);
    return {first + inside % rows, inside / rows};
  }

  void kernelBody() {
    plan.memory.open();
    if (overlaps(c.target))
      griddepcontrol_wait();
    Num thread = thread_idx(), block = block_idx();
    warp = warp_uniform(thread / atom::Threads::ofWarp), lane = thread % atom::Threads::ofWarp;
    if (c.groups == "batches") {
      Num tiles = given.tilesM * given.tilesN, batch = block / tiles;
      block = block % tiles;
      given.a = given.a(_, _, batch), given.b = given.b(_, _, batch);
      given.d = given.d(_, _, batch);
      if (c.c)
        given.c = (*given.c)(_, _, batch);
    }
    Position at = positionOf(block);
    Num firstRow = at.m * c.tileM, firstColumn = at.n * c.tileN;
    copyA = OperandCopy(given.a, plan.a, plan.tile.threads(), thread, firstRow);
    copyB = OperandCopy(given.b, plan.b, plan.tile.threads(), thread, firstColumn);
    ring = plan.memory.pointer(plan.stages, i8);
    Num ofWarpM = warp / plan.tile.warpsN * plan.tile.rows(),
        ofWarpN = warp % plan.tile.warpsN * plan.tile.columns();
    WarpRows rowsA(plan.a, false, ofWarpM, plan.tile.rows(), lane),
        rowsB(plan.b, true, ofWarpN, plan.tile.columns(), lane);
    Tensor sums = products.zeros();
    multiply(rowsA, rowsB, sums);
    epilogue.store(given, sums, warp, lane, firstRow + ofWarpM, firstColumn + ofWarpN);
  }

  Pointer stageOfA(Num start) const { return offset(ring, start.promised(plan.stageBytes())); }
  Pointer stageOfB(Num start) const { return offset(stageOfA(start), plan.a.bytes()); }
  /// The stage after, by where stages begin.
  Num after(Num start) const {
    Num next = start + plan.stageBytes();
    return select(next == c.stages * plan.stageBytes(), i32(0), next);
  }
  void begin(Num tileK, Num stage) const {
    copyA.begin(tileK, stageOfA(stage));
    copyB.begin(tileK, stageOfB(stage));
    cp_async_commit();
  }
  /// The next tile of K is there for all, and all have read the one before this one.
  void await() const {
    cp_async_wait(c.stages - 2);
    sync_threads();
  }

  void multiply(const WarpRows &rowsA, const WarpRows &rowsB, Tensor sums) {
    std::array<Tensor, 2> a = {rowsA.fragment(), rowsA.fragment()},
                          b = {rowsB.fragment(), rowsB.fragment()};
    auto read = [&](int step, Num stage) {
      rowsA.load(stageOfA(stage), step, a[size_t(step % 2)]);
      rowsB.load(stageOfB(stage), step, b[size_t(step % 2)]);
    };
    for (int i = 0; i + 1 < c.stages; ++i)
      begin(i32(i), i32(i * plan.stageBytes()));
    await();
    read(0, i32(0));
    struct Turn {
      Num reads, fills; // where stages begin
      auto members() { return std::tie(reads, fills); }
    };
    Num tilesK = sm90::tilesOf(size(given.a, 1), c.tileK());
    const int steps = plan.a.steps();
    For(0, tilesK, 1, Turn{i32(0), i32((c.stages - 1) * plan.stageBytes())}, [&](Num i, Turn &now) {
      Num next = after(now.reads);
      for (int step = 0; step < steps; ++step) {
        if (step + 1 == steps) {
          await();
          read(0, next);
        } else
          read(step + 1, now.reads);
        if (step == 0)
          begin(i + (c.stages - 1), now.fills);
        products.add(a[size_t(step % 2)], b[size_t(step % 2)], sums);
      }
      now = {next, after(now.fills)};
    });
    cp_async_wait(0);
    sync_threads();
  }
};
} // namespace

void sm80::buildGemm(const GemmConfig &config) { Gemm(config).build(); }
