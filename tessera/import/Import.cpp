// The three steps of an import: our spelling, the foreign one, and the way back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/Import.h"

#include "tessera/import/Captured.h"
#include "tessera/import/Diagnostics.h"
#include "tessera/import/ForeignContext.h"
#include "tessera/import/Input.h"
#include "tessera/import/Rewrite.h"
#include "tessera/import/Row.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <chrono>

using namespace mlir;

namespace tessera::import {

namespace {
/// Adds the time since the last call to a field of the report.
class Stopwatch {
public:
  explicit Stopwatch(Report *report) : report(report ? *report : unused) {}
  void lap(double Report::*step) {
    auto now = std::chrono::steady_clock::now();
    report.*step += std::chrono::duration<double>(now - last).count();
    last = now;
  }

private:
  Report unused;
  Report &report;
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

constexpr Position endOfFile(~0u, ~0u);

/// One way to read the file: what came of it, and how far it got.
struct Attempt {
  explicit Attempt(MLIRContext *context) : context(context), captured(context) {}

  void parse(const llvm::SourceMgr &source) {
    module = parseSourceFile<ModuleOp>(source, ParserConfig(context, /*verifyAfterParse=*/false));
    reached = module ? endOfFile : captured.lastError();
  }
  /// Whether every op is one that its dialect defines, and none is of another spelling: `nvvm` and
  /// `llvm` let any name pass, and the parser lets the generic form of all others.
  bool knowsAllOps() {
    return module && !module
                          ->walk([](Operation *op) {
                            OperationName name = op->getName();
                            bool foreign = isUndefined(name) ||
                                           (!name.isRegistered() && rowOf(name.getStringRef()));
                            return foreign ? WalkResult::interrupt() : WalkResult::advance();
                          })
                          .wasInterrupted();
  }
  bool verified() { return module && !captured.hasErrors() && succeeded(verify(*module)); }

  MLIRContext *context;
  Captured captured;
  OwningOpRef<ModuleOp> module;
  Position reached;
};

/// The module in `target`, with everything parsed again there that the foreign context kept as
/// text. Null if that does not parse or verify.
OwningOpRef<ModuleOp> handOver(ModuleOp module, MLIRContext *target) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  Block block;
  if (failed(writeBytecodeToFile(module, stream)) ||
      failed(
          readBytecodeFile(llvm::MemoryBufferRef(bytes, "bytecode"), &block, ParserConfig(target))))
    return {};
  auto read = cast<ModuleOp>(block.front());
  read->remove();
  return read;
}
} // namespace

OwningOpRef<ModuleOp> importModule(llvm::SourceMgr &file, MLIRContext &context,
                                   const DialectRegistry &ownDialects, Report *report) {
  Stopwatch watch(report);
  std::unique_ptr<llvm::MemoryBuffer> text =
      asText(*file.getMemoryBuffer(file.getMainFileID()), context);
  if (!text)
    return nullptr;
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(std::move(text), llvm::SMLoc());
  Attempt direct(&context);
  direct.parse(source);
  bool ours = direct.knowsAllOps();
  bool valid = ours && direct.verified();
  watch.lap(&Report::direct);
  if (valid) {
    direct.captured.replay(&context); // warnings, if any
    return std::move(direct.module);
  }

  // Not a mistake of the file, but of the program that called.
  if (!context.getOrLoadDialect("nvvm") || !context.getOrLoadDialect("vector"))
    llvm::report_fatal_error("importModule: register nvvm and vector in the context");
  direct.module = {};
  ForeignContext foreignContext(context, ownDialects);
  Attempt foreign(foreignContext.get());
  foreign.parse(source);
  watch.lap(&Report::foreign);
  std::map<std::string, unsigned> ops;
  bool rewritten = foreign.module && succeeded(rewriteForeignOps(*foreign.module, &context, ops)) &&
                   foreign.verified();
  if (report)
    report->ops = ops;
  watch.lap(&Report::rewrite);

  direct.captured.release();
  Captured handedOver(&context);
  OwningOpRef<ModuleOp> module = rewritten ? handOver(*foreign.module, &context) : nullptr;
  if (rewritten && !module)
    refuse(foreign.module->getLoc(), Diag::HandOver, foreign.module->getOperation()->getName());
  watch.lap(&Report::handOver);
  // What the parser reads to its end as ours is ours; else the attempt that got further knows more.
  // Where both stop at the same place the mistake has nothing to do with spellings.
  bool further = foreign.reached == endOfFile || foreign.reached > direct.reached;
  if (!module && (ours || !further)) {
    handedOver.release();
    direct.captured.replay(&context);
  } else {
    handedOver.replay(&context);
    foreign.captured.replay(&context);
  }
  return module;
}

} // namespace tessera::import
