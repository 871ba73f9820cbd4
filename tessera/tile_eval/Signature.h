// Signature: the requirements of an op on the types of its operands and results, as a line of text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line has one word for each operand column, "->" and one for each result column:
//
//   "A/e:int A/e -> A/e"     two tiles of one shape and one integer type, and the result like them
//   "A:i1 A/e A/e -> A/e"    select
//   "0/e:number A:ptr -> *"  a scalar, a tile of pointers of any shape, anything
//
// SHAPE, "/" and a letter for the element type, ":" and a class of element types. A shape is a
// capital letter, the same for all words with it; 0 is the scalar, * any shape. A word may also be
// token, tensor, view, or any. Optional operands and lists need no mark: Ops.def has that.
#pragma once

#include "tessera/tile_eval/Value.h"

#include <optional>
#include <string>

namespace tessera::tile_eval {

/// The types of an instruction.
struct Signed {
  const Program &program;
  const tile_bytecode::Function &function;
  const Instruction &instruction;
  std::vector<Index> operands; // types

  const Type &operand(size_t i) const { return program.type(operands[i]); }
  const Type &result(size_t i) const { return program.type(function.results(instruction)[i]); }
  size_t results() const { return instruction.results; }
  TypeKind element(const Type &tile) const { return program.type(tile.element).kind; }
  uint64_t attribute(size_t column) const { return function.attribute(instruction, column); }
  bool has(size_t column) const { return function.has(instruction, column); }
  /// The first operand of a column.
  size_t firstOf(size_t column) const {
    size_t before = 0;
    for (size_t c = 0; c < column; ++c)
      before += function.operandCounts(instruction)[c];
    return before;
  }
  size_t countOf(size_t column) const { return function.operandCounts(instruction)[column]; }
};

/// How types violate a signature; nothing if they match it.
std::optional<std::string> checkSignature(std::string_view signature, const Signed &);

} // namespace tessera::tile_eval
