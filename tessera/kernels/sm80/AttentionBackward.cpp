// Two kernels, of dK and dV and of dQ: cp.async -> shared memory -> ldmatrix -> mma.sync.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each warp has rows of its own, as in the forward pass: it keeps their sums, and P and dS go from
// the sums of one product to the first operand of the next without leaving its registers. Where the
// rows are keys, S and dP are computed transposed.
#include "tessera/kernels/sm80/AttentionBackward.h"

#include "tessera/kernels/Errors.h"
#include "tessera/kernels/WarpGroups.h"
#include "tessera/kernels/attention/AttentionBackwardCall.h"
#include "tessera/kernels/sm80/AttentionParts.h"

#include <array>
#include <optional>
#include <vector>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using sm80::SlicedTile;
using sm80::TileProducts;

namespace {

constexpr int warps = 4, threads = warps * atom::Threads::ofWarp;
constexpr int rowsOfThread = 2; // of a block of sums: 8 apart

bool isTuring(const AttentionBackwardConfig &c) { return c.target.number() < 80; }

/// Shared memory of a kernel, and how many rows a block keeps and goes over at a time. Of two tiles
/// the first is as wide as Q and K, the second as V and dO.
struct Plan {
  Plan(const AttentionBackwardConfig &c, GradientWork work) : c(c), work(work) {
    std::tie(blocks, step) = form();
    auto tiles = [&](int count, const SlicedTile &tile) {
      return memory.allocate(count * tile.bytes(), SlicedTile::alignment);
    };
    for (size_t i = 0; i < work.tilesKept(); ++i)
      own[i] = tiles(1, tileOwn(i));
    for (size_t i : {0, 1})
      others[i] = tiles(c.stages, tileOther(i));
    if (ofKeys())
      statistics = memory.allocate(c.stages * numbersOfStage() * int64_t(sizeof(float)),
                                   SlicedTile::alignment);
  }
  const AttentionBackwardConfig &c;
  GradientWork work;
  int blocks, step; // of 16 rows that a warp keeps; rows that a block goes over at a time
  SharedMemory memory;
  Region own[2], others[2], statistics;

  bool ofKeys() const { return work.ofKeys(); }
  int width(size_t i) const { return i ? c.valueDims() : c.headDim; }
  int ownRows() const { return rowsOf(blocks); }
  SlicedTile tileOwn(size_t i) const { return {ownRows(), width(i)}; }
  SlicedTile tileOther(size_t i) const { return {step, width(i)}; }
  /// Minus a logarithm, and delta, of each query.
  int numbersOfStage() const { return 2 * step; }

private:
  static int rowsOf(int blocks) { return warps * TileProducts::rows * blocks; }
  /// The largest form for which there is shared memory, and whose sums, which are results, S and
  /// dP, leave registers for all else: as many as ptxas compiles without spills. Else the smallest.
  std::pair<int, int> form() const {
    const int most = isTuring(c) && c.softcap && c.alibi ? 144 : 160;
    const int ofResults = (work.scores ? width(0) / 2 : 0) + (work.values ? width(1) / 2 : 0);
    constexpr std::pair<int, int> forms[] = {{2, 64}, {2, 32}, {1, 64}, {1, 32}, {1, 16}};
    for (auto [blocks, step] : forms) {
      int64_t bytes = ofKeys() ? c.stages * 2 * step * int64_t(sizeof(float)) : 0;
      for (size_t i = 0; i < work.tilesKept(); ++i)
        bytes += SlicedTile(rowsOf(blocks), width(i)).bytes();
      for (size_t i : {0, 1})
        bytes += c.stages * SlicedTile(step, width(i)).bytes();
      if (blocks * (ofResults + (work.scores ? step : step / 2)) <= most &&
          bytes <= c.target.maxDynamicShared())
        return {blocks, step};
    }
    return forms[4];
  }
};

/// The parameters of a kernel: K and V, and Q and dO, or the other way round; for each query minus
/// the logarithm of its sum and delta; dK and dV, or dQ.
struct Parameters {
  std::array<Tensor, 2> own, others;
  Tensor statistics;
  llvm::SmallVector<Tensor> results;
  Num queries, keys, sharing, scale;
  GradientScores scores;

  auto members() {
    return std::tie(own, others, statistics, results, queries, keys, sharing, scale, scores);
  }
};

class Gradient : ThreadIds {
public:
  Gradient(const AttentionBackwardConfig &c, GradientWork work)
      : c(c), plan(c, work), at(c, work.of, plan.ownRows(), plan.step), loads{isTuring(c), threads},
        products(*Element::named(c.element), isTuring(c), plan.blocks) {}

  void launchFor(const GradientCall &call, Stream stream) {
    given = {{call.k, call.v}, {call.q, call.gradient},
             call.statistics,  {},
             call.queries,     call.keys,
             call.sharing,     call.scale,
             call.scores};
    if (!plan.ofKeys())
      std::swap(given.own, given.others);
    if (plan.work.scores)
      given.results.push_back(plan.ofKeys() ? call.dK : call.dQ);
    if (plan.work.values)
      given.results.push_back(call.dV);
    Num rows = plan.ofKeys() ? call.longestK : call.longestQ;
    launch(name(),
           {(rows + (plan.ownRows() - 1)) / plan.ownRows(),
            plan.ofKeys() ? call.headsOfK : call.heads, call.batches, threads, plan.memory.bytes()},
           stream, given);
  }
  void write() {
    kernel(name(), threads, given, [&](const Parameters &parameters) {
      given = parameters;
      body();
    });
  }

private:
  const AttentionBackwardConfig &c;
  Plan plan;
  GradientTile at;
  Parameters given; // set by the host function
  sm80::TileLoads loads;
  TileProducts products;
  Num head;                         // of the block: one of what it keeps
  Num row;                          // of the thread, the first
  Num slope;                        // of ALiBi, where all columns are of one head of Q
  Num inHead;                       // tiles that the block goes over in each head
  Pointer ofWarp[2];                // the warp's rows of the tiles that the block keeps
  Pointer asRows[2], asColumns[2];  // the lane's rows of ldmatrix in the first stage of others
  Pointer asFirst[2];               // and in the warp's rows
  Tensor scores, gradients, narrow; // S, then P; dP, then dS; one of them as elements
  std::optional<Tensor> sumOfScores, sumOfValues; // dK or dQ; dV
  std::vector<Num> rowLogs, rowDeltas;            // of the thread's queries

  std::string name() const { return cat("attention_backward_", plan.work.name(), c.name()); }
  Element element() const { return *Element::named(c.element); }
  Pointer start(Region region) const {
    return plan.memory.pointer(region, element(), {}, SlicedTile::alignment);
  }
  int perRow() const { return plan.step / 4; } // elements of a row of S that a thread has

  void body() {
    static_cast<ThreadIds &>(*this) = ThreadIds::here();
    plan.memory.open();
    loads.index = index;
    head = block_idx(1);
    Num tile = block_idx(0);
    if (c.causal && !plan.ofKeys()) // the longest first
      tile = grid_dim(0) - 1 - tile;
    at.begin(given.scores, tile, block_idx(2), given.queries, given.keys);
    c.varlen ? If(at.isThere(), [&] { work(); }) : work(); // the longest sequence has this tile
  }
  void work() {
    inHead = at.steps - at.first;
    Num total = plan.ofKeys() ? inHead * given.sharing : inHead;
    prepare();
    for (size_t i = 0; i < plan.work.tilesKept(); ++i) {
      Tensor of = at.rowsOf(given.own[i], plan.work.of, head);
      loads.rows(of, at.tile * plan.ownRows(), start(plan.own[i]), plan.tileOwn(i), ownLength());
    }
    // The first group has the tiles that are kept, too.
    for (int t = 0; t < ahead(); ++t) {
      If(t < total, [&] { loadOthers(i32(t)); });
      loads.commit();
    }
    For(0, total, 1, [&](Num t) {
      auto load = [&] { loadOthers(t + ahead()); };
      if (!ahead()) {
        sync_threads(); // all have read the tile before
        load();
        loads.commit();
      }
      loads.await(std::max(ahead() - 1, 0)); // and all have read the tile that is replaced
      if (ahead()) {
        If(t + ahead() < total, load);
        loads.commit();
      }
      oneStep(t);
    });
    loads.await(0); // where no tile came, those that are kept may still arrive
    store();
  }
  /// Rows of the sequence.
  Num ownLength() const { return plan.ofKeys() ? at.keys : at.queries; }
  Num otherLength() const { return plan.ofKeys() ? at.queries : at.keys; }
  GradientOf ofOthers() const { return plan.ofKeys() ? GradientOf::Queries : GradientOf::Keys; }
  /// Tiles that are begun before one is read.
  int ahead() const { return c.stages - 1; }

  void prepare() {
    products.begin();
    int firstRow = plan.blocks * TileProducts::rows;
    row = at.tile * plan.ownRows() + warp * firstRow + lane / 4;
    Num rows = TileProducts::placeAsRows(lane), columns = TileProducts::placeAsColumns(lane);
    const int perWarp = firstRow * SlicedTile::sliceColumns;
    for (size_t i : {0, 1}) {
      if (i < plan.work.tilesKept()) {
        ofWarp[i] = offset(start(plan.own[i]), (warp * perWarp).promised(perWarp));
        asFirst[i] = offset(ofWarp[i], rows);
      }
      asRows[i] = offset(start(plan.others[i]), columns);
      asColumns[i] = offset(start(plan.others[i]), rows);
    }
    scores = products.registers(f32, plan.step);
    if (plan.work.scores)
      gradients = products.registers(f32, plan.step);
    narrow = products.registers(element(), plan.step);
    if (plan.work.scores)
      sumOfScores = products.zeros(plan.width(0));
    if (plan.work.values)
      sumOfValues = products.zeros(plan.width(1));
    if (plan.ofKeys())
      return;
    slope = at.slopeOf(head);
    Tensor of = at.statisticsOf(given.statistics, head);
    Num last = c.varlen ? at.queries - 1 : size(of, 0) - 1;
    for (int block = 0; block < plan.blocks; ++block)
      for (int r = 0; r < rowsOfThread; ++r) {
        Num query = min(rowOf(block, r), last);
        rowLogs.push_back(load(of, make_coord(query, 0)));
        rowDeltas.push_back(load(of, make_coord(query, 1)));
      }
  }
  Num rowOf(int block, int ofThread) const {
    return row + (block * TileProducts::rows + 8 * ofThread);
  }

  //===--- the tiles that a block goes over
  //-----------------------------------------------------===//

  Pointer staged(Pointer at, Num t, size_t i) const {
    if (c.stages == 1)
      return at;
    constexpr int piece = SlicedTile::pieceElements;
    return offset(at, (t % c.stages * plan.tileOther(i).elements()).promised(piece));
  }
  /// Keys have all the heads of Q that share them, one after the other.
  Num headOf(Num t) const {
    return plan.ofKeys() ? head * given.sharing + t / inHead : head / given.sharing;
  }
  Num tileOf(Num t) const { return at.first + (plan.ofKeys() ? t % inHead : t); }

  void loadOthers(Num t) {
    Num ofHead = headOf(t), first = tileOf(t) * plan.step;
    for (size_t i : {0, 1}) {
      Tensor of = at.rowsOf(given.others[i], ofOthers(), ofHead);
      loads.rows(of, first, staged(start(plan.others[i]), t, i), plan.tileOther(i), otherLength());
    }
    if (!plan.ofKeys())
      return;
    constexpr int numbers = 4; // of 16 bytes
    const int pieces = plan.step / numbers;
    If(index < 2 * pieces, [&] {
      Num which = index / pieces, place = (index % pieces * numbers).promised(numbers);
      Tensor of = at.statisticsOf(given.statistics, ofHead)(_, which);
      Pointer from = offset(get_iter(of), (first + place).promised(numbers));
      Num there = t % c.stages * plan.numbersOfStage() + which * plan.step + place;
      Pointer to = offset(statisticsInMemory(), there.promised(numbers));
      loads.numbers(from, to);
    });
  }
  Pointer statisticsInMemory() const {
    return plan.memory.pointer(plan.statistics, f32, {}, SlicedTile::alignment);
  }
  /// A number of each of a thread's columns (0: minus the logarithm, 1: delta).
  Num ofColumns(Num t, int which) const {
    Num first = t % c.stages * plan.numbersOfStage() + which * plan.step + lane % 4 * 2;
    return load_vec(make_tensor(offset(statisticsInMemory(), first.promised(2)),
                                make_layout(make_shape(2, plan.step / 8), make_stride(1, 8))));
  }

  //===--- a step
  //-------------------------------------------------------------------------------===//

  void multiply(size_t which, Num t, Tensor to) {
    Tensor some = make_rmem_tensor(element(), make_layout(TileProducts::ofA * plan.blocks));
    auto fetch = [&](int column) {
      products.fetch(asFirst[which], plan.tileOwn(which), column, get_iter(some));
      return get_iter(some);
    };
    products.multiply(fetch, plan.width(which), staged(asRows[which], t, which),
                      plan.tileOther(which), plan.step, to);
  }
  /// Adds the products of P or dS and a tile of the others.
  void add(Tensor of, size_t other, Num t, Tensor to) {
    store_vec(convert(load_vec(of), element()), narrow);
    products.add(narrow, plan.step, staged(asColumns[other], t, other), plan.tileOther(other),
                 plan.width(other), to);
  }
  /// `f` of each row of S or dP.
  void forRows(Tensor of, const std::function<Num(int, int, Num)> &f) {
    for (int block = 0; block < plan.blocks; ++block)
      for (int r = 0; r < rowsOfThread; ++r) {
        Tensor row = TileProducts::rowOf(of, plan.step, block, r);
        store_vec(f(block, r, load_vec(row)), row);
      }
  }
  Num ofRow(const std::vector<Num> &numbers, int block, int r) const {
    return broadcast(numbers[size_t(block * rowsOfThread + r)], perRow());
  }

  void oneStep(Num t) {
    const bool ofKeys = plan.ofKeys();
    multiply(0, t, scores);
    Num logs, deltas, i = tileOf(t);
    if (ofKeys)
      logs = ofColumns(t, 0), slope = at.slopeOf(headOf(t));
    Num firstColumn = i * plan.step + lane % 4 * 2;
    auto logsOf = [&](int block, int r) { return ofKeys ? logs : ofRow(rowLogs, block, r); };
    forRows(scores, [&](int block, int r, Num s) {
      return at.powers(s, logsOf(block, r), rowOf(block, r), firstColumn, slope);
    });
    if (at.masks())
      If((i >= at.masksFrom) & (i < at.masksTo), [&] {
        forRows(scores,
                [&](int block, int r, Num p) { return at.seen(p, rowOf(block, r), firstColumn); });
      });
    if (plan.work.values)
      add(scores, 1, t, *sumOfValues);
    if (!plan.work.scores)
      return;
    multiply(1, t, gradients);
    if (ofKeys)
      deltas = ofColumns(t, 1);
    forRows(gradients, [&](int block, int r, Num dP) {
      Num p = load_vec(TileProducts::rowOf(scores, plan.step, block, r));
      return at.gradients(p, dP, ofKeys ? deltas : ofRow(rowDeltas, block, r), logsOf(block, r),
                          rowOf(block, r), firstColumn, slope);
    });
    add(gradients, 0, t, *sumOfScores);
  }

  /// By way of the warp's rows of the tiles that the block keeps. Those of wide heads are K and V,
  /// or K alone, which has room for dV.
  void store() {
    llvm::SmallVector<std::pair<Tensor, size_t>> results;
    if (sumOfScores) {
      Num values = load_vec(*sumOfScores);
      store_vec(values * broadcast(given.scale, count(values)), *sumOfScores);
      results.push_back({*sumOfScores, 0});
    }
    if (sumOfValues)
      results.push_back({*sumOfValues, 1});
    Num first = at.tile * plan.ownRows() + warp * (plan.blocks * TileProducts::rows);
    for (auto [i, result] : llvm::enumerate(results))
      products.put(result.first, plan.tileOwn(result.second), ofWarp[i], lane);
    sync_warp();
    for (auto [i, result] : llvm::enumerate(results))
      products.store(plan.tileOwn(result.second), ofWarp[i], lane,
                     at.rowsOf(given.results[i], plan.work.of, head), first, ownLength());
  }
};
} // namespace

std::optional<Reason> sm80::refusedAttentionBackward(const AttentionBackwardConfig &c) {
  if (isTuring(c) && c.element != "f16")
    return fail(Error::AttentionElement, cat("f16 on ", c.target.str()), c.element);
  if (isTuring(c) && c.stages != 1)
    return fail(Error::AttentionBackwardTuring, c.target.str(), c.stages);
  int64_t most = c.target.maxDynamicShared();
  for (GradientWork work : worksOf(c))
    if (Plan plan(c, work); plan.memory.bytes() > most)
      return fail(Error::AttentionShared, c.stages, plan.step, plan.memory.bytes(), most);
  return std::nullopt;
}

void sm80::buildAttentionBackward(const AttentionBackwardConfig &c) {
  std::vector<Gradient> kernels;
  for (GradientWork work : worksOf(c))
    kernels.emplace_back(c, work);
  writeGradients(c, [&](const GradientCall &call, Stream stream) {
    for (Gradient &kernel : kernels)
      kernel.launchFor(call, stream);
  });
  for (Gradient &kernel : kernels)
    kernel.write();
}
