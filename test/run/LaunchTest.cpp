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
  info.maxThreadsPerBlock = 1024;
  info.registersPerMultiprocessor = 65536;
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
  EXPECT_EQ(
      checked({.block = {1024, 2, 1}}),
      "kernel 'k': the block (1024, 2, 1) has 2048 threads, but a block on GPU has at most 1024");
  // 640 threads of 128 registers are 81920; 65536 are 512 threads.
  EXPECT_EQ(
      checked({.block = {128, 5, 1}}),
      "kernel 'k': the block (128, 5, 1) has 640 threads of 128 registers, but GPU has 65536 "
      "registers for a block: at most 512 threads fit; use a smaller block, or compile for this "
      "one (nvvm.maxntid or nvvm.reqntid), which makes the compiler use fewer");
  // Whole warps: 513 threads are 17 of them. Multiples of 8: 121 registers count as 128.
  EXPECT_FALSE(checkLaunch(device(), kernel(), {.block = {513, 1, 1}}, {}));
  KernelInfo odd = kernel();
  odd.registers = 121;
  odd.maxThreadsPerBlock = 1024;
  EXPECT_TRUE(checkLaunch(device(), odd, {.block = {512, 1, 1}}, {}));
  EXPECT_EQ(checkLaunch(device(), odd, {.block = {544, 1, 1}}, {}).reason().id, "LaunchRegisters");
  // 88 registers are 2816 for a warp: 5 in each quarter of 16384.
  odd.registers = 88;
  EXPECT_TRUE(checkLaunch(device(), odd, {.block = {640, 1, 1}}, {}));
  EXPECT_TRUE(refusal(checkLaunch(device(), odd, {.block = {672, 1, 1}}, {}))
                  .find("at most 640 threads fit") != std::string::npos);
  // What kernels with specialised warps have: 12 warps of 168.
  odd.registers = 168;
  EXPECT_TRUE(checkLaunch(device(), odd, {.block = {384, 1, 1}}, {}));
  EXPECT_FALSE(checkLaunch(device(), odd, {.block = {416, 1, 1}}, {}));
  KernelInfo bounded = kernel();
  bounded.registers = 32;
  bounded.maxThreadsPerBlock = 256;
  EXPECT_EQ(
      refusal(checkLaunch(device(), bounded, {.block = {257, 1, 1}}, {})),
      "kernel 'k': the block (257, 1, 1) has 257 threads, but the kernel was compiled for at most "
      "256 (nvvm.maxntid or nvvm.reqntid)");
}

TEST(Launch, ClusterSizes) {
  EXPECT_EQ(checked({.grid = {32, 1, 1}, .cluster = Dim3{16, 1, 1}}), "(accepted)");
  EXPECT_EQ(checked({.grid = {8, 8, 1}, .cluster = Dim3{8, 4, 1}}),
            "kernel 'k': the cluster (8, 4, 1) has 32 blocks, but a cluster has at most 16");
}

TEST(Launch, Targets) {
  // CUDA C++ programming guide, "Binary Compatibility" and "Feature sets"; PTX ISA, .target.
  DeviceInfo h100 = device(), a10 = device(), b300 = device();
  a10.computeMajor = 8, a10.computeMinor = 6;
  b300.computeMajor = 10, b300.computeMinor = 3;
  EXPECT_TRUE(runsCubin(h100, "sm_90"));
  EXPECT_TRUE(runsCubin(h100, "sm_90a"));
  EXPECT_FALSE(runsCubin(h100, "sm_80"));
  EXPECT_TRUE(runsCubin(a10, "sm_80"));
  EXPECT_FALSE(runsCubin(a10, "sm_89"));
  EXPECT_TRUE(runsCubin(b300, "sm_100f"));
  EXPECT_FALSE(runsCubin(b300, "sm_100a"));
  EXPECT_TRUE(checkTarget(h100, "sm_80")); // the driver compiles its PTX
  EXPECT_TRUE(checkTarget(b300, "sm_90"));
  EXPECT_TRUE(checkTarget(h100, "another"));
  EXPECT_EQ(refusal(checkTarget(h100, "sm_100a")),
            "code for sm_100a does not run on GPU, which is sm_90: compile with --arch sm_90a");
  EXPECT_EQ(refusal(checkTarget(b300, "sm_90a")),
            "code for sm_90a does not run on GPU, which is sm_103: compile with --arch sm_103a");
  EXPECT_EQ(refusal(checkTarget(a10, "sm_89")),
            "code for sm_89 does not run on GPU, which is sm_86: compile with --arch sm_86");
  EXPECT_FALSE(checkTarget(h100, "sm_100f"));
  EXPECT_EQ(checkTarget(a10, "sm_90").reason().id, "DeviceTarget");
}

TEST(Launch, Clusters) {
  EXPECT_EQ(checked({.grid = {4, 6, 1}, .cluster = Dim3{2, 3, 1}}), "(accepted)");
  EXPECT_EQ(checked({.grid = {4, 5, 1}, .cluster = Dim3{2, 3, 1}}),
            "kernel 'k': expects the cluster to divide the grid, but the grid (4, 5, 1) is not a "
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
