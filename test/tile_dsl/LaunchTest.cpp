// Launches: what is known of arguments, grids, checks, and every sentence of the room.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Listing.h"

#include "tessera/tile_bytecode/Reader.h"

#include <gtest/gtest.h>

using namespace tessera::tile;
using namespace tessera::tile::test;

namespace {

/// The ids of the diagnostics, one after the other; "ok" without one.
std::string idsOf(const Outcome &outcome) {
  std::string out;
  for (const Diagnostic &d : outcome.diagnostics)
    out += (out.empty() ? "" : " ") + d.id;
  return outcome ? "ok" : out;
}
/// One mistake, at this line of this file.
void expectMistake(const Outcome &outcome, const char *id, unsigned line, const char *part) {
  ASSERT_EQ(outcome.diagnostics.size(), 1u) << outcome.text();
  const Diagnostic &d = outcome.diagnostics[0];
  EXPECT_EQ(d.id, id);
  EXPECT_EQ(d.line, line) << d.str();
  EXPECT_LISTED(d.file, "LaunchTest.cpp");
  EXPECT_LISTED(d.text, part);
  EXPECT_LISTED(d.str(), "LaunchTest.cpp:" + std::to_string(line) + ":");
}

template <int M, int N> void twice(In<f32, 2> x, Out<f32, M, N> y) {
  y.store(x.load<M, N>(y.index()) * 2.0f);
}

//===--- Entries

TEST(Entry, SpecialisedByWhatIsKnown) {
  auto k = kernel(twice<16, 16>, "twice");
  Array<f32, 2> x(32, 48), y(32, 48);
  // Row-major, all divisible by 16: extents and row strides are, the inner stride is 1.
  std::string text = traced(k, x, y);
  EXPECT_LISTED(text, "tensor_view<?x?xf32, strides=[?,1]>");
  EXPECT_LISTED(text, "assume bounded<0, ?>");
  EXPECT_LISTED(text, "assume div_by<16>");
  EXPECT_LISTED(text, "assume div_by<4>"); // 16 bytes of strides
  Array<f32, 2> odd(31, 47), out(31, 47);
  std::string general = traced(k, odd, out);
  EXPECT_LT(general.size(), text.size());
  // The transposed array: no stride is known.
  std::string turned = traced(k, view(x.data(), {48, 32}, {1, 48}), view(y.data(), {48, 32}));
  EXPECT_LISTED(turned, "tensor_view<?x?xf32, strides=[1,?]>");
  EXPECT_EQ(k.traces(), 3u);
  // Other sizes, the same facts: nothing is traced again.
  Array<f32, 2> larger(64, 80), result(64, 80);
  larger.fill([](int64_t i) { return double(i); });
  Outcome done = k(larger, result);
  EXPECT_TRUE(done) << done.text();
  EXPECT_EQ(result(63, 79), 2.0f * (64 * 80 - 1));
  EXPECT_EQ(k.traces(), 3u);
}
TEST(Entry, AddressesThatAreNotAligned) {
  std::vector<f32> x(40), y(40);
  auto k = kernel([](In<f32, 1> x, Out<f32, 8> y) { y.store(x.load<8>(bid().x)); });
  std::string aligned = traced(k, x, y);
  std::string shifted =
      traced(k, std::span<f32>(x).subspan(1, 32), std::span<f32>(y).subspan(1, 32));
  EXPECT_NE(aligned, shifted);
  x.assign(40, 3.0f);
  Outcome done = k(std::span<f32>(x).subspan(1, 32), std::span<f32>(y).subspan(1, 32));
  EXPECT_TRUE(done) << done.text();
  EXPECT_EQ(y[0], 0.0f);
  EXPECT_EQ(y[32], 3.0f);
  EXPECT_EQ(y[33], 0.0f);
}
TEST(Entry, HintsAndBytecode) {
  Array<f32, 2> x(32, 48), y(32, 48);
  auto k = kernel(twice<16, 16>, "twice");
  k.with(KernelHints{.num_cta_in_cga = 2, .num_worker_warps_per_cta = 4, .occupancy = 3});
  std::string bytes;
  Outcome done = k.bytecode(bytes, x, y);
  ASSERT_TRUE(done) << done.text();
  auto program = tessera::tile_bytecode::read(std::as_bytes(std::span(bytes)));
  ASSERT_TRUE(program) << program.reason().text;
  const auto *function = program->find("twice");
  ASSERT_TRUE(function && function->hints);
  const auto &hints = function->hints->items[0];
  ASSERT_EQ(hints.items.size(), 3u);
  EXPECT_EQ(program->text(hints.keys[1]), "num_worker_warps_per_cta");
  EXPECT_EQ(hints.items[2].value, 3u);
  EXPECT_EQ(program->version.str(), "13.3");
  Outcome same;
  EXPECT_EQ(listing(*program), listing(*k.trace(same, x, y)));
}
TEST(Entry, LocationsAreTheAuthors) {
  std::vector<int> x(4), y(4);
  auto k = kernel([](In<i32, 1> x, Out<i32, 4> y) {
    auto a = x.load<4>(0);
    y.store(4 / a); // this line
  });
  unsigned line = __LINE__ - 2;
  Outcome done = k(x, y);
  expectMistake(done, "DivisionByZero", line,
                "divi of kernel 'kernel' in tile block (0, 0, 0), element (0): expects a divisor "
                "other than 0");
}

//===--- Grids

TEST(Grids, FollowFromOutputs) {
  Array<f32, 2> x(33, 17), y(33, 17);
  x.fill([](int64_t i) { return double(i); });
  EXPECT_EQ(idsOf(run(twice<16, 16>, x, partition(y, {16, 16}))), "ok");
  EXPECT_EQ(y(32, 16), 2.0f * x(32, 16));
  EXPECT_EQ(idsOf(run(twice<16, 16>, Grid{3, 2}, x, y)), "ok");
  Outcome other = run(twice<16, 16>, Grid{3, 3}, x, y);
  EXPECT_EQ(idsOf(other), "GridGiven");
  EXPECT_LISTED(other.text(), "expects 3x2x1, but got 3x3x1");
  EXPECT_EQ(idsOf(run(twice<16, 16>, x, partition(y, {16, 8}))), "PartitionTile");
  EXPECT_EQ(idsOf(run(twice<16, 16>, partition(x, {16, 16}), y)), "PartitionInput");
  auto two = kernel([](Out<f32, 8> a, Out<f32, 4> b) {
    a.store(zeros<f32, 8>());
    b.store(zeros<f32, 4>());
  });
  std::vector<f32> a(16), b(8), c(16);
  EXPECT_EQ(idsOf(two(a, b)), "ok");
  Outcome grids = two(a, c);
  EXPECT_EQ(idsOf(grids), "Grids");
  EXPECT_LISTED(grids.text(), "argument 1 has 2x1x1 tiles, argument 2 has 4x1x1");
  auto none = kernel([](Tile<f32 *>) {});
  EXPECT_EQ(idsOf(none(a)), "NoGrid");
  EXPECT_EQ(idsOf(none.run(Grid{0}, a)), "GridRange");
  EXPECT_EQ(idsOf(none.run(Grid{1 << 24}, a)), "GridRange");
}
TEST(Grids, NothingToDo) {
  Array<f32, 2> x(0, 7), y(0, 7);
  EXPECT_EQ(idsOf(run(twice<16, 16>, x, y)), "ok");
}
TEST(Grids, Outputs) {
  std::vector<f32> x(16), y(16);
  const std::vector<f32> fixed(16);
  auto copy = kernel([](In<f32, 1> x, Out<f32, 8> y) { y.store(x.load<8>(bid().x)); });
  EXPECT_EQ(idsOf(copy(fixed, y)), "ok");
  EXPECT_EQ(idsOf(copy(x, fixed)), "ReadOnly");
  EXPECT_EQ(idsOf(copy(x, x)), "OutputOverlap");
  EXPECT_EQ(idsOf(copy(std::span<f32>(x).subspan(0, 9), std::span<f32>(x).subspan(8, 8))),
            "OutputOverlap");
  EXPECT_EQ(idsOf(copy(x, view(y.data(), {16}, {0}))), "OutputStride");
  // Windows that overlap are read, but not written.
  auto rows = kernel([](In<f32, 2> x, Out<f32, 4, 4> y) { y.store(x.load<4, 4>({0, 0})); });
  Array<f32, 2> square(4, 4);
  EXPECT_EQ(idsOf(rows(view(x.data(), {4, 4}, {2, 1}), square)), "ok");
  Outcome windows = rows(square, view(y.data(), {4, 4}, {2, 1}));
  EXPECT_EQ(idsOf(windows), "OutputStride");
  EXPECT_LISTED(windows.text(), "argument 2: expects an output whose elements have places of their "
                                "own, but in the shape 4x4 with the strides 2, 1 some share one");
}

//===--- Shapes

TEST(Shapes, StaticExtents) {
  Array<f32, 2> x(8, 16), y(8, 24);
  auto k = kernel([](Tensor<f32, dyn, 16> x) { x.store<1, 1>(x.load<1, 1>({0, 0}), {0, 1}); });
  EXPECT_EQ(idsOf(k.run(Grid{1}, x)), "ok");
  Outcome done = k.run(Grid{1}, y);
  EXPECT_EQ(idsOf(done), "Extent");
  EXPECT_LISTED(done.text(), "argument 1: expects an extent of 16 along dimension 1, but the array "
                             "has 24");
  EXPECT_EQ(idsOf(k.run(Grid{1}, view(y.data(), {int64_t(1) << 31, 16}))), "ExtentRange");
}
TEST(Shapes, MemoryOfAPointerBeginsThere) {
  std::vector<f32> x(24);
  auto k = kernel([](Tile<f32 *> p) { store(p, 1.0f); });
  Outcome done = k.run(Grid{1}, view(x.data() + 20, {6}, {-4}));
  EXPECT_EQ(idsOf(done), "ExtentRange");
  EXPECT_LISTED(done.text(), "argument 1: expects extents and strides from 0 to 2147483647, but "
                             "dimension 0 has -4");
  EXPECT_EQ(idsOf(k.run(Grid{1}, view(x.data(), {6}, {4}))), "ok");
  EXPECT_EQ(x[0], 1.0f);
}
TEST(Shapes, TilesOutsideAreSeenBeforeTheLaunch) {
  auto product = kernel([](In<f32, 2> a, In<f32, 2> b, Out<f32, 8, 8> c) {
    auto [i, j, _] = bid();
    auto acc = zeros<f32, 8, 8>();
    For(ceil_div(a.shape(1), 4), acc, [&](Index k, auto &acc) {
      acc = mma(a.load<8, 4>({i, k}), b.load<4, 8>({k, j}), acc); // this line
    });
    c.store(acc);
  });
  unsigned line = __LINE__ - 4;
  Array<f32, 2> a(16, 12), b(12, 16), c(16, 16), shortB(7, 16), narrowB(12, 8);
  EXPECT_EQ(idsOf(product(a, b, c)), "ok");
  Outcome done = product(a, shortB, c);
  expectMistake(done, "TileOutside", line,
                "argument 2: a load or store takes tile 2 along dimension 0, but there are 2 tiles "
                "of 4 (extent 7)");
  expectMistake(product(a, narrowB, c), "TileOutside", line, "tile 1 along dimension 1");
  auto fixed = kernel([](In<f32, 1> x, Out<f32, 4> y) { y.store(x.load<4>(2)); });
  std::vector<f32> x(12), y(4), less(8);
  EXPECT_EQ(idsOf(fixed(x, y)), "ok");
  EXPECT_EQ(idsOf(fixed(less, y)), "TileOutside");
}
TEST(Shapes, ChecksInTheKernel) {
  auto make = [] {
    return kernel([](In<f32, 1> x, In<i32, 1> at, Out<f32, 4> y) {
      y.store(x.load<4>(reshape<>(at.load<1>(0))));
    });
  };
  std::vector<f32> x(12, 1.0f), y(4);
  std::vector<int> at{2};
  auto checked = make();
  checked.with(Checks::InKernel);
  EXPECT_EQ(idsOf(checked(x, at, y)), "ok");
  EXPECT_LISTED(traced(checked, x, at, y), "assert \"tile index 0 is below the number of tiles\"");
  at[0] = -1;
  EXPECT_EQ(idsOf(checked(x, at, y)), "AssertFailed");
  auto free = make();
  EXPECT_FALSE(contains(traced(free, x, at, y), "assert"));
  auto forbidden = make();
  forbidden.with(Checks::Forbidden);
  EXPECT_EQ(idsOf(forbidden(x, at, y)), "CheckForbidden");
  // What can be looked at before the launch needs no check in the kernel.
  auto known = kernel(twice<4, 4>);
  known.with(Checks::Forbidden);
  Array<f32, 2> a(9, 5), b(9, 5);
  EXPECT_EQ(idsOf(known(a, b)), "ok");
}

//===--- Mistakes of the author

TEST(Mistakes, EachHasItsLine) {
  std::vector<f32> x(8), y(8);
  unsigned line = 0;
  auto noValue = kernel([&](In<f32, 1> x, Out<f32, 8> y) {
    Tile<f32, 8> none;
    line = __LINE__ + 1;
    auto sum = x.load<8>(0) + none;
    y.store(sum * 2.0f);
  });
  expectMistake(noValue(x, y), "NoValue", line, "addf uses a tile that has no value");
  auto leaves = kernel([&](In<f32, 1> x, Out<f32, 8> y) {
    Tile<f32, 8> last = 0;
    For(4, [&](Index) { last = x.load<8>(0); });
    line = __LINE__ + 1;
    y.store(last + 1.0f);
  });
  expectMistake(leaves(x, y), "LeftRegion", line,
                "addf uses a value that was made in the For of line");
  auto branch = kernel([&](In<f32, 1> x, Out<f32, 8> y) {
    Tile<f32, 8> last = 0;
    If(bid().x == 0, [&] { last = x.load<8>(0); });
    line = __LINE__ + 1;
    y.store(last);
  });
  expectMistake(branch(x, y), "LeftRegion", line, "store_view_tko uses a value that was made in");
  auto returns = kernel([&](Tile<i32> n) {
    For(n, [&](Index i) {
      line = __LINE__ + 1;
      If(i == 2, [] { Return(); });
    });
  });
  expectMistake(returns.run(Grid{1}, 3), "ReturnInLoop", line, "leave the loop first");
  auto after = kernel([&](Tile<i32> n, Out<f32, 8> y) {
    If(n == 2, [&] {
      Return();
      line = __LINE__ + 1;
      y.store(zeros<f32, 8>());
    });
  });
  Outcome done = after(3, y);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.diagnostics[0].id, "AfterReturn");
  EXPECT_EQ(done.diagnostics.back().line, line);
  auto hints = kernel([&](In<f32, 1> x, Out<f32, 8> y) {
    line = __LINE__ + 1;
    y.store(x.load<8>(0, hint{.latency = 11}));
  });
  expectMistake(hints(x, y), "HintRange", line, "the hint latency expects 1 to 10, but got 11");
  auto impure = kernel([&](In<f32, 1> x, Out<f32, 8> y) {
    line = __LINE__ + 2;
    auto sum =
        reduce<0>(x.load<8>(0), 0.0f, [&](auto a, auto) { return a + reshape<>(x.load<1>(0)); });
    y.store(sum + zeros<f32, 8>());
  });
  expectMistake(impure(x, y), "BadOp", line, "pure ops");
}
TEST(Mistakes, AreCollected) {
  std::vector<f32> y(8);
  auto k = kernel([](Out<f32, 8> y) {
    y.store(zeros<f32, 8>(), hint{.latency = 0});
    y.store(zeros<f32, 8>(), hint{.latency = 20});
  });
  Outcome done = k(y);
  EXPECT_EQ(idsOf(done), "HintRange HintRange");
  EXPECT_EQ(done.diagnostics[0].line + 1, done.diagnostics[1].line);
}
TEST(Mistakes, NullArrays) {
  auto k = kernel(twice<16, 16>, "twice");
  Array<f32, 2> x(16, 16), y(16, 16);
  Outcome done = k(view<f32>(nullptr, {16, 16}), y);
  EXPECT_EQ(idsOf(done), "NullArray");
  EXPECT_LISTED(done.text(), "argument 1: expects the address of 16x16 elements, but got a null");
  EXPECT_EQ(idsOf(k(x, view<f32>(nullptr, {16, 16}))), "NullArray");
  std::string bytes;
  EXPECT_EQ(idsOf(k.bytecode(bytes, x, view<f32>(nullptr, {16, 16}))), "NullArray");
  // Without elements there is nothing to point to.
  EXPECT_EQ(idsOf(k(view<f32>(nullptr, {0, 16}), view<f32>(nullptr, {0, 16}))), "ok");
}
TEST(Mistakes, NamesThatPtxDoesNotHave) {
  std::vector<f32> y(8);
  auto store = [](Out<f32, 8> y) { y.store(zeros<f32, 8>()); };
  for (const char *name : {"", "my kernel", "2d", "a-b", "a.b", "\xc3\xa4"}) {
    Outcome done = kernel(store, name)(y);
    EXPECT_EQ(idsOf(done), "KernelName") << name;
    std::string bytes;
    EXPECT_EQ(idsOf(kernel(store, name).bytecode(bytes, y)), "KernelName") << name;
  }
  for (const char *name : {"_", "k2", "Gemm_16x16"})
    EXPECT_EQ(idsOf(kernel(store, name)(y)), "ok") << name;
}
TEST(Mistakes, HintsOfTheKernel) {
  std::vector<f32> y(8);
  auto with = [&](KernelHints hints) {
    return kernel([](Out<f32, 8> y) { y.store(zeros<f32, 8>()); }).with(hints)(y);
  };
  EXPECT_LISTED(with({.num_cta_in_cga = 3}).text(),
                "the hint num_cta_in_cga expects a power of two up to 16, but got 3");
  EXPECT_EQ(idsOf(with({.num_cta_in_cga = 32})), "HintRange");
  EXPECT_EQ(idsOf(with({.num_worker_warps_per_cta = 0})), "HintRange");
  EXPECT_LISTED(with({.occupancy = 33}).text(), "occupancy expects 1 to 32, but got 33");
  EXPECT_EQ(idsOf(with({16, 32, 32})), "ok");
}
TEST(Mistakes, DimensionsThatATensorHasNot) {
  unsigned line = 0;
  std::vector<f32> x(8), y(8);
  auto shapes = kernel([&](In<f32, 1> x, Out<f32, 8> y) {
    line = __LINE__ + 1;
    y.store(x.load<8>(x.shape(1)));
  });
  expectMistake(shapes(x, y), "NoSuchDimension", line,
                "shape expects a dimension of the tensor, which has 1, counted from 0, but got 1");
}
TEST(Mistakes, ValuesOfAnotherKernel) {
  unsigned line = 0;
  std::vector<f32> x(8), y(8);
  Tile<f32, 8> kept;
  auto keeps = kernel([&](In<f32, 1> x, Out<f32, 8> y) {
    kept = x.load<8>(0);
    y.store(kept);
  });
  EXPECT_EQ(idsOf(keeps(x, y)), "ok");
  auto uses = kernel([&](In<f32, 1> x, Out<f32, 8> y) {
    auto own = x.load<8>(0); // has the number that `kept` has in its trace
    line = __LINE__ + 1;
    y.store(kept + own);
  });
  expectMistake(uses(x, y), "OtherKernel", line, "addf uses a value that another kernel made");
}
TEST(Arrays, OfTruths) {
  Array<bool, 2> mask(2, 8);
  mask.fill([](int64_t i) { return i % 3 == 0; });
  mask(1, 7) = true;
  mask[1] = true;
  Array<f32, 2> y(2, 8);
  Array<bool, 2> turned(2, 8);
  Outcome done = run(
      [](In<bool, 2> mask, Out<f32, 1, 8> y, Out<bool, 1, 8> turned) {
        auto row = mask.load<1, 8>({bid().x, 0});
        y.store(select(row, 1.0f, Tile<f32, 1, 8>(2.0f)));
        turned.store(!row);
      },
      mask, y, turned);
  ASSERT_TRUE(done) << done.text();
  int64_t i = 0;
  for (bool truth : mask) {
    EXPECT_EQ(truth, i % 3 == 0 || i == 1 || i == 15);
    EXPECT_EQ(y[i], truth ? 1.0f : 2.0f);
    EXPECT_EQ(turned[i], !truth);
    ++i;
  }
  EXPECT_EQ(i, 16);
  EXPECT_TRUE((Array<bool, 1>({2}, {false, true})[1]));
}
TEST(Mistakes, ArgumentCountOfTheCore) {
  detail::KernelCore core("k", {{.kind = detail::ParameterInfo::Number}}, [](auto) {}, {});
  EXPECT_EQ(idsOf(core.launch({}, Grid{1}, nullptr)), "ArgumentCount");
}
TEST(Mistakes, NumbersAreNotTakenForValues) {
  // u32 is also what the trace counts values with.
  std::vector<u32> y(8);
  auto k = kernel([](Out<u32, 8> y) {
    Tile<u32, 8> sum(3u);
    For(2u, sum, [](Index, auto &sum) { sum += Tile<u32>(4u); });
    y.store(sum);
  });
  EXPECT_EQ(idsOf(k(y)), "ok");
  EXPECT_EQ(y[7], 11u);
}
TEST(Mistakes, OutsideOfAKernelNothingHappens) {
  Tile<f32, 8> x = 1.0f;
  auto y = For(3, x + 2.0f, [](Index, auto x) { return exp(x) * 2.0f; });
  auto z = If(reduce_max(y) > 3.0f, [&] { return y; }, [&] { return x; });
  EXPECT_FALSE(z.id());
}
TEST(Mistakes, AFunctionMayThrowOrRunAnother) {
  std::vector<f32> y(8);
  bool throws = true;
  auto k = kernel([&](Out<f32, 8> y) {
    auto before = full<f32, 8>(2.0f);
    std::vector<f32> other(8);
    EXPECT_EQ(idsOf(run([](Out<f32, 8> y) { y.store(full<f32, 8>(3.0f)); }, other)), "ok");
    if (throws)
      throw 1;
    y.store(before * other[0]);
  });
  EXPECT_THROW((void)k(y), int);
  throws = false;
  EXPECT_EQ(idsOf(k(y)), "ok");
  EXPECT_EQ(y[0], 6.0f);
}
TEST(Mistakes, RacesAreReported) {
  // All tile blocks write the same tile.
  std::vector<f32> x(8);
  auto k = kernel([](Tensor<f32, dyn> x) { x.store<8>(zeros<f32, 8>(), 0); });
  Outcome done = k.run(Grid{2}, x);
  EXPECT_EQ(idsOf(done), "BlockRace");
}

} // namespace
