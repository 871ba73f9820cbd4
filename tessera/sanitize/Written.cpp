// Sets and finds bits of written bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/Written.h"

#include <algorithm>
#include <atomic>
#include <bit>

namespace tessera::sanitize {

namespace {
/// f(word, mask of bits) for the words of some bits; stops when it returns false.
template <class F> void words(uint64_t first, uint64_t count, F f) {
  for (uint64_t at = first, end = first + count; at < end;) {
    uint64_t n = std::min(end - at, 64 - at % 64);
    if (!f(at / 64, (n == 64 ? ~uint64_t(0) : (uint64_t(1) << n) - 1) << at % 64))
      return;
    at += n;
  }
}
} // namespace

void Written::add(uint64_t first, uint64_t count) {
  if (count && (first + count - 1) / 64 >= bits.size())
    bits.resize((first + count + 63) / 64);
  words(first, count, [&](uint64_t word, uint64_t mask) {
    std::atomic_ref<uint64_t> bit(bits[word]);
    if ((bit.load(std::memory_order_relaxed) & mask) != mask)
      bit.fetch_or(mask, std::memory_order_relaxed);
    return true;
  });
}
void Written::remove(uint64_t first, uint64_t count) {
  words(first, count, [&](uint64_t word, uint64_t mask) {
    if (word < bits.size())
      std::atomic_ref(bits[word]).fetch_and(~mask, std::memory_order_relaxed);
    return word < bits.size();
  });
}
uint64_t Written::firstMissing(uint64_t first, uint64_t count) const {
  uint64_t missing = first + count;
  words(first, count, [&](uint64_t word, uint64_t mask) {
    uint64_t there =
        word < bits.size()
            ? std::atomic_ref(const_cast<uint64_t &>(bits[word])).load(std::memory_order_relaxed)
            : 0;
    uint64_t none = mask & ~there;
    if (none)
      missing = word * 64 + uint64_t(std::countr_zero(none));
    return !none;
  });
  return missing;
}

} // namespace tessera::sanitize
