// What ptxas and the driver's JIT print, as reports.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/ptx/PtxasLog.h"

#include <gtest/gtest.h>

using namespace tessera::ptx;

// What ptxas 13.0 printed for two kernels.
TEST(PtxasLog, ReadsPtxas) {
  std::vector<PtxasReport> reports = parsePtxasLog(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'add' for 'sm_90a'\n"
      "ptxas info    : Function properties for add\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 12 registers, used 1 barriers, 64 bytes smem, 380 bytes cmem[0]\n"
      "ptxas info    : Compile time = 16.552 ms\n"
      "ptxas info    : Compiling entry function 'gemm' for 'sm_90a'\n"
      "ptxas info    : Function properties for gemm\n"
      "    224 bytes stack frame, 284 bytes spill stores, 532 bytes spill loads\n"
      "ptxas info    : Used 168 registers, used 0 barriers\n");
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0].function, "add");
  EXPECT_EQ(reports[0].registers, 12);
  EXPECT_EQ(reports[0].barriers, 1);
  EXPECT_EQ(reports[0].sharedBytes, 64);
  EXPECT_EQ(reports[0].stackBytes, 0);
  EXPECT_FALSE(reports[0].spills());
  EXPECT_EQ(reports[1].function, "gemm");
  EXPECT_EQ(reports[1].registers, 168);
  EXPECT_EQ(reports[1].stackBytes, 224);
  EXPECT_EQ(reports[1].spillStoreBytes, 284);
  EXPECT_EQ(reports[1].spillLoadBytes, 532);
  EXPECT_TRUE(reports[1].spills());
}

// The driver's JIT puts "ptxas         ." before the second line.
TEST(PtxasLog, ReadsTheDriver) {
  std::vector<PtxasReport> reports = parsePtxasLog(
      "ptxas warning : For profile sm_80 adjusting per thread register count of 18 to lower bound "
      "of 24\nptxas info    : 3 bytes gmem\n"
      "ptxas info    : Compiling entry function '_Z1kv' for 'sm_80'\r\n"
      "ptxas info    : Function properties for _Z1kv\r\n"
      "ptxas         .     8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads\r\n"
      "ptxas info    : Used 24 registers, 16 bytes smem, 480 bytes cmem[0], 8 bytes cmem[2]\r\n");
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].function, "_Z1kv");
  EXPECT_EQ(reports[0].registers, 24);
  EXPECT_EQ(reports[0].spillLoadBytes, 12);
  EXPECT_EQ(reports[0].sharedBytes, 16);
}

// A function that a kernel calls, before the kernel's registers.
TEST(PtxasLog, RegistersAreTheKernels) {
  std::vector<PtxasReport> reports =
      parsePtxasLog("ptxas info    : Compiling entry function 'k' for 'sm_80'\n"
                    "ptxas info    : Function properties for k\n"
                    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                    "ptxas info    : Function properties for helper\n"
                    "    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n"
                    "ptxas info    : Used 10 registers, used 0 barriers, 360 bytes cmem[0]\n");
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0].registers, 10);
  EXPECT_FALSE(reports[0].spills());
  EXPECT_EQ(reports[1].function, "helper");
  EXPECT_EQ(reports[1].stackBytes, 8);
  EXPECT_EQ(reports[1].registers, 0);
}

TEST(PtxasLog, OtherTextIsSkipped) {
  EXPECT_TRUE(parsePtxasLog("").empty());
  EXPECT_TRUE(parsePtxasLog("Used 12 registers\nhello\n\n").empty()); // of no kernel
  EXPECT_EQ(parsePtxasLog("Function properties for k\nUsed many registers").at(0).registers, 0);
}
