// The table of availability against itself, the probes and the atom rows; PtxasTest.cpp asks ptxas.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Probes.h"
#include "Ptx.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

using namespace tessera;
using namespace tessera::atom;
using namespace tessera::atom::test;

namespace {
std::string refusalOf(std::string_view instruction, std::string_view arch) {
  Result<std::vector<const Availability *>> all = conditionsOf(instruction);
  if (!all)
    return all.reason().text;
  for (const Availability *one : *all)
    if (std::optional<Reason> reason = refusal(*one, *Target::parse(arch)))
      return reason->text;
  return "";
}

std::vector<std::string_view> wordsOf(std::string_view mnemonic, size_t nameSize) {
  std::vector<std::string_view> words;
  mnemonic.remove_prefix(std::min(nameSize + 1, mnemonic.size()));
  while (!mnemonic.empty()) {
    size_t end = std::min(mnemonic.find('.'), mnemonic.size());
    words.push_back(mnemonic.substr(0, end));
    mnemonic.remove_prefix(std::min(end + 1, mnemonic.size()));
  }
  return words;
}

/// The probes and the instructions of all atom rows.
std::vector<std::string> everyInstruction() {
  std::vector<std::string> all;
  for (const Probe &probe : probes())
    all.push_back(probe.instruction);
  auto add = [&](const Kernel &kernel) {
    size_t start = kernel.body.find_first_not_of(' ');
    all.push_back(kernel.body.substr(start, kernel.body.find('\n') - start));
  };
  for (const MmaRow &row : mmaRows())
    add(kernelOf(row));
  for (const CopyRow &row : copyRows())
    add(kernelOf(row));
  return all;
}
} // namespace

TEST(Instructions, SayWhatATargetLacks) {
  EXPECT_EQ(refusalOf("wgmma.fence.sync.aligned;", "sm_80"),
            "wgmma needs sm_90a, but the target is sm_80");
  EXPECT_EQ(refusalOf("wgmma.fence.sync.aligned;", "sm_90a"), "");
  EXPECT_EQ(refusalOf("ld.global.v8.b32 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%l0];", "sm_90a"),
            "256-bit loads and stores of global memory needs sm_100 or later, but the target is "
            "sm_90a");
  EXPECT_EQ(refusalOf("mov.u32 %r0, %cluster_ctaid.x;", "sm_80"),
            "thread block clusters (special registers, mapa) needs sm_90 or later, but the target "
            "is sm_80");
}

TEST(Instructions, DependOnTheirOperands) {
  EXPECT_EQ(refusalOf("max.f32 %f0, %f1, %f2;", "sm_80"), "");
  EXPECT_NE(refusalOf("max.f32 %f0, %f1, %f2, %f3;", "sm_80"), "");
  EXPECT_EQ(refusalOf("mbarrier.arrive.shared.b64 %l0, [%l1];", "sm_80"), "");
  EXPECT_NE(refusalOf("mbarrier.arrive.shared.b64 %l0, [%l1], 2;", "sm_80"), "");
  EXPECT_EQ(refusalOf("mbarrier.arrive.noComplete.shared.b64 %l0, [%l1], 2;", "sm_80"), "");
  // A mask in braces is not a scale-input-d.
  std::string mma = "tcgen05.mma.cta_group::1.kind::f16 [%r0], %l0, %l1, %r1, ";
  EXPECT_EQ(refusalOf(mma + "{%r4,%r5,%r6,%r7}, %p0;", "sm_110a"), "");
  EXPECT_NE(refusalOf(mma + "%p0, 3;", "sm_110a"), "");
}

TEST(Instructions, AreRefusedIfUnknown) {
  EXPECT_EQ(refusalOf("wgma.fence.sync.aligned;", "sm_90a"),
            "'wgma.fence.sync.aligned' is in no row of the table of PTX instructions "
            "(docs/reference/availability.md); the nearest instruction is 'wgmma.fence'");
  EXPECT_EQ(refusalOf("ld.globl.b32 %r0, [%l0];", "sm_90a"),
            "'ld.globl.b32' has the modifier '.globl', which 'ld' lacks in the table of PTX "
            "instructions (docs/reference/availability.md); the nearest modifier is '.global'");
  EXPECT_EQ(refusalOf("exit.now;", "sm_90a"),
            "'exit.now' has the modifier '.now', but 'exit' has none in the table of PTX "
            "instructions (docs/reference/availability.md)");
  EXPECT_EQ(refusalOf("mov.u32 %r0, %cluster_ctid.x;", "sm_90a"),
            "'%cluster_ctid.x' is in no row of the table of special registers "
            "(docs/reference/availability.md); the nearest register is '%cluster_ctaid'");
  // A name must be whole words.
  EXPECT_FALSE(availabilityOf({"wgmma"}));
  EXPECT_FALSE(availabilityOf({"ldx.b32"}));
  EXPECT_FALSE(availabilityOf({""}));
  EXPECT_FALSE(availabilityOfRegister("%tid.q"));
  EXPECT_FALSE(availabilityOfRegister("%envreg"));
  EXPECT_TRUE(availabilityOfRegister("%envreg31"));
}

TEST(Instructions, AreRefusedIfLlvmDoesNotWriteTheirVersion) {
  Availability future{"time travel", Requirement::atLeast(70), newestPtxOfLlvm + 1};
  std::optional<Reason> reason = refusal(future, *Target::parse("sm_90a"));
  ASSERT_TRUE(reason);
  EXPECT_EQ(reason->text, "time travel needs PTX 9.1, but LLVM writes at most PTX 9.0");
}

TEST(Instructions, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const AvailabilityRow &row : instructions()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(*instructionOf(row.name), &row);
  }
}

// What no instruction tries would be an entry that ptxas does not confirm.
TEST(Instructions, AreAllTried) {
  std::map<std::string_view, std::set<std::string_view>> tried;
  std::set<const Availability *> conditions;
  const std::vector<std::string> all = everyInstruction();
  for (const std::string &text : all) {
    Result<std::vector<const Availability *>> found = conditionsOf(text);
    ASSERT_TRUE(found) << text << "\n" << found.reason().text;
    conditions.insert(found->begin(), found->end());
    std::string_view mnemonic = read(text).written.mnemonic;
    const AvailabilityRow *row = *instructionOf(mnemonic);
    for (std::string_view word : wordsOf(mnemonic, row->name.size()))
      tried[row->name].insert(word);
    tried[row->name].insert("");
  }
  for (const AvailabilityRow &row : instructions()) {
    EXPECT_TRUE(tried.count(row.name)) << "no probe of " << row.name;
    for (std::string_view word : membersOf(row.words)) {
      bool found = std::any_of(tried[row.name].begin(), tried[row.name].end(),
                               [&](std::string_view have) { return isOneOf(have, word); });
      EXPECT_TRUE(found) << "no probe of " << row.name << " with ." << word;
    }
    for (const Refinement &refinement : row.refinements)
      EXPECT_TRUE(conditions.count(&refinement.available) ||
                  refinement.available.ptx > newestPtxOfLlvm)
          << "no probe of " << row.name << " with " << refinement.words;
  }
}

// Atoms state their own requirement; it is that of their instruction, or a part of it.
TEST(Instructions, AgreeWithTheAtomRows) {
  auto check = [](const auto &row) {
    if (row.name == "UniversalCopy" || row.name.find("_ULTRA_") != std::string::npos)
      return; // two instructions; K = 96 stands in a descriptor
    Kernel kernel = kernelOf(row);
    size_t start = kernel.body.find_first_not_of(' ');
    Result<std::vector<const Availability *>> found =
        conditionsOf(std::string_view(kernel.body).substr(start));
    ASSERT_TRUE(found) << row.name << " " << found.reason().text;
    int ptx = 0;
    for (const Availability *one : *found)
      ptx = std::max(ptx, int(one->ptx));
    for (Target target : Target::all()) {
      bool met = std::all_of(found->begin(), found->end(),
                             [&](const Availability *one) { return one->needs.metBy(target); });
      EXPECT_EQ(met, row.needs.metBy(target)) << row.name << " on " << target.str();
    }
    std::vector<Target> targets = row.needs.targets();
    int oldest = 99;
    for (Target target : targets)
      oldest = std::min(oldest, target.minimumPtx());
    EXPECT_EQ(std::max(ptx, oldest), std::max(int(row.ptx), oldest)) << row.name;
  };
  for (const MmaRow &row : mmaRows())
    check(row);
  for (const CopyRow &row : copyRows())
    check(row);
}

TEST(Instructions, AreInTheDocumentation) {
  std::string page =
      "# Availability\n\n"
      "<!-- Made from tessera/atom/Instructions.def by the test "
      "Instructions.AreInTheDocumentation; "
      "utils/reference.sh writes it. Change the table. -->\n\n"
      "Which targets and PTX versions have each PTX instruction. What is not here is refused by "
      "the gate "
      "(`--tessera-check-target`), with the nearest spelling; the attribute "
      "`tessera.allow_unlisted_ptx` on an op, a "
      "function or a module makes that a warning. Where `targets` is empty, all have it. The "
      "conditions of all lines that "
      "fit an instruction must hold. ptxas 13.0 agrees with every line (the tests `Ptxas.*`).\n\n" +
      availabilityTable();
  const char *path = TESSERA_DOCS "/reference/availability.md";
  if (std::getenv("TESSERA_WRITE_REFERENCE")) {
    FILE *file = std::fopen(path, "w");
    ASSERT_TRUE(file);
    std::fwrite(page.data(), 1, page.size(), file);
    std::fclose(file);
  }
  std::string written;
  if (FILE *file = std::fopen(path, "r")) {
    char buffer[4096];
    while (size_t got = std::fread(buffer, 1, sizeof(buffer), file))
      written.append(buffer, got);
    std::fclose(file);
  }
  EXPECT_TRUE(written == page) << path << " is old: run utils/reference.sh";
}
