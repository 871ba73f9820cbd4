// GroupEpilogue: from the accumulators of a warpgroup to D. For the GEMM only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/gemm/BoxEpilogue.h"

namespace tessera::kernels::sm90 {

/// The storers of Hopper: warpgroups, whose accumulators are in registers as wgmma leaves them.
class GroupEpilogue : public BoxEpilogue {
public:
  using BoxEpilogue::BoxEpilogue;
  void store(const TilePosition &, dsl::Tensor sums);

private:
  dsl::Tensor registers; // a thread's part of a box, in D's type

  void storeRows(const TilePosition &, const std::function<dsl::Num(int)> &sums);

  void place() override;
  void sync() override;
  void once(const std::function<void()> &) override;
  void put(dsl::Num values, dsl::Pointer box, int columns) override;
  dsl::Num get(dsl::Pointer box) override;
  dsl::Num biasOf(const TilePosition &, int box) override;
  dsl::Num threadOfStorer() const override;
  int threadsOfStorer() const override;

  bool narrow() const { return s.plan.elementD().bits() == 16; }
  dsl::Tensor rowsForMatrices(dsl::Pointer at, int columns);
  dsl::Tensor pairs(dsl::Pointer at, int columns);
};

} // namespace tessera::kernels::sm90
