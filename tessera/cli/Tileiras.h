// Tileiras: the command line of NVIDIA's compiler of tile programs, which front ends call.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Callers and what they pass: cuTile Python, cuTile Rust, cuTile.jl and Triton's tile back end.
// They look at the exit code, show stderr, and search the text of --version (docs/tile.md).
#pragma once

namespace tessera::cli {

/// The whole program: 0, or an exit code after an error, which went to stderr. `version` is a text
/// of the project's version.
int tileiras(int argc, char **argv, const char *version);

} // namespace tessera::cli
