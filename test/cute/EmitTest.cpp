// Emit on every operation of the algebra: it builds what inference states, and code that computes
// what the interpreter does.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected: the types of Symbolic and the numbers of Interp, which test/layout holds to brute
// force. The code is run by folding op by op, with numbers for the function's arguments, by MLIR's
// own folders.
#include "tessera/cute/Emit.h"
#include "tessera/cute/Cute.h"

#include "test/layout/Property.h"
#include "test/layout/Sample.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace tessera;
using namespace tessera::layout;
using namespace tessera::layout::test;

namespace {

/// A block of code under construction, and numbers for its arguments.
class Code {
public:
  explicit Code(mlir::MLIRContext &context) : builder(&context), emit(builder, &block) {
    builder.setInsertionPointToEnd(&block);
  }

  /// A leaf of the interpreter as an argument.
  Int argument(const Int &leaf, int64_t number) {
    mlir::Type type = builder.getIntegerType(leaf.width == Width::I64 ? 64 : 32);
    mlir::Value value = block.addArgument(type, builder.getUnknownLoc());
    numbers[value] = builder.getIntegerAttr(type, number);
    Int argument = emit.leaf(value);
    argument.div = leaf.div;
    return argument;
  }

  /// Folds all ops in their order; false if one does not fold, as a loop.
  bool run() {
    for (mlir::Operation &op : block) {
      if (auto assertion = llvm::dyn_cast<mlir::cf::AssertOp>(op)) {
        asserted &= number(assertion.getArg()) != 0;
        continue;
      }
      llvm::SmallVector<mlir::Attribute> operands;
      for (mlir::Value operand : op.getOperands())
        operands.push_back(numbers.lookup(operand));
      llvm::SmallVector<mlir::OpFoldResult> folded;
      if (auto constant = llvm::dyn_cast<mlir::arith::ConstantOp>(op))
        folded.push_back(constant.getValue());
      else if (mlir::failed(op.fold(operands, folded)))
        return false;
      for (auto [result, value] : llvm::zip(op.getResults(), folded))
        numbers[result] = llvm::isa<mlir::Attribute>(value)
                              ? llvm::cast<mlir::Attribute>(value)
                              : numbers.lookup(llvm::cast<mlir::Value>(value));
    }
    return true;
  }
  int64_t number(mlir::Value value) const {
    auto integer = llvm::cast<mlir::IntegerAttr>(numbers.lookup(value));
    return integer.getType().isInteger(1) ? int64_t(integer.getValue().getZExtValue())
                                          : integer.getInt();
  }

  mlir::Block block;
  mlir::OpBuilder builder;
  cute::Emit emit;
  bool asserted = true; // whether all assertions held

private:
  llvm::DenseMap<mlir::Value, mlir::Attribute> numbers;
};

template <class F> void forEachDynamic(Values &in, F &&f) {
  auto take = [&](Leaf &leaf) {
    if (!leaf.isStatic())
      f(leaf.value);
  };
  for (AnyLayout &l : in.layouts)
    forEachLeaf(l, take);
  for (Tree &t : in.trees)
    t.forEachLeaf(take);
}
std::vector<Int> leavesOf(Sliced out) {
  std::vector<Int> all;
  auto take = [&](Leaf &leaf) { all.push_back(leaf.value); };
  forEachLeaf(out.layout, take);
  out.offset.forEachLeaf(take);
  return all;
}

class Emitted : public testing::TestWithParam<Property> {
protected:
  Emitted() : context(mlir::MLIRContext::Threading::DISABLED) {
    context.loadDialect<cute::CuteDialect, mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect,
                        mlir::scf::SCFDialect>();
  }
  mlir::MLIRContext context;
};

TEST_P(Emitted, HasTheTypesOfInferenceAndTheNumbersOfTheInterpreter) {
  const Property &property = GetParam();
  Random random(3);
  int compared = 0;
  for (int i = 0; i < cases(100) && !HasFailure(); ++i) {
    Interp interp;
    Values in = loosened(property.make(random), random, interp), given = in;
    Code code(context);
    forEachDynamic(given, [&](Int &leaf) { leaf = code.argument(leaf, interp.valueOf(leaf)); });
    Symbolic types;
    const Result<Sliced> expected = property.run(interp, in),
                         typed = property.run(types, asType(in));
    const Result<Sliced> built = property.run(code.emit, given);
    EXPECT_EQ(layout::test::show(typed), layout::test::show(built)) << show(in);
    if (!built || !expected || interp.violated())
      continue;
    std::vector<Int> is = leavesOf(*built), should = leavesOf(*expected);
    ASSERT_EQ(is.size(), should.size()) << show(in);
    std::vector<mlir::Value> values;
    for (const Int &leaf : is)
      values.push_back(code.emit.value(leaf));
    ASSERT_TRUE(code.run()) << show(in);
    for (size_t k = 0; k < is.size(); ++k)
      EXPECT_EQ(code.number(values[k]), interp.valueOf(should[k])) << show(in) << "leaf " << k;
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

TEST_P(Emitted, AssertsWhereTheInterpreterFindsABrokenAssumption) {
  const Property &property = GetParam();
  Random random(4);
  for (int i = 0; i < cases(100) && !HasFailure(); ++i) {
    Interp interp;
    Values in = loosened(property.make(random), random, interp), given = in;
    Code code(context);
    code.emit.checks = true;
    forEachDynamic(given, [&](Int &leaf) { leaf = code.argument(leaf, interp.valueOf(leaf)); });
    if (!property.run(interp, in) || !property.run(code.emit, given) || !code.run())
      continue;
    EXPECT_EQ(code.asserted, !interp.violated()) << show(in);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Emitted, testing::ValuesIn(allProperties()),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
