// Ops that take values apart.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_OPS_ACCESS_TD
#define TESSERA_CUTE_OPS_ACCESS_TD

include "tessera/cute/ops/Base.td"

def Cute_GetShapeOp : Cute_AlgebraOp<"get_shape", "; Q -> Q"> {
  let summary = "shape of a layout, view or tile";
  let arguments = (ins Cute_LayoutTileOrView:$input);
  let results = (outs Cute_Shape:$result);
}
def Cute_GetStrideOp : Cute_AlgebraOp<"get_stride", "; l -> Q"> {
  let summary = "stride of a layout or view";
  let arguments = (ins Cute_ViewOrPlainLayout:$input);
  let results = (outs Cute_Stride:$result);
}
def Cute_ComposedGetInnerOp : Cute_AlgebraOp<"composed_get_inner", "; c -> Q"> {
  let summary = "inner part of a composed layout";
  let arguments = (ins Cute_ComposedLayout:$input);
  let results = (outs Cute_SwizzleOrLayout:$result);
}
def Cute_ComposedGetOffsetOp : Cute_AlgebraOp<"composed_get_offset", "; c -> Q"> {
  let summary = "offset of a composed layout";
  let arguments = (ins Cute_ComposedLayout:$input);
  let results = (outs Cute_IntTuple:$result);
}
def Cute_ComposedGetOuterOp : Cute_AlgebraOp<"composed_get_outer", "; c -> l"> {
  let summary = "outer layout of a composed layout";
  let arguments = (ins Cute_ComposedLayout:$input);
  let results = (outs Cute_Layout:$result);
}
def Cute_GetLeavesOp : Cute_AlgebraOp<"get_leaves", "; Q", [Cute_AnyShape]> {
  let summary = "the leaves of a tuple, depth first, each of the same kind";
  let description = [{The leaves of a tile are its layouts and `_`.}];
  let arguments = (ins Cute_TupleOrTile:$input);
  let results = (outs Variadic<Cute_LeafOfTuple>:$leaves);
}
def Cute_GetScalarsOp : Cute_AlgebraOp<"get_scalars", "only_dynamic; Q", [Cute_AnyShape]> {
  let summary = "the leaves of a value as integers";
  let description = [{i32, or i64 for leaves of that width. With `only_dynamic` the static ones are left out.}];
  let arguments = (ins Cute_WithLeaves:$input, UnitAttr:$only_dynamic);
  let results = (outs Variadic<AnySignlessInteger>:$scalars);
}
def Cute_GetOp : Cute_AlgebraOp<"get", "mode; Q -> Q", [Cute_AnyShape]> {
  let summary = "the mode at an index path";
  let arguments = (ins Cute_TupleLayoutOrTile:$input, Cute_ModeAttr:$mode);
  let results = (outs Cute_TupleLayoutOrTile:$result);
}
def Cute_SelectOp : Cute_AlgebraOp<"select", "mode; Q -> Q", [Cute_AnyShape]> {
  let summary = "the modes with these indices, in this order";
  let arguments = (ins Cute_TupleLayoutTileOrView:$input, Cute_ModeAttr:$mode);
  let results = (outs Cute_TupleLayoutTileOrView:$result);
}
def Cute_GetLayoutsFromTileOp : Cute_AlgebraOp<"get_layouts_from_tile", "; t"> {
  let summary = "the layouts of a tile, depth first";
  let arguments = (ins Cute_Tile:$tile);
  let results = (outs Variadic<Cute_Layout>:$layouts);
}

def Cute_GetIterOp : Cute_AlgebraOp<"get_iter", "; (Q) -> Q"> {
  let summary = "iterator of a view, pointer of a descriptor iterator";
  let description = [{The iterator of a coordinate tensor may be stated as an int_tuple, as some versions of CuTe DSL do.}];
  let arguments = (ins Cute_ViewOrDescIter:$view);
  let results = (outs Cute_IteratorOrIntTuple:$result);
  let compatible = "mayStand";
  let extraMethods = [{
    static bool mayStand(::mlir::TypeRange inferred, ::mlir::TypeRange stated);
  }];
}
def Cute_GetLayoutOp : Cute_AlgebraOp<"get_layout", "; Q"> {
  let summary = "layout of a view or descriptor iterator";
  let arguments = (ins Cute_ViewOrDescIter:$view);
  let results = (outs Cute_AnyLayout:$result);
}

#endif
