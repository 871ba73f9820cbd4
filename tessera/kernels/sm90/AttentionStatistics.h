// AttentionStatistics: what the gradients of attention need of each query.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Threads.h"
#include "tessera/dsl/Values.h"
#include "tessera/kernels/sm90/AttentionBackward.h"

namespace tessera::kernels::sm90 {

/// The kernel that writes, of each query, minus the logarithm of its sum, in base 2, and delta.
/// Queries that see no key, and those after the last, have minus infinity, which makes every P
/// zero.
class AttentionStatistics {
public:
  explicit AttentionStatistics(const AttentionBackwardConfig &c) : c(c) {}

  static constexpr int rowsOfBlock = 4; // a warp has one
  static constexpr int threads = rowsOfBlock * atom::Threads::ofWarp;
  std::string name() const;
  /// Modes (query, dimension, head, batch); log has (query, head, batch) and statistics (query, 2,
  /// head, batch).
  struct Given {
    dsl::Tensor o, gradient, log, statistics;
    auto members() { return std::tie(o, gradient, log, statistics); }
  };
  Given given; // set by the host function

  void write();

private:
  const AttentionBackwardConfig &c;
  void body();
};

} // namespace tessera::kernels::sm90
