// The simulator against the model: it shows nothing that is forbidden, and reports nothing of
// programs without races.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Notation.h"

#include "tessera/litmus/Runs.h"

#include <cstdlib>
#include <random>

namespace tessera::litmus::test {

namespace {

bool isLong() { return std::getenv("TESSERA_LONG"); }

std::string str(const Program &test, const Outcome &outcome) {
  std::string out;
  std::vector<std::string> names = test.names();
  for (size_t i = 0; i < names.size(); ++i)
    out += cat(out.empty() ? "" : " ", names[i], "=", outcome[i]);
  return out;
}

struct Seen {
  std::set<Outcome> outcomes;
  size_t runs = 0, reports = 0;
};

/// Runs a test in all places and orders, with the sanitizer and without. Adds what was seen.
void compare(const Program &test, const std::string &name, uint64_t seeds, Seen &seen) {
  const Verdict verdict = *judge(test);
  for (Lanes lanes : {Lanes::OwnWarps, Lanes::OneWarp})
    for (uint64_t seed = 0; seed < seeds; ++seed)
      for (bool sanitize : {false, true}) {
        RunOptions options{.lanes = lanes, .sanitize = sanitize};
        if (seed) // 0: in the order of warps
          options.shuffle = seed;
        options.hostThreads = seed % 4 == 3 ? 4 : 1;
        Result<Run> ran = run(test, options);
        ASSERT_TRUE(ran) << name << ": " << ran.reason().text << test.text;
        EXPECT_TRUE(verdict.allowed.count(ran->outcome))
            << name << ", seed " << seed << " shows " << str(test, ran->outcome) << "\n"
            << test.text;
        if (!verdict.hasRace)
          for (const std::string &report : ran->reports)
            ADD_FAILURE() << name << " has no race, but a report: " << report << "\n" << test.text;
        seen.outcomes.insert(ran->outcome);
        seen.reports += ran->reports.size();
        ++seen.runs;
      }
}

TEST(Simulator, ShowsNothingThatIsForbidden) {
  Seen all;
  size_t several = 0;
  for (const Line &line : published()) {
    if (line.places.find('g') != line.places.npos) // of two GPUs
      continue;
    std::unique_ptr<Program> test = testOf(line);
    Seen seen;
    compare(*test, line.name, isLong() ? 200 : 8, seen);
    several += seen.outcomes.size() > 1;
    all.runs += seen.runs;
    all.reports += seen.reports;
  }
  // The orders are worth something: most tests have shown more than one outcome, some a race.
  EXPECT_GT(several, published().size() / 2);
  EXPECT_GT(all.reports, 100u);
}

/// A program of two or three threads, at most three operations each, on two locations.
std::string randomTest(std::mt19937_64 &random) {
  auto one = [&](std::initializer_list<const char *> of) {
    return std::string(of.begin()[random() % of.size()]);
  };
  std::string text = "x = 0\ny = 0\n";
  const size_t threads = 2 + random() % 2;
  // 0: a block for each, 1: one block, 2: two threads of one block and one of another
  const size_t places = random() % 3;
  const bool inOneBlock = places == 1, hasClusters = random() % 4 == 0;
  const bool hasBarrier = inOneBlock && random() % 4 == 0;
  for (size_t t = 0; t < threads; ++t) {
    text += cat("block ",
                inOneBlock    ? 0
                : places == 2 ? t / 2
                              : t,
                hasClusters ? " cluster 0" : "", " {\n");
    size_t registers = 0;
    const size_t count = 1 + random() % 3, barrierAt = random() % (count + 1);
    for (size_t i = 0; i <= count; ++i) {
      if (hasBarrier && i == barrierAt)
        text += "  barrier.sync 0;\n";
      if (i == count)
        break;
      const std::string at = one({"[x]", "[y]"}), scope = one({".cta", ".cluster", ".gpu", ".sys"});
      const uint64_t value = 1 + random() % 3;
      switch (random() % 8) {
      case 0:
      case 1: text += cat("  st.weak.global.u32 ", at, ", ", value, ";\n"); break;
      case 2: text += cat("  ld.weak.global.u32 r", registers++, ", ", at, ";\n"); break;
      case 3:
        text += cat("  st", one({".relaxed", ".release"}), scope, ".global.u32 ", at, ", ", value,
                    ";\n");
        break;
      case 4:
      case 5:
        text += cat("  ld", one({".relaxed", ".acquire"}), scope, ".global.u32 r", registers++,
                    ", ", at, ";\n");
        break;
      case 6:
        text += cat("  fence", one({".sc", ".acq_rel", ".acquire", ".release"}), scope, ";\n");
        break;
      default:
        switch (random() % 4) {
        case 0:
          text += cat("  red", one({".relaxed", ".release"}), scope, ".global.add.u32 ", at, ", ",
                      value, ";\n");
          break;
        case 1:
          text += cat("  atom", one({".relaxed", ".acquire", ".release", ".acq_rel"}), scope,
                      ".global.cas.b32 r", registers++, ", ", at, ", ", random() % 2, ", ", value,
                      ";\n");
          break;
        default:
          text += cat("  atom", one({".relaxed", ".acquire", ".release", ".acq_rel"}), scope,
                      one({".global.add.u32 r", ".global.exch.b32 r"}), registers++, ", ", at, ", ",
                      value, ";\n");
        }
      }
    }
    text += "}\n";
  }
  return text;
}

TEST(Simulator, AgreesOnProgramsThatNobodyWrote) {
  std::mt19937_64 random(20261126);
  size_t withRace = 0, without = 0, found = 0;
  for (size_t i = 0; i < (isLong() ? 20000u : 400u); ++i) {
    std::string text = randomTest(random);
    Result<std::unique_ptr<Program>> test = parse(text);
    ASSERT_TRUE(test) << test.reason().text << text;
    Seen seen;
    compare(**test, cat("random ", i), 2, seen);
    const bool hasRace = judge(**test)->hasRace;
    (hasRace ? withRace : without) += 1;
    found += hasRace && seen.reports;
    if (HasFailure())
      break;
  }
  // Both kinds are there, and most races are found in these few orders.
  EXPECT_GT(withRace, 50u);
  EXPECT_GT(without, 50u);
  EXPECT_GT(found * 10, withRace * 8);
  RecordProperty("found", cat(found, " of ", withRace, " with a race; ", without, " without"));
}

} // namespace

} // namespace tessera::litmus::test
