// Attention by products of warps: cp.async -> shared memory -> ldmatrix -> mma.sync -> softmax in
// registers -> mma.sync.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule is FlashAttention-2's (Dao, 2023, section 3): each warp has rows of its own, so that
// warps share nothing but tiles of K and V; P goes from the sums of the first product to the second
// one without leaving its registers.
#include "tessera/kernels/sm80/Attention.h"

#include "tessera/kernels/attention/FewQueries.h"
#include "tessera/kernels/sm80/AttentionPlan.h"
#include "tessera/kernels/sm80/AttentionTiles.h"

#include <limits>
#include <numbers>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using sm80::SlicedTile;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int threads = sm80::threadsOfAttention;
constexpr int rowsOfMma = 16, columnsOfMma = 8, depthOfMma = 16;
/// Elements that a thread has of a block of 16 x 16 as first operand, as second one (depth x
/// columns), and of 16 x 8 sums (PTX ISA 9.7.14.5.8).
constexpr int ofA = 8, ofB = 8, ofC = 4;
constexpr int bitsAtOnce = 128; // that cp.async copies, and that are a row of ldmatrix
constexpr int pieceElements = SlicedTile::pieceElements, sliceColumns = SlicedTile::sliceColumns;

class Attention {
public:
  explicit Attention(const AttentionConfig &c)
      : c(c), plan(c), s(c, plan), few(s), blocks(c.consumers), tileQ(c.tileM(), c.headDim),
        tileK(c.tileN, c.headDim), tileV(c.tileN, c.valueDims()), tileO(c.tileM(), c.valueDims()) {}

  void build() {
    writeKernel(s, threads, [&] { work(); });
  }

private:
  const AttentionConfig &c;
  const sm80::AttentionPlan plan;
  AttentionBlock s;
  const FewQueries few;
  const int blocks; // of 16 rows, that a warp has
  const SlicedTile tileQ, tileK, tileV, tileO;

  Num firstRow;             // of the warp, in the tile
  Num slope;                // of ALiBi, times log2(e)
  Num slopes[rowsOfThread]; // the same for few queries, whose rows are of several heads
  TiledMma mma;
  Atom loadRows, loadColumns;        // ldmatrix, and the one that transposes
  Pointer atQ, atK, atV;             // the lane's row of ldmatrix, in the first slice
  Tensor queries, sums, powers, out; // Q if it is kept, S, P, O

  bool isTuring() const { return sm80::isTuring(c); }
  Pointer start(Region region) const {
    return s.plan.memory.pointer(region, s.element(), {}, SlicedTile::alignment);
  }
  /// Whether Q stays in registers: where O, S and Q together leave room for all else.
  bool keepsQueries() const {
    constexpr int most = 160;
    return blocks * (c.valueDims() / 2 + c.tileN / 2 + c.headDim / 4) <= most;
  }

  //===--- from device memory -----------------------------------------------------------------===//

  /// The place of a piece of a slice's row, in elements from the start of the slice.
  static Num place(Num row, Num piece) {
    Num there = piece ^ (row / SlicedTile::exchangedRows % 2);
    return (row * sliceColumns + there * pieceElements).promised(pieceElements);
  }
  /// The place of one of many pieces of a row, of lanes that have such side by side.
  static Num placeAcross(Num row, Num piece, const SlicedTile &tile) {
    return (place(row, piece % 2) + piece / 2 * tile.stride()).promised(pieceElements);
  }
  /// The row of a thread and its first piece. Four lanes to a row are of rows 0 and 2, then 1 and
  /// 3, as eight lanes of rows 0 and 1 would have two pieces of one place of the banks.
  static std::pair<Num, Num> ofThread(Num index, const SlicedTile &tile) {
    Num row = index / tile.lanes();
    if (tile.lanes() == 4)
      row = row / 4 * 4 + (row % 2 * 2 + row / 2 % 2);
    return {row, index % tile.lanes()};
  }
  /// A row's pieces of a lane, in the head's tensor and in a tile, that begin there.
  static Tensor piecesThere(Tensor head, Num row, Num piece, const SlicedTile &tile) {
    return piecesOf(head(row, _), piece, tile);
  }
  static Tensor piecesOf(Tensor row, Num piece, const SlicedTile &tile) {
    Pointer at = offset(get_iter(row), (piece * pieceElements).promised(pieceElements));
    return make_tensor(at, make_layout(make_shape(pieceElements, tile.turns()),
                                       make_stride(1, tile.lanes() * pieceElements)));
  }
  static Tensor piecesHere(Pointer at, const SlicedTile &tile) {
    return make_tensor(at, make_layout(make_shape(pieceElements, tile.turns()),
                                       make_stride(1, tile.lanes() / 2 * tile.stride())));
  }

  /// Begins to copy rows of a head's tensor, from `first` on, to a tile; with `last` those from
  /// there on are zeros.
  void load(Tensor head, Num first, Pointer to, const SlicedTile &tile, std::optional<Num> last) {
    auto [row, piece] = ofThread(s.index, tile);
    Pointer mine = offset(to, placeAcross(row, piece, tile));
    Tensor rows = rowsFrom(rowsFrom(head, row), first);
    for (int i = 0; i < tile.extent(); i += threads / tile.lanes()) {
      std::optional<Num> isThere;
      if (last)
        isThere = first + i < *last - row;
      (isTuring() ? loadNow : begin)(piecesThere(rows, i32(0), piece, tile),
                                     piecesHere(offset(mine, i * sliceColumns), tile), isThere,
                                     tile.turns());
      rows = rowsFrom(rows, i32(threads / tile.lanes()));
    }
  }
  /// The same of rows that do not follow each other in memory: `rowOf` says where each is.
  void loadEach(const std::function<Tensor(Num)> &rowOf, Num first, Pointer to,
                const SlicedTile &tile, Num last) {
    auto [row, piece] = ofThread(s.index, tile);
    Pointer mine = offset(to, placeAcross(row, piece, tile));
    for (int i = 0; i < tile.extent(); i += threads / tile.lanes()) {
      Num at = first + i + row;
      (isTuring() ? loadNow : begin)(piecesOf(rowOf(at), piece, tile),
                                     piecesHere(offset(mine, i * sliceColumns), tile), at < last,
                                     tile.turns());
    }
  }
  static void begin(const Tensor &from, const Tensor &to, std::optional<Num> isThere, int turns) {
    Atom atom = make_copy_atom("SM80_CP_ASYNC_CACHEGLOBAL", *element_of(from), bitsAtOnce);
    if (!isThere)
      return copy(atom, from, to);
    Tensor one = make_rmem_tensor(i1, make_layout(make_shape(1, turns), make_stride(0, 0)));
    dsl::store(*isThere, one, make_coord(0, 0));
    copy_if(atom, one, from, to);
  }
  /// The same where there is no cp.async.
  static void loadNow(const Tensor &from, const Tensor &to, std::optional<Num> isThere, int turns) {
    Tensor held =
        make_rmem_tensor(*element_of(from), make_layout(make_shape(pieceElements, turns)));
    auto get = [&] { store_vec(load_vec(from), held); };
    if (isThere) {
      Num values = load_vec(held);
      store_vec(convert(broadcast(f32(0), count(values)), *element_of(from)), held);
      If(*isThere, get);
    } else {
      get();
    }
    store_vec(load_vec(held), to);
  }

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
    load(head, firstKey(left), staged(start(to), left, tile), tile,
         bounded ? std::optional(s.given.keys) : std::nullopt);
  }
  /// Each row by the page that it is in; after the last key that one's page once more.
  void loadPages(const Tensor &all, Region to, const SlicedTile &tile, Num left) {
    Num last = max(s.given.keys - 1, 0) / c.pageSize;
    auto rowOf = [&](Num key) {
      Num page = dsl::load(*s.given.pages, make_coord(s.batch, min(key / c.pageSize, last)));
      return all(key % c.pageSize, _, s.head, page);
    };
    loadEach(rowOf, firstKey(left), staged(start(to), left, tile), tile, s.given.keys);
  }
  void loadQueries() {
    if (c.splits)
      loadEach([&](Num row) { return few.rowOf(*s.given.plainQ, row); }, s.tile * c.tileM(),
               start(s.plan.q), tileQ, few.rows());
    else
      load(s.ofHead(*s.given.plainQ, s.head, s.startQ), s.tile * c.tileM(), start(s.plan.q), tileQ,
           s.given.queries);
  }
  void commit() const {
    if (!isTuring())
      cp_async_commit();
  }
  /// Until the oldest tile has arrived, for all threads. Groups are K, V, K, V ..., begun so many
  /// stages ahead; a group may be empty.
  void await() const {
    if (!isTuring())
      cp_async_wait(2 * (c.stages - 1));
    sync_threads();
  }

  //===--- products ---------------------------------------------------------------------------===//

  /// Blocks of 16 x 16: `count` of them, 16 rows apart, at the columns from `column` on.
  static Tensor matrices(Pointer at, const SlicedTile &tile, int row, int column, int count) {
    Pointer first = offset(at, column / sliceColumns * tile.stride() + row * sliceColumns);
    return make_tensor(first, make_layout(make_shape(pieceElements, count),
                                          make_stride(1, rowsOfMma * sliceColumns)));
  }
  /// `to` += A B for all blocks of rows of the warp and 16 columns of B, of depth 16; `nextC` and
  /// `nextA` elements from a block of rows to the next.
  void multiply(Pointer to, int nextC, Pointer a, int nextA, Pointer b) const {
    Shape two = make_shape(2, 2);
    Tensor all = make_tensor(
        to, make_layout(make_shape(two, blocks, 2), make_stride(make_stride(1, 2), nextC, ofC)));
    if (!isTuring()) {
      Tensor first = make_tensor(a, make_layout(make_shape(make_shape(2, 2, 2), blocks),
                                                make_stride(make_stride(1, 2, 4), nextA)));
      Tensor second =
          make_tensor(b, make_layout(make_shape(two, 2), make_stride(make_stride(1, 2), ofB / 2)));
      return gemm(mma, all, first, second, all);
    }
    for (int half = 0; half < 2; ++half) { // of the depth
      Tensor first =
          make_tensor(offset(a, half * ofA / 2),
                      make_layout(make_shape(two, blocks), make_stride(make_stride(1, 2), nextA)));
      Tensor second = make_tensor(offset(b, half * 2), make_layout(two, make_stride(1, ofB / 2)));
      gemm(mma, all, first, second, all);
    }
  }
  void fetchQueries(int column, Pointer to) const {
    copy(loadRows, matrices(atQ, tileQ, 0, column, blocks),
         make_tensor(to, make_layout(make_shape(ofA, blocks))));
  }
  Pointer keptQueries(int column) const {
    return offset(get_iter(queries), column / depthOfMma * ofA * blocks);
  }
  void multiplyQK(Num left) {
    Pointer at = staged(atK, left, tileK);
    store_vec(broadcast(f32(0), blocks * ofBlock(c.tileN)), sums);
    Tensor some = make_rmem_tensor(s.element(), make_layout(ofA * blocks)),
           keys = make_rmem_tensor(s.element(), make_layout(make_shape(ofB, 1)));
    for (int column = 0; column < c.headDim; column += depthOfMma) {
      Pointer a = keepsQueries() ? keptQueries(column) : get_iter(some);
      if (!keepsQueries())
        fetchQueries(column, a);
      for (int key = 0; key < c.tileN; key += 2 * columnsOfMma) {
        copy(loadRows, matrices(at, tileK, key, column, 1), keys);
        multiply(offset(get_iter(sums), ofBlock(key)), ofBlock(c.tileN), a, ofA, get_iter(keys));
      }
    }
  }
  /// The sums of 16 keys, in their order, are a block of the first operand.
  void multiplyPV(Num left) {
    Pointer at = staged(atV, left, tileV);
    Tensor values = make_rmem_tensor(s.element(), make_layout(make_shape(ofB, 1)));
    for (int key = 0; key < c.tileN; key += depthOfMma)
      for (int column = 0; column < c.valueDims(); column += 2 * columnsOfMma) {
        copy(loadColumns, matrices(at, tileV, key, column, 1), values);
        multiply(offset(get_iter(out), ofBlock(column)), ofBlock(c.valueDims()),
                 offset(get_iter(powers), ofBlock(key)), ofBlock(c.tileN), get_iter(values));
      }
  }

  //===--- softmax ----------------------------------------------------------------------------===//

  using Rows = std::vector<std::array<RowState, rowsOfThread>>; // of each block

  /// The sums that a thread has of a block of rows and so many columns.
  static constexpr int ofBlock(int columns) { return columns / columnsOfMma * ofC; }
  static int rowInWarp(int block, int ofThread) { return block * rowsOfMma + 8 * ofThread; }
  Num queryOf(int block, int ofThread) const {
    if (c.splits)
      return few.query(few.row(ofThread));
    return s.tile * c.tileM() + firstRow + s.lane / 4 + rowInWarp(block, ofThread);
  }
  /// A thread has pairs of columns, 8 apart, of two rows of a block.
  static Tensor rowOf(Tensor accumulators, int columns, int block, int ofThread) {
    return make_tensor(offset(get_iter(accumulators), block * ofBlock(columns) + 2 * ofThread),
                       make_layout(make_shape(2, columns / columnsOfMma), make_stride(1, ofC)));
  }
  /// `f` of each row's elements.
  void forRows(Tensor accumulators, int columns, const std::function<Num(int, int, Num)> &f) {
    for (int block = 0; block < blocks; ++block)
      for (int r = 0; r < rowsOfThread; ++r) {
        Tensor row = rowOf(accumulators, columns, block, r);
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
      Num exponentials = exp2(fma(row, broadcast(scale, count), broadcast(minusBase, count)));
      Num sum = reduce(exponentials, [](Num x, Num y) { return x + y; });
      state = {most, fma(state.sum, shrink, sum)};
      Tensor before = rowOf(out, c.valueDims(), block, r);
      store_vec(load_vec(before) * broadcast(shrink, ofOut), before);
      return exponentials;
    });
    store_vec(convert(load_vec(sums), s.element()), powers);
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
    commit();
    multiplyQK(left);
    std::function<void()> unmasked;
    if (s.makesScores())
      unmasked = [&] { score(left, false); };
    If(cuts(left), [&] { score(left, true); }, unmasked);
    softmax(now.rows);
    await(); // and all warps have multiplied by K
    If(left >= c.stages, [&] { loadK(left - c.stages, false); });
    commit();
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
    if (s.plan.overlaps() && !c.lengths)
      griddepcontrol_wait();
    if (c.alibi && !c.splits)
      slope = dsl::load(*s.given.slopes, s.head) * f32(std::numbers::log2e);
    for (int r = 0; c.alibi && c.splits && r < rowsOfThread; ++r)
      slopes[r] = dsl::load(*s.given.slopes, few.head(few.row(r))) * f32(std::numbers::log2e);
    loadQueries();
    loadK(s.steps - 1, true);
    commit();
    loadV(s.steps - 1, true);
    commit();
    for (int stage = 1; stage < c.stages; ++stage) {
      If(stage < s.steps, [&] { loadK(s.steps - 1 - stage, false); });
      commit();
      if (stage + 1 == c.stages) // else the first step begins it
        break;
      If(stage < s.steps, [&] { loadV(s.steps - 1 - stage, false); });
      commit();
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
    mma = make_tiled_mma(make_mma_atom(isTuring()           ? "SM75_16x8x8_F32F16F16F32_TN"
                                       : c.element == "f16" ? "SM80_16x8x16_F32F16F16F32_TN"
                                                            : "SM80_16x8x16_F32BF16BF16F32_TN"));
    loadRows = make_ldmatrix(s.element(), 4), loadColumns = make_ldmatrix(s.element(), 4, true);
    // Four matrices: of Q, and of V, rows 0 and 8 of eight columns, then of the next eight; of K
    // both columns of rows 0, then those of rows 8.
    Num low = s.lane % 8, second = s.lane / 8 % 2, fourth = s.lane / 16;
    atQ = offset(ofWarp(), place(low + second * 8, fourth));
    atV = offset(start(s.plan.v), place(low + second * 8, fourth));
    atK = offset(start(s.plan.k), place(low + fourth * 8, second));
    auto registers = [&](Element element, int columns) {
      return make_rmem_tensor(element, make_layout(blocks * ofBlock(columns)));
    };
    sums = registers(f32, c.tileN), powers = registers(s.element(), c.tileN);
    out = registers(f32, c.valueDims());
    store_vec(broadcast(f32(0), blocks * ofBlock(c.valueDims())), out);
    if (!keepsQueries())
      return;
    queries = registers(s.element(), c.headDim);
    await();
    for (int column = 0; column < c.headDim; column += depthOfMma)
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

  /// O divided by the sums, by way of the warp's rows of Q, which nobody reads any more, so that a
  /// warp stores whole pieces.
  void store(const Rows &rows) {
    unpark();
    forRows(out, c.valueDims(), [&](int block, int r, Num row) {
      const RowState &state = rows[size_t(block)][size_t(r)];
      Num sum = overQuad(state.sum, [](Num x, Num y) { return x + y; });
      Num none = sum == f32(0), one = f32(1);
      if (c.lse) {
        Num logarithm = fma(state.most, s.scaleOfScores(), log2(sum));
        storeLogarithm(queryOf(block, r), select(none, f32(-infinity), logarithm));
      }
      return row * broadcast(divide_approx(one, select(none, one, sum)), c.valueDims() / 4);
    });
    // Another register, so that none keeps what is computed from the thread's index.
    Num lane = special_register("laneid");
    sync_warp(); // all lanes have read Q
    for (int piece = 0; piece < 2; ++piece)
      for (int block = 0; block < blocks; ++block)
        for (int r = 0; r < rowsOfThread; ++r)
          putRow(lane, piece, block, r);
    sync_warp();
    Tensor head = s.ofHead(*s.given.plainO, s.head, s.startQ);
    auto [row, piece] = ofThread(lane, tileO);
    for (int i = 0; i < blocks * rowsOfMma; i += atom::Threads::ofWarp / tileO.lanes()) {
      Num query = s.tile * c.tileM() + firstRow + row + i;
      Pointer from = offset(ofWarp(), placeAcross(row + i, piece, tileO));
      Num values = load_vec(piecesHere(from, tileO));
      If(query < s.given.queries,
         [&] { store_vec(values, piecesThere(head, query, piece, tileO)); });
    }
  }
  /// The pairs of a thread's row in one piece of each slice.
  void putRow(Num lane, int piece, int block, int ofThread) const {
    Shape pairs = make_shape(2, c.valueDims() / sliceColumns);
    Pointer from = offset(get_iter(rowOf(out, c.valueDims(), block, ofThread)), piece * ofC);
    Pointer to = offset(ofWarp(), (place(lane / 4, i32(piece)) + lane % 4 * 2).promised(2));
    to = offset(to, (block * rowsOfMma + 8 * ofThread) * sliceColumns);
    Num values = load_vec(make_tensor(from, make_layout(pairs, make_stride(1, 2 * ofC))));
    store_vec(convert(values, s.element()),
              make_tensor(to, make_layout(pairs, make_stride(1, tileO.stride()))));
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
