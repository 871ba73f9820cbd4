// Runtime: the functions that compiled host code calls to launch kernels, on a device of run/.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions tessera_rt_* have the names and types that lower/CudaHostToLLVM.cpp calls. They
// work on the calling thread's current Runtime. What goes wrong is kept there as a sentence; the
// compiled code sees a non-zero CUresult, with which cuda.return_if_error leaves.
//
// Threads: a Runtime is used by the thread that made it current (CurrentRuntime), and each thread
// has one of its own; its LaunchWaiter may be asked by any thread. Host code that starts threads
// has no Runtime on them, and their launches fail.
#pragma once

#include "tessera/jit/LaunchWaiter.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace tessera::jit {

/// The kernels that host code can launch, the device that runs them, and the errors.
class Runtime {
public:
  /// The device must outlive the runtime.
  explicit Runtime(run::Device &device) : device(device), launchLog(device) { reasons.reserve(4); }
  Runtime(const Runtime &) = delete;

  /// Adds a kernel under the symbols of `cuda.launch_ex @module::@kernel`. A later kernel replaces
  /// an earlier one with the same names.
  void add(std::string module, std::string kernel, run::Kernel);
  /// Null for an unknown kernel.
  const run::Kernel *find(std::string_view module, std::string_view kernel) const;

  /// The errors since the last clearErrors(), in order.
  const std::vector<Reason> &errors() const { return reasons; }
  void clearErrors() { reasons.clear(), refused.clear(); }
  /// The first kernel whose launch was refused since then; "" for none.
  const std::string &refusedKernel() const { return refused; }
  /// Number of launches that the device accepted since the runtime was made.
  int64_t launches() const { return launched; }
  /// Launches that may not have finished.
  LaunchWaiter &log() { return launchLog; }

  /// Queues a launch; `arguments[i]` points to the value of parameter i. Returns a CUresult: 0; 500
  /// (not found) for an unknown kernel; 1 (invalid value) if the device refuses the launch; 999
  /// (unknown) if its driver refuses it or memory runs out. The error is kept. The names must live
  /// as long as the runtime.
  int32_t launch(const char *module, const char *kernel, const run::LaunchConfig &,
                 std::span<void *const> arguments);

  /// Fills in the 128 bytes of a tensor map. If its limits are violated the error is kept, and the
  /// next launch is refused.
  void tensorMap(const atom::TensorMap &, void *image);

private:
  /// An order of names that finds them by views, without a copy.
  struct Before {
    using is_transparent = void;
    using Views = std::pair<std::string_view, std::string_view>;
    bool operator()(const auto &a, const auto &b) const { return Views(a) < Views(b); }
  };

  int32_t queue(const char *module, const char *kernel, const run::LaunchConfig &,
                std::span<void *const> arguments);
  int32_t fail(int32_t code, Reason) noexcept;

  run::Device &device;
  std::map<std::pair<std::string, std::string>, run::Kernel, Before> kernels;
  LaunchWaiter launchLog;
  std::vector<Reason> reasons;
  std::string refused;
  int64_t launched = 0;
  bool brokenTensorMap = false;
};

/// Makes the runtime the current one of this thread; the destructor restores the previous one.
class CurrentRuntime {
public:
  explicit CurrentRuntime(Runtime &);
  CurrentRuntime(const CurrentRuntime &) = delete;
  ~CurrentRuntime();

private:
  Runtime *before;
};

/// A function that compiled host code may call.
struct Symbol {
  const char *name;
  void *address;
};
/// The functions below.
std::span<const Symbol> runtimeSymbols();

} // namespace tessera::jit

extern "C" {
/// Fills in a configuration of 128 bytes, aligned to 16: block in threads, bytes of dynamic shared
/// memory, grid in blocks. `maxAttributes` is the room that the vendor's runtime reserves; it is
/// not needed here.
void tessera_rt_launch_config(void *config, int32_t blockX, int32_t blockY, int32_t blockZ,
                              int64_t dynamicSharedBytes, int32_t gridX, int32_t gridY,
                              int32_t gridZ, void *stream, int32_t maxAttributes);
/// The cluster, in blocks.
void tessera_rt_launch_cluster(void *config, int32_t x, int32_t y, int32_t z);
/// Whether the kernel may start before its predecessor in the stream ends.
void tessera_rt_launch_programmatic(void *config, int32_t allowed);
/// Whether all blocks run at the same time.
void tessera_rt_launch_cooperative(void *config, int32_t cooperative);
/// Runtime::tensorMap on the current runtime: extents in elements, strides in bytes (of the modes
/// after the first), the box, CUtensorMapDataType and
/// CUtensorMapSwizzle by their numbers.
void tessera_rt_tensor_map(void *image, uint64_t tensor, int32_t rank, const int64_t *extents,
                           const int64_t *strides, const int32_t *box, int32_t type,
                           int32_t swizzle);
/// The same for im2col: corners of the modes between the first and the last, steps of all modes,
/// channels and pixels of a copy.
void tessera_rt_tensor_map_im2col(void *image, uint64_t tensor, int32_t rank,
                                  const int64_t *extents, const int64_t *strides,
                                  const int32_t *lower, const int32_t *upper, const int32_t *steps,
                                  int32_t channels, int32_t pixels, int32_t type, int32_t swizzle);
/// The same for im2col::w: the corners of mode 1, and CUtensorMapIm2ColWideMode.
void tessera_rt_tensor_map_im2col_wide(void *image, uint64_t tensor, int32_t rank,
                                       const int64_t *extents, const int64_t *strides,
                                       int32_t lower, int32_t upper, const int32_t *steps,
                                       int32_t channels, int32_t pixels, int32_t type,
                                       int32_t swizzle, int32_t mode);
/// Runtime::launch on the current runtime; 201 (invalid context) if there is none.
int32_t tessera_rt_launch(const char *module, const char *kernel, void *config, void **arguments,
                          int32_t count);
}
