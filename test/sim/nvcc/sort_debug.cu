// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nvcc: -Xcicc -O0
// The program bitonic_sort without optimisation.
#define bitonic_sort sort_debug
#include "bitonic_sort.cu"
