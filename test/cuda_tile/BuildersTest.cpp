// What no text leads to: types, hints and tokens of a program that code builds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Reports.h"

#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tessera::cuda_tile;
using namespace tessera::cuda_tile::test;

namespace {

TEST(Builders, RefuseStridesThatAreNotPositive) {
  Reports reports;
  auto report = [&] { return emitError(UnknownLoc::get(&reports.context)); };
  Type f32 = Float32Type::get(&reports.context);
  int64_t extent = 4;
  const std::pair<int64_t, const char *> rows[] = {
      {0, "dimensions must have strictly positive constant strides but got [0]\n"},
      {-2, "dimensions must have strictly positive constant strides but got [-2]\n"},
  };
  for (auto [stride, expected] : rows) {
    reports.texts.clear();
    EXPECT_FALSE(TensorViewType::getChecked(report, &reports.context, f32, ArrayRef(extent),
                                            ArrayRef(stride)));
    EXPECT_EQ(reports.all(), expected);
  }
}

// The assembly asks for `along` after `every`, so that only code can leave one out.
TEST(Builders, RefuseHalfOfTheAnnotationOfADivisor) {
  Reports reports;
  OwningOpRef<TileModuleOp> module =
      reports.parse("cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xi32>) {\n"
                    "  %0 = assume div_by<4, every 2 along 0>, %a : tile<4xi32>\n} }");
  ASSERT_TRUE(module) << reports.all();
  AssumeOp op;
  module->walk([&](AssumeOp found) { op = found; });
  ASSERT_TRUE(op);
  EXPECT_TRUE(succeeded(verify(*module)));
  using Number = std::optional<int64_t>;
  for (auto [every, along] : {std::pair<Number, Number>(2, std::nullopt), {std::nullopt, 0}}) {
    reports.texts.clear();
    op.setPredicateAttr(DivByAttr::get(&reports.context, 4, every, along));
    EXPECT_FALSE(succeeded(verify(*module)));
    EXPECT_NE(reports.all().find("'cuda_tile.div_by' 'every'/'along' must be used in combination"),
              std::string::npos)
        << reports.all();
  }
}

TEST(Builders, RefuseHintsThatAreNotInADictionary) {
  Reports reports;
  OwningOpRef<TileModuleOp> module = reports.parse("cuda_tile.module @m { entry @f() { return } }");
  ASSERT_TRUE(module) << reports.all();
  Builder builder(&reports.context);
  NamedAttribute hint = builder.getNamedAttr("sm_90", builder.getI64IntegerAttr(1));
  cast<EntryOp>(module->getBody().front().front())
      .setOptimizationHintsAttr(
          OptimizationHintsAttr::get(&reports.context, builder.getDictionaryAttr(hint)));
  EXPECT_TRUE(succeeded(verify(*module)));
  reports.context.getLoadedDialect<CudaTileDialect>()->hintPolicy =
      CudaTileDialect::HintPolicy::Error;
  std::string warned;
  ScopedDiagnosticHandler handler(&reports.context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Warning)
      warned += diagnostic.str();
    return failure(); // others hear it too
  });
  EXPECT_TRUE(failed(verify(*module)));
  EXPECT_EQ(warned,
            "expected dictionary attribute for optimization_hints entry `sm_90` got value=1 : i64");
  EXPECT_EQ(reports.all(), "'cuda_tile.entry' op Optimization hints verification failed: the "
                           "warnings say why; without -Werr-hints such hints are dropped\n");
}

// A promise or a division is moved to where the program did not come to it only if it holds there.
TEST(Builders, SayWhichOpsMayBeMoved) {
  Reports reports;
  OwningOpRef<TileModuleOp> module =
      reports.parse(R"(cuda_tile.module @m { entry @f(%a: tile<i32>) {
    %0 = assume div_by<4>, %a : tile<i32>
    %1 = divi %a, %a signed : tile<i32>
    %2 = remi %a, %a unsigned : tile<i32>
    %3 = addi %a, %a : tile<i32>
    return } })");
  ASSERT_TRUE(module) << reports.all();
  std::string movable;
  for (Operation &op :
       cast<EntryOp>(module->getBody().front().front()).getBody().front().without_terminator()) {
    EXPECT_TRUE(isMemoryEffectFree(&op));
    if (isSpeculatable(&op))
      movable += op.getName().stripDialect().str() + " ";
  }
  EXPECT_EQ(movable, "addi ");
}

// Folders make constants of tiles.
TEST(Builders, MakeConstants) {
  Reports reports;
  OpBuilder builder(&reports.context);
  OwningOpRef<TileModuleOp> module = reports.parse("cuda_tile.module @m { entry @f() { return } }");
  ASSERT_TRUE(module) << reports.all();
  builder.setInsertionPoint(
      &cast<EntryOp>(module->getBody().front().front()).getBody().front().front());
  auto type = TileType::get({4}, builder.getI32Type());
  auto value = DenseElementsAttr::get(type, builder.getI32IntegerAttr(7));
  auto *dialect = reports.context.getLoadedDialect<CudaTileDialect>();
  Operation *made = dialect->materializeConstant(builder, value, type, builder.getUnknownLoc());
  ASSERT_TRUE(made && isa<ConstantOp>(made));
  EXPECT_EQ(cast<ConstantOp>(made).getValue(), value);
  EXPECT_FALSE(
      dialect->materializeConstant(builder, builder.getUnitAttr(), type, builder.getUnknownLoc()));
}

} // namespace
