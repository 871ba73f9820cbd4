// The rules of a launch that all devices share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/Device.h"

#include "test/run/Check.h"

using namespace tessera;
using namespace tessera::run;

namespace {

DeviceInfo device() {
  DeviceInfo info;
  info.name = "GPU";
  info.computeMajor = 9;
  info.maxBlock = {1024, 1024, 64};
  info.maxGrid = {2147483647, 65535, 65535};
  info.sharedPerBlockOptin = 232448;
  info.clusterLaunch = 1;
  info.cooperativeLaunch = 1;
  return info;
}

KernelInfo kernel() {
  KernelInfo info;
  info.name = "k";
  info.registers = 128;
  info.maxThreadsPerBlock = 512;
  info.staticSharedBytes = 48;
  return info;
}

std::string checked(const LaunchConfig &config, const DeviceInfo &info = device()) {
  return refusal(checkLaunch(info, kernel(), config, {}));
}

} // namespace

TEST(Launch, Extents) {
  EXPECT_EQ(checked({}), "(accepted)");
  EXPECT_EQ(checked({.grid = {2147483647, 65535, 65535}, .block = {8, 1, 64}}), "(accepted)");
  EXPECT_EQ(checked({.grid = {0, 1, 1}}), "kernel 'k': expects the x extent of the grid to be 1 to "
                                          "2147483647, but the grid is (0, 1, 1)");
  EXPECT_EQ(checked({.grid = {1, 65536, 1}}), "kernel 'k': expects the y extent of the grid to be "
                                              "1 to 65535, but the grid is (1, 65536, 1)");
  EXPECT_EQ(checked({.block = {1, 1, 65}}), "kernel 'k': expects the z extent of the block to be 1 "
                                            "to 64, but the block is (1, 1, 65)");
  EXPECT_EQ(checked({.block = {-1, 1, 1}}), "kernel 'k': expects the x extent of the block to be 1 "
                                            "to 1024, but the block is (-1, 1, 1)");
  EXPECT_EQ(checked({.cluster = Dim3{0, 1, 1}}),
            "kernel 'k': expects the x extent of the cluster to be 1 to 2147483647, but the "
            "cluster is (0, 1, 1)");
}

TEST(Launch, Threads) {
  EXPECT_EQ(checked({.block = {128, 4, 1}}), "(accepted)");
  EXPECT_EQ(checked({.block = {128, 5, 1}}),
            "kernel 'k': the block (128, 5, 1) has 640 threads, but with 128 registers per thread "
            "at most 512 fit a block on GPU");
}

TEST(Launch, Clusters) {
  EXPECT_EQ(checked({.grid = {4, 6, 1}, .cluster = Dim3{2, 3, 1}}), "(accepted)");
  EXPECT_EQ(checked({.grid = {4, 5, 1}, .cluster = Dim3{2, 3, 1}}),
            "kernel 'k': expects the cluster to divide the grid, but the grid (4, 5, 1) is no "
            "multiple of the cluster (2, 3, 1) along y");
  DeviceInfo old = device();
  old.computeMajor = 8;
  old.clusterLaunch = 0;
  EXPECT_EQ(checked({.grid = {2, 1, 1}, .cluster = Dim3{2, 1, 1}}, old),
            "kernel 'k': a cluster of (2, 1, 1) blocks needs sm_90 or newer, but GPU is sm_80");
}

TEST(Launch, SharedMemory) {
  EXPECT_EQ(checked({.dynamicSharedBytes = 232400}), "(accepted)");
  EXPECT_EQ(checked({.dynamicSharedBytes = 232401}),
            "kernel 'k': needs 48 bytes of static and 232401 bytes of dynamic shared memory per "
            "block, but GPU has 232448");
  EXPECT_FALSE(checkLaunch(device(), kernel(), {.dynamicSharedBytes = -1}, {}));
}

TEST(Launch, Cooperative) {
  EXPECT_EQ(checked({.cooperative = true}), "(accepted)");
  DeviceInfo old = device();
  old.cooperativeLaunch = 0;
  EXPECT_EQ(checked({.cooperative = true}, old), "kernel 'k': GPU has no cooperative launches");
}
