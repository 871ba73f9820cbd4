// Barriers, fences, warp groups, kernels and launches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/Builder.h"

#include "tessera/cuda/Cuda.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;

namespace tessera::dsl {

/// An mbarrier is an i64 in shared memory.
Value Builder::sharedPointer(Value pointer) {
  Type shared = LLVM::LLVMPointerType::get(b.getContext(), 3);
  return UnrealizedConversionCastOp::create(b, loc, shared, pointer).getResult(0);
}

Value Builder::dyn_smem(int64_t alignment) {
  return cute_nvgpu::GetDynSmemOp::create(b, loc, type("!cute.ptr<i8, smem, align<" + Twine(alignment) + ">>"));
}

void Builder::mbarrier_init(Value barrier, Num arrivals) {
  NVVM::MBarrierInitOp::create(b, loc, sharedPointer(barrier), arrivals.v, Value());
}
void Builder::mbarrier_init_fence() { NVVM::FenceMbarrierInitOp::create(b, loc); }
void Builder::mbarrier_wait(Value barrier, Num parity) {
  constexpr int64_t nanoseconds = 10'000'000; // how long one try may sleep
  NVVM::MBarrierTryWaitParityOp::create(b, loc, sharedPointer(barrier), parity.v, i32(nanoseconds).v);
}
void Builder::mbarrier_arrive(Value barrier) {
  NVVM::MBarrierArriveOp::create(b, loc, b.getI64Type(), sharedPointer(barrier), Value());
}
void Builder::mbarrier_arrive_cluster(Value barrier, Num rank) {
  Type remote = LLVM::LLVMPointerType::get(b.getContext(), 7);
  Value there = NVVM::MapaOp::create(b, loc, remote, sharedPointer(barrier), rank.v);
  NVVM::MBarrierArriveOp::create(b, loc, Type(), there, Value(),
                                 NVVM::MemScopeKindAttr::get(b.getContext(), NVVM::MemScopeKind::CLUSTER), BoolAttr());
}
void Builder::mbarrier_expect_tx(Value barrier, Num bytes) {
  NVVM::MBarrierArriveExpectTxOp::create(b, loc, Type(), sharedPointer(barrier), bytes.v,
                                         NVVM::MemScopeKindAttr::get(b.getContext(), NVVM::MemScopeKind::CTA),
                                         b.getBoolAttr(false), Value());
}
Num Builder::elect() { return num(NVVM::ElectSyncOp::create(b, loc, b.getI1Type(), Value())); }
void Builder::sync_threads() { NVVM::Barrier0Op::create(b, loc); }
void Builder::named_barrier(Num id, int64_t threads) {
  NVVM::BarrierOp::create(b, loc, TypeRange(), id.v, i32(threads).v, NVVM::BarrierReductionAttr(), Value());
}
void Builder::cluster_sync() {
  NVVM::ClusterArriveOp::create(b, loc, b.getUnitAttr());
  NVVM::ClusterWaitOp::create(b, loc, b.getUnitAttr());
}
void Builder::fence_async_shared() {
  NVVM::FenceProxyOp::create(b, loc, NVVM::ProxyKindAttr::get(b.getContext(), NVVM::ProxyKind::async_shared),
                             NVVM::SharedSpaceAttr::get(b.getContext(), NVVM::SharedSpace::shared_cta));
}
void Builder::warpgroup_arrive() { NVVM::WgmmaFenceAlignedOp::create(b, loc); }
void Builder::warpgroup_commit() { NVVM::WgmmaGroupSyncAlignedOp::create(b, loc); }
void Builder::warpgroup_wait(int pending) {
  NVVM::WgmmaWaitGroupSyncOp::create(b, loc, b.getI64IntegerAttr(pending));
}
void Builder::setmaxnreg(int registers, bool increase) {
  auto action = increase ? NVVM::SetMaxRegisterAction::increase : NVVM::SetMaxRegisterAction::decrease;
  NVVM::SetMaxRegisterOp::create(b, loc, b.getI32IntegerAttr(registers),
                                 NVVM::SetMaxRegisterActionAttr::get(b.getContext(), action));
}

//===--- functions --------------------------------------------------------------------------------------------------===//

void Builder::kernel(StringRef name, TypeRange arguments, int64_t threads,
                     const std::function<void(ValueRange)> &body) {
  OpBuilder::InsertionGuard guard(b);
  if (!kernels) {
    module->getOperation()->setAttr(gpu::GPUDialect::getContainerModuleAttrName(), b.getUnitAttr());
    b.setInsertionPointToEnd(module->getBody());
    kernels = gpu::GPUModuleOp::create(b, loc, "kernels");
  }
  b.setInsertionPointToEnd(&kernels->getRegion(0).front());
  auto function = b.getFunctionType(arguments, {});
  auto op = cuda::KernelOp::create(b, loc, TypeRange(), ValueRange(), ArrayRef<NamedAttribute>{
      b.getNamedAttr("sym_name", b.getStringAttr(name)), b.getNamedAttr("function_type", TypeAttr::get(function))});
  op->setAttr("cute.kernel", b.getUnitAttr());
  op->setAttr("gpu.kernel", b.getUnitAttr());
  op->setAttr("nvvm.reqntid", b.getDenseI32ArrayAttr({int32_t(threads), 1, 1}));
  op->setAttr("nvvm.minctasm", b.getI32IntegerAttr(1));
  Block *entry = b.createBlock(&op.getBody(), {}, arguments, SmallVector<Location>(arguments.size(), loc));
  body(entry->getArguments());
  cuda::ReturnOp::create(b, loc);
}

void Builder::host(StringRef name, TypeRange arguments, const std::function<void(ValueRange, Value)> &body) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> inputs(arguments);
  inputs.push_back(cuda::StreamType::get(b.getContext()));
  auto op = func::FuncOp::create(b, loc, name, b.getFunctionType(inputs, b.getI32Type()));
  op->setAttr("llvm.emit_c_interface", b.getUnitAttr());
  Block *entry = op.addEntryBlock();
  b.setInsertionPointToStart(entry);
  body(entry->getArguments().drop_back(), entry->getArguments().back());
  func::ReturnOp::create(b, loc, i32(0).v);
}

void Builder::launch(StringRef kernel, const Launch &l, Value stream, ValueRange arguments) {
  constexpr int64_t attributes = 2;
  auto config = cuda::LaunchCfgCreateOp::create(b, loc, cuda::LaunchCfgType::get(b.getContext(), attributes),
                                                i32(l.threads).v, i32(1).v, i32(1).v, i64(l.smemBytes).v, l.gridX.v,
                                                l.gridY.v, l.gridZ.v, stream, uint32_t(attributes));
  if (l.clusterX > 1)
    cuda::LaunchCfgClusterDimOp::create(b, loc, config, i32(l.clusterX).v, i32(1).v, i32(1).v);
  auto callee = SymbolRefAttr::get(b.getContext(), "kernels", {FlatSymbolRefAttr::get(b.getContext(), kernel)});
  auto launched = cuda::LaunchExOp::create(b, loc, cuda::ResultType::get(b.getContext()), config, arguments, callee,
                                           cuda::AssumeKernelAttr());
  Value status = cuda::CastOp::create(b, loc, b.getI32Type(), launched);
  cuda::ReturnIfErrorOp::create(b, loc, status);
}

} // namespace tessera::dsl
