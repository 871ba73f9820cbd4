// The steps of an import: our spelling, that of each version that may be meant, and the way back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/Import.h"

#include "tessera/import/Captured.h"
#include "tessera/import/Diagnostics.h"
#include "tessera/import/Dump.h"
#include "tessera/import/Edited.h"
#include "tessera/import/ForeignContext.h"
#include "tessera/import/Input.h"
#include "tessera/import/Launch.h"
#include "tessera/import/Nearest.h"
#include "tessera/import/Respelled.h"
#include "tessera/import/Rewrite.h"
#include "tessera/import/Row.h"
#include "tessera/import/SharedMemory.h"
#include "tessera/import/spellings/Barrier.h"
#include "tessera/import/spellings/Generic.h"

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
  explicit Stopwatch(Report &report) : report(report) {}
  void lap(double Report::*step) {
    auto now = std::chrono::steady_clock::now();
    report.*step += std::chrono::duration<double>(now - last).count();
    last = now;
  }

private:
  Report &report;
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

constexpr Position endOfFile(~0u, ~0u);

/// One way to read the file: its module if it succeeds, and how far it got.
struct Attempt {
  explicit Attempt(MLIRContext *context) : context(context), captured(context) {}

  void parse(const llvm::SourceMgr &source, bool edited) {
    module = edited ? parseEdited(source, context) : parseStated(source, context, weaker);
    reached = module ? endOfFile : captured.lastError();
  }
  /// Whether every op is one that its dialect defines, and none is of another spelling: `nvvm` and
  /// `llvm` let any name pass, and the parser lets the generic form of all others.
  bool knowsAllOps() {
    return module && !module
                          ->walk([](Operation *op) {
                            OperationName name = op->getName();
                            bool foreign = isUndefined(name) || allocatesShared(op) ||
                                           (!name.isRegistered() && rowOf(name.getStringRef()));
                            return foreign ? WalkResult::interrupt() : WalkResult::advance();
                          })
                          .wasInterrupted();
  }
  bool read() { return module && !captured.hasErrors(); }

  MLIRContext *context;
  Captured captured;
  OwningOpRef<ModuleOp> module;
  Position reached;
  bool weaker = false;
};

/// The module in `target`, with everything parsed again there that the foreign context kept as
/// text. Null if that does not parse or verify.
OwningOpRef<ModuleOp> handOver(ModuleOp module, MLIRContext *target, bool edited) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  Block block;
  if (failed(writeBytecodeToFile(module, stream)) ||
      failed(readBytecodeFile(llvm::MemoryBufferRef(bytes, "bytecode"), &block,
                              ParserConfig(target, /*verifyAfterParse=*/!edited))))
    return {};
  auto read = cast<ModuleOp>(block.front());
  read->remove();
  return read;
}

/// The attempt to read the file in one version, with the diagnostics of both contexts.
struct ForeignAttempt {
  ForeignAttempt(MLIRContext &target, const DialectRegistry &own, Recognised as,
                 ForeignContext::Spelling spelling)
      : as(as), context(target, own, *as.version, spelling), reading(context.get()) {}

  Recognised as;
  ForeignContext context;
  Attempt reading;
  bool parsed = false;
  std::unique_ptr<Captured> handedOver;
};

class Importer {
public:
  Importer(MLIRContext &context, const DialectRegistry &ownDialects, Reading how, Report *report)
      : context(context), ownDialects(ownDialects), how(how), report(report ? *report : unused),
        watch(this->report) {}

  OwningOpRef<ModuleOp> read(const llvm::SourceMgr &source) {
    StringRef text = textOf(source);
    const Respelled own(source, withReadableBarriers(text));
    readRatios(hasRatios(text), context);
    Attempt direct(&context);
    direct.parse(own.source(), how.edited);
    bool ours = direct.knowsAllOps();
    bool valid = ours && isValid(direct);
    watch.lap(&Report::direct);
    direct.captured.release();
    if (valid) {
      report.weaker |= direct.weaker;
      direct.captured.replay(&context); // warnings, if any
      return std::move(direct.module);
    }

    // Not a mistake of the file, but of the program that called.
    if (!context.getOrLoadDialect("nvvm") || !context.getOrLoadDialect("vector"))
      llvm::report_fatal_error("importModule: register nvvm and vector in the context");
    direct.module = {};
    // A text that the parser reads to its end as ours is ours; else the attempt that got further
    // tells more. If both stop at the same place, the mistake has nothing to do with spellings.
    std::vector<std::unique_ptr<ForeignAttempt>> attempts;
    const ForeignAttempt *furthest = nullptr;
    const Respelled theirs(source, respellGroups(text));
    const Respelled mixed(own.source(), respellGroups(textOf(own.source())));
    auto attemptAs = [&](Recognised as, ForeignContext::Spelling spelling) {
      attempts.push_back(std::make_unique<ForeignAttempt>(context, ownDialects, as, spelling));
      ForeignAttempt &attempt = *attempts.back();
      bool isOurs = spelling == ForeignContext::Spelling::Ours;
      OwningOpRef<ModuleOp> module = read(isOurs ? mixed.source() : theirs.source(), attempt);
      if (module) {
        report.version = as.version;
        attempt.handedOver->replay(&context);
        attempt.reading.captured.replay(&context);
      } else if (!furthest || attempt.reading.reached > furthest->reading.reached ||
                 (isOurs && attempt.parsed)) { // theirs went on after a form that it did not know
        furthest = &attempt;
      }
      return module;
    };
    SmallVector<Recognised> versions = candidates(text, how.version);
    for (Recognised as : versions)
      if (OwningOpRef<ModuleOp> module = attemptAs(as, ForeignContext::Spelling::Theirs))
        return module;
    // LLVM 22's forms with an op among them that only CuTe DSL's own LLVM has: put there by hand,
    // or left by a program that did not know it. What could be read as theirs was refused for what
    // it says, which LLVM 22's ops may not look at.
    if (!ours && llvm::none_of(attempts, [](const auto &attempt) { return attempt->parsed; }))
      if (OwningOpRef<ModuleOp> module =
              attemptAs(versions.front(), ForeignContext::Spelling::Ours))
        return module;
    bool further =
        furthest->reading.reached == endOfFile || furthest->reading.reached > direct.reached;
    // Where unknown ops are allowed, a text with theirs may be ours without an error.
    if (ours || (!further && direct.captured.hasErrors())) {
      // Another release than the one that was asked for may well read it.
      direct.captured.replay(&context, notesOn(direct.captured, furthest->as, bool(how.version)));
      return {};
    }
    report.version = furthest->as.version;
    std::vector<std::string> handed = notesOn(*furthest->handedOver, furthest->as, true);
    furthest->handedOver->replay(&context, handed);
    if (furthest->handedOver->hasErrors())
      furthest->reading.captured.replay(&context);
    else
      furthest->reading.captured.replay(&context,
                                        notesOn(furthest->reading.captured, furthest->as, true));
    return {};
  }

private:
  /// The notes to the first error: on a name that nobody knows, and which version that is. The
  /// version does not matter to mistakes in our own spelling, unless `isForeign`; nothing is said
  /// of it for a text that no version shows in.
  std::vector<std::string> notesOn(const Captured &said, const Recognised &as,
                                   bool isForeign = false) {
    std::vector<std::string> notes = notesOnUnknown(said.firstError(), context);
    report.unknown |= !notes.empty();
    if (notes.empty() && !isForeign)
      return notes;
    if (how.version)
      notes.push_back(sentence(Diag::ReadAsGiven, how.version->releases));
    else if (!as.mark.empty())
      notes.push_back(sentence(Diag::ReadAsRecognised, as.version->releases, as.mark));
    return notes;
  }

  /// The file as one version spells it; null after errors, which the attempt keeps.
  OwningOpRef<ModuleOp> read(const llvm::SourceMgr &source, ForeignAttempt &attempt) {
    Attempt &reading = attempt.reading;
    reading.parse(source, how.edited);
    attempt.parsed = reading.read();
    watch.lap(&Report::foreign);
    report.ops.clear();
    bool rewritten = reading.module &&
                     succeeded(rewriteForeignOps(*reading.module, &context, report.ops)) &&
                     isValid(reading);
    watch.lap(&Report::rewrite);
    attempt.handedOver = std::make_unique<Captured>(&context);
    OwningOpRef<ModuleOp> module =
        rewritten ? handOver(*reading.module, &context, how.edited) : nullptr;
    if (rewritten && !module)
      refuse(reading.module->getLoc(), Diag::HandOver, reading.module->getOperation()->getName());
    attempt.handedOver->release();
    reading.captured.release();
    watch.lap(&Report::handOver);
    return module;
  }

  /// An edited file may contradict itself.
  bool isValid(Attempt &attempt) const {
    return attempt.read() && (how.edited || succeeded(verify(*attempt.module)));
  }

  MLIRContext &context;
  const DialectRegistry &ownDialects;
  Reading how;
  Report unused;
  Report &report;
  Stopwatch watch;
};

/// Puts the symbols of a module into another, under names that are new there.
void append(ModuleOp module, ModuleOp to) {
  SymbolTable mine(module), all(to);
  for (Operation &op : *module.getBody()) {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    if (!symbol || (symbol.isOptionalSymbol() && !symbol.getNameAttr()) ||
        !all.lookup(symbol.getName()))
      continue;
    if (failed(mine.renameToUnique(&op, {&all})))
      llvm::report_fatal_error("append: a use of a symbol is in an op that is not known");
  }
  for (NamedAttribute attribute : module->getDiscardableAttrs())
    if (!to->hasAttr(attribute.getName()))
      to->setDiscardableAttr(attribute.getName(), attribute.getValue());
  to.getBody()->getOperations().splice(to.getBody()->end(), module.getBody()->getOperations());
}

/// Puts the symbols of modules within the module into it: the parser puts a module around the two
/// of a file. One whose name is used stays. Whether there were some.
bool appendNested(ModuleOp module) {
  bool any = false;
  for (ModuleOp nested : llvm::make_early_inc_range(module.getOps<ModuleOp>())) {
    appendNested(nested);
    if (nested.getSymNameAttr() && !SymbolTable::symbolKnownUseEmpty(nested, module))
      continue;
    // Its own name is not one of the module's any more.
    nested.setSymNameAttr(nullptr);
    append(nested, module);
    nested.erase();
    any = true;
  }
  return any;
}
} // namespace

OwningOpRef<ModuleOp> importModule(llvm::SourceMgr &given, MLIRContext &context,
                                   const DialectRegistry &ownDialects, Report *report,
                                   Reading how) {
  std::unique_ptr<llvm::MemoryBuffer> file =
      asText(*given.getMemoryBuffer(given.getMainFileID()), context);
  if (!file)
    return nullptr;
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(file->getMemBufferRef(), /*RequiresNullTerminator=*/true),
      {});
  Importer importer(context, ownDialects, how, report);
  OwningOpRef<ModuleOp> module;
  std::vector<std::string> modules = modulesOf(file->getBuffer());
  if (modules.empty())
    module = importer.read(source);
  for (const std::string &text : modules) {
    llvm::SourceMgr part;
    part.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, file->getBufferIdentifier()),
                            {});
    OwningOpRef<ModuleOp> next = importer.read(part);
    if (!next)
      return {};
    if (!module)
      module = std::move(next);
    else
      append(*next, *module);
  }
  if (!module)
    return {};
  bool nested = appendNested(*module);
  if (report)
    report->nested = nested;
  FailureOr<bool> found = rewriteLaunches(*module);
  if (failed(found))
    return {};
  bool launches = *found;
  if ((nested || launches) && !how.edited && failed(verify(*module)))
    return {};
  if (report && !report->version && (launches || !modules.empty()))
    report->version = how.version ? how.version : recognise(file->getBuffer()).version;
  return module;
}

} // namespace tessera::import
