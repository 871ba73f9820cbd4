// The layout algebra.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_OPS_ALGEBRA_TD
#define TESSERA_CUTE_OPS_ALGEBRA_TD

include "tessera/cute/ops/Base.td"

def Cute_CompositionOp : Cute_AlgebraOp<"composition", "; (Q, Q) -> Q"> {
  let summary = "R with R(c) = lhs(rhs(c))";
  let description = [{A tile composes mode by mode.}];
  let arguments = (ins Cute_LayoutOrView:$lhs, Cute_Tiler:$rhs);
  let results = (outs Cute_LayoutOrView:$result);
}
def Cute_ComposeOp : Cute_AlgebraOp<"compose", "; (Q, Q) -> Q"> {
  let summary = "first, then second: R with R(c) = second(first(c))";
  let description = [{`composition` with its operands in the order in which they are applied.}];
  let arguments = (ins Cute_Layout:$first, Cute_AnyLayout:$second);
  let results = (outs Cute_AnyLayout:$result);
}
def Cute_CoalesceOp : Cute_AlgebraOp<"coalesce", "; (Q, Q) -> Q"> {
  let summary = "fewest modes for the same function";
  let arguments = (ins Cute_LayoutOrView:$input, Optional<Cute_Coord>:$profile);
  let results = (outs Cute_LayoutOrView:$result);
}
def Cute_FlattenOp : Cute_AlgebraOp<"flatten", "; (Q) -> Q", [Cute_AnyShape]> {
  let summary = "all leaves side by side";
  let arguments = (ins Cute_TupleLayoutOrTile:$input);
  let results = (outs Cute_TupleLayoutOrTile:$result);
}
def Cute_FilterOp : Cute_AlgebraOp<"filter", "; (Q) -> Q"> {
  let summary = "coalesced, without modes of stride 0";
  let arguments = (ins Cute_AnyLayout:$input);
  let results = (outs Cute_AnyLayout:$result);
}
def Cute_FilterZerosOp : Cute_AlgebraOp<"filter_zeros", "; (Q, Q) -> Q"> {
  let summary = "extent 1 where the stride is 0";
  let description = [{With a profile, a congruent tuple, where that is 0.}];
  let arguments = (ins Cute_LayoutOrView:$input, Optional<Cute_Tuple>:$profile);
  let results = (outs Cute_LayoutOrView:$result);
}
def Cute_ComplementOp : Cute_AlgebraOp<"complement", "; (Q, Q) -> Q"> {
  let summary = "layout of the indices that the input leaves out";
  let arguments = (ins Cute_Layout:$input, Optional<Cute_ShapeOrPlainLayout>:$cotarget);
  let results = (outs Cute_Layout:$result);
}
def Cute_GroupModesOp : Cute_AlgebraOp<"group_modes", "begin,end; (Q) -> Q"> {
  let summary = "modes [begin, end) become one";
  let arguments = (ins Cute_LayoutOrView:$input, Cute_NumberAttr:$begin, Cute_NumberAttr:$end);
  let results = (outs Cute_LayoutOrView:$result);
}
def Cute_RecastLayoutOp : Cute_AlgebraOp<"recast_layout", "new,old; Q -> Q"> {
  let summary = "the same memory with elements of another width";
  let arguments = (ins Cute_AnyLayout:$input, Cute_NumberAttr:$new_type_bits, Cute_NumberAttr:$old_type_bits);
  let results = (outs Cute_AnyLayout:$result);
}
def Cute_RightInverseOp : Cute_AlgebraOp<"right_inverse", "; (Q) -> Q"> {
  let summary = "R with input(R(i)) = i as far as the input is contiguous";
  let arguments = (ins Cute_Layout:$input);
  let results = (outs Cute_Layout:$result);
}
def Cute_LeftInverseOp : Cute_AlgebraOp<"left_inverse", "; (Q) -> Q"> {
  let summary = "R with R(input(i)) = i";
  let arguments = (ins Cute_Layout:$input);
  let results = (outs Cute_Layout:$result);
}
def Cute_TileToShapeOp : Cute_AlgebraOp<"tile_to_shape", "; (Q, Q) -> Q"> {
  let summary = "a block repeated to cover a shape";
  let arguments = (ins Cute_AnyLayout:$block, Cute_Shape:$target, Optional<Cute_IntTuple>:$order);
  let results = (outs Cute_AnyLayout:$result);
}

#endif
