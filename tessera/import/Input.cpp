// Bytecode to text in a process of its own; depth of texts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/Input.h"

#include "tessera/base/Nesting.h"
#include "tessera/files/Descriptor.h"
#include "tessera/files/Errors.h"
#include "tessera/import/Diagnostics.h"
#include "tessera/import/ForeignContext.h"
#include "tessera/import/OwnProcess.h"
#include "tessera/import/Quotes.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

using namespace mlir;

namespace tessera::import {

namespace {

/// The text of bytecode, made in a context that only this process has.
Result<std::string> textOf(llvm::MemoryBufferRef bytecode, const DialectRegistry &registry) {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects(); // who parses the text says whether there may be some
  readRatios(true, context);           // and whether strides may be ratios
  std::string said;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (said.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
      said = diagnostic.str();
    return success();
  });
  Block block;
  if (failed(
          readBytecodeFile(bytecode, &block, ParserConfig(&context, /*verifyAfterParse=*/false))))
    return Reason{"Refused", "is refused: " + (said.empty() ? "it is damaged" : said)};
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  flags.printGenericOpForm().enableDebugInfo(true, /*prettyForm=*/false).assumeVerified(false);
  for (Operation &op : block) {
    op.print(stream, flags);
    stream << "\n";
  }
  return text;
}

/// The module that was read, which nobody else has.
class FileBuffer final : public llvm::MemoryBuffer {
public:
  FileBuffer(std::string content, std::string name)
      : content(std::move(content)), name(std::move(name)) {
    init(this->content.data(), this->content.data() + this->content.size(),
         /*RequiresNullTerminator=*/true);
  }
  llvm::StringRef getBufferIdentifier() const override { return name; }
  BufferKind getBufferKind() const override { return MemoryBuffer_Malloc; }

private:
  std::string content, name;
};

/// How files of these forms begin, and what makes texts of them.
struct Compressed {
  std::string_view start, name, program;
};
using namespace std::string_view_literals;
constexpr Compressed compressedForms[] = {{"\xfd"
                                           "7zXZ\0"sv,
                                           "xz", "xz -dk"},
                                          {"\x1f\x8b"sv, "gzip", "gzip -dk"},
                                          {"\x28\xb5\x2f\xfd"sv, "zstd", "zstd -d"},
                                          {"BZh"sv, "bzip2", "bzip2 -dk"},
                                          {"PK\x03\x04"sv, "zip", "unzip"}};

bool isPartOfName(char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; }

/// A text from its first token on, without the blanks and comments before it.
llvm::StringRef fromToken(llvm::StringRef text) {
  while ((text = text.ltrim()).starts_with("//"))
    text = text.drop_front(std::min(text.find('\n'), text.size()));
  return text;
}

/// The type or the alias of one with which a text begins: `index`, `!a`.
llvm::StringRef typeName(llvm::StringRef text) {
  const size_t mark = text.starts_with("!");
  return text.take_front(mark + text.drop_front(mark).take_while(isPartOfName).size());
}

/// What each alias of a text stands for first: `!a = index`, `!b = !a`.
llvm::StringMap<llvm::StringRef> aliasesIn(llvm::StringRef text) {
  llvm::StringMap<llvm::StringRef> aliases;
  Quotes quotes(text);
  for (size_t at = 0; (at = text.find('!', at)) != llvm::StringRef::npos; ++at) {
    if (quotes.hold(at))
      continue;
    llvm::StringRef name = typeName(text.drop_front(at));
    llvm::StringRef value = fromToken(text.drop_front(at + name.size()));
    if (value.consume_front("="))
      aliases.try_emplace(name, typeName(fromToken(value)));
  }
  return aliases;
}

/// Where a text has an array of elements of type `index`, outside of strings and comments. Source:
/// LLVM 22.1's parseDenseArrayAttr asks this type for its width, and ends the process, as it has
/// none.
std::optional<TooDeep> findIndexArray(llvm::StringRef text) {
  constexpr int mostAliases = 100;                         // of one another; no file has more
  std::optional<llvm::StringMap<llvm::StringRef>> aliases; // few files ask
  auto isIndex = [&](llvm::StringRef name) {
    for (int i = 0; i < mostAliases && name.starts_with("!"); ++i) {
      if (!aliases)
        aliases = aliasesIn(text);
      name = aliases->lookup(name);
    }
    return name == "index";
  };
  Quotes quotes(text);
  for (size_t at = 0; (at = text.find("array", at)) != llvm::StringRef::npos; at += 5) {
    if (quotes.hold(at) || (at && isPartOfName(text[at - 1])))
      continue;
    llvm::StringRef rest = fromToken(text.drop_front(at + 5));
    if (!rest.consume_front("<") || !isIndex(typeName(fromToken(rest))))
      continue;
    llvm::StringRef before = text.take_front(at);
    return TooDeep{before.count('\n') + 1, at - (before.rfind('\n') + 1) + 1};
  }
  return std::nullopt;
}

Location placeIn(llvm::StringRef file, const TooDeep &where, MLIRContext &context) {
  return FileLineColLoc::get(&context, file, unsigned(where.line), unsigned(where.column));
}

} // namespace

std::optional<Deadly> findDeadly(llvm::StringRef text, size_t mostNesting) {
  if (std::optional<TooDeep> deep = findTooDeep(text, mostNesting))
    return Deadly{deep->line, deep->column, sentence(Diag::TooDeep, mostMlirNesting)};
  if (std::optional<TooDeep> where = findIndexArray(text))
    return Deadly{where->line, where->column, sentence(Diag::IndexArray)};
  return std::nullopt;
}

Result<std::unique_ptr<llvm::MemoryBuffer>> readFile(const std::string &path) {
  const bool isStdin = path == "-";
  files::Descriptor file(isStdin ? ::dup(STDIN_FILENO)
                                 : ::open(path.c_str(), O_RDONLY | O_NOCTTY | O_CLOEXEC));
  std::optional<std::string> content = file ? file.read(mostFileBytes) : std::nullopt;
  if (!content)
    return Reason{"Unreadable", errno == EFBIG ? "it has more than 1 GiB, the limit of files"
                                               : files::systemReason()};
  return std::unique_ptr<llvm::MemoryBuffer>(
      std::make_unique<FileBuffer>(*std::move(content), isStdin ? "<stdin>" : path));
}

std::unique_ptr<llvm::MemoryBuffer> asText(llvm::MemoryBufferRef file, MLIRContext &context) {
  llvm::StringRef name = file.getBufferIdentifier();
  for (const Compressed &form : compressedForms)
    if (file.getBuffer().starts_with(form.start)) {
      // At no line: the first one is not for terminals.
      refuse(FileLineColLoc::get(&context, name, 0, 0), Diag::Compressed, form.name, form.program);
      return nullptr;
    }
  std::unique_ptr<llvm::MemoryBuffer> text = llvm::MemoryBuffer::getMemBuffer(file);
  if (isBytecode(file)) {
    DialectRegistry registry;
    context.getDialectRegistry().appendTo(registry);
    Result<std::string> read = inOwnProcess([&] { return textOf(file, registry); },
                                            {.seconds = secondsFor(file.getBufferSize())});
    if (!read) {
      refuse(placeIn(name, {}, context), Diag::Bytecode, read.reason().text);
      return nullptr;
    }
    text = llvm::MemoryBuffer::getMemBufferCopy(*read, name);
  }
  // The generic form has two brackets for a region.
  const size_t most = isBytecode(file) ? 2 * mostMlirNesting : mostMlirNesting;
  if (std::optional<Deadly> found = findDeadly(text->getBuffer(), most)) {
    emitError(placeIn(name, {found->line, found->column}, context), found->why);
    return nullptr;
  }
  return text;
}

std::unique_ptr<llvm::MemoryBuffer> asText(llvm::MemoryBufferRef file,
                                           const DialectRegistry &dialects) {
  MLIRContext context(dialects, MLIRContext::Threading::DISABLED);
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(source, &context, llvm::errs());
  return asText(file, context);
}

} // namespace tessera::import
