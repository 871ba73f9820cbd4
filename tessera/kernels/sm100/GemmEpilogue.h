// TensorEpilogue: from an accumulator in tensor memory to D. For the GEMM only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/gemm/BoxEpilogue.h"
#include "tessera/kernels/sm100/GemmPlan.h"

namespace tessera::kernels::sm100 {

/// The storers are warps; a lane has a row of each box.
class TensorEpilogue : public BoxEpilogue {
public:
  TensorEpilogue(GemmBlock &block, const GemmPlan &plan) : BoxEpilogue(block), plan(plan) {}

  /// Calls `read` once the accumulator, which begins at this pointer, is in registers.
  void store(const TilePosition &, dsl::Pointer sums, const std::function<void()> &read);

private:
  const GemmPlan &plan;

  void sync() override;
  void once(const std::function<void()> &body) override;
  void put(dsl::Num values, dsl::Pointer box, int columns) override;
  dsl::Num get(dsl::Pointer box) override;
  dsl::Num biasOf(const TilePosition &, int box) override;
  dsl::Num threadOfStorer() const override;
  int threadsOfStorer() const override;

  void storeRows(const TilePosition &, const std::function<dsl::Num(int)> &sums);
  dsl::Num sumsOf(dsl::Pointer);
  dsl::Tensor row(dsl::Pointer box);
};

} // namespace tessera::kernels::sm100
