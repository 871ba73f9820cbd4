// Architecture ops: instructions on registers and pointers, and the resources of a block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_NVGPU_OPS_ARCH_TD
#define TESSERA_CUTE_NVGPU_OPS_ARCH_TD

include "tessera/cute_nvgpu/ops/Base.td"

//===--- resources ----------------------------------------------------------------------------===//

def CuteNvgpu_GetDynSmemOp : CuteNvgpu_Op<"arch.get_dyn_smem", [Pure]> {
  let summary = "start of the block's dynamic shared memory";
  let results = (outs Cute_Ptr:$result);
  let assemblyFormat = "`(` `)` attr-dict `:` qualified(type($result))";
}
def CuteNvgpu_GetDynSmemSizeOp : CuteNvgpu_Op<"arch.get_dyn_smem_size", [Pure]> {
  let summary = "bytes of dynamic shared memory that the launch gave the block";
  let results = (outs I32:$result);
  let assemblyFormat = "`(` `)` attr-dict `:` qualified(type($result))";
}
def CuteNvgpu_MakeWarpUniformOp : CuteNvgpu_Op<"arch.make_warp_uniform", [Pure]> {
  let summary = "a value that is the same in all threads of a warp, told to the compiler";
  let arguments = (ins I32:$value);
  let results = (outs I32:$result);
  let assemblyFormat = "`(` $value `)` attr-dict `:` qualified(type($result))";
}

//===--- copies -------------------------------------------------------------------------------===//

def CuteNvgpu_ArchCpAsyncOp : CuteNvgpu_Op<"arch.copy.SM80.cp_async", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "cp.async of one element of the pointers' type, 4, 8 or 16 bytes";
  let description = [{Where the predicate is false the destination is filled with zeros and nothing is read.}];
  let arguments = (ins Cute_Ptr:$dst, Cute_Ptr:$src, Optional<I1>:$pred,
                   CuteNvgpu_LoadCacheModeAttr:$cache_mode);
  let assemblyFormat = "`(` operands `)` attr-dict `:` `(` type(operands) `)`";
  let hasVerifier = 1;
}
def CuteNvgpu_ArchLdsmOp : CuteNvgpu_Op<"arch.copy.ldsm", [MemoryEffects<[MemRead]>]> {
  let summary = "ldmatrix: each lane gives the address of a matrix row";
  let arguments = (ins Cute_Ptr:$src, Cute_ShapeAttr:$matrix_shape,
                   CuteNvgpu_LdsmSzPatternAttr:$sz_pattern, I32Attr:$num_matrices, UnitAttr:$transpose);
  let results = (outs AnyTypeOf<[I32, VectorOfRankAndType<[1], [I32]>]>:$result);
  let assemblyFormat = "`(` $src `)` attr-dict `:` functional-type($src, $result)";
  let hasVerifier = 1;
}
def CuteNvgpu_ArchStsmOp : CuteNvgpu_Op<"arch.copy.stsm", [MemoryEffects<[MemWrite]>]> {
  let summary = "stmatrix: each lane gives the address of a matrix row";
  let arguments = (ins Cute_Ptr:$dst, AnyTypeOf<[I32, VectorOfRankAndType<[1], [I32]>]>:$value,
                   Cute_ShapeAttr:$matrix_shape, I32Attr:$num_matrices, UnitAttr:$transpose);
  let assemblyFormat = "`(` operands `)` attr-dict `:` `(` type(operands) `)`";
  let hasVerifier = 1;
}
def CuteNvgpu_ArchTmemLoadOp : CuteNvgpu_Op<"arch.copy.SM100.tmem_load", [MemoryEffects<[MemRead]>]> {
  let summary = "tcgen05.ld";
  let arguments = (ins Cute_Ptr:$src, I32Attr:$num_dp, I32Attr:$num_b, I32Attr:$num_rep, UnitAttr:$pack16b);
  let results = (outs AnyTypeOf<[I32, VectorOfRankAndType<[1], [I32]>]>:$result);
  let assemblyFormat = "`(` $src `)` attr-dict `:` functional-type($src, $result)";
}
def CuteNvgpu_ArchTmemStoreOp : CuteNvgpu_Op<"arch.copy.SM100.tmem_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "tcgen05.st";
  let arguments = (ins Cute_Ptr:$dst, AnyTypeOf<[I32, VectorOfRankAndType<[1], [I32]>]>:$value,
                   I32Attr:$num_dp, I32Attr:$num_b, I32Attr:$num_rep, UnitAttr:$pack16b);
  let assemblyFormat = "`(` operands `)` attr-dict `:` `(` type(operands) `)`";
}
//===--- matrix multiplication ----------------------------------------------------------------===//

/// Registers in the order of the PTX instruction: each lane's part of A, B and C, and D in the results. A
/// register is an i32, a vector of two 16-bit elements, an f32 or an f64.
class CuteNvgpu_ArchWarpMma<string mnemonic, dag more, string moreFormat>
    : CuteNvgpu_Op<mnemonic, [Pure, AttrSizedOperandSegments]> {
  let arguments = !con((ins Variadic<AnyType>:$a, Variadic<AnyType>:$b, Variadic<AnyType>:$c), more);
  let results = (outs Variadic<AnyType>:$d);
  let assemblyFormat = "`A` `[` $a `]` `B` `[` $b `]` `C` `[` $c `]` " # moreFormat #
                       " attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The row of the table that these attributes and registers pick.
    ::tessera::Result<const ::tessera::atom::MmaRow *> getRow();
  }];
}
def CuteNvgpu_ArchMmaSm80Op
    : CuteNvgpu_ArchWarpMma<"arch.mma.SM80",
        (ins Cute_ShapeAttr:$shape_MNK, TypeAttr:$a_type, TypeAttr:$b_type,
             OptionalAttr<CuteNvgpu_MajorAttr>:$a_major, OptionalAttr<CuteNvgpu_MajorAttr>:$b_major,
             OptionalAttr<CuteNvgpu_OverflowAttr>:$overflow, OptionalAttr<CuteNvgpu_BinaryOpAttr>:$binary_op),
        ""> {
  let summary = "mma.sync of SM70, SM75 and SM80";
}
def CuteNvgpu_ArchMmaSm89Op
    : CuteNvgpu_ArchWarpMma<"arch.mma.SM89",
        (ins Cute_ShapeAttr:$shape_MNK, TypeAttr:$a_type, TypeAttr:$b_type), ""> {
  let summary = "mma.sync on 8-bit floats";
}
def CuteNvgpu_ArchMmaSm80SparseOp
    : CuteNvgpu_ArchWarpMma<"arch.mma.SM80.sparse",
        (ins I32:$e, Cute_ShapeAttr:$shape_MNK, TypeAttr:$a_type, TypeAttr:$b_type,
             CuteNvgpu_SparseMetadataFormatAttr:$sparse_metadata_format,
             OptionalAttr<CuteNvgpu_OverflowAttr>:$overflow, DefaultValuedAttr<I32Attr, "0">:$selector),
        "`E` `[` $e `]`"> {
  let summary = "mma.sp.sync: A holds half of its values, E says which; selector picks the lanes that give E";
}
def CuteNvgpu_ArchMmaSm120ScaledOp
    : CuteNvgpu_ArchWarpMma<"arch.mma.SM120.block_scaled",
        (ins I32:$sfa, I32:$sfb, Cute_ShapeAttr:$shape_MNK, TypeAttr:$a_type, TypeAttr:$b_type, TypeAttr:$sf_type,
             I32Attr:$vec_size, DefaultValuedAttr<I32Attr, "0">:$byte_id_a, DefaultValuedAttr<I32Attr, "0">:$thread_id_a,
             DefaultValuedAttr<I32Attr, "0">:$byte_id_b, DefaultValuedAttr<I32Attr, "0">:$thread_id_b),
        "`SF` `[` $sfa `,` $sfb `]`"> {
  let summary = "mma.sync with block scales: the first byte of the scale factors in their registers, and the lanes that hold them";
  let description = [{
    A register has the scale factors of four rows' worth of bytes; `byte_id` is the first that counts, `thread_id` which pair of lanes
    of a quad (A), or which lane (B), gives them.
  }];
}
class CuteNvgpu_ArchGroupMma<string mnemonic, dag operands, dag more, string moreFormat>
    : CuteNvgpu_Op<mnemonic, [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = !con((ins Variadic<AnyType>:$a, CuteNvgpu_SmemDesc:$b, Variadic<AnyType>:$c, I1:$accumulate), operands,
                       (ins Cute_ShapeAttr:$shapeMNK, TypeAttr:$a_type, TypeAttr:$b_type, TypeAttr:$cd_type,
                            CuteNvgpu_MajorAttr:$a_major, CuteNvgpu_MajorAttr:$b_major, UnitAttr:$neg_a, UnitAttr:$neg_b,
                            OptionalAttr<CuteNvgpu_OverflowAttr>:$overflow), more);
  let results = (outs Variadic<AnyType>:$d);
  let assemblyFormat = "`A` `[` $a `]` `B` `[` $b `]` `C` `[` $c `]` `,` $accumulate " # moreFormat #
                       " attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    /// The row of the instruction. The shape must be (M,N,K).
    ::tessera::Result<const ::tessera::atom::MmaRow *> getRow();
    /// Whether A comes from shared memory.
    bool takesDescriptor();
  }];
  let hasVerifier = 1;
}
def CuteNvgpu_ArchMmaSm90Op
    : CuteNvgpu_ArchGroupMma<"arch.mma.SM90", (ins), (ins OptionalAttr<CuteNvgpu_BinaryOpAttr>:$binary_op), ""> {
  let summary = "wgmma.mma_async: descriptors (or registers for A), the accumulators, and whether they count";
}
def CuteNvgpu_ArchMmaSm90SparseOp
    : CuteNvgpu_ArchGroupMma<"arch.mma.SM90.sparse", (ins I32:$e), (ins DefaultValuedAttr<I32Attr, "0">:$selector),
                             "`,` `E` `[` $e `]`"> {
  let summary = "wgmma.mma_async.sp: A holds half of its values, E says which; selector picks the lanes that give E";
}
#endif
