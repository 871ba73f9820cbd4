// Every op that a kernel can contain is traced by a test of this program; this one runs last.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Listing.h"

#include <gtest/gtest.h>

namespace tessera::tile::test {
namespace {

class Coverage : public ::testing::Environment {
public:
  void TearDown() override {
    using tile_bytecode::Op;
    // Not instructions, and what only tests of versions have.
    const std::set<Op> others{Op::Entry, Op::Global, Op::Module, Op::TestingBytecodeTestEvolution,
                              Op::TestingBytecodeTestNewAttribute};
    if (::testing::UnitTest::GetInstance()->test_to_run_count() !=
        ::testing::UnitTest::GetInstance()->total_test_count())
      return; // a part of the tests
    for (size_t i = 0; i < tile_bytecode::opCount; ++i) {
      Op op = tile_bytecode::opRows[i].op;
      EXPECT_TRUE(others.contains(op) || opsTraced().contains(op))
          << tile_bytecode::rowOf(op).name << " is traced by no test";
    }
  }
};
const auto *const coverage = ::testing::AddGlobalTestEnvironment(new Coverage);

} // namespace
} // namespace tessera::tile::test
