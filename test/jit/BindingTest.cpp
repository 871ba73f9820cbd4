// What arguments of the command line become: bytes and places in memory, written out by hand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeDevice.h"
#include "Session.h"

#include "tessera/jit/Binding.h"
#include "tessera/run/Npy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <unistd.h>

namespace tessera::jit::test {
namespace {

class BindingTest : public testing::Test {
protected:
  Result<Bound> tryBind(const std::string &type, const std::string &text, size_t number = 0) {
    Result<run::Argument> argument = run::parseArgument(text);
    if (!argument)
      return argument.reason();
    return bind(session.type(type), *argument, &device, number);
  }
  Bound must(const std::string &type, const std::string &text, size_t number = 0) {
    Result<Bound> bound = tryBind(type, text, number);
    EXPECT_TRUE(bound.ok()) << refusal(bound);
    return bound ? *std::move(bound) : Bound();
  }
  std::string bytesOf(const std::string &type, const std::string &text) {
    Result<Bound> bound = tryBind(type, text);
    return bound ? hexOf(bound->valueBytes()) : bound.reason().text;
  }
  std::vector<int64_t> stridesOf(const std::string &layout, const std::string &shape) {
    Bound bound = must("!cute.memref<f32, gmem, \"" + layout + "\">", "zeros:f32:" + shape);
    return bound.tensor() ? bound.tensor()->strides() : std::vector<int64_t>{-1};
  }

  Session session;
  FakeDevice device;
};

using Strides = std::vector<int64_t>;

/// The bytes of `value` with the address of the buffer, which differs from run to run, as "P".
std::string layoutBytes(const Bound &bound) {
  std::string text = hexOf(bound.valueBytes());
  run::Address address = bound.address();
  std::string pointer = hexOf(std::as_bytes(std::span(&address, 1)));
  size_t at = text.find(pointer);
  return at == std::string::npos ? text : text.replace(at, pointer.size(), "P");
}

//===--- numbers --------------------------------------------------------------------------------===//

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
  EXPECT_EQ(bytesOf("f32", "f32:1.5"), "0000c03f");          // 0x3FC00000
  EXPECT_EQ(bytesOf("f64", "f64:1"), "000000000000f03f");    // 0x3FF0000000000000
  EXPECT_EQ(bytesOf("f16", "f16:-2"), "00c0");               // 0xC000
  EXPECT_EQ(bytesOf("bf16", "bf16:1"), "803f");              // 0x3F80
  EXPECT_EQ(bytesOf("f8E4M3FN", "f8E4M3FN:448"), "7e");      // OCP FP8: S.1111.110
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

//===--- tensors --------------------------------------------------------------------------------===//

TEST_F(BindingTest, PointerThenExtentsThenStrides) {
  // {ptr, {{i32, i32}, i64}}: 8 + 4 + 4 + 8 bytes.
  Bound bound = must("!cute.memref<f32, gmem, \"(?,?):(?{i64},1)\">", "zeros:f32:3x5");
  EXPECT_EQ(layoutBytes(bound), "P 0300000005000000 0500000000000000");
}

TEST_F(BindingTest, WiderLeavesBehindNarrowOnesAreAligned) {
  // {ptr, {{i32, i32, i32}, {i64, i64}}}: the strides begin at 8 + 12 + 4 of padding.
  Bound bound = must("!cute.memref<f16, gmem, align<16>, \"(?{div=8},?,?):(1,?{i64 div=8},?{i64 div=8})\">",
                     "zeros:f16:16x3x2");
  EXPECT_EQ(layoutBytes(bound), "P 1000000003000000 0200000000000000 1000000000000000 3000000000000000");
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

//===--- strides --------------------------------------------------------------------------------===//

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

//===--- memory ---------------------------------------------------------------------------------===//

/// Element `index` of the memory that the kernel sees.
float inMemory(const Bound &bound, int64_t index) {
  return reinterpret_cast<const float *>(bound.address())[index];
}

class FileTest : public BindingTest {
protected:
  void SetUp() override { path = testing::TempDir() + "jit-binding-" + std::to_string(getpid()) + ".npy"; }
  void TearDown() override { std::remove(path.c_str()); }

  /// A file of f4 with the values 0, 1, 2, ... in C order, or as `fortran` says.
  void write(std::vector<int64_t> shape, bool fortran = false) {
    int64_t count = 1;
    for (int64_t extent : shape)
      count *= extent;
    run::NpyArray array{{run::NpyKind::Float, 4}, shape, fortran, {}};
    array.data = *run::Bytes::zeros(size_t(count) * 4);
    for (int64_t i = 0; i < count; ++i)
      reinterpret_cast<float *>(array.data.data())[i] = float(i);
    ASSERT_TRUE(run::writeNpy(path, array).ok());
  }
  std::string path;
};

TEST_F(FileTest, ArrayIndicesAreCoordinates) {
  write({2, 3}); // array[i, j] = 3 i + j
  Bound rows = must("!cute.memref<f32, gmem, \"(?,?):(?{i64},1)\">", path);
  Bound columns = must("!cute.memref<f32, gmem, \"(?,?):(1,?{i64})\">", path);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) {
      EXPECT_EQ(inMemory(rows, i * 3 + j), float(3 * i + j));
      EXPECT_EQ(inMemory(columns, i + j * 2), float(3 * i + j));
    }
}

TEST_F(FileTest, TheFilesOrderDoesNotMatter) {
  write({2, 3}, /*fortran=*/true); // array[i, j] = i + 2 j
  Bound rows = must("!cute.memref<f32, gmem, \"(?,?):(?{i64},1)\">", path);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      EXPECT_EQ(inMemory(rows, i * 3 + j), float(i + 2 * j));
}

TEST_F(FileTest, ATypeConverts) {
  write({4});
  Bound bound = must("!cute.memref<bf16, gmem, \"?:1\">", "bf16:" + path);
  auto *codes = reinterpret_cast<const uint16_t *>(bound.address());
  EXPECT_EQ(codes[1], 0x3F80); // 1.0
  EXPECT_EQ(codes[3], 0x4040); // 3.0
}

TEST_F(FileTest, ExtentsOfZero) {
  write({0, 5});
  Bound bound = must("!cute.memref<f32, gmem, \"(?,?):(1,?{i64})\">", path);
  EXPECT_EQ(layoutBytes(bound), "P 0000000005000000 0100000000000000");
  EXPECT_TRUE(bound.download().ok());
}

TEST_F(BindingTest, UploadAndDownload) {
  Bound bound = must("!cute.memref<f32, gmem, \"(?,?):(1,?{i64})\">", "zeros:f32:2x2");
  reinterpret_cast<float *>(bound.address())[2] = 7; // coordinate (0, 1)
  EXPECT_EQ(bound.tensor()->at({0, 1}), 0);
  ASSERT_TRUE(bound.download().ok());
  EXPECT_EQ(bound.tensor()->at({0, 1}), 7);
  bound.tensor()->set({1, 1}, 9);
  ASSERT_TRUE(bound.upload().ok());
  EXPECT_EQ(inMemory(bound, 3), 9);
}

TEST_F(BindingTest, OutputsArePoisoned) {
  Bound bound = must("!cute.memref<f32, gmem, \"?:1\">", "out:f32:4");
  EXPECT_TRUE(std::isnan(inMemory(bound, 3)));
}

TEST_F(BindingTest, RandomNumbersDependOnCoordinatesAndOnTheArgument) {
  const char *rowMajor = "!cute.memref<f32, gmem, \"(?,?):(?{i64},1)\">";
  const char *columnMajor = "!cute.memref<f32, gmem, \"(?,?):(1,?{i64})\">";
  Bound a = must(rowMajor, "rand:f32:3x5"), b = must(columnMajor, "rand:f32:3x5");
  EXPECT_EQ(inMemory(a, 2 * 5 + 4), inMemory(b, 2 + 4 * 3));
  EXPECT_EQ(inMemory(a, 1), inMemory(b, 3));
  Bound other = must(rowMajor, "rand:f32:3x5", 1), seeded = must(rowMajor, "rand:f32:3x5:seed=0", 1);
  EXPECT_NE(inMemory(a, 0), inMemory(other, 0));
  EXPECT_EQ(inMemory(a, 0), inMemory(seeded, 0));
}

TEST_F(BindingTest, GenericPointersAreTheHosts) {
  Result<run::Argument> argument = run::parseArgument("rand:f32:4x2:seed=3");
  Result<Bound> bound = bind(session.type("!cute.memref<f32, generic, align<128>, \"(?,?):(?,1)\">"),
                             *argument, nullptr, 0);
  ASSERT_TRUE(bound.ok()) << refusal(bound);
  EXPECT_EQ(bound->address() % 128, 0u);
  EXPECT_EQ(device.allocations(), 0u);
  EXPECT_EQ(inMemory(*bound, 5), float(bound->tensor()->at({2, 1})));
  reinterpret_cast<float *>(bound->address())[5] = 11;
  ASSERT_TRUE(bound->download().ok());
  EXPECT_EQ(bound->tensor()->at({2, 1}), 11);
}

TEST_F(BindingTest, MemoryIsFreedWithItsOwner) {
  {
    Bound bound = must("!cute.ptr<f32, gmem>", "zeros:f32:4");
    Bound moved = std::move(bound);
    EXPECT_EQ(device.allocations(), 1u);
  }
  EXPECT_EQ(device.allocations(), 0u);
}

TEST_F(BindingTest, BoolsAreBytes) {
  EXPECT_TRUE(tryBind("!cute.memref<i8, gmem, \"?:1\">", "zeros:i1:4").ok());
  EXPECT_TRUE(tryBind("!cute.memref<i8, gmem, \"?:1\">", "zeros:u8:4").ok());
  EXPECT_TRUE(tryBind("!cute.memref<i64, gmem, \"?:1\">", "zeros:u64:4").ok());
}

TEST_F(BindingTest, PackedElements) {
  Bound bound = must("!cute.memref<f4E2M1FN, gmem, align<16>, \"(?,?):(?{i64},1)\">", "zeros:f4E2M1FN:3x5");
  EXPECT_EQ(bound.tensor()->bytes().size(), 8u); // 15 elements of 4 bits
}

//===--- whole functions ------------------------------------------------------------------------===//

class BindAllTest : public BindingTest {
protected:
  Result<Arguments> bindTexts(const std::vector<std::string> &types, const std::vector<std::string> &texts,
                              run::StreamId stream = run::StreamId::Default) {
    std::vector<mlir::Type> parameters;
    for (const std::string &type : types)
      parameters.push_back(session.type(type));
    std::vector<run::Argument> arguments;
    for (const std::string &text : texts)
      arguments.push_back(*run::parseArgument(text));
    return bindAll(parameters, arguments, &device, stream);
  }
};

TEST_F(BindAllTest, StreamsAndEmptyParametersAreNotCounted) {
  Result<Arguments> bound =
      bindTexts({"i32", "!cuda.stream", "!cute.layout<\"(4,32):(32,1)\">",
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
  EXPECT_TRUE(takesArgument(session.type("i32")));
  EXPECT_FALSE(takesArgument(session.type("!cuda.stream")));
  EXPECT_FALSE(takesArgument(session.type("!cute.shape<\"(2,3)\">")));
  EXPECT_TRUE(takesArgument(session.type("!cute.memref<f32, gmem, \"(2,2):(2,1)\">")));
}

TEST_F(BindAllTest, AnotherNumberOfArguments) {
  EXPECT_EQ(refusal(bindTexts({"i32", "!cuda.stream", "f32"}, {"1"})),
            "expects 2 arguments, but got 1; the parameters are: i32, f32");
  EXPECT_EQ(refusal(bindTexts({"!cuda.stream"}, {"1", "2"})),
            "expects 0 arguments, but got 2; the parameters are: none");
}

TEST_F(BindAllTest, TheNumberOfTheArgumentIsInTheSentence) {
  EXPECT_EQ(refusal(bindTexts({"i32", "!cuda.stream", "i64"}, {"1", "i32:2"})),
            "argument 1 (i32:2) for i64: expects a number of type i64, but got one of type i32; write i64:2");
  EXPECT_EQ(device.allocations(), 0u);
}

} // namespace
} // namespace tessera::jit::test
