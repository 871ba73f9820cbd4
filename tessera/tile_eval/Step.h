// Step: an instruction of a tile block that is being run: its operands, and the place of its
// results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_eval/TileBlock.h"

namespace tessera::tile_eval {

class Step {
public:
  Step(TileBlock &block, const Instruction &instruction)
      : block(block), instruction(instruction), row(rowOf(instruction.op)),
        operands(block.function().operands(instruction)) {}

  TileBlock &block;
  const Instruction &instruction;
  const OpRow &row;

  const Program &program() const { return block.program(); }

  //===--- Operands

  size_t operandCount() const { return operands.size(); }
  const Value &operand(size_t i) const { return block.value(operands[i]); }
  const Type &operandType(size_t i) const { return program().type(operand(i).type); }
  const Codes &codes(size_t i) const { return *operand(i).codes; }
  /// The type of the elements of a tile.
  TypeKind element(const Type &tile) const { return program().type(tile.element).kind; }
  TypeKind elementOf(size_t i) const { return element(operandType(i)); }
  /// The operands of a column: the first one, and their number.
  size_t countOf(size_t column) const {
    return block.function().operandCounts(instruction)[column];
  }
  size_t firstOf(size_t column) const {
    size_t before = 0;
    for (size_t c = 0; c < column; ++c)
      before += countOf(c);
    return before;
  }
  /// The operand of an optional column, or null.
  const Value *optional(size_t column) const {
    return countOf(column) ? &operand(firstOf(column)) : nullptr;
  }

  //===--- Attributes

  uint64_t attribute(size_t column) const {
    return block.function().attribute(instruction, column);
  }
  template <class E> E attributeAs(size_t column) const { return E(attribute(column)); }
  bool has(size_t column) const { return tile_bytecode::Function::has(instruction, column); }
  const tile_bytecode::Attribute &complexAttribute(size_t column) const {
    return program().attributes[attribute(column)];
  }

  //===--- Results

  Index resultType(size_t i) const { return block.function().results(instruction)[i]; }
  const Type &result(size_t i = 0) const { return program().type(resultType(i)); }
  /// Results are added in their order.
  void add(Codes codes) { add(std::make_shared<const Codes>(std::move(codes))); }
  void add(std::shared_ptr<const Codes> codes) {
    block.define({.type = resultType(added++), .codes = std::move(codes)});
  }
  void add(std::shared_ptr<const TensorView> view) {
    block.define({.type = resultType(added++), .view = std::move(view)});
  }
  void addToken(Order order) {
    block.define({.type = resultType(added++), .order = std::move(order)});
  }

  //===--- Errors

  /// The op, the kernel, the tile block and the place in the source.
  std::string where() const { return block.where(instruction); }
  /// ", element (1, 2)" of a tile; nothing for a scalar.
  static std::string elementText(const Type &tile, size_t linear);
  /// An error at an element of a tile.
  template <class... Pieces>
  Reason failAt(Error error, const Type &tile, size_t linear, const Pieces &...pieces) const {
    return fail(error, where(), elementText(tile, linear), pieces...);
  }

private:
  std::span<const Index> operands;
  size_t added = 0;
};

} // namespace tessera::tile_eval
