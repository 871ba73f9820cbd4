// GemmTable: the fastest configuration of the GEMM for each measured shape.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/gemm/GemmShape.h"

#include <vector>

namespace tessera::kernels {

/// The part of a configuration that only affects speed.
struct GemmSchedule {
  bool swap;
  int tileM, tileN, stages, cluster, group, splitK;
  bool pingpong = false;

  static GemmSchedule of(const GemmConfig &);
  void applyTo(GemmConfig &) const;
  std::string str() const; // "--tile-n 256 --stages 4 ...", "--swap --tile-m 16 ..."
  bool operator==(const GemmSchedule &) const = default;
};

/// A row of GemmTable.def or of a file like it.
struct GemmRow {
  std::string a, b;
  GemmShape shape;
  GemmSchedule schedule;
  std::string comment; // after the row
};

class GemmTable {
public:
  static GemmTable builtIn();
  /// Keeps empty lines and lines that begin with // where they are before the first row.
  static Result<GemmTable> parse(llvm::StringRef text);

  std::string head; // comments
  std::vector<GemmRow> rows;

  /// The row nearest to a shape whose schedule is not refused for the configuration; null if there
  /// is none. The distance of a factor of two in an extent equals that of another type of the same
  /// size; K counts in bytes.
  const GemmRow *nearest(const GemmConfig &, const GemmShape &) const;
  /// The row with exactly these types and this shape.
  const GemmRow *exact(const GemmConfig &, const GemmShape &) const;
  /// Replaces the row with the same types and shape, or appends the row.
  void put(const GemmRow &);
  std::string str() const;
};

} // namespace tessera::kernels
