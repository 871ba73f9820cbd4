// Rows: packed and approximate f32 arithmetic.
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
  Value result =
      op.value("llvm.inline_asm", bits, words,
               {op.build().getNamedAttr("asm_string", op.build().getStringAttr(text + ";")),
                op.build().getNamedAttr("constraints", op.build().getStringAttr(constraints)),
                op.property("asm_dialect", "0 : i64")});
  return op.replace(op.value("llvm.bitcast", op.resultType(), result));
}

/// max.f32 and min.f32: a NaN operand loses, and +0 is larger than -0. The intrinsics are exactly
/// these instructions; arith.maxnumf leaves the sign of zero open. The forms with three operands
/// round nothing, so they are two of those with two.
static LogicalResult extremum(ForeignOp &op) {
  std::string intrinsic = ("llvm.nvvm." + op.name().split('.').second + ".f").str();
  Value result = op.operand(0);
  for (Value operand : op.operands().drop_front())
    result = op.value("llvm.call_intrinsic", op.resultType(), {result, operand},
                      {op.build().getNamedAttr("intrin", op.build().getStringAttr(intrinsic)),
                       op.property("op_bundle_sizes", "array<i32>"),
                       op.property("operandSegmentSizes", "array<i32: 2, 0>")});
  return op.replace(result);
}

using enum Slot;
using enum Witness;

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
    {.name = "nvvm.rcp.approx.ftz.f",
     .form = "$ attr-dict : results",
     .operands = {F32},
     .result = F32},
};

llvm::ArrayRef<Row> arithmeticRows() { return table; }

} // namespace tessera::import
