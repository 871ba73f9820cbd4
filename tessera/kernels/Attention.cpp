// Hopper attention: TMA -> shared memory -> wgmma -> softmax in registers -> wgmma -> stmatrix -> TMA.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule is FlashAttention-3's (Shah et al., 2024, section 3): the product of a step is issued before the softmax of
// the step before is used, and consumers hand each other the tensor core by named barriers.
#include "tessera/kernels/Attention.h"

#include "tessera/kernels/Errors.h"
#include "tessera/kernels/Tiles.h"

#include <limits>
#include <numbers>

using namespace mlir;
using namespace tessera;
using namespace tessera::dsl;
using tessera::kernels::AttentionConfig;
using tessera::kernels::SmemTile;

namespace {

constexpr int groupThreads = 128, rowsOfConsumer = 64, panel = 64; // elements of a row of 128 bytes
constexpr int bits = 16, mmaK = 16, barrierBytes = 8;
constexpr int rowsOfThread = 2; // of an accumulator: 8 apart
constexpr int perRow(int columns) { return columns / 4; } // elements a thread has of each
constexpr const char *swizzle = "S<3,4,3>";
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Registers of a thread that setmaxnreg sets, so that all groups together have the 512 a lane of a quarter of the SM has.
struct Registers {
  int producer, consumer;
};
Registers registersFor(int consumers) { return consumers == 2 ? Registers{24, 240} : Registers{32, 160}; }

/// Shared memory: Q (later O), stages of K and V, barriers. In bytes.
struct Plan {
  explicit Plan(const AttentionConfig &c) : c(c) {}
  const AttentionConfig &c;

  int64_t qBytes() const { return int64_t(c.tileM()) * c.headDim * bits / 8; }
  int64_t kvStage() const { return int64_t(c.tileN) * c.headDim * bits / 8; }
  int64_t k() const { return qBytes(); }
  int64_t v() const { return k() + c.stages * kvStage(); }
  int64_t barriers() const { return v() + c.stages * kvStage(); }
  int64_t end() const { return barriers() + (1 + 4 * int64_t(c.stages)) * barrierBytes; }
};

/// A ring of stages, each with a barrier that says it is full and one that says it is empty.
struct Ring {
  Value full, empty; // the first barrier of each
};

class Attention {
public:
  Attention(dsl::Builder &k, const AttentionConfig &c) : k(k), c(c), plan(c) {}

  void build() {
    hostFunction();
    int threads = (c.consumers + 1) * groupThreads;
    k.kernel("attention_" + c.name(), argumentTypes, threads, [&](ValueRange arguments) { kernelBody(arguments); });
  }

private:
  dsl::Builder &k;
  const AttentionConfig &c;
  Plan plan;
  SmallVector<Type> argumentTypes;

  SmemTile qTile() const { return {c.tileM(), c.headDim, bits}; }
  SmemTile kvTile() const { return {c.tileN, c.headDim, bits}; }
  SmemTile oBox() const { return {rowsOfConsumer, panel, bits}; }
  std::string box(int64_t rows, int64_t columns) const { return cat("[", rows, ":1;", columns, ":1]"); }

  //===--- host -----------------------------------------------------------------------------------------------------===//

  void hostFunction() {
    int64_t div = 128 / bits; // TMA takes strides of 16 bytes
    std::string stride = cat("?{i64 div=", div, "}");
    Type tensor = k.type(cat("!cute.memref<", c.element, ", gmem, align<16>, \"(?,?,?,", c.headDim, "):(", stride, ",", stride,
                             ",", stride, ",1)\">"));
    SmallVector<Type> types(4, tensor);
    types.push_back(k.b.getF32Type());
    k.host("attention", types, [&](ValueRange arguments, Value stream) {
      // (sequence, dimension, head, batch): what TMA boxes have first.
      SmallVector<Value> t;
      for (Value argument : arguments.take_front(4))
        t.push_back(k.make_tensor(k.get_iter(argument), k.select(k.get_layout(argument), {1, 3, 2, 0})));
      auto smem = [&](const SmemTile &tile) { return k.composed_layout(cat(swizzle, " o 0 o ", tile.layout())); };
      TmaTensor tQ = k.make_tma_load(t[0], smem(qTile()), box(c.tileM(), c.headDim));
      TmaTensor tK = k.make_tma_load(t[1], smem(kvTile()), box(c.tileN, c.headDim));
      TmaTensor tV = k.make_tma_load(t[2], smem(kvTile()), box(c.tileN, c.headDim));
      TmaTensor tO = k.make_tma_store(t[3], smem(oBox()), box(rowsOfConsumer, panel));
      Num queries = k.size(t[0], 0), keys = k.size(t[1], 0), heads = k.size(t[0], 2), batch = k.size(t[0], 3);
      Num sharing = heads / k.size(t[1], 2); // heads of Q that have a head of K in common
      Num scale = k.num(arguments[4]) * k.f32(std::numbers::log2e);
      Nums passed = {tQ.atom, tQ.coords, tK.atom, tK.coords, tV.atom, tV.coords, tO.atom, tO.coords,
                     queries, keys,      sharing, scale};
      argumentTypes = SmallVector<Type>(ValueRange(passed).getTypes());
      Num tiles = (queries + (c.tileM() - 1)) / c.tileM();
      k.launch("attention_" + c.name(), {tiles, heads, batch, (c.consumers + 1) * groupThreads, plan.end()}, stream, passed);
    });
  }

  //===--- kernel ---------------------------------------------------------------------------------------------------===//

  Value atomQ, coordsQ, atomK, coordsK, atomV, coordsV, atomO, coordsO;
  Num queries, keys, sharing, scale;
  Num tid, warp, group, lane;
  Num tile, head, batch; // of the block
  Num past;              // keys before the one that the first query sees last
  Num steps, whole;      // tiles of keys, and how many of them every query of the block sees entirely
  Value smem, fullQ;
  Ring ringK, ringV;

  Value pointer(int64_t bytes) {
    return k.recast_iter(k.offset(smem, bytes), cat("!cute.ptr<", c.element, ", smem, align<1024>, ", swizzle, ">"));
  }
  /// The tensor of one head of one batch: (sequence, dimension).
  Value ofHead(Value coords, Num head) { return k.slice(coords, k.coord("(_,_,?,?)", {head.v, batch.v})); }

  void kernelBody(ValueRange arguments) {
    Value *const values[] = {&atomQ, &coordsQ, &atomK, &coordsK, &atomV, &coordsV, &atomO, &coordsO};
    Num *const numbers[] = {&queries, &keys, &sharing, &scale};
    for (auto [value, argument] : llvm::zip(values, arguments))
      *value = argument;
    for (auto [number, argument] : llvm::zip(numbers, arguments.drop_front(std::size(values))))
      *number = k.num(argument);
    tid = k.sreg("tid.x");
    warp = k.warp_uniform(tid / 32);
    group = warp / 4;
    lane = tid % 32;
    tile = k.sreg("ctaid.x");
    if (c.causal) // the longest first
      tile = k.sreg("nctaid.x") - 1 - tile;
    head = k.sreg("ctaid.y");
    batch = k.sreg("ctaid.z");
    extent();
    smem = k.dyn_smem(1024);
    Value barriers = k.recast_iter(k.offset(smem, plan.barriers()), "!cute.ptr<i64, smem, align<8>>");
    auto barrier = [&](int index) { return k.offset(barriers, index); };
    fullQ = barrier(0);
    ringK = {barrier(1), barrier(1 + c.stages)};
    ringV = {barrier(1 + 2 * c.stages), barrier(1 + 3 * c.stages)};
    k.If(tid == 0, [&] { initialise(); });
    k.sync_threads();
    Registers registers = registersFor(c.consumers);
    k.If(group == 0,
         [&] {
           k.setmaxnreg(registers.producer, false);
           k.If(warp == 0, [&] { produce(); });
         },
         [&] {
           k.setmaxnreg(registers.consumer, true);
           consume();
         });
  }

  /// Query q sees the keys up to q + past, and at most all. A block takes one step at least, so that O is written.
  void extent() {
    past = keys - queries;
    Num seen = keys, all = keys;
    if (c.causal) {
      seen = k.min(keys, (tile + 1) * c.tileM() + past);
      all = k.max(k.min(keys, tile * c.tileM() + past + 1), k.i32(0));
    }
    steps = (k.max(seen, k.i32(1)) + (c.tileN - 1)) / c.tileN;
    whole = all / c.tileN;
  }

  void initialise() {
    for (Value atom : {atomQ, atomK, atomV, atomO})
      k.prefetch_tma_desc(atom);
    k.mbarrier_init(fullQ, k.i32(1));
    for (const Ring &ring : {ringK, ringV})
      for (int i = 0; i < c.stages; ++i) {
        k.mbarrier_init(k.offset(ring.full, i), k.i32(1));
        k.mbarrier_init(k.offset(ring.empty, i), k.i32(c.consumers * 4)); // a lane of each warp that reads it
      }
    k.mbarrier_init_fence();
  }

  /// A stage of a ring, and the parity with which its barrier is waited for.
  struct At {
    Num stage, parity;
  };
  At next(At at) {
    Num further = at.stage + 1, wraps = further == c.stages;
    return {k.select(wraps, k.i32(0), further), k.select(wraps, at.parity ^ 1, at.parity)};
  }

  //===--- producer -------------------------------------------------------------------------------------------------===//

  void expect(Value barrier, int64_t bytes) {
    k.If(k.elect(), [&] { k.mbarrier_expect_tx(barrier, k.i32(bytes)); });
  }
  TmaParts partsOf(Value atom, Value coords, int64_t rows, StringRef tiles, ValueRange which, Value s) {
    Value g = k.local_tile(coords, box(rows, c.headDim), k.coord(tiles, which));
    return k.tma_partition(atom, k.group_modes(s, 0, 2), k.group_modes(g, 0, 2));
  }

  /// Keys from the last tile to the first; V lags a step behind, as it is needed later.
  void produce() {
    Value sQ = k.make_tensor(pointer(0), k.layout(qTile().layout()));
    TmaParts q = partsOf(atomQ, ofHead(coordsQ, head), c.tileM(), "(?,0)", tile.v, sQ);
    Num shared = head / sharing;
    auto stagesOf = [&](int64_t bytes) {
      return k.make_tensor(pointer(bytes), k.layout(kvTile().staged(c.stages, kvTile().elements())));
    };
    TmaParts parts[] = {partsOf(atomK, ofHead(coordsK, shared), c.tileN, "(_,0)", {}, stagesOf(plan.k())),
                        partsOf(atomV, ofHead(coordsV, shared), c.tileN, "(_,0)", {}, stagesOf(plan.v()))};
    Value atoms[] = {atomK, atomV};
    const Ring *rings[] = {&ringK, &ringV};
    auto load = [&](int which, Num step, At at) {
      const Ring &ring = *rings[which];
      k.mbarrier_wait(k.offset(ring.empty, at.stage), at.parity);
      Value barrier = k.offset(ring.full, at.stage);
      expect(barrier, plan.kvStage());
      k.tma_load(atoms[which], k.slice(parts[which].gmem, k.coord("(_,?)", (steps - 1 - step).v)),
                 k.slice(parts[which].smem, k.coord("(_,?)", at.stage.v)), barrier);
    };
    At first{k.i32(0), k.i32(1)};
    expect(fullQ, plan.qBytes());
    k.tma_load(atomQ, q.gmem, q.smem, fullQ);
    load(0, k.i32(0), first);
    At second = next(first);
    Nums last = k.For(k.i32(1), steps, k.i32(1), {second.stage, second.parity, first.stage, first.parity},
                      [&](Num step, ValueRange now) {
                        At atK{k.num(now[0]), k.num(now[1])}, atV{k.num(now[2]), k.num(now[3])};
                        load(0, step, atK);
                        load(1, step - 1, atV);
                        At furtherK = next(atK), furtherV = next(atV);
                        return Nums{furtherK.stage, furtherK.parity, furtherV.stage, furtherV.parity};
                      });
    load(1, steps - 1, {k.num(last[2]), k.num(last[3])});
  }

  //===--- consumers ------------------------------------------------------------------------------------------------===//

  Num consumer;
  Value mmaS, mmaO;                 // S = Q K^T, O += P V
  Value fragQ, fragK, fragV, fragP; // fragP: P in registers
  Value sums, out;                  // S and O

  void release(const Ring &ring, Num stage) {
    k.If(lane == 0, [&] { k.mbarrier_arrive(k.offset(ring.empty, stage)); });
  }
  /// Consumers multiply in turn: barrier 1 + i says that it is i's turn.
  void awaitTurn() { k.named_barrier(consumer + 1, 2 * groupThreads); }
  void passTurn() {
    Num other = consumer + 1;
    other = k.select(other == c.consumers, k.i32(0), other);
    k.named_barrier_arrive(other + 1, 2 * groupThreads);
  }

  Value makeMma(int n, StringRef majorB, StringRef kind) {
    return k.make_tiled_mma(k.make_atom(cat("sm90.mma<64x", n, "x", mmaK, ", ab_major = (k, ", majorB.str(), "), elem_type = (",
                                            c.element, ", ", c.element, ", f32), frag_kind = ", kind.str(), ">"),
                                        k.i1(false).v));
  }

  void consume() {
    consumer = group - 1;
    mmaS = makeMma(c.tileN, "k", "ss");
    mmaO = makeMma(c.headDim, "mn", "rs");
    int64_t mineElements = rowsOfConsumer * panel; // from one consumer's rows of Q to the next one's
    Value mine = k.offset(pointer(0), consumer * mineElements, mineElements);
    SmemTile rows = SmemTile(rowsOfConsumer, c.headDim, bits).within(c.tileM());
    Num first = k.i32(0);
    auto tensor = [&](Value pointer, const std::string &layout) { return k.make_tensor(pointer, k.layout(layout)); };
    int64_t stage = kvTile().elements();
    fragQ = k.make_fragment_A(mmaS, k.partition_A(mmaS, tensor(mine, rows.layout()), first));
    fragK = k.make_fragment_B(mmaS, k.partition_B(mmaS, tensor(pointer(plan.k()), kvTile().staged(c.stages, stage)), first));
    fragV = k.make_fragment_B(
        mmaO, k.partition_B(mmaO, tensor(pointer(plan.v()), kvTile().transposed().staged(c.stages, stage)), first));
    // A thread's accumulators of S are, in their order, its elements of A for the second product.
    fragP = k.make_rmem_tensor(c.element, cat("((2,2,2),1,", c.tileN / mmaK, "):((1,2,4),0,8)"));
    sums = k.make_fragment_C(mmaS, cat("(", rowsOfConsumer, ",", c.tileN, ")"));
    out = k.make_fragment_C(mmaO, cat("(", rowsOfConsumer, ",", c.headDim, ")"));
    forRows(out, c.headDim, [&](int, Num) { return k.broadcast(k.f32(0), perRow(c.headDim)); });

    k.If(consumer == c.consumers - 1, [&] { passTurn(); }); // the first begins
    k.mbarrier_wait(fullQ, k.i32(0));

    At at{k.i32(0), k.i32(0)};
    k.mbarrier_wait(k.offset(ringK.full, at.stage), at.parity);
    k.warpgroup_arrive();
    multiplyQK(at.stage);
    k.warpgroup_commit();
    k.warpgroup_wait(0);
    release(ringK, at.stage);
    Rows state;
    for (int r = 0; r < rowsOfThread; ++r)
      state.most[r] = k.f32(-infinity), state.sum[r] = k.f32(0);
    mask(steps - 1);
    softmax(state, true);
    narrowP();

    At further = next(at);
    Nums carried = {further.stage, further.parity, at.stage, at.parity};
    for (int r = 0; r < rowsOfThread; ++r)
      carried.push_back(state.most[r]), carried.push_back(state.sum[r]);
    Num masked = k.max(steps - whole, k.i32(1)); // steps from the last tile on in which some query does not see some key
    if (c.causal)
      carried = k.For(k.i32(1), masked, k.i32(1), carried, [&](Num i, ValueRange now) { return step(i, now, true); });
    else
      masked = k.i32(1);
    carried = k.For(masked, steps, k.i32(1), carried, [&](Num i, ValueRange now) { return step(i, now, false); });

    At atV{k.num(carried[2]), k.num(carried[3])};
    k.mbarrier_wait(k.offset(ringV.full, atV.stage), atV.parity);
    k.warpgroup_arrive();
    multiplyPV(atV.stage);
    k.warpgroup_commit();
    k.warpgroup_wait(0);
    store({k.num(carried[5]), k.num(carried[7])});
  }

  void multiplyQK(Num stage) {
    for (int block = 0; block < c.headDim / mmaK; ++block)
      k.gemm(k.accumulate(mmaS, k.i1(block > 0)), sums, k.slice(fragQ, k.coord(cat("(_,_,", block, ")"))),
             k.slice(fragK, k.coord(cat("(_,_,", block, ",?)"), stage.v)), sums);
  }
  void multiplyPV(Num stage) {
    for (int block = 0; block < c.tileN / mmaK; ++block)
      k.gemm(k.accumulate(mmaO, k.i1(true)), out, k.slice(fragP, k.coord(cat("(_,_,", block, ")"))),
             k.slice(fragV, k.coord(cat("(_,_,", block, ",?)"), stage.v)), out);
  }

  /// S of this step and O of the one before are multiplied together; the softmax hides behind them and the other consumers.
  Nums step(Num i, ValueRange now, bool masks) {
    At atK{k.num(now[0]), k.num(now[1])}, atV{k.num(now[2]), k.num(now[3])};
    Rows state;
    for (int r = 0; r < rowsOfThread; ++r)
      state.most[r] = k.num(now[size_t(4 + 2 * r)]), state.sum[r] = k.num(now[size_t(5 + 2 * r)]);
    k.mbarrier_wait(k.offset(ringK.full, atK.stage), atK.parity);
    awaitTurn();
    k.warpgroup_arrive();
    multiplyQK(atK.stage);
    k.warpgroup_commit();
    k.mbarrier_wait(k.offset(ringV.full, atV.stage), atV.parity);
    k.warpgroup_arrive();
    multiplyPV(atV.stage);
    k.warpgroup_commit();
    passTurn();
    k.warpgroup_wait(1);
    release(ringK, atK.stage);
    if (masks)
      mask(steps - 1 - i);
    softmax(state, masks);
    k.warpgroup_wait(0);
    release(ringV, atV.stage);
    narrowP();
    forRows(out, c.headDim, [&](int r, Num row) { return row * k.broadcast(state.shrink[r], perRow(c.headDim)); });
    At furtherK = next(atK), furtherV = next(atV);
    Nums further = {furtherK.stage, furtherK.parity, furtherV.stage, furtherV.parity};
    for (int r = 0; r < rowsOfThread; ++r)
      further.push_back(state.most[r]), further.push_back(state.sum[r]);
    return further;
  }

  //===--- softmax --------------------------------------------------------------------------------------------------===//

  /// Of a thread's rows: the largest score so far, the sum of the thread's exponentials relative to it, and by how much what
  /// was summed before shrinks as the largest grew.
  struct Rows {
    Num most[rowsOfThread], sum[rowsOfThread], shrink[rowsOfThread];
  };

  /// A thread has pairs of columns, 8 apart, of two rows, 8 apart (PTX ISA 9.7.15.5.1.1): `f` of each row's elements.
  void forRows(Value accumulators, int columns, const std::function<Num(int, Num)> &f) {
    for (int r = 0; r < rowsOfThread; ++r) {
      Value row = k.make_tensor(k.offset(k.get_iter(accumulators), 2 * r), k.layout(cat("(2,", columns / 8, "):(1,4)")));
      k.store_vec(f(r, k.num(k.load_vec(row))), row);
    }
  }

  void mask(Num tileOfKeys) {
    llvm::SmallVector<int32_t> columns;
    for (int i = 0; i < perRow(c.tileN); ++i)
      columns.push_back(i / 2 * 8 + i % 2);
    Num ofThread = tileOfKeys * c.tileN + lane % 4 * 2;
    Num query = tile * c.tileM() + consumer * rowsOfConsumer + warp % 4 * 16 + lane / 4;
    forRows(sums, c.tileN, [&](int r, Num row) {
      Num end = keys;
      if (c.causal)
        end = k.min(keys, query + (8 * r + 1) + past);
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
      Num base = most * scale;
      if (maybeNothing) // no key so far
        base = k.select(most == k.f32(-infinity), k.f32(0), base);
      Num minusBase = k.f32(0) - base;
      state.shrink[r] = k.exp2(k.fma(state.most[r], scale, minusBase));
      Num powers = k.exp2(k.fma(row, k.broadcast(scale, count), k.broadcast(minusBase, count)));
      Num sum = k.reduce(powers, [](Num x, Num y) { return x + y; });
      state.sum[r] = k.fma(state.sum[r], state.shrink[r], sum);
      state.most[r] = most;
      return powers;
    });
  }

  Value flat(Value fragment, int64_t count) { return k.make_tensor(k.get_iter(fragment), k.layout(cat(count, ":1"))); }
  void narrowP() {
    int64_t count = rowsOfConsumer * c.tileN / groupThreads;
    k.store_vec(k.narrow(k.num(k.load_vec(flat(sums, count))), c.element), flat(fragP, count));
  }

  //===--- result ---------------------------------------------------------------------------------------------------===//

  /// O divided by the sums, by way of the consumer's rows of Q, which nobody reads any more.
  void store(std::array<Num, rowsOfThread> sum) {
    forRows(out, c.headDim, [&](int r, Num row) {
      for (int lanes : {1, 2})
        sum[size_t(r)] = sum[size_t(r)] + k.shfl_xor(sum[size_t(r)], lanes);
      Num none = sum[size_t(r)] == k.f32(0);
      Num factor = k.f32(1) / k.select(none, k.f32(1), sum[size_t(r)]);
      return row * k.broadcast(factor, perRow(c.headDim));
    });
    Value stsm = k.make_atom(cat("atom.stsm<", c.element, ", mode = <\"(8,8)\">, num_matrices = 4, n>"));
    int64_t boxElements = rowsOfConsumer * panel, count = boxElements / groupThreads;
    Value staging = k.offset(pointer(0), consumer * boxElements, boxElements);
    // Each lane gives a row of a matrix: 16 rows of a warp, twice eight columns.
    Num row = warp % 4 * 16 + lane % 16, half = lane / 16, leads = warp % 4 == 0;
    Value registers = k.make_rmem_tensor(c.element, "(8,4):(1,8)");
    int boxes = c.headDim / panel;
    for (int i = 0; i < boxes; ++i) {
      Value part = k.make_tensor(k.offset(k.get_iter(out), i * count), k.layout(cat(count, ":1")));
      k.store_vec(k.narrow(k.num(k.load_vec(part)), c.element), registers);
      Value rows = k.make_tensor(k.offset(staging, i * c.tileM() * panel), k.layout("(64,2,8,4):(64,8,1,16)"));
      k.copy(stsm, registers, k.slice(rows, k.coord("(?,?,_,_)", {row.v, half.v})));
    }
    k.fence_async_shared();
    k.named_barrier(consumer + (1 + c.consumers), groupThreads);
    k.If(leads, [&] {
      Value o = k.local_tile(ofHead(coordsO, head), box(rowsOfConsumer, panel),
                             k.coord("(?,_)", (tile * c.consumers + consumer).v));
      for (int i = 0; i < boxes; ++i) {
        Value from = k.make_tensor(k.offset(staging, i * c.tileM() * panel), k.layout(oBox().layout()));
        Value to = k.slice(o, k.coord(cat("(_,_,", i, ")")));
        TmaParts parts = k.tma_partition(atomO, k.group_modes(from, 0, 2), k.group_modes(to, 0, 2));
        k.tma_store(atomO, parts.smem, parts.gmem);
      }
      k.tma_store_commit();
      k.tma_store_wait(0);
    });
  }
};
} // namespace

AttentionConfig AttentionConfig::complete() const {
  AttentionConfig c = *this;
  bool wide = c.headDim == 128;
  if (!c.consumers)
    c.consumers = wide ? 2 : 3;
  if (!c.tileN)
    c.tileN = wide && !c.causal ? 176 : 128; // a mask that cuts through tiles wastes less of small ones
  return c;
}
int64_t AttentionConfig::smemBytes() const { return Plan(*this).end(); }
std::string AttentionConfig::name() const {
  return cat("m", tileM(), "n", tileN, "d", headDim, "_s", stages, "_", element, causal ? "_causal" : "");
}

std::optional<Reason> tessera::kernels::refused(const AttentionConfig &given) {
  auto among = [](const auto &value, const auto &...of) { return ((value == of) || ...); };
  constexpr int maxSmemBytes = 232448; // of a block of SM90
  const AttentionConfig c = given.complete();
  if (!among(c.element, "f16", "bf16"))
    return fail(Error::AttentionElement, c.element);
  if (!among(c.headDim, 64, 128))
    return fail(Error::AttentionHead, c.headDim);
  if (!among(c.consumers, 2, 3))
    return fail(Error::AttentionConsumers, c.consumers);
  if (c.tileN < 16 || c.tileN > 176 || c.tileN % 16)
    return fail(Error::AttentionTile, c.tileN);
  if (c.stages < 1 || c.smemBytes() > maxSmemBytes)
    return fail(Error::AttentionShared, c.stages, c.tileN, c.smemBytes(), maxSmemBytes);
  return std::nullopt;
}

void tessera::kernels::buildAttention(dsl::Builder &builder, const AttentionConfig &config) {
  AttentionConfig complete = config.complete();
  Attention(builder, complete).build();
}
