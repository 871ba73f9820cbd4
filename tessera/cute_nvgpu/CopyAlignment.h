// CopyAlignment: what the addresses of a copy are multiples of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_nvgpu/AtomForms.h"

namespace tessera::cute_nvgpu {

/// Bits of which the addresses of one call's source and destination are multiples.
std::pair<int64_t, int64_t> alignmentsOf(TableCopyAtom);

} // namespace tessera::cute_nvgpu
