// Suppressions, and sentences for people.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim_reports/Suppressions.h"

#include "tessera/sim_reports/Sentences.h"

#include <gtest/gtest.h>

namespace tessera::sim_reports {

namespace {

/// A race in scale<float>(float*), called from a file of the user.
sim::Report race() {
  sim::Report out{"Race", "long", "_Z5scaleIfEvPT_", {}, "shared", 0x400, {}, sim::Party{}};
  out.party = {"a write", "(1, 0, 0)", "(33, 0, 0)", {}};
  out.party.place = {
      42, "st.shared.f32 [%r1], %f1;", "", {{"lib/sum.cuh", 7, 3}, {"app.cu", 9, 1}}};
  out.earlier->place.places = {{"other/load.cuh", 1, 1}};
  out.what = "a write of 4 bytes races with a read";
  return out;
}

bool suppresses(std::string_view text, const sim::Report &report) {
  Result<Suppressions> parsed = Suppressions::parse(text, "file");
  EXPECT_TRUE(parsed) << parsed.reason().text;
  return parsed && parsed->has(report);
}

TEST(Suppressions, FindPatterns) {
  for (const char *text :
       {"Race:scale", "*:scale<float>", "Race:_Z5scale", "Race:void scale*(float*)", "Race:app.cu",
        "Race:lib/*.cuh", "Race:other/", "# nothing\n\n  Race : s*m.cuh \r\n",
        "Unwritten:scale\nRace:app", "Race:**"})
    EXPECT_TRUE(suppresses(text, race())) << text;
  for (const char *text : {"", "# Race:scale", "Unwritten:scale", "Race:scales", "Race:app.cu*lib",
                           "Race:sum.cuh*sum.cuh", "Race:APP"})
    EXPECT_FALSE(suppresses(text, race())) << text;
}

TEST(Suppressions, SayWhatIsWrong) {
  auto said = [](std::string_view text) {
    Result<Suppressions> parsed = Suppressions::parse(text, "my.supp");
    return parsed ? "" : parsed.reason().text;
  };
  EXPECT_EQ(said("\nRase:x"), "my.supp, line 2: there is no rule 'Rase'; the nearest: 'Race'; "
                              "docs/simulator.md lists them, and * is any");
  for (const char *text : {"Race", "Race:", "Race:  ", ":"})
    EXPECT_NE(said(text).find("my.supp, line 1: expects RULE:PATTERN"), std::string::npos) << text;
}

TEST(Sentences, BeginWithTheSource) {
  EXPECT_EQ(sentenceOf(race()),
            "lib/sum.cuh:7:3: thread (33, 0, 0) of block (1, 0, 0), kernel 'void "
            "scale<float>(float*)': a write of 4 bytes races with a read\n"
            "  from app.cu:9:1\n"
            "  PTX line 42: st.shared.f32 [%r1], %f1;");
  sim::Report report = race();
  report.party.place.places.clear();
  report.kernel = "_Z0";
  EXPECT_EQ(sentenceOf(report),
            "PTX line 42: thread (33, 0, 0) of block (1, 0, 0), kernel '_Z0': a write of 4 "
            "bytes races with a read\n  PTX line 42: st.shared.f32 [%r1], %f1;");
  report.party = {};
  EXPECT_EQ(sentenceOf(report), "long");
}

} // namespace

} // namespace tessera::sim_reports
