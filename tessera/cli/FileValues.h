// FileValues: values of a kernel's file, by the line that defines them, as expressions to draw.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"
#include "tessera/import/Version.h"
#include "tessera/layout/Algebra.h"

#include <string>

namespace tessera::cli {

/// What a file says of a value that has a layout.
struct FileValue {
  std::string name, type;
  std::string expression; // for `tessera layout`
  std::string tile;       // of a thread-value layout: "16x8"; empty for any other
};

/// The value of `place`, FILE:LINE or FILE:LINE:COLUMN, in a file of any version and spelling: a
/// layout, tensor, tuple, tile or swizzle, a tiled copy as its thread-value layout, a tiled MMA as
/// that of `operand`. Where a line defines several, the column chooses the last that begins at or
/// before it; without one, they are listed in the reason. A reason without text was said on stderr.
Result<FileValue> valueAt(const std::string &place, layout::MmaOperand operand,
                          import::Reading how);

} // namespace tessera::cli
