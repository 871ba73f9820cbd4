// Far: which memory may hold tensors whose elements 32 bits cannot count.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute/Cute.h"

namespace tessera::cute {

/// Whether a tensor that starts there may have 2^31 elements: global memory, and what may be it.
/// The memories of a block, a cluster and a thread have 19 bits at most.
inline bool isFar(mlir::Type iterator) {
  auto pointer = llvm::dyn_cast<PtrType>(iterator);
  return pointer && (pointer.getAddressSpace() == AddressSpace::Gmem ||
                     pointer.getAddressSpace() == AddressSpace::Generic);
}

} // namespace tessera::cute
