// The driver's functions on PTX of our own: memory, modules, streams, faults, and what is refused.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"
#include "TinyFatbinary.h"

#include <atomic>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace tessera::cuda_driver::test {
namespace {

TEST(Driver, RunsAKernel) {
  Kernel *scale = kernelOf("scale");
  DevicePointer data = upload({1, 2, 3, 4});
  uint32_t count = 3;
  EXPECT_EQ(launch(scale, 32, {&data, &count}), ok);
  EXPECT_EQ(download(data, 4), (std::vector<uint32_t>{3, 6, 9, 4}));
  // The same parameters in one buffer.
  struct {
    DevicePointer data;
    uint32_t count;
  } buffer{data, 1};
  size_t size = 12;
  void *extra[] = {reinterpret_cast<void *>(1), &buffer, reinterpret_cast<void *>(2), &size,
                   nullptr};
  EXPECT_EQ(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra), ok);
  EXPECT_EQ(download(data, 1)[0], 9u);
  EXPECT_EQ(launch(scale, 1025, {&data, &count}), Code::InvalidValue);
  EXPECT_EQ(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 200000, nullptr, nullptr, extra),
            Code::InvalidValue);
  EXPECT_EQ(cuMemFree_v2(data), ok);
  EXPECT_EQ(cuMemFree_v2(data), Code::InvalidValue);
}

/// CUDA Driver API, cuCtxDestroy: it is popped where it is current, and stays so for other threads.
TEST(Driver, DestroyedContexts) {
  Context *first = nullptr, *second = nullptr, *now = nullptr, *before = nullptr;
  ASSERT_EQ(cuCtxGetCurrent(&before), ok);
  ASSERT_EQ(cuCtxCreate_v2(&first, 0, 0), ok);
  ASSERT_EQ(cuCtxCreate_v2(&second, 0, 0), ok);
  Code ofThread{}, usedThere{};
  std::atomic<bool> isCurrent = false, isGone = false;
  std::thread other([&] {
    ofThread = cuCtxSetCurrent(second);
    isCurrent = true;
    while (!isGone)
      std::this_thread::yield();
    DevicePointer none = 0;
    usedThere = cuMemAlloc_v2(&none, 16);
  });
  while (!isCurrent)
    std::this_thread::yield();
  EXPECT_EQ(cuCtxDestroy_v2(second), ok);
  isGone = true;
  other.join();
  EXPECT_EQ(ofThread, ok);
  EXPECT_EQ(usedThere, Code::ContextIsDestroyed);
  EXPECT_EQ(cuCtxGetCurrent(&now), ok);
  EXPECT_EQ(now, first);
  EXPECT_EQ(cuCtxDestroy_v2(first), ok);
  EXPECT_EQ(cuCtxGetCurrent(&now), ok);
  EXPECT_EQ(now, before);
  EXPECT_EQ(cuCtxDestroy_v2(first), Code::InvalidContext);
}

/// Rows that overlap are refused, and nothing is copied where a row is not there.
TEST(Driver, CopiesOfRows) {
  const DevicePointer data = upload({1, 2, 3, 4});
  uint32_t host[8] = {9, 9, 9, 9, 9, 9, 9, 9};
  Copy2d copy{};
  copy.from.type = MemoryType::Device, copy.from.device = data, copy.from.pitch = 8;
  copy.to.type = MemoryType::Host, copy.to.host = host, copy.to.pitch = 16;
  copy.width = 8, copy.height = 2;
  EXPECT_EQ(cuMemcpy2D_v2(&copy), ok);
  EXPECT_EQ(std::vector<uint32_t>(host, host + 8), (std::vector<uint32_t>{1, 2, 9, 9, 3, 4, 9, 9}));
  host[0] = 7;
  copy.height = 3; // the third row is beyond the memory
  EXPECT_EQ(cuMemcpy2D_v2(&copy), Code::InvalidValue);
  copy.height = 2, copy.width = 12; // more than a pitch of the source
  EXPECT_EQ(cuMemcpy2D_v2(&copy), Code::InvalidValue);
  copy.width = 8, copy.to.pitch = 12, copy.to.x = 8; // with what is left of it
  EXPECT_EQ(cuMemcpy2D_v2(&copy), Code::InvalidValue);
  EXPECT_EQ(host[0], 7u);
  EXPECT_EQ(cuMemFree_v2(data), ok);
}

TEST(Driver, VariablesHaveAddresses) {
  Module *loaded = moduleOf(kernelOf("scale"));
  DevicePointer factor = 0, managed = 0;
  size_t bytes = 0;
  EXPECT_EQ(cuModuleGetGlobal_v2(&factor, &bytes, loaded, "factor"), ok);
  EXPECT_EQ(bytes, 4u);
  EXPECT_EQ(cuModuleGetGlobal_v2(&managed, nullptr, loaded, "shared_with_host"), ok);
  EXPECT_EQ(*reinterpret_cast<uint32_t *>(managed), 9u); // the host reads it
  EXPECT_EQ(cuModuleGetGlobal_v2(&managed, nullptr, loaded, "none"), Code::NotFound);
  EXPECT_EQ(cuMemsetD32_v2(factor, 5, 1), ok);
  DevicePointer data = upload({7});
  uint32_t count = 1;
  EXPECT_EQ(launch(kernelOf("scale"), 1, {&data, &count}), ok);
  EXPECT_EQ(download(data, 1)[0], 35u);
  EXPECT_EQ(cuMemsetD32_v2(factor, 3, 1), ok);
}

TEST(Driver, CopiesAndFills) {
  ASSERT_EQ(start(), ok);
  DevicePointer data = upload(std::vector<uint32_t>(8, 0));
  EXPECT_EQ(cuMemsetD16_v2(data + 2, 0xabcd, 3), ok);
  EXPECT_EQ(download(data, 2), (std::vector<uint32_t>{0xabcd0000, 0xabcdabcd}));
  EXPECT_EQ(cuMemsetD2D8_v2(data, 16, 1, 2, 2), ok); // two bytes of two rows
  EXPECT_EQ(download(data, 5), (std::vector<uint32_t>{0xabcd0101, 0xabcdabcd, 0, 0, 0x0101}));
  testing::internal::CaptureStderr();
  uint32_t word = 1;
  EXPECT_EQ(cuMemcpyHtoD_v2(data + 29, &word, 4), Code::InvalidValue);
  EXPECT_EQ(cuMemsetD8_v2(data + 30, 0, 3), Code::InvalidValue);
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("a copy: 4 bytes at 0x"), std::string::npos);
  EXPECT_NE(said.find("are not within one allocation of the device"),
            std::string::npos); // "HostPlace"
  unsigned type = 0;
  EXPECT_EQ(cuPointerGetAttribute(&type, PointerAttribute::MemoryType, data), ok);
  EXPECT_EQ(type, 2u);
  EXPECT_EQ(cuPointerGetAttribute(&type, PointerAttribute::MemoryType, 0x1234), Code::InvalidValue);
}

TEST(Driver, StreamsAndEvents) {
  ASSERT_EQ(start(), ok);
  Stream *stream = nullptr;
  Event *event = nullptr;
  ASSERT_EQ(cuStreamCreate(&stream, 1), ok);
  ASSERT_EQ(cuEventCreate(&event, 0), ok);
  float milliseconds = 0;
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, event, event), Code::InvalidHandle); // not recorded
  DevicePointer data = upload({6, 0});
  uint32_t count = 1;
  EXPECT_EQ(launch(kernelOf("scale"), 1, {&data, &count}, stream), ok);
  EXPECT_EQ(cuEventRecord(event, stream), ok);
  EXPECT_EQ(cuStreamWaitEvent(nullptr, event, 0), ok);
  EXPECT_EQ(cuEventSynchronize(event), ok);
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, event, event), ok);
  EXPECT_EQ(download(data, 1)[0], 18u);
  // Values in memory: one that is there, and one that nobody will write in time.
  EXPECT_EQ(cuStreamWriteValue32_v2(stream, data + 4, 77, 0), ok);
  EXPECT_EQ(cuStreamWaitValue32_v2(stream, data + 4, 77, 1), ok);
  EXPECT_EQ(cuStreamWaitValue32_v2(stream, data + 4, 70, 0), ok); // at least
  testing::internal::CaptureStderr();
  EXPECT_EQ(cuStreamWaitValue32_v2(stream, data + 4, 78, 1), Code::NotSupported);
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("a stream waits for a value at 0x"), std::string::npos); // "WaitsForHost"
  EXPECT_EQ(cuStreamDestroy_v2(stream), ok);
  EXPECT_EQ(cuStreamSynchronize(stream), Code::InvalidHandle);
  EXPECT_EQ(cuStreamQuery(reinterpret_cast<Stream *>(0x5)), Code::InvalidHandle);
}

TEST(Driver, LibrariesLoadWhenTheyAreUsed) {
  ASSERT_EQ(start(), ok);
  Library *library = nullptr;
  Kernel *kernel = nullptr;
  ASSERT_EQ(cuLibraryLoadData(&library, module, nullptr, nullptr, 0, nullptr, nullptr, 0), ok);
  unsigned count = 0;
  EXPECT_EQ(cuLibraryGetKernelCount(&count, library), ok);
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(cuLibraryGetKernel(&kernel, library, "scale"), ok);
  EXPECT_EQ(cuLibraryGetKernel(&kernel, library, "none"), Code::NotFound);
  EXPECT_EQ(cuLibraryGetKernel(&kernel, library, nullptr), Code::InvalidValue);
  Library *owner = nullptr;
  EXPECT_EQ(cuKernelGetLibrary(&owner, kernel), ok);
  EXPECT_EQ(owner, library);
  size_t offset = 0, size = 0;
  EXPECT_EQ(cuKernelGetParamInfo(kernel, 1, &offset, &size), ok);
  EXPECT_EQ(offset, 8u);
  EXPECT_EQ(size, 4u);
  EXPECT_EQ(cuLibraryUnload(library), ok);
  EXPECT_EQ(cuLibraryUnload(library), Code::InvalidHandle);
  DevicePointer data = 0;
  EXPECT_EQ(launch(kernel, 1, {&data, &data}), Code::InvalidHandle); // went with it
}

/// What a kernel was compiled for, and what it runs as: CUB chooses its algorithms by the former.
TEST(Driver, VersionsOfCode) {
  ASSERT_EQ(start(), ok);
  Module *newer = nullptr;
  Kernel *kernel = nullptr;
  int value = 0;
  EXPECT_EQ(cuFuncGetAttribute(&value, FunctionAttribute::PtxVersion, kernelOf("scale")), ok);
  EXPECT_EQ(value, 80); // of .target sm_80
  EXPECT_EQ(cuFuncGetAttribute(&value, FunctionAttribute::BinaryVersion, kernelOf("scale")), ok);
  EXPECT_EQ(value, 90); // of an H100
  ASSERT_EQ(cuModuleLoadData(&newer, ".version 8.0\n.target sm_90a\n.entry k() { ret; }"), ok);
  ASSERT_EQ(cuModuleGetFunction(&kernel, newer, "k"), ok);
  EXPECT_EQ(cuFuncGetAttribute(&value, FunctionAttribute::PtxVersion, kernel), ok);
  EXPECT_EQ(value, 90);
  EXPECT_EQ(cuModuleUnload(newer), ok);
}

/// A kernel that nobody simulates is refused when it is launched, with the functions that it calls;
/// the others of its module run.
TEST(Driver, KernelsThatAreNotSimulated) {
  ASSERT_EQ(start(), ok);
  constexpr const char *text = R"(
.version 8.0
.target sm_80
.address_size 64
.func looks() { .reg .f32 f<4>; .reg .b64 t; .reg .b32 i;
  tex.1d.v4.f32.s32 {f0, f1, f2, f3}, [t, {i}];
  bra end;
end: ret; }
.func passes() { call looks, (); ret; }
.func fine() { ret; }
.entry direct() { .reg .f32 f<4>; .reg .b64 t; .reg .b32 i;
  tex.1d.v4.f32.s32 {f0, f1, f2, f3}, [t, {i}]; ret; }
.entry calls() { call passes, (); ret; }
.entry through() { .reg .b64 f; mov.u64 f, looks; call f, (), looks_type; looks_type: .callprototype _ (); ret; }
.entry plain(.param .u64 p)
{
  .reg .b64 d; ld.param.u64 d, [p]; call fine, (); st.global.u32 [d], 5; ret;
}
)";
  Module *out = nullptr;
  Kernel *kernel = nullptr;
  ASSERT_EQ(cuModuleLoadData(&out, text), ok);
  testing::internal::CaptureStderr();
  for (const char *name : {"direct", "calls", "through"}) {
    ASSERT_EQ(cuModuleGetFunction(&kernel, out, name), ok);
    EXPECT_EQ(launch(kernel, 1, {}), Code::NotSupported) << name;
  }
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("'tex.1d.v4.f32.s32' is not simulated: there are no textures"),
            std::string::npos);
  ASSERT_EQ(cuModuleGetFunction(&kernel, out, "plain"), ok);
  DevicePointer data = upload({0});
  EXPECT_EQ(launch(kernel, 1, {&data}), ok);
  EXPECT_EQ(download(data, 1)[0], 5u);
  EXPECT_EQ(cuModuleUnload(out), ok);
}

TEST(Driver, CodeThatIsNone) {
  ASSERT_EQ(start(), ok);
  Module *out = nullptr;
  testing::internal::CaptureStderr();
  EXPECT_EQ(cuModuleLoadData(&out, "nothing"), Code::InvalidImage);             // NotCode
  EXPECT_EQ(cuModuleLoadData(&out, "\177ELF and so on"), Code::NoBinaryForGpu); // NoPtx
  EXPECT_EQ(cuModuleLoadData(&out, ".version 8.0\n.target sm_80\n.entry k() { frob; }"),
            Code::InvalidPtx);
  EXPECT_EQ(cuModuleLoadData(&out, ".version 8.0\n.target sm_999\n"), Code::NoBinaryForGpu);
  EXPECT_EQ(cuModuleLoad(&out, "/no/such/file"), Code::FileNotFound); // NotThere
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("the code has no PTX, only machine code"), std::string::npos);
  EXPECT_NE(said.find("there is no instruction 'frob'"), std::string::npos);
}

/// CUDA 12's headers align a map to 64 bytes, and a driver asks for no more.
TEST(Driver, TensorMapsLieAtMultiplesOf64Bytes) {
  ASSERT_EQ(start(), ok);
  DevicePointer data = upload(std::vector<uint32_t>(64, 0));
  const uint64_t extents[] = {16, 4}, strides[] = {64};
  const uint32_t box[] = {16, 4}, steps[] = {1, 1};
  alignas(128) std::byte room[256];
  auto at = [&](size_t offset) { return reinterpret_cast<TensorMap *>(room + offset); };
  auto encode = [&](size_t offset) { // u32, rank 2, no interleaving, swizzle, promotion or fill
    return cuTensorMapEncodeTiled(at(offset), 2, 2, reinterpret_cast<void *>(data), extents,
                                  strides, box, steps, 0, 0, 0, 0);
  };
  for (size_t offset : {0, 64}) {
    EXPECT_EQ(encode(offset), ok) << offset;
    EXPECT_EQ(cuTensorMapReplaceAddress(at(offset), reinterpret_cast<void *>(data + 128)), ok);
  }
  EXPECT_EQ(std::memcmp(room, room + 64, 64), 0);
  testing::internal::CaptureStderr();
  EXPECT_EQ(encode(8), Code::InvalidValue); // Error::MapPlace
  EXPECT_EQ(cuTensorMapReplaceAddress(at(32), nullptr), Code::InvalidValue);
  std::string said = testing::internal::GetCapturedStderr();
  for (const char *function : {"cuTensorMapEncode", "cuTensorMapReplaceAddress"})
    EXPECT_NE(said.find(std::string("a tensor map lies at a multiple of 64 bytes (CUtensorMap of "
                                    "cuda.h), but ") +
                        function),
              std::string::npos);
}

/// What is wrong with PTX stands in the program's own buffer too, as long as that is.
TEST(Driver, LogsOfCompilation) {
  ASSERT_EQ(start(), ok);
  const int options[] = {5, 6, 4, 3}; // CU_JIT_ERROR_LOG_BUFFER, its size, CU_JIT_INFO_LOG_BUFFER's
  const char *wrong = ".version 8.0\n.target sm_80\n.entry k() { frob; }";
  Module *out = nullptr;
  testing::internal::CaptureStderr();
  for (size_t size : {200u, 20u, 1u, 0u}) {
    std::vector<char> errors(201, '#'), information(8, '#');
    void *values[] = {errors.data(), reinterpret_cast<void *>(size), reinterpret_cast<void *>(8),
                      information.data()};
    EXPECT_EQ(cuModuleLoadDataEx(&out, wrong, 4, options, values), Code::InvalidPtx);
    EXPECT_EQ(information[0], 0);
    EXPECT_EQ(values[2], nullptr);
    EXPECT_EQ(errors[size], '#'); // nothing beyond
    if (size)
      EXPECT_LT(std::string_view(errors.data()).size(), size);
    if (size == 200) {
      EXPECT_NE(std::string_view(errors.data()).find("there is no instruction 'frob'"),
                std::string::npos);
      EXPECT_EQ(size_t(values[1]), std::string_view(errors.data()).size() + 1);
    }
    values[1] = reinterpret_cast<void *>(size);
    values[2] = reinterpret_cast<void *>(8);
    ASSERT_EQ(cuModuleLoadDataEx(&out, ".version 8.0\n.target sm_80\n", 4, options, values), ok);
    EXPECT_EQ(errors[0], size ? 0 : '#');
    EXPECT_EQ(values[1], nullptr);
  }
  testing::internal::GetCapturedStderr();
}

/// A folder of a test, which goes with it.
struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tessera-driver-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
};

TEST(Driver, FilesAreReadWholeAndNothingElseIs) {
  ASSERT_EQ(start(), ok);
  Folder folder;
  auto load = [&](const char *name, const std::string &content) {
    std::string path = folder.path / name;
    std::ofstream(path, std::ios::binary) << content;
    Module *out = nullptr;
    return cuModuleLoad(&out, path.c_str());
  };
  EXPECT_EQ(load("fat", fatbinary({module})), ok);
  EXPECT_EQ(load("text", module), ok);
  EXPECT_EQ(load("empty", ""), Code::InvalidImage);
  EXPECT_EQ(load("cut", fatbinary({module}).substr(0, 100)), Code::InvalidImage);
  // A wrapper holds addresses.
  EXPECT_EQ(load("wrapper", std::string("\xb1\x43\x62\x46\1\0\0\0\0\x10\0\0\0\0\0\0", 16)),
            Code::InvalidImage);
  // A FIFO without a writer would wait for one.
  std::string fifo = folder.path / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  Module *out = nullptr;
  Library *library = nullptr;
  alarm(60);
  for (const std::string &path : {fifo, folder.path.string(), std::string("/dev/zero")}) {
    EXPECT_EQ(cuModuleLoad(&out, path.c_str()), Code::FileNotFound) << path;
    EXPECT_EQ(
        cuLibraryLoadFromFile(&library, path.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
        Code::FileNotFound)
        << path;
  }
  alarm(0);
  EXPECT_EQ(cuModuleLoad(&out, nullptr), Code::InvalidValue);
}

/// What files and names have reaches a terminal, and cannot steer it.
TEST(Driver, MessagesArePrintable) {
  ASSERT_EQ(start(), ok);
  Module *out = nullptr;
  testing::internal::CaptureStderr();
  EXPECT_EQ(cuModuleLoad(&out, "/no/such/\x1b[2Jfile\x9b"), Code::FileNotFound);
  EXPECT_EQ(cuModuleLoadData(&out, ".version 8.0\n.target sm_80\n.entry k() { \"\x1b[31m\"; }"),
            Code::InvalidPtx);
  EXPECT_NE(cuModuleLoadData(&out, ".version 8.0\n.target sm_\x1b[31m\n"), ok);
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("/no/such/\\x1b[2Jfile\\x9b"), std::string::npos) << said;
  for (char c : said)
    EXPECT_TRUE(c == '\n' || (c >= 0x20 && c != 0x7f)) << int(c);
}

/// A fault stays, so each has a process of its own.
TEST(DriverDeathTest, FaultsStay) {
  auto fault = [](const char *kernel, Code expected) {
    Kernel *k = kernelOf(kernel);
    DevicePointer data = upload({1});
    bool queued = launch(k, 1, {&data}) == ok; // as with a GPU, the launch itself is fine
    bool stays = cuCtxSynchronize() == expected && cuMemFree_v2(data) == expected;
    std::exit(queued && stays ? 0 : 1);
  };
  EXPECT_EXIT(fault("stop", Code::LaunchFailed), testing::ExitedWithCode(0), "executed trap");
  EXPECT_EXIT(fault("far", Code::IllegalAddress), testing::ExitedWithCode(0), "out of bounds");
}

/// A program that does not look at errors ends with 0, unless somebody asked for checks.
void ignoresAFault() {
  Kernel *far = kernelOf("far");
  DevicePointer data = upload({1});
  launch(far, 1, {&data});
  std::exit(0);
}
void checksAFault() {
  setenv("TESSERA_CHECK", "1", 1);
  ignoresAFault();
}
void runsEndlessly(const char *name, const char *value) {
  setenv(name, value, 1);
  Module *out = nullptr;
  Kernel *kernel = nullptr;
  if (start() != ok ||
      cuModuleLoadData(&out, ".version 8.0\n.target sm_80\n.entry k() { again: bra again; }") !=
          ok ||
      cuModuleGetFunction(&kernel, out, "k") != ok)
    std::exit(1);
  launch(kernel, 1, {});
  std::exit(0);
}
void waitsOnTheHost() {
  setenv("TESSERA_TIMEOUT", "0.5", 1);
  if (start() != ok)
    std::exit(1);
  for (alarm(60);;)
    pause();
}
void settingOf(const char *name, const char *value) {
  setenv(name, value, 1);
  std::exit(cuInit(0) == Code::NoDevice ? 0 : 1);
}

/// Codes as docs/exit-codes.md has them.
TEST(DriverDeathTest, ExitCodesSayWhatFailed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(ignoresAFault(), testing::ExitedWithCode(0), "out of bounds");
  EXPECT_EXIT(checksAFault(), testing::ExitedWithCode(5),
              "1 fault of a kernel; the exit code is 5"); // EndedWithReports
  EXPECT_EXIT(runsEndlessly("TESSERA_MAX_INSTRUCTIONS", "1000"), testing::ExitedWithCode(5),
              "the limit of 1000 instructions of a warp is used up(.|\n)*1 fault of a kernel");
  EXPECT_EXIT(runsEndlessly("TESSERA_TIMEOUT", "0.5"), testing::ExitedWithCode(4),
              "kernel 'k' did not end in the time that it was given(.|\n)*the program did not end "
              "in the 0.5 s "
              "of TESSERA_TIMEOUT; the exit code is 4"); // TimedOut
  EXPECT_EXIT(waitsOnTheHost(), testing::ExitedWithCode(4), "the 0.5 s of TESSERA_TIMEOUT");
  for (const char *value : {"soon", "0", "-1", "5s", "nan", "1e400"})
    EXPECT_EXIT(settingOf("TESSERA_TIMEOUT", value), testing::ExitedWithCode(0),
                "TESSERA_TIMEOUT is '.*', but expects seconds"); // Setting
  for (const char *value : {"many", "0", "-5", "1.5", "99999999999999999999"})
    EXPECT_EXIT(settingOf("TESSERA_MAX_INSTRUCTIONS", value), testing::ExitedWithCode(0),
                "TESSERA_MAX_INSTRUCTIONS is '.*', but expects how many");
}

void asAnA100() {
  setenv("TESSERA_GPU", "a100", 1);
  int major = 0, minor = 0, driver = 0;
  bool right = cuInit(0) == ok && cuDeviceComputeCapability(&major, &minor, 0) == ok &&
               cuDriverGetVersion(&driver) == ok;
  std::exit(right && major == 8 && minor == 0 && driver == 13000 ? 0 : 1);
}
void asNothing() {
  setenv("TESSERA_GPU", "gpu", 1);
  std::exit(cuInit(0) == Code::NoDevice ? 0 : 1);
}

/// In processes that have not begun, as the choice is for all time.
TEST(DriverDeathTest, TheGpuIsChosenByTheEnvironment) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(asAnA100(), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(asNothing(), testing::ExitedWithCode(0),
              "TESSERA_GPU is 'gpu', but expects one of"); // UnknownGpu
}

} // namespace
} // namespace tessera::cuda_driver::test
