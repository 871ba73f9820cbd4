// The files of $TESSERA_CORPUS, and their text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace tessera::test {

/// The folder, null if the variable is not set.
inline const char *corpus() { return std::getenv("TESSERA_CORPUS"); }

/// The `input*` of all kernels with one of these extensions, in order.
std::vector<std::filesystem::path> corpusFiles(const std::vector<std::string> &extensions = {
                                                   ".mlir"});

/// The text of a file, which xz unpacks where it has to; empty after errors.
std::string textOf(const std::filesystem::path &);

} // namespace tessera::test
