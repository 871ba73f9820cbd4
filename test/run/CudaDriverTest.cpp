// Loading libcuda, and its errors as sentences, with the fake library in its place.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/CudaDevice.h"

#include "test/run/Check.h"
#include "test/run/FakeLibrary.h"

using namespace tessera;
using namespace tessera::run;
using cuda::Code;
using cuda::Driver;

namespace {

class CudaDriverTest : public FakeLibrary {
protected:
  std::string loading(const std::string &path = TESSERA_FAKE_CUDA) {
    return refusal(Driver::load(path));
  }
};

} // namespace

TEST_F(CudaDriverTest, LoadsAndAsksForTheVersion) {
  state().version = 13010;
  state().devices = 4;
  std::shared_ptr<const Driver> driver = must(Driver::load(TESSERA_FAKE_CUDA));
  EXPECT_EQ(driver->version(), 13010);
  EXPECT_EQ(driver->deviceCount(), 4);
  EXPECT_EQ(state().calls,
            (std::vector<std::string>{"cuInit", "cuDriverGetVersion", "cuDeviceGetCount"}));
}

TEST_F(CudaDriverTest, MissingLibrary) {
  EXPECT_EQ(loading("/nowhere/libcuda.so.1"),
            "no CUDA device: /nowhere/libcuda.so.1 cannot be loaded: /nowhere/libcuda.so.1: cannot "
            "open shared object file: No such file or directory");
}

TEST_F(CudaDriverTest, LibrariesWithoutTheSymbols) {
  EXPECT_EQ(loading("libm.so.6"), "no CUDA device: libm.so.6 has no cuInit: expects a driver for "
                                  "CUDA 2.0 or newer (and 11.8 or newer in any case)");
  EXPECT_EQ(loading(TESSERA_FAKE_CUDA_11_7),
            cat("no CUDA device: ", TESSERA_FAKE_CUDA_11_7,
                " has no cuLaunchKernelEx: expects a "
                "driver for CUDA 11.8 or newer (and 11.8 or newer in any case)"));
}

TEST_F(CudaDriverTest, FailuresOfTheFirstCalls) {
  state().failures = {{"cuInit", Code::NoDevice}};
  EXPECT_EQ(loading(), "no CUDA device: cuInit failed: CUDA_ERROR_NO_DEVICE (no CUDA-capable "
                       "device is detected): the driver sees no GPU; check nvidia-smi and "
                       "CUDA_VISIBLE_DEVICES");
  state().failures = {{"cuDriverGetVersion", Code::InvalidValue}};
  EXPECT_EQ(loading(), "no CUDA device: cuDriverGetVersion failed: CUDA_ERROR_INVALID_VALUE "
                       "(invalid argument)");
  state().failures = {{"cuDeviceGetCount", Code(998)}};
  EXPECT_EQ(loading(),
            "no CUDA device: cuDeviceGetCount failed: CUDA error 998 (unknown to the driver)");
  state().failures = {};
  state().devices = 0;
  EXPECT_EQ(loading(), cat("no CUDA device: ", TESSERA_FAKE_CUDA, " reports none"));
}

TEST_F(CudaDriverTest, CodesBecomeSentences) {
  std::shared_ptr<const Driver> driver = must(Driver::load(TESSERA_FAKE_CUDA));
  EXPECT_TRUE(driver->status("cuMemAlloc_v2", Code::Success));
  EXPECT_EQ(refusal(driver->status("cuMemAlloc_v2", Code::OutOfMemory)),
            "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory): other processes may hold "
            "memory, see nvidia-smi; smaller tensors need less");
  EXPECT_EQ(
      refusal(driver->status("cuCtxSynchronize", Code::IllegalAddress)),
      "cuCtxSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was "
      "encountered): a kernel read or wrote outside of allocated memory; "
      "--check-layout-assumptions finds sizes that do not fit, compute-sanitizer the access; the "
      "kernel took the CUDA context with it, so that every later call fails until the process "
      "ends");
  EXPECT_EQ(driver->status("cuInit", Code::NoDevice).reason().id, "CudaCall");
}

namespace {

/// What a user can do about a code, and whether the process has to end; by the comments of cuda.h
/// (CUDA 13.0).
struct Advice {
  int code;
  const char *piece;
  bool contextLost = false;
};
constexpr Advice advices[] = {
    {2, "smaller tensors"},
    {34, "the driver's own is needed"},
    {36, "update it"},
    {46, "CUDA_VISIBLE_DEVICES"},
    {100, "nvidia-smi"},
    {101, "CUDA_VISIBLE_DEVICES"},
    {200, "neither PTX nor a cubin"},
    {209, "compile for its target"},
    {214, "nvidia-smi -q -d ECC"},
    {218, "inline PTX"},
    {220, "nvidia-smi nvlink"},
    {221, "libnvidia-ptxjitcompiler"},
    {222, "a cubin made by ptxas"},
    {223, "CUDA_DISABLE_PTX_JIT"},
    {226, "Xid", true},
    {304, "/dev/nvidia*"},
    {700, "compute-sanitizer", true},
    {701, "registers"},
    {702, "display", true},
    {710, "its message is above", true},
    {714, "stack", true},
    {715, "instruction", true},
    {716, "alignment", true},
    {717, "shared", true},
    {718, "jumped", true},
    {719, "compute-sanitizer", true},
    {720, "fewer blocks"},
    {721, "deallocation", true},
    {800, "forbids"},
    {801, "cannot do it"},
    {802, "nvidia-fabricmanager"},
    {803, "reboot"},
    {804, "LD_LIBRARY_PATH"},
    {805, "MPS daemon"},
    {912, "cluster"},
    {999, "Xid"},
};

} // namespace

TEST_F(CudaDriverTest, CodesSayWhatToDo) {
  std::shared_ptr<const Driver> driver = must(Driver::load(TESSERA_FAKE_CUDA));
  for (const Advice &advice : advices) {
    std::string text = refusal(driver->status("cuInit", Code(advice.code)));
    EXPECT_NE(text.find(advice.piece), text.npos) << advice.code << ": " << text;
    EXPECT_EQ(text.ends_with("until the process ends"), advice.contextLost) << text;
  }
}

//===------------------------------------------------------------------------------------------===//
// The one driver of the process
//===------------------------------------------------------------------------------------------===//

namespace {

/// Ends the process with 0 if the library is loaded once, whatever the environment says later.
[[noreturn]] void loadTwice() {
  setenv("TESSERA_LIBCUDA", TESSERA_FAKE_CUDA, 1);
  Result<std::shared_ptr<const Driver>> first = Driver::instance();
  setenv("TESSERA_LIBCUDA", "/nowhere", 1);
  Result<std::shared_ptr<const Driver>> second = Driver::instance();
  bool same = first && second && *first == *second;
  std::exit(same ? 0 : 1);
}

[[noreturn]] void failTwice() {
  setenv("TESSERA_LIBCUDA", "/nowhere/libcuda.so.1", 1);
  std::string first = refusal(openCudaDevice()), second = refusal(openCudaDevice());
  std::exit(first == second && first.starts_with("no CUDA device: /nowhere") ? 0 : 1);
}

[[noreturn]] void openOnFake() {
  setenv("TESSERA_LIBCUDA", TESSERA_FAKE_CUDA, 1);
  Result<std::unique_ptr<Device>> device = openCudaDevice();
  std::exit(device && (*device)->info().multiprocessors == 132 ? 0 : 1);
}

} // namespace

// In processes of their own: a real libcuda must not be touched, nor one loaded before be found.
TEST(CudaDriverDeathTest, InstanceIsLoadedOnce) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(loadTwice(), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(failTwice(), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(openOnFake(), testing::ExitedWithCode(0), "");
}
