// Bulk copies and reductions: where they read and write, and how much.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/cute_nvgpu/Diagnostics.h"
#include "tessera/cute_nvgpu/families/bulk/Bulk.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;
using cute::AddressSpace;
using cute::PtrType;

/// Where an operand must be.
struct Place {
  StringRef operand;
  Value pointer; // or null
  ArrayRef<AddressSpace> spaces;
};
static constexpr AddressSpace global[] = {AddressSpace::Gmem, AddressSpace::Generic};
static constexpr AddressSpace shared[] = {AddressSpace::Smem};
static constexpr AddressSpace cluster[] = {AddressSpace::Dsmem,
                                           AddressSpace::Smem}; // its window has the CTA's own

static LogicalResult verifyPlaces(Operation *op, ArrayRef<Place> places) {
  for (const Place &place : places) {
    if (!place.pointer)
      continue;
    auto type = cast<PtrType>(place.pointer.getType());
    if (!llvm::is_contained(place.spaces, type.getAddressSpace()))
      return refuse(op, Diag::PointerSpace, place.operand, atom::name(place.spaces.front()),
                    atom::name(type.getAddressSpace()));
  }
  return success();
}
static LogicalResult verifyBulk(Operation *op, int32_t bytes, ArrayRef<Place> places) {
  if (bytes <= 0 || bytes % 16 != 0)
    return refuse(op, Diag::BulkBytes, bytes);
  return verifyPlaces(op, places);
}

LogicalResult ArchBulkCopyG2SOp::verify() {
  return verifyBulk(
      *this, int32_t(getBytes()),
      {{"dst", getDst(), shared}, {"src", getSrc(), global}, {"barrier", getBarrier(), shared}});
}
LogicalResult ArchBulkCopyS2GOp::verify() {
  return verifyBulk(*this, int32_t(getBytes()),
                    {{"dst", getDst(), global}, {"src", getSrc(), shared}});
}
LogicalResult ArchBulkCopyS2SOp::verify() {
  return verifyBulk(
      *this, int32_t(getBytes()),
      {{"dst", getDst(), cluster}, {"src", getSrc(), shared}, {"barrier", getBarrier(), cluster}});
}
LogicalResult ArchBulkPrefetchOp::verify() {
  return verifyBulk(*this, int32_t(getBytes()), {{"src", getSrc(), global}});
}

LogicalResult ArchBulkReduceOp::verify() {
  bool toCluster = cast<PtrType>(getDst().getType()).getAddressSpace() == AddressSpace::Dsmem;
  ArrayRef<AddressSpace> to = toCluster ? ArrayRef(cluster) : ArrayRef(global);
  if (failed(verifyBulk(
          *this, int32_t(getBytes()),
          {{"dst", getDst(), to}, {"src", getSrc(), shared}, {"barrier", getBarrier(), cluster}})))
    return failure();
  if (toCluster != bool(getBarrier()))
    return refuse(*this, Diag::ReduceBarrier, getDst().getType());
  Result<const atom::CopyRow *> row = getRow();
  return row ? success() : refuse(*this, Diag::NoSuchReduction, StringRef(row.reason().text));
}
Result<const atom::CopyRow *> ArchBulkReduceOp::getRow() {
  return bulkReductionRow(bool(getBarrier()), getKind(), getElement());
}

LogicalResult ArchDsmemStoreOp::verify() {
  auto vector = dyn_cast<VectorType>(getValue().getType());
  int64_t words = vector ? vector.getNumElements() : 1;
  if (words != 1 && words != 2 && words != 4)
    return refuse(*this, Diag::StoreBits, words * 32);
  return verifyPlaces(*this, {{"dst", getDst(), cluster}, {"barrier", getBarrier(), cluster}});
}

LogicalResult MapDsmemPtrOp::verify() {
  return verifyPlaces(
      *this, {{"ptr", getPtr(), shared}, {"result", getResult(), ArrayRef(cluster).take_front(1)}});
}

#define GET_OP_CLASSES
#include "tessera/cute_nvgpu/families/bulk/Copies.cpp.inc"
