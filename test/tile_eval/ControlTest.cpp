// Control flow, launches, the order of tile blocks, assumptions, assertions and prints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Kernel.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace tessera;
using namespace tessera::tile_eval;
using namespace tessera::tile_eval::test;

namespace {

constexpr uint64_t weak = 0, relaxed = 1, acquire = 2, acqRel = 4, device = 1;
using Numbers = std::vector<Index>;

/// A kernel with two i32 as arguments 1 and 2, which stores an i32 at argument 0.
struct Scalar {
  Kernel kernel{Types{"ptr<i32>", "i32", "i32"}};

  void result(Index value) { kernel.store(0, value); }
  Index constant(int64_t n) { return kernel.constant("i32", {uint32_t(n)}); }
  Index binary(Op op, Index a, Index b) { return kernel.add(op, {"i32"}, {0}, {{a}, {b}}); }
  /// a < b, signed.
  Index less(Index a, Index b) { return kernel.add(Op::CmpI, {"i1"}, {2, 1}, {{a}, {b}}); }
  Region block(const std::function<void()> &body) {
    return kernel.region({}, [&](const Numbers &) { body(); });
  }
  void end(Op op, const Numbers &values = {}) { kernel.add(op, {}, {}, {values}); }

  /// What is stored for arguments a and b, or what went wrong.
  std::string run(int64_t a, int64_t b, const Options &options = {}) {
    if (!launcher)
      launcher.emplace(kernel.finish());
    std::vector<uint32_t> data{0xdead};
    std::string outcome =
        launcher->launch({launcher->array(data), uint32_t(a), uint32_t(b)}, {1, 1, 1}, options);
    return outcome == "ok" ? std::to_string(int32_t(data[0])) : outcome;
  }
  std::optional<Launcher> launcher;
};

/// The sum of the induction variables of a loop from a to b by a step.
struct Sum : Scalar {
  explicit Sum(int64_t step, bool isUnsigned = false) {
    Index by = constant(step), zero = constant(0);
    Region body = kernel.region({"i32", "i32"}, [&](const Numbers &v) {
      end(Op::Continue, {binary(Op::AddI, v[0], v[1])});
    });
    result(kernel.add(Op::For, {"i32"}, {isUnsigned ? std::optional<uint64_t>(1) : std::nullopt},
                      {{1}, {2}, {by}, {zero}}, {body}));
  }
};

} // namespace

TEST(Control, ForCountsToItsBound) {
  EXPECT_EQ(Sum(1).run(0, 10), "45");
  EXPECT_EQ(Sum(3).run(1, 11), "22"); // 1 4 7 10
  EXPECT_EQ(Sum(3).run(-4, 3), "-3"); // -4 -1 2
  EXPECT_EQ(Sum(1).run(5, 5), "0");
  EXPECT_EQ(Sum(1).run(5, -5), "0");
  // -5 is above 5 without a sign: two turns, 0x7fffffff and 0xffffffff - 1, then past the bound.
  EXPECT_EQ(Sum(0x7fffffff, true).run(0, -1), std::to_string(int32_t(0x7fffffffu + 0xfffffffeu)));
  EXPECT_EQ(Sum(0).run(0, 1),
            "Step: for of kernel 'k' in tile block (0, 0, 0): expects a step above "
            "0, but got 0");
  EXPECT_NE(Sum(-1).run(0, 1).find("but got -1"), std::string::npos);
  // The induction variable does not wrap.
  EXPECT_EQ(Sum(0x7fffffff).run(0x7fffffff - 1, 0x7fffffff), std::to_string(0x7ffffffe));
}

// Collatz: turns until 1, in a loop that carries two values and breaks with one.
TEST(Control, LoopEndsByBreak) {
  Scalar s;
  Index one = s.constant(1), two = s.constant(2), three = s.constant(3), zero = s.constant(0);
  Region body = s.kernel.region({"i32", "i32"}, [&](const Numbers &v) {
    Index isDone = s.kernel.add(Op::CmpI, {"i1"}, {0, 0}, {{v[0]}, {one}});
    Region yes = s.block([&] { s.end(Op::Break, {v[1]}); });
    Region no = s.block([&] { s.end(Op::Yield); });
    s.kernel.add(Op::If, {}, {}, {{isDone}}, {yes, no});
    Index odd = s.kernel.add(Op::AndI, {"i32"}, {}, {{v[0]}, {one}});
    Index isOdd = s.kernel.add(Op::TruncI, {"i1"}, {0}, {{odd}});
    Region up = s.block(
        [&] { s.end(Op::Yield, {s.binary(Op::AddI, s.binary(Op::MulI, v[0], three), one)}); });
    Region down = s.block(
        [&] { s.end(Op::Yield, {s.kernel.add(Op::DivI, {"i32"}, {1, 1}, {{v[0]}, {two}})}); });
    Index next = s.kernel.add(Op::If, {"i32"}, {}, {{isOdd}}, {up, down});
    s.end(Op::Continue, {next, s.binary(Op::AddI, v[1], one)});
  });
  s.result(s.kernel.add(Op::Loop, {"i32"}, {}, {{1, zero}}, {body}));
  EXPECT_EQ(s.run(1, 0), "0");
  EXPECT_EQ(s.run(6, 0), "8");
  EXPECT_EQ(s.run(27, 0), "111");
}

// `continue` in a condition skips the rest of the body.
TEST(Control, ContinueSkipsTheRest) {
  Scalar s;
  Index zero = s.constant(0), one = s.constant(1), three = s.constant(3);
  Region body = s.kernel.region({"i32", "i32"}, [&](const Numbers &v) {
    Index small = s.less(v[0], three);
    Region yes = s.block([&] { s.end(Op::Continue, {v[1]}); });
    Region no = s.block([&] { s.end(Op::Yield); });
    s.kernel.add(Op::If, {}, {}, {{small}}, {yes, no});
    s.end(Op::Continue, {s.binary(Op::AddI, v[1], v[0])});
  });
  s.result(s.kernel.add(Op::For, {"i32"}, {std::nullopt}, {{1}, {2}, {one}, {zero}}, {body}));
  EXPECT_EQ(s.run(0, 6), "12"); // 3 + 4 + 5
}

TEST(Control, ReturnEndsTheTileBlock) {
  Scalar s;
  Index token = s.kernel.add(Op::StorePtrTko, {"token"}, {weak}, {{0}, {1}, {}, {}});
  Index less = s.less(1, 2);
  Region yes = s.block([&] { s.end(Op::Return); });
  Region no = s.block([&] { s.end(Op::Yield); });
  s.kernel.add(Op::If, {}, {}, {{less}}, {yes, no});
  s.kernel.add(Op::StorePtrTko, {"token"}, {weak}, {{0}, {2}, {}, {token}});
  EXPECT_EQ(s.run(3, 4), "3");
  EXPECT_EQ(s.run(4, 3), "3");
  EXPECT_EQ(s.run(5, 3), "3");
}

TEST(Control, StopsWhenTimeIsOver) {
  Scalar s, empty, counting;
  Region body = s.block([&] { s.end(Op::Continue); });
  s.kernel.add(Op::Loop, {}, {}, {{}}, {body});
  empty.kernel.add(Op::Loop, {}, {}, {{}}, {empty.block([] {})});
  Index one = counting.constant(1);
  body = counting.kernel.region({"i32"}, [](const Numbers &) {});
  counting.kernel.add(Op::For, {}, {std::nullopt}, {{1}, {2}, {one}, {}}, {body});
  for (Scalar *endless : {&s, &empty, &counting}) {
    auto began = std::chrono::steady_clock::now();
    std::string said =
        endless->run(0, 0x7fffffff, {.deadline = began + std::chrono::milliseconds(100)});
    EXPECT_TRUE(said.starts_with("Time: ")) << said;
    EXPECT_NE(said.find("of kernel 'k' in tile block (0, 0, 0): the kernel did not end in the time "
                        "that it was given"),
              said.npos)
        << said;
    EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(100));
  }
}

TEST(Control, StopsAfterSoManySteps) {
  Scalar s;
  Region body = s.block([&] { s.end(Op::Continue); });
  s.kernel.add(Op::Loop, {}, {}, {{}}, {body});
  EXPECT_EQ(s.run(0, 0, {.steps = 1000}),
            "Steps: loop of kernel 'k' in tile block (0, 0, 0): stopped after 1000 operations; a "
            "program that waits for another tile block may never end");
  // Also without any instruction in its block.
  Scalar empty;
  empty.kernel.add(Op::Loop, {}, {}, {{}}, {empty.block([] {})});
  EXPECT_TRUE(empty.run(0, 0, {.steps = 1000}).starts_with("Steps: "));
}

TEST(Control, StopsCountingLoopsWithoutInstructions) {
  Scalar s;
  Index one = s.constant(1);
  Region body = s.kernel.region({"i32"}, [](const Numbers &) {});
  s.kernel.add(Op::For, {}, {std::nullopt}, {{1}, {2}, {one}, {}}, {body});
  EXPECT_EQ(s.run(0, 0x7fffffff, {.steps = 1000}),
            "Steps: for of kernel 'k' in tile block (0, 0, 0): stopped after 1000 operations; a "
            "program that waits for another tile block may never end");
}

//===--- Memory

namespace {

/// The sentence of a launch whose tiles and arrays take too much.
std::string tooMuch(const std::string &op, uint64_t bytes) {
  return "Bytes: " + op +
         " of kernel 'k' in tile block (0, 0, 0): expects tiles and memory of the " +
         "program to take at most " + std::to_string(bytes) + " bytes at a time";
}

} // namespace

TEST(Control, StopsWhereTilesTakeTooMuch) {
  Kernel kernel;
  for (int i = 0; i < 8; ++i)
    kernel.add(Op::Iota, {"1024xi32"}, {}, {}); // 8 bytes an element
  Launcher launcher(kernel.finish());
  EXPECT_EQ(launcher.launch({}, {1, 1, 1}, {.bytes = 8 * 1024 * 8}), "ok");
  EXPECT_EQ(launcher.launch({}, {1, 1, 1}, {.bytes = 8 * 1024 * 8 - 1}),
            tooMuch("iota", 8 * 1024 * 8 - 1));
  // What a tile block took is there again for the next one, also after one that failed.
  EXPECT_EQ(launcher.launch({}, {100, 1, 1}, {.bytes = 8 * 1024 * 8}), "ok");
}

TEST(Control, TilesOfALoopAreGoneWithItsTurn) {
  Scalar s;
  Index one = s.constant(1);
  Region body = s.kernel.region({"i32"}, [&](const Numbers &) {
    s.kernel.add(Op::Iota, {"1024xi32"}, {}, {});
    s.end(Op::Continue);
  });
  s.kernel.add(Op::For, {}, {std::nullopt}, {{1}, {2}, {one}, {}}, {body});
  s.result(one);
  EXPECT_EQ(s.run(0, 1000, {.bytes = 1024 * 8 + 4096}), "1");
}

TEST(Control, StopsWhereTokensTakeTooMuch) {
  Scalar s; // each token knows all accesses before it
  Index token = s.kernel.add(Op::MakeToken, {"token"}, {}, {});
  for (int i = 0; i < 2000; ++i)
    token = s.kernel.add(Op::StorePtrTko, {"token"}, {weak}, {{0}, {1}, {}, {token}});
  EXPECT_EQ(s.run(7, 0), "7");
  EXPECT_EQ(s.run(7, 0, {.bytes = 100000}), tooMuch("store_ptr_tko", 100000));
}

TEST(Control, StopsWhereAllocaTakesTooMuch) {
  Scalar s;
  Index one = s.constant(1);
  Region body = s.kernel.region({"i32"}, [&](const Numbers &) {
    s.kernel.add(Op::Alloca, {"ptr<i32>"}, {std::nullopt, uint64_t(1) << 20, 16}, {});
    s.end(Op::Continue);
  });
  s.kernel.add(Op::For, {}, {std::nullopt}, {{1}, {2}, {one}, {}}, {body});
  s.result(one);
  EXPECT_EQ(s.run(0, 3, {.bytes = 16 << 20}), "1");
  EXPECT_EQ(s.run(0, 1000, {.bytes = 16 << 20}), tooMuch("alloca", 16 << 20));
  EXPECT_EQ(s.run(0, 3, {.bytes = 16 << 20}), "1");
}

//===--- Launches

TEST(Control, TileBlocksKnowTheirPlace) {
  Kernel kernel({"ptr<i32>"});
  Index id = kernel.add(Op::GetTileBlockId, {"i32", "i32", "i32"}, {}, {});
  Index grid = kernel.add(Op::GetNumTileBlocks, {"i32", "i32", "i32"}, {}, {});
  auto binary = [&](Op op, Index a, Index b) { return kernel.add(op, {"i32"}, {0}, {{a}, {b}}); };
  // (z * ny + y) * nx + x
  Index linear = binary(
      Op::AddI,
      binary(Op::MulI, binary(Op::AddI, binary(Op::MulI, id + 2, grid + 1), id + 1), grid), id);
  Index to = kernel.add(Op::Offset, {"ptr<i32>"}, {}, {{0}, {linear}});
  Index hundred = kernel.constant("i32", {100});
  kernel.store(to, binary(Op::AddI, binary(Op::MulI, id + 2, hundred), id + 1));
  Launcher launcher(kernel.finish());
  std::vector<uint32_t> data(2 * 3 * 5 + 1, 7);
  EXPECT_EQ(launcher.launch({launcher.array(data)}, {2, 3, 5}), "ok");
  for (uint32_t z = 0; z < 5; ++z)
    for (uint32_t y = 0; y < 3; ++y)
      for (uint32_t x = 0; x < 2; ++x)
        EXPECT_EQ(data[(z * 3 + y) * 2 + x], z * 100 + y);
  EXPECT_EQ(data.back(), 7u);
}

namespace {

/// Each tile block takes the next number of a counter at argument 0 and stores it at its place of
/// argument 1.
Program ticket() {
  Kernel kernel({"ptr<i32>", "ptr<i32>"});
  Index id = kernel.add(Op::GetTileBlockId, {"i32", "i32", "i32"}, {}, {});
  Index one = kernel.constant("i32", {1});
  Index got =
      kernel.add(Op::AtomicRMWTko, {"i32", "token"}, {acqRel, device, 3}, {{0}, {one}, {}, {}});
  kernel.store(kernel.add(Op::Offset, {"ptr<i32>"}, {}, {{1}, {id}}), got);
  return kernel.finish();
}
std::vector<uint32_t> tickets(uint64_t seed, unsigned resident) {
  std::vector<uint32_t> counter(1), out(40);
  Launcher launcher(ticket());
  EXPECT_EQ(launcher.launch({launcher.array(counter), launcher.array(out)}, {40, 1, 1},
                            {.seed = seed, .resident = resident}),
            "ok");
  EXPECT_EQ(counter[0], 40u);
  return out;
}

} // namespace

// Every tile block runs once; the seed says in which order.
TEST(Control, TheSeedOrdersTileBlocks) {
  for (unsigned resident : {1u, 7u, 64u}) {
    std::vector<uint32_t> first = tickets(1, resident);
    EXPECT_EQ(first, tickets(1, resident));
    EXPECT_NE(first, tickets(2, resident));
    std::vector<uint32_t> sorted = first;
    std::sort(sorted.begin(), sorted.end());
    for (uint32_t i = 0; i < 40; ++i)
      EXPECT_EQ(sorted[i], i);
  }
}

// Tile block i waits until a counter is i, then makes it i + 1: they run to the end in any order.
TEST(Control, TileBlocksMayWaitForEachOther) {
  Kernel kernel({"ptr<i32>"});
  Index id = kernel.add(Op::GetTileBlockId, {"i32", "i32", "i32"}, {}, {});
  Index one = kernel.constant("i32", {1});
  Region body = kernel.region({}, [&](const Numbers &) {
    Index now = kernel.add(Op::LoadPtrTko, {"i32", "token"}, {acquire, device}, {{0}, {}, {}, {}});
    Index mine = kernel.add(Op::CmpI, {"i1"}, {0, 0}, {{now}, {id}});
    Region yes = kernel.region({}, [&](const Numbers &) { kernel.add(Op::Break, {}, {}, {{}}); });
    Region no = kernel.region({}, [&](const Numbers &) { kernel.add(Op::Yield, {}, {}, {{}}); });
    kernel.add(Op::If, {}, {}, {{mine}}, {yes, no});
    kernel.add(Op::Continue, {}, {}, {{}});
  });
  kernel.add(Op::Loop, {}, {}, {{}}, {body});
  kernel.add(Op::AtomicRMWTko, {"i32", "token"}, {acqRel, device, 3}, {{0}, {one}, {}, {}});
  Program program = kernel.finish();
  for (uint64_t seed = 0; seed < 5; ++seed) {
    Launcher launcher(program);
    std::vector<uint32_t> data(1);
    // Without races: a token would have to order the loads and the atomic op.
    EXPECT_EQ(
        launcher.launch({launcher.array(data)}, {10, 1, 1}, {.seed = seed, .checksRaces = false}),
        "ok");
    EXPECT_EQ(data[0], 10u);
  }
  // Block 5 of 10 never comes to run where only some have room: the limit of steps ends it, in all.
  Launcher launcher(program);
  std::vector<uint32_t> data{1000};
  EXPECT_TRUE(
      launcher.launch({launcher.array(data)}, {10, 1, 1}, {.steps = 10000, .checksRaces = false})
          .starts_with("Steps: "));
}

// After a failure no other tile block goes on.
TEST(Control, AFailureEndsAllTileBlocks) {
  Kernel kernel({"ptr<i32>"});
  Index one = kernel.constant("i32", {1}), no = kernel.constant("i1", {0});
  kernel.add(Op::AtomicRMWTko, {"i32", "token"}, {relaxed, device, 3}, {{0}, {one}, {}, {}});
  kernel.add(Op::Assert, {}, {kernel.string("never")}, {{no}});
  Launcher launcher(kernel.finish());
  std::vector<uint32_t> data(1);
  EXPECT_TRUE(launcher.launch({launcher.array(data)}, {50, 1, 1}, {.resident = 4})
                  .starts_with("AssertFailed: "));
  EXPECT_LE(data[0], 4u);
}

TEST(Control, RefusesLaunchesThatDoNotFit) {
  Kernel kernel({"i32"});
  Interpreter interpreter(kernel.finish());
  uint64_t one = 1;
  auto launch = [&](std::string_view name, std::array<uint32_t, 3> grid, size_t arguments) {
    return textOf(interpreter.launch(name, grid, {&one, arguments}));
  };
  EXPECT_EQ(launch("k", {1, 1, 1}, 1), "ok");
  EXPECT_EQ(interpreter.steps(), 1u);
  EXPECT_EQ(launch("x", {1, 1, 1}, 1), "NoKernel: expects a kernel 'x', but the program has 'k'");
  EXPECT_EQ(launch("k", {1, 1, 1}, 0), "ArgumentCount: kernel 'k' expects 1 arguments, but got 0");
  EXPECT_EQ(launch("k", {0, 1, 1}, 1), "Grid: expects a grid of 1 to 16777215 tile blocks in each "
                                       "dimension, but got 0x1x1");
  EXPECT_TRUE(launch("k", {1, 1 << 24, 1}, 1).starts_with("Grid: "));
  // The product does not fit 64 bits: 2^22 * 2^21 * 2^21.
  EXPECT_EQ(launch("k", {1 << 22, 1 << 21, 1 << 21}, 1),
            "GridSize: expects a grid of at most 4294967295 tile blocks, but got "
            "4194304x2097152x2097152");
  Interpreter empty{Program()};
  EXPECT_EQ(textOf(empty.launch("k", {1, 1, 1}, {})),
            "NoKernel: expects a kernel 'k', but the program has none");
  Kernel tile({"4xi32"});
  Interpreter other(tile.finish());
  EXPECT_EQ(
      textOf(other.launch("k", {1, 1, 1}, {&one, 1})),
      "ParameterType: kernel 'k', parameter 0: expects a number or a pointer, but its type is "
      "tile<4xi32>");
}

// The op's place in the source comes with the error.
TEST(Control, ErrorsNameTheSource) {
  using tile_bytecode::DebugEntry;
  Kernel kernel;
  Index no = kernel.constant("i1", {0});
  kernel.add(Op::Assert, {}, {kernel.string("never")}, {{no}});
  tile_bytecode::Interner interner(kernel.program);
  Index name = kernel.string("file.py");
  uint32_t place = interner.debug({DebugEntry::Location, {0, name, 3, 7}});
  uint32_t call = interner.debug({DebugEntry::CallSite, {place, place}});
  kernel.function.body.back().location = call;
  Interpreter interpreter(kernel.finish());
  EXPECT_EQ(textOf(interpreter.launch("k", {1, 1, 1}, {})),
            "AssertFailed: assert of kernel 'k' in tile block (0, 0, 0) at file.py:3:7: assertion "
            "failed: never");
}

//===--- Assumptions, assertions, prints

namespace {

std::string assumed(const Attribute &predicate, const char *type, const Codes &codes,
                    bool checks = true) {
  One op;
  op.options.checksAssumptions = checks;
  uint64_t attribute = op.kernel.attribute(predicate);
  auto out = op.run(Op::Assume, {type}, {attribute}, {{{type, codes}}});
  if (!out)
    return cat(out.reason().id, ": ", out.reason().text);
  return (*out)[0] == codes ? "ok" : "other";
}
Attribute divisible(uint64_t by, std::optional<int64_t> every = {},
                    std::optional<int64_t> along = {}) {
  return {.kind = Attribute::DivBy, .value = by, .first = every, .second = along};
}
Attribute bounded(std::optional<int64_t> low, std::optional<int64_t> high) {
  return {.kind = Attribute::Bounded, .first = low, .second = high};
}
Attribute same(std::vector<int64_t> groups) {
  return {.kind = Attribute::SameElements, .numbers = groups};
}

} // namespace

TEST(Control, AssumptionsAreChecked) {
  EXPECT_EQ(assumed(divisible(16), "4xi32", {0, 16, 32, uint32_t(-16)}), "ok");
  EXPECT_EQ(assumed(divisible(16), "4xi32", {0, 16, 33, 48}),
            "Assumption: assume of kernel 'k' in tile block (0, 0, 0), element (2): the assumption "
            "div_by<16> does not hold: got 33");
  EXPECT_EQ(assumed(divisible(16), "4xi32", {0, 16, 33, 48}, false), "ok");
  EXPECT_EQ(assumed(divisible(16), "ptr<f32>", {64}), "ok");
  EXPECT_TRUE(assumed(divisible(16), "ptr<f32>", {68}).ends_with("does not hold: got 68"));
  // Groups of four: 8 9 10 11, 40 41 42 43.
  EXPECT_EQ(assumed(divisible(8, 4, 0), "8xi32", {8, 9, 10, 11, 40, 41, 42, 43}), "ok");
  EXPECT_NE(
      assumed(divisible(8, 4, 0), "8xi32", {8, 9, 10, 12, 40, 41, 42, 43})
          .find("element (3): the assumption div_by<8, every 4 along 0> does not hold: got 12"),
      std::string::npos);
  EXPECT_NE(
      assumed(divisible(8, 4, 0), "8xi32", {8, 9, 10, 11, 41, 42, 43, 44}).find("element (4)"),
      std::string::npos);
  // Along dimension 0, columns are groups; pointers follow by elements of 4 bytes.
  EXPECT_EQ(assumed(divisible(16, 2, 0), "2x2xptr<f32>", {16, 64, 20, 68}), "ok");
  EXPECT_NE(assumed(divisible(16, 2, 0), "2x2xptr<f32>", {16, 64, 17, 68}), "ok");
  EXPECT_EQ(assumed(bounded(0, 7), "2xi8", {0, 7}), "ok");
  EXPECT_NE(assumed(bounded(0, 7), "2xi8", {0, 8}).find("bounded<0, 7> does not hold: got 8"),
            std::string::npos);
  EXPECT_NE(assumed(bounded(0, {}), "2xi8", {0, 0xff}).find("bounded<0, ?> does not hold: got -1"),
            std::string::npos);
  EXPECT_EQ(assumed(bounded({}, 3), "2xi8", {0, 0xff}), "ok");
  EXPECT_EQ(assumed(same({2}), "4xi32", {5, 5, 6, 6}), "ok");
  EXPECT_NE(assumed(same({2}), "4xi32", {5, 5, 6, 7})
                .find("element (3): the assumption "
                      "same_elements<[2]> does not hold"),
            std::string::npos);
  EXPECT_EQ(assumed(same({1, 2}), "2x2xi32", {1, 1, 2, 2}), "ok");
  EXPECT_NE(assumed(same({2, 1}), "2x2xi32", {1, 1, 2, 2}), "ok");
}

TEST(Control, AssumptionsAreVerified) {
  auto problem = [](const Attribute &predicate, const char *type) {
    std::string text = assumed(predicate, type, {0});
    return text.starts_with("Unverified: assume: ") ? text.substr(20) : text;
  };
  const char *divisor = "expects a divisor that is a power of two up to 2^62, but got ";
  EXPECT_EQ(problem(divisible(12), "1xi32"), cat(divisor, 12));
  EXPECT_EQ(problem(divisible(0), "1xi32"), cat(divisor, 0));
  EXPECT_EQ(problem(divisible(uint64_t(1) << 63), "1xi32"), cat(divisor, uint64_t(1) << 63));
  const char *group = "expects a group above 0 and a dimension of the tile";
  EXPECT_EQ(problem(divisible(4, 0, 0), "1xi32"), group);
  EXPECT_EQ(problem(divisible(4, 2, 1), "1xi32"), group);
  EXPECT_EQ(problem(divisible(4, 2, -1), "1xi32"), group);
  EXPECT_EQ(problem(same({1, 1}), "1xi32"), "expects 1 numbers of equal elements, but got 2");
  EXPECT_EQ(problem(same({0}), "1xi32"), "expects numbers of equal elements above 0, but got 0");
  EXPECT_EQ(problem(bounded(0, 1), "1xptr<i8>"), "expects integers for bounded");
  EXPECT_EQ(problem(divisible(4), "1xf32"),
            "expects a tile of integers or pointers, or a tensor_view");
  One op;
  uint64_t predicate = op.kernel.attribute(divisible(4));
  EXPECT_EQ(op.outcome(Op::Assume, {"2xi32"}, {predicate}, {{{"1xi32", {0}}}}),
            "Unverified: assume: expects a result of the type of its operand");
}

// Of a tensor_view an assumption says something about its address; nothing is checked.
TEST(Control, AssumptionsOfTensorViewsPass) {
  for (bool isDivisible : {true, false}) {
    Kernel kernel({"ptr<f32>"});
    Type tensor{.kind = TypeKind::TensorView, .shape = {4}, .strides = {1}};
    tensor.element = kernel.program.type(kernel.type("f32")).element;
    kernel.define("tensor", tensor);
    Index view = kernel.add(Op::MakeTensorView, {"tensor"}, {}, {{0}, {}, {}});
    uint64_t predicate = kernel.attribute(isDivisible ? divisible(16) : bounded(0, 1));
    Index assumed = kernel.add(Op::Assume, {"tensor"}, {predicate}, {{view}});
    kernel.add(Op::GetTensorShape, {"i32"}, {}, {{assumed}});
    Interpreter interpreter(kernel.finish());
    uint64_t nowhere = 0;
    EXPECT_EQ(textOf(interpreter.launch("k", {1, 1, 1}, {&nowhere, 1})),
              isDivisible ? "ok" : "Unverified: assume: expects div_by for a tensor_view");
  }
}

TEST(Control, AssertionsNameTheElement) {
  One op;
  uint64_t message = op.kernel.string("all small");
  EXPECT_EQ(op.outcome(Op::Assert, {}, {message}, {{{"2x2xi1", {1, 1, 1, 1}}}}), "ok");
  EXPECT_EQ(op.outcome(Op::Assert, {}, {message}, {{{"2x2xi1", {1, 1, 0, 1}}}}),
            "AssertFailed: assert of kernel 'k' in tile block (0, 0, 0), element (1, 0): assertion "
            "failed: all small");
}

namespace {

std::string printed(const char *format, const std::vector<Tile> &values) {
  One op;
  auto out = op.run(Op::PrintTko, {"token"}, {op.kernel.string(format)}, {values, {}});
  return out ? op.output : cat(out.reason().id, ": ", out.reason().text);
}

} // namespace

// What C's printf writes for each element.
TEST(Control, PrintsTilesInBrackets) {
  EXPECT_EQ(printed("done\n", {}), "done\n");
  EXPECT_EQ(printed("tile[%d]:%.5f\n", {{"i32", {3}}, {"2xf32", {0, 0x3f800000}}}),
            "tile[3]:[0.00000, 1.00000]\n");
  EXPECT_EQ(printed("%d", {{"2x2xi8", {1, 0xff, 3, 4}}}), "[[1, -1], [3, 4]]");
  EXPECT_EQ(printed("%u %x %#X %o %c %i", {{"i8", {0xff}},
                                           {"i8", {0xff}},
                                           {"i16", {0xab}},
                                           {"i8", {8}},
                                           {"i8", {'A'}},
                                           {"i64", {~uint64_t(0)}}}),
            "255 ff 0XAB 10 A -1");
  EXPECT_EQ(printed("%lld|%hhd|%5d|%-4d|%+d|%05d|% d", {{"i64", {5}},
                                                        {"i8", {5}},
                                                        {"i8", {5}},
                                                        {"i8", {5}},
                                                        {"i8", {5}},
                                                        {"i8", {5}},
                                                        {"i8", {5}}}),
            "5|5|    5|5   |+5|00005| 5");
  EXPECT_EQ(printed("%e %g %a %F", {{"f64", {0x3ff8000000000000}},
                                    {"f16", {0x3e00}},
                                    {"bf16", {0x3fc0}},
                                    {"f32", {0x3fc00000}}}),
            "1.500000e+00 1.5 0x1.8p+0 1.500000");
  EXPECT_EQ(printed("%d", {{"i1", {1}}}), "1");
  EXPECT_EQ(printed("%p", {{"ptr<i8>", {0xabc}}}), "0xabc");
  EXPECT_EQ(printed("100%% %d", {{"i8", {1}}}), "100% 1");
  EXPECT_EQ(printed("%f", {{"f8E4M3FN", {0x7e}}}), "448.000000");
}

TEST(Control, RefusesFormatsThatDoNotFit) {
  EXPECT_EQ(printed("%d", {}), "PrintFormat: print_tko of kernel 'k' in tile block (0, 0, 0): "
                               "expects a format of printf for each operand, but got \"%d\" and 0 "
                               "operands");
  for (const char *format : {"", "%d %d", "%s", "%n", "%f", "%", "%*d", "%1000d"})
    EXPECT_TRUE(printed(format, {{"i32", {0}}}).starts_with("PrintFormat: ")) << format;
  EXPECT_TRUE(printed("%d", {{"f32", {0}}}).starts_with("PrintFormat: "));
}

TEST(Control, PrintedTextIsTaken) {
  Kernel kernel;
  Index id = kernel.add(Op::GetTileBlockId, {"i32", "i32", "i32"}, {}, {});
  kernel.add(Op::PrintTko, {"token"}, {kernel.string("%d;")}, {{id}, {}});
  Interpreter interpreter(kernel.finish());
  EXPECT_EQ(textOf(interpreter.launch("k", {3, 1, 1}, {})), "ok");
  std::string text = interpreter.takeOutput();
  EXPECT_EQ(text.size(), 6u);
  for (const char *part : {"0;", "1;", "2;"})
    EXPECT_NE(text.find(part), std::string::npos);
  EXPECT_EQ(interpreter.takeOutput(), "");
}
