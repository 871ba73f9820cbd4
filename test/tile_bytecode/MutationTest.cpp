// Changed files are refused or read as programs that can be written; nothing else happens.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bytes.h"
#include "Random.h"

#include "tessera/tile_bytecode/Reader.h"
#include "tessera/tile_bytecode/Writer.h"

#include <gtest/gtest.h>

using namespace tessera::tile_bytecode;
using namespace tessera::tile_bytecode::test;

namespace {

/// One to four changes: a byte, bytes cut out, bytes again, a large number.
std::string changed(std::string file, std::mt19937_64 &random) {
  for (size_t n = 1 + random() % 4; n && !file.empty(); --n) {
    size_t at = random() % file.size(),
           length = std::min<size_t>(1 + random() % 8, file.size() - at);
    switch (random() % 6) {
    case 0: file.erase(at, length); break;
    case 1: file.insert(at, file.substr(random() % file.size(), length)); break;
    case 2: file.replace(at, length, std::string(length, '\xff')); break;
    case 3: file[at] = char(file[at] + (random() & 1 ? 1 : -1)); break;
    default: file[at] = char(random()); break;
    }
  }
  return file;
}

} // namespace

TEST(Mutation, IsRefusedOrRead) {
  std::mt19937_64 random(7);
  size_t readable = 0, all = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Version version{13, uint8_t(1 + seed % 4)};
    std::string file = *write(RandomProgram(seed, version).make());
    for (int i = 0; i < 400; ++i) {
      std::string other = changed(file, random);
      auto program = read(spanOf(other));
      ++all;
      if (!program) {
        EXPECT_FALSE(program.reason().text.empty());
        continue;
      }
      ++readable;
      auto written = write(*program);
      ASSERT_TRUE(written) << written.reason().text;
      auto again = read(spanOf(*written));
      ASSERT_TRUE(again) << again.reason().text;
      EXPECT_EQ(again->functions, program->functions);
    }
  }
  // Both happen often, or the changes test little.
  EXPECT_GT(readable, all / 100);
  EXPECT_LT(readable, all / 2);
}
