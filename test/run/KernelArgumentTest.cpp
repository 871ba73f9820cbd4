// What `--arg` of tessera sim binds: bytes as a C compiler lays them out, and a sentence for
// everything that is none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/KernelArgument.h"

#include "test/run/Check.h"

#include <cstring>

using namespace tessera;
using namespace tessera::run;

namespace {
constexpr uint64_t addresses[] = {0x700000000, 0x700001000, 0x700002000};

KernelArguments parse(const std::vector<std::string> &texts) {
  return must(parseKernelArguments(texts));
}
template <class T> T bytes(const std::string &text) {
  std::vector<std::byte> got = must(bytesOf(parse({text}).arguments[0], addresses));
  T value;
  EXPECT_EQ(got.size(), sizeof(T)) << text;
  std::memcpy(&value, got.data(), std::min(got.size(), sizeof(T)));
  return value;
}
std::string refusal(const std::vector<std::string> &texts) {
  Result<KernelArguments> got = parseKernelArguments(texts);
  EXPECT_FALSE(got) << texts.back();
  return got ? "" : std::string(got.reason().id);
}
} // namespace

TEST(KernelArgument, ScalarsAndPointers) {
  EXPECT_EQ(bytes<int32_t>("-5"), -5);
  EXPECT_EQ(bytes<uint8_t>("u8:200"), 200);
  EXPECT_EQ(bytes<double>("f64:0.25"), 0.25);
  EXPECT_EQ(bytes<uint64_t>("ptr=zeros:f32:8"), addresses[0]);
  KernelArguments two = parse({"ptr=zeros:f32:8", "ptr=rand:f16:4:stride=2", "ptr=#0", "i64:3"});
  ASSERT_EQ(two.buffers.size(), 2u);
  EXPECT_EQ(two.arguments[1].buffer, 1u);
  EXPECT_EQ(two.arguments[2].buffer, 0u);
}

TEST(KernelArgument, StructsHaveTheLayoutOfC) {
  struct Inner {
    uint8_t a;
    uint16_t b;
  };
  struct Outer {
    uint8_t first;
    uint64_t pointer;
    Inner inner;
    float last;
  };
  auto got = bytes<Outer>("struct{u8:1,ptr=out:f16:8x8:stride=16,1,struct{u8:2,u16:3},f32:0.5}");
  EXPECT_EQ(got.first, 1);
  EXPECT_EQ(got.pointer, addresses[0]);
  EXPECT_EQ(got.inner.a, 2);
  EXPECT_EQ(got.inner.b, 3);
  EXPECT_EQ(got.last, 0.5f);
  EXPECT_EQ(parse({"struct{ptr=out:f16:8x8:stride=16,1,i32:7}"}).arguments[0].members.size(), 2u);
}

TEST(KernelArgument, TensorMaps) {
  atom::TensorMap want;
  want.type = atom::TensorMapType::BF16;
  want.rank = 3;
  want.address = addresses[0];
  want.dims = {64, 10, 4};
  want.strides = {128, 1280};
  want.box = {32, 8, 1};
  want.swizzle = atom::TensorMapSwizzle::B64;
  EXPECT_EQ(bytes<atom::TensorMapImage>("tmap:bf16:64x10x4::32x8x1:64B@zeros:bf16:4x10x64"),
            *atom::encode(want));
  want.strides = {256, 4096};
  want.fill = atom::TensorMapFill::NaN;
  EXPECT_EQ(
      bytes<atom::TensorMapImage>("tmap:bf16:64x10x4:256,4096:32x8x1:64B:none:nan@zeros:bf16:9999"),
      *atom::encode(want));
  want.dims = {16, 10, 4}; // compact slices of 32 bytes
  want.strides = {512, 5120};
  want.box = {8, 8, 1};
  want.swizzle = atom::TensorMapSwizzle::B32;
  want.interleave = atom::TensorMapInterleave::B32;
  want.fill = atom::TensorMapFill::Zeros;
  EXPECT_EQ(bytes<atom::TensorMapImage>("tmap:bf16:16x10x4::8x8x1:32B:32B:zeros@zeros:bf16:9999"),
            *atom::encode(want));
  KernelArgument broken = parse({"tmap:f32:8x8::3x8:none@zeros:f32:64"}).arguments[0];
  EXPECT_EQ(bytesOf(broken, addresses).reason().id, "TensorMapInnerBytes");
}

TEST(KernelArgument, WhatIsNoneIsRefused) {
  for (const char *text :
       {"zeros:f32:8", "ptr=i32:5", "ptr=#0", "struct{i32:5", "tmap:f16:8x8::8x8:none",
        "tmap:f16:8x8:8x8:none@zeros:f16:64", "tmap:f16:8xx::8x8:none@zeros:f16:64",
        "tmap:f16:8x8:1,2:8x8:none@zeros:f16:64", "tmap:f16:8x8::8:none@zeros:f16:64",
        "tmap:f16:8x8::8x8:96B@zeros:f16:64", "tmap:i1:8x8::8x8:none@zeros:f16:64",
        "tmap:f16:8x8::8x8:none:8B:zeros@zeros:f16:64",
        "struct{struct{struct{struct{struct{struct{struct{struct{struct{i32:1}}}}}}}}}"})
    EXPECT_EQ(refusal({text}), "KernelArgument") << text;
  EXPECT_EQ(refusal({"ptr=zeros:f33:8"}), "Argument");
  EXPECT_EQ(must(parseKernelArguments({"i32:1"})).buffers.size(), 0u);
}
