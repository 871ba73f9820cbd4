// Recorded programs run: all verify, and with arguments that fit their names they end well.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../tile_bytecode/Recorded.h"
#include "Arguments.h"

#include "tessera/tile_bytecode/Reader.h"
#include "tessera/tile_eval/Interpreter.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

using namespace tessera;
using namespace tessera::tile_eval;

namespace {

/// How a kernel ends with one tile block; "arguments" where its name does not say what they are.
std::string outcomeOf(const tile_bytecode::Program &program,
                      const tile_bytecode::Function &function, bool checksAssumptions,
                      std::string &text) {
  test::Arguments arguments;
  text = arguments.fill(program, function, 64, 3);
  if (!text.empty())
    return "arguments";
  Interpreter interpreter(program);
  for (auto &array : arguments.arrays)
    interpreter.memory().add(array.data(), array.size());
  Status status =
      interpreter.launch(program.text(function.name), {1, 1, 1}, arguments.values,
                         {.seed = 1, .steps = 1 << 18, .checksAssumptions = checksAssumptions});
  if (status)
    return "ok";
  text = status.reason().text;
  return std::string(status.reason().id);
}

} // namespace

// A seeded sample; all with TESSERA_LONG set. What may end otherwise: tests of assertions,
// slices whose bounds are random here, a loop that ends by what it is given. cuTile Python also
// states assumptions that do not hold, as that a stride of 1 is divisible by 16 where the extent is
// 1: those programs are run without a check of assumptions.
TEST(Recorded, ProgramsRun) {
  auto files = tile_bytecode::test::recordedPrograms();
  if (files.empty())
    GTEST_SKIP() << "TESSERA_CUTILE is not set";
  size_t stride = std::getenv("TESSERA_LONG") ? 1 : 17;
  std::map<std::string, size_t> outcomes;
  size_t runs = 0;
  for (size_t i = 3 % stride; i < files.size(); i += stride) {
    std::string bytes = tile_bytecode::test::contentOf(files[i]);
    auto program = tile_bytecode::read(std::as_bytes(std::span(bytes)));
    ASSERT_TRUE(program) << files[i] << ": " << program.reason().text;
    for (const auto &function : program->functions) {
      ++runs;
      std::string text, outcome = outcomeOf(*program, function, true, text);
      if (outcome == "Assumption") {
        ++outcomes["Assumption"];
        outcome = outcomeOf(*program, function, false, text);
      }
      ++outcomes[outcome];
      bool isExpected = outcome == "ok" || outcome == "arguments" || outcome == "AssertFailed" ||
                        outcome == "TileIndex" || outcome == "Steps" || outcome == "ViewShape";
      EXPECT_TRUE(isExpected) << files[i] << ": " << outcome << ": " << text;
    }
  }
  EXPECT_GT(outcomes["ok"] * 100, runs * 98);
  for (auto &[outcome, count] : outcomes)
    std::cout << count << " of " << runs << " " << outcome << "\n";
}
