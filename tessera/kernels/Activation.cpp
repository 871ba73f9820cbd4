// Vectors of f32, and functions of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/Activation.h"

#include "mlir/IR/BuiltinTypes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;

Num kernels::splat(Num scalar, const Num &like) {
  return mlir::isa_and_nonnull<mlir::VectorType>(like.type()) ? broadcast(scalar, count(like))
                                                              : scalar;
}
Num kernels::splat(double number, const Num &like) { return splat(f32(number), like); }

namespace {
/// x / (1 + e^-(linear x + cubic x^3)). Both are approximations of 2 ulp; tanh.approx, one
/// instruction, has 2^-11, which the difference to 1 makes the whole of small results.
Num sigmoidal(Num x, double linear, double cubic) {
  Num exponent = splat(-linear * std::numbers::log2e, x);
  if (cubic != 0)
    exponent = fma(splat(-cubic * std::numbers::log2e, x), mul_rn(x, x), exponent);
  Num power = exp2(mul_rn(exponent, x));
  return divide_approx(x, add_rn(splat(1, x), power));
}
Num relu(Num x) { return maximum(x, splat(0, x)); }
/// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), and (1 + tanh(u)) / 2 = 1 / (1 + e^-2u).
/// Hendrycks and Gimpel, arXiv:1606.08415.
Num gelu(Num x) {
  double twice = 2 * std::sqrt(2 / std::numbers::pi);
  return sigmoidal(x, twice, twice * 0.044715);
}
Num silu(Num x) { return sigmoidal(x, 1, 0); }

constexpr Activation activations[] = {
    {"none", nullptr}, {"relu", relu}, {"gelu", gelu}, {"silu", silu}};
} // namespace

const Activation *kernels::findActivation(std::string_view name) {
  const Activation *found = std::find_if(std::begin(activations), std::end(activations),
                                         [&](const Activation &a) { return a.name == name; });
  return found == std::end(activations) ? nullptr : found;
}
