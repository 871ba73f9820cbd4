// The interpreter of custom assembly forms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/Form.h"

#include "tessera/import/Diagnostics.h"
#include "tessera/import/ForeignContext.h"
#include "tessera/import/KnownOps.h"
#include "tessera/import/Nearest.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace tessera::import {

namespace {
class FormReader {
public:
  FormReader(OpAsmParser &parser, OperationState &state, const Row &row)
      : parser(parser), state(state), row(row) {}

  ParseResult read() {
    SmallVector<StringRef> words;
    row.form.split(words, ' ', -1, /*KeepEmpty=*/false);
    start = parser.getCurrentLocation();
    return failure(readWords(words) || resolve());
  }

private:
  using Reader = ParseResult (FormReader::*)(StringRef arguments);
  struct Word {
    StringLiteral head;
    Reader read;
  };
  static const Word wordTable[];

  ParseResult readWords(ArrayRef<StringRef> words);
  ParseResult readWord(StringRef word);
  FailureOr<bool> startsGroup(StringRef word);
  void add(StringRef property, StringRef text);

  ParseResult operand(StringRef);
  ParseResult dictionary(StringRef) { return parser.parseOptionalAttrDict(state.attributes); }
  ParseResult operandTypes(StringRef);
  ParseResult resultTypes(StringRef) { return parser.parseTypeList(state.types); }
  ParseResult operandType(StringRef index);
  ParseResult shortPointer(StringRef);
  ParseResult number(StringRef arguments);
  ParseResult enumerator(StringRef arguments);
  ParseResult bracketedEnumerator(StringRef arguments);
  ParseResult bounds(StringRef);
  ParseResult symbol(StringRef property);
  ParseResult hint(StringRef);
  ParseResult groups(StringRef);
  ParseResult resolve();

  OpAsmParser &parser;
  OperationState &state;
  const Row &row;
  SMLoc start;
  /// One entry a `$` of the form; nothing where a group was absent.
  SmallVector<std::optional<OpAsmParser::UnresolvedOperand>> operands;
  SmallVector<Type, 4> types{4};
};

const FormReader::Word FormReader::wordTable[] = {
    {"$", &FormReader::operand},
    {"attr-dict", &FormReader::dictionary},
    {"types", &FormReader::operandTypes},
    {"results", &FormReader::resultTypes},
    {"type", &FormReader::operandType},
    {"short-ptr", &FormReader::shortPointer},
    {"int", &FormReader::number},
    {"word", &FormReader::enumerator},
    {"<word", &FormReader::bracketedEnumerator},
    {"bounds", &FormReader::bounds},
    {"symbol", &FormReader::symbol},
    {"hint", &FormReader::hint},
    {"groups", &FormReader::groups},
};

/// Punctuation of forms; every other literal is a keyword.
struct Punctuation {
  StringLiteral text;
  ParseResult (AsmParser::*parse)();
  ParseResult (AsmParser::*parseOptional)();
};
constexpr Punctuation punctuation[] = {
    {":", &AsmParser::parseColon, &AsmParser::parseOptionalColon},
    {"->", &AsmParser::parseArrow, &AsmParser::parseOptionalArrow},
    {",", &AsmParser::parseComma, &AsmParser::parseOptionalComma},
    {"=", &AsmParser::parseEqual, &AsmParser::parseOptionalEqual},
    {"'('", &AsmParser::parseLParen, &AsmParser::parseOptionalLParen},
    {"')'", &AsmParser::parseRParen, &AsmParser::parseOptionalRParen},
    {"'['", &AsmParser::parseLSquare, &AsmParser::parseOptionalLSquare},
    {"']'", &AsmParser::parseRSquare, &AsmParser::parseOptionalRSquare},
};
const Punctuation *punctuationOf(StringRef word) {
  const auto *found =
      llvm::find_if(punctuation, [&](const Punctuation &p) { return p.text == word; });
  return found == std::end(punctuation) ? nullptr : found;
}

ParseResult FormReader::readWords(ArrayRef<StringRef> words) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] != "[") {
      if (readWord(words[i]))
        return failure();
      continue;
    }
    const auto *close = llvm::find(words.drop_front(i), "]");
    ArrayRef<StringRef> group = words.slice(i + 1, close - words.begin() - i - 1);
    FailureOr<bool> present = startsGroup(group.front());
    if (failed(present) || (*present && readWords(group.drop_front())))
      return failure();
    if (!*present)
      operands.append(llvm::count(group, "$"), std::nullopt);
    i += group.size() + 1;
  }
  return success();
}

ParseResult FormReader::readWord(StringRef word) {
  auto [head, arguments] = word.split('(');
  for (const Word &entry : wordTable)
    if (entry.head == head)
      return (this->*entry.read)(arguments.rtrim(">)"));
  if (const Punctuation *mark = punctuationOf(word))
    return (parser.*mark->parse)();
  return parser.parseKeyword(word);
}

/// Reads the first word of an optional group if it is there.
FailureOr<bool> FormReader::startsGroup(StringRef word) {
  if (const Punctuation *mark = punctuationOf(word))
    return succeeded((parser.*mark->parseOptional)());
  if (word != "$")
    return succeeded(parser.parseOptionalKeyword(word));
  OpAsmParser::UnresolvedOperand read;
  OptionalParseResult result = parser.parseOptionalOperand(read);
  if (result.has_value() && failed(*result))
    return failure();
  if (result.has_value())
    operands.push_back(read);
  return result.has_value();
}

void FormReader::add(StringRef property, StringRef text) {
  state.addAttribute(property, parseAttribute(text, parser.getContext()));
}

ParseResult FormReader::operand(StringRef) {
  OpAsmParser::UnresolvedOperand read;
  if (parser.parseOperand(read))
    return failure();
  operands.push_back(read);
  return success();
}

ParseResult FormReader::operandTypes(StringRef) {
  bool first = true;
  for (auto [operand, type] : llvm::zip(operands, types)) {
    if (!operand)
      continue;
    if ((!first && parser.parseComma()) || parser.parseType(type))
      return failure();
    first = false;
  }
  return success();
}

ParseResult FormReader::operandType(StringRef index) {
  return parser.parseType(types[index.front() - '0']);
}

ParseResult FormReader::shortPointer(StringRef) {
  // The LLVM dialect leaves `!llvm.ptr` out where only a pointer can stand.
  unsigned space = 0;
  if (succeeded(parser.parseOptionalLess())) {
    if (parser.parseInteger(space) || parser.parseGreater())
      return failure();
    state.addTypes(parseType("!llvm.ptr<" + std::to_string(space) + ">", parser.getContext()));
    return success();
  }
  return parser.parseType(state.types.emplace_back());
}

ParseResult FormReader::number(StringRef arguments) {
  auto [property, type] = arguments.split(',');
  int64_t value;
  if (parser.parseInteger(value))
    return failure();
  add(property, (std::to_string(value) + " : " + type).str());
  return success();
}

ParseResult FormReader::enumerator(StringRef arguments) {
  auto [property, mnemonic] = arguments.split(',');
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  add(property, ("#nvvm<" + mnemonic + " " + word + ">").str());
  return success();
}

ParseResult FormReader::bracketedEnumerator(StringRef arguments) {
  auto [property, mnemonic] = arguments.split(',');
  StringRef word;
  if (parser.parseLess() || parser.parseKeyword(&word) || parser.parseGreater())
    return failure();
  add(property, ("#nvvm." + mnemonic + "<" + word + ">").str());
  return success();
}

ParseResult FormReader::bounds(StringRef) {
  Type type;
  int64_t lower, upper;
  if (parser.parseLess() || parser.parseType(type) || parser.parseComma() ||
      parser.parseInteger(lower) || parser.parseComma() || parser.parseInteger(upper) ||
      parser.parseGreater())
    return failure();
  std::string text;
  llvm::raw_string_ostream(text) << "#llvm.constant_range<" << type << ", " << lower << ", "
                                 << upper << ">";
  add("range", text);
  return success();
}

ParseResult FormReader::symbol(StringRef property) {
  SymbolRefAttr read;
  return parser.parseAttribute(read, property, state.attributes);
}

ParseResult FormReader::hint(StringRef) {
  if (parser.parseLSquare() || operand("") || parser.parseRSquare())
    return failure();
  while (failed(parser.parseOptionalColon())) {
    OpAsmParser::UnresolvedOperand read;
    OptionalParseResult value = parser.parseOptionalOperand(read);
    if (value.has_value()) {
      if (failed(*value))
        return failure();
      operands.push_back(read);
      continue;
    }
    // A number by itself: parseAttribute would take the types for its type.
    int64_t number;
    if (OptionalParseResult found = parser.parseOptionalInteger(number); found.has_value()) {
      if (failed(*found))
        return failure();
      continue;
    }
    StringRef word;
    Attribute attribute;
    bool mark = llvm::any_of(punctuation, [&](const Punctuation &p) {
      return p.text != ":" && succeeded((parser.*p.parseOptional)());
    });
    if (mark || succeeded(parser.parseOptionalLess()) || succeeded(parser.parseOptionalGreater()) ||
        succeeded(parser.parseOptionalKeyword(&word)))
      continue;
    if (parser.parseAttribute(attribute))
      return failure();
  }
  SmallVector<Type> stated;
  if (parser.parseTypeList(stated))
    return failure();
  if (stated.size() != operands.size() || stated.size() > types.size())
    return refuse(parser.getEncodedSourceLoc(start), Diag::OperandCount, row.name, stated.size(),
                  operands.size());
  llvm::copy(stated, types.begin());
  return success();
}

ParseResult FormReader::groups(StringRef) {
  SmallVector<OpAsmParser::UnresolvedOperand> all;
  SmallVector<int32_t> sizes;
  SmallVector<Type> stated;
  auto group = [&]() -> ParseResult {
    const size_t before = all.size();
    if (failed(parser.parseOptionalLSquare())
            ? parser.parseOperand(all.emplace_back())
            : ParseResult(failure(parser.parseOperandList(all) || parser.parseRSquare())))
      return failure();
    sizes.push_back(int32_t(all.size() - before));
    return success();
  };
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, group) ||
      parser.parseOptionalAttrDict(state.attributes) || parser.parseColon() ||
      parser.parseLParen() || parser.parseTypeList(stated) || parser.parseRParen())
    return failure();
  if (succeeded(parser.parseOptionalArrow()) && (parser.parseLParen() || parser.parseRParen()))
    return failure();
  state.addAttribute("operandSegmentSizes", parser.getBuilder().getDenseI32ArrayAttr(sizes));
  return parser.resolveOperands(all, stated, at, state.operands);
}

/// Gives every operand its type, from the text or from the row.
ParseResult FormReader::resolve() {
  MLIRContext *context = parser.getContext();
  if (state.types.empty() && row.result != Slot::None)
    state.addTypes(typeOf(row.result, context, types[0]));
  Type result = state.types.empty() ? Type() : state.types.front();
  SmallVector<int32_t> sizes;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    sizes.push_back(operand.has_value());
    if (!operand)
      continue;
    Type type = types[i] ? types[i] : typeOf(row.operands[i], context, result);
    if (!type && row.operands[i] == Slot::Any)
      type = types[0]; // `hi %i, %j : i32 -> i32`: one type for both
    if (!type)
      return refuse(parser.getEncodedSourceLoc(start), Diag::ResultType, row.name, "a vector",
                    result);
    if (parser.resolveOperand(*operand, type, state.operands))
      return failure();
  }
  if (row.segmented)
    state.addAttribute("operandSegmentSizes", parser.getBuilder().getDenseI32ArrayAttr(sizes));
  return success();
}

/// Reads on after an op that cannot be read, if it looks like most ops do: `<word> %a, %b {...} :
/// types -> types`. What it makes only holds the place: the module is refused anyway.
ParseResult skipUnreadable(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types, results;
  NamedAttrList ignored;
  StringRef word;
  if (succeeded(parser.parseOptionalLess()) &&
      (parser.parseKeyword(&word) || parser.parseGreater()))
    return failure();
  if (parser.parseOperandList(operands) || parser.parseOptionalAttrDict(ignored) ||
      parser.parseOptionalColonTypeList(types) || parser.parseOptionalArrowTypeList(results))
    return failure();
  if (results.size() != parser.getNumResults() && !types.empty())
    results.assign(parser.getNumResults(), types.back());
  results.resize(parser.getNumResults(), parser.getBuilder().getNoneType());
  state.name = OperationName(UnrealizedConversionCastOp::getOperationName(), parser.getContext());
  state.addTypes(results);
  return success();
}
} // namespace

ParseResult parseForeignOp(OpAsmParser &parser, OperationState &state) {
  StringRef op = state.name.getStringRef();
  const Row *row = rowOf(op);
  if (!row || row->form.empty()) {
    MLIRContext *target = ForeignContext::target(parser.getContext());
    bool known = row || KnownOps(target).knows(op);
    InFlightDiagnostic report = refuse(parser.getEncodedSourceLoc(parser.getNameLoc()),
                                       known ? Diag::NoForm : Diag::NoRow, op);
    std::string nearest = known ? "" : nearestOp(op, *target);
    if (!nearest.empty())
      report.attachNote() << sentence(Diag::NearestOp, nearest);
    report.report();
    return skipUnreadable(parser, state);
  }
  if (row->form != ownForm)
    return FormReader(parser, state, *row).read();
  state.name = OperationName(row->becomes, parser.getContext());
  return state.name.getRegisteredInfo()->getParseAssemblyFn()(parser, state);
}

} // namespace tessera::import
