// Casts in the text of an edited file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/Edited.h"

#include "tessera/cute/Cute.h"
#include "tessera/cute/Evaluate.h"
#include "tessera/cute/Stated.h"
#include "tessera/import/Diagnostics.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tessera::import {

//===--- texts --------------------------------------------------------------------------------===//

namespace {
constexpr StringLiteral castBegins = "\"builtin.unrealized_conversion_cast\"(";

bool isInName(char c) { return llvm::isAlnum(c) || llvm::is_contained("_$.-", c); }

/// The end of a use `%name` or `%name#1` that begins at `at`.
size_t endOfUse(StringRef text, size_t at) {
  size_t end = at + 1;
  while (end < text.size() && isInName(text[end]))
    ++end;
  if (end < text.size() && text[end] == '#') {
    size_t number = end + 1;
    while (number < text.size() && llvm::isDigit(text[number]))
      ++number;
    end = number > end + 1 ? number : end;
  }
  return end;
}

/// The end of a string or comment that begins at `at`; `at` if neither does.
size_t endOfQuoted(StringRef text, size_t at) {
  if (text.substr(at).starts_with("//"))
    return std::min(text.find('\n', at), text.size());
  if (text[at] != '"')
    return at;
  for (size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i + 1;
  }
  return text.size();
}

/// Whether a line begins an operation: its results, its name in quotes, or a name with a dialect.
/// MLIR prints each operation on separate lines.
bool beginsOperation(StringRef line) {
  line = line.ltrim();
  if (line.starts_with("%")) {
    // %a, %b:2 = ...
    while (line.starts_with("%")) {
      line = line.drop_front(endOfUse(line, 0)).ltrim();
      if (line.consume_front(":"))
        line = line.drop_while(llvm::isDigit).ltrim();
      if (!line.consume_front(","))
        break;
      line = line.ltrim();
    }
    return line.starts_with("=");
  }
  if (line.starts_with("\""))
    return line.drop_front(endOfQuoted(line, 0)).starts_with("(");
  StringRef name = line.take_while(isInName);
  // Ops of the default dialect of a function have none in front.
  constexpr StringLiteral bare[] = {"return", "call"};
  return (name.contains('.') && llvm::isAlpha(name[0])) || llvm::is_contained(bare, name);
}

/// Where the line of `at` begins.
size_t beginOfLine(StringRef text, size_t at) {
  size_t newline = text.rfind('\n', at ? at - 1 : 0);
  return at == 0 || newline == StringRef::npos ? 0 : newline + 1;
}

/// Where an operation may be put in front of the one around `at`: the end of the line before it, so
/// that no line and no column of an operation's name changes.
size_t inFrontOf(StringRef text, size_t at) {
  size_t line = beginOfLine(text, at);
  auto begins = [&] { // results may have a line of their own
    return beginsOperation(text.substr(line)) && !text.take_front(line).rtrim().ends_with("=");
  };
  while (line > 0 && !begins())
    line = beginOfLine(text, line - 1);
  if (line == 0)
    return 0;
  for (size_t i = beginOfLine(text, line - 1); i < line - 1;) {
    if (text.substr(i).starts_with("//"))
      return i;
    i = std::max(endOfQuoted(text, i), i + 1);
  }
  return line - 1;
}

/// Where the text of `line` and `column` begins; nothing if there is none.
std::optional<size_t> offsetOf(StringRef text, size_t line, size_t column) {
  size_t at = 0;
  for (; line > 1; --line) {
    at = text.find('\n', at);
    if (at == StringRef::npos)
      return std::nullopt;
    ++at;
  }
  at += column - 1;
  return at < text.size() ? std::optional(at) : std::nullopt;
}
} // namespace

EditedText::EditedText(StringRef text) : text(text), prefix("%stated_") {
  while (text.contains(prefix))
    prefix += "_";
}

bool EditedText::usesCast(size_t line, size_t column) const {
  std::optional<size_t> at = offsetOf(text, line, column);
  return at && names.contains(text.substr(*at, endOfUse(text, *at) - *at));
}

bool EditedText::takeBack(size_t line, size_t column) {
  if (!usesCast(line, column))
    return false;
  const size_t at = *offsetOf(text, line, column), size = endOfUse(text, at) - at;
  text.replace(at, size, names.at(text.substr(at, size)));
  return true;
}

bool EditedText::cast(size_t line, size_t column, const std::string &defined,
                      const std::string &stated) {
  std::optional<size_t> at = offsetOf(text, line, column);
  if (!at || text[*at] != '%')
    return false;
  const std::string use = text.substr(*at, endOfUse(text, *at) - *at);
  const std::string name = prefix + std::to_string(names.size());
  names[name] = use;
  // From the last use to the first, so that places stay right.
  SmallVector<size_t> uses;
  int depth = 0;
  for (size_t i = *at; i < text.size() && depth >= 0;) {
    if (size_t end = endOfQuoted(text, i); end > i) {
      i = end;
    } else if (text[i] == '%') {
      size_t after = endOfUse(text, i);
      // An earlier cast, in a region before this use, converts the same.
      if (StringRef(text).slice(i, after) == use &&
          !StringRef(text).take_front(i).ends_with(castBegins))
        uses.push_back(i);
      i = after;
    } else {
      depth += text[i] == '{';
      depth -= text[i] == '}';
      ++i;
    }
  }
  for (size_t place : llvm::reverse(uses))
    text.replace(place, use.size(), name);
  text.insert(inFrontOf(text, *at), " " + name + " = " + castBegins.str() + use + ") {" +
                                        cute::statedName.str() + "} : (" + defined + ") -> (" +
                                        stated + ")");
  return true;
}

bool EditedText::leavesResultsOut(size_t line, size_t column) const {
  const std::optional<size_t> at = offsetOf(text, line, column);
  if (!at || text[*at] != '%' || !beginsOperation(StringRef(text).substr(*at)))
    return false;
  for (size_t i = *at; i < text.size();) {
    if (size_t end = endOfQuoted(text, i); end > i) {
      i = end;
      continue;
    }
    StringRef rest = StringRef(text).substr(i);
    if (rest.starts_with("->"))
      return false;
    if (rest.starts_with("}") || (rest.consume_front("\n") && beginsOperation(rest)))
      break;
    ++i;
  }
  return true;
}

std::optional<std::pair<StringRef, size_t>> EditedText::inFile(StringRef line,
                                                               size_t column) const {
  const size_t at = column - 1;
  size_t inserted = 0, removed = 0; // what stands before
  for (size_t use = line.find(prefix); use <= at; use = line.find(prefix, use + 1)) {
    StringRef name = line.slice(use, endOfUse(line, use)), given = names.at(name);
    // A cast goes to the end of the line, and is followed by others or a comment.
    if (line.substr(use + name.size()).starts_with((" = " + castBegins).str()))
      return std::nullopt;
    if (use == at)
      return std::pair(given, column + removed - inserted);
    inserted += name.size();
    removed += given.size();
  }
  return std::pair(line.slice(at, endOfUse(line, at)), column + removed - inserted);
}

//===--- parsing ------------------------------------------------------------------------------===//

namespace {
/// A use whose stated type is not that of its definition.
struct Difference {
  FileLineColLoc where, definition; // the latter may be null
  Type stated, defined;
};

/// The error of MLIR's parser (OperationParser::resolveSSAUse), which states both types.
std::optional<Difference> differenceIn(Diagnostic &diagnostic) {
  auto where = dyn_cast<FileLineColLoc>(diagnostic.getLocation());
  bool says = false;
  SmallVector<Type> types;
  for (DiagnosticArgument &argument : diagnostic.getArguments()) {
    using Kind = DiagnosticArgument::DiagnosticArgumentKind;
    if (argument.getKind() == Kind::String)
      says |= argument.getAsString().contains("expects different type than prior uses");
    else if (argument.getKind() == Kind::Type)
      types.push_back(argument.getAsType());
  }
  if (!where || !says || types.size() != 2)
    return std::nullopt;
  // The iterator of a coordinate tensor is one or the other, as the version has it: that is no
  // edit, but another version than the one that is tried.
  if (isa<cute::ArithTupleIterType>(types[0]) != isa<cute::ArithTupleIterType>(types[1]))
    return std::nullopt;
  auto notes = diagnostic.getNotes();
  auto definition =
      notes.empty() ? FileLineColLoc() : dyn_cast<FileLineColLoc>(notes.begin()->getLocation());
  return Difference{where, definition, types[0], types[1]};
}

std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

bool cast(const Difference &one, EditedText &text) {
  return text.cast(one.where.getLine(), one.where.getColumn(), textOf(one.defined),
                   textOf(one.stated));
}

using Parse = llvm::function_ref<LogicalResult(const llvm::SourceMgr &)>;
using Mend = llvm::function_ref<bool(const Difference &, EditedText &)>;

/// Parses again and again, as long as `mend` changes the text where uses differ from definitions.
FailureOr<Mended> parseMended(const llvm::SourceMgr &source, MLIRContext *context, Mend mend,
                              Parse parse) {
  const llvm::MemoryBuffer *file = source.getMemoryBuffer(source.getMainFileID());
  Mended mended;
  for (;;) {
    if (mended.text) {
      mended.source = std::make_unique<llvm::SourceMgr>();
      mended.source->AddNewSourceBuffer(
          llvm::MemoryBuffer::getMemBufferCopy(mended.text->str(), file->getBufferIdentifier()),
          {});
    }
    std::vector<Diagnostic> said;
    LogicalResult parsed = failure();
    {
      ScopedDiagnosticHandler handler(
          context, [&](Diagnostic &diagnostic) { said.push_back(std::move(diagnostic)); });
      parsed = parse(mended.source ? *mended.source : source);
    }
    std::optional<Difference> difference =
        failed(parsed) && said.size() == 1 ? differenceIn(said.front()) : std::nullopt;
    if (difference && !mended.text)
      mended.text.emplace(file->getBuffer());
    if (difference && mend(*difference, *mended.text))
      continue;
    if (difference &&
        mended.text->usesCast(difference->where.getLine(), difference->where.getColumn())) {
      // MLIR would name the cast.
      refuse(difference->where, Diag::UsesDiffer, difference->stated, difference->defined);
      return failure();
    }
    for (Diagnostic &diagnostic : said)
      context->getDiagEngine().emit(std::move(diagnostic));
    if (failed(parsed))
      return failure();
    return mended;
  }
}

FailureOr<Mended> parseEdited(const llvm::SourceMgr &source, MLIRContext *context, Parse parse) {
  auto mend = [](const Difference &one, EditedText &text) {
    return text.takeBack(one.where.getLine(), one.where.getColumn()) || cast(one, text);
  };
  return parseMended(source, context, mend, parse);
}

FailureOr<Mended> parseStated(const llvm::SourceMgr &source, MLIRContext *context, Parse parse) {
  auto mend = [](const Difference &one, EditedText &text) {
    return cute::refines(one.defined, one.stated) && one.definition &&
           text.leavesResultsOut(one.definition.getLine(), one.definition.getColumn()) &&
           cast(one, text);
  };
  return parseMended(source, context, mend, parse);
}

/// Reads into a module.
auto into(OwningOpRef<ModuleOp> &module, MLIRContext *context) {
  return [&module, context](const llvm::SourceMgr &text) {
    module = parseSourceFile<ModuleOp>(text, ParserConfig(context, /*verifyAfterParse=*/false));
    return success(bool(module));
  };
}

/// Gives what was cast the types that its uses state. Fails after an error if they do not agree.
/// Returns the casts, which convert nothing any more.
FailureOr<SmallVector<UnrealizedConversionCastOp>> takeStated(Block &block) {
  llvm::MapVector<Value, SmallVector<UnrealizedConversionCastOp>> casts;
  SmallVector<UnrealizedConversionCastOp> taken;
  block.walk([&](UnrealizedConversionCastOp op) {
    if (op->hasAttr(cute::statedName))
      casts[op.getOperand(0)].push_back(op);
  });
  for (auto &[value, all] : casts) {
    Type stated = all.front().getResult(0).getType();
    Operation *user = *all.front()->user_begin();
    if (!isa_and_present<cute::AlgebraOpInterface>(value.getDefiningOp()))
      return refuse(user->getLoc(), Diag::UsesDiffer, stated, value.getType());
    for (OpOperand &use : value.getUses()) {
      bool isCast = llvm::is_contained(all, use.getOwner());
      Type other = isCast ? use.getOwner()->getResult(0).getType() : value.getType();
      if (other != stated)
        return refuse(user->getLoc(), Diag::UsesDiffer, stated, other);
    }
    value.setType(stated);
    llvm::append_range(taken, all);
  }
  return taken;
}
} // namespace

OwningOpRef<ModuleOp> parseEdited(const llvm::SourceMgr &source, MLIRContext *context) {
  OwningOpRef<ModuleOp> module;
  if (failed(parseEdited(source, context, into(module, context))))
    return {};
  return module;
}

OwningOpRef<ModuleOp> parseStated(const llvm::SourceMgr &source, MLIRContext *context,
                                  bool &weaker) {
  OwningOpRef<ModuleOp> module;
  if (failed(parseStated(source, context, into(module, context))))
    return {};
  auto casts = takeStated(*module->getBody());
  if (failed(casts))
    return {};
  for (UnrealizedConversionCastOp op : *casts) {
    op.getResult(0).replaceAllUsesWith(op.getOperand(0));
    op->erase();
  }
  weaker |= !casts->empty();
  return module;
}

FailureOr<std::unique_ptr<Recorded>> record(const llvm::SourceMgr &source, MLIRContext *context,
                                            bool edited) {
  std::unique_ptr<Recorded> recorded;
  auto parse = [&](const llvm::SourceMgr &text) {
    recorded = std::make_unique<Recorded>(); // of this text, and not of one before
    return parseAsmSourceFile(text, &recorded->block,
                              ParserConfig(context, /*verifyAfterParse=*/false), &recorded->state);
  };
  FailureOr<Mended> mended =
      edited ? parseEdited(source, context, parse) : parseStated(source, context, parse);
  if (failed(mended) || (!edited && failed(takeStated(recorded->block))))
    return failure();
  recorded->mended = *std::move(mended);
  return recorded;
}

} // namespace tessera::import
