// TMA instructions: how many coordinates and offsets they take.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/cute_nvgpu/Diagnostics.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;
using cute::AddressSpace;
using cute::PtrType;

/// Boxes have 1 to 5 coordinates, pixels under a filter 3 to 5 and an offset for each mode between
/// the first and the last; stores have none. The modes of Blackwell are not looked at.
static LogicalResult verifyBox(Operation *op, size_t coordinates, size_t offsets, bool tiled,
                               bool im2col, bool store = false) {
  if (im2col && (coordinates < 3 || coordinates > 5))
    return refuse(op, Diag::Im2colRank, coordinates);
  if (tiled && (coordinates < 1 || coordinates > 5))
    return refuse(op, Diag::TmaRank, coordinates);
  size_t expected = im2col && !store ? coordinates - 2 : 0;
  if ((tiled || im2col) && offsets != expected)
    return refuse(op, Diag::Im2colOffsets, expected, coordinates, offsets);
  return success();
}
template <class Op> static LogicalResult verifyLoad(Op op) {
  return verifyBox(op, op.getCoord().size(), op.getOffsets().size(),
                   op.getMode() == atom::TmaMode::Tiled, op.getMode() == atom::TmaMode::Im2col);
}
template <class Op> static LogicalResult verifyStore(Op op) {
  return verifyBox(op, op.getCoord().size(), 0, op.getMode() == atom::TmaMode::Tiled,
                   op.getMode() == atom::TmaMode::Im2col, /*store=*/true);
}

LogicalResult ArchTmaLoadOp::verify() {
  auto barrier = cast<PtrType>(getBarrier().getType());
  if (barrier.getAddressSpace() != AddressSpace::smem)
    return refuse(*this, Diag::TmaBarrier);
  return verifyLoad(*this);
}
LogicalResult ArchTmaPrefetchOp::verify() { return verifyLoad(*this); }
LogicalResult ArchTmaStoreOp::verify() { return verifyStore(*this); }
LogicalResult ArchTmaReduceOp::verify() { return verifyStore(*this); }

LogicalResult ArchReplaceTmaDescOp::verify() {
  if (getExtents().empty() || getExtents().size() > 5)
    return refuse(*this, Diag::TmaRank, getExtents().size());
  if (getStrides().size() + 1 != getExtents().size())
    return refuse(*this, Diag::TmaStrides, getExtents().size() - 1, getExtents().size(),
                  getStrides().size());
  return success();
}

#define GET_OP_CLASSES
#include "tessera/cute_nvgpu/families/tma/Copies.cpp.inc"
