// Ops that relate coordinates, indices and sizes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_OPS_INDEX_TD
#define TESSERA_CUTE_OPS_INDEX_TD

include "tessera/cute/ops/Base.td"

/// A comparison: its result is an i1 whatever it compares, so that its verifier says what cannot be compared.
defvar Cute_answer = [{
    static ::llvm::LogicalResult
    inferReturnTypes(::mlir::MLIRContext *context, ::std::optional<::mlir::Location>, ::mlir::ValueRange,
                     ::mlir::DictionaryAttr, ::mlir::OpaqueProperties, ::mlir::RegionRange,
                     ::llvm::SmallVectorImpl<::mlir::Type> &inferred) {
      inferred.push_back(::mlir::IntegerType::get(context, 1));
      return ::mlir::success();
    }
  }];

def Cute_SizeOp : Cute_AlgebraOp<"size", "mode; (Q) -> Q", [Cute_AnyShape]> {
  let summary = "number of elements, of all modes or of one";
  let arguments = (ins Cute_Sized:$input, Cute_ModeAttr:$mode);
  let results = (outs Cute_IntTuple:$result);
}
def Cute_CosizeOp : Cute_AlgebraOp<"cosize", "mode; (Q) -> Q"> {
  let summary = "1 + the largest index";
  let arguments = (ins Cute_LayoutOrView:$input, Cute_ModeAttr:$mode);
  let results = (outs Cute_IntTuple:$result);
}
def Cute_LayoutEvalOp : Cute_AlgebraOp<"layout_eval", "; (Q, Q) -> Q"> {
  let summary = "index of a coordinate";
  let arguments = (ins Cute_Coord:$coord, Cute_AnyLayout:$layout);
  let results = (outs Cute_IntTuple:$result);
}
def Cute_Crd2IdxOp : Cute_AlgebraOp<"crd2idx", "; (Q, Q) -> Q"> {
  let summary = "index of a coordinate in a layout, or in a compact layout of a shape";
  let description = [{`_` counts as 0.}];
  let arguments = (ins Cute_Coord:$coord, Cute_ShapeOrLayout:$layout);
  let results = (outs Cute_IntTuple:$result);
}
def Cute_Idx2CrdOp : Cute_AlgebraOp<"idx2crd", "; (Q, Q) -> Q"> {
  let summary = "coordinate of an index";
  let arguments = (ins Cute_IntTuple:$index, Cute_Shape:$shape);
  let results = (outs Cute_Coord:$result);
}
def Cute_IncrementCoordOp : Cute_AlgebraOp<"increment_coord", "; (Q, Q) -> Q"> {
  let summary = "the next coordinate, first mode fastest";
  let arguments = (ins Cute_Coord:$coord, Cute_Shape:$shape);
  let results = (outs Cute_Coord:$result);
}
def Cute_GetHierCoordOp : Cute_AlgebraOp<"get_hier_coord", "; (Q, Q) -> Q"> {
  let summary = "hierarchical coordinate of an index in a layout";
  let description = [{A constant index gives a static coordinate; the type may also state it as dynamic.}];
  let arguments = (ins Cute_IndexOfLayout:$index, Cute_AnyLayout:$layout);
  let results = (outs Cute_Coord:$result);
}
def Cute_GetFlatCoordOp : Cute_AlgebraOp<"get_flat_coord", "; (Q, Q) -> Q"> {
  let summary = "flat coordinate of an index in a layout";
  let description = [{A constant index gives a static coordinate; the type may also state it as dynamic.}];
  let arguments = (ins Cute_IndexOfLayout:$index, Cute_AnyLayout:$layout);
  let results = (outs Cute_Coord:$result);
}
def Cute_SliceOp : Cute_AlgebraOp<"slice", "; Q, Q", [Cute_AnyShape]> {
  let summary = "the modes that the coordinate keeps with `_`";
  let description = [{Of a view: its iterator moves to the fixed coordinates.}];
  let arguments = (ins Cute_TupleLayoutOrView:$input, Cute_Coord:$coord);
  let results = (outs Cute_TupleLayoutOrView:$result);
}
def Cute_DiceOp : Cute_AlgebraOp<"dice", "coord; (Q, Q) -> Q", [Cute_AnyShape]> {
  let summary = "the modes that the coordinate fixes";
  let description = [{The coordinate is an operand or an attribute.}];
  let arguments = (ins Cute_Diced:$input, Optional<Cute_Coord>:$at, OptionalAttr<Cute_CoordAttr>:$coord);
  let results = (outs Cute_TupleLayoutOrTile:$result);
}
def Cute_ElemLessOp : Cute_AlgebraOp<"elem_less", "; (Q, Q) -> Q", [Cute_AnyShape]> {
  let summary = "whether every leaf is less than its partner";
  let arguments = (ins Cute_IteratorOrCounted:$lhs, Cute_Counted:$rhs);
  let results = (outs I1:$result);
  let hasVerifier = 1;
  let extraMethods = Cute_answer;
}
def Cute_EqualOp : Cute_AlgebraOp<"equal", "; (Q, Q) -> Q", [Cute_AnyShape]> {
  let summary = "whether all leaves are equal";
  let description = [{Of views the layouts are compared, not where they point to.}];
  let arguments = (ins Cute_Comparable:$lhs, Cute_Comparable:$rhs);
  let results = (outs I1:$result);
  let hasVerifier = 1;
  let extraMethods = Cute_answer;
}

#endif
