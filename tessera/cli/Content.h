// Content: what a file is by how it begins, for commands that are given the file of another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace tessera::cli {

/// What a file is that can be no MLIR and no tile program, and which command reads it; empty if it
/// may be one.
std::string notMlir(std::string_view content);
/// The same of PTX.
std::string notPtx(std::string_view content);

} // namespace tessera::cli
