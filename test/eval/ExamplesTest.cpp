// The examples in comments of headers and in pages: `EXPRESSION  =  RESULT`, evaluated.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/eval/Evaluate.h"

#include <gtest/gtest.h>

#include <fstream>

using namespace tessera;

namespace {

struct Source {
  const char *file;
  size_t fewest; // examples that it has at least, so that none are lost to another notation
};
const Source sources[] = {{"tessera/layout/Algebra.h", 20},
                          {"tessera/cute/Evaluate.h", 3},
                          {"tessera/atom/MmaRow.h", 5},
                          {"tessera/atom/CopyRow.h", 3}};

TEST(Examples, OfHeadersAreRight) {
  for (const Source &source : sources) {
    std::ifstream in(cat(TESSERA_SOURCE_DIR, "/", source.file));
    ASSERT_TRUE(in) << source.file;
    size_t examples = 0, number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      size_t equals = line.find("  =  ");
      if (!line.starts_with("//   ") || equals == std::string::npos)
        continue;
      ++examples;
      std::string expression = line.substr(5, equals - 5);
      EXPECT_EQ(eval::evaluateLine(expression).text, line.substr(equals + 5))
          << source.file << ":" << number << ": " << expression;
    }
    EXPECT_GE(examples, source.fewest) << source.file;
  }
}

} // namespace
