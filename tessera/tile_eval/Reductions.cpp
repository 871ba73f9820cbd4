// reduce and scan: combiners that run for all other elements at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of combination is not specified. `reduce` combines neighbours in pairs, then pairs of
// those, so that an order that matters is kept and the error of a sum stays small. The identities
// are for elements that a compiler adds, and here none are added: with them the maximum of nothing
// but NaNs, which maxf leaves out, would be -inf. `scan` begins with the identities and goes along
// the dimension.
#include "tessera/tile_eval/Semantics.h"

#include <algorithm>

namespace tessera::tile_eval {

namespace {

/// Whether a combiner may run for many elements at once.
bool isElementwise(const Step &step, const Region &region) {
  auto isScalar = [&](Index type) { return step.program().type(type).shape.empty(); };
  return std::all_of(region.body.begin(), region.body.end(), [&](const Instruction &i) {
    if (i.op == Op::Yield)
      return true;
    std::span<const Index> results = step.block.function().results(i);
    return semanticsOf(i.op).isElementwise && std::all_of(results.begin(), results.end(), isScalar);
  });
}

/// One list of elements for each operand.
using Lists = std::vector<Codes>;

class Combiner {
public:
  Combiner(Step &step, const Region &region)
      : step(step), region(region), atOnce(isElementwise(step, region)) {}

  /// combine(current, accumulated), element by element.
  Result<Lists> operator()(const Lists &current, const Lists &accumulated) {
    size_t count = current[0].size();
    if (atOnce || count == 1)
      return run(current, accumulated, count);
    Lists out(current.size(), Codes(count));
    for (size_t i = 0; i < count; ++i) {
      Lists one(current.size()), other(current.size());
      for (size_t k = 0; k < current.size(); ++k) {
        one[k] = {current[k][i]};
        other[k] = {accumulated[k][i]};
      }
      TESSERA_TRY(Lists result, run(one, other, 1));
      for (size_t k = 0; k < current.size(); ++k)
        out[k][i] = result[k][0];
    }
    return out;
  }

private:
  Result<Lists> run(const Lists &current, const Lists &accumulated, size_t count) {
    std::vector<Value> arguments, results;
    for (size_t k = 0; k < current.size(); ++k)
      for (const Codes *codes : {&current[k], &accumulated[k]}) {
        Index type = region.arguments[arguments.size()];
        arguments.push_back({.type = type, .codes = std::make_shared<const Codes>(*codes)});
      }
    TESSERA_CHECK(step.block.runBatch(region, count, std::move(arguments), results));
    Lists out;
    for (const Value &value : results) {
      out.push_back(*value.codes);
      if (out.back().size() != count)
        out.back().assign(count, out.back()[0]);
    }
    return out;
  }

  Step &step;
  const Region &region;
  bool atOnce;
};

/// How the dimension of a tile lies between the others: element (o, k, i) is at
/// (o * along + k) * inner + i.
struct Split {
  size_t outer = 1, along = 1, inner = 1;
};
Split splitOf(const Type &type, size_t dim) {
  Split out;
  for (size_t d = 0; d < type.shape.size(); ++d)
    (d < dim ? out.outer : d == dim ? out.along : out.inner) *= size_t(type.shape[d]);
  return out;
}
/// The elements at places first, first + by, ... along the dimension, `count` of them: list element
/// (o, c, i).
Codes pick(const Codes &in, const Split &s, size_t first, size_t by, size_t count) {
  Codes out(s.outer * count * s.inner);
  for (size_t o = 0; o < s.outer; ++o)
    for (size_t c = 0; c < count; ++c)
      std::copy_n(&in[(o * s.along + first + c * by) * s.inner], s.inner,
                  &out[(o * count + c) * s.inner]);
  return out;
}

/// The type of an identity. That of i1 may be written as a boolean, which says no type.
TypeKind statedBy(const Program &program, const tile_bytecode::Attribute &identity) {
  return identity.kind == tile_bytecode::Attribute::Bool ? TypeKind::I1
                                                         : program.type(identity.type).kind;
}
/// The identity of each operand, repeated for all elements.
Lists identities(const Step &step, size_t column, size_t count) {
  Lists out;
  for (size_t k = 0; k < step.operandCount(); ++k) {
    const tile_bytecode::Attribute &identity = step.complexAttribute(column).items[k];
    TypeKind stated = statedBy(step.program(), identity), element = step.elementOf(k);
    // f16 and bf16 may be mixed.
    uint64_t code = stated == element || !isFloat(element)
                        ? identity.value
                        : encode(element, decode(stated, identity.value));
    out.push_back(Codes(count, code));
  }
  return out;
}

Status runReduce(Step &step) {
  Split split = splitOf(step.operandType(0), step.attribute(0));
  size_t operands = step.operandCount();
  Combiner combine(step, step.instruction.regions[0]);
  Lists lists;
  for (size_t k = 0; k < operands; ++k)
    lists.push_back(step.codes(k));
  while (split.along > 1) { // a power of two
    Lists current, accumulated;
    for (Codes &list : lists) {
      current.push_back(pick(list, split, 1, 2, split.along / 2));
      accumulated.push_back(pick(list, split, 0, 2, split.along / 2));
    }
    TESSERA_TRY(lists, combine(current, accumulated));
    split.along /= 2;
  }
  for (Codes &list : lists)
    step.add(std::move(list));
  return Done{};
}

Status runScan(Step &step) {
  Split split = splitOf(step.operandType(0), step.attribute(0));
  bool isReverse = step.attribute(1);
  size_t operands = step.operandCount(), rest = split.outer * split.inner;
  Combiner combine(step, step.instruction.regions[0]);
  Lists accumulated = identities(step, 2, rest), out;
  for (size_t k = 0; k < operands; ++k)
    out.push_back(Codes(step.codes(k).size()));
  for (size_t n = 0; n < split.along; ++n) {
    size_t at = isReverse ? split.along - 1 - n : n;
    Lists current;
    for (size_t k = 0; k < operands; ++k)
      current.push_back(pick(step.codes(k), split, at, 1, 1));
    TESSERA_TRY(accumulated, combine(current, accumulated));
    for (size_t k = 0; k < operands; ++k)
      for (size_t o = 0; o < split.outer; ++o)
        std::copy_n(&accumulated[k][o * split.inner], split.inner,
                    &out[k][(o * split.along + at) * split.inner]);
  }
  for (Codes &list : out)
    step.add(std::move(list));
  return Done{};
}

//===--- Checks

using Problem = std::optional<std::string>;

bool isPure(Op op) {
  switch (op) {
  case Op::Assert:
  case Op::PrintTko:
  case Op::AtomicCASTko:
  case Op::AtomicRMWTko:
  case Op::AtomicRedViewTko:
  case Op::LoadPtrTko:
  case Op::LoadViewTko:
  case Op::StorePtrTko:
  case Op::StoreViewTko:
  case Op::Alloca:
  case Op::Return:
  case Op::GdcLaunchDependentsTko:
  case Op::GdcWaitTko:
  case Op::MemoryFenceAliasTko: return false;
  default: return true;
  }
}

/// The first instruction of a list, or of the regions in it, that a combiner may not have.
const Instruction *findImpure(const std::vector<Instruction> &body) {
  for (const Instruction &i : body) {
    if (!isPure(i.op))
      return &i;
    for (const Region &region : i.regions)
      if (const Instruction *inside = findImpure(region.body))
        return inside;
  }
  return nullptr;
}

Problem checkRegion(const Signed &s, size_t column) {
  const Region &region = s.instruction.regions[0];
  const auto &identities = s.program.attributes[s.attribute(column)].items;
  size_t n = s.operands.size();
  if (n == 0 || s.results() != n || identities.size() != n || region.arguments.size() != 2 * n)
    return cat("expects as many results and identities as operands, and twice as many arguments, "
               "but got ",
               n, " operands");
  if (region.body.empty() || region.body.back().op != Op::Yield ||
      s.function.operands(region.body.back()).size() != n)
    return cat("expects a region that yields ", n, " values");
  if (const Instruction *i = findImpure(region.body))
    return cat("expects a region of pure ops, but got ", rowOf(i->op).name);
  for (size_t k = 0; k < n; ++k) {
    TypeKind element = s.element(s.operand(k));
    for (size_t a : {2 * k, 2 * k + 1}) {
      const Type &argument = s.program.type(region.arguments[a]);
      if (argument.kind != TypeKind::Tile || !argument.shape.empty() ||
          s.element(argument) != element)
        return cat("expects scalars of ", rowOf(element).text, " as arguments of its region");
    }
    auto kind = identities[k].kind;
    if (kind != tile_bytecode::Attribute::Integer && kind != tile_bytecode::Attribute::Float &&
        kind != tile_bytecode::Attribute::Bool)
      return "expects numbers as identities";
    TypeKind stated = statedBy(s.program, identities[k]);
    bool isMixed = (stated == TypeKind::F16 && element == TypeKind::BF16) ||
                   (stated == TypeKind::BF16 && element == TypeKind::F16);
    if (stated != element && !isMixed)
      return cat("expects identities of the type of the operands, but got ", rowOf(stated).text);
  }
  if (s.attribute(0) >= s.operand(0).shape.size())
    return cat("expects a dimension below ", s.operand(0).shape.size(), ", but got ",
               s.attribute(0));
  return {};
}
Problem checkResult(const Signed &s, bool dropsDimension) {
  for (size_t k = 0; k < s.operands.size(); ++k) {
    std::vector<int64_t> shape = s.operand(k).shape;
    if (shape != s.operand(0).shape)
      return "expects operands of one shape";
    if (dropsDimension)
      shape.erase(shape.begin() + ptrdiff_t(s.attribute(0)));
    if (s.result(k).shape != shape || s.element(s.result(k)) != s.element(s.operand(k)))
      return cat("expects result ", k, " to have the type of its operand",
                 dropsDimension ? " without the reduced dimension" : "");
  }
  return {};
}
Problem checkReduce(const Signed &s) {
  Problem problem = checkRegion(s, 1);
  return problem ? problem : checkResult(s, true);
}
Problem checkScan(const Signed &s) {
  Problem problem = checkRegion(s, 2);
  return problem ? problem : checkResult(s, false);
}

constexpr Semantics rows[] = {
    {Op::Reduce, "*:number -> *:number", runReduce, checkReduce},
    {Op::Scan, "*:number -> *:number", runScan, checkScan},
};

} // namespace

std::span<const Semantics> reductionRows() { return rows; }

} // namespace tessera::tile_eval
