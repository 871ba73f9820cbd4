// Functions as operations of cuda, gpu and func.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/Functions.h"

#include "tessera/atom/Threads.h"
#include "tessera/cuda/Cuda.h"
#include "tessera/dsl/Call.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace tessera;

namespace tessera::dsl {

static constexpr const char *deviceModule = "kernels";

Value Arguments::get(size_t i, Place at) const {
  if (i < values.size())
    return values[i];
  Call call("argument", at);
  if (call.good())
    call.fail(cat("expects one of ", values.size(), " arguments, counted from 0, but got ", i));
  return {};
}

/// The module of all kernels, made for the first.
static Operation *kernelsOf(Call &call) {
  ModuleOp module = call.ofThread().ir();
  if (Operation *there = module.lookupSymbol(deviceModule))
    return there;
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(), call.builder().getUnitAttr());
  OpBuilder::InsertionGuard guard(call.builder());
  call.builder().setInsertionPointToEnd(module.getBody());
  return gpu::GPUModuleOp::create(call.builder(), call.location(), deviceModule);
}

void kernel(const std::string &name, BlockLimits limits, TypeRange parameters,
            const std::function<void(Arguments)> &body, Place at) {
  auto [x, y, z] = limits.threads;
  Call call("kernel", at);
  if (!call.good())
    return;
  // Source: CUDA C++ Programming Guide, Technical Specifications per Compute Capability.
  constexpr int64_t most = atom::Threads::ofBlock, mostZ = 64;
  if (x < 1 || y < 1 || z < 1 || x > most || y > most || z > mostZ || x * y * z > most) {
    std::string got = y == 1 && z == 1 ? cat(x) : cat("(", x, ",", y, ",", z, ")");
    call.fail(cat("expects 1 to ", most, " threads of a block", y == 1 && z == 1 ? "" : ", ",
                  y == 1 && z == 1 ? std::string() : cat("at most ", mostZ, " of them along z"),
                  ", but got ", got));
  }
  OpBuilder &b = call.builder();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(&kernelsOf(call)->getRegion(0).front());
  auto function = b.getFunctionType(parameters, {});
  auto op = cuda::KernelOp::create(
      b, call.location(), TypeRange(), ValueRange(),
      ArrayRef<NamedAttribute>{b.getNamedAttr("sym_name", b.getStringAttr(name)),
                               b.getNamedAttr("function_type", TypeAttr::get(function))});
  op->setAttr("cute.kernel", b.getUnitAttr());
  op->setAttr("gpu.kernel", b.getUnitAttr());
  op->setAttr("nvvm.reqntid", b.getDenseI32ArrayAttr({int32_t(x), int32_t(y), int32_t(z)}));
  op->setAttr("nvvm.minctasm", b.getI32IntegerAttr(int32_t(limits.together)));
  Block *entry = b.createBlock(&op.getBody(), {}, parameters,
                               SmallVector<Location>(parameters.size(), call.location()));
  body(Arguments(entry->getArguments()));
  cuda::ReturnOp::create(b, call.location());
}
void detail::kernel(const std::string &name, BlockLimits limits,
                    const std::vector<Handle *> &parameters, const std::function<void()> &body,
                    Place at) {
  Call call("kernel", at);
  // Poisoned values are not parameters.
  std::vector<Handle *> sound;
  SmallVector<Type> types;
  for (Handle *parameter : parameters) {
    if (call.good() && !*parameter)
      call.fail("expects parameters that are set, as the host passes them");
    if (!parameter->ir())
      continue;
    sound.push_back(parameter);
    types.push_back(parameter->ir().getType());
  }
  dsl::kernel(
      name, limits, types,
      [&](Arguments arguments) {
        for (size_t i = 0; i < sound.size(); ++i)
          sound[i]->rebind(arguments.pointer(i).ir());
        body();
      },
      at);
}

void host(const std::string &name, TypeRange parameters,
          const std::function<void(Arguments, Stream)> &body, Place at) {
  Call call("host", at);
  for (Type type : parameters)
    if (call.good() && !type)
      return; // said where the type was made
  if (!call.good())
    return;
  OpBuilder &b = call.builder();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(call.ofThread().ir().getBody());
  SmallVector<Type> inputs(parameters);
  inputs.push_back(cuda::StreamType::get(b.getContext()));
  auto op =
      func::FuncOp::create(b, call.location(), name, b.getFunctionType(inputs, b.getI32Type()));
  op->setAttr("llvm.emit_c_interface", b.getUnitAttr());
  Block *entry = op.addEntryBlock();
  b.setInsertionPointToStart(entry);
  body(Arguments(entry->getArguments().drop_back()), Stream(entry->getArguments().back()));
  func::ReturnOp::create(b, call.location(), i32(0, at).ir());
}

void check(Num condition, const std::string &otherwise, Place at) {
  Call call("check", at, condition);
  call.create<cf::AssertOp>(condition.ir(), otherwise);
}

void return_unless(Num condition, Place at) {
  Call call("return_unless", at, condition);
  if (!call.good())
    return;
  OpBuilder &b = call.builder();
  Block *here = b.getInsertionBlock(), *end = b.createBlock(here->getParent()),
        *onwards = b.createBlock(here->getParent());
  b.setInsertionPointToEnd(here);
  cf::CondBranchOp::create(b, call.location(), condition.ir(), onwards, end);
  b.setInsertionPointToStart(end);
  Value done = arith::ConstantOp::create(b, call.location(), b.getI32IntegerAttr(0));
  func::ReturnOp::create(b, call.location(), done);
  b.setInsertionPointToStart(onwards);
}

void detail::launch(const std::string &kernel, const LaunchConfig &l, Stream stream,
                    const std::vector<Handle *> &arguments, Place at) {
  Call call("launch", at, stream);
  SmallVector<Value> passed;
  for (const Handle *argument : arguments) {
    Call each("launch", at, *argument);
    if (!each.good())
      return;
    passed.push_back(argument->ir());
  }
  if (!call.good())
    return;
  const atom::Target &target = call.ofThread().target();
  if (l.smemBytes > target.maxDynamicShared())
    call.fail(cat("expects at most ", target.maxDynamicShared(), " bytes of shared memory on ",
                  target.str(), ", but got ", l.smemBytes));
  constexpr atom::Requirement clusters = atom::Requirement::atLeast(90);
  if (l.clusterX * l.clusterY > 1 && !clusters.metBy(target))
    call.fail(cat("expects blocks without clusters on ", target.str(), ", as those need ",
                  clusters.sentence(), ", but got clusters of ", l.clusterX, " x ", l.clusterY));
  constexpr int64_t attributes = 2;
  auto one = [&](int64_t n) { return i32(n, at).ir(); };
  auto blocks = [&](const Num &n) { return n ? n.ir() : one(1); };
  Value threads = one(l.threads.x), y = one(l.threads.y), z = one(l.threads.z),
        bytes = i64(l.smemBytes, at).ir();
  Value grid[] = {blocks(l.gridX), blocks(l.gridY), blocks(l.gridZ)};
  auto config = call.create<cuda::LaunchCfgCreateOp>(
      cuda::LaunchCfgType::get(call.mlirContext(), attributes), threads, y, z, bytes, grid[0],
      grid[1], grid[2], stream.ir(), uint32_t(attributes));
  if (l.clusterX * l.clusterY > 1) {
    Value x = one(l.clusterX), clusterY = one(l.clusterY), clusterZ = one(1);
    call.create<cuda::LaunchCfgClusterDimOp>(config ? config->getResult(0) : Value(), x, clusterY,
                                             clusterZ);
  }
  if (l.overlaps)
    call.create<cuda::LaunchCfgProgrammaticStreamSerializationAllowedOp>(
        config ? config->getResult(0) : Value(), one(1));
  if (!call.good())
    return;
  auto callee = SymbolRefAttr::get(call.mlirContext(), deviceModule,
                                   {FlatSymbolRefAttr::get(call.mlirContext(), kernel)});
  // The kernel may not be written yet, so these are verified at the end.
  OpBuilder &b = call.builder();
  auto launched =
      cuda::LaunchExOp::create(b, call.location(), cuda::ResultType::get(b.getContext()), config,
                               passed, callee, cuda::AssumeKernelAttr());
  Value status = cuda::CastOp::create(b, call.location(), b.getI32Type(), launched);
  cuda::ReturnIfErrorOp::create(b, call.location(), status);
}

} // namespace tessera::dsl
