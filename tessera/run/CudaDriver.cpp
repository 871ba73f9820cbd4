// Loads libcuda and explains its errors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/CudaDriver.h"

#include <cstdlib>
#include <dlfcn.h>

namespace tessera::run::cuda {

namespace {

constexpr const char *defaultLibrary = "libcuda.so.1";
constexpr const char *libraryVariable = "TESSERA_LIBCUDA";

/// Additions to the driver's own message: the likely cause, or what to do.
struct Hint {
  Code code;
  std::string_view text;
};

constexpr Hint hints[] = {
    {Code::OutOfMemory,
     "other processes may hold memory, see nvidia-smi; smaller tensors need less"},
    {Code::StubLibrary,
     "this libcuda is the toolkit's stub for linking; the driver's own is needed"},
    {Code::NeedsNewerDriver, "the driver is older than what was called; update it"},
    {Code::DeviceUnavailable,
     "another process has the GPU to itself (compute mode, see nvidia-smi -q "
     "-d COMPUTE); wait for it, or choose another with CUDA_VISIBLE_DEVICES"},
    {Code::NoDevice, "the driver sees no GPU; check nvidia-smi and CUDA_VISIBLE_DEVICES"},
    {Code::InvalidDevice, "check CUDA_VISIBLE_DEVICES"},
    {Code::InvalidImage, "the code is damaged, or is neither PTX nor a cubin"},
    {Code::NoBinaryForGpu, "the cubin is for another architecture, or the PTX needs a feature that "
                           "this GPU lacks; compile for its "
                           "target"},
    {Code::EccUncorrectable,
     "the GPU's memory has an error that cannot be corrected; see nvidia-smi -q "
     "-d ECC, and reset or replace the GPU"},
    {Code::InvalidPtx,
     "please report it with the input, unless the log names inline PTX of your own"},
    {Code::NvlinkUncorrectable, "an NVLink connection failed; see nvidia-smi nvlink -e"},
    {Code::JitCompilerNotFound,
     "libnvidia-ptxjitcompiler.so.1 is not installed; load a cubin instead of PTX"},
    {Code::UnsupportedPtxVersion,
     "the PTX's .version is newer than this driver; lower it, or load a cubin made by ptxas"},
    {Code::JitDisabled, "CUDA_DISABLE_PTX_JIT is set; unset it, or load a cubin made by ptxas"},
    {Code::Contained,
     "the GPU contained a fault of its hardware or of another GPU's memory; see the "
     "Xid messages of dmesg"},
    {Code::OperatingSystem,
     "the operating system refused something; check limits (ulimit -l), cgroups "
     "and the permissions of /dev/nvidia*"},
    {Code::IllegalAddress,
     "a kernel read or wrote outside of allocated memory; "
     "--check-layout-assumptions finds sizes that do not fit, compute-sanitizer "
     "the access"},
    {Code::LaunchOutOfResources, "too many threads, registers or shared memory for one block"},
    {Code::LaunchTimeout,
     "this GPU drives a display, and the system ends kernels that take seconds; "
     "launch less work at once, or use another GPU"},
    {Code::Assert, "an assertion of a kernel does not hold; its message is above"},
    {Code::HardwareStackError,
     "a kernel's stack is damaged or too small, as deep recursion makes it"},
    {Code::IllegalInstruction,
     "a kernel reached an instruction that this GPU refuses, such as one with "
     "wrong descriptors or operands"},
    {Code::MisalignedAddress,
     "a kernel read or wrote at an address that the size of the access does "
     "not divide; check the alignment that pointer types promise, and strides"},
    {Code::InvalidAddressSpace, "a kernel used an address of one memory (global, shared, local) in "
                                "another"},
    {Code::InvalidPc, "a kernel jumped to where no code is"},
    {Code::LaunchFailed, "often an access outside of shared memory; compute-sanitizer finds it"},
    {Code::CooperativeTooLarge, "a cooperative grid must be resident at once; launch fewer blocks"},
    {Code::TensorMemoryLeak, "a kernel ended with tensor memory that it had not given back; each "
                             "tmem allocation needs its deallocation"},
    {Code::NotPermitted, "the system forbids this to the process"},
    {Code::NotSupported, "this GPU or driver cannot do it"},
    {Code::SystemNotReady, "a service of the driver does not run yet; GPUs with NVSwitch need "
                           "nvidia-fabricmanager"},
    {Code::SystemDriverMismatch,
     "the kernel module and libcuda are of different versions; reboot or reload it"},
    {Code::CompatNotSupported,
     "this GPU takes no newer libcuda than its driver's; remove the compat "
     "libraries from LD_LIBRARY_PATH"},
    {Code::MpsConnectionFailed, "the MPS daemon does not answer; start it, or unset "
                                "CUDA_MPS_PIPE_DIRECTORY"},
    {Code::InvalidClusterSize,
     "this GPU cannot place a cluster of that size with that much shared memory"},
    {Code::Unknown, "see the Xid messages of dmesg"},
};

/// Errors that leave no usable context, by the comments of cuda.h.
constexpr Code contextLost[] = {Code::Contained,          Code::IllegalAddress,
                                Code::LaunchTimeout,      Code::Assert,
                                Code::HardwareStackError, Code::IllegalInstruction,
                                Code::MisalignedAddress,  Code::InvalidAddressSpace,
                                Code::InvalidPc,          Code::LaunchFailed,
                                Code::TensorMemoryLeak};

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
  for (Code lost : contextLost)
    if (lost == code)
      sentence +=
          "; the kernel took the CUDA context with it, so that every later call fails until "
          "the process ends";
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
