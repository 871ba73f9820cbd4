// LLVM's headers as the library was built that they belong to: without the address sanitizer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The preset `asan` includes this before every file. Debian's LLVM is not instrumented: memory that
// an inline allocator of its headers poisons in our code, the same allocator in the library hands
// out without unpoisoning it, so that right programs stop with use-after-poison. What our code
// allocates, reads and writes is checked as before.
#if defined(__cplusplus) && __has_include("llvm/Support/Compiler.h")
#include "llvm/Support/Compiler.h"
#undef LLVM_ADDRESS_SANITIZER_BUILD
#define LLVM_ADDRESS_SANITIZER_BUILD 0
#undef __asan_poison_memory_region
#define __asan_poison_memory_region(p, size)
#undef __asan_unpoison_memory_region
#define __asan_unpoison_memory_region(p, size)
#endif
