// Enumerations as attributes: those of tessera/atom, and names of the run-time fields of atoms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What hardware offers is an enum of tessera/atom, with its keywords in the table `spellings`; here it only gets an attribute. The names of
// fields are the dialect's own: each family defines them next to its types.
#ifndef TESSERA_CUTE_NVGPU_ENUMS_TD
#define TESSERA_CUTE_NVGPU_ENUMS_TD

include "mlir/IR/EnumAttr.td"
include "tessera/cute_nvgpu/Dialect.td"

/// An attribute `#cute_nvgpu.mnemonic<keyword>` of an enum of tessera/atom.
class CuteNvgpu_AtomEnumAttr<string name, string atomEnum, string attrMnemonic, string summary_>
    : AttrDef<CuteNvgpu_Dialect, name> {
  let summary = summary_;
  let mnemonic = attrMnemonic;
  let parameters = (ins "::tessera::atom::" # atomEnum:$value);
  let assemblyFormat = "`<` $value `>`";
  let constBuilderCall = "::tessera::cute_nvgpu::" # name # "Attr::get($_builder.getContext(), $0)";
  let returnType = "::tessera::atom::" # atomEnum;
  let convertFromStorage = "$_self.getValue()";
}
def CuteNvgpu_TiledTmaLoadAttr : CuteNvgpu_AtomEnumAttr<"TiledTmaLoad", "TiledLoad", "tiled_tma_load", "kind of a tiled TMA load">;
def CuteNvgpu_TmaDataFormatAttr : CuteNvgpu_AtomEnumAttr<"TmaDataFormat", "TensorMapType", "tma_data_format", "element format of a tensor map">;
def CuteNvgpu_TmaSwizzleAttr
    : CuteNvgpu_AtomEnumAttr<"TmaSwizzle", "TensorMapSwizzle", "tma_swizzle", "swizzle of a tensor map: bytes permuted, and atoms larger than 16">;
def CuteNvgpu_LoadCacheModeAttr : CuteNvgpu_AtomEnumAttr<"LoadCacheMode", "CacheMode", "load_cache_mode", "cache operator of a load">;
def CuteNvgpu_LdsmSzPatternAttr
    : CuteNvgpu_AtomEnumAttr<"LdsmSzPattern", "SizePattern", "ldsm_sz_pattern", "element size in memory and registers">;
def CuteNvgpu_OverflowAttr : CuteNvgpu_AtomEnumAttr<"Overflow", "Overflow", "overflow", "what integer accumulators do beyond their range">;
def CuteNvgpu_BinaryOpAttr : CuteNvgpu_AtomEnumAttr<"BinaryOp", "BitOp", "binary_op", "how single-bit operands combine">;
def CuteNvgpu_SparseMetadataFormatAttr
    : CuteNvgpu_AtomEnumAttr<"SparseMetadataFormat", "Metadata", "sparse_metadata_format", "order of sparse metadata">;
def CuteNvgpu_ReductionKindAttr : CuteNvgpu_AtomEnumAttr<"ReductionKind", "Reduction", "reduction_kind", "what a reducing store does">;
def CuteNvgpu_MmaKindAttr : CuteNvgpu_AtomEnumAttr<"MmaKind", "MmaKind", "mma_kind", "PTX's `.kind::` of a tcgen05.mma">;
def CuteNvgpu_ScaleVecAttr
    : CuteNvgpu_AtomEnumAttr<"ScaleVec", "ScaleVec", "scale_vec", "explicit `.scale_vec::` of a tcgen05.mma: scale factors a row">;
def CuteNvgpu_CollectorOpAttr
    : CuteNvgpu_AtomEnumAttr<"CollectorOp", "Collector", "collector_op", "what a tcgen05.mma does with the collector's copy of A">;
def CuteNvgpu_TmaLoadModeAttr : CuteNvgpu_AtomEnumAttr<"TmaLoadMode", "TmaMode", "tma_load_mode", "addressing mode of a TMA operation">;
def CuteNvgpu_TmaStoreModeAttr : CuteNvgpu_AtomEnumAttr<"TmaStoreMode", "TmaMode", "tma_store_mode", "addressing mode of a TMA store"> {
  let genVerifyDecl = 1;
}
def CuteNvgpu_PackedFormatAttr
    : CuteNvgpu_AtomEnumAttr<"PackedFormat", "PackedFormat", "packed_format", "numbers of 6 or 4 bits that a copy widens to bytes">;
def CuteNvgpu_BroadcastAttr
    : CuteNvgpu_AtomEnumAttr<"Broadcast", "Broadcast", "broadcast", "how a copy to tensor memory repeats over the quarters of its data paths">;
def CuteNvgpu_MajorAttr : CuteNvgpu_AtomEnumAttr<"Major", "Major", "major", "which mode of an operand is contiguous">;

/// Names of run-time fields. Numbers follow the closed compiler.
class CuteNvgpu_FieldEnum<string name, string summary_, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary_, cases> {
  let cppNamespace = "::tessera::cute_nvgpu";
  let genSpecializedAttr = 0;
}
class CuteNvgpu_FieldAttr<CuteNvgpu_FieldEnum e, string attrMnemonic> : EnumAttr<CuteNvgpu_Dialect, e, attrMnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

#endif
