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

/// The configuration of a kernel: operation, number types and row length. Rows may begin anywhere
/// and have contiguous elements; the stride between rows is arbitrary.
struct RowConfig {
  std::string kernel = "rmsnorm";  // a name of rowKernels()
  std::string element = "bf16";    // type of the inputs: f16, bf16, f32
  std::string result = "";         // type of the output; empty: as the inputs, or f8E4M3FN
  std::string activation = "silu"; // of act-mul: none, relu, gelu, silu
  int columns = 4096;              // the most columns of a row; fewer also work
  int segment = 0;                 // columns that share a scale; 0: the whole row
  int sms = 132;                   // multiprocessors of the device
  int vectors = 0;                 // the most vectors of 16 bytes per thread; 0: 4
  bool overlaps = false;           // begins before earlier kernels end: sm_90 and later (Overlap.h)
  atom::Target target = *atom::Target::parse("sm_90a");

  /// The configuration with all open choices made.
  RowConfig complete() const;
  /// "rmsnorm_4096_bf16".
  std::string name() const;
};

/// A kernel's entry in lists.
struct RowKernelInfo {
  std::string_view name, formula;
  std::string call; // "x: rows x columns, w: columns, y: rows x columns, eps: f32"
  bool anyLength;   // whether one kernel handles rows of all lengths
};
std::vector<RowKernelInfo> rowKernels();

/// The reason why there is no such kernel, or nothing.
std::optional<Reason> refused(const RowConfig &);

/// Writes the kernel and its host function, which has the kernel's name with _ for -, into the
/// thread's dsl::Context. The configuration must not be refused. The function's parameters are
/// those of rowKernels(), and a stream.
void buildRows(const RowConfig &);

} // namespace tessera::kernels
