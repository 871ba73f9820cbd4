// The host function of attention's gradients, and which tiles see each other. For the kernels only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Dsl.h"
#include "tessera/kernels/attention/AttentionBackward.h"

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace tessera::kernels {

/// The tiles that a block of dK and dV, or of dQ, keeps; it goes over those of the others.
enum class GradientOf {
  Keys,
  Queries
};

/// What a kernel computes: of keys dK and dV, or one of them, of queries dQ.
struct GradientWork {
  GradientOf of;
  bool scores; // what comes of dS: dK or dQ
  bool values; // what comes of P: dV

  std::string_view name() const {
    return of == GradientOf::Queries ? "queries_" : scores ? "keys_" : "values_";
  }
  bool ofKeys() const { return of == GradientOf::Keys; }
  /// P alone needs K, and no V.
  size_t tilesKept() const { return scores ? 2 : 1; }
};
/// The sums of wide heads take all registers, so that dK and dV are computed apart.
std::vector<GradientWork> worksOf(const AttentionBackwardConfig &);

/// What scores have besides products, and where sequences are, as parameters of a kernel; each is
/// there if the configuration asks for it.
struct GradientScores {
  dsl::Num factor; // of products: the scale times log2(e), with a cap times 2 / cap
  std::optional<dsl::Num> window, cap; // at most all keys and queries; times log2(e)
  std::optional<dsl::Tensor> slopes;   // of the heads of Q
  std::optional<dsl::Tensor> startsQ, startsK;

  auto members() { return std::tie(factor, window, cap, slopes, startsQ, startsK); }
};

/// A block's tile of `ownRows` rows, in its sequence, and the tiles of `step` rows that it goes
/// over: those from `first` up to `steps`, of which masks cut those from `masksFrom` up to
/// `masksTo`, as some query does not see some key there.
///
/// Of S and dP a thread has pairs of columns, 8 apart, of a row (PTX ISA, fragments of D of mma and
/// wgmma). `first` is then the first of its columns, and vectors have step / 4 numbers.
class GradientTile {
public:
  GradientTile(const AttentionBackwardConfig &c, GradientOf of, int ownRows, int step)
      : c(c), of(of), ownRows(ownRows), step(step) {}

  dsl::Num tile, batch;   // a sequence is a batch here
  dsl::Num queries, keys; // of the sequence
  dsl::Num first, steps;  // tiles
  dsl::Num masksFrom, masksTo;

  /// Called at the start of the kernel, with the rows of all tensors.
  void begin(const GradientScores &, dsl::Num tile, dsl::Num batch, dsl::Num queries,
             dsl::Num keys);
  /// Which tiles may be whole, before those that masks cut, be cut, and be whole after those.
  bool wholeBefore() const { return !c.window && of == GradientOf::Queries; }
  bool masks() const { return of == GradientOf::Queries || c.causal || c.window; }
  bool wholeAfter() const { return !c.window && of == GradientOf::Keys; }

  /// Whether the sequence has the block's tile, if there may be longer ones.
  dsl::Num isThere() const;
  /// The rows of the sequence in a tensor of queries or of keys (row, column, head, batch).
  dsl::Tensor rowsOf(dsl::Tensor, GradientOf, dsl::Num head) const;
  /// The same of statistics: (row, 2). After the sequence's queries there are rows of which every P
  /// is 0, up to a multiple of GradientCall::rounding.
  dsl::Tensor statisticsOf(dsl::Tensor, dsl::Num head) const;

  /// ALiBi's slope times log2(e) of a head of Q; unset without.
  dsl::Num slopeOf(dsl::Num head) const;
  /// P of the products in a row; `logs` are minus the logarithms.
  dsl::Num powers(dsl::Num products, dsl::Num logs, dsl::Num row, dsl::Num first,
                  dsl::Num slope) const;
  /// P where a query sees a key, else 0.
  dsl::Num seen(dsl::Num p, dsl::Num row, dsl::Num first) const;
  /// dS, of the products.
  dsl::Num gradients(dsl::Num p, dsl::Num dP, dsl::Num deltas, dsl::Num logs, dsl::Num row,
                     dsl::Num first, dsl::Num slope) const;

private:
  const AttentionBackwardConfig &c;
  GradientOf of;
  int ownRows, step;
  GradientScores given;
  dsl::Num startQ, startK;
  dsl::Num past; // keys before the own one of the first query: that of query q is q + past

  void reach();
  int64_t count() const { return step / 4; }
  dsl::Num columns() const;
  dsl::Num bias(dsl::Num row, dsl::Num first, dsl::Num slope) const;
};

/// What a call is given, once its shapes are known to belong together. Matrices have the modes
/// (sequence, dimension, head, batch), `statistics` those of AttentionStatistics; with sequences of
/// their own lengths none has a batch.
struct GradientCall {
  dsl::Tensor q, k, v, o, gradient, dQ, dK, dV, log, statistics;
  dsl::Num scale;
  GradientScores scores;
  dsl::Num queries, keys, heads, headsOfK, batches;
  dsl::Num longestQ, longestK; // of any sequence
  dsl::Num sharing;            // heads of Q that share one of K

  static constexpr int rounding = 64; // of the queries that the workspace has room for
};

/// Where the statistics of a sequence with its own length begin: at a multiple of
/// GradientCall::rounding, as TMA wants it, with as many rows as it has queries rounded up.
dsl::Num startOfStatistics(dsl::Num startQ, dsl::Num sequence);

/// Writes the host function, which launches AttentionStatistics and then calls `launches`, and the
/// kernel of statistics.
void writeGradients(const AttentionBackwardConfig &,
                    const std::function<void(const GradientCall &, dsl::Stream)> &launches);

} // namespace tessera::kernels
