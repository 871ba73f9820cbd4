// Kernels, host functions and launches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/Builder.h"

#include "tessera/cuda/Cuda.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace tessera;

namespace tessera::dsl {

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
  auto op = cuda::KernelOp::create(
      b, loc, TypeRange(), ValueRange(),
      ArrayRef<NamedAttribute>{b.getNamedAttr("sym_name", b.getStringAttr(name)),
                               b.getNamedAttr("function_type", TypeAttr::get(function))});
  op->setAttr("cute.kernel", b.getUnitAttr());
  op->setAttr("gpu.kernel", b.getUnitAttr());
  op->setAttr("nvvm.reqntid", b.getDenseI32ArrayAttr({int32_t(threads), 1, 1}));
  op->setAttr("nvvm.minctasm", b.getI32IntegerAttr(1));
  Block *entry =
      b.createBlock(&op.getBody(), {}, arguments, SmallVector<Location>(arguments.size(), loc));
  body(entry->getArguments());
  cuda::ReturnOp::create(b, loc);
}

void Builder::host(StringRef name, TypeRange arguments,
                   const std::function<void(ValueRange, Value)> &body) {
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

void Builder::check(Num condition, StringRef otherwise) {
  cf::AssertOp::create(b, loc, condition.v, otherwise);
}

void Builder::launch(StringRef kernel, const Launch &l, Value stream, ValueRange arguments) {
  constexpr int64_t attributes = 2;
  auto config = cuda::LaunchCfgCreateOp::create(
      b, loc, cuda::LaunchCfgType::get(b.getContext(), attributes), i32(l.threads).v, i32(1).v,
      i32(1).v, i64(l.smemBytes).v, l.gridX.v, l.gridY.v, l.gridZ.v, stream, uint32_t(attributes));
  if (l.clusterX > 1)
    cuda::LaunchCfgClusterDimOp::create(b, loc, config, i32(l.clusterX).v, i32(1).v, i32(1).v);
  auto callee = SymbolRefAttr::get(b.getContext(), "kernels",
                                   {FlatSymbolRefAttr::get(b.getContext(), kernel)});
  auto launched = cuda::LaunchExOp::create(b, loc, cuda::ResultType::get(b.getContext()), config,
                                           arguments, callee, cuda::AssumeKernelAttr());
  Value status = cuda::CastOp::create(b, loc, b.getI32Type(), launched);
  cuda::ReturnIfErrorOp::create(b, loc, status);
}

} // namespace tessera::dsl
