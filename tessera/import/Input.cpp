// Bytecode to text in a process of its own; depth of texts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/Input.h"

#include "tessera/base/Nesting.h"
#include "tessera/files/Descriptor.h"
#include "tessera/files/Errors.h"
#include "tessera/import/Diagnostics.h"
#include "tessera/import/OwnProcess.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
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

/// Whether a place of a text is in a string or in a comment.
bool isQuoted(llvm::StringRef text, size_t at) {
  llvm::StringRef before = text.take_front(at);
  before = before.drop_front(before.rfind('\n') + 1);
  bool quoted = false, comment = false;
  for (size_t i = 0; i < before.size() && !comment; ++i) {
    comment = !quoted && before.substr(i).starts_with("//");
    if (quoted && before[i] == '\\')
      ++i; // what follows it is of the text
    else
      quoted ^= before[i] == '"';
  }
  return quoted || comment;
}

/// Whether a text begins with the type `index`, or with an alias that `whole` gives it. `aliases`
/// says how many more aliases to follow.
bool beginsWithIndex(llvm::StringRef text, llvm::StringRef whole, int aliases) {
  llvm::StringRef name = text.take_front(1) == "!" ? text.take_front(1) : "";
  name =
      text.take_front(name.size() + text.drop_front(name.size()).take_while(isPartOfName).size());
  if (!name.starts_with("!") || !aliases)
    return name == "index";
  for (size_t at = 0; (at = whole.find(name, at)) != llvm::StringRef::npos; at += name.size()) {
    llvm::StringRef value = whole.drop_front(at + name.size());
    if ((value = fromToken(value)).consume_front("=") && !isQuoted(whole, at))
      return beginsWithIndex(fromToken(value), whole, aliases - 1);
  }
  return false;
}

/// Where a text has an array of elements of type `index`, outside of strings and comments. Source:
/// LLVM 22.1's parseDenseArrayAttr asks this type for its width, and ends the process, as it has
/// none.
std::optional<TooDeep> findIndexArray(llvm::StringRef text) {
  constexpr int mostAliases = 100; // of one another; no file has more
  for (size_t at = 0; (at = text.find("array", at)) != llvm::StringRef::npos; at += 5) {
    llvm::StringRef rest = fromToken(text.drop_front(at + 5));
    if (!rest.consume_front("<") || (at && isPartOfName(text[at - 1])) ||
        !beginsWithIndex(fromToken(rest), text, mostAliases) || isQuoted(text, at))
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
    Result<std::string> read = inOwnProcess([&] { return textOf(file, registry); });
    if (!read) {
      refuse(placeIn(name, {}, context), Diag::Bytecode, read.reason().text);
      return nullptr;
    }
    text = llvm::MemoryBuffer::getMemBufferCopy(*read, name);
  }
  // The generic form has two brackets for a region.
  const size_t most = isBytecode(file) ? 2 * mostMlirNesting : mostMlirNesting;
  if (std::optional<TooDeep> deep = findTooDeep(text->getBuffer(), most)) {
    refuse(placeIn(name, *deep, context), Diag::TooDeep, mostMlirNesting);
    return nullptr;
  }
  if (std::optional<TooDeep> where = findIndexArray(text->getBuffer())) {
    refuse(placeIn(name, *where, context), Diag::IndexArray);
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
