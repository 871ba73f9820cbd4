// Loads, stores and atomics through pointers, memory of tile blocks, globals, and the order that
// tokens give.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Kernel.h"

#include "tessera/tile_bytecode/Constants.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

using namespace tessera;
using namespace tessera::tile_eval;
using namespace tessera::tile_eval::test;
using tile_bytecode::AtomicRMWMode;

namespace {

constexpr uint64_t weak = 0, relaxed = 1, acquire = 2, release = 3, acqRel = 4, device = 1;

} // namespace

TEST(Memory, LoadsAndStoresEachTypeOfWholeBytes) {
  for (const tile_bytecode::TypeRow &row : tile_bytecode::typeRows) {
    if (row.elements == tile_bytecode::TypeRow::Other || row.bits == 4)
      continue;
    std::string element(row.text), tile = "8x" + element;
    Kernel kernel({"ptr<" + element + ">", "ptr<" + element + ">"});
    Index value = kernel.load(tile, kernel.pointers(element, 0, 8));
    kernel.store(kernel.pointers(element, 1, 8), value);
    Launcher launcher(kernel.finish());
    size_t bytes = size_t(row.memoryBits) / 8 * 8;
    std::vector<uint8_t> from, to(bytes + 1, 0xee);
    for (size_t i = 0; i < bytes; ++i)
      from.push_back(uint8_t(row.kind == TypeKind::I1 ? i % 2 : 0x80 + 7 * i));
    EXPECT_EQ(launcher.launch({launcher.array(from), launcher.array(to)}), "ok") << element;
    from.push_back(0xee); // what is after the tile stays
    EXPECT_EQ(to, from) << element;
  }
}

// Any nonzero byte loads as true, and true is stored as 1.
TEST(Memory, BooleansAreBytes) {
  Kernel kernel({"ptr<i1>", "ptr<i1>"});
  kernel.store(kernel.pointers("i1", 1, 4), kernel.load("4xi1", kernel.pointers("i1", 0, 4)));
  Launcher launcher(kernel.finish());
  std::vector<uint8_t> from{0, 1, 2, 0x80}, to(4, 9);
  EXPECT_EQ(launcher.launch({launcher.array(from), launcher.array(to)}), "ok");
  EXPECT_EQ(to, (std::vector<uint8_t>{0, 1, 1, 1}));
}

TEST(Memory, MasksAndPads) {
  One op;
  std::vector<uint32_t> data{10, 11, 12, 13};
  op.memory.add(data.data(), 16);
  uint64_t base = reinterpret_cast<uint64_t>(data.data());
  Codes pointers{base, base + 4, 1, base + 12}; // what is masked off is not touched
  auto out = op.run(Op::LoadPtrTko, {"4xi32", "token"}, {weak},
                    {{{"4xptr<i32>", pointers}}, {{"4xi1", {1, 1, 0, 1}}}, {{"4xi32", {7}}}, {}});
  ASSERT_TRUE(out) << out.reason().text;
  EXPECT_EQ((*out)[0], (Codes{10, 11, 7, 13}));
  // Without a padding value the seed chooses, and it chooses another one with another seed.
  auto open = [&](uint64_t seed) {
    One other;
    other.options.seed = seed;
    other.memory.add(data.data(), 16);
    auto loaded = other.run(Op::LoadPtrTko, {"4xi32", "token"}, {weak},
                            {{{"4xptr<i32>", pointers}}, {{"4xi1", {1, 1, 0, 1}}}, {}, {}});
    return loaded ? (*loaded)[0] : Codes();
  };
  EXPECT_EQ(open(1), open(1));
  EXPECT_NE(open(1)[2], open(2)[2]);
  EXPECT_EQ(open(1)[3], 13u);
  auto stored = op.run(
      Op::StorePtrTko, {"token"}, {weak},
      {{{"4xptr<i32>", pointers}}, {{"4xi32", {20, 21, 22, 23}}}, {{"4xi1", {1, 0, 0, 1}}}, {}});
  ASSERT_TRUE(stored) << stored.reason().text;
  EXPECT_EQ(data, (std::vector<uint32_t>{20, 11, 12, 23}));
}

TEST(Memory, OffsetsCountElements) {
  auto offset = [](const char *pointer, const char *index, uint64_t at, uint64_t by) {
    auto out = One().run(Op::Offset, {pointer}, {}, {{{pointer, {at}}}, {{index, {by}}}});
    return out ? cat((*out)[0][0]) : std::string(out.reason().id);
  };
  EXPECT_EQ(offset("ptr<f64>", "i32", 1000, 5), "1040");
  EXPECT_EQ(offset("ptr<f64>", "i8", 1000, 0xff), "992"); // -1: signed
  EXPECT_EQ(offset("ptr<i8>", "i64", 1000, 24), "1024");
  EXPECT_EQ(offset("ptr<f16>", "i16", 0, 0xffff), "PointerOverflow");
  EXPECT_EQ(offset("ptr<i64>", "i64", 16, uint64_t(1) << 61), "PointerOverflow");
  EXPECT_EQ(One().outcome(Op::Offset, {"ptr<i4>"}, {}, {{{"ptr<i4>", {0}}}, {{"i32", {0}}}}),
            "Unverified: offset: expects pointers to elements of whole bytes, but got elements of "
            "4 bits");
}

TEST(Memory, RefusesWhatIsNotAnArray) {
  One op;
  std::vector<uint32_t> data(4);
  op.memory.add(data.data(), 16);
  uint64_t base = reinterpret_cast<uint64_t>(data.data());
  auto load = [&](const char *type, uint64_t address) {
    return op.outcome(Op::LoadPtrTko, {cat("2x", type), "token"}, {weak},
                      {{{cat("2xptr<", type, ">"), {base, address}}}, {}, {}, {}});
  };
  EXPECT_EQ(load("i32", base + 12), "ok");
  std::string outside = load("i32", base + 16);
  EXPECT_TRUE(
      outside.starts_with("OutOfBounds: load_ptr_tko of kernel 'k' in tile block (0, 0, 0), "
                          "element (1): expects an address of 4 bytes inside an array, but "
                          "got 0x"))
      << outside;
  EXPECT_TRUE(load("i64", base + 12).starts_with("OutOfBounds: "));
  EXPECT_TRUE(load("i32", base - 4).starts_with("OutOfBounds: "));
  EXPECT_TRUE(load("i32", 0).starts_with("OutOfBounds: "));
  EXPECT_TRUE(load("i32", ~uint64_t(0)).starts_with("OutOfBounds: "));
  EXPECT_NE(load("i32", base + 2).find("expects an address at a multiple of 4"), std::string::npos);
  EXPECT_TRUE(load("i32", base + 2).starts_with("Misaligned: "));
  op.memory.remove(base);
  EXPECT_TRUE(load("i32", base).starts_with("OutOfBounds: "));
}

// Two ranges that overlap are one; two beside each other are not.
TEST(Memory, JoinsRangesThatOverlap) {
  std::vector<uint64_t> data(8);
  uint64_t base = reinterpret_cast<uint64_t>(data.data());
  Memory memory;
  memory.add(data.data() + 2, 16);
  memory.add(data.data(), 16);
  EXPECT_TRUE(memory.contains(base, 16));
  EXPECT_FALSE(memory.contains(base + 8, 16));
  memory.add(data.data() + 1, 16);
  EXPECT_TRUE(memory.contains(base, 32));
  EXPECT_FALSE(memory.contains(base, 33));
}

//===--- Atomics

namespace {

struct Atomic {
  AtomicRMWMode mode;
  const char *type;
  uint64_t old, argument, expected;
};
const Atomic atomics[] = {
    {AtomicRMWMode::And, "i32", 12, 10, 8},
    {AtomicRMWMode::Or, "i32", 12, 10, 14},
    {AtomicRMWMode::Xor, "i64", 12, 10, 6},
    {AtomicRMWMode::Add, "i32", 0xffffffff, 2, 1},
    {AtomicRMWMode::Add, "i64", 0xffffffff, 2, 0x100000001},
    {AtomicRMWMode::Max, "i32", 0xffffffff, 3, 3},
    {AtomicRMWMode::Max, "i32", 5, 3, 5},
    {AtomicRMWMode::Min, "i32", 0xffffffff, 3, 0xffffffff},
    {AtomicRMWMode::Min, "i64", 5, 3, 3},
    {AtomicRMWMode::UMax, "i32", 0xffffffff, 3, 0xffffffff},
    {AtomicRMWMode::UMax, "i32", 2, 3, 3},
    {AtomicRMWMode::UMin, "i32", 0xffffffff, 3, 3},
    {AtomicRMWMode::UMin, "i64", 2, 3, 2},
    {AtomicRMWMode::Xchg, "f32", 1, 2, 2},
    {AtomicRMWMode::Xchg, "f64", 1, 2, 2},
    {AtomicRMWMode::Xchg, "i64", 1, 2, 2},
    {AtomicRMWMode::AddF, "f16", 0x3c00, 0x4000, 0x4200},             // 1 + 2
    {AtomicRMWMode::AddF, "bf16", 0x3f80, 0x4000, 0x4040},            // 1 + 2
    {AtomicRMWMode::AddF, "f32", 0x3f800000, 0x33800000, 0x3f800000}, // 1 + 2^-24: a tie, to even
    {AtomicRMWMode::AddF, "f32", 0x3f800001, 0x33800000, 0x3f800002},
    {AtomicRMWMode::AddF, "f64", 0x3ff0000000000000, 0x4000000000000000, 0x4008000000000000},
};

} // namespace

TEST(Memory, AtomicsReturnTheOldElementAndStoreTheNew) {
  for (const Atomic &atomic : atomics) {
    One op;
    std::vector<uint64_t> data{atomic.old};
    op.memory.add(data.data(), 8);
    uint64_t base = reinterpret_cast<uint64_t>(data.data());
    auto out = op.run(
        Op::AtomicRMWTko, {atomic.type, "token"}, {acqRel, device, uint64_t(atomic.mode)},
        {{{cat("ptr<", atomic.type, ">"), {base}}}, {{atomic.type, {atomic.argument}}}, {}, {}});
    ASSERT_TRUE(out) << out.reason().text;
    EXPECT_EQ((*out)[0], Codes{atomic.old});
    EXPECT_EQ(data[0], atomic.expected) << keyword(atomic.mode) << " " << atomic.type;
  }
  One refuses;
  auto mode = [&](AtomicRMWMode m, const char *type) {
    return refuses.outcome(Op::AtomicRMWTko, {type, "token"}, {relaxed, device, uint64_t(m)},
                           {{{cat("ptr<", type, ">"), {0}}}, {{type, {0}}}, {}, {}});
  };
  EXPECT_EQ(mode(AtomicRMWMode::Add, "f32"),
            "Unverified: atomic_rmw_tko: expects elements of i32 or i64 for add, but got f32");
  for (auto [m, type] : {std::pair{AtomicRMWMode::AddF, "i32"},
                         {AtomicRMWMode::Xchg, "f16"},
                         {AtomicRMWMode::And, "i16"},
                         {AtomicRMWMode::Max, "i8"}})
    EXPECT_NE(mode(m, type).find("expects elements of "), std::string::npos) << type;
}

// Elements of one op that have the same address follow each other; what is masked off does not.
TEST(Memory, AtomicsOfOneAddressFollowEachOther) {
  One op;
  std::vector<uint32_t> data{100};
  op.memory.add(data.data(), 4);
  uint64_t base = reinterpret_cast<uint64_t>(data.data());
  auto out =
      op.run(Op::AtomicRMWTko, {"4xi32", "token"}, {relaxed, device, 3},
             {{{"4xptr<i32>", {base}}}, {{"4xi32", {1, 2, 4, 8}}}, {{"4xi1", {1, 1, 0, 1}}}, {}});
  ASSERT_TRUE(out) << out.reason().text;
  EXPECT_EQ(data[0], 111u);
  EXPECT_EQ((*out)[0][0], 100u);
  EXPECT_EQ((*out)[0][1], 101u);
  EXPECT_EQ((*out)[0][3], 103u);
}

TEST(Memory, ComparesAndSwapsBits) {
  One op;
  std::vector<uint32_t> data{5, 6, 0x80000000, 8}; // -0.0 is not 0.0
  op.memory.add(data.data(), 16);
  uint64_t base = reinterpret_cast<uint64_t>(data.data());
  Codes pointers{base, base + 4, base + 8, base + 12};
  auto out = op.run(Op::AtomicCASTko, {"4xf32", "token"}, {acqRel, device},
                    {{{"4xptr<f32>", pointers}},
                     {{"4xf32", {5, 0, 0, 8}}},
                     {{"4xf32", {50, 60, 70, 80}}},
                     {{"4xi1", {1, 1, 1, 0}}},
                     {}});
  ASSERT_TRUE(out) << out.reason().text;
  EXPECT_EQ((*out)[0], (Codes{5, 6, 0x80000000, 8})); // masked off: what was compared
  EXPECT_EQ(data, (std::vector<uint32_t>{50, 6, 0x80000000, 8}));
  EXPECT_EQ(op.outcome(Op::AtomicCASTko, {"i16", "token"}, {acqRel, device},
                       {{{"ptr<i16>", {0}}}, {{"i16", {0}}}, {{"i16", {0}}}, {}, {}}),
            "Unverified: atomic_cas_tko: expects elements of 32 or 64 bits");
}

TEST(Memory, ChecksOrderingsAndPointees) {
  auto load = [](uint64_t ordering, std::optional<uint64_t> scope, const char *to = "f32") {
    return One().outcome(Op::LoadPtrTko, {"f32", "token"}, {ordering, scope},
                         {{{cat("ptr<", to, ">"), {0}}}, {}, {}, {}});
  };
  EXPECT_EQ(load(release, device), "Unverified: load_ptr_tko: expects one of the memory orderings "
                                   "weak, relaxed, acquire, but got release");
  const char *scope = "Unverified: load_ptr_tko: expects a memory scope exactly if the ordering is "
                      "not weak";
  EXPECT_EQ(load(weak, device), scope);
  EXPECT_EQ(load(acquire, {}), scope);
  EXPECT_EQ(load(weak, {}, "i32"),
            "Unverified: load_ptr_tko: expects pointers to f32, but got pointers to i32");
  EXPECT_TRUE(load(acquire, device).starts_with("OutOfBounds: "));
  EXPECT_EQ(One().outcome(Op::LoadPtrTko, {"2xf4E2M1FN", "token"}, {weak},
                          {{{"2xptr<f4E2M1FN>", {0}}}, {}, {}, {}}),
            "Unverified: load_ptr_tko: expects pointers to elements of whole bytes, but got "
            "elements of 4 bits");
  EXPECT_EQ(One().outcome(Op::StorePtrTko, {"token"}, {acquire, device},
                          {{{"ptr<f32>", {0}}}, {{"f32", {0}}}, {}, {}}),
            "Unverified: store_ptr_tko: expects one of the memory orderings weak, relaxed, "
            "release, but got acquire");
  EXPECT_EQ(One().outcome(Op::AtomicRMWTko, {"i32", "token"}, {weak, device, 3},
                          {{{"ptr<i32>", {0}}}, {{"i32", {0}}}, {}, {}}),
            "Unverified: atomic_rmw_tko: expects one of the memory orderings relaxed, acquire, "
            "release, acq_rel, but got weak");
}

//===--- Memory of a tile block, globals

// Each tile block has its own, zeroed or not, and gives it back: the next one, which may get the
// same addresses, does not race with it.
TEST(Memory, AllocaLivesAsLongAsTheTileBlock) {
  Kernel kernel({"ptr<i32>"});
  Index own = kernel.add(Op::Alloca, {"ptr<i32>"}, {std::nullopt, 1000, 16}, {});
  Index ids = kernel.add(Op::GetTileBlockId, {"i32", "i32", "i32"}, {}, {});
  kernel.store(own, ids);
  Index to = kernel.add(Op::Offset, {"ptr<i32>"}, {}, {{0}, {ids}});
  Index token = kernel.add(Op::StorePtrTko, {"token"}, {weak}, {{own}, {ids}, {}, {}});
  (void)token;
  kernel.store(to, ids);
  Launcher launcher(kernel.finish());
  std::vector<uint32_t> data(64);
  EXPECT_TRUE(launcher.launch({launcher.array(data)}, {64, 1, 1}).starts_with("TokenRace: "));

  Kernel ordered({"ptr<i32>"});
  own = ordered.add(Op::Alloca, {"ptr<i32>"}, {1, 1000, 256}, {});
  ids = ordered.add(Op::GetTileBlockId, {"i32", "i32", "i32"}, {}, {});
  to = ordered.add(Op::Offset, {"ptr<i32>"}, {}, {{0}, {ids}});
  token = ordered.add(Op::StorePtrTko, {"token"}, {weak}, {{own}, {ids}, {}, {}});
  Index back = ordered.add(Op::LoadPtrTko, {"i32", "token"}, {weak}, {{own}, {}, {}, {token}});
  ordered.store(to, back);
  Launcher second(ordered.finish());
  EXPECT_EQ(second.launch({second.array(data)}, {64, 1, 1}), "ok");
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(data[i], i);

  EXPECT_EQ(One().outcome(Op::Alloca, {"ptr<i64>"}, {std::nullopt, uint64_t(1) << 60, 8}, {}),
            "Bytes: alloca of kernel 'k' in tile block (0, 0, 0): expects tiles and memory of the "
            "program to take at most 4294967296 bytes at a time");
  EXPECT_EQ(One().outcome(Op::Alloca, {"ptr<i64>"}, {std::nullopt, 1, 512}, {}),
            "Unverified: alloca: expects an alignment of at most 256 bytes, but got 512");
  EXPECT_EQ(One().outcome(Op::Alloca, {"ptr<i4>"}, {std::nullopt, 1, 8}, {}),
            "Unverified: alloca: expects elements of whole bytes");
}

TEST(Memory, GlobalsHaveTheirValueAndKeepWhatIsStored) {
  Kernel kernel({"ptr<i16>"});
  Index type = kernel.type("4xi16");
  tile_bytecode::Interner interner(kernel.program);
  kernel.program.globals.push_back(
      {kernel.string("g"), type,
       interner.constant(constantBytes(kernel.program, {3, 5, 7, 9}, kernel.program.type(type))),
       0});
  Index global = kernel.add(Op::GetGlobal, {"ptr<i16>"}, {kernel.string("g")}, {});
  Index places = kernel.pointers("i16", global, 4);
  Index value = kernel.add(Op::LoadPtrTko, {"4xi16", "token"}, {weak}, {{places}, {}, {}, {}});
  kernel.store(kernel.pointers("i16", 0, 4), value);
  Index more = kernel.add(Op::AddI, {"4xi16"}, {0}, {{value}, {value}});
  kernel.add(Op::StorePtrTko, {"token"}, {weak}, {{places}, {more}, {}, {value + 1}});
  Launcher launcher(kernel.finish());
  std::vector<uint16_t> data(4);
  uint64_t to = launcher.array(data);
  EXPECT_EQ(launcher.launch({to}), "ok");
  EXPECT_EQ(data, (std::vector<uint16_t>{3, 5, 7, 9}));
  EXPECT_EQ(launcher.launch({to}), "ok");
  EXPECT_EQ(data, (std::vector<uint16_t>{6, 10, 14, 18}));
  auto address = launcher.interpreter.global("g");
  ASSERT_TRUE(address);
  EXPECT_EQ(*reinterpret_cast<const uint16_t *>(*address), 12);
  EXPECT_EQ(launcher.interpreter.global("h").reason().text,
            "global: the program has no global 'h'");
}

TEST(Memory, GlobalsLieInMemoryAsTilesDo) {
  struct Case {
    const char *type;
    Codes codes;
    std::vector<uint8_t> bytes;
  };
  for (const Case &c :
       {Case{"4xi1", {1, 0, 1, 1}, {1, 0, 1, 1}}, Case{"4xf4E2M1FN", {1, 2, 3, 15}, {0x21, 0xf3}},
        Case{"2xtf32", {0x3f800000, 0xc0000000}, {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}}}) {
    Kernel kernel;
    Index type = kernel.type(c.type);
    tile_bytecode::Interner interner(kernel.program);
    kernel.program.globals.push_back(
        {kernel.string("g"), type,
         interner.constant(constantBytes(kernel.program, c.codes, kernel.program.type(type))), 0});
    Interpreter interpreter(kernel.finish());
    auto address = interpreter.global("g");
    ASSERT_TRUE(address);
    const uint8_t *at = reinterpret_cast<const uint8_t *>(*address);
    EXPECT_EQ(std::vector<uint8_t>(at, at + c.bytes.size()), c.bytes) << c.type;
  }
  Kernel none;
  none.add(Op::GetGlobal, {"ptr<i16>"}, {none.string("g")}, {});
  Interpreter interpreter(none.finish());
  EXPECT_EQ(textOf(interpreter.launch("k", {1, 1, 1}, {})),
            "Unverified: get_global: expects a global 'g'");
}

// The reader takes a tile of pointers as the type of a global; the interpreter has no value for it.
TEST(Memory, GlobalsAreNumbers) {
  Kernel kernel;
  kernel.program.globals.push_back({kernel.string("g"), kernel.type("1xptr<i8>"), 0, 0});
  Interpreter interpreter(kernel.finish());
  EXPECT_EQ(textOf(interpreter.launch("k", {1, 1, 1}, {})),
            "Unsupported: global: expects a tile of numbers");
}

//===--- Order

namespace {

/// Two accesses of the element at argument 0; the second one has a token as `how` says.
enum class Token : uint8_t {
  None,
  Made,
  First,
  Joined,
  Fenced,
  Printed
};
std::string twice(bool firstWrites, bool secondWrites, Token how, bool isAtomic = false,
                  const Options &options = {}) {
  Kernel kernel({"ptr<i32>"});
  Index value = kernel.constant("i32", {7});
  Index made = kernel.add(Op::MakeToken, {"token"}, {}, {});
  auto access = [&](bool writes, std::vector<Index> token) {
    if (isAtomic && writes)
      return kernel.add(Op::AtomicRMWTko, {"i32", "token"}, {relaxed, device, 3},
                        {{0}, {value}, {}, token}) +
             1;
    if (writes)
      return kernel.add(Op::StorePtrTko, {"token"}, {weak}, {{0}, {value}, {}, token});
    return kernel.add(Op::LoadPtrTko, {"i32", "token"}, {weak}, {{0}, {}, {}, token}) + 1;
  };
  Index first = access(firstWrites, {});
  std::vector<Index> token;
  if (how == Token::Made)
    token = {made};
  if (how == Token::First)
    token = {first};
  if (how == Token::Joined)
    token = {kernel.add(Op::JoinTokens, {"token"}, {}, {{made, first}})};
  if (how == Token::Fenced) {
    Index fence = kernel.add(Op::MemoryFenceAliasTko, {"token"}, {}, {{first}});
    Index launch = kernel.add(Op::GdcLaunchDependentsTko, {"token"}, {}, {{fence}});
    token = {kernel.add(Op::GdcWaitTko, {"token"}, {}, {{launch}})};
  }
  if (how == Token::Printed)
    token = {kernel.add(Op::PrintTko, {"token"}, {kernel.string("%d")}, {{value}, {first}})};
  access(secondWrites, token);
  Launcher launcher(kernel.finish());
  std::vector<uint32_t> data(1);
  std::string outcome = launcher.launch({launcher.array(data)}, {1, 1, 1}, options);
  return outcome.substr(0, outcome.find(':'));
}

} // namespace

// Accesses of one element, one of which writes, are ordered by tokens and by nothing else.
TEST(Memory, TokensOrderAccesses) {
  for (Token how : {Token::None, Token::Made}) {
    EXPECT_EQ(twice(true, false, how), "TokenRace");
    EXPECT_EQ(twice(false, true, how), "TokenRace");
    EXPECT_EQ(twice(true, true, how), "TokenRace");
    EXPECT_EQ(twice(false, false, how), "ok");
  }
  for (Token how : {Token::First, Token::Joined, Token::Fenced, Token::Printed})
    for (bool firstWrites : {false, true})
      for (bool secondWrites : {false, true})
        EXPECT_EQ(twice(firstWrites, secondWrites, how), "ok");
  EXPECT_EQ(twice(true, false, Token::None, false, {.checksRaces = false}), "ok");
  // Atomics race with others, not with each other.
  EXPECT_EQ(twice(true, true, Token::None, true), "ok");
  EXPECT_EQ(twice(true, false, Token::None, true), "TokenRace");
  EXPECT_EQ(twice(true, false, Token::First, true), "ok");
}

TEST(Memory, TokenRacesNameTheElement) {
  Kernel kernel({"ptr<i32>"});
  kernel.store(kernel.pointers("i32", 0, 8), kernel.constant("8xi32", {1}));
  Index four = kernel.constant("i32", {4});
  Index middle = kernel.add(Op::Offset, {"ptr<i32>"}, {}, {{0}, {four}});
  Index base = kernel.add(Op::Reshape, {"1xptr<i32>"}, {}, {{middle}});
  kernel.load("1xi32", base);
  Launcher launcher(kernel.finish());
  std::vector<uint32_t> data(8);
  std::string text = launcher.launch({launcher.array(data)});
  EXPECT_TRUE(text.starts_with("TokenRace: load_ptr_tko of kernel 'k' in tile block (0, 0, 0), "
                               "element (0): touches address 0x"))
      << text;
  EXPECT_TRUE(
      text.ends_with(" (parameter 0 + 16 bytes) as access 0 does, but no token orders the two"))
      << text;
}

// Two tile blocks write the same element.
TEST(Memory, TileBlocksRaceWithoutSynchronisation) {
  Kernel kernel({"ptr<i32>"});
  kernel.store(0, kernel.constant("i32", {1}));
  Program program = kernel.finish();
  std::vector<uint32_t> data(1);
  Launcher launcher(program);
  uint64_t to = launcher.array(data);
  EXPECT_EQ(launcher.launch({to}, {1, 1, 1}), "ok");
  std::string text = launcher.launch({to}, {2, 1, 1});
  EXPECT_TRUE(text.starts_with("BlockRace: store_ptr_tko of kernel 'k' in tile block (")) << text;
  EXPECT_TRUE(text.ends_with(", and one of them writes without synchronisation")) << text;
  text = launcher.launch({to}, {1, 1, 2});
  size_t first = text.find("in tile block (0, 0, 0)") == text.npos ? 0 : 1;
  EXPECT_NE(text.find(cat(" (parameter 0 + 0 bytes) as tile block (0, 0, ", first, ") does")),
            text.npos)
      << text;
  EXPECT_EQ(launcher.launch({to}, {2, 1, 1}, {.checksRaces = false}), "ok");
}
