// Rows: packed, rounded and approximate f32 arithmetic, and halves of products.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/rows/Rows.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tessera::import {

/// nvvm.add.packed.f32x2 and its like, on vector<2xf32>. Rounded to nearest without flushing
/// subnormals it is the arithmetic op in `becomes`, which LLVM prints as one f32x2 instruction on
/// sm_100 and as two below. LLVM cannot say the other modes: they become the instruction itself, on
/// the pair as 64 bits.
static LogicalResult packed(ForeignOp &op) {
  FailureOr<StringRef> rounding = op.takeEnumerator("rnd", "rnd", "rn");
  FailureOr<bool> flush = op.takeFlag("ftz", false);
  if (failed(rounding) || failed(flush))
    return failure();
  if (!llvm::is_contained<StringRef>({"rn", "rz", "rm", "rp"}, *rounding))
    return op.refuse(Diag::PropertyValue, "rnd", "rn, rz, rm or rp", *rounding);
  if (*rounding == "rn" && !*flush)
    return op.replace(op.value(op.row().becomes, op.resultType(), op.operands()));
  Type bits = op.build().getI64Type();
  SmallVector<Value> words;
  std::string text =
      llvm::formatv("{0}.{1}{2}.f32x2 $0", op.name().split('.').second.split('.').first, *rounding,
                    *flush ? ".ftz" : "")
          .str();
  std::string constraints = "=l";
  for (auto [i, operand] : llvm::enumerate(op.operands())) {
    words.push_back(op.value("llvm.bitcast", bits, operand));
    text += ", $" + std::to_string(i + 1);
    constraints += ",l";
  }
  Value result = op.ptx(text + ";", constraints, bits, words, /*touchesMemory=*/false);
  return op.replace(op.value("llvm.bitcast", op.resultType(), result));
}

/// One instruction on f32, as an intrinsic of LLVM.
static Value intrinsic(ForeignOp &op, StringRef name, ValueRange operands) {
  Builder &b = op.build();
  return op.value("llvm.call_intrinsic", b.getF32Type(), operands,
                  {b.getNamedAttr("intrin", b.getStringAttr(("llvm.nvvm." + name).str())),
                   op.property("op_bundle_sizes", "array<i32>"),
                   b.getNamedAttr("operandSegmentSizes",
                                  b.getDenseI32ArrayAttr({int32_t(operands.size()), 0}))});
}

/// max.f32 and min.f32: a NaN operand loses unless `nan` is set, and +0 is larger than -0. The
/// intrinsics are exactly these instructions; arith.maxnumf leaves the sign of zero open. The forms
/// with three operands round nothing, so they are two of those with two.
static LogicalResult extremum(ForeignOp &op) {
  FailureOr<bool> flush = op.takeFlag("ftz", false), nan = op.takeFlag("nan", false),
                  absolute = op.takeFlag("abs", false);
  if (failed(flush) || failed(nan) || failed(absolute))
    return failure();
  if (*absolute)
    return op.refuse(Diag::PropertyValue, "abs", "false", "true");
  std::string name =
      (op.name().split('.').second + (*flush ? ".ftz" : "") + (*nan ? ".nan" : "") + ".f").str();
  Value result = op.operand(0);
  for (Value operand : op.operands().drop_front())
    result = intrinsic(op, name, {result, operand});
  return op.replace(result);
}

/// nvvm.ex2 and its like, on f32: the approximation of the hardware. `becomes` has its intrinsic's
/// name.
static LogicalResult approximation(ForeignOp &op) {
  FailureOr<bool> flush = op.takeFlag("ftz", false);
  if (failed(flush))
    return failure();
  // LLVM 22 has ex2 for several types, the others for f32 alone.
  StringRef type = op.name() == "nvvm.ex2" ? ".f32" : ".f";
  std::string name = (op.row().becomes + (*flush ? ".ftz" : "") + type).str();
  return op.replace(intrinsic(op, name, op.operands()));
}

/// nvvm.addf, subf and fma on f32. Rounded to nearest without saturating or flushing it is the op
/// in `becomes`; else the instruction.
static LogicalResult rounded(ForeignOp &op) {
  FailureOr<StringRef> rounding = op.takeEnumerator("rnd", "fp_rnd_mode", "rn"),
                       saturation = op.takeEnumerator("sat", "sat_mode", "none");
  FailureOr<bool> flush = op.takeFlag("ftz", false), relu = op.takeFlag("relu", false),
                  outOfBounds = op.takeFlag("oob", false);
  if (failed(rounding) || failed(saturation) || failed(flush) || failed(relu) ||
      failed(outOfBounds))
    return failure();
  StringRef mode = *rounding == "none" ? "rn" : *rounding;
  if (!llvm::is_contained<StringRef>({"rn", "rz", "rm", "rp"}, mode))
    return op.refuse(Diag::PropertyValue, "rnd", "rn, rz, rm or rp", mode);
  if (!llvm::is_contained<StringRef>({"none", "sat"}, *saturation))
    return op.refuse(Diag::PropertyValue, "sat", "none or sat", *saturation);
  if (*relu || *outOfBounds)
    return op.refuse(Diag::PropertyValue, *relu ? "relu" : "oob", "false, as on f32", "true");
  if (mode == "rn" && *saturation == "none" && !*flush)
    return op.replace(op.value(op.row().becomes, op.resultType(), op.operands()));
  StringRef name = op.name().split('.').second;
  name.consume_back("f");
  std::string text = (name + "." + mode + (*flush ? ".ftz" : "") +
                      (*saturation == "sat" ? ".sat" : "") + ".f32 $0")
                         .str(),
              constraints = "=f";
  for (size_t i = 0; i < op.operands().size(); ++i) {
    text += ", $" + std::to_string(i + 1);
    constraints += ",f";
  }
  return op.replace(op.ptx(text + ";", constraints, op.resultType(), op.operands(), false));
}

/// nvvm.fabs on f32.
static LogicalResult absolute(ForeignOp &op) {
  FailureOr<bool> flush = op.takeFlag("ftz", false);
  if (failed(flush))
    return failure();
  if (!*flush)
    return op.replace(op.value("math.absf", op.resultType(), op.operands()));
  return op.replace(op.ptx("abs.ftz.f32 $0, $1;", "=f,f", op.resultType(), op.operands(), false));
}

/// nvvm.mul: the low or the high half of a product, or all of it.
static LogicalResult product(ForeignOp &op) {
  FailureOr<StringRef> mode = op.takeEnumerator("mode", "mul_mode", "lo");
  FailureOr<bool> isSigned = op.takeFlag("isSigned", true);
  if (failed(mode) || failed(isSigned))
    return failure();
  Type type = op.operand(0).getType();
  auto integer = dyn_cast<IntegerType>(type);
  Type wide = integer ? op.build().getIntegerType(2 * integer.getWidth()) : Type();
  Type result = *mode == "wide" ? wide : type;
  if (!integer || op.resultType() != result)
    return op.refuse(Diag::ResultType, *mode == "wide" ? "of twice the bits" : "of that type",
                     op.resultType());
  if (*mode == "lo")
    return op.replace(op.value("arith.muli", type, op.operands()));
  if (*mode == "hi")
    return op.replace(op.create(*isSigned ? "arith.mulsi_extended" : "arith.mului_extended",
                                {type, type}, op.operands())
                          ->getResult(1));
  if (*mode != "wide")
    return op.refuse(Diag::PropertyValue, "mode", "lo, hi or wide", *mode);
  StringRef extend = *isSigned ? "arith.extsi" : "arith.extui";
  return op.replace(
      op.value("arith.muli", wide,
               {op.value(extend, wide, op.operand(0)), op.value(extend, wide, op.operand(1))}));
}

using enum Slot;
using enum Witness;

#define APPROXIMATION(foreign, instruction)                                                        \
  Row {                                                                                            \
    .name = foreign, .operands = {F32}, .result = F32, .becomes = instruction,                     \
    .rewrite = approximation, .witness = Family                                                    \
  }

// The custom assembly of 4.5's ops has not been seen.
static constexpr Row table[] = {
    {.name = "nvvm.add.packed.f32x2",
     .form = "$ , $ attr-dict : types -> results",
     .operands = {F32x2, F32x2},
     .result = F32x2,
     .becomes = "arith.addf",
     .rewrite = packed},
    {.name = "nvvm.sub.packed.f32x2",
     .form = "$ , $ attr-dict : types -> results",
     .operands = {F32x2, F32x2},
     .result = F32x2,
     .becomes = "arith.subf",
     .rewrite = packed,
     .witness = Family},
    {.name = "nvvm.mul.packed.f32x2",
     .form = "$ , $ attr-dict : types -> results",
     .operands = {F32x2, F32x2},
     .result = F32x2,
     .becomes = "arith.mulf",
     .rewrite = packed},
    {.name = "nvvm.fma.packed.f32x2",
     .form = "$ , $ , $ attr-dict : types -> results",
     .operands = {F32x2, F32x2, F32x2},
     .result = F32x2,
     .becomes = "math.fma",
     .rewrite = packed},
    {.name = "nvvm.fmax",
     .form = "$ , $ [ , $ ] attr-dict",
     .operands = {F32, F32, F32},
     .optional = 1,
     .result = F32,
     .rewrite = extremum},
    {.name = "nvvm.fmin",
     .form = "$ , $ [ , $ ] attr-dict",
     .operands = {F32, F32, F32},
     .optional = 1,
     .result = F32,
     .rewrite = extremum,
     .witness = Family},
    {.name = "nvvm.addf",
     .operands = {F32, F32},
     .result = F32,
     .becomes = "arith.addf",
     .rewrite = rounded,
     .witness = Family},
    {.name = "nvvm.subf",
     .operands = {F32, F32},
     .result = F32,
     .becomes = "arith.subf",
     .rewrite = rounded,
     .witness = Family},
    {.name = "nvvm.fma",
     .operands = {F32, F32, F32},
     .result = F32,
     .becomes = "math.fma",
     .rewrite = rounded,
     .witness = Family},
    {.name = "nvvm.fabs", .operands = {F32}, .result = F32, .rewrite = absolute, .witness = Family},
    {.name = "nvvm.mul",
     .form = "word(mode,mul_mode) $ , $ attr-dict : type(0) -> results",
     .operands = {Any, Any},
     .result = Any,
     .rewrite = product,
     .witness = Family},
    APPROXIMATION("nvvm.ex2", "ex2.approx"),
    APPROXIMATION("nvvm.log2", "lg2.approx"),
    APPROXIMATION("nvvm.sin", "sin.approx"),
    APPROXIMATION("nvvm.cos", "cos.approx"),
    APPROXIMATION("nvvm.rsqrt", "rsqrt.approx"),
    {.name = "nvvm.rcp.approx.ftz.f",
     .form = "$ attr-dict : results",
     .operands = {F32},
     .result = F32},
};

llvm::ArrayRef<Row> arithmeticRows() { return table; }

} // namespace tessera::import
