// What arguments of the command line become: bytes, written out by hand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BindingFixture.h"

namespace tessera::jit::test {
namespace {

using Strides = std::vector<int64_t>;

//===--- numbers ------------------------------------------------------------------------------===//

TEST_F(BindingTest, Numbers) {
  EXPECT_EQ(bytesOf("i32", "i32:5"), "05000000");
  EXPECT_EQ(bytesOf("i32", "-2"), "feffffff");
  EXPECT_EQ(bytesOf("i32", "u32:0xFFFFFFFE"), "feffffff");
  EXPECT_EQ(bytesOf("i64", "i64:-1"), "ffffffffffffffff");
  EXPECT_EQ(bytesOf("index", "258"), "0201000000000000");
  EXPECT_EQ(bytesOf("i16", "i16:258"), "0201");
  EXPECT_EQ(bytesOf("i8", "u8:200"), "c8");
  EXPECT_EQ(bytesOf("i1", "true"), "01");
  EXPECT_EQ(bytesOf("i1", "i1:0"), "00");
  EXPECT_EQ(bytesOf("f32", "f32:1.5"), "0000c03f");       // 0x3FC00000
  EXPECT_EQ(bytesOf("f64", "f64:1"), "000000000000f03f"); // 0x3FF0000000000000
  EXPECT_EQ(bytesOf("f16", "f16:-2"), "00c0");            // 0xC000
  EXPECT_EQ(bytesOf("bf16", "bf16:1"), "803f");           // 0x3F80
  EXPECT_EQ(bytesOf("f8E4M3FN", "f8E4M3FN:448"), "7e");   // OCP FP8: S.1111.110
}

TEST_F(BindingTest, PlainNumbersTakeTheParametersType) {
  EXPECT_EQ(bytesOf("f32", "5"), "0000a040"); // 5.0f = 0x40A00000
  EXPECT_EQ(bytesOf("f64", "0.5"), "000000000000e03f");
  EXPECT_EQ(bytesOf("f16", "1"), "003c");
  EXPECT_EQ(bytesOf("i64", "5"), "0500000000000000");
  EXPECT_EQ(bytesOf("i32", "0x10"), "10000000");
  EXPECT_EQ(bytesOf("i1", "1"), "01");
}

TEST_F(BindingTest, ConstrainedIntegersAndSingleLeaves) {
  EXPECT_EQ(bytesOf("!cute.i32<divby 8>", "16"), "10000000");
  EXPECT_EQ(bytesOf("!cute.i64<divby 4>", "-8"), "f8ffffffffffffff");
  EXPECT_EQ(bytesOf("!cute.int_tuple<\"?\">", "3"), "03000000");
  EXPECT_EQ(bytesOf("!cute.shape<\"(8,?{i64 div=2})\">", "6"), "0600000000000000");
  EXPECT_EQ(bytesOf("!cute.layout<\"(8,?):(1,8)\">", "6"), "06000000");
}

//===--- tensors ------------------------------------------------------------------------------===//

TEST_F(BindingTest, PointerThenExtentsThenStrides) {
  // {ptr, {{i32, i32}, i64}}: 8 + 4 + 4 + 8 bytes.
  Bound bound = must("!cute.memref<f32, gmem, \"(?,?):(?{i64},1)\">", "zeros:f32:3x5");
  EXPECT_EQ(layoutBytes(bound), "P 0300000005000000 0500000000000000");
}

TEST_F(BindingTest, WiderLeavesAfterNarrowOnesAreAligned) {
  // {ptr, {{i32, i32, i32}, {i64, i64}}}: the strides begin at 8 + 12 + 4 of padding.
  Bound bound =
      must("!cute.memref<f16, gmem, align<16>, \"(?{div=8},?,?):(1,?{i64 div=8},?{i64 div=8})\">",
           "zeros:f16:16x3x2");
  EXPECT_EQ(layoutBytes(bound),
            "P 1000000003000000 0200000000000000 1000000000000000 3000000000000000");
}

TEST_F(BindingTest, TrailingPaddingBelongsToTheStruct) {
  // {ptr, {i32, i64}} and {ptr, {i32, struct<()>}}: both are multiples of 8 bytes.
  Bound dynamic = must("!cute.memref<i8, gmem, \"?:?{i64}\">", "zeros:i8:7:stride=3");
  EXPECT_EQ(layoutBytes(dynamic), "P 0700000000000000 0300000000000000");
  Bound fixed = must("!cute.memref<i8, gmem, \"?:1\">", "zeros:i8:7");
  EXPECT_EQ(layoutBytes(fixed), "P 0700000000000000");
}

TEST_F(BindingTest, StaticTensorsAreThePointer) {
  Bound bound = must("!cute.memref<f32, gmem, \"(8,4):(4,1)\">", "zeros:f32:8x4");
  EXPECT_EQ(layoutBytes(bound), "P");
  EXPECT_NE(bound.value(), nullptr);
}

TEST_F(BindingTest, NarrowStrides) {
  Bound bound = must("!cute.memref<f32, gmem, \"(?,4):(?,1)\">", "zeros:f32:3x4");
  EXPECT_EQ(layoutBytes(bound), "P 0300000004000000");
}

TEST_F(BindingTest, HierarchicalModesTakeAnExtentForEachLeaf) {
  Bound bound = must("!cute.memref<f32, gmem, \"((?,4),?):((?,1),?{i64})\">", "zeros:f32:3x4x5");
  // Innermost: leaf 1 (stride 1); then from left to right: leaf 0 at 4, leaf 2 at 12.
  EXPECT_EQ(bound.tensor()->strides(), (Strides{4, 1, 12}));
  EXPECT_EQ(layoutBytes(bound), "P 0300000005000000 0400000000000000 0c00000000000000");
}

TEST_F(BindingTest, BarePointersTakeAnyBuffer) {
  for (const char *text : {"zeros:f16:7x3", "rand:i8:5", "out:f64:2x2x2:stride=1,2,4"}) {
    Bound bound = must("!cute.ptr<f16, gmem, align<32>>", text);
    EXPECT_EQ(layoutBytes(bound), "P") << text;
    EXPECT_EQ(bound.address() % 32, 0u);
  }
}

TEST_F(BindingTest, LargeAlignmentsAreHadWithinALargerBuffer) {
  for (int i = 0; i < 8; ++i) {
    Bound bound = must("!cute.memref<i8, gmem, align<4096>, \"?:1\">", "rand:i8:5000");
    EXPECT_EQ(bound.address() % 4096, 0u);
    EXPECT_TRUE(bound.download().ok());
  }
}

//===--- strides ------------------------------------------------------------------------------===//

TEST_F(BindingTest, CompactStrides) {
  // The mode of stride 1 is the last: right to left.
  EXPECT_EQ(stridesOf("(?,?):(?{i64},1)", "3x5"), (Strides{5, 1}));
  EXPECT_EQ(stridesOf("(?,?,?,?):(?{i64},?{i64},?{i64},1)", "2x3x4x5"), (Strides{60, 20, 5, 1}));
  // It is not: the others from left to right.
  EXPECT_EQ(stridesOf("(?,?,?):(1,?{i64},?{i64})", "3x5x7"), (Strides{1, 3, 15}));
  EXPECT_EQ(stridesOf("(?,?,?):(?{i64},1,?{i64})", "3x5x7"), (Strides{5, 1, 15}));
  EXPECT_EQ(stridesOf("(?,?,?,?,?):(?{i64},?{i64},?{i64},1,?{i64})", "2x3x4x5x6"),
            (Strides{5, 10, 30, 1, 120}));
  // There is none: the last mode is innermost.
  EXPECT_EQ(stridesOf("(?,?):(?{i64},?{i64})", "3x5"), (Strides{5, 1}));
  EXPECT_EQ(stridesOf("?:?", "9"), (Strides{1}));
}

TEST_F(BindingTest, StridesThatTheTypeFixesStay) {
  EXPECT_EQ(stridesOf("(8,4):(6,1)", "8x4"), (Strides{6, 1}));
  EXPECT_EQ(stridesOf("(?,?,?):(?{i64},8,1)", "3x5x7"), (Strides{40, 8, 1}));
  EXPECT_EQ(stridesOf("(?,?):(0,1)", "3x5"), (Strides{0, 1}));
}

TEST_F(BindingTest, GivenStridesOverride) {
  Bound bound = must("!cute.memref<f32, gmem, \"(?,?):(?{i64},1)\">", "zeros:f32:3x5:stride=64,1");
  EXPECT_EQ(layoutBytes(bound), "P 0300000005000000 4000000000000000");
  EXPECT_EQ(bound.tensor()->cosize(), 2 * 64 + 4 + 1);
}

//===--- whole functions ----------------------------------------------------------------------===//

class BindAllTest : public BindingTest {
protected:
  Result<Arguments> bindTexts(const std::vector<std::string> &types,
                              const std::vector<std::string> &texts,
                              run::StreamId stream = run::StreamId::Default) {
    std::vector<mlir::Type> parameters;
    for (const std::string &type : types)
      parameters.push_back(session.type(type));
    std::vector<run::Argument> arguments;
    for (const std::string &text : texts)
      arguments.push_back(*run::parseArgument(text));
    return run::bindAll(parametersOf(parameters), arguments, &device, stream);
  }
};

TEST_F(BindAllTest, StreamsAndEmptyParametersAreNotCounted) {
  Result<Arguments> bound = bindTexts({"i32", "!cuda.stream", "!cute.layout<\"(4,32):(32,1)\">",
                                       "!cute.memref<f32, gmem, \"(2,2):(2,1)\">"},
                                      {"3", "zeros:f32:2x2"}, run::StreamId(0x55));
  ASSERT_TRUE(bound.ok()) << refusal(bound);
  EXPECT_EQ(bound->numbers, (std::vector<size_t>{0, 3}));
  EXPECT_NE(bound->argument(1).tensor(), nullptr);
  EXPECT_EQ(bound->argument(0).tensor(), nullptr);
  std::vector<void *> values = bound->values();
  ASSERT_EQ(values.size(), 3u); // the layout has no content
  EXPECT_EQ(hexOf(bound->parameters[1].valueBytes()), "5500000000000000");
  EXPECT_EQ(values[2], bound->argument(1).value());
}

TEST_F(BindAllTest, NoParameters) {
  Result<Arguments> bound = bindTexts({"!cuda.stream"}, {});
  ASSERT_TRUE(bound.ok()) << refusal(bound);
  EXPECT_EQ(bound->values().size(), 1u);
  EXPECT_TRUE(parameterOf(session.type("i32")).takesArgument());
  EXPECT_FALSE(parameterOf(session.type("!cuda.stream")).takesArgument());
  EXPECT_FALSE(parameterOf(session.type("!cute.shape<\"(2,3)\">")).takesArgument());
  EXPECT_TRUE(
      parameterOf(session.type("!cute.memref<f32, gmem, \"(2,2):(2,1)\">")).takesArgument());
}

TEST_F(BindAllTest, AnotherNumberOfArguments) {
  EXPECT_EQ(refusal(bindTexts({"i32", "!cuda.stream", "f32"}, {"1"})),
            "expects 2 arguments, but got 1; the parameters are: i32, f32");
  EXPECT_EQ(refusal(bindTexts({"!cuda.stream"}, {"1", "2"})),
            "expects 0 arguments, but got 2; the parameters are: none");
}

TEST_F(BindAllTest, TheNumberOfTheArgumentIsInTheSentence) {
  EXPECT_EQ(refusal(bindTexts({"i32", "!cuda.stream", "i64"}, {"1", "i32:2"})),
            "argument 1 (i32:2) for i64: expects a number of type i64, but got one of type i32; "
            "write i64:2");
  EXPECT_EQ(device.allocations(), 0u);
}

} // namespace
} // namespace tessera::jit::test
