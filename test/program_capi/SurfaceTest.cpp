// tessera/program.h: one program on eight threads, many programs, refusals, the CUDA driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/program.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <sstream>
#include <thread>

namespace tessera {
namespace {

/// The kernel of the README, `y[i] = 2 * x[i]` for 256 threads.
std::string readme() {
  std::ifstream file(TESSERA_README);
  std::stringstream all;
  all << file.rdbuf();
  std::string text = all.str();
  size_t begin = text.find("```mlir\n") + 8;
  return text.substr(begin, text.find("```", begin) - begin);
}

struct Vector {
  explicit Vector(float value) : data(256, value) {
    tensor = {data.data(), 1, 0, 1, 2, 32, 1, &extent, nullptr, 0};
  }
  std::vector<float> data;
  int64_t extent = 256;
  TesseraTensor tensor;
};

Program load(const Device &device, const std::string &text) {
  TesseraLoadOptions options{};
  options.arch = "sm_80";
  return Program::read(device, text, "twice.mlir", options);
}

/// Whether a call doubles what it is given.
bool doubles(const Kernel &kernel, float value) {
  Vector x(value), y(-1);
  kernel(nullptr, {x.tensor, y.tensor});
  return y.data == std::vector<float>(256, 2 * value);
}

TEST(Surface, OneProgramOnEightThreads) {
  Device device("sim");
  Kernel kernel = load(device, readme()).kernel();
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int turn = 0; turn < 25; ++turn)
        right += doubles(kernel, float(100 * t + turn));
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 200);
}

/// Programs are compiled, loaded, called and destroyed side by side, on devices of their own and on
/// one that is shared.
TEST(Surface, ManyProgramsOnEightThreads) {
  Device shared("sim");
  std::string text = readme();
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int turn = 0; turn < 13; ++turn) {
        Device own("sim");
        std::string other = text;
        for (size_t at; (at = other.find("@twice")) != std::string::npos;)
          other.replace(at, 6, "@k" + std::to_string(t) + "_" + std::to_string(turn));
        right += doubles(load(turn % 2 ? shared : own, other).kernel(), float(turn));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 104);
}

TEST(Surface, ErrorsAreThrown) {
  Device device("sim");
  Kernel kernel = load(device, readme()).kernel();
  Vector x(1);
  try {
    kernel(nullptr, {x.tensor, 5});
    FAIL() << "a number was taken for a tensor";
  } catch (const Error &error) {
    EXPECT_EQ(error.id(), "CallNotTensor");
    EXPECT_EQ(std::string(error.what()),
              "argument 1 (5) for !cute.memref<f32, gmem, \"(?):(1)\">: expects a tensor");
  }
  EXPECT_THROW(load(device, "nonsense"), Error);
  EXPECT_EQ(kernel.info().name, std::string("main"));
  EXPECT_EQ(kernel.parameters().size(), 3u);
  EXPECT_THROW(kernel.occupancy(256), Error); // of a host function
}

/// What is printed is read again and printed alike; PTX has no IR.
TEST(Surface, PrintsIr) {
  std::string printed = printIr(readme(), "readme.mlir");
  EXPECT_NE(printed.find("cute.memref"), std::string::npos);
  EXPECT_EQ(printIr(printed), printed);
  Device device("sim");
  std::vector<std::string> code = load(device, printed).code();
  ASSERT_EQ(code.size(), 1u);
  EXPECT_NE(code[0].find(".visible .entry"), std::string::npos);
  try {
    printIr(code[0], "k.ptx");
    FAIL() << "PTX has no IR";
  } catch (const Error &error) {
    EXPECT_EQ(error.id(), "CodeIsNoIr");
  }
  try {
    printIr("func.func @f() {", "cut.mlir");
    FAIL() << "half a file has no IR";
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("cut.mlir:1:"), std::string::npos) << error.what();
  }
}

/// The softmax of a row of equal numbers, whose 256 columns then have 1 / 256 each.
TEST(Surface, ReadyKernels) {
  Device device("sim");
  TesseraRows rows = {};
  rows.kernel = "softmax", rows.element = "f32", rows.columns = 256;
  Vector x(3), y(-1);
  int64_t shape[] = {1, 256};
  for (Vector *v : {&x, &y})
    v->tensor.rank = 2, v->tensor.shape = shape;
  Program::of(device, rows).kernel()(nullptr, {x.tensor, y.tensor});
  EXPECT_EQ(y.data, std::vector<float>(256, 1.0f / 256));
  TesseraGemm gemm = {};
  gemm.m = gemm.n = gemm.k = 64, gemm.a = gemm.b = "f16", gemm.d = "f32", gemm.major = "mm";
  EXPECT_EQ(Program::of(device, gemm).arch(), "sm_90a");
  gemm.b = "i4", gemm.major = nullptr, gemm.group_scales = 128;
  EXPECT_EQ(Program::of(device, gemm).kernel().parameters().size(), 5u);
  TesseraAttention attention = {};
  attention.element = "f16", attention.head_dim = 64;
  EXPECT_EQ(Program::of(device, attention).kernel().info().name, std::string("attention"));
  TesseraLoadOptions ampere = {};
  ampere.arch = "sm_80";
  Program ofAmpere = Program::of(device, attention, ampere);
  EXPECT_EQ(ofAmpere.arch(), "sm_80");
  EXPECT_NE(ofAmpere.code().at(0).find("mma.sync.aligned.m16n8k16"), std::string::npos);
  attention.element = "f8E4M3FN";
  EXPECT_THROW(Program::of(device, attention, ampere), Error);
  TesseraAttentionBackward backward = {};
  backward.element = "bf16", backward.head_dim = 128, backward.causal = true;
  EXPECT_EQ(Program::of(device, backward).kernel().parameters().size(), 12u);
  rows.kernel = "sort";
  EXPECT_THROW(Program::of(device, rows), Error);
}

/// The driver's calls go to the simulator that stands in for libcuda (TESSERA_LIBCUDA): streams,
/// memory and modules as on a GPU. Memory of such a GPU is not the host's.
TEST(Surface, ThroughTheCudaDriver) {
  Device gpu("gpu");
  Kernel kernel = load(gpu, readme()).kernel();
  Vector x(3), y(0);
  try {
    kernel(nullptr, {x.tensor, y.tensor});
    FAIL() << "a GPU took memory of the host";
  } catch (const Error &error) {
    EXPECT_EQ(error.id(), "TensorOnHost");
  }
  EXPECT_THROW(Device("gpu:99"), Error);
}

/// A function of the driver that stands in.
template <class F> F *driver(const char *symbol) {
  static void *library = dlopen(std::getenv("TESSERA_LIBCUDA"), RTLD_NOW);
  return reinterpret_cast<F *>(dlsym(library, symbol));
}

/// A vector in the memory of a GPU, as PyTorch has it.
struct OnGpu : Vector {
  explicit OnGpu(float value) : Vector(value) {
    uint64_t address = 0;
    EXPECT_EQ(driver<int(uint64_t *, size_t)>("cuMemAlloc_v2")(&address, 1024), 0);
    tensor.data = reinterpret_cast<void *>(address);
    tensor.device_type = 2;
    EXPECT_EQ(
        driver<int(uint64_t, const void *, size_t)>("cuMemcpyHtoD_v2")(address, data.data(), 1024),
        0);
  }
  void read() {
    auto address = reinterpret_cast<uint64_t>(tensor.data);
    EXPECT_EQ(driver<int(void *, uint64_t, size_t)>("cuMemcpyDtoH_v2")(data.data(), address, 1024),
              0);
  }
};

/// Memory and a stream that somebody else made.
TEST(Surface, MemoryAndStreamsOfOthers) {
  Device gpu("gpu");
  Program program = load(gpu, readme());
  OnGpu x(3), y(0);
  void *stream = nullptr;
  ASSERT_EQ(driver<int(void **, unsigned)>("cuStreamCreate")(&stream, 0), 0);
  program.kernel()(stream, {x.tensor, y.tensor});
  program.synchronize(stream);
  y.read();
  EXPECT_EQ(y.data, std::vector<float>(256, 6));
  y.tensor.device_id = 1;
  try {
    program.kernel()(stream, {x.tensor, y.tensor});
    FAIL() << "a kernel on GPU 0 took memory of GPU 1";
  } catch (const Error &error) {
    EXPECT_EQ(error.id(), "TensorOnOtherGpu");
  }
}

} // namespace
} // namespace tessera
