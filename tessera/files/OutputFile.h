// OutputFile: writes every file that a user names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/files/Errors.h"

#include <initializer_list>
#include <span>

namespace tessera::files {

/// The exit code of a program that could not write a file.
constexpr int cannotWrite = 7;

/// Writes the pieces, one after the other, to `path`; "-" is the standard output.
///
/// A regular file is whole or as it was before: the pieces go to a new file in the same folder,
/// reach the disk, and are renamed. It keeps its permissions, access list and group where the
/// system lets it, else nobody else may do more than before; a link to it stays a link; a new one
/// has the permissions that the umask leaves. Devices, pipes and descriptors (/dev/stdout,
/// /dev/fd/3) are written directly. Reasons (FileWrite) name the path and what the system said.
Status writeFile(const std::string &path, std::span<const std::string_view> pieces);
inline Status writeFile(const std::string &path, std::initializer_list<std::string_view> pieces) {
  return writeFile(path, std::span(pieces.begin(), pieces.size()));
}

/// Writes what was printed with stdio to the standard output, at the end of a program. FileWrite
/// where that, or a print before, did not reach it.
Status finishStdout();

} // namespace tessera::files
