// What the rows make is lowered by LLVM 22 to the instruction meant, and ptxas takes it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cases.h"
#include "Session.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

using namespace mlir;

namespace tessera::import::test {

/// One kernel a case: @k0, @k1, ...
static std::string module(const std::vector<const Case *> &tests) {
  std::string out;
  for (size_t i = 0; i < tests.size(); ++i) {
    out += "llvm.func @k" + std::to_string(i) + "(";
    for (const auto &[name, type] : arguments)
      out += cat(out.back() == '(' ? "%" : ", %", name, ": ", type);
    out += ") attributes {nvvm.kernel} {\n" + tests[i]->generic + "\nllvm.return\n}\n";
  }
  return out;
}

/// Stores every value that nobody uses to the last argument, so that nothing is optimised away.
static void storeResults(ModuleOp module) {
  std::vector<Value> unused;
  module.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (result.use_empty())
        unused.push_back(result);
  });
  for (Value value : unused) {
    OpBuilder builder(module.getContext());
    builder.setInsertionPointAfterValue(value);
    Location loc = value.getLoc();
    // LLVM has no f8 and no f4.
    auto vector = dyn_cast<VectorType>(value.getType());
    if (vector && vector.getElementTypeBitWidth() <= 8) {
      unsigned bits = vector.getElementTypeBitWidth() * vector.getNumElements();
      OperationState cast(loc, "vector.bitcast", value,
                          VectorType::get(bits / 8, builder.getI8Type()));
      value = builder.create(cast)->getResult(0);
    }
    Block &entry = value.getParentRegion()->front();
    OperationState store(loc, "llvm.store", {value, entry.getArguments().back()}, TypeRange());
    store.addAttribute("volatile_", builder.getUnitAttr());
    builder.create(store);
  }
}

/// The PTX of each kernel, by its name.
static std::map<std::string, std::string> kernels(const std::string &ptx) {
  std::map<std::string, std::string> out;
  size_t at = 0;
  while ((at = ptx.find(".visible .entry ", at)) != std::string::npos) {
    at += 16;
    std::string name = ptx.substr(at, ptx.find('(', at) - at);
    out[name] = ptx.substr(at, ptx.find("// -- End function", at) - at);
  }
  return out;
}

TEST(Ptx, HasTheInstructionMeant) {
  std::string tools = TESSERA_LLVM_TOOLS, ptxas = TESSERA_PTXAS;
  if (!std::filesystem::exists(tools + "/llc") || !std::filesystem::exists(tools + "/mlir-opt"))
    GTEST_SKIP() << "no llc and mlir-opt in " << tools;
  std::map<std::string, std::vector<const Case *>> byTarget;
  for (const Case &test : cases())
    if (!test.ptx.empty())
      byTarget[test.target].push_back(&test);
  auto folder =
      std::filesystem::temp_directory_path() / ("tessera-import-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  for (const auto &[target, tests] : byTarget) {
    SCOPED_TRACE(target);
    std::string chip = target.substr(0, target.find(' ')),
                version = target.substr(target.find(' ') + 1);
    Session session;
    ASSERT_TRUE(session.read(module(tests))) << session.diagnostics().front();
    storeResults(session.module());
    std::string base = (folder / cat(chip, "-", version)).string();
    std::ofstream(base + ".mlir") << session.text();
    std::string lower =
        cat(tools,
            "/mlir-opt --convert-nvvm-to-llvm --convert-vector-to-llvm --convert-math-to-llvm"
            " --convert-arith-to-llvm --reconcile-unrealized-casts ",
            base, ".mlir | ", tools, "/mlir-translate --mlir-to-llvmir -o ", base, ".ll && ", tools,
            "/llc -O3 -march=nvptx64 -mcpu=", chip, " -mattr=+ptx", version, " ", base, ".ll -o ",
            base, ".ptx");
    ASSERT_EQ(std::system(lower.c_str()), 0) << lower;
    std::stringstream ptx;
    ptx << std::ifstream(base + ".ptx").rdbuf();
    auto found = kernels(ptx.str());
    for (size_t i = 0; i < tests.size(); ++i)
      EXPECT_NE(found["k" + std::to_string(i)].find(tests[i]->ptx), std::string::npos)
          << tests[i]->generic << "\nshould print " << tests[i]->ptx << "\n"
          << found["k" + std::to_string(i)];
    if (std::filesystem::exists(ptxas))
      EXPECT_EQ(
          std::system(cat(ptxas, " -arch=", chip, " ", base, ".ptx -o ", base, ".cubin").c_str()),
          0);
    else
      std::puts("ptxas is not here: the PTX was not assembled");
  }
  std::filesystem::remove_all(folder);
}

} // namespace tessera::import::test
