// Layouts as diagnostics show them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Diagnostics.h"

#include "tessera/layout/Text.h"

using namespace tessera;

std::string cute::detail::shown(const layout::Tree &tree) { return layout::str(tree); }
std::string cute::detail::shown(const layout::AnyLayout &l) { return layout::str(l); }
