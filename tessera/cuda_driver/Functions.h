// Functions: the functions of the interface by name and version.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string_view>

namespace tessera::cuda_driver {

struct FunctionRow {
  std::string_view symbol, name;
  int version;                        // 1000 * major + 10 * minor of CUDA
  void (*function)(), (*perThread)(); // null: no such form
  std::string_view refused;           // why; empty if it is not refused
};

std::span<const FunctionRow> functionRows();

/// The newest version of a function that is not newer than `version`, or null; `isKnown` says
/// whether any version exists.
const FunctionRow *findFunction(std::string_view name, int version, bool &isKnown);

} // namespace tessera::cuda_driver
