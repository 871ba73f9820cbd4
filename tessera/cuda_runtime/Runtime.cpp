// Initialisation, errors, versions, and what nvcc's code registers before main.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_runtime/Runtime.h"

#include "tessera/base/PerThread.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <vector>

namespace tessera::cuda_runtime {

namespace {

struct Binary {
  const void *image = nullptr;
  Library *library = nullptr; // once something of it was needed
};
struct Named {
  Binary *binary = nullptr;
  std::string name;
  void **managed = nullptr; // where the host keeps the address of a managed variable
};

struct State {
  std::recursive_mutex mutex;
  std::map<const void *, Named> functions, variables; // by what the host names them with
};
State &state() {
  static auto *one = new State; // programs unregister after static objects have gone
  return *one;
}

thread_local Code lastError = Code::Success;

Code libraryOf(Binary &binary, Library **out) {
  if (!binary.library)
    if (Code code = cuLibraryLoadData(&binary.library, binary.image, nullptr, nullptr, 0, nullptr,
                                      nullptr, 0);
        code != Code::Success)
      return code;
  *out = binary.library;
  return Code::Success;
}

/// A code with its sentence: "illegal address" of cudaErrorIllegalAddress. Made at compile time, as
/// a caller who asks for it may have no memory left.
struct ResultRow {
  int number;
  const char *name;
  std::array<char, 64> text{};

  constexpr ResultRow(int number, const char *name) : number(number), name(name) {
    std::string_view words = name;
    words.remove_prefix(words.starts_with("cudaError") ? 9 : 4);
    size_t at = 0;
    for (char c : words) {
      bool upper = c >= 'A' && c <= 'Z';
      if (upper && at)
        text[at++] = ' ';
      text[at++] = upper ? char(c - 'A' + 'a') : c;
    }
  }
};
constexpr ResultRow results[] = {
#define RESULT(number, name) ResultRow(number, #name),
#include "tessera/cuda_runtime/Results.def"
#undef RESULT
};
const ResultRow *find(Code code) {
  auto found = std::find_if(std::begin(results), std::end(results),
                            [&](const ResultRow &row) { return row.number == int(code); });
  return found == std::end(results) ? nullptr : found;
}

/// The work of a function that returns no code: what is missing afterwards shows when it is needed.
template <class Body> void registering(Body &&body) noexcept {
  try {
    State &s = state();
    std::lock_guard lock(s.mutex);
    body(s);
  } catch (...) {
    keep(Code::OutOfMemory);
  }
}

} // namespace

Code ready() {
  static const Code begun = [] {
    Code code = cuInit(0);
    Context *primary = nullptr;
    code = code == Code::Success ? cuDevicePrimaryCtxRetain(&primary, 0) : code;
    if (code == Code::OutOfMemory)
      throw std::bad_alloc(); // the next call begins again
    return code;
  }();
  if (begun != Code::Success)
    return begun;
  thread_local bool isCurrent = false;
  Context *context = nullptr;
  if (!isCurrent && cuCtxGetCurrent(&context) == Code::Success && !context) {
    cuDevicePrimaryCtxRetain(&context, 0);
    cuCtxSetCurrent(context);
  }
  isCurrent = true;
  return Code::Success;
}

Code keep(Code code) noexcept {
  if (code != Code::Success && code != Code::NotReady)
    lastError = code;
  return code;
}

Code refuse(const char *function, const char *why) noexcept {
  registering([&](State &) {
    static std::set<std::string_view> said;
    if (said.insert(function).second)
      std::fprintf(stderr, "tessera: %s is not available: %s\n", function, why);
  });
  return keep(Code::NotSupported);
}

Code kernelOf(const void *function, Kernel **kernel) {
  State &s = state();
  std::lock_guard lock(s.mutex);
  auto found = s.functions.find(function);
  if (found == s.functions.end()) {
    const char *name = nullptr;
    *kernel = static_cast<Kernel *>(const_cast<void *>(function));
    Code known = cuKernelGetName(&name, *kernel);
    return known == Code::InvalidHandle && !function ? error::cudaErrorInvalidDeviceFunction
                                                     : known;
  }
  Library *library = nullptr;
  Code code = libraryOf(*found->second.binary, &library);
  return code == Code::Success ? cuLibraryGetKernel(kernel, library, found->second.name.c_str())
                               : code;
}

const void *functionOf(Kernel *kernel) {
  State &s = state();
  std::lock_guard lock(s.mutex);
  const char *name = nullptr;
  if (cuFuncGetName(&name, kernel) != Code::Success)
    return kernel;
  for (const auto &[ofHost, named] : s.functions) {
    Kernel *found = nullptr;
    if (named.binary->library && named.name == name &&
        cuLibraryGetKernel(&found, named.binary->library, name) == Code::Success && found == kernel)
      return ofHost;
  }
  return kernel;
}

Code variableOf(const void *symbol, DevicePointer *out, size_t *bytes) {
  State &s = state();
  std::lock_guard lock(s.mutex);
  auto found = s.variables.find(symbol);
  if (found == s.variables.end()) // code that names a managed variable gives its address
    found = std::ranges::find_if(s.variables, [&](const auto &entry) {
      void **managed = entry.second.managed;
      return managed && *managed == symbol && symbol;
    });
  if (found == s.variables.end())
    return error::cudaErrorInvalidSymbol;
  Library *library = nullptr;
  Code code = libraryOf(*found->second.binary, &library);
  return code == Code::Success ? cuLibraryGetGlobal(out, bytes, library, found->second.name.c_str())
                               : code;
}

} // namespace tessera::cuda_runtime

using namespace tessera::cuda_runtime;

//===--- What nvcc's code calls (crt/host_runtime.h) -----------------------------------------===//

CUDA_RUNTIME(cudaGetLastError)() { return std::exchange(lastError, Code::Success); }
CUDA_RUNTIME(cudaPeekAtLastError)() { return lastError; }

#pragma GCC visibility push(default)
extern "C" {
void **__cudaRegisterFatBinary(void *image) {
  auto *binary = new (std::nothrow) Binary{image};
  if (!binary)
    keep(Code::OutOfMemory);
  return reinterpret_cast<void **>(binary);
}
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **handle) {
  auto *binary = reinterpret_cast<Binary *>(handle);
  registering([&](State &s) {
    for (auto *all : {&s.functions, &s.variables})
      std::erase_if(*all, [&](const auto &entry) { return entry.second.binary == binary; });
  });
  if (binary && binary->library)
    cuLibraryUnload(binary->library);
  delete binary;
}
void __cudaRegisterFunction(void **handle, const char *ofHost, char *, const char *name, int,
                            void *, void *, void *, void *, int *) {
  if (auto *binary = reinterpret_cast<Binary *>(handle))
    registering([&](State &s) { s.functions.insert_or_assign(ofHost, Named{binary, name}); });
}
void __cudaRegisterVar(void **handle, char *ofHost, char *, const char *name, int, size_t, int,
                       int) {
  if (auto *binary = reinterpret_cast<Binary *>(handle))
    registering([&](State &s) { s.variables.insert_or_assign(ofHost, Named{binary, name}); });
}
void __cudaRegisterManagedVar(void **handle, void **place, char *, const char *name, int, size_t,
                              int, int) {
  if (auto *binary = reinterpret_cast<Binary *>(handle))
    registering([&](State &s) { s.variables.insert_or_assign(place, Named{binary, name, place}); });
}
void __cudaRegisterHostVar(void **, const char *, char *, size_t) {}
void __cudaRegisterUnifiedTable(void **, void *) {}

/// Before the host touches a managed variable.
char __cudaInitModule(void **handle) {
  return enter([&] {
           State &s = state();
           std::lock_guard lock(s.mutex);
           for (auto &[symbol, variable] : s.variables) {
             Library *library = nullptr;
             DevicePointer at = 0;
             if (variable.managed && variable.binary == reinterpret_cast<Binary *>(handle) &&
                 libraryOf(*variable.binary, &library) == Code::Success &&
                 cuLibraryGetManaged(&at, nullptr, library, variable.name.c_str()) == Code::Success)
               *variable.managed = reinterpret_cast<void *>(at);
           }
           return Code::Success;
         }) == Code::Success;
}

const char *cudaGetErrorName(Code code) {
  const ResultRow *row = find(code);
  return row ? row->name : "unrecognized error code";
}
const char *cudaGetErrorString(Code code) {
  const ResultRow *row = find(code);
  return row ? row->text.data() : "unrecognized error code";
}
/// Only returns what it is given: nothing here uses channel formats.
ChannelFormat cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
  return {{x, y, z, w}, kind};
}
}

namespace {
struct Configuration {
  Dim3 grid, block;
  size_t sharedBytes;
  Stream *stream;
};
/// Of <<<>>> that have not launched yet.
constinit tessera::PerThread<std::vector<Configuration>> configurations;
} // namespace

extern "C" __attribute__((visibility("default"))) unsigned
__cudaPushCallConfiguration(Dim3 grid, Dim3 block, size_t sharedBytes, Stream *stream) {
  Code code = Code::OutOfMemory;
  registering([&](State &) {
    configurations.get().push_back({grid, block, sharedBytes, stream});
    code = Code::Success;
  });
  return unsigned(code); // the launch is left out where it is not 0
}
CUDA_RUNTIME(__cudaPopCallConfiguration)
(Dim3 *grid, Dim3 *block, size_t *sharedBytes, void *stream) {
  std::vector<Configuration> *own = configurations.find();
  if (!own || own->empty())
    return keep(error::cudaErrorInvalidConfiguration);
  const Configuration &c = own->back();
  *grid = c.grid;
  *block = c.block;
  *sharedBytes = c.sharedBytes;
  *static_cast<Stream **>(stream) = c.stream;
  own->pop_back();
  return Code::Success;
}
/// The function of the host serves as the handle: kernelOf() knows both.
CUDA_RUNTIME(__cudaGetKernel)(Kernel **kernel, const void *function) {
  *kernel = static_cast<Kernel *>(const_cast<void *>(function));
  return Code::Success;
}
CUDA_RUNTIME(cudaGetKernel)(Kernel **kernel, const void *function) {
  if (!kernel)
    return keep(Code::InvalidValue);
  return enter([&] { return kernelOf(function, kernel); });
}
CUDA_RUNTIME(cudaGetFuncBySymbol)(Kernel **kernel, const void *function) {
  if (!kernel)
    return keep(Code::InvalidValue);
  return enter([&] { return kernelOf(function, kernel); });
}
CUDA_RUNTIME(cudaRuntimeGetVersion)(int *version) {
  if (!version)
    return keep(Code::InvalidValue);
  *version = 13000;
  return Code::Success;
}
CUDA_RUNTIME(cudaDriverGetVersion)(int *version) { return keep(cuDriverGetVersion(version)); }
CUDA_RUNTIME(cudaGetExportTable)(const void **table, const Uuid *) {
  if (!table)
    return keep(Code::InvalidValue);
  *table = nullptr;
  return keep(Code::NotFound);
}
CUDA_RUNTIME(cudaGetDriverEntryPointByVersion)
(const char *name, void **function, unsigned version, unsigned long long flags, int *status) {
  return enter([&] {
    int found = 0;
    cuGetProcAddress_v2(name, reinterpret_cast<void (**)()>(function), int(version), flags, &found);
    if (status)
      *status = found;
    return Code::Success;
  });
}
CUDA_RUNTIME(cudaGetDriverEntryPoint)
(const char *name, void **function, unsigned long long flags, int *status) {
  return cudaGetDriverEntryPointByVersion(name, function, 13000, flags, status);
}
