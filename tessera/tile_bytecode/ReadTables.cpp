// Strings, types, constants, attributes, locations and globals of bytecode.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_bytecode/ReadTables.h"

#include "tessera/tile_bytecode/Reader.h"
#include "tessera/tile_bytecode/TypeRules.h"

#include <algorithm>

namespace tessera::tile_bytecode {

//===--- Tables

Entries readEntries(Cursor &cursor, unsigned width, Failure *late) {
  Entries out;
  size_t from = cursor.offset();
  size_t count = cursor.count(width, "a number of entries");
  cursor.pad(width);
  // The padding may have taken what the count left.
  if (count > cursor.left() / width)
    cursor.expected(from, "a number of entries whose offsets fit the section", count);
  if (cursor.failed())
    return out;
  out.begins.resize(count);
  size_t at = cursor.offset();
  for (size_t &begin : out.begins)
    begin = width == 4 ? cursor.fixed<uint32_t>("an offset") : cursor.fixed<uint64_t>("an offset");
  size_t data = cursor.offset(), size = cursor.left(), last = 0;
  for (size_t i = 0; i < count; ++i) {
    if (out.begins[i] < last || out.begins[i] > size) {
      std::string wanted = cat("an offset from ", last, " to ", size);
      if (!late) {
        cursor.expected(at + i * width, wanted, out.begins[i]);
        return out;
      }
      if (!late->reason)
        late->reason = fail(Error::Expected, at + i * width, wanted, out.begins[i]);
      out.begins[i] = last;
    }
    last = out.begins[i];
    out.begins[i] += data;
  }
  out.end = data + size;
  return out;
}

void readStrings(Cursor cursor, Program &program, Failure &late) {
  Entries entries = readEntries(cursor, 4, &late);
  if (cursor.failed())
    return;
  program.strings.reserve(entries.size());
  if (entries.size())
    cursor.bytes(entries.begins[0] - cursor.offset(), "strings");
  for (size_t i = 0; i < entries.size(); ++i)
    program.strings.emplace_back(cursor.bytes(entries.endOf(i) - entries.begins[i], "a string"));
}

void readConstants(Cursor cursor, Program &program) {
  Entries entries = readEntries(cursor, 8);
  if (cursor.failed())
    return;
  program.constants.reserve(entries.size());
  if (entries.size())
    cursor.bytes(entries.begins[0] - cursor.offset(), "constants");
  for (size_t i = 0; i < entries.size() && !cursor.failed(); ++i) {
    size_t size = cursor.count(1, "a size in bytes"), end = entries.endOf(i);
    if (cursor.offset() > end || size != end - cursor.offset()) {
      cursor.expected(entries.begins[i], "a constant that fills its entry", cat(size, " bytes"));
      return;
    }
    program.constants.emplace_back(cursor.bytes(size, "a constant"));
  }
}

void readProducer(Cursor cursor, Program &program) {
  program.producer = cursor.index(program.strings.size(), "the producer, a string");
  cursor.finish("the section Producer");
}

void readGlobals(Cursor cursor, Program &program) {
  bool hasVisibility = program.version >= Version{13, 3};
  size_t count = cursor.count(hasVisibility ? 6 : 4, "a number of globals");
  program.globals.reserve(count);
  for (size_t i = 0; i < count && !cursor.failed(); ++i) {
    Global global;
    global.name = cursor.index(program.strings.size(), "the name of a global, a string");
    size_t at = cursor.offset();
    global.type = cursor.index(program.types.size(), "the type of a global");
    if (cursor.failed())
      return;
    const Type &type = program.type(global.type);
    if (type.kind != TypeKind::Tile)
      return cursor.expected(at, "a tile as the type of a global", typeText(program, global.type));
    at = cursor.offset();
    global.constant = cursor.index(program.constants.size(), "the value of a global, a constant");
    if (cursor.failed())
      return;
    if (auto problem = checkConstant(program, global.constant, type))
      return cursor.fail(Error::TypeRule, at, *problem);
    global.alignment = cursor.varint("the alignment of a global");
    if (hasVisibility) {
      global.visibility = SymbolVisibility(cursor.index(2, "the visibility of a global"));
      global.isConstant = cursor.index(2, "whether a global is constant") != 0;
    }
    program.globals.push_back(global);
  }
  cursor.finish("the section Global");
}

std::optional<std::string> checkConstant(const Program &program, Index constant, const Type &tile) {
  TypeKind element = program.type(tile.element).kind;
  if (!isElement(element))
    return cat("expects a constant of numbers, but got ", rowOf(element).text);
  int64_t count = elementsOf(tile);
  int64_t one = constantBytes(element);
  int64_t all = element == TypeKind::I1 ? (count + 7) / 8 : count * one;
  int64_t got = int64_t(program.constants[constant].size());
  if (got == one || got == all)
    return {};
  return cat("expects a constant of ", all, " bytes, or ", one, " for all elements, but got ", got);
}

//===--- Types

namespace {

class TypeReader {
public:
  TypeReader(Cursor &cursor, const Program &program, size_t types)
      : cursor(cursor), program(program), types(types) {}

  Type read() {
    size_t at = cursor.offset();
    uint64_t tag = cursor.varint("the tag of a type");
    const TypeRow *row = findTypeTag(tag);
    Type type;
    if (cursor.failed())
      return type;
    if (!row) {
      cursor.expected(at, "the tag of a type", tag);
      return type;
    }
    if (Version since{13, row->minor}; since > program.version) {
      cursor.fail(Error::TypeVersion, at, row->name, since.str(), program.version.str());
      return type;
    }
    type.kind = row->kind;
    fields(type);
    cursor.finish("the entry of a type");
    return type;
  }

private:
  void fields(Type &type) {
    switch (type.kind) {
    case TypeKind::Pointer:
      flags({13, 4}, 0);
      type.element = index("the type that a pointer points to");
      return;
    case TypeKind::Tile:
      type.element = index("the type of the elements of a tile");
      numbers<int64_t>(type.shape, "extents");
      return;
    case TypeKind::TensorView:
      flags({13, 4}, 0);
      type.element = index("the type of the elements of a tensor_view");
      numbers<int64_t>(type.shape, "extents");
      numbers<int64_t>(type.strides, "strides");
      return;
    case TypeKind::PartitionView: return partitionView(type);
    case TypeKind::StridedView:
    case TypeKind::GatherScatterView: return newerView(type);
    case TypeKind::Function:
      list(type.parameters, "parameters");
      list(type.results, "results");
      return;
    default: return;
    }
  }
  void partitionView(Type &type) {
    uint64_t hasPadding = flags({13, 3}, 1);
    numbers<int32_t>(type.shape, "extents");
    type.element = index("the tensor_view of a partition_view");
    numbers<int32_t>(type.dims, "dimensions");
    if (program.version < Version{13, 3})
      hasPadding = presence();
    padding(type, hasPadding);
  }
  void newerView(Type &type) {
    uint64_t hasPadding = flags({13, 3}, 1);
    numbers<int32_t>(type.shape, "extents");
    if (type.kind == TypeKind::StridedView)
      numbers<int32_t>(type.strides, "traversal strides");
    type.element = index("the tensor_view of a view");
    if (type.kind == TypeKind::StridedView)
      numbers<int32_t>(type.dims, "dimensions");
    else
      type.sparseDim = cursor.index(1 << 16, "a sparse dimension");
    padding(type, hasPadding);
  }

  Index index(const char *what) { return cursor.index(types, what); }
  uint64_t flags(Version since, uint64_t known) {
    if (program.version < since)
      return 0;
    size_t at = cursor.offset();
    uint64_t got = cursor.varint("the flags of a type");
    if (got & ~known)
      cursor.expected(at, cat("flags of a type up to ", known), got);
    return got;
  }
  uint64_t presence() { return cursor.index(2, "whether there is a padding value"); }
  void padding(Type &type, uint64_t isThere) {
    if (isThere)
      type.padding = PaddingValue(
          cursor.index(std::size(keywords::PaddingValue), "the number of a padding value"));
  }
  template <class N> void numbers(std::vector<int64_t> &to, const char *what) {
    size_t count = cursor.count(sizeof(N), what);
    to.reserve(count);
    for (size_t i = 0; i < count; ++i)
      to.push_back(cursor.fixed<N>(what));
  }
  template <class N> void numbers(std::vector<int32_t> &to, const char *what) {
    size_t count = cursor.count(sizeof(N), what);
    to.reserve(count);
    for (size_t i = 0; i < count; ++i)
      to.push_back(cursor.fixed<N>(what));
  }
  void list(std::vector<Index> &to, const char *what) {
    size_t count = cursor.count(1, what);
    to.reserve(count);
    for (size_t i = 0; i < count; ++i)
      to.push_back(index(what));
  }

  Cursor &cursor;
  const Program &program;
  size_t types;
};

} // namespace

void readTypes(Cursor cursor, Program &program, std::span<const std::byte> file, Failure &failure) {
  Entries entries = readEntries(cursor, 4);
  if (cursor.failed())
    return;
  program.types.reserve(entries.size());
  for (size_t i = 0; i < entries.size() && !cursor.failed(); ++i) {
    Cursor entry(file, entries.begins[i], entries.endOf(i), "the entry of the type", failure);
    program.types.push_back(TypeReader(entry, program, entries.size()).read());
  }
  // Types may refer to later ones, so rules come last.
  for (size_t i = 0; i < program.types.size() && !cursor.failed(); ++i)
    if (auto problem = checkType(program, program.types[i]))
      cursor.fail(Error::TypeRule, entries.begins[i], *problem);
}

//===--- Attributes

namespace {

/// Numbers of elements that attributes hold: integers, and floats by their bits.
void readNumber(Cursor &cursor, const Program &program, Attribute &out) {
  size_t at = cursor.offset();
  out.type = cursor.index(program.types.size(), "the type of a number");
  if (cursor.failed())
    return;
  TypeKind kind = program.type(out.type).kind;
  bool fits = out.kind == Attribute::Integer ? isInteger(kind) : isFloat(kind);
  if (!fits)
    return cursor.expected(at, out.kind == Attribute::Integer ? "an integer type" : "a float type",
                           typeText(program, out.type));
  unsigned bits = rowOf(kind).bits;
  at = cursor.offset();
  if (out.kind == Attribute::Integer)
    out.value = cursor.varint("an integer");
  else if (bits <= 8)
    out.value = cursor.byte("the bits of a float");
  else
    out.value = cursor.zigzagBits("the bits of a float");
  if (bits < 64 && out.value >> bits)
    cursor.expected(at, cat("a number of ", bits, " bits"), out.value);
}

} // namespace

Attribute readDictionary(Cursor &cursor, const Program &program, Attribute::Kind kind,
                         unsigned depth) {
  Attribute out;
  out.kind = kind;
  size_t count = cursor.count(2, "a number of entries of a dictionary");
  for (size_t i = 0; i < count && !cursor.failed(); ++i) {
    size_t at = cursor.offset();
    Index key = cursor.index(program.strings.size(), "a key, a string");
    if (program.text(key).empty() && !cursor.failed())
      cursor.fail(Error::EmptyKey, at, i);
    for (Index other : out.keys)
      if (program.text(other) == program.text(key))
        cursor.expected(at, "keys that do not repeat", cat("'", program.text(key), "' again"));
    out.keys.push_back(key);
    at = cursor.offset();
    out.items.push_back(readAttribute(cursor, program, depth + 1));
    if (kind == Attribute::OptimizationHints && out.items.back().kind != Attribute::Dictionary &&
        !cursor.failed())
      cursor.expected(at, "a dictionary of hints for each architecture", "another attribute");
  }
  return out;
}

Attribute readAttribute(Cursor &cursor, const Program &program, unsigned depth) {
  Attribute out;
  size_t at = cursor.offset();
  if (depth > mostAttributeDepth) {
    cursor.fail(Error::TooDeep, at, "attributes", mostAttributeDepth);
    return out;
  }
  unsigned tag = cursor.byte("the tag of an attribute");
  if (tag < Attribute::Integer || tag > Attribute::Bounded) {
    if (!cursor.failed())
      cursor.expected(at, "the tag of an attribute", tag);
    return out;
  }
  out.kind = Attribute::Kind(tag);
  switch (out.kind) {
  case Attribute::Integer:
  case Attribute::Float: readNumber(cursor, program, out); break;
  case Attribute::Bool: out.value = cursor.index(2, "0 or 1"); break;
  case Attribute::Type: out.type = cursor.index(program.types.size(), "a type"); break;
  case Attribute::String: out.value = cursor.index(program.strings.size(), "a string"); break;
  case Attribute::Array: {
    size_t count = cursor.count(1, "a number of attributes");
    for (size_t i = 0; i < count && !cursor.failed(); ++i)
      out.items.push_back(readAttribute(cursor, program, depth + 1));
    break;
  }
  case Attribute::DenseElements: {
    out.type = cursor.index(program.types.size(), "the type of elements");
    size_t place = cursor.offset();
    out.value = cursor.index(program.constants.size(), "a constant");
    if (cursor.failed())
      break;
    if (program.type(out.type).kind != TypeKind::Tile)
      cursor.expected(at, "a tile as the type of elements", typeText(program, out.type));
    else if (auto problem = checkConstant(program, Index(out.value), program.type(out.type)))
      cursor.fail(Error::TypeRule, place, *problem);
    break;
  }
  case Attribute::DivBy: {
    out.value = cursor.varint("a divisor");
    unsigned flags = cursor.index(4, "the flags of div_by");
    if (flags & 1)
      out.first = cursor.signedVarint("the count after `every`");
    if (flags & 2)
      out.second = cursor.signedVarint("the dimension after `along`");
    break;
  }
  case Attribute::SameElements: {
    size_t count = cursor.count(8, "a number of groups");
    for (size_t i = 0; i < count; ++i)
      out.numbers.push_back(cursor.fixed<int64_t>("a number of equal elements"));
    break;
  }
  case Attribute::Dictionary:
  case Attribute::OptimizationHints: return readDictionary(cursor, program, out.kind, depth);
  case Attribute::Bounded: {
    unsigned flags = cursor.index(4, "the flags of bounded");
    if (flags & 1)
      out.first = cursor.signedVarint("a lower bound");
    if (flags & 2)
      out.second = cursor.signedVarint("an upper bound");
    break;
  }
  default: break;
  }
  return out;
}

//===--- Debug information

namespace {

bool isScope(DebugEntry::Kind kind) {
  return kind == DebugEntry::CompileUnit || kind == DebugEntry::File ||
         kind == DebugEntry::LexicalBlock || kind == DebugEntry::Subprogram;
}
bool fitsField(DebugField field, DebugEntry::Kind kind) {
  switch (field) {
  case DebugField::Scope: return isScope(kind);
  case DebugField::File: return kind == DebugEntry::File;
  case DebugField::Unit: return kind == DebugEntry::CompileUnit;
  case DebugField::Place:
    return kind == DebugEntry::Location || kind == DebugEntry::CallSite || isScope(kind);
  default: return true;
  }
}

DebugEntry readDebugEntry(Cursor &cursor, const Program &program, size_t entries) {
  DebugEntry out;
  size_t at = cursor.offset();
  unsigned tag = cursor.byte("the tag of a location");
  if (tag >= std::size(debugFields)) {
    cursor.expected(at, "the tag of a location", tag);
    return out;
  }
  out.kind = DebugEntry::Kind(tag);
  for (size_t i = 0; debugFields[tag][i] != DebugField::None; ++i)
    switch (debugFields[tag][i]) {
    case DebugField::Text: out.fields[i] = cursor.index(program.strings.size(), "a string"); break;
    case DebugField::Number: out.fields[i] = cursor.varint("a line or a column"); break;
    default: out.fields[i] = cursor.index(entries + 1, "a location"); break;
    }
  cursor.finish("the entry of a location");
  return out;
}

/// Whether following scopes, callees and callers from each entry ends. Each entry is entered once.
std::optional<size_t> findCycle(const Program &program) {
  enum State : uint8_t {
    New,
    Open,
    Done
  };
  std::vector<State> states(program.debug.size(), New);
  struct Step {
    size_t entry, field;
  };
  std::vector<Step> path;
  for (size_t start = 0; start < states.size(); ++start) {
    if (states[start] != New)
      continue;
    path.push_back({start, 0});
    states[start] = Open;
    while (!path.empty()) {
      Step &step = path.back();
      const DebugEntry &entry = program.debug[step.entry];
      DebugField field = debugFields[entry.kind][step.field];
      if (field == DebugField::None) {
        states[step.entry] = Done;
        path.pop_back();
        continue;
      }
      uint64_t to = entry.fields[step.field++];
      if (field == DebugField::Text || field == DebugField::Number || to == 0)
        continue;
      if (states[to - 1] == Open)
        return to - 1;
      if (states[to - 1] == New) {
        states[to - 1] = Open;
        path.push_back({size_t(to - 1), 0});
      }
    }
  }
  return {};
}

} // namespace

DebugLists readDebug(Cursor cursor, Program &program, std::span<const std::byte> file,
                     Failure &failure) {
  DebugLists out;
  size_t functions = cursor.count(4, "a number of functions");
  cursor.pad(4);
  size_t offsetsAt = cursor.offset();
  for (size_t i = 0; i < functions && !cursor.failed(); ++i)
    out.offsets.push_back(cursor.fixed<uint32_t>("the offset of a function's locations"));
  size_t count = cursor.count(8, "a number of locations");
  cursor.pad(8);
  size_t locationsAt = cursor.offset();
  if (count > cursor.left() / 8)
    cursor.expected(locationsAt, "a number of locations that fit the section", count);
  if (cursor.failed())
    return out;
  std::vector<uint64_t> raw(count);
  for (uint64_t &location : raw)
    location = cursor.fixed<uint64_t>("a location");
  for (size_t i = 0; i < functions; ++i)
    if (out.offsets[i] > count) {
      cursor.expected(offsetsAt + i * 4, cat("an offset up to ", count), out.offsets[i]);
      return out;
    }

  Entries entries = readEntries(cursor, 4);
  if (cursor.failed())
    return out;
  program.debug.reserve(entries.size());
  for (size_t i = 0; i < entries.size() && !cursor.failed(); ++i) {
    Cursor entry(file, entries.begins[i], entries.endOf(i), "the entry of the location", failure);
    program.debug.push_back(readDebugEntry(entry, program, entries.size()));
  }
  for (size_t i = 0; i < program.debug.size() && !cursor.failed(); ++i) {
    const DebugEntry &entry = program.debug[i];
    for (size_t f = 0; debugFields[entry.kind][f] != DebugField::None; ++f) {
      DebugField field = debugFields[entry.kind][f];
      if (field == DebugField::Text || field == DebugField::Number || entry.fields[f] == 0)
        continue;
      if (!fitsField(field, program.debug[entry.fields[f] - 1].kind))
        cursor.expected(entries.begins[i], "another kind of location in this field",
                        cat("entry ", entry.fields[f]));
    }
  }
  out.locations.reserve(count);
  for (size_t i = 0; i < count && !cursor.failed(); ++i) {
    if (raw[i] > program.debug.size())
      cursor.expected(locationsAt + i * 8, cat("a location up to ", program.debug.size()), raw[i]);
    out.locations.push_back(uint32_t(raw[i]));
  }
  if (!cursor.failed())
    if (auto cycle = findCycle(program))
      cursor.fail(Error::DebugCycle, *cycle + 1);
  return out;
}

} // namespace tessera::tile_bytecode
