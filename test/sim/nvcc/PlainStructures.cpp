// Plain versions of the programs that sort, search, count and build structures.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Buffers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

namespace tessera::nvcc {

namespace {

template <class T, size_t size> void sortPieces(Buffers &b) {
  for (size_t i = 0; i < count<T>(b[0]); i += size)
    std::sort(as<T>(b[0]) + i, as<T>(b[0]) + i + size);
}
void compaction(Buffers &b) {
  for (size_t block = 0; block < 4; ++block) {
    size_t place = 0;
    for (size_t i = 0; i < 256; ++i)
      if (u32 x = as<u32>(b[0])[block * 256 + i]; x & 1)
        as<u32>(b[1])[block * 256 + place++] = x;
    as<u32>(b[2])[block] = u32(place);
  }
}
void runLengths(Buffers &b) {
  std::vector<std::pair<u32, u32>> runs;
  for (size_t i = 0; i < 256; ++i) {
    u32 x = as<u32>(b[0])[i] & 1;
    if (runs.empty() || runs.back().first != x)
      runs.emplace_back(x, 0);
    ++runs.back().second;
  }
  for (size_t r = 0; r < runs.size(); ++r)
    as<u32>(b[1])[r] = runs[r].first, as<u32>(b[2])[r] = runs[r].second;
  as<u32>(b[3])[0] = u32(runs.size());
}
void bitPacking(Buffers &b) {
  std::vector<bool> bits;
  for (size_t t = 0; t < 128; ++t) {
    u32 x = as<u32>(b[0])[t], length = x % 13 + 1;
    for (u32 i = 0; i < length; ++i) // the last bit is 1, the first is one of the number's
      bits.push_back(i + 1 == length || (i == 0 && (x >> 28 & 1)));
  }
  for (size_t i = 0; i < bits.size(); ++i)
    as<u32>(b[1])[i / 32] |= u32(bits[i]) << i % 32;
  as<u32>(b[2])[0] = u32(bits.size());
}
void graphLevels(Buffers &b) {
  int *levels = as<int>(b[1]);
  std::fill_n(levels, 256, -1);
  std::vector<u32> queue = {0};
  levels[0] = 0;
  for (size_t at = 0; at < queue.size(); ++at)
    for (size_t i = 0; i < 4; ++i)
      if (u32 to = as<u32>(b[0])[4 * queue[at] + i] % 256; to % 16 && levels[to] < 0)
        levels[to] = levels[queue[at]] + 1, queue.push_back(to);
}
void unionFind(Buffers &b) {
  u32 *out = as<u32>(b[2]);
  std::iota(out, out + 512, 0);
  for (size_t e = 0; e < 256; ++e) {
    u32 x = out[as<u32>(b[0])[2 * e] % 512], y = out[as<u32>(b[0])[2 * e + 1] % 512];
    std::replace(out, out + 512, std::max(x, y), std::min(x, y));
  }
  as<u32>(b[1])[0] = 512;
}
void topK(Buffers &b) {
  for (size_t block = 0; block < 4; ++block) {
    std::array<u32, 256> order;
    std::iota(order.begin(), order.end(), 0);
    auto value = [&](u32 i) { return as<u32>(b[0])[block * 256 + i] >> 24; };
    std::stable_sort(order.begin(), order.end(), [&](u32 x, u32 y) { return value(x) > value(y); });
    for (size_t k = 0; k < 8; ++k)
      as<u32>(b[1])[block * 8 + k] = value(order[k]), as<u32>(b[2])[block * 8 + k] = order[k];
  }
}
void atomicWraps(Buffers &b) {
  u32 *c = as<u32>(b[1]);
  u64 *wide = as<u64>(b[2]);
  for (size_t t = 0; t < 512; ++t) {
    u32 x = as<u32>(b[0])[t];
    int64_t y = int64_t(int32_t(x)) * 0x10001;
    c[0] = c[0] >= 99 ? 0 : c[0] + 1, c[1] = c[1] == 0 || c[1] > 99 ? 99 : c[1] - 1, c[2] -= x;
    c[3] = std::min(c[3], x), c[4] = u32(std::max(int32_t(c[4]), int32_t(x)));
    c[5] &= x | 0xffff0000, c[6] ^= x, c[7] |= x;
    wide[0] = u64(std::min(int64_t(wide[0]), y)), wide[1] = u64(std::max(int64_t(wide[1]), y));
    wide[2] += u64(y), wide[3] ^= u64(y);
    c[9] += c[8], c[8] = c[8] >= 63 ? 0 : c[8] + 1;
  }
}
void atomicReals(Buffers &b) {
  float sum = 0, halves = 0, largest = 0, ones = 0;
  for (size_t t = 0; t < 128; ++t) {
    int8_t x = as<int8_t>(b[0])[t];
    sum += float(x) * 0.25f, halves += float(x & 3) * 0.5f, ones += float(x & 1);
    largest = std::max(largest, float(x) * 0.25f);
  }
  as<float>(b[1])[0] = sum, as<double>(b[2])[0] = double(sum) * 1.25;
  as<_Float16>(b[3])[0] = as<_Float16>(b[4])[0] = _Float16(halves);
  as<_Float16>(b[3])[1] = _Float16(-halves);
  as<uint16_t>(b[5])[0] = uint16_t(std::bit_cast<u32>(ones) >> 16);
  as<uint16_t>(b[5])[1] = uint16_t(std::bit_cast<u32>(ones / 2) >> 16);
  as<float>(b[6])[0] = largest;
}
void hashTable(Buffers &b) {
  u32 sums[97] = {};
  for (u32 t = 0; t < 256; ++t)
    sums[as<u32>(b[0])[t] % 97] += t;
  each<u32>(b, [&](size_t t) {
    u32 key = as<u32>(b[0])[255 - t] % 97;
    return sums[key] * 128 + key + 1;
  });
}
void lockFreeStack(Buffers &b) {
  for (size_t t = 0; t < 128; ++t)
    if (u32 x = as<u32>(b[0])[t]; x & 1)
      as<u32>(b[2])[t] = x + 1, ++as<u32>(b[2])[128];
}
void workQueue(Buffers &b) {
  for (u32 piece = 0; piece < 50; ++piece)
    for (u32 i = 0; i <= piece * 3; ++i)
      as<u32>(b[1])[piece] += as<u32>(b[0])[(piece * 7 + i) % 256];
  as<u32>(b[2])[0] = 50 + 2 * 4; // each warp asks once too often
}
void stringSearch(Buffers &b) {
  const u8 *text = as<u8>(b[0]), word[] = {0, 1, 2, 0};
  for (u32 i = 4096 - 4 + 1; i-- > 0;)
    if (std::equal(word, word + 4, text + i, [](u8 x, u8 y) { return x == (y & 3); }))
      ++as<u32>(b[1])[0], as<u32>(b[1])[1] = i;
}
void editDistance(Buffers &b) {
  int *out = as<int>(b[2]);
  for (int i = 0; i <= 64; ++i)
    for (int j = 0; j <= 64; ++j) {
      int *cell = out + i * 65 + j;
      *cell = i + j;
      if (i && j)
        *cell = std::min({cell[-65] + 1, cell[-1] + 1,
                          cell[-66] + ((as<u8>(b[0])[i - 1] & 3) != (as<u8>(b[1])[j - 1] & 3))});
    }
}
void bloomFilter(Buffers &b) {
  std::vector<bool> bits(2048);
  auto place = [](u32 key, u32 k) { return key * (2 * k + 0x9e3779b1u) >> 21; };
  for (size_t t = 0; t < 256; ++t)
    for (u32 k = 0; k < 3; ++k)
      bits[place(as<u32>(b[0])[t], k)] = true;
  each<u32>(b, [&](size_t t) {
    u32 key = as<u32>(b[1])[t];
    return u32(bits[place(key, 0)] && bits[place(key, 1)] && bits[place(key, 2)]);
  });
}
void beamSearch(Buffers &b) {
  std::array<u32, 4> score = {0, 10, 20, 30};
  for (u32 s = 0; s < 6; ++s) {
    std::vector<std::pair<u32, u32>> all; // the best first
    for (u32 t = 0; t < 64; ++t)
      all.emplace_back(score[t / 16] + as<u32>(b[0])[(s * 16 + t % 16 + t / 16 * 5) % 256] % 100,
                       t);
    std::stable_sort(all.begin(), all.end(), [](auto &x, auto &y) { return x.first > y.first; });
    for (u32 k = 0; k < 4; ++k)
      score[k] = all[k].first, as<u32>(b[1])[s * 4 + k] = all[k].second;
  }
  std::copy(score.begin(), score.end(), as<u32>(b[2]));
}

const std::string in256 = "ptr=rand:u32:256", out256 = "ptr=zeros:u32:256",
                  in1k = "ptr=rand:u32:1024", out1k = "ptr=zeros:u32:1024", one = "ptr=zeros:u32:1";

} // namespace

std::vector<Program> structurePrograms() {
  return {
      {"radix_sort", {4}, {128}, {"ptr=rand:u32:512"}, sortPieces<u32, 128>},
      {.name = "merge_path",
       .grid = {2},
       .block = {128},
       .arguments = {in1k, in1k, "ptr=zeros:u32:2048", "i32:1024"},
       .plain =
           [](Buffers &b) {
             std::merge(as<u32>(b[0]), as<u32>(b[0]) + 1024, as<u32>(b[1]), as<u32>(b[1]) + 1024,
                        as<u32>(b[2]));
           },
       .prepare =
           [](Buffers &b) {
             for (size_t i : {0, 1})
               std::sort(as<u32>(b[i]), as<u32>(b[i]) + 1024);
           }},
      {.name = "odd_even_sort",
       .grid = {2},
       .block = {64},
       .arguments = {"ptr=rand:i32:256"},
       .plain = sortPieces<int32_t, 128>,
       .prepare = // the first piece falls, so that all steps have something to exchange
       [](Buffers &b) { std::sort(as<int32_t>(b[0]), as<int32_t>(b[0]) + 128, std::greater<>()); }},
      {"rank_sort",
       {2},
       {128},
       {"ptr=rand:u8:256", out256, "i32:256"},
       [](Buffers &b) {
         u32 *order = as<u32>(b[1]);
         std::iota(order, order + 256, 0);
         std::stable_sort(order, order + 256,
                          [&](u32 x, u32 y) { return as<u8>(b[0])[x] < as<u8>(b[0])[y]; });
       },
       0,
       256},
      {"compaction", {4}, {256}, {in1k, out1k, "ptr=zeros:u32:4"}, compaction},
      {"run_lengths", {1}, {256}, {in256, out256, out256, one}, runLengths},
      {"bit_packing", {1}, {128}, {"ptr=rand:u32:128", "ptr=zeros:u32:64", one}, bitPacking},
      {"graph_levels", {1}, {256}, {in1k, out256}, graphLevels},
      {"union_find", {1}, {256}, {"ptr=rand:u32:512", one, "ptr=zeros:u32:512"}, unionFind},
      {"top_k", {4}, {256}, {in1k, "ptr=zeros:u32:32", "ptr=zeros:u32:32"}, topK},
      {"atomic_wraps",
       {2},
       {256},
       {"ptr=rand:u32:512", "ptr=rand:u32:10", "ptr=rand:u64:4"},
       atomicWraps},
      {"atomic_reals",
       {2},
       {64},
       {"ptr=rand:i8:128", "ptr=zeros:f32:1", "ptr=zeros:f64:1", "ptr=zeros:f16:2",
        "ptr=zeros:f16:2", "ptr=zeros:bf16:2", "ptr=zeros:f32:1"},
       atomicReals},
      {"hash_table", {1}, {256}, {in256, out256}, hashTable},
      {"lock_free_stack",
       {1},
       {128},
       {"ptr=rand:u32:128", "ptr=zeros:u32:128", "ptr=zeros:u32:129"},
       lockFreeStack},
      {"spin_lock",
       {4},
       {64},
       {in256, one, "ptr=zeros:u32:2"},
       [](Buffers &b) {
         for (size_t i = 0; i < 256; ++i)
           as<u32>(b[2])[0] += as<u32>(b[0])[i], as<u32>(b[2])[1] ^= as<u32>(b[0])[i];
       }},
      {"work_queue", {2}, {128}, {in256, "ptr=zeros:u32:50", one, "i32:50"}, workQueue},
      {.name = "string_search",
       .grid = {16},
       .block = {256},
       .arguments = {"ptr=rand:u8:4096", "i32:4096", "ptr=zeros:u32:2"},
       .plain = stringSearch,
       .prepare = [](Buffers &b) { as<u32>(b[1])[1] = 4096; }},
      {"edit_distance",
       {1},
       {65},
       {"ptr=rand:u8:64", "ptr=rand:u8:64", "ptr=zeros:i32:4225"},
       editDistance},
      {"bloom_filter", {1}, {256}, {in256, in256, out256}, bloomFilter},
      {"beam_search",
       {1},
       {64},
       {in256, "ptr=zeros:u32:24", "ptr=zeros:u32:4", "i32:6"},
       beamSearch},
  };
}

} // namespace tessera::nvcc
