// The rules of tiles, tensor views and views.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_bytecode/TypeRules.h"

#include <bit>

namespace tessera::tile_bytecode {

namespace {

using Problem = std::optional<std::string>;

bool isPowerOfTwo(int64_t n) { return n > 0 && std::has_single_bit(uint64_t(n)); }
std::string shown(int64_t n) { return n == dynamic ? "?" : std::to_string(n); }

class Rules {
public:
  Rules(const Program &program, const Type &type)
      : program(program), type(type), name(rowOf(type.kind).text) {}

  Problem pointer() const {
    if (!isElement(element()))
      return wants("a type of elements to point to", rowOf(element()).text);
    return {};
  }
  Problem tile() const {
    if (!isElement(element()) && element() != TypeKind::Pointer)
      return wants("elements that are numbers or pointers", rowOf(element()).text);
    if (Problem problem = tileShape())
      return problem;
    if (element() == TypeKind::F4E2M1FN && elementsOf(type) % 2)
      return wants("an even number of elements of 4 bits", elementsOf(type));
    return {};
  }
  Problem tensorView() const {
    if (!isElement(element()))
      return wants("elements that are numbers", rowOf(element()).text);
    if (type.shape.size() != type.strides.size())
      return wants(cat("as many strides as extents, ", type.shape.size()), type.strides.size());
    for (const auto *numbers : {&type.shape, &type.strides})
      for (int64_t n : *numbers)
        if (n != dynamic && n <= 0)
          return wants("extents and strides above 0, or dynamic ones", n);
    return {};
  }
  Problem view() const {
    if (element() != TypeKind::TensorView)
      return wants("a tensor_view", rowOf(element()).text);
    size_t rank = program.type(type.element).shape.size();
    if (type.shape.size() != rank)
      return wants(cat("a tile of the rank of its tensor_view, ", rank), type.shape.size());
    if (Problem problem = tileShape())
      return problem;
    if (type.padding && *type.padding != PaddingValue::Zero &&
        !isFloat(program.type(program.type(type.element).element).kind))
      return wants(
          cat("elements of a floating-point type for the padding ", keyword(*type.padding)),
          rowOf(program.type(program.type(type.element).element).kind).text);
    if (type.kind == TypeKind::GatherScatterView)
      return type.sparseDim < rank ? Problem()
                                   : wants(cat("a sparse dimension below ", rank), type.sparseDim);
    if (type.kind == TypeKind::StridedView) {
      if (type.strides.size() != rank)
        return wants(cat(rank, " traversal strides"), type.strides.size());
      for (int64_t stride : type.strides)
        if (stride <= 0)
          return wants("traversal strides above 0", stride);
    }
    return dimensions(rank);
  }
  Problem function() const {
    for (const auto *list : {&type.parameters, &type.results})
      for (Index i : *list)
        if (program.type(i).kind == TypeKind::Function)
          return wants("no functions among its parameters and results", "one");
    return {};
  }

private:
  template <class Got> std::string wants(std::string_view what, const Got &got) const {
    return cat(name, " expects ", what, ", but got ", got);
  }
  TypeKind element() const { return program.type(type.element).kind; }

  Problem tileShape() const {
    int64_t count = 1;
    for (int64_t extent : type.shape) {
      if (!isPowerOfTwo(extent))
        return wants("each extent of a tile to be a power of two", shown(extent));
      if (extent > mostElements || count > mostElements / extent)
        return wants(cat("at most ", mostElements, " elements"), "more");
      count *= extent;
    }
    return {};
  }
  /// The tile's dimensions walk each dimension of the tensor once.
  Problem dimensions(size_t rank) const {
    if (type.dims.size() != rank)
      return wants(cat("a dim_map of ", rank, " dimensions"), type.dims.size());
    std::vector<bool> seen(rank);
    for (int32_t dim : type.dims) {
      if (dim < 0 || size_t(dim) >= rank || seen[size_t(dim)])
        return wants("a dim_map that is a permutation", dim);
      seen[size_t(dim)] = true;
    }
    return {};
  }

  const Program &program;
  const Type &type;
  std::string_view name;
};

} // namespace

std::optional<std::string> checkType(const Program &program, const Type &type) {
  Rules rules(program, type);
  switch (type.kind) {
  case TypeKind::Pointer: return rules.pointer();
  case TypeKind::Tile: return rules.tile();
  case TypeKind::TensorView: return rules.tensorView();
  case TypeKind::PartitionView:
  case TypeKind::StridedView:
  case TypeKind::GatherScatterView: return rules.view();
  case TypeKind::Function: return rules.function();
  default: return {};
  }
}

Version keywordSince(const Program &program, Op op, const AttributeColumn &column, uint64_t keyword,
                     Index result) {
  Version since{13, column.keywords[keyword].minor};
  if (op != Op::FToF || !isDirected(RoundingMode(keyword)))
    return since;
  Index element = result < program.types.size() ? program.type(result).element : noIndex;
  bool toScale =
      element < program.types.size() && program.type(element).kind == TypeKind::F8E8M0FNU;
  return toScale ? since : std::max(since, Version{13, 4});
}

} // namespace tessera::tile_bytecode
