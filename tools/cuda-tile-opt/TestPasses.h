// Passes that only tests of tile programs use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tessera {

void registerTilePassesForTests();

} // namespace tessera
