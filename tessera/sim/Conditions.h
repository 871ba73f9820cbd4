// Conditions: values that kernels set and the nodes of graphs ask for (cudaGraphSetConditional).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

namespace tessera::sim {

/// By handles that the host gives out. Kernels set them on all threads of the host at once.
class Conditions {
public:
  void put(uint64_t handle, unsigned value) {
    std::lock_guard lock(mutex);
    values[handle] = value;
  }
  /// False if there is no such handle.
  bool set(uint64_t handle, unsigned value) {
    std::lock_guard lock(mutex);
    auto found = values.find(handle);
    if (found == values.end())
      return false;
    found->second = value;
    return true;
  }
  std::optional<unsigned> get(uint64_t handle) {
    std::lock_guard lock(mutex);
    auto found = values.find(handle);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  }

private:
  std::mutex mutex;
  std::map<uint64_t, unsigned> values;
};

} // namespace tessera::sim
