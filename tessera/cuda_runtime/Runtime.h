// What the functions of the runtime share: the way in, the last error, and what programs register.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cuda_driver/Api.h"
#include "tessera/cuda_runtime/Types.h"

#include <utility>

namespace tessera::cuda_runtime {

/// Makes the driver and the primary context ready. If that fails, every call returns the error.
Code ready();
/// Keeps an error for cudaGetLastError.
Code keep(Code) noexcept;

/// Wraps the body of every function. No exception may reach a program in C; the only one possible
/// here is that memory runs out, as the driver's functions return codes.
template <class Body> Code enter(Body &&body) noexcept {
  try {
    Code code = ready();
    return keep(code == Code::Success ? body() : code);
  } catch (...) {
    return keep(Code::OutOfMemory);
  }
}

/// The kernel of a function of the host that stands for it, or of a handle.
Code kernelOf(const void *function, Kernel **kernel);
/// The reverse: the function by which the host names a kernel, or the handle if there is none.
const void *functionOf(Kernel *kernel);
/// Address and size of a variable, which the host names by a variable of its own.
Code variableOf(const void *symbol, DevicePointer *address, size_t *bytes);

/// Says once for each function that it is missing.
Code refuse(const char *function, const char *why) noexcept;

/// For every copy of one row.
Code copyRow(void *to, const void *from, size_t bytes, CopyKind kind);
Code copyRow(void *to, const void *from, size_t bytes, CopyKind kind, Stream *stream);
/// The same copies in the driver's form.
Copy3d copyOf(const VolumeCopy &);
Copy3d rowOf(const void *to, const void *from, size_t bytes, CopyKind kind);

inline DevicePointer address(const void *pointer) {
  return reinterpret_cast<DevicePointer>(pointer);
}

} // namespace tessera::cuda_runtime

/// A function of the runtime's interface.
#define CUDA_RUNTIME(name)                                                                         \
  extern "C" __attribute__((visibility("default"))) tessera::cuda_driver::Code name
