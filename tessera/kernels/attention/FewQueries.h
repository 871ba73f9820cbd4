// FewQueries: attention of few queries, whose keys several blocks share. For the parts of the
// kernels only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/attention/AttentionBlock.h"

#include <array>
#include <functional>

namespace tessera::kernels {

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

} // namespace tessera::kernels
