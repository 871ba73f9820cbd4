// Which kernel compiles for which architecture, and whether ptxas takes what comes out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/driver/Reading.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace tessera::driver::test {

constexpr const char *architectures[] = {"sm_80",   "sm_86",   "sm_89",   "sm_90a",
                                         "sm_100a", "sm_103a", "sm_120a", "sm_121a"};
/// By the instructions in the source: the first architecture of the list above that has them, and a
/// piece of what the gate says to the others. fp8 conversions: PTX ISA 9.0, 9.7.9.21 (sm_89); e2m1:
/// sm_100a and up; griddepcontrol: sm_90.
struct Kernel {
  const char *folder;
  size_t first = 0;
  const char *refusal = "";
  /// Spilled bytes, stores and loads, that ptxas 13.0 reports at most; all kernels but one need
  /// none.
  int64_t spills = 0;
};
constexpr Kernel kernels[] = {
    {"ampere_call_from_jit"},
    {"ampere_dynamic_smem_size"},
    {"ampere_elementwise_add"},
    {"ampere_elementwise_apply"},
    // 128 x 128 f32 of output and 128 x 64 of scores are 192 of the 255 registers of each of 128
    // threads.
    {"ampere_flash_attention_v2", 0, "", 128},
    {"ampere_inline_ptx"},
    {"ampere_smem_allocator"},
    {"ampere_tensorop_gemm"},
    {"blackwell_dense_blockscaled_gemm_persistent", 4,
     "conversions to and from e2m1 needs sm_100a/f"},
    {"blackwell_mla", 2, "conversions to and from e4m3 and e5m2 needs sm_89 or later"},
    {"blackwell_programmatic_dependent_launch", 3, "griddepcontrol"},
    {"blackwell_rmsnorm"},
    {"cute_torch_fake_tensor"},
    {"hopper_fmha"},
};

static void check(const Kernel &kernel, size_t a, const std::string &ptxas) {
  SCOPED_TRACE(std::string(kernel.folder) + " for " + architectures[a]);
  Reading reading(std::filesystem::path(corpus()) / kernel.folder / "input.mlir");
  ASSERT_TRUE(reading.module) << reading.errors;
  CompileOptions options{.arch = architectures[a]};
  bool lowered = reading.compiler.lower(*reading.module, options);
  ASSERT_EQ(lowered, a >= kernel.first) << reading.errors;
  if (!lowered) {
    EXPECT_NE(reading.errors.find(kernel.refusal), std::string::npos) << reading.errors;
    return;
  }
  auto codes = reading.compiler.translate(*reading.module, options);
  ASSERT_TRUE(codes.ok()) << codes.reason().text;
  for (const DeviceCode &code : *codes) {
    EXPECT_FALSE(code.ptx.empty());
    if (ptxas.empty())
      continue;
    auto cubin = ptx::assemble(ptxas, code.ptx, architectures[a]);
    ASSERT_TRUE(cubin.ok()) << cubin.reason().text;
    int64_t spilled = cubin->spilledBytes();
    EXPECT_LE(spilled, kernel.spills);
    if (spilled)
      std::printf(" (spills %lld bytes)", (long long)spilled);
  }
}

/// A kernel of the corpus; one case each, so that several processes can share them
/// (GTEST_TOTAL_SHARDS).
class Architectures : public testing::TestWithParam<Kernel> {};

TEST_P(Architectures, ThatHaveTheInstructionsCompileIt) {
  if (!corpus())
    GTEST_SKIP() << "TESSERA_CORPUS is not set: no real kernel was compiled";
  std::string ptxas = ptx::findPtxas();
  std::printf("%s\n", ptxas.empty() ? "no ptxas here: its verdict is left out" : ptxas.c_str());
  for (size_t a = 0; a < std::size(architectures); ++a) {
    check(GetParam(), a, ptxas);
    std::printf(" %s%s", a >= GetParam().first ? "" : "no:", architectures[a]);
  }
  std::printf("\n");
}

INSTANTIATE_TEST_SUITE_P(Corpus, Architectures, testing::ValuesIn(kernels),
                         [](const auto &kernel) { return std::string(kernel.param.folder); });

} // namespace tessera::driver::test
