// The place in the grid, assumptions, assertions, prints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_eval/Print.h"
#include "tessera/tile_eval/Semantics.h"

namespace tessera::tile_eval {

namespace {

using tile_bytecode::Attribute;
using Problem = std::optional<std::string>;

Status addThree(Step &step, const std::array<uint32_t, 3> &numbers) {
  for (uint32_t n : numbers)
    step.add(Codes{n});
  return Done{};
}
Status runBlockId(Step &step) { return addThree(step, step.block.id); }
Status runGrid(Step &step) { return addThree(step, step.block.launch.grid); }

//===--- Assumptions

/// Elements of a tile as numbers: integers signed, pointers as addresses.
struct Numbers {
  const Codes &codes;
  unsigned bits; // 0: addresses
  __int128 operator[](size_t i) const {
    return bits ? __int128(signedOf(codes[i], bits)) : __int128(codes[i]);
  }
};
size_t product(const std::vector<int64_t> &shape, size_t from) {
  size_t count = 1;
  for (size_t d = from; d < shape.size(); ++d)
    count *= size_t(shape[d]);
  return count;
}

/// The first element at which a predicate does not hold.
class Assumption {
public:
  Assumption(const Step &step, const Attribute &predicate)
      : step(step), predicate(predicate), type(step.operandType(0)) {
    bool isPointer = step.elementOf(0) == TypeKind::Pointer;
    bits = isPointer ? 0 : bitsOf(step.elementOf(0));
    if (isPointer)
      unit =
          rowOf(step.program().type(step.program().type(type.element).element).kind).memoryBits / 8;
  }
  std::optional<size_t> findViolation() const {
    switch (predicate.kind) {
    case Attribute::DivBy: return divisible();
    case Attribute::SameElements: return same();
    default: return bounded();
    }
  }

private:
  std::optional<size_t> bounded() const {
    Numbers numbers{step.codes(0), bits};
    for (size_t i = 0; i < numbers.codes.size(); ++i)
      if ((predicate.first && numbers[i] < *predicate.first) ||
          (predicate.second && numbers[i] > *predicate.second))
        return i;
    return {};
  }
  /// In groups of `every` along a dimension the first number is divisible, the others follow it one
  /// by one, pointers by elements.
  std::optional<size_t> divisible() const {
    Numbers numbers{step.codes(0), bits};
    size_t dim = size_t(predicate.second.value_or(0));
    size_t every = predicate.first ? size_t(*predicate.first) : 1;
    size_t inner = type.shape.empty() ? 1 : product(type.shape, dim + 1);
    size_t along = type.shape.empty() ? 1 : size_t(type.shape[dim]);
    for (size_t i = 0; i < numbers.codes.size(); ++i) {
      size_t within = i / inner % along % every;
      __int128 first = numbers[i] - __int128(within) * (bits ? 1 : unit);
      bool follows = within == 0 || numbers[i - within * inner] == first;
      if (!follows || first % __int128(predicate.value) != 0)
        return i;
    }
    return {};
  }
  /// Elements are equal in groups, whose extents the predicate gives for each dimension.
  std::optional<size_t> same() const {
    const Codes &codes = step.codes(0);
    for (size_t i = 0; i < codes.size(); ++i) {
      size_t first = 0, rest = i;
      for (size_t d = 0; d < type.shape.size(); ++d) {
        size_t inner = product(type.shape, d + 1), at = rest / inner;
        rest %= inner;
        first += at / size_t(predicate.numbers[d]) * size_t(predicate.numbers[d]) * inner;
      }
      if (codes[i] != codes[first])
        return i;
    }
    return {};
  }

  const Step &step;
  const Attribute &predicate;
  const Type &type;
  unsigned bits;
  size_t unit = 1; // bytes from one pointer to the next
};

std::string predicateText(const Attribute &p) {
  auto bound = [](const std::optional<int64_t> &n) { return n ? std::to_string(*n) : "?"; };
  switch (p.kind) {
  case Attribute::DivBy:
    return cat("div_by<", p.value, p.first ? cat(", every ", *p.first) : "",
               p.second ? cat(" along ", *p.second) : "", ">");
  case Attribute::SameElements: {
    std::string list;
    for (int64_t n : p.numbers)
      list += cat(list.empty() ? "" : ", ", n);
    return cat("same_elements<[", list, "]>");
  }
  default: return cat("bounded<", bound(p.first), ", ", bound(p.second), ">");
  }
}

Status runAssume(Step &step) {
  const Value &value = step.operand(0);
  if (!value.codes) {
    step.add(value.view);
    return Done{};
  }
  if (step.block.launch.options.checksAssumptions) {
    const Attribute &predicate = step.complexAttribute(0);
    if (auto at = Assumption(step, predicate).findViolation()) {
      bool isPointer = step.elementOf(0) == TypeKind::Pointer;
      uint64_t code = (*value.codes)[*at];
      return step.failAt(Error::Assumption, step.operandType(0), *at, predicateText(predicate),
                         isPointer ? std::to_string(code)
                                   : std::to_string(signedOf(code, bitsOf(step.elementOf(0)))));
    }
  }
  step.add(value.codes);
  return Done{};
}
Problem checkAssume(const Signed &s) {
  const Attribute &predicate = s.program.attributes[s.attribute(0)];
  const Type &type = s.operand(0);
  if (!(s.result(0) == type))
    return "expects a result of the type of its operand";
  if (type.kind == TypeKind::TensorView)
    return predicate.kind == Attribute::DivBy ? Problem() : "expects div_by for a tensor_view";
  if (type.kind != TypeKind::Tile || isFloat(s.element(type)))
    return "expects a tile of integers or pointers, or a tensor_view";
  size_t rank = type.shape.size();
  if (predicate.kind == Attribute::DivBy) {
    if (predicate.value == 0 || (predicate.value & (predicate.value - 1)) ||
        predicate.value > uint64_t(1) << 62)
      return cat("expects a divisor that is a power of two up to 2^62, but got ", predicate.value);
    if ((predicate.first && *predicate.first <= 0) ||
        (predicate.second && (*predicate.second < 0 || size_t(*predicate.second) >= rank)))
      return "expects a group above 0 and a dimension of the tile";
  }
  if (predicate.kind == Attribute::SameElements) {
    if (predicate.numbers.size() != rank)
      return cat("expects ", rank, " numbers of equal elements, but got ",
                 predicate.numbers.size());
    for (int64_t n : predicate.numbers)
      if (n <= 0)
        return cat("expects numbers of equal elements above 0, but got ", n);
  }
  if (predicate.kind == Attribute::Bounded && s.element(type) == TypeKind::Pointer)
    return "expects integers for bounded";
  return {};
}

//===--- Assertions and prints

Status runAssert(Step &step) {
  const Codes &condition = step.codes(0);
  for (size_t i = 0; i < condition.size(); ++i)
    if (!condition[i])
      return step.failAt(Error::AssertFailed, step.operandType(0), i,
                         step.program().text(Index(step.attribute(0))));
  return Done{};
}

Status runPrint(Step &step) {
  std::vector<Printed> arguments;
  for (size_t i = 0; i < step.countOf(0); ++i)
    arguments.push_back({step.operandType(i).shape, step.elementOf(i), step.codes(i)});
  std::string_view format = step.program().text(Index(step.attribute(0)));
  std::optional<std::string> text = formatted(format, arguments);
  if (!text)
    return fail(Error::PrintFormat, step.where(), format, arguments.size());
  std::string &output = step.block.launch.output;
  if (output.size() + text->size() <= mostOutput)
    output += *text;
  const Value *token = step.optional(1);
  step.addToken(token ? token->order : nullptr);
  return Done{};
}

constexpr Semantics rows[] = {
    {Op::GetTileBlockId, "-> 0:i32 0:i32 0:i32", runBlockId},
    {Op::GetNumTileBlocks, "-> 0:i32 0:i32 0:i32", runGrid},
    {Op::Assume, "any -> any", runAssume, checkAssume},
    {Op::Assert, "*:i1 ->", runAssert},
    {Op::PrintTko, "*:any token -> token", runPrint},
    // Control flow; TileBlock.cpp runs it, Verify.cpp checks it.
    {Op::For, "0/e:int 0/e 0/e any -> any"},
    {Op::Loop, "any -> any"},
    {Op::If, "0:i1 -> any"},
    {Op::Break, "any ->"},
    {Op::Continue, "any ->"},
    {Op::Yield, "any ->"},
    {Op::Return, "any ->"},
};

} // namespace

std::span<const Semantics> otherRows() { return rows; }

} // namespace tessera::tile_eval
