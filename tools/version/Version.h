// Version: what --version of every program prints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace tessera {

/// Four lines: `program` with the project's version; the commit, with -dirty where files differed
/// from it; the version of LLVM, or that there is none; the kind of build.
std::string versionText(std::string_view program);

/// Whether an argument is --version; then it has printed the above.
bool saidVersion(int argc, char **argv, std::string_view program);

} // namespace tessera
