// Plain versions of the programs of the language: classes, templates, tables, printing; and of the
// library of functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Buffers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace tessera::nvcc {

void narrowFloats(Buffers &), halfPairs(Buffers &);

namespace {

void templates(Buffers &b) {
  each<u32>(b, [&](size_t t) {
    constexpr u32 weights[] = {1, 2, 3, 5, 8, 13, 21, 34}, fibonacci = 6765, of_weights = 87;
    u32 x = as<u32>(b[0])[t], y = u32(t) * 3 + 1, sum = of_weights, mixed = x;
    for (u32 i = 0; i < 8; ++i)
      sum += (x >> 4 * i & 15) * weights[i];
    for (size_t i = 0; i < t % 5; ++i)
      mixed = (mixed * y) ^ mixed >> 7;
    return sum + fibonacci * mixed + x + 1 + 2 + 3 + 4;
  });
}
void packedStructs(Buffers &b) {
  for (u32 t = 0; t < 256; ++t) {
    u32 x = as<u32>(b[0])[t], value = x ^ t;
    int middle = (int(x << 12) >> 21) + 5; // bits 9 to 19, the last of which is the sign
    middle = int(u32(middle) << 21) >> 21;
    as<u32>(b[1])[t] =
        ((x + 7) & 31) + u32(middle) * 3 + (x * 3 & 0xffff) * 5 + (x ^ u32(0x5a) << t % 4 * 8);
    u8 *odd = as<u8>(b[2]) + 7 * t;
    odd[0] = u8(x);
    std::memcpy(odd + 1, &value, 4);
    odd[5] = u8(x >> 16), odd[6] = u8(x >> 24);
  }
}
void constantTables(Buffers &b) {
  constexpr int table[4][3] = {{2, -3, 5}, {7, -11, 13}, {-17, 19, 23}, {29, 31, -37}};
  constexpr float reals[] = {0.5f, 1.5f, -2.5f, 8, 1e-3f};
  for (size_t t = 0; t < 256; ++t) {
    u32 x = as<u32>(b[0])[t];
    int sum = 41;
    for (u32 i = 0; i < 3; ++i)
      sum = sum * 3 + table[x >> 2 * i & 3][(x + i) % 3];
    as<int>(b[1])[t] = sum + "tessera"[x % 7];
    as<float>(b[2])[t] = reals[x % 5] * float(sum);
  }
}
void treeInsertion(Buffers &b) {
  each<u32>(b, [&](size_t t) {
    std::array<u32, 8> keys;
    for (size_t i = 0; i < 8; ++i)
      keys[i] = as<u32>(b[0])[t * 8 + i] & 255;
    std::sort(keys.begin(), keys.end());
    u32 code = 0;
    for (u32 key : keys)
      code = code * 31 + key;
    return code;
  });
}
/// CUDA C++ Programming Guide, formatted output: printf returns the number of its arguments.
std::string printedLines() {
  std::string out;
  for (int i = 0; i < 4; ++i) {
    char line[128];
    std::snprintf(line, sizeof line, "%02d:%+d %#o %08.3f %e %lx\narguments 6\n", i, i * 7 - 9,
                  u32(i * 11), i * -2.25, 1e5 / (i + 1), (unsigned long)(0x123456789abcl * i));
    out += line;
  }
  return out;
}
void predicates(Buffers &b) {
  each<u32>(b, [&](size_t t) {
    int x = as<int>(b[0])[t], y = as<int>(b[1])[t];
    u32 second = (u32(x) > u32(y)) != ((x & 1) == 0) ? 1 : 2;
    return u32(x < y ? 3 : 13) ^ second << 4 ^ (x <= y ? ~0u << 8 : 0) ^
           (y >= 0 ? u32(t) : ~u32(t)) ^ u32(x & 15) << 16;
  });
}
u32 reversed(u32 x) {
  u32 out = 0;
  for (int i = 0; i < 32; ++i)
    out |= (x >> i & 1) << (31 - i);
  return out;
}
/// What its program of bytes comes to.
void byteMachine(Buffers &b) {
  each<u32>(b, [&](size_t at) {
    u32 t = u32(at), x = as<u32>(b[0])[t], rounds = x % 9;
    for (u32 i = 0; i <= rounds; ++i)
      x = (x - (reversed(7 + 5 * t) * 3 & 0xffff)) ^ 9;
    return (9 * t * 5 + (x >> 3)) * 5 + x;
  });
}
void cacheHints(Buffers &b) {
  const u32 *in = as<u32>(b[0]), *more = as<u32>(b[2]);
  for (size_t t = 0; t < 256; ++t) {
    const u32 *x = in + 4 * t, *y = in + 4 * (t ^ 1);
    u32 *out = as<u32>(b[1]) + 8 * t;
    out[0] = x[0] + y[3], out[1] = x[1] ^ (2 * more[t] + more[t ^ 3] + more[t ^ 7]);
    out[2] = x[2] - y[1], out[3] = x[3] * y[2];
    std::copy_n(y, 4, out + 4);
  }
}
void sharedViews(Buffers &b) {
  const u32 *in = as<u32>(b[0]);
  each<u32>(b, [&](size_t t) {
    u32 shift = 8 * (3 - t % 4), byte = in[t ^ 1] >> 8 * (t % 4) & 255;
    u32 word = (in[t] & ~(255u << shift)) | byte << shift,
        half = in[127 - t] >> 16 * (t & 1) & 0xffff;
    return word + half * 3 + u32((u64(in[t | 1]) << 32 | in[t & ~size_t(1)]) >> 20);
  });
}
void earlyExits(Buffers &b) {
  each<u32>(b, [&](size_t i) {
    const u32 *block = as<u32>(b[0]) + i / 128 * 128;
    u32 sums[2] = {}, x = as<u32>(b[0])[i];
    for (size_t t = 0; t < 64; ++t)
      sums[t / 32] += block[t];
    bool writes = x % 2 == 0 && i % 128 < (i / 128 == 2 ? 64 : 96);
    return writes ? sums[0] ^ (sums[1] + x) : 0;
  });
}
template <size_t n, class T> void functions(Buffers &b, T all) {
  for (size_t t = 0; t < count<float>(b[0]); ++t) {
    std::array<double, n> values = all(as<float>(b[0])[t]);
    for (size_t i = 0; i < n; ++i)
      as<float>(b[1])[n * t + i] = float(values[i]);
  }
}
void mathSingles(Buffers &b) {
  functions<12>(b, [](float f) {
    double x = double(f), a = std::fabs(x);
    return std::array<double, 12>{std::sin(double(f * 100)),
                                  std::cos(double(f * 1e5f)),
                                  std::sin(x),
                                  std::log(a),
                                  std::log1p(double(f * 0.9f)),
                                  std::cos(x),
                                  std::log10(a),
                                  std::log2(double(std::fabs(f) + 2)),
                                  std::sin(M_PI * double(f * 3)),
                                  std::cos(M_PI * x),
                                  std::hypot(x, double(0.7f)),
                                  std::log(double(std::fabs(f) + 10))};
  });
}
void mathApproximate(Buffers &b) {
  functions<16>(b, [](float f) {
    double x = double(f), a = std::fabs(x);
    return std::array<double, 16>{std::exp(x),
                                  std::pow(double(float(a) + 0.5f), x),
                                  std::erf(x),
                                  std::tgamma(double(float(a) + 1)),
                                  std::tanh(2 * x),
                                  std::exp2(x),
                                  std::pow(10.0, x),
                                  std::sinh(x),
                                  std::asin(x),
                                  std::acos(x),
                                  std::erfc(-x * M_SQRT1_2) / 2,
                                  1 / std::sqrt(double(float(a) + 0.1f)),
                                  std::tan(x),
                                  std::cbrt(x),
                                  std::atan2(x, double(0.3f)),
                                  std::expm1(double(f * 0.3f))};
  });
}
void mathDoubles(Buffers &b) {
  for (size_t t = 0; t < 128; ++t) {
    double x = as<double>(b[0])[t], a = std::fabs(x);
    const double all[] = {
        std::exp(x),          std::sin(x * 50),  std::cos(x),          std::log(a + 0.1),
        std::pow(a + 0.5, x), std::tanh(x),      std::erf(x),          std::cbrt(x),
        std::atan(x * 3),     std::exp2(x),      std::log2(a + 1),     std::sinh(x),
        std::acos(x),         std::asinh(x * 4), std::lgamma(a + 1.5), std::tgamma(a + 1)};
    for (size_t i = 0; i < 16; ++i) {
      float *out = as<float>(b[1]) + 32 * t + 2 * i;
      out[0] = float(all[i]), out[1] = float((all[i] - double(out[0])) * 0x1p24);
    }
  }
}
void softmax(Buffers &b) {
  for (size_t row = 0; row < 1024; row += 128) {
    const float *x = as<float>(b[0]) + row;
    double most = double(*std::max_element(x, x + 128)), sum = 0;
    for (size_t i = 0; i < 128; ++i)
      sum += std::exp(8 * (double(x[i]) - most));
    for (size_t i = 0; i < 128; ++i)
      as<float>(b[1])[row + i] = float(std::exp(8 * (double(x[i]) - most)) / sum);
  }
}
void attentionTile(Buffers &b) {
  for (size_t t = 0; t < 32; ++t) {
    double sum = 0, mine[16] = {};
    for (size_t j = 0; j <= t; ++j) {
      double score = 0;
      for (size_t i = 0; i < 16; ++i)
        score += double(as<float>(b[0])[t * 16 + i]) * double(as<float>(b[1])[j * 16 + i]);
      sum += std::exp(score);
      for (size_t i = 0; i < 16; ++i)
        mine[i] += std::exp(score) * double(as<float>(b[2])[j * 16 + i]);
    }
    for (size_t i = 0; i < 16; ++i)
      as<float>(b[3])[t * 16 + i] = float(mine[i] / sum);
  }
}
/// A program that is another one, compiled otherwise.
Program variant(std::string name, const std::string &other, std::vector<Program> among) {
  for (Program &program : among)
    if (program.name == other) {
      program.name = std::move(name);
      return program;
    }
  return {};
}

const std::string in256 = "ptr=rand:u32:256", out256 = "ptr=zeros:u32:256",
                  in128 = "ptr=rand:u32:128", out128 = "ptr=zeros:u32:128",
                  in512 = "ptr=rand:u32:512";

} // namespace

std::vector<Program> languagePrograms() {
  return {
      {"virtual_calls",
       {2},
       {128},
       {in256, out256},
       [](Buffers &b) {
         each<u32>(b, [&](size_t t) {
           u32 x = as<u32>(b[0])[t], byte = x & 255;
           return x >> 31 ? (x >> 8 & 255) * (x >> 16 & 255) / 2 * 8 + 3 : byte * byte * 8 + 4;
         });
       }},
      {"templates", {2}, {128}, {in256, out256}, templates},
      {"packed_structs", {2}, {128}, {in256, out256, "ptr=zeros:u8:1792"}, packedStructs},
      {"constant_tables", {2}, {128}, {in256, out256, "ptr=zeros:f32:256"}, constantTables},
      {"tree_insertion", {1}, {64}, {in512, "ptr=zeros:u32:64"}, treeInsertion},
      {.name = "print_warps",
       .grid = {2},
       .block = {32},
       .arguments = {"i32:4"},
       .plain = [](Buffers &) {},
       .printed = printedLines()},
      {"predicates", {2}, {128}, {in256, in256, out256}, predicates},
      {"byte_machine", {2}, {128}, {in256, out256}, byteMachine},
      {"cache_hints", {2}, {128}, {"ptr=rand:u32:1024", "ptr=zeros:u32:2048", in256}, cacheHints},
      {"shared_views", {1}, {128}, {in128, out128}, sharedViews, 0, 512},
      {"early_exits", {4}, {128}, {in512, "ptr=zeros:u32:512"}, earlyExits},
      {"clocks",
       {2, 2},
       {16, 4},
       {out256},
       [](Buffers &b) {
         each<u32>(b, [](size_t i) {
           u32 t = i % 64;
           return t % 32 + t / 32 * 100 + 4000 + 20000 + 1000000 + (32 - t % 32) * 2000000;
         });
       }},
      {"narrow_floats",
       {2},
       {128},
       {"ptr=rand:f32:256", "ptr=zeros:u8:1024", "ptr=zeros:f32:1024"},
       narrowFloats},
      {"half_pairs",
       {2},
       {128},
       {"ptr=rand:f16:512", "ptr=rand:f16:512", "ptr=zeros:f16:4096", "ptr=zeros:u32:512"},
       halfPairs},
      // The host's functions round otherwise; what counts is that a GPU has the simulator's bits.
      {"math_singles", {2}, {128}, {"ptr=rand:f32:256", "ptr=zeros:f32:3072"}, mathSingles, 1e-6},
      {"math_doubles", {2}, {64}, {"ptr=rand:f64:128", "ptr=zeros:f32:4096"}, mathDoubles, 1e-6},
      {"math_approximate",
       {2},
       {128},
       {"ptr=rand:f32:256", "ptr=zeros:f32:4096"},
       mathApproximate,
       2e-6},
      {"softmax", {2}, {32, 4}, {"ptr=rand:f32:1024", "ptr=zeros:f32:1024"}, softmax, 2e-6},
      {"attention_tile",
       {1},
       {32},
       {"ptr=rand:f32:512", "ptr=rand:f32:512", "ptr=rand:f32:512", "ptr=zeros:f32:512"},
       attentionTile,
       2e-6},
      variant("bits_debug", "bits", firstPrograms()),
      variant("switch_debug", "switch_table", firstPrograms()),
      variant("doubles_debug", "doubles", firstPrograms()),
      variant("labeled_debug", "labeled_groups", warpPrograms()),
      variant("sort_debug", "bitonic_sort", firstPrograms()),
  };
}

} // namespace tessera::nvcc
