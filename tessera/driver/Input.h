// Input: files of any spelling for programs whose parser knows only ours.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/import/Version.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace tessera::driver {

/// The file, as bytecode with its locations where CuTe DSL wrote it in another spelling than ours;
/// else as it is, for the program to say what is wrong with it, if anything is. Null after errors
/// in a file of CuTe DSL, which went to stderr. An edited file is made consistent first, in
/// whichever spelling it is.
std::unique_ptr<llvm::MemoryBuffer> inOurSpelling(std::unique_ptr<llvm::MemoryBuffer> file,
                                                  import::Reading how = {});

} // namespace tessera::driver
