// Gives out columns of tensor memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/TensorMemory.h"

#include <algorithm>

namespace tessera::sim {

std::optional<uint32_t> TensorMemory::allocate(uint32_t count) {
  for (uint32_t first = 0; first + count <= columns; first += count)
    if (std::all_of(owner + first, owner + first + count, [](uint16_t who) { return who == 0; })) {
      std::fill_n(owner + first, count, uint16_t(first + 1));
      return first;
    }
  return std::nullopt;
}

bool TensorMemory::free(uint32_t column, uint32_t count) {
  if (column >= columns || owner[column] != column + 1 ||
      std::count(owner, owner + columns, uint16_t(column + 1)) != count)
    return false;
  std::fill_n(owner + column, count, uint16_t(0));
  return true;
}

uint32_t TensorMemory::allocated() const {
  return uint32_t(columns - std::count(owner, owner + columns, uint16_t(0)));
}

} // namespace tessera::sim
