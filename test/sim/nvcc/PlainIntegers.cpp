// Plain versions of the programs of integers: hashes, random numbers, bits, bytes, wide numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Buffers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace tessera::nvcc {

namespace {

using wide = unsigned __int128;

/// FIPS 180-4: the constants are the first 32 bits of the fractions of roots of the first primes.
void sha256(Buffers &b) {
  std::vector<u32> rounds, start;
  for (int p = 2; rounds.size() < 64; ++p) {
    bool isPrime = true;
    for (int d = 2; d * d <= p; ++d)
      isPrime &= p % d != 0;
    auto fraction = [](long double x) { return u32(std::floor((x - std::floor(x)) * 0x1p32L)); };
    if (isPrime && start.size() < 8)
      start.push_back(fraction(std::sqrt((long double)p)));
    if (isPrime)
      rounds.push_back(fraction(std::cbrt((long double)p)));
  }
  for (size_t t = 0; t < 64; ++t) {
    std::vector<u32> w(64), s = start;
    for (size_t i = 0; i < 64; ++i) {
      if (i < 16)
        w[i] = __builtin_bswap32(as<u32>(b[0])[t * 16 + i]);
      else
        w[i] = (std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10) + w[i - 7] +
               (std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 16];
      u32 choice = (s[4] & s[5]) | (~s[4] & s[6]),
          majority = (s[0] & s[1]) | (s[0] & s[2]) | (s[1] & s[2]);
      u32 one = s[7] + (std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25)) + choice +
                rounds[i] + w[i];
      u32 two = (std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22)) + majority;
      std::rotate(s.begin(), s.end() - 1, s.end());
      s[0] = one + two, s[4] += one;
    }
    for (size_t i = 0; i < 8; ++i)
      as<u32>(b[1])[t * 8 + i] = start[i] + s[i];
  }
}
void murmurHash(Buffers &b) {
  each<u32>(b, [&](size_t t) {
    u32 hash = u32(t), length = t % 16;
    for (u32 i = 0; i < length; i += 4) {
      u32 k = 0;
      for (u32 j = i; j < std::min(i + 4, length); ++j)
        k |= u32(as<u8>(b[0])[t * 16 + j]) << 8 * (j - i);
      hash ^= std::rotl(k * 0xcc9e2d51, 15) * 0x1b873593;
      if (i + 4 <= length)
        hash = std::rotl(hash, 13) * 5 + 0xe6546b64;
    }
    hash ^= length;
    hash = (hash ^ hash >> 16) * 0x85ebca6b;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35;
    return hash ^ hash >> 16;
  });
}
/// Bit by bit, the remainder of a division of polynomials.
void crc(Buffers &b) {
  each<u32>(b, [&](size_t t) {
    u32 rest = ~0u;
    for (size_t bit = 0; bit < 256; ++bit) {
      bool out = (rest ^ as<u8>(b[0])[t * 32 + bit / 8] >> bit % 8) & 1;
      rest = rest >> 1 ^ (out ? 0xedb88320 : 0);
    }
    return ~rest;
  });
}
void randomNumbers(Buffers &b) {
  for (size_t t = 0; t < 256; ++t) {
    u32 x = as<u32>(b[0])[t] | 1;
    u64 state = u64(as<u32>(b[0])[t]) * 2 + 1;
    for (int i = 0; i < 20; ++i) {
      x ^= x << 13, x ^= x >> 17, x ^= x << 5;
      state = state * 6364136223846793005ull + 1442695040888963407ull;
    }
    u32 word = std::rotr(u32((state >> 18 ^ state) >> 27), int(state >> 59));
    as<u32>(b[1])[t] = word ^ x;
    as<float>(b[2])[2 * t] = float(x >> 8) / 16777216.0f;
    as<float>(b[2])[2 * t + 1] = float(word) * 2.3283064e-10f;
  }
}
void philox(Buffers &b) {
  for (u32 t = 0; t < 256; ++t) {
    std::array<u32, 4> c = {1000 + t, 0, t / 3, 7};
    for (u32 i = 0; i < 10; ++i) {
      u64 first = u64(0xd2511f53) * c[0], second = u64(0xcd9e8d57) * c[2];
      u32 key0 = as<u32>(b[0])[2 * t] + i * 0x9e3779b9,
          key1 = as<u32>(b[0])[2 * t + 1] + i * 0xbb67ae85;
      c = {u32(second >> 32) ^ c[1] ^ key0, u32(second), u32(first >> 32) ^ c[3] ^ key1,
           u32(first)};
    }
    std::copy(c.begin(), c.end(), as<u32>(b[1]) + 4 * t);
  }
}
void chacha(Buffers &b) {
  constexpr size_t lines[8][4] = {{0, 4, 8, 12},  {1, 5, 9, 13},  {2, 6, 10, 14}, {3, 7, 11, 15},
                                  {0, 5, 10, 15}, {1, 6, 11, 12}, {2, 7, 8, 13},  {3, 4, 9, 14}};
  for (size_t t = 0; t < 64; ++t) {
    u32 *out = as<u32>(b[1]) + t * 16, *in = as<u32>(b[0]) + t * 16;
    std::copy_n(in, 16, out);
    for (int round = 0; round < 10; ++round)
      for (const auto &[p, q, r, s] : lines)
        for (int by : {16, 8})
          out[p] += out[q], out[s] = std::rotl(out[s] ^ out[p], by), out[r] += out[s],
                            out[q] = std::rotl(out[q] ^ out[r], by == 16 ? 12 : 7);
    for (size_t i = 0; i < 16; ++i)
      out[i] += in[i];
  }
}
void bigIntegers(Buffers &b) {
  for (size_t t = 0; t < 64; ++t) {
    const u32 *x = as<u32>(b[0]) + t * 8, *y = as<u32>(b[1]) + t * 8;
    u32 *out = as<u32>(b[2]) + t * 32;
    u64 sum = 0, columns[16] = {}; // of halves of products, which never exceed 64 bits
    int64_t less = 0;
    for (size_t i = 0; i < 8; ++i) {
      sum += u64(x[i]) + y[i], out[i] = u32(sum), sum >>= 32;
      less += int64_t(x[i]) - int64_t(y[i]), out[9 + i] = u32(less), less >>= 32;
      for (size_t j = 0; j < 8; ++j)
        columns[i + j] += u32(u64(x[i]) * y[j]), columns[i + j + 1] += u64(x[i]) * y[j] >> 32;
    }
    out[8] = u32(sum);
    u64 carry = 0;
    for (size_t i = 0; i < 15; ++i)
      carry += columns[i], out[17 + i] = u32(carry), carry >>= 32;
  }
}
void wideDivision(Buffers &b) {
  for (size_t t = 0; t < 128; ++t) {
    const u64 *in = as<u64>(b[0]) + 4 * t;
    wide x = wide(in[0]) << 64 | in[1], y = (wide(in[2]) << 64 | in[3]) >> (t % 100) | 1;
    wide z = wide(__int128(x) / __int128(y >> 3 | 1)) + wide(__int128(x) % -__int128(y >> 1 | 1));
    wide s = (x << t % 128) ^ wide(__int128(x) >> t % 127) ^ (x * y);
    const wide all[] = {x / y, x % y, z ^ s};
    for (size_t i = 0; i < 3; ++i)
      as<u64>(b[1])[6 * t + 2 * i] = u64(all[i] >> 64),
                                as<u64>(b[1])[6 * t + 2 * i + 1] = u64(all[i]);
  }
}
u64 powerOf(u64 base, u64 e, u64 modulus) {
  u64 power = 1;
  for (; e; e >>= 1, base = u64(wide(base) * base % modulus))
    power = e & 1 ? u64(wide(power) * base % modulus) : power;
  return power;
}
void modularPowers(Buffers &b) {
  constexpr u64 modulus = 4294967291; // a prime, so that x^(modulus - 2) is the inverse of x
  u64 inverse = powerOf((u64(1) << 32) % modulus, modulus - 2, modulus);
  each<u64>(b, [&](size_t t) {
    u64 x = as<u32>(b[0])[t];
    return powerOf(x, x ^ 0x12345, (u64(1) << 61) - 1) ^ u64(wide(x * (t + 3)) * inverse % modulus)
                                                             << 1;
  });
}
/// A function of each byte or half (T) of two registers.
template <class T, class F> u32 parts(u32 x, u32 y, F f) {
  constexpr u32 bits = 8 * sizeof(T), mask = (1u << bits) - 1;
  u32 out = 0;
  for (u32 i = 0; i < 32; i += bits)
    out |= (u32(f(int(T(x >> i)), int(T(y >> i)))) & mask) << i;
  return out;
}
void videoBytes(Buffers &b) {
  for (size_t t = 0; t < 256; ++t) {
    u32 x = as<u32>(b[0])[t], y = as<u32>(b[1])[t], sad = 0;
    for (int i = 0; i < 32; i += 8)
      sad += u32(std::abs(int8_t(x >> i) - int8_t(y >> i)));
    const u32 all[] = {
        parts<u8>(x, y, [](int p, int q) { return p + q; }),
        parts<u8>(x, y, [](int p, int q) { return p - q; }),
        parts<u8>(x, y, [](int p, int q) { return (p + q + 1) / 2; }),
        parts<int8_t>(x, y, [](int p, int q) { return std::max(p, q); }),
        parts<u8>(x, y, [](int p, int q) { return std::min(p, q); }),
        parts<u8>(x, y, [](int p, int q) { return p > q ? 255 : 0; }),
        parts<int8_t>(x, y, [](int p, int q) { return p <= q; }),
        parts<u8>(x, y, [](int p, int q) { return std::min(p + q, 255); }),
        parts<int8_t>(x, y, [](int p, int q) { return std::clamp(p - q, -128, 127); }),
        parts<int16_t>(x, y, [](int p, int q) { return std::abs(p - q); }),
        parts<int16_t>(x, y, [](int p, int) { return -p; }),
        parts<int16_t>(x, y, [](int, int q) { return std::min(std::abs(q), 32767); }),
        sad,
        parts<uint16_t>(x, y, [](int p, int q) { return (p + q) / 2; }),
        parts<u8>(x & y, x, [](int p, int q) { return p == q ? 255 : 0; }),
        parts<int16_t>(x & 0x3fff3fff, y | 0xc000c000, [&](int p, int q) { return p + q; }),
    };
    std::copy_n(all, 16, as<u32>(b[2]) + 16 * t);
    u32 &last = as<u32>(b[2])[16 * t + 15];
    last = parts<int16_t>(last, 0x00500500,
                          [](int sum, int limit) { return std::max(std::min(sum, limit), 0); });
  }
}
/// PTX ISA 9.0, 9.7.9.7 (prmt): the byte of the result of each mode.
void byteSelections(Buffers &b) {
  each<u32>(b, [&](size_t t) {
    u64 both = u64(as<u32>(b[1])[t]) << 32 | as<u32>(b[0])[t];
    auto of = [&](auto place) {
      u32 out = 0;
      for (u32 i = 0; i < 4; ++i)
        out |= u32(both >> 8 * (place(i) & 7) & 255) << 8 * i;
      return out;
    };
    u32 s = t & 3, selector = u32(t) * 2654435761u;
    u32 out = of([&](u32 i) { return s + i; }) ^ of([&](u32 i) { return s - i; }) * 3 ^
              of([&](u32) { return s; }) * 5 ^ of([&](u32 i) { return std::max(s, i); }) * 7 ^
              of([&](u32 i) { return std::min(s, i); }) * 11 ^
              of([&](u32 i) { return (s & 1) * 2 + i % 2; }) * 13;
    out += of([&](u32 i) { return selector >> 4 * i; }) * 17;
    auto sign = [&](int byte) { return both >> (8 * byte + 7) & 1 ? 255u : 0u; };
    return out ^ (sign(0) | sign(4) << 8 | u32(both >> 24 & 255) << 16 | sign(3) << 24);
  });
}
void saturation(Buffers &b) {
  each<u32>(b, [&](size_t t) {
    int64_t x = as<int>(b[0])[t], y = as<int>(b[1])[t], by = int64_t(t % 40);
    auto word = [](int64_t z) { return u32(std::clamp<int64_t>(z, INT32_MIN, INT32_MAX)); };
    return word(x + y) ^ word(x - y) * 3 ^
           u32(std::clamp<int64_t>(x >> t % 32, -32768, 32767)) * 5 ^
           u32(std::clamp<int64_t>(y >> t % 32, 0, 255)) * 7 ^ word((x * y >> 32) + x) ^
           (by < 32 ? u32(x) << by : 0) ^ u32(y >> std::min<int64_t>(by, 31));
  });
}
void bitCounts(Buffers &b) {
  each<u32>(b, [&](size_t t) {
    u64 y = as<u64>(b[0])[t];
    u32 x = u32(y), high = u32(y >> 32), at = t % 32, width = x % 40;
    auto top = [](u64 z) { return u32(std::bit_width(z)) - 1; };
    u32 unsigned32 = t % 33 == 32 ? 0 : x >> t % 33;
    int32_t signed32 = int32_t(x) >> t % 31;
    u64 z = y >> t % 64, mask = ((u64(1) << width) - 1) << at, field = u64(511) << at;
    const u32 all[] = {
        top(unsigned32),
        top(u32(signed32 < 0 ? ~signed32 : signed32)),
        z ? 63 - top(z) : ~0u,
        u32(mask),
        at ? u32(int32_t(x << (32 - at)) >> (32 - at)) : 0,
        u32((high & ~field) | (u64(x) << at & field)),
        x ^ high ^ u32(t),
    };
    u32 sum = u32(std::countl_zero(x)) + u32(std::countl_zero(y)) * 100 +
              u32(y ? std::countr_zero(y) + 1 : 0) * 10000 + u32(std::popcount(y)) * 1000000;
    for (u32 r : all)
      sum = sum * 5 + r;
    u64 reversed = 0;
    for (int i = 0; i < 64; ++i)
      reversed |= (y >> i & 1) << (63 - i);
    return sum ^ u32(reversed >> 7);
  });
}
void fixedPoint(Buffers &b) {
  each<u32>(b, [&](size_t t) {
    int64_t x = as<int>(b[0])[t] >> 4, y = (as<int>(b[1])[t] >> 8) | 1;
    auto low24 = [](int64_t z) { return int64_t(u64(z) << 40) >> 40; };
    u32 root = u32(std::sqrt(double(std::llabs(x))));
    return u32(x * y >> 16) ^ u32(x * 65536 / y) * 3 ^ root ^ u32(low24(x) * low24(y)) * 5 ^
           u32((std::llabs(x) & 0xffffff) * (y & 0xffffff)) ^ u32((x + y + 1) >> 1) ^
           u32((__int128(x) << 30) * (__int128(y) << 30) >> 64);
  });
}
void divisions(Buffers &b) {
  each<u32>(b, [&](size_t t) {
    u32 x = as<u32>(b[0])[t], y = as<u32>(b[1])[t] >> t % 30 | 1;
    int64_t s = int32_t(x), d = int32_t(y); // quotients of numbers this wide are the same
    u32 sum =
        x / 7 + x % 10 * 3 + x / 641 + u32(s / 3) + u32(s % 100) + u32(s / -8) + u32(s / 16 % 5);
    sum = sum * 31 + x / y + x % y * 3;
    sum = sum * 31 + (d == -1 ? x : u32(s / d) + u32(s % d) * 3);
    int64_t h = int16_t(x), g = int16_t(y), c = int8_t(x >> 8), e = int8_t(y >> 3 | 1);
    sum = sum * 31 + u32(int16_t(h / g)) + u32(h % g) + u32(c / e * 7) + u32(c % e);
    __int128 w = __int128(x) * s, v = __int128(y) * 77 + 1;
    return sum * 31 + u32(w / v) + u32(w % v) + u32(u64(w) / 1000);
  });
}
void mortonCodes(Buffers &b) {
  for (size_t t = 0; t < 256; ++t) {
    u32 x = as<u32>(b[0])[t], code = 0;
    for (u32 i = 0; i < 10; ++i)
      for (u32 k = 0; k < 3; ++k)
        code |= (x >> (10 * k + i) & 1) << (3 * i + k);
    as<u32>(b[1])[2 * t] = code ^ code >> 1;
    as<u32>(b[1])[2 * t + 1] = x & 0x3fffffff;
  }
}
void base64(Buffers &b) {
  auto letter = [](u32 x) {
    return u8(x < 26    ? 'A' + x
              : x < 52  ? 'a' + x - 26
              : x < 62  ? '0' + x - 52
              : x == 62 ? '+'
                        : '/');
  };
  each<u8>(b, [&](size_t i) { // the letter's six bits may begin in one byte and end in the next
    size_t at = i * 6 / 8;
    const u8 *in = as<u8>(b[0]);
    u32 two = u32(in[at]) << 8 | (i % 4 == 3 ? 0 : in[at + 1]);
    return letter(two >> (10 - i * 6 % 8) & 63);
  });
}

const std::string in256 = "ptr=rand:u32:256", out256 = "ptr=zeros:u32:256",
                  in1k = "ptr=rand:u32:1024", out1k = "ptr=zeros:u32:1024";

} // namespace

std::vector<Program> integerPrograms() {
  return {
      {"sha256", {2}, {32}, {in1k, "ptr=zeros:u32:512"}, sha256},
      {"murmur_hash", {2}, {128}, {"ptr=rand:u8:4096", out256}, murmurHash},
      {"crc_table", {1}, {256}, {"ptr=rand:u8:8192", out256}, crc},
      {"random_numbers", {2}, {128}, {in256, out256, "ptr=zeros:f32:512"}, randomNumbers},
      {"philox", {2}, {128}, {"ptr=rand:u32:512", out1k, "i32:1000"}, philox},
      {"chacha", {1}, {64}, {in1k, out1k}, chacha},
      {"big_integers",
       {1},
       {64},
       {"ptr=rand:u32:512", "ptr=rand:u32:512", "ptr=zeros:u32:2048"},
       bigIntegers},
      {"wide_division", {4}, {32}, {"ptr=rand:u64:512", "ptr=zeros:u64:768"}, wideDivision},
      {"modular_powers", {2}, {128}, {in256, "ptr=zeros:u64:256"}, modularPowers},
      {"video_bytes", {2}, {128}, {in256, in256, "ptr=zeros:u32:4096"}, videoBytes},
      {"byte_selections", {4}, {256}, {in1k, in1k, out1k}, byteSelections},
      {"saturation", {4}, {256}, {in1k, in1k, out1k}, saturation},
      {"bit_counts", {4}, {256}, {"ptr=rand:u64:1024", out1k}, bitCounts},
      {"fixed_point", {4}, {256}, {in1k, in1k, out1k}, fixedPoint},
      {"divisions", {4}, {256}, {in1k, in1k, out1k}, divisions},
      {"morton_codes", {2}, {128}, {in256, "ptr=zeros:u32:512"}, mortonCodes},
      {"base64", {2}, {128}, {"ptr=rand:u8:768", "ptr=zeros:u8:1024"}, base64},
      {"prime_sieve",
       {1},
       {128},
       {"ptr=zeros:u32:128"},
       [](Buffers &b) {
         for (u32 n = 2; n < 4096; ++n) {
           bool isPrime = true;
           for (u32 d = 2; d * d <= n; ++d)
             isPrime &= n % d != 0;
           as<u32>(b[0])[n / 32] |= u32(isPrime) << n % 32;
         }
       }},
      {"queens",
       {1},
       {8},
       {"ptr=zeros:u32:8"},
       // By the column of the first; 92 in all (OEIS A000170).
       [](Buffers &b) {
         constexpr u32 ways[] = {4, 8, 16, 18, 18, 16, 8, 4};
         std::copy_n(ways, 8, as<u32>(b[0]));
       }},
  };
}

} // namespace tessera::nvcc
