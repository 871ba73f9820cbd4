// Enumerations of the `cute_nvgpu` dialect. Numbers follow the closed compiler, for bytecode.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_NVGPU_ENUMS_TD
#define TESSERA_CUTE_NVGPU_ENUMS_TD

include "mlir/IR/EnumAttr.td"
include "tessera/cute_nvgpu/Dialect.td"

class CuteNvgpu_Enum<string name, string summary_, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary_, cases> {
  let cppNamespace = "::tessera::cute_nvgpu";
  let genSpecializedAttr = 0;
}
/// An attribute `#cute_nvgpu.mnemonic<case>`.
class CuteNvgpu_EnumAttr<CuteNvgpu_Enum e, string attrMnemonic>
    : EnumAttr<CuteNvgpu_Dialect, e, attrMnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def CuteNvgpu_Major : CuteNvgpu_Enum<"Major", "which mode of an operand is contiguous", [
    I32EnumAttrCase<"k", 0>, I32EnumAttrCase<"mn", 1>]>;
def CuteNvgpu_FragKind : CuteNvgpu_Enum<"FragKind", "where A and B are: shared memory (s), registers (r) or tensor memory (t)", [
    I32EnumAttrCase<"ss", 0>, I32EnumAttrCase<"rs", 1>, I32EnumAttrCase<"ts", 2>]>;
def CuteNvgpu_Overflow : CuteNvgpu_Enum<"Overflow", "what integer accumulators do beyond their range", [
    I32EnumAttrCase<"wrapped", 0>, I32EnumAttrCase<"satfinite", 1>]>;
def CuteNvgpu_BinaryOp : CuteNvgpu_Enum<"BinaryOp", "how single-bit operands combine", [
    I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"xor_popc", 1>, I32EnumAttrCase<"and_popc", 2>]>;
def CuteNvgpu_SparseMetadataFormat : CuteNvgpu_Enum<"SparseMetadataFormat", "order of sparse metadata", [
    I32EnumAttrCase<"plain", 0>, I32EnumAttrCase<"ordered", 1>]>;
def CuteNvgpu_LdsmSzPattern : CuteNvgpu_Enum<"LdsmSzPattern", "element size in memory and registers", [
    I32EnumAttrCase<"u16", 0>, I32EnumAttrCase<"u4to8", 1>, I32EnumAttrCase<"s4to8", 2>,
    I32EnumAttrCase<"u2to4", 3>, I32EnumAttrCase<"s2to4", 4>, I32EnumAttrCase<"u4x16p64to8", 5>,
    I32EnumAttrCase<"u6x16p32to8", 6>, I32EnumAttrCase<"u8", 7>]>;
def CuteNvgpu_LoadCacheMode : CuteNvgpu_Enum<"LoadCacheMode", "cache operator of a load", [
    I32EnumAttrCase<"always", 0>, I32EnumAttrCase<"global", 1>, I32EnumAttrCase<"streaming", 2>,
    I32EnumAttrCase<"last_use", 3>, I32EnumAttrCase<"none", 4>]>;
def CuteNvgpu_EvictionPriority : CuteNvgpu_Enum<"EvictionPriority", "eviction priority in L1", [
    I32EnumAttrCase<"evict_normal", 0>, I32EnumAttrCase<"evict_first", 1>,
    I32EnumAttrCase<"evict_last", 2>, I32EnumAttrCase<"evict_unchanged", 3>,
    I32EnumAttrCase<"no_allocate", 4>]>;
def CuteNvgpu_TiledTmaLoad : CuteNvgpu_Enum<"TiledTmaLoad", "kind of a tiled TMA load", [
    I32EnumAttrCase<"sm_90", 0>, I32EnumAttrCase<"sm_90_multicast", 1>,
    I32EnumAttrCase<"sm_100_2sm", 2>, I32EnumAttrCase<"sm_100_2sm_multicast", 3>]>;
def CuteNvgpu_TmaMode : CuteNvgpu_Enum<"TmaMode", "addressing mode of a TMA operation", [
    I32EnumAttrCase<"tiled", 0>, I32EnumAttrCase<"im2col", 1>, I32EnumAttrCase<"w128", 2>,
    I32EnumAttrCase<"w", 3>, I32EnumAttrCase<"gather4", 4>, I32EnumAttrCase<"scatter4", 5>]>;
def CuteNvgpu_TmaStoreMode : CuteNvgpu_Enum<"TmaStoreMode", "addressing mode of a TMA store", [
    I32EnumAttrCase<"tiled", 0>, I32EnumAttrCase<"im2col", 1>, I32EnumAttrCase<"scatter4", 5>]>;
def CuteNvgpu_ReductionKind : CuteNvgpu_Enum<"ReductionKind", "what a reducing store does", [
    I32EnumAttrCase<"ADD", 0>, I32EnumAttrCase<"MIN", 1>, I32EnumAttrCase<"MAX", 2>,
    I32EnumAttrCase<"INC", 3>, I32EnumAttrCase<"DEC", 4>, I32EnumAttrCase<"AND", 5>,
    I32EnumAttrCase<"OR", 6>, I32EnumAttrCase<"XOR", 7>]>;
def CuteNvgpu_TmaDataFormat : CuteNvgpu_Enum<"TmaDataFormat", "element format of a tensor map", [
    I32EnumAttrCase<"U8", 0>, I32EnumAttrCase<"U16", 1>, I32EnumAttrCase<"U32", 2>,
    I32EnumAttrCase<"S32", 3>, I32EnumAttrCase<"U64", 4>, I32EnumAttrCase<"S64", 5>,
    I32EnumAttrCase<"F16_RN", 6>, I32EnumAttrCase<"F32_RN", 7>, I32EnumAttrCase<"F32_FTZ_RN", 8>,
    I32EnumAttrCase<"F64_RN", 9>, I32EnumAttrCase<"BF16_RN", 10>, I32EnumAttrCase<"U4", 11>,
    I32EnumAttrCase<"U4_UNPACK_U8", 12>, I32EnumAttrCase<"U6_UNPACK_U8", 13>,
    I32EnumAttrCase<"TF32_RN", 14>, I32EnumAttrCase<"TF32_FTZ_RN", 15>]>;
def CuteNvgpu_TmaSwizzle : CuteNvgpu_Enum<"TmaSwizzle", "swizzle of a tensor map: bytes permuted, and atoms larger than 16", [
    I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"b32", 1>, I32EnumAttrCase<"b64", 2>, I32EnumAttrCase<"b128", 3>,
    I32EnumAttrCase<"b128_atom_b32", 4>, I32EnumAttrCase<"b128_atom_b32_flip_b8", 5>,
    I32EnumAttrCase<"b128_atom_b64", 6>]>;
def CuteNvgpu_S2TBroadcast : CuteNvgpu_Enum<"S2TBroadcast", "replication of a copy to tensor memory", [
    I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"lw_0213", 1>, I32EnumAttrCase<"lw_0123", 2>,
    I32EnumAttrCase<"x4", 3>]>;

def CuteNvgpu_MmaKind : CuteNvgpu_Enum<"MmaKind", "PTX's `.kind::` of a tcgen05.mma", [
    I32EnumAttrCase<"f16", 1>, I32EnumAttrCase<"tf32", 2>, I32EnumAttrCase<"f8f6f4", 3>, I32EnumAttrCase<"i8", 4>,
    I32EnumAttrCase<"mxf8f6f4", 5>, I32EnumAttrCase<"mxf4", 6>, I32EnumAttrCase<"mxf4nvf4", 7>]>;
def CuteNvgpu_ScaleVec : CuteNvgpu_Enum<"ScaleVec", "explicit `.scale_vec::` of a tcgen05.mma: scale factors a row", [
    I32EnumAttrCase<"x1", 1>, I32EnumAttrCase<"x2", 2>, I32EnumAttrCase<"x4", 3>]>;
def CuteNvgpu_CollectorOp : CuteNvgpu_Enum<"CollectorOp", "what a tcgen05.mma does with the collector's copy of A", [
    I32EnumAttrCase<"discard", 0>, I32EnumAttrCase<"lastuse", 1>, I32EnumAttrCase<"fill", 2>, I32EnumAttrCase<"use", 3>]>;

def CuteNvgpu_CopyFieldTmaLoad : CuteNvgpu_Enum<"CopyFieldTmaLoad", "run-time field of a TMA load", [
    I32EnumAttrCase<"tma_descriptor_ptr", 0>, I32EnumAttrCase<"tma_bar", 1>,
    I32EnumAttrCase<"mcast_mask", 2>, I32EnumAttrCase<"cache_policy", 7>,
    I32EnumAttrCase<"g_stride", 9>]>;
def CuteNvgpu_CopyFieldTmaStore : CuteNvgpu_Enum<"CopyFieldTmaStore", "run-time field of a TMA store or reduction", [
    I32EnumAttrCase<"tma_descriptor_ptr", 0>, I32EnumAttrCase<"cache_policy", 7>,
    I32EnumAttrCase<"g_stride", 9>]>;
def CuteNvgpu_CopyFieldBulk : CuteNvgpu_Enum<"CopyFieldBulk", "run-time field of a bulk copy or reduction, or of a store to another CTA", [
    I32EnumAttrCase<"tma_bar", 1>, I32EnumAttrCase<"mcast_mask", 2>, I32EnumAttrCase<"cache_policy", 7>]>;
def CuteNvgpu_CopyFieldNonExecTmaLoad : CuteNvgpu_Enum<"CopyFieldNonExecTmaLoad", "run-time field of a TMA load with its tensor map", [
    I32EnumAttrCase<"tma_desc", 3>]>;
def CuteNvgpu_CopyFieldNonExecTmaStore : CuteNvgpu_Enum<"CopyFieldNonExecTmaStore", "run-time field of a TMA store with its tensor map", [
    I32EnumAttrCase<"tma_desc", 3>]>;
def CuteNvgpu_MmaFieldSm80Sparse : CuteNvgpu_Enum<"MmaFieldSm80Sparse", "run-time field of a sparse warp MMA", [
    I32EnumAttrCase<"e", 0>]>;
def CuteNvgpu_MmaFieldSm90 : CuteNvgpu_Enum<"MmaFieldSm90", "run-time field of a WGMMA", [
    I32EnumAttrCase<"accum_c", 0>]>;
def CuteNvgpu_MmaFieldSm90Sparse : CuteNvgpu_Enum<"MmaFieldSm90Sparse", "run-time field of a sparse WGMMA", [
    I32EnumAttrCase<"accum_c", 0>, I32EnumAttrCase<"e", 5>]>;
def CuteNvgpu_MmaFieldSm100 : CuteNvgpu_Enum<"MmaFieldSm100", "run-time field of a tcgen05 MMA", [
    I32EnumAttrCase<"accum_c", 0>, I32EnumAttrCase<"neg_a", 1>, I32EnumAttrCase<"neg_b", 2>,
    I32EnumAttrCase<"sf_a", 3>, I32EnumAttrCase<"sf_b", 4>, I32EnumAttrCase<"e", 5>,
    I32EnumAttrCase<"disable_output_lane", 6>]>;
def CuteNvgpu_MmaFieldSm120 : CuteNvgpu_Enum<"MmaFieldSm120", "run-time field of an SM120 MMA", [
    I32EnumAttrCase<"sf_a", 0>, I32EnumAttrCase<"sf_b", 1>]>;

def CuteNvgpu_TiledTmaLoadAttr : CuteNvgpu_EnumAttr<CuteNvgpu_TiledTmaLoad, "tiled_tma_load">;
def CuteNvgpu_TmaDataFormatAttr : CuteNvgpu_EnumAttr<CuteNvgpu_TmaDataFormat, "tma_data_format">;
def CuteNvgpu_TmaSwizzleAttr : CuteNvgpu_EnumAttr<CuteNvgpu_TmaSwizzle, "tma_swizzle">;
def CuteNvgpu_LoadCacheModeAttr : CuteNvgpu_EnumAttr<CuteNvgpu_LoadCacheMode, "load_cache_mode">;
def CuteNvgpu_LdsmSzPatternAttr : CuteNvgpu_EnumAttr<CuteNvgpu_LdsmSzPattern, "ldsm_sz_pattern">;
def CuteNvgpu_OverflowAttr : CuteNvgpu_EnumAttr<CuteNvgpu_Overflow, "overflow">;
def CuteNvgpu_BinaryOpAttr : CuteNvgpu_EnumAttr<CuteNvgpu_BinaryOp, "binary_op">;
def CuteNvgpu_SparseMetadataFormatAttr
    : CuteNvgpu_EnumAttr<CuteNvgpu_SparseMetadataFormat, "sparse_metadata_format">;
def CuteNvgpu_CopyFieldTmaLoadAttr : CuteNvgpu_EnumAttr<CuteNvgpu_CopyFieldTmaLoad, "atom_copy_field_tmaload">;
def CuteNvgpu_CopyFieldTmaStoreAttr : CuteNvgpu_EnumAttr<CuteNvgpu_CopyFieldTmaStore, "atom_copy_field_tmastore">;
def CuteNvgpu_CopyFieldBulkAttr : CuteNvgpu_EnumAttr<CuteNvgpu_CopyFieldBulk, "atom_copy_field_bulk">;
def CuteNvgpu_ReductionKindAttr : CuteNvgpu_EnumAttr<CuteNvgpu_ReductionKind, "reduction_kind">;
def CuteNvgpu_CopyFieldNonExecTmaLoadAttr
    : CuteNvgpu_EnumAttr<CuteNvgpu_CopyFieldNonExecTmaLoad, "atom_copy_field_non_exec_tma_load">;
def CuteNvgpu_CopyFieldNonExecTmaStoreAttr
    : CuteNvgpu_EnumAttr<CuteNvgpu_CopyFieldNonExecTmaStore, "atom_copy_field_non_exec_tma_store">;
def CuteNvgpu_MmaKindAttr : CuteNvgpu_EnumAttr<CuteNvgpu_MmaKind, "mma_kind">;
def CuteNvgpu_ScaleVecAttr : CuteNvgpu_EnumAttr<CuteNvgpu_ScaleVec, "scale_vec">;
def CuteNvgpu_CollectorOpAttr : CuteNvgpu_EnumAttr<CuteNvgpu_CollectorOp, "collector_op">;
def CuteNvgpu_TmaLoadModeAttr : CuteNvgpu_EnumAttr<CuteNvgpu_TmaMode, "tma_load_mode">;
def CuteNvgpu_TmaStoreModeAttr : CuteNvgpu_EnumAttr<CuteNvgpu_TmaStoreMode, "tma_store_mode">;
def CuteNvgpu_MajorAttr : CuteNvgpu_EnumAttr<CuteNvgpu_Major, "major">;
def CuteNvgpu_MmaFieldSm80SparseAttr : CuteNvgpu_EnumAttr<CuteNvgpu_MmaFieldSm80Sparse, "atom_mma_field_sm80_sparse">;
def CuteNvgpu_MmaFieldSm90Attr : CuteNvgpu_EnumAttr<CuteNvgpu_MmaFieldSm90, "atom_mma_field_sm90">;
def CuteNvgpu_MmaFieldSm90SparseAttr
    : CuteNvgpu_EnumAttr<CuteNvgpu_MmaFieldSm90Sparse, "atom_mma_field_sm90_sparse">;
def CuteNvgpu_MmaFieldSm100Attr : CuteNvgpu_EnumAttr<CuteNvgpu_MmaFieldSm100, "atom_mma_field_sm100">;
def CuteNvgpu_MmaFieldSm120Attr : CuteNvgpu_EnumAttr<CuteNvgpu_MmaFieldSm120, "atom_mma_field_sm120">;

#endif
