// Reasons of the files room: the rows of Errors.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Sentence.h"
#include "tessera/base/Status.h"

namespace tessera::files {

#define TESSERA_ERRORS "tessera/files/Errors.def"
#include "tessera/base/Errors.inc"

/// What the system said of the last call that failed (errno).
std::string systemReason();

/// Whether that was that no more files may be open, of the process or of the system.
bool isOutOfFiles();

} // namespace tessera::files
