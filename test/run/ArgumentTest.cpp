// --arg texts: every form, and a sentence for everything that is none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/Argument.h"
#include "tessera/run/Npy.h"

#include "test/run/Check.h"

#include <cmath>
#include <filesystem>

using namespace tessera;
using namespace tessera::run;

namespace {

using Numbers = std::vector<int64_t>;

constexpr const char *types = "f64 f32 tf32 f16 bf16 f8E4M3FN f8E5M2 f8E8M0FNU f6E2M3FN "
                              "f6E3M2FN f4E2M1FN i1 i2 i4 i8 i16 i32 i64 u1 u2 u4 u8 u16 u32 u64";
constexpr const char *fillExample = "rand:f16:4096x4096:seed=1";
constexpr const char *fileExample = "bf16:A.npy:stride=64,1";
constexpr const char *scalarExample = "i32:5 or f32:0.5";

Argument parse(std::string_view text) { return must(parseArgument(text)); }

double scalarOf(std::string_view text) {
  Argument argument = parse(text);
  EXPECT_EQ(argument.kind, ArgumentKind::Scalar);
  return toDouble(*argument.dtype, argument.scalar);
}

} // namespace

TEST(Argument, Fills) {
  Argument random = parse("rand:f16:4096x64:seed=1");
  EXPECT_EQ(random.kind, ArgumentKind::Random);
  EXPECT_EQ(random.dtype, Dtype::f16);
  EXPECT_EQ(random.shape, (Numbers{4096, 64}));
  EXPECT_EQ(random.seed, 1u);
  EXPECT_FALSE(random.strides);
  EXPECT_EQ(random.text, "rand:f16:4096x64:seed=1");
  EXPECT_FALSE(parse("rand:bf16:8").seed);
  EXPECT_EQ(parse("rand:i8:2x3:seed=18446744073709551615").seed, ~uint64_t(0));
  Argument zeros = parse("zeros:float32:128x64");
  EXPECT_EQ(zeros.kind, ArgumentKind::Zeros);
  EXPECT_EQ(zeros.dtype, Dtype::f32);
  Argument out = parse("out:f16:512x512:stride=1,520");
  EXPECT_EQ(out.kind, ArgumentKind::Output);
  EXPECT_EQ(out.strides, (Numbers{1, 520}));
  EXPECT_EQ(parse("rand:e4m3:2x2x2:stride=4,2,1:seed=9").seed, 9u);
  EXPECT_EQ(parse("rand:e4m3:2x2x2:seed=9:stride=4,2,1").strides, (Numbers{4, 2, 1}));
}

TEST(Argument, Files) {
  Argument plain = parse("data/A.npy");
  EXPECT_EQ(plain.kind, ArgumentKind::File);
  EXPECT_EQ(plain.file, "data/A.npy");
  EXPECT_FALSE(plain.dtype);
  Argument typed = parse("bf16:../A.npy:stride=1,64");
  EXPECT_EQ(typed.file, "../A.npy");
  EXPECT_EQ(typed.dtype, Dtype::bf16);
  EXPECT_EQ(typed.strides, (Numbers{1, 64}));
  EXPECT_EQ(parse("./a:b.npy").file, "./a:b.npy");
  EXPECT_EQ(parse("f16:a:b.npy").file, "a:b.npy");
  EXPECT_EQ(parse("x.npy.npy").file, "x.npy.npy");
  EXPECT_EQ(parse("zeros.npy").file, "zeros.npy");
  EXPECT_EQ(parse("f16:/tmp/x.npy.old/y.npy").file, "/tmp/x.npy.old/y.npy");
}

TEST(Argument, Scalars) {
  const std::tuple<const char *, Dtype, double> rows[] = {
      {"5", Dtype::s32, 5},
      {"-7", Dtype::s32, -7},
      {"2147483647", Dtype::s32, 2147483647},
      {"2147483648", Dtype::s64, 2147483648},
      {"-2147483649", Dtype::s64, -2147483649.0},
      {"0x10", Dtype::s32, 16},
      {"0.5", Dtype::f32, 0.5},
      {"1e3", Dtype::f32, 1000},
      {"-inf", Dtype::f32, -INFINITY},
      {"true", Dtype::b1, 1},
      {"false", Dtype::b1, 0},
      {"i32:5", Dtype::s32, 5},
      {"i64:-3", Dtype::s64, -3},
      {"i8:-0x80", Dtype::s8, -128},
      {"u8:+255", Dtype::u8, 255},
      {"i4:-8", Dtype::s4, -8},
      {"i1:true", Dtype::b1, 1},
      {"f32:0.5", Dtype::f32, 0.5},
      {"f32:3", Dtype::f32, 3},
      {"f16:+0.1", Dtype::f16, 0.0999755859375},
      {"f64:1e300", Dtype::f64, 1e300},
      {"e4m3:448", Dtype::e4m3, 448},
      {"f32:3.4028235e38", Dtype::f32, 0x1.FFFFFEp127}};
  for (auto [text, type, value] : rows) {
    EXPECT_EQ(parse(text).dtype, type) << text;
    EXPECT_EQ(scalarOf(text), value) << text;
  }
  EXPECT_EQ(parse("i64:-3").scalar, uint64_t(-3));
  EXPECT_EQ(parse("i8:-3").scalar, 0xFDu);
  EXPECT_EQ(parse("u64:18446744073709551615").scalar, ~uint64_t(0));
  EXPECT_EQ(parse("i64:9007199254740993").scalar, 9007199254740993u); // no double
  EXPECT_TRUE(std::isnan(scalarOf("f32:nan")));
}

TEST(Argument, RefusalsNameThePieceAndAnExample) {
  std::string everything = cat(fillExample, ", ", fileExample, ", ", scalarExample);
  std::string forms = "a .npy file, a fill (rand, zeros, out) or a number";
  std::string element = cat("an element type (", types, ")");
  std::string first = cat("rand, zeros, out or an element type (", types, ")");
  std::string shape = "a shape of positive extents", strides = "strides in elements, 0 or more";
  std::string options = "stride=N,N,... once, or the end";
  std::string randOptions = "stride=N,N,... or seed=N once, or the end";
  struct Row {
    const char *text, *piece;
    int position;
    std::string expected, example;
  };
  const Row rows[] = {
      {"", "nothing", 1, forms, everything},
      {"hello", "\"hello\"", 1, forms, everything},
      {"A.npz", "\"A.npz\"", 1, forms, everything},
      {"99999999999999999999x", "\"99999999999999999999x\"", 1, forms, everything},
      {"random:f16:4x4", "\"random\"", 1, first, everything},
      {"rand", "nothing", 5, element, fillExample},
      {"rand:", "nothing", 6, element, fillExample},
      {"rand:f61:4x4", "\"f61\"", 6, element, fillExample},
      {"rand:f16", "nothing", 9, shape, fillExample},
      {"rand:f16:4x0", "\"0\"", 12, shape, fillExample},
      {"rand:f16:4x-2", "\"-2\"", 12, shape, fillExample},
      {"rand:f16:4x", "\"4x\"", 10, shape, fillExample},
      {"rand:f16:axb", "\"axb\"", 10, shape, fillExample},
      {"rand:f16:4,4", "\",4\"", 11, "\"x\" between numbers", fillExample},
      {"rand:f16:4294967296x4294967296", "\"4294967296x4294967296\"", 10,
       "a shape of fewer than 2^63 elements", fillExample},
      {"rand:f16:4x4:seed", "nothing", 18, "an integer from 0 to 2^64-1", fillExample},
      {"rand:f16:4x4:seed=-1", "\"-1\"", 19, "an integer from 0 to 2^64-1", fillExample},
      {"rand:f16:4x4:seed=1:seed=2", "\"seed=2\"", 21, randOptions, fillExample},
      {"rand:f16:4x4:sed=1", "\"sed=1\"", 14, randOptions, fillExample},
      {"rand:f16:4x4:", "nothing", 14, randOptions, fillExample},
      {"zeros:f16:4x4:seed=1", "\"seed=1\"", 15, options, fillExample},
      {"out:f16:4x4:stride=4", "\"4\"", 20, "2 strides, one for each mode", fillExample},
      {"out:f16:4x4:stride=4,-1", "\"-1\"", 22, strides, fillExample},
      {"out:f16:4x4:stride=9223372036854775807,1", "\"9223372036854775807,1\"", 20,
       "strides whose last element lies before 2^63", fillExample},
      {"bf61:A.npy", "\"bf61\"", 1, element,
       cat(fileExample, " (a file whose name has a colon: ./bf61:A.npy)")},
      {"A.npy:seed=1", "\"seed=1\"", 7, options, fileExample},
      {"A.npy:stride=x", "\"x\"", 14, strides, fileExample},
      {"A.npy:", "nothing", 7, options, fileExample},
      {"i32:0.5", "\"0.5\"", 5, "an integer from -2147483648 to 2147483647", scalarExample},
      {"i32:2147483648", "\"2147483648\"", 5, "an integer from -2147483648 to 2147483647",
       scalarExample},
      {"i8:-129", "\"-129\"", 4, "an integer from -128 to 127", scalarExample},
      {"u8:-1", "\"-1\"", 4, "an integer from 0 to 255", scalarExample},
      {"i32:0x", "\"0x\"", 5, "an integer from -2147483648 to 2147483647", scalarExample},
      {"i32:+-5", "\"+-5\"", 5, "an integer from -2147483648 to 2147483647", scalarExample},
      {"i1:2", "\"2\"", 4, "an integer from 0 to 1", scalarExample},
      {"i32:", "nothing", 5, "an integer from -2147483648 to 2147483647", scalarExample},
      {"f32:abc", "\"abc\"", 5, "a number of type f32 or a .npy file", scalarExample},
      {"f32:1.0f", "\"1.0f\"", 5, "a number of type f32 or a .npy file", scalarExample},
      {"f32:+-1", "\"+-1\"", 5, "a number of type f32 or a .npy file", scalarExample},
      {"f16:70000", "\"70000\"", 5, "a number of type f16, up to 65504", scalarExample},
      {"f64:1e999", "\"1e999\"", 5, "a number of type f64, up to 1.7976931348623157e+308",
       scalarExample},
      {"e4m3:449", "\"449\"", 6, "a number of type f8E4M3FN, up to 448", scalarExample},
      {"e4m3:inf", "\"inf\"", 6, "a number of type f8E4M3FN, up to 448", scalarExample},
      {"e2m1:nan", "\"nan\"", 6, "a number of type f4E2M1FN, up to 6", scalarExample},
      {"e8m0:-1", "\"-1\"", 6, "a number of type f8E8M0FNU, up to 1.7014118346046923e+38",
       scalarExample},
      {"e8m0:0", "\"0\"", 6, "a number of type f8E8M0FNU, up to 1.7014118346046923e+38",
       scalarExample},
  };
  for (const Row &row : rows)
    EXPECT_EQ(refusal(parseArgument(row.text)),
              cat("--arg \"", row.text, "\": got ", row.piece, " at position ", row.position,
                  ", but expects ", row.expected, "; for example ", row.example));
}

TEST(Argument, RandomTextsNeverCrash) {
  std::mt19937_64 random = generator();
  const char *pieces[] = {"rand", "zeros", "out",  ":",      "x", "f16", "4096",
                          ".npy", "=",     "seed", "stride", ",", "-1",  "i4",
                          "bf16", "",      " ",    "0",      "A", "9e99"};
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (size_t count = random() % 12; count-- > 0;)
      text += pieces[random() % std::size(pieces)];
    if (Result<Argument> argument = parseArgument(text); !argument) {
      EXPECT_TRUE(argument.reason().text.starts_with(cat("--arg \"", text, "\": got ")));
    }
  }
}

TEST(Argument, MakesTensors) {
  Tensor random = must(makeTensor(parse("rand:i32:2x3:seed=5:stride=1,2")));
  EXPECT_EQ(random.codeAt({1, 2}), randomCode(Dtype::s32, 5, 5));
  EXPECT_EQ(random.strides(), (Numbers{1, 2}));
  EXPECT_EQ(must(makeTensor(parse("rand:i32:2"), 77)).codeAt({1}), randomCode(Dtype::s32, 77, 1));
  EXPECT_EQ(must(makeTensor(parse("zeros:f16:2"))).at({1}), 0);
  EXPECT_TRUE(std::isnan(must(makeTensor(parse("out:f16:2"))).at({1})));
  EXPECT_EQ(refusal(makeTensor(parse("i32:5"))),
            "--arg \"i32:5\": expects a tensor, but got a scalar");
}

TEST(Argument, ReadsFiles) {
  std::string path = testing::TempDir() + "tessera_argument_test.npy";
  Tensor saved = must(makeTensor(parse("rand:f32:3x4:seed=1")));
  ASSERT_TRUE(writeNpy(path, must(toNpy(saved))));
  EXPECT_EQ(must(makeTensor(parse(path))).codeAt({2, 3}), saved.codeAt({2, 3}));
  Tensor narrow = must(makeTensor(parse(cat("bf16:", path, ":stride=1,3"))));
  EXPECT_EQ(narrow.codeAt({2, 3}), fromDouble(Dtype::bf16, saved.at({2, 3})));
  EXPECT_EQ(narrow.strides(), (Numbers{1, 3}));
  EXPECT_EQ(refusal(makeTensor(parse(cat(path, ":stride=1")))),
            cat(path, ": expects one stride for each mode, but got the shape (3, 4) and the "
                      "strides (1)"));
  std::filesystem::remove(path);
  EXPECT_EQ(refusal(makeTensor(parse(path))),
            cat("cannot read ", path, ": No such file or directory"));
}
