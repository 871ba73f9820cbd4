// CudaDriver: the functions of libcuda.so.1, found at run time, and their errors as sentences.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The versions of the symbols that we need have names of their own (cuMemAlloc_v2,
// cuLaunchKernelEx), so dlsym finds them all, and cuGetProcAddress, which resolves plain names by
// version, is not needed.
#pragma once

#include "tessera/run/CudaTypes.h"
#include "tessera/run/Errors.h"

#include <memory>

namespace tessera::run::cuda {

/// A function of the library: its symbol, and where it is once it is loaded (null if it may be
/// missing).
template <class Signature> struct Entry {
  const char *symbol;
  Signature *pointer = nullptr;
};

/// All rows of CudaFunctions.def.
struct Functions {
#define CUDA_FUNCTION(member, symbol, need, parameters) Entry<Code parameters> member{#symbol};
#include "tessera/run/CudaFunctions.def"
#undef CUDA_FUNCTION
};

class Driver {
public:
  /// Loads the library at `path`, finds the functions, and initialises it (cuInit). Reasons begin
  /// with "no CUDA device: ": the library or a symbol is missing, cuInit fails, or there is no
  /// device.
  static Result<std::shared_ptr<const Driver>> load(const std::string &path);

  /// The process's driver, loaded at the first call: $TESSERA_LIBCUDA if that is set, else
  /// libcuda.so.1. It stays loaded to the end; a failure stays too.
  static Result<std::shared_ptr<const Driver>> instance();

  ~Driver();
  Driver(const Driver &) = delete;

  const Functions &functions() const { return table; }
  /// The CUDA version that the driver supports: 1000 * major + 10 * minor.
  int version() const { return cudaVersion; }
  int deviceCount() const { return devices; }

  /// Calls a function and turns its code into a Status: "cuMemAlloc failed:
  /// CUDA_ERROR_OUT_OF_MEMORY (out of memory)", and for some codes what to do about it. Not for
  /// functions that may be missing.
  template <class... Parameters, class... Arguments>
  Status call(const Entry<Code(Parameters...)> &entry, Arguments... arguments) const {
    return status(entry.symbol, entry.pointer(arguments...));
  }
  /// The Status of a code that the function `symbol` returned.
  Status status(std::string_view symbol, Code) const;

private:
  Driver() = default;
  Status initialise(const std::string &path);

  void *library = nullptr;
  Functions table;
  int cudaVersion = 0, devices = 0;
};

} // namespace tessera::run::cuda
