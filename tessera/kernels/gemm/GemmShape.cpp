// Shapes as text, and the workspace of slices of K.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/gemm/GemmShape.h"

#include "tessera/kernels/Errors.h"

#include "llvm/ADT/SmallVector.h"

#include <algorithm>

using namespace tessera;
using namespace tessera::kernels;
using llvm::StringRef;

Result<GemmShape> GemmShape::parse(StringRef text) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, 'x');
  int64_t extents[3] = {};
  for (size_t i = 0; i < 3; ++i)
    if (parts.size() != 3 || parts[i].getAsInteger(10, extents[i]) || extents[i] < 1 ||
        extents[i] > INT32_MAX)
      return fail(Error::GemmShapeText, text.str());
  return GemmShape{extents[0], extents[1], extents[2]};
}
std::string GemmShape::str() const { return cat(m, "x", n, "x", k); }

static int64_t tilesAlong(int64_t extent, int64_t tile) { return (extent + tile - 1) / tile; }

GemmWorkspace kernels::workspaceOf(const GemmConfig &c, const GemmShape &shape) {
  if (c.splitK == 1 || c.swap)
    return {};
  int64_t tiles =
      tilesAlong(shape.m, c.tileM * c.cluster) * c.cluster * tilesAlong(shape.n, c.tileN);
  int64_t slices = std::min<int64_t>(c.splitK, tilesAlong(shape.k, c.tileK()));
  return {tiles * slices * c.tileM * c.tileN, tiles * c.teamsOfSlices()};
}
