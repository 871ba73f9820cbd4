// Vectors of f32, and functions of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/Activation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace tessera;
using namespace tessera::kernels;

//===--- vectors of f32 -----------------------------------------------------------------------===//

Value kernels::splat(dsl::Builder &k, Value scalar, Value like) {
  return vector::BroadcastOp::create(k.b, k.loc, like.getType(), scalar);
}
Value kernels::splat(dsl::Builder &k, double number, Value like) {
  return splat(k, arith::ConstantOp::create(k.b, k.loc, k.b.getF32FloatAttr(float(number))), like);
}
Value kernels::times(dsl::Builder &k, Value x, Value y) {
  return arith::MulFOp::create(k.b, k.loc, x, y);
}
Value kernels::plus(dsl::Builder &k, Value x, Value y) {
  return arith::AddFOp::create(k.b, k.loc, x, y);
}

Value kernels::converted(dsl::Builder &k, Value vector, Type element) {
  auto from = cast<VectorType>(vector.getType());
  Type to = VectorType::get(from.getShape(), element);
  unsigned before = from.getElementTypeBitWidth(), after = element.getIntOrFloatBitWidth();
  if (before > after)
    return arith::TruncFOp::create(k.b, k.loc, to, vector);
  return before < after ? arith::ExtFOp::create(k.b, k.loc, to, vector) : vector;
}

//===--- functions ----------------------------------------------------------------------------===//

namespace {
/// x / (1 + e^-(linear x + cubic x^3)). Both are approximations of 2 ulp; tanh.approx, one
/// instruction, has 2^-11, which the difference to 1 makes the whole of small results.
Value sigmoidal(dsl::Builder &k, Value x, double linear, double cubic) {
  auto approximate = arith::FastMathFlagsAttr::get(k.b.getContext(), arith::FastMathFlags::afn);
  Value exponent = splat(k, -linear * std::numbers::log2e, x);
  if (cubic != 0)
    exponent = math::FmaOp::create(k.b, k.loc, splat(k, -cubic * std::numbers::log2e, x),
                                   times(k, x, x), exponent);
  exponent = times(k, exponent, x);
  Value power = math::Exp2Op::create(k.b, k.loc, exponent, approximate);
  return arith::DivFOp::create(k.b, k.loc, x, plus(k, splat(k, 1, x), power), approximate);
}
Value relu(dsl::Builder &k, Value x) {
  return arith::MaximumFOp::create(k.b, k.loc, x, splat(k, 0, x));
}
/// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), and (1 + tanh(u)) / 2 = 1 / (1 + e^-2u).
/// Hendrycks and Gimpel, arXiv:1606.08415.
Value gelu(dsl::Builder &k, Value x) {
  double twice = 2 * std::sqrt(2 / std::numbers::pi);
  return sigmoidal(k, x, twice, twice * 0.044715);
}
Value silu(dsl::Builder &k, Value x) { return sigmoidal(k, x, 1, 0); }

constexpr Activation activations[] = {
    {"none", nullptr}, {"relu", relu}, {"gelu", gelu}, {"silu", silu}};
} // namespace

const Activation *kernels::findActivation(StringRef name) {
  const Activation *found =
      llvm::find_if(activations, [&](const Activation &a) { return a.name == name; });
  return found == std::end(activations) ? nullptr : found;
}
