// Loads libcuda and explains its errors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/CudaDriver.h"

#include <cstdlib>
#include <dlfcn.h>

namespace tessera::run::cuda {

namespace {

constexpr const char *defaultLibrary = "libcuda.so.1";
constexpr const char *libraryVariable = "TESSERA_LIBCUDA";

constexpr std::string_view contextLost = "the kernel failed and took the CUDA context with it: "
                                         "every later call fails until the process ends";

/// What the driver's own sentence does not say: the likely cause, or what to do.
struct Hint {
  Code code;
  std::string_view text;
};
constexpr Hint hints[] = {
    {Code::StubLibrary,
     "this libcuda is the toolkit's stub for linking; the driver's own is needed"},
    {Code::NoDevice, "the driver sees no GPU; check nvidia-smi and CUDA_VISIBLE_DEVICES"},
    {Code::SystemDriverMismatch,
     "the kernel module and libcuda are of different versions; reboot or reload it"},
    {Code::NoBinaryForGpu, "the cubin is for another architecture, or the PTX needs a feature that "
                           "this GPU lacks; compile for its "
                           "target"},
    {Code::JitCompilerNotFound,
     "libnvidia-ptxjitcompiler.so.1 is not installed; load a cubin instead of PTX"},
    {Code::UnsupportedPtxVersion,
     "the PTX's .version is newer than this driver; lower it, or load a cubin made by ptxas"},
    {Code::LaunchOutOfResources, "too many threads, registers or shared memory for one block"},
    {Code::CooperativeTooLarge, "a cooperative grid must be resident at once; launch fewer blocks"},
    {Code::InvalidClusterSize,
     "this GPU cannot place a cluster of that size with that much shared memory"},
    {Code::IllegalAddress, contextLost},
    {Code::LaunchTimeout, contextLost},
    {Code::Assert, contextLost},
    {Code::HardwareStackError, contextLost},
    {Code::IllegalInstruction, contextLost},
    {Code::MisalignedAddress, contextLost},
    {Code::InvalidAddressSpace, contextLost},
    {Code::InvalidPc, contextLost},
    {Code::LaunchFailed, contextLost},
    {Code::TensorMemoryLeak, contextLost},
};

/// "cuMemAlloc" of "cuMemAlloc_v2", as the documentation calls it.
std::string_view withoutVersion(std::string_view symbol) {
  return symbol.substr(0, symbol.find("_v"));
}

} // namespace

Status Driver::status(std::string_view symbol, Code code) const {
  if (code == Code::Success)
    return Done{};
  const char *name = nullptr, *text = nullptr;
  table.getErrorName.pointer(code, &name);
  table.getErrorString.pointer(code, &text);
  std::string sentence = cat(name ? name : cat("CUDA error ", int(code)), " (",
                             text ? text : "unknown to the driver", ")");
  for (const Hint &hint : hints)
    if (hint.code == code)
      sentence += cat(": ", hint.text);
  return fail(Error::CudaCall, withoutVersion(symbol), sentence);
}

Status Driver::initialise(const std::string &path) {
  library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return fail(Error::CudaLibrary, path, dlerror());
#define CUDA_FUNCTION(member, symbol, need, parameters)                                            \
  table.member.pointer = reinterpret_cast<Code(*) parameters>(dlsym(library, #symbol));            \
  if (need && !table.member.pointer)                                                               \
    return fail(Error::CudaSymbol, path, #symbol, need / 1000, need % 1000 / 10);
#include "tessera/run/CudaFunctions.def"
#undef CUDA_FUNCTION
  for (Status status : {call(table.init, 0u), call(table.driverGetVersion, &cudaVersion),
                        call(table.deviceGetCount, &devices)})
    if (!status)
      return prefixed("no CUDA device: ", std::move(status).reason());
  if (devices == 0)
    return fail(Error::CudaNoDevice, path);
  return Done{};
}

Result<std::shared_ptr<const Driver>> Driver::load(const std::string &path) {
  std::shared_ptr<Driver> driver(new Driver);
  TESSERA_CHECK(driver->initialise(path));
  return std::shared_ptr<const Driver>(std::move(driver));
}

Result<std::shared_ptr<const Driver>> Driver::instance() {
  // Never destroyed: the driver's own threads may outlive main's statics.
  static const auto *loaded = new Result<std::shared_ptr<const Driver>>([] {
    const char *path = std::getenv(libraryVariable);
    return load(path && *path ? path : defaultLibrary);
  }());
  return *loaded;
}

Driver::~Driver() {
  if (library)
    dlclose(library);
}

} // namespace tessera::run::cuda
