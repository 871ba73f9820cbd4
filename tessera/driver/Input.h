// Input: files of any spelling for programs whose parser knows only ours.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/import/Version.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace tessera::driver {

/// The file, converted to bytecode with its locations if CuTe DSL wrote it in another spelling than
/// ours; else unchanged, so that the program itself reports its errors. Null after errors in a file
/// of CuTe DSL, which went to stderr. An edited file is first made consistent, in any spelling.
std::unique_ptr<llvm::MemoryBuffer> inOurSpelling(std::unique_ptr<llvm::MemoryBuffer> file,
                                                  import::Reading how = {});

} // namespace tessera::driver
