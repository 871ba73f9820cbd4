// BuildId: which build of the program is running.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace tessera::cache {

/// The ids that the linker gave this program, or the library that this code is in, and the shared
/// libraries of LLVM and MLIR it runs with: hashes of their content, which differ for different
/// builds and only for these. A program without one is hashed itself.
const std::string &buildId();

/// The id in the notes of an ELF file that is loaded (a PT_NOTE segment); empty if there is none.
/// For tests.
std::string_view buildIdInNotes(std::string_view notes);

} // namespace tessera::cache
