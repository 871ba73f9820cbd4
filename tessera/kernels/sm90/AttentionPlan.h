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
  static constexpr int bits = 16;           // of the elements that sums become
  static constexpr int rowsOfConsumer = 64; // one wgmma's
  static constexpr int groupThreads = atom::Threads::ofGroup;

  static constexpr int padding = 8; // words after a row of sums: see sumsPitch

  explicit AttentionPlan(const AttentionConfig &);
  const AttentionConfig &c;
  dsl::SharedMemory memory;
  dsl::Region q, k, v;
  dsl::Region turned; // of 8 bits: V again, with the keys of a head side by side
  dsl::Region o;      // O, of a persistent grid; else it takes Q's place
  dsl::Region sums;   // of few queries: what the parts of the keys gave, where K and V were
  dsl::Region flag;   // of few queries with teams: which of them the block came as
  /// Q's that says full; for K, V and turned V each stage's that says full, each that says empty;
  /// of a persistent grid Q's that says empty.
  dsl::Region barriers;

  int operandBits() const { return c.isNarrow() ? 8 : bits; }
  SmemTile tileQ() const { return {c.tileM(), c.headDim, operandBits()}; }
  SmemTile tileK() const { return {c.tileN, c.headDim, operandBits()}; }
  SmemTile tileV() const { return {c.tileN, c.valueDims(), operandBits()}; }
  SmemTile tileTurned() const { return {c.valueDims(), c.tileN, operandBits()}; }
  /// What a TMA box loads of a tile of keys: all of it, or what a page has.
  int keysOfBox() const { return c.pageSize ? std::min(c.pageSize, c.tileN) : c.tileN; }
  SmemTile boxOf(const SmemTile &tile, int columns) const {
    return keysOfBox() == c.tileN ? tile
                                  : SmemTile(keysOfBox(), columns, operandBits()).within(c.tileN);
  }
  SmemTile boxO() const { return {rowsOfBox(), panelO(), bits}; }
  /// Of O, that are stored together: a consumer's, or where sums are in tensor memory a warp's.
  int rowsOfBox() const { return c.hasTensorMemory() ? atom::Threads::ofWarp : rowsOfConsumer; }
  /// Columns of a box of O, as wide as those of a head.
  int panelO() const { return int(8 * SmemTile::panelBytes(c.valueDims(), bits) / bits); }
  int64_t bytesOf(const SmemTile &tile) const { return tile.elements() * operandBits() / 8; }
  int threads() const { return (c.consumers + 1) * groupThreads; }
  /// Words from a row of sums to the next. A quarter of a warp writes pairs of two rows: four rows
  /// are 8 words apart modulo the 32 banks.
  int sumsPitch() const { return c.valueDims() + padding; }
  int statesStart() const { return rowsOfConsumer * sumsPitch(); }
  /// Blocks that a multiprocessor has room for. Few queries wait for memory, which two blocks do
  /// longer.
  int together() const;
  /// Whether a block may begin before kernels before it have ended (Overlap.h): of few queries.
  /// With many it gains nothing, and the order in which blocks come then costs 5 %.
  bool overlaps() const { return c.splits && !c.hasTensorMemory() && kernels::overlaps(c.target); }
  /// So that all groups together have the 512 registers that a lane of a quarter of the SM has.
  RegisterBudget registers() const {
    if (c.consumers == 1)
      return {40, together() > 1 ? 208 : 240};
    if (c.isNarrow()) // those that turn V need more
      return c.consumers == 2 ? RegisterBudget{56, 224} : RegisterBudget{56, 152};
    return c.consumers == 2 ? RegisterBudget{24, 240} : RegisterBudget{32, 160};
  }
};

/// What the kernel is given. Few queries are read and written without tensor maps; O is written so
/// where a box might reach into the next sequence, too.
struct AttentionParameters {
  std::optional<dsl::TmaTensor> q;
  dsl::TmaTensor k, v;
  std::optional<dsl::TmaTensor> o;
  std::optional<dsl::Tensor> plainQ, plainO;
  dsl::Num queries, keys;
  dsl::Num sharing;                            // heads of Q that have one of K in common
  dsl::Num scale;                              // times log2(e); with a cap 2 log2(e) / cap times it
  std::optional<dsl::Num> reach;               // keys on a side of a query's own that it sees
  std::optional<dsl::Num> cap;                 // times log2(e)
  std::optional<dsl::Tensor> slopes;           // of the heads of Q
  std::optional<dsl::Tensor> startsQ, startsK; // of sequences of their own lengths
  std::optional<dsl::Tensor> lengths, pages;   // of few queries: keys of a batch, where they lie
  std::optional<dsl::Tensor> workspace, counters;       // of few queries with teams
  std::optional<dsl::Tensor> scalesQ, scalesK, scalesV; // of 8 bits: (head, batch), or (head)
  /// Of a persistent grid: tiles of queries of a head, heads, pairs of a head and a batch, how many
  /// of these are visited together, and all tiles.
  std::optional<dsl::Num> tiles, heads, pairs, together, items;
  std::optional<dsl::Tensor> lse; // (query, head, batch), or without batch

  auto members() {
    return std::tie(q, k, v, o, plainQ, plainO, queries, keys, sharing, scale, reach, cap, slopes,
                    startsQ, startsK, lengths, pages, workspace, counters, scalesQ, scalesK,
                    scalesV, tiles, heads, pairs, together, items, lse);
  }
};

/// What all threads of a block know.
struct AttentionBlock : ThreadIds {
  const AttentionConfig &c;
  AttentionPlan plan;
  AttentionParameters given;
  dsl::Num tile, head, batch; // of the block; of few queries the head is one of K
  dsl::Num part, team;        // of the keys, of few queries: the block of its cluster, and which
  dsl::Num item;              // of few queries with teams: the tile of rows among all
  dsl::Num startQ, startK;    // rows before those of the block's sequence, of many in one batch
  dsl::Num past;              // keys before the one that the first query sees last
  dsl::Num first;             // tile of keys, of few queries or with a window; unset: 0
  dsl::Num steps;             // tiles of keys
  dsl::Num whole;             // how many of them, from the first, reach no query's last key
  dsl::Num cut;               // how many, from the first, may be before a query's first key
  dsl::Num scaleV;            // of 8 bits: of the head
  dsl::Barrier fullQ, emptyQ;
  dsl::Pipeline ringK, ringV;
  dsl::Pipeline ringTurned; // of 8 bits: what consumers read instead of V

  explicit AttentionBlock(const AttentionConfig &c) : c(c), plan(c) {}
  /// Where the block is, without a persistent grid, and its barriers.
  void begin(const AttentionParameters &);
  /// `work(state)` of each of the block's tiles of queries, which the state goes through.
  template <class State, class Work> State forTiles(State state, Work work) {
    if (!c.persistent) {
      work(state);
      return state;
    }
    return dsl::For(dsl::block_idx(0), *given.items, dsl::grid_dim(0), state,
                    [&](dsl::Num item, State &now) { place(item), work(now); });
  }
  /// By one thread: so many arrivals of readers empty a stage. A fence of mbarriers follows.
  void initialise(int readers) const;
  dsl::Element element() const { return *dsl::Element::named(c.element); }
  dsl::Element result() const { return *dsl::Element::named(c.result); }
  const dsl::Pipeline &ringOfValues() const { return c.isNarrow() ? ringTurned : ringV; }
  /// Of swizzled tiles of so many columns.
  dsl::Pointer tiles(dsl::Region region, int columns) const {
    int64_t bytes = SmemTile::panelBytes(columns, plan.operandBits());
    return plan.memory.pointer(region, element(), SmemTile::swizzleOf(bytes));
  }
  /// The tensor of one head of the block's batch, or of its sequence, which begins after so many
  /// rows: (sequence, dimension).
  dsl::Tensor ofHead(dsl::Tensor coords, dsl::Num which, dsl::Num start) const;

  /// Whether scores are more than products times a scale, which the softmax multiplies by.
  bool makesScores() const { return c.softcap || c.alibi; }
  /// What the softmax multiplies scores by before it takes them as powers of two.
  dsl::Num scaleOfScores() const { return makesScores() ? dsl::f32(1) : given.scale; }
  /// What the softmax is of: of products what is more than a scale, and nothing of keys that a
  /// query does not see, where it `masks`. The products are those of one row and of the keys at
  /// these columns after `firstColumn`; the query is the one before `after`, the slope that of
  /// ALiBi, times log2(e).
  dsl::Num score(dsl::Num products, llvm::ArrayRef<int32_t> columns, dsl::Num firstColumn,
                 dsl::Num after, dsl::Num slope, bool masks) const;
  /// Whether tiles beside the last one are cut by masks.
  bool hasBounds() const { return c.causal || c.window; }

  /// The first key that a query's window has.
  dsl::Num firstKey(dsl::Num query) const;
  /// Where there are bounds: how many keys there are up to the last one that a query sees, of whose
  /// own there are `own` up to it.
  dsl::Num seen(dsl::Num own) const;

  /// Until all blocks of the cluster have come here, of few queries.
  void meet() const { c.splits > 1 ? dsl::cluster_sync() : dsl::sync_threads(); }
  /// The tile of keys of a step: the last one first.
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

/// Of a row of a thread: the largest score so far, and the sum of the thread's exponentials
/// relative to it.
struct RowState {
  dsl::Num most, sum;
  auto members() { return std::tie(most, sum); }
};
constexpr int rowsOfThread = 2; // of an accumulator of wgmma: 8 apart

/// Of four columns of a row of O: sums over some of the keys, relative to the largest score of
/// these, and of their exponentials.
struct FewSums {
  dsl::Num most, total, sums;
};

/// The rows of a tile of few queries: the heads that share K and V, one query after the other.
class FewQueries {
public:
  explicit FewQueries(const AttentionBlock &s) : s(s), c(s.c) {}

  /// The row of a thread, of the head of K.
  dsl::Num row(int ofThread) const;
  dsl::Num query(dsl::Num row) const { return row / s.given.sharing; }
  /// The head of Q of a row.
  dsl::Num head(dsl::Num row) const { return s.head * s.given.sharing + row % s.given.sharing; }
  /// Q in registers, as the first operand of wgmma; rows that are none have the last one's numbers.
  dsl::Tensor load() const;
  /// What a part of the keys gave, into the block's shared memory.
  void put(dsl::Tensor out, const std::array<RowState, rowsOfThread> &) const;
  /// By the threads of a consumer: this block's share of the rows of O, out of all parts, which
  /// teams leave in the workspace for the one that comes last.
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
  dsl::Num rows() const { return s.given.sharing * s.given.queries; }
  dsl::Tensor rowOf(dsl::Tensor tensor, dsl::Num row) const;
  dsl::Pointer states() const;
};

/// The host function, which launches blocks of so many threads; what it gives them is `given` then.
void writeHost(AttentionBlock &, int threads);
/// What the warp does that loads: keys from the last tile to the first.
void produce(AttentionBlock &);
/// What two warps do where V has 8 bits, of which wgmma reads those of one head side by side: as
/// many of each tile, from the last one to the first.
void turn(AttentionBlock &);
constexpr int warpsThatTurn = 2, firstThatTurns = 2;
/// What a warpgroup does that multiplies: all of its rows of O.
void consume(AttentionBlock &);

} // namespace tessera::kernels::sm90
