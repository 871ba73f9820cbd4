// The atom types of all families.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_NVGPU_ATOMTYPES_TD
#define TESSERA_CUTE_NVGPU_ATOMTYPES_TD

include "tessera/cute_nvgpu/families/bulk/Types.td"
include "tessera/cute_nvgpu/families/group/Types.td"
include "tessera/cute_nvgpu/families/tensor/Types.td"
include "tessera/cute_nvgpu/families/tma/Types.td"
include "tessera/cute_nvgpu/families/universal/Types.td"
include "tessera/cute_nvgpu/families/warp/Types.td"

#endif
