// What is known of code before it runs: images are inspected, ptxas's log is read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/ModuleImage.h"
#include "tessera/run/PtxasLog.h"

#include "test/run/Check.h"
#include "test/run/TinyCubin.h"

using namespace tessera;
using namespace tessera::run;

namespace {

std::string refused(std::string_view image) { return refusal(inspectImage(bytesOf(image))); }
ModuleImage inspected(std::string_view image) { return must(inspectImage(bytesOf(image))); }

} // namespace

TEST(ModuleImage, Ptx) {
  ModuleImage image = inspected("// made by hand: .entry no\n/* .entry neither */ .version 8.0\n"
                                ".target sm_90a\n.visible .entry gemm_f16(\n .param .u64 p\n)\n"
                                "{ ret; }\n.func helper() { ret; }\n.entry\t$k_2{ret;}\n");
  EXPECT_EQ(image.kind, ImageKind::Ptx);
  EXPECT_EQ(image.kernels, (std::vector<std::string>{"gemm_f16", "$k_2"}));
  EXPECT_TRUE(inspected(".version 8.0").kernels.empty());
  EXPECT_TRUE(inspected(std::string_view(".version 8.0\n\0\0", 15)).kernels.empty());
}

TEST(ModuleImage, OtherTextIsRefused) {
  EXPECT_EQ(refused("; ModuleID = 'gemm'\nsource_filename"),
            "expects PTX text, which begins with a .version directive, or a cubin (an ELF file), "
            "but got \"; ModuleID = 'gemm'\"");
  EXPECT_EQ(refused(""), "expects PTX text, which begins with a .version directive, or a cubin (an "
                         "ELF file), but got \"\"");
  EXPECT_EQ(refused("\x1b[31m"), "expects PTX text, which begins with a .version directive, or a "
                                 "cubin (an ELF file), but got \"\\x1b[31m\"");
  EXPECT_EQ(refused("// only a comment"),
            "expects PTX text, which begins with a .version directive, or a cubin (an ELF file), "
            "but got \"// only a comment\"");
  EXPECT_EQ(refused(std::string_view(".version 8.0\0.target", 20)),
            "expects PTX text, but byte 12 is NUL and text follows it");
}

TEST(ModuleImage, Cubin) {
  ModuleImage image = inspected(tinyCubin());
  EXPECT_EQ(image.kind, ImageKind::Cubin);
  EXPECT_EQ(image.kernels, (std::vector<std::string>{"gemm"}));
}

TEST(ModuleImage, TruncatedCubinsAreRefused) {
  std::string whole = tinyCubin();
  EXPECT_EQ(refused(whole.substr(0, 63)),
            "truncated cubin: the file has 63 bytes, but its parts reach byte 64");
  EXPECT_EQ(refused(whole.substr(0, whole.size() - 1)),
            cat("truncated cubin: the file has ", whole.size() - 1,
                " bytes, but its parts reach byte ", whole.size()));
  for (size_t size = 4; size < whole.size(); ++size)
    EXPECT_FALSE(inspectImage(bytesOf(whole.substr(0, size)))) << size;
  std::string far = whole;
  put(far, whole.size() - 64 - 64 + 24, 1 << 20, 8); // the offset of .text.helper
  EXPECT_EQ(refused(far), cat("truncated cubin: the file has ", whole.size(),
                              " bytes, but its parts reach byte 1048580"));
}

TEST(ModuleImage, OtherElfFilesAreRefused) {
  std::string host = tinyCubin();
  put(host, 18, 62, 2); // x86-64
  EXPECT_EQ(refused(host), "expects a 64-bit ELF file for NVIDIA GPUs (machine 190), but got "
                           "machine 62 or another layout");
}

TEST(ModuleImage, DamagedCubinsNeverCrash) {
  std::mt19937_64 random = generator();
  for (int i = 0; i < 20000; ++i) {
    std::string image = tinyCubin();
    for (int change = 0; change < 4; ++change)
      image[4 + random() % (image.size() - 4)] = char(random());
    (void)inspectImage(bytesOf(image));
  }
}

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
