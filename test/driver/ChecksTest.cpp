// The checks in front of the pipeline find nothing wrong in kernels that run: all of
// $TESSERA_CORPUS, with the GEMMs and the attention of data centre Blackwell, whose warps allocate,
// read and free tensor memory in branches of their own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/driver/Reading.h"

#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/lower/Passes.h"

#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace tessera::driver::test {

TEST(Checks, AcceptTheCorpus) {
  if (!corpus())
    GTEST_SKIP() << "TESSERA_CORPUS is not set";
  int files = 0, allocations = 0, descriptors = 0;
  for (const std::filesystem::path &path : corpusFiles()) {
    SCOPED_TRACE(path.string());
    Reading reading(path);
    ASSERT_TRUE(reading.module) << reading.errors;
    mlir::PassManager passes(reading.module->getContext());
    passes.addPass(lower::createCheckTmem());
    passes.addPass(lower::createCheckDescriptors());
    EXPECT_TRUE(mlir::succeeded(passes.run(*reading.module))) << reading.errors;
    reading.module->walk([&](mlir::Operation *op) {
      allocations += llvm::isa<cute_nvgpu::AllocTmemOp>(op);
      descriptors +=
          llvm::any_of(op->getResultTypes(), llvm::IsaPred<cute_nvgpu::SmemDescViewType>);
    });
    ++files;
  }
  std::printf("%d files with %d allocations of tensor memory, %d views of descriptors\n", files,
              allocations, descriptors);
  EXPECT_GT(allocations, 5);
  EXPECT_GT(descriptors, 20);
}

} // namespace tessera::driver::test
