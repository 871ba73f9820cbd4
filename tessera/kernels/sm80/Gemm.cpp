// The GEMM of warps: cp.async -> shared memory -> ldmatrix -> mma.sync -> shared memory -> D.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm80/Gemm.h"

#include "tessera/dsl/Bulk.h"
#include "tessera/kernels/Overlap.h"
#include "tessera/kernels/WarpGroups.h"
#include "tessera/kernels/gemm/GemmCall.h"
#include "tessera/kernels/gemm/GemmWalk.h"
#include "tessera/kernels/gemm/SliceTeams.h"
#include "tessera/kernels/sm80/GemmEpilogue.h"
#include "tessera/kernels/sm80/GemmScales.h"
#include "tessera/kernels/sm80/GemmWeights.h"
#include "tessera/kernels/sm80/WarpProducts.h"

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
        products(c.target, findGemmType(c.a)->mma,
                 findGemmType(c.groupScales ? c.a : c.b)->mma, // widened before
                 plan.tile.rows() / 16, plan.tile.columns() / 8) {}

  void build() {
    hostFunction();
    kernel("gemm_" + c.name(), plan.tile.threads(), given, [&](const PlainParameters &parameters) {
      given = parameters;
      kernelBody();
    });
  }

private:
  const GemmConfig &c;
  GemmPlan plan;
  PlainParameters given;
  Epilogue epilogue;
  WarpProducts products;

  void hostFunction() {
    host("gemm", GemmCall::types(c), [&](Arguments arguments, Stream stream) {
      GemmCall call(c, arguments);
      call.begin();
      Num tilesM = tilesOf(size(call.d, 0), c.tileM), tilesN = tilesOf(size(call.d, 1), c.tileN);
      Num blocks = tilesOfProducts(c, tilesM, tilesN, call.extras());
      if (splits()) {
        Num slices = slicesOf(call.a);
        SliceTeams::check(c, 1, blocks, slices, *call.workspace, *call.counters);
        blocks = blocks * slices;
      }
      given = {call.a,        call.b,         call.d,        call.c,           call.bias,
               call.scaleA,   call.scaleB,    call.alpha,    call.beta,        tilesM,
               tilesN,        call.workspace, call.counters, call.groupScales, call.factorsA,
               call.factorsB, call.bounds};
      launch("gemm_" + c.name(),
             {.gridX = blocks,
              .threads = plan.tile.threads(),
              .smemBytes = c.smemBytes(),
              .overlaps = overlaps(c.target)},
             stream, given);
    });
  }

  //===--- kernel -----------------------------------------------------------------------------===//

  Num thread, warp, lane;
  OperandCopy copyA, copyB;
  Pointer ring; // as bytes

  bool splits() const { return c.splitK > 1; }
  Num tilesOfK(const Tensor &a) const { return tilesOf(size(a, 1), c.tileK()); }
  /// The slices of K of a tile: none is empty, except of a product without K.
  Num slicesOf(const Tensor &a) const { return max(min(tilesOfK(a), c.splitK), 1); }

  /// A tile of D: rows of `group` tiles, column by column, so that blocks close in time share A and
  /// B.
  TilePosition positionOf(Num t, Num tilesM) const {
    Num group = min(tilesM, c.group), ofGroup = given.tilesN * group;
    Num first = t / ofGroup * group, inside = t % ofGroup;
    Num rows = min(tilesM - first, group);
    return {first + inside % rows, inside / rows, i32(0), {}};
  }
  /// The tile of a block, of one product or of as many as there are batches.
  TilePosition positionOf(Num block) const {
    if (c.groups == "batches") {
      Num tiles = given.tilesM * given.tilesN, batch = block / tiles;
      TilePosition at = positionOf(block % tiles, given.tilesM);
      at.group = batch;
      return at;
    }
    if (!splits())
      return positionOf(block, given.tilesM);
    Num slices = slicesOf(given.a), tilesK = tilesOfK(given.a), slice = block % slices;
    TilePosition at = positionOf(block / slices, given.tilesM);
    at.index = block / slices, at.slice = slice, at.slices = slices;
    at.firstK = tilesK * slice / slices, at.endK = tilesK * (slice + 1) / slices;
    return at;
  }
  /// Calls `tile` with the tile of a block, of products whose rows are counted in device memory:
  /// one product after the other. There are more blocks than tiles, and some have none.
  template <class F> void ifTile(Num block, F &&tile) const {
    GemmExtras extras{.bounds = given.bounds};
    auto rowsOf = [&](Num group) { // no more than the matrices have
      Num most = size(given.d, 0);
      if (c.groups == "contiguous")
        most = most - load(*given.bounds, group);
      return max(min(rowsOfProduct(c, extras, group), most), 0);
    };
    struct Search {
      Num group, before, end; // the tiles of the groups before, and of all that were seen
      auto members() { return std::tie(group, before, end); }
    };
    Search found =
        For(0, size(given.b, 2), 1, Search{i32(0), i32(0), i32(0)}, [&](Num group, Search &now) {
          Num end = now.end + tilesOf(rowsOf(group), c.tileM) * given.tilesN;
          Num isHere = (block >= now.end) & (block < end);
          now = {dsl::select(isHere, group, now.group), dsl::select(isHere, now.end, now.before),
                 end};
        });
    If(block < found.end, [&] {
      Num rows = rowsOf(found.group);
      TilePosition at = positionOf(block - found.before, tilesOf(rows, c.tileM));
      at.group = found.group, at.rows = rows;
      if (c.groups == "contiguous")
        at.start = load(*given.bounds, found.group);
      tile(at);
    });
  }
  /// The operands of the tile's product. A group's rows end where those of another begin.
  PlainParameters productOf(const TilePosition &at) const {
    PlainParameters of = given;
    if (c.groups == "none")
      return of;
    auto rowsOf = [&](Tensor matrix) {
      if (c.groups != "contiguous")
        matrix = matrix(_, _, at.group);
      else
        matrix = rowsFrom(matrix, at.start);
      if (!at.rows)
        return matrix;
      dsl::Layout layout = get_layout(matrix);
      return make_tensor(get_iter(matrix),
                         make_layout(make_shape(at.rows, size(matrix, 1)), get_stride(layout)));
    };
    of.a = rowsOf(given.a), of.b = given.b(_, _, at.group), of.d = rowsOf(given.d);
    if (c.c)
      of.c = rowsOf(*given.c);
    if (c.factors) {
      of.factorsA = rowsOf(*given.factorsA);
      of.factorsB = (*given.factorsB)(_, _, at.group);
    }
    return of;
  }

  void kernelBody() {
    plan.memory.open();
    if (overlaps(c.target))
      griddepcontrol_wait();
    thread = thread_idx();
    Num block = block_idx();
    warp = warp_uniform(thread / atom::Threads::ofWarp), lane = thread % atom::Threads::ofWarp;
    auto tile = [&](const TilePosition &at) {
      given = productOf(at);
      tileOfBlock(at);
    };
    if (c.groups == "masked" || c.groups == "contiguous")
      ifTile(block, tile);
    else
      tile(positionOf(block));
  }
  Tensor wordsOfSlice() const {
    return make_tensor(plan.memory.pointer(plan.slice, i32, {}, 4),
                       make_layout(GemmPlan::wordsOfSlice));
  }
  /// Where the block is waits in shared memory, as registers are few while tiles are multiplied.
  void keepSlice(const TilePosition &at) const {
    Tensor words = wordsOfSlice();
    If(warp * atom::Threads::ofWarp + lane == 0, [&] {
      dsl::store(at.index, words, 1), dsl::store(at.slice, words, 2);
      dsl::store(at.slices, words, 3);
    });
  }
  void tileOfBlock(const TilePosition &at) {
    Num firstRow = at.m * c.tileM, firstColumn = at.n * c.tileN;
    Num depth = size(given.a, 1); // for both, so that it is compared once
    if (splits())                 // no copies of what other slices multiply
      depth = min(depth, at.endK * c.tileK());
    copyA = OperandCopy(given.a, depth, plan.a, plan.tile.threads(), thread, firstRow);
    Num depthOfB = depth;
    if (c.groupScales) { // bytes
      depthOfB = size(given.b, 1);
      if (splits())
        depthOfB = min(depthOfB, at.endK * plan.b.kBytes);
    }
    copyB = OperandCopy(given.b, depthOfB, plan.b, plan.tile.threads(), thread, firstColumn);
    ring = plan.memory.pointer(plan.stages, i8);
    Num ofWarpM = warp / plan.tile.warpsN * plan.tile.rows(),
        ofWarpN = warp % plan.tile.warpsN * plan.tile.columns();
    WarpRows rowsA(plan.a, false, ofWarpM, plan.tile.rows(), lane), rowsB;
    std::optional<WarpWeights> weights;
    if (c.groupScales)
      weights.emplace(c, plan.b, *given.groupScales, ofWarpN, firstColumn + ofWarpN,
                      plan.tile.columns(), lane);
    else
      rowsB = WarpRows(plan.b, true, ofWarpN, plan.tile.columns(), lane);
    std::optional<WarpScales> scales;
    if (c.factors)
      scales.emplace(*given.factorsA, *given.factorsB, firstRow + ofWarpM, plan.tile.rows() / 16,
                     firstColumn + ofWarpN, plan.tile.columns(), lane);
    Tensor sums = products.zeros();
    if (splits())
      keepSlice(at);
    multiply(at, rowsA, rowsB, weights, scales, sums);
    auto store = [&] {
      epilogue.store(given, sums, warp, lane, firstRow + ofWarpM, firstColumn + ofWarpN);
    };
    if (!splits())
      return store();
    Tensor words = wordsOfSlice();
    TilePosition kept;
    kept.index = load(words, 1), kept.slice = load(words, 2), kept.slices = load(words, 3);
    SliceTeams{.teams = 1,
               .threads = plan.tile.threads(),
               .values = plan.tile.rows() * plan.tile.columns() / atom::Threads::ofWarp,
               .atOnce = 64,
               .integer = plan.sum() == i32,
               .workspace = *given.workspace,
               .counters = *given.counters,
               .flags = words,
               .team = i32(0),
               .thread = warp * atom::Threads::ofWarp + lane,
               .barrier = [] { sync_threads(); }}
        .store(kept, sums, store);
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

  void multiply(const TilePosition &at, const WarpRows &rowsA, const WarpRows &rowsB,
                const std::optional<WarpWeights> &weights,
                const std::optional<WarpScales> &blockScales, Tensor sums) {
    auto fragmentB = [&] { return weights ? weights->fragment() : rowsB.fragment(); };
    std::array<Tensor, 2> a = {rowsA.fragment(), rowsA.fragment()}, b = {fragmentB(), fragmentB()};
    Tensor scales, coming; // of a tile of K, and of the next
    if (weights)
      scales = weights->scales(), coming = weights->scales();
    Tensor part = sums, factors; // of the products of a tile of K, which have factors
    if (blockScales)
      part = products.zeros(), factors = blockScales->registers();
    auto read = [&](int step, Num stage) {
      rowsA.load(stageOfA(stage), step, a[size_t(step % 2)]);
      if (weights)
        weights->load(stageOfB(stage), step, scales, b[size_t(step % 2)]);
      else
        rowsB.load(stageOfB(stage), step, b[size_t(step % 2)]);
    };
    for (int i = 0; i + 1 < c.stages; ++i)
      begin(splits() ? at.firstK + i : i32(i), i32(i * plan.stageBytes()));
    if (weights)
      weights->loadScales(at.firstK, scales);
    await(at.firstK, i32(0));
    read(0, i32(0));
    struct Turn {
      Num reads, fills; // where stages begin
      auto members() { return std::tie(reads, fills); }
    };
    Num endK = splits() ? at.endK : tilesOfK(given.a);
    const int steps = plan.a.steps();
    For(at.firstK, endK, 1, Turn{i32(0), i32((c.stages - 1) * plan.stageBytes())},
        [&](Num i, Turn &now) {
          Num next = after(now.reads);
          for (int step = 0; step < steps; ++step) {
            if (step + 1 == steps) {
              await(i + 1, next);
              if (weights)
                store_vec(load_vec(coming), scales);
              read(0, next);
            } else
              read(step + 1, now.reads);
            if (step == 0 && weights)
              weights->loadScales(i + 1, coming);
            if (step == 0 && blockScales)
              blockScales->load(i, factors);
            if (step == 0)
              begin(i + (c.stages - 1), now.fills);
            products.add(a[size_t(step % 2)], b[size_t(step % 2)], part);
          }
          if (blockScales)
            blockScales->add(part, sums, factors);
          now = {next, after(now.fills)};
        });
    if (isAsync)
      cp_async_wait(0);
    sync_threads();
  }
};
} // namespace

void sm80::buildGemm(const GemmConfig &config) { Gemm(config).build(); }
