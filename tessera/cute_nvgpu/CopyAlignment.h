// CopyAlignment: the alignment that a copy requires.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_nvgpu/AtomForms.h"

namespace tessera::cute_nvgpu {

/// Required alignments, in bits, of the source and destination addresses of one call.
std::pair<int64_t, int64_t> alignmentsOf(TableCopyAtom);

} // namespace tessera::cute_nvgpu
