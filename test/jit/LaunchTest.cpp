// From CuTe IR to a launch: pipeline, host code, binding and runtime together, on the fake device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeDevice.h"
#include "Session.h"

#include "tessera/jit/HostCode.h"
#include "tessera/jit/Parameters.h"
#include "tessera/jit/Runtime.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <gtest/gtest.h>

namespace tessera::jit::test {
namespace {

/// A kernel that takes a tensor, a static layout (no content) and a number; launched with
/// `attributes`.
std::string moduleWith(const std::string &attributes) {
  return R"mlir(
!tensor = !cute.memref<f32, gmem, "(?,?):(?{i64},1)">
!layout = !cute.layout<"(4,32):(32,1)">
!config = !cuda.launch_cfg<max_attrs = 3>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    cuda.kernel @fill(%a: !tensor, %l: !layout, %n: i32)
        attributes {cute.kernel, gpu.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
      return
    }
  }
  func.func @host(%a: !tensor, %l: !layout, %n: i32, %s: !cuda.stream) -> i32 {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c64 = arith.constant 64 : i32
    %c17 = arith.constant 17 : i32
    %smem = arith.constant 1024 : i64
    %config = cuda.launch_cfg.create<max_attrs = 3 : i32> (blockDim = (%c64, %c1, %c1),
        dynamicSmemBytes = %smem, gridDim = (%n, %c2, %c1), stream = %s)
        : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !config
)mlir" + attributes +
         R"mlir(
    %r = cuda.launch_ex @kernels::@fill<%config> (%a, %l, %n) : !config, (!tensor, !layout, i32) -> !cuda.result
    %e = cuda.cast %r : !cuda.result -> i32
    cuda.return_if_error %e : i32
    return %c17 : i32
  }
})mlir";
}

class LaunchTest : public testing::Test {
protected:
  /// Lowers, compiles, binds `texts` to @host and calls it.
  Result<int32_t> run(const std::string &module, const std::vector<std::string> &texts) {
    mlir::OwningOpRef<mlir::ModuleOp> parsed = session.parse(module);
    auto host = parsed->lookupSymbol<mlir::func::FuncOp>("host");
    std::vector<run::Argument> given;
    for (const std::string &text : texts)
      given.push_back(*run::parseArgument(text));
    TESSERA_TRY(arguments, run::bindAll(parametersOf(host.getArgumentTypes()), given, &device,
                                        run::StreamId(0x77)));
    mlir::OwningOpRef<mlir::ModuleOp> lowered = session.lower(module);
    TESSERA_TRY(HostCode code, HostCode::compile(*lowered));
    EXPECT_FALSE(lowered->getOps<mlir::gpu::GPUModuleOp>().empty()); // the module is as it was
    CurrentRuntime current(runtime);
    return code.call("host", arguments.values());
  }

  Session session;
  FakeDevice device;
  Runtime runtime{device};
  run::Arguments arguments;
};

TEST_F(LaunchTest, ArgumentsArriveAsTheKernelTakesThem) {
  runtime.add("kernels", "fill", kernelNamed(3, "fill"));
  std::string tensor, number;
  device.onLaunch = [&](const Launch &launch) {
    ASSERT_EQ(launch.arguments.size(), 2u); // the layout has no content
    tensor = hexOf({static_cast<std::byte *>(launch.arguments[0]), 24});
    number = hexOf({static_cast<std::byte *>(launch.arguments[1]), 4});
  };
  Result<int32_t> result = run(moduleWith(""), {"zeros:f32:3x5", "9"});
  ASSERT_TRUE(result.ok()) << refusal(result);
  EXPECT_EQ(*result, 17);
  EXPECT_TRUE(runtime.errors().empty());
  ASSERT_EQ(device.launches.size(), 1u);
  const run::LaunchConfig &config = device.launches[0].config;
  EXPECT_EQ(device.launches[0].kernel, run::KernelId(3));
  EXPECT_EQ(config.block, (run::Dim3{64, 1, 1}));
  EXPECT_EQ(config.grid, (run::Dim3{9, 2, 1}));
  EXPECT_EQ(config.dynamicSharedBytes, 1024);
  EXPECT_EQ(config.stream, run::StreamId(0x77));
  EXPECT_FALSE(config.cluster || config.cooperative || config.programmaticStreamSerialization);
  run::Address address = arguments.argument(0).address();
  EXPECT_EQ(tensor,
            hexOf(std::as_bytes(std::span(&address, 1))) + " 0300000005000000 0500000000000000");
  EXPECT_EQ(number, "09000000");
}

TEST_F(LaunchTest, Attributes) {
  runtime.add("kernels", "fill", kernelNamed(3, "fill"));
  Result<int32_t> result = run(moduleWith(R"mlir(
    cuda.launch_cfg.cluster_dim[%config] (%c1, %c2, %c1) : !config, i32, i32, i32
    cuda.launch_cfg.programmatic_stream_serialization_allowed[%config] %c1 : !config, i32
    cuda.launch_cfg.cooperative[%config] %c1 : !config, i32)mlir"),
                               {"zeros:f32:3x5", "8"});
  ASSERT_TRUE(result.ok()) << refusal(result);
  ASSERT_EQ(device.launches.size(), 1u);
  const run::LaunchConfig &config = device.launches[0].config;
  EXPECT_EQ(config.cluster, (run::Dim3{1, 2, 1}));
  EXPECT_TRUE(config.cooperative);
  EXPECT_TRUE(config.programmaticStreamSerialization);
}

TEST_F(LaunchTest, HostCodeLeavesAtAnError) {
  Result<int32_t> unknown = run(moduleWith(""), {"zeros:f32:3x5", "9"});
  ASSERT_TRUE(unknown.ok()) << refusal(unknown);
  EXPECT_EQ(*unknown, 500);
  ASSERT_EQ(runtime.errors().size(), 1u);
  EXPECT_EQ(runtime.errors()[0].text,
            "host code launches @kernels::@fill, but the loaded kernels are none");

  runtime.add("kernels", "fill", kernelNamed(3, "fill"));
  device.refusal = Reason{"LaunchExtent", "the grid is empty"};
  Result<int32_t> refused = run(moduleWith(""), {"zeros:f32:3x5", "0"});
  ASSERT_TRUE(refused.ok()) << refusal(refused);
  EXPECT_EQ(*refused, 1);
  EXPECT_EQ(runtime.errors()[1].text, "launch of @kernels::@fill: the grid is empty");
}

TEST_F(LaunchTest, WithoutARuntimeNothingIsLaunched) {
  mlir::OwningOpRef<mlir::ModuleOp> lowered = session.lower(moduleWith(""));
  Result<HostCode> code = HostCode::compile(*lowered);
  ASSERT_TRUE(code.ok()) << refusal(code);
  std::byte tensor[24] = {};
  int32_t n = 1;
  void *stream = nullptr;
  std::vector<void *> values = {tensor, &n, &stream};
  Result<int32_t> result = code->call("host", values);
  ASSERT_TRUE(result.ok()) << refusal(result);
  EXPECT_EQ(*result, 201);
}

} // namespace
} // namespace tessera::jit::test
