// Fatal: LLVM's fatal errors as results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>

namespace tessera::ptx {

/// Runs `code` of LLVM. Where it would end the process (report_fatal_error, such as "Cannot select:
/// ..."), gives LLVM's words instead; what `code` had on its stack is lost then, and what it was
/// changing must neither be used nor destroyed.
std::optional<std::string> fatalErrorOf(llvm::function_ref<void()> code);

} // namespace tessera::ptx
