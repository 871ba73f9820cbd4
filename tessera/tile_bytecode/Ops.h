// Op: the ops of tile programs, and the columns of each: results, attributes, operands (Ops.def).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_bytecode/Enums.h"
#include "tessera/tile_bytecode/Version.h"

#include <array>

namespace tessera::tile_bytecode {

enum class Op : uint8_t {
#define OP(code, id, ...) id,
#include "tessera/tile_bytecode/Ops.def"
#undef OP
};

/// The kind of value of an op's attribute, and its encoding.
enum class AttributeForm : uint8_t {
  Unit,      // only present or absent
  Int,       // a number: varint
  Bool,      // a byte
  String,    // index of a string
  Type,      // index of a type
  Constant,  // index of a constant
  Enum,      // number of a keyword
  I32s,      // numbers of 32 bits
  Bools,     // bytes
  Array,     // attributes
  Hints,     // hints to the compiler
  Predicate, // of `assume`
};
/// Whether the value of such an attribute is one of Program::attributes.
constexpr bool isComplex(AttributeForm form) { return form >= AttributeForm::I32s; }

struct ResultColumn {
  std::string_view name;
  Version since;
  bool isVariadic = false;
};
struct AttributeColumn {
  std::string_view name;
  Version since;
  AttributeForm form = AttributeForm::Int;
  bool isOptional = false; // a bit of the flags says whether it is there
  bool hasDefault = false; // `byDefault` is its meaning in versions before `since`
  uint8_t byDefault = 0;
  std::span<const Keyword> keywords = {}; // of an Enum
};
struct OperandColumn {
  enum Count : uint8_t {
    One,
    Optional,
    Variadic
  };
  std::string_view name;
  Version since;
  Count count = One;
};

/// A list of at most N columns.
template <class T, size_t N> struct Columns {
  std::array<T, N> columns{};
  uint8_t count = 0;

  constexpr void add(const T &column) { columns[count++] = column; }
  constexpr size_t size() const { return count; }
  constexpr const T &operator[](size_t i) const { return columns[i]; }
  constexpr const T *begin() const { return columns.data(); }
  constexpr const T *end() const { return columns.data() + count; }
};

/// One row of Ops.def.
struct OpRow {
  Op op;
  uint16_t code;
  std::string_view name; // without `cuda_tile.`
  Version since;
  Columns<ResultColumn, 3> results;
  Columns<AttributeColumn, 5> attributes;
  Columns<OperandColumn, 5> operands;
  bool countsResults = false;  // the number of results is written
  bool countsOperands = false; // the number of all operands is written before them
  uint8_t regions = 0;

  constexpr bool hasVariadicResults() const { return results.size() && results[0].isVariadic; }
};

extern const OpRow *const opRows;
extern const size_t opCount;
inline const OpRow &rowOf(Op op) { return opRows[size_t(op)]; }

/// The row of an opcode, or of a name without `cuda_tile.`; null if there is none.
const OpRow *findOpCode(uint64_t code);
const OpRow *findOpName(std::string_view name);

/// A bit in the flags of an op: an attribute or an operand, by the number of its column.
struct FlagColumn {
  bool isOperand;
  uint8_t column;
  Version since;
};
/// The flags of an op in the order of their bits. A version has those that are not newer.
const Columns<FlagColumn, 6> &flagsOf(Op op);

} // namespace tessera::tile_bytecode
