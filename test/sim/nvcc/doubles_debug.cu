// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nvcc: -G
// The program doubles as it is compiled for a debugger.
#define doubles doubles_debug
#include "doubles.cu"
