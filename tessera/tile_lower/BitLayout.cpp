// Layouts of register tiles as lists of bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/BitLayout.h"

#include <algorithm>
#include <bit>

using llvm::ArrayRef;

namespace tessera::tile_lower {

BitList bitsUpTo(int count) {
  BitList out;
  for (int i = 0; i < count; ++i)
    out.push_back(int8_t(i));
  return out;
}
int log2Of(int64_t number) { return std::bit_width(uint64_t(number)) - 1; }

int64_t BitLayout::partOf(ArrayRef<int8_t> bits, int64_t number) {
  int64_t out = 0;
  for (size_t i = 0; i < bits.size(); ++i)
    if (bits[i] != noBit && (number >> i & 1))
      out |= int64_t(1) << bits[i];
  return out;
}
int64_t BitLayout::registerOf(int64_t part) const {
  int64_t out = 0;
  for (size_t i = 0; i < registers.size(); ++i)
    if (part >> registers[i] & 1)
      out |= int64_t(1) << i;
  return out;
}
int64_t BitLayout::replicas() const {
  int64_t out = 0;
  for (size_t i = 0; i < threads.size(); ++i)
    if (threads[i] == noBit)
      out |= int64_t(1) << i;
  return out;
}
int BitLayout::vectorBits(ArrayRef<int8_t> order) const {
  size_t n = 0;
  while (n < registers.size() && n < order.size() && registers[n] == order[n])
    ++n;
  return int(n);
}

BitLayout blocked(ArrayRef<int8_t> order, int threadBits, int vectorBits) {
  BitLayout out;
  size_t next = 0;
  while (next < size_t(vectorBits) && next < order.size())
    out.registers.push_back(order[next++]);
  for (int i = 0; i < threadBits; ++i)
    out.threads.push_back(next < order.size() ? order[next++] : noBit);
  while (next < order.size())
    out.registers.push_back(order[next++]);
  return out;
}

BitLayout without(const BitLayout &layout, int64_t removed) {
  auto moved = [&](int8_t bit) {
    return int8_t(bit - std::popcount(uint64_t(removed) & ((uint64_t(1) << bit) - 1)));
  };
  BitLayout out;
  for (int8_t bit : layout.threads)
    out.threads.push_back(bit == noBit || (removed >> bit & 1) ? noBit : moved(bit));
  for (int8_t bit : layout.registers)
    if (!(removed >> bit & 1))
      out.registers.push_back(moved(bit));
  return out;
}

BitLayout renamed(const BitLayout &layout, ArrayRef<int8_t> map) {
  BitLayout out = layout;
  for (BitList *bits : {&out.threads, &out.registers})
    for (int8_t &bit : *bits)
      if (bit != noBit)
        bit = map[size_t(bit)];
  return out;
}

bool staysInThreads(const BitLayout &from, const BitLayout &to) {
  for (size_t i = 0; i < to.threads.size(); ++i) {
    bool same = from.threads[i] == to.threads[i];
    bool held = from.threads[i] == noBit && llvm::is_contained(from.registers, to.threads[i]);
    if (!same && !held)
      return false;
  }
  return true;
}

BitList bitsOf(const layout::Layout &layout) {
  llvm::SmallVector<int64_t> extents, strides;
  layout.shape.forEachLeaf([&](const layout::Leaf &leaf) { extents.push_back(leaf.value.value); });
  layout.stride.forEachLeaf([&](const layout::Leaf &leaf) { strides.push_back(leaf.value.value); });
  BitList out;
  for (size_t i = 0; i < extents.size(); ++i)
    for (int bit = 0; bit < log2Of(extents[i]); ++bit)
      out.push_back(strides[i] == 0 ? noBit : int8_t(log2Of(strides[i]) + bit));
  return out;
}

layout::Layout modeOf(ArrayRef<int64_t> strides, int64_t unit) {
  std::vector<layout::Tree> extents, steps;
  for (size_t i = 0; i < strides.size();) {
    size_t end = i + 1;
    while (end < strides.size() && strides[end] == strides[end - 1] * 2)
      ++end;
    extents.push_back(int64_t(1) << (end - i));
    steps.push_back(strides[i] / unit);
    i = end;
  }
  return {layout::Tree(std::move(extents)), layout::Tree(std::move(steps))};
}

layout::Layout threadValues(const BitLayout &layout, int columnBits) {
  int bits = int(layout.registers.size() + layout.threads.size()) -
             int(llvm::count(layout.threads, noBit));
  auto mode = [&](ArrayRef<int8_t> list) {
    llvm::SmallVector<int64_t> strides;
    for (int8_t bit : list)
      strides.push_back(bit == noBit       ? 0
                        : bit < columnBits ? int64_t(1) << (bits - columnBits + bit)
                                           : int64_t(1) << (bit - columnBits));
    return strides.empty() ? layout::Layout{int64_t(1), int64_t(0)} : modeOf(strides);
  };
  layout::Layout threads = mode(layout.threads), registers = mode(layout.registers);
  return {layout::Tree::of({threads.shape, registers.shape}),
          layout::Tree::of({threads.stride, registers.stride})};
}

int waysOf(ArrayRef<int64_t> addresses, int bytes) {
  // Lanes go in groups of which each moves up to 128 bytes.
  constexpr int banks = 32, bankBytes = 4;
  size_t group = size_t(std::min(32, banks * bankBytes / std::max(bytes, bankBytes)));
  int worst = 1;
  for (size_t first = 0; first < addresses.size(); first += group) {
    llvm::SmallVector<int64_t> words[banks];
    for (size_t lane = first; lane < std::min(addresses.size(), first + group); ++lane)
      for (int64_t word = addresses[lane] / bankBytes;
           word <= (addresses[lane] + bytes - 1) / bankBytes; ++word)
        if (!llvm::is_contained(words[word % banks], word))
          words[word % banks].push_back(word);
    for (const auto &bank : words)
      worst = std::max(worst, int(bank.size()));
  }
  return worst;
}

layout::Swizzle swizzleFor(const BitLayout &writer, int writeBits, const BitLayout &reader,
                           int readBits, int elementBytes) {
  auto cost = [&](const layout::Swizzle &swizzle, const BitLayout &side, int bits) {
    llvm::SmallVector<int64_t> addresses;
    for (int64_t lane = 0; lane < 32; ++lane)
      addresses.push_back(swizzle(side.threadPart(lane) * elementBytes));
    return waysOf(addresses, elementBytes << bits);
  };
  // Vectors stay together; all other bits that choose the bank take part.
  constexpr int bankBits = 7;
  int base = std::min(bankBits, std::max({writeBits, readBits, 0}) + log2Of(elementBytes));
  layout::Swizzle best{.bits = 0, .base = base, .shift = bankBits - base};
  int least = cost(best, writer, writeBits) + cost(best, reader, readBits);
  for (int shift = bankBits - base; base < bankBits && shift <= 12; ++shift) {
    layout::Swizzle candidate{.bits = bankBits - base, .base = base, .shift = shift};
    int ways = cost(candidate, writer, writeBits) + cost(candidate, reader, readBits);
    if (ways < least) {
      least = ways;
      best = candidate;
    }
  }
  return best;
}

} // namespace tessera::tile_lower
