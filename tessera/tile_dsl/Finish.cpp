// The end of a trace: numbers for its values, checked instructions, a program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_dsl/Trace.h"

#include "tessera/tile_bytecode/TypeRules.h"
#include "tessera/tile_eval/Semantics.h"

#include <algorithm>

namespace tessera::tile::detail {

using tile_bytecode::Attribute;
using tile_bytecode::DebugEntry;
using tile_bytecode::Function;
using tile_bytecode::Index;
using tile_bytecode::Instruction;
using tile_bytecode::OperandColumn;
using tile_bytecode::Region;
using tile_bytecode::Version;

/// Values get their numbers as Program.h says, in the order of the tree.
class Trace::Numbering {
public:
  Numbering(Trace &trace, Function &function) : trace(trace), function(function) {
    numbers.resize(trace.values.size(), tile_bytecode::noIndex);
  }

  void run(const Block &entry) {
    locate(entry);
    for (Id id : entry.arguments)
      number(id);
    function.body = list(entry);
  }
  Version version{13, 3};

private:
  void number(Id id) {
    numbers[id.number] = Index(types.size());
    types.push_back(trace.values[id.number].type);
  }
  /// The value that a placeholder stands for; 0 if it stands for no token.
  Id resolved(Id id) const {
    while (id && trace.values[id.number].isReplaced)
      id = trace.values[id.number].replacement;
    return id;
  }

  std::vector<Instruction> list(const Block &block) {
    std::vector<Instruction> out;
    for (const auto &node : block.body)
      if (std::optional<Instruction> made = one(*node))
        out.push_back(std::move(*made));
    return out;
  }

  std::optional<Instruction> one(const Node &node) {
    const auto &row = rowOf(node.op);
    std::vector<std::vector<Index>> operands;
    Index most = 0;
    for (size_t c = 0; c < node.operands.size(); ++c) {
      std::vector<Index> &column = operands.emplace_back();
      for (Id id : node.operands[c]) {
        Id value = resolved(id);
        if (!value && node.op == Op::JoinTokens)
          continue;
        if (!value && row.operands[c].count == OperandColumn::Optional)
          continue;
        if (!value)
          value = trace.entryToken_;
        column.push_back(numbers[value.number]);
        most = std::max(most, numbers[value.number]);
      }
    }
    if (node.op == Op::JoinTokens && operands[0].size() < 2) {
      // A join of one token is that token, and a join of none is the token of the entry.
      numbers[node.results[0].number] =
          operands[0].empty() ? numbers[trace.entryToken_.number] : operands[0][0];
      return std::nullopt;
    }
    size_t before = types.size();
    std::vector<Region> regions;
    for (const auto &block : node.regions) {
      Region &region = regions.emplace_back();
      for (Id id : block->arguments) {
        region.arguments.push_back(trace.values[id.number].type);
        number(id);
      }
      region.body = list(*block);
      types.resize(before);
    }
    Instruction made = function.make(node.op, node.types, node.attributes, operands);
    made.regions = std::move(regions);
    made.location = location(node.where);
    check(node, made);
    for (Id id : node.results)
      number(id);
    return made;
  }

  void check(const Node &node, const Instruction &made) {
    const auto &row = rowOf(node.op);
    version = std::max(version, row.since);
    for (size_t c = 0; c < row.attributes.size(); ++c)
      if (Function::has(made, c))
        version = std::max(version, row.attributes[c].since);
    if (node.op == Op::FToF)
      version = std::max(version, keywordSince(trace.program, node.op, row.attributes[0],
                                               *node.attributes[0], node.types[0]));
    tile_eval::Signed types{trace.program, function, made, {}};
    for (Index operand : function.operands(made)) {
      if (operand >= this->types.size())
        return;
      types.operands.push_back(this->types[operand]);
    }
    const tile_eval::Semantics &semantics = tile_eval::semanticsOf(node.op);
    if (semantics.signature.empty())
      return;
    std::optional<std::string> problem = checkSignature(semantics.signature, types);
    if (!problem && semantics.check)
      problem = semantics.check(types);
    if (problem)
      trace.mistake(node.where, fail(Error::BadOp, row.name, *problem));
  }

  //--- Locations

  void locate(const Block &entry) {
    const char *path = entry.where.file_name();
    std::string_view file = path;
    size_t slash = file.rfind('/');
    std::string_view folder = slash == file.npos ? "" : file.substr(0, slash);
    std::string_view name = slash == file.npos ? file : file.substr(slash + 1);
    auto made = [&](DebugEntry::Kind kind, std::array<uint64_t, 6> fields) {
      return trace.debug({kind, fields});
    };
    uint64_t text = function.name, line = entry.where.line();
    uint32_t place = made(DebugEntry::File, {trace.string(name), trace.string(folder)});
    uint32_t unit = made(DebugEntry::CompileUnit, {place});
    scope = made(DebugEntry::Subprogram, {place, line, text, text, unit, line});
    function.hasLocations = true;
    function.location = made(DebugEntry::Location, {scope, trace.string(path), line, 1});
  }
  uint32_t location(const Where &where) {
    if (!where.line())
      return function.location;
    return trace.debug({DebugEntry::Location,
                        {scope, trace.string(where.file_name()), where.line(), where.column()}});
  }

  Trace &trace;
  Function &function;
  std::vector<Index> numbers; // of ids
  std::vector<TypeIndex> types;
  uint32_t scope = 0;
};

namespace {
/// {default = {...}}, as hints that are not for one architecture are written.
std::optional<Attribute>
dictionary(Trace &trace, std::initializer_list<std::pair<const char *, std::optional<int>>> hints) {
  Attribute inner{.kind = Attribute::Dictionary};
  for (auto [name, value] : hints)
    if (value) {
      inner.keys.push_back(trace.string(name));
      inner.items.push_back({.kind = Attribute::Integer,
                             .type = trace.type(tile_bytecode::Type{.kind = TypeKind::I64}),
                             .value = uint64_t(*value)});
    }
  if (inner.keys.empty())
    return std::nullopt;
  return Attribute{
      .kind = Attribute::OptimizationHints, .keys = {trace.string("default")}, .items = {inner}};
}
} // namespace

void Trace::finish(const KernelHints &hints) {
  Where where = entry.where;
  add(Op::Return, where, {}, {}, {{}});
  if (!diagnostics.empty())
    return;
  Function function;
  function.name = interner.string(name);
  tile_bytecode::Type type{.kind = TypeKind::Function};
  for (Id id : entry.arguments)
    type.parameters.push_back(values[id.number].type);
  function.type = interner.type(type);
  function.hints = dictionary(*this, {{"num_cta_in_cga", hints.num_cta_in_cga},
                                      {"num_worker_warps_per_cta", hints.num_worker_warps_per_cta},
                                      {"occupancy", hints.occupancy}});
  // A placeholder that stands for no token may be an operand that must not be missing: it becomes
  // the token of the entry.
  if (std::any_of(values.begin(), values.end(), [](const Value &v) { return v.isReplaced; }))
    entryToken(where);
  Numbering numbering(*this, function);
  numbering.run(entry);
  program.version = numbering.version;
  program.producer = interner.string("tessera tile_dsl");
  if (diagnostics.empty())
    if (Status status = tile_eval::verify(program, function); !status)
      mistake(where, fail(Error::BadOp, name, status.reason().text));
  program.functions.push_back(std::move(function));
}

} // namespace tessera::tile::detail
