// The words of signatures, matched with types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_eval/Signature.h"

#include <algorithm>

namespace tessera::tile_eval {

namespace {

using Problem = std::optional<std::string>;

struct ElementClass {
  std::string_view name, says;
  bool (*has)(TypeKind);
};
constexpr ElementClass classes[] = {
    {"int", "integers of 1 to 64 bits",
     [](TypeKind k) { return isInteger(k) && k != TypeKind::I4; }},
    {"anyint", "integers", [](TypeKind k) { return isInteger(k); }},
    {"i1", "i1", [](TypeKind k) { return k == TypeKind::I1; }},
    {"i8", "i8", [](TypeKind k) { return k == TypeKind::I8; }},
    {"i32", "i32", [](TypeKind k) { return k == TypeKind::I32; }},
    {"i64", "i64", [](TypeKind k) { return k == TypeKind::I64; }},
    {"float", "f16, bf16, f32 or f64",
     [](TypeKind k) {
       return k == TypeKind::F16 || k == TypeKind::BF16 || k == TypeKind::F32 || k == TypeKind::F64;
     }},
    {"anyfloat", "floating-point numbers", [](TypeKind k) { return isFloat(k); }},
    {"number", "numbers", [](TypeKind k) { return isElement(k); }},
    {"ptr", "pointers", [](TypeKind k) { return k == TypeKind::Pointer; }},
    {"any", "elements", [](TypeKind) { return true; }},
    {"intptr", "integers or pointers",
     [](TypeKind k) { return isInteger(k) || k == TypeKind::Pointer; }},
};

class Matcher {
public:
  explicit Matcher(const Signed &types) : types(types) {}

  Problem match(std::string_view word, Index index, const std::string &what) {
    const Type &type = types.program.type(index);
    auto wants = [&](std::string_view expected) -> Problem {
      return cat("expects ", expected, " as ", what, ", but got ", typeText(types.program, index));
    };
    if (word == "any")
      return {};
    if (word == "token")
      return type.kind == TypeKind::Token ? Problem() : wants("a token");
    if (word == "tensor")
      return type.kind == TypeKind::TensorView ? Problem() : wants("a tensor_view");
    if (word == "view")
      return isView(type.kind) ? Problem() : wants("a view");
    if (type.kind != TypeKind::Tile)
      return wants("a tile");
    return tile(word, type, wants);
  }

private:
  template <class Wants> Problem tile(std::string_view word, const Type &type, Wants wants) {
    char shape = word[0];
    if (shape == '0' && !type.shape.empty())
      return wants("a scalar");
    if (shape >= 'A' && shape <= 'Z') {
      const Type *&first = shapes[shape - 'A'];
      first = first ? first : &type;
      if (first->shape != type.shape)
        return wants("a tile of the shape of the others");
    }
    if (size_t slash = word.find('/'); slash != word.npos) {
      Index &first = elements[word[slash + 1] - 'a'];
      // A program may have the same type twice; pointers are compared by what they point to.
      if (first == tile_bytecode::noIndex)
        first = type.element;
      else if (!same(first, type.element))
        return wants("a tile with elements of the type of the others");
    }
    size_t colon = word.find(':');
    if (colon == word.npos)
      return {};
    for (const ElementClass &c : classes)
      if (c.name == word.substr(colon + 1))
        return c.has(types.element(type)) ? Problem() : wants(cat("a tile of ", c.says));
    return wants("a class of elements that Signature.cpp has");
  }
  bool same(Index a, Index b) const {
    const Type &x = types.program.type(a), &y = types.program.type(b);
    return a == b ||
           (x.kind == y.kind && (x.kind != TypeKind::Pointer || same(x.element, y.element)));
  }

  const Signed &types;
  const Type *shapes[26] = {};
  std::vector<Index> elements = std::vector<Index>(26, tile_bytecode::noIndex);
};

std::string_view takeWord(std::string_view &text) {
  while (!text.empty() && text[0] == ' ')
    text.remove_prefix(1);
  size_t end = std::min(text.find(' '), text.size());
  std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

} // namespace

std::optional<std::string> checkSignature(std::string_view signature, const Signed &types) {
  const OpRow &row = rowOf(types.instruction.op);
  Matcher matcher(types);
  size_t operand = 0;
  for (size_t column = 0; column < row.operands.size(); ++column) {
    std::string_view word = takeWord(signature);
    for (size_t k = types.countOf(column); k; --k, ++operand)
      if (Problem problem = matcher.match(word, types.operands[operand],
                                          cat("operand '", row.operands[column].name, "'")))
        return problem;
  }
  takeWord(signature); // ->
  size_t result = 0;
  std::span<const Index> results = types.function.results(types.instruction);
  for (const auto &column : row.results) {
    std::string_view word = takeWord(signature);
    size_t count = column.isVariadic ? results.size() : 1;
    for (size_t k = 0; k < count; ++k, ++result)
      if (Problem problem = matcher.match(word, results[result], cat("result '", column.name, "'")))
        return problem;
  }
  return {};
}

} // namespace tessera::tile_eval
