// What tessera-sim-hw decides without a GPU: which spellings a form has, when results agree, who is
// to blame for a refusal or a crash.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../tools/tessera-sim-hw/Batch.h"
#include "../../tools/tessera-sim-hw/Comparison.h"
#include "../../tools/tessera-sim-hw/Pool.h"
#include "../../tools/tessera-sim-hw/Selectors.h"

#include "tessera/run/SimDevice.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <unistd.h>

namespace tessera::hw {

namespace {

sim::InstructionRow rowOf(std::string_view form) { return {form, "=t t t", nullptr, ""}; }

TEST(HardwareTool, SpellsWhatAFormAllows) {
  std::vector<std::string> all = spellings(rowOf("add ?sat s32|u32"), 100);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()),
            (std::set<std::string>{"add.s32", "add.sat.s32", "add.u32", "add.sat.u32"}));
  // At most two words that may be missing: of three, 1 + 3 + 3 spellings.
  EXPECT_EQ(spellings(rowOf("f ?a ?b ?c t"), 100).size(), 7u);
  EXPECT_EQ(spellings(rowOf("add <int>"), 4).size(), 4u);
}

// PTX ISA 9.7.18: a part of d needs c without an operation, vmad has a minus and no part of d,
// masks name parts from the highest down.
TEST(HardwareTool, DrawsSelectorsThatTheIsaHas) {
  auto drawn = [](const std::string &spelling, const std::string &operands, size_t variant) {
    Selectors selectors(spelling, operands, variant);
    std::vector<std::string> out{selectors.next(true)};
    for (int source = 0; source < (spelling.starts_with("vmad") ? 3 : 2); ++source)
      out.push_back(selectors.next(false));
    return out;
  };
  EXPECT_EQ(Selectors::variants("=t t t"), 1u);
  EXPECT_EQ(Selectors::variants("=b32. b32. b32."), 4u);
  const std::set<std::string> scalars = {"", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"},
                              halves = {".h0", ".h1", ".h10"};
  EXPECT_EQ(drawn("vadd.u32.u32.u32", "=b32. b32. b32.", 0),
            (std::vector<std::string>{"", "", ""}));
  for (size_t variant = 0; variant < 100; ++variant) {
    EXPECT_NE(drawn("vadd.u32.u32.u32", "=b32. b32. b32. b32", variant)[0], "");
    EXPECT_EQ(drawn("vadd.u32.u32.u32.add", "=b32. b32. b32. b32", variant)[0], "");
    for (const std::string &selector : drawn("vadd.u32.u32.u32", "=b32. b32. b32. b32", variant))
      EXPECT_TRUE(scalars.count(selector)) << selector;
    std::vector<std::string> mad = drawn("vmad.u32.u32.u32", "=b32. b32. b32. b32.", variant);
    EXPECT_EQ(mad[0], "");
    EXPECT_FALSE(mad[1] == "-" && mad[3] == "-");
    EXPECT_TRUE(mad[3].empty() || mad[3] == "-") << mad[3];
    std::vector<std::string> packed = drawn("vset2.u32.u32.eq", "=b32. b32. b32. b32", variant);
    EXPECT_EQ(halves.count(packed[0]), variant != 0) << packed[0];
    EXPECT_EQ(packed[1].size(), variant ? 4u : 0u);
  }
}

template <class T> std::vector<std::byte> bytesOf(T value) {
  std::vector<std::byte> out(sizeof(T));
  std::memcpy(out.data(), &value, sizeof(T));
  return out;
}
template <class T> bool agrees(sim::Type type, Bound bound, T a, T b) {
  return agree({0, sizeof(T), type, "x"}, bound, bytesOf(a).data(), bytesOf(b).data());
}
TEST(HardwareTool, ComparesBitForBitUnlessTheIsaLeavesItOpen) {
  EXPECT_TRUE(agrees(sim::Type::f32, {}, 1.0f, 1.0f));
  EXPECT_FALSE(agrees(sim::Type::f32, {}, 0.0f, -0.0f));
  EXPECT_FALSE(agrees<uint32_t>(sim::Type::f32, {}, 0x7fffffff, 0x7fc00000));
  EXPECT_TRUE(agrees<uint32_t>(sim::Type::f32, {.anyNan = true}, 0x7fffffff, 0xffc00001));
  EXPECT_TRUE(agrees<uint64_t>(sim::Type::f64, {}, 0x7ff8000000000000, 0xfff0000000000001));
  EXPECT_FALSE(agrees<uint64_t>(sim::Type::b64, {}, 1, 2));
  EXPECT_TRUE(agrees(sim::Type::f32, {.relative = 0x1p-22}, 1.0f, std::nextafter(1.0f, 2.0f)));
  EXPECT_FALSE(agrees(sim::Type::f32, {.relative = 0x1p-22}, 1.0f, 1.001f));
  EXPECT_FALSE(agrees<uint32_t>(sim::Type::f16x2, {.relative = 0x1p-10}, 0x3c003c00,
                                0x3c004000)); // the low halves are 1 and 2
  EXPECT_TRUE(boundOf(sim::modifiersOf("add.rn.f32")).isExact());
  EXPECT_EQ(boundOf(sim::modifiersOf("sin.approx.f32")).absolute,
            0x1.7p-21); // a little above 2^-20.5, PTX ISA 9.7.3.18
}

TEST(HardwareTool, LeavesOutWhatAnAssemblerRefuses) {
  std::vector<Job> jobs(8);
  for (size_t i = 0; i < jobs.size(); ++i)
    jobs[i].kernel = cat("() {\n  // ", i, "\n  ret;\n}\n");
  auto complains = [](bool withLine) {
    return [withLine](const std::string &text) -> std::optional<std::string> {
      std::string log;
      for (const char *wrong : {"// 2\n", "// 5\n"})
        if (size_t at = text.find(wrong); at != text.npos)
          log += withLine ? cat("ptxas application ptx input, line ",
                                1 + std::count(text.begin(), text.begin() + ptrdiff_t(at), '\n'),
                                "; error : no\n")
                          : "no\n";
      return log.empty() ? std::nullopt : std::optional(log);
    };
  };
  for (bool withLine : {true, false}) {
    Batch batch = batchOf(jobs, headerOf("sm_90a", 90), complains(withLine));
    EXPECT_EQ(batch.accepted.size(), 6u);
    EXPECT_EQ(std::set<const Job *>(batch.refused.begin(), batch.refused.end()),
              (std::set<const Job *>{&jobs[2], &jobs[5]}))
        << withLine;
  }
}

TEST(HardwareTool, FindsTheItemThatEndsAProcess) {
  std::set<size_t> done;
  std::map<size_t, std::string> failed;
  runInProcesses(
      20, 8, 2, 2,
      [](size_t first, size_t last) {
        for (size_t i = first; i < last; ++i) {
          if (i == 5)
            std::_Exit(9);
          while (i == 11) // NOLINT(bugprone-infinite-loop): it hangs until it is ended
            pause();
          if (i == 18)
            return false;
          std::printf("%zu\n", i);
        }
        return true;
      },
      [&](const Outcome &outcome) {
        if (!outcome.failure.empty())
          failed[outcome.first] = outcome.failure;
        else
          for (size_t i = outcome.first; i < outcome.last; ++i)
            EXPECT_TRUE(done.insert(i).second &&
                        outcome.printed.find(cat(i, "\n")) != std::string::npos)
                << i;
      });
  EXPECT_EQ(failed,
            (std::map<size_t, std::string>{
                {5, "exit code 9"}, {11, "no end in 2 seconds"}, {18, "the device failed"}}));
  EXPECT_EQ(done.size(), 17u);
}

TEST(HardwareTool, CarriesCountsAsText) {
  Counts counts;
  counts.groups["Floating point"] = {1, 2, 3, 4, 5, 6};
  counts.accepted["add ?sat s32"] = 7;
  Counts sum = counts;
  EXPECT_EQ(sum.add("DIFFERS x\n" + counts.text()), "DIFFERS x\n");
  EXPECT_EQ(sum.groups["Floating point"].differences, 12u);
  EXPECT_EQ(sum.accepted["add ?sat s32"], 14u);
}

// Sums of real numbers, whose order and width the ISA leaves open, against what an H100 gave:
// `tessera-sim-hw --only " real" --list` there.
TEST(Products, OfRealNumbersAreThoseOfAnH100) {
  std::ifstream file(TESSERA_SIM_TESTS "/h100-sums.txt");
  std::map<std::string, uint64_t> seen;
  for (std::string line; std::getline(file, line);)
    if (size_t tab = line.find('\t'); tab != line.npos)
      seen[line.substr(0, tab)] = std::strtoull(line.c_str() + tab, nullptr, 16);
  ASSERT_GE(seen.size(), 400u);
  size_t compared = 0;
  const std::string header = headerOf("sm_90a", 90);
  for (const Job &job : jobsOfProducts({.only = " real"})) {
    auto found = seen.find(job.name);
    ASSERT_TRUE(found != seen.end()) << job.name << " is said to be known, but was not seen";
    run::SimDevice sim({.hostThreads = 1});
    std::string text = cat(header, ".visible .entry k", job.kernel);
    Result<run::Module> module = sim.loadModule(std::as_bytes(std::span(text)));
    ASSERT_TRUE(module) << job.name << module.reason().text;
    Result<Bytes> result = runOn(sim, module->id, "k", job);
    ASSERT_TRUE(result) << job.name << result.reason().text;
    EXPECT_EQ(hashOf(*result), found->second) << job.name;
    ++compared;
  }
  EXPECT_EQ(compared, seen.size());
}

} // namespace

} // namespace tessera::hw
