// Rows: kernels that work on each row of matrices, and transposition, as CuTe IR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Target.h"
#include "tessera/base/Result.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tessera::kernels {

/// Which kernel, of which numbers, for rows of which length. Rows begin anywhere and their elements
/// are side by side; from one row to the next there may be any stride.
struct RowConfig {
  std::string kernel = "rmsnorm";  // a name of rowKernels()
  std::string element = "bf16";    // of what is read: f16, bf16, f32
  std::string result = "";         // of what is written; empty: as what is read, or f8E4M3FN
  std::string activation = "silu"; // of act-mul: none, relu, gelu, silu
  int columns = 4096;              // the most that a row may have; fewer are right too
  int segment = 0;                 // columns that have a scale of their own; 0: the row
  int sms = 132;                   // multiprocessors of the device
  int vectors = 0;                 // of 16 bytes that a thread has at most; 0: 4
  bool overlaps = false; // begins before kernels before it end: sm_90 and later (Overlap.h)
  atom::Target target = *atom::Target::parse("sm_90a");

  /// With what was left open chosen.
  RowConfig complete() const;
  /// "rmsnorm_4096_bf16".
  std::string name() const;
};

/// What there is, for lists.
struct RowKernelInfo {
  std::string_view name, formula;
  std::string call; // "x: rows x columns, w: columns, y: rows x columns, eps: f32"
  bool anyLength;   // whether one kernel is for rows of all lengths
};
std::vector<RowKernelInfo> rowKernels();

/// Why there is no such kernel, if there is none.
std::optional<Reason> refused(const RowConfig &);

/// Writes the host function, which has the kernel's name with _ for -, and the kernel into the
/// thread's dsl::Context, for a configuration that is not refused. The function's parameters are
/// those of rowKernels(), and a stream.
void buildRows(const RowConfig &);

} // namespace tessera::kernels
