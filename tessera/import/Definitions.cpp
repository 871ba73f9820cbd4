// The parser's record of definitions, in whichever context reads the file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/Definitions.h"

#include "tessera/import/Captured.h"
#include "tessera/import/Diagnostics.h"
#include "tessera/import/Dump.h"
#include "tessera/import/ForeignContext.h"
#include "tessera/import/Input.h"
#include "tessera/import/spellings/Generic.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <algorithm>
#include <memory>
#include <vector>

using namespace mlir;

namespace tessera::import {

namespace {

using See = llvm::function_ref<void(const Definition &)>;

/// Lines and columns of places in a text, both from 1.
class Lines {
public:
  explicit Lines(StringRef text) : text(text), starts{0} {
    for (size_t at = text.find('\n'); at != StringRef::npos; at = text.find('\n', at + 1))
      starts.push_back(at + 1);
  }
  std::pair<unsigned, unsigned> of(const char *place) const {
    size_t offset = size_t(place - text.data());
    auto after = std::upper_bound(starts.begin(), starts.end(), offset);
    return {unsigned(after - starts.begin()), unsigned(offset - *std::prev(after)) + 1};
  }

private:
  StringRef text;
  std::vector<size_t> starts;
};

/// The number after the name that begins here, as in `%a#1`; 0 if there is none.
unsigned numberAt(const char *name) {
  do
    ++name;
  while (llvm::isAlnum(*name) || llvm::is_contained("_$.-", *name));
  unsigned number = 0;
  if (*name == '#')
    for (++name; llvm::isDigit(*name); ++name)
      number = number * 10 + unsigned(*name - '0');
  return number;
}

void seeAll(const AsmParserState &state, const llvm::SourceMgr &source, See see) {
  Lines lines(source.getMemoryBuffer(source.getMainFileID())->getBuffer());
  auto one = [&](SMRange place, unsigned number, Type type, bool isUse) {
    auto [line, column] = lines.of(place.Start.getPointer());
    StringRef name(place.Start.getPointer(),
                   size_t(place.End.getPointer() - place.Start.getPointer()));
    see({name, line, column, number, type, isUse});
  };
  auto at = [&](const AsmParserState::SMDefinition &definition, unsigned number, Type type) {
    one(definition.loc, number, type, false);
    // Uses of several results are in one list: `%a#1` says which.
    for (SMRange use : definition.uses)
      if (numberAt(use.Start.getPointer()) == number)
        one(use, number, type, true);
  };
  for (const AsmParserState::TypeAliasDefinition &alias : state.getTypeAliasDefs())
    at(alias.definition, 0, alias.value);
  for (const AsmParserState::OperationDefinition &op : state.getOpDefs())
    for (auto [i, group] : llvm::enumerate(op.resultGroups)) {
      unsigned end = i + 1 < op.resultGroups.size() ? op.resultGroups[i + 1].startIndex
                                                    : op.op->getNumResults();
      for (unsigned result = group.startIndex; result < end; ++result)
        at(group.definition, result - group.startIndex, op.op->getResult(result).getType());
    }
  for (const AsmParserState::BlockDefinition &block : state.getBlockDefs())
    for (auto [i, argument] : llvm::enumerate(block.arguments))
      if (argument.loc.isValid() && i < block.block->getNumArguments())
        at(argument, 0, block.block->getArgument(unsigned(i)).getType());
}

/// One context, and what it says to the text.
struct Attempt {
  Attempt(MLIRContext *context, const llvm::SourceMgr &source, See see, Inside inside)
      : captured(context) {
    auto state = std::make_unique<AsmParserState>();
    auto block = std::make_unique<Block>();
    read = succeeded(parseAsmSourceFile(
        source, block.get(), ParserConfig(context, /*verifyAfterParse=*/false), &*state));
    reached = captured.lastError();
    captured.release();
    if (read)
      seeAll(*state, source, see);
    if (inside == Inside::OwnProcess)
      (void)std::pair(state.release(), block.release());
  }
  Captured captured;
  Position reached;
  bool read;
};

FailureOr<const Version *> definitionsOf(const llvm::SourceMgr &source, MLIRContext &context,
                                         const DialectRegistry &ownDialects, Reading how, See see,
                                         Inside inside) {
  auto best = std::make_unique<Attempt>(&context, source, see, inside);
  if (best->read)
    return nullptr;
  // The contexts are gone when the messages are shown, which keep texts only.
  for (Recognised as :
       candidates(source.getMemoryBuffer(source.getMainFileID())->getBuffer(), how.version)) {
    auto foreign = std::make_unique<ForeignContext>(context, ownDialects, *as.version);
    auto attempt = std::make_unique<Attempt>(foreign->get(), source, see, inside);
    if (inside == Inside::OwnProcess) {
      [[maybe_unused]] ForeignContext *left = foreign.release(); // to the end of the process
    }
    if (attempt->read)
      return as.version;
    if (attempt->reached > best->reached)
      best = std::move(attempt);
  }
  best->captured.replay(&context);
  return failure();
}

} // namespace

FailureOr<const Version *> definitions(const llvm::SourceMgr &source, MLIRContext &context,
                                       const DialectRegistry &ownDialects, Reading how, See see,
                                       Inside inside) {
  const llvm::MemoryBuffer *file = source.getMemoryBuffer(source.getMainFileID());
  if (isBytecode(*file)) {
    refuse(FileLineColLoc::get(&context, file->getBufferIdentifier(), 1, 1), Diag::NoLines);
    return failure();
  }
  if (inside == Inside::Caller && !asText(*file, context)) // goes too deep
    return failure();
  std::vector<std::string> modules = modulesOf(file->getBuffer());
  if (modules.empty())
    modules.push_back(file->getBuffer().str());
  const Version *version = nullptr;
  for (const std::string &text : modules) {
    llvm::SourceMgr part;
    part.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(withoutEmptyGroups(text).value_or(text),
                                             file->getBufferIdentifier()),
        {});
    FailureOr<const Version *> read = definitionsOf(part, context, ownDialects, how, see, inside);
    if (failed(read))
      return failure();
    version = *read ? *read : version;
  }
  return version;
}

} // namespace tessera::import
