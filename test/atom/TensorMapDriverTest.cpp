// Tensor maps against what a CUDA driver answered: every limit, and every bit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bench/tensormap_sweep.py asked the driver. Here is a sample of its table; TESSERA_TENSORMAPS
// names the whole one, unpacked.
#include "tessera/atom/TensorMap.h"

#include "Table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>

using namespace tessera;
using namespace tessera::atom;
using namespace tessera::atom::test;

namespace {
/// One request and the driver's answer.
struct Answer {
  std::string line;             // the request, for messages
  std::optional<TensorMap> map; // none if a parameter is not a value of its enum
  int code = 0;                 // CUresult
  TensorMapImage image;
};

template <class T> T number(std::string_view text, int base = 10) {
  T value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  EXPECT_TRUE(error == std::errc() && end == text.data() + text.size()) << text;
  return value;
}
template <class T, size_t N>
void numbers(const std::string &text, std::array<T, N> &out, int base = 10) {
  std::vector<std::string> parts = split(text, ",");
  ASSERT_EQ(parts.size(), N) << text;
  for (size_t i = 0; i < N; ++i)
    out[i] = number<T>(parts[i], base);
}

std::optional<TensorMap> request(const Record &row) {
  constexpr std::string_view kinds[] = {"tiled", "im2col", "wide"};
  TensorMap map;
  map.kind = TensorMapKind(std::ranges::find(kinds, row.at("function")) - kinds);
  bool known = true;
  auto take = [&]<class E>(E &value, const char *column, int64_t count) {
    int64_t read = number<int64_t>(row.at(column));
    known &= read >= 0 && read < count;
    value = E(read);
  };
  take(map.type, "type", 16);
  take(map.interleave, "interleave", 3);
  take(map.swizzle, "swizzle", 7);
  take(map.promotion, "promotion", 4);
  take(map.fill, "fill", 2);
  if (map.kind == TensorMapKind::Im2colWide) // no parameter of the others
    take(map.mode, "mode", 2);
  map.rank = number<uint32_t>(row.at("rank"));
  map.address = number<uint64_t>(row.at("address"));
  numbers(row.at("dims"), map.dims);
  numbers(row.at("strides"), map.strides);
  numbers(row.at("steps"), map.steps);
  numbers(row.at("box"), map.box);
  numbers(row.at("lower"), map.lower);
  numbers(row.at("upper"), map.upper);
  map.channels = number<uint32_t>(row.at("channels"));
  map.pixels = number<uint32_t>(row.at("pixels"));
  return known ? std::optional(map) : std::nullopt;
}

const std::vector<Answer> &answers() {
  static const std::vector<Answer> read = [] {
    const char *whole = std::getenv("TESSERA_TENSORMAPS");
    std::vector<Answer> answers;
    for (const Record &row : readFile(whole && *whole ? whole : TESSERA_TENSORMAP_SAMPLE)) {
      Answer &answer = answers.emplace_back();
      answer.map = request(row);
      answer.code = number<int>(row.at("code"));
      numbers(row.at("image"), answer.image.words, 16);
      for (const auto &[column, text] : row)
        answer.line += cat(" ", column, "=", text);
    }
    return answers;
  }();
  return read;
}

Target sm90() { return *Target::parse("sm_90"); }

/// Documented limits that the driver of sm_90 does not ask for.
bool notAsked(const TensorMap &map, const Reason &broken) {
  return broken.id == "TensorMapInterleaveSwizzle" ||
         (broken.id == "TargetLacks" && map.kind == TensorMapKind::Im2colWide);
}
} // namespace

TEST(TensorMapDriver, TheLimitsAreTheDrivers) {
  size_t accepted = 0, refused = 0, unknown = 0, lenient = 0, wrong = 0;
  for (const Answer &answer : answers()) {
    std::optional<Reason> broken =
        answer.map ? check(*answer.map, sm90()) : Reason{"Unknown", "no such enumerator"};
    ++(answer.code == 0 ? accepted : refused);
    unknown += !answer.map;
    if ((answer.code == 0) == !broken)
      continue;
    if (answer.code == 0 && answer.map && notAsked(*answer.map, *broken)) {
      ++lenient;
      continue;
    }
    if (++wrong <= 20)
      ADD_FAILURE() << "the driver says " << answer.code << ", and we "
                    << (broken ? broken->text : "accept") << ":\n"
                    << answer.line;
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(accepted, 0u);
  EXPECT_GT(refused, 0u);
  EXPECT_GT(lenient, 0u);
  std::printf("the driver accepts %zu, of which %zu break limits that it does not ask for; it "
              "refuses %zu, of which %zu have no "
              "such enumerator\n",
              accepted, lenient, refused, unknown);
}

TEST(TensorMapDriver, TheBitsAreTheDrivers) {
  size_t compared = 0, wrong = 0;
  for (const Answer &answer : answers()) {
    if (answer.code != 0 || !answer.map || check(*answer.map, sm90()))
      continue;
    ++compared;
    Result<TensorMapImage> image = encode(*answer.map);
    if ((image && *image == answer.image) || ++wrong > 20)
      continue;
    std::string words;
    for (size_t i = 0; image && i < 16; ++i)
      if (uint64_t difference = image->words[i] ^ answer.image.words[i])
        words += cat(" word ", i, " bits ", difference);
    ADD_FAILURE() << (image ? cat("differs in", words) : image.reason().text) << ":\n"
                  << answer.line;
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(compared, 0u);
  std::printf("%zu images compared\n", compared);
}

namespace {
/// A request without what its function does not look at.
TensorMap relevant(TensorMap map) {
  for (uint32_t i = map.rank; i < TensorMap::maxRank; ++i)
    map.dims[i] = 0, map.steps[i] = 1, map.box[i] = 0;
  for (uint32_t i = map.rank - 1; i < map.strides.size(); ++i)
    map.strides[i] = 0;
  if (map.kind == TensorMapKind::Tiled)
    map.lower = map.upper = {}, map.channels = map.pixels = 0;
  else
    map.box = {};
  for (size_t i = boundedModes(map); i < map.lower.size(); ++i)
    map.lower[i] = map.upper[i] = 0;
  return map;
}
} // namespace

TEST(TensorMapDriver, ImagesOfTheDriverAreRead) {
  size_t compared = 0;
  for (const Answer &answer : answers()) {
    if (answer.code != 0 || !answer.map || check(*answer.map, sm90()))
      continue;
    Result<TensorMap> map = decode(answer.image);
    ASSERT_TRUE(map) << map.reason().text << answer.line;
    ASSERT_EQ(*map, relevant(*answer.map)) << answer.line;
    ++compared;
  }
  EXPECT_GT(compared, 0u);
}
