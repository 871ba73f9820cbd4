// Attention by products of warps: cp.async -> shared memory -> ldmatrix -> mma.sync -> softmax in
// registers -> mma.sync.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule is FlashAttention-2's (Dao, 2023, section 3): each warp has rows of its own, so that
// warps share nothing but tiles of K and V; P goes from the sums of the first product to the second
// one without leaving its registers.
#include "tessera/kernels/sm80/Attention.h"

#include "tessera/kernels/attention/FewQueries.h"
#include "tessera/kernels/sm80/AttentionParts.h"
#include "tessera/kernels/sm80/AttentionPlan.h"

#include <limits>
#include <numbers>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using sm80::SlicedTile;
using sm80::TileProducts;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int threads = sm80::threadsOfAttention;
constexpr int rowsOfMma = TileProducts::rows, columnsOfMma = TileProducts::columns,
              depthOfMma = TileProducts::depth, ofA = TileProducts::ofA;
constexpr int pieceElements = SlicedTile::pieceElements, sliceColumns = SlicedTile::sliceColumns;

class Attention {
public:
  explicit Attention(const AttentionConfig &c)
      : c(c), plan(c), s(c, plan), few(s), blocks(c.consumers), loads{sm80::isTuring(c), threads},
        products(s.element(), sm80::isTuring(c), blocks),
        tileQ(c.tileM(), products.units(c.headDim)), tileK(c.tileN, products.units(c.headDim)),
        tileV(c.tileN, products.units(c.valueDims())), tileO(c.tileM(), c.valueDims()) {}

  void build() {
    writeKernel(s, threads, [&] { work(); });
  }

private:
  const AttentionConfig &c;
  const sm80::AttentionPlan plan;
  AttentionBlock s;
  const FewQueries few;
  const int blocks; // of 16 rows, that a warp has
  sm80::TileLoads loads;
  TileProducts products;
  const SlicedTile tileQ, tileK, tileV, tileO;

  Num firstRow;                      // of the warp, in the tile
  Num slope;                         // of ALiBi, times log2(e)
  Num slopes[rowsOfThread];          // the same for few queries, whose rows are of several heads
  Pointer atQ, atK, atV;             // the lane's row of ldmatrix, in the first slice
  Tensor queries, sums, powers, out; // Q if it is kept, S, P, O

  Pointer start(Region region) const {
    return s.plan.memory.pointer(region, products.unit(), {}, SlicedTile::alignment);
  }
  /// Whether Q stays in registers: where O, S and Q together leave room for all else.
  bool keepsQueries() const {
    constexpr int most = 160;
    return blocks * (c.valueDims() / 2 + c.tileN / 2 + products.units(c.headDim) / 4) <= most;
  }

  //===--- from device memory -----------------------------------------------------------------===//

  // Steps are counted by the tiles that are left after them.
  Pointer staged(Pointer at, Num left, const SlicedTile &tile) const {
    if (c.stages == 1)
      return at;
    return offset(at, (left % c.stages * tile.elements()).promised(pieceElements));
  }
  Num firstKey(Num left) const { return (s.first ? s.first + left : left) * c.tileN; }
  /// Of the first step, the keys may end within the tile: `bounded`.
  void loadK(Num left, bool bounded) { loadKeys(*s.given.plainK, s.plan.k, tileK, left, bounded); }
  void loadV(Num left, bool bounded) { loadKeys(*s.given.plainV, s.plan.v, tileV, left, bounded); }
  void loadKeys(const Tensor &all, Region to, const SlicedTile &tile, Num left, bool bounded) {
    if (c.pageSize)
      return loadPages(all, to, tile, left);
    Tensor head = s.ofHead(all, c.splits ? s.head : s.head / s.given.sharing, s.startK);
    loads.rows(head, firstKey(left), staged(start(to), left, tile), tile,
               bounded ? std::optional(s.given.keys) : std::nullopt);
  }
  /// Each row by the page that it is in; after the last key that one's page once more.
  void loadPages(const Tensor &all, Region to, const SlicedTile &tile, Num left) {
    Num last = max(s.given.keys - 1, 0) / c.pageSize;
    auto rowOf = [&](Num key) {
      Num page = dsl::load(*s.given.pages, make_coord(s.batch, min(key / c.pageSize, last)));
      return all(key % c.pageSize, _, s.head, page);
    };
    loads.each(rowOf, firstKey(left), staged(start(to), left, tile), tile, s.given.keys);
  }
  void loadQueries() {
    if (c.splits)
      loads.each([&](Num row) { return few.rowOf(*s.given.plainQ, row); }, s.tile * c.tileM(),
                 start(s.plan.q), tileQ, few.rows());
    else
      loads.rows(s.ofHead(*s.given.plainQ, s.head, s.startQ), s.tile * c.tileM(), start(s.plan.q),
                 tileQ, s.given.queries);
  }
  /// Until the oldest tile has arrived, for all threads. Groups are K, V, K, V ..., begun so many
  /// stages ahead; a group may be empty.
  void await() const { loads.await(2 * (c.stages - 1)); }

  //===--- products ---------------------------------------------------------------------------===//

  void fetchQueries(int column, Pointer to) const { products.fetch(atQ, tileQ, column, to); }
  Pointer keptQueries(int column) const {
    return offset(get_iter(queries), column / depthOfMma * ofA * blocks);
  }
  void multiplyQK(Num left) {
    Tensor some = make_rmem_tensor(products.unit(), make_layout(ofA * blocks));
    auto fetch = [&](int column) {
      Pointer a = keepsQueries() ? keptQueries(column) : get_iter(some);
      if (!keepsQueries())
        fetchQueries(column, a);
      return a;
    };
    products.multiply(fetch, products.units(c.headDim), staged(atK, left, tileK), tileK, c.tileN,
                      sums);
  }
  void multiplyPV(Num left) {
    products.add(powers, c.tileN, staged(atV, left, tileV), tileV, c.valueDims(), out);
  }

  //===--- softmax ----------------------------------------------------------------------------===//

  using Rows = std::vector<std::array<RowState, rowsOfThread>>; // of each block

  static int rowInWarp(int block, int ofThread) { return block * rowsOfMma + 8 * ofThread; }
  Num queryOf(int block, int ofThread) const {
    if (c.splits)
      return few.query(few.row(ofThread));
    return s.tile * c.tileM() + firstRow + s.lane / 4 + rowInWarp(block, ofThread);
  }
  /// `f` of each row's elements.
  void forRows(Tensor accumulators, int columns, const std::function<Num(int, int, Num)> &f) {
    for (int block = 0; block < blocks; ++block)
      for (int r = 0; r < rowsOfThread; ++r) {
        Tensor row = TileProducts::rowOf(accumulators, columns, block, r);
        store_vec(f(block, r, load_vec(row)), row);
      }
  }
  static Num overQuad(Num value, const std::function<Num(Num, Num)> &combine) {
    for (int lanes : {1, 2}) // the lanes that share a row
      value = combine(value, shfl_xor(value, lanes));
    return value;
  }

  /// Applies cap and ALiBi to the scores, and with `masks` leaves out the keys that a query does
  /// not see. A causal mask sees how far a key is from a query only, so that one row's numbers, in
  /// one register, serve for all: columns are moved instead.
  void score(Num left, bool masks) {
    Num pair = s.lane % 4 * 2, firstColumn = firstKey(left);
    const bool moves = c.causal && !c.splits; // rows that are queries one after the other
    if (!moves)
      firstColumn = firstColumn + pair;
    forRows(sums, c.tileN, [&](int block, int r, Num row) {
      const int down = moves ? rowInWarp(block, r) : 0;
      llvm::SmallVector<int32_t> columns;
      for (int i = 0; i < c.tileN / 4; ++i)
        columns.push_back(i / 2 * columnsOfMma + i % 2 - down);
      Num after = (moves ? queryOf(0, 0) - pair : queryOf(block, r)) + 1;
      return s.score(row, columns, firstColumn, after, c.splits ? slopes[r] : slope, masks);
    });
  }
  void softmax(Rows &rows) {
    const int count = c.tileN / 4, ofOut = c.valueDims() / 4;
    Num scale = s.scaleOfScores();
    auto larger = [](Num x, Num y) { return max(x, y); };
    forRows(sums, c.tileN, [&](int block, int r, Num row) {
      RowState &state = rows[size_t(block)][size_t(r)];
      Num most = max(state.most, overQuad(reduce(row, larger), larger));
      Num base = select(most == f32(-infinity), f32(0), most * scale); // no key so far
      Num minusBase = f32(0) - base;
      Num shrink = exp2(fma(state.most, scale, minusBase));
      if (s.grows())
        minusBase = minusBase + f32(s.grows());
      Num exponentials = exp2(fma(row, broadcast(scale, count), broadcast(minusBase, count)));
      Num sum = reduce(exponentials, [](Num x, Num y) { return x + y; });
      state = {most, fma(state.sum, shrink, sum)};
      Tensor before = TileProducts::rowOf(out, c.valueDims(), block, r);
      store_vec(load_vec(before) * broadcast(shrink, ofOut), before);
      return exponentials;
    });
    products.narrow(sums, c.tileN, powers);
  }

  //===--- the kernel -------------------------------------------------------------------------===//

  struct Progress {
    Num left; // tiles
    Rows rows;
    auto members() { return std::tie(left, rows); }
  };
  /// Tiles of V are begun before the product of Q and K, those of K before that of P and V.
  void step(Progress &now) {
    const int ahead = c.stages - 1;
    Num left = now.left;
    await(); // and all warps have multiplied by V of the step before
    // The last tile, which alone may have rows after the last key, was begun before the first step.
    auto beginV = [&] { loadV(left - ahead, false); };
    ahead ? If(left >= ahead, beginV) : If(left < s.steps - 1, beginV);
    loads.commit();
    multiplyQK(left);
    std::function<void()> unmasked;
    if (s.makesScores())
      unmasked = [&] { score(left, false); };
    If(cuts(left), [&] { score(left, true); }, unmasked);
    softmax(now.rows);
    await(); // and all warps have multiplied by K
    If(left >= c.stages, [&] { loadK(left - c.stages, false); });
    loads.commit();
    multiplyPV(left);
    now.left = left - 1;
  }
  /// Whether some query's last key is before the tile's end, or its first one after the tile's
  /// start. The last key of all is in the first step's tile.
  Num cuts(Num left) const {
    Num last = left == s.steps - 1;
    if (s.hasBounds())
      last = left >= min(s.whole, s.steps - 1);
    return c.window ? last | (left < s.cut) : last;
  }

  void work() {
    firstRow = s.warp * (rowsOfMma * blocks);
    loads.index = s.index;
    if (s.plan.overlaps() && !c.lengths)
      griddepcontrol_wait();
    if (c.alibi && !c.splits)
      slope = dsl::load(*s.given.slopes, s.head) * f32(std::numbers::log2e);
    for (int r = 0; c.alibi && c.splits && r < rowsOfThread; ++r)
      slopes[r] = dsl::load(*s.given.slopes, few.head(few.row(r))) * f32(std::numbers::log2e);
    loadQueries();
    loadK(s.steps - 1, true);
    loads.commit();
    loadV(s.steps - 1, true);
    loads.commit();
    for (int stage = 1; stage < c.stages; ++stage) {
      If(stage < s.steps, [&] { loadK(s.steps - 1 - stage, false); });
      loads.commit();
      if (stage + 1 == c.stages) // else the first step begins it
        break;
      If(stage < s.steps, [&] { loadV(s.steps - 1 - stage, false); });
      loads.commit();
    }

    prepare();
    if (!c.splits)
      park();
    RowState none{f32(-infinity), f32(0)};
    Progress now{s.steps - 1, Rows(size_t(blocks), {none, none})};
    now = While(now, [](Progress &at) { return at.left >= 0; }, [&](Progress &at) { step(at); });
    if (!c.splits)
      return store(now.rows);
    few.put(out, now.rows.front());
    s.meet();
    few.finish();
    if (c.splits > 1)
      s.meet(); // not before others have read what this block summed
  }

  void prepare() {
    products.begin();
    Pointer mine = ofWarp();
    Num rows = TileProducts::placeAsRows(s.lane);
    atQ = offset(mine, rows), atV = offset(start(s.plan.v), rows);
    atK = offset(start(s.plan.k), TileProducts::placeAsColumns(s.lane));
    sums = products.registers(f32, c.tileN), powers = products.registers(s.element(), c.tileN);
    out = products.zeros(c.valueDims());
    if (!keepsQueries())
      return;
    queries = products.registers(products.unit(), products.units(c.headDim));
    await();
    for (int column = 0; column < products.units(c.headDim); column += depthOfMma)
      fetchQueries(column, keptQueries(column));
  }
  /// The warp's rows of Q, and of O in the same place.
  Pointer ofWarp() const {
    return offset(start(s.plan.q), (firstRow * sliceColumns).promised(rowsOfMma * sliceColumns));
  }

  //===--- result -----------------------------------------------------------------------------===//

  /// What is not needed before the result waits in shared memory, as the loop needs all registers.
  void park() {
    If(s.index == 0, [&] { forParked([](Num value, Tensor at) { dsl::store(value, at, 0); }); });
  }
  void unpark() {
    forParked([](Num &value, Tensor at) { value = dsl::load(at, 0); });
  }
  template <class F> void forParked(F &&each) {
    int64_t at = 0;
    std::vector<Num *> values = {&s.tile, &s.head};
    if (c.varlen)
      values.insert(values.end(), {&s.startQ, &s.given.queries});
    else
      values.push_back(&s.batch);
    for (Num *value : values) {
      Pointer word = offset(s.plan.memory.pointer(plan.parked, i32, {}, 4), at++);
      each(*value, make_tensor(word, make_layout(1)));
    }
  }

  /// O divided by the sums.
  void store(const Rows &rows) {
    unpark();
    forRows(out, c.valueDims(), [&](int block, int r, Num row) {
      const RowState &state = rows[size_t(block)][size_t(r)];
      Num sum = overQuad(state.sum, [](Num x, Num y) { return x + y; });
      Num none = sum == f32(0), one = f32(1);
      if (c.lse) {
        Num logarithm =
            fma(state.most, s.scaleOfScores(), s.grows() ? log2(sum) - f32(s.grows()) : log2(sum));
        storeLogarithm(queryOf(block, r), select(none, f32(-infinity), logarithm));
      }
      Num factor = divide_approx(c.isNarrow() ? s.scaleV : one, select(none, one, sum));
      return row * broadcast(factor, c.valueDims() / 4);
    });
    c.isNarrow() ? storeFours() : storePieces();
  }
  /// By way of the warp's rows of Q, which nobody reads any more, so that a warp stores whole
  /// pieces.
  void storePieces() {
    // Another register, so that none keeps what is computed from the thread's index.
    Num lane = special_register("laneid");
    sync_warp(); // all lanes have read Q
    products.put(out, tileO, ofWarp(), lane);
    sync_warp();
    products.store(tileO, ofWarp(), lane, s.ofHead(*s.given.plainO, s.head, s.startQ),
                   s.tile * c.tileM() + firstRow, s.given.queries);
  }
  /// Of V of 8 bits a thread has four elements of 16 side by side (TileProducts).
  void storeFours() {
    constexpr int beside = 4, together = 16;
    Tensor head = s.ofHead(*s.given.plainO, s.head, s.startQ);
    Shape fours = make_shape(make_shape(2, 2), c.valueDims() / together);
    for (int block = 0; block < blocks; ++block)
      for (int r = 0; r < rowsOfThread; ++r)
        If(queryOf(block, r) < s.given.queries, [&] {
          Pointer mine = get_iter(TileProducts::rowOf(out, c.valueDims(), block, r));
          Pointer to =
              offset(get_iter(head(queryOf(block, r), _)), (s.lane % 4 * beside).promised(beside));
          Num values = load_vec(make_tensor(
              mine, make_layout(fours, make_stride(make_stride(TileProducts::ofC, 1), 8))));
          store_vec(convert(values, s.result()),
                    make_tensor(to, make_layout(fours, make_stride(make_stride(1, 2), together))));
        });
  }
  /// Of a query, in base 2.
  void storeLogarithm(Num query, Num logarithm) {
    If((s.lane % 4 == 0) & (query < s.given.queries), [&] {
      Coord at =
          c.varlen ? make_coord(s.startQ + query, s.head) : make_coord(query, s.head, s.batch);
      dsl::store(logarithm * f32(std::numbers::ln2), *s.given.lse, at);
    });
  }
};
} // namespace

void sm80::buildAttention(const AttentionConfig &config) { Attention(config).build(); }
