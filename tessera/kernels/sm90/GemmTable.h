// GemmTable: which configuration of the GEMM was fastest for which shape.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/sm90/Gemm.h"

#include "llvm/ADT/StringRef.h"

#include <vector>

namespace tessera::kernels {

struct GemmShape {
  int64_t m = 0, n = 0, k = 0;

  static Result<GemmShape> parse(llvm::StringRef text); // "4096x4096x11008"
  std::string str() const;
  bool operator==(const GemmShape &) const = default;
};

/// What of a configuration is a matter of speed only.
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
  /// Lines that are empty or begin with // are kept where they are before the first row.
  static Result<GemmTable> parse(llvm::StringRef text);

  std::string head; // comments
  std::vector<GemmRow> rows;

  /// The row nearest to a shape, whose schedule is not refused for the configuration; null if there
  /// is none. A factor of two in an extent is as far as another type of the same size; K counts in
  /// bytes.
  const GemmRow *nearest(const GemmConfig &, const GemmShape &) const;
  /// The row of these very types and shape.
  const GemmRow *exact(const GemmConfig &, const GemmShape &) const;
  /// Puts a row in place of that of its types and shape, or after all.
  void put(const GemmRow &);
  std::string str() const;
};

/// Elements of the workspace and counters that K in slices needs.
struct GemmWorkspace {
  int64_t sums = 0, counters = 0;
};
GemmWorkspace workspaceOf(const GemmConfig &, const GemmShape &);

} // namespace tessera::kernels
