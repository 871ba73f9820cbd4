// Precompiled headers of the examples of tile_dsl, which tests build and run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/pch/Std.h"

#include "tessera/tile.h"
