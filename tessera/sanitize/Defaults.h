// Defaults of the sanitizer, for who lets others choose.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace tessera::sanitize {

/// So many reports end a launch.
inline constexpr size_t defaultReports = 20;

} // namespace tessera::sanitize
