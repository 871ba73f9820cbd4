// Ops that share a tensor among the threads of a tiled copy or MMA.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_OPS_PARTITION_TD
#define TESSERA_CUTE_OPS_PARTITION_TD

include "tessera/cute/ops/Base.td"

class Cute_MakeTiledOp<string mnemonic, Type resultType, string what>
    : Cute_Op<mnemonic, [Pure, Cute_FoldByEvaluation]> {
  let summary = what # ": the result type says how the atom is repeated";
  let arguments = (ins Cute_Atom:$atom);
  let results = (outs resultType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
def Cute_MakeTiledCopyOp : Cute_MakeTiledOp<"make_tiled_copy", Cute_TiledCopy, "tiled copy from an atom">;
def Cute_MakeTiledMmaOp : Cute_MakeTiledOp<"make_tiled_mma", Cute_TiledMma, "tiled MMA from an atom">;

class Cute_PartitionCopyOp<string mnemonic, string side>
    : Cute_AlgebraOp<mnemonic, "; (Q, Q, Q) -> Q"> {
  let summary = "what a thread of a tiled copy sees of the " # side;
  let arguments = (ins Cute_TiledCopy:$tiled_copy, Cute_View:$tensor, Cute_Coord:$thread);
  let results = (outs Cute_View:$result);
}
def Cute_TiledCopyPartitionSOp : Cute_PartitionCopyOp<"tiled.copy.partition_S", "source">;
def Cute_TiledCopyPartitionDOp : Cute_PartitionCopyOp<"tiled.copy.partition_D", "destination">;

def Cute_TilePartitionOp : Cute_Op<"tile_partition", [Pure, Cute_AlgebraOpInterface, Cute_FoldByEvaluation]> {
  let summary = "where a window of a layout starts, and the window";
  let description = [{
    The iterator moves to the element at the coordinate; the window has the extents that its type states and the strides of
    the layout.
  }];
  let arguments = (ins Cute_Iterator:$base, Cute_Layout:$layout, Cute_Coord:$coord);
  let results = (outs Cute_Iterator:$start, Cute_Layout:$window);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::tessera::Result<::tessera::cute::Data>
    evaluateWith(::tessera::cute::Domain &domain, ::llvm::ArrayRef<::tessera::cute::Datum> in);
    static ::llvm::StringRef assembly() { return "; (Q, Q, Q) -> Q"; }
  }];
}

def Cute_TiledCopyRetileOp : Cute_AlgebraOp<"tiled.copy.retile", "; (Q, Q) -> Q"> {
  let summary = "a register fragment in the order of a tiled copy's values";
  let arguments = (ins Cute_TiledCopy:$tiled_copy, Cute_View:$fragment);
  let results = (outs Cute_View:$result);
}

def Cute_TiledMmaPartitionOp : Cute_AlgebraOp<"tiled.mma.partition", "operand_id; (Q, Q, Q) -> Q"> {
  let summary = "what a thread of a tiled MMA sees of operand A, B or C";
  let arguments = (ins Cute_TiledMma:$tiled_mma, Cute_View:$tensor, Cute_Coord:$thread,
                   Cute_NumberAttr:$operand_id);
  let results = (outs Cute_View:$result);
}

def Cute_TiledMmaPartitionShapeOp
    : Cute_AlgebraOp<"tiled.mma.partition_shape", "operand_id; (Q, Q) -> Q"> {
  let summary = "the shape of a partition of operand A, B or C";
  let arguments = (ins Cute_TiledMma:$tiled_mma, Cute_Shape:$shape, Cute_NumberAttr:$operand_id);
  let results = (outs Cute_Shape:$result);
}

def Cute_MmaMakeFragmentOp
    : Cute_Op<"mma.make_fragment",
              [InferTypeOpInterface, Cute_InferByEvaluate, Cute_AlgebraOpInterface]> {
  let summary = "the fragment of an operand: registers, a descriptor view or tensor memory";
  let description = [{
    For operands in registers this allocates them, aligned to the bytes of the fragment's first mode.
    For operands in shared memory it is a view of matrix descriptors, for tensor memory a view at address 0.
  }];
  let arguments = (ins Cute_TiledMma:$tiled_mma, Cute_ViewOrShape:$partition,
                   Cute_NumberAttr:$operand_id);
  let results = (outs Cute_View:$result);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = Cute_AlgebraMethods<"operand_id; (Q, Q) -> Q">.code_;
  let extraClassDefinition = Cute_AlgebraMethods<"operand_id; (Q, Q) -> Q">.definitions_;
}

//===--- Plain partitions ---------------------------------------------------------------------===//

def Cute_LocalPartitionOp : Cute_AlgebraOp<"local_partition", "proj; (Q, Q, Q) -> Q"> {
  let summary = "what a thread of a layout of threads sees of a tensor";
  let description = [{
    The tensor is divided into tiles of the size of the thread layout; the thread has its element of each. `proj` keeps the
    modes of the thread layout that it fixes.
  }];
  let arguments = (ins Cute_View:$input, Cute_Layout:$threads, Cute_ThreadCoord:$thread,
                   OptionalAttr<Cute_CoordAttr>:$proj);
  let results = (outs Cute_View:$result);
}
def Cute_TiledPartitionOp : Cute_AlgebraOp<"tiled_partition", "; (Q, Q, Q) -> Q"> {
  let summary = "the tile at a coordinate, of a tensor that tiles divide evenly";
  let description = [{tiled_divide, then a slice of the rests; `_` keeps a mode of them. A static tile must divide.}];
  let arguments = (ins Cute_View:$input, Cute_Tiler:$tiler, Cute_Coord:$coord);
  let results = (outs Cute_View:$result);
}

#endif
