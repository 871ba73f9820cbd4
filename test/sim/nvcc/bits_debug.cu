// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nvcc: -G
// The program bits as it is compiled for a debugger.
#define bits bits_debug
#include "bits.cu"
