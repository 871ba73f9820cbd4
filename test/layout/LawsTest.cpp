// The laws of the algebra for random layouts, static and with dynamic leaves ($TESSERA_CASES of
// each).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/layout/Property.h"
#include "test/layout/Sample.h"

using namespace tessera;
using namespace tessera::layout;
using namespace tessera::layout::test;

namespace {

std::string show(const Result<Sliced> &r) { return test::show(r); }

/// Whether every fact that a leaf states holds for its value.
void expectFacts(const Interp &values, Sliced out) {
  auto check = [&](Leaf &leaf) {
    const Int &x = leaf.value;
    if (x.isStatic())
      return;
    int64_t value = values.valueOf(x);
    EXPECT_EQ(value % x.div, 0) << value << " as " << str(x);
    EXPECT_EQ(uint64_t(value) & ~x.mask, 0u) << value << " has bits beyond " << x.mask;
    EXPECT_EQ(x.ones & ~uint64_t(value) & (x.mask == ~uint64_t(0) ? 0 : x.mask), 0u)
        << value << " lacks bits of " << x.ones;
    if (x.width == Width::I32) {
      EXPECT_TRUE(fitsI32(value)) << value << " as " << str(x);
    }
  };
  forEachLeaf(out.layout, check);
  out.offset.forEachLeaf(check);
}

class Laws_ : public testing::TestWithParam<Property> {};

TEST_P(Laws_, HoldForStaticLayouts) {
  const Property &property = GetParam();
  Random random(1);
  const int total = cases();
  int accepted = 0;
  for (int i = 0; i < total && !HasFailure(); ++i) {
    Values in = property.make(random);
    Interp arith;
    Result<Sliced> out = property.run(arith, in);
    if (!out)
      continue;
    ++accepted;
    EXPECT_EQ(property.law(Laws(arith), Reference(arith), in, *out), "")
        << show(in) << "-> " << show(out);
    EXPECT_FALSE(arith.violated()) << show(in);
  }
  EXPECT_GE(accepted * 100, property.accepted * total) << "so few inputs are accepted";
}

TEST_P(Laws_, HoldForDynamicLayoutsUnlessAPreconditionFails) {
  const Property &property = GetParam();
  Random random(2);
  int judged = 0;
  for (int i = 0; i < cases() && !HasFailure(); ++i) {
    Interp arith;
    Values fixed = property.make(random), in = loosened(fixed, random, arith);
    Interp numbers;
    Result<Sliced> out = property.run(arith, in), expected = property.run(numbers, fixed);
    Symbolic types;
    Result<Sliced> typed = property.run(types, asType(in));
    EXPECT_EQ(show(typed), show(out)) << show(in);
    if (!out || arith.violated())
      continue;
    ++judged;
    expectFacts(arith, *out);
    EXPECT_EQ(property.law(Laws(arith), Reference(arith), in, *out), "")
        << show(in) << "-> " << show(out);
    if (property.unique && expected) {
      EXPECT_EQ(Laws(arith).same(expected->layout, out->layout), "")
          << show(in) << "-> " << show(out);
    }
  }
  EXPECT_GT(judged, 0);
}

INSTANTIATE_TEST_SUITE_P(Of, Laws_, testing::ValuesIn(allProperties()),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
