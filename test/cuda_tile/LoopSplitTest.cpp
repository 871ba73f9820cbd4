// The pass loop-split on numbers: the loops visit the same numbers and take the same branches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops are over i8, so that bounds at both ends of the type, steps and splits can all be tried.
#include "Reports.h"

#include "tessera/cuda_tile/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/TypeSwitch.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tessera::cuda_tile;
using namespace tessera::cuda_tile::test;

namespace {

/// Runs scalar integer code. Fills a trace: each `print_tko` adds its operands.
class Machine {
public:
  explicit Machine(DenseMap<Value, APInt> values) : values(std::move(values)) {}

  void run(Block &block) {
    for (Operation &op : block)
      step(op);
  }
  std::vector<int64_t> trace;

private:
  APInt &at(Value value) { return values[value]; }
  void step(Operation &op) {
    auto binary = [&](auto own, auto meaning) {
      at(own) = meaning(at(own.getLhs()), at(own.getRhs()));
    };
    TypeSwitch<Operation *>(&op)
        .Case([&](ConstantOp own) {
          at(own) = cast<DenseElementsAttr>(own.getValue()).getSplatValue<APInt>();
        })
        .Case([&](AddIOp own) { binary(own, [](APInt a, APInt b) { return a + b; }); })
        .Case([&](SubIOp own) { binary(own, [](APInt a, APInt b) { return a - b; }); })
        .Case([&](MulIOp own) { binary(own, [](APInt a, APInt b) { return a * b; }); })
        .Case([&](RemIOp own) {
          ASSERT_EQ(own.getSignedness(), Signedness::Unsigned);
          binary(own, [](APInt a, APInt b) { return a.urem(b); });
        })
        .Case([&](DivIOp own) {
          ASSERT_EQ(own.getSignedness(), Signedness::Signed);
          ASSERT_EQ(own.getRounding(), tessera::cuda_tile::RoundingMode::PositiveInf);
          binary(own, [](APInt a, APInt b) {
            int64_t x = a.getSExtValue(), y = b.getSExtValue();
            return APInt(a.getBitWidth(), uint64_t(x / y + (x % y != 0 && (x < 0) == (y < 0))),
                         true, true);
          });
        })
        .Case([&](MinIOp own) {
          bool isSigned = own.getSignedness() == Signedness::Signed;
          binary(own, [&](APInt a, APInt b) { return (isSigned ? a.slt(b) : a.ult(b)) ? a : b; });
        })
        .Case([&](MaxIOp own) {
          ASSERT_EQ(own.getSignedness(), Signedness::Signed);
          binary(own, [](APInt a, APInt b) { return a.sgt(b) ? a : b; });
        })
        .Case([&](CmpIOp own) {
          APInt a = at(own.getLhs()), b = at(own.getRhs());
          using enum ComparisonPredicate;
          bool answer = false;
          switch (own.getComparisonPredicate()) {
          case LessThan: answer = a.slt(b); break;
          case LessThanOrEqual: answer = a.sle(b); break;
          case GreaterThan: answer = a.sgt(b); break;
          case GreaterThanOrEqual: answer = a.sge(b); break;
          default: FAIL();
          }
          at(own) = APInt(1, answer);
        })
        .Case([&](ForOp own) {
          // Without wrap-around: a number past the largest is not reached.
          int64_t upper = at(own.getUpperBound()).getSExtValue(),
                  by = at(own.getStep()).getSExtValue();
          for (int64_t i = at(own.getLowerBound()).getSExtValue(); i < upper; i += by) {
            at(own.getInductionVar()) = APInt(8, uint64_t(i), true);
            run(*own.getBody());
          }
        })
        .Case([&](IfOp own) {
          if (at(own.getCondition()).isOne())
            run(*own.getThenBlock());
          else if (own.getElseBlock())
            run(*own.getElseBlock());
        })
        .Case([&](PrintTkoOp own) {
          for (Value argument : own.getArgs())
            trace.push_back(at(argument).getSExtValue());
        })
        .Case<YieldOp, ContinueOp, ReturnOp>([](auto) {})
        .Default([](Operation *other) { FAIL() << other->getName().getStringRef().str(); });
  }

  DenseMap<Value, APInt> values;
};

/// Numbers of a loop; those that are known to the compiler are constants in its text.
struct Numbers {
  int lower, upper, step, split;
};
std::string loop(const char *predicate, bool swapped, const Numbers &numbers, unsigned known) {
  std::string text = "cuda_tile.module @m {\nentry @k(%a0: tile<i8>, %a1: tile<i8>, %a2: tile<i8>, "
                     "%a3: tile<i8>) {\n";
  const int all[] = {numbers.lower, numbers.upper, numbers.step, numbers.split};
  std::string names[4];
  for (unsigned i = 0; i < 4; ++i) {
    names[i] = (known >> i & 1 ? "%c" : "%a") + std::to_string(i);
    if (known >> i & 1)
      text += names[i] + " = constant <i8: " + std::to_string(all[i]) + "> : tile<i8>\n";
  }
  text += "%one = constant <i8: 1> : tile<i8>\n%two = constant <i8: 2> : tile<i8>\n";
  text += "for %i in (" + names[0] + " to " + names[1] + ", step " + names[2] + ") : tile<i8> {\n";
  text += std::string("%below = cmpi ") + predicate + " " +
          (swapped ? names[3] + ", %i" : "%i, " + names[3]) + ", signed : tile<i8> -> tile<i1>\n";
  text += "if %below { print_tko \"%d %d\", %one, %i : tile<i8>, tile<i8> -> token } "
          "else { print_tko \"%d %d\", %two, %i : tile<i8>, tile<i8> -> token }\n}\n return\n}\n}";
  return text;
}
std::vector<int64_t> traceOf(TileModuleOp module, const Numbers &numbers) {
  auto entry = cast<EntryOp>(module.getBody().front().front());
  DenseMap<Value, APInt> values;
  const int all[] = {numbers.lower, numbers.upper, numbers.step, numbers.split};
  for (auto [argument, number] : llvm::zip(entry.getBody().getArguments(), all))
    values[argument] = APInt(8, uint64_t(number), true);
  Machine machine(std::move(values));
  machine.run(entry.getBody().front());
  return machine.trace;
}

TEST(LoopSplit, VisitsTheSameNumbersWithTheSameBranches) {
  const int ends[] = {-128, -127, -100, -3, 0, 1, 5, 100, 126, 127},
            splits[] = {-128, -50, -1, 0, 2, 60, 126, 127};
  size_t loops = 0, twice = 0;
  for (const char *predicate :
       {"less_than", "less_than_or_equal", "greater_than", "greater_than_or_equal"})
    for (bool swapped : {false, true})
      // Bits: lower and upper bound, step, split.
      for (unsigned known : {0u, 4u, 8u, 12u, 15u}) {
        Reports reports;
        PassManager passes(&reports.context);
        passes.nest<TileModuleOp>().nest<EntryOp>().addPass(createLoopSplit());
        auto check = [&](ModuleOp module, ArrayRef<Numbers> all) {
          auto tile = cast<TileModuleOp>(module.getBody()->front());
          std::vector<std::vector<int64_t>> before;
          for (const Numbers &numbers : all)
            before.push_back(traceOf(tile, numbers));
          ASSERT_TRUE(succeeded(passes.run(module))) << reports.all();
          size_t made = 0;
          tile.walk([&](ForOp) { ++made; });
          ASSERT_EQ(made, 2u);
          twice += made == 2;
          for (auto [numbers, was] : llvm::zip(all, before)) {
            ++loops;
            ASSERT_EQ(traceOf(tile, numbers), was)
                << predicate << (swapped ? " swapped" : "") << " known " << known << ": "
                << numbers.lower << " to " << numbers.upper << " step " << numbers.step << " split "
                << numbers.split;
          }
        };
        // A program for each set of known numbers, run on all others.
        for (int step : {1, 2, 3, 100, 127})
          for (int split : splits) {
            if ((!(known & 4) && step != 1) || (!(known & 8) && split != splits[0]))
              continue;
            std::vector<Numbers> all;
            for (int lower : ends)
              for (int upper : ends)
                for (int someStep : {1, 2, 3, 100, 127})
                  for (int someSplit : splits)
                    if ((!(known & 4) || someStep == step) && (!(known & 8) || someSplit == split))
                      all.push_back({lower, upper, someStep, someSplit});
            if (!(known & 1)) {
              auto module = parseSourceString<ModuleOp>(
                  loop(predicate, swapped, {0, 0, step, split}, known), &reports.context);
              ASSERT_TRUE(module) << reports.all();
              check(*module, all);
              continue;
            }
            for (const Numbers &numbers : all) {
              auto module = parseSourceString<ModuleOp>(loop(predicate, swapped, numbers, known),
                                                        &reports.context);
              ASSERT_TRUE(module) << reports.all();
              check(*module, numbers);
            }
          }
      }
  EXPECT_GT(loops, 100000u);
  EXPECT_GT(twice, 20000u);
}

} // namespace
