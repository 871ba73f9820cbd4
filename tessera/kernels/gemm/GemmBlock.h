// GemmBlock: what all threads of a block know. For the GEMMs whose operands TMA loads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/WarpGroups.h"
#include "tessera/kernels/gemm/GemmMemory.h"
#include "tessera/kernels/gemm/GemmParameters.h"

namespace tessera::kernels {

struct GemmBlock : ThreadIds {
  const GemmConfig &c;
  GemmMemory plan;       // of the target's plan, what epilogues and loads need
  const GemmType &a, &b; // not of a configuration that is refused
  GemmParameters given;
  dsl::Num rank; // in the cluster

  GemmBlock(const GemmConfig &c, const GemmMemory &plan)
      : c(c), plan(plan), a(*findGemmType(c.a)), b(*findGemmType(c.b)) {}
  /// Called at the start of the kernel.
  void begin(const GemmParameters &);
  /// A pointer to swizzled tiles.
  dsl::Pointer tiles(dsl::Region region, dsl::Element element) const {
    return plan.memory.pointer(region, element, SmemTile::swizzle);
  }
};

} // namespace tessera::kernels
