// AttentionPlan: shared memory and parameters of attention. For the parts of the kernel only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/Overlap.h"
#include "tessera/kernels/sm90/Attention.h"
#include "tessera/kernels/sm90/Tiles.h"
#include "tessera/kernels/sm90/WarpGroups.h"

#include <algorithm>
#include <array>
#include <functional>

namespace tessera::kernels::sm90 {

/// Shared memory: Q (later O), stages of K and V, barriers.
struct AttentionPlan {
  static constexpr int bits = 16;           // of the elements that accumulators are converted to
  static constexpr int rowsOfConsumer = 64; // one wgmma's
  static constexpr int groupThreads = atom::Threads::ofGroup;

  static constexpr int padding = 8; // words after a row of sums: see sumsPitch

  explicit AttentionPlan(const AttentionConfig &);
  AttentionConfig c;
  dsl::SharedMemory memory;
  dsl::Region q, k, v;
  dsl::Region turned; // for 8 bits: V again, with the keys of a head contiguous
  dsl::Region o;      // O, of a persistent grid; else it takes Q's place
  dsl::Region sums; // for few queries: the results of the parts of the keys, in place of the tiles
  dsl::Region parked; // where warps multiply: four words that wait for the result
  dsl::Region flag;   // for few queries with teams: the order in which the block arrived
  /// Barriers: full of Q; full, then empty, of each stage of K, V and turned V; and empty of Q in a
  /// persistent grid.
  dsl::Region barriers;

  int operandBits() const { return c.isNarrow() ? 8 : bits; }
  SmemTile tileQ() const { return {c.tileM(), c.headDim, operandBits()}; }
  SmemTile tileK() const { return {c.tileN, c.headDim, operandBits()}; }
  SmemTile tileV() const { return {c.tileN, c.valueDims(), operandBits()}; }
  SmemTile tileTurned() const { return {c.valueDims(), c.tileN, operandBits()}; }
  /// Keys of a tile that one TMA box loads: all of them, or those of a page.
  int keysOfBox() const { return c.pageSize ? std::min(c.pageSize, c.tileN) : c.tileN; }
  SmemTile boxOf(const SmemTile &tile, int columns) const {
    return keysOfBox() == c.tileN ? tile
                                  : SmemTile(keysOfBox(), columns, operandBits()).within(c.tileN);
  }
  SmemTile boxO() const { return {rowsOfBox(), panelO(), bits}; }
  /// Rows of O that are stored together: those of a consumer, or of a warp if accumulators are in
  /// tensor memory.
  int rowsOfBox() const { return c.hasTensorMemory() ? atom::Threads::ofWarp : rowsOfConsumer; }
  /// Columns of a box of O, as wide as those of a head.
  int panelO() const { return int(8 * SmemTile::panelBytes(c.valueDims(), bits) / bits); }
  int64_t bytesOf(const SmemTile &tile) const { return tile.elements() * operandBits() / 8; }
  int threads() const { return (c.consumers + 1) * groupThreads; }
  /// Words from a row of sums to the next. A quarter of a warp writes pairs of two rows; four rows
  /// are 8 words apart modulo the 32 banks.
  int sumsPitch() const { return c.valueDims() + padding; }
  int statesStart() const { return rowsOfConsumer * sumsPitch(); }
  /// Blocks that fit on a multiprocessor. With few queries a block waits for memory, so two keep
  /// more loads in flight.
  int together() const;
  /// Whether a block may begin before earlier kernels have ended (Overlap.h): for few queries. With
  /// many it gains nothing, and the changed order of blocks then costs 5 %.
  bool overlaps() const { return c.splits && !c.hasTensorMemory() && kernels::overlaps(c.target); }
  /// Registers such that all groups together have no more than at entry.
  RegisterBudget registers() const {
    if (c.consumers == 1)
      return {40, together() > 1 ? 208 : 240};
    if (c.isNarrow()) // those that turn V need more
      return c.consumers == 2 ? RegisterBudget{56, 224} : RegisterBudget{56, 152};
    return c.consumers == 2 ? RegisterBudget{24, 240} : RegisterBudget{32, 160};
  }

private:
  /// For few queries: sums and flag, where the tiles from `start` to `end` are.
  void placeFew(int64_t start, int64_t end);
};

/// The parameters of the kernel. Few queries are read and written without tensor maps; O is also
/// written without one if a box might reach into the next sequence. Targets without TMA have no
/// maps.
struct AttentionParameters {
  std::optional<dsl::TmaTensor> q, k, v, o;
  std::optional<dsl::Tensor> plainQ, plainK, plainV, plainO;
  dsl::Num queries, keys;
  dsl::Num sharing;                            // heads of Q that share one of K
  dsl::Num scale;                              // times log2(e); with a cap, times 2 log2(e) / cap
  std::optional<dsl::Num> reach;               // keys on each side of a query's own that it sees
  std::optional<dsl::Num> cap;                 // times log2(e)
  std::optional<dsl::Tensor> slopes;           // of the heads of Q
  std::optional<dsl::Tensor> startsQ, startsK; // of sequences of different lengths
  std::optional<dsl::Tensor> lengths, pages; // for few queries: keys of each batch, and their pages
  std::optional<dsl::Tensor> workspace, counters;       // of few queries with teams
  std::optional<dsl::Tensor> scalesQ, scalesK, scalesV; // of 8 bits: (head, batch), or (head)
  /// For a persistent grid: tiles of queries per head, heads, pairs of a head and a batch, how many
  /// of these are visited together, and the total number of tiles.
  std::optional<dsl::Num> tiles, heads, pairs, together, items;
  std::optional<dsl::Tensor> lse; // (query, head, batch), or without batch

  auto members() {
    return std::tie(q, k, v, o, plainQ, plainK, plainV, plainO, queries, keys, sharing, scale,
                    reach, cap, slopes, startsQ, startsK, lengths, pages, workspace, counters,
                    scalesQ, scalesK, scalesV, tiles, heads, pairs, together, items, lse);
  }
};

/// What all threads of a block know.
struct AttentionBlock : ThreadIds {
  const AttentionConfig &c;
  AttentionPlan plan;
  AttentionParameters given;
  dsl::Num tile, head, batch; // of the block; for few queries the head is one of K
  dsl::Num part, team;        // of the keys, for few queries: block of its cluster, and cluster
  dsl::Num item;              // for few queries with teams: the number of the tile of rows
  dsl::Num startQ, startK;    // rows before those of the block's sequence, of many in one batch
  dsl::Num past;              // keys before the last one that the first query sees
  dsl::Num first;             // tile of keys, of few queries or with a window; unset: 0
  dsl::Num steps;             // tiles of keys
  dsl::Num whole;             // number of first tiles that reach no query's last key
  dsl::Num cut;               // number of first tiles that may be before a query's first key
  dsl::Num scaleV;            // of 8 bits: of the head
  dsl::Barrier fullQ, emptyQ;
  dsl::Pipeline ringK, ringV;
  dsl::Pipeline ringTurned; // for 8 bits: read by consumers instead of V

  explicit AttentionBlock(const AttentionConfig &c) : c(c), plan(c) {}
  /// Sets where the block is, without a persistent grid, and its barriers.
  void begin(const AttentionParameters &);
  /// Calls `work(state)` for each of the block's tiles of queries, and passes the state on.
  template <class State, class Work> State forTiles(State state, Work work) {
    if (!c.persistent) {
      work(state);
      return state;
    }
    return dsl::For(dsl::block_idx(0), *given.items, dsl::grid_dim(0), state,
                    [&](dsl::Num item, State &now) { place(item), work(now); });
  }
  /// Called by one thread: `readers` arrivals empty a stage. A fence of mbarriers follows.
  void initialise(int readers) const;
  dsl::Element element() const { return *dsl::Element::named(c.element); }
  dsl::Element result() const { return *dsl::Element::named(c.result); }
  const dsl::Pipeline &ringOfValues() const { return c.isNarrow() ? ringTurned : ringV; }
  /// A pointer to swizzled tiles with this many columns.
  dsl::Pointer tiles(dsl::Region region, int columns) const {
    int64_t bytes = SmemTile::panelBytes(columns, plan.operandBits());
    return plan.memory.pointer(region, element(), SmemTile::swizzleOf(bytes));
  }
  /// The tensor (sequence, dimension) of one head of the block's batch, or of its sequence, which
  /// begins after `start` rows.
  dsl::Tensor ofHead(dsl::Tensor coords, dsl::Num which, dsl::Num start) const;

  /// Whether scores are more than scaled products, so that the softmax does not apply the scale.
  bool makesScores() const { return c.softcap || c.alibi; }
  /// The factor of scores before the softmax takes them as powers of two.
  dsl::Num scaleOfScores() const { return makesScores() ? dsl::f32(1) : given.scale; }
  /// The argument of the softmax: applies cap and ALiBi to products, and if it `masks`, excludes
  /// keys that a query does not see. The products are those of one row and of the keys at `columns`
  /// after `firstColumn`; the query is the one before `after`, and the slope that of ALiBi, times
  /// log2(e).
  dsl::Num score(dsl::Num products, llvm::ArrayRef<int32_t> columns, dsl::Num firstColumn,
                 dsl::Num after, dsl::Num slope, bool masks) const;
  /// Whether masks cut tiles other than the last one.
  bool hasBounds() const { return c.causal || c.window; }

  /// The first key in a query's window.
  dsl::Num firstKey(dsl::Num query) const;
  /// With bounds: the number of keys up to the last one that a query sees. `own` is the number of
  /// keys up to the query's own.
  dsl::Num seen(dsl::Num own) const;

  /// For few queries: waits until all blocks of the cluster have come here.
  void meet() const { c.splits > 1 ? dsl::cluster_sync() : dsl::sync_threads(); }
  /// The tile of keys of a step; the first step has the last tile.
  dsl::Num keysOf(dsl::Num step) const {
    dsl::Num back = steps - 1 - step;
    return first ? first + back : back;
  }

private:
  dsl::Num scaleOfCall;
  void place(dsl::Num item);
  void read();
  void extent();
  void extentOfPart();
  dsl::Num capped(dsl::Num products) const;
};

/// For a row of a thread: the largest score so far, and the thread's sum of exponentials relative
/// to it.
struct RowState {
  dsl::Num most, sum;
  auto members() { return std::tie(most, sum); }
};
constexpr int rowsOfThread = 2; // of wgmma's accumulator, 8 apart

/// For four columns of a row of O: sums over some of the keys, relative to their largest score, and
/// the sum of their exponentials.
struct FewSums {
  dsl::Num most, total, sums;
};

/// The rows of a tile of few queries: the heads that share K and V, one query after the other.
class FewQueries {
public:
  explicit FewQueries(const AttentionBlock &s) : s(s), c(s.c) {}

  /// The row of a thread, within the head of K.
  dsl::Num row(int ofThread) const;
  dsl::Num query(dsl::Num row) const { return row / s.given.sharing; }
  /// The head of Q of a row.
  dsl::Num head(dsl::Num row) const { return s.head * s.given.sharing + row % s.given.sharing; }
  /// The columns of a row of Q or O, and the number of all rows of the head of K.
  dsl::Tensor rowOf(dsl::Tensor tensor, dsl::Num row) const;
  dsl::Num rows() const { return s.given.sharing * s.given.queries; }
  /// Q in registers, as first operand of wgmma. Rows beyond the last one repeat it.
  dsl::Tensor load() const;
  /// Writes the results for a part of the keys to the block's shared memory.
  void put(dsl::Tensor out, const std::array<RowState, rowsOfThread> &) const;
  /// Called by the threads of a consumer: computes this block's share of the rows of O from all
  /// parts. Teams leave theirs in the workspace for the one that comes last.
  void finish() const;

private:
  const AttentionBlock &s;
  const AttentionConfig &c;

  static constexpr int side = 4; // columns of O that a thread finishes at a time
  struct Unit {
    dsl::Num row, column;
  };
  void forUnits(const std::function<void(const Unit &)> &body) const;
  FewSums together(const std::vector<FewSums> &parts) const;
  FewSums ofCluster(const Unit &) const;
  FewSums ofTeams(const Unit &) const;
  void keep(const FewSums &, const Unit &) const;
  void store(const FewSums &, const Unit &) const;
  dsl::Num comesLast() const;
  dsl::Num startOf(dsl::Num team) const;
  dsl::Tensor sumsOf(dsl::Num team, const Unit &) const;
  dsl::Tensor stateOf(dsl::Num team, const Unit &) const;
  dsl::Pointer states() const;
};

/// The host function, which launches blocks of `threads` threads; sets `given`.
void writeHost(AttentionBlock &, int threads);
/// The host function and the kernel, of which each block has the work of one tile.
void writeKernel(AttentionBlock &, int threads, llvm::function_ref<void()> work);
/// The work of the warp that loads: keys from the last tile to the first.
void produce(AttentionBlock &);
/// The work of two warps if V has 8 bits, where wgmma needs the keys of a head contiguous: they
/// transpose each tile, from the last one to the first.
void turn(AttentionBlock &);
constexpr int warpsThatTurn = 2, firstThatTurns = 2;
/// The work of a warpgroup that multiplies: all of its rows of O.
void consume(AttentionBlock &);

} // namespace tessera::kernels::sm90
