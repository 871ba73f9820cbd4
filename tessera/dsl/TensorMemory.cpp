// Tensor memory as operations of cute_nvgpu.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/TensorMemory.h"

#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/cute_nvgpu/families/tensor/Tensor.h"
#include "tessera/dsl/Atoms.h"
#include "tessera/dsl/Call.h"
#include "tessera/dsl/Control.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;

namespace tessera::dsl {

void TensorMemory::take(Place at) const {
  Call call("take", at, slot);
  Num count = i32(columns, at);
  call.create<AllocTmemOp>(count.ir(), slot.ir(), blocks == 2);
  call.create<RelinquishTmemAllocPermitOp>(blocks == 2);
}
Pointer TensorMemory::pointer(Element element, Place at) const {
  Call call("pointer", at, slot);
  if (!call.good())
    return Pointer(Value());
  constexpr int64_t alignment = 16;
  Type type = cute::PtrType::get(call.mlirContext(), element.type(call.mlirContext()),
                                 cute::AddressSpace::Tmem, alignment, {});
  auto op = call.create<RetrieveTmemPtrOp>(type, slot.ir());
  return Pointer(op ? op->getResult(0) : Value());
}
void TensorMemory::giveBack(Place at) const {
  Pointer first = pointer(f32, at);
  Call call("giveBack", at, first);
  Num count = i32(columns, at);
  call.create<DeallocTmemOp>(first.ir(), count.ir(), blocks == 2);
}

namespace {
/// Where factors of a byte are that tcgen05.cp takes to tensor memory, `rows` of `bytes` bytes, and
/// where it puts them: rows become lanes, repeated in each quarter of them, and four bytes a column
/// (PTX ISA, tcgen05.cp with .32x128b and .warpx4; an address has the lane from bit 16 on).
struct FactorLayouts {
  layout::Layout lanes, words, units; // the last: words in units of a descriptor, rows of 16 bytes

  FactorLayouts(int64_t rows, int64_t bytes) {
    using layout::Tree;
    constexpr int64_t ofColumn = 4, quarters = 4, lane = ofColumn << 16, one = 1, same = 0;
    const int64_t columns = bytes / ofColumn;
    lanes = {Tree::of({Tree::of({Tree::of({rows, columns}), quarters}), ofColumn}),
             Tree::of({Tree::of({Tree::of({lane, ofColumn}), rows * lane}), one})};
    auto inMemory = [&](int64_t ofRow) {
      return layout::Layout{Tree::of({Tree::of({Tree::of({rows, ofRow}), one}), one, one}),
                            Tree::of({Tree::of({Tree::of({ofRow, one}), same}), same, same})};
    };
    words = inMemory(bytes), units = inMemory(1);
  }
};
} // namespace

void copy_factors(Pointer from, Pointer to, Element factor, int blocks, Place at) {
  Call call("copy_factors", at, from, to);
  if (!call.good())
    return;
  constexpr int32_t rows = 32, bits = 128;
  Type type = S2TCopyType::get(call.mlirContext(), factor.type(call.mlirContext()), rows, bits,
                               int32_t(blocks), atom::Broadcast::X4);
  Atom atom = make_atom(type, {}, at);
  const FactorLayouts place(rows, bits / 8);
  Tensor lanes = make_tensor(to, place.lanes, at);
  Tensor words = make_tensor(from, place.words, at);
  Call copying("copy_factors", at, atom, lanes, words);
  Result<Type> tiled = copying.good() ? tensorCopyType(type, lanes.ir().getType())
                                      : Result<Type>(Reason{"Said", ""});
  if (!tiled)
    return copying.fail(tiled.reason().text);
  auto copy = copying.create<MakeS2TCopyOp>(*tiled, atom.ir(), lanes.ir());
  auto view = copying.create<GetCopyS2TSmemDescViewOp>(
      SmemDescViewType::get(call.mlirContext(), SmemDescType::get(call.mlirContext()), place.units),
      atom.ir(), words.ir());
  if (!copy || !view)
    return;
  TiledCopy tiledCopy(copy->getResult(0));
  dsl::copy(tiledCopy, Tensor(view->getResult(0)), partition_D(tiledCopy, lanes, i32(0, at), at),
            at);
}

void mma_commit(Barrier barrier, Num mask, Place at, int blocks) {
  Call call("mma_commit", at, barrier.address());
  Value address = sharedPointer(call, barrier.address());
  if (!call.good())
    return;
  auto group =
      (blocks ? blocks == 2 : bool(mask)) ? NVVM::CTAGroupKind::CTA_2 : NVVM::CTAGroupKind::CTA_1;
  If(
      elect_one(at),
      [&] {
        call.create<NVVM::Tcgen05CommitOp>(address, mask.ir(),
                                           NVVM::CTAGroupKindAttr::get(call.mlirContext(), group));
      },
      {}, at);
}

} // namespace tessera::dsl
