// Context: one a thread, its module and its mistakes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/Context.h"

#include "tessera/base/Result.h"
#include "tessera/cuda/Cuda.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::dsl;

static thread_local Context *ofThread = nullptr;

std::string Mistake::str() const { return cat(file, ":", line, ":", column, ": error: ", text); }

Context::Context(MLIRContext *context, atom::Target target)
    : ops(context), module(ModuleOp::create(UnknownLoc::get(context))), gpu(target),
      before(ofThread) {
  context->loadDialect<cute::CuteDialect, cute_nvgpu::CuteNvgpuDialect, cuda::CudaDialect,
                       gpu::GPUDialect, scf::SCFDialect, arith::ArithDialect,
                       cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect,
                       math::MathDialect, NVVM::NVVMDialect, vector::VectorDialect>();
  ops.setInsertionPointToEnd(module->getBody());
  ofThread = this;
}
Context::~Context() { ofThread = before; }

Context *Context::current() { return ofThread; }
atom::Target Context::hopper() { return *atom::Target::parse("sm_90a"); }

Location Context::location(Place at) {
  return FileLineColLoc::get(mlirContext(), at.file_name(), at.line(), at.column());
}

void Context::mistake(Place at, std::string text) {
  mistake({at.file_name(), at.line(), at.column(), std::move(text)});
}
void Context::mistake(Mistake m) {
  if (std::find(found.begin(), found.end(), m) == found.end())
    found.push_back(std::move(m));
}

OwningOpRef<ModuleOp> Context::finish() {
  MLIRContext *context = mlirContext();
  OwningOpRef<ModuleOp> written = std::move(module);
  module = ModuleOp::create(UnknownLoc::get(context));
  ops.setInsertionPointToEnd(module->getBody());
  for (const Mistake &m : found)
    emitError(FileLineColLoc::get(context, m.file, m.line, m.column)) << m.text;
  bool good = found.empty() && succeeded(verify(*written));
  found.clear();
  return good ? std::move(written) : nullptr;
}
