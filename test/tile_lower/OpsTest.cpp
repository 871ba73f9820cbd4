// Each op in a small kernel, on tiles of one element for some threads, of some in registers, and of
// many in local memory; simulated, and compared with the interpreter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comparison.h"

#include "tessera/sim/Machine.h"
#include "tessera/sim/Program.h"
#include "tessera/tile_bytecode/Reader.h"
#include "tessera/tile_eval/Interpreter.h"
#include "tessera/tile_io/TileIo.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

using namespace tessera;
using namespace tessera::tile_eval;
using namespace tessera::tile_lower::test;

namespace {

std::string replaced(std::string text, const std::string &what, const std::string &by) {
  for (size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

/// What inputs are: any bits, numbers of magnitude up to 4, or small positive integers.
enum class Input {
  Bits,
  Moderate,
  Small
};
struct Case {
  std::string op; // makes %r of %x, %y and %z; N is the number of elements, T the type, R the
                  // result's
  std::string type = {};   // of the inputs
  std::string result = {}; // of the result; empty: `type`
  Input x = Input::Bits, y = Input::Bits;
  Match least = Match::Equal;
  int64_t ratio = 1;             // elements of the inputs for one of the result
  Match atLevel1 = Match::Equal; // where sums are in another order there
  const char *arch = "sm_80";
};

/// A kernel that loads N elements of x, y and z and stores those of the result.
std::string kernelOf(const Case &c, int64_t count) {
  std::string n = std::to_string(count), m = std::to_string(count / c.ratio);
  std::string result = c.result.empty() ? c.type : c.result;
  std::string text = "cuda_tile.module @m {\n  entry @k(%px: tile<ptr<T>>, %py: tile<ptr<T>>, %pz: "
                     "tile<ptr<T>>, %pr: tile<ptr<R>>) {\n    %i = iota : tile<Nxi32>\n";
  for (std::string v : {"x", "y", "z"})
    text += replaced("    %bV = reshape %pV : tile<ptr<T>> -> tile<1xptr<T>>\n"
                     "    %cV = broadcast %bV : tile<1xptr<T>> -> tile<Nxptr<T>>\n"
                     "    %aV = offset %cV, %i : tile<Nxptr<T>>, tile<Nxi32> -> tile<Nxptr<T>>\n"
                     "    %V, %tV = load_ptr_tko weak %aV : tile<Nxptr<T>> -> tile<NxT>, token\n",
                     "V", v);
  text += cat("    ", c.op, "\n");
  text += "    %j = iota : tile<Mxi32>\n"
          "    %br = reshape %pr : tile<ptr<R>> -> tile<1xptr<R>>\n"
          "    %cr = broadcast %br : tile<1xptr<R>> -> tile<Mxptr<R>>\n"
          "    %ar = offset %cr, %j : tile<Mxptr<R>>, tile<Mxi32> -> tile<Mxptr<R>>\n"
          "    %tr = store_ptr_tko weak %ar, %r : tile<Mxptr<R>>, tile<MxR> -> token\n"
          "    return\n  }\n}\n";
  // Extents are written N and M; types T and R.
  text = replaced(text, "<N", cat("<", n));
  text = replaced(text, "<M", cat("<", m));
  text = replaced(text, "xT>", cat("x", c.type, ">"));
  text = replaced(text, "<T:", cat("<", c.type, ":"));
  text = replaced(text, "xR>", cat("x", result, ">"));
  text = replaced(text, "ptr<T>", cat("ptr<", c.type, ">"));
  return replaced(text, "ptr<R>", cat("ptr<", result, ">"));
}

/// Codes of inputs; special values come first.
Array inputs(TypeKind kind, Input input, size_t count, unsigned seed) {
  Array out = newArray(kind, count);
  std::mt19937_64 random(seed);
  std::vector<uint64_t> special;
  if (isFloat(kind) && input == Input::Bits && kind != TypeKind::F8E8M0FNU)
    special = {0, signBitOf(kind), infinityOf(kind, false), infinityOf(kind, true), nanOf(kind), 1};
  for (size_t i = 0; i < count; ++i) {
    uint64_t code = random() & lowBits(bitsOf(kind));
    if (i < special.size() * special.size() && !special.empty())
      code = special[seed % 2 ? i % special.size() : i / special.size()];
    else if (isFloat(kind) && input != Input::Bits)
      code = encode(kind, double(int64_t(random() % 8001) - 4000) / 1000);
    else if (!isFloat(kind) && input != Input::Bits)
      code = 1 + random() % std::min<uint64_t>(7, lowBits(bitsOf(kind)));
    if (kind == TypeKind::TF32)
      code &= ~uint64_t(0x1fff);
    out.setCode(i, code);
  }
  return out;
}

/// At both levels.
void check(driver::Compiler &compiler, const Case &c, int64_t count) {
  TypeKind kind = kindNamed(c.type), result = kindNamed(c.result.empty() ? c.type : c.result);
  auto elements = size_t(count);
  std::vector<Array> arrays = {inputs(kind, c.x, elements, 0), inputs(kind, c.y, elements, 1),
                               inputs(kind, c.y, elements, 2),
                               newArray(result, size_t(count / c.ratio))};
  for (int level : {0, 1})
    EXPECT_EQ(difference(compiler, kernelOf(c, count), arrays, {.arch = c.arch, .level = level},
                         level ? std::max(c.least, c.atLevel1) : c.least),
              "")
        << c.op << " on " << count << " elements of " << c.type << " at level " << level;
}

void checkAll(const std::vector<Case> &cases, std::vector<int64_t> counts = {4, 256, 2048}) {
  driver::Compiler compiler;
  for (const Case &c : cases)
    for (int64_t count : counts)
      check(compiler, c, count);
}

std::vector<Case> forTypes(std::vector<std::string> types, std::vector<Case> cases) {
  std::vector<Case> out;
  for (const std::string &type : types)
    for (Case c : cases) {
      c.type = type;
      out.push_back(c);
    }
  return out;
}

const std::string same = " : tile<NxT>";

} // namespace

TEST(Ops, Integers) {
  auto op = [](const std::string &text) { return cat("%r = ", text, same); };
  checkAll(
      forTypes(
          {"i8", "i16", "i32", "i64"},
          {{op("addi %x, %y")},
           {op("subi %x, %y")},
           {op("muli %x, %y")},
           {op("mulhii %x, %y")},
           {op("negi %x")},
           {op("absi %x")},
           {op("divi %x, %y signed"), "", "", Input::Bits, Input::Small},
           {op("divi %x, %y unsigned"), "", "", Input::Bits, Input::Small},
           {op("divi %x, %y signed rounding<positive_inf>"), "", "", Input::Bits, Input::Small},
           {op("divi %x, %y signed rounding<negative_inf>"), "", "", Input::Bits, Input::Small},
           {op("divi %x, %y unsigned rounding<positive_inf>"), "", "", Input::Bits, Input::Small},
           {op("remi %x, %y signed"), "", "", Input::Bits, Input::Small},
           {op("remi %x, %y unsigned"), "", "", Input::Bits, Input::Small},
           {op("shli %x, %y"), "", "", Input::Bits, Input::Small},
           {op("shri %x, %y signed"), "", "", Input::Bits, Input::Small},
           {op("shri %x, %y unsigned"), "", "", Input::Bits, Input::Small},
           {op("maxi %x, %y signed")},
           {op("mini %x, %y unsigned")},
           {op("xori %x, %y")},
           {"%c = cmpi less_than %x, %y, signed : tile<NxT> -> tile<Nxi1>\n"
            "%r = select %c, %x, %y : tile<Nxi1>, tile<NxT>"},
           {"%r = cmpi greater_than_or_equal %x, %y, unsigned : tile<NxT> -> tile<Nxi1>", "",
            "i1"}}),
      {4, 2048});
}

TEST(Ops, RoundedArithmetic) {
  auto op = [](const std::string &text) { return cat("%r = ", text, same); };
  std::vector<Case> cases;
  for (std::string rounding :
       {"", " rounding<zero>", " rounding<negative_inf>", " rounding<positive_inf>"})
    for (std::string text :
         {"addf %x, %y", "subf %x, %y", "mulf %x, %y", "divf %x, %y", "fma %x, %y, %z", "sqrt %x"})
      cases.push_back({op(text + rounding)});
  for (std::string text :
       {"maxf %x, %y", "minf %x, %y", "maxf %x, %y propagate_nan", "minf %x, %y propagate_nan",
        "absf %x", "negf %x", "ceil %x", "floor %x"})
    cases.push_back({op(text)});
  for (std::string order : {"ordered", "unordered"})
    for (std::string predicate : {"equal", "not_equal", "less_than", "less_than_or_equal",
                                  "greater_than", "greater_than_or_equal"})
      cases.push_back(
          {cat("%r = cmpf ", predicate, " ", order, " %x, %y : tile<NxT> -> tile<Nxi1>"), "",
           "i1"});
  checkAll(forTypes({"f16", "bf16", "f32", "f64"}, cases), {1024});
}

TEST(Ops, FlushedArithmetic) {
  auto op = [](const std::string &text) {
    return cat("%r = ", text, " flush_to_zero : tile<NxT>");
  };
  checkAll(forTypes({"f32"}, {{op("addf %x, %y")},
                              {op("mulf %x, %y rounding<zero>")},
                              {op("divf %x, %y")},
                              {op("fma %x, %y, %z")},
                              {op("sqrt %x")},
                              {op("maxf %x, %y")},
                              {op("minf %x, %y")},
                              {op("exp2 %x"), "", "", Input::Bits, Input::Bits, Match::Close},
                              {cat("%a = absf %x", same, "\n", op("rsqrt %a")), "", "", Input::Bits,
                               Input::Bits, Match::Close}}),
           {1024});
}

TEST(Ops, Functions) {
  std::vector<Case> cases;
  for (std::string name : {"exp", "exp2", "sin", "cos", "tan", "sinh", "cosh", "tanh"})
    cases.push_back(
        {cat("%r = ", name, " %x", same), "", "", Input::Moderate, Input::Bits, Match::Close});
  for (std::string name : {"log", "log2", "rsqrt"})
    cases.push_back({cat("%a = absf %x : tile<NxT>\n%r = ", name, " %a", same), "", "",
                     Input::Moderate, Input::Bits, Match::Close});
  for (std::string name : {"pow", "atan2"})
    cases.push_back({cat("%r = ", name, " %x, %y", same), "", "", Input::Moderate, Input::Moderate,
                     Match::Close});
  // Squares, which are products.
  checkAll(forTypes({"f16", "bf16", "f32", "f64"},
                    {{cat("%e = constant <T: 2.0> : tile<NxT>\n%r = pow %x, %e", same)}}),
           {256});
  // Powers of anything: their special cases.
  cases.push_back({cat("%r = pow %x, %y", same), "", "", Input::Bits, Input::Bits, Match::Close});
  cases.push_back({"%n = ftoi %y signed : tile<NxT> -> tile<Nxi8>\n"
                   "%r = fpowi %x, %n : tile<NxT>, tile<Nxi8>",
                   "", "", Input::Moderate, Input::Moderate, Match::Close});
  // Of anything: subnormal and large numbers, infinities, NaNs.
  for (std::string name : {"exp", "exp2", "log", "log2", "sinh", "cosh", "tanh"})
    cases.push_back(
        {cat("%r = ", name, " %x", same), "", "", Input::Bits, Input::Bits, Match::Close});
  cases.push_back({cat("%r = atan2 %x, %y", same), "", "", Input::Bits, Input::Bits, Match::Close});
  std::vector<Case> circular;
  for (std::string name : {"sin", "cos", "tan"})
    circular.push_back(
        {cat("%r = ", name, " %x", same), "", "", Input::Bits, Input::Bits, Match::Close});
  checkAll(forTypes({"f16", "bf16", "f32"}, circular), {256});
  checkAll(forTypes({"f16", "bf16", "f32", "f64"}, cases), {256});
  checkAll(forTypes({"f16", "bf16", "f32"}, {{cat("%r = remf %x, %y", same)}}), {1024});
  checkAll({{cat("%r = remf %x, %y", same), "f64", "", Input::Bits, Input::Bits}}, {256});
}

TEST(Ops, Conversions) {
  std::vector<Case> cases;
  std::vector<std::string> floats = {"f16", "bf16", "f32", "f64", "tf32", "f8E4M3FN", "f8E5M2"};
  for (const std::string &from : floats) {
    for (const std::string &to : floats)
      if (from != to)
        cases.push_back({"%r = ftof %x : tile<NxT> -> tile<NxR>", from, to});
    cases.push_back({"%r = ftof %x rounding<zero> : tile<NxT> -> tile<NxR>", from, "f8E8M0FNU"});
    cases.push_back(
        {"%r = ftof %x rounding<positive_inf> : tile<NxT> -> tile<NxR>", from, "f8E8M0FNU"});
    for (std::string to : {"i8", "i16", "i32", "i64"})
      for (std::string sign : {"signed", "unsigned"})
        cases.push_back(
            {cat("%r = ftoi %x ", sign, " saturating : tile<NxT> -> tile<NxR>"), from, to});
  }
  for (std::string to : {"f16", "bf16", "tf32", "f8E4M3FN", "f8E5M2"})
    for (std::string rounding : {"zero", "negative_inf", "positive_inf", "nearest_away"})
      cases.push_back(
          {cat("%r = ftof %x rounding<", rounding, "> : tile<NxT> -> tile<NxR>"), "f32", to});
  for (const char *rounding : {"zero", "negative_inf", "positive_inf", "nearest_away"}) {
    std::string op = cat("ftof %x rounding<", rounding, "> : tile<NxT> -> tile<NxR>");
    cases.push_back({cat("%r = ", op), "f64", "f32"});
    // Numbers a quarter of a step from each other: near 1, subnormal, and up to infinity.
    for (auto [quarter, base] : {std::pair{"0x3E60000000000000", "1.0"},
                                 {"0x3680000000000000", "0.0"},
                                 {"0x4650000000000000", "0x47EFFFFFE0000000"}})
      cases.push_back(
          {cat("%n = ftoi %y signed : tile<NxT> -> tile<Nxi16>\n"
               "%w = itof %n signed : tile<Nxi16> -> tile<NxT>\n%h = constant <T: ",
               quarter, "> : tile<NxT>\n%v = mulf %w, %h : tile<NxT>\n%o = constant <T: ", base,
               "> : tile<NxT>\n%s = addf %v, %o : tile<NxT>\n%r = ", replaced(op, "%x", "%s")),
           "f64", "f32", Input::Moderate, Input::Moderate});
  }
  cases.push_back({"%r = ftof %x : tile<NxT> -> tile<NxR>", "f8E8M0FNU", "f32"});
  for (std::string from : {"i8", "i16", "i32", "i64"})
    for (std::string sign : {"signed", "unsigned"})
      for (const std::string &to : floats)
        cases.push_back({cat("%r = itof %x ", sign, " : tile<NxT> -> tile<NxR>"), from, to});
  cases.push_back({"%r = exti %x signed : tile<NxT> -> tile<NxR>", "i8", "i64"});
  cases.push_back({"%r = exti %x unsigned : tile<NxT> -> tile<NxR>", "i16", "i32"});
  cases.push_back({"%r = trunci %x : tile<NxT> -> tile<NxR>", "i64", "i8"});
  cases.push_back({"%r = bitcast %x : tile<NxT> -> tile<NxR>", "f32", "i32"});
  cases.push_back({"%u = bitcast %x : tile<NxT> -> tile<Nxtf32>\n"
                   "%r = ftof %u : tile<Nxtf32> -> tile<NxR>",
                   "i32", "f32"});
  // Newer targets round to tf32 by an instruction.
  for (const std::string &from : floats)
    if (from != "tf32")
      cases.push_back({.op = "%r = ftof %x : tile<NxT> -> tile<NxR>",
                       .type = from,
                       .result = "tf32",
                       .arch = "sm_90a"});
  checkAll(cases, {1024});
}

TEST(Ops, FourBits) {
  // Bytes taken apart, numbers made of the halves, and back.
  driver::Compiler compiler;
  for (int64_t count : {8, 256, 4096}) {
    std::string twice = std::to_string(2 * count);
    check(compiler,
          {cat("%u = unpack %x : tile<NxT> -> tile<", twice, "xf4E2M1FN>\n%w = ftof %u : tile<",
               twice, "xf4E2M1FN> -> tile<", twice, "xf32>\n%v = addf %w, %w : tile<", twice,
               "xf32>\n%f = ftof %v : tile<", twice, "xf32> -> tile<", twice,
               "xf4E2M1FN>\n%r = pack %f : tile<", twice, "xf4E2M1FN> -> tile<NxT>"),
           "i8"},
          count);
    check(compiler,
          {cat("%u = unpack %x : tile<NxT> -> tile<", twice, "xi4>\n%w = exti %u signed : tile<",
               twice, "xi4> -> tile<", twice, "xi32>\n%v = addi %w, %w : tile<", twice,
               "xi32>\n%f = trunci %v : tile<", twice, "xi32> -> tile<", twice,
               "xi4>\n%r = pack %f : tile<", twice, "xi4> -> tile<NxT>"),
           "i8"},
          count);
  }
}

/// Bytes as bits, of which each is an element.
TEST(Ops, Bits) {
  driver::Compiler compiler;
  for (int64_t count : {2, 64, 1024}) {
    std::string bits = cat("tile<", 8 * count, "xi1>");
    check(compiler,
          {cat("%a = unpack %x : tile<NxT> -> ", bits, "\n%b = unpack %y : tile<NxT> -> ", bits,
               "\n%c = xori %a, %b : ", bits, "\n%r = pack %c : ", bits, " -> tile<NxT>"),
           "i8"},
          count);
  }
}

/// Two elements of 4 bits share a byte, of which a store reads the other half.
TEST(Ops, FourBitsInMemory) {
  driver::Compiler compiler;
  const std::string text = R"(cuda_tile.module @m {
  entry @k(%p: tile<ptr<i8>>, %q: tile<ptr<f4E2M1FN>>) {
    %i = iota : tile<64xi32>
    %one = reshape %p : tile<ptr<i8>> -> tile<1xptr<i8>>
    %all = broadcast %one : tile<1xptr<i8>> -> tile<64xptr<i8>>
    %at = offset %all, %i : tile<64xptr<i8>>, tile<64xi32> -> tile<64xptr<i8>>
    %bytes, %t = load_ptr_tko weak %at : tile<64xptr<i8>> -> tile<64xi8>, token
    %x = unpack %bytes : tile<64xi8> -> tile<128xf4E2M1FN>
    %last = constant <i32: 127> : tile<128xi32>
    %j = iota : tile<128xi32>
    %rows = subi %last, %j : tile<128xi32>
    %tensor = make_tensor_view %q, shape = [90], strides = [1] : tensor_view<90xf4E2M1FN, strides=[1]>
    %view = make_gather_scatter_view %tensor : gather_scatter_view<tile=(128), tensor_view<90xf4E2M1FN, strides=[1]>, sparse_dim=0>
    %u = store_view_tko {ORDER} %x, %view[%rows] : tile<128xf4E2M1FN>, gather_scatter_view<tile=(128), tensor_view<90xf4E2M1FN, strides=[1]>, sparse_dim=0>, tile<128xi32> -> token
    return
  }
}
)";
  std::vector<Array> arrays = {inputs(TypeKind::I8, Input::Bits, 64, 1),
                               inputs(TypeKind::I8, Input::Bits, 45, 2)};
  for (std::string order : {"weak", "relaxed device", "release device"})
    for (int level : {0, 1})
      EXPECT_EQ(difference(compiler, replaced(text, "{ORDER}", order), arrays, {.level = level}),
                "")
          << order << " at level " << level;
}

/// Memory of a tile block: written and read by other threads, updated, and again in each iteration.
TEST(Ops, OwnMemory) {
  const std::string text =
      "%p = alloca num_elem = N, alignment = 16 : tile<ptr<T>>\n"
      "%one = reshape %p : tile<ptr<T>> -> tile<1xptr<T>>\n"
      "%all = broadcast %one : tile<1xptr<T>> -> tile<Nxptr<T>>\n"
      "%at = offset %all, %i : tile<Nxptr<T>>, tile<Nxi32> -> tile<Nxptr<T>>\n"
      "%last = constant <i32: LAST> : tile<Nxi32>\n"
      "%back = subi %last, %i : tile<Nxi32>\n"
      "%from = offset %all, %back : tile<Nxptr<T>>, tile<Nxi32> -> tile<Nxptr<T>>\n"
      "%t0 = store_ptr_tko weak %at, %x : tile<Nxptr<T>>, tile<NxT> -> token\n"
      "%old, %t1 = atomic_rmw_tko relaxed tl_blk %from, add, %y token=%t0 : tile<Nxptr<T>>, "
      "tile<NxT> -> tile<NxT>, token\n"
      "%zero = constant <i32: 0> : tile<i32>\n%step = constant <i32: 1> : tile<i32>\n"
      "%end = constant <i32: 3> : tile<i32>\n"
      "%sum:2 = for %k in (%zero to %end, step %step) : tile<i32> iter_values(%t2 = %t1, %acc = "
      "%old) -> (token, tile<NxT>) {\n"
      "%q = alloca num_elem = N, alignment = 16 : tile<ptr<T>>\n"
      "%qone = reshape %q : tile<ptr<T>> -> tile<1xptr<T>>\n"
      "%qall = broadcast %qone : tile<1xptr<T>> -> tile<Nxptr<T>>\n"
      "%qat = offset %qall, %i : tile<Nxptr<T>>, tile<Nxi32> -> tile<Nxptr<T>>\n"
      "%qfrom = offset %qall, %back : tile<Nxptr<T>>, tile<Nxi32> -> tile<Nxptr<T>>\n"
      "%t3 = store_ptr_tko weak %qat, %acc token=%t2 : tile<Nxptr<T>>, tile<NxT> -> token\n"
      "%v, %t4 = load_ptr_tko weak %qfrom token=%t3 : tile<Nxptr<T>> -> tile<NxT>, token\n"
      "%w, %t5 = load_ptr_tko weak %from token=%t4 : tile<Nxptr<T>> -> tile<NxT>, token\n"
      "%next = addi %v, %w : tile<NxT>\n"
      "continue %t5, %next : token, tile<NxT>\n}\n"
      "%r = addi %sum#1, %x : tile<NxT>";
  driver::Compiler compiler;
  for (std::string type : {"i32", "i64"})
    for (int64_t count : {4, 128, 512}) {
      std::string op = replaced(text, "LAST", std::to_string(count - 1));
      check(compiler, {replaced(op, "num_elem = N", cat("num_elem = ", count)), type}, count);
    }
}

TEST(Ops, Shapes) {
  driver::Compiler compiler;
  for (std::string type : {"i8", "f32", "i64"})
    for (int64_t count : {16, 256, 4096, 32768}) {
      std::string q = std::to_string(count / 4), h = std::to_string(count / 2);
      check(compiler,
            {cat("%a = reshape %x : tile<NxT> -> tile<2x", q,
                 "x2xT>\n%b = permute %a [1, 2, 0] : "
                 "tile<2x",
                 q, "x2xT> -> tile<", q, "x2x2xT>\n%r = reshape %b : tile<", q,
                 "x2x2xT> -> tile<NxT>"),
             type},
            count);
      check(compiler,
            {cat("%one = constant <i32: 1> : tile<i32>\n%zero = constant <i32: 0> : tile<i32>\n"
                 "%a = reshape %x : tile<NxT> -> tile<2x",
                 h,
                 "xT>\n"
                 "%b = extract %a[%one, %zero] : tile<2x",
                 h, "xT> -> tile<1x", h,
                 "xT>\n"
                 "%c = extract %a[%zero, %zero] : tile<2x",
                 h, "xT> -> tile<1x", h,
                 "xT>\n"
                 "%d = cat %b, %c dim = 0 : tile<1x",
                 h, "xT>, tile<1x", h, "xT> -> tile<2x", h,
                 "xT>\n%e = reshape %y : tile<NxT> -> tile<2x", h,
                 "xT>\n"
                 "%f = extract %e[%zero, %one] : tile<2x",
                 h, "xT> -> tile<1x", q,
                 "xT>\n"
                 "%g = insert %f, %d[%one, %one] : tile<1x",
                 q, "xT>, tile<2x", h, "xT> -> tile<2x", h, "xT>\n%r = reshape %g : tile<2x", h,
                 "xT> -> tile<NxT>"),
             type},
            count);
      check(compiler,
            {cat("%z0 = constant <i32: 0> : tile<i32>\n"
                 "%a = extract %x[%z0] : tile<NxT> -> tile<",
                 q,
                 "xT>\n"
                 "%b = reshape %a : tile<",
                 q, "xT> -> tile<1x", q,
                 "x1xT>\n"
                 "%c = broadcast %b : tile<1x",
                 q, "x1xT> -> tile<2x", q,
                 "x2xT>\n"
                 "%r = reshape %c : tile<2x",
                 q, "x2xT> -> tile<NxT>"),
             type},
            count);
    }
}

TEST(Ops, ReductionsAndScans) {
  driver::Compiler compiler;
  for (std::string type : {"i16", "f32", "f64"})
    // 32768 numbers of f32 are more than shared memory has room for.
    for (int64_t count : {16, 512, 32768}) {
      bool isFloat = type[0] == 'f';
      std::string q = std::to_string(count / 4), add = isFloat ? "addf" : "addi";
      std::string zero = (isFloat ? "0.0 : " : "0 : ") + type;
      std::string region = cat(" (%c: tile<", type, ">, %d: tile<", type, ">) {\n%e = ", add,
                               " %c, %d : tile<", type, ">\nyield %e : tile<", type, ">\n}\n");
      for (int dim : {0, 1, 2}) {
        std::string shape = dim == 0   ? cat("4x2x", count / 8)
                            : dim == 1 ? cat("2x4x", count / 8)
                                       : cat("2x", count / 8, "x4");
        std::string rest = cat("2x", count / 8);
        check(compiler,
              {cat("%a = reshape %x : tile<NxT> -> tile<", shape, "xT>\n%b = reduce %a dim=", dim,
                   " identities=[", zero, "] : tile<", shape, "xT> -> tile<", rest, "xT>", region,
                   "%r = reshape %b : tile<", rest, "xT> -> tile<MxT>"),
               type, "", Input::Moderate, Input::Bits, Match::Equal, 4,
               isFloat ? Match::Close : Match::Equal},
              count);
        for (std::string reverse : {"false", "true"})
          check(
              compiler,
              {cat("%a = reshape %x : tile<NxT> -> tile<", shape, "xT>\n%b = scan %a dim=", dim,
                   " reverse=", reverse, " identities=[", zero, "] : tile<", shape, "xT> -> tile<",
                   shape, "xT>", region, "%r = reshape %b : tile<", shape, "xT> -> tile<NxT>"),
               type, "", Input::Moderate, Input::Bits, Match::Close, 1},
              count);
      }
    }
}

// The larger one, by branches in branches; a division that only one of them may reach.
TEST(Ops, CombinersBranch) {
  driver::Compiler compiler;
  for (std::string type : {"i8", "i32", "i64"}) {
    std::string t = cat("tile<", type, ">"), least = type == "i8"    ? "-128"
                                                     : type == "i32" ? "-2147483648"
                                                                     : "-9223372036854775808";
    std::string region =
        cat(" (%c: ", t, ", %d: ", t, ") {\n%t = cmpi less_than %c, %d, signed : ", t,
            " -> tile<i1>\nif %t {\n}\n%e, %n = if %t -> (", t,
            ", tile<i1>) {\n%u = cmpi equal %c, "
            "%zero, signed : ",
            t, " -> tile<i1>\n%v = if %u -> (", t, ") {\nyield %d : ", t,
            "\n} else {\n%q = divi %d, %c signed : ", t, "\n%m = muli %q, %c : ", t,
            "\n%l = subi %d, %m : ", t, "\n%w = addi %l, %m : ", t, "\nyield %w : ", t,
            "\n}\nyield %v, %t : ", t, ", tile<i1>\n} else {\nyield %c, %t : ", t,
            ", tile<i1>\n}\n%f = select %n, %e, %c : tile<i1>, ", t, "\nyield %f : ", t, "\n}\n");
    std::string zero = cat("%zero = constant <", type, ": 0> : ", t, "\n"),
                identity = cat(" identities=[", least, " : ", type, "] : tile<4x4x4xT> -> ");
    std::string from = cat(zero, "%a = reshape %x : tile<NxT> -> tile<4x4x4xT>\n%b = ");
    for (int dim : {0, 1, 2}) {
      check(compiler,
            {cat(from, "reduce %a dim=", dim, identity, "tile<4x4xT>", region,
                 "%r = reshape %b : tile<4x4xT> -> tile<MxT>"),
             type, "", Input::Bits, Input::Bits, Match::Equal, 4},
            64);
      check(compiler,
            {cat(from, "scan %a dim=", dim, " reverse=false", identity, "tile<4x4x4xT>", region,
                 "%r = reshape %b : tile<4x4x4xT> -> tile<NxT>"),
             type, "", Input::Bits, Input::Bits, Match::Equal, 1},
            64);
    }
  }
}

// Tiles in local memory; test/ir/tile-scan-large.mlir has the largest one.
TEST(Ops, ScansOfThreeOperands) {
  driver::Compiler compiler;
  check(compiler,
        {"%b:3 = scan %x, %y, %x dim=0 reverse=true identities=[0 : i32, 0 : i32, -2147483648 : "
         "i32] : tile<NxT>, tile<NxT>, tile<NxT> -> tile<NxT>, tile<NxT>, tile<NxT> "
         "(%c: tile<i32>, %d: tile<i32>, %e: tile<i32>, %f: tile<i32>, %g: tile<i32>, %h: "
         "tile<i32>) {\n"
         "%u = addi %c, %d : tile<i32>\n%v = xori %e, %f : tile<i32>\n"
         "%w = maxi %g, %h signed : tile<i32>\nyield %u, %v, %w : tile<i32>, tile<i32>, "
         "tile<i32>\n}\n"
         "%s = addi %b#0, %b#1 : tile<NxT>\n%r = xori %s, %b#2 : tile<NxT>",
         "i32", "", Input::Bits, Input::Bits, Match::Equal, 1},
        8192);
}

TEST(Ops, Products) {
  driver::Compiler compiler;
  struct Types {
    std::string in, acc;
  };
  for (const auto &[in, acc] : {Types{"f16", "f16"},
                                {"f16", "f32"},
                                {"bf16", "f32"},
                                {"tf32", "f32"},
                                {"f32", "f32"},
                                {"f64", "f64"},
                                {"f8E4M3FN", "f32"},
                                {"f8E5M2", "f16"}})
    for (auto [m, k] : {std::pair(1, 4), {8, 16}, {64, 64}, {2, 1024}}) {
      std::string a = cat(m, "x", k), b = cat(k, "x", m), c = cat(m, "x", m);
      std::string zero = cat("constant <", acc, ": 0.5> : tile<", c, "x", acc, ">");
      check(compiler,
            {cat("%a = reshape %x : tile<NxT> -> tile<", a,
                 "xT>\n%b = reshape %y : tile<NxT> -> tile<", b, "xT>\n%c = ", zero,
                 "\n%d = mmaf %a, %b, %c : tile<", a, "xT>, tile<", b, "xT>, tile<", c,
                 "xR>\n%r = reshape %d : tile<", c, "xR> -> tile<MxR>"),
             in, acc, Input::Moderate, Input::Moderate, in == "f64" ? Match::Equal : Match::Close,
             k / m},
            m * k);
    }
  for (std::string sign : {"signed signed", "unsigned signed", "signed unsigned"})
    check(compiler,
          {cat("%a = reshape %x : tile<NxT> -> tile<2x16x32xT>\n%b = reshape %y : tile<NxT> -> "
               "tile<2x32x16xT>\n%c = constant <i32: 7> : tile<2x16x16xi32>\n%d = mmai %a, %b, %c ",
               sign,
               " : tile<2x16x32xT>, tile<2x32x16xT>, tile<2x16x16xi32>\n"
               "%r = reshape %d : tile<2x16x16xi32> -> tile<MxR>"),
           "i8", "i32", Input::Bits, Input::Bits, Match::Equal, 2},
          1024);
  check(
      compiler,
      {"%a = reshape %x : tile<NxT> -> tile<16x64xT>\n%b = reshape %y : tile<NxT> -> "
       "tile<64x16xT>\n"
       "%c = constant <f32: 0.5> : tile<16x16xf32>\n"
       "%s = constant <f8E8M0FNU: [[1.0, 2.0], [4.0, 0.5], [1.0, 2.0], [4.0, 0.5], [1.0, 2.0], "
       "[4.0, 0.5], [1.0, 2.0], [4.0, 0.5], [1.0, 2.0], [4.0, 0.5], [1.0, 2.0], [4.0, 0.5], "
       "[1.0, 2.0], [4.0, 0.5], [1.0, 2.0], [4.0, 0.5]]> : tile<16x2xf8E8M0FNU>\n"
       "%u = permute %s [1, 0] : tile<16x2xf8E8M0FNU> -> tile<2x16xf8E8M0FNU>\n"
       "%d = mmaf_scaled %a, %b, %c, %s, %u : tile<16x64xT>, tile<64x16xT>, tile<16x16xf32>, "
       "tile<16x2xf8E8M0FNU>, tile<2x16xf8E8M0FNU>\n%r = reshape %d : tile<16x16xf32> -> tile<MxR>",
       "f8E4M3FN", "f32", Input::Moderate, Input::Moderate, Match::Close, 4},
      1024);
  // Scales of 2^127 and 2^-127, with which an element alone is outside of f32.
  for (const char *scales : {"0xFE", "0x00"})
    check(compiler,
          {cat("%a = reshape %x : tile<NxT> -> tile<16x64xT>\n%b = reshape %y : tile<NxT> -> "
               "tile<64x16xT>\n"
               "%c = constant <f32: 0.5> : tile<16x16xf32>\n"
               "%s = constant <f8E8M0FNU: ",
               scales,
               "> : tile<16x2xf8E8M0FNU>\n"
               "%u = constant <f8E8M0FNU: ",
               scales[2] == 'F' ? "0x00" : "0xFE",
               "> : tile<2x16xf8E8M0FNU>\n"
               "%d = mmaf_scaled %a, %b, %c, %s, %u : tile<16x64xT>, tile<64x16xT>, "
               "tile<16x16xf32>, tile<16x2xf8E8M0FNU>, tile<2x16xf8E8M0FNU>\n"
               "%r = reshape %d : tile<16x16xf32> -> tile<MxR>"),
           "f8E4M3FN", "f32", Input::Moderate, Input::Moderate, Match::Close, 4},
          1024);
}
