// From gpu.launch_func to cuda.launch_ex.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/Launch.h"

#include "tessera/cuda/Cuda.h"
#include "tessera/import/Diagnostics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tessera::import {

namespace {
constexpr StringLiteral kernelMark = "cute.kernel", pdl = "use_pdl";

/// The kernel of a launch, if it is written as these versions do.
func::FuncOp kernelOf(gpu::LaunchFuncOp launch, SymbolTableCollection &symbols) {
  auto kernel = symbols.lookupNearestSymbolFrom<func::FuncOp>(launch, launch.getKernel());
  return kernel && kernel->hasAttr(kernelMark) && kernel.getResultTypes().empty() ? kernel
                                                                                  : func::FuncOp();
}

/// `func.func @k attributes {cute.kernel}` as `cuda.kernel @k`. Until 4.2 the launcher raised the
/// limits of a kernel; from 4.3 on `cu_attrs` says so.
void makeKernel(func::FuncOp function) {
  OpBuilder b(function);
  auto kernel = cuda::KernelOp::create(
      b, function.getLoc(), function.getSymNameAttr(), function.getFunctionTypeAttr(),
      /*sym_visibility=*/StringAttr(), function.getArgAttrsAttr(), function.getResAttrsAttr());
  kernel.getBody().takeBody(function.getBody());
  for (NamedAttribute attribute : function->getDiscardableAttrs())
    kernel->setDiscardableAttr(attribute.getName(), attribute.getValue());
  if (!kernel->hasAttr(cuda::CudaDialect::functionAttrsName))
    kernel->setDiscardableAttr(
        cuda::CudaDialect::functionAttrsName,
        b.getDictionaryAttr(
            {b.getNamedAttr("max_dynamic_shared_size_bytes",
                            cuda::DevMaxSharedMemoryOptinAttr::get(b.getContext())),
             b.getNamedAttr("non_portable_cluster_size_allowed", b.getI32IntegerAttr(1))}));
  for (auto end : llvm::make_early_inc_range(kernel.getBody().getOps<func::ReturnOp>())) {
    b.setInsertionPoint(end);
    cuda::ReturnOp::create(b, end.getLoc());
    end.erase();
  }
  function.erase();
}

/// A stream is a token; a function that launches returns 0 or the error.
void makeHost(func::FuncOp host) {
  MLIRContext *context = host.getContext();
  auto stream = cuda::StreamType::get(context);
  auto retyped = [&](Type type) { return isa<gpu::AsyncTokenType>(type) ? stream : type; };
  SmallVector<Type> inputs(llvm::map_range(host.getArgumentTypes(), retyped));
  host.setFunctionType(FunctionType::get(context, inputs, IntegerType::get(context, 32)));
  for (BlockArgument argument : host.getArguments())
    argument.setType(retyped(argument.getType()));
  for (auto end : llvm::make_early_inc_range(host.getOps<func::ReturnOp>())) {
    OpBuilder b(end);
    Value zero = arith::ConstantIntOp::create(b, end.getLoc(), 0, 32);
    func::ReturnOp::create(b, end.getLoc(), zero);
    end.erase();
  }
}

/// The calls of a function that launches return its status too, and so do the functions around
/// them.
LogicalResult returnStatus(ModuleOp module, llvm::SetVector<Operation *> &hosts) {
  for (size_t i = 0; i < hosts.size(); ++i) { // which grows
    auto host = cast<func::FuncOp>(hosts[i]);
    auto uses = SymbolTable::getSymbolUses(host.getOperation(), module);
    for (SymbolTable::SymbolUse use : uses ? *uses : SymbolTable::UseRange({})) {
      auto call = dyn_cast<func::CallOp>(use.getUser());
      auto caller = call ? call->getParentOfType<func::FuncOp>() : func::FuncOp();
      if (!caller)
        continue;
      if (!caller.getResultTypes().empty()) {
        refuse(call.getLoc(), Diag::LaunchingCallee, call->getName(), call.getCalleeAttr());
        return failure();
      }
      OpBuilder b(call);
      Value status = func::CallOp::create(b, call.getLoc(), call.getCalleeAttr(), b.getI32Type(),
                                          call.getOperands())
                         .getResult(0);
      cuda::ReturnIfErrorOp::create(b, call.getLoc(), status);
      call.erase();
      hosts.insert(caller);
    }
  }
  return success();
}

class Launcher {
public:
  explicit Launcher(gpu::LaunchFuncOp launch) : launch(launch), loc(launch.getLoc()), b(launch) {}

  void rewrite() {
    Value bytes = launch.getDynamicSharedMemorySize()
                      ? Value(arith::ExtSIOp::create(b, loc, b.getI64Type(),
                                                     launch.getDynamicSharedMemorySize()))
                      : Value(arith::ConstantIntOp::create(b, loc, 0, 64));
    Value stream = streamOf();
    gpu::KernelDim3 threads = numbers(launch.getBlockSizeOperandValues());
    gpu::KernelDim3 blocks = numbers(launch.getGridSizeOperandValues());
    constexpr int64_t attributes = 2; // the cluster and the flag
    Value config = cuda::LaunchCfgCreateOp::create(
        b, loc, cuda::LaunchCfgType::get(b.getContext(), attributes), threads.x, threads.y,
        threads.z, bytes, blocks.x, blocks.y, blocks.z, stream, b.getI32IntegerAttr(attributes));
    if (launch.hasClusterSize()) {
      gpu::KernelDim3 cluster = numbers(launch.getClusterSizeOperandValues());
      cuda::LaunchCfgClusterDimOp::create(b, loc, config, cluster.x, cluster.y, cluster.z);
    }
    if (auto flag = launch->getAttrOfType<BoolAttr>(pdl); flag && flag.getValue())
      cuda::LaunchCfgProgrammaticStreamSerializationAllowedOp::create(
          b, loc, config, arith::ConstantIntOp::create(b, loc, 1, 32));
    Value result = cuda::LaunchExOp::create(b, loc, cuda::ResultType::get(b.getContext()), config,
                                            launch.getKernelOperands(), launch.getKernel(),
                                            /*assume_kernel_attr=*/cuda::AssumeKernelAttr());
    Value status = cuda::CastOp::create(b, loc, b.getI32Type(), result);
    cuda::ReturnIfErrorOp::create(b, loc, status);
    if (launch.getAsyncToken())
      launch.getAsyncToken().replaceAllUsesWith(stream);
    launch.erase();
  }

private:
  /// The stream that a token was, or the default one.
  Value streamOf() {
    auto stream = cuda::StreamType::get(b.getContext());
    for (Value dependency : launch.getAsyncDependencies())
      if (dependency.getType() == stream)
        return dependency;
    Value zero = arith::ConstantIntOp::create(b, loc, 0, 64);
    return cuda::CastOp::create(b, loc, stream, zero);
  }

  /// An extent as i32, without the way to `index` and back.
  Value number(Value extent) {
    APInt constant;
    if (matchPattern(extent, m_ConstantInt(&constant)))
      return arith::ConstantIntOp::create(b, loc, constant.getSExtValue(), 32);
    if (auto cast = extent.getDefiningOp<arith::IndexCastOp>())
      if (cast.getIn().getType().isInteger(32))
        return cast.getIn();
    return arith::IndexCastOp::create(b, loc, b.getI32Type(), extent);
  }

  gpu::KernelDim3 numbers(gpu::KernelDim3 extents) {
    Value x = number(extents.x), y = number(extents.y), z = number(extents.z);
    return {x, y, z};
  }

  gpu::LaunchFuncOp launch;
  Location loc;
  OpBuilder b;
};
} // namespace

FailureOr<bool> rewriteLaunches(ModuleOp module) {
  SymbolTableCollection symbols;
  bool good = true;
  SmallVector<gpu::LaunchFuncOp> launches;
  llvm::SetVector<Operation *> kernels, hosts;
  module.walk([&](gpu::LaunchFuncOp launch) {
    auto host = launch->getParentOfType<func::FuncOp>();
    func::FuncOp kernel = kernelOf(launch, symbols);
    // No dialect calls a plain function a kernel, and no later pass would find out why.
    if (auto plain = symbols.lookupNearestSymbolFrom<func::FuncOp>(launch, launch.getKernel());
        plain && !plain->hasAttr(kernelMark)) {
      refuse(launch.getLoc(), Diag::NoKernelMark, launch->getName(), launch.getKernel());
      good = false;
    }
    if (!kernel || !host || !host.getResultTypes().empty())
      return;
    launches.push_back(launch);
    kernels.insert(kernel);
    hosts.insert(host);
  });
  if (!good)
    return failure();
  if (launches.empty())
    return false;
  module.getContext()->loadDialect<arith::ArithDialect, cuda::CudaDialect>();
  if (failed(returnStatus(module, hosts)))
    return failure();
  for (Operation *host : hosts)
    makeHost(cast<func::FuncOp>(host));
  for (gpu::LaunchFuncOp launch : launches)
    Launcher(launch).rewrite();
  for (Operation *kernel : kernels)
    makeKernel(cast<func::FuncOp>(kernel));
  return true;
}

} // namespace tessera::import
