// Functions and instructions of bytecode; what an instruction has is what Ops.def says of its op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_bytecode/ReadFunctions.h"

#include "tessera/tile_bytecode/Reader.h"
#include "tessera/tile_bytecode/TypeRules.h"

namespace tessera::tile_bytecode {

namespace {

class FunctionReader {
public:
  FunctionReader(Cursor &cursor, Program &program, const DebugLists &debug, Function &function)
      : cursor(cursor), program(program), debug(debug), function(function) {}

  void read() {
    function.name = cursor.index(program.strings.size(), "the name of a function, a string");
    size_t at = cursor.offset();
    function.type = cursor.index(program.types.size(), "the type of a function");
    if (!cursor.failed() && program.type(function.type).kind != TypeKind::Function)
      cursor.expected(at, "the type of a function", typeText(program, function.type));
    at = cursor.offset();
    unsigned flags = cursor.byte("the flags of a function");
    if (cursor.failed())
      return;
    if (flags & ~(privateFlag | entryFlag | hintsFlag) || !(flags & entryFlag))
      return cursor.expected(at, "the flags of an entry: 2, with 1 and 4 at most", flags);
    function.isPrivate = flags & privateFlag;
    locations();
    if (flags & hintsFlag) {
      at = cursor.offset();
      function.hints = readAttribute(cursor, program);
      if (function.hints->kind != Attribute::OptimizationHints && !cursor.failed())
        return cursor.expected(at, "hints of a function", "another attribute");
    }
    size_t length = cursor.count(1, "the length of a function's body");
    size_t end = cursor.offset() + length;
    for (size_t i = program.type(function.type).parameters.size(); i; --i)
      define();
    function.location = nextLocation();
    while (cursor.offset() < end && !cursor.failed())
      function.body.push_back(instruction(0));
    if (cursor.offset() != end && !cursor.failed())
      cursor.fail(Error::Unfinished, cursor.offset(), "the body of a function", end);
  }

private:
  static constexpr unsigned privateFlag = 1, entryFlag = 2, hintsFlag = 4;

  //===--- Locations

  void locations() {
    // Functions with locations are counted from 1.
    uint32_t number =
        cursor.index(debug.offsets.size() + 1, "the number of a function's locations");
    if (number == 0 || cursor.failed())
      return;
    function.hasLocations = true;
    location = debug.offsets[number - 1];
  }
  uint32_t nextLocation() {
    if (!function.hasLocations || cursor.failed())
      return 0;
    if (location < debug.locations.size())
      return debug.locations[location++];
    cursor.expected(cursor.offset(), "a location for each instruction in the section Debug",
                    cat(debug.locations.size(), " in all"));
    return 0;
  }

  //===--- Values

  /// The next number, in the file and in the program; the two differ after a result that the
  /// version does not write.
  void define() { valueOf.push_back(values++); }
  Index value() {
    uint32_t number = cursor.index(valueOf.size(), "a value that is defined before its use");
    return cursor.failed() ? 0 : valueOf[number];
  }

  //===--- Instructions

  Instruction instruction(unsigned depth) {
    Instruction out;
    size_t at = cursor.offset();
    uint64_t code = cursor.varint("an opcode");
    const OpRow *row = findOpCode(code);
    if (cursor.failed())
      return out;
    if (!row || row->op == Op::Entry || row->op == Op::Global || row->op == Op::Module) {
      cursor.expected(at, "the opcode of an instruction", code);
      return out;
    }
    if (row->since > program.version) {
      cursor.fail(Error::OpVersion, at, row->name, row->since.str(), program.version.str());
      return out;
    }
    out.op = row->op;
    out.location = nextLocation();
    out.indices = uint32_t(function.indices.size());
    size_t written = results(*row, out);
    uint64_t flags = readFlags(*row);
    attributes(*row, flags, out);
    if (row->countsOperands)
      countedOperands(*row);
    else
      operands(*row, flags);
    if (row->regions)
      regions(*row, depth, out);
    for (size_t i = 0; i < written && !cursor.failed(); ++i)
      define();
    values += Index(out.results - written); // nobody can name these
    return out;
  }

  /// Types of the results; how many of them the version writes.
  size_t results(const OpRow &row, Instruction &out) {
    size_t at = cursor.offset(), fixed = 0, count;
    for (const ResultColumn &column : row.results)
      fixed += column.since <= program.version;
    if (row.countsResults) {
      count = cursor.count(1, "a number of results");
      if (!row.hasVariadicResults() && count != fixed && !cursor.failed())
        cursor.expected(at, cat(fixed, " results of ", row.name), count);
    } else {
      count = fixed;
    }
    for (size_t i = 0; i < count && !cursor.failed(); ++i)
      function.indices.push_back(cursor.index(program.types.size(), "the type of a result"));
    out.results = uint32_t(count);
    // Results that the version does not know are tokens.
    for (size_t i = fixed; i < row.results.size() && !cursor.failed(); ++i) {
      function.indices.push_back(tokenType());
      ++out.results;
    }
    return count;
  }
  Index tokenType() {
    for (size_t i = 0; i < program.types.size(); ++i)
      if (program.types[i].kind == TypeKind::Token)
        return Index(i);
    program.types.push_back({});
    return Index(program.types.size() - 1);
  }

  uint64_t readFlags(const OpRow &row) {
    const auto &columns = flagsOf(row.op);
    unsigned known = 0;
    while (known < columns.size() && columns[known].since <= program.version)
      ++known;
    if (!known)
      return 0;
    size_t at = cursor.offset();
    uint64_t flags = cursor.varint("the flags of an instruction");
    if (flags >> known)
      cursor.expected(at, cat("flags of ", row.name, " below ", 1u << known), flags);
    return flags;
  }
  bool isSet(const OpRow &row, uint64_t flags, bool isOperand, size_t column) const {
    const auto &columns = flagsOf(row.op);
    for (size_t bit = 0; bit < columns.size(); ++bit)
      if (columns[bit].isOperand == isOperand && columns[bit].column == column)
        return flags >> bit & 1;
    return true;
  }

  //===--- Attributes

  void attributes(const OpRow &row, uint64_t flags, Instruction &out) {
    out.attributes = uint32_t(function.attributes.size());
    for (size_t i = 0; i < row.attributes.size(); ++i) {
      const AttributeColumn &column = row.attributes[i];
      bool isKnown = column.since <= program.version;
      bool isThere =
          isKnown ? !column.isOptional || isSet(row, flags, false, i) : column.hasDefault;
      out.present |= uint32_t(isThere) << i;
      function.attributes.push_back(!isThere  ? 0
                                    : isKnown ? attribute(out, column)
                                              : column.byDefault);
    }
  }
  uint64_t attribute(const Instruction &i, const AttributeColumn &column) {
    size_t at = cursor.offset();
    switch (column.form) {
    case AttributeForm::Unit: return 1;
    case AttributeForm::Int: return cursor.varint("a number");
    case AttributeForm::Bool: return cursor.index(2, "0 or 1");
    case AttributeForm::String: return cursor.index(program.strings.size(), "a string");
    case AttributeForm::Type: return cursor.index(program.types.size(), "a type");
    case AttributeForm::Enum: return keywordNumber(i, column);
    case AttributeForm::Constant: return constant(at);
    default: break;
    }
    program.attributes.push_back(complex(column.form));
    return program.attributes.size() - 1;
  }
  uint64_t keywordNumber(const Instruction &i, const AttributeColumn &column) {
    size_t at = cursor.offset();
    uint32_t number = cursor.index(column.keywords.size(), "the number of a keyword");
    if (cursor.failed())
      return 0;
    Index result = i.results ? function.results(i).front() : noIndex;
    Version since = keywordSince(program, i.op, column, number, result);
    if (since > program.version)
      cursor.fail(Error::KeywordVersion, at, column.keywords[number].text, column.name, since.str(),
                  program.version.str());
    return number;
  }
  /// The value of `constant`, whose type is that of its result.
  uint64_t constant(size_t at) {
    Index index = cursor.index(program.constants.size(), "a constant");
    if (cursor.failed())
      return 0;
    Index type = function.indices.back();
    if (program.type(type).kind != TypeKind::Tile)
      cursor.expected(at, "a tile as the type of a constant", typeText(program, type));
    else if (auto problem = checkConstant(program, index, program.type(type)))
      cursor.fail(Error::TypeRule, at, *problem);
    return index;
  }
  Attribute complex(AttributeForm form) {
    Attribute out;
    switch (form) {
    case AttributeForm::I32s: {
      out.kind = Attribute::I32s;
      size_t count = cursor.count(4, "a number of integers");
      for (size_t i = 0; i < count && !cursor.failed(); ++i) {
        size_t at = cursor.offset();
        auto n = cursor.fixed<int32_t>("an integer");
        if (n == std::numeric_limits<int32_t>::min() || n == std::numeric_limits<int32_t>::max())
          cursor.failAsExpected(Error::Extreme, at, n);
        out.numbers.push_back(n);
      }
      return out;
    }
    case AttributeForm::Bools: {
      out.kind = Attribute::Bools;
      size_t count = cursor.count(1, "a number of booleans");
      for (size_t i = 0; i < count && !cursor.failed(); ++i)
        out.numbers.push_back(cursor.index(2, "0 or 1"));
      return out;
    }
    case AttributeForm::Array: {
      out.kind = Attribute::Array;
      size_t count = cursor.count(1, "a number of attributes");
      for (size_t i = 0; i < count && !cursor.failed(); ++i)
        out.items.push_back(readAttribute(cursor, program, 1));
      return out;
    }
    case AttributeForm::Hints:
      return readDictionary(cursor, program, Attribute::OptimizationHints, 0);
    default: break;
    }
    size_t at = cursor.offset();
    out = readAttribute(cursor, program);
    if (out.kind != Attribute::DivBy && out.kind != Attribute::SameElements &&
        out.kind != Attribute::Bounded && !cursor.failed())
      cursor.expected(at, "a predicate of assume: div_by, same_elements or bounded",
                      "another attribute");
    return out;
  }

  //===--- Operands and regions

  void operands(const OpRow &row, uint64_t flags) {
    size_t countsAt = function.indices.size();
    function.indices.resize(countsAt + row.operands.size());
    for (size_t i = 0; i < row.operands.size() && !cursor.failed(); ++i) {
      const OperandColumn &column = row.operands[i];
      size_t count = 1;
      if (column.since > program.version)
        count = 0;
      else if (column.count == OperandColumn::Optional)
        count = isSet(row, flags, true, i);
      else if (column.count == OperandColumn::Variadic)
        count = cursor.count(1, "a number of operands");
      function.indices[countsAt + i] = Index(count);
      for (size_t k = 0; k < count && !cursor.failed(); ++k)
        function.indices.push_back(value());
    }
  }
  /// Operands with one count: each column of one operand takes one, and the last column takes the
  /// rest.
  void countedOperands(const OpRow &row) {
    size_t at = cursor.offset(), singles = 0;
    size_t count = cursor.count(1, "a number of operands");
    for (const OperandColumn &column : row.operands)
      singles += column.count == OperandColumn::One;
    size_t rest = count - singles;
    if (count < singles ||
        (row.operands[row.operands.size() - 1].count == OperandColumn::Optional && rest > 1)) {
      if (!cursor.failed())
        cursor.expected(at, cat("a number of operands that ", row.name, " has"), count);
      count = rest = 0;
    }
    for (const OperandColumn &column : row.operands)
      function.indices.push_back(column.count == OperandColumn::One ? 1 : Index(rest));
    for (size_t k = 0; k < count && !cursor.failed(); ++k)
      function.indices.push_back(value());
  }

  void regions(const OpRow &row, unsigned depth, Instruction &out) {
    size_t at = cursor.offset();
    uint64_t count = cursor.varint("a number of regions");
    if (count != row.regions && !cursor.failed())
      cursor.expected(at, cat(unsigned(row.regions), " regions of ", row.name), count);
    if (depth == mostRegions)
      cursor.fail(Error::TooDeep, at, "regions", mostRegions);
    for (size_t i = 0; i < count && !cursor.failed(); ++i)
      out.regions.push_back(region(depth));
  }
  Region region(unsigned depth) {
    Region out;
    size_t firstNumber = valueOf.size();
    Index firstValue = values;
    out.hasBlock = cursor.index(2, "a number of blocks") != 0;
    if (!out.hasBlock)
      return out;
    size_t arguments = cursor.count(1, "a number of arguments");
    for (size_t i = 0; i < arguments && !cursor.failed(); ++i) {
      out.arguments.push_back(cursor.index(program.types.size(), "the type of an argument"));
      define();
    }
    size_t count = cursor.count(1, "a number of instructions");
    // An instruction takes a hundred times the byte that the count is checked against.
    out.body.reserve(std::min<size_t>(count, 64));
    for (size_t i = 0; i < count && !cursor.failed(); ++i)
      out.body.push_back(instruction(depth + 1));
    if (!cursor.failed())
      valueOf.resize(firstNumber);
    values = firstValue;
    return out;
  }

  Cursor &cursor;
  Program &program;
  const DebugLists &debug;
  Function &function;
  size_t location = 0;        // the next in debug.locations
  std::vector<Index> valueOf; // by the number in the file
  Index values = 0;           // defined so far
};

} // namespace

void readFunctions(Cursor cursor, Program &program, const DebugLists &debug) {
  size_t count = cursor.count(5, "a number of functions");
  program.functions.reserve(count);
  for (size_t i = 0; i < count && !cursor.failed(); ++i)
    FunctionReader(cursor, program, debug, program.functions.emplace_back()).read();
  if (cursor.failed())
    return;
  // Some writers end the section at a multiple of 8.
  program.layout.padsFunctions = !cursor.atEnd();
  while (!cursor.atEnd() && cursor.left() < 8 && !cursor.failed())
    if (size_t at = cursor.offset(); cursor.byte("padding") != Cursor::paddingByte)
      cursor.expected(at, "padding after the last function", "another byte");
  cursor.finish("the section Func");
}

} // namespace tessera::tile_bytecode
