// Content: recognises a file by its beginning, for commands that get the file of another command.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace tessera::cli {

/// What a file is if it can be neither MLIR nor a tile program, and which command reads it; empty
/// if it may be one.
std::string notMlir(std::string_view content);
/// The same for PTX.
std::string notPtx(std::string_view content);

} // namespace tessera::cli
