// Barriers, fences and warp groups.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/Builder.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;

namespace tessera::dsl {

Value Builder::llvmPointer(Value pointer, unsigned addressSpace) {
  Type to = LLVM::LLVMPointerType::get(b.getContext(), addressSpace);
  return UnrealizedConversionCastOp::create(b, loc, to, pointer).getResult(0);
}
/// An mbarrier is an i64 in shared memory.
Value Builder::sharedPointer(Value pointer) { return llvmPointer(pointer, 3); }

Value Builder::dyn_smem(int64_t alignment) {
  return cute_nvgpu::GetDynSmemOp::create(
      b, loc, type("!cute.ptr<i8, smem, align<" + Twine(alignment) + ">>"));
}

void Builder::mbarrier_init(Value barrier, Num arrivals) {
  NVVM::MBarrierInitOp::create(b, loc, sharedPointer(barrier), arrivals.v, Value());
}
void Builder::mbarrier_init_fence() { NVVM::FenceMbarrierInitOp::create(b, loc); }
void Builder::mbarrier_wait(Value barrier, Num parity) {
  constexpr int64_t nanoseconds = 10'000'000; // how long one try may sleep
  NVVM::MBarrierTryWaitParityOp::create(b, loc, sharedPointer(barrier), parity.v,
                                        i32(nanoseconds).v);
}
void Builder::mbarrier_arrive(Value barrier) {
  NVVM::MBarrierArriveOp::create(b, loc, b.getI64Type(), sharedPointer(barrier), Value());
}
void Builder::mbarrier_arrive_cluster(Value barrier, Num rank) {
  Type remote = LLVM::LLVMPointerType::get(b.getContext(), 7);
  Value there = NVVM::MapaOp::create(b, loc, remote, sharedPointer(barrier), rank.v);
  // A release at the scope of the cluster is a MEMBAR.ALL.GPU, which took a third of a GEMM's speed
  // (docs/benchmarks.md).
  NVVM::MBarrierArriveOp::create(b, loc, TypeRange(),
                                 ValueRange{there}); // a null Type would be a result
}
void Builder::mbarrier_expect_tx(Value barrier, Num bytes) {
  NVVM::MBarrierArriveExpectTxOp::create(
      b, loc, Type(), sharedPointer(barrier), bytes.v,
      NVVM::MemScopeKindAttr::get(b.getContext(), NVVM::MemScopeKind::CTA), b.getBoolAttr(false),
      Value());
}
Num Builder::elect() { return num(NVVM::ElectSyncOp::create(b, loc, b.getI1Type(), Value())); }
void Builder::fence_device() {
  LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::acq_rel, "device");
}
Num Builder::atomic_inc_wrap(Value pointer, Num last) {
  return num(LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::uinc_wrap,
                                       llvmPointer(pointer, 1), last.v,
                                       LLVM::AtomicOrdering::monotonic, "device"));
}
void Builder::sync_threads() { NVVM::Barrier0Op::create(b, loc); }
void Builder::named_barrier(Num id, int64_t threads) {
  NVVM::BarrierOp::create(b, loc, TypeRange(), id.v, i32(threads).v, NVVM::BarrierReductionAttr(),
                          Value());
}
void Builder::named_barrier_arrive(Num id, int64_t threads) {
  NVVM::BarrierArriveOp::create(b, loc, id.v, i32(threads).v);
}
void Builder::cluster_sync() {
  NVVM::ClusterArriveOp::create(b, loc, b.getUnitAttr());
  NVVM::ClusterWaitOp::create(b, loc, b.getUnitAttr());
}
void Builder::fence_async_shared() {
  NVVM::FenceProxyOp::create(
      b, loc, NVVM::ProxyKindAttr::get(b.getContext(), NVVM::ProxyKind::async_shared),
      NVVM::SharedSpaceAttr::get(b.getContext(), NVVM::SharedSpace::shared_cta));
}
void Builder::warpgroup_arrive() { NVVM::WgmmaFenceAlignedOp::create(b, loc); }
void Builder::warpgroup_commit() { NVVM::WgmmaGroupSyncAlignedOp::create(b, loc); }
void Builder::warpgroup_wait(int pending) {
  NVVM::WgmmaWaitGroupSyncOp::create(b, loc, b.getI64IntegerAttr(pending));
}
void Builder::setmaxnreg(int registers, bool increase) {
  auto action =
      increase ? NVVM::SetMaxRegisterAction::increase : NVVM::SetMaxRegisterAction::decrease;
  NVVM::SetMaxRegisterOp::create(b, loc, b.getI32IntegerAttr(registers),
                                 NVVM::SetMaxRegisterActionAttr::get(b.getContext(), action));
}

} // namespace tessera::dsl
