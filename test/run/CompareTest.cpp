// Comparisons: numpy's rule, errors by hand, NaN and infinity, exact integers, the sentence.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/Compare.h"

#include "test/run/Check.h"

#include <cmath>
#include <limits>

using namespace tessera;
using namespace tessera::run;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double quietNan = std::numeric_limits<double>::quiet_NaN();

Tensor vec(std::vector<double> values, Dtype type = Dtype::f64) {
  Tensor tensor = must(Tensor::make(type, {int64_t(values.size())}));
  for (size_t i = 0; i < values.size(); ++i)
    tensor.set({int64_t(i)}, values[i]);
  return tensor;
}

Comparison comparison(std::vector<double> actual, std::vector<double> expected,
                      Tolerance tolerance = {}) {
  return must(compare(vec(std::move(actual)), vec(std::move(expected)), tolerance));
}

} // namespace

TEST(Compare, ErrorsByHand) {
  Comparison c = comparison({3, 4, 12}, {3, 5, 10}, {.relative = 0, .absolute = 0.5});
  EXPECT_EQ(c.count, 3);
  EXPECT_EQ(c.mismatches, 2);
  EXPECT_EQ(c.nonFinite, 0);
  EXPECT_EQ(c.maxAbsolute, 2);
  EXPECT_EQ(c.worst, (Coord{2}));
  EXPECT_EQ(c.maxRelative, 0.2);
  EXPECT_EQ(c.maxExpected, 10);
  EXPECT_DOUBLE_EQ(c.frobenius, std::sqrt(1 + 4) / std::sqrt(9 + 25 + 100));
  ASSERT_EQ(c.first.size(), 2u);
  EXPECT_EQ(c.first[0].coord, (Coord{1}));
  EXPECT_EQ(c.first[0].actual, 4);
  EXPECT_EQ(c.first[0].expected, 5);
  EXPECT_EQ(c.str(), "2 of 3 elements differ at rtol 0, atol 0.5: max error 2 at (2) (of 10), max "
                     "relative error 0.2, Frobenius 0.1932\n"
                     "  (1): got 4, expected 5\n"
                     "  (2): got 12, expected 10");
}

TEST(Compare, EqualTensorsPass) {
  Comparison c = comparison({1, 0, -2}, {1, 0, -2}, {.relative = 0, .absolute = 0});
  EXPECT_TRUE(c.ok());
  EXPECT_EQ(c.str(), "all 3 elements pass at rtol 0, atol 0: max error 0 (of 2), max relative "
                     "error 0, Frobenius 0");
}

// numpy.isclose of 1.24: |a - b| <= atol + rtol * |b|, inclusive, relative to the second.
TEST(Compare, ToleranceIsNumpys) {
  EXPECT_TRUE(comparison({1.5}, {1}, {.relative = 0.5, .absolute = 0}).ok());
  EXPECT_TRUE(comparison({0.5}, {1}, {.relative = 0.5, .absolute = 0}).ok());
  EXPECT_FALSE(comparison({1}, {0.5}, {.relative = 0.5, .absolute = 0}).ok());
  EXPECT_TRUE(comparison({1}, {0.5}, {.relative = 0.5, .absolute = 0.25}).ok());
  EXPECT_TRUE(comparison({1.00001}, {1}).ok());
  EXPECT_FALSE(comparison({1.0001}, {1}).ok());
  EXPECT_TRUE(comparison({1e-9}, {0}).ok());
}

TEST(Compare, NanAndInfinity) {
  EXPECT_FALSE(comparison({quietNan}, {quietNan}).ok());
  EXPECT_TRUE(comparison({quietNan}, {quietNan}, {.equalNan = true}).ok());
  EXPECT_FALSE(comparison({quietNan}, {1}, {.equalNan = true}).ok());
  EXPECT_FALSE(comparison({1}, {quietNan}, {.equalNan = true}).ok());
  EXPECT_TRUE(comparison({inf, -inf}, {inf, -inf}).ok());
  EXPECT_FALSE(comparison({inf}, {-inf}).ok());
  EXPECT_FALSE(comparison({1}, {inf}).ok()); // though |1 - inf| <= rtol * inf
  EXPECT_FALSE(comparison({inf}, {1}).ok());
  Comparison c = comparison({quietNan, 2, 3}, {1, 2, 3.5});
  EXPECT_EQ(c.mismatches, 2);
  EXPECT_EQ(c.nonFinite, 1);
  EXPECT_EQ(c.maxAbsolute, 0.5); // of the finite ones
  EXPECT_EQ(c.str(), "2 of 3 elements differ (1 with NaN or infinity) at rtol 1e-05, atol 1e-08: "
                     "max error 0.5 at (2) (of 3.5), max relative error 0.1429, "
                     "Frobenius 0.124\n"
                     "  (0): got nan, expected 1\n"
                     "  (2): got 3, expected 3.5");
}

TEST(Compare, FrobeniusNeitherOverflowsNorUnderflows) {
  EXPECT_DOUBLE_EQ(comparison({3e200, 0}, {0, 4e200}).frobenius, 1.25);
  EXPECT_DOUBLE_EQ(comparison({3e-200, 0}, {0, 4e-200}).frobenius, 1.25);
  EXPECT_EQ(comparison({1}, {0}).frobenius, inf);
  EXPECT_EQ(comparison({0}, {0}).frobenius, 0);
  EXPECT_EQ(comparison({}, {}).str(), "all 0 elements pass at rtol 1e-05, atol 1e-08: max error 0 "
                                      "(of 0), max relative error 0, Frobenius 0");
}

TEST(Compare, IntegersAreExact) {
  Tensor a = must(Tensor::make(Dtype::s64, {1})), b = must(Tensor::make(Dtype::u64, {1}));
  a.setCode({0}, (1ull << 62) + 1);
  b.setCode({0}, 1ull << 62); // the same double
  Comparison c = must(compare(a, b, {.relative = 0, .absolute = 0}));
  EXPECT_EQ(c.mismatches, 1);
  EXPECT_EQ(c.maxAbsolute, 1);
  b.setCode({0}, (1ull << 62) + 1);
  EXPECT_TRUE(must(compare(a, b, {.relative = 0, .absolute = 0})).ok());
  a.setCode({0}, ~uint64_t(0)); // -1 against 2^64 - 1
  b.setCode({0}, ~uint64_t(0));
  EXPECT_EQ(must(compare(a, b)).maxAbsolute, 0x1p64);
}

TEST(Compare, TypesAndStridesMayDiffer) {
  Tensor a = must(Tensor::make(Dtype::f16, {2, 3}, std::vector<int64_t>{1, 2}));
  Tensor b = must(Tensor::make(Dtype::f32, {2, 3}, std::vector<int64_t>{8, 2}));
  for (int64_t flat = 0; flat < 6; ++flat) {
    a.set(coordinate(a.shape(), flat), double(flat));
    b.set(coordinate(b.shape(), flat), double(flat));
  }
  EXPECT_TRUE(must(compare(a, b)).ok());
  b.set({1, 0}, 9);
  Comparison c = must(compare(a, b));
  ASSERT_EQ(c.first.size(), 1u);
  EXPECT_EQ(c.first[0].coord, (Coord{1, 0}));
}

TEST(Compare, ListsAsManyAsAsked) {
  Comparison c = comparison({1, 2, 3, 4}, {0, 0, 0, 0}, {.shown = 2});
  EXPECT_EQ(c.mismatches, 4);
  EXPECT_EQ(c.first.size(), 2u);
  EXPECT_TRUE(c.str().ends_with("\n  (0): got 1, expected 0\n  (1): got 2, expected 0\n  and 2 "
                                "more"));
}

TEST(Compare, ShapesMustAgree) {
  EXPECT_EQ(refusal(compare(vec({1, 2}), vec({1, 2, 3}))),
            "cannot compare: expects equal shapes, but got (2) and (3)");
}

TEST(Compare, AgreesWithAPlainLoop) {
  std::mt19937_64 random = generator();
  for (int round = 0; round < 50; ++round) {
    std::vector<double> a, b;
    for (int i = 0; i < 200; ++i) {
      b.push_back(std::ldexp(double(int64_t(random())), int(random() % 20) - 70));
      a.push_back(b.back() * (1 + std::ldexp(double(int64_t(random())), -75)));
    }
    Comparison c = comparison(a, b, {.relative = 1e-4, .absolute = 1e-9});
    int64_t mismatches = 0;
    long double error = 0, reference = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      mismatches += std::fabs(a[i] - b[i]) > 1e-9 + 1e-4 * std::fabs(b[i]);
      error += (long double)(a[i] - b[i]) * (a[i] - b[i]);
      reference += (long double)b[i] * b[i];
    }
    EXPECT_EQ(c.mismatches, mismatches);
    EXPECT_NEAR(c.frobenius, double(std::sqrt(error / reference)), 1e-14);
  }
}
