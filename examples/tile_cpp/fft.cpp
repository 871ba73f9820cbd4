// Fourier transforms of 256 complex numbers as two products with matrices of 16 x 16.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Number 16 a + b of the input goes into number c + 16 d of the result.
#include "Example.h"

struct Complex {
  Tile<f32, 16, 16> re, im;
  friend Complex operator*(const Complex &a, const Complex &b) {
    return {matmul(a.re, b.re) - matmul(a.im, b.im), matmul(a.re, b.im) + matmul(a.im, b.re)};
  }
};
/// exp(-2 pi i * row * column / n).
Complex roots(int n) {
  auto turns = iota<i32, 16, 1>() * iota<i32, 1, 16>() % n;
  auto angle = element_cast<f32>(turns) * (-6.2831853f / float(n));
  return {cos(angle), sin(angle)};
}

void fft256(In<f32, 2> re, In<f32, 2> im, Out<f32, 1, 256> outRe, Out<f32, 1, 256> outIm) {
  auto square = [](auto row) { return reshape<16, 16>(row); };
  auto i = bid().x;
  Complex x{square(re.load<1, 256>({i, 0})), square(im.load<1, 256>({i, 0}))};
  Complex a = roots(16) * x, twiddle = roots(256);
  Complex b{a.re * twiddle.re - a.im * twiddle.im, a.re * twiddle.im + a.im * twiddle.re};
  Complex y = b * roots(16);
  outRe.store(reshape<1, 256>(transpose(y.re)));
  outIm.store(reshape<1, 256>(transpose(y.im)));
}

int main(int argc, char **argv) {
  Example example(argc, argv);
  Array<f32, 2> re(3, 256), im(3, 256), outRe(3, 256), outIm(3, 256);
  example.fill(re);
  example.fill(im);
  example.run(fft256, re, im, outRe, outIm);
  auto part = [&](bool isReal) {
    return [&, isReal](int64_t at) {
      double sum = 0;
      for (int n = 0; n < 256; ++n) {
        double angle = -2 * M_PI * double(n * (at % 256)) / 256, c = std::cos(angle),
               s = std::sin(angle);
        double x = re(at / 256, n), y = im(at / 256, n);
        sum += isReal ? x * c - y * s : x * s + y * c;
      }
      return sum;
    };
  };
  example.expect(outRe, part(true), 2e-5);
  example.expect(outIm, part(false), 2e-5);
  return example.finish();
}
