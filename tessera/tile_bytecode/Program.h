// Program: a tile program as plain data: tables of strings, types, constants, attributes and
// locations, and functions whose instructions name their entries.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An *index* is a place in one of the tables of the program, counted from 0. The tables keep the
// order of the file, so that a program that was read is written as the same bytes. Interner adds to
// them without repeating an entry.
//
// Values are numbers within their function. Its arguments are 0, 1, ...; every result takes the
// next number, in order. The arguments of a block take the next numbers when the block begins, and
// at the end of the region the count goes back to what it was before the region: so the results of
// `for` have the numbers that the arguments of its block had. All versions count alike: a result
// that the version of the file does not write (that of `print_tko` in 13.1) is there and has its
// number.
//
// Nothing is checked here; a result of `read` follows the rules in Reader.h.
#pragma once

#include "tessera/tile_bytecode/Ops.h"
#include "tessera/tile_bytecode/Types.h"

#include <limits>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace tessera::tile_bytecode {

using Index = uint32_t;
/// The value of an optional index that is absent.
inline constexpr Index noIndex = ~Index(0);

/// An extent or a stride of a tensor_view that is known only when the program runs.
inline constexpr int64_t dynamic = std::numeric_limits<int64_t>::min();

/// A type. Which fields have a meaning depends on its kind:
///
///   Pointer            element: what it points to
///   Tile               element, a number or a pointer; shape, in elements
///   TensorView         element; shape and strides, in elements or `dynamic`
///   PartitionView      element: its tensor_view; shape: the tile; dims: tensor dimension of each
///                      dimension of the tile; padding
///   StridedView        as PartitionView, and strides: what the tile moves by, in elements
///   GatherScatterView  as PartitionView without dims; sparseDim
///   Function           parameters, results
struct Type {
  TypeKind kind = TypeKind::Token;
  Index element = noIndex;
  std::vector<int64_t> shape = {}, strides = {};
  std::vector<int32_t> dims = {};
  std::optional<PaddingValue> padding = {};
  uint32_t sparseDim = 0;
  std::vector<Index> parameters = {}, results = {};

  bool operator==(const Type &) const = default;
};

/// An attribute that states its kind. Which fields have a meaning depends on the kind:
///
///   Integer        type; value, zero-extended
///   Float          type; value: the bits
///   Bool           value
///   Type           type
///   String         value: index of the string
///   Array          items
///   DenseElements  type; value: index of the constant
///   DivBy          value: the divisor; first: every; second: along
///   SameElements   numbers
///   Dictionary     keys: indices of strings; items; OptimizationHints likewise
///   Bounded        first: lower, second: upper bound
///   I32s, Bools    numbers; only in instructions, where the op says the kind
struct Attribute {
  enum Kind : uint8_t {
    I32s = 0,
    Integer = 1, // the numbers from here on are the tags of bytecode
    Float = 2,
    Bool = 3,
    Type = 4,
    String = 5,
    Array = 6,
    DenseElements = 7,
    DivBy = 8,
    SameElements = 9,
    Dictionary = 10,
    OptimizationHints = 11,
    Bounded = 12,
    Bools = 255,
  } kind = Integer;
  Index type = noIndex;
  uint64_t value = 0;
  std::optional<int64_t> first = {}, second = {};
  std::vector<int64_t> numbers = {};
  std::vector<Index> keys = {};
  std::vector<Attribute> items = {};

  bool operator==(const Attribute &) const = default;
};

/// Debug information. A *location* is 0, none, or the number of an entry of Program::debug counted
/// from 1. What the fields hold: file, scope, unit, callee, caller are locations; name, directory,
/// linkage name are indices of strings; line and column are numbers.
///
///   CompileUnit   file
///   File          name, directory
///   LexicalBlock  scope, file, line, column
///   Location      scope, name of the file, line, column
///   Subprogram    file, line, name, linkage name, unit, scope line
///   CallSite      callee, caller
///   Empty         an entry without a meaning, which some writers put into empty tables
struct DebugEntry {
  enum Kind : uint8_t {
    Empty = 0, // numbers are the tags of bytecode
    CompileUnit = 1,
    File = 2,
    LexicalBlock = 3,
    Location = 4,
    Subprogram = 5,
    CallSite = 6,
  } kind = Empty;
  std::array<uint64_t, 6> fields = {};

  bool operator==(const DebugEntry &) const = default;
};
/// The content of a field of a DebugEntry.
enum class DebugField : uint8_t {
  None,
  Text,   // index of a string
  Number, // a line or a column
  Scope,  // location: LexicalBlock, Subprogram, File, CompileUnit
  File,   // location: File
  Unit,   // location: CompileUnit
  Place   // location: Location, CallSite
};
/// The fields of the kind of debug entries with this tag, ended by None.
inline constexpr DebugField debugFields[][7] = {
    {},
    {DebugField::File},
    {DebugField::Text, DebugField::Text},
    {DebugField::Scope, DebugField::File, DebugField::Number, DebugField::Number},
    {DebugField::Scope, DebugField::Text, DebugField::Number, DebugField::Number},
    {DebugField::File, DebugField::Number, DebugField::Text, DebugField::Text, DebugField::Unit,
     DebugField::Number},
    {DebugField::Place, DebugField::Place},
};

struct Region;

/// An instruction; Function has its results, attributes and operands.
struct Instruction {
  Op op = Op::Return;
  uint32_t present = 0;  // bit i: attribute i of the op's columns is present
  uint32_t location = 0; // see DebugEntry
  uint32_t indices =
      0; // in Function::indices: types of results, sizes of operand columns, operands
  uint32_t results = 0;    // number of them
  uint32_t attributes = 0; // in Function::attributes: one for each column
  std::vector<Region> regions;

  bool operator==(const Instruction &) const = default;
};

/// A region of at most one block.
struct Region {
  bool hasBlock = true;
  std::vector<Index> arguments; // types
  std::vector<Instruction> body;

  bool operator==(const Region &) const = default;
};

/// A kernel.
struct Function {
  Index name = noIndex; // string
  Index type = noIndex; // of the kind Function
  bool isEntry = true, isPrivate = false;
  std::optional<Attribute> hints; // OptimizationHints
  bool hasLocations = false;      // the section Debug has its locations
  uint32_t location = 0;
  std::vector<Instruction> body;

  /// The entries that instructions refer to; see `results`, `operands` and `attribute`.
  std::vector<Index> indices;
  std::vector<uint64_t> attributes;

  /// Types of the results of an instruction of this function.
  std::span<const Index> results(const Instruction &i) const {
    return {indices.data() + i.indices, i.results};
  }
  /// Number of operands in each operand column of the op.
  std::span<const Index> operandCounts(const Instruction &i) const {
    return {indices.data() + i.indices + i.results, rowOf(i.op).operands.size()};
  }
  /// Values: all operands in the order of the columns.
  std::span<const Index> operands(const Instruction &i) const {
    std::span<const Index> counts = operandCounts(i);
    size_t all = 0;
    for (Index count : counts)
      all += count;
    return {counts.data() + counts.size(), all};
  }
  /// Values: the operands of one column.
  std::span<const Index> operands(const Instruction &i, size_t column) const {
    std::span<const Index> counts = operandCounts(i);
    size_t before = 0;
    for (size_t c = 0; c < column; ++c)
      before += counts[c];
    return {counts.data() + counts.size() + before, counts[column]};
  }
  /// The attribute of a column: a number, an index, or, if isComplex, an index in
  /// Program::attributes. 0 if it is absent; Units are 1 or 0.
  uint64_t attribute(const Instruction &i, size_t column) const {
    return attributes[i.attributes + column];
  }
  static bool has(const Instruction &i, size_t column) { return i.present >> column & 1; }

  /// Makes an instruction with everything that it refers to. `operands` has one list for each
  /// operand column of the op; `attributes` one value for each attribute column, nothing for an
  /// absent one.
  Instruction make(Op op, std::span<const Index> results,
                   std::span<const std::optional<uint64_t>> attributes,
                   std::span<const std::vector<Index>> operands);

  bool operator==(const Function &) const = default;
};

struct Global {
  Index name = noIndex;     // string
  Index type = noIndex;     // a tile of rank 1
  Index constant = noIndex; // its value
  uint64_t alignment = 0;   // in bytes; 0: that of the element
  SymbolVisibility visibility = SymbolVisibility::Public;
  bool isConstant = false;

  bool operator==(const Global &) const = default;
};

/// The sections of a file, by their numbers.
enum class Section : uint8_t {
  End,
  String,
  Func,
  Debug,
  Constant,
  Type,
  Global,
  Producer
};
/// Choices of a file's layout that do not change the program.
struct Layout {
  struct Entry {
    Section section;
    uint32_t alignment; // in bytes; 1: the section has none
    bool operator==(const Entry &) const = default;
  };
  std::vector<Entry> sections; // in their order; empty: the order of NVIDIA's tools
  bool padsFunctions = false;  // the section Func ends at a multiple of 8

  bool operator==(const Layout &) const = default;
};

struct Program {
  Version version;
  uint16_t tag = 0; // of the version
  std::vector<std::string> strings;
  std::vector<Type> types;
  std::vector<std::string> constants; // bytes, see Constants.h
  std::vector<Attribute> attributes;  // of instructions
  std::vector<DebugEntry> debug;
  std::vector<Global> globals;
  std::vector<Function> functions;
  Index producer = noIndex; // string
  Layout layout;

  /// The text of a string; "" if there is none.
  std::string_view text(Index string) const {
    return string < strings.size() ? std::string_view(strings[string]) : std::string_view();
  }
  const Type &type(Index i) const { return types[i]; }
  /// The function with this name, or null.
  const Function *find(std::string_view name) const;

  bool operator==(const Program &) const = default;
};

/// The type in assembly syntax without `!cuda_tile.`: tile<4x8xf32>. A function: (A, B) -> (C).
std::string typeText(const Program &, Index type);

/// The number of elements of a tile; 1 for a scalar.
inline int64_t elementsOf(const Type &tile) {
  int64_t count = 1;
  for (int64_t extent : tile.shape)
    count *= extent;
  return count;
}

/// Adds entries to the tables of a program, each once.
class Interner {
public:
  explicit Interner(Program &program);

  Index string(std::string_view);
  Index type(const Type &);
  Index constant(std::string_view bytes);
  /// The location of the entry.
  uint32_t debug(const DebugEntry &);

private:
  Program &program;
  std::unordered_map<std::string, Index> strings, types, constants, entries;
};

} // namespace tessera::tile_bytecode
