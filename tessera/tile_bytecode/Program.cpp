// Instructions of functions, texts of types, and the tables that keep each entry once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_bytecode/Program.h"

namespace tessera::tile_bytecode {

Instruction Function::make(Op op, std::span<const Index> results,
                           std::span<const std::optional<uint64_t>> values,
                           std::span<const std::vector<Index>> operands) {
  const OpRow &row = rowOf(op);
  Instruction out;
  out.op = op;
  out.indices = uint32_t(indices.size());
  out.results = uint32_t(results.size());
  indices.insert(indices.end(), results.begin(), results.end());
  for (size_t i = 0; i < row.operands.size(); ++i)
    indices.push_back(i < operands.size() ? Index(operands[i].size()) : 0);
  for (const std::vector<Index> &column : operands)
    indices.insert(indices.end(), column.begin(), column.end());
  out.attributes = uint32_t(attributes.size());
  for (size_t i = 0; i < row.attributes.size(); ++i) {
    bool isThere = i < values.size() && values[i];
    out.present |= uint32_t(isThere) << i;
    attributes.push_back(isThere ? *values[i] : 0);
  }
  return out;
}

const Function *Program::find(std::string_view name) const {
  for (const Function &function : functions)
    if (text(function.name) == name)
      return &function;
  return nullptr;
}

namespace {

std::string extent(int64_t n) { return n == dynamic ? "?" : std::to_string(n); }

template <class Numbers> std::string list(const Numbers &numbers, std::string_view separator) {
  std::string out;
  for (auto n : numbers)
    out += cat(out.empty() ? "" : separator, extent(n));
  return out;
}
std::string dimensions(const std::vector<int64_t> &shape) {
  std::string out = list(shape, "x");
  return out.empty() ? out : out + "x";
}
std::string typeList(const Program &program, const std::vector<Index> &types) {
  std::string out;
  for (Index type : types)
    out += cat(out.empty() ? "" : ", ", typeText(program, type));
  return cat("(", out, ")");
}
std::string viewText(const Program &program, const Type &type) {
  std::string out = cat(rowOf(type.kind).text, "<tile=(", list(type.shape, "x"), ")");
  if (type.kind == TypeKind::StridedView)
    out += cat(", traversal_strides=[", list(type.strides, ","), "]");
  if (type.padding)
    out += cat(", padding_value = ", keyword(*type.padding));
  out += cat(", ", typeText(program, type.element));
  bool isIdentity = true;
  for (size_t i = 0; i < type.dims.size(); ++i)
    isIdentity &= type.dims[i] == int32_t(i);
  if (type.kind == TypeKind::GatherScatterView)
    out += cat(", sparse_dim=", type.sparseDim);
  else if (!isIdentity)
    out += cat(", dim_map=[", list(type.dims, ", "), "]");
  return out + ">";
}

} // namespace

std::string typeText(const Program &program, Index index) {
  if (index >= program.types.size())
    return cat("type ", index);
  const Type &type = program.types[index];
  std::string_view name = rowOf(type.kind).text;
  switch (type.kind) {
  case TypeKind::Pointer: return cat(name, "<", typeText(program, type.element), ">");
  case TypeKind::Tile:
    return cat(name, "<", dimensions(type.shape), typeText(program, type.element), ">");
  case TypeKind::TensorView:
    return cat(name, "<", dimensions(type.shape), typeText(program, type.element),
               type.shape.empty() ? "" : cat(", strides=[", list(type.strides, ","), "]"), ">");
  case TypeKind::PartitionView:
  case TypeKind::StridedView:
  case TypeKind::GatherScatterView: return viewText(program, type);
  case TypeKind::Function:
    return cat(typeList(program, type.parameters), " -> ", typeList(program, type.results));
  default: return std::string(name);
  }
}

namespace {

/// Bytes that are equal exactly for equal entries.
class KeyBytes {
public:
  void add(int64_t n) { out.append(reinterpret_cast<const char *>(&n), sizeof n); }
  template <class Numbers> void all(const Numbers &numbers) {
    add(int64_t(numbers.size()));
    for (auto n : numbers)
      add(int64_t(n));
  }
  std::string out;
};
std::string keyOf(const Type &type) {
  KeyBytes key;
  key.add(int64_t(type.kind));
  key.add(type.element);
  key.all(type.shape);
  key.all(type.strides);
  key.all(type.dims);
  key.add(type.padding ? int64_t(*type.padding) : -1);
  key.add(type.sparseDim);
  key.all(type.parameters);
  key.all(type.results);
  return key.out;
}
std::string keyOf(const DebugEntry &entry) {
  KeyBytes key;
  key.add(entry.kind);
  key.all(entry.fields);
  return key.out;
}

template <class Entry>
Index intern(std::unordered_map<std::string, Index> &known, std::vector<Entry> &table,
             std::string key, const Entry &entry) {
  auto [found, isNew] = known.try_emplace(std::move(key), Index(table.size()));
  if (isNew)
    table.push_back(entry);
  return found->second;
}

} // namespace

Interner::Interner(Program &program) : program(program) {
  for (size_t i = 0; i < program.strings.size(); ++i)
    strings.try_emplace(program.strings[i], Index(i));
  for (size_t i = 0; i < program.types.size(); ++i)
    types.try_emplace(keyOf(program.types[i]), Index(i));
  for (size_t i = 0; i < program.constants.size(); ++i)
    constants.try_emplace(program.constants[i], Index(i));
  for (size_t i = 0; i < program.debug.size(); ++i)
    entries.try_emplace(keyOf(program.debug[i]), Index(i));
}

Index Interner::string(std::string_view text) {
  return intern(strings, program.strings, std::string(text), std::string(text));
}
Index Interner::type(const Type &type) { return intern(types, program.types, keyOf(type), type); }
Index Interner::constant(std::string_view bytes) {
  return intern(constants, program.constants, std::string(bytes), std::string(bytes));
}
uint32_t Interner::debug(const DebugEntry &entry) {
  return intern(entries, program.debug, keyOf(entry), entry) + 1;
}

} // namespace tessera::tile_bytecode
