// Programs that cuTile Python wrote are read, and written as the same bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Recorded.h"
#include "Bytes.h"

#include "tessera/tile_bytecode/Reader.h"
#include "tessera/tile_bytecode/Writer.h"

#include <gtest/gtest.h>

#include <cstdlib>

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

// The binary inputs of the public dialect's own tests of its reader (test/Bytecode of cuda_tile
// 13.3.2): the first six and one of 13.1 are there to be refused.
TEST(Recorded, FilesOfThePublicDialectAreRefusedOrRead) {
  const char *folder = std::getenv("TESSERA_CUTILE");
  if (!folder)
    GTEST_SKIP() << "TESSERA_CUTILE is not set";
  const std::pair<const char *, const char *> files[] = {
      {"invalid/excessive_section_length.tileirbc", "TrailingBytes"},
      {"invalid/invalid_attribute_name.bc", "EmptyKey"},
      {"invalid/invalid_dense_map_value.bc", "Expected"},
      {"invalid/invalid_magic_number.tileirbc", "Magic"},
      {"invalid/invalid_section_id.tileirbc", "Expected"},
      {"invalid/unsupported_version.tileirbc", "VersionUnknown"},
      {"versioning/Inputs/13.1/f4e2m1fn-in-13.1.tileirbc", "TypeVersion"},
      {"versioning/Inputs/13.1/negi-op-13.1.tileirbc", "ok"},
      {"versioning/Inputs/13.1/print-op-13.1.tileirbc", "ok"},
  };
  for (auto [name, outcome] : files) {
    std::string bytes = contentOf(std::filesystem::path(folder) / "dialect-tests/Bytecode" / name);
    ASSERT_FALSE(bytes.empty()) << name;
    auto program = read(spanOf(bytes));
    EXPECT_EQ(program ? "ok" : program.reason().id, outcome) << name;
  }
}
