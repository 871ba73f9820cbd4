// Programs in older versions: what is left out, what is refused, and how values are counted then.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bytes.h"

#include "tessera/tile_bytecode/Reader.h"
#include "tessera/tile_bytecode/Writer.h"

#include <gtest/gtest.h>

using namespace tessera::tile_bytecode;
using namespace tessera::tile_bytecode::test;

namespace {

using Values = std::vector<std::optional<uint64_t>>;

/// A program with an entry `k` and one tile<f32> as its argument.
struct Small {
  explicit Small(Version version = newestVersion) {
    program.version = version;
    Interner interner(program);
    f32 = interner.type({.kind = TypeKind::F32});
    tile = interner.type({.kind = TypeKind::Tile, .element = f32});
    token = interner.type({.kind = TypeKind::Token});
    function.type = interner.type({.kind = TypeKind::Function, .parameters = {tile}});
    function.name = interner.string("k");
  }
  void add(Op op, std::vector<Index> results, Values attributes,
           std::vector<std::vector<Index>> operands) {
    function.body.push_back(function.make(op, results, attributes, operands));
  }
  Program make() {
    add(Op::Return, {}, {}, {{}});
    program.functions.push_back(function);
    return program;
  }
  std::string refused(Version version) {
    auto written = write(make(), version);
    return written ? "nothing" : written.reason().text;
  }

  Program program;
  Function function;
  Index f32, tile, token;
};

} // namespace

TEST(Version, RefusesNewerParts) {
  Small op;
  op.add(Op::Atan2, {op.tile}, {}, {{0}, {0}});
  EXPECT_EQ(op.refused({13, 1}), "operation 'cuda_tile.atan2' is not available in bytecode version "
                                 "13.1");
  EXPECT_EQ(op.refused({13, 2}), "nothing");

  Small attribute;
  attribute.add(Op::TanH, {attribute.tile}, {uint64_t(RoundingMode::Approx)}, {{0}});
  EXPECT_EQ(attribute.refused({13, 1}), "attribute 'rounding_mode' requires bytecode version "
                                        "13.2+, but targeting 13.1");
  Small implied;
  implied.add(Op::TanH, {implied.tile}, {uint64_t(RoundingMode::Full)}, {{0}});
  EXPECT_EQ(implied.refused({13, 1}), "nothing");

  Small unit;
  unit.add(Op::MmaF, {unit.tile}, {1}, {{0}, {0}, {0}});
  EXPECT_EQ(unit.refused({13, 2}), "optional attribute 'fast_acc' is provided but requires "
                                   "bytecode version 13.3, targeting 13.2");

  Small operand;
  operand.add(Op::MakeToken, {operand.token}, {}, {});
  operand.add(Op::PrintTko, {operand.token}, {0}, {{}, {1}});
  EXPECT_EQ(operand.refused({13, 1}), "optional operand 'token' is provided but requires bytecode "
                                      "version 13.2, targeting 13.1");

  Small result;
  result.add(Op::PrintTko, {result.token}, {0}, {{}, {}});
  result.add(Op::JoinTokens, {result.token}, {}, {{1, 1}});
  EXPECT_EQ(result.refused({13, 1}), "result 'result_token' requires bytecode version 13.2 but is "
                                     "being used and targeting 13.1");
  EXPECT_EQ(result.refused({13, 2}), "nothing");

  Small keyword;
  Interner interner(keyword.program);
  Index f16 = interner.type({.kind = TypeKind::F16});
  Index half = interner.type({.kind = TypeKind::Tile, .element = f16});
  keyword.add(Op::FToF, {half}, {uint64_t(RoundingMode::NearestAway)}, {{0}});
  EXPECT_EQ(keyword.refused({13, 3}), "'nearest_away' of attribute 'rounding_mode' requires "
                                      "bytecode version 13.4+, but targeting 13.3");

  Small type;
  Interner(type.program).type({.kind = TypeKind::F8E8M0FNU});
  EXPECT_EQ(type.refused({13, 1}),
            "type 'Float8E8M0FNU' requires bytecode version 13.2+, targeting 13.1");
  EXPECT_EQ(Small().refused({12, 0}), "expects a bytecode version from 13.1 to 13.4, but got 12.0");
}

// cuTile Python 1.6 has these conversions from 13.4 on, and NVIDIA's verifier of 13.3 refuses them,
// except to f8E8M0FNU.
TEST(Version, RefusesNewerRoundingsOfConversions) {
  for (RoundingMode mode :
       {RoundingMode::Zero, RoundingMode::NegativeInf, RoundingMode::PositiveInf}) {
    Small half;
    Interner interner(half.program);
    Index tile =
        interner.type({.kind = TypeKind::Tile, .element = interner.type({.kind = TypeKind::F16})});
    half.add(Op::FToF, {tile}, {uint64_t(mode)}, {{0}});
    std::string what = tessera::cat("'", keyword(mode),
                                    "' of attribute 'rounding_mode' requires "
                                    "bytecode version 13.4+, ");
    EXPECT_EQ(half.refused({13, 3}), what + "but targeting 13.3");
    std::string file = *write(half.make(), {13, 4});
    EXPECT_TRUE(read(spanOf(file)));
    file[9] = 3; // the minor version
    auto older = read(spanOf(file));
    ASSERT_FALSE(older);
    EXPECT_NE(older.reason().text.find(what + "file version is 13.3"), std::string::npos)
        << older.reason().text;
  }
  Small scale;
  Interner interner(scale.program);
  Index tile = interner.type(
      {.kind = TypeKind::Tile, .element = interner.type({.kind = TypeKind::F8E8M0FNU})});
  scale.add(Op::FToF, {tile}, {uint64_t(RoundingMode::PositiveInf)}, {{0}});
  EXPECT_EQ(scale.refused({13, 2}), "nothing");
}

TEST(Version, RefusesNewerGlobals) {
  Small small;
  Interner interner(small.program);
  Index type = interner.type({.kind = TypeKind::Tile, .element = small.f32, .shape = {1}});
  Global global{interner.string("g"), type, interner.constant(std::string(4, '\0')), 4};
  global.visibility = SymbolVisibility::Private;
  small.program.globals = {global};
  EXPECT_EQ(small.refused({13, 2}),
            "global `g` uses non-public symbol visibility, which cannot be encoded in bytecode "
            "version 13.2 (requires bytecode 13.3+)");
  small.program.globals[0].visibility = SymbolVisibility::Public;
  small.program.globals[0].isConstant = true;
  EXPECT_EQ(small.refused({13, 1}),
            "constant global `g` cannot be encoded in bytecode version 13.1 (the `constant` "
            "attribute requires bytecode 13.3+)");
  small.program.globals[0].isConstant = false;
  EXPECT_EQ(small.refused({13, 1}), "nothing");
}

// In 13.1 print has no result, so the next result has its number. NVIDIA's own file of 13.1,
// print-op-13.1.tileirbc, writes the number of results, 0, as for any op with a variable number of
// operands.
TEST(Version, CountsResultsThatAnOldVersionDoesNotWrite) {
  Small small;
  small.add(Op::PrintTko, {small.token}, {0}, {{}, {}});
  small.add(Op::AbsF, {small.tile}, {}, {{0}}); // value 2, in 13.1 number 1
  small.add(Op::NegF, {small.tile}, {}, {{2}});
  Program program = small.make();
  std::string old = *write(program, {13, 1});
  // print: opcode 85, no results, string 0, no operands; absf and negf of values 0 and 1.
  EXPECT_NE(old.find(bytes({85, 0, 0, 0, 0, 1, 0, 79, 1, 1})), std::string::npos);
  auto again = read(spanOf(old));
  ASSERT_TRUE(again) << again.reason().text;
  EXPECT_EQ(again->functions[0], program.functions[0]);
}

TEST(Version, LeavesOutTheProducer) {
  Small small;
  small.program.producer = Interner(small.program).string("someone");
  Program program = small.make();
  EXPECT_EQ(read(spanOf(*write(program, {13, 2})))->producer, noIndex);
  auto newer = read(spanOf(*write(program, {13, 3})));
  EXPECT_EQ(newer->text(newer->producer), "someone");
}

// A tool that changes a program may leave indices that are in no table.
TEST(Version, RefusesBrokenPrograms) {
  Small value;
  value.add(Op::AbsF, {value.tile}, {}, {{7}});
  EXPECT_EQ(value.refused({13, 3}), "operation 'absf': expects a value below 1, but got 7");
  Small count;
  count.add(Op::AbsF, {count.tile}, {}, {{0, 0}});
  EXPECT_EQ(count.refused({13, 3}), "operation 'absf': expects one operand 'source', but got 2");
  Small results;
  results.add(Op::AbsF, {}, {}, {{0}});
  EXPECT_EQ(results.refused({13, 3}), "operation 'absf': expects 1 results, but got 0");

  // An attribute of another kind, one without keys, one of a type that there is not.
  Small kind;
  kind.program.attributes = {{.kind = Attribute::Bounded}, {.kind = Attribute::I32s}};
  kind.add(Op::Permute, {kind.tile}, {0}, {{0}});
  EXPECT_EQ(kind.refused({13, 3}), "operation 'permute': expects an attribute of the kind of "
                                   "'permutation', but got another one");
  Small keys;
  keys.program.attributes = {{.kind = Attribute::Dictionary, .items = {{.kind = Attribute::Bool}}}};
  keys.add(Op::LoadPtrTko, {keys.tile, keys.token}, {0, std::nullopt, 0}, {{0}, {}, {}, {}});
  EXPECT_NE(keys.refused({13, 3}).find("the kind of 'optimization_hints'"), std::string::npos);
  Small type;
  type.program.attributes = {
      {.kind = Attribute::Array, .items = {{.kind = Attribute::Float, .type = 99}}}};
  type.add(Op::Reduce, {type.tile}, {0, 0}, {{0}});
  type.function.body.back().regions.resize(1);
  EXPECT_NE(type.refused({13, 3}).find("the kind of 'identities'"), std::string::npos);
  Small hints;
  hints.function.hints =
      Attribute{.kind = Attribute::OptimizationHints, .items = {{.kind = Attribute::Bool}}};
  EXPECT_EQ(hints.refused({13, 3}),
            "operation 'entry': expects hints with a key for each, but got others");
}
