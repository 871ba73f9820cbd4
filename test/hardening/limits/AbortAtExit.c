// Aborts when the process ends: a library to preload. What the process starts goes without.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>

__attribute__((constructor)) static void begin(void) { unsetenv("LD_PRELOAD"); }
__attribute__((destructor)) static void end(void) { abort(); }
