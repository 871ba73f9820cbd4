// AttentionBlock: what all threads of a block of attention know, and what they do alike on several
// targets. For the parts of the kernels only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/WarpGroups.h"
#include "tessera/kernels/attention/AttentionMemory.h"

namespace tessera::kernels {

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
  AttentionMemory plan; // of the target's plan, what all parts need
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

  AttentionBlock(const AttentionConfig &c, const AttentionMemory &plan) : c(c), plan(plan) {}
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
  /// P grows by so many powers of two, and the sums alike. Of 8 bits it is up to 2^8, so that more
  /// of its small numbers are more than zero: f8E4M3FN has 2^-9 to 448.
  int grows() const { return c.isNarrow() ? 8 : 0; }
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
constexpr int rowsOfThread = 2; // of the sums of mma.sync and wgmma, 8 apart

/// If V has 8 bits: so many warps, from that one on, turn its stages (AttentionMemory::turned).
constexpr int warpsThatTurn = 2, firstThatTurns = 2;

/// The host function, which launches blocks of `threads` threads; sets `given`.
void writeHost(AttentionBlock &, int threads);
/// The host function and the kernel, of which each block has the work of one tile.
void writeKernel(AttentionBlock &, int threads, llvm::function_ref<void()> work);
/// The work of the warp that loads: keys from the last tile to the first.
void produce(AttentionBlock &);

} // namespace tessera::kernels
