// Occupancy against what NVIDIA's header answers for random kernels of every compute capability.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Table.h"

#include "tessera/atom/Occupancy.h"

#include <gtest/gtest.h>

#include <set>

namespace tessera::atom::test {

namespace {

TEST(Occupancy, IsWhatCudaSays) {
  std::vector<Record> rows = readFile(TESSERA_OCCUPANCY);
  ASSERT_GE(rows.size(), 700u);
  std::set<Occupancy::Limit> limits;
  for (Record &row : rows) {
    auto number = [&](const char *name) { return std::stoll(row.at(name)); };
    Result<Target> target = Target::parse("sm_" + row.at("sm"));
    ASSERT_TRUE(target) << row.at("sm");
    Occupancy found = occupancyOf(*target, {.registers = number("registers"),
                                            .threads = number("threads"),
                                            .sharedBytes = number("shared"),
                                            .barriers = number("barriers")});
    EXPECT_EQ(found.blocks, number("blocks"))
        << target->str() << ", " << row.at("registers") << " registers, " << row.at("threads")
        << " threads, " << row.at("shared") << " bytes, " << row.at("barriers") << " barriers";
    EXPECT_EQ(found.warps, found.blocks * ((number("threads") + 31) / 32));
    EXPECT_LE(found.warps, found.most);
    limits.insert(found.limit);
  }
  EXPECT_EQ(limits.size(), 5u) << "each limit decides in some row";
}

TEST(Occupancy, KnowsEveryTarget) {
  for (Target target : Target::all()) {
    Occupancy found = occupancyOf(target, {.registers = 32, .threads = 256});
    EXPECT_EQ(found.warps, found.most) << target.str();
    EXPECT_EQ(nameOf(found.limit), "warps");
    EXPECT_EQ(multiprocessorOf(target.number()).sharedOfBlock(), target.maxDynamicShared())
        << target.str();
  }
}

} // namespace

} // namespace tessera::atom::test
