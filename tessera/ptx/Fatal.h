// Fatal: turns fatal errors of LLVM, and running out of memory in LLVM and MLIR, into results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>

namespace tessera::ptx {

/// Runs code of LLVM. If it would end the process (report_fatal_error, such as "Cannot select:
/// ..."), returns LLVM's message instead. The objects on the stack of `code` are lost then, and
/// objects that it was changing must neither be used nor destroyed.
std::optional<std::string> fatalErrorOf(llvm::function_ref<void()> code);

/// Runs code of LLVM and MLIR, which is compiled without exceptions. If memory runs out in it,
/// returns the reason; its stack frames free nothing then, and objects that it was changing must
/// neither be used nor destroyed. Without this, LLVM would end the process in one half of the cases
/// and leave its work with std::bad_alloc in the other.
std::optional<Reason> exhaustionOf(llvm::function_ref<void()> code);

/// The same for work with a result.
template <class Work> auto withinMemory(Work work) -> decltype(work()) {
  std::optional<decltype(work())> made;
  if (std::optional<Reason> exhausted = exhaustionOf([&] { made.emplace(work()); }))
    return *std::move(exhausted);
  return *std::move(made);
}

} // namespace tessera::ptx
