// DeviceLaunches: what the kernels of a launch ask CUDA's runtime to do after them (dynamic
// parallelism).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of CUDA C++ that launches another one calls functions of the runtime for devices, whose
// names begin with __cudaCDP2 (cuda_device_runtime_api.h): one gives a buffer for the parameters,
// one launches. Since CUDA 12 a kernel cannot wait for what it launches; a launch has ended when
// everything that was launched in it has. So a machine runs these launches when the grid has
// ended, those of a thread in their order and those of a block after those of the blocks before.
// Streams are not asked for, and events need not be, as each launch ends before the next begins;
// only those of cudaStreamTailLaunch come after all others. What a kernel does after it launched
// another one may happen at once on a GPU; races between these two are not found. CUDA C++
// Programming Guide, "CUDA Dynamic Parallelism".
#pragma once

#include "tessera/sim/Grid.h"

namespace tessera::sim {

/// A launch, a copy or a fill: a kernel, or none.
struct DeviceLaunch {
  const Function *kernel = nullptr;
  Dim3 grid{}, block{};
  uint32_t dynamicShared = 0;
  std::vector<std::byte> parameters;    // or the bytes that a fill writes
  uint64_t to = 0, from = 0, bytes = 0; // of a copy; `from` is 0 for a fill
  uint64_t launchedBy = 0;              // the flat index of the block
  uint32_t depth = 0;                   // launches that it is within
  bool isTail = false;                  // after all others of the grid
};

/// Of one grid. Blocks of all threads call it at once.
class DeviceLaunches {
public:
  /// CUDA's: launches in each other, and those of a grid that wait (a bound of ours, in the place
  /// of cudaLimitDevRuntimePendingLaunchCount, which a grid whose launches begin early exceeds
  /// later).
  static constexpr uint32_t mostInEachOther = 24;
  static constexpr size_t mostThatWait = 1 << 16;
  /// Threads whose last error is known, so that a large grid takes no more memory.
  static constexpr size_t mostWithErrors = 1 << 16;

  DeviceLaunches() = default; // of a grid of the host's
  explicit DeviceLaunches(const DeviceLaunch &of) : depth(of.depth), isOfHost(false) {}

  /// A buffer that a kernel fills with parameters.
  void prepare(uint64_t buffer, DeviceLaunch);
  /// The launch of a buffer, which is forgotten.
  std::optional<DeviceLaunch> take(uint64_t buffer);
  /// False if too many wait.
  bool add(DeviceLaunch);
  /// The code of the thread's last error; `next` replaces it.
  int lastError(uint64_t thread, std::optional<int> next);
  /// All of them, in the order in which they run.
  std::vector<DeviceLaunch> ordered();

  const uint32_t depth = 0; // launches that the grid is within
  const bool isOfHost = true;

private:
  std::mutex mutex;
  std::map<uint64_t, DeviceLaunch> prepared;
  std::vector<DeviceLaunch> added;
  std::map<uint64_t, int> errors;
};

} // namespace tessera::sim
