// CuTe kernels in C++: the one header that kernels include.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_cxx/Bits.h"
#include "tessera/cute_cxx/Bulk.h"
#include "tessera/cute_cxx/Cooperative.h"
#include "tessera/cute_cxx/HostTensors.h"
#include "tessera/cute_cxx/Iterators.h"
#include "tessera/cute_cxx/Launch.h"
#include "tessera/cute_cxx/Macros.h"
#include "tessera/cute_cxx/Pipelines.h"
#include "tessera/cute_cxx/Scaled.h"
#include "tessera/cute_cxx/Selectors.h"
#include "tessera/cute_cxx/Warps.h"
