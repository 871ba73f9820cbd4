// Importing a file before another program's main parses it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/driver/Input.h"

#include "tessera/driver/Pipeline.h"
#include "tessera/driver/Registration.h"
#include "tessera/import/Import.h"
#include "tessera/import/spellings/Barrier.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace tessera::driver {

Input read(std::unique_ptr<llvm::MemoryBuffer> file, MLIRContext &context, import::Reading how) {
  const bool marked =
      how.version || how.edited || !import::recognise(file->getBuffer()).mark.empty();
  if (!marked && isBytecode(file->getMemBufferRef())) // written by Tessera, in our spelling
    return {std::move(file), {}};
  std::optional<std::string> readable;
  if (!isBytecode(file->getMemBufferRef()))
    readable = import::withReadableBarriers(file->getBuffer());
  if (readable)
    file = llvm::MemoryBuffer::getMemBufferCopy(*readable, file->getBufferIdentifier());
  DialectRegistry own;
  registerOwnDialects(own);
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(file->getMemBufferRef(), /*RequiresNullTerminator=*/true),
      {});
  std::string said, bytes;
  llvm::raw_string_ostream diagnostics(said), stream(bytes);
  SourceMgrDiagnosticHandler handler(source, &context, diagnostics);
  import::Report report;
  OwningOpRef<ModuleOp> module = import::importModule(source, context, own, &report, how);
  const bool refusedAsAsked = how.version && !module; // the errors say as which release
  const bool nobodyKnows = report.unknown && !module; // the notes say what to write instead
  if (!report.version && !report.weaker && !how.edited && !refusedAsAsked && !nobodyKnows) {
    if (report.nested) // which our caller's parser keeps
      module = {};
    if (module)
      llvm::errs() << said; // warnings
    return {std::move(file), std::move(module)};
  }
  if (!marked && !module && !nobodyKnows) // our caller parses it and reports better errors
    return {std::move(file), {}};
  bool consistent = module && (!how.edited || succeeded(reinfer(*module)));
  if (how.edited)
    llvm::errs() << std::exchange(said, {}); // warnings too
  if (!consistent) {
    llvm::errs() << said;
    return {};
  }
  if (failed(writeBytecodeToFile(*module, stream)))
    return {};
  return {llvm::MemoryBuffer::getMemBufferCopy(bytes, file->getBufferIdentifier()), {}};
}

std::unique_ptr<llvm::MemoryBuffer> inOurSpelling(std::unique_ptr<llvm::MemoryBuffer> file,
                                                  import::Reading how) {
  DialectRegistry all;
  registerAllDialects(all);
  MLIRContext context(all, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  return read(std::move(file), context, how).text;
}

} // namespace tessera::driver
