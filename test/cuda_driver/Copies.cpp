// What a program copies to the GPU and back, as files, for tests that look at it from outside.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preloaded before the runtime. TEST_COPIES names a folder: a copy to the GPU is written to it as
// to-N, one back as from-N, each counted from 0.

#include <dlfcn.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

enum Kind {
  ToDevice = 1,
  FromDevice = 2
}; // cudaMemcpyHostToDevice and cudaMemcpyDeviceToHost

using Copy = int (*)(void *, const void *, size_t, int, void *);
using CopyNow = int (*)(void *, const void *, size_t, int);

template <class Function> Function next(const char *name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

void write(const void *host, size_t bytes, int kind) {
  static int counts[3];
  if (kind != ToDevice && kind != FromDevice)
    return;
  std::string path =
      std::string(std::getenv("TEST_COPIES")) + (kind == ToDevice ? "/to-" : "/from-");
  std::FILE *file = std::fopen((path + std::to_string(counts[kind]++)).c_str(), "wb");
  if (!file || std::fwrite(host, 1, bytes, file) != bytes || std::fclose(file))
    std::abort();
}

} // namespace

// The copy first: it has run when the call returns, of the simulator also where it is asynchronous.
extern "C" int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream) {
  int code = next<Copy>("cudaMemcpyAsync")(to, from, bytes, kind, stream);
  write(kind == FromDevice ? to : from, bytes, kind);
  return code;
}

extern "C" int cudaMemcpy(void *to, const void *from, size_t bytes, int kind) {
  int code = next<CopyNow>("cudaMemcpy")(to, from, bytes, kind);
  write(kind == FromDevice ? to : from, bytes, kind);
  return code;
}
