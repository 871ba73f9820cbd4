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
  /// `matrix` is (rows, `depth`); the tile begins at row `first`.
  OperandCopy(Tensor matrix, Num depth, StagedTile tile, int threads, Num thread, Num first)
      : matrix(matrix), pieces(CopiedPieces(tile, threads, thread)), first(first),
        rows(size(matrix, 0)), depth(depth),
        held(make_rmem_tensor(i32, make_layout(make_shape(words, count())))) {}

  int count() const { return pieces->count(); }
  /// By cp.async, into the stage that begins there.
  void begin(Num tileK, Pointer stage) const {
    const StagedTile &tile = pieces->tile;
    for (int i = 0; i < count(); ++i)
      copy_async(source(i, tileK), offset(stage, pieces->placeOf(i)), StagedTile::pieceBytes,
                 there(i, tileK) * (tile.bits / 8));
  }
  /// Where there is no cp.async: the whole pieces to registers, with zeros for others.
  void load(Num tileK) const {
    for (int i = 0; i < count(); ++i) {
      Tensor to = held(_, i);
      store_vec(broadcast(i32(0), words), to);
      If(isWhole(i, tileK), [&] {
        Pointer from = recast_ptr(source(i, tileK), i32, StagedTile::pieceBytes);
        store_vec(load_vec(make_tensor(from, make_layout(words))), to);
      });
    }
  }
  /// From there to the stage, with pieces of which the matrix has a part, element by element.
  void keep(Num tileK, Pointer stage) const {
    const StagedTile &tile = pieces->tile;
    const int apart = pieces->apart();
    for (int i = 0; i < count(); ++i) {
      Pointer to = offset(stage, pieces->placeOf(i).promised(StagedTile::pieceBytes));
      store_vec(load_vec(held(_, i)),
                make_tensor(recast_ptr(to, i32, StagedTile::pieceBytes), make_layout(words)));
    }
    Element element = *element_of(matrix);
    Num part = tile.kMajor ? along(k(0, tileK), depth) : along(row(0), rows);
    Num lines = max(tile.kMajor ? rows - row(0) : depth - k(0, tileK), 0);
    If((part > 0) & (part < tile.elementsOfPiece()), [&] {
      Num partial = min((lines + (apart - 1)) / apart, count());
      For(0, partial, 1, [&](Num i) {
        Pointer to = offset(stage, pieces->placeOf(i).promised(StagedTile::pieceBytes));
        Tensor copied = make_tensor(recast_ptr(to, element, StagedTile::pieceBytes),
                                    make_layout(tile.elementsOfPiece())),
               from = make_tensor(source(i, tileK), make_layout(tile.elementsOfPiece()));
        For(0, part, 1, [&](Num e) { dsl::store(dsl::load(from, e), copied, e); });
      });
    });
  }

private:
  Tensor matrix;
  std::optional<CopiedPieces> pieces;
  static constexpr int words = StagedTile::pieceBytes / 4;
  Num first, rows, depth;
  Tensor held; // (words, pieces)

  /// The first row and the first element of K of piece i.
  Num row(Num i) const {
    const StagedTile &tile = pieces->tile;
    return first + (tile.kMajor ? pieces->lineOf(i) : pieces->piece * tile.elementsOfPiece());
  }
  Num k(Num i, Num tileK) const {
    const StagedTile &tile = pieces->tile;
    return tileK * tile.elementsOfK() +
           (tile.kMajor ? pieces->piece * tile.elementsOfPiece() : pieces->lineOf(i));
  }
  Pointer source(Num i, Num tileK) const {
    const int piece = pieces->tile.elementsOfPiece();
    if (pieces->tile.kMajor)
      return offset(get_iter(matrix(row(i), _)), k(i, tileK).promised(piece));
    return offset(get_iter(matrix(_, k(i, tileK))), row(i).promised(piece));
  }
  /// Elements of piece i that the matrix has: all, some or none.
  Num along(Num from, Num end) const {
    return min(max(end - from, 0), pieces->tile.elementsOfPiece());
  }
  Num isWhole(Num i, Num tileK) const {
    const int piece = pieces->tile.elementsOfPiece();
    if (pieces->tile.kMajor)
      return (row(i) < rows) & (k(i, tileK) + piece <= depth);
    return (k(i, tileK) < depth) & (row(i) + piece <= rows);
  }
  Num there(Num i, Num tileK) const {
    if (pieces->tile.kMajor)
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
    Num depth = size(given.a, 1); // for both, so that it is compared once
    copyA = OperandCopy(given.a, depth, plan.a, plan.tile.threads(), thread, firstRow);
    copyB = OperandCopy(given.b, depth, plan.b, plan.tile.threads(), thread, firstColumn);
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
  const bool isAsync = GemmPlan::copiesAsync(c.target);
  /// The copy of a tile of K begins: to its stage, or to registers.
  void begin(Num tileK, Num stage) const {
    if (!isAsync)
      return copyA.load(tileK), copyB.load(tileK);
    copyA.begin(tileK, stageOfA(stage));
    copyB.begin(tileK, stageOfB(stage));
    cp_async_commit();
  }
  /// The tile of K is in its stage for all, and all have read the one before the one before it.
  void await(Num tileK, Num stage) const {
    if (isAsync)
      cp_async_wait(c.stages - 2);
    else
      copyA.keep(tileK, stageOfA(stage)), copyB.keep(tileK, stageOfB(stage));
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
    await(i32(0), i32(0));
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
          await(i + 1, next);
          read(0, next);
        } else
          read(step + 1, now.reads);
        if (step == 0)
          begin(i + (c.stages - 1), now.fills);
        products.add(a[size_t(step % 2)], b[size_t(step % 2)], sums);
      }
      now = {next, after(now.fills)};
    });
    if (isAsync)
      cp_async_wait(0);
    sync_threads();
  }
};
} // namespace

void sm80::buildGemm(const GemmConfig &config) { Gemm(config).build(); }
