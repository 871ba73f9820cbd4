// How many PTX instructions of the kernels of $TESSERA_CORPUS have a line of the source.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/driver/Reading.h"

#include "llvm/ADT/StringRef.h"

#include <gtest/gtest.h>

namespace tessera::driver::test {
namespace {

struct Kernel {
  const char *name, *arch;
};
constexpr Kernel kernels[] = {
    {"ampere_elementwise_add", "sm_80"}, {"ampere_sgemm", "sm_80"},
    {"ampere_tensorop_gemm", "sm_80"},   {"ampere_flash_attention_v2", "sm_80"},
    {"hopper_dense_gemm", "sm_90a"},     {"hopper_dense_gemm_persistent", "sm_90a"},
    {"hopper_fmha", "sm_90a"},           {"blackwell_rmsnorm", "sm_90a"},
    {"blackwell_dense_gemm", "sm_100a"}, {"blackwell_grouped_gemm", "sm_100a"}};

struct Count {
  unsigned instructions = 0, placed = 0;
};
/// An instruction is a line in a function that ends in a semicolon and begins with no dot; it has
/// the line of the last .loc of its function (PTX ISA 11.5.3).
Count countOf(llvm::StringRef ptx) {
  Count count;
  bool inside = false, placed = false;
  for (llvm::StringRef line : llvm::split(ptx, '\n')) {
    llvm::StringRef text = line.trim();
    if (line == "{" || line == "}") {
      inside = line == "{";
      placed = false;
    } else if (text.starts_with(".loc")) {
      // Line 0 is none.
      placed = !text.split('\t').second.split(' ').second.starts_with("0 ");
    } else if (inside && text.ends_with(";") && !text.starts_with(".") && !text.starts_with("//")) {
      ++count.instructions;
      count.placed += placed;
    }
  }
  return count;
}

/// Of a dump without locations, whose own lines they are, and of one that has the Python program's.
class Lines : public testing::TestWithParam<const char *> {};

TEST_P(Lines, AreOfAlmostAllInstructions) {
  if (!corpus())
    GTEST_SKIP() << "TESSERA_CORPUS is not set: no real kernels were compiled";
  Count all;
  for (const Kernel &kernel : kernels) {
    std::filesystem::path path = std::filesystem::path(corpus()) / kernel.name / GetParam();
    Reading reading(textOf(path), path.string());
    ASSERT_TRUE(reading.module) << kernel.name << "\n" << reading.errors;
    CompileOptions options;
    options.arch = kernel.arch;
    ASSERT_TRUE(reading.compiler.lower(*reading.module, options)) << kernel.name << reading.errors;
    Result<std::vector<DeviceCode>> code = reading.compiler.translate(*reading.module, options);
    ASSERT_TRUE(code) << kernel.name << "\n" << code.reason().text;
    Count count;
    for (const DeviceCode &one : *code) {
      Count more = countOf(one.ptx);
      count.instructions += more.instructions;
      count.placed += more.placed;
    }
    EXPECT_GT(count.instructions, 20u) << kernel.name;
    EXPECT_GE(count.placed, 0.95 * count.instructions) << kernel.name;
    std::printf("%6u of %6u instructions  %s\n", count.placed, count.instructions, kernel.name);
    all.instructions += count.instructions;
    all.placed += count.placed;
  }
  std::printf("%.2f %% of %u instructions have a line\n",
              100.0 * all.placed / std::max(1u, all.instructions), all.instructions);
}

INSTANTIATE_TEST_SUITE_P(Dumps, Lines, testing::Values("input.mlir", "input_loc.mlir.xz"));

} // namespace
} // namespace tessera::driver::test
