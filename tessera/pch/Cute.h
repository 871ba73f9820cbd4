// Precompiled headers of the rooms right above the dialect `cute`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/pch/Core.h"

#include "tessera/cute/Cute.h"
