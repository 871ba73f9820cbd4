// TMA instructions: how many coordinates and offsets they take.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/cute_nvgpu/Diagnostics.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;
using cute::AddressSpace;
using cute::PtrType;

/// Boxes have 1 to 5 coordinates; gathered and scattered rows a column and four rows; pixels under
/// a filter 3 to 5, and an offset for each mode between the first and the last, or two (halo and
/// offset along W); stores have no offsets. Source: PTX ISA 9.7.9.25.5.2, 5.5.4 to 5.5.6.
static LogicalResult verifyBox(Operation *op, atom::TmaMode mode, size_t coordinates,
                               size_t offsets, bool store = false) {
  using enum atom::TmaMode;
  constexpr size_t rowsAndColumn = 5;
  bool along = mode == Im2colW || mode == Im2colW128;
  if ((along || mode == Im2col) && (coordinates < 3 || coordinates > 5))
    return refuse(op, Diag::Im2colRank, coordinates);
  if (mode == Tiled && (coordinates < 1 || coordinates > 5))
    return refuse(op, Diag::TmaRank, coordinates);
  if ((mode == Gather4 || mode == Scatter4) && coordinates != rowsAndColumn)
    return refuse(op, Diag::TmaRows, coordinates);
  size_t expected = along ? 2 : mode == Im2col && !store ? coordinates - 2 : 0;
  return offsets == expected ? success()
                             : refuse(op, Diag::Im2colOffsets, expected, coordinates, offsets);
}
template <class Op> static LogicalResult verifyLoad(Op op) {
  if (op.getMode() == atom::TmaMode::Scatter4)
    return refuse(op, Diag::TmaLoadMode);
  return verifyBox(op, op.getMode(), op.getCoord().size(), op.getOffsets().size());
}
template <class Op> static LogicalResult verifyStore(Op op) {
  return verifyBox(op, op.getMode(), op.getCoord().size(), 0, /*store=*/true);
}

LogicalResult ArchTmaLoadOp::verify() {
  auto barrier = cast<PtrType>(getBarrier().getType());
  if (barrier.getAddressSpace() != AddressSpace::Smem)
    return refuse(*this, Diag::TmaBarrier);
  auto ctas = int32_t(getNumCta());
  if (ctas != 1 && ctas != 2)
    return refuse(*this, Diag::TmaCtas, ctas);
  return verifyLoad(*this);
}
LogicalResult ArchTmaPrefetchOp::verify() { return verifyLoad(*this); }
LogicalResult ArchTmaStoreOp::verify() { return verifyStore(*this); }
LogicalResult ArchTmaReduceOp::verify() {
  if (getMode() == atom::TmaMode::Scatter4)
    return refuse(*this, Diag::TmaReduceMode);
  return verifyStore(*this);
}

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
