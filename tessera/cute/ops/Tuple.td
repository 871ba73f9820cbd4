// Arithmetic on tuples.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_OPS_TUPLE_TD
#define TESSERA_CUTE_OPS_TUPLE_TD

include "tessera/cute/ops/Base.td"

def Cute_TupleProductOp : Cute_AlgebraOp<"tuple_product", "; (Q) -> Q", [Cute_AnyShape]> {
  let summary = "product of all leaves";
  let arguments = (ins Cute_ArithTuple:$input);
  let results = (outs Cute_ArithTuple:$result);
}
def Cute_TupleProductEachOp : Cute_AlgebraOp<"tuple_product_each", "; (Q) -> Q", [Cute_AnyShape]> {
  let summary = "product of each mode";
  let arguments = (ins Cute_ArithTuple:$input);
  let results = (outs Cute_ArithTuple:$result);
}
def Cute_TupleAddOp : Cute_AlgebraOp<"tuple_add", "; (Q, Q) -> Q", [Cute_AnyShape]> {
  let summary = "leaf by leaf: add";
  let arguments = (ins Cute_ArithTuple:$lhs, Cute_ArithTuple:$rhs);
  let results = (outs Cute_ArithTuple:$result);
}
def Cute_TupleSubOp : Cute_AlgebraOp<"tuple_sub", "; (Q, Q) -> Q", [Cute_AnyShape]> {
  let summary = "leaf by leaf: sub";
  let arguments = (ins Cute_ArithTuple:$lhs, Cute_ArithTuple:$rhs);
  let results = (outs Cute_ArithTuple:$result);
}
def Cute_TupleMulOp : Cute_AlgebraOp<"tuple_mul", "; (Q, Q) -> Q", [Cute_AnyShape]> {
  let summary = "leaf by leaf: mul";
  let arguments = (ins Cute_Tuple:$lhs, Cute_Tuple:$rhs);
  let results = (outs Cute_Tuple:$result);
}
def Cute_TupleDivOp : Cute_AlgebraOp<"tuple_div", "; (Q, Q) -> Q", [Cute_AnyShape]> {
  let summary = "leaf by leaf: div";
  let arguments = (ins Cute_Tuple:$lhs, Cute_Tuple:$rhs);
  let results = (outs Cute_Tuple:$result);
}
def Cute_TupleModOp : Cute_AlgebraOp<"tuple_mod", "; (Q, Q) -> Q", [Cute_AnyShape]> {
  let summary = "leaf by leaf: mod";
  let arguments = (ins Cute_Tuple:$lhs, Cute_Tuple:$rhs);
  let results = (outs Cute_Tuple:$result);
}
def Cute_TupleEqOp : Cute_AlgebraOp<"tuple_eq", "; (Q, Q) -> Q", [Cute_AnyShape]> {
  let summary = "whether two tuples have the same profile and equal leaves";
  let arguments = (ins Cute_Tuple:$lhs, Cute_Tuple:$rhs);
  let results = (outs I1:$result);
}
def Cute_ShapeDivOp : Cute_AlgebraOp<"shape_div", "; (Q, Q) -> Q", [Cute_AnyShape]> {
  let summary = "quotient of shapes where one divides the other";
  let arguments = (ins Cute_ArithTuple:$lhs, Cute_ArithTuple:$rhs);
  let results = (outs Cute_ArithTuple:$result);
}
def Cute_CeilDivOp : Cute_AlgebraOp<"ceil_div", "; (Q, Q) -> Q", [Cute_AnyShape]> {
  let summary = "quotient rounded up, mode by mode";
  let arguments = (ins Cute_ArithTuple:$lhs, Cute_TupleOrTile:$tiler);
  let results = (outs Cute_ArithTuple:$result);
}
def Cute_AppendToRankOp : Cute_AlgebraOp<"append_to_rank", "rank; Q, Q", [Cute_AnyShape]> {
  let summary = "fills up to a rank with copies of an element, after";
  let arguments = (ins Cute_TupleOrLayout:$input, Cute_TupleOrLayout:$element, Cute_NumberAttr:$rank);
  let results = (outs Cute_TupleOrLayout:$result);
}
def Cute_PrependToRankOp : Cute_AlgebraOp<"prepend_to_rank", "rank; Q, Q", [Cute_AnyShape]> {
  let summary = "fills up to a rank with copies of an element, before";
  let arguments = (ins Cute_TupleOrLayout:$input, Cute_TupleOrLayout:$element, Cute_NumberAttr:$rank);
  let results = (outs Cute_TupleOrLayout:$result);
}

#endif
