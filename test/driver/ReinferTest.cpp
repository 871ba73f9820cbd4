// Kernels of $TESSERA_CORPUS with one number of one type changed, at random: what follows from it
// follows, or an op that cannot is named.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/driver/Reading.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <random>
#include <regex>

namespace tessera::driver::test {
namespace {

// Enough for layouts, tiles, swizzles and atoms, and small enough for a test of a minute.
constexpr const char *kernels[] = {"ampere_elementwise_add", "ampere_sgemm",
                                   "ampere_tensorop_gemm",   "hopper_dense_gemm",
                                   "blackwell_dense_gemm",   "blackwell_rmsnorm"};
constexpr int editsOfEach = 12;

std::string printed(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

/// Where a static layout, swizzle, tile or the shape of an atom is stated: in a definition that has
/// no operands, or in an alias.
std::vector<std::pair<size_t, size_t>> places(const std::string &text) {
  std::vector<std::pair<size_t, size_t>> found;
  // A line that defines, and a text in quotes or an extent of an atom at its end.
  static const std::regex line(
      R"re((?:cute\.static|"cute\.static"|cute\.make_tile\(\)).*|^![a-z]\w* = .*)re",
      std::regex::multiline),
      stated(R"re(<"[^"?]*"|<\d+x\d+x\d+)re");
  for (std::sregex_iterator i(text.begin(), text.end(), line), end; i != end; ++i) {
    std::string all = i->str();
    for (std::sregex_iterator j(all.begin(), all.end(), stated); j != end; ++j)
      if (j->length() < 60)
        found.emplace_back(size_t(i->position() + j->position()), size_t(j->length()));
  }
  return found;
}

/// One number of a place, twice as large, half, or one more.
std::string edited(const std::string &text, std::pair<size_t, size_t> place, std::mt19937 &random) {
  std::vector<size_t> numbers;
  for (size_t i = place.first; i < place.first + place.second; ++i)
    if (llvm::isDigit(text[i]) && !llvm::isDigit(text[i - 1]))
      numbers.push_back(i);
  if (numbers.empty())
    return text;
  size_t at = numbers[random() % numbers.size()], end = at;
  while (llvm::isDigit(text[end]))
    ++end;
  long number = std::stol(text.substr(at, end - at));
  long other = random() % 3 == 0            ? number + 1
               : random() % 2 && number > 1 ? number / 2
                                            : number * 2;
  return text.substr(0, at) + std::to_string(other) + text.substr(end);
}

TEST(Reinfer, LeavesUneditedFilesAsTheyAre) {
  if (!corpus())
    GTEST_SKIP() << "TESSERA_CORPUS is not set: no real files were read";
  for (const char *kernel : kernels)
    for (const char *spelling : {"input.mlir", "input_pretty.mlir"}) {
      std::filesystem::path path = std::filesystem::path(corpus()) / kernel / spelling;
      if (!std::filesystem::exists(path))
        continue;
      Reading plain(path), lenient(textOf(path), path.string(), /*edited=*/true);
      ASSERT_TRUE(plain.module && lenient.module) << path << "\n" << lenient.errors;
      EXPECT_EQ(lenient.errors, plain.errors) << path;
      EXPECT_TRUE(printed(*plain.module) == printed(*lenient.module)) << path;
    }
}

TEST(Reinfer, FollowsOrNamesTheOp) {
  if (!corpus())
    GTEST_SKIP() << "TESSERA_CORPUS is not set: no real files were edited";
  // An op, or the edit itself, if no such type exists.
  static const std::regex named(
      R"re(loc\("[^"]*":\d+:\d+\): ('[\w.]+' |.*(failed to parse|parse error|expect)))re");
  unsigned follows = 0, refused = 0, harmless = 0;
  for (const char *kernel : kernels)
    for (const char *spelling : {"input.mlir", "input_pretty.mlir"}) {
      std::filesystem::path path = std::filesystem::path(corpus()) / kernel / spelling;
      if (!std::filesystem::exists(path))
        continue;
      const std::string text = textOf(path);
      std::vector<std::pair<size_t, size_t>> all = places(text);
      ASSERT_FALSE(all.empty()) << path;
      std::mt19937 random(2026);
      for (int i = 0; i < editsOfEach; ++i) {
        std::string changed = edited(text, all[random() % all.size()], random);
        if (changed == text)
          continue;
        // Where an edit contradicts nothing, nothing has to follow.
        bool contradicts = !Reading(changed, path.string()).module;
        harmless += !contradicts;
        Reading reading(changed, path.string(), /*edited=*/true);
        if (reading.module) {
          ++follows;
          EXPECT_TRUE(mlir::succeeded(mlir::verify(*reading.module))) << path << reading.errors;
          Reading again(printed(*reading.module), "again.mlir");
          EXPECT_TRUE(again.module) << path << "\n" << again.errors;
        } else {
          ++refused;
          if (std::getenv("TESSERA_REINFER_SHOW"))
            std::printf("%s\n", reading.errors.c_str());
          EXPECT_TRUE(contradicts) << path << "\n" << reading.errors;
          EXPECT_TRUE(std::regex_search(reading.errors, named)) << path << "\n" << reading.errors;
        }
      }
    }
  std::printf("%u edits follow (%u contradicted nothing), %u are refused with the op\n", follows,
              harmless, refused);
  EXPECT_GT(follows, harmless);
}

} // namespace
} // namespace tessera::driver::test
