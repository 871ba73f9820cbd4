// Floating-point numbers and vectors of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/Builder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tessera::dsl {

Num Builder::f32(double x) {
  return num(arith::ConstantOp::create(b, loc, b.getF32FloatAttr(float(x))));
}
Num Builder::exp2(Num x) {
  return num(math::Exp2Op::create(b, loc, x.v, arith::FastMathFlags::afn));
}
Num Builder::log2(Num x) {
  return num(math::Log2Op::create(b, loc, x.v, arith::FastMathFlags::afn));
}
Num Builder::fma(Num x, Num y, Num z) { return num(math::FmaOp::create(b, loc, x.v, y.v, z.v)); }

Num Builder::narrow(Num x, const Twine &element) {
  Type to = type(element);
  if (auto vector = dyn_cast<VectorType>(x.v.getType()))
    to = vector.clone(to);
  return num(arith::TruncFOp::create(b, loc, to, x.v));
}
Num Builder::broadcast(Num x, int64_t count) {
  return num(vector::BroadcastOp::create(b, loc, VectorType::get({count}, x.v.getType()), x.v));
}
Num Builder::integers(ArrayRef<int32_t> values) {
  return num(arith::ConstantOp::create(b, loc, b.getI32VectorAttr(values)));
}

Num Builder::reduce(Num vector, const std::function<Num(Num, Num)> &combine) {
  SmallVector<Num> rest;
  for (int64_t i = 0, n = cast<VectorType>(vector.v.getType()).getNumElements(); i < n; ++i)
    rest.push_back(num(vector::ExtractOp::create(b, loc, vector.v, i)));
  for (; rest.size() > 1; rest.resize((rest.size() + 1) / 2))
    for (size_t i = 0, half = (rest.size() + 1) / 2; i + half < rest.size(); ++i)
      rest[i] = combine(rest[i], rest[i + half]);
  return rest.front();
}

Num Builder::shfl_xor(Num x, int lanes) {
  constexpr int64_t everyLane = -1, wholeWarp = 31;
  return num(NVVM::ShflOp::create(b, loc, x.v.getType(), i32(everyLane).v, x.v, i32(lanes).v,
                                  i32(wholeWarp).v, NVVM::ShflKind::bfly, UnitAttr()));
}

} // namespace tessera::dsl
