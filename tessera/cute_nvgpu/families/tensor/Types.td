// Atoms of tensor memory: tcgen05 products, and copies to and from it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_NVGPU_FAMILIES_TENSOR_TYPES_TD
#define TESSERA_CUTE_NVGPU_FAMILIES_TENSOR_TYPES_TD

include "tessera/cute_nvgpu/AtomBase.td"

class CuteNvgpu_MmaFieldTcgen05<string name, list<I32EnumAttrCase> more>
    : CuteNvgpu_FieldEnum<name, "run-time field of a tcgen05 MMA",
                          [I32EnumAttrCase<"accum_c", 0>, I32EnumAttrCase<"neg_a", 1>, I32EnumAttrCase<"neg_b", 2>] # more>;
def CaseSfA : I32EnumAttrCase<"sf_a", 3>;
def CaseSfB : I32EnumAttrCase<"sf_b", 4>;
def CaseE : I32EnumAttrCase<"e", 5>;
def CuteNvgpu_MmaFieldSm100 : CuteNvgpu_MmaFieldTcgen05<"MmaFieldSm100", [I32EnumAttrCase<"disable_output_lane", 6>]>;
def CuteNvgpu_MmaFieldSm100Attr : CuteNvgpu_FieldAttr<CuteNvgpu_MmaFieldSm100, "atom_mma_field_sm100">;
def CuteNvgpu_MmaFieldSm100Sp : CuteNvgpu_MmaFieldTcgen05<"MmaFieldSm100Sp", [CaseE]>;
def CuteNvgpu_MmaFieldSm100SpAttr : CuteNvgpu_FieldAttr<CuteNvgpu_MmaFieldSm100Sp, "atom_mma_field_sm100_sparse">;
def CuteNvgpu_MmaFieldSm100Bs : CuteNvgpu_MmaFieldTcgen05<"MmaFieldSm100Bs", [CaseSfA, CaseSfB]>;
def CuteNvgpu_MmaFieldSm100BsAttr : CuteNvgpu_FieldAttr<CuteNvgpu_MmaFieldSm100Bs, "atom_mma_field_sm100_block_scaled">;
def CuteNvgpu_MmaFieldSm100BsSp : CuteNvgpu_MmaFieldTcgen05<"MmaFieldSm100BsSp", [CaseSfA, CaseSfB, CaseE]>;
def CuteNvgpu_MmaFieldSm100BsSpAttr : CuteNvgpu_FieldAttr<CuteNvgpu_MmaFieldSm100BsSp, "atom_mma_field_sm100_block_scaled_sparse">;

//===--- products -----------------------------------------------------------------------------===//

// Qualifiers that products of one type share; the types without them print as before.
def ColStationary : Column<May<"bool", "false">, "weight_stationary", "WeightStationary", "query.weightStationary">;
def ColCollector
    : Column<May<"::tessera::atom::Collector", "::tessera::atom::Collector::Discard">, "collector", "Collector", "collector">;
def ColCollectorBuffer : Column<May<"int32_t", "0">, "collector_buffer", "CollectorBuffer", "collectorBuffer">;
def ColAshift : Column<May<"bool", "false">, "ashift", "Ashift", "ashift">;

/// After the elements the text has `elementsFormat`, and it ends with `moreFormat`, after where A is.
class CuteNvgpu_Tcgen05Mma<string name, string typeMnemonic, list<Column> elements, string elementsFormat, list<Column> more,
                           string moreFormat, string fieldEnum, list<AtomField> moreFields>
    : CuteNvgpu_Mma<name, typeMnemonic,
    [ColShape, ColNumCta, ColAMajor, ColBMajor, ColA, ColB, ColC] # elements # [ColFragKind] # more,
    [{`<` custom<ShapeMnk>($shape) `,` `num_cta` `=` $num_cta `,` `ab_major` `=` `(` $a_major `,` $b_major `)`
      `,` `elem_type` `=` `(` $a `,` $b `,` $c `)` }] # elementsFormat # [{`,` `frag_kind` `=` $frag_kind }] # moreFormat # "`>`"> {
  let gate = "verifyProduct";
  let fields = [AtomField<fieldEnum, "accum_c", "bits(1)">, AtomField<fieldEnum, "neg_a", "bits(1)">, AtomField<fieldEnum, "neg_b", "bits(1)">]
      # moreFields;
}
def CuteNvgpu_Sm100Mma
    : CuteNvgpu_Tcgen05Mma<"Sm100Mma", "sm100.mma", [], "", [ColCScaleExp, ColOverflow, ColStationary, ColCollector, ColCollectorBuffer, ColAshift, ColLaneMask],
                           [{`,` `c_scale_exp` `=` $c_scale_exp `` custom<ProductOptions>($overflow, $weight_stationary, $collector,
                             $collector_buffer, $ashift, $lane_mask) }], "MmaFieldSm100",
                           [AtomField<"MmaFieldSm100", "disable_output_lane", "lanesIf(getLaneMask(), getNumCta())">]> {
  let summary = "tcgen05 MMA, accumulator in tensor memory";
  let description = [{
    With `lane_mask = true` it has a field `disable_output_lane`: 4 words of 32 bits for each block (`num_cta`), of which bit i of word j is
    for lane 32 j + i of D, which stays as it is where the bit is set. Block 1 of a pair has words 4 to 7.

    Qualifiers of tcgen05.mma that all products of the type have, in this order after `c_scale_exp`:
    - `weight_stationary = true`: `.ws`, of 32, 64 or 128 rows and 64, 128 or 256 columns; parts of N lie in the lanes that M leaves;
    - `collector = <fill>`, `<use>` or `<lastuse>`: what becomes of the copy of A, with `weight_stationary` of B in the buffer
      `collector_buffer = 0` to `3`;
    - `ashift = true`: `.ashift`, of A in tensor memory and of M = 128 or 256.
  }];
}
def CuteNvgpu_Sm100MmaSp
    : CuteNvgpu_Tcgen05Mma<"Sm100MmaSp", "sm100.mma_sp", [ColE, ColMetadata],
                           "`,` `e_type` `=` $e `,` `sparse_metadata_format` `=` $sparse_metadata_format ", [ColCScaleExp, ColOverflow, ColStationary, ColCollector, ColCollectorBuffer, ColAshift],
                           [{`,` `c_scale_exp` `=` $c_scale_exp `` custom<SparseOptions>($overflow, $weight_stationary, $collector,
                             $collector_buffer, $ashift) }], "MmaFieldSm100Sp",
                           [AtomField<"MmaFieldSm100Sp", "e", "tensor(getE())">]> {
  let summary = "tcgen05 MMA with a structured-sparse A; field `e` is the metadata in tensor memory";
}
def CuteNvgpu_Sm100MmaBs
    : CuteNvgpu_Tcgen05Mma<"Sm100MmaBs", "sm100.mma_bs", [ColSf], "`,` `sf_type` `=` $sf ", [ColVecSize, ColArchPromote, ColCollector],
                           "`,` `vec_size` `=` $vec_size `` custom<ScaledOptions>($arch_promote, $collector)", "MmaFieldSm100Bs",
                           [AtomField<"MmaFieldSm100Bs", "sf_a", "tensor(getSf())">,
                            AtomField<"MmaFieldSm100Bs", "sf_b", "tensor(getSf())">]> {
  let summary = "tcgen05 MMA with block scales; vec_size elements share a scale; `sf_a` and `sf_b` are where they are in tensor memory";
}
def CuteNvgpu_Sm100MmaBsSp
    : CuteNvgpu_Tcgen05Mma<"Sm100MmaBsSp", "sm100.mma_bs_sp", [ColSf, ColMetadata],
                           "`,` `sf_type` `=` $sf `,` `sparse_metadata_format` `=` $sparse_metadata_format ", [ColVecSize, ColArchPromote, ColCollector],
                           "`,` `vec_size` `=` $vec_size `` custom<ScaledOptions>($arch_promote, $collector)", "MmaFieldSm100BsSp",
                           [AtomField<"MmaFieldSm100BsSp", "sf_a", "tensor(getSf())">,
                            AtomField<"MmaFieldSm100BsSp", "sf_b", "tensor(getSf())">,
                            AtomField<"MmaFieldSm100BsSp", "e", "tensor(of.bits(8))">]> {
  let summary = "tcgen05 MMA with block scales and a structured-sparse A";
}

//===--- copies -------------------------------------------------------------------------------===//

class CuteNvgpu_TmemCopy<string name, string typeMnemonic, string packed>
    : CuteNvgpu_Copy<name, typeMnemonic, [ColValType, ColNumDp, ColNumBit, ColNumRep, ColPack16b],
                     "`<` $val_type `,` $num_dp `DP` `,` $num_bit `bit` `,` custom<Repeat" # packed # ">($num_rep, $pack16b) `>`">;
def CuteNvgpu_TmemLoad : CuteNvgpu_TmemCopy<"TmemLoad", "atom.tmem_load", "Pack"> {
  let summary = "tcgen05.ld: `<f32, 32 DP, 32 bit, x128>`";
}
def CuteNvgpu_TmemStore : CuteNvgpu_TmemCopy<"TmemStore", "atom.tmem_store", "Expand"> {
  let summary = "tcgen05.st: `<f32, 32 DP, 32 bit, x128>`";
}
def ColLoadReduction : Column<Must<"::tessera::atom::LaneReduction">, "reduction", "Reduction", "laneReduction">;
def ColHalfSplit : Column<May<"int64_t", "0">, "half_split_off", "HalfSplitOff", "halfSplit">;
def CuteNvgpu_TmemLoadRed
    : CuteNvgpu_Copy<"TmemLoadRed", "atom.tmem_load_red", [ColValType, ColNumDp, ColNumBit, ColNumRep, ColLoadReduction, ColHalfSplit],
                     [{`<` $val_type `,` $num_dp `DP` `,` $num_bit `bit` `,` custom<Repeat>($num_rep) `,`
                       custom<LaneReduction>($reduction, $half_split_off) `>`}], "TmemLoadRed",
                     "form.key.reduction = reduction.smallest ? ::tessera::atom::Reduction::Min : ::tessera::atom::Reduction::Max;"> {
  let summary = "tcgen05.ld.red, which also gives a lane's largest or smallest: `<f32, 32 DP, 32 bit, x4, maxabs, nan>`";
  let gate = "verifyLoadReduction";
}
def ColBroadcast : Column<Must<"::tessera::atom::Broadcast">, "broadcast", "Broadcast", "key.broadcast">;
def CuteNvgpu_S2TCopy
    : CuteNvgpu_Copy<"S2TCopy", "atom.s2t_copy", [ColValType, ColNumDp, ColNumBit, ColCopyCtas, ColBroadcast],
                     "`<` $val_type `,` $num_dp `DP` `,` $num_bit `bit` `,` $num_cta `cta` `,` $broadcast `>`"> {
  let summary = "tcgen05.cp: `<f8E8M0FNU, 32 DP, 128 bit, 1 cta, x4>`";
}

#endif
