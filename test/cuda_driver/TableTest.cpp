// The tables: functions by name and version, results, GPUs and their attributes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include "tessera/cuda_driver/Driver.h"
#include "tessera/cuda_driver/Functions.h"

#include <dlfcn.h>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

namespace tessera::cuda_driver::test {
namespace {

TEST(Functions, AreFoundByNameAndVersion) {
  for (const FunctionRow &row : functionRows()) {
    std::string name(row.name);
    void (*found)() = nullptr;
    int status = -1;
    EXPECT_EQ(cuGetProcAddress_v2(name.c_str(), &found, row.version, 0, &status), ok) << row.symbol;
    EXPECT_EQ(found, row.function) << row.symbol;
    EXPECT_EQ(status, 0);
    EXPECT_EQ(cuGetProcAddress_v2(name.c_str(), &found, row.version, 2, nullptr), ok);
    EXPECT_EQ(found, row.perThread ? row.perThread : row.function) << row.symbol;
    // An older version is an older function, or none.
    bool isKnown = false;
    const FunctionRow *older = findFunction(row.name, row.version - 10, isKnown);
    EXPECT_TRUE(isKnown);
    EXPECT_TRUE(!older || older->version < row.version) << row.symbol;
  }
  // What an H200's driver answers (580.159, CUDA 13.0, asked on 2026-11-30).
  struct {
    const char *name;
    int version, status;
  } absent[] = {{"cuNothing", 13000, 1}, {"", 13000, 1}, {"cuLaunchKernelEx", 11040, 2}};
  for (auto [name, version, expected] : absent) {
    void (*const before)() = +[] {};
    void (*found)() = before;
    int status = 0;
    EXPECT_EQ(cuGetProcAddress_v2(name, &found, version, 0, &status), ok) << name;
    EXPECT_EQ(status, expected) << name;
    EXPECT_EQ(found, nullptr) << name;
    found = before;
    EXPECT_EQ(cuGetProcAddress_v2(name, &found, version, 0, nullptr), ok) << name;
    EXPECT_EQ(found, nullptr) << name;
    found = before;
    EXPECT_EQ(cuGetProcAddress(name, &found, version, 0), Code::NotFound) << name;
    EXPECT_EQ(found, before) << name;
  }
}

TEST(Functions, SayOnceWhatIsMissing) {
  testing::internal::CaptureStderr();
  size_t refused = 0;
  for (const FunctionRow &row : functionRows())
    if (!row.refused.empty())
      for (int twice = 0; twice < 2; ++twice) {
        EXPECT_EQ(reinterpret_cast<Code (*)()>(row.function)(), Code::NotSupported) << row.symbol;
        refused += twice;
      }
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(size_t(std::count(said.begin(), said.end(), '\n')), refused);
  EXPECT_NE(said.find("tessera: cuTexObjectCreate is not available: there are no textures"),
            std::string::npos);
}

/// Every function is called in a process of its own, with zeros, and with a first pointer that is
/// not null: an answer is expected, whichever.
TEST(Functions, AnswerNullPointers) {
  ASSERT_EQ(start(), ok);
  using Call = Code (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *,
                        void *, void *, void *, void *, void *, void *);
  static uint64_t room[512];
  for (const FunctionRow &row : functionRows())
    for (void *first : {static_cast<void *>(nullptr), static_cast<void *>(room)}) {
      pid_t child = fork();
      if (!child) {
        std::freopen("/dev/null", "w", stderr);
        alarm(20);
        reinterpret_cast<Call>(row.function)(first, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {},
                                             {}, {});
        _exit(0);
      }
      int status = 1;
      waitpid(child, &status, 0);
      EXPECT_EQ(status, 0) << row.symbol << (first ? ", the first pointer is not null" : "");
    }
}

TEST(Functions, TablesOfTheRuntimeAreNotThere) {
  const void *table = &table;
  Uuid id{};
  testing::internal::CaptureStderr();
  EXPECT_EQ(cuGetExportTable(&table, &id), Code::NotFound);
  EXPECT_EQ(table, nullptr);
  std::string said = testing::internal::GetCapturedStderr(); // "ForeignRuntime"
  EXPECT_NE(said.find("nvcc -cudart=shared"), std::string::npos);
}

TEST(Results, HaveNamesAndSentences) {
  const char *text = nullptr;
  EXPECT_EQ(cuGetErrorName(Code::IllegalAddress, &text), ok);
  EXPECT_STREQ(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_EQ(cuGetErrorString(Code::IllegalAddress, &text), ok);
  EXPECT_STREQ(text, "illegal address");
  EXPECT_EQ(cuGetErrorName(Code(12345), &text), Code::InvalidValue);
}

TEST(Gpus, HaveWhatTheirCapabilitySays) {
  for (const char *key : {"v100", "t4", "a100", "rtx3090", "l4", "l40s", "rtx4090", "h100",
                          "h100-pcie", "h200", "b200", "b300", "rtx5090"}) {
    const Gpu *gpu = findGpu(key);
    ASSERT_TRUE(gpu) << key;
    EXPECT_NE(gpuNames().find(key), std::string::npos);
    EXPECT_EQ(attribute(*gpu, 75), gpu->major);
    EXPECT_GE(*attribute(*gpu, 81), *attribute(*gpu, 97)) << key; // shared memory
    EXPECT_EQ(*attribute(*gpu, 39) % 32, 0);
    EXPECT_EQ(*attribute(*gpu, 120), gpu->major >= 9); // clusters
    for (int number = 1; number <= 147; ++number)
      EXPECT_TRUE(attribute(*gpu, number)) << number;
  }
  // CUDA C++ Programming Guide 13.0, technical specifications: threads and blocks of a
  // multiprocessor, its shared memory and that of a block, in KiB.
  struct {
    const char *gpu;
    int threads, blocks, shared, ofBlock;
  } const stated[] = {
      {"v100", 2048, 32, 96, 96},     {"t4", 1024, 16, 64, 64},     {"a100", 2048, 32, 164, 163},
      {"rtx3090", 1536, 16, 100, 99}, {"l40s", 1536, 24, 100, 99},  {"h200", 2048, 32, 228, 227},
      {"b200", 2048, 32, 228, 227},   {"b300", 2048, 32, 228, 227}, {"rtx5090", 1536, 24, 100, 99}};
  for (const auto &row : stated) {
    const Gpu &gpu = *findGpu(row.gpu);
    EXPECT_EQ(attribute(gpu, 39), row.threads) << row.gpu;
    EXPECT_EQ(attribute(gpu, 106), row.blocks) << row.gpu;
    EXPECT_EQ(attribute(gpu, 81), row.shared * 1024) << row.gpu;
    EXPECT_EQ(attribute(gpu, 97), row.ofBlock * 1024) << row.gpu;
    EXPECT_EQ(attribute(gpu, 111), gpu.major >= 8 ? 1024 : 0) << row.gpu; // of the system
  }
  EXPECT_FALSE(findGpu("gtx1080"));
  EXPECT_FALSE(attribute(*findGpu("h100"), 148));
}

} // namespace
} // namespace tessera::cuda_driver::test
