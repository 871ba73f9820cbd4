// Attention: S = Q K^T, softmax, O = P V, of 64 queries.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/AttentionPlan.h"

#include "tessera/base/Sentence.h"

#include <array>
#include <limits>

using namespace mlir;
using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;

namespace {

constexpr int mmaK = 16;                                  // of 16-bit elements
constexpr int rowsOfThread = 2;                           // of an accumulator: 8 apart
constexpr int perRow(int columns) { return columns / 4; } // elements a thread has of each
constexpr int panel = AttentionPlan::panel;
constexpr double infinity = std::numeric_limits<double>::infinity();

class Consumer {
public:
  explicit Consumer(const AttentionScope &s) : s(s), c(s.c), k(s.k) {}
  void consume();

private:
  const AttentionScope &s;
  const AttentionConfig &c;
  dsl::Builder &k;

  Num consumer;
  Value mmaS, mmaO;                 // S = Q K^T, O += P V
  Value fragQ, fragK, fragV, fragP; // fragP: P in registers
  Value sums, out;                  // S and O

  void release(const Ring &ring, Num stage) {
    k.If(s.lane == 0, [&] { k.mbarrier_arrive(k.offset(ring.empty, stage)); });
  }
  /// Consumers multiply in turn: barrier 1 + i says that it is i's turn.
  void awaitTurn() { k.named_barrier(consumer + 1, 2 * groupThreads); }
  void passTurn() {
    Num other = consumer + 1;
    other = k.select(other == c.consumers, k.i32(0), other);
    k.named_barrier_arrive(other + 1, 2 * groupThreads);
  }

  Value makeMma(int n, StringRef majorB, StringRef kind) {
    return k.make_tiled_mma(k.make_atom(cat("sm90.mma<64x", n, "x", mmaK, ", ab_major = (k, ",
                                            majorB.str(), "), elem_type = (", c.element, ", ",
                                            c.element, ", f32), frag_kind = ", kind.str(), ">"),
                                        k.i1(false).v));
  }

  void multiplyQK(Num stage) {
    for (int block = 0; block < c.headDim / mmaK; ++block)
      k.gemm(k.accumulate(mmaS, k.i1(block > 0)), sums,
             k.slice(fragQ, k.coord(cat("(_,_,", block, ")"))),
             k.slice(fragK, k.coord(cat("(_,_,", block, ",?)"), stage.v)), sums);
  }
  void multiplyPV(Num stage) {
    for (int block = 0; block < c.tileN / mmaK; ++block)
      k.gemm(k.accumulate(mmaO, k.i1(true)), out, k.slice(fragP, k.coord(cat("(_,_,", block, ")"))),
             k.slice(fragV, k.coord(cat("(_,_,", block, ",?)"), stage.v)), out);
  }

  /// S of this step and O of the one before are multiplied together; the softmax hides under them
  /// and the other consumers.
  Nums step(Num i, ValueRange now, bool masks) {
    Stage atK{k.num(now[0]), k.num(now[1])}, atV{k.num(now[2]), k.num(now[3])};
    Rows state;
    for (int r = 0; r < rowsOfThread; ++r)
      state.most[r] = k.num(now[size_t(4 + 2 * r)]), state.sum[r] = k.num(now[size_t(5 + 2 * r)]);
    k.mbarrier_wait(k.offset(s.ringK.full, atK.index), atK.parity);
    awaitTurn();
    k.warpgroup_arrive();
    multiplyQK(atK.index);
    k.warpgroup_commit();
    k.mbarrier_wait(k.offset(s.ringV.full, atV.index), atV.parity);
    k.warpgroup_arrive();
    multiplyPV(atV.index);
    k.warpgroup_commit();
    passTurn();
    k.warpgroup_wait(1);
    release(s.ringK, atK.index);
    if (masks)
      mask(s.steps - 1 - i);
    softmax(state, masks);
    k.warpgroup_wait(0);
    release(s.ringV, atV.index);
    narrowP();
    forRows(out, c.headDim,
            [&](int r, Num row) { return row * k.broadcast(state.shrink[r], perRow(c.headDim)); });
    Stage furtherK = atK.next(c.stages), furtherV = atV.next(c.stages);
    Nums further = {furtherK.index, furtherK.parity, furtherV.index, furtherV.parity};
    for (int r = 0; r < rowsOfThread; ++r)
      further.push_back(state.most[r]), further.push_back(state.sum[r]);
    return further;
  }

  //===--- softmax ----------------------------------------------------------------------------===//

  /// Of a thread's rows: the largest score so far, the sum of the thread's exponentials relative to
  /// it, and by how much what was summed before shrinks as the largest grew.
  struct Rows {
    Num most[rowsOfThread], sum[rowsOfThread], shrink[rowsOfThread];
  };

  /// A thread has pairs of columns, 8 apart, of two rows, 8 apart (PTX ISA 9.7.15.5.1.1): `f` of
  /// each row's elements.
  void forRows(Value accumulators, int columns, const std::function<Num(int, Num)> &f) {
    for (int r = 0; r < rowsOfThread; ++r) {
      Value row = k.make_tensor(k.offset(k.get_iter(accumulators), 2 * r),
                                k.layout(cat("(2,", columns / 8, "):(1,4)")));
      k.store_vec(f(r, k.num(k.load_vec(row))), row);
    }
  }

  void mask(Num tileOfKeys) {
    llvm::SmallVector<int32_t> columns;
    for (int i = 0; i < perRow(c.tileN); ++i)
      columns.push_back(i / 2 * 8 + i % 2);
    Num ofThread = tileOfKeys * c.tileN + s.lane % 4 * 2;
    Num query = s.tile * c.tileM() + consumer * rowsOfConsumer + s.warp % 4 * 16 + s.lane / 4;
    forRows(sums, c.tileN, [&](int r, Num row) {
      Num end = s.keys;
      if (c.causal)
        end = k.min(s.keys, query + (8 * r + 1) + s.past);
      Num sees = k.integers(columns) < k.broadcast(end - ofThread, perRow(c.tileN));
      return k.select(sees, row, k.broadcast(k.f32(-infinity), perRow(c.tileN)));
    });
  }

  void softmax(Rows &state, bool maybeNothing) {
    int count = perRow(c.tileN);
    forRows(sums, c.tileN, [&](int r, Num row) {
      Num most = k.reduce(row, [&](Num x, Num y) { return k.max(x, y); });
      for (int lanes : {1, 2}) // the lanes that share a row
        most = k.max(most, k.shfl_xor(most, lanes));
      most = k.max(state.most[r], most);
      Num base = most * s.scale;
      if (maybeNothing) // no key so far
        base = k.select(most == k.f32(-infinity), k.f32(0), base);
      Num minusBase = k.f32(0) - base;
      state.shrink[r] = k.exp2(k.fma(state.most[r], s.scale, minusBase));
      Num powers = k.exp2(k.fma(row, k.broadcast(s.scale, count), k.broadcast(minusBase, count)));
      Num sum = k.reduce(powers, [](Num x, Num y) { return x + y; });
      state.sum[r] = k.fma(state.sum[r], state.shrink[r], sum);
      state.most[r] = most;
      return powers;
    });
  }

  Value flat(Value fragment, int64_t count) {
    return k.make_tensor(k.get_iter(fragment), k.layout(cat(count, ":1")));
  }
  void narrowP() {
    int64_t count = rowsOfConsumer * c.tileN / groupThreads;
    k.store_vec(k.narrow(k.num(k.load_vec(flat(sums, count))), c.element), flat(fragP, count));
  }

  //===--- result -----------------------------------------------------------------------------===//

  /// O divided by the sums, by way of the consumer's rows of Q, which nobody reads any more.
  void store(std::array<Num, rowsOfThread> sum) {
    forRows(out, c.headDim, [&](int r, Num row) {
      for (int lanes : {1, 2})
        sum[size_t(r)] = sum[size_t(r)] + k.shfl_xor(sum[size_t(r)], lanes);
      Num none = sum[size_t(r)] == k.f32(0);
      Num factor = k.f32(1) / k.select(none, k.f32(1), sum[size_t(r)]);
      return row * k.broadcast(factor, perRow(c.headDim));
    });
    Value stsm =
        k.make_atom(cat("atom.stsm<", c.element, ", mode = <\"(8,8)\">, num_matrices = 4, n>"));
    int64_t boxElements = rowsOfConsumer * panel, count = boxElements / groupThreads;
    Value staging = k.offset(s.tiles(0), consumer * boxElements, boxElements);
    // Each lane gives a row of a matrix: 16 rows of a warp, twice eight columns.
    Num row = s.warp % 4 * 16 + s.lane % 16, half = s.lane / 16, leads = s.warp % 4 == 0;
    Value registers = k.make_rmem_tensor(c.element, "(8,4):(1,8)");
    int boxes = c.headDim / panel;
    for (int i = 0; i < boxes; ++i) {
      Value part = k.make_tensor(k.offset(k.get_iter(out), i * count), k.layout(cat(count, ":1")));
      k.store_vec(k.narrow(k.num(k.load_vec(part)), c.element), registers);
      Value rows = k.make_tensor(k.offset(staging, i * c.tileM() * panel),
                                 k.layout("(64,2,8,4):(64,8,1,16)"));
      k.copy(stsm, registers, k.slice(rows, k.coord("(?,?,_,_)", {row.v, half.v})));
    }
    k.fence_async_shared();
    k.named_barrier(consumer + (1 + c.consumers), groupThreads);
    k.If(leads, [&] {
      Value o = k.local_tile(s.ofHead(s.coordsO, s.head), tileText(rowsOfConsumer, panel),
                             k.coord("(?,_)", (s.tile * c.consumers + consumer).v));
      for (int i = 0; i < boxes; ++i) {
        Value from = k.make_tensor(k.offset(staging, i * c.tileM() * panel),
                                   k.layout(s.plan.oBox().layout()));
        Value to = k.slice(o, k.coord(cat("(_,_,", i, ")")));
        TmaParts parts =
            k.tma_partition(s.atomO, k.group_modes(from, 0, 2), k.group_modes(to, 0, 2));
        k.tma_store(s.atomO, parts.smem, parts.gmem);
      }
      k.tma_store_commit();
      k.tma_store_wait(0);
    });
  }
};

void Consumer::consume() {
  consumer = s.group - 1;
  mmaS = makeMma(c.tileN, "k", "ss");
  mmaO = makeMma(c.headDim, "mn", "rs");
  int64_t mineElements = rowsOfConsumer * panel; // from one consumer's rows of Q to the next one's
  Value mine = k.offset(s.tiles(0), consumer * mineElements, mineElements);
  SmemTile rows = SmemTile(rowsOfConsumer, c.headDim, AttentionPlan::bits).within(c.tileM());
  Num first = k.i32(0);
  auto tensor = [&](Value pointer, const std::string &layout) {
    return k.make_tensor(pointer, k.layout(layout));
  };
  int64_t stage = s.plan.kv().elements();
  fragQ = k.make_fragment_A(mmaS, k.partition_A(mmaS, tensor(mine, rows.layout()), first));
  fragK = k.make_fragment_B(
      mmaS,
      k.partition_B(mmaS, tensor(s.tiles(s.plan.k()), s.plan.kv().staged(c.stages, stage)), first));
  fragV = k.make_fragment_B(
      mmaO, k.partition_B(
                mmaO, tensor(s.tiles(s.plan.v()), s.plan.kv().transposed().staged(c.stages, stage)),
                first));
  // A thread's accumulators of S are, in their order, its elements of A for the second product.
  fragP = k.make_rmem_tensor(c.element, cat("((2,2,2),1,", c.tileN / mmaK, "):((1,2,4),0,8)"));
  sums = k.make_fragment_C(mmaS, cat("(", rowsOfConsumer, ",", c.tileN, ")"));
  out = k.make_fragment_C(mmaO, cat("(", rowsOfConsumer, ",", c.headDim, ")"));
  forRows(out, c.headDim, [&](int, Num) { return k.broadcast(k.f32(0), perRow(c.headDim)); });

  k.If(consumer == c.consumers - 1, [&] { passTurn(); }); // the first begins
  k.mbarrier_wait(s.fullQ, k.i32(0));

  Stage at{k.i32(0), k.i32(0)};
  k.mbarrier_wait(k.offset(s.ringK.full, at.index), at.parity);
  k.warpgroup_arrive();
  multiplyQK(at.index);
  k.warpgroup_commit();
  k.warpgroup_wait(0);
  release(s.ringK, at.index);
  Rows state;
  for (int r = 0; r < rowsOfThread; ++r)
    state.most[r] = k.f32(-infinity), state.sum[r] = k.f32(0);
  mask(s.steps - 1);
  softmax(state, true);
  narrowP();

  Stage further = at.next(c.stages);
  Nums carried = {further.index, further.parity, at.index, at.parity};
  for (int r = 0; r < rowsOfThread; ++r)
    carried.push_back(state.most[r]), carried.push_back(state.sum[r]);
  Num masked =
      k.max(s.steps - s.whole, k.i32(1)); // steps in which some query does not see some key
  if (c.causal)
    carried = k.For(k.i32(1), masked, k.i32(1), carried,
                    [&](Num i, ValueRange now) { return step(i, now, true); });
  else
    masked = k.i32(1);
  carried = k.For(masked, s.steps, k.i32(1), carried,
                  [&](Num i, ValueRange now) { return step(i, now, false); });

  Stage atV{k.num(carried[2]), k.num(carried[3])};
  k.mbarrier_wait(k.offset(s.ringV.full, atV.index), atV.parity);
  k.warpgroup_arrive();
  multiplyPV(atV.index);
  k.warpgroup_commit();
  k.warpgroup_wait(0);
  store({k.num(carried[5]), k.num(carried[7])});
}
} // namespace

void tessera::kernels::consume(const AttentionScope &scope) { Consumer(scope).consume(); }
