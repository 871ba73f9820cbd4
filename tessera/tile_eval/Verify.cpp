// verify: the types of all instructions of a function, and where control flow goes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_eval/Semantics.h"

#include <algorithm>
#include <array>

namespace tessera::tile_eval {

namespace {

using Types = std::vector<Index>;
using Problem = std::optional<std::string>;

bool isTerminator(Op op) {
  return op == Op::Break || op == Op::Continue || op == Op::Yield || op == Op::Return;
}

/// The terminators that a block may have, with the types of their operands; null: not allowed here.
struct Targets {
  const Types *forContinue = nullptr, *forBreak = nullptr, *forYield = nullptr;
  bool mayReturn = false;
};

class Verifier {
public:
  Verifier(const Program &program, const tile_bytecode::Function &function)
      : program(program), function(function) {}

  Status run() {
    values = program.type(function.type).parameters;
    return list(function.body, {.mayReturn = true});
  }

private:
  Reason wrong(const Instruction &i, const std::string &problem) const {
    return fail(Error::Unverified, rowOf(i.op).name, problem);
  }
  bool same(Index a, Index b) const {
    return a == b || typeText(program, a) == typeText(program, b);
  }
  bool same(std::span<const Index> a, std::span<const Index> b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](Index x, Index y) { return same(x, y); });
  }
  std::string shown(std::span<const Index> types) const {
    std::string out;
    for (Index type : types)
      out += cat(out.empty() ? "" : ", ", typeText(program, type));
    return cat("(", out, ")");
  }

  Status list(const std::vector<Instruction> &body, const Targets &targets) {
    for (const Instruction &i : body) {
      TESSERA_CHECK(one(i, targets));
      if (isTerminator(i.op) && &i != &body.back())
        return wrong(i, "expects to be the last instruction of its block");
      std::span<const Index> results = function.results(i);
      values.insert(values.end(), results.begin(), results.end());
    }
    return Done{};
  }

  Status one(const Instruction &i, const Targets &targets) {
    Signed types{program, function, i, {}};
    for (Index operand : function.operands(i)) {
      if (operand >= values.size())
        return wrong(i, "expects values that are defined before their use");
      types.operands.push_back(values[operand]);
    }
    const Semantics &semantics = semanticsOf(i.op);
    if (semantics.signature.empty())
      return fail(Error::Unsupported, rowOf(i.op).name, "the interpreter does not have this op");
    if (i.regions.size() != rowOf(i.op).regions)
      return wrong(i, cat("expects ", unsigned(rowOf(i.op).regions), " regions, but got ",
                          i.regions.size()));
    if (Problem problem = checkSignature(semantics.signature, types))
      return wrong(i, *problem);
    if (semantics.check)
      if (Problem problem = semantics.check(types))
        return wrong(i, *problem);
    switch (i.op) {
    case Op::For: return forLoop(i, types.operands, targets);
    case Op::Loop: return loop(i, types.operands, targets);
    case Op::If: return condition(i, targets);
    case Op::Reduce:
    case Op::Scan: return combiner(i);
    case Op::Break: return terminator(i, types.operands, targets.forBreak);
    case Op::Continue: return terminator(i, types.operands, targets.forContinue);
    case Op::Yield: return terminator(i, types.operands, targets.forYield);
    case Op::Return:
      return targets.mayReturn && types.operands.empty()
                 ? Status(Done{})
                 : wrong(i, "expects no operands, and to be in no loop");
    default: return Done{};
    }
  }

  Status terminator(const Instruction &i, const Types &operands, const Types *expected) const {
    if (!expected)
      return wrong(i, "expects to be in a block that it can end");
    if (!same(operands, *expected))
      return wrong(i, cat("expects operands of ", shown(*expected), ", but got ", shown(operands)));
    return Done{};
  }

  Status region(const Instruction &i, size_t number, std::span<const Index> arguments,
                const Targets &targets, bool needsTerminator) {
    const Region &region = i.regions[number];
    if (!same(region.arguments, arguments))
      return wrong(i, cat("expects a block with arguments of ", shown(arguments), ", but got ",
                          shown(region.arguments)));
    if (needsTerminator && (region.body.empty() || !isTerminator(region.body.back().op)))
      return wrong(i, "expects a block that ends with a terminator");
    size_t before = values.size();
    values.insert(values.end(), region.arguments.begin(), region.arguments.end());
    TESSERA_CHECK(list(region.body, targets));
    values.resize(before);
    return Done{};
  }

  Status forLoop(const Instruction &i, const Types &operands, const Targets &) {
    Types carried(operands.begin() + 3, operands.end()), arguments{operands[0]};
    arguments.insert(arguments.end(), carried.begin(), carried.end());
    if (!same(carried, function.results(i)))
      return wrong(i, "expects results of the types of its initial values");
    return region(i, 0, arguments, {.forContinue = &carried}, !carried.empty());
  }
  Status loop(const Instruction &i, const Types &operands, const Targets &) {
    Types results(function.results(i).begin(), function.results(i).end());
    return region(i, 0, operands, {.forContinue = &operands, .forBreak = &results},
                  !operands.empty());
  }
  Status condition(const Instruction &i, const Targets &targets) {
    Types results(function.results(i).begin(), function.results(i).end());
    Targets inside = targets;
    inside.forYield = &results;
    for (size_t k = 0; k < 2; ++k)
      TESSERA_CHECK(region(i, k, {}, inside, !results.empty()));
    return Done{};
  }
  /// The semantics of reduce and scan have checked the arguments.
  Status combiner(const Instruction &i) {
    Types yielded;
    for (size_t a = 0; a < i.regions[0].arguments.size(); a += 2)
      yielded.push_back(i.regions[0].arguments[a]);
    return region(i, 0, i.regions[0].arguments, {.forYield = &yielded}, true);
  }

  const Program &program;
  const tile_bytecode::Function &function;
  Types values;
};

} // namespace

const Semantics &semanticsOf(Op op) {
  static const auto rows = [] {
    std::array<Semantics, 256> out{};
    for (std::span<const Semantics> part :
         {arithmeticRows(), integerRows(), conversionRows(), shapeRows(), productRows(),
          reductionRows(), memoryRows(), viewRows(), otherRows()})
      for (const Semantics &row : part)
        out[size_t(row.op)] = row;
    return out;
  }();
  return rows[size_t(op)];
}

Status verify(const Program &program, const tile_bytecode::Function &function) {
  return Verifier(program, function).run();
}

} // namespace tessera::tile_eval
