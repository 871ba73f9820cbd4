// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nvcc: -Xcicc -O0
// The program switch_table without optimisation.
#define switch_table switch_debug
#include "switch_table.cu"
