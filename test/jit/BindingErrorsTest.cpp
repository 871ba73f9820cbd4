// What binding refuses, and the sentences a user reads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeDevice.h"
#include "Session.h"

#include "tessera/jit/Parameters.h"

#include <gtest/gtest.h>

// Under ASan a request that is too large is to fail, not to end the program.
extern "C" const char *__asan_default_options() { return "allocator_may_return_null=1"; }

namespace tessera::jit::test {
namespace {

struct Case {
  const char *type, *argument, *sentence; // after "argument 0 (TEXT) for TYPE: "
};

constexpr char rowMajor[] = "!cute.memref<f32, gmem, \"(?,?):(?{i64},1)\">";
constexpr char eights[] =
    "!cute.memref<f16, gmem, align<16>, \"(?{div=8},?,?):(1,?{i64 div=8},?{i64 div=8})\">";
constexpr char fixed[] = "!cute.memref<f32, gmem, \"(8,4):(4,1)\">";
constexpr char nested[] = "!cute.memref<f32, gmem, \"((?,4),?):((?,1),?{i64})\">";
constexpr char narrow[] = "!cute.memref<i8, gmem, \"(?,?):(?,1)\">";
constexpr char notGiven[] =
    "no argument gives a value of this type; write a host function that takes a memref, "
    "a pointer or numbers and builds it";

// clang-format off
constexpr Case cases[] = {
    // Rank
    {rowMajor, "zeros:f32:8", "expects 2 extents, one for each mode of (?,?):(?{i64},1), but got the shape (8); 8x1 would fit"},
    {rowMajor, "zeros:f32:8x4x2", "expects 2 extents, one for each mode of (?,?):(?{i64},1), but got the shape (8, 4, 2); 8x4 would fit"},
    {nested, "zeros:f32:8x4", "expects 3 extents, one for each mode of ((?,4),?):((?,1),?{i64}), but got the shape (8, 4); 8x4x1 would fit"},
    {eights, "zeros:f16:12x4", "expects 3 extents, one for each mode of (?{div=8},?,?):(1,?{i64 div=8},?{i64 div=8}), but got the shape (12, 4); 16x4x1 would fit"},
    // Extents
    {fixed, "zeros:f32:8x5", "expects the extent 4 in mode 1, but got the shape (8, 5); 8x4 would fit"},
    {fixed, "zeros:f32:4x4", "expects the extent 8 in mode 0, but got the shape (4, 4); 8x4 would fit"},
    {nested, "zeros:f32:3x5x7", "expects the extent 4 in mode 1, but got the shape (3, 5, 7); 3x4x7 would fit"},
    {eights, "zeros:f16:12x4x1", "expects an extent divisible by 8 in mode 0, but got the shape (12, 4, 1); 16x4x1 would fit"},
    {narrow, "zeros:i8:2147483648x1", "expects an extent below 2^31 in mode 0, but got the shape (2147483648, 1); only a parameter with i64 extents takes it"},
    // Strides
    {fixed, "zeros:f32:8x4:stride=8,1", "expects the stride 4 in mode 0, but got (8, 1); write :stride=4,1"},
    {rowMajor, "zeros:f32:8x4:stride=1,8", "expects the stride 1 in mode 1, but got (1, 8); write :stride=4,1"},
    {eights, "zeros:f16:8x4x2:stride=1,12,48", "expects a stride divisible by 8 in mode 1, but it would be (1, 12, 48); write :stride=1,8,32"},
    {"!cute.memref<f16, gmem, \"(?,?):(1,?{i64 div=8})\">", "zeros:f16:100x3", "expects a stride divisible by 8 in mode 1, but it would be (1, 100); write :stride=1,104"},
    {narrow, "zeros:i8:2x1:stride=2147483648,1", "expects a stride below 2^31 in mode 0, but it would be (2147483648, 1); only a parameter with i64 strides takes it"},
    {"!cute.memref<i8, gmem, \"(?{i64},?{i64},?{i64}):(4611686018427387904,8,1)\">", "zeros:i8:4x1x1", "the compact strides of the shape (4, 1, 1) exceed 2^63 - 1"},
    // Element types
    {rowMajor, "zeros:f16:8x4", "expects elements of type f32, but got f16; write zeros:f32:8x4"},
    {rowMajor, "rand:i32:8x4:seed=3", "expects elements of type f32, but got i32; write rand:f32:8x4:seed=3"},
    {"!cute.memref<tf32, gmem, \"?:1\">", "zeros:f32:8", "expects elements of type tf32, but got f32; write zeros:tf32:8"},
    {"!cute.memref<i8, gmem, \"?:1\">", "zeros:i16:8", "expects elements of type i8, but got i16; write zeros:i8:8"},
    {"!cute.memref<i1, gmem, \"?:1\">", "zeros:i1:8", "expects elements of type u1, but got i1; write zeros:u1:8"},
    // Pointers
    {rowMajor, "5", "expects a tensor, but got a number; for example rand:f32:128x64"},
    {"!cute.ptr<bf16, gmem>", "f32:0.5", "expects a tensor, but got a number; for example rand:bf16:128x64"},
    {"!cute.ptr<f16, smem, align<16>>", "zeros:f16:8", "expects a pointer to gmem or a generic one, but it is to smem, which only kernels have"},
    {"!cute.memref<f16, rmem, \"8:1\">", "zeros:f16:8", "expects a pointer to gmem or a generic one, but it is to rmem, which only kernels have"},
    {"!cute.memref<f16, gmem, \"S<3,4,3> o 0 o (8,64):(64,1)\">", "zeros:f16:8x64", "expects a layout of plain numbers, but it has S<3,4,3> o 0 o (8,64):(64,1); write a host function that takes a pointer and builds it"},
    {"!cute.memref<f16, gmem, align<128>, S<3,4,3>, \"(8,64):(64,1)\">", "zeros:f16:8x64", "expects a layout of plain numbers, but it has S<3,4,3>; write a host function that takes a pointer and builds it"},
    // Numbers
    {"i32", "zeros:i32:4", "expects a number, but got a tensor; for example i32:1"},
    {"f16", "A.npy", "expects a number, but got a tensor; for example f16:0.5"},
    {"f32", "i32:5", "expects a number of type f32, but got one of type i32; write f32:5"},
    {"i32", "i64:5", "expects a number of type i32, but got one of type i64; write i32:5"},
    {"i32", "f32:0.5", "expects a number of type i32, but got one of type f32; write i32:1"},
    {"i32", "0.5", "--arg \"i32:0.5\": got \"0.5\" at position 5, but expects an integer from -2147483648 to 2147483647; for example i32:5 or f32:0.5"},
    {"i32", "3000000000", "--arg \"i32:3000000000\": got \"3000000000\" at position 5, but expects an integer from -2147483648 to 2147483647; for example i32:5 or f32:0.5"},
    {"i1", "2", "--arg \"i1:2\": got \"2\" at position 4, but expects an integer from 0 to 1; for example i32:5 or f32:0.5"},
    {"!cute.i32<divby 8>", "12", "expects a multiple of 8, but got 12; the nearest are 8 and 16"},
    {"!cute.i32<divby 8>", "-3", "expects a multiple of 8, but got -3; the nearest are -8 and 0"},
    {"!cute.int_tuple<\"?{div=4}\">", "6", "expects a multiple of 4, but got 6; the nearest are 4 and 8"},
    // Nothing that can be given
    {"!cute.shape<\"(?,?)\">", "5", notGiven},
    {"!cute.fast_divmod_divisor<32>", "5", notGiven},
    {"!cute.coord_tensor<\"(?,?)\", \"(64,128):(1@0,1@1)\">", "5", notGiven},
    {"memref<4xf32>", "zeros:f32:4", notGiven},
};
// clang-format on

TEST(BindingErrors, Sentences) {
  Session session;
  FakeDevice device;
  for (const Case &c : cases) {
    mlir::Type type = session.type(c.type);
    ASSERT_TRUE(type) << c.type;
    Result<run::Argument> argument = run::parseArgument(c.argument);
    ASSERT_TRUE(argument.ok()) << refusal(argument);
    std::string printed;
    llvm::raw_string_ostream(printed) << type;
    EXPECT_EQ(refusal(run::bind(parameterOf(type), *argument, &device, 0)),
              cat("argument 0 (", c.argument, ") for ", printed, ": ", c.sentence));
    EXPECT_EQ(device.allocations(), 0u) << c.type;
  }
}

class BindingErrorsTest : public testing::Test {
protected:
  std::string sentence(const std::string &type, const std::string &text, run::Device *on) {
    return refusal(run::bind(parameterOf(session.type(type)), *run::parseArgument(text), on, 2));
  }
  Session session;
  FakeDevice device;
};

TEST_F(BindingErrorsTest, NoDevice) {
  EXPECT_EQ(sentence("!cute.ptr<f32, gmem>", "zeros:f32:4", nullptr),
            "argument 2 (zeros:f32:4) for !cute.ptr<f32, gmem>: its memory is on a GPU, but there "
            "is no device");
}

TEST_F(BindingErrorsTest, BadlyAlignedMemory) {
  device.misalignment = 16;
  std::string text = sentence("!cute.ptr<f32, gmem, align<64>>", "zeros:f32:4", &device);
  std::string start =
      "argument 2 (zeros:f32:4) for !cute.ptr<f32, gmem, align<64>>: expects memory aligned to "
      "64 bytes, but the device gave the address 0x";
  EXPECT_EQ(text.substr(0, start.size()), start);
  EXPECT_EQ(device.allocations(), 0u);
  EXPECT_EQ(sentence("!cute.ptr<f32, gmem, align<16>>", "zeros:f32:4", &device), "(accepted)");
}

TEST_F(BindingErrorsTest, NoMemory) {
  std::string text =
      sentence("!cute.memref<i8, gmem, \"?{i64}:1\">", "zeros:i8:1125899906842624", &device);
  EXPECT_EQ(
      text,
      "argument 2 (zeros:i8:1125899906842624) for !cute.memref<i8, gmem, \"?{i64}:1\">: cannot "
      "allocate 1125899906842624 bytes of host memory");
}

// Reasons of run/, after the argument that they are about.
TEST_F(BindingErrorsTest, MissingFile) {
  Result<run::Bound> bound = run::bind(parameterOf(session.type("!cute.memref<i8, gmem, \"?:1\">")),
                                       *run::parseArgument("/nowhere/A.npy"), &device, 2);
  EXPECT_EQ(refusal(bound), "argument 2 (/nowhere/A.npy) for !cute.memref<i8, gmem, \"?:1\">: "
                            "cannot read /nowhere/A.npy: No such file or directory");
  EXPECT_EQ(bound.reason().id, "BindTensor");
}
TEST_F(BindingErrorsTest, NumberOutOfRange) {
  Result<run::Bound> bound =
      run::bind(parameterOf(session.type("i8")), *run::parseArgument("300"), &device, 2);
  EXPECT_EQ(bound.reason().id, "BindScalarValue");
}

} // namespace
} // namespace tessera::jit::test
