// Modules, kernels and launches of CudaDevice on the fake library.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/CudaDevice.h"

#include "test/run/Check.h"
#include "test/run/FakeLibrary.h"
#include "test/run/TinyCubin.h"

#include <cstring>

using namespace tessera;
using namespace tessera::run;
using cuda::Code;
using cuda::FunctionAttribute;
using cuda::JitOption;

namespace {

constexpr const char *ptx = ".version 8.0\n.target sm_90\n"
                            ".visible .entry add() { ret; }\n.entry other() { ret; }\n";

class CudaModule : public FakeLibrary {
protected:
  void SetUp() override {
    FakeLibrary::SetUp();
    open();
  }
  void TearDown() override {
    device.reset();
    FakeLibrary::TearDown();
  }
  void open(const char *library = TESSERA_FAKE_CUDA) {
    device.reset();
    device = must(CudaDevice::open(must(cuda::Driver::load(library)), 0));
  }
  Kernel add() { return must(device->kernel(must(device->loadModule(bytesOf(ptx))).id, "add")); }
  std::string launching(const LaunchConfig &config) {
    return refusal(device->launch(add().id, config, arguments));
  }
  const fake::Launch &launched(const LaunchConfig &config) {
    EXPECT_EQ(launching(config), "(accepted)");
    return state().launches.back();
  }

  std::unique_ptr<CudaDevice> device;
  uint64_t a = 0x1111, b = 0x2222;
  uint32_t n = 77;
  void *arguments[3] = {&a, &b, &n};
};

std::string bytesText(const void *value, size_t size) {
  return std::string(static_cast<const char *>(value), size);
}

} // namespace

TEST_F(CudaModule, LoadsPtxWithItsNul) {
  state().infoLog = "ptxas info    : Function properties for add\n"
                    "ptxas         .     8 bytes stack frame, 4 bytes spill stores, 12 bytes spill "
                    "loads\nptxas info    : Used 40 registers, 1024 bytes smem\n";
  // A view that no NUL follows: the driver would read on.
  std::string longer = cat(ptx, "garbage");
  Module module = must(device->loadModule(bytesOf(longer).first(std::strlen(ptx))));
  EXPECT_EQ(module.log, state().infoLog);
  ASSERT_EQ(state().loads.size(), 1u);
  EXPECT_EQ(state().loads[0].image, ptx);
}

TEST_F(CudaModule, AssemblesByTheDriver) {
  state().cubin = tinyCubin();
  state().infoLog = "ptxas info    : Used 40 registers\n";
  auto *gpu = static_cast<CudaDevice *>(device.get());
  CudaDevice::Assembled made = must(gpu->assemble(ptx, {.optimizationLevel = 2, .lineInfo = true}));
  EXPECT_EQ(made.cubin, tinyCubin());
  EXPECT_EQ(made.log, state().infoLog);
  ASSERT_EQ(state().loads.size(), 1u);
  EXPECT_EQ(state().loads[0].image, ptx);
  EXPECT_EQ(state().loads[0].options[cuda::JitOption::OptimizationLevel], 2u);
  EXPECT_EQ(state().loads[0].options[cuda::JitOption::LineInfo], 1u);
  EXPECT_TRUE(state().links.empty());
}

/// What was begun is given back, and what the driver says is in the reason.
TEST_F(CudaModule, SaysWhyTheDriverRefusesPtx) {
  auto *gpu = static_cast<CudaDevice *>(device.get());
  state().errorLog = "ptxas fatal   : Unresolved extern function 'f'";
  for (const char *symbol : {"cuLinkAddData_v2", "cuLinkComplete"}) {
    state().failures = {{symbol, cuda::Code::InvalidPtx}};
    Result<CudaDevice::Assembled> made = gpu->assemble(ptx);
    ASSERT_FALSE(made) << symbol;
    EXPECT_NE(made.reason().text.find("CUDA_ERROR_INVALID_PTX"), std::string::npos)
        << made.reason().text;
    EXPECT_NE(made.reason().text.find("Unresolved extern function 'f'"), std::string::npos);
    EXPECT_TRUE(state().links.empty());
  }
}

TEST_F(CudaModule, LoadsCubins) {
  std::string cubin = tinyCubin();
  ModuleId module = must(device->loadModule(bytesOf(cubin))).id;
  EXPECT_TRUE(cubin.starts_with(state().loads[0].image)); // the fake's copy ends at a NUL
  EXPECT_EQ(refusal(device->kernel(module, "sub")), "the module has no kernel 'sub'; it has gemm");
  EXPECT_FALSE(device->loadModule(bytesOf(cubin.substr(0, cubin.size() - 1))));
  EXPECT_EQ(state().loads.size(), 1u);
}

TEST_F(CudaModule, JitOptions) {
  must(device->loadModule(bytesOf(ptx)));
  const auto &plain = state().loads[0].options;
  EXPECT_EQ(plain.size(), 5u); // two logs with their sizes, verbose
  EXPECT_EQ(plain.at(JitOption::Verbose), 1u);
  EXPECT_GE(plain.at(JitOption::InfoLogBytes), 65536u);
  must(device->loadModule(bytesOf(ptx), {.optimizationLevel = 3,
                                         .maxRegisters = 128,
                                         .lineInfo = true,
                                         .debugInfo = true,
                                         .verbose = false}));
  const auto &all = state().loads[1].options;
  EXPECT_EQ(all.at(JitOption::OptimizationLevel), 3u);
  EXPECT_EQ(all.at(JitOption::MaxRegisters), 128u);
  EXPECT_EQ(all.at(JitOption::LineInfo), 1u);
  EXPECT_EQ(all.at(JitOption::DebugInfo), 1u);
  EXPECT_EQ(all.at(JitOption::Verbose), 0u);
}

TEST_F(CudaModule, TheJitsErrorsAreInTheReason) {
  state().failures = {{"cuModuleLoadDataEx", Code::InvalidPtx}};
  state().errorLog = "ptxas application ptx input, line 3; error   : Not a name of any known "
                     "instruction: 'foo'";
  EXPECT_EQ(refusal(device->loadModule(bytesOf(ptx))),
            cat("cuModuleLoadDataEx failed: CUDA_ERROR_INVALID_PTX (a PTX JIT compilation failed): "
                "please report "
                "it with the input, unless the log names inline PTX of your own\n",
                state().errorLog));
  state().failures = {{"cuModuleLoadDataEx", Code::UnsupportedPtxVersion}};
  state().errorLog = "";
  EXPECT_EQ(refusal(device->loadModule(bytesOf(ptx))),
            "cuModuleLoadDataEx failed: CUDA_ERROR_UNSUPPORTED_PTX_VERSION (the provided PTX was "
            "compiled with an unsupported toolchain.): the PTX's .version is newer than this "
            "driver; lower it, or load a cubin made by ptxas");
}

TEST_F(CudaModule, LogsLongerThanTheirBuffersAreCut) {
  state().infoLog = std::string(1 << 20, 'x');
  std::string log = must(device->loadModule(bytesOf(ptx))).log;
  EXPECT_EQ(log, std::string((256 << 10) - 1, 'x'));
}

TEST_F(CudaModule, OtherBytesNeverReachTheDriver) {
  EXPECT_FALSE(device->loadModule(bytesOf("hello")));
  EXPECT_FALSE(device->loadModule({}));
  EXPECT_TRUE(state().loads.empty());
}

TEST_F(CudaModule, KernelsAreDescribed) {
  KernelInfo info = add().info;
  EXPECT_EQ(info.name, "add");
  EXPECT_EQ(info.registers, 40);
  EXPECT_EQ(info.localBytes, 16);
  EXPECT_EQ(info.staticSharedBytes, 1024);
  EXPECT_EQ(info.constantBytes, 4);
  EXPECT_EQ(info.maxThreadsPerBlock, 1024);
  EXPECT_EQ(info.ptxVersion, 80);
  EXPECT_EQ(info.binaryVersion, 90);
  EXPECT_FALSE(info.requiredCluster);
  EXPECT_EQ(info.parameters, (std::vector<ParameterInfo>{{0, 8}, {8, 8}, {16, 4}}));
}

TEST_F(CudaModule, MissingKernels) {
  ModuleId module = must(device->loadModule(bytesOf(ptx))).id;
  EXPECT_EQ(refusal(device->kernel(module, "sub")),
            "the module has no kernel 'sub'; it has add, other");
  ModuleId empty = must(device->loadModule(bytesOf(".version 8.0\n.target sm_90\n"))).id;
  EXPECT_EQ(refusal(device->kernel(empty, "sub")),
            "the module has no kernel 'sub'; it has no kernel");
}

TEST_F(CudaModule, KernelsGoWithTheirModule) {
  Module module = must(device->loadModule(bytesOf(ptx)));
  Kernel kernel = must(device->kernel(module.id, "add"));
  ASSERT_TRUE(device->unloadModule(module.id));
  EXPECT_FALSE(device->launch(kernel.id, {}, arguments));
  EXPECT_FALSE(device->kernel(module.id, "add"));
}

TEST_F(CudaModule, LaunchPassesEverything) {
  StreamId stream = must(device->createStream());
  LaunchConfig config;
  config.grid = {4, 3, 2};
  config.block = {128, 2, 1};
  config.dynamicSharedBytes = 2048;
  config.stream = stream;
  const fake::Launch &launch = launched(config);
  EXPECT_EQ(launch.kernel, "add");
  EXPECT_EQ(launch.config.gridX, 4u);
  EXPECT_EQ(launch.config.gridY, 3u);
  EXPECT_EQ(launch.config.gridZ, 2u);
  EXPECT_EQ(launch.config.blockX, 128u);
  EXPECT_EQ(launch.config.blockY, 2u);
  EXPECT_EQ(launch.config.blockZ, 1u);
  EXPECT_EQ(launch.config.sharedBytes, 2048u);
  EXPECT_EQ(reinterpret_cast<uint64_t>(launch.config.stream), uint64_t(stream));
  EXPECT_TRUE(launch.attributes.empty());
  EXPECT_EQ(launch.arguments,
            (std::vector<std::string>{bytesText(&a, 8), bytesText(&b, 8), bytesText(&n, 4)}));
  EXPECT_TRUE(state().attributesSet.empty());
}

TEST_F(CudaModule, LaunchAttributes) {
  LaunchConfig config;
  config.grid = {4, 2, 1};
  config.cluster = Dim3{2, 2, 1};
  config.cooperative = true;
  config.programmaticStreamSerialization = true;
  const fake::Launch &launch = launched(config);
  ASSERT_EQ(launch.attributes.size(), 3u);
  EXPECT_EQ(launch.attributes[0].id, cuda::LaunchAttributeId::Cooperative);
  EXPECT_EQ(launch.attributes[0].value.flag, 1);
  EXPECT_EQ(launch.attributes[1].id, cuda::LaunchAttributeId::ProgrammaticStreamSerialization);
  EXPECT_EQ(launch.attributes[1].value.flag, 1);
  EXPECT_EQ(launch.attributes[2].id, cuda::LaunchAttributeId::ClusterDimension);
  EXPECT_EQ(launch.attributes[2].value.cluster.x, 2u);
  EXPECT_EQ(launch.attributes[2].value.cluster.y, 2u);
  EXPECT_EQ(launch.attributes[2].value.cluster.z, 1u);
}

TEST_F(CudaModule, ClustersOfOneBlockAreNotMentioned) {
  LaunchConfig config;
  config.cluster = Dim3{1, 1, 1};
  EXPECT_TRUE(launched(config).attributes.empty());
}

TEST_F(CudaModule, ClustersOfOneBlockNeedNoSupport) {
  state().deviceAttributes[cuda::DeviceAttribute::ClusterLaunch] = 0;
  open();
  LaunchConfig config;
  config.cluster = Dim3{1, 1, 1};
  EXPECT_TRUE(launched(config).attributes.empty());
  config.cluster = Dim3{2, 1, 1};
  config.grid = {2, 1, 1};
  EXPECT_EQ(launching(config), "kernel 'add': a cluster of (2, 1, 1) blocks needs sm_90 or newer, "
                               "but NVIDIA H100 80GB HBM3 is sm_90");
}

TEST_F(CudaModule, SharedMemoryIsRaisedOnce) {
  Kernel kernel = add();
  auto run = [&](int64_t bytes) {
    LaunchConfig config;
    config.dynamicSharedBytes = bytes;
    return refusal(device->launch(kernel.id, config, arguments));
  };
  using Set = std::vector<std::pair<std::string, std::pair<FunctionAttribute, int>>>;
  auto set = [](int bytes) {
    return Set::value_type{"add", {FunctionAttribute::MaxDynamicSharedBytes, bytes}};
  };
  EXPECT_EQ(run(48128), "(accepted)"); // 48 KiB with the static KiB: no need to ask
  EXPECT_EQ(state().attributesSet, Set());
  EXPECT_EQ(run(100000), "(accepted)");
  EXPECT_EQ(run(90000), "(accepted)");
  EXPECT_EQ(state().attributesSet, (Set{set(100000)}));
  EXPECT_EQ(run(231424), "(accepted)"); // 227 KiB in all
  EXPECT_EQ(state().attributesSet, (Set{set(100000), set(231424)}));
  EXPECT_EQ(run(231425), "kernel 'add': needs 1024 bytes of static and 231425 bytes of dynamic "
                         "shared memory per block, but NVIDIA H100 80GB HBM3 has 232448");
  EXPECT_EQ(state().attributesSet.size(), 2u);
}

TEST_F(CudaModule, LargeClustersAreAllowedOnce) {
  Kernel kernel = add();
  LaunchConfig config;
  config.grid = {16, 1, 1};
  for (auto [size, set] : {std::pair(8, 0u), std::pair(16, 1u), std::pair(16, 1u)}) {
    config.cluster = Dim3{size, 1, 1};
    EXPECT_TRUE(device->launch(kernel.id, config, arguments));
    ASSERT_EQ(state().attributesSet.size(), set);
  }
  EXPECT_EQ(state().attributesSet[0].second,
            std::pair(FunctionAttribute::NonPortableClusterAllowed, 1));
}

TEST_F(CudaModule, RequiredClusters) {
  auto &attributes = state().kernels["add"].attributes;
  attributes[FunctionAttribute::RequiredClusterWidth] = 2;
  attributes[FunctionAttribute::RequiredClusterHeight] = 1;
  attributes[FunctionAttribute::RequiredClusterDepth] = 1;
  EXPECT_EQ(add().info.requiredCluster, (Dim3{2, 1, 1}));
  LaunchConfig config;
  config.grid = {3, 1, 1};
  EXPECT_EQ(launching(config), "kernel 'add': expects the cluster to divide the grid, but the grid "
                               "(3, 1, 1) is not a multiple of the cluster (2, 1, 1) along x");
  config.grid = {4, 1, 1};
  EXPECT_TRUE(launched(config).attributes.empty()); // the kernel knows
  config.cluster = Dim3{4, 1, 1};
  EXPECT_EQ(launching(config), "kernel 'add': expects the cluster (2, 1, 1), which the kernel "
                               "requires, but got (4, 1, 1)");
}

TEST_F(CudaModule, TheDriversOwnRefusalNamesTheLaunch) {
  state().failures = {{"cuLaunchKernelEx", Code::InvalidClusterSize}};
  LaunchConfig config;
  config.grid = {16, 1, 1};
  config.block = {256, 1, 1};
  EXPECT_EQ(launching(config),
            "kernel 'add', grid (16, 1, 1), block (256, 1, 1), 0 bytes of dynamic shared memory: "
            "cuLaunchKernelEx failed: CUDA_ERROR_INVALID_CLUSTER_SIZE (cluster misconfiguration): "
            "this GPU cannot place a cluster of that size with that much shared memory");
  state().failures = {{"cuLaunchKernelEx", Code::InvalidValue}};
  EXPECT_EQ(
      launching(config),
      "kernel 'add', grid (16, 1, 1), block (256, 1, 1), 0 bytes of dynamic shared memory (is the "
      "block that of the kernel's nvvm.reqntid?): cuLaunchKernelEx failed: "
      "CUDA_ERROR_INVALID_VALUE (invalid argument)");
}

TEST_F(CudaModule, ArgumentsAreCounted) {
  Kernel kernel = add();
  EXPECT_EQ(refusal(device->launch(kernel.id, {}, std::span(arguments, 2))),
            "kernel 'add': expects 3 arguments, but got 2");
  arguments[1] = nullptr;
  EXPECT_EQ(refusal(device->launch(kernel.id, {}, arguments)),
            "kernel 'add': argument 1 is a null pointer: expects a pointer to its value");
}

TEST_F(CudaModule, UnknownParametersAreNoObstacle) {
  state().failures = {{"cuFuncGetParamInfo", Code::NotSupported}};
  EXPECT_FALSE(add().info.parameters);
  EXPECT_EQ(launching({}), "(accepted)");
}

TEST_F(CudaModule, OldDriversCannotCountArguments) {
  open(TESSERA_FAKE_CUDA_12_3);
  // Its state is its own: the library is another one.
  Kernel kernel = add();
  EXPECT_FALSE(kernel.info.parameters);
  EXPECT_TRUE(device->launch(kernel.id, {}, arguments));
}
