// CudaDevice on the fake library: context, memory, streams, events, and every call that can fail.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/CudaDevice.h"

#include "test/run/Check.h"
#include "test/run/FakeLibrary.h"

#include <algorithm>
#include <array>
#include <functional>

using namespace tessera;
using namespace tessera::run;
using cuda::Code;

namespace {

constexpr const char *ptx = ".version 8.0\n.target sm_90\n.visible .entry add() { ret; }\n";

class CudaDeviceTest : public FakeLibrary {
protected:
  Result<std::unique_ptr<CudaDevice>> tryOpen(int ordinal = 0) {
    return CudaDevice::open(must(cuda::Driver::load(TESSERA_FAKE_CUDA)), ordinal);
  }
  std::unique_ptr<CudaDevice> open() { return must(tryOpen()); }
};

std::array<std::byte, 4> fourBytes{std::byte(1), std::byte(2), std::byte(3), std::byte(4)};

} // namespace

TEST_F(CudaDeviceTest, ReportsItsProperties) {
  std::unique_ptr<CudaDevice> device = open();
  const DeviceInfo &info = device->info();
  EXPECT_EQ(info.name, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(info.target(), "sm_90");
  EXPECT_EQ(info.driverVersionText(), "12.4");
  EXPECT_EQ(info.multiprocessors, 132);
  EXPECT_EQ(info.sharedPerBlock, 49152);
  EXPECT_EQ(info.sharedPerBlockOptin, 232448);
  EXPECT_EQ(info.sharedPerMultiprocessor, 233472);
  EXPECT_EQ(info.registersPerMultiprocessor, 65536);
  EXPECT_EQ(info.clockRate, 1980000);
  EXPECT_EQ(info.memoryClockRate, 2619000);
  EXPECT_EQ(info.memoryBusBits, 5120);
  EXPECT_EQ(info.l2Bytes, 52428800);
  EXPECT_EQ(info.globalBytes, int64_t(80) << 30);
  EXPECT_EQ(info.maxThreadsPerBlock, 1024);
  EXPECT_EQ(info.maxBlock, (Dim3{1024, 1024, 64}));
  EXPECT_EQ(info.maxGrid, (Dim3{2147483647, 65535, 65535}));
  EXPECT_EQ(info.warpSize, 32);
  EXPECT_EQ(info.clusterLaunch, 1);
  EXPECT_EQ(info.cooperativeLaunch, 1);
}

TEST_F(CudaDeviceTest, OrdinalsMustExist) {
  EXPECT_EQ(refusal(tryOpen(1)),
            "no CUDA device: expects a number below 1, the count of GPUs, but got 1");
  EXPECT_EQ(refusal(tryOpen(-1)),
            "no CUDA device: expects a number below 1, the count of GPUs, but got -1");
}

TEST_F(CudaDeviceTest, ReleasesWhatIsLeft) {
  {
    std::unique_ptr<CudaDevice> device = open();
    EXPECT_EQ(state().contexts, 1);
    must(device->allocate(16));
    must(device->createStream());
    must(device->createEvent());
    must(device->loadModule(bytesOf(ptx)));
    EXPECT_EQ(state().allocations.size(), 1u);
    state().contextCurrent = false; // as on another thread
  }
  EXPECT_TRUE(state().allocations.empty());
  EXPECT_TRUE(state().streams.empty());
  EXPECT_TRUE(state().events.empty());
  EXPECT_TRUE(state().modules.empty());
  EXPECT_EQ(state().contexts, 0);
}

TEST_F(CudaDeviceTest, AFailedOpenReleasesTheContext) {
  state().failures = {{"cuDeviceGetAttribute", Code::InvalidValue}};
  EXPECT_EQ(refusal(tryOpen()),
            "cuDeviceGetAttribute failed: CUDA_ERROR_INVALID_VALUE (invalid argument)");
  EXPECT_EQ(state().contexts, 0);
}

TEST_F(CudaDeviceTest, BytesComeBack) {
  std::unique_ptr<CudaDevice> device = open();
  Address a = must(device->allocate(8));
  EXPECT_EQ(a % 256, 0u);
  ASSERT_TRUE(device->fill(a, 0xAB, 8));
  ASSERT_TRUE(device->copyToDevice(a + 2, fourBytes));
  std::array<std::byte, 8> got{};
  ASSERT_TRUE(device->copyToHost(got, a));
  EXPECT_EQ(got, (std::array<std::byte, 8>{std::byte(0xAB), std::byte(0xAB), std::byte(1),
                                           std::byte(2), std::byte(3), std::byte(4),
                                           std::byte(0xAB), std::byte(0xAB)}));
}

TEST_F(CudaDeviceTest, NothingIsCopiedWithoutACall) {
  std::unique_ptr<CudaDevice> device = open();
  state().calls.clear();
  EXPECT_TRUE(device->copyToDevice(0, {}));
  EXPECT_TRUE(device->copyToHost({}, 0));
  EXPECT_TRUE(device->fill(0, 1, 0));
  EXPECT_EQ(state().calls, std::vector<std::string>(3, "cuCtxSetCurrent"));
}

TEST_F(CudaDeviceTest, EmptyAllocationsHaveAnAddress) {
  std::unique_ptr<CudaDevice> device = open();
  Address a = must(device->allocate(0)), b = must(device->allocate(0));
  EXPECT_NE(a, b);
  EXPECT_TRUE(device->free(a));
}

TEST_F(CudaDeviceTest, MemoryFailuresSayHowMuch) {
  std::unique_ptr<CudaDevice> device = open();
  EXPECT_EQ(refusal(device->allocate(size_t(1) << 40)),
            "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory): other processes may hold "
            "memory, "
            "see nvidia-smi; smaller tensors need less (asked for 1099511627776 "
            "bytes; 85899345920 of 85899345920 are free)");
  Address a = must(device->allocate(4));
  EXPECT_EQ(a, 0x7f0000000100u);
  EXPECT_EQ(refusal(device->copyToDevice(a + 1, fourBytes)),
            "cuMemcpyHtoD failed: CUDA_ERROR_INVALID_VALUE (invalid argument) (4 bytes to "
            "0x7f0000000101)");
  EXPECT_EQ(refusal(device->copyToHost(fourBytes, a + 1)),
            "cuMemcpyDtoH failed: CUDA_ERROR_INVALID_VALUE (invalid argument) (4 bytes from "
            "0x7f0000000101)");
  EXPECT_EQ(refusal(device->fill(a, 0, 5)), "cuMemsetD8Async failed: CUDA_ERROR_INVALID_VALUE "
                                            "(invalid argument) (5 bytes at 0x7f0000000100)");
  ASSERT_TRUE(device->free(a));
  EXPECT_EQ(
      refusal(device->free(a)),
      "free: 0x7f0000000100 is not an address that this device allocated, or it was freed before");
}

TEST_F(CudaDeviceTest, BuffersFreeThemselves) {
  std::unique_ptr<CudaDevice> device = open();
  {
    DeviceBuffer a = must(DeviceBuffer::make(*device, 100));
    EXPECT_EQ(a.size(), 100u);
    EXPECT_EQ(state().allocations.count(a.address()), 1u);
    DeviceBuffer b = std::move(a);
    a = must(DeviceBuffer::make(*device, 8));
    EXPECT_EQ(state().allocations.size(), 2u);
    b = std::move(a);
  }
  EXPECT_TRUE(state().allocations.empty());
  EXPECT_FALSE(DeviceBuffer::make(*device, size_t(1) << 40));
}

TEST_F(CudaDeviceTest, StreamsAndEvents) {
  std::unique_ptr<CudaDevice> device = open();
  StreamId stream = must(device->createStream());
  EventId start = must(device->createEvent()), end = must(device->createEvent());
  EXPECT_TRUE(device->record(start));
  EXPECT_TRUE(device->record(end, stream));
  state().calls.clear();
  EXPECT_EQ(must(device->elapsedMilliseconds(start, end)), 1.5);
  EXPECT_EQ(state().calls, (std::vector<std::string>{"cuCtxSetCurrent", "cuEventSynchronize",
                                                     "cuEventElapsedTime"}));
  EXPECT_TRUE(must(device->finished(end)));
  state().failures = {{"cuEventQuery", Code::NotReady}};
  EXPECT_FALSE(must(device->finished(end)));
  state().failures = {{"cuEventQuery", Code::IllegalAddress}};
  EXPECT_TRUE(refusal(device->finished(end))
                  .starts_with("cuEventQuery failed: CUDA_ERROR_ILLEGAL_ADDRESS"));
  state().failures = {};
  EXPECT_TRUE(device->synchronize(stream));
  EXPECT_TRUE(device->synchronize(StreamId::Default));
  EXPECT_TRUE(device->synchronize());
  EXPECT_TRUE(device->destroyEvent(start));
  EXPECT_TRUE(device->destroyStream(stream));
  EXPECT_EQ(state().events.size(), 1u);
  EXPECT_TRUE(state().streams.empty());
}

TEST_F(CudaDeviceTest, Graphs) {
  std::unique_ptr<CudaDevice> device = open();
  EXPECT_TRUE(device->hasGraphs());
  StreamId stream = must(device->createStream());
  state().calls.clear();
  GraphId graph = must(device->capture(stream, [&] { return device->fill(0, 0, 0, stream); }));
  EXPECT_TRUE(device->launchGraph(graph, stream));
  EXPECT_EQ(state().graphs.size(), 1u); // what runs; what it was made of is gone
  EXPECT_TRUE(device->destroyGraph(graph));
  EXPECT_TRUE(state().graphs.empty());
  EXPECT_EQ(refusal(device->launchGraph(graph, stream)).substr(0, 15), "expects a graph");

  // Work that fails ends the capture, so that the stream goes on, and leaves nothing.
  state().calls.clear();
  EXPECT_EQ(refusal(device->capture(stream, [] { return Status(Reason{"Some", "why"}); })), "why");
  EXPECT_EQ(std::ranges::count(state().calls, "cuStreamEndCapture"), 1);
  EXPECT_EQ(std::ranges::count(state().calls, "cuGraphInstantiateWithFlags"), 0);
  EXPECT_TRUE(state().graphs.empty());
}

TEST_F(CudaDeviceTest, ForeignHandlesAreRefused) {
  std::unique_ptr<CudaDevice> device = open();
  StreamId stream = StreamId(0x77);
  EventId event = EventId(0x77);
  LaunchConfig config;
  const std::pair<std::string, const char *> rows[] = {
      {refusal(device->destroyStream(stream)), "stream"},
      {refusal(device->synchronize(stream)), "stream"},
      {refusal(device->fill(0, 0, 4, stream)), "stream"},
      {refusal(device->record(event)), "event"},
      {refusal(device->destroyEvent(event)), "event"},
      {refusal(device->elapsedMilliseconds(event, event)), "event"},
      {refusal(device->unloadModule(ModuleId(0x77))), "module"},
      {refusal(device->kernel(ModuleId(0x77), "add")), "module"},
      {refusal(device->launch(KernelId(0x77), config, {})), "kernel"}};
  for (const auto &[sentence, what] : rows)
    EXPECT_EQ(sentence, cat("expects a ", what,
                            " that this device made and did not destroy, but "
                            "got 0x77"));
  EXPECT_EQ(refusal(device->destroyStream(StreamId::Default)),
            "expects a stream that this device made and did not destroy, but got the default one");
}

// Whatever call of the driver fails, the operation says which, and nothing else happens.
TEST_F(CudaDeviceTest, EveryFailureIsReported) {
  struct Operation {
    const char *symbol;
    std::function<std::string(CudaDevice &, ModuleId, KernelId, StreamId, EventId)> run;
  };
  using D = CudaDevice;
  using M = ModuleId;
  using K = KernelId;
  using S = StreamId;
  using E = EventId;
  int value = 0;
  void *arguments[] = {&value, &value, &value};
  LaunchConfig plain, large;
  large.dynamicSharedBytes = 100000;
  const Operation operations[] = {
      {"cuCtxSetCurrent", [](D &d, M, K, S, E) { return refusal(d.allocate(4)); }},
      {"cuCtxSetCurrent", [](D &d, M, K, S, E) { return refusal(d.synchronize()); }},
      {"cuCtxSetCurrent", [](D &d, M, K, S, E) { return refusal(d.createStream()); }},
      {"cuMemAlloc_v2", [](D &d, M, K, S, E) { return refusal(d.allocate(4)); }},
      {"cuMemFree_v2", [](D &d, M, K, S, E) { return refusal(d.free(must(d.allocate(4)))); }},
      {"cuModuleLoadDataEx", [](D &d, M, K, S, E) { return refusal(d.loadModule(bytesOf(ptx))); }},
      {"cuModuleUnload", [](D &d, M m, K, S, E) { return refusal(d.unloadModule(m)); }},
      {"cuModuleGetFunction", [](D &d, M m, K, S, E) { return refusal(d.kernel(m, "add")); }},
      {"cuFuncGetAttribute", [](D &d, M m, K, S, E) { return refusal(d.kernel(m, "add")); }},
      {"cuFuncSetAttribute",
       [&](D &d, M, K k, S, E) { return refusal(d.launch(k, large, arguments)); }},
      {"cuLaunchKernelEx",
       [&](D &d, M, K k, S, E) { return refusal(d.launch(k, plain, arguments)); }},
      {"cuStreamCreate", [](D &d, M, K, S, E) { return refusal(d.createStream()); }},
      {"cuStreamDestroy_v2", [](D &d, M, K, S s, E) { return refusal(d.destroyStream(s)); }},
      {"cuStreamSynchronize", [](D &d, M, K, S s, E) { return refusal(d.synchronize(s)); }},
      {"cuCtxSynchronize", [](D &d, M, K, S, E) { return refusal(d.synchronize()); }},
      {"cuStreamBeginCapture_v2",
       [](D &d, M, K, S s, E) { return refusal(d.capture(s, [] { return Status(Done{}); })); }},
      {"cuStreamEndCapture",
       [](D &d, M, K, S s, E) { return refusal(d.capture(s, [] { return Status(Done{}); })); }},
      {"cuGraphInstantiateWithFlags",
       [](D &d, M, K, S s, E) { return refusal(d.capture(s, [] { return Status(Done{}); })); }},
      {"cuEventCreate", [](D &d, M, K, S, E) { return refusal(d.createEvent()); }},
      {"cuEventDestroy_v2", [](D &d, M, K, S, E e) { return refusal(d.destroyEvent(e)); }},
      {"cuEventRecord", [](D &d, M, K, S, E e) { return refusal(d.record(e)); }},
      {"cuEventSynchronize",
       [](D &d, M, K, S, E e) { return refusal(d.elapsedMilliseconds(e, e)); }},
      {"cuEventElapsedTime",
       [](D &d, M, K, S, E e) { return refusal(d.elapsedMilliseconds(e, e)); }},
  };
  for (const Operation &operation : operations) {
    reset();
    std::unique_ptr<CudaDevice> device = open();
    ModuleId module = must(device->loadModule(bytesOf(ptx))).id;
    KernelId kernel = must(device->kernel(module, "add")).id;
    StreamId stream = must(device->createStream());
    EventId event = must(device->createEvent());
    state().failures = {{operation.symbol, Code::IllegalAddress}};
    std::string symbol = operation.symbol;
    std::string sentence = operation.run(*device, module, kernel, stream, event);
    EXPECT_NE(sentence.find(cat(symbol.substr(0, symbol.find("_v2")),
                                " failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was "
                                "encountered)")),
              std::string::npos)
        << symbol << ": " << sentence;
    state().failures.clear();
  }
}

TEST_F(CudaDeviceTest, EveryFailureOfOpeningIsReported) {
  for (const char *symbol : {"cuDeviceGet", "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent",
                             "cuDeviceGetName", "cuDeviceTotalMem_v2", "cuDeviceGetAttribute"}) {
    reset();
    state().failures = {{symbol, Code::OutOfMemory}};
    std::string sentence = refusal(tryOpen()), call = symbol;
    EXPECT_TRUE(sentence.starts_with(cat(call.substr(0, call.find("_v2")),
                                         " failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory): ")))
        << sentence;
    EXPECT_EQ(state().contexts, 0) << symbol;
  }
}
