// Real files: read in every spelling, printed, read again; every algebra op infers the type that it
// has there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/driver/Reading.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>

namespace tessera::driver::test {

static std::string print(mlir::ModuleOp module, bool generic) {
  std::string text;
  llvm::raw_string_ostream out(text);
  mlir::OpPrintingFlags flags;
  if (generic)
    flags.printGenericOpForm();
  module->print(out, flags);
  return text;
}

static std::string text(mlir::TypeRange types) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  for (mlir::Type type : types)
    stream << type << " ";
  return out;
}

static bool isOurs(mlir::StringRef dialect) {
  return dialect == "cute" || dialect == "cute_nvgpu" || dialect == "cuda";
}

TEST(Corpus, EveryFileReadsPrintsAndReadsTheSame) {
  if (!corpus())
    GTEST_SKIP() << "TESSERA_CORPUS is not set: no real files were read";
  size_t files = 0, ops = 0;
  for (const auto &path : corpusFiles()) {
    SCOPED_TRACE(path.string());
    Reading reading(path);
    ASSERT_TRUE(reading.module) << reading.errors;
    reading.module->walk([&](mlir::Operation *op) {
      EXPECT_TRUE(op->isRegistered() || !isOurs(op->getName().getDialectNamespace()))
          << op->getName().getStringRef().str();
      ++ops;
    });
    // Form by form: the custom one drops `arg_attrs = [{}, {}]`, as that of func.func does.
    for (bool generic : {false, true}) {
      std::string text = print(*reading.module, generic);
      auto again = mlir::parseSourceString<mlir::ModuleOp>(
          text, mlir::ParserConfig(&reading.compiler.context()));
      ASSERT_TRUE(again) << (generic ? "generic form\n" : "custom form\n") << reading.errors;
      EXPECT_EQ(print(*again, generic), text);
    }
    ++files;
  }
  std::printf("%zu files with %zu ops read, printed in both forms and read again\n", files, ops);
  EXPECT_GE(files, 25u);
}

TEST(Corpus, EveryAlgebraOpInfersItsDeclaredType) {
  if (!corpus())
    GTEST_SKIP() << "TESSERA_CORPUS is not set: no type was inferred";
  std::map<std::string, size_t> counts;
  size_t inferred = 0;
  for (const auto &path : corpusFiles()) {
    // The custom form leaves types to inference, so that it proves nothing.
    if (path.filename() != "input.mlir")
      continue;
    SCOPED_TRACE(path.string());
    Reading reading(path);
    ASSERT_TRUE(reading.module) << reading.errors;
    reading.module->walk([&](mlir::InferTypeOpInterface op) {
      if (!isOurs(op->getName().getDialectNamespace()))
        return;
      llvm::SmallVector<mlir::Type> types;
      ASSERT_TRUE(mlir::succeeded(op.inferReturnTypes(
          op->getContext(), op->getLoc(), op->getOperands(), op->getDiscardableAttrDictionary(),
          op->getPropertiesStorage(), op->getRegions(), types)))
          << reading.errors;
      EXPECT_EQ(text(types), text(op->getResultTypes())) << op->getName().getStringRef().str();
      ++counts[op->getName().getStringRef().str()];
      ++inferred;
    });
  }
  for (const auto &[name, count] : counts)
    std::printf("%7zu %s\n", count, name.c_str());
  std::printf("%zu algebra ops infer exactly the type that the corpus states\n", inferred);
  EXPECT_GT(inferred, 0u);
}

} // namespace tessera::driver::test
