// AttentionStatistics: numbers for each query that the gradients of attention need.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Threads.h"
#include "tessera/dsl/Values.h"
#include "tessera/kernels/attention/AttentionBackward.h"

namespace tessera::kernels {

/// The kernel that writes for each query minus the base-2 logarithm of its sum, and delta. Queries
/// that see no key, and those after the last, get minus infinity, which makes every P zero.
class AttentionStatistics {
public:
  explicit AttentionStatistics(const AttentionBackwardConfig &c) : c(c) {}

  static constexpr int rowsOfBlock = 4; // a warp has one
  static constexpr int threads = rowsOfBlock * atom::Threads::ofWarp;
  std::string name() const;
  /// Modes (query, dimension, head, batch); log has (query, head, batch) and statistics (query, 2,
  /// head, batch); without a batch, where sequences have their own lengths.
  struct Given {
    dsl::Tensor o, gradient, log, statistics;
    std::optional<dsl::Tensor> startsQ;
    auto members() { return std::tie(o, gradient, log, statistics, startsQ); }
  };
  Given given; // set by the host function

  void write();

private:
  const AttentionBackwardConfig &c;
  void body();
};

} // namespace tessera::kernels
