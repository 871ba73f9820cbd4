// Targets, requirements and number formats: what is read, what is refused, and the sentences.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/Target.h"
#include "tessera/atom/Element.h"
#include "tessera/atom/Registry.h"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::atom;

namespace {
Target target(std::string_view text) {
  Result<Target> parsed = Target::parse(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? *parsed : Target::all()[0];
}
} // namespace

TEST(Target, ReadsEveryTargetThatItPrints) {
  for (Target candidate : Target::all())
    EXPECT_EQ(target(candidate.str()), candidate) << candidate.str();
}

TEST(Target, KnowsNumberSuffixAndFamily) {
  EXPECT_EQ(target("sm_90a").number(), 90);
  EXPECT_EQ(target("sm_90a").suffix(), Suffix::A);
  EXPECT_EQ(target("sm_103f").suffix(), Suffix::F);
  EXPECT_EQ(target("sm_103f").family(), target("sm_100").family());
  EXPECT_NE(target("sm_110a").family(), target("sm_100a").family());
  EXPECT_FALSE(target("sm_120").isSpecific());
}

// Numbers from the CUDA C++ Programming Guide's table, and from llc 22.1.8 for the PTX versions.
TEST(Target, KnowsLimits) {
  EXPECT_EQ(target("sm_75").maxDynamicShared(), 64 * 1024);
  EXPECT_EQ(target("sm_80").maxDynamicShared(), 163 * 1024);
  EXPECT_EQ(target("sm_89").maxDynamicShared(), 99 * 1024);
  EXPECT_EQ(target("sm_90a").maxDynamicShared(), 227 * 1024);
  EXPECT_EQ(target("sm_120a").maxDynamicShared(), 99 * 1024);
  EXPECT_EQ(target("sm_90a").minimumPtx(), 80);
  EXPECT_EQ(target("sm_100f").minimumPtx(), 88);
  EXPECT_EQ(target("sm_110a").minimumPtx(), 90);
}

TEST(Target, RefusesWhatIsNoTarget) {
  for (std::string_view text : {"", "90a", "sm90a", "sm_90f", "sm_90b", "sm_90a ", "sm_101a",
                                "sm_85", "SM_80", "compute_80", "sm_", "sm_80a"}) {
    Result<Target> parsed = Target::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.reason().id, "UnknownTarget");
  }
  EXPECT_EQ(
      Target::parse("sm_85").reason().text,
      "no target is called \"sm_85\"; there are sm_70, sm_75, sm_80, sm_86, sm_87, sm_89, sm_90, "
      "sm_90a, sm_100, sm_100a, sm_100f, sm_103, sm_103a, sm_103f, sm_110, sm_110a, sm_110f, "
      "sm_120, sm_120a, sm_120f, sm_121, sm_121a, sm_121f");
}

// The numbers are those of NVIDIA's page of compute capabilities.
TEST(Target, SaysWhatAnotherNameMeans) {
  const std::string all = Target::parse("sm_85").reason().text.substr(27); // after the name
  struct Case {
    std::string_view text, meant;
  };
  for (auto [text, meant] :
       {Case{"hopper", "; a GPU of this generation is sm_90 or sm_90a"},
        Case{"Ada", "; a GPU of this generation is sm_89"},
        Case{"TURING", "; a GPU of this generation is sm_75"},
        Case{"volta", "; a GPU of this generation is sm_70"},
        Case{"ampere", "; a GPU of this generation is sm_80, sm_86 or sm_87"},
        Case{"blackwell",
             "; a GPU of this generation is sm_100, sm_100a, sm_100f, sm_103, sm_103a, sm_103f, "
             "sm_110, sm_110a, sm_110f, sm_120, sm_120a, sm_120f, sm_121, sm_121a or sm_121f"},
        Case{"90", "; write sm_90"}, Case{"sm90a", "; write sm_90a"},
        Case{"compute_80", "; write sm_80"}, Case{"SM_120F", "; write sm_120f"},
        Case{"sm_90a ", "; write sm_90a"}, Case{"sm_90b", ""}, Case{"sm_101a", ""}, Case{"hop", ""},
        Case{"", ""}}) {
    Result<Target> parsed = Target::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.reason().text, cat("no target is called \"", text, "\"", all, meant));
  }
}

TEST(Requirement, IsMetByTheTargetsThatPtxNames) {
  struct Case {
    Requirement needs;
    std::vector<std::string_view> met, notMet;
  };
  const Case cases[] = {
      {Requirement::atLeast(80),
       {"sm_80", "sm_86", "sm_90a", "sm_100f", "sm_120"},
       {"sm_70", "sm_75"}},
      {Requirement::exactly(90), {"sm_90a"}, {"sm_90", "sm_100a", "sm_89"}},
      {familySm100,
       {"sm_100a", "sm_100f", "sm_103a", "sm_103f"},
       {"sm_100", "sm_103", "sm_110a", "sm_120f", "sm_90a"}},
      {Requirement::family(103), {"sm_103a", "sm_103f"}, {"sm_100a", "sm_100f", "sm_103"}},
      {familySm100 | familySm120, {"sm_121a", "sm_100f"}, {"sm_110a", "sm_121"}},
  };
  for (const Case &test : cases) {
    for (std::string_view text : test.met)
      EXPECT_TRUE(test.needs.metBy(target(text))) << text << ", " << test.needs.sentence();
    for (std::string_view text : test.notMet)
      EXPECT_FALSE(test.needs.metBy(target(text))) << text << ", " << test.needs.sentence();
  }
}

TEST(Requirement, SaysWhatItAsksFor) {
  EXPECT_EQ(Requirement::atLeast(80).sentence(), "sm_80 or later");
  EXPECT_EQ(Requirement::exactly(90).sentence(), "sm_90a");
  EXPECT_EQ(familySm100.sentence(), "sm_100a/f or sm_103a/f");
  EXPECT_EQ((familySm100 | familySm110).sentence(), "sm_100a/f, sm_103a/f or sm_110a/f");
  EXPECT_EQ((Requirement::exactly(100) | Requirement::exactly(110)).sentence(),
            "sm_100a or sm_110a");
}

TEST(Requirement, RefusalNamesTargetAndNeed) {
  std::optional<Reason> reason =
      refusal("sm90.mma<64x128x16>", Requirement::exactly(90), target("sm_80"));
  ASSERT_TRUE(reason);
  EXPECT_EQ(reason->id, "TargetLacks");
  EXPECT_EQ(reason->text, "sm90.mma<64x128x16> needs sm_90a, but the target is sm_80");
  EXPECT_FALSE(refusal("x", Requirement::exactly(90), target("sm_90a")));
}

// As operands have them: PTX ISA 9.0, 5.2.3 and 9.7.14.5.
TEST(Element, HasTheBitsOfOperands) {
  const std::pair<Element, int> sizes[] = {{Element::none, 0}, {Element::tf32, 32},
                                           {Element::e2m3, 6}, {Element::ue4m3, 8},
                                           {Element::s4, 4},   {Element::b1, 1}};
  for (auto [element, size] : sizes)
    EXPECT_EQ(bits(element), size) << name(element);
  EXPECT_EQ(kindOf(Element::u4), NumberKind::Unsigned);
}
