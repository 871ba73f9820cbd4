// A GPU through the CUDA driver, if there is one: enough to run a kernel on a block of memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/TensorMap.h"

#include <map>
#include <memory>
#include <vector>

namespace tessera::atom::test {

/// A tensor map that a kernel takes by value; its address counts from that of the input, or of the
/// output.
struct MapArgument {
  TensorMap map;
  bool ofOutput = false;
};
struct Launch {
  unsigned sharedBytes = 0; // dynamic shared memory
  int blocks = 1;
  std::vector<MapArgument> maps = {}; // what the kernel takes after its pointers
};

class Device {
public:
  /// The first GPU, or null when there is no driver or no GPU.
  static Device *first();

  /// The most specific target of this GPU that the tables know: sm_90a for an H100.
  Target target() const { return gpuTarget; }
  const std::string &description() const { return gpuDescription; }

  /// Compiles PTX; the driver's message on failure.
  Result<void *> load(const std::string &ptx);
  /// Runs kernel `name` of a module with blocks of `threads` and two pointers: to a copy of
  /// `input`, and to `outputWords` zeroed words, which it returns.
  Result<std::vector<uint32_t>> run(void *module, const std::string &name, int threads,
                                    const std::vector<uint32_t> &input, size_t outputWords,
                                    const Launch & = {});

private:
  struct Driver;
  explicit Device(std::unique_ptr<Driver>);
  std::unique_ptr<Driver> driver;
  Target gpuTarget;
  std::string gpuDescription;

public:
  ~Device();
};

} // namespace tessera::atom::test
