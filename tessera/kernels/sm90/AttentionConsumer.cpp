// Attention: S = Q K^T, softmax, O = P V, of 64 queries.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/attention/FewQueries.h"
#include "tessera/kernels/sm90/AttentionPlan.h"

#include <array>
#include <limits>
#include <numbers>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm90;

namespace {

constexpr int perRow(int columns) { return columns / 4; } // elements a thread has of each
constexpr int rowsOfConsumer = AttentionPlan::rowsOfConsumer,
              groupThreads = AttentionPlan::groupThreads;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// The state that steps pass on: the stages of K and of V, and the rows.
struct Progress {
  Stage atK, atV;
  std::array<RowState, rowsOfThread> rows;
  auto members() { return std::tie(atK, atV, rows); }
};

/// And tiles of queries: the rings' next stages, and the phase of Q that says full.
struct Consumed {
  Stage atK, atV;
  std::optional<Num> fullQ;
  auto members() { return std::tie(atK, atV, fullQ); }
};

class Consumer {
public:
  explicit Consumer(AttentionBlock &s) : s(s), c(s.c), few(s) {}
  void consume();

private:
  AttentionBlock &s;
  const AttentionConfig &c;
  FewQueries few;
  void tileOfQueries(Consumed &);

  Num consumer;
  TiledMma mmaS, mmaO;               // S = Q K^T, O += P V
  Tensor fragQ, fragK, fragV, fragP; // fragP: P in registers
  Tensor sums, out;                  // S and O
  Num shrink[rowsOfThread]; // by how much what was summed before shrinks as the largest grew
  Num slopes[rowsOfThread]; // of ALiBi, times log2(e)

  Tensor queriesInMemory(Num first);
  void release(const Pipeline &ring, Num stage) {
    If(s.lane == 0, [&] { ring.empty(stage).arrive(); });
  }
  /// Consumers multiply in turn: barrier 1 + i says that it is i's turn.
  void awaitTurn() {
    if (c.consumers > 1)
      named_barrier(consumer + 1, 2 * groupThreads);
  }
  void passTurn() {
    if (c.consumers == 1)
      return;
    Num other = consumer + 1;
    other = select(other == c.consumers, i32(0), other);
    named_barrier_arrive(other + 1, 2 * groupThreads);
  }

  GroupMma product(int n, atom::Major majorB, atom::Residency aFrom) const {
    return {.n = n, .a = s.element(), .b = s.element(), .c = f32, .bMajor = majorB, .aFrom = aFrom};
  }
  int mmaK() const { return int(product(0, {}, {}).k()); }

  void multiplyQK(Num stage) {
    for (int block = 0; block < c.headDim / mmaK(); ++block) {
      TiledMma mma = accumulate(mmaS, i1(block > 0));
      gemm(mma, sums, fragQ(_, _, block), fragK(_, _, block, stage), sums);
    }
  }

  void multiplyPV(Num stage) {
    for (int block = 0; block < c.tileN / mmaK(); ++block) {
      TiledMma mma = accumulate(mmaO, i1(true));
      gemm(mma, out, fragP(_, _, block), fragV(_, _, block, stage), out);
    }
  }

  /// S of this step and O of the one before are multiplied together; the softmax hides under them
  /// and the other consumers.
  void step(Num i, Progress &now, bool masks) {
    s.ringK.wait(now.atK);
    awaitTurn();
    warpgroup_arrive();
    multiplyQK(now.atK.index);
    warpgroup_commit();
    s.ringOfValues().wait(now.atV);
    warpgroup_arrive();
    multiplyPV(now.atV.index);
    warpgroup_commit();
    passTurn();
    warpgroup_wait(1);
    release(s.ringK, now.atK.index);
    score(s.keysOf(i), masks);
    softmax(now.rows, masks);
    warpgroup_wait(0);
    release(s.ringOfValues(), now.atV.index);
    narrowP();
    forRows(out, c.valueDims(),
            [&](int r, Num row) { return row * broadcast(shrink[r], perRow(c.valueDims())); });
    now.atK = s.ringK.next(now.atK);
    now.atV = s.ringOfValues().next(now.atV);
  }

  //===--- softmax ----------------------------------------------------------------------------===//

  /// A thread has pairs of columns, 8 apart, of two rows, 8 apart (PTX ISA 9.7.15.5.1.1): `f` of
  /// each row's elements.
  void forRows(Tensor accumulators, int columns, const std::function<Num(int, Num)> &f) {
    for (int r = 0; r < rowsOfThread; ++r) {
      Tensor row = make_tensor(offset(get_iter(accumulators), 2 * r),
                               make_layout(make_shape(2, columns / 8), make_stride(1, 4)));
      store_vec(f(r, load_vec(row)), row);
    }
  }

  void score(Num tileOfKeys, bool masks) {
    if (!masks && !s.makesScores())
      return;
    int count = perRow(c.tileN);
    llvm::SmallVector<int32_t> columns;
    for (int i = 0; i < count; ++i)
      columns.push_back(i / 2 * 8 + i % 2);
    Num ofThread = tileOfKeys * c.tileN + s.lane % 4 * 2;
    Num query = s.tile * c.tileM() + consumer * rowsOfConsumer + s.warp % 4 * 16 + s.lane / 4;
    forRows(sums, c.tileN, [&](int r, Num row) {
      Num after = c.splits ? few.query(few.row(r)) + 1 : query + (8 * r + 1);
      return s.score(row, columns, ofThread, after, slopes[r], masks);
    });
  }

  void softmax(std::array<RowState, rowsOfThread> &rows, bool maybeNothing) {
    int count = perRow(c.tileN);
    Num scale = s.scaleOfScores();
    forRows(sums, c.tileN, [&](int r, Num row) {
      RowState &state = rows[size_t(r)];
      Num most = reduce(row, [&](Num x, Num y) { return max(x, y); });
      for (int lanes : {1, 2}) // the lanes that share a row
        most = max(most, shfl_xor(most, lanes));
      most = max(state.most, most);
      Num base = most * scale;
      if (maybeNothing) // no key so far
        base = select(most == f32(-infinity), f32(0), base);
      Num minusBase = f32(0) - base;
      shrink[r] = exp2(fma(state.most, scale, minusBase));
      if (s.grows())
        minusBase = minusBase + f32(s.grows());
      Num powers = exp2(fma(row, broadcast(scale, count), broadcast(minusBase, count)));
      Num sum = reduce(powers, [](Num x, Num y) { return x + y; });
      state.sum = fma(state.sum, shrink[r], sum);
      state.most = most;
      return powers;
    });
  }

  Tensor flat(Tensor fragment, int64_t count) {
    return make_tensor(get_iter(fragment), make_layout(count));
  }
  void narrowP() {
    int64_t count = rowsOfConsumer * c.tileN / groupThreads;
    Tensor from = flat(sums, count);
    if (c.isNarrow()) // the order of A of 8 bits, four columns of one row: see turn()
      from = make_tensor(get_iter(sums), make_layout(make_shape(2, 2, 2, 2, c.tileN / mmaK()),
                                                     make_stride(1, 4, 2, 8, 16)));
    store_vec(convert(load_vec(from), s.element()), flat(fragP, count));
  }

  //===--- result -----------------------------------------------------------------------------===//

  /// O divided by the sums, where TMA stores it through shared memory: without a persistent grid
  /// the consumer's rows of Q, which nobody reads any more.
  void store(const std::array<RowState, rowsOfThread> &rows) {
    forRows(out, c.valueDims(), [&](int r, Num row) {
      Num sum = rows[size_t(r)].sum;
      for (int lanes : {1, 2})
        sum = sum + shfl_xor(sum, lanes);
      Num none = sum == f32(0), one = f32(1);
      if (c.lse)
        storeLogarithm(r, select(none, f32(-infinity),
                                 fma(rows[size_t(r)].most, s.scaleOfScores(),
                                     s.grows() ? log2(sum) - f32(s.grows()) : log2(sum))));
      Num factor = (c.isNarrow() ? s.scaleV : one) / select(none, f32(1), sum);
      return row * broadcast(factor, perRow(c.valueDims()));
    });
    c.storesRows() ? storeRows() : storeBoxes();
  }
  /// For a thread's row, in base 2.
  void storeLogarithm(int r, Num logarithm) {
    Num query =
        s.tile * c.tileM() + consumer * rowsOfConsumer + s.warp % 4 * 16 + s.lane / 4 + 8 * r;
    If((s.lane % 4 == 0) & (query < s.given.queries), [&] {
      Coord at =
          c.varlen ? make_coord(s.startQ + query, s.head) : make_coord(query, s.head, s.batch);
      dsl::store(logarithm * f32(std::numbers::ln2), *s.given.lse, at);
    });
  }
  /// The rows that are the sequence's, as a box may reach into those of the next one. Where V was
  /// turned a thread has four elements side by side, which are more of a line than a matrix of
  /// stmatrix has.
  void storeRows() {
    Tensor o =
        c.varlen ? (*s.given.plainO)(_, _, s.head) : (*s.given.plainO)(_, _, s.head, s.batch);
    // A thread has pairs of columns, 8 apart; of turned V columns 2i of 16 are the first 8, columns
    // 2i + 1 the others.
    const bool turned = c.isNarrow();
    int beside = turned ? 4 : 2;
    Shape shape = turned ? make_shape(make_shape(2, 2), c.valueDims() / 16)
                         : make_shape(2, c.valueDims() / 8);
    Stride ours = turned ? make_stride(make_stride(4, 1), 8) : make_stride(1, 4),
           theirs = turned ? make_stride(make_stride(1, 2), 16) : make_stride(1, 8);
    for (int r = 0; r < rowsOfThread; ++r) {
      Num row =
          s.tile * c.tileM() + consumer * rowsOfConsumer + s.warp % 4 * 16 + s.lane / 4 + 8 * r;
      If(row < s.given.queries, [&] {
        Tensor mine = make_tensor(offset(get_iter(out), 2 * r), make_layout(shape, ours));
        Pointer to = offset(get_iter(o(c.varlen ? s.startQ + row : row, _)),
                            (s.lane % 4 * beside).promised(beside));
        store_vec(convert(load_vec(mine), s.result()), make_tensor(to, make_layout(shape, theirs)));
      });
    }
  }
  void storeBoxes() {
    Atom stsm = make_stmatrix(s.element(), 4);
    int panel = s.plan.panelO(), matrices = panel / 16; // of 16 columns that an instruction writes
    int64_t boxElements = rowsOfConsumer * panel, count = boxElements / groupThreads;
    Pointer rowsOfO = s.tiles(s.plan.o, c.valueDims());
    Pointer staging = offset(rowsOfO, (consumer * boxElements).promised(boxElements));
    const Num whole = consumer + (1 + c.consumers);
    // Each lane gives a row of a matrix: 16 rows of a warp, twice eight columns.
    Num row = s.warp % 4 * 16 + s.lane % 16, half = s.lane / 16, leads = s.leads();
    if (c.persistent) { // what the tile before stored has been read
      If(leads, [&] { tma_store_wait(0); });
      named_barrier(whole, groupThreads);
    }
    Tensor registers = make_rmem_tensor(s.element(), make_layout(make_shape(8, matrices)));
    int boxes = c.valueDims() / panel;
    for (int i = 0; i < boxes; ++i) {
      Tensor part = make_tensor(offset(get_iter(out), i * count), make_layout(count));
      store_vec(convert(load_vec(part), s.element()), registers);
      Tensor box = make_tensor(
          offset(staging, i * c.tileM() * panel),
          make_layout(make_shape(rowsOfConsumer, 2, 8, matrices), make_stride(panel, 8, 1, 16)));
      copy(stsm, registers, box(row, half, _, _));
    }
    fence_async_shared();
    named_barrier(whole, groupThreads);
    If(leads, [&] {
      Tensor head = s.ofHead(s.given.o->coords, s.head, s.startQ);
      Tensor o = local_tile(head, make_tile(rowsOfConsumer, panel),
                            make_coord(s.tile * c.consumers + consumer, _));
      for (int i = 0; i < boxes; ++i) {
        Tensor from = make_tensor(offset(staging, i * c.tileM() * panel), s.plan.boxO().layout());
        Tensor to = o(_, _, i);
        Tensor inSmem = group_modes(from, 0, 2), inGmem = group_modes(to, 0, 2);
        TmaParts parts = tma_partition(s.given.o->atom, inSmem, inGmem);
        tma_store(s.given.o->atom, parts.smem, parts.gmem);
      }
      tma_store_commit();
      if (!c.persistent)
        tma_store_wait(0);
    });
  }
};

Tensor Consumer::queriesInMemory(Num first) {
  // From one consumer's rows of Q to the next one's.
  const int bits = s.plan.operandBits();
  int64_t mineElements = rowsOfConsumer * 8 * SmemTile::panelBytes(c.headDim, bits) / bits;
  Pointer ofQ = s.tiles(s.plan.q, c.headDim);
  Pointer mine = offset(ofQ, (consumer * mineElements).promised(mineElements));
  SmemTile rows = SmemTile(rowsOfConsumer, c.headDim, bits).within(c.tileM());
  return make_fragment_A(mmaS, partition_A(mmaS, make_tensor(mine, rows.layout()), first));
}
void Consumer::consume() {
  consumer = s.group - 1;
  using enum atom::Residency;
  mmaS = make_tiled_mma(
      make_atom(product(c.tileN, atom::Major::K, c.splits ? Rmem : Smem), i1(false)));
  atom::Major majorV = c.isNarrow() ? atom::Major::K : atom::Major::MN;
  mmaO = make_tiled_mma(make_atom(product(c.valueDims(), majorV, Rmem), i1(false)));
  SmemTile ofK = s.plan.tileK(),
           ofV = c.isNarrow() ? s.plan.tileTurned() : s.plan.tileV().transposed();
  Num first = i32(0);
  fragQ = c.splits ? few.load() : queriesInMemory(first);
  Tensor sK = make_tensor(s.tiles(s.plan.k, c.headDim), ofK.staged(c.stages, ofK.elements()));
  fragK = make_fragment_B(mmaS, partition_B(mmaS, sK, first));
  Pointer values =
      c.isNarrow() ? s.tiles(s.plan.turned, c.tileN) : s.tiles(s.plan.v, c.valueDims());
  Tensor sV = make_tensor(values, ofV.staged(c.stages, ofV.elements()));
  fragV = make_fragment_B(mmaO, partition_B(mmaO, sV, first));
  // A thread's accumulators of S are, in their order, its elements of A for the second product.
  const int beside = 32 / s.plan.operandBits(); // of a register
  fragP = make_rmem_tensor(
      s.element(), make_layout(make_shape(make_shape(beside, 2, 2), 1, c.tileN / mmaK()),
                               make_stride(make_stride(1, beside, 2 * beside), 0, 4 * beside)));
  sums = make_fragment_C(mmaS, make_shape(rowsOfConsumer, c.tileN));
  out = make_fragment_C(mmaO, make_shape(rowsOfConsumer, c.valueDims()));
  if (!c.splits)
    If(consumer == c.consumers - 1, [&] { passTurn(); }); // the first begins
  Consumed start{Pipeline::consumerStart(), Pipeline::consumerStart(), {}};
  if (!c.splits)
    start.fullQ = i32(0);
  s.forTiles(start, [&](Consumed &now) { tileOfQueries(now); });
  if (c.persistent && !c.storesRows())
    If(s.leads(), [&] { tma_store_wait(0); }); // memory stays until what was stored has been read
}

void Consumer::tileOfQueries(Consumed &all) {
  forRows(out, c.valueDims(), [&](int, Num) { return broadcast(f32(0), perRow(c.valueDims())); });
  for (int r = 0; c.alibi && r < rowsOfThread; ++r) {
    Num head = c.splits ? few.head(few.row(r)) : s.head;
    slopes[r] = dsl::load(*s.given.slopes, head) * f32(std::numbers::log2e);
  }

  if (!c.splits)
    s.fullQ.wait(*all.fullQ);

  s.ringK.wait(all.atK);
  warpgroup_arrive();
  multiplyQK(all.atK.index);
  warpgroup_commit();
  warpgroup_wait(0);
  release(s.ringK, all.atK.index);
  std::array<RowState, rowsOfThread> none;
  for (RowState &state : none)
    state.most = f32(-infinity), state.sum = f32(0);
  score(s.keysOf(i32(0)), true);
  softmax(none, true);
  narrowP();

  Progress now{s.ringK.next(all.atK), all.atV, none};
  // Steps in which some query's last key is before the tile's end.
  Num masked = max(s.steps - s.whole, 1);
  auto steps = [&](Num from, Num to, bool masks) {
    now = For(from, to, 1, now, [&](Num i, Progress &p) { step(i, p, masks); });
  };
  if (s.hasBounds())
    steps(1, masked, true);
  else
    masked = i32(1);
  if (c.window) {
    Num uncut = max(s.steps - s.cut, masked);
    steps(masked, uncut, false);
    steps(uncut, s.steps, true);
  } else {
    steps(masked, s.steps, false);
  }

  if (c.persistent) // Q has been read
    If(s.lane == 0, [&] { s.emptyQ.arrive(); });
  s.ringOfValues().wait(now.atV);
  warpgroup_arrive();
  multiplyPV(now.atV.index);
  warpgroup_commit();
  warpgroup_wait(0);
  if (c.persistent) {
    release(s.ringOfValues(), now.atV.index);
    all = {now.atK, s.ringOfValues().next(now.atV), *all.fullQ ^ 1};
  }
  if (!c.splits)
    return store(now.rows);
  few.put(out, now.rows);
  s.meet();
  few.finish();
}
} // namespace

void tessera::kernels::sm90::consume(AttentionBlock &block) { Consumer(block).consume(); }
