// TileReport: the decisions for the kernels of a tile program, as text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/ptx/PtxasLog.h"
#include "tessera/tile_lower/Explanation.h"

#include <span>
#include <string>

namespace tessera::cli {

/// A paragraph for each kernel: its level, threads and memory, products, accesses, loops, and the
/// layout of each tile. With ptxas' report of registers, if it was run.
std::string reportText(std::span<const tile_lower::Explanation>, std::span<const ptx::PtxasReport>,
                       const std::string &arch);

/// LLVM's remarks in YAML: a passed or missed one for each product and kernel.
std::string remarksText(std::span<const tile_lower::Explanation>);

} // namespace tessera::cli
