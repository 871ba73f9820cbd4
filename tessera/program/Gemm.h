// Gemm: a ready product of matrices as a program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/program/Program.h"

namespace tessera::program {

/// D = A B^T, of row-major matrices: A is m x k, B n x k and D m x n. Types by their names.
struct GemmShape {
  int64_t m = 0, n = 0, k = 0;
  std::string a, b, d;
};

/// The kernel that the table has for the shape, else the fastest that the model of an H200 finds,
/// of those that need no workspace. Fails for types and shapes that no kernel takes.
Result<std::shared_ptr<Program>> gemm(std::shared_ptr<Device>, const GemmShape &,
                                      const LoadOptions &);

} // namespace tessera::program
