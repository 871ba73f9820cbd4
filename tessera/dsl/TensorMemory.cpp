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

void copy_factors(Pointer from, Pointer to, Element factor, int blocks, Place at) {
  Call call("copy_factors", at, from, to);
  if (!call.good())
    return;
  constexpr int32_t rows = 32, bits = 128;
  Type type = S2TCopyType::get(call.mlirContext(), factor.type(call.mlirContext()), rows, bits,
                               int32_t(blocks), atom::Broadcast::X4);
  Atom atom = make_atom(type, {}, at);
  Tensor lanes = make_tensor(to, Layout("(((32,4),4),4):(((262144,4),8388608),1)", at), at);
  Tensor words = make_tensor(from, Layout("(((32,16),1),1,1):(((16,1),0),0,0)", at), at);
  Call copying("copy_factors", at, atom, lanes, words);
  Result<Type> tiled = copying.good() ? tensorCopyType(type, lanes.ir().getType())
                                      : Result<Type>(Reason{"Said", ""});
  if (!tiled)
    return copying.fail(tiled.reason().text);
  auto copy = copying.create<MakeS2TCopyOp>(*tiled, atom.ir(), lanes.ir());
  // A row of 16 bytes is one unit of a descriptor.
  layout::AnyLayout units = *layout::parseLayout("(((32,1),1),1,1):(((1,1),0),0,0)");
  auto view = copying.create<GetCopyS2TSmemDescViewOp>(
      SmemDescViewType::get(call.mlirContext(), SmemDescType::get(call.mlirContext()), units),
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
