// Markup: text of others inside XML and HTML.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace tessera::sim_reports {

/// As an attribute between double quotes, or as content. Characters that XML 1.0 (2.2) does not
/// have are written as \x1b.
std::string markup(std::string_view given, bool isContent = false);

} // namespace tessera::sim_reports
