// Plain versions of the programs of stencils, small matrices, sums and conversions of reals.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Buffers.h"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <complex>

namespace tessera::nvcc {

namespace {

/// f() with the host's rounding mode.
template <class F> auto rounded(int mode, F f) {
  std::fesetround(mode);
  volatile auto result = f();
  std::fesetround(FE_TONEAREST);
  decltype(f()) out = result;
  return out;
}
constexpr int zero = FE_TOWARDZERO, up = FE_UPWARD, down = FE_DOWNWARD;

void stencilLine(Buffers &b) {
  constexpr float weights[4] = {0.4f, 0.2f, 0.07f, 0.03f};
  auto at = [&](int i) { return i >= 0 && i < 500 ? as<float>(b[0])[i] : 0; };
  each<float>(b, [&](size_t i) {
    float sum = weights[0] * at(int(i));
    for (int k = 1; k <= 3; ++k)
      sum += weights[k] * (at(int(i) - k) + at(int(i) + k));
    return sum;
  });
}
void stencilPlane(Buffers &b) {
  std::vector<float> now(as<float>(b[0]), as<float>(b[0]) + 4096), next = now;
  for (int step = 0; step < 2; ++step, now = next)
    for (size_t i = 0; i < 4096; ++i)
      if (size_t x = i % 64, y = i / 64; x > 0 && x < 63 && y > 0 && y < 63) {
        float around = (now[i - 64] + now[i + 64]) + (now[i - 1] + now[i + 1]);
        next[i] = std::fma(0.2f, std::fma(-4.0f, now[i], around), now[i]);
      }
  std::copy(now.begin(), now.end(), as<float>(b[1]));
}
void stencilSpace(Buffers &b) {
  auto at = [&](int x, int y, int z) {
    bool inside = std::min({x, y, z}) >= 0 && std::max({x, y, z}) < 16;
    return inside ? as<double>(b[0])[(z * 16 + y) * 16 + x] : 0.0;
  };
  each<double>(b, [&](size_t i) {
    int x = int(i % 16), y = int(i / 16 % 16), z = int(i / 256);
    return at(x, y, z) * -6 + (at(x, y, z - 1) + at(x, y, z + 1)) +
           (at(x - 1, y, z) + at(x + 1, y, z)) + (at(x, y - 1, z) + at(x, y + 1, z));
  });
}
void convolution(Buffers &b) {
  constexpr int binomials[] = {1, 4, 6, 4, 1};
  each<u8>(b, [&](size_t at) {
    int sum = 0, x = int(at % 64), y = int(at / 64);
    for (int j = 0; j < 5; ++j)
      for (int i = 0; i < 5; ++i)
        sum += (i == 2 && j == 2 ? -476 : binomials[i] * binomials[j]) *
               as<u8>(b[0])[(y + j + 62) % 64 * 64 + (x + i + 62) % 64];
    return u8(std::nearbyint(std::clamp(sum / -256.0, 0.0, 255.0)));
  });
}
using Complex = std::complex<float>;
void makeRoots(Buffers &b) {
  for (size_t k = 0; k < 32; ++k)
    as<Complex>(b[1])[k] = {float(std::cos(M_PI / 32 * double(k))),
                            float(-std::sin(M_PI / 32 * double(k)))};
}
/// Numbers of even and of odd places apart, and the two put together.
std::vector<Complex> transformed(const std::vector<Complex> &in, const Complex *roots) {
  size_t n = in.size();
  if (n == 1)
    return in;
  std::vector<Complex> parts[2], out(n);
  for (size_t i = 0; i < n; ++i)
    parts[i % 2].push_back(in[i]);
  std::vector<Complex> even = transformed(parts[0], roots), odd = transformed(parts[1], roots);
  for (size_t k = 0; k < n / 2; ++k) {
    Complex w = roots[k * (64 / n)], x = odd[k];
    Complex turned(x.real() * w.real() - x.imag() * w.imag(),
                   x.real() * w.imag() + x.imag() * w.real());
    out[k] = even[k] + turned, out[k + n / 2] = even[k] - turned;
  }
  return out;
}
void fourier(Buffers &b) {
  for (size_t row = 0; row < 4; ++row) {
    Complex *in = as<Complex>(b[0]) + row * 64;
    auto out = transformed({in, in + 64}, as<Complex>(b[1]));
    std::copy(out.begin(), out.end(), as<Complex>(b[2]) + row * 64);
  }
}
void lowerUpper(Buffers &b) {
  for (size_t matrix = 0; matrix < 4; ++matrix) {
    float *a = as<float>(b[0]) + matrix * 256;
    for (size_t i = 0; i < 16; ++i)
      a[i * 17] += 8;
    for (size_t y = 0; y < 16; ++y) // row by row, the same differences in the same order
      for (size_t k = 0; k < y; ++k) {
        a[y * 16 + k] /= a[k * 17];
        for (size_t x = k + 1; x < 16; ++x)
          a[y * 16 + x] -= a[y * 16 + k] * a[k * 16 + x];
      }
  }
}
void cholesky(Buffers &b) {
  for (size_t t = 0; t < 64; ++t) {
    const double *in = as<double>(b[0]) + t * 64;
    double *l = as<double>(b[1]) + t * 64;
    for (size_t i = 0; i < 8; ++i)
      for (size_t j = 0; j <= i; ++j) {
        double sum = in[i * 8 + j] + (i == j ? 10 : 0);
        for (size_t k = 0; k < j; ++k)
          sum = std::fma(-l[i * 8 + k], l[j * 8 + k], sum);
        l[i * 8 + j] = i == j ? std::sqrt(sum) : sum / l[j * 9];
      }
  }
}
void gaussSeidel(Buffers &b) {
  float *p = as<float>(b[0]);
  for (size_t s = 0; s < 10; ++s)
    for (size_t y = 1; y < 31; ++y)
      for (size_t x = 1; x < 31; ++x)
        if (float *at = p + y * 32 + x; (x + y + s) % 2 == 0)
          *at = 0.25f * ((at[-32] + at[32]) + (at[-1] + at[1]));
}
void manyBodies(Buffers &b) {
  const float *all = as<float>(b[0]);
  for (size_t i = 0; i < 128; ++i)
    for (size_t j = 0; j < 128; ++j) {
      float d[3], square = 0.01f;
      for (size_t k = 3; k-- > 0;)
        d[k] = all[4 * j + k] - all[4 * i + k], square = std::fma(d[k], d[k], square);
      float scale = all[4 * j + 3] / (square * std::sqrt(square));
      for (size_t k = 0; k < 3; ++k)
        as<float>(b[1])[3 * i + k] = std::fma(d[k], scale, as<float>(b[1])[3 * i + k]);
    }
}
void carefulSums(Buffers &b) {
  for (size_t t = 0; t < 128; ++t) {
    const float *row = as<float>(b[0]) + t * 16;
    float kahan = 0, lost = 0, dot = 0, rest = 0;
    for (size_t i = 0; i < 16; ++i) {
      volatile float y = row[i] * 1000;
      y = y - lost;
      volatile float next = kahan + y, grown = next - kahan;
      lost = grown - y, kahan = next;
      // The errors of a product and of a sum of two singles are singles, exact in double precision.
      double exact = double(row[i]) * double(row[15 - i]);
      float p = float(exact), error = float(exact - double(p)), s = dot + p;
      float gone = float(double(dot) + double(p) - double(s));
      dot = s;
      volatile float both = error + gone;
      rest += both;
    }
    const float all[] = {kahan, lost, dot, rest};
    std::copy_n(all, 4, as<float>(b[1]) + 4 * t);
  }
}
void roundedDoubles(Buffers &b) {
  for (size_t t = 0; t < 256; ++t) {
    volatile double x = as<double>(b[0])[t], y = as<double>(b[1])[t], one = 1,
                    absolute = std::fabs(x);
    auto sum = [&] { return x + y; };
    auto product = [&] { return x * y; };
    auto quotient = [&] { return x / y; };
    auto fused = [](double p, double q, double r) { return [=] { return std::fma(p, q, r); }; };
    double last = rounded(down, [&] { return one / y; });
    absolute = std::fabs(y);
    double root = rounded(down, [&] { return std::sqrt(double(absolute)); });
    absolute = std::fabs(x);
    const double all[] = {sum(),
                          rounded(zero, sum),
                          rounded(up, sum),
                          rounded(down, sum),
                          rounded(zero, product),
                          rounded(up, product),
                          rounded(down, product),
                          quotient(),
                          rounded(zero, quotient),
                          rounded(up, quotient),
                          rounded(down, quotient),
                          rounded(up, [&] { return std::sqrt(double(absolute)); }),
                          fused(x, y, x)(),
                          rounded(zero, fused(x, y, y)),
                          rounded(up, fused(x, x, y)),
                          last - root};
    std::copy_n(all, 16, as<double>(b[2]) + 16 * t);
  }
}
void roundedSingles(Buffers &b) {
  for (size_t t = 0; t < 256; ++t) {
    volatile float scale = t % 3 == 0 ? 0x1p-130f : t % 3 == 1 ? 0x1p-70f : 1.0f;
    volatile float x = as<float>(b[0])[t] * scale, y = as<float>(b[1])[t], small = y * scale,
                   one = 1, absolute = std::fabs(x);
    auto sum = [&] { return x + y; };
    auto product = [&] { return x * small; };
    auto quotient = [&] { return x / y; };
    auto root = [&] { return std::sqrt(float(absolute)); };
    auto fused = [&] { return std::fma(float(x), float(y), float(x)); };
    const float all[] = {rounded(zero, sum),
                         rounded(up, sum),
                         rounded(down, sum),
                         x * y,
                         rounded(zero, [&] { return x * y; }),
                         rounded(up, product),
                         rounded(down, product),
                         rounded(zero, quotient),
                         rounded(up, quotient),
                         rounded(down, quotient),
                         rounded(zero, root),
                         rounded(up, root),
                         rounded(zero, fused),
                         rounded(up, fused),
                         rounded(down, fused),
                         rounded(zero, [&] { return one / y; })};
    std::copy_n(all, 16, as<float>(b[2]) + 16 * t);
  }
}
void conversions(Buffers &b) {
  for (size_t t = 0; t < 256; ++t) {
    double x = as<double>(b[0])[t] * double(u64(1) << t % 62), f = float(x);
    int64_t n = as<int64_t>(b[1])[t] >> t % 64;
    // Numbers beyond the ends of the type become its ends.
    auto clamped = [](double integral, int64_t low, int64_t high) {
      return std::clamp(int64_t(integral), low, high);
    };
    const int64_t integers[] = {clamped(std::nearbyint(x), INT64_MIN, INT64_MAX),
                                clamped(std::ceil(x), INT64_MIN, INT64_MAX),
                                clamped(std::floor(f), INT64_MIN, INT64_MAX),
                                clamped(std::trunc(x), INT32_MIN, INT32_MAX),
                                clamped(std::ceil(f), 0, UINT32_MAX),
                                clamped(std::floor(x), 0, INT64_MAX),
                                clamped(std::nearbyint(f), INT32_MIN, INT32_MAX),
                                clamped(std::nearbyint(x), 0, UINT32_MAX)};
    std::copy_n(integers, 8, as<int64_t>(b[2]) + 8 * t);
    volatile double wide = x;
    volatile int64_t whole = n;
    const double reals[] = {double(rounded(zero, [&] { return float(wide); })),
                            double(rounded(up, [&] { return float(wide); })),
                            rounded(down, [&] { return double(whole); }),
                            double(rounded(up, [&] { return float(whole); })),
                            double(rounded(zero, [&] { return float(u64(whole)); })),
                            double(rounded(down, [&] { return float(int32_t(whole)); })),
                            double(u32(n)),
                            rounded(up, [&] { return double(u64(whole)); })};
    std::copy_n(reals, 8, as<double>(b[3]) + 8 * t);
  }
}
void bilinear(Buffers &b) {
  each<float>(b, [&](size_t at) {
    float ratio = 32.0f / 48.0f, u = std::fma(float(at % 48) + 0.5f, ratio, -0.5f),
          v = std::fma(float(at / 48) + 0.5f, ratio, -0.5f), rows[2];
    int i = int(std::floor(u)), j = int(std::floor(v));
    auto pixel = [&](int x, int y) {
      return as<float>(b[0])[std::clamp(y, 0, 31) * 32 + std::clamp(x, 0, 31)];
    };
    for (int k = 0; k < 2; ++k)
      rows[k] = std::fma(u - float(i), pixel(i + 1, j + k) - pixel(i, j + k), pixel(i, j + k));
    return std::fma(v - float(j), rows[1] - rows[0], rows[0]);
  });
}
void quantise(Buffers &b) {
  for (size_t row = 0; row < 8; ++row) {
    const float *x = as<float>(b[0]) + row * 128;
    float largest = 0;
    for (size_t i = 0; i < 128; ++i)
      largest = std::max(largest, std::fabs(x[i]));
    float scale = 127 / largest;
    int8_t *codes = as<int8_t>(b[1]) + row * 128;
    int sum = 0;
    for (size_t i = 0; i < 128; ++i)
      codes[i] = int8_t(std::clamp(std::nearbyint(x[i] * scale), -127.0f, 127.0f));
    for (size_t i = 0; i < 128; ++i)
      sum += codes[i] * codes[i ^ 4];
    as<float>(b[2])[row] = scale, as<float>(b[3])[row] = float(sum) / (scale * scale);
  }
}
/// The sum that exchanges over a warp make of 32 lanes.
float sumOfWarp(std::vector<float> lanes) {
  for (size_t step = 16; step; step /= 2) {
    std::vector<float> before = lanes;
    for (size_t l = 0; l < 32; ++l)
      lanes[l] = before[l] + before[l ^ step];
  }
  return lanes[0];
}
void layerNorm(Buffers &b) {
  for (size_t row = 0; row < 8; ++row) {
    std::vector<float> x(as<float>(b[0]) + row * 128, as<float>(b[0]) + row * 128 + 128), sums(32),
        squares(32);
    for (size_t i = 0; i < 128; ++i)
      sums[i % 32] += x[i];
    float mean = sumOfWarp(sums) / 128;
    for (size_t i = 0; i < 128; ++i)
      x[i] -= mean, squares[i % 32] = std::fma(x[i], x[i], squares[i % 32]);
    float scale = 1 / std::sqrt(std::fma(sumOfWarp(squares), 0.0078125f, 1e-5f));
    for (size_t i = 0; i < 128; ++i)
      as<float>(b[2])[row * 128 + i] = x[i] * scale * as<float>(b[1])[i];
  }
}
void rotary(Buffers &b) {
  for (size_t t = 0; t < 512; ++t) {
    const _Float16 *in = as<_Float16>(b[0]) + 2 * t;
    float x = float(in[0]), y = float(in[1]), c = as<float>(b[1])[2 * t],
          s = as<float>(b[1])[2 * t + 1];
    as<_Float16>(b[2])[2 * t] = _Float16(std::fma(x, c, -(y * s)));
    as<_Float16>(b[2])[2 * t + 1] = _Float16(std::fma(x, s, y * c));
  }
}
void realParts(Buffers &b) {
  for (size_t t = 0; t < 256; ++t) {
    float x = as<float>(b[0])[t] * (t % 5 ? 100 : 1e-3f), y = as<float>(b[1])[t], integral;
    int e;
    float part = std::frexp(x, &e), rest = std::modf(x, &integral);
    const float all[] = {part,
                         std::ldexp(y, int(t % 300) - 150),
                         std::fmod(x, y),
                         std::remainder(x, y),
                         std::nextafter(x, y),
                         std::copysign(x, y),
                         std::fdim(x, y),
                         std::rint(x),
                         std::round(x),
                         std::scalbn(x, -140),
                         rest,
                         integral};
    std::copy_n(all, 12, as<float>(b[2]) + 12 * t);
    int *integers = as<int>(b[3]) + 4 * t;
    integers[0] = e, integers[1] = std::ilogb(x);
    integers[2] = int(std::lround(x)) * 2 + (t % 7 != 0) + 4 * std::signbit(y);
    integers[3] = (x < 0) + 2 * (t % 3 == 0);
  }
}

} // namespace

std::vector<Program> stencilPrograms() {
  return {
      {"stencil_line",
       {4},
       {128},
       {"ptr=rand:f32:500", "ptr=zeros:f32:500", "i32:500"},
       stencilLine},
      {"stencil_plane",
       {4, 4},
       {16, 16},
       {"ptr=rand:f32:4096", "ptr=zeros:f32:4096", "i32:64"},
       stencilPlane},
      {"stencil_space",
       {1},
       {16, 16},
       {"ptr=rand:f64:4096", "ptr=zeros:f64:4096", "i32:16"},
       stencilSpace},
      {"convolution",
       {4, 4},
       {16, 16},
       {"ptr=rand:u8:4096", "ptr=zeros:u8:4096", "i32:64"},
       convolution},
      {.name = "fourier",
       .grid = {4},
       .block = {32},
       .arguments = {"ptr=rand:f32:512", "ptr=zeros:f32:64", "ptr=zeros:f32:512"},
       .plain = fourier,
       .prepare = makeRoots},
      {"lower_upper", {4}, {16, 16}, {"ptr=rand:f32:1024"}, lowerUpper},
      {"cholesky", {2}, {32}, {"ptr=rand:f64:4096", "ptr=zeros:f64:4096"}, cholesky},
      {"gauss_seidel", {1}, {128}, {"ptr=rand:f32:1024", "i32:32", "i32:5"}, gaussSeidel},
      {"many_bodies", {2}, {64}, {"ptr=rand:f32:512", "ptr=zeros:f32:384", "i32:128"}, manyBodies},
      {"careful_sums", {2}, {64}, {"ptr=rand:f32:2048", "ptr=zeros:f32:512"}, carefulSums},
      {"rounded_doubles",
       {2},
       {128},
       {"ptr=rand:f64:256", "ptr=rand:f64:256", "ptr=zeros:f64:4096"},
       roundedDoubles},
      {"rounded_singles",
       {2},
       {128},
       {"ptr=rand:f32:256", "ptr=rand:f32:256", "ptr=zeros:f32:4096"},
       roundedSingles},
      {"conversions",
       {2},
       {128},
       {"ptr=rand:f64:256", "ptr=rand:i64:256", "ptr=zeros:i64:2048", "ptr=zeros:f64:2048"},
       conversions},
      {"bilinear",
       {3, 3},
       {16, 16},
       {"ptr=rand:f32:1024", "ptr=zeros:f32:2304", "i32:32", "i32:48"},
       bilinear},
      {"quantise",
       {8},
       {32},
       {"ptr=rand:f32:1024", "ptr=zeros:i8:1024", "ptr=zeros:f32:8", "ptr=zeros:f32:8"},
       quantise},
      {"layer_norm",
       {2},
       {32, 4},
       {"ptr=rand:f32:1024", "ptr=rand:f32:128", "ptr=zeros:f32:1024"},
       layerNorm},
      {"rotary",
       {4},
       {128},
       {"ptr=rand:f16:1024", "ptr=rand:f32:1024", "ptr=zeros:f16:1024", "i32:32"},
       rotary},
      {"real_parts",
       {2},
       {128},
       {"ptr=rand:f32:256", "ptr=rand:f32:256", "ptr=zeros:f32:3072", "ptr=zeros:i32:1024"},
       realParts},
  };
}

} // namespace tessera::nvcc
