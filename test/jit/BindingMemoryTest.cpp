// Where the elements of tensors lie, and whose memory it is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BindingFixture.h"

#include "tessera/run/Npy.h"

#include <cmath>
#include <unistd.h>

namespace tessera::jit::test {
namespace {

/// Element `index` of the memory that the kernel sees.
float inMemory(const Bound &bound, int64_t index) {
  return reinterpret_cast<const float *>(bound.address())[index];
}

class FileTest : public BindingTest {
protected:
  void SetUp() override {
    path = testing::TempDir() + "jit-binding-" + std::to_string(getpid()) + ".npy";
  }
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

TEST_F(FileTest, WhatDoesNotFit) {
  write({2, 3});
  std::string who = "argument 0 (" + path;
  EXPECT_EQ(refusal(tryBind("!cute.memref<f32, gmem, \"(2,4):(4,1)\">", path)),
            who + ") for !cute.memref<f32, gmem, \"(2,4):(4,1)\">: expects the extent 4 in mode 1, "
                  "but got the "
                  "shape (2, 3); 2x4 would fit");
  EXPECT_EQ(refusal(tryBind("!cute.memref<f32, gmem, \"(?,?):(?,1)\">", path + ":stride=1")),
            who + ":stride=1) for !cute.memref<f32, gmem, \"(?,?):(?,1)\">: expects 2 strides, one "
                  "for each mode of "
                  "(?,?):(?,1), but got (1)");
  EXPECT_EQ(refusal(tryBind("!cute.memref<bf16, gmem, \"(?,?):(?,1)\">", path + ":stride=4,1")),
            who +
                ":stride=4,1) for !cute.memref<bf16, gmem, \"(?,?):(?,1)\">: expects elements of "
                "type bf16, but got "
                "f32; write bf16:" +
                path + ":stride=4,1");
  EXPECT_EQ(refusal(tryBind("!cute.memref<bf16, gmem, \"(?,?):(?,1)\">", "f16:" + path)),
            "argument 0 (f16:" + path +
                ") for !cute.memref<bf16, gmem, \"(?,?):(?,1)\">: expects elements of type "
                "bf16, but got f16; write bf16:" +
                path);
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
  Bound other = must(rowMajor, "rand:f32:3x5", 1),
        seeded = must(rowMajor, "rand:f32:3x5:seed=0", 1);
  EXPECT_NE(inMemory(a, 0), inMemory(other, 0));
  EXPECT_EQ(inMemory(a, 0), inMemory(seeded, 0));
}

TEST_F(BindingTest, GenericPointersAreTheHosts) {
  Result<run::Argument> argument = run::parseArgument("rand:f32:4x2:seed=3");
  Result<Bound> bound = run::bind(
      parameterOf(session.type("!cute.memref<f32, generic, align<128>, \"(?,?):(?,1)\">")),
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
  Bound bound =
      must("!cute.memref<f4E2M1FN, gmem, align<16>, \"(?,?):(?{i64},1)\">", "zeros:f4E2M1FN:3x5");
  EXPECT_EQ(bound.tensor()->bytes().size(), 8u); // 15 elements of 4 bits
}

} // namespace
} // namespace tessera::jit::test
