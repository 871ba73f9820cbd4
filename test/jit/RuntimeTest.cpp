// The functions that host code calls, called from here.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeDevice.h"

#include "tessera/jit/Runtime.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

namespace tessera::jit::test {
namespace {

/// The memory that host code reserves.
struct alignas(16) Config {
  unsigned char bytes[128];
  Config() { std::memset(bytes, 0xA5, sizeof(bytes)); }
};

void *handle(uint64_t value) { return reinterpret_cast<void *>(value); }

class RuntimeTest : public testing::Test {
protected:
  RuntimeTest() { runtime.add("kernels", "copy", kernelNamed(7, "copy")); }

  FakeDevice device;
  Runtime runtime{device};
  CurrentRuntime current{runtime};
  Config config;
};

TEST_F(RuntimeTest, PlainLaunch) {
  int32_t a = 42;
  void *arguments[] = {&a};
  int32_t seen = 0;
  device.onLaunch = [&](const Launch &launch) {
    seen = *static_cast<int32_t *>(launch.arguments[0]);
  };
  tessera_rt_launch_config(&config, 32, 2, 3, 4096, 5, 6, 7, nullptr, 1);
  EXPECT_EQ(tessera_rt_launch("kernels", "copy", &config, arguments, 1), 0);

  ASSERT_EQ(device.launches.size(), 1u);
  const Launch &launch = device.launches[0];
  EXPECT_EQ(launch.kernel, run::KernelId(7));
  EXPECT_EQ(launch.config.block, (run::Dim3{32, 2, 3}));
  EXPECT_EQ(launch.config.grid, (run::Dim3{5, 6, 7}));
  EXPECT_EQ(launch.config.dynamicSharedBytes, 4096);
  EXPECT_EQ(launch.config.stream, run::StreamId::Default);
  EXPECT_FALSE(launch.config.cluster);
  EXPECT_FALSE(launch.config.cooperative);
  EXPECT_FALSE(launch.config.programmaticStreamSerialization);
  EXPECT_EQ(launch.arguments.size(), 1u);
  EXPECT_EQ(seen, 42);
  EXPECT_EQ(runtime.launches(), 1);
  EXPECT_TRUE(runtime.errors().empty());
}

TEST_F(RuntimeTest, AllAttributes) {
  tessera_rt_launch_config(&config, 128, 1, 1, int64_t(1) << 40, 8, 4, 2, handle(0x1234), 3);
  tessera_rt_launch_cluster(&config, 2, 4, 1);
  tessera_rt_launch_programmatic(&config, 1);
  tessera_rt_launch_cooperative(&config, 1);
  EXPECT_EQ(tessera_rt_launch("kernels", "copy", &config, nullptr, 0), 0);
  ASSERT_EQ(device.launches.size(), 1u);
  const run::LaunchConfig &got = device.launches[0].config;
  EXPECT_EQ(got.stream, run::StreamId(0x1234));
  EXPECT_EQ(got.dynamicSharedBytes, int64_t(1) << 40);
  EXPECT_EQ(got.cluster, (run::Dim3{2, 4, 1}));
  EXPECT_TRUE(got.cooperative);
  EXPECT_TRUE(got.programmaticStreamSerialization);
}

TEST_F(RuntimeTest, FlagsOfZeroAreOff) {
  tessera_rt_launch_config(&config, 1, 1, 1, 0, 1, 1, 1, nullptr, 2);
  tessera_rt_launch_programmatic(&config, 1);
  tessera_rt_launch_programmatic(&config, 0);
  tessera_rt_launch_cooperative(&config, 0);
  EXPECT_EQ(tessera_rt_launch("kernels", "copy", &config, nullptr, 0), 0);
  EXPECT_FALSE(device.launches[0].config.cooperative);
  EXPECT_FALSE(device.launches[0].config.programmaticStreamSerialization);
}

TEST_F(RuntimeTest, NegativeExtentsReachTheDeviceAsTheyAre) {
  tessera_rt_launch_config(&config, -1, 1, 1, -5, -2, 1, 1, nullptr, 0);
  EXPECT_EQ(tessera_rt_launch("kernels", "copy", &config, nullptr, 0), 0);
  EXPECT_EQ(device.launches[0].config.block.x, -1);
  EXPECT_EQ(device.launches[0].config.grid.x, -2);
  EXPECT_EQ(device.launches[0].config.dynamicSharedBytes, -5);
}

TEST_F(RuntimeTest, UnknownKernel) {
  runtime.add("other", "sum", kernelNamed(8, "sum"));
  tessera_rt_launch_config(&config, 1, 1, 1, 0, 1, 1, 1, nullptr, 0);
  EXPECT_EQ(tessera_rt_launch("kernels", "sum", &config, nullptr, 0), 500); // CUDA_ERROR_NOT_FOUND
  ASSERT_EQ(runtime.errors().size(), 1u);
  EXPECT_EQ(runtime.errors()[0].text,
            "host code launches @kernels::@sum, but the loaded kernels are "
            "@kernels::@copy, @other::@sum");
  EXPECT_TRUE(device.launches.empty());
  EXPECT_EQ(runtime.launches(), 0);
}

TEST_F(RuntimeTest, RefusedLaunchesKeepTheirSentences) {
  tessera_rt_launch_config(&config, 1, 1, 1, 0, 1, 1, 1, nullptr, 0);
  device.refusal = Reason{"LaunchThreads", "too many threads"};
  EXPECT_EQ(tessera_rt_launch("kernels", "copy", &config, nullptr, 0),
            1); // CUDA_ERROR_INVALID_VALUE
  device.refusal = Reason{"CudaCall", "cuLaunchKernelEx failed"};
  EXPECT_EQ(tessera_rt_launch("kernels", "copy", &config, nullptr, 0), 999); // CUDA_ERROR_UNKNOWN
  ASSERT_EQ(runtime.errors().size(), 2u);
  EXPECT_EQ(runtime.errors()[0].text, "launch of @kernels::@copy: too many threads");
  EXPECT_EQ(runtime.errors()[1].text, "launch of @kernels::@copy: cuLaunchKernelEx failed");
  runtime.clearErrors();
  EXPECT_TRUE(runtime.errors().empty());
}

/// 256 x 64 of f16 in boxes of 128 x 64: words 0 and 4 of the driver's image are the address, and
/// the extents less one (docs/architecture.md: how the bits were found).
TEST_F(RuntimeTest, TensorMapsAreEncoded) {
  alignas(64) uint64_t image[16] = {};
  int64_t extents[] = {64, 256}, strides[] = {128};
  int32_t box[] = {64, 128};
  constexpr int32_t f16 = 6, swizzle128 = 3;
  tessera_rt_tensor_map(image, 0x10000, 2, extents, strides, box, f16, swizzle128);
  EXPECT_TRUE(runtime.errors().empty());
  EXPECT_EQ(image[0], 0x10000u);
  EXPECT_EQ(image[4], uint64_t(255) << 32 | 63);
}
/// As atom::encode has it, whose bits are a driver's (test/atom/TensorMapDriverTest.cpp).
TEST_F(RuntimeTest, TensorMapsOfPixelsAreEncoded) {
  alignas(64) uint64_t image[16] = {};
  int64_t extents[] = {16, 7, 5, 2}, strides[] = {32, 224, 1120};
  int32_t lower[] = {-1, -2}, upper[] = {-3, -1}, steps[] = {1, 2, 1, 1};
  constexpr int32_t f16 = 6, noSwizzle = 0, channels = 16, pixels = 32;
  tessera_rt_tensor_map_im2col(image, 0x10000, 4, extents, strides, lower, upper, steps, channels,
                               pixels, f16, noSwizzle);
  EXPECT_TRUE(runtime.errors().empty());
  atom::TensorMap map{.kind = atom::TensorMapKind::Im2col,
                      .type = atom::TensorMapType::F16,
                      .rank = 4,
                      .address = 0x10000};
  map.dims = {16, 7, 5, 2};
  map.strides = {32, 224, 1120};
  map.steps = {1, 2, 1, 1, 1};
  map.lower = {-1, -2};
  map.upper = {-3, -1};
  map.channels = channels;
  map.pixels = pixels;
  map.promotion = atom::TensorMapPromotion::B128;
  Result<atom::TensorMapImage> expected = atom::encode(map);
  ASSERT_TRUE(expected);
  EXPECT_EQ(std::memcmp(image, expected->words.data(), sizeof image), 0);
}
/// The parameters arrive where they belong; the bits are the simulator's.
TEST_F(RuntimeTest, TensorMapsOfPixelsAlongWAreEncoded) {
  alignas(64) uint64_t image[16] = {};
  int64_t extents[] = {32, 7, 5, 2}, strides[] = {64, 448, 2240};
  int32_t steps[] = {1, 2, 1, 1};
  constexpr int32_t f16 = 6, swizzle64 = 2, channels = 32, pixels = 24, w128 = 1;
  tessera_rt_tensor_map_im2col_wide(image, 0x10000, 4, extents, strides, -1, -3, steps, channels,
                                    pixels, f16, swizzle64, w128);
  EXPECT_TRUE(runtime.errors().empty());
  Result<atom::TensorMap> map = atom::decode(std::bit_cast<atom::TensorMapImage>(image));
  ASSERT_TRUE(map) << map.reason().text;
  EXPECT_EQ(map->kind, atom::TensorMapKind::Im2colWide);
  EXPECT_EQ(map->mode, atom::TensorMapWideMode::W128);
  EXPECT_EQ(map->address, 0x10000u);
  EXPECT_EQ(map->dims, (std::array<uint64_t, 5>{32, 7, 5, 2}));
  EXPECT_EQ(map->lower[0], -1);
  EXPECT_EQ(map->upper[0], -3);
  EXPECT_EQ(map->steps[1], 2u);
  EXPECT_EQ(map->channels, 32u);
  EXPECT_EQ(map->pixels, 24u);
  EXPECT_EQ(map->swizzle, atom::TensorMapSwizzle::B64);
}
TEST_F(RuntimeTest, ATensorMapBeyondItsLimitsStopsTheLaunch) {
  alignas(64) uint64_t image[16] = {};
  int64_t extents[] = {64, 256}, strides[] = {130};
  int32_t box[] = {64, 128};
  tessera_rt_tensor_map(image, 0x10000, 2, extents, strides, box, 6, 3);
  ASSERT_EQ(runtime.errors().size(), 1u);
  EXPECT_EQ(runtime.errors()[0].id, "TensorMapRefused");
  EXPECT_NE(runtime.errors()[0].text.find("130"), std::string::npos) << runtime.errors()[0].text;
  tessera_rt_launch_config(&config, 32, 1, 1, 0, 1, 1, 1, nullptr, 1);
  EXPECT_EQ(tessera_rt_launch("kernels", "copy", &config, nullptr, 0), 1);
  EXPECT_TRUE(device.launches.empty());
  EXPECT_EQ(tessera_rt_launch("kernels", "copy", &config, nullptr, 0),
            0); // the next one has its own maps
}

TEST_F(RuntimeTest, TheInnermostRuntimeIsCurrent) {
  tessera_rt_launch_config(&config, 1, 1, 1, 0, 1, 1, 1, nullptr, 0);
  FakeDevice second;
  {
    Runtime inner(second);
    inner.add("kernels", "copy", kernelNamed(1, "copy"));
    CurrentRuntime scope(inner);
    EXPECT_EQ(tessera_rt_launch("kernels", "copy", &config, nullptr, 0), 0);
  }
  EXPECT_EQ(second.launches.size(), 1u);
  EXPECT_EQ(device.launches.size(), 0u);
  EXPECT_EQ(tessera_rt_launch("kernels", "copy", &config, nullptr, 0), 0);
  EXPECT_EQ(device.launches.size(), 1u);
}

TEST_F(RuntimeTest, OtherThreadsHaveNone) {
  tessera_rt_launch_config(&config, 1, 1, 1, 0, 1, 1, 1, nullptr, 0);
  int32_t code = 0;
  std::thread([&] { code = tessera_rt_launch("kernels", "copy", &config, nullptr, 0); }).join();
  EXPECT_EQ(code, 201); // CUDA_ERROR_INVALID_CONTEXT
  EXPECT_TRUE(device.launches.empty());
}

} // namespace
} // namespace tessera::jit::test
