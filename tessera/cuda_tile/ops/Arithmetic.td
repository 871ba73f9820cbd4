// Elementwise arithmetic, comparison and selection.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUDA_TILE_OPS_ARITHMETIC_TD
#define TESSERA_CUDA_TILE_OPS_ARITHMETIC_TD

include "tessera/cuda_tile/ops/Base.td"

//--- Integers ---

class CudaTile_OverflowOp<string mnemonic> : CudaTile_Binary<mnemonic, "13, 1", CudaTile_IntTile> {
  let arguments = (ins CudaTile_IntTile:$lhs, CudaTile_IntTile:$rhs, CudaTile_Overflow:$overflow);
  let assemblyFormat = "$lhs `,` $rhs (`overflow` `` custom<Overflow>($overflow)^)? attr-dict `:` custom<ShortType>(type($result))";
  let description = [{A wrap-around that `overflow` promises not to happen is undefined behaviour; else results are taken modulo 2^bits.}];
}
def CudaTile_AddIOp : CudaTile_OverflowOp<"addi"> { let summary = "sum of integers"; }
def CudaTile_SubIOp : CudaTile_OverflowOp<"subi"> { let summary = "difference of integers"; }
def CudaTile_MulIOp : CudaTile_OverflowOp<"muli"> { let summary = "low half of a product of integers"; }
def CudaTile_ShLIOp : CudaTile_OverflowOp<"shli"> {
  let summary = "shift to the left";
  let description = [{The count is unsigned; one that is not below the width is undefined behaviour.}];
}

class CudaTile_SignedOp<string mnemonic> : CudaTile_Binary<mnemonic, "13, 1", CudaTile_IntTile> {
  let arguments = (ins CudaTile_IntTile:$lhs, CudaTile_IntTile:$rhs, CudaTile_SignednessAttr:$signedness);
  let assemblyFormat = "$lhs `,` $rhs custom<Signedness>($signedness) attr-dict `:` custom<ShortType>(type($result))";
}
class CudaTile_Division<string mnemonic, list<string> values> : CudaTile_GuardedOp<mnemonic, "13, 1", [AllTypesMatch<values>]> {
  let arguments = (ins CudaTile_IntTile:$lhs, CudaTile_IntTile:$rhs, CudaTile_SignednessAttr:$signedness);
  let results = (outs CudaTile_IntTile:$result);
  let assemblyFormat = "$lhs `,` $rhs custom<Signedness>($signedness) attr-dict `:` custom<ShortType>(type($result))";
}
def CudaTile_DivIOp : CudaTile_Division<"divi", ["lhs", "rhs", "result"]> {
  let summary = "quotient of integers";
  let description = [{
    Rounded towards zero, or to the integer above (positive_inf) or below (negative_inf, not with `unsigned`). Division by zero is undefined
    behaviour, and so is the smallest signed number by -1.
  }];
  let arguments = (ins CudaTile_IntTile:$lhs, CudaTile_IntTile:$rhs, CudaTile_SignednessAttr:$signedness, CudaTile_Rounding<"Zero">:$rounding);
  let assemblyFormat = "$lhs `,` $rhs custom<Signedness>($signedness) custom<RoundingDivI>($rounding) attr-dict `:` custom<ShortType>(type($result))";
  let hasVerifier = 1;
}
def CudaTile_RemIOp : CudaTile_Division<"remi", ["result", "lhs", "rhs"]> {
  let summary = "remainder of integers, with the sign of the dividend";
  let description = [{Division by zero is undefined behaviour.}];
}
def CudaTile_MaxIOp : CudaTile_SignedOp<"maxi"> { let summary = "larger of two integers"; }
def CudaTile_MinIOp : CudaTile_SignedOp<"mini"> { let summary = "smaller of two integers"; }
def CudaTile_ShRIOp : CudaTile_SignedOp<"shri"> {
  let summary = "shift to the right, arithmetic if signed";
  let description = [{The count is unsigned; one that is not below the width is undefined behaviour.}];
}
def CudaTile_MulhiIOp : CudaTile_Elementwise<"mulhii", "13, 1", ["x", "y", "result"]> {
  let summary = "high half of the unsigned product";
  let arguments = (ins CudaTile_IntTile:$x, CudaTile_IntTile:$y);
  let results = (outs CudaTile_IntTile:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` custom<ShortType>(type($result))";
}
def CudaTile_NegIOp : CudaTile_Unary<"negi", "13, 1", CudaTile_IntTile> {
  let summary = "negation; `overflow` since 13.2, none or no_signed_wrap";
  let arguments = (ins CudaTile_IntTile:$source, CudaTile_Overflow:$overflow);
  let assemblyFormat = "$source (`overflow` `` custom<Overflow>($overflow)^)? attr-dict `:` custom<ShortType>(type($result))";
  let hasVerifier = 1;
}
def CudaTile_AbsIOp : CudaTile_Unary<"absi", "13, 1", CudaTile_IntTile> {
  let summary = "absolute value; that of the smallest number is the smallest number";
}
def CudaTile_AndIOp : CudaTile_Binary<"andi", "13, 1", CudaTile_IntTile, [Commutative]> { let summary = "bitwise and"; }
def CudaTile_OrIOp : CudaTile_Binary<"ori", "13, 1", CudaTile_IntTile, [Commutative]> { let summary = "bitwise or"; }
def CudaTile_XOrIOp : CudaTile_Binary<"xori", "13, 1", CudaTile_IntTile, [Commutative]> {
  let summary = "bitwise exclusive or; with all ones it is the bitwise not";
}

//--- Floating point ---

// Rounded as IEEE 754 says; subnormal operands and results are zeros under `flush_to_zero`, which only f32 has.
class CudaTile_RoundedOp<string mnemonic, string rounding = "RoundingIeee"> : CudaTile_Binary<mnemonic, "13, 1", CudaTile_BaseFloatTile> {
  let arguments = (ins CudaTile_BaseFloatTile:$lhs, CudaTile_BaseFloatTile:$rhs, CudaTile_Rounding<"NearestEven">:$rounding_mode,
    UnitAttr:$flush_to_zero);
  let assemblyFormat = "$lhs `,` $rhs custom<" # rounding #
    ">($rounding_mode) (`flush_to_zero` $flush_to_zero^)? attr-dict `:` custom<ShortType>(type($result))";
  let description = [{Rounding is nearest_even, zero, negative_inf or positive_inf. `flush_to_zero` makes zeros of subnormal operands and results; f32 only.}];
  let hasVerifier = 1;
}
def CudaTile_AddFOp : CudaTile_RoundedOp<"addf"> {
  let summary = "sum";
  let hasCanonicalizer = 1;
}
def CudaTile_SubFOp : CudaTile_RoundedOp<"subf"> { let summary = "difference"; }
def CudaTile_MulFOp : CudaTile_RoundedOp<"mulf"> { let summary = "product"; }
def CudaTile_DivFOp : CudaTile_RoundedOp<"divf", "RoundingDivF"> {
  let summary = "quotient";
  let description = [{As the other ops of this kind; `approx` and `full` are faster forms for f32.}];
}
def CudaTile_FmaOp : CudaTile_Elementwise<"fma", "13, 1", ["lhs", "rhs", "acc", "result"]> {
  let summary = "lhs times rhs plus acc, rounded once";
  let arguments = (ins CudaTile_BaseFloatTile:$lhs, CudaTile_BaseFloatTile:$rhs, CudaTile_BaseFloatTile:$acc,
    CudaTile_Rounding<"NearestEven">:$rounding_mode, UnitAttr:$flush_to_zero);
  let results = (outs CudaTile_BaseFloatTile:$result);
  let assemblyFormat = [{$lhs `,` $rhs `,` $acc custom<RoundingIeee>($rounding_mode) (`flush_to_zero` $flush_to_zero^)? attr-dict `:`
    custom<ShortType>(type($result))}];
  let hasVerifier = 1;
}
def CudaTile_SqrtOp : CudaTile_Unary<"sqrt", "13, 1", CudaTile_BaseFloatTile> {
  let summary = "square root; `approx` for f32 only";
  let arguments = (ins CudaTile_BaseFloatTile:$source, CudaTile_Rounding<"NearestEven">:$rounding_mode, UnitAttr:$flush_to_zero);
  let assemblyFormat = [{$source custom<RoundingSqrt>($rounding_mode) (`flush_to_zero` $flush_to_zero^)? attr-dict `:` custom<ShortType>(type($result))}];
  let hasVerifier = 1;
}
class CudaTile_FlushedUnary<string mnemonic> : CudaTile_Unary<mnemonic, "13, 1", CudaTile_BaseFloatTile> {
  let arguments = (ins CudaTile_BaseFloatTile:$source, UnitAttr:$flush_to_zero);
  let assemblyFormat = "$source (`flush_to_zero` $flush_to_zero^)? attr-dict `:` custom<ShortType>(type($result))";
  let hasVerifier = 1;
}
def CudaTile_RsqrtOp : CudaTile_FlushedUnary<"rsqrt"> { let summary = "reciprocal of the square root, approximated"; }
def CudaTile_Exp2Op : CudaTile_FlushedUnary<"exp2"> { let summary = "power of two, approximated"; }
// `full` is accurate, `approx` is for f32 only.
class CudaTile_FullUnary<string mnemonic> : CudaTile_Unary<mnemonic, "13, 1", CudaTile_BaseFloatTile> {
  let arguments = (ins CudaTile_BaseFloatTile:$source, CudaTile_Rounding<"Full">:$rounding_mode);
  let assemblyFormat = "$source custom<RoundingFull>($rounding_mode) attr-dict `:` custom<ShortType>(type($result))";
  let hasVerifier = 1;
}
def CudaTile_ExpOp : CudaTile_FullUnary<"exp"> { let summary = "power of e; rounding since 13.3"; }
def CudaTile_TanHOp : CudaTile_FullUnary<"tanh"> { let summary = "hyperbolic tangent; rounding since 13.2"; }

// f16 and bf16 are computed in f32 and rounded.
class CudaTile_MathOp<string mnemonic> : CudaTile_Unary<mnemonic, "13, 1", CudaTile_BaseFloatTile>;
def CudaTile_SinOp : CudaTile_MathOp<"sin"> { let summary = "sine of an angle in radians"; }
def CudaTile_CosOp : CudaTile_MathOp<"cos"> { let summary = "cosine of an angle in radians"; }
def CudaTile_TanOp : CudaTile_MathOp<"tan"> { let summary = "tangent of an angle in radians"; }
def CudaTile_SinHOp : CudaTile_MathOp<"sinh"> { let summary = "hyperbolic sine"; }
def CudaTile_CosHOp : CudaTile_MathOp<"cosh"> { let summary = "hyperbolic cosine"; }
def CudaTile_LogOp : CudaTile_MathOp<"log"> { let summary = "natural logarithm"; }
def CudaTile_Log2Op : CudaTile_MathOp<"log2"> { let summary = "logarithm to the base of two"; }
def CudaTile_CeilOp : CudaTile_MathOp<"ceil"> { let summary = "smallest integer that is not below"; }
def CudaTile_FloorOp : CudaTile_MathOp<"floor"> { let summary = "largest integer that is not above"; }
def CudaTile_AbsFOp : CudaTile_MathOp<"absf"> { let summary = "absolute value"; }
def CudaTile_NegFOp : CudaTile_MathOp<"negf"> { let summary = "negation"; }

def CudaTile_PowOp : CudaTile_Elementwise<"pow", "13, 1", ["result", "source", "exponent"]> {
  let summary = "source to the power of exponent";
  let arguments = (ins CudaTile_BaseFloatTile:$source, CudaTile_BaseFloatTile:$exponent);
  let results = (outs CudaTile_BaseFloatTile:$result);
  let assemblyFormat = "$source `,` $exponent attr-dict `:` custom<ShortType>(type($result))";
}
def CudaTile_FPowIOp : CudaTile_PureOp<"fpowi", "13, 4", [AllTypesMatch<["source", "result"]>, AllShapesMatch<["source", "exponent"]>]> {
  let summary = "source to the power of a signed integer";
  let arguments = (ins CudaTile_BaseFloatTile:$source, CudaTile_TileOf<[CudaTile_I1, CudaTile_I8, CudaTile_I16, CudaTile_I32]>:$exponent);
  let results = (outs CudaTile_BaseFloatTile:$result);
  let assemblyFormat = "$source `,` $exponent attr-dict `:` custom<ShortType>(type($source)) `,` custom<ShortType>(type($exponent))";
}
def CudaTile_Atan2Op : CudaTile_Elementwise<"atan2", "13, 2", ["x", "y", "result"]> {
  let summary = "angle of the point (y, x), as std::atan2(x, y) has its arguments";
  let arguments = (ins CudaTile_BaseFloatTile:$x, CudaTile_BaseFloatTile:$y);
  let results = (outs CudaTile_BaseFloatTile:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` custom<ShortType>(type($result))";
}
def CudaTile_RemFOp : CudaTile_Binary<"remf", "13, 1", CudaTile_BaseFloatTile> {
  let summary = "remainder of the truncated quotient, with the sign of lhs";
  let description = [{NaN for a divisor of zero and for an infinite dividend; an infinite divisor leaves the dividend.}];
}
class CudaTile_ExtremumF<string mnemonic> : CudaTile_Binary<mnemonic, "13, 1", CudaTile_BaseFloatTile> {
  let description = [{
    A NaN loses against a number, and wins with `propagate_nan`; the NaN of the result is the canonical one. +0 is larger than -0.
  }];
  let arguments = (ins CudaTile_BaseFloatTile:$lhs, CudaTile_BaseFloatTile:$rhs, UnitAttr:$propagate_nan, UnitAttr:$flush_to_zero);
  let assemblyFormat = [{$lhs `,` $rhs oilist(`flush_to_zero` $flush_to_zero | `propagate_nan` $propagate_nan) attr-dict `:`
    custom<ShortType>(type($result))}];
  let hasVerifier = 1;
}
def CudaTile_MaxFOp : CudaTile_ExtremumF<"maxf"> { let summary = "larger of two numbers"; }
def CudaTile_MinFOp : CudaTile_ExtremumF<"minf"> { let summary = "smaller of two numbers"; }

//--- Comparison and selection ---

class CudaTile_Comparison<string mnemonic> : CudaTile_PureOp<mnemonic, "13, 1", [AllTypesMatch<["lhs", "rhs"]>,
    PredOpTrait<"Result type has i1 element type and same shape as operands",
      CPred<"::llvm::cast<::mlir::ShapedType>($lhs.getType()).getShape() == ::llvm::cast<::mlir::ShapedType>($result.getType()).getShape()">>]> {
  let results = (outs CudaTile_BoolTile:$result);
}
def CudaTile_CmpIOp : CudaTile_Comparison<"cmpi"> {
  let summary = "comparison of integers";
  let arguments = (ins CudaTile_ComparisonPredicateAttr:$comparison_predicate, CudaTile_IntTile:$lhs, CudaTile_IntTile:$rhs,
    CudaTile_SignednessAttr:$signedness);
  let assemblyFormat = [{custom<Predicate>($comparison_predicate) $lhs `,` $rhs `,` custom<Signedness>($signedness) attr-dict `:`
    custom<ShortType>(type($lhs)) `->` custom<ShortType>(type($result))}];
}
def CudaTile_CmpFOp : CudaTile_Comparison<"cmpf"> {
  let summary = "comparison of floating-point numbers";
  let description = [{With a NaN the answer is false if ordered, true if unordered.}];
  let arguments = (ins CudaTile_ComparisonPredicateAttr:$comparison_predicate, CudaTile_ComparisonOrderingAttr:$comparison_ordering,
    CudaTile_BaseFloatTile:$lhs, CudaTile_BaseFloatTile:$rhs);
  let assemblyFormat = [{custom<Predicate>($comparison_predicate) custom<Ordering>($comparison_ordering) $lhs `,` $rhs attr-dict `:`
    custom<ShortType>(type($lhs)) `->` custom<ShortType>(type($result))}];
}
def CudaTile_SelectOp : CudaTile_PureOp<"select", "13, 1", [AllTypesMatch<["val_if_true", "val_if_false", "result"]>,
    AllShapesMatch<["cond", "val_if_true", "val_if_false", "result"]>]> {
  let summary = "element by element, one value where the condition holds, else the other";
  let arguments = (ins CudaTile_BoolTile:$cond, CudaTile_AnyTile:$val_if_true, CudaTile_AnyTile:$val_if_false);
  let results = (outs CudaTile_AnyTile:$result);
  let assemblyFormat = [{$cond `,` $val_if_true `,` $val_if_false attr-dict `:` custom<ShortType>(type($cond)) `,` custom<ShortType>(type($result))}];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

#endif
