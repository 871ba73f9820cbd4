// Attention: O = softmax(scale Q K^T) V on all targets, the forward pass, as CuTe IR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"
#include "tessera/kernels/Products.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace tessera::kernels {

/// A block has one producer warpgroup, which runs TMA, and consumers of 64 queries each, which
/// alternate: while one multiplies, another computes exponentials.
struct AttentionConfig {
  std::string element = "bf16"; // of Q, K and V: f16, bf16, or f8E4M3FN with scales for each head
  std::string result = {};      // of O; empty: as the others, for f8 bf16
  int headDim = 128;            // of Q and K: 64, 96, 128, 192, 256
  int valueDim = 0;             // of V and O: 0 for headDim, or 128 with headDim 192
  bool causal = false;          // a query sees the keys up to its own; the last query sees all
  bool window = false;          // a query sees keys up to a given distance from its own
  bool softcap = false;         // scores become cap tanh(score / cap)
  bool alibi = false;  // scores decrease by slope |key - query's own|, with a slope for each head
  bool varlen = false; // sequences of different lengths, one after the other in one batch
  bool lse = false;    // writes the logarithm of each query's sum, for the gradients
  int consumers = 0;   // 2 or 3; 0: the fastest as measured, as below; where warps multiply 64 rows
  int tileN = 0;       // keys of a step: a multiple of 16, up to 176; for f8 of 32, up to 192
  int stages = 2;      // tiles of K, and of V, in flight
  /// For many queries, if O has room beside Q: a block may process several tiles of queries, one
  /// after the other, and load the next one while it stores.
  std::optional<bool> takesSeveral = {}; // unset: not with 8 bits, where it is slower if long
  bool persistent = false;               // set by complete()
  int sms = 132;                         // multiprocessors: blocks of a persistent grid
  /// 0, or for few queries the number of parts of the keys: 1, 2, 4 or 8, without clusters 1. Each
  /// part is a block of a cluster; the blocks then add up their results in order. The queries of
  /// all heads that share K and V are rows of one tile.
  int splits = 0;
  /// Number of clusters that divide the keys among them. Each leaves its sums in a workspace, and
  /// the last one adds them up in order: for too few heads of K to fill a GPU with clusters.
  int teams = 1;
  static constexpr int mostTeams = 32;
  static constexpr int stagesOfFew = 3; // the fastest for few queries, as measured
  /// Where warps multiply: one of K arrives while V is multiplied, and the other way round.
  static constexpr int stagesOfWarps = 1;
  bool lengths = false; // for few queries: each batch has its own number of keys
  int pageSize = 0;     // with lengths: K and V lie in pages of this many keys; 0: in one piece
  atom::Target target = *atom::Target::parse("sm_90a");

  /// The configuration with open choices made by the head and the mask (docs/benchmarks.md).
  AttentionConfig complete() const;

  /// Whether accumulators are in tensor memory: the kernel of sm100/. Of few queries they are not,
  /// which are fewer than its lanes and wait for memory.
  bool hasTensorMemory() const { return !splits && kernels::hasTensorMemory(target); }
  /// Whether products are those of warps (mma.sync): the kernel of sm80/.
  bool multipliesByWarps() const {
    return kernels::multipliesByWarps(target) || (splits && kernels::hasTensorMemory(target));
  }
  /// Whether blocks of a cluster read each other's shared memory: else teams alone share keys.
  bool hasClusters() const { return target.number() >= 90; }
  /// The parts of the keys and the stages that a target has of those for Hopper.
  int splitsThere(int parts) const { return hasClusters() ? parts : std::min(parts, 1); }
  int stagesThere() const {
    if (target.number() < 80) // no load is in flight beside products
      return 1;
    return splits ? stagesOfFew : multipliesByWarps() ? stagesOfWarps : 2;
  }
  int rowsOfConsumer() const { return hasTensorMemory() ? 128 : 64; }
  int tileM() const { return rowsOfConsumer() * consumers; }
  int valueDims() const { return valueDim ? valueDim : headDim; }
  /// Whether Q, K and V have 8 bits. Each then has a scale for each batch and head.
  bool isNarrow() const { return element == "f8E4M3FN"; }
  /// Whether threads store O's rows, instead of TMA its boxes. Boxes might reach into the next
  /// sequence, and for V of 8 bits the columns are not in O's order.
  bool storesRows() const { return splits || varlen || isNarrow(); }
  /// For few queries: the number of tiles of rows for `groups` pairs of a batch and a head of K
  /// with `rows` rows each; and the numbers that a team leaves for one tile: sums, and for each row
  /// the largest score and the sum of exponentials.
  int64_t itemsFor(int64_t groups, int64_t rows) const {
    return groups * ((rows + tileM() - 1) / tileM());
  }
  int64_t wordsOfTeam() const { return int64_t(rowsOfConsumer()) * (valueDims() + 2); }
  /// "m128n128d128_s2_bf16_causal".
  std::string name() const;
  int64_t smemBytes() const;
};

/// AttentionConfig::splits for few queries of `groups` pairs of a batch and a head of K: the fewest
/// that give every multiprocessor of Hopper's largest GPUs a block (docs/benchmarks.md).
int partsFor(int64_t groups);
/// AttentionConfig::splits and teams for the same with a workspace: at most 16 teams, which the
/// last one adds up, of clusters as small as that allows.
std::pair<int, int> teamsFor(int64_t groups);

/// The reason why there is no such kernel, or nothing.
std::optional<Reason> refused(const AttentionConfig &);

/// Writes `@attention(Q, K, V, O, scale: f32, stream)`, of few queries `@decode`, into the thread's
/// dsl::Context, for a configuration that is not refused. The tensors have the modes (batch,
/// sequence, head, dimension), contiguous in the last. K and V may have a divisor of Q's heads
/// (grouped queries). The scale is positive. A query that sees no key gives zeros. After the scale
/// come, where the configuration has them, `window: i32` (0 or more), `cap: f32` (positive) and
/// `slopes`, f32 of (heads of Q).
///
/// Sequences of their own lengths are rows of tensors (sequence, head, dimension). The last
/// arguments then are `startsQ` and `startsK`, i32 of (sequences + 1), which say where each begins
/// and where the last ends, and `longest: i32`, at least the queries of any of them. Numbers of V
/// are finite, as those of the next sequence may be multiplied by 0.
///
/// Q, K and V of 8 bits have scales, `scalesQ`, `scalesK` and `scalesV`, f32 of (batch, head), or
/// of (head) with sequences of their own lengths, which come after all these: what they stand for
/// is their numbers times these, which are positive.
///
/// After all these comes `lse`, f32 of (batch, head, query), of sequences of their own lengths
/// (head, query): the natural logarithm of the sum of the exponentials of a query's scores, which
/// is minus infinity if it sees no key.
///
/// Of few queries with lengths the last argument is `lengths`, i32 of (batches): keys of each, of
/// which K and V may have more; what V has after them is finite. With pages K and V are (pages,
/// keys of a page, head, dimension), and `pages`, i32 of (batches, pages of the longest), comes
/// after the lengths: key number k of a batch is row k % pageSize of its page number k / pageSize.
///
/// With teams the last arguments are `workspace`, f32 of at least teams * items * 64 * (that of V +
/// 2), and `counters`, i32 of at least splits * items, where items are batches * heads of K * (the
/// queries of all heads that share one of K, by 64, rounded up). Counters are 0 before the first
/// call and after each; two calls at once need two of both.
void buildAttention(const AttentionConfig &);

} // namespace tessera::kernels
