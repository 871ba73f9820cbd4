// Chain: the composed layouts in `A o offset o B`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/eval/Value.h"

#include <span>

namespace tessera::eval {

/// Whether the first of `rest` is an offset between `inner` and the layout that follows; else a
/// tuple tiles.
bool isOffset(const Value &inner, std::span<const Value> rest);

/// `inner o offset o outer`, not checked; `inner` is a swizzle or a plain layout.
layout::Composed after(const Value &inner, const layout::Tree &offset, layout::Layout outer);

} // namespace tessera::eval
