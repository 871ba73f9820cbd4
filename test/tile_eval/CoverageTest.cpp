// Every op of tile programs is run by some test of this program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Kernel.h"

#include <gtest/gtest.h>

using namespace tessera::tile_eval;
using namespace tessera::tile_eval::test;

namespace {

/// Looks after the last test, where all of them were run.
class Coverage : public testing::Environment {
public:
  void TearDown() override {
    if (GTEST_FLAG_GET(filter) != "*" || testing::UnitTest::GetInstance()->Failed())
      return;
    for (size_t i = 0; i < tessera::tile_bytecode::opCount; ++i) {
      const OpRow &row = tessera::tile_bytecode::opRows[i];
      bool isInstruction = row.op != Op::Entry && row.op != Op::Global && row.op != Op::Module &&
                           row.since <= tessera::tile_bytecode::newestVersion;
      EXPECT_TRUE(!isInstruction || opsRun().contains(row.op)) << row.name;
    }
  }
};
const auto *coverage = testing::AddGlobalTestEnvironment(new Coverage);

} // namespace
