// FileValues: values of a kernel's file, by the line that defines them, as expressions to draw.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"
#include "tessera/import/Version.h"
#include "tessera/layout/Algebra.h"

#include <string>

namespace tessera::cli {

/// A value of a file that has a layout.
struct FileValue {
  std::string name, type;
  std::string expression; // for `tessera layout`
  std::string tile;       // of a thread-value layout: "16x8"; empty for any other
};

/// The value at `place`, FILE:LINE or FILE:LINE:COLUMN, in a file of any version and spelling: a
/// layout, tensor, tuple, tile or swizzle, a tiled copy as its thread-value layout, a tiled MMA as
/// that of `operand`. If a line defines several, the column chooses the last one that begins at or
/// before it; without one, the reason lists them. A reason without text was printed on stderr.
Result<FileValue> valueAt(const std::string &place, layout::MmaOperand operand,
                          import::Reading how);

} // namespace tessera::cli
