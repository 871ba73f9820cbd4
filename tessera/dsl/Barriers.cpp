// Barriers and fences as operations of NVVM.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/Barriers.h"

#include "tessera/base/Result.h"
#include "tessera/dsl/Call.h"
#include "tessera/layout/Text.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tessera;

namespace tessera::dsl {

void Barrier::init(Num arrivals, Place at) const {
  Call call("init", at, pointer, arrivals);
  Value barrier = sharedPointer(call, pointer);
  call.create<NVVM::MBarrierInitOp>(barrier, arrivals.ir(), Value());
}
void Barrier::wait(Num parity, Place at) const {
  constexpr int64_t nanoseconds = 10'000'000; // how long one try may sleep
  Call call("wait", at, pointer, parity);
  Value barrier = sharedPointer(call, pointer);
  if (call.good())
    call.create<NVVM::MBarrierTryWaitParityOp>(barrier, parity.ir(), i32(nanoseconds, at).ir());
}
void Barrier::arrive(Place at) const {
  Call call("arrive", at, pointer);
  Value barrier = sharedPointer(call, pointer);
  if (call.good())
    call.create<NVVM::MBarrierArriveOp>(call.builder().getI64Type(), barrier, Value());
}
void Barrier::arrive_cluster(Num rank, Place at) const {
  Call call("arrive_cluster", at, pointer, rank);
  Value barrier = sharedPointer(call, pointer);
  if (!call.good())
    return;
  constexpr unsigned sharedOfCluster = 7;
  Type remote = LLVM::LLVMPointerType::get(call.mlirContext(), sharedOfCluster);
  auto there = call.create<NVVM::MapaOp>(remote, barrier, rank.ir());
  // A release at the scope of the cluster is a MEMBAR.ALL.GPU, which took a third of a GEMM's speed
  // (docs/benchmarks.md). A null Type would be a result.
  if (there)
    call.create<NVVM::MBarrierArriveOp>(TypeRange(), ValueRange{there});
}
void Barrier::arrive_expect(Num bytes, Place at) const {
  Call call("arrive_expect", at, pointer, bytes);
  Value barrier = sharedPointer(call, pointer);
  if (call.good())
    call.create<NVVM::MBarrierArriveExpectTxOp>(
        Type(), barrier, bytes.ir(),
        NVVM::MemScopeKindAttr::get(call.mlirContext(), NVVM::MemScopeKind::CTA),
        call.builder().getBoolAttr(false), Value());
}

Barrier Barriers::operator[](Index i) const {
  const layout::Tree &index = i.mode.tree();
  if (!i.mode.poisoned() && (!index.isLeaf() || index.leaf().any)) {
    Call("Barriers::operator[]", i.at)
        .fail(cat("expects the number of a barrier, but got ", layout::str(index)));
    return Barrier(first);
  }
  const std::vector<Num> &numbers = i.mode.numbers();
  if (start == 0 || i.mode.poisoned())
    return Barrier(offset(first, i.mode, i.at));
  if (numbers.empty())
    return Barrier(offset(first, index.leaf().value.value + start, i.at));
  return Barrier(offset(first, Operand(numbers.front(), i.at) + Operand(start, i.at), i.at));
}
Barriers Barriers::from(int64_t n, Place at) const { return Barriers(offset(first, n, at), start); }

void mbarrier_init_fence(Place at) {
  Call("mbarrier_init_fence", at).create<NVVM::FenceMbarrierInitOp>();
}
void sync_warp(Place at) {
  Call call("sync_warp", at);
  constexpr int64_t everyLane = -1;
  if (call.good())
    call.create<NVVM::SyncWarpOp>(i32(everyLane, at).ir());
}
void sync_threads(Place at) { Call("sync_threads", at).create<NVVM::Barrier0Op>(); }
void named_barrier(Num id, int64_t threads, Place at) {
  Call call("named_barrier", at, id);
  if (call.good())
    call.create<NVVM::BarrierOp>(TypeRange(), id.ir(), i32(threads, at).ir(),
                                 NVVM::BarrierReductionAttr(), Value());
}
void named_barrier_arrive(Num id, int64_t threads, Place at) {
  Call call("named_barrier_arrive", at, id);
  if (call.good())
    call.create<NVVM::BarrierArriveOp>(id.ir(), i32(threads, at).ir());
}
void cluster_arrive(bool releases, Place at) {
  Call call("cluster_arrive", at);
  if (!call.good())
    return;
  if (releases)
    call.create<NVVM::ClusterArriveOp>(call.builder().getUnitAttr());
  else
    call.create<NVVM::ClusterArriveRelaxedOp>(call.builder().getUnitAttr());
}
void cluster_wait(Place at) {
  Call call("cluster_wait", at);
  if (call.good())
    call.create<NVVM::ClusterWaitOp>(call.builder().getUnitAttr());
}
void cluster_sync(Place at) {
  Call call("cluster_sync", at);
  if (!call.good())
    return;
  cluster_arrive(true, at);
  cluster_wait(at);
}
void fence_async_shared(Place at) {
  Call call("fence_async_shared", at);
  if (call.good())
    call.create<NVVM::FenceProxyOp>(
        NVVM::ProxyKindAttr::get(call.mlirContext(), NVVM::ProxyKind::async_shared),
        NVVM::SharedSpaceAttr::get(call.mlirContext(), NVVM::SharedSpace::shared_cta));
}
void set_max_registers(int registers, bool increase, Place at) {
  Call call("set_max_registers", at);
  if (!call.good())
    return;
  auto action =
      increase ? NVVM::SetMaxRegisterAction::increase : NVVM::SetMaxRegisterAction::decrease;
  call.create<NVVM::SetMaxRegisterOp>(
      call.builder().getI32IntegerAttr(registers),
      NVVM::SetMaxRegisterActionAttr::get(call.mlirContext(), action));
}

} // namespace tessera::dsl
