// Programs that cuTile Python wrote are read, and written as the same bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Recorded.h"
#include "Bytes.h"

#include "tessera/tile_bytecode/Reader.h"
#include "tessera/tile_bytecode/Writer.h"

#include <gtest/gtest.h>

using namespace tessera::tile_bytecode;
using namespace tessera::tile_bytecode::test;

TEST(Recorded, AreWrittenAsTheyWereRead) {
  auto files = recordedPrograms();
  if (files.empty())
    GTEST_SKIP() << "TESSERA_CUTILE is not set";
  for (const auto &file : files) {
    std::string bytes = contentOf(file);
    auto program = read(spanOf(bytes));
    ASSERT_TRUE(program) << file << ": " << program.reason().text;
    auto written = write(*program);
    ASSERT_TRUE(written) << file << ": " << written.reason().text;
    EXPECT_TRUE(*written == bytes) << file;
    // A newer version has all that an older one has, and goes back to the same bytes.
    auto newest = write(*program, newestVersion);
    ASSERT_TRUE(newest) << file << ": " << newest.reason().text;
    auto back = read(spanOf(*newest));
    ASSERT_TRUE(back) << file << ": " << back.reason().text;
    auto old = write(*back, program->version);
    ASSERT_TRUE(old) << file << ": " << old.reason().text;
    EXPECT_TRUE(*old == bytes) << file;
  }
}
