// Tree: the parser's tree of PTX text: variables, functions, statements, operands. Names are not
// resolved.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/ptx_text/Types.h"

#include <string>
#include <vector>

namespace tessera::ptx_text {

/// One operand. Address: parts[0] is the base, further parts are coordinates and the like.
struct Operand {
  enum Kind : uint8_t {
    Name,
    Integer,
    Single,
    Double,
    Vector,
    Address,
    Pair,
    List,
    Sink
  } kind = Sink;
  bool negated = false;  // !p
  bool minus = false;    // -r
  std::string_view name; // points into the text
  uint64_t bits = 0;     // of Integer (sign-extended), Single, Double
  int64_t offset = 0;    // of Name and Address
  uint64_t mask = 0;     // 0xff00(name): these bits of an address; 0: all of them
  std::vector<Operand> parts;

  std::string str() const;
};

/// A variable, or `count` registers named name0, name1, ... (`.reg .b32 %r<5>`).
struct Variable {
  Space space = Space::Reg;
  Type type = Type::b32;
  uint8_t vector = 1;                    // .v2, .v4
  bool isExtern = false, isOpen = false; // [] without a number
  bool isManaged = false;                // .attribute(.managed)
  std::string_view name;
  uint32_t count = 0; // 0: one, without a number
  uint32_t align = 1;
  uint64_t elements = 1; // product of the array's extents
  int line = 0;
  std::vector<Operand> init; // integers, floats, names; as many as are given

  uint64_t bytes() const { return elements * vector * ptx_text::bytes(type); }
};

struct Statement {
  enum Kind : uint8_t {
    Instruction,
    Label,
    Declaration,
    Open,
    Close,
    Table
  } kind = Instruction;
  int line = 0;
  std::string_view name; // mnemonic with modifiers, label, name of a table of labels
  std::string_view guard;
  bool guardNegated = false;
  std::vector<Operand> operands; // of a table: its labels or functions
  Variable variable;
  uint32_t usedBytes = ~0u; // bytes that a load uses, the first one's bit the lowest
};

using Extent3 = std::array<uint32_t, 3>;

struct Function {
  std::string_view name;
  bool isEntry = false, hasBody = false;
  int line = 0;
  std::vector<Variable> results, parameters;
  std::vector<Statement> body;
  Extent3 required{}, atMost{},
      cluster{};                      // .reqntid, .maxntid, .reqnctapercluster; zeros: not given
  uint32_t registers = 0, blocks = 0; // .maxnreg, .minnctapersm; 0: not given
};

struct Module {
  std::string text; // what all views point into
  int version = 0;  // 10 * major + minor
  std::string_view target;
  std::vector<Variable> variables;
  std::vector<Function> functions;
};

} // namespace tessera::ptx_text
