// Counts passes over the banks of shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Banks.h"

#include <algorithm>
#include <utility>

namespace tessera::sim {

namespace {
constexpr uint32_t bankBytes = 4, bankCount = 32;
}

void BankUse::see(const MemoryAccess &a) {
  if (a.space == Space::Shared && row(a.how).by == Agent::Thread && !isOfMbarrier(a.how))
    accessed.push_back({a.address, a.bytes, a.lane});
}

/// Lanes are served together as far as they have 128 bytes: all with up to 4 bytes each, 16 with 8,
/// 8 with 16. A pass gives each bank's 4 bytes once, to all lanes that want them. CUDA C++ Best
/// Practices Guide 9.2.3.1.
Statistics::Banks BankUse::take() {
  Statistics::Banks banks;
  if (accessed.empty())
    return banks;
  uint32_t width = std::max(bankBytes, accessed.front().bytes),
           together = std::max(1u, bankCount * bankBytes / width);
  for (uint32_t first = 0; first < warpSize; first += together) {
    words.clear();
    uint32_t last[bankCount], wanted[bankCount] = {}, passes = 0;
    std::fill_n(last, bankCount, none);
    auto want = [&](uint64_t number) {
      const auto bank = uint32_t(number % bankCount);
      for (uint32_t w = last[bank]; w != none; w = words[w].next)
        if (words[w].number == number)
          return;
      words.push_back({number, std::exchange(last[bank], uint32_t(words.size()))});
      passes = std::max(passes, ++wanted[bank]);
    };
    for (const Lane &one : accessed)
      if (uint32_t(one.lane) >= first && uint32_t(one.lane) < first + together)
        for (uint32_t at = 0; at < one.bytes; at += bankBytes)
          want((one.address + at) / bankBytes);
    banks.passes += passes;
    banks.needed += passes > 0;
  }
  accessed.clear();
  return banks;
}

} // namespace tessera::sim
