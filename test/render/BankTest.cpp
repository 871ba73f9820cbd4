// Bank conflicts: the well-known cases, and a count that is made by other means.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Brute.h"

#include "tessera/render/Draw.h"

#include <map>
#include <random>
#include <set>

using namespace tessera;
using namespace tessera::render;
using namespace tessera::render::test;

namespace {
struct Known {
  const char *name, *memory, *threads;
  int64_t elementBits, vectorBytes, wavefronts, ideal, worst;
};

constexpr Known table[] = {
    {"row of f32", "(32,32):(32,1)", "32:32", 32, 4, 1, 1, 1},
    {"column of f32", "(32,32):(32,1)", "32:1", 32, 4, 32, 1, 32},
    {"padded column", "(32,32):(33,1)", "32:1", 32, 4, 1, 1, 1},
    {"stride 2", "64:1", "32:2", 32, 4, 2, 1, 2},
    {"stride 3", "96:1", "32:3", 32, 4, 1, 1, 1},
    {"broadcast", "32:1", "32:0", 32, 4, 1, 1, 1},
    {"pairs of f16 share words", "64:1", "32:1", 16, 2, 1, 1, 1},
    {"bytes share words", "128:1", "32:1", 8, 1, 1, 1, 1},
    {"f64 in a row", "64:1", "32:1", 64, 8, 2, 2, 1},
    {"float4 in a row", "128:1", "(32,4):(4,1)", 32, 16, 4, 4, 1},
    {"float2 in a row", "64:1", "(32,2):(2,1)", 32, 8, 2, 2, 1},
    {"two instructions of float2", "128:1", "(32,(2,2)):(2,(1,64))", 32, 8, 4, 4, 1},
    {"ldmatrix of a 64-wide f16 tile", "(32,64):(64,1)", "(32,8):(1,32)", 16, 16, 32, 4, 8},
    {"swizzled", "S<3,3,3> o 0 o (32,64):(64,1)", "(32,8):(1,32)", 16, 16, 4, 4, 1},
    {"swizzled by half", "S<2,3,3> o 0 o (32,64):(64,1)", "(32,8):(1,32)", 16, 16, 8, 4, 2},
    {"swizzled bytes", "S<3,4,3> o 0 o (32,128):(128,1)", "(32,16):(1,32)", 8, 16, 4, 4, 1},
    {"ldmatrix, padded to 72", "(32,64):(72,1)", "(32,8):(1,32)", 16, 16, 4, 4, 1},
    {"one thread", "1:0", "1:0", 32, 4, 1, 1, 1},
    {"two warps", "(32,64):(64,1)", "64:1", 32, 4, 64, 2, 32},
};

/// Wavefronts by sorting (phase, bank, word) triples of bytes; offsets by the test's own loops.
template <class Offset>
int64_t brutalWavefronts(int64_t threads, int64_t elementBits, int64_t vectorBytes,
                         Offset &&offset) {
  std::map<std::pair<int64_t, int64_t>, std::set<int64_t>> words;
  int64_t perPhase = vectorBytes == 16 ? 8 : vectorBytes == 8 ? 16 : 32;
  for (int64_t t = 0; t < threads; ++t)
    for (int64_t byte = 0; byte < vectorBytes; ++byte) {
      int64_t address = offset(t) * elementBits / 8 + byte;
      words[{t / perPhase, address % 128 / 4}].insert(address / 128);
    }
  std::map<int64_t, int64_t> most;
  for (auto &[key, lines] : words)
    most[key.first] = std::max(most[key.first], int64_t(lines.size()));
  int64_t sum = 0;
  for (auto [phase, count] : most)
    sum += count;
  return sum;
}

std::string idOf(std::string_view memory, std::string_view threads, int64_t elementBits,
                 int64_t vectorBytes) {
  Result<Conflicts> conflicts =
      bankConflicts(parsed(memory), {parsed(threads), elementBits, vectorBytes});
  return conflicts ? "counted" : std::string(conflicts.reason().id);
}
} // namespace

TEST(BankConflicts, WellKnownCases) {
  for (const Known &known : table) {
    Result<Conflicts> conflicts = bankConflicts(
        parsed(known.memory), {parsed(known.threads), known.elementBits, known.vectorBytes});
    ASSERT_TRUE(conflicts) << known.name << ": " << conflicts.reason().text;
    EXPECT_EQ(conflicts->wavefronts, known.wavefronts) << known.name;
    EXPECT_EQ(conflicts->ideal, known.ideal) << known.name;
    EXPECT_EQ(conflicts->worst, known.worst) << known.name;
    EXPECT_EQ(conflicts->free(), conflicts->collisions.empty()) << known.name;
  }
}

TEST(BankConflicts, AgreesWithBruteForce) {
  std::mt19937 random(7);
  auto any = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int i = 0; i < 3000; ++i) {
    int64_t vectorBytes = int64_t(1) << any(0, 4), elementBits = int64_t(8) << any(0, 4);
    if (elementBits > vectorBytes * 8)
      continue;
    int64_t perVector = vectorBytes * 8 / elementBits, low = any(1, 40), count = any(1, 4);
    int64_t stride = any(0, 80) * perVector, high = any(0, 300) * perVector;
    std::string threads = cat("((", low, ",", count, ")):((", stride, ",", high, "))");
    Result<Conflicts> conflicts =
        bankConflicts(parsed("1048576:1"), {parsed(threads), elementBits, vectorBytes});
    ASSERT_TRUE(conflicts) << threads << ": " << conflicts.reason().text;
    EXPECT_EQ(conflicts->wavefronts,
              brutalWavefronts(low * count, elementBits, vectorBytes,
                               [&](int64_t t) { return t % low * stride + t / low * high; }))
        << threads;
  }
}

TEST(BankConflicts, SwizzledMemoryAgreesWithBruteForce) {
  for (int bits = 0; bits <= 3; ++bits)
    for (int base = 0; base <= 4; ++base)
      for (int64_t pitch : {32, 64, 72, 128}) {
        std::string memory =
            cat(bits ? cat("S<", bits, ",", base, ",3> o 0 o ") : "", "(32,64):(", pitch, ",1)");
        Result<Conflicts> conflicts = bankConflicts(parsed(memory), {parsed("32:1"), 32, 4});
        ASSERT_TRUE(conflicts) << memory;
        EXPECT_EQ(
            conflicts->wavefronts,
            brutalWavefronts(32, 32, 4,
                             [&](int64_t t) { return brutalSwizzle(bits, base, 3, t * pitch); }))
            << memory;
      }
}

TEST(BankConflicts, NamesThreadsAndBanks) {
  Result<Conflicts> conflicts = bankConflicts(parsed("64:1"), {parsed("32:2"), 32, 4});
  ASSERT_TRUE(conflicts);
  ASSERT_EQ(conflicts->collisions.size(), 16u);
  EXPECT_EQ(conflicts->collisions[1].bank, 2);
  EXPECT_EQ(conflicts->collisions[1].words, 2);
  EXPECT_EQ(conflicts->collisions[1].threads, (std::vector<int64_t>{1, 17}));
  EXPECT_EQ(describe(*conflicts, 2), "2-way bank conflicts: 2 wavefronts where 1 would do\n"
                                     "  bank 0: 2 words for T0 T16\n"
                                     "  bank 2: 2 words for T1 T17\n"
                                     "  and 14 more\n");
  conflicts =
      bankConflicts(parsed("S<3,3,3> o 0 o (32,64):(64,1)"), {parsed("(32,8):(1,32)"), 16, 16});
  EXPECT_EQ(describe(*conflicts), "no bank conflicts: 4 wavefronts, the fewest possible\n");
  conflicts = bankConflicts(parsed("256:1"), {parsed("(32,(1,2)):(2,(0,1))"), 32, 4});
  EXPECT_NE(describe(*conflicts, 99).find("  phase 1, bank 1: 2 words for T0 T16 (vector 1)\n"),
            std::string::npos);
}

TEST(BankConflicts, Refuses) {
  EXPECT_EQ(idOf("32:1", "32:1", 32, 4), "counted");
  EXPECT_EQ(idOf("32:1", "32:1", 12, 4), "ElementBits");
  EXPECT_EQ(idOf("32:1", "32:1", 32, 12), "VectorBytes");
  EXPECT_EQ(idOf("32:1", "32:1", 32, 0), "VectorBytes");
  EXPECT_EQ(idOf("32:1", "32:1", 64, 4), "VectorNotWhole");
  EXPECT_EQ(idOf("64:1", "(32,3):(1,0)", 32, 8), "ValuesNotWhole");
  EXPECT_EQ(idOf("64:2", "(32,2):(2,1)", 32, 8), "VectorNotContiguous");
  EXPECT_EQ(idOf("64:1", "32:1", 32, 8), "VectorNotAligned");
  EXPECT_EQ(idOf("32:-1", "32:1", 32, 4), "NegativeOffset");
  EXPECT_EQ(idOf("(4,8):(1@0,1@1)", "32:1", 32, 4), "OffsetNotNumber");
  EXPECT_EQ(idOf("32:1", "2048:0", 32, 4), "TooManyThreads");
  EXPECT_EQ(idOf("32:1", "(32,8192):(0,0)", 32, 4), "TooManyOwners");
  EXPECT_EQ(idOf("32:1", "(2,2,2):(1,2,4)", 32, 4), "NotThreadValue");
  EXPECT_EQ(idOf("?:1", "32:1", 32, 4), "NotStatic");
  EXPECT_EQ(idOf("32:1", "?:1", 32, 4), "NotStatic");
  EXPECT_EQ(idOf("32:9223372036854775807", "32:1", 32, 4), "NumbersTooLarge");
  Result<Conflicts> gap = bankConflicts(parsed("64:2"), {parsed("(32,2):(2,1)"), 32, 8});
  EXPECT_EQ(
      gap.reason().text,
      "thread 0 cannot move values 0 to 1 with one instruction of 8 bytes: value 1 is at element "
      "2, where 1 would follow");
}

TEST(DrawBanks, ColoursAreBanks) {
  for (int64_t bits : {8, 16, 32, 64}) {
    Result<Picture> picture = drawBanks(parsed("S<3,3,3> o 0 o (8,64):(64,1)"), bits);
    ASSERT_TRUE(picture);
    for (int64_t r = 0; r < 8; ++r)
      for (int64_t c = 0; c < 64; ++c) {
        int64_t offset = brutalSwizzle(3, 3, 3, 64 * r + c), bank = offset * bits / 32 % 32;
        const Cell &cell = picture->panels[0].at(r, c);
        ASSERT_EQ(cell.text, std::to_string(offset));
        ASSERT_EQ(cell.detail, cat("b", bank));
        ASSERT_EQ(cell.colour, Colour::group(bank));
      }
  }
  EXPECT_EQ(drawBanks(parsed("8:1"), 7).reason().id, "ElementBits");
  EXPECT_EQ(drawBanks(parsed("8:-1"), 8).reason().id, "NegativeOffset");
  EXPECT_EQ(drawBanks(parsed("(2,2):(1@0,1@1)"), 8).reason().id, "OffsetNotNumber");
}

TEST(DrawConflicts, ThreadsStandInTheirBanks) {
  DrawnAccess accesses[] = {{parsed("(32,32):(32,1)"), {parsed("32:1"), 32, 4}},
                            {parsed("(32,32):(33,1)"), {parsed("32:1"), 32, 4}}};
  Result<Picture> picture = drawConflicts(accesses);
  ASSERT_TRUE(picture);
  ASSERT_EQ(picture->panels.size(), 4u);
  const Panel &plain = picture->panels[0], &words = picture->panels[1],
              &padded = picture->panels[2];
  EXPECT_EQ(plain.detail, "32-way bank conflicts: 32 wavefronts where 1 would do");
  EXPECT_EQ(words.at(0, 0).text, "32");
  EXPECT_EQ(words.at(0, 0).colour.kind, Colour::Bad);
  EXPECT_EQ(words.at(0, 1).text, "");
  for (int64_t t = 0; t < 32; ++t) {
    EXPECT_EQ(plain.at(t, 0).text, cat("T", t));
    EXPECT_EQ(padded.at(t * 33 / 32, t).text, cat("T", t));
  }
  // Threads that share a word.
  DrawnAccess shared[] = {{parsed("64:1"), {parsed("32:1"), 16, 2}}};
  picture = drawConflicts(shared);
  EXPECT_EQ(picture->panels[0].at(0, 3).text, "T6");
  EXPECT_EQ(picture->panels[0].at(0, 3).detail, "+1");
  // More lines than are shown.
  DrawnAccess many[] = {{parsed("(64,32):(32,1)"), {parsed("64:1"), 32, 4}}};
  picture = drawConflicts(many);
  EXPECT_EQ(picture->panels[0].rows.extent, 32);
  EXPECT_EQ(picture->notes.size(), 1u);
  EXPECT_EQ(drawConflicts({}).reason().id, "NothingToCompare");
}
