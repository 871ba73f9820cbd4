// Every kind of cute value through every op that chooses between two: arith.select and the ops of
// scf and cf, in both ways of lowering.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected: the number that the chosen value gives, worked out here.
#include "test/lower/OneBlock.h"

#include <gtest/gtest.h>

#include <cstring>

namespace tessera::lower::test {
namespace {

/// How two values of a type are made of a number, %x, and what is read of one, %r, as an i32 %v.
struct Kind {
  const char *name, *type, *first, *second, *use;
  int32_t (*expected)(int32_t n, bool first);
};
constexpr int32_t input[] = {100, 101, 102, 103, 104, 105, 106, 107};

#define LAYOUT "!cute.layout<\"(?,4):(1,?)\">"
#define COMPOSED "!cute.composed_layout<\"S<1,0,1> o 0 o (?,4):(1,?)\">"
#define ITERATOR "!cute.desc_iter<!cute.ptr<i32, gmem>, \"(?):(2)\">"
#define P "!cute.ptr<i32, gmem>"
#define M "!cute.memref<i32, gmem, \"(?):(2)\">"
const Kind kinds[] = {
    {"layout", LAYOUT,
     "%s0 = cute.make_shape(%n) : (i32) -> !cute.shape<\"(?,4)\">\n"
     "%A = cute.make_layout(%s0) : (!cute.shape<\"(?,4)\">) -> " LAYOUT "\n",
     "%n3 = arith.addi %n, %c3 : i32\n"
     "%s1 = cute.make_shape(%n3) : (i32) -> !cute.shape<\"(?,4)\">\n"
     "%B = cute.make_layout(%s1) : (!cute.shape<\"(?,4)\">) -> " LAYOUT "\n",
     "%at = cute.make_coord() : () -> !cute.coord<\"(1,3)\">\n"
     "%i = cute.crd2idx(%at, %r) : (!cute.coord<\"(1,3)\">, " LAYOUT ")\n"
     "%v = cute.get_scalars(%i) : (!cute.int_tuple<\"?\">) -> i32\n",
     [](int32_t n, bool first) { return 1 + 3 * (first ? n : n + 3); }},
    {"number", "!cute.int_tuple<\"?\">",
     "%A = cute.make_int_tuple(%n) : (i32) -> !cute.int_tuple<\"?\">\n",
     "%B = cute.make_int_tuple(%c3) : (i32) -> !cute.int_tuple<\"?\">\n",
     "%v = cute.get_scalars(%r) : (!cute.int_tuple<\"?\">) -> i32\n",
     [](int32_t n, bool first) { return first ? n : 3; }},
    {"coordinate", "!cute.coord<\"(?,(2,?))\">",
     "%A = cute.make_coord(%n, %c3) : (i32, i32) -> !cute.coord<\"(?,(2,?))\">\n",
     "%B = cute.make_coord(%c3, %n) : (i32, i32) -> !cute.coord<\"(?,(2,?))\">\n",
     "%l = cute.static : !cute.layout<\"(64,(8,64)):(1,(10,100))\">\n"
     "%i = cute.crd2idx(%r, %l) : (!cute.coord<\"(?,(2,?))\">, "
     "!cute.layout<\"(64,(8,64)):(1,(10,100))\">)\n"
     "%v = cute.get_scalars(%i) : (!cute.int_tuple<\"?\">) -> i32\n",
     [](int32_t n, bool first) { return first ? n + 20 + 300 : 3 + 20 + 100 * n; }},
    {"shape", "!cute.shape<\"(?,?{i64},5)\">",
     "%n64 = arith.extsi %n : i32 to i64\n"
     "%A = cute.make_shape(%c3, %n64) : (i32, i64) -> !cute.shape<\"(?,?{i64},5)\">\n",
     "%m64 = arith.extsi %c3 : i32 to i64\n"
     "%B = cute.make_shape(%n, %m64) : (i32, i64) -> !cute.shape<\"(?,?{i64},5)\">\n",
     "%e0, %e1 = cute.get_scalars(%r) {only_dynamic} : (!cute.shape<\"(?,?{i64},5)\">) -> (i32, "
     "i64)\n"
     "%e32 = arith.trunci %e1 : i64 to i32\n%ten = arith.constant 10 : i32\n"
     "%t = arith.muli %e32, %ten : i32\n%v = arith.addi %e0, %t : i32\n",
     [](int32_t n, bool first) { return first ? 3 + 10 * n : n + 30; }},
    {"static value", "!cute.shape<\"(2,7)\">",
     "%A = cute.make_shape() : () -> !cute.shape<\"(2,7)\">\n",
     "%B = cute.make_shape() : () -> !cute.shape<\"(2,7)\">\n",
     "%i = cute.size(%r) : (!cute.shape<\"(2,7)\">) -> !cute.int_tuple<\"14\">\n"
     "%v = cute.get_scalars(%i) : (!cute.int_tuple<\"14\">) -> i32\n",
     [](int32_t, bool) { return 14; }},
    {"pointer", P,
     "%o1 = cute.static : !cute.int_tuple<\"1\">\n"
     "%A = cute.add_offset(%in, %o1) : (" P ", !cute.int_tuple<\"1\">) -> " P "\n",
     "%o2 = cute.make_int_tuple(%n) : (i32) -> !cute.int_tuple<\"?\">\n"
     "%B = cute.add_offset(%in, %o2) : (" P ", !cute.int_tuple<\"?\">) -> " P "\n",
     "%v = cute.ptr.load(%r) : (" P ") -> i32\n",
     [](int32_t n, bool first) { return input[first ? 1 : n]; }},
    {"tensor", M,
     "%s0 = cute.make_shape(%n) : (i32) -> !cute.shape<\"(?)\">\n%d0 = cute.static : "
     "!cute.stride<\"(2)\">\n"
     "%l0 = cute.make_layout(%s0, %d0) : (!cute.shape<\"(?)\">, !cute.stride<\"(2)\">) -> "
     "!cute.layout<\"(?):(2)\">\n"
     "%A = cute.make_view(%in, %l0) : (" P ", !cute.layout<\"(?):(2)\">) -> " M "\n",
     "%o2 = cute.make_int_tuple(%n) : (i32) -> !cute.int_tuple<\"?\">\n"
     "%p2 = cute.add_offset(%in, %o2) : (" P ", !cute.int_tuple<\"?\">) -> " P "\n"
     "%B = cute.make_view(%p2, %l0) : (" P ", !cute.layout<\"(?):(2)\">) -> " M "\n",
     "%at = cute.make_coord() : () -> !cute.coord<\"(2)\">\n"
     "%v = cute.memref.load(%r, %at) : (" M ", !cute.coord<\"(2)\">) -> i32\n",
     [](int32_t n, bool first) { return input[first ? 4 : n + 4]; }},
    {"multiple", "!cute.i32<divby 4>",
     "%n4 = arith.muli %n, %c4 : i32\n%A = cute.assume(%n4) : (i32) -> !cute.i32<divby 4>\n",
     "%B = cute.assume(%c4) : (i32) -> !cute.i32<divby 4>\n",
     "%i = cute.make_int_tuple(%r) : (!cute.i32<divby 4>) -> !cute.int_tuple<\"?{div=4}\">\n"
     "%v = cute.get_scalars(%i) : (!cute.int_tuple<\"?{div=4}\">) -> i32\n",
     [](int32_t n, bool first) { return first ? 4 * n : 4; }},
    {"composed layout", COMPOSED,
     "%s0 = cute.make_shape(%n) : (i32) -> !cute.shape<\"(?,4)\">\n"
     "%l0 = cute.make_layout(%s0) : (!cute.shape<\"(?,4)\">) -> " LAYOUT "\n"
     "%sw = cute.static : !cute.swizzle<\"S<1,0,1>\">\n%z = cute.static : !cute.int_tuple<\"0\">\n"
     "%A = cute.make_composed_layout(%sw, %z, %l0) : (!cute.swizzle<\"S<1,0,1>\">, "
     "!cute.int_tuple<\"0\">, " LAYOUT ") -> " COMPOSED "\n",
     "%n3 = arith.addi %n, %c3 : i32\n"
     "%s1 = cute.make_shape(%n3) : (i32) -> !cute.shape<\"(?,4)\">\n"
     "%l1 = cute.make_layout(%s1) : (!cute.shape<\"(?,4)\">) -> " LAYOUT "\n"
     "%B = cute.make_composed_layout(%sw, %z, %l1) : (!cute.swizzle<\"S<1,0,1>\">, "
     "!cute.int_tuple<\"0\">, " LAYOUT ") -> " COMPOSED "\n",
     "%at = cute.make_coord() : () -> !cute.coord<\"(1,3)\">\n"
     "%i = cute.crd2idx(%at, %r) : (!cute.coord<\"(1,3)\">, " COMPOSED ")\n"
     "%v = cute.get_scalars(%i) : (!cute.int_tuple<\"?\">) -> i32\n",
     [](int32_t n, bool first) {
       int32_t index = 1 + 3 * (first ? n : n + 3);
       return index ^ (index >> 1 & 1); // bit 0 with bit 1
     }},
    {"coordinate iterator", "!cute.arith_tuple_iter<\"(?,5)\">",
     "%t0 = cute.make_int_tuple(%n) : (i32) -> !cute.int_tuple<\"(?,5)\">\n"
     "%A = cute.make_arith_tuple_iter(%t0) : (!cute.int_tuple<\"(?,5)\">) -> "
     "!cute.arith_tuple_iter<\"(?,5)\">\n",
     "%t1 = cute.make_int_tuple(%c4) : (i32) -> !cute.int_tuple<\"(?,5)\">\n"
     "%B = cute.make_arith_tuple_iter(%t1) : (!cute.int_tuple<\"(?,5)\">) -> "
     "!cute.arith_tuple_iter<\"(?,5)\">\n",
     "%i = cute.deref_arith_tuple_iter(%r) : (!cute.arith_tuple_iter<\"(?,5)\">)\n"
     "%v = cute.get_scalars(%i) {only_dynamic} : (!cute.int_tuple<\"(?,5)\">) -> i32\n",
     [](int32_t n, bool first) { return first ? n : 4; }},
    {"descriptor iterator", ITERATOR,
     "%s0 = cute.make_shape(%n) : (i32) -> !cute.shape<\"(?)\">\n"
     "%d0 = cute.static : !cute.stride<\"(2)\">\n"
     "%l0 = cute.make_layout(%s0, %d0) : (!cute.shape<\"(?)\">, !cute.stride<\"(2)\">) -> "
     "!cute.layout<\"(?):(2)\">\n"
     "%A = cute.make_desc_iter(%in, %l0) : (" P ", !cute.layout<\"(?):(2)\">) -> " ITERATOR "\n",
     "%two = cute.static : !cute.int_tuple<\"2\">\n"
     "%B = cute.add_offset(%A, %two) : (" ITERATOR ", !cute.int_tuple<\"2\">) -> " ITERATOR "\n",
     "%at = cute.deref_desc_iter(%r) : (" ITERATOR ") -> " P "\n"
     "%v = cute.ptr.load(%at) : (" P ") -> i32\n",
     [](int32_t, bool first) { return input[first ? 0 : 4]; }},
    {"divisor", "!cute.fast_divmod_divisor<32>",
     "%A = cute.fast_divmod.create_divisor(%c3) : i32 -> !cute.fast_divmod_divisor<32>\n",
     "%B = cute.fast_divmod.create_divisor(%c4) : i32 -> !cute.fast_divmod_divisor<32>\n",
     "%hundred = arith.constant 100 : i32\n"
     "%v, %rest = cute.fast_divmod.compute(%hundred, %r) : i32, !cute.fast_divmod_divisor<32> -> "
     "i32\n",
     [](int32_t, bool first) { return first ? 33 : 25; }},
};

/// The op that makes %r of %A where %p holds, else of %B; T is the type.
struct Choice {
  const char *name, *code;
};
constexpr Choice choices[] = {
    {"arith.select", "%r = arith.select %p, %A, %B : T\n"},
    {"scf.if", "%r = scf.if %p -> T { scf.yield %A : T } else { scf.yield %B : T }\n"},
    {"scf.index_switch",
     "%p32 = arith.extui %p : i1 to i32\n%pi = arith.index_cast %p32 : i32 to index\n"
     "%r = scf.index_switch %pi -> T case 1 { scf.yield %A : T } default { scf.yield %B : T }\n"},
    {"scf.execute_region",
     "%r = scf.execute_region -> T { %q = arith.select %p, %A, %B : T\nscf.yield %q : T }\n"},
    {"scf.execute_region of blocks", "%r = scf.execute_region -> T { cf.cond_br %p, ^a(%A : T), "
                                     "^a(%B : T)\n^a(%q: T): scf.yield %q : T }\n"},
    {"scf.while", "%r = scf.while (%q = %B) : (T) -> T { %w = arith.select %p, %A, %q : T\n"
                  "%f = arith.constant false\nscf.condition(%f) %w : T } do { ^bb0(%w: T): "
                  "scf.yield %w : T }\n"},
    {"scf.for",
     "%r = scf.for %k = %c3 to %c4 step %c3 iter_args(%q = %B) -> T : i32 { %w = scf.if %p -> T { "
     "scf.yield %A : T } else { scf.yield %q : T }\nscf.yield %w : T }\n"},
    {"cf.cond_br", "cf.cond_br %p, ^a(%A : T), ^a(%B : T)\n^a(%r: T):\n"},
    {"cf.switch", "%p32 = arith.extui %p : i1 to i32\n"
                  "cf.switch %p32 : i32, [ default: ^a(%B : T), 1: ^a(%A : T) ]\n^a(%r: T):\n"},
};

std::string kernel(const Kind &kind, const Choice &choice) {
  std::string code = choice.code;
  const std::string type = kind.type;
  auto isPart = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t at = 0; (at = code.find('T', at)) != std::string::npos;) {
    bool alone = (at == 0 || !isPart(code[at - 1])) && !isPart(code[at + 1]);
    if (alone)
      code.replace(at, 1, type);
    at += alone ? type.size() : 1;
  }
  return "gpu.module @m {\ncuda.kernel @k(%in: " P ", %out: " P
         ", %n: i32) attributes {cute.kernel} {\n"
         "%c3 = arith.constant 3 : i32\n%c4 = arith.constant 4 : i32\n" +
         std::string(kind.first) + kind.second + "%p = arith.cmpi slt, %n, %c3 : i32\n" + code +
         kind.use + "cute.ptr.store(%out, %v) : (" P ", i32) -> ()\nreturn\n}\n}\n";
}

TEST(Choices, EveryKindOfValueThroughEveryOp) {
  std::span<const uint8_t> in(reinterpret_cast<const uint8_t *>(input), sizeof input);
  for (Way way : {Way::Expanded, Way::ByTheBank})
    for (const Kind &kind : kinds)
      for (const Choice &choice : choices) {
        SCOPED_TRACE(std::string(kind.name) + " through " + choice.name +
                     (way == Way::Expanded ? "" : ", by the bank"));
        std::string text = kernel(kind, choice);
        for (int32_t n : {1, 3}) { // the first is chosen, the second is
          Outcome outcome = runBlock(text, in, std::vector<uint8_t>(4), {.n = n, .way = way});
          ASSERT_TRUE(outcome.ran) << text << outcome.errors;
          int32_t got = 0;
          std::memcpy(&got, outcome.out.data(), 4);
          EXPECT_EQ(got, kind.expected(n, n < 3)) << "n = " << n << "\n" << text;
        }
      }
}

/// --check-layout-assumptions says where an index does not fit its leaf of 32 bits.
TEST(Choices, AnIndexThatDoesNotFitIsAsserted) {
  const std::string text = R"mlir(
    gpu.module @m {
    cuda.kernel @k(%in: !cute.ptr<i64, gmem>, %out: !cute.ptr<i32, gmem>, %n: i32)
        attributes {cute.kernel} {
      %wide = cute.ptr.load(%in) : (!cute.ptr<i64, gmem>) -> i64
      %index = arith.index_cast %wide : i64 to index
      %shape = cute.make_shape(%index) : (index) -> !cute.shape<"(?,4)">
      %v = cute.get_scalars(%shape) {only_dynamic} : (!cute.shape<"(?,4)">) -> i32
      cute.ptr.store(%out, %v) : (!cute.ptr<i32, gmem>, i32) -> ()
      return
    } })mlir";
  for (Way way : {Way::Expanded, Way::ByTheBank})
    for (int64_t number :
         {int64_t(7), int64_t(2147483647), int64_t(2147483648), -(int64_t(1) << 40)}) {
      std::span<const uint8_t> in(reinterpret_cast<const uint8_t *>(&number), 8);
      Outcome outcome = runBlock(text, in, std::vector<uint8_t>(4), {.way = way, .checks = true});
      const bool fits = number == int32_t(number);
      EXPECT_EQ(outcome.ran, fits) << number << ": " << outcome.errors;
      if (fits)
        EXPECT_EQ(std::memcmp(outcome.out.data(), &number, 4), 0);
      else
        EXPECT_NE((outcome.printed + outcome.errors).find("expects an index of at most 32 bits"),
                  std::string::npos)
            << outcome.printed << outcome.errors;
    }
}

} // namespace
} // namespace tessera::lower::test
