// Fuzzes the compiler of tile programs: what is read is compiled for some target, or refused with a
// reason.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An input is bytecode, or text that begins with the letter t. MLIR and LLVM are not built under
// the sanitizers, so that only ends of the process and what our code does count.
#include "fuzz/Programs.h"
#include "fuzz/Tokens.h"
#include "tessera/driver/Compiler.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <cstdio>

using namespace tessera;

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                                          unsigned int seed) {
  return size && data[0] == 't' ? 1 + fuzz::mutateText(data + 1, size - 1, most - 1, seed)
                                : fuzz::mutateProgram(data, size, most, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // A context keeps all types that it has met, and takes long to make.
  static std::unique_ptr<driver::Compiler> compiler;
  static unsigned runs = 0;
  if (runs++ % 256 == 0)
    compiler = std::make_unique<driver::Compiler>();
  bool isText = size && data[0] == 't';
  std::string program(reinterpret_cast<const char *>(data) + isText, size - isText);
  bool said = false;
  mlir::ScopedDiagnosticHandler handler(&compiler->context(), [&](mlir::Diagnostic &diagnostic) {
    said |=
        diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error && !diagnostic.str().empty();
  });
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(program), {});
  mlir::OwningOpRef<mlir::ModuleOp> module = compiler->read(source);
  static const char *const targets[] = {"sm_80", "sm_90a", "sm_100a", "sm_120a"};
  driver::CompileOptions options;
  options.arch = targets[size % std::size(targets)];
  options.lowering.tileLevel = int(size / 4 % 2);
  options.optLevel = 1;
  bool isRefused = !module || !compiler->lower(*module, options);
  if (!isRefused) {
    Result<std::vector<driver::DeviceCode>> code = compiler->translate(*module, options);
    said |= !code && !code.reason().text.empty();
    isRefused = !code;
  }
  if (isRefused && !said) {
    std::fprintf(stderr, "refused without a reason\n");
    __builtin_trap();
  }
  return 0;
}
