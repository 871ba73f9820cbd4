// The parser's record of definitions, in whichever context reads the file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/Definitions.h"

#include "tessera/import/Captured.h"
#include "tessera/import/Diagnostics.h"
#include "tessera/import/Dump.h"
#include "tessera/import/Edited.h"
#include "tessera/import/ForeignContext.h"
#include "tessera/import/Input.h"
#include "tessera/import/Respelled.h"
#include "tessera/import/spellings/Barrier.h"
#include "tessera/import/spellings/Generic.h"

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
  StringRef operator[](unsigned line) const {
    return text.substr(starts[line - 1]).take_until([](char c) { return c == '\n'; });
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

/// Calls `see` with each definition and use that was recorded, at its place in `source`.
void seeAll(const Recorded &recorded, const llvm::SourceMgr &source, See see) {
  const std::optional<EditedText> &edited = recorded.mended.text;
  Lines lines(textOf(edited ? *recorded.mended.source : source));
  struct At {
    StringRef name;
    unsigned line, column;
  };
  auto at = [&](SMRange place) -> std::optional<At> {
    auto [line, column] = lines.of(place.Start.getPointer());
    if (!edited)
      return At{StringRef(place.Start.getPointer(),
                          size_t(place.End.getPointer() - place.Start.getPointer())),
                line, column};
    auto given = edited->inFile(lines[line], column);
    if (!given)
      return std::nullopt;
    return At{given->first, line, unsigned(given->second)};
  };
  auto one = [&](const AsmParserState::SMDefinition &definition, unsigned number, Type type) {
    // A cast has no definition in the file, and its uses are those of what it converts.
    if (auto place = at(definition.loc))
      see({place->name, place->line, place->column, number, type});
    // Uses of several results are in one list: `%a#1` says which.
    for (SMRange use : definition.uses)
      if (numberAt(use.Start.getPointer()) == number)
        if (auto place = at(use))
          see({place->name, place->line, place->column, numberAt(place->name.data()), type, true});
  };
  const AsmParserState &state = recorded.state;
  for (const AsmParserState::TypeAliasDefinition &alias : state.getTypeAliasDefs())
    one(alias.definition, 0, alias.value);
  for (const AsmParserState::OperationDefinition &op : state.getOpDefs())
    for (auto [i, group] : llvm::enumerate(op.resultGroups)) {
      unsigned end = i + 1 < op.resultGroups.size() ? op.resultGroups[i + 1].startIndex
                                                    : op.op->getNumResults();
      for (unsigned result = group.startIndex; result < end; ++result)
        one(group.definition, result - group.startIndex, op.op->getResult(result).getType());
    }
  for (const AsmParserState::BlockDefinition &block : state.getBlockDefs())
    for (auto [i, argument] : llvm::enumerate(block.arguments))
      if (argument.loc.isValid() && i < block.block->getNumArguments())
        one(argument, 0, block.block->getArgument(unsigned(i)).getType());
}

/// One context, and how far it can read the text.
struct Attempt {
  Attempt(MLIRContext *context, const llvm::SourceMgr &source, Reading how, See see, Inside inside)
      : captured(context) {
    FailureOr<std::unique_ptr<Recorded>> recorded = record(source, context, how.edited);
    reached = captured.lastError();
    captured.release();
    read = succeeded(recorded);
    if (!read)
      return;
    seeAll(**recorded, source, see);
    isMended = (*recorded)->mended.text.has_value();
    if (inside == Inside::OwnProcess) { // which ends soon
      [[maybe_unused]] Recorded *kept = recorded->release();
    }
  }
  Captured captured;
  Position reached;
  bool read, isMended = false;
};

FailureOr<Definitions> definitionsOf(const llvm::SourceMgr &source, MLIRContext &context,
                                     const DialectRegistry &ownDialects, Reading how, See see,
                                     Inside inside) {
  const StringRef text = textOf(source);
  const Respelled own(source, withReadableBarriers(text));
  readRatios(hasRatios(text), context);
  auto best = std::make_unique<Attempt>(&context, own.source(), how, see, inside);
  if (best->read)
    return Definitions{nullptr, !own.isChanged() && !best->isMended};
  const Respelled theirs(source, respellGroups(text));
  const Respelled mixed(own.source(), respellGroups(textOf(own.source())));
  // The contexts are gone when the messages are shown, which keep texts only.
  auto readsAs = [&](Recognised as, ForeignContext::Spelling spelling) {
    bool isOurs = spelling == ForeignContext::Spelling::Ours;
    auto foreign = std::make_unique<ForeignContext>(context, ownDialects, *as.version, spelling);
    auto attempt = std::make_unique<Attempt>(
        foreign->get(), isOurs ? mixed.source() : theirs.source(), how, see, inside);
    if (inside == Inside::OwnProcess) {
      [[maybe_unused]] ForeignContext *left = foreign.release(); // to the end of the process
    }
    bool read = attempt->read;
    if (attempt->reached > best->reached)
      best = std::move(attempt);
    return read;
  };
  SmallVector<Recognised> versions = candidates(text, how.version);
  for (Recognised as : versions)
    if (readsAs(as, ForeignContext::Spelling::Theirs))
      return Definitions{as.version, false};
  if (readsAs(versions.front(), ForeignContext::Spelling::Ours))
    return Definitions{versions.front().version, false};
  best->captured.replay(&context);
  return failure();
}

} // namespace

FailureOr<Definitions> definitions(const llvm::SourceMgr &source, MLIRContext &context,
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
    return definitionsOf(source, context, ownDialects, how, see, inside);
  Definitions all{nullptr, false};
  for (const std::string &text : modules) {
    llvm::SourceMgr part;
    part.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, file->getBufferIdentifier()),
                            {});
    FailureOr<Definitions> read = definitionsOf(part, context, ownDialects, how, see, inside);
    if (failed(read))
      return failure();
    all.version = read->version ? read->version : all.version;
  }
  return all;
}

} // namespace tessera::import
