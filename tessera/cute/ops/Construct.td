// Ops that build tuples, layouts, tiles and views.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_OPS_CONSTRUCT_TD
#define TESSERA_CUTE_OPS_CONSTRUCT_TD

include "tessera/cute/ops/Base.td"

def Cute_StaticOp : Cute_Op<"static", [Pure, ConstantLike]> {
  let summary = "the value that its type states";
  let description = [{`%0 = cute.static : !cute.layout<"(2,3):(1,2)">`}];
  let results = (outs Cute_Anything:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Cute_MakeIntTupleOp : Cute_ConstructorOp<"make_int_tuple", Cute_TupleOrTile,
                                             "integer tuple from its dynamic leaves"> {
  let description = [{
    Operands in depth-first order, one per `?` of the result type. The primitive that `--cute-desugar` leaves
    of make_shape, make_stride, make_coord and make_tile: the result type says which kind of tuple it is.
  }];
}
def Cute_MakeTupleOp : Cute_ConstructorOp<"make_tuple", Cute_Value, "any value from its dynamic leaves"> {
  let description = [{
    Operands in the order in which the value is stored (shape before stride, outer layout before offset), one
    per `?` of the result type.
  }];
}
def Cute_MakeShapeOp : Cute_ConstructorOp<"make_shape", Cute_Shape, "shape from its dynamic extents"> {
  let description = [{
    Operands in depth-first order, one per `?` of the result type; or one for each mode, if one of them is an inner shape:
    `make_shape(%inner, %k) : (!cute.shape<"(?,?)">, index) -> !cute.shape<"((?,?),?)">`. The other tuples are built likewise.
  }];
}
def Cute_MakeStrideOp : Cute_ConstructorOp<"make_stride", Cute_Stride, "stride from its dynamic leaves"> {
  let description = [{Operands in depth-first order, one per `?` of the result type.}];
}
def Cute_MakeCoordOp : Cute_ConstructorOp<"make_coord", Cute_Coord, "coordinate from its dynamic leaves"> {
  let description = [{Operands in depth-first order, one per `?` of the result type.}];
}
def Cute_MakeTileOp : Cute_ConstructorOp<"make_tile", Cute_Tile, "tile from its dynamic leaves"> {
  let description = [{Operands in depth-first order, one per `?` of the result type.}];
}

def Cute_MakeArithTupleIterOp : Cute_AlgebraOp<"make_arith_tuple_iter", "; (Q) -> Q"> {
  let summary = "iterator that points at a coordinate";
  let arguments = (ins Cute_IntTuple:$value);
  let results = (outs Cute_ArithTupleIter:$result);
}
def Cute_MakeLayoutOp : Cute_AlgebraOp<"make_layout", "; (Q, Q) -> Q"> {
  let summary = "layout from shape and stride";
  let description = [{
    Without a stride the layout is compact, first mode fastest. CuTe DSL's generic form states `operandSegmentSizes`, the
    public dialect's does not: which operand is which follows from their number.
  }];
  let arguments = (ins Cute_Shape:$shape, Optional<Cute_Stride>:$stride,
                   OptionalAttr<DenseI32ArrayAttr>:$operandSegmentSizes);
  let results = (outs Cute_Layout:$result);
  let hasVerifier = 1;
}
def Cute_MakeLayoutRawOp : Cute_AlgebraOp<"make_layout_raw", "; (Q, Q) -> Q"> {
  let summary = "layout from a shape and a stride that are known to go together";
  let description = [{
    The primitive that `--cute-desugar` leaves of make_layout. Without a stride the layout is compact, first mode
    fastest.
  }];
  let arguments = (ins Cute_Shape:$shape, Optional<Cute_Stride>:$stride);
  let results = (outs Cute_Layout:$result);
}
def Cute_MakeComposedLayoutRawOp : Cute_AlgebraOp<"make_composed_layout_raw", "; (Q, Q, i) -> Q"> {
  let summary = "composed layout from its parts: outer, inner, offset";
  let description = [{The primitive that `--cute-desugar` leaves of make_composed_layout.}];
  let arguments = (ins Cute_Layout:$outer, Cute_SwizzleOrLayout:$inner, Cute_IntTuple:$offset);
  let results = (outs Cute_AnyLayout:$result);
}
def Cute_MakeSwizzleOp : Cute_Op<"make_swizzle", [Pure, Cute_FoldByEvaluation]> {
  let summary = "the swizzle that its type states";
  let results = (outs Cute_Swizzle:$result);
  let hasCustomAssemblyFormat = 1;
}
def Cute_MakeComposedLayoutOp : Cute_AlgebraOp<"make_composed_layout", "; (Q, i, l) -> c"> {
  let summary = "inner o offset o outer";
  let description = [{A trivial composition (identity swizzle, offset 0) is the outer layout.}];
  let arguments = (ins Cute_SwizzleOrLayout:$inner, Cute_IntTuple:$offset, Cute_Layout:$outer);
  let results = (outs Cute_AnyLayout:$result);
}
def Cute_MakeLayoutLikeOp : Cute_AlgebraOp<"make_layout_like", "; Q -> Q"> {
  let summary = "compact layout of the same shape, strides in the same order";
  let arguments = (ins Cute_AnyLayout:$layout);
  let results = (outs Cute_Layout:$result);
}
def Cute_MakeOrderedLayoutOp : Cute_AlgebraOp<"make_ordered_layout", "; (Q, Q) -> Q"> {
  let summary = "compact layout with strides growing in the given order";
  let arguments = (ins Cute_Shape:$shape, Cute_IntTuple:$order);
  let results = (outs Cute_Layout:$result);
}
def Cute_MakeIdentityLayoutOp : Cute_AlgebraOp<"make_identity_layout", "; Q -> Q"> {
  let summary = "layout that maps a coordinate to itself";
  let arguments = (ins Cute_Shape:$shape);
  let results = (outs Cute_Layout:$result);
}
def Cute_MakeIdentityTensorOp : Cute_AlgebraOp<"make_identity_tensor", "; (Q) -> Q"> {
  let summary = "coordinate tensor that holds its own coordinates";
  let arguments = (ins Cute_Shape:$shape);
  let results = (outs Cute_CoordTensor:$result);
}
def Cute_MakeFragmentLikeOp : Cute_AlgebraOp<"make_fragment_like", "; (Q) -> Q"> {
  let summary = "register layout for a partition";
  let description = [{Mode 0 compact, the rest in the order of the strides.}];
  let arguments = (ins Cute_LayoutOrView:$input);
  let results = (outs Cute_AnyLayout:$result);
}
def Cute_MakeViewOp : Cute_AlgebraOp<"make_view", "; (Q, Q) -> Q"> {
  let summary = "tensor from an iterator and a layout";
  let arguments = (ins Cute_IteratorOrIntTuple:$iter, Cute_AnyLayout:$layout);
  let results = (outs Cute_View:$result);
}
def Cute_MakeTensorOp : Cute_AlgebraOp<"make_tensor", "; (Q, Q) -> Q"> {
  let summary = "tensor from an iterator or a tensor's, and a layout or the tensor's";
  let description = [{
    Sugar, which `--cute-desugar` turns into get_iter, get_layout and make_view.
  }];
  let arguments = (ins Cute_IteratorOrView:$source, Optional<Cute_AnyLayout>:$layout);
  let results = (outs Cute_View:$result);
}
def Cute_ToIntTupleOp : Cute_AlgebraOp<"to_int_tuple", "; Q -> Q", [Cute_AnyShape]> {
  let summary = "the same tuple as int_tuple";
  let arguments = (ins Cute_Tuple:$input);
  let results = (outs Cute_IntTuple:$result);
}
def Cute_ToShapeOp : Cute_AlgebraOp<"to_shape", "; Q -> Q", [Cute_AnyShape]> {
  let summary = "the same tuple as shape";
  let arguments = (ins Cute_IntTuple:$input);
  let results = (outs Cute_Shape:$result);
}
def Cute_ToStrideOp : Cute_AlgebraOp<"to_stride", "; Q -> Q", [Cute_AnyShape]> {
  let summary = "the same tuple as stride";
  let arguments = (ins Cute_IntTuple:$input);
  let results = (outs Cute_Stride:$result);
}
def Cute_ToCoordOp : Cute_AlgebraOp<"to_coord", "; Q -> Q", [Cute_AnyShape]> {
  let summary = "the same tuple as coord";
  let description = [{Of a shape too: what the documents call derefining.}];
  let arguments = (ins Cute_ArithTuple:$input);
  let results = (outs Cute_Coord:$result);
}

#endif
