// GemmShape: the extents of a product, and the memory that it needs besides its operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/gemm/Gemm.h"

#include "llvm/ADT/StringRef.h"

namespace tessera::kernels {

struct GemmShape {
  int64_t m = 0, n = 0, k = 0;

  static Result<GemmShape> parse(llvm::StringRef text); // "4096x4096x11008"
  std::string str() const;
  bool operator==(const GemmShape &) const = default;
};

/// Numbers of elements of the workspace and the counters that slices of K need.
struct GemmWorkspace {
  int64_t sums = 0, counters = 0;
};
GemmWorkspace workspaceOf(const GemmConfig &, const GemmShape &);

} // namespace tessera::kernels
