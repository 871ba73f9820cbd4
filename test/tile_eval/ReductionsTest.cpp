// reduce and scan with combiners of all kinds; expected elements are sums and counts by hand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Kernel.h"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::tile_eval;
using namespace tessera::tile_eval::test;

namespace {

uint64_t numbers(Kernel &kernel, const std::vector<std::pair<const char *, uint64_t>> &all) {
  Attribute array{.kind = Attribute::Array};
  for (auto [type, code] : all) {
    Index element = kernel.program.type(kernel.type(type)).element;
    bool isInt = isInteger(kernel.program.type(element).kind);
    array.items.push_back(
        {.kind = isInt ? Attribute::Integer : Attribute::Float, .type = element, .value = code});
  }
  return kernel.attribute(array);
}
Codes counted(size_t count) {
  Codes out;
  for (size_t i = 0; i < count; ++i)
    out.push_back(i);
  return out;
}

/// A combiner of one operand: op(current, accumulated).
using Body = std::function<Index(Kernel &, Index, Index)>;
Index sum(Kernel &k, Index current, Index accumulated) {
  return k.add(Op::AddI, {"i32"}, {0}, {{current}, {accumulated}});
}

struct Reduction {
  Op op = Op::Reduce;
  std::string in, out;
  uint64_t dim = 0;
  Body body = sum;
  uint64_t identity = 0;
  const char *type = "i32", *identityType = nullptr;
  bool isReverse = false;

  Result<std::vector<Codes>> run(const Codes &codes) const {
    One op({in});
    Attributes attributes{dim};
    if (this->op == Op::Scan)
      attributes.push_back(isReverse);
    attributes.push_back(numbers(op.kernel, {{identityType ? identityType : type, identity}}));
    Region region = op.kernel.region({type, type}, [&](const std::vector<Index> &arguments) {
      Index result = body(op.kernel, arguments[0], arguments[1]);
      op.kernel.add(Op::Yield, {}, {}, {{result}});
    });
    return op.run(this->op, {out}, attributes, {{{in, codes}}}, {region});
  }
  Codes result(const Codes &codes) const {
    auto done = run(codes);
    EXPECT_TRUE(done) << done.reason().text;
    return done ? (*done)[0] : Codes();
  }
};

} // namespace

TEST(Reductions, SumAlongEachDimension) {
  Codes in = counted(24 + 8);
  Reduction r{.in = "2x4x4xi32", .out = "4x4xi32", .dim = 0};
  Codes expected;
  for (uint64_t i = 0; i < 16; ++i)
    expected.push_back(2 * i + 16);
  EXPECT_EQ(r.result(in), expected);
  r.out = "2x4xi32";
  r.dim = 1;
  EXPECT_EQ(r.result(in), (Codes{24, 28, 32, 36, 88, 92, 96, 100}));
  r.dim = 2;
  EXPECT_EQ(r.result(in), (Codes{6, 22, 38, 54, 70, 86, 102, 118}));
  Reduction one{.in = "1xi32", .out = "i32"};
  EXPECT_EQ(one.result({9}), Codes{9});
}

// The largest of NaNs alone is NaN where maxf leaves NaNs out, as cuTile Python's tests of NVIDIA's
// compiler expect: the identity, minus infinity, is not among the elements.
TEST(Reductions, LeaveTheIdentityOut) {
  Reduction r{.in = "4xi32", .out = "i32", .identity = 1000};
  EXPECT_EQ(r.result({1, 2, 3, 4}), Codes{10});
  Reduction largest{.in = "2xf32",
                    .out = "f32",
                    .body =
                        [](Kernel &k, Index current, Index accumulated) {
                          return k.add(Op::MaxF, {"f32"}, {std::nullopt, std::nullopt},
                                       {{current}, {accumulated}});
                        },
                    .identity = 0xff800000,
                    .type = "f32"};
  EXPECT_EQ(largest.result({0x7fffffff, 0x7fffffff}), Codes{0x7fffffff});
  EXPECT_EQ(largest.result({0x7fffffff, 0x3f800000}), Codes{0x3f800000});
}

// current - accumulated is not associative: the order shows. Neighbours first: (1 - 0) and (3 - 2),
// then the right minus the left.
TEST(Reductions, CombineNeighboursFirst) {
  Reduction r{.in = "4xi32", .out = "i32", .body = [](Kernel &k, Index current, Index accumulated) {
                return k.add(Op::SubI, {"i32"}, {0}, {{current}, {accumulated}});
              }};
  EXPECT_EQ(r.result({10, 1, 5, 3}), Codes{7});
}

// A combiner with ops that are not elementwise runs for each element alone.
TEST(Reductions, TakeAnyCombiner) {
  Reduction r{.in = "8xi32", .out = "i32", .body = [](Kernel &k, Index current, Index accumulated) {
                Index one = k.add(Op::Reshape, {"1xi32"}, {}, {{current}});
                Index two = k.add(Op::Broadcast, {"2xi32"}, {}, {{one}});
                Index zero = k.constant("i32", {0});
                Index back = k.add(Op::Extract, {"1xi32"}, {}, {{two}, {zero}});
                Index scalar = k.add(Op::Reshape, {"i32"}, {}, {{back}});
                return k.add(Op::AddI, {"i32"}, {0}, {{scalar}, {accumulated}});
              }};
  EXPECT_EQ(r.result(counted(8)), Codes{28});
  r.in = "8x2xi32";
  r.out = "2xi32";
  EXPECT_EQ(r.result(counted(16)), (Codes{56, 64}));
}

// A constant, and control flow, in a combiner: twice the sum of both.
TEST(Reductions, TakeConstantsAndConditions) {
  Reduction r{
      .in = "4x2xi32", .out = "2xi32", .body = [](Kernel &k, Index current, Index accumulated) {
        Index two = k.constant("i32", {2});
        Index scaled = k.add(Op::MulI, {"i32"}, {0}, {{current}, {two}});
        return k.add(Op::AddI, {"i32"}, {0}, {{scaled}, {accumulated}});
      }};
  // (d * 2 + c) * 2 + (b * 2 + a)
  EXPECT_EQ(r.result({1, 0, 2, 0, 3, 0, 4, 1}), (Codes{2 * (8 + 3) + (4 + 1), 4}));
  r.body = [](Kernel &k, Index current, Index accumulated) {
    Index less = k.add(Op::CmpI, {"i1"}, {2, 1}, {{current}, {accumulated}});
    auto yields = [&](Index value) {
      return k.region({}, [&](const std::vector<Index> &) { k.add(Op::Yield, {}, {}, {{value}}); });
    };
    std::vector<Region> both{yields(current), yields(accumulated)};
    return k.add(Op::If, {"i32"}, {}, {{less}}, both);
  };
  r.identity = 0x7fffffff;
  EXPECT_EQ(r.result({5, uint32_t(-1), 2, 8, 9, 7, 4, 3}), (Codes{2, uint32_t(-1)}));
}

// argmax: values and places, combined by a comparison and two selects.
TEST(Reductions, TakeSeveralOperands) {
  One op({"4x2xf32", "4x2xi32"});
  Kernel &k = op.kernel;
  uint64_t identities = numbers(k, {{"f32", 0xff800000}, {"i32", 0}});
  Region region = k.region({"f32", "f32", "i32", "i32"}, [&](const std::vector<Index> &a) {
    Index greater = k.add(Op::CmpF, {"i1"}, {4, 1}, {{a[0]}, {a[1]}});
    Index value = k.add(Op::Select, {"f32"}, {}, {{greater}, {a[0]}, {a[1]}});
    Index place = k.add(Op::Select, {"i32"}, {}, {{greater}, {a[2]}, {a[3]}});
    k.add(Op::Yield, {}, {}, {{value, place}});
  });
  // Columns 1, 3, 2, 3 and -1, -2, -3, -4.
  auto out = op.run(Op::Reduce, {"2xf32", "2xi32"}, {0, identities},
                    {{{"4x2xf32",
                       {0x3f800000, 0xbf800000, 0x40400000, 0xc0000000, 0x40000000, 0xc0400000,
                        0x40400000, 0xc0800000}},
                      {"4x2xi32", {0, 0, 1, 1, 2, 2, 3, 3}}}},
                    {region});
  ASSERT_TRUE(out) << out.reason().text;
  EXPECT_EQ((*out)[0], (Codes{0x40400000, 0xbf800000}));
  EXPECT_EQ((*out)[1], (Codes{1, 0}));
}

TEST(Reductions, ScanIsInclusive) {
  Reduction r{.op = Op::Scan, .in = "8xi32", .out = "8xi32"};
  EXPECT_EQ(r.result({1, 2, 3, 4, 5, 6, 7, 8}), (Codes{1, 3, 6, 10, 15, 21, 28, 36}));
  r.isReverse = true;
  EXPECT_EQ(r.result({1, 2, 3, 4, 5, 6, 7, 8}), (Codes{36, 35, 33, 30, 26, 21, 15, 8}));
  r.identity = 100;
  EXPECT_EQ(r.result({1, 2, 3, 4, 5, 6, 7, 8}), (Codes{136, 135, 133, 130, 126, 121, 115, 108}));
  Reduction rows{.op = Op::Scan, .in = "2x4xi32", .out = "2x4xi32", .dim = 1};
  EXPECT_EQ(rows.result(counted(8)), (Codes{0, 1, 3, 6, 4, 9, 15, 22}));
  rows.dim = 0;
  EXPECT_EQ(rows.result(counted(8)), (Codes{0, 1, 2, 3, 4, 6, 8, 10}));
}

// An identity of f16 for operands of bf16: 1.0 is 0x3c00 in one and 0x3f80 in the other.
TEST(Reductions, ConvertMixedIdentities) {
  Reduction r{.op = Op::Scan,
              .in = "2xbf16",
              .out = "2xbf16",
              .body =
                  [](Kernel &k, Index current, Index accumulated) {
                    return k.add(Op::AddF, {"bf16"}, {std::nullopt, 0}, {{current}, {accumulated}});
                  },
              .identity = 0x3c00,
              .type = "bf16",
              .identityType = "f16"};
  EXPECT_EQ(r.result({0x3f80, 0x3f80}), (Codes{0x4000, 0x4040})); // 1 + 1 + 1
}

// MLIR's integer of one bit is a boolean, which bytecode may write without a type.
TEST(Reductions, TakeABooleanAsIdentityOfBits) {
  auto run = [](const std::string &element) {
    One op({cat("4x", element)});
    uint64_t flag = op.kernel.attribute(
        {.kind = Attribute::Array, .items = {{.kind = Attribute::Bool, .value = 1}}});
    Region region = op.kernel.region({element, element}, [&](const std::vector<Index> &a) {
      Index both = op.kernel.add(Op::AndI, {element}, {}, {{a[0]}, {a[1]}});
      op.kernel.add(Op::Yield, {}, {}, {{both}});
    });
    return op.run(Op::Scan, {cat("4x", element)}, {0, 0, flag},
                  {{{cat("4x", element), {1, 1, 0, 1}}}}, {region});
  };
  EXPECT_EQ((*run("i1"))[0], (Codes{1, 1, 0, 0}));
  EXPECT_EQ(run("i8").reason().text,
            "scan: expects identities of the type of the operands, but got i1");
}

TEST(Reductions, RefuseWhatDoesNotFit) {
  auto refused = [](const Reduction &r) {
    auto done = r.run({0});
    return done ? "ok" : done.reason().text;
  };
  EXPECT_EQ(refused({.in = "4xi32", .out = "i32", .dim = 1}),
            "reduce: expects a dimension below 1, but got 1");
  EXPECT_EQ(
      refused({.in = "4x2xi32", .out = "4xi32"}),
      "reduce: expects result 0 to have the type of its operand without the reduced dimension");
  EXPECT_EQ(refused({.in = "4xi32", .out = "i32", .identityType = "i16"}),
            "reduce: expects identities of the type of the operands, but got i16");
  EXPECT_EQ(refused({.in = "4xi64", .out = "i64", .identityType = "i64"}),
            "reduce: expects scalars of i64 as arguments of its region");
  Reduction prints{.in = "4xi32", .out = "i32", .body = [](Kernel &k, Index current, Index) {
                     k.add(Op::PrintTko, {"token"}, {k.string("")}, {{}, {}});
                     return current;
                   }};
  EXPECT_EQ(refused(prints), "reduce: expects a region of pure ops, but got print_tko");
  Reduction inside{.in = "4xi32", .out = "i32", .body = [](Kernel &k, Index current, Index) {
                     Index yes = k.constant("i1", {1});
                     Region region = k.region({}, [&](const std::vector<Index> &) {
                       k.add(Op::PrintTko, {"token"}, {k.string("")}, {{}, {}});
                       k.add(Op::Yield, {}, {}, {{}});
                     });
                     k.add(Op::If, {}, {}, {{yes}}, {region, region});
                     return current;
                   }};
  EXPECT_EQ(refused(inside), "reduce: expects a region of pure ops, but got print_tko");
  // No operand at all; a region that yields nothing; another kind of identity.
  One none;
  uint64_t empty = none.kernel.attribute({.kind = Attribute::Array});
  Region yieldsNothing = none.kernel.region(
      {}, [&](const std::vector<Index> &) { none.kernel.add(Op::Yield, {}, {}, {{}}); });
  EXPECT_EQ(none.run(Op::Reduce, {}, {0, empty}, {{}}, {yieldsNothing}).reason().text,
            "reduce: expects as many results and identities as operands, and twice as "
            "many arguments, but got 0 operands");
  One yields({"4xi32"});
  uint64_t zero = numbers(yields.kernel, {{"i32", 0}});
  Region nothing = yields.kernel.region({"i32", "i32"}, [&](const std::vector<Index> &) {
    yields.kernel.add(Op::Yield, {}, {}, {{}});
  });
  EXPECT_EQ(yields.run(Op::Reduce, {"i32"}, {0, zero}, {{{"4xi32", {0}}}}, {nothing}).reason().text,
            "reduce: expects a region that yields 1 values");
  One kind({"4xi32"});
  uint64_t flag = kind.kernel.attribute(
      {.kind = Attribute::Array, .items = {{.kind = Attribute::String, .value = 0}}});
  Region region = kind.kernel.region({"i32", "i32"}, [&](const std::vector<Index> &a) {
    kind.kernel.add(Op::Yield, {}, {}, {{a[0]}});
  });
  EXPECT_EQ(kind.run(Op::Reduce, {"i32"}, {0, flag}, {{{"4xi32", {0}}}}, {region}).reason().text,
            "reduce: expects numbers as identities");
}
