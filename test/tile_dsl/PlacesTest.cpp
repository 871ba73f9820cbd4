// Whether elements share places, beside a walk through all of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_dsl/Places.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

using tessera::tile::detail::sharesPlaces;
using Numbers = std::vector<int64_t>;

namespace {

bool walked(Numbers shape, Numbers strides) {
  shape.resize(3, 1), strides.resize(3, 0);
  std::set<int64_t> seen;
  for (int64_t i = 0; i < shape[0]; ++i)
    for (int64_t k = 0; k < shape[1]; ++k)
      for (int64_t l = 0; l < shape[2]; ++l)
        if (!seen.insert(i * strides[0] + k * strides[1] + l * strides[2]).second)
          return true;
  return false;
}

TEST(Places, AreSharedWhereAWalkMeetsOneTwice) {
  std::mt19937 random(1);
  int shared[4] = {};
  for (int round = 0; round < 100000; ++round) {
    Numbers shape(1 + random() % 3), strides;
    for (int64_t &n : shape) {
      n = int64_t(random() % 7);
      strides.push_back(int64_t(random() % 20));
    }
    bool expected = walked(shape, strides);
    ASSERT_EQ(sharesPlaces(shape, strides), expected)
        << testing::PrintToString(shape) << ":" << testing::PrintToString(strides);
    shared[shape.size()] += expected;
  }
  for (size_t rank : {1, 2, 3})
    EXPECT_GT(shared[rank], 500) << rank;
}
TEST(Places, OfLargeArrays) {
  constexpr int64_t most = (int64_t(1) << 31) - 1;
  EXPECT_FALSE(sharesPlaces(Numbers{most, most}, Numbers{most, 1}));
  EXPECT_TRUE(sharesPlaces(Numbers{most, most}, Numbers{most - 1, 1}));
  EXPECT_FALSE(sharesPlaces(Numbers{1000, 1000}, Numbers{1001, 1000})); // first at (1000, -1001)
  EXPECT_TRUE(sharesPlaces(Numbers{1001, 1002}, Numbers{1001, 1000}));
  EXPECT_TRUE(sharesPlaces(Numbers{most, most, most}, Numbers{most, most - 1, most - 2}));
}

} // namespace
