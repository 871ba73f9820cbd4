// Trust: whether somebody else could change what is in a folder.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/files/Descriptor.h"
#include "tessera/files/Errors.h"

namespace tessera::files {

/// Whether only the user can put files into an open folder, or another folder in its place: the
/// user owns it, nobody else may write to it, and each folder above it belongs to the user or root
/// and is not writable by others, unless it is sticky, as /tmp is. Otherwise the reason, which
/// names `path` and says what to do. The rule of OpenSSH's StrictModes (auth_secure_path of
/// misc.c), with sticky folders, where only owners rename.
Status onlyOurs(const Descriptor &folder, const std::string &path);

/// The same for a folder that is not there yet: of the folders above it that are.
Status onlyOursAbove(const std::string &path);

} // namespace tessera::files
