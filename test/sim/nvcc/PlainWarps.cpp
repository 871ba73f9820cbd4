// Plain versions of the programs of warps, groups and barriers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Buffers.h"

#include <algorithm>
#include <bit>

namespace tessera::nvcc {

namespace {

void shuffleWide(Buffers &b) {
  const u64 *in = as<u64>(b[0]);
  for (size_t t = 0; t < 256; ++t) {
    const u64 *warp = in + t / 32 * 32;
    size_t lane = t % 32;
    u64 up = lane % 16 >= 3 ? warp[lane - 3] : in[t], down = lane + 5 < 32 ? warp[lane + 5] : in[t];
    as<u64>(b[2])[t] = up ^ down * 3 ^ warp[lane ^ 9] * 5 ^ warp[lane | 7] * 7;
  }
  for (size_t warp = 0; warp < 256; warp += 32) {
    double *sums = as<double>(b[3]) + warp, before[32];
    std::copy_n(as<double>(b[1]) + warp, 32, sums);
    for (size_t step = 1; step < 32; step *= 2) {
      std::copy_n(sums, 32, before);
      for (size_t l = step; l < 32; ++l)
        sums[l] = before[l] + before[l - step];
    }
  }
}
void warpReduce(Buffers &b) {
  each<u32>(b, [&](size_t t) {
    const u32 *warp = as<u32>(b[0]) + t / 32 * 32;
    u32 sum = 0, least = ~0u, both = ~0u, any = 0, differ = 0;
    int32_t most = INT32_MIN;
    for (size_t l = t & 1; l < 32; l += 2)
      sum += warp[l], least = std::min(least, warp[l]), both &= warp[l] | 3,
                      most = std::max(most, int32_t(warp[l])), any |= warp[l] & 0x11110000,
                      differ ^= warp[l];
    return t & 1 ? sum ^ least ^ both : u32(most) ^ any ^ differ;
  });
}
void matchGroups(Buffers &b) {
  each<u32>(b, [&](size_t t) {
    const u32 *warp = as<u32>(b[0]) + t / 32 * 32;
    u32 x = warp[t % 32], any = 0, far = 0;
    for (u32 l = 0; l < 32; ++l)
      any |= u32((warp[l] & 7) == (x & 7)) << l, far |= u32((warp[l] & 3) == (x & 3)) << l;
    bool same = any == ~0u;
    return any + far * 3 + (same ? ~0u + 5 : 0) + ~0u * 7 + 11 +
           u32(std::popcount(any)) * u32(std::countr_zero(far) + 101);
  });
}
void tilesScan(Buffers &b) {
  each<u32>(b, [&](size_t t) {
    u32 with = 0, before = 0, most = 0, product = 1;
    for (size_t i = t / 16 * 16; i <= t; ++i) {
      u32 x = as<u32>(b[0])[i];
      before = with, with += x, most = std::max(most, x), product *= x | 1;
    }
    return with ^ before * 3 ^ most * 5 ^ product * 7;
  });
}
void labeledGroups(Buffers &b) {
  each<u32>(b, [&](size_t t) {
    const u32 *in = as<u32>(b[0]);
    u32 sum = 0, rank = 0, size = 0, first = 0;
    for (size_t i = t / 32 * 32; i < t / 32 * 32 + 32; ++i)
      if (in[i] % 5 == in[t] % 5) {
        first = size ? first : in[i];
        sum += in[i], rank += i < t, ++size;
      }
    return sum * 31 + rank * 7 + size + first;
  });
}
void binaryGroups(Buffers &b) {
  each<u32>(b, [&](size_t t) {
    const u32 *in = as<u32>(b[0]), *tile = in + t / 16 * 16;
    std::vector<u32> half;
    u32 rank = 0, same = 0;
    for (u32 l = 0; l < 16; ++l) {
      same |= u32((tile[l] & 1) == (in[t] & 1)) << l;
      if ((tile[l] & 2) != (in[t] & 2))
        continue;
      rank = l == t % 16 ? u32(half.size()) : rank;
      half.push_back(tile[l]);
    }
    u32 odd = 0, some = 0, all = 1;
    for (u32 i = 0; i < half.size(); ++i)
      odd |= (half[i] & 1) << i, some |= half[i] % 7 == 0, all &= half[i] > 1000;
    return half[(rank + 1) % half.size()] + odd * 3 + some * 5 + all * 7 +
           u32(t % 256 / 16) * 1000 + same;
  });
}
void gridBarrier(Buffers &b) {
  for (size_t s = 0; s < 3; ++s)
    for (size_t i = 0; i < 256; ++i) {
      const u32 *from = as<u32>(b[s % 2]);
      as<u32>(b[1 - s % 2])[i] = from[i] / 2 + from[(i + 1) % 256] / 4 + from[(i + 255) % 256] / 4;
    }
}
void ownGridBarrier(Buffers &b) {
  u32 *values = as<u32>(b[0]), *sums = as<u32>(b[1]);
  for (size_t step = 1; step <= 3; ++step) {
    for (size_t i = 0; i < 256; ++i)
      sums[i] = values[i] + values[(i + 77 * step) % 256];
    for (size_t i = 0; i < 256; ++i)
      values[i] = sums[255 - i];
  }
  as<u32>(b[2])[0] = 6 * 4;
}
void pairSort(Buffers &b) {
  for (size_t warp = 0; warp < 256; warp += 32) {
    u32 *keys = as<u32>(b[0]) + warp, *values = as<u32>(b[1]) + warp;
    std::vector<std::pair<u32, u32>> all;
    for (size_t l = 0; l < 32; ++l)
      all.emplace_back(keys[l] & 15, values[l]);
    std::sort(all.begin(), all.end());
    // Runs of 32 rise, as the bit of 32 of a lane is 0.
    for (size_t l = 0; l < 32; ++l)
      keys[l] = all[l].first, values[l] = all[l].second;
  }
}
u32 loops(u32 x) {
  u32 sum = 0;
  for (u32 i = 0; i < x % 17; ++i) {
    if ((x >> i & 3) == 1)
      continue;
    for (u32 j = i; j < 20; j += 1 + (x & 1)) {
      if (sum % 29 == 28)
        break;
      sum += j * i + 1;
    }
    if (sum > 700)
      break;
  }
  return sum;
}
void divergentLoops(Buffers &b) {
  each<u32>(b, [&](size_t t) {
    u32 x = as<u32>(b[0])[t], sum = loops(x),
        next = loops(as<u32>(b[0])[t / 32 * 32 + (t + 1) % 32]);
    do {
      sum += next ^ x;
      x >>= 3;
    } while (x);
    return sum;
  });
}
void blockVotes(Buffers &b) {
  each<u32>(b, [&](size_t t) {
    u32 odd = 0;
    bool large = false, nonzero = true, rare = true;
    for (size_t i = t / 256 * 256; i < t / 256 * 256 + 256; ++i) {
      u32 x = as<u32>(b[0])[i];
      odd += x & 1, large |= x > 0xfff00000, nonzero &= x != 0, rare &= x % 200 != 3;
    }
    return as<u32>(b[0])[t] + odd * 3 + (large ? 1000 : 0) + (nonzero ? 2000 : 0) +
           (rare ? 4000 : 0);
  });
}
void segmentedScan(Buffers &b) {
  u32 sum = 0;
  each<u32>(b, [&](size_t t) {
    u32 x = as<u32>(b[0])[t];
    return sum = (t % 256 == 0 || x % 16 == 0 ? 0 : sum) + (x >> 4);
  });
}
void messagePassing(Buffers &b) {
  u32 *message = as<u32>(b[0]), *out = as<u32>(b[2]);
  for (u32 block = 0; block < 4; ++block) {
    as<u32>(b[1])[block] = 1;
    for (u32 t = 0; t < 64; ++t) {
      u32 x = block ? message[(block - 1) * 64 + (t ^ 1)] : t;
      out[block * 64 + t] = x, message[block * 64 + t] = x * 5 + block;
    }
  }
}

const std::string in256 = "ptr=rand:u32:256", out256 = "ptr=zeros:u32:256",
                  in1k = "ptr=rand:u32:1024", out1k = "ptr=zeros:u32:1024";

} // namespace

std::vector<Program> warpPrograms() {
  return {
      {"shuffle_wide",
       {2},
       {128},
       {"ptr=rand:u64:256", "ptr=rand:f64:256", "ptr=zeros:u64:256", "ptr=zeros:f64:256"},
       shuffleWide},
      {"warp_reduce", {2}, {128}, {in256, out256}, warpReduce},
      {"match_groups", {4}, {256}, {in1k, out1k}, matchGroups},
      {"tiles_scan", {4}, {256}, {in1k, out1k}, tilesScan},
      {"labeled_groups", {4}, {256}, {in1k, out1k}, labeledGroups},
      {"binary_groups", {4}, {256}, {in1k, out1k}, binaryGroups},
      {.name = "grid_barrier",
       .grid = {4},
       .block = {64},
       .arguments = {in256, out256, "i32:256", "i32:3"},
       .plain = gridBarrier,
       .isCooperative = true},
      {"own_grid_barrier", {4}, {64}, {in256, out256, "ptr=zeros:u32:1"}, ownGridBarrier},
      {"elect_one",
       {1},
       {256},
       {"ptr=rand:u32:8", "ptr=zeros:u32:10"},
       [](Buffers &b) {
         std::copy_n(as<u32>(b[0]), 8, as<u32>(b[1]));
         as<u32>(b[1])[8] = 8, as<u32>(b[1])[9] = 16;
       }},
      {"pair_sort", {2}, {128}, {in256, in256}, pairSort},
      {"divergent_loops", {4}, {256}, {in1k, out1k}, divergentLoops},
      {"block_votes", {4}, {256}, {in1k, out1k}, blockVotes},
      {"segmented_scan", {4}, {256}, {in1k, out1k}, segmentedScan},
      {"warp_specialists",
       {1},
       {64},
       {in256, out256, "i32:8"},
       [](Buffers &b) {
         each<u32>(b, [&](size_t i) {
           return as<u32>(b[0])[i / 32 * 32 + 31 - i % 32] * 3 + u32(i / 32);
         });
       }},
      {"message_passing", {4}, {64}, {out256, "ptr=zeros:u32:4", out256}, messagePassing},
      {"address_spaces",
       {1},
       {64},
       {"ptr=rand:u32:64", "ptr=zeros:u32:64"},
       [](Buffers &b) {
         const u32 *in = as<u32>(b[0]);
         each<u32>(b, [&](size_t t) {
           u32 x = in[t], which = x % 3, value = which == 0 ? in[t ^ 8] + 1 : in[t ^ 3];
           // Element t % 4 of the local array is the one that i = 0 wrote.
           return which == 2 ? 4 : value * 8 + (which == 0 ? 1 : 2);
         });
       }},
  };
}

} // namespace tessera::nvcc
