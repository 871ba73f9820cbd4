// WarpProducts: mma.sync on the fragments of WarpRows. For the kernels of mma.sync.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Target.h"
#include "tessera/kernels/sm80/Tiles.h"

namespace tessera::kernels::sm80 {

/// Sums of 16 x 8 products, over steps of 32 bytes of K. The instruction may be smaller: on sm_75
/// two of 16 x 8 x 16 bytes, or four of 8 x 8 x 16, make a step.
class WarpProducts {
public:
  /// Of elements of two types that the target multiplies, for 16 `blocksM` x 8 `blocksN` sums.
  WarpProducts(const atom::Target &, dsl::Element a, dsl::Element b, int blocksM, int blocksN);

  static constexpr int sumsOfLane = 4; // of 16 x 8
  /// Sums (4, blocksM, blocksN) that are 0.
  dsl::Tensor zeros() const;
  /// Adds the products of a step.
  void add(dsl::Tensor a, dsl::Tensor b, dsl::Tensor sums) const;

private:
  dsl::Element a, b, sum;
  int blocksM, blocksN;
  std::string atom; // CuTe's name
  int rows, kBytes; // of the instruction
};

} // namespace tessera::kernels::sm80
