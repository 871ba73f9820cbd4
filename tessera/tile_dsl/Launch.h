// What a launch needs to know of a kernel, and what it says: parameters, arguments, diagnostics.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_dsl/Element.h"

#include <optional>
#include <string>
#include <vector>

namespace tessera::tile {

/// One mistake: the author's line, or no line (0) where it is one of a launch.
struct Diagnostic {
  std::string id; // of a row in Errors.def
  std::string text;
  std::string file = {};
  unsigned line = 0, column = 0;

  /// "add.cpp:12:3: error: ...".
  std::string str() const;
};

/// What came of a launch.
struct Outcome {
  std::vector<Diagnostic> diagnostics;
  std::string output; // what the kernel printed
  /// How long it ran: of a GPU by its clock, else by the host's. None where it did not run, or was
  /// queued.
  std::optional<double> milliseconds = {};

  bool ok() const { return diagnostics.empty(); }
  explicit operator bool() const { return ok(); }
  /// All diagnostics, one in a line.
  std::string text() const;
};

/// Tile blocks in each dimension.
struct Grid {
  int64_t x = 1, y = 1, z = 1;
  bool operator==(const Grid &) const = default;
  std::string str() const;
};

/// Hints of a whole kernel: how many blocks of threads share a tile block (1, 2, 4, 8 or 16), warps
/// of each, how many tile blocks a multiprocessor should hold (1 to 32).
struct KernelHints {
  std::optional<int> num_cta_in_cga = {}, num_worker_warps_per_cta = {}, occupancy = {};
};

/// Where tile indices are compared with the number of tiles. What is known before a launch always
/// is; other indices not at all, by an assertion in the kernel, or they are refused.
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

/// What a launch gives for a parameter.
struct Argument {
  uint64_t code = 0;                             // a number's bits
  void *data = nullptr;                          // an array, or what a pointer points to
  size_t bytes = 0;                              // from the first to the last element; 0: not known
  std::vector<int64_t> shape = {}, strides = {}; // in elements
  std::vector<int64_t> tile = {};                // of `partition`
  bool isConst = false;
  const Runner *owner = nullptr; // whose memory it is; null: the host's
};

/// A bound that is looked at before a launch: the largest index < the number of tiles.
struct LaunchCheck {
  std::string file;
  unsigned line = 0, column = 0;
  int parameter = 0, dim = 0;
  int64_t step = 1; // by how many elements an index moves the tile
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
