// Defaults of the sanitizer, for programs that offer a choice.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace tessera::sanitize {

/// The number of reports that ends a launch.
inline constexpr size_t defaultReports = 20;

} // namespace tessera::sanitize
