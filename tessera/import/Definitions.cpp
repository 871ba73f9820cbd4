// The parser's record of definitions, in whichever context reads the file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/Definitions.h"

#include "tessera/import/Captured.h"
#include "tessera/import/Diagnostics.h"
#include "tessera/import/Dump.h"
#include "tessera/import/ForeignContext.h"
#include "tessera/import/Input.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <memory>

using namespace mlir;

namespace tessera::import {

namespace {

using See = llvm::function_ref<void(const Definition &)>;

void seeAll(const AsmParserState &state, const llvm::SourceMgr &source, See see) {
  auto at = [&](SMRange place, unsigned number, Type type) {
    auto [line, column] = source.getLineAndColumn(place.Start);
    StringRef name(place.Start.getPointer(),
                   size_t(place.End.getPointer() - place.Start.getPointer()));
    see({name, line, column, number, type});
  };
  for (const AsmParserState::TypeAliasDefinition &alias : state.getTypeAliasDefs())
    at(alias.definition.loc, 0, alias.value);
  for (const AsmParserState::OperationDefinition &op : state.getOpDefs())
    for (auto [i, group] : llvm::enumerate(op.resultGroups)) {
      unsigned end = i + 1 < op.resultGroups.size() ? op.resultGroups[i + 1].startIndex
                                                    : op.op->getNumResults();
      for (unsigned result = group.startIndex; result < end; ++result)
        at(group.definition.loc, result - group.startIndex, op.op->getResult(result).getType());
    }
  for (const AsmParserState::BlockDefinition &block : state.getBlockDefs())
    for (auto [i, argument] : llvm::enumerate(block.arguments))
      if (argument.loc.isValid() && i < block.block->getNumArguments())
        at(argument.loc, 0, block.block->getArgument(unsigned(i)).getType());
}

/// One context, and what it says to the text.
struct Attempt {
  Attempt(MLIRContext *context, const llvm::SourceMgr &source, See see) : captured(context) {
    AsmParserState state;
    Block block;
    read = succeeded(parseAsmSourceFile(source, &block,
                                        ParserConfig(context, /*verifyAfterParse=*/false), &state));
    reached = captured.lastError();
    captured.release();
    if (read)
      seeAll(state, source, see);
  }
  Captured captured;
  Position reached;
  bool read;
};

LogicalResult definitionsOf(const llvm::SourceMgr &source, MLIRContext &context,
                            const DialectRegistry &ownDialects, Reading how, See see) {
  auto best = std::make_unique<Attempt>(&context, source, see);
  if (best->read)
    return success();
  // The contexts are gone when the messages are shown, which keep texts only.
  for (Recognised as :
       candidates(source.getMemoryBuffer(source.getMainFileID())->getBuffer(), how.version)) {
    ForeignContext foreign(context, ownDialects, *as.version);
    auto attempt = std::make_unique<Attempt>(foreign.get(), source, see);
    if (attempt->read)
      return success();
    if (attempt->reached > best->reached)
      best = std::move(attempt);
  }
  best->captured.replay(&context);
  return failure();
}

} // namespace

LogicalResult definitions(const llvm::SourceMgr &source, MLIRContext &context,
                          const DialectRegistry &ownDialects, Reading how, See see) {
  const llvm::MemoryBuffer *file = source.getMemoryBuffer(source.getMainFileID());
  if (isBytecode(*file)) {
    refuse(FileLineColLoc::get(&context, file->getBufferIdentifier(), 1, 1), Diag::NoLines);
    return failure();
  }
  if (!asText(*file, context)) // goes too deep
    return failure();
  std::vector<std::string> modules = modulesOf(file->getBuffer());
  if (modules.empty())
    modules.push_back(file->getBuffer().str());
  for (const std::string &text : modules) {
    llvm::SourceMgr part;
    part.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, file->getBufferIdentifier()),
                            {});
    if (failed(definitionsOf(part, context, ownDialects, how, see)))
      return failure();
  }
  return success();
}

} // namespace tessera::import
