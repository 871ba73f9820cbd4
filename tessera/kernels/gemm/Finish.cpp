// Scalars, C, bias and activation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/gemm/Finish.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;

Finish::Finish(const GemmConfig &c, const std::optional<Num> &alpha,
               const std::optional<Num> &betaOfCall, const std::optional<Tensor> &scaleA,
               const std::optional<Tensor> &scaleB) {
  auto also = [&](Num x) { factor = factor ? mul_rn(factor, x) : x; };
  if (c.alpha)
    also(*alpha);
  if (c.scales) {
    also(load(*scaleA, 0));
    also(load(*scaleB, 0));
  }
  if (c.c)
    beta = *betaOfCall;
  activation = findActivation(c.activation);
}

Num Finish::of(Num sums, const std::function<Num()> &matrixC, Num bias) const {
  Num x = sums;
  if (factor)
    x = mul_rn(x, splat(factor, x));
  if (beta)
    x = fma(splat(beta, x), matrixC(), x);
  if (bias)
    x = add_rn(x, convert(bias, f32));
  if (activation->of)
    x = activation->of(x);
  return x;
}
