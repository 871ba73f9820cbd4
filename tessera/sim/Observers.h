// Observers: several that look at the same warp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Observer.h"

#include <span>

namespace tessera::sim {

/// Who of some observers looks at a warp, as one, told in their order; null if nobody does.
std::unique_ptr<WarpObserver> observerOf(std::span<Observer *const>, const Warp &);

} // namespace tessera::sim
