// The `cute_nvgpu` dialect, whole: include this to work with its ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute/Cute.h"
#include "tessera/cute_nvgpu/AtomTypes.h"

#define GET_OP_CLASSES
#include "tessera/cute_nvgpu/ops/Arch.h.inc"
#define GET_OP_CLASSES
#include "tessera/cute_nvgpu/ops/Bulk.h.inc"
#define GET_OP_CLASSES
#include "tessera/cute_nvgpu/ops/Desc.h.inc"
#define GET_OP_CLASSES
#include "tessera/cute_nvgpu/ops/Tma.h.inc"
#define GET_OP_CLASSES
#include "tessera/cute_nvgpu/ops/TmaCopies.h.inc"
#define GET_OP_CLASSES
#include "tessera/cute_nvgpu/ops/Tmem.h.inc"
