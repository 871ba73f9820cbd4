// Loading: loads the code of a module on a device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/program/Compiled.h"

namespace tessera::program {

struct Loaded {
  run::Module module;
  std::vector<run::Kernel> kernels;
  bool wasCompiled = false; // by the device, which then has a log
};

/// Loads a cubin, or PTX in the best form that the device's compiler makes: if kernels spill, it is
/// compiled again with less optimisation, which may spill less. A module without kernels is not
/// loaded.
Result<Loaded> load(run::Device &, const DeviceImage &);

} // namespace tessera::program
