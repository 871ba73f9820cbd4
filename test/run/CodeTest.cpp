// What is known of code before it runs: images are inspected.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/ModuleImage.h"

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
