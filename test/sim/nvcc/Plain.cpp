// The first part of the table of programs, with what each does in plain C++.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Buffers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

namespace tessera::nvcc {

namespace {

uint32_t ackermann(uint32_t m, uint32_t n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
uint32_t fibonacci(uint32_t n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

void reduceShuffle(Buffers &b) {
  for (size_t block = 0; block < 4; ++block) {
    float warps[8];
    for (size_t w = 0; w < 8; ++w) {
      float lane[64] = {};
      std::copy_n(as<float>(b[0]) + block * 256 + w * 32, 32, lane);
      for (int step = 16; step;
           step /= 2) // lanes whose partner is out of range add themselves, and nobody reads them
        for (int l = 0; l < step; ++l)
          lane[l] += lane[l + step];
      warps[w] = lane[0];
    }
    for (int step = 4; step; step /= 2)
      for (int l = 0; l < step; ++l)
        warps[l] += warps[l + step];
    as<float>(b[1])[block] = warps[0];
  }
}
template <bool whole> void scan(Buffers &b) {
  u32 *in = as<u32>(b[0]), *out = as<u32>(b[1]), sum = 0;
  for (size_t i = 0; i < count<u32>(b[0]); ++i)
    out[i] = sum = (whole || i % 256 ? sum : 0) + in[i];
  for (size_t block = 0; whole && block < 8; ++block) {
    as<u32>(b[2])[0] = 8;
    as<u32>(b[2])[1 + 2 * block] = 1;
    as<u32>(b[2])[2 + 2 * block] = out[block * 256 + 255];
  }
}
void matmul(Buffers &b) {
  for (size_t m = 0; m < 64; ++m)
    for (size_t n = 0; n < 64; ++n) {
      float sum = 0;
      for (size_t k = 0; k < 64; ++k)
        sum = std::fma(as<float>(b[0])[m * 64 + k], as<float>(b[1])[k * 64 + n], sum);
      as<float>(b[2])[m * 64 + n] = sum;
    }
}
void asyncCopies(Buffers &b) {
  for (size_t block = 0; block < 2; ++block)
    for (size_t t = 0; t < 128; ++t) {
      u32 sum = 0;
      for (size_t tile = 0; tile < 6; ++tile)
        for (size_t k = 0; k < 4; ++k)
          sum = sum * 31 + as<u32>(b[0])[(block * 6 + tile) * 512 + ((t + k * 128) ^ 5)];
      as<u32>(b[1])[block * 128 + t] = sum;
    }
}
u32 reversed(u32 x) {
  u32 out = 0;
  for (int i = 0; i < 32; ++i)
    out |= (x >> i & 1) << (31 - i);
  return out;
}
u32 switched(u32 x) {
  switch (x % 12) {
  case 0: return x + 1;
  case 1: return x * 7;
  case 2: return ~x;
  case 3: return x >> 3;
  case 4: return x << 5 ^ 0x5a5a;
  case 5: return x ^ 0x5a5a;
  case 6: return reversed(x);
  case 7: return u32(std::popcount(x));
  case 8: return x - 99;
  case 9: return x * x;
  case 10: return x / 10;
  default: return x % 1000;
  }
}
void localArray(Buffers &b) {
  each<u32>(b, [&](size_t t) {
    u32 counts[16] = {}, code = 0;
    for (u32 x = as<u32>(b[0])[t]; x; x /= 10)
      ++counts[x % 10];
    for (u32 d = 10; d-- > 0;)
      code = code * 3 + counts[(d * 7 + t) % 10];
    return code;
  });
}
u64 wide(u64 x, u64 y) {
  y |= 1;
  u64 z = x / y + x % y * 3 + u64((unsigned __int128)x * y >> 64);
  z ^= u64(int64_t(x) / int64_t(y)) ^ u64((__int128)int64_t(x) * int64_t(y) >> 64);
  u64 back = u64(reversed(u32(x))) << 32 | reversed(u32(x >> 32));
  return z + u64(std::countl_zero(x)) + (u64(std::popcount(y)) << 8) + back +
         u64(std::countr_zero(y)) + 1;
}
void warpVotes(Buffers &b) {
  const u32 *in = as<u32>(b[0]);
  each<u32>(b, [&](size_t t) {
    const u32 *warp = in + t / 32 * 32;
    u32 lane = t % 32, x = in[t], ballot = 0, sum = 0, most = 0;
    bool same = true, all = true, seven = false;
    int32_t least = INT32_MAX;
    for (u32 l = 0; l < 32; ++l) {
      ballot |= (warp[l] & 1) << l, sum += warp[l] & 0xffff,
          most = std::max(most, warp[l]), least = std::min(least, int32_t(warp[l]));
      same &= warp[l] >> 31 == warp[0] >> 31, all &= warp[l] != 0, seven |= warp[l] == 7;
    }
    u32 rotated = warp[(lane + 5) % 32], segment = lane % 8 >= 3 ? warp[lane - 3] : x;
    u32 out = ballot ^ sum ^ most ^ u32(least) ^ (same ? ~0u : 0) ^ u32(same) ^ rotated ^
              segment * 3 ^ u32(all) ^ u32(seven) << 4;
    return lane & 1 ? out + 16 + warp[lane ^ 2] : out;
  });
}
void clusterMemory(Buffers &b) {
  u32 *in = as<u32>(b[0]), *out = as<u32>(b[1]);
  for (size_t i = 0; i < 8 * 64; ++i)
    out[i] = in[i];
  for (size_t block = 0; block < 8; ++block)
    for (u32 t = 0; t < 64; ++t) {
      u32 sum = 0, rank = block % 4;
      for (u32 r = 0; r < 4; ++r)
        sum = sum * 5 + in[(block / 4 * 4 + (rank + r) % 4) * 64 + (t ^ r)];
      out[(block ^ 1) * 64 + t] += sum;
    }
}
int dots(int a, int b) {
  auto s8 = [](int x, int i) { return int(int8_t(x >> 8 * i)); };
  auto u8 = [](int x, int i) { return u32(uint8_t(x >> 8 * i)); };
  auto s16 = [](int x, int i) { return int(int16_t(x >> 16 * i)); };
  u32 x = 100, y = 7, low, high = 3;
  for (int i = 0; i < 4; ++i)
    x += u32(s8(a, i) * s8(b, i)), y += u8(a, i) * u8(b, i);
  low = x;
  for (int i = 0; i < 2; ++i)
    low += u32(s16(a, i) * s8(b, i)), high += u32(s16(b, i) * s8(a, i + 2));
  return int(x ^ y ^ low ^ high);
}
u32 bits(u32 x, u32 y, u32 t) {
  u32 mixed = (x & y) ^ (~x & (y >> 3)) ^ (x | 0x0f0f0f0f), s = t & 31, clamped = std::min(t, 32u);
  u64 low = u64(y) << 32 | x, high = u64(x) << 32 | y;
  mixed += u32(low << s >> 32) ^ u32(clamped == 32 ? high >> 32 : high >> clamped);
  auto byte = [](u32 v, int i) { return int(v >> (8 * i) & 255); };
  u32 permuted =
          u32(byte(x, 0)) | u32(byte(y, 0)) << 8 | u32(byte(x, 2)) << 16 | u32(byte(y, 2)) << 24,
      apart = 0, sums = 0;
  for (int i = 0; i < 4; ++i)
    apart |= u32(std::abs(byte(x, i) - byte(y, i))) << 8 * i;
  for (int i = 0; i < 2; ++i)
    sums |= u32(uint16_t(std::clamp(int16_t(x >> 16 * i) + int16_t(y >> 16 * i), -32768, 32767)))
            << 16 * i;
  u32 sad = u32(std::llabs(int64_t(int32_t(x)) - int32_t(y))) + t;
  mixed ^= permuted + apart + sums + sad;
  u32 field = u32(u64(x) >> (t % 32)) & 127;
  return mixed + field + u32(int64_t(int32_t(x)) * int32_t(y) >> 32) + u32((u64(x) + y) >> 1);
}
void fastMath(Buffers &b) {
  each<float>(b, [&](size_t i) {
    double x = double(as<float>(b[0])[i / 8]), a = std::fabs(x) + 1;
    const double all[] = {
        std::sin(x), std::cos(x),  std::exp(x),     std::log(a), 1 / std::sqrt(a - 0.5),
        x / 3.7,     std::tanh(x), std::pow(a, 1.3)};
    return float(all[i % 8]);
  });
}
void life(Buffers &b) {
  const u8 *in = as<u8>(b[0]);
  each<u8>(b, [&](size_t at) {
    int x = int(at % 64), y = int(at / 64), around = 0;
    for (int i = 0; i < 9; ++i)
      around += i != 4 && in[((y + i / 3 - 1) & 63) * 64 + ((x + i % 3 - 1) & 63)];
    return u8(around == 3 || (around == 2 && in[at]));
  });
}
void mandelbrot(Buffers &b) {
  each<u32>(b, [](size_t at) {
    float cx = std::fma(float(at % 64), 0.046875f, -2.0f),
          cy = std::fma(float(at / 64), 0.046875f, -1.5f), u = 0, v = 0;
    u32 steps = 0;
    for (; steps < 200; ++steps) {
      float square = v * v;
      if (!(std::fma(u, u, square) < 4.0f))
        break;
      float next = std::fma(u, u, -square) + cx;
      v = std::fma(u + u, v, cy);
      u = next;
    }
    return steps;
  });
}
/// 32 rows of 64 columns; row r has 3 r entries.
void makeSparseRows(Buffers &b) {
  int *starts = as<int>(b[0]), *columns = as<int>(b[1]);
  for (int row = 0; row < 32; ++row)
    starts[row + 1] = starts[row] + 3 * row;
  for (int i = 0; i < starts[32]; ++i)
    columns[i] &= 63;
}
void sparseRows(Buffers &b) {
  int *starts = as<int>(b[0]), *columns = as<int>(b[1]);
  for (int row = 0; row < 32; ++row) {
    float lanes[32] = {};
    for (int i = starts[row]; i < starts[row + 1]; ++i)
      lanes[(i - starts[row]) % 32] =
          std::fma(as<float>(b[2])[i], as<float>(b[3])[columns[i]], lanes[(i - starts[row]) % 32]);
    for (int step = 16; step; step /= 2) {
      float before[32];
      std::copy_n(lanes, 32, before);
      for (int l = 0; l < 32; ++l)
        lanes[l] = before[l] + before[l ^ step];
    }
    as<float>(b[4])[row] = lanes[0];
  }
}
void lastBlock(Buffers &b) {
  for (size_t i = 0; i < 512; ++i)
    as<u32>(b[1])[i / 32] += as<u32>(b[0])[i], as<u32>(b[3])[0] += as<u32>(b[0])[i];
}
void floatMax(Buffers &b) {
  u32 *m = as<u32>(b[2]);
  float largest = 0;
  u64 sum = 0;
  for (size_t i = 0; i < 512; ++i) {
    float x = as<float>(b[0])[i];
    u32 code = std::bit_cast<u32>(x);
    largest = std::max(largest, x);
    m[0] &= code | 0xff, m[1] |= code, m[2] ^= code,
        m[3] = u32(std::min(int32_t(m[3]), int32_t(code))), m[4] = std::max(m[4], code);
    sum += u64(code) << 20;
  }
  as<float>(b[1])[0] = largest;
  std::memcpy(m + 6, &sum, 8);
}

const std::string in1k = "ptr=rand:u32:1024", out1k = "ptr=zeros:u32:1024";

} // namespace

void halves(std::vector<Bytes> &), wmmaTiles(std::vector<Bytes> &), bfloats(std::vector<Bytes> &),
    doubles(std::vector<Bytes> &), exactMath(std::vector<Bytes> &),
    bytesOfReals(std::vector<Bytes> &), byValue(std::vector<Bytes> &);

std::vector<Program> firstPrograms() {
  return {
      {"reduce_shared",
       {4},
       {256},
       {in1k, "ptr=zeros:u32:4"},
       [](Buffers &b) {
         for (size_t i = 0; i < 1024; ++i)
           as<u32>(b[1])[i / 256] += as<u32>(b[0])[i];
       }},
      {"reduce_shuffle", {4}, {256}, {"ptr=rand:f32:1024", "ptr=zeros:f32:4"}, reduceShuffle},
      {"scan_block", {4}, {256}, {in1k, out1k}, scan<false>},
      {"scan_chained",
       {8},
       {256},
       {"ptr=rand:u32:2048", "ptr=zeros:u32:2048", "ptr=zeros:u32:17"},
       scan<true>},
      {"histogram_shared",
       {4},
       {256},
       {in1k, "ptr=zeros:u32:256"},
       [](Buffers &b) {
         for (size_t i = 0; i < 4096; ++i)
           ++as<u32>(b[1])[as<u8>(b[0])[i]];
       }},
      {"histogram_match",
       {4},
       {256},
       {in1k, "ptr=zeros:u32:16"},
       [](Buffers &b) {
         for (size_t i = 0; i < 1024; ++i)
           ++as<u32>(b[1])[as<u32>(b[0])[i] & 15];
       }},
      {"transpose",
       {3, 2},
       {32, 8},
       {"ptr=rand:f32:6144", "ptr=zeros:f32:6144", "i32:64", "i32:96"},
       [](Buffers &b) {
         each<float>(b, [&](size_t i) { return as<float>(b[0])[i % 64 * 96 + i / 64]; });
       }},
      {"bitonic_sort",
       {4},
       {256},
       {"ptr=rand:u32:2048"},
       [](Buffers &b) {
         for (size_t i = 0; i < 4; ++i)
           std::sort(as<u32>(b[0]) + 512 * i, as<u32>(b[0]) + 512 * (i + 1));
       }},
      {"matmul",
       {4, 4},
       {16, 16},
       {"ptr=rand:f32:4096", "ptr=rand:f32:4096", "ptr=zeros:f32:4096", "i32:64"},
       matmul},
      {"cooperative",
       {4},
       {256},
       {in1k, "ptr=zeros:u32:128", "ptr=zeros:u32:1"},
       [](Buffers &b) {
         for (size_t i = 0; i < 1024; ++i)
           as<u32>(b[1])[i / 8] += as<u32>(b[0])[i], as<u32>(b[2])[0] += as<u32>(b[0])[i] & 1;
       }},
      {"bulk_pipeline",
       {1},
       {96},
       {"ptr=rand:u32:2816", "ptr=zeros:u32:2816", "i32:11"},
       [](Buffers &b) { each<u32>(b, [&](size_t i) { return 2 * as<u32>(b[0])[i]; }); }},
      {"cuda_barrier",
       {1},
       {128},
       {"ptr=rand:u32:320", "ptr=zeros:u32:320", "i32:5"},
       [](Buffers &b) {
         each<u32>(
             b, [&](size_t i) { return as<u32>(b[0])[i / 64 * 64 + 63 - i % 64] ^ u32(i / 64); });
       }},
      {"async_copies",
       {2},
       {128},
       {"ptr=rand:u32:6144", "ptr=zeros:u32:256", "i32:6"},
       asyncCopies},
      {"print_lines",
       {1},
       {32},
       {"i32:7"},
       [](Buffers &) {},
       0,
       0,
       {0, 0, 0},
       "-7    42|beef  |q text 10.500 -5000000000 %\n"},
      {"device_malloc",
       {1},
       {64},
       {"ptr=zeros:u32:64"},
       [](Buffers &b) {
         each<u32>(b, [](size_t t) {
           u32 sum = 0;
           for (u32 i = 8; i-- > 0;)
             sum = sum * 3 + u32(t) * 8 + i;
           return sum;
         });
       }},
      {"recursion",
       {1},
       {64},
       {"ptr=zeros:u32:64"},
       [](Buffers &b) {
         each<u32>(b, [](size_t t) { return ackermann(t % 3, t % 4) * 1000 + fibonacci(t % 12); });
       }},
      {"function_pointers",
       {2},
       {128},
       {"ptr=rand:i32:256", "ptr=rand:i32:256", "ptr=zeros:i32:256"},
       [](Buffers &b) {
         each<u32>(b, [&](size_t t) {
           u32 x = as<u32>(b[0])[t], y = as<u32>(b[1])[t];
           const u32 all[] = {x + y, x - y, x * y, u32(std::max(int32_t(x), int32_t(y)))};
           return all[(x ^ y) & 3];
         });
       }},
      {"switch_table",
       {4},
       {256},
       {in1k, out1k},
       [](Buffers &b) { each<u32>(b, [&](size_t t) { return switched(as<u32>(b[0])[t]); }); }},
      {"local_array", {4}, {256}, {in1k, out1k}, localArray},
      {"doubles",
       {4},
       {256},
       {"ptr=rand:f64:1024", "ptr=rand:f64:1024", "ptr=zeros:f64:1024", "ptr=zeros:i64:1024"},
       doubles},
      {"halves",
       {4},
       {256},
       {"ptr=rand:f16:2048", "ptr=rand:f16:2048", "ptr=zeros:f16:2048", "ptr=zeros:f32:1024"},
       halves},
      {"bfloats",
       {4},
       {256},
       {"ptr=rand:f32:1024", "ptr=rand:f32:1024", "ptr=zeros:bf16:2048"},
       bfloats},
      {"wide_integers",
       {4},
       {256},
       {"ptr=rand:u64:1024", "ptr=rand:u64:1024", "ptr=zeros:u64:1024"},
       [](Buffers &b) {
         each<u64>(b, [&](size_t t) { return wide(as<u64>(b[0])[t], as<u64>(b[1])[t]); });
       }},
      {"warp_votes", {4}, {256}, {in1k, out1k}, warpVotes},
      {"cluster_memory",
       {8},
       {64},
       {"ptr=rand:u32:512", "ptr=zeros:u32:512"},
       clusterMemory,
       0,
       0,
       {4, 1, 1}},
      {"dot_products",
       {4},
       {256},
       {in1k, in1k, out1k},
       [](Buffers &b) {
         each<int>(b, [&](size_t t) { return dots(as<int>(b[0])[t], as<int>(b[1])[t]); });
       }},
      {"bits",
       {4},
       {256},
       {in1k, in1k, out1k},
       [](Buffers &b) {
         each<u32>(b, [&](size_t t) { return bits(as<u32>(b[0])[t], as<u32>(b[1])[t], u32(t)); });
       }},
      {"fast_math", {4}, {256}, {"ptr=rand:f32:1024", "ptr=zeros:f32:8192"}, fastMath, 2e-6},
      {"exact_math",
       {4},
       {256},
       {"ptr=rand:f32:1024", "ptr=rand:f32:1024", "ptr=zeros:f32:8192"},
       exactMath},
      {"by_value",
       {1},
       {256},
       {"struct{f32:1.5,i8:3,f64:0.25,ptr=rand:f32:256,i16:2,i16:-3,i16:5}", "ptr=zeros:f32:256"},
       byValue},
      {"dynamic_shared",
       {1},
       {128},
       {"ptr=rand:u32:500", "ptr=zeros:u32:500", "i32:500"},
       [](Buffers &b) {
         const u32 *in = as<u32>(b[0]);
         each<u32>(b, [&](size_t i) { return in[i * 7 % 500] + (in[499 - i] >> 16); });
       },
       0,
       3000},
      {"life", {4, 4}, {16, 16}, {"ptr=rand:i1:64x64", "ptr=zeros:u8:4096"}, life},
      {"mandelbrot", {4, 4}, {16, 16}, {"ptr=zeros:u32:4096"}, mandelbrot},
      {.name = "sparse_rows",
       .grid = {4},
       .block = {256},
       .arguments = {"ptr=zeros:i32:33", "ptr=rand:i32:1488", "ptr=rand:f32:1488",
                     "ptr=rand:f32:64", "ptr=zeros:f32:32", "i32:32"},
       .plain = sparseRows,
       .prepare = makeSparseRows},
      {"last_block",
       {16},
       {32},
       {"ptr=rand:u32:512", "ptr=zeros:u32:16", "ptr=zeros:u32:1", "ptr=zeros:u32:1"},
       lastBlock},
      {"bytes_of_reals",
       {4},
       {256},
       {"ptr=rand:f32:1024", "ptr=zeros:u8:2048", "ptr=zeros:f32:2048"},
       bytesOfReals},
      {"float_max",
       {2},
       {256},
       {"ptr=rand:f32:512", "ptr=zeros:f32:1", "ptr=zeros:u32:8"},
       floatMax},
      {"named_barriers",
       {1},
       {128},
       {"ptr=rand:u32:64", "ptr=zeros:u32:64"},
       [](Buffers &b) {
         each<u32>(b, [&](size_t t) { return as<u32>(b[0])[t / 32 * 32 + 31 - t % 32] + 1; });
       }},
      // Hardware truncates the sums of products that it has aligned: a few units in the last place
      // of the largest of them.
      {"wmma_tiles",
       {2, 2},
       {32},
       {"ptr=rand:f16:32x48", "ptr=rand:f16:32x48", "ptr=rand:f32:32x32"},
       wmmaTiles,
       1e-5},
      {"collatz",
       {2},
       {256},
       {"ptr=rand:u32:512", "ptr=zeros:u32:512"},
       [](Buffers &b) {
         each<u32>(b, [&](size_t t) {
           u32 steps = 0;
           for (u64 n = as<u32>(b[0])[t] % 100000 + 1; n != 1; ++steps)
             n = n & 1 ? 3 * n + 1 : n / 2;
           return steps;
         });
       }},
  };
}

} // namespace tessera::nvcc
