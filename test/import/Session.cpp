// Contexts as a program of this project sets them up.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Session.h"

#include "tessera/cuda/Cuda.h"
#include "tessera/cute/Cute.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/import/Spellings.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace tessera::import::test {

static DialectRegistry allDialects(const DialectRegistry &ownDialects) {
  DialectRegistry registry;
  ownDialects.appendTo(registry);
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, gpu::GPUDialect,
                  LLVM::LLVMDialect, math::MathDialect, NVVM::NVVMDialect, scf::SCFDialect,
                  vector::VectorDialect>();
  return registry;
}

Session::Session(bool withSpellings) : context(MLIRContext::Threading::DISABLED) {
  ownDialects.insert<cute::CuteDialect, cute_nvgpu::CuteNvgpuDialect, cuda::CudaDialect>();
  if (withSpellings)
    registerSpellings(ownDialects);
  context.appendDialectRegistry(allDialects(ownDialects));
}

bool Session::read(const std::string &text) {
  return import(llvm::MemoryBuffer::getMemBufferCopy(text, "test.mlir"));
}

bool Session::readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer && import(std::move(*buffer));
}

bool Session::import(std::unique_ptr<llvm::MemoryBuffer> buffer) {
  shown.clear();
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    auto add = [&](Diagnostic &d, const char *kind) {
      std::string line;
      llvm::raw_string_ostream(line) << d.getLocation() << ": " << kind << ": " << d.str();
      shown.push_back(line);
    };
    add(diagnostic, diagnostic.getSeverity() == DiagnosticSeverity::Error ? "error" : "other");
    for (Diagnostic &note : diagnostic.getNotes())
      add(note, "note");
  });
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(std::move(buffer), {});
  lastReport = Report();
  imported = importModule(source, context, ownDialects, &lastReport);
  return bool(imported);
}

std::string Session::text(bool locations) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  imported->print(stream, OpPrintingFlags().enableDebugInfo(locations));
  return out;
}

bool Session::shows(const std::string &line) const { return llvm::is_contained(shown, line); }

} // namespace tessera::import::test
