// Precompiled headers of the rooms that see all of our dialects beside LLVM's and NVVM's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/pch/Nvvm.h"

#include "tessera/cuda/Cuda.h"
#include "tessera/cute/Cute.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"
