// Fatal: LLVM's fatal errors, and the end of memory in LLVM and MLIR, as results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>

namespace tessera::ptx {

/// Runs `code` of LLVM. Where it would end the process (report_fatal_error, such as "Cannot select:
/// ..."), gives LLVM's words instead; what `code` had on its stack is lost then, and what it was
/// changing must neither be used nor destroyed.
std::optional<std::string> fatalErrorOf(llvm::function_ref<void()> code);

/// Runs `code` of LLVM and MLIR, which know no exceptions. Where memory runs out in it, gives the
/// reason; frames of such code free nothing then, and what they were changing must neither be used
/// nor destroyed. LLVM would end the process in one half of the cases and leave its work with
/// std::bad_alloc in the other.
std::optional<Reason> exhaustionOf(llvm::function_ref<void()> code);

/// The same for work with a result.
template <class Work> auto withinMemory(Work work) -> decltype(work()) {
  std::optional<decltype(work())> made;
  if (std::optional<Reason> exhausted = exhaustionOf([&] { made.emplace(work()); }))
    return *std::move(exhausted);
  return *std::move(made);
}

} // namespace tessera::ptx
