// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nvcc: -Xcicc -O0
// The program labeled_groups without optimisation.
#define labeled_groups labeled_debug
#include "labeled_groups.cu"
