// Plain versions of the programs of tensor cores and of copies that go on by themselves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Buffers.h"

#include "tessera/run/Tensor.h"

#include <algorithm>
#include <bit>

namespace tessera::nvcc {

namespace {

/// Whole numbers from -8 to 8, of which products and sums are exact.
template <class T> void small(Bytes &b) {
  for (size_t i = 0; i < count<T>(b); ++i)
    as<T>(b)[i] = T(int(run::splitMix64(b.size(), i) % 17) - 8);
}
template <class T> void smallFactors(Buffers &b) { small<T>(b[0]), small<T>(b[1]); }
void smallBfloats(Buffers &b) {
  for (Bytes *factor : {&b[0], &b[1]})
    for (size_t i = 0; i < count<uint16_t>(*factor); ++i)
      as<uint16_t>(*factor)[i] = uint16_t(
          std::bit_cast<u32>(float(int(run::splitMix64(factor == &b[0], i) % 17) - 8)) >> 16);
}
/// The product of row m of A and column n of B, both of which have k elements in a row.
template <class A, class B, class Sum> Sum dot(Buffers &b, size_t m, size_t n, size_t k, Sum sum) {
  for (size_t i = 0; i < k; ++i)
    sum += Sum(as<A>(b[0])[m * k + i]) * Sum(as<B>(b[1])[n * k + i]);
  return sum;
}
template <class T, size_t k, bool hasC = false> void product(Buffers &b) { // of N = 8 columns
  each<float>(b, [&](size_t i) {
    return float(dot<T, T, double>(b, i / 8, i % 8, k, hasC ? double(as<float>(b[2])[i]) : 0));
  });
}
void mmaBfloats(Buffers &b) {
  auto value = [](uint16_t code) { return std::bit_cast<float>(u32(code) << 16); };
  each<float>(b, [&](size_t i) {
    float sum = 1.5f;
    for (size_t k = 0; k < 16; ++k)
      sum += value(as<uint16_t>(b[0])[i / 8 * 16 + k]) * value(as<uint16_t>(b[1])[i % 8 * 16 + k]);
    return sum;
  });
}
void mmaTf32(Buffers &b) {
  auto narrow = [](float x) { // to nearest, ties away from zero, of 13 bits fewer
    return std::bit_cast<float>((std::bit_cast<u32>(x) + 0x1000) & ~0x1fffu);
  };
  each<float>(b, [&](size_t i) {
    double sum = 0;
    for (size_t k = 0; k < 8; ++k)
      sum += double(narrow(as<float>(b[0])[i / 8 * 8 + k] + 0x1p-14f)) *
             double(as<float>(b[1])[i % 8 * 8 + k]);
    return float(sum);
  });
}
void mmaBytes(Buffers &b) {
  each<int>(b, [&](size_t i) {
    int64_t sum = dot<int8_t, u8, int64_t>(b, i / 8, i % 8, 32, as<int>(b[2])[i]);
    return int(std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX));
  });
}
void mmaBits(Buffers &b) {
  each<int>(b, [&](size_t i) {
    int sum = 7;
    for (size_t k = 0; k < 8; ++k)
      sum += std::popcount(as<u32>(b[0])[i / 8 * 8 + k] & as<u32>(b[1])[i % 8 * 8 + k]);
    return sum;
  });
}
void mmaDoubles(Buffers &b) {
  each<double>(b, [&](size_t i) { return dot<double, double, double>(b, i / 8, i % 8, 16, 0); });
}
/// PTX ISA 9.0, 9.7.15.6 (mma.sp): the first thread of each four has the metadata of two rows of A,
/// 8 apart; four bits for each four columns, of which two are there.
void makeMetadata(Buffers &b) {
  smallFactors<_Float16>(b);
  constexpr u32 pairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
  for (size_t i = 0; i < 32; ++i) {
    as<u32>(b[2])[i] = 0;
    for (u32 at = 0; at < 32; at += 4)
      as<u32>(b[2])[i] |= pairs[run::splitMix64(5, i * 8 + at / 4) % 6] << at;
  }
}
void mmaSparse(Buffers &b) {
  each<float>(b, [&](size_t i) {
    float sum = 0;
    size_t m = i / 8, n = i % 8;
    for (size_t k = 0; k < 8; ++k) {
      u32 place = as<u32>(b[2])[m % 8 * 4] >> (m / 8 * 16 + 2 * k) & 3;
      sum += float(as<_Float16>(b[0])[m * 8 + k]) *
             float(as<_Float16>(b[1])[n * 16 + k / 2 * 4 + place]);
    }
    return sum;
  });
}
void wmmaBytes(Buffers &b) {
  each<int>(b, [&](size_t i) {
    int sum = -3;
    for (size_t k = 0; k < 32; ++k)
      sum += as<int8_t>(b[0])[i / 32 * 32 + k] * as<int8_t>(b[1])[k * 32 + i % 32];
    return sum;
  });
}
void wmmaDoubles(Buffers &b) {
  double *c = as<double>(b[2]);
  for (size_t m = 0; m < 8; ++m)
    for (size_t n = 0; n < 8; ++n) {
      double sum = c[m * 8 + n];
      for (size_t k = 0; k < 4; ++k)
        sum += as<double>(b[0])[k * 8 + m] * as<double>(b[1])[n * 4 + k];
      c[64 + n * 8 + m] = sum;
    }
}
void matrixMoves(Buffers &b) {
  const uint16_t *in = as<uint16_t>(b[0]);
  for (size_t i = 0; i < 256; ++i) // matrices 0 and 1, 2 and 3 change places, rows and columns too
    as<uint16_t>(b[1])[i] = in[(i / 64 ^ 1) * 64 + i % 8 * 8 + i / 8 % 8];
  std::copy_n(as<u32>(b[0]), 32, as<u32>(b[1]) + 128);
}
void bulkSums(Buffers &b) {
  for (size_t i = 0; i < 256; ++i) {
    u32 x = as<u32>(b[0])[i], *largest = as<u32>(b[3]) + i % 64;
    as<u32>(b[1])[i] = x, as<u32>(b[2])[i % 128] += x;
    if (i % 128 >= 64)
      *largest = std::max(*largest, x);
  }
}
void copiesWithZeros(Buffers &b) {
  const u32 *in = as<u32>(b[0]), n = 230;
  each<u32>(b, [&](size_t t) {
    u32 sum = 0;
    for (u32 i = 0; i < 4; ++i) {
      u32 at = (u32(t) * 4 + i) ^ 4;
      sum = sum * 31 + (at < n ? in[at] : 0);
    }
    for (u32 i = 0; i < 4; ++i) {
      u32 at = (u32(t) * 4 + i) ^ 8, last = (u32(t) * 4 + i) ^ 1;
      sum = sum * 31 + in[std::min(at / 4 * 4, n - 4) + at % 4] +
            (last % 4 == 2 ? 0 : in[last % n]) * 3;
    }
    return sum;
  });
}
void vectorSums(Buffers &b) {
  float *sums = as<float>(b[1]);
  for (size_t t = 0; t < 128; ++t) {
    float x = as<int8_t>(b[0])[t], *mine = sums + t % 2 * 4;
    mine[0] += x, mine[1] += x / 2, mine[2] -= x, mine[3] += 1;
  }
  const float halves[] = {64, 64, 64, -128};
  std::copy_n(halves, 4, as<_Float16>(b[2]));
}
void barrierTokens(Buffers &b) {
  each<u32>(b, [&](size_t t) {
    u32 sum = 0;
    for (u32 r = 0; r < (t >= 96 ? 2 : 5); ++r)
      sum = sum * 3 + as<u32>(b[0])[t] + as<u32>(b[0])[t ^ 1] * (r + 1);
    return sum;
  });
}

const std::string in512 = "ptr=rand:u32:512", out512 = "ptr=zeros:u32:512",
                  in256 = "ptr=rand:u32:256", out256 = "ptr=zeros:u32:256",
                  out128 = "ptr=zeros:f32:128";

} // namespace

std::vector<Program> tensorPrograms() {
  const std::string a = "ptr=zeros:f16:256", half = "ptr=zeros:f16:128";
  return {
      {.name = "mma_halves",
       .grid = {1},
       .block = {32},
       .arguments = {a, half, "ptr=zeros:f32:128", out128},
       .plain = product<_Float16, 16, true>,
       .prepare = [](Buffers &b) { smallFactors<_Float16>(b), small<float>(b[2]); }},
      {.name = "mma_bfloats",
       .grid = {1},
       .block = {32},
       .arguments = {a, half, out128},
       .plain = mmaBfloats,
       .prepare = smallBfloats},
      {.name = "mma_tf32",
       .grid = {1},
       .block = {32},
       .arguments = {"ptr=zeros:f32:128", "ptr=zeros:f32:64", out128},
       .plain = mmaTf32,
       .prepare = smallFactors<float>},
      {"mma_bytes",
       {1},
       {32},
       {"ptr=rand:u8:512", "ptr=rand:u8:256", "ptr=rand:i32:128", "ptr=zeros:i32:128"},
       mmaBytes},
      {"mma_bits",
       {1},
       {32},
       {"ptr=rand:u32:128", "ptr=rand:u32:64", "ptr=zeros:i32:128"},
       mmaBits},
      {.name = "mma_doubles",
       .grid = {1},
       .block = {32},
       .arguments = {"ptr=zeros:f64:128", "ptr=zeros:f64:128", "ptr=zeros:f64:64"},
       .plain = mmaDoubles,
       .prepare = smallFactors<double>},
      {.name = "mma_sparse",
       .grid = {1},
       .block = {32},
       .arguments = {half, half, "ptr=zeros:u32:32", out128},
       .plain = mmaSparse,
       .prepare = makeMetadata},
      {"wmma_bytes",
       {1},
       {32},
       {"ptr=rand:i8:256", "ptr=rand:i8:1024", "ptr=zeros:i32:256"},
       wmmaBytes},
      {.name = "wmma_doubles",
       .grid = {1},
       .block = {32},
       .arguments = {"ptr=zeros:f64:32", "ptr=zeros:f64:32", "ptr=zeros:f64:128"},
       .plain = wmmaDoubles,
       .prepare = [](Buffers &b) { smallFactors<double>(b), small<double>(b[2]); }},
      {"matrix_moves", {1}, {32}, {"ptr=rand:u32:128", "ptr=zeros:u32:160"}, matrixMoves},
      {.name = "warpgroup_mma",
       .grid = {1},
       .block = {128},
       .arguments = {"ptr=zeros:f16:1024", half, "ptr=zeros:f32:512"},
       .plain = product<_Float16, 16>,
       .prepare = smallFactors<_Float16>},
  };
}

std::vector<Program> copyPrograms() {
  return {
      {"bulk_sums", {2}, {128}, {in256, out256, "ptr=zeros:u32:128", "ptr=zeros:u32:64"}, bulkSums},
      {"copies_with_zeros",
       {1},
       {64},
       {"ptr=rand:u32:230", "ptr=zeros:u32:64", "i32:230"},
       copiesWithZeros},
      {"copies_arrive",
       {1},
       {64},
       {"ptr=rand:u32:448", "ptr=zeros:u32:64", "i32:7"},
       [](Buffers &b) {
         each<u32>(b, [&](size_t t) {
           u32 sum = 0;
           for (size_t r = 0; r < 7; ++r)
             sum = sum * 7 + as<u32>(b[0])[r * 64 + 63 - t];
           return sum;
         });
       }},
      {"pipeline_stages",
       {1},
       {64},
       {"ptr=rand:u32:320", "ptr=zeros:u32:320", "i32:5"},
       [](Buffers &b) {
         each<u32>(
             b, [&](size_t i) { return as<u32>(b[0])[i / 64 * 64 + 63 - i % 64] + u32(i / 64); });
       }},
      {"group_copies",
       {1},
       {128},
       {"ptr=rand:u32:320", "ptr=zeros:u32:128"},
       [](Buffers &b) {
         each<u32>(b, [&](size_t t) {
           const u32 *rows = as<u32>(b[0]) + t / 32 * 80;
           return rows[39 - t % 32] * 3 + rows[48 + t % 32];
         });
       }},
      {"cluster_messages",
       {8},
       {64},
       {in512, out512},
       [](Buffers &b) {
         each<u32>(b, [&](size_t i) {
           size_t block = i / 64, from = block / 4 * 4 + (block + 3) % 4;
           return as<u32>(b[0])[from * 64 + 63 - i % 64] * 3;
         });
       }},
      {"cluster_multicast",
       {4},
       {64},
       {in256, out256},
       [](Buffers &b) {
         each<u32>(b, [&](size_t i) {
           const u32 *pair = as<u32>(b[0]) + i / 128 * 128;
           return pair[i % 64] + 5 * pair[127 - i % 64] + u32(i / 64 % 2);
         });
       }},
      {"cluster_histogram",
       {8},
       {64},
       {"ptr=rand:u8:8192", out256},
       [](Buffers &b) {
         for (size_t i = 0; i < 8192; ++i)
           ++as<u32>(b[1])[as<u8>(b[0])[i]];
       }},
      {"cluster_copies",
       {4},
       {64},
       {in256, out256},
       [](Buffers &b) {
         each<u32>(b, [&](size_t i) {
           u32 place = 63 - i % 64;
           return as<u32>(b[0])[(i / 64 ^ 1) * 64 + place] + place;
         });
       }},
      {"vector_sums",
       {1},
       {128},
       {"ptr=rand:i8:128", "ptr=zeros:f32:8", "ptr=zeros:u32:2"},
       vectorSums},
      {"barrier_tokens",
       {1},
       {128},
       {"ptr=rand:u32:128", "ptr=zeros:u32:128", "i32:5"},
       barrierTokens},
  };
}

} // namespace tessera::nvcc
