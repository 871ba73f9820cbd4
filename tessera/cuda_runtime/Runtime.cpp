// Initialisation, errors, versions, and what nvcc's code registers before main.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_runtime/Runtime.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
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

struct ResultRow {
  int number;
  const char *name;
};
constexpr ResultRow results[] = {
#define RESULT(number, name) {number, #name},
#include "tessera/cuda_runtime/Results.def"
#undef RESULT
};
const ResultRow *find(Code code) {
  auto found = std::find_if(std::begin(results), std::end(results),
                            [&](const ResultRow &row) { return row.number == int(code); });
  return found == std::end(results) ? nullptr : found;
}
/// "illegal address" of cudaErrorIllegalAddress.
std::string sentence(std::string_view name) {
  std::string out;
  name.remove_prefix(name.starts_with("cudaError") ? 9 : 4);
  for (char c : name) {
    bool upper = c >= 'A' && c <= 'Z';
    if (upper && !out.empty())
      out += ' ';
    out += upper ? char(c - 'A' + 'a') : c;
  }
  return out;
}

} // namespace

Code ready() {
  static const Code begun = [] {
    Code code = cuInit(0);
    Context *primary = nullptr;
    return code == Code::Success ? cuDevicePrimaryCtxRetain(&primary, 0) : code;
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

Code keep(Code code) {
  if (code != Code::Success && code != Code::NotReady)
    lastError = code;
  return code;
}

Code refuse(const char *function, const char *why) {
  State &s = state();
  std::lock_guard lock(s.mutex);
  static std::set<std::string_view> said;
  if (said.insert(function).second)
    std::fprintf(stderr, "tessera: %s is not there: %s\n", function, why);
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
    return known == code::InvalidHandle ? error::InvalidDeviceFunction : known;
  }
  Library *library = nullptr;
  Code code = libraryOf(*found->second.binary, &library);
  return code == Code::Success ? cuLibraryGetKernel(kernel, library, found->second.name.c_str())
                               : code;
}

Code variableOf(const void *symbol, DevicePointer *out, size_t *bytes) {
  State &s = state();
  std::lock_guard lock(s.mutex);
  auto found = s.variables.find(symbol);
  if (found == s.variables.end())
    return error::InvalidSymbol;
  Library *library = nullptr;
  Code code = libraryOf(*found->second.binary, &library);
  return code == Code::Success ? cuLibraryGetGlobal(out, bytes, library, found->second.name.c_str())
                               : code;
}

} // namespace tessera::cuda_runtime

using namespace tessera::cuda_runtime;

//===--- What nvcc's code calls (crt/host_runtime.h)
//--------------------------------------------===//

CUDA_RUNTIME(cudaGetLastError)() { return std::exchange(lastError, Code::Success); }
CUDA_RUNTIME(cudaPeekAtLastError)() { return lastError; }

#pragma GCC visibility push(default)
extern "C" {
void **__cudaRegisterFatBinary(void *image) { return reinterpret_cast<void **>(new Binary{image}); }
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **handle) {
  auto *binary = reinterpret_cast<Binary *>(handle);
  State &s = state();
  std::lock_guard lock(s.mutex);
  for (auto *all : {&s.functions, &s.variables})
    std::erase_if(*all, [&](const auto &entry) { return entry.second.binary == binary; });
  if (binary->library)
    cuLibraryUnload(binary->library);
  delete binary;
}
void __cudaRegisterFunction(void **handle, const char *ofHost, char *, const char *name, int,
                            void *, void *, void *, void *, int *) {
  State &s = state();
  std::lock_guard lock(s.mutex);
  s.functions[ofHost] = {reinterpret_cast<Binary *>(handle), name};
}
void __cudaRegisterVar(void **handle, char *ofHost, char *, const char *name, int, size_t, int,
                       int) {
  State &s = state();
  std::lock_guard lock(s.mutex);
  s.variables[ofHost] = {reinterpret_cast<Binary *>(handle), name};
}
void __cudaRegisterManagedVar(void **handle, void **place, char *, const char *name, int, size_t,
                              int, int) {
  State &s = state();
  std::lock_guard lock(s.mutex);
  s.variables[place] = {reinterpret_cast<Binary *>(handle), name, place};
}
void __cudaRegisterHostVar(void **, const char *, char *, size_t) {}
void __cudaRegisterUnifiedTable(void **, void *) {}

/// Before the host touches a managed variable.
char __cudaInitModule(void **handle) {
  if (ready() != Code::Success)
    return 0;
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
  return 1;
}

const char *cudaGetErrorName(Code code) {
  const ResultRow *row = find(code);
  return row ? row->name : "unknown error code";
}
const char *cudaGetErrorString(Code code) {
  static const auto *all = [] {
    auto *out = new std::map<int, std::string>;
    for (const ResultRow &row : results)
      (*out)[row.number] = sentence(row.name);
    return out;
  }();
  auto found = all->find(int(code));
  return found == all->end() ? "unknown error code" : found->second.c_str();
}
}

namespace {
struct Configuration {
  Dim3 grid, block;
  size_t sharedBytes;
  Stream *stream;
};
thread_local std::vector<Configuration> configurations; // of <<<>>> that have not launched yet
} // namespace

extern "C" __attribute__((visibility("default"))) unsigned
__cudaPushCallConfiguration(Dim3 grid, Dim3 block, size_t sharedBytes, Stream *stream) {
  configurations.push_back({grid, block, sharedBytes, stream});
  return 0;
}
CUDA_RUNTIME(__cudaPopCallConfiguration)
(Dim3 *grid, Dim3 *block, size_t *sharedBytes, void *stream) {
  if (configurations.empty())
    return keep(error::InvalidConfiguration);
  const Configuration &c = configurations.back();
  *grid = c.grid;
  *block = c.block;
  *sharedBytes = c.sharedBytes;
  *static_cast<Stream **>(stream) = c.stream;
  configurations.pop_back();
  return Code::Success;
}
/// The function of the host does as a handle: kernelOf() knows both.
CUDA_RUNTIME(__cudaGetKernel)(Kernel **kernel, const void *function) {
  *kernel = static_cast<Kernel *>(const_cast<void *>(function));
  return Code::Success;
}
CUDA_RUNTIME(cudaGetKernel)(Kernel **kernel, const void *function) {
  return enter([&] { return kernelOf(function, kernel); });
}
CUDA_RUNTIME(cudaGetFuncBySymbol)(Kernel **kernel, const void *function) {
  return enter([&] { return kernelOf(function, kernel); });
}
CUDA_RUNTIME(cudaRuntimeGetVersion)(int *version) {
  *version = 13000;
  return Code::Success;
}
CUDA_RUNTIME(cudaDriverGetVersion)(int *version) { return keep(cuDriverGetVersion(version)); }
CUDA_RUNTIME(cudaGetExportTable)(const void **table, const Uuid *) {
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
