// Atoms of a warp: products on registers, and loads and stores of matrices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_NVGPU_FAMILIES_WARP_TYPES_TD
#define TESSERA_CUTE_NVGPU_FAMILIES_WARP_TYPES_TD

include "tessera/cute_nvgpu/AtomBase.td"

//===--- run-time fields ----------------------------------------------------------------------===//

def CuteNvgpu_MmaFieldSm80Sparse : CuteNvgpu_FieldEnum<"MmaFieldSm80Sparse", "run-time field of a sparse warp MMA", [
    I32EnumAttrCase<"e", 0>]>;
def CuteNvgpu_MmaFieldSm80SparseAttr : CuteNvgpu_FieldAttr<CuteNvgpu_MmaFieldSm80Sparse, "atom_mma_field_sm80_sparse">;
def CuteNvgpu_MmaFieldSm120 : CuteNvgpu_FieldEnum<"MmaFieldSm120", "run-time field of an SM120 MMA", [
    I32EnumAttrCase<"sf_a", 0>, I32EnumAttrCase<"sf_b", 1>, I32EnumAttrCase<"e", 2>]>;
def CuteNvgpu_MmaFieldSm120Attr : CuteNvgpu_FieldAttr<CuteNvgpu_MmaFieldSm120, "atom_mma_field_sm120_block_scaled">;

//===--- products -----------------------------------------------------------------------------===//

def CuteNvgpu_Sm80Mma
    : CuteNvgpu_Mma<"Sm80Mma", "sm80.mma", [ColShape, ColA, ColB, ColC, ColMayAMajor, ColMayBMajor, ColOverflow, ColBinaryOp],
    [{`<` custom<ShapeMnk>($shape) `,` `elem_type` `=` `(` $a `,` $b `,` $c `)`
      `` custom<WarpMmaOptions>($a_major, $b_major, $overflow, $binary_op) ` ` `>`}]> {
  let summary = "warp-level MMA of SM70, SM75 and SM80: `<16x8x16, elem_type = (f16, f16, f32) >`";
  let description = [{
    `ab_major = (k, mn)` exists for 8x8x4 with f16 only (SM70); `int_overflow = <satfinite>` for integers;
    `binary_op = <xor_popc>` or `<and_popc>` for i1.
  }];
}
def CuteNvgpu_Sm80SparseMma
    : CuteNvgpu_Mma<"Sm80SparseMma", "sm80.sparse_mma", [ColShape, ColA, ColB, ColC, ColMetadata, ColOverflow],
    [{`<` custom<ShapeMnk>($shape) `,` `elem_type` `=` `(` $a `,` $b `,` $c `)` `,`
      `md_format` `=` $sparse_metadata_format `` custom<OverflowOption>($overflow) ` ` `>`}]> {
  let summary = "warp-level MMA with a structured-sparse A";
  let fields = [AtomField<"MmaFieldSm80Sparse", "e", "bits(32)">];
}
def CuteNvgpu_Sm89Mma
    : CuteNvgpu_Mma<"Sm89Mma", "sm89.mma", [ColShape, ColA, ColB, ColC],
                    "`<` custom<ShapeMnk>($shape) `,` `elem_type` `=` `(` $a `,` $b `,` $c `)` ` ` `>`"> {
  let summary = "warp-level MMA on 8-bit floats";
}
def CuteNvgpu_Sm120Mma
    : CuteNvgpu_Mma<"Sm120Mma", "SM120.mma", [ColShape, ColA, ColB, ColC],
                    "`<` custom<ShapeMnk>($shape) `,` `elem_type` `=` `(` $a `,` $b `,` $c `)` `>`"> {
  let summary = "warp-level MMA of SM120 on floats of 8, 6 and 4 bits, in bytes: `<16x8x32, elem_type = (f4E2M1FN, f8E4M3FN, f32)>`";
}
def CuteNvgpu_Sm120MmaSp
    : CuteNvgpu_Mma<"Sm120MmaSp", "SM120.mma_sp", [ColShape, ColA, ColB, ColC, ColMetadata],
    [{`<` custom<ShapeMnk>($shape) `,` `elem_type` `=` `(` $a `,` $b `,` $c `)` `,`
      `sparse_metadata_format` `=` $sparse_metadata_format `>`}]> {
  let summary = "warp-level MMA of SM120 with a structured-sparse A; K is logical";
  let fields = [AtomField<"MmaFieldSm120", "e", "bits(32)">];
}
def CuteNvgpu_Sm120MmaBs
    : CuteNvgpu_Mma<"Sm120MmaBs", "SM120.mma_bs", [ColShape, ColVecSize, ColA, ColB, ColC, ColSf, ColUseSfLayoutTv],
    [{`<` custom<ShapeMnk>($shape) `,` `vec_size` `=` $vec_size `,`
      `elem_type` `=` `(` $a `,` $b `,` $c `)` `,` `sf_type` `=` $sf `` custom<FlagOption>($use_sf_layout_tv) `>`}]> {
  let summary = "warp-level MMA with block scales of SM120";
  let description = [{
    Fields `sf_a` and `sf_b` are a lane's register of scale factors. Of A the first two lanes of a quad give those of its two rows, of B the
    first lane those of its column: a byte for each `vec_size` elements along K, from the lowest byte on.
  }];
  let fields = [AtomField<"MmaFieldSm120", "sf_a", "bits(32)">, AtomField<"MmaFieldSm120", "sf_b", "bits(32)">];
}
def CuteNvgpu_Sm120MmaBsSp
    : CuteNvgpu_Mma<"Sm120MmaBsSp", "SM120.mma_bs_sp", [ColShape, ColVecSize, ColA, ColB, ColC, ColSf, ColMetadata, ColUseSfLayoutTv],
    [{`<` custom<ShapeMnk>($shape) `,` `vec_size` `=` $vec_size `,` `elem_type` `=` `(` $a `,` $b `,` $c `)` `,` `sf_type` `=` $sf `,`
      `sparse_metadata_format` `=` $sparse_metadata_format `` custom<FlagOption>($use_sf_layout_tv) `>`}]> {
  let summary = "warp-level MMA with block scales of SM120 and a structured-sparse A; K and vec_size are logical";
  let fields = [AtomField<"MmaFieldSm120", "sf_a", "bits(32)">, AtomField<"MmaFieldSm120", "sf_b", "bits(32)">,
                AtomField<"MmaFieldSm120", "e", "bits(32)">];
}

//===--- copies -------------------------------------------------------------------------------===//

def ColSzPattern : Column<Must<"::tessera::atom::SizePattern">, "sz_pattern", "SzPattern", "pattern">;
def CuteNvgpu_Ldsm
    : CuteNvgpu_Copy<"Ldsm", "atom.ldsm", [ColValType, ColMatrix, ColSzPattern, ColNumMatrices, ColTranspose],
    [{`<` `val_type` `=` $val_type `,` `mode` `=` $mode `,` `sz_pattern` `=` $sz_pattern `,`
      `num_matrices` `=` $num_matrices `,` custom<Transpose>($transpose) `>`}], "Ldsm",
    "form.key = ldsmKey(mode, sz_pattern, num_matrices, transpose);"> {
  let summary = "ldmatrix: `<val_type = f16, mode = <\"(8,8)\">, sz_pattern = u16, num_matrices = 4, n>`";
}
def CuteNvgpu_Stsm
    : CuteNvgpu_Copy<"Stsm", "atom.stsm", [ColValType, ColMatrix, ColNumMatrices, ColTranspose],
    [{`<` $val_type `,` `mode` `=` $mode `,` `num_matrices` `=` $num_matrices `,` custom<Transpose>($transpose) `>`}], "Stsm",
    "form.key = stsmKey(mode, num_matrices, transpose);"> {
  let summary = "stmatrix: `<f16, mode = <\"(8,8)\">, num_matrices = 4, n>`";
}

#endif
