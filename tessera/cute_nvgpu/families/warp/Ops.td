// Instructions of a warp: matrices from and to shared memory, and products on registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_NVGPU_FAMILIES_WARP_OPS_TD
#define TESSERA_CUTE_NVGPU_FAMILIES_WARP_OPS_TD

include "tessera/cute_nvgpu/ops/Base.td"

//===--- copies -------------------------------------------------------------------------------===//

def CuteNvgpu_ArchLdsmOp : CuteNvgpu_Op<"arch.copy.ldsm", [MemoryEffects<[MemRead]>]> {
  let summary = "ldmatrix: each lane gives the address of a matrix row";
  let arguments = (ins Cute_Ptr:$src, Cute_ShapeAttr:$matrix_shape,
                   CuteNvgpu_LdsmSzPatternAttr:$sz_pattern, I32Attr:$num_matrices, UnitAttr:$transpose);
  let results = (outs CuteNvgpu_Words:$result);
  let assemblyFormat = "`(` $src `)` attr-dict `:` functional-type($src, $result)";
  let hasVerifier = 1;
}
def CuteNvgpu_ArchStsmOp : CuteNvgpu_Op<"arch.copy.stsm", [MemoryEffects<[MemWrite]>]> {
  let summary = "stmatrix: each lane gives the address of a matrix row";
  let arguments = (ins Cute_Ptr:$dst, CuteNvgpu_Words:$value,
                   Cute_ShapeAttr:$matrix_shape, I32Attr:$num_matrices, UnitAttr:$transpose);
  let assemblyFormat = "`(` operands `)` attr-dict `:` `(` type(operands) `)`";
  let hasVerifier = 1;
}

//===--- products -----------------------------------------------------------------------------===//

/// Registers in the order of the PTX instruction: each lane's part of A, B and C, and D in the results. The attributes and the types
/// of the registers pick a row of `family`.
class CuteNvgpu_ArchWarpMma<string mnemonic, string family, dag more, string moreFormat = "">
    : CuteNvgpu_Op<mnemonic, [Pure, AttrSizedOperandSegments, TableMmaOp]> {
  let arguments = !con((ins Variadic<CuteNvgpu_Register>:$a, Variadic<CuteNvgpu_Register>:$b, Variadic<CuteNvgpu_Register>:$c), more);
  let results = (outs Variadic<CuteNvgpu_Register>:$d);
  let assemblyFormat = "`A` `[` $a `]` `B` `[` $b `]` `C` `[` $c `]` " # moreFormat #
                       " attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The row of the table that these attributes and registers pick.
    ::tessera::Result<const ::tessera::atom::MmaRow *> getRow();
  }];
  let extraClassDefinition = [{
    ::tessera::Result<const ::tessera::atom::MmaRow *> $cppClass::getRow() {
      return rowOf(formOf(*this, ::tessera::atom::MmaFamily::}] # family # [{, getShape_MNK().getValue()));
    }
    ::llvm::LogicalResult $cppClass::verify() { return verifyWarpMma(*this); }
  }];
}
defvar shapeAndTypes = (ins Cute_ShapeAttr:$shape_MNK, TypeAttr:$a_type, TypeAttr:$b_type);
defvar selector = (ins DefaultValuedAttr<I32Attr, "0">:$selector);

def CuteNvgpu_ArchMmaSm80Op
    : CuteNvgpu_ArchWarpMma<"arch.mma.SM80", "Sm80Mma",
        !con(shapeAndTypes,
             (ins OptionalAttr<CuteNvgpu_MajorAttr>:$a_major, OptionalAttr<CuteNvgpu_MajorAttr>:$b_major,
                  OptionalAttr<CuteNvgpu_OverflowAttr>:$overflow, OptionalAttr<CuteNvgpu_BinaryOpAttr>:$binary_op))> {
  let summary = "mma.sync of SM70, SM75 and SM80";
}
def CuteNvgpu_ArchMmaSm89Op : CuteNvgpu_ArchWarpMma<"arch.mma.SM89", "Sm89Mma", shapeAndTypes> {
  let summary = "mma.sync on 8-bit floats";
}
def CuteNvgpu_ArchMmaSm80SparseOp
    : CuteNvgpu_ArchWarpMma<"arch.mma.SM80.sparse", "Sm80SparseMma",
        !con((ins I32:$e), shapeAndTypes,
             (ins CuteNvgpu_SparseMetadataFormatAttr:$sparse_metadata_format, OptionalAttr<CuteNvgpu_OverflowAttr>:$overflow), selector),
        "`E` `[` $e `]`"> {
  let summary = "mma.sp.sync: A holds half of its values, E says which; selector picks the lanes that give E";
}
def CuteNvgpu_ArchMmaSm120Op : CuteNvgpu_ArchWarpMma<"arch.mma.SM120", "Sm120Mma", shapeAndTypes> {
  let summary = "mma.sync of kind::f8f6f4: floats of 8, 6 and 4 bits, each in a byte";
}
def CuteNvgpu_ArchMmaSm120SparseOp
    : CuteNvgpu_ArchWarpMma<"arch.mma.SM120.sparse", "Sm120MmaSp",
        !con((ins I32:$e), shapeAndTypes, (ins CuteNvgpu_SparseMetadataFormatAttr:$sparse_metadata_format), selector),
        "`E` `[` $e `]`"> {
  let summary = "mma.sp.sync of kind::f8f6f4: A holds half of its values, E says which";
}
/// Scale factors: which byte of a register is the first, and which lanes of a quad have them.
defvar scaleAttributes =
    (ins TypeAttr:$sf_type, I32Attr:$vec_size, DefaultValuedAttr<I32Attr, "0">:$byte_id_a, DefaultValuedAttr<I32Attr, "0">:$thread_id_a,
         DefaultValuedAttr<I32Attr, "0">:$byte_id_b, DefaultValuedAttr<I32Attr, "0">:$thread_id_b);
def CuteNvgpu_ArchMmaSm120ScaledOp
    : CuteNvgpu_ArchWarpMma<"arch.mma.SM120.block_scaled", "Sm120MmaBs",
        !con((ins I32:$sfa, I32:$sfb), shapeAndTypes, scaleAttributes), "`SF` `[` $sfa `,` $sfb `]`"> {
  let summary = "mma.sync with block scales: the first byte of the scale factors in their registers, and the lanes that hold them";
  let description = [{
    A register has the scale factors of four rows' worth of bytes; `byte_id` is the first that counts, `thread_id` which pair of lanes
    of a quad (A), or which lane (B), gives them.
  }];
}
def CuteNvgpu_ArchMmaSm120ScaledSparseOp
    : CuteNvgpu_ArchWarpMma<"arch.mma.SM120.block_scaled_sparse", "Sm120MmaBsSp",
        !con((ins I32:$sfa, I32:$sfb, I32:$e), shapeAndTypes, scaleAttributes,
             (ins CuteNvgpu_SparseMetadataFormatAttr:$sparse_metadata_format), selector),
        "`SF` `[` $sfa `,` $sfb `]` `E` `[` $e `]`"> {
  let summary = "mma.sp.sync with block scales: A holds half of its values, E says which";
}

#endif
