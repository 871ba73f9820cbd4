// What the C API says where memory runs out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera-c/Layout.h"

#include <cstdio>
#include <cstdlib>
#include <new>
#include <string_view>

namespace {
bool fails = false; // the next allocation
} // namespace

void *operator new(std::size_t size) {
  void *memory = fails ? nullptr : std::malloc(size);
  fails = false;
  if (!memory)
    throw std::bad_alloc();
  return memory;
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }

int main() {
  for (const char *text : {"(4,8,16,32):(1,4,32,512)", ""}) {
    TesseraError *error = nullptr;
    fails = true;
    TesseraValue *value = *text ? tesseraParse(text, &error) : tesseraNumber(4, &error);
    if (value || std::string_view(tesseraErrorId(error)) != "OutOfMemory") {
      std::printf("expected OutOfMemory of \"%s\", got \"%s\"\n", text, tesseraErrorId(error));
      return 1;
    }
    tesseraErrorDestroy(error);
  }
}
