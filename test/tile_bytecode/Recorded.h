// Programs that cuTile Python's tests and samples made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TESSERA_TILE_PROGRAMS names a folder with *.tilebc, also in folders of it, or TESSERA_CUTILE one
// with programs-13.3.tar.xz and samples.tar.xz.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tessera::tile_bytecode::test {

/// The files with programs; none where neither variable is set.
std::vector<std::filesystem::path> recordedPrograms();
/// The bytes of a file.
std::string contentOf(const std::filesystem::path &);

} // namespace tessera::tile_bytecode::test
