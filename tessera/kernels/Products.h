// Products: which products of tensor cores the kernels for a target are made of. Each kind has a
// folder of kernels, named after the first target that has them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Target.h"

namespace tessera::kernels {

/// Those of warps, mma.sync: the kernels of sm80/, for Turing to Ada, and for sm_120 and sm_121,
/// the Blackwell without tensor memory.
bool multipliesByWarps(const atom::Target &);
/// Those of warpgroups, wgmma: the kernels of sm90/.
bool hasGroupMma(const atom::Target &);
/// Those whose sums are in tensor memory, tcgen05: the kernels of sm100/. Also true of targets
/// without a suffix, which lack the instructions: so a refusal names the suffix.
bool hasTensorMemory(const atom::Target &);

} // namespace tessera::kernels
