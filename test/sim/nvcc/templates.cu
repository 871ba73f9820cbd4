// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Templates with packs and values, constexpr tables, lambdas that hold numbers.
template <unsigned... weights> __device__ unsigned weighted(unsigned x) {
  constexpr unsigned all[] = {weights...};
  unsigned sum = (weights + ...);
  for (unsigned i = 0; i < sizeof...(weights); ++i)
    sum += (x >> 4 * i & 15) * all[i];
  return sum;
}
template <int n> struct Fibonacci {
  static constexpr unsigned value = Fibonacci<n - 1>::value + Fibonacci<n - 2>::value;
};
template <> struct Fibonacci<0> {
  static constexpr unsigned value = 0;
};
template <> struct Fibonacci<1> {
  static constexpr unsigned value = 1;
};
template <class F> __device__ unsigned repeated(unsigned x, F f, int times) {
  for (int i = 0; i < times; ++i)
    x = f(x);
  return x;
}
extern "C" __global__ void templates(const unsigned *in, unsigned *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x = in[t], y = t * 3 + 1;
  auto mix = [=](auto z) { return z * y ^ z >> 7; };
  auto count = [n = 0u](unsigned z) mutable { return z + ++n; };
  out[t] = weighted<1, 2, 3, 5, 8, 13, 21, 34>(x) + Fibonacci<20>::value * repeated(x, mix, t % 5) +
           repeated(x, count, 4);
}
