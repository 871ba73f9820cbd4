// Tile programs to PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/driver/TileCompile.h"

#include "tessera/driver/Compiler.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace tessera;

Result<std::string> driver::compileTiles(const std::string &program, const std::string &arch) {
  Compiler compiler;
  std::string errors;
  mlir::ScopedDiagnosticHandler handler(&compiler.context(), [&](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
      errors += cat(errors.empty() ? "" : "\n", diagnostic.str());
    return mlir::success();
  });
  auto refused = [&](std::string_view step) {
    return Reason{"TileCompile", errors.empty() ? cat("the program does not ", step) : errors};
  };
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(program), {});
  mlir::OwningOpRef<mlir::ModuleOp> module = compiler.read(source);
  if (!module)
    return refused("parse");
  CompileOptions options;
  options.arch = arch;
  options.lowering.lineInfo = true;
  if (!compiler.lower(*module, options))
    return refused("lower");
  TESSERA_TRY(std::vector<DeviceCode> code, compiler.translate(*module, options));
  if (code.size() != 1)
    return refused("have kernels");
  return std::move(code.front().ptx);
}
