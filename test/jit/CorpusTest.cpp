// Host functions of real files, if TESSERA_CORPUS names their folder: what they launch, on the fake
// device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeDevice.h"
#include "Session.h"

#include "tessera/driver/Compiler.h"
#include "tessera/jit/HostCode.h"
#include "tessera/jit/Parameters.h"
#include "tessera/jit/Runtime.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

namespace tessera::jit::test {
namespace {

/// A file, arguments, and the launch that the Python source of the example makes for them.
struct Row {
  const char *folder;
  std::vector<std::string> arguments;
  std::string launch;
};

// clang-format off
const Row rows[] = {
    // Blocks of 16 x 128 elements: ceil(100 / 16) * ceil(300 / 128).
    {"ampere_elementwise_add", {"rand:f32:100x300", "rand:f32:100x300", "out:f32:100x300"},
     "(21, 1, 1) of (128, 1, 1), 0 bytes, 6 arguments"},
    {"blackwell_programmatic_dependent_launch", {"rand:f32:100x300", "rand:f32:100x300", "out:f32:100x300"},
     "(21, 1, 1) of (128, 1, 1), 0 bytes, 6 arguments"},
    // Blocks of 64 x 256, columns along x.
    {"ampere_elementwise_apply", {"rand:f32:4096x4096", "rand:f32:4096x4096", "out:f32:4096x4096"},
     "(16, 64, 1) of (256, 1, 1), 0 bytes, 6 arguments"},
    {"ampere_inline_ptx", {"out:i32:32", "out:i8:32", "out:i1:32", "out:u8:32"},
     "(1, 1, 1) of (32, 1, 1), 0 bytes, 4 arguments"},
    {"ampere_smem_allocator", {"rand:f32:8x4", "rand:f32:8x2", "out:f32:16x2"},
     "(1, 1, 1) of (1, 1, 1), 960 bytes, 3 arguments"},
    {"ampere_dynamic_smem_size", {}, "(1, 1, 1) of (1, 1, 1), 0 bytes, 0 arguments"},
    // 2 x 4 x 2 blocks of 128 x 128; rows of 4 blocks go along x. 3 stages of two tiles of 128 x 32 halves.
    {"ampere_tensorop_gemm", {"zeros:f16:256x64x2", "zeros:f16:512x64x2", "out:f16:256x512x2"},
     "(8, 1, 2) of (128, 1, 1), 49152 bytes, 4 arguments"},
    // 512 x 256, 16 of them: 4 x 2 blocks, rows of 2 go along x.
    {"ampere_call_from_jit", {"zeros:f16:2048x512", "zeros:f16:1024x512", "out:f16:4096x512"},
     "(8, 1, 16) of (128, 1, 1), 49152 bytes, 4 arguments"},
    // Blocks of 128 queries, batch, heads. Q of 128 x 128, K and V of 64 x 128, 2 bytes each.
    {"ampere_flash_attention_v2",
     {"zeros:bf16:2x300x4x128", "zeros:bf16:2x300x4x128", "zeros:bf16:2x300x4x128", "out:bf16:2x300x4x128", "0.088"},
     "(3, 2, 4) of (128, 1, 1), 65536 bytes, 5 arguments"},
    // Two rows of 4096 a block, and 4 sums of 4 bytes.
    {"blackwell_rmsnorm", {"zeros:bf16:37x4096", "zeros:bf16:4096", "out:bf16:37x4096", "37", "1e-5"},
     "(19, 1, 1) of (128, 1, 1), 16400 bytes, 4 arguments"},
    // Blocks of 512 elements of the second mode: 128 * 1 * 2, and of 256: 4 * 1 * 2 * 2 * 2.
    {"blackwell_mla", {"zeros:f32:128x64x2", "out:f8E4M3FN:128x64x2"},
     "(256, 1, 1) of (128, 1, 1), 0 bytes, 6 arguments"},
    {"hopper_fmha", {"zeros:f16:4x64x2x2x2", "zeros:f32:4x64x2x2x2"},
     "(32, 1, 1) of (128, 1, 1), 0 bytes, 8 arguments"},
};
// clang-format on

std::string describe(const Launch &launch) {
  const run::LaunchConfig &c = launch.config;
  return cat(run::str(c.grid), " of ", run::str(c.block), ", ", c.dynamicSharedBytes, " bytes",
             c.cluster ? cat(", clusters of ", run::str(*c.cluster)) : "",
             c.cooperative ? ", cooperative" : "",
             c.programmaticStreamSerialization ? ", programmatic" : "");
}

/// Compiles the file, binds the arguments and calls the host function.
Result<std::string> launchOf(const std::string &path, const Row &row) {
  driver::Compiler compiler;
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(std::move(*llvm::MemoryBuffer::getFile(path)), {});
  mlir::OwningOpRef<mlir::ModuleOp> module = compiler.read(source);
  auto host = *module->getOps<mlir::func::FuncOp>().begin();
  std::string name = host.getSymName().str();
  std::vector<run::Argument> given;
  for (const std::string &text : row.arguments)
    given.push_back(*run::parseArgument(text));
  FakeDevice device;
  TESSERA_TRY(run::Arguments arguments,
              run::bindAll(parametersOf(host.getArgumentTypes()), given, &device));
  Runtime runtime(device);
  for (const driver::KernelSource &kernel : compiler.kernels(*module))
    runtime.add(kernel.module, kernel.name, kernelNamed(1, kernel.name));
  if (!compiler.lower(*module, {}))
    return Reason{"Test", "does not lower"};
  TESSERA_TRY(HostCode code, HostCode::compile(*module));
  CurrentRuntime current(runtime);
  std::vector<void *> values = arguments.values();
  TESSERA_TRY(int32_t status, code.call(name, values));
  std::string text = status ? cat("status ", status) : "";
  for (const Launch &launch : device.launches)
    text += cat(text.empty() ? "" : "; ", describe(launch), ", ", launch.arguments.size(),
                " arguments");
  return text;
}

TEST(Corpus, Launches) {
  const char *corpus = std::getenv("TESSERA_CORPUS");
  if (!corpus)
    GTEST_SKIP() << "TESSERA_CORPUS is not set: no real files were called";
  for (const Row &row : rows) {
    Result<std::string> launch = launchOf(cat(corpus, "/", row.folder, "/input.mlir"), row);
    EXPECT_EQ(launch ? *launch : launch.reason().text, row.launch) << row.folder;
  }
  testing::internal::CaptureStdout();
  Result<std::string> printed =
      launchOf(cat(corpus, "/cute_torch_fake_tensor/input.mlir"), {"", {"zeros:f32:3x4"}, ""});
  std::string text = testing::internal::GetCapturedStdout();
  EXPECT_EQ(printed ? *printed : printed.reason().text, "");
  // A run of the first mode is a line.
  EXPECT_NE(text.find("[ 0.000000, 0.000000, 0.000000,\n"), std::string::npos) << text;
  std::printf("host functions of %zu files called\n", std::size(rows) + 1);
}

} // namespace
} // namespace tessera::jit::test
