// Random tile programs, made from the table of ops: any op with any parts that it may have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// They are well-formed, but do not verify: types of operands are any.
#pragma once

#include "tessera/tile_bytecode/Constants.h"
#include "tessera/tile_bytecode/Program.h"

#include <algorithm>
#include <random>

namespace tessera::tile_bytecode::test {

class RandomProgram {
public:
  /// Parts that `version` does not have are left out.
  RandomProgram(uint64_t seed, Version version) : random(seed), interner(program) {
    program.version = version;
    program.layout.padsFunctions = true; // as what is written without a layout
  }

  Program make() {
    tables();
    for (size_t i = 0, count = below(3); i < count; ++i)
      global();
    for (size_t i = 0, count = 1 + below(3); i < count; ++i)
      function();
    return std::move(program);
  }

private:
  size_t below(size_t n) { return n ? random() % n : 0; }
  bool chance() { return random() & 1; }

  void tables() {
    for (const char *text : {"a", "", "kernel", "sm_90", "default", "num_cta_in_cga", "x y"})
      interner.string(text);
    for (size_t kind = 0; kind < std::size(typeRows); ++kind)
      if (isElement(TypeKind(kind)) && Version{13, typeRows[kind].minor} <= program.version)
        elements.push_back(interner.type({.kind = TypeKind(kind)}));
    token = interner.type({.kind = TypeKind::Token});
    for (Index element : elements) {
      pointers.push_back(interner.type({.kind = TypeKind::Pointer, .element = element}));
      // Tiles of f4E2M1FN have an even number of elements, in whichever dimension.
      std::vector<int64_t> least;
      if (program.type(element).kind == TypeKind::F4E2M1FN)
        least = {2, 1};
      tiles.push_back(interner.type({.kind = TypeKind::Tile, .element = element, .shape = least}));
      tiles.push_back(interner.type({.kind = TypeKind::Tile, .element = element, .shape = {2, 4}}));
      Index view = interner.type({.kind = TypeKind::TensorView,
                                  .element = element,
                                  .shape = {dynamic, 64},
                                  .strides = {64, dynamic}});
      others.push_back(view);
      Type part{.kind = TypeKind::PartitionView,
                .element = view,
                .shape = {4, 8},
                .dims = {1, 0},
                .padding = PaddingValue::Zero};
      others.push_back(interner.type(part));
      if (program.version < Version{13, 3})
        continue;
      part.kind = TypeKind::StridedView;
      part.strides = {3, 5};
      others.push_back(interner.type(part));
      part = {
          .kind = TypeKind::GatherScatterView, .element = view, .shape = {4, 8}, .sparseDim = 1};
      others.push_back(interner.type(part));
    }
    others.insert(others.end(), tiles.begin(), tiles.end());
    others.push_back(token);
    if (program.version >= Version{13, 3})
      program.producer = interner.string("a producer");
    debug();
  }
  void debug() {
    uint32_t file = interner.debug({DebugEntry::File, {0, 1}});
    uint32_t unit = interner.debug({DebugEntry::CompileUnit, {file}});
    uint32_t scope = interner.debug({DebugEntry::Subprogram, {file, 3, 0, 2, unit, 4}});
    uint32_t block = interner.debug({DebugEntry::LexicalBlock, {scope, file, 5, 6}});
    uint32_t place = interner.debug({DebugEntry::Location, {block, 0, 7, 300}});
    interner.debug({DebugEntry::CallSite, {place, place}});
  }
  Index constantOf(const Type &tile) {
    unsigned bits = rowOf(program.type(tile.element).kind).bits;
    std::vector<uint64_t> codes(size_t(elementsOf(tile)));
    uint64_t mask = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
    if (program.type(tile.element).kind == TypeKind::TF32)
      mask &= ~uint64_t(0x1fff);
    for (uint64_t &code : codes)
      code = random() & mask;
    return interner.constant(constantBytes(program, codes, tile));
  }
  void global() {
    Index type = tiles[below(tiles.size())];
    Global out{interner.string(std::string(1, char('p' + below(9)))), type,
               constantOf(program.type(type)), uint64_t(1) << below(9)};
    if (program.version >= Version{13, 3}) {
      out.visibility = SymbolVisibility(below(2));
      out.isConstant = chance();
    }
    program.globals.push_back(out);
  }

  Attribute attribute(unsigned depth) {
    Attribute out;
    out.kind = Attribute::Kind(1 + below(depth ? 12 : 9));
    while (!depth && (out.kind == Attribute::Array))
      out.kind = Attribute::Bool;
    switch (out.kind) {
    case Attribute::Integer:
    case Attribute::Float: {
      do
        out.type = elements[below(elements.size())];
      while (isInteger(program.type(out.type).kind) != (out.kind == Attribute::Integer));
      unsigned bits = rowOf(program.type(out.type).kind).bits;
      out.value = random() >> (64 - bits);
      break;
    }
    case Attribute::Bool: out.value = below(2); break;
    case Attribute::Type: out.type = Index(below(program.types.size())); break;
    case Attribute::String: out.value = below(program.strings.size()); break;
    case Attribute::DenseElements:
      out.type = tiles[below(tiles.size())];
      out.value = constantOf(program.type(out.type));
      break;
    case Attribute::Array:
      for (size_t i = below(4); i; --i)
        out.items.push_back(attribute(depth - 1));
      break;
    case Attribute::OptimizationHints: return hints();
    case Attribute::Dictionary:
      out.keys = {0, 2};
      out.items = {attribute(depth - 1), attribute(depth - 1)};
      break;
    default: return predicate(out.kind);
    }
    return out;
  }
  Attribute predicate(Attribute::Kind kind) {
    Attribute out;
    out.kind = kind;
    if (kind == Attribute::DivBy)
      out.value = uint64_t(1) << below(63);
    if (kind == Attribute::SameElements)
      out.numbers = {2, int64_t(random())};
    if (kind != Attribute::SameElements && chance())
      out.first = int64_t(random());
    if (kind != Attribute::SameElements && chance())
      out.second = int64_t(below(5)) - 2;
    return out;
  }
  Attribute hints() {
    Attribute one, all;
    one.kind = Attribute::Dictionary;
    one.keys = {5};
    one.items = {attribute(0)};
    all.kind = Attribute::OptimizationHints;
    all.keys = {3, 4};
    all.items = {one, Attribute{.kind = Attribute::Dictionary}};
    return all;
  }
  uint64_t complex(AttributeForm form) {
    Attribute out;
    switch (form) {
    case AttributeForm::I32s: out.kind = Attribute::I32s, out.numbers = {1, -7, 1 << 30}; break;
    case AttributeForm::Bools: out.kind = Attribute::Bools, out.numbers = {1, 0}; break;
    case AttributeForm::Hints: out = hints(); break;
    case AttributeForm::Array:
      out.kind = Attribute::Array;
      for (size_t i = below(3); i; --i)
        out.items.push_back(attribute(2));
      break;
    default: {
      constexpr Attribute::Kind kinds[] = {Attribute::DivBy, Attribute::SameElements,
                                           Attribute::Bounded};
      out = predicate(kinds[below(3)]);
    }
    }
    program.attributes.push_back(out);
    return program.attributes.size() - 1;
  }
  /// The value of an attribute; nothing if it is left out, or if older versions imply it.
  std::optional<uint64_t> value(const AttributeColumn &column, Index result) {
    bool isKnown = column.since <= program.version;
    if (!isKnown)
      return column.hasDefault ? std::optional<uint64_t>(column.byDefault) : std::nullopt;
    if (column.isOptional && chance())
      return {};
    switch (column.form) {
    case AttributeForm::Unit: return 1;
    case AttributeForm::Int: return random() >> below(64);
    case AttributeForm::Bool: return below(2);
    case AttributeForm::String: return below(program.strings.size());
    case AttributeForm::Type: return below(program.types.size());
    case AttributeForm::Constant: return constantOf(program.type(result));
    case AttributeForm::Enum: {
      size_t number = below(column.keywords.size());
      // Which roundings ftof has before 13.4 depends on its type; nearest_even is always one.
      if (&column == &rowOf(Op::FToF).attributes[0] && program.version < Version{13, 4})
        number = 0;
      while (Version{13, column.keywords[number].minor} > program.version)
        --number;
      return number;
    }
    default: return complex(column.form);
    }
  }

  void function() {
    Function out;
    Type type{.kind = TypeKind::Function};
    for (size_t i = below(4); i; --i)
      type.parameters.push_back(tiles[below(tiles.size())]);
    out.type = interner.type(type);
    out.name = Index(below(program.strings.size()));
    out.isPrivate = chance();
    if (chance())
      out.hints = hints();
    out.hasLocations = chance();
    out.location = out.hasLocations ? uint32_t(below(program.debug.size() + 1)) : 0;
    values = Index(type.parameters.size());
    list(out, out.body, 2);
    program.functions.push_back(std::move(out));
  }
  /// Whether the version does not write a result, which then nobody may name.
  bool hidesResults(const OpRow &row) const {
    return std::any_of(row.results.begin(), row.results.end(),
                       [&](const ResultColumn &c) { return c.since > program.version; });
  }
  void list(Function &function, std::vector<Instruction> &body, unsigned depth) {
    for (size_t i = below(depth ? 40 : 6); i; --i)
      if (const OpRow &row = opRows[below(opCount)];
          row.since <= program.version && row.op != Op::Entry && row.op != Op::Global &&
          row.op != Op::Module && (depth || !row.regions) && !hidesResults(row))
        body.push_back(instruction(function, row, depth));
  }
  Instruction instruction(Function &function, const OpRow &row, unsigned depth) {
    if (values == 0) { // nothing to name yet
      Index result[] = {token};
      return finish(function, function.make(Op::MakeToken, result, {}, {}), rowOf(Op::MakeToken),
                    depth);
    }
    std::vector<Index> results;
    size_t count = row.hasVariadicResults() ? below(4) : row.results.size();
    for (size_t i = 0; i < count; ++i) {
      bool isKnown = row.hasVariadicResults() || row.results[i].since <= program.version;
      results.push_back(row.op == Op::Constant ? tiles[below(tiles.size())]
                        : isKnown              ? others[below(others.size())]
                                               : token);
    }
    std::vector<std::optional<uint64_t>> attributes;
    for (const AttributeColumn &column : row.attributes)
      attributes.push_back(value(column, results.empty() ? 0 : results[0]));
    std::vector<std::vector<Index>> operands;
    for (const OperandColumn &column : row.operands) {
      size_t n = column.count == OperandColumn::One        ? 1
                 : column.since > program.version          ? 0
                 : column.count == OperandColumn::Optional ? below(2)
                                                           : below(4);
      std::vector<Index> &list = operands.emplace_back();
      for (; n; --n)
        list.push_back(Index(below(values)));
    }
    Instruction out = function.make(row.op, results, attributes, operands);
    return finish(function, std::move(out), row, depth);
  }
  Instruction finish(Function &function, Instruction out, const OpRow &row, unsigned depth) {
    out.location = function.hasLocations ? uint32_t(below(program.debug.size() + 1)) : 0;
    for (size_t r = 0; r < row.regions; ++r) {
      Region &region = out.regions.emplace_back();
      region.hasBlock = below(5) != 0;
      if (!region.hasBlock)
        continue;
      Index before = values;
      for (size_t i = below(3); i; --i)
        region.arguments.push_back(others[below(others.size())]);
      values += Index(region.arguments.size());
      list(function, region.body, depth - 1);
      values = before;
    }
    values += out.results;
    return out;
  }

  std::mt19937_64 random;
  Program program;
  Interner interner;
  std::vector<Index> elements, pointers, tiles, others;
  Index token = 0;
  Index values = 0;
};

} // namespace tessera::tile_bytecode::test
