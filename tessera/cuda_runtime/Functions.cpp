// Functions that are only rows: those that call the driver, and those that are refused.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/Entry.h"
#include "tessera/cuda_runtime/Runtime.h"

using namespace tessera::cuda_runtime;

#define DONE(name, perThread) ENTRY_##perThread(name)
#define FORWARD(name, perThread, driver, parameters, arguments)                                    \
  CUDA_RUNTIME(name) parameters {                                                                  \
    return enter([&] { return driver arguments; });                                                \
  }                                                                                                \
  ENTRY_##perThread(name)
#define REFUSED(name, perThread, why)                                                              \
  CUDA_RUNTIME(name)() { return refuse(#name, why); }                                              \
  ENTRY_##perThread(name)
#include "tessera/cuda_runtime/Functions.def"
#undef DONE
#undef FORWARD
#undef REFUSED
