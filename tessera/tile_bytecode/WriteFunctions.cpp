// Functions, instructions and attributes, written in a version that may be older than the
// program's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_bytecode/WriteFunctions.h"

#include "tessera/tile_bytecode/TypeRules.h"

#include <algorithm>

namespace tessera::tile_bytecode {

//===--- Attributes

namespace {

void writeDictionary(const Attribute &attribute, const Program &program, Output &out) {
  out.varint(attribute.items.size());
  for (size_t i = 0; i < attribute.items.size(); ++i) {
    out.varint(attribute.keys[i]);
    writeAttribute(attribute.items[i], program, out);
  }
}
/// Whether an attribute has what its kind needs to be written: a type that there is, a key for each
/// item.
bool isWhole(const Attribute &attribute, const Program &program) {
  switch (attribute.kind) {
  case Attribute::Integer:
  case Attribute::Float: return attribute.type < program.types.size();
  case Attribute::Dictionary:
  case Attribute::OptimizationHints:
    if (attribute.keys.size() != attribute.items.size())
      return false;
    [[fallthrough]];
  case Attribute::Array:
    return std::all_of(attribute.items.begin(), attribute.items.end(),
                       [&](const Attribute &item) { return isWhole(item, program); });
  default: return true;
  }
}
/// Whether an attribute is of a kind that a column of an op can have.
bool fits(AttributeForm form, Attribute::Kind kind) {
  switch (form) {
  case AttributeForm::I32s: return kind == Attribute::I32s;
  case AttributeForm::Bools: return kind == Attribute::Bools;
  case AttributeForm::Array: return kind == Attribute::Array;
  case AttributeForm::Hints:
    return kind == Attribute::Dictionary || kind == Attribute::OptimizationHints;
  default:
    return kind == Attribute::DivBy || kind == Attribute::SameElements ||
           kind == Attribute::Bounded;
  }
}
/// Two numbers of which each may be missing.
void writeBounds(const Attribute &attribute, Output &out) {
  out.byte(unsigned(attribute.first.has_value()) | unsigned(attribute.second.has_value()) << 1);
  for (const std::optional<int64_t> &number : {attribute.first, attribute.second})
    if (number)
      out.signedVarint(*number);
}

} // namespace

void writeAttribute(const Attribute &attribute, const Program &program, Output &out) {
  out.byte(attribute.kind);
  switch (attribute.kind) {
  case Attribute::Integer:
    out.varint(attribute.type);
    out.varint(attribute.value);
    break;
  case Attribute::Float:
    out.varint(attribute.type);
    if (rowOf(program.type(attribute.type).kind).bits <= 8)
      out.byte(unsigned(attribute.value));
    else
      out.signedVarint(int64_t(attribute.value));
    break;
  case Attribute::Bool: out.byte(attribute.value != 0); break;
  case Attribute::Type: out.varint(attribute.type); break;
  case Attribute::String: out.varint(attribute.value); break;
  case Attribute::Array:
    out.varint(attribute.items.size());
    for (const Attribute &item : attribute.items)
      writeAttribute(item, program, out);
    break;
  case Attribute::DenseElements:
    out.varint(attribute.type);
    out.varint(attribute.value);
    break;
  case Attribute::DivBy:
    out.varint(attribute.value);
    writeBounds(attribute, out);
    break;
  case Attribute::SameElements: out.list<int64_t>(attribute.numbers); break;
  case Attribute::Dictionary:
  case Attribute::OptimizationHints: writeDictionary(attribute, program, out); break;
  case Attribute::Bounded: writeBounds(attribute, out); break;
  case Attribute::I32s:
  case Attribute::Bools: break; // only in instructions
  }
}

//===--- Functions

namespace {

class FunctionWriter {
public:
  FunctionWriter(const Program &program, Version version, const Function &function, Index &at)
      : program(program), version(version), function(function), at(at) {}

  Status write(uint32_t number, Output &out) {
    if (function.type >= program.types.size())
      return fail(Error::WriteIndex, "entry", "a type", program.types.size(), function.type);
    out.varint(function.name);
    out.varint(function.type);
    out.byte((function.isPrivate ? 1u : 0u) | (function.isEntry ? 2u : 0u) |
             (function.hints ? 4u : 0u));
    out.varint(number);
    if (function.hints && !isWhole(*function.hints, program))
      return fail(Error::WriteShape, "entry", "hints with a key for each", "others");
    if (function.hints)
      writeAttribute(*function.hints, program, out);
    for (size_t i = program.type(function.type).parameters.size(); i; --i)
      define();
    Output body;
    for (const Instruction &i : function.body)
      TESSERA_CHECK(instruction(i, body));
    out.varint(body.bytes.size());
    out.append(body.bytes);
    return Done{};
  }

private:
  /// The next value of the program, with the next number of the file.
  void define() { numbers.push_back({written++, {}, at}); }

  Status instruction(const Instruction &i, Output &out) {
    const OpRow &row = rowOf(i.op);
    const Index place = at = instructions++;
    if (row.since > version)
      return fail(Error::WriteOpVersion, row.name, version.str());
    TESSERA_CHECK(checkParts(row, i));
    out.varint(row.code);
    size_t results = writtenResults(row, i);
    if (row.countsResults)
      out.varint(results);
    for (Index type : function.results(i).first(results))
      out.varint(type);
    writeFlags(row, i, out);
    for (size_t column = 0; column < row.attributes.size(); ++column)
      TESSERA_CHECK(attribute(row, i, column, out));
    TESSERA_CHECK(operands(row, i, out));
    if (row.regions) {
      out.varint(i.regions.size());
      for (const Region &r : i.regions)
        TESSERA_CHECK(region(r, out));
    }
    for (size_t k = 0; k < i.results; ++k)
      if (k < results)
        define();
      else
        numbers.push_back(
            {noIndex, row.results[std::min<size_t>(k, row.results.size() - 1)], place});
    return Done{};
  }

  /// That the instruction has what the columns of its op say, within the function's lists.
  Status checkParts(const OpRow &row, const Instruction &i) const {
    size_t lists = size_t(i.indices) + i.results + row.operands.size();
    bool fits = lists <= function.indices.size() &&
                size_t(i.attributes) + row.attributes.size() <= function.attributes.size();
    if (fits)
      for (Index count : function.operandCounts(i)) {
        lists += count;
        fits &= lists <= function.indices.size();
      }
    if (!fits)
      return fail(Error::WriteShape, row.name, "results, attributes and operands of its function",
                  "places that it does not have");
    for (Index type : function.results(i))
      if (type >= program.types.size())
        return fail(Error::WriteIndex, row.name, "the type of a result", program.types.size(),
                    type);
    if (!row.hasVariadicResults() && i.results != row.results.size())
      return fail(Error::WriteShape, row.name, cat(row.results.size(), " results"), i.results);
    if (i.regions.size() != row.regions)
      return fail(Error::WriteShape, row.name, cat(unsigned(row.regions), " regions"),
                  i.regions.size());
    std::span<const Index> counts = function.operandCounts(i);
    for (size_t c = 0; c < counts.size(); ++c) {
      OperandColumn::Count count = row.operands[c].count;
      if ((count == OperandColumn::One && counts[c] != 1) ||
          (count == OperandColumn::Optional && counts[c] > 1))
        return fail(Error::WriteShape, row.name, cat("one operand '", row.operands[c].name, "'"),
                    counts[c]);
    }
    return Done{};
  }

  size_t writtenResults(const OpRow &row, const Instruction &i) const {
    if (row.hasVariadicResults())
      return i.results;
    size_t count = 0;
    for (const ResultColumn &column : row.results)
      count += column.since <= version;
    return count;
  }

  void writeFlags(const OpRow &row, const Instruction &i, Output &out) const {
    uint64_t flags = 0;
    unsigned known = 0;
    const auto &columns = flagsOf(row.op);
    for (; known < columns.size() && columns[known].since <= version; ++known) {
      const FlagColumn &flag = columns[known];
      bool isSet = flag.isOperand ? function.operandCounts(i)[flag.column] != 0
                                  : Function::has(i, flag.column);
      flags |= uint64_t(isSet) << known;
    }
    if (known)
      out.varint(flags);
  }

  //===--- Attributes of instructions

  Status attribute(const OpRow &row, const Instruction &i, size_t place, Output &out) {
    const AttributeColumn &column = row.attributes[place];
    bool isThere = Function::has(i, place);
    uint64_t value = function.attribute(i, place);
    if (column.since > version)
      return leaveOut(column, isThere, value);
    if (!isThere)
      return column.isOptional ? Status(Done{}) : implied(row, column, i, out);
    switch (column.form) {
    case AttributeForm::Unit: return Done{};
    case AttributeForm::Bool: out.byte(value != 0); return Done{};
    case AttributeForm::Enum: return keywordNumber(i, column, value, out);
    case AttributeForm::Int:
    case AttributeForm::String:
    case AttributeForm::Type:
    case AttributeForm::Constant: out.varint(value); return Done{};
    default: break;
    }
    if (value >= program.attributes.size())
      return fail(Error::WriteIndex, row.name, "an attribute", program.attributes.size(), value);
    const Attribute &attribute = program.attributes[value];
    if (!fits(column.form, attribute.kind) || !isWhole(attribute, program))
      return fail(Error::WriteShape, row.name,
                  cat("an attribute of the kind of '", column.name, "'"), "another one");
    complex(column.form, attribute, out);
    return Done{};
  }
  /// An attribute that the version does not have, where it says nothing but what it implies.
  Status leaveOut(const AttributeColumn &column, bool isThere, uint64_t value) const {
    if (!isThere)
      return Done{};
    if (column.isOptional)
      return fail(Error::WriteOptionalAttributeVersion, column.name, column.since.str(),
                  version.str());
    bool isImplied = column.hasDefault && value == column.byDefault;
    if (column.form == AttributeForm::Bools && value < program.attributes.size()) {
      const std::vector<int64_t> &bools = program.attributes[value].numbers;
      isImplied = std::all_of(bools.begin(), bools.end(), [](int64_t b) { return b == 0; });
    }
    if (isImplied)
      return Done{};
    return fail(Error::WriteAttributeVersion, column.name, column.since.str(), version.str());
  }
  /// What a program of an older version implies, in a version that writes it.
  Status implied(const OpRow &row, const AttributeColumn &column, const Instruction &i,
                 Output &out) const {
    if (column.form == AttributeForm::Bools) { // inbounds: false for each index
      for (size_t c = 0; c < row.operands.size(); ++c)
        if (row.operands[c].name == "index") {
          size_t count = function.operandCounts(i)[c];
          out.varint(count);
          out.bytes.append(count, '\0');
        }
      return Done{};
    }
    if (!column.hasDefault)
      return fail(Error::WriteShape, row.name, cat("the attribute '", column.name, "'"), "none");
    out.varint(column.byDefault);
    return Done{};
  }
  Status keywordNumber(const Instruction &i, const AttributeColumn &column, uint64_t value,
                       Output &out) const {
    if (value >= column.keywords.size())
      return fail(Error::WriteIndex, column.name, "a keyword", column.keywords.size(), value);
    if (Version since = keywordSince(program, i.op, column, value, firstResult(i)); since > version)
      return fail(Error::WriteKeywordVersion, column.keywords[value].text, column.name, since.str(),
                  version.str());
    out.varint(value);
    return Done{};
  }
  Index firstResult(const Instruction &i) const {
    return i.results ? function.results(i).front() : noIndex;
  }
  void complex(AttributeForm form, const Attribute &attribute, Output &out) const {
    switch (form) {
    case AttributeForm::I32s: out.list<int32_t>(attribute.numbers); return;
    case AttributeForm::Bools: out.list<uint8_t>(attribute.numbers); return;
    case AttributeForm::Hints: writeDictionary(attribute, program, out); return;
    case AttributeForm::Array:
      out.varint(attribute.items.size());
      for (const Attribute &item : attribute.items)
        writeAttribute(item, program, out);
      return;
    default: writeAttribute(attribute, program, out); return;
    }
  }

  //===--- Operands and regions

  Status operands(const OpRow &row, const Instruction &i, Output &out) {
    if (row.countsOperands)
      out.varint(function.operands(i).size());
    for (size_t c = 0; c < row.operands.size(); ++c) {
      const OperandColumn &column = row.operands[c];
      std::span<const Index> values = function.operands(i, c);
      if (column.since > version) {
        if (!values.empty())
          return fail(Error::WriteOperandVersion, column.name, column.since.str(), version.str());
        continue;
      }
      if (column.count == OperandColumn::Variadic && !row.countsOperands)
        out.varint(values.size());
      for (Index value : values) {
        if (value >= numbers.size())
          return fail(Error::WriteIndex, row.name, "a value", numbers.size(), value);
        if (numbers[value].number == noIndex) {
          at = numbers[value].madeBy;
          return fail(Error::WriteResultVersion, numbers[value].hidden.name,
                      numbers[value].hidden.since.str(), version.str());
        }
        out.varint(numbers[value].number);
      }
    }
    return Done{};
  }
  Status region(const Region &region, Output &out) {
    out.varint(region.hasBlock);
    if (!region.hasBlock)
      return Done{};
    size_t values = numbers.size();
    Index first = written;
    out.varint(region.arguments.size());
    for (Index type : region.arguments) {
      out.varint(type);
      define();
    }
    out.varint(region.body.size());
    for (const Instruction &i : region.body)
      TESSERA_CHECK(instruction(i, out));
    numbers.resize(values);
    written = first;
    return Done{};
  }

  /// The number in the file of a value; noIndex of a result that the version does not have.
  struct Number {
    Index number = noIndex;
    ResultColumn hidden;
    Index madeBy = noIndex; // an instruction
  };
  const Program &program;
  Version version;
  const Function &function;
  Index &at;
  std::vector<Number> numbers; // by value
  Index written = 0, instructions = 0;
};

} // namespace

Status writeFunction(const Program &program, Version version, const Function &function,
                     uint32_t number, Output &out, Index &at) {
  at = noIndex;
  return FunctionWriter(program, version, function, at).write(number, out);
}

} // namespace tessera::tile_bytecode
