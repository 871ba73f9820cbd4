// Libdevice: NVIDIA's library of mathematical functions, linked as the bitcode of an installation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Status.h"

#include <string>

namespace llvm {
class Module;
}

namespace tessera::ptx {

/// Defines the functions __nv_* that a module calls, as internal ones, from the bitcode at `path`
/// (empty: findLibdevice). Reads nothing if it calls none. Fails if the file cannot be read as
/// bitcode of this LLVM or an older one, or lacks a function.
Status linkLibdevice(llvm::Module &, const std::string &path);

} // namespace tessera::ptx
