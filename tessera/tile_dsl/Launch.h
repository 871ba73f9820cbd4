// What a launch needs to know of a kernel, and what it returns: parameters, arguments, diagnostics.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_dsl/Element.h"

#include <optional>
#include <string>
#include <vector>

namespace tessera::tile {

/// One mistake, with the author's line, or without a line (0) if it is a mistake of a launch.
struct Diagnostic {
  std::string id; // of a row in Errors.def
  std::string text;
  std::string file = {};
  unsigned line = 0, column = 0;

  /// "add.cpp:12:3: error: ...".
  std::string str() const;
};

/// The result of a launch.
struct Outcome {
  std::vector<Diagnostic> diagnostics;
  std::string output; // what the interpreter printed; devices print to standard output
  /// Run time: on a GPU by its clock, else by the host's clock. None if the kernel did not run or
  /// was only queued.
  std::optional<double> milliseconds = {};

  bool ok() const { return diagnostics.empty(); }
  explicit operator bool() const { return ok(); }
  /// All diagnostics, one per line.
  std::string text() const;
};

/// Tile blocks in each dimension.
struct Grid {
  int64_t x = 1, y = 1, z = 1;
  bool operator==(const Grid &) const = default;
  std::string str() const;
};

/// Hints for a whole kernel: thread blocks that share a tile block (1, 2, 4, 8 or 16), warps of
/// each thread block, and tile blocks that a multiprocessor should hold (1 to 32).
struct KernelHints {
  std::optional<int> num_cta_in_cga = {}, num_worker_warps_per_cta = {}, occupancy = {};
};

/// Where tile indices are compared with the number of tiles. Indices known before a launch are
/// always checked. Others are not checked, are checked by an assertion in the kernel, or are
/// refused.
enum class Checks : uint8_t {
  Launch,
  InKernel,
  Forbidden
};

class Runner;

namespace detail {

/// What a parameter of a kernel is.
struct ParameterInfo {
  enum Kind : uint8_t {
    Number,
    Pointer,
    Input,
    Output,
    InOut
  } kind = Number;
  TypeKind element = TypeKind::F32;
  std::vector<int64_t> extents = {}; // of Input, Output and InOut: static ones, else -1
  std::vector<int64_t> tile = {};    // of Output
  bool isArray() const { return kind >= Input; }
};

/// The argument of a launch for a parameter.
struct Argument {
  uint64_t code = 0;                             // a number's bits
  void *data = nullptr;                          // an array, or what a pointer points to
  size_t bytes = 0;                              // from the first to the last element; 0: not known
  std::vector<int64_t> shape = {}, strides = {}; // in elements
  std::vector<int64_t> tile = {};                // of `partition`
  bool isConst = false;
  const Runner *owner = nullptr; // owner of the memory; null: the host
};

/// A bound to check before a launch: the largest index < the number of tiles.
struct LaunchCheck {
  std::string file;
  unsigned line = 0, column = 0;
  int parameter = 0, dim = 0;
  int64_t step = 1; // elements by which one step of the index moves the tile
  enum Source : uint8_t {
    Number,
    Block,
    CeilDiv // of an extent
  } source = Number;
  int64_t number = 0; // the largest index; the divisor
  int fromParameter = 0, fromDim = 0;
};

} // namespace detail
} // namespace tessera::tile
