// Attention by products of warps: cp.async -> shared memory -> ldmatrix -> mma.sync -> softmax in
// registers -> mma.sync.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule is FlashAttention-2's (Dao, 2023, section 3): each warp has rows of its own, so that
// warps exchange nothing but tiles of K and V; P goes from accumulators to the second product
// without leaving its registers.
#include "tessera/kernels/sm80/Attention.h"

#include "tessera/kernels/Errors.h"
#include "tessera/kernels/sm90/AttentionPlan.h"

#include <limits>
#include <numbers>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using sm90::rowsOfThread;
using sm90::RowState;
using sm90::SmemTile;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int warps = 4, threads = warps * atom::Threads::ofWarp;
constexpr int rowsOfMma = 16, columnsOfMma = 8, depthOfMma = 16;
/// Elements that a thread has of a block of 16 x 16 as first operand, as second one (depth x
/// columns), and of 16 x 8 sums: PTX ISA 9.7.14.5.8.
constexpr int ofA = 8, ofB = 8, ofC = 4;
constexpr int pieceElements = 8; // of 16 bytes: what cp.async copies, and a row of ldmatrix

/// A tile in shared memory as a thread sees it: panels of rows of 128 or 64 bytes, in whose rows
/// pieces of 16 bytes are exchanged so that eight rows of one column lie in all banks
/// (sm90/Tiles.h). The exchange of a row depends on the row modulo eight only, so that a thread
/// that goes over rows in steps of eight adds constants to few addresses.
class Panels {
public:
  Panels(int rows, int columns)
      : rows(rows), columns(columns), panel(int(SmemTile::panelBytes(columns, 16) / 2)) {}

  int pieces() const { return panel / pieceElements; } // of a row of a panel
  int count() const { return columns / panel; }
  int stride() const { return rows * panel; } // from a panel to the next
  int elements() const { return rows * columns; }
  int width() const { return panel; }
  /// The place of a piece, in elements from the start of its panel.
  Num place(Num row, Num piece) const {
    Num exchange = row / (columnsOfMma / pieces()) % pieces();
    return (row * panel + (piece ^ exchange) * pieceElements).promised(pieceElements);
  }

private:
  int rows, columns, panel;
};

class Attention {
public:
  explicit Attention(const AttentionConfig &c)
      : c(c), s(c), blocks(c.consumers), panelsQ(c.tileM(), c.headDim), panelsK(c.tileN, c.headDim),
        panelsV(c.tileN, c.valueDims()), panelsO(c.tileM(), c.valueDims()) {}

  void build() {
    sm90::writeHost(s, threads);
    kernel("attention_" + c.name(), threads, s.given, [&](const sm90::AttentionParameters &given) {
      s.begin(given);
      if (c.varlen) // the longest sequence has this tile
        If(s.tile * c.tileM() < s.given.queries, [&] { work(); });
      else
        work();
    });
  }

private:
  const AttentionConfig &c;
  sm90::AttentionBlock s;
  const int blocks; // of 16 rows that a warp has
  const Panels panelsQ, panelsK, panelsV, panelsO;

  Num firstRow; // of the warp, in the tile
  Num slope;    // of ALiBi, times log2(e)
  TiledMma mma;
  Atom loadRows, loadColumns; // ldmatrix, and the one that transposes
  std::vector<Pointer> atQ, atK, atV;
  Tensor queries, sums, powers, out; // Q if it is kept, S, P, O
  Num shrink[2][rowsOfThread]; // by how much what was summed before shrinks as the largest grew

  bool isTuring() const { return c.target.number() < 80; }
  Pointer start(Region region) const { return s.plan.memory.pointer(region, s.element()); }
  /// Whether Q stays in registers: where O, S and Q together leave room for the rest of 255.
  bool keepsQueries() const {
    constexpr int most = 176;
    return blocks * (c.valueDims() / 2 + c.tileN / 2 + c.headDim / 4) <= most;
  }

  //===--- from device memory -----------------------------------------------------------------===//

  /// Begins to copy rows `first`, `first + 1` ... of a head's tensor to a tile; with `last` those
  /// from there on are zeros.
  void load(Tensor head, Num first, Pointer to, const Panels &at, int rows,
            std::optional<Num> last) {
    const int pieces = at.pieces(), together = threads / pieces;
    Num row = s.index / pieces, piece = s.index % pieces;
    Pointer place = offset(to, at.place(row, piece));
    Shape shape = make_shape(pieceElements, at.count());
    for (int i = 0; i < rows; i += together) {
      Num mine = first + row + i;
      Pointer from =
          offset(get_iter(head(mine, _)), (piece * pieceElements).promised(pieceElements));
      Tensor source = make_tensor(from, make_layout(shape, make_stride(1, at.width()))),
             target = make_tensor(offset(place, i * at.width()),
                                  make_layout(shape, make_stride(1, at.stride())));
      Atom atom = isTuring() ? make_universal_copy(s.element(), 128)
                             : make_copy_atom("SM80_CP_ASYNC_CACHEGLOBAL", s.element(), 128);
      if (!last) {
        copy(atom, source, target);
        continue;
      }
      Tensor there =
          make_rmem_tensor(i1, make_layout(make_shape(1, at.count()), make_stride(0, 0)));
      dsl::store(mine < *last, there, make_coord(0, 0));
      copy_if(atom, there, source, target);
    }
  }
  Tensor headOf(const Tensor &tensor, Num which, Num start) const {
    Tensor all = s.ofHead(tensor, which, start);
    return all;
  }
  Num headOfK() const { return s.head / s.given.sharing; }
  Num stageOf(Num step) const { return c.stages == 1 ? i32(0) : step % c.stages; }
  Pointer staged(Pointer at, Num step, const Panels &panels) const {
    if (c.stages == 1)
      return at;
    return offset(at, (stageOf(step) * panels.elements()).promised(panels.elements()));
  }
  /// Of the step's tile; the first step has the last one, which may have rows after the last key.
  void loadK(Num step, bool bounded) {
    load(headOf(*s.given.plainK, headOfK(), s.startK), s.keysOf(step) * c.tileN,
         staged(start(s.plan.k), step, panelsK), panelsK, c.tileN,
         bounded ? std::optional(s.given.keys) : std::nullopt);
  }
  void loadV(Num step, bool bounded) {
    load(headOf(*s.given.plainV, headOfK(), s.startK), s.keysOf(step) * c.tileN,
         staged(start(s.plan.v), step, panelsV), panelsV, c.tileN,
         bounded ? std::optional(s.given.keys) : std::nullopt);
  }
  void commit() const {
    if (!isTuring())
      cp_async_commit();
  }
  /// Until the oldest tile has arrived, for all threads. Groups are K, V, K, V ..., a step's K and
  /// V `stages` steps before; a group may be empty.
  void await() const {
    if (!isTuring())
      cp_async_wait(2 * (c.stages - 1));
    sync_threads();
  }

  //===--- products ---------------------------------------------------------------------------===//

  /// Where a lane's row of ldmatrix is: for each 16 columns of a panel.
  std::vector<Pointer> rowsOfLane(Pointer tile, const Panels &at, Num row, Num half) const {
    std::vector<Pointer> all;
    for (int i = 0; i < at.pieces(); i += 2)
      all.push_back(offset(tile, at.place(row, half + i)));
    return all;
  }
  /// Blocks of 16 x 16: `count` of them, 16 rows apart, at the columns `column` ....
  Tensor matrices(const std::vector<Pointer> &at, const Panels &panels, int row, int column,
                  int count, Num stage) const {
    int piece = column % panels.width() / depthOfMma, panel = column / panels.width();
    Pointer first = offset(at[size_t(piece)], panel * panels.stride() + row * panels.width());
    if (stage)
      first = offset(first, (stage * panels.elements()).promised(panels.elements()));
    return make_tensor(first, make_layout(make_shape(pieceElements, count),
                                          make_stride(1, rowsOfMma * panels.width())));
  }
  /// `sums` += A B, for all blocks of rows of the warp and 16 columns of B; A and B of depth 16.
  void multiply(Pointer sums, int columnsOfSums, Pointer a, int nextA, Pointer b) const {
    Tensor to = make_tensor(
        sums, make_layout(make_shape(make_shape(2, 2), blocks, 2),
                          make_stride(make_stride(1, 2), columnsOfSums / columnsOfMma * ofC, ofC)));
    if (!isTuring()) {
      Tensor first = make_tensor(a, make_layout(make_shape(make_shape(2, 2, 2), blocks),
                                                make_stride(make_stride(1, 2, 4), nextA)));
      Tensor second = make_tensor(
          b, make_layout(make_shape(make_shape(2, 2), 2), make_stride(make_stride(1, 2), 4)));
      return gemm(mma, to, first, second, to);
    }
    for (int half = 0; half < 2; ++half) { // of the depth
      Tensor first =
          make_tensor(offset(a, half * 4), make_layout(make_shape(make_shape(2, 2), blocks),
                                                       make_stride(make_stride(1, 2), nextA)));
      Tensor second =
          make_tensor(offset(b, half * 2), make_layout(make_shape(2, 2), make_stride(1, 4)));
      gemm(mma, to, first, second, to);
    }
  }
  void fetchQueries(int column, Pointer to) const {
    copy(loadRows, matrices(atQ, panelsQ, 0, column, blocks, {}),
         make_tensor(to, make_layout(make_shape(ofA, blocks))));
  }
  void multiplyQK(Num stage) {
    store_vec(broadcast(f32(0), blocks * c.tileN / columnsOfMma * ofC), flat(sums));
    Tensor some = make_rmem_tensor(s.element(), make_layout(ofA * blocks)),
           keys = make_rmem_tensor(s.element(), make_layout(make_shape(ofB, 1)));
    for (int column = 0; column < c.headDim; column += depthOfMma) {
      Pointer a = keepsQueries() ? offset(get_iter(queries), column / depthOfMma * ofA * blocks)
                                 : get_iter(some);
      if (!keepsQueries())
        fetchQueries(column, a);
      for (int key = 0; key < c.tileN; key += 2 * columnsOfMma) {
        copy(loadRows, matrices(atK, panelsK, key, column, 1, stage), keys);
        multiply(offset(get_iter(sums), key / columnsOfMma * ofC), c.tileN, a, ofA, get_iter(keys));
      }
    }
  }
  void multiplyPV(Num stage) {
    Tensor values = make_rmem_tensor(s.element(), make_layout(make_shape(ofB, 1)));
    for (int key = 0; key < c.tileN; key += depthOfMma)
      for (int column = 0; column < c.valueDims(); column += 2 * columnsOfMma) {
        copy(loadColumns, matrices(atV, panelsV, key, column, 1, stage), values);
        multiply(offset(get_iter(out), column / columnsOfMma * ofC), c.valueDims(),
                 offset(get_iter(powers), key / columnsOfMma * ofC), c.tileN / columnsOfMma * ofC,
                 get_iter(values));
      }
  }

  //===--- softmax ----------------------------------------------------------------------------===//

  using Rows = std::vector<std::array<RowState, rowsOfThread>>; // of each block
  static Tensor flat(Tensor registers) {
    return make_tensor(get_iter(registers), coalesce(get_layout(registers)));
  }
  /// The row of the tile that a thread has.
  Num rowOf(int block, int ofThread) const {
    return firstRow + s.lane / 4 + (block * rowsOfMma + 8 * ofThread);
  }
  Num queryOf(int block, int ofThread) const { return s.tile * c.tileM() + rowOf(block, ofThread); }
  /// A thread has pairs of columns, 8 apart, of two rows of a block: `f` of each row's elements.
  void forRows(Tensor accumulators, int columns, const std::function<Num(int, int, Num)> &f) {
    const int ofBlock = columns / columnsOfMma * ofC;
    for (int block = 0; block < blocks; ++block)
      for (int r = 0; r < rowsOfThread; ++r) {
        Tensor row =
            make_tensor(offset(get_iter(accumulators), block * ofBlock + 2 * r),
                        make_layout(make_shape(2, columns / columnsOfMma), make_stride(1, ofC)));
        store_vec(f(block, r, load_vec(row)), row);
      }
  }
  static Num overQuad(Num value, const std::function<Num(Num, Num)> &combine) {
    for (int lanes : {1, 2}) // the lanes that share a row
      value = combine(value, shfl_xor(value, lanes));
    return value;
  }

  void softmax(Num step, Rows &rows, bool masks) {
    const int count = c.tileN / 4;
    llvm::SmallVector<int32_t> columns;
    for (int i = 0; i < count; ++i)
      columns.push_back(i / 2 * columnsOfMma + i % 2);
    Num firstColumn = s.keysOf(step) * c.tileN + s.lane % 4 * 2;
    Num scale = s.scaleOfScores();
    auto larger = [](Num x, Num y) { return max(x, y); };
    forRows(sums, c.tileN, [&](int block, int r, Num row) {
      if (masks || s.makesScores())
        row = s.score(row, columns, firstColumn, queryOf(block, r) + 1, slope, masks);
      RowState &state = rows[size_t(block)][size_t(r)];
      Num most = max(state.most, overQuad(reduce(row, larger), larger));
      Num base = most * scale;
      if (masks) // no key so far
        base = select(most == f32(-infinity), f32(0), base);
      Num minusBase = f32(0) - base;
      Num factor = exp2(fma(state.most, scale, minusBase));
      Num exponentials = exp2(fma(row, broadcast(scale, count), broadcast(minusBase, count)));
      Num sum = reduce(exponentials, [](Num x, Num y) { return x + y; });
      state.sum = fma(state.sum, factor, sum);
      state.most = most;
      shrink[block][r] = factor;
      return exponentials;
    });
    store_vec(convert(load_vec(flat(sums)), s.element()), flat(powers));
    forRows(out, c.valueDims(), [&](int block, int r, Num row) {
      return row * broadcast(shrink[block][r], c.valueDims() / 4);
    });
  }

  //===--- the kernel -------------------------------------------------------------------------===//

  /// A tile of V is begun before the product that comes before its own, one of K after that.
  void step(Num i, Rows &rows, bool masks) {
    Num stage = c.stages == 1 ? Num() : stageOf(i);
    const int ahead = c.stages - 1;
    await(); // and all warps have multiplied V of the step before
    If(i + ahead < s.steps, [&] { loadV(i + ahead, masks && !ahead); });
    commit();
    multiplyQK(stage);
    softmax(i, rows, masks);
    await(); // and all warps have multiplied K
    If(i + c.stages < s.steps, [&] { loadK(i + c.stages, false); });
    commit();
    multiplyPV(stage);
  }

  void work() {
    firstRow = s.warp * (rowsOfMma * blocks);
    if (c.alibi)
      slope = dsl::load(*s.given.slopes, s.head) * f32(std::numbers::log2e);
    load(headOf(*s.given.plainQ, s.head, s.startQ), s.tile * c.tileM(), start(s.plan.q), panelsQ,
         c.tileM(), s.given.queries);
    loadK(i32(0), true);
    commit();
    for (int stage = 1; stage < c.stages; ++stage) {
      If(stage - 1 < s.steps, [&] { loadV(i32(stage - 1), stage == 1); });
      commit();
      If(stage < s.steps, [&] { loadK(i32(stage), false); });
      commit();
    }

    mma = make_tiled_mma(make_mma_atom(isTuring()           ? "SM75_16x8x8_F32F16F16F32_TN"
                                       : c.element == "f16" ? "SM80_16x8x16_F32F16F16F32_TN"
                                                            : "SM80_16x8x16_F32BF16BF16F32_TN"));
    loadRows = make_ldmatrix(s.element(), 4), loadColumns = make_ldmatrix(s.element(), 4, true);
    // Four matrices: rows 0 and 8 of A, then the same eight columns further, and so of V; of K
    // columns 0 and 8 of rows 0, then of rows 8.
    Num low = s.lane % 8, second = s.lane / 8 % 2, fourth = s.lane / 16;
    Num row = low + second * 8;
    atQ = rowsOfLane(
        offset(start(s.plan.q), (firstRow * panelsQ.width()).promised(rowsOfMma * panelsQ.width())),
        panelsQ, row, fourth);
    atV = rowsOfLane(start(s.plan.v), panelsV, row, fourth);
    atK = rowsOfLane(start(s.plan.k), panelsK, low + fourth * 8, second);
    auto registers = [&](Element element, int rows, int columns) {
      return make_rmem_tensor(element, make_layout(rows * rowsOfMma * columns / 32));
    };
    sums = registers(f32, blocks, c.tileN), out = registers(f32, blocks, c.valueDims());
    powers = registers(s.element(), blocks, c.tileN);
    store_vec(broadcast(f32(0), blocks * c.valueDims() / 2), out);
    if (keepsQueries()) {
      queries = registers(s.element(), blocks, c.headDim);
      await();
      for (int column = 0; column < c.headDim; column += depthOfMma)
        fetchQueries(column, offset(get_iter(queries), column / depthOfMma * ofA * blocks));
    }

    Rows now(size_t(blocks), {RowState{f32(-infinity), f32(0)}, RowState{f32(-infinity), f32(0)}});
    auto steps = [&](Num from, Num to, bool masks) {
      now = For(from, to, 1, now, [&](Num i, Rows &rows) { step(i, rows, masks); });
    };
    // Steps in which some query's last key is before the tile's end.
    Num masked = s.hasBounds() ? max(s.steps - s.whole, 1) : i32(1);
    steps(0, masked, true);
    if (c.window) {
      Num uncut = max(s.steps - s.cut, masked);
      steps(masked, uncut, false);
      steps(uncut, s.steps, true);
    } else {
      steps(masked, s.steps, false);
    }
    store(now);
  }

  //===--- result -----------------------------------------------------------------------------===//

  /// O divided by the sums, by way of the warp's rows of Q, which nobody reads any more: a warp
  /// then stores whole rows.
  void store(const Rows &rows) {
    forRows(out, c.valueDims(), [&](int block, int r, Num row) {
      const RowState &state = rows[size_t(block)][size_t(r)];
      Num sum = overQuad(state.sum, [](Num x, Num y) { return x + y; });
      Num none = sum == f32(0), one = f32(1);
      if (c.lse) {
        Num logarithm = select(none, f32(-infinity), fma(state.most, s.scaleOfScores(), log2(sum)));
        storeLogarithm(queryOf(block, r), logarithm);
      }
      return row * broadcast(one / select(none, one, sum), c.valueDims() / 4);
    });
    Pointer mine =
        offset(start(s.plan.q), (firstRow * panelsO.width()).promised(rowsOfMma * panelsO.width()));
    sync_warp(); // before others of the warp have read Q
    for (int block = 0; block < blocks; ++block)
      for (int r = 0; r < rowsOfThread; ++r)
        for (int piece = 0; piece < panelsO.pieces(); ++piece) {
          Num row = s.lane / 4 + (block * rowsOfMma + 8 * r);
          Pointer to = offset(mine, (panelsO.place(row, i32(piece)) + s.lane % 4 * 2).promised(2));
          const int ofBlock = c.valueDims() / columnsOfMma * ofC;
          Tensor from = make_tensor(
              offset(get_iter(out), block * ofBlock + piece * ofC + 2 * r),
              make_layout(make_shape(2, panelsO.count()), make_stride(1, panelsO.pieces() * ofC)));
          store_vec(convert(load_vec(from), s.element()),
                    make_tensor(to, make_layout(make_shape(2, panelsO.count()),
                                                make_stride(1, panelsO.stride()))));
        }
    sync_warp();
    const int pieces = panelsO.pieces(), together = atom::Threads::ofWarp / pieces;
    Tensor head = headOf(*s.given.plainO, s.head, s.startQ);
    Num row = s.lane / pieces, piece = s.lane % pieces;
    Shape shape = make_shape(pieceElements, panelsO.count());
    for (int i = 0; i < blocks * rowsOfMma; i += together) {
      Num query = s.tile * c.tileM() + firstRow + row + i;
      Tensor from = make_tensor(offset(mine, panelsO.place(row + i, piece)),
                                make_layout(shape, make_stride(1, panelsO.stride())));
      Num values = load_vec(from);
      If(query < s.given.queries, [&] {
        Pointer to =
            offset(get_iter(head(query, _)), (piece * pieceElements).promised(pieceElements));
        store_vec(values, make_tensor(to, make_layout(shape, make_stride(1, panelsO.width()))));
      });
    }
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

//===--- configurations -----------------------------------------------------------------------===//

void sm80::completeAttention(AttentionConfig &c) {
  if (!c.consumers)
    c.consumers = c.headDim == 256 ? 1 : 2;
  if (!c.tileN)
    c.tileN = c.headDim == 256 ? 32 : 64;
}

std::optional<Reason> sm80::refusedAttention(const AttentionConfig &c) {
  if (c.splits)
    return fail(Error::AttentionFewTensor, c.target.str());
  if (c.consumers != 1 && c.consumers != 2)
    return fail(Error::AttentionWarpRows, c.consumers);
  if (c.tileN < 32 || c.tileN > 128 || c.tileN % 32)
    return fail(Error::AttentionWarpTile, c.tileN);
  if (c.takesSeveral.value_or(false))
    return fail(Error::AttentionWarpGrid);
  return std::nullopt;
}

void sm80::buildAttention(const AttentionConfig &config) { Attention(config).build(); }
