// Observers: several observers of the same warp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Observer.h"

#include <span>

namespace tessera::sim {

/// Those of `observers` that watch a warp, combined into one that tells them in order; null if
/// none.
std::unique_ptr<WarpObserver> observerOf(std::span<Observer *const>, const Warp &);

} // namespace tessera::sim
