// A library that is closed while a thread that called it goes on, and ends later.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread gives memory back at its end by code of the library (tessera/base/PerThread.h).
#include "tessera-c/Layout.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <latch>
#include <thread>

namespace {
/// A function of the library, by the type of its declaration.
template <class F> F *of(void *library, const char *name, F *) {
  auto *function = reinterpret_cast<F *>(dlsym(library, name));
  if (!function) {
    std::fprintf(stderr, "%s: %s\n", name, dlerror());
    std::exit(1);
  }
  return function;
}
#define OF(library, name) of(library, #name, static_cast<decltype(&name)>(nullptr))
} // namespace

int main(int, char **argv) {
  for (int round = 0; round < 3; ++round) {
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      std::fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    std::latch called(1), closed(1);
    std::thread other([&] {
      TesseraValue *value = OF(library, tesseraParse)("((4,2),(8,4)):((1,4),(8,64))", nullptr);
      if (!value) {
        std::fprintf(stderr, "no layout\n");
        std::exit(1);
      }
      OF(library, tesseraDestroy)(value);
      called.count_down();
      closed.wait();
    });
    called.wait();
    if (dlclose(library) != 0)
      return 1;
    closed.count_down();
    other.join();
  }
}
