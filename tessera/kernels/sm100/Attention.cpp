// Blackwell attention: TMA -> shared memory -> tcgen05.mma -> softmax in registers -> tensor memory
// -> tcgen05.mma -> registers -> TMA.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A commit is for all products that its warp began before. S of a step is begun after O of the step
// before, so that who has waited for S may read and write O.
#include "tessera/kernels/sm100/Attention.h"

#include "tessera/kernels/Errors.h"
#include "tessera/kernels/sm100/AttentionPlan.h"
#include "tessera/kernels/sm100/TensorRows.h"

#include <bit>
#include <limits>
#include <numbers>
#include <numeric>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm100;

namespace {

constexpr int rowsOfConsumer = AttentionPlan::rowsOfConsumer;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// `f` of each two neighbours: what computes with vectors of two floats is one instruction for
/// both.
Num byPairs(Num values, const std::function<Num(Num)> &f) {
  Tensor all = make_rmem_tensor(f32, make_layout(int(count(values))));
  store_vec(values, all);
  for (int i = 0; i < count(values); i += 2) {
    Tensor two = make_tensor(offset(get_iter(all), i), make_layout(2));
    store_vec(f(load_vec(two)), two);
  }
  return load_vec(all);
}

class Attention {
public:
  explicit Attention(const AttentionConfig &c) : c(c), plan(c), s(c, plan) {}

  void build() {
    writeKernel(s, plan.threads(), [&] { work(); });
  }

private:
  const AttentionConfig &c;
  AttentionPlan plan;
  AttentionBlock s;

  dsl::TensorMemory columns;
  Barriers scores, powers; // of consumers
  Pointer tmem;            // the first column

  void work() {
    columns = dsl::TensorMemory(plan.columns(), s.plan.memory.pointer(plan.address, i32, {}, 8));
    scores = s.plan.memory.at(plan.scores), powers = s.plan.memory.at(plan.powers);
    If(s.index == 0, [&] { initialise(); });
    If(s.warp == plan.multiplies(), [&] { columns.take(); });
    sync_threads();
    tmem = columns.pointer(f32);
    If(
        s.group < c.consumers,
        [&] {
          if (plan.sharesRegisters())
            set_max_registers(plan.registers().consumer, true);
          consume();
        },
        [&] {
          if (plan.sharesRegisters())
            set_max_registers(plan.registers().producer, false);
          If(s.warp == plan.loads(), [&] { produce(s); });
          If(s.warp == plan.multiplies(), [&] { multiply(); });
        });
    sync_threads();
    If(s.warp == plan.multiplies(), [&] { columns.giveBack(); });
  }

  void initialise() {
    s.initialise(1); // a commit empties a stage
    for (int i = 0; i < c.consumers; ++i) {
      scores[i].init(1);
      powers[i].init(atom::Threads::warpsOfGroup);
    }
    mbarrier_init_fence();
  }

  //===--- the warp that multiplies -----------------------------------------------------------===//

  TensorMma product(int n, atom::Major majorB, atom::Residency aFrom) const {
    return {.m = rowsOfConsumer,
            .n = n,
            .a = s.element(),
            .b = s.element(),
            .c = f32,
            .bMajor = majorB,
            .aFrom = aFrom};
  }
  Pointer scoresAt(Num consumer) { return offset(tmem, (consumer * c.tileN).promised(c.tileN)); }
  Pointer outAt(Num consumer) {
    int columnsOfOut = c.valueDims();
    return offset(offset(tmem, plan.firstOut()), (consumer * columnsOfOut).promised(columnsOfOut));
  }

  void multiply() {
    using enum atom::Residency;
    TensorMma ofS = product(c.tileN, atom::Major::K, Smem),
              ofO = product(c.valueDims(), atom::Major::MN, Tmem);
    TiledMma mmaS = make_tiled_mma(make_atom(ofS, i1(false))),
             mmaO = make_tiled_mma(make_atom(ofO, i1(false)));
    Num first = i32(0);
    SmemTile ofK = s.plan.tileK(), ofV = s.plan.tileV();
    Tensor sK = make_tensor(s.tiles(s.plan.k, c.headDim), ofK.staged(c.stages, ofK.elements()));
    Tensor fragK = make_fragment_B(mmaS, partition_B(mmaS, sK, first));
    Tensor sV = make_tensor(s.tiles(s.plan.v, c.valueDims()),
                            ofV.transposed().staged(c.stages, ofV.elements()));
    Tensor fragV = make_fragment_B(mmaO, partition_B(mmaO, sV, first));
    Layout placeS = get_layout(make_fragment_C(mmaS, make_shape(rowsOfConsumer, c.tileN))),
           placeO = get_layout(make_fragment_C(mmaO, make_shape(rowsOfConsumer, c.valueDims())));
    int k = int(ofS.k());
    auto multiplyQK = [&](int consumer, Num stage) {
      Tensor q = make_fragment_A(mmaS, partition_A(mmaS, queriesOf(consumer), first));
      Tensor to = make_tensor(scoresAt(consumer), placeS);
      for (int block = 0; block < c.headDim / k; ++block)
        gemm(accumulate(mmaS, i1(block > 0)), to, q(_, _, block), fragK(_, _, block, stage), to);
      mma_commit(scores[consumer]);
    };
    auto multiplyPV = [&](int consumer, Num stage, Num adds) {
      Pointer from = recast_ptr(scoresAt(consumer), s.element());
      Tensor p = make_fragment_A(from, ofO, c.tileN / k);
      Tensor to = make_tensor(outAt(consumer), placeO);
      for (int block = 0; block < c.tileN / k; ++block)
        gemm(accumulate(mmaO, block ? i1(true) : adds), to, p(_, _, block),
             fragV(_, _, block, stage), to);
    };

    struct Progress {
      Stage atK, atV;
      auto members() { return std::tie(atK, atV); }
    };
    Progress start{Pipeline::consumerStart(), Pipeline::consumerStart()};
    s.fullQ.wait(0);
    s.ringK.wait(start.atK);
    for (int i = 0; i < c.consumers; ++i)
      multiplyQK(i, start.atK.index);
    mma_commit(s.ringK.empty(start.atK.index));
    start.atK = s.ringK.next(start.atK);
    Progress end = For(1, s.steps, 1, start, [&](Num step, Progress &now) {
      s.ringV.wait(now.atV);
      s.ringK.wait(now.atK);
      for (int i = 0; i < c.consumers; ++i) {
        powers[i].wait((step - 1) & 1);
        multiplyPV(i, now.atV.index, step > 1);
        multiplyQK(i, now.atK.index);
      }
      mma_commit(s.ringV.empty(now.atV.index));
      mma_commit(s.ringK.empty(now.atK.index));
      now = {s.ringK.next(now.atK), s.ringV.next(now.atV)};
    });
    s.ringV.wait(end.atV);
    for (int i = 0; i < c.consumers; ++i) {
      powers[i].wait((s.steps - 1) & 1);
      multiplyPV(i, end.atV.index, s.steps > 1);
      mma_commit(scores[i]);
    }
  }
  Tensor queriesOf(int consumer) {
    int64_t elements = rowsOfConsumer * 8 * SmemTile::panelBytes(c.headDim, AttentionPlan::bits) /
                       AttentionPlan::bits;
    SmemTile rows = SmemTile(rowsOfConsumer, c.headDim, AttentionPlan::bits).within(c.tileM());
    return make_tensor(offset(s.tiles(s.plan.q, c.headDim), consumer * elements), rows.layout());
  }

  //===--- consumers --------------------------------------------------------------------------===//

  Num thread; // of the consumer: its row, too
  Num query;
  Num slope; // of ALiBi, times log2(e)
  Pointer mineS, mineO;
  Barrier full, read;

  void consume() {
    thread = s.index % rowsOfConsumer;
    query = s.tile * c.tileM() + s.index;
    mineS = scoresAt(s.group), mineO = outAt(s.group);
    full = scores[s.group], read = powers[s.group];
    if (c.alibi)
      slope = dsl::load(*s.given.slopes, s.head) * f32(std::numbers::log2e);

    RowState now{f32(-infinity), f32(0)};
    auto steps = [&](Num from, Num to, bool masks, bool hasFirst = false) {
      now = For(from, to, 1, now, [&](Num i, RowState &row) { step(i, row, masks, hasFirst); });
    };
    // Steps in which some query's last key is before the tile's end.
    Num masked = s.hasBounds() ? max(s.steps - s.whole, 1) : i32(1);
    steps(0, masked, true, true);
    if (c.window) {
      Num uncut = max(s.steps - s.cut, masked);
      steps(masked, uncut, false);
      steps(uncut, s.steps, true);
    } else {
      steps(masked, s.steps, false);
    }
    full.wait(s.steps & 1);
    store(now);
  }

  /// Exponentials may be 2^8 before O is scaled down: f16 has room for them, and the sums, of f32,
  /// lose nothing.
  static constexpr double room = 8;

  /// `hasFirst`: it may be the first one, before which O is not there.
  void step(Num i, RowState &state, bool masks, bool hasFirst) {
    full.wait(i & 1);
    const int count = c.tileN;
    Num products = loadRow(mineS, count, thread);
    if (masks || s.makesScores()) {
      llvm::SmallVector<int32_t> columnsOfRow(size_t(c.tileN));
      std::iota(columnsOfRow.begin(), columnsOfRow.end(), 0);
      products = s.score(products, columnsOfRow, s.keysOf(i) * count, query + 1, slope, masks);
    }
    Tensor row = make_rmem_tensor(f32, make_layout(count));
    store_vec(products, row);
    // In parts: what the parts before have given is all that is kept of them.
    auto eachPart = [&](auto body) {
      for (int first = 0; first < count; first += columnsAtOnce)
        body(first, load_vec(partOf(row, first)));
    };

    Num scale = s.scaleOfScores(), most = state.most;
    eachPart([&](int, Num part) {
      most = max(most, reduce(part, [](Num x, Num y) { return max(x, y); }));
    });
    Num grows = any_lane((most - state.most) * scale > f32(room)); // not of rows without a key
    most = select(grows, most, state.most);
    Num base = most * scale;
    if (masks) // no key so far
      base = select(most == f32(-infinity), f32(0), base);
    Num minusBase = f32(0) - base;
    Num shrink = select(grows, exp2(fma(state.most, scale, minusBase)), f32(1));
    state.sum = state.sum * shrink;
    state.most = most;
    Tensor powers = make_rmem_tensor(s.element(), make_layout(count));
    eachPart([&](int first, Num part) {
      std::vector<Num> sums; // of two
      Num exponentials = byPairs(part, [&](Num two) {
        sums.push_back(exp2(fma(two, broadcast(scale, 2), broadcast(minusBase, 2))));
        return sums.back();
      });
      for (size_t left = sums.size() / 2; left > 0; left /= 2)
        for (size_t i = 0; i < left; ++i)
          sums[i] = sums[i] + sums[i + left];
      state.sum = state.sum + reduce(sums.front(), [](Num x, Num y) { return x + y; });
      store_vec(convert(exponentials, s.element()), partOf(powers, first));
    });
    storeRow(powers, mineS, count * AttentionPlan::bits / 32, thread);
    If(hasFirst ? grows & (i > 0) : grows, [&] { scaleOut(shrink); });
    If(s.lane == 0, [&] { read.arrive(); });
  }
  static constexpr int columnsAtOnce = 32; // a power of two
  Tensor partOf(Tensor row, int first) {
    return make_tensor(offset(get_iter(row), first), make_layout(columnsAtOnce));
  }
  static Num times(Num values, Num factor) {
    return byPairs(values, [&](Num two) { return two * broadcast(factor, 2); });
  }
  /// Few columns at a time: what is loaded and what is stored are runs of registers of their own.
  void scaleOut(Num factor) {
    for (int column = 0; column < c.valueDims(); column += columnsAtOnce) {
      Pointer part = offset(mineO, column);
      storeRow(times(loadRow(part, columnsAtOnce, thread), factor), part, thread);
    }
  }

  //===--- result -----------------------------------------------------------------------------===//

  /// O divided by the sums.
  void store(const RowState &state) {
    Num none = state.sum == f32(0), one = f32(1);
    if (c.lse) {
      Num logarithm = fma(state.most, s.scaleOfScores(), log2(state.sum));
      storeLogarithm(select(none, f32(-infinity), logarithm));
    }
    Num factor = one / select(none, one, state.sum);
    auto part = [&](int column, int count) {
      Num values = loadRow(offset(mineO, column), count, thread);
      return convert(times(values, factor), s.element());
    };
    c.varlen ? storeRows(part) : storeBoxes(part);
  }
  /// Of the thread's query, in base 2.
  void storeLogarithm(Num logarithm) {
    If(query < s.given.queries, [&] {
      Coord at =
          c.varlen ? make_coord(s.startQ + query, s.head) : make_coord(query, s.head, s.batch);
      dsl::store(logarithm * f32(std::numbers::ln2), *s.given.lse, at);
    });
  }
  using Part = std::function<Num(int, int)>; // numbers of O from a column on, so many
  /// The rows that are the sequence's, as a box may reach into those of the next one.
  void storeRows(const Part &part) {
    Tensor o = (*s.given.plainO)(_, _, s.head);
    for (int column = 0; column < c.valueDims(); column += columnsAtOnce) {
      Num values = part(column, columnsAtOnce); // by the whole warp
      If(query < s.given.queries, [&] {
        Pointer to = offset(get_iter(o(s.startQ + query, _)), column);
        store_vec(values, make_tensor(to, make_layout(columnsAtOnce)));
      });
    }
  }
  /// By way of the memory of Q, which nobody reads any more: a box for each warp and panel.
  void storeBoxes(const Part &part) {
    constexpr int bitsAtOnce = 128;
    int panel = s.plan.panelO(), rows = s.plan.rowsOfBox(),
        piece = bitsAtOnce / AttentionPlan::bits, boxes = c.valueDims() / panel;
    int64_t elements = int64_t(rows) * panel;
    Pointer ofWarp =
        offset(s.tiles(s.plan.q, c.valueDims()), (s.warp * (boxes * elements)).promised(elements));
    Tensor registers = make_rmem_tensor(s.element(), make_layout(make_shape(piece, panel / piece)));
    for (int i = 0; i < boxes; ++i) {
      store_vec(part(i * panel, panel), registers);
      Tensor box = make_tensor(
          offset(ofWarp, i * elements),
          make_layout(make_shape(rows, piece, panel / piece), make_stride(panel, 1, piece)));
      copy(make_universal_copy(s.element(), bitsAtOnce), registers, box(s.lane, _, _));
    }
    fence_async_shared();
    sync_warp();
    Tensor head = s.ofHead(s.given.o->coords, s.head, s.startQ);
    Tensor o = local_tile(head, make_tile(rows, panel),
                          make_coord(s.tile * (c.tileM() / rows) + s.warp, _));
    for (int i = 0; i < boxes; ++i) {
      Tensor from = make_tensor(offset(ofWarp, i * elements), s.plan.boxO().layout());
      TmaParts parts =
          tma_partition(s.given.o->atom, group_modes(from, 0, 2), group_modes(o(_, _, i), 0, 2));
      tma_store(s.given.o->atom, parts.smem, parts.gmem);
    }
    tma_store_commit();
    tma_store_wait(0);
  }
};
} // namespace

//===--- configurations -----------------------------------------------------------------------===//

AttentionPlan::AttentionPlan(const AttentionConfig &c) : AttentionMemory(c) {
  placeTiles();
  scores = memory.barriers(c.consumers);
  powers = memory.barriers(c.consumers);
  address = memory.allocate(4, 8);
}
int AttentionPlan::columns() const { return int(std::bit_ceil(unsigned(usedColumns()))); }

static std::optional<Reason> refusedAttention(const AttentionConfig &c) {
  if (c.target.suffix() == atom::Suffix::None)
    return fail(Error::TensorTarget, c.target.str());
  if (c.consumers != 1 && c.consumers != 2)
    return fail(Error::AttentionTensorConsumers, c.consumers);
  if (c.tileN < 32 || c.tileN > 128 || c.tileN % 32)
    return fail(Error::AttentionTensorTile, c.tileN);
  AttentionPlan plan(c);
  if (plan.usedColumns() > atom::Threads::tensorColumns)
    return fail(Error::AttentionTensorColumns, c.consumers, c.tileN, plan.usedColumns(),
                atom::Threads::tensorColumns);
  return std::nullopt;
}

static int64_t smemBytes(const AttentionConfig &c) { return AttentionPlan(c).memory.bytes(); }
/// A block has 512 columns of tensor memory: enough for one consumer with the widest heads.
static void complete(AttentionConfig &c) {
  if (c.splits)
    return completeFew(c);
  if (!c.consumers)
    c.consumers = c.headDim > 128 ? 1 : 2;
  if (!c.tileN)
    c.tileN = c.headDim > 192 ? 64 : 128;
}

const AttentionKernel sm100::attentionKernel = {
    .complete = complete,
    .smemBytes = smemBytes,
    .refused = refusedAttention,
    .build = [](const AttentionConfig &c) { Attention(c).build(); },
};
