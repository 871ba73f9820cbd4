// Atoms of TMA: copies of boxes of a tensor, with and without their tensor map.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_NVGPU_FAMILIES_TMA_TYPES_TD
#define TESSERA_CUTE_NVGPU_FAMILIES_TMA_TYPES_TD

include "tessera/cute_nvgpu/AtomBase.td"

//===--- run-time fields ----------------------------------------------------------------------===//

def CuteNvgpu_CopyFieldTmaLoad : CuteNvgpu_FieldEnum<"CopyFieldTmaLoad", "run-time field of a TMA load", [
    I32EnumAttrCase<"tma_descriptor_ptr", 0>, I32EnumAttrCase<"tma_bar", 1>,
    I32EnumAttrCase<"mcast_mask", 2>, I32EnumAttrCase<"cache_policy", 7>,
    I32EnumAttrCase<"g_stride", 9>]>;
def CuteNvgpu_CopyFieldTmaLoadAttr : CuteNvgpu_FieldAttr<CuteNvgpu_CopyFieldTmaLoad, "atom_copy_field_tmaload">;
def CuteNvgpu_CopyFieldTmaStore : CuteNvgpu_FieldEnum<"CopyFieldTmaStore", "run-time field of a TMA store", [
    I32EnumAttrCase<"tma_descriptor_ptr", 0>, I32EnumAttrCase<"cache_policy", 7>,
    I32EnumAttrCase<"g_stride", 9>]>;
def CuteNvgpu_CopyFieldTmaStoreAttr : CuteNvgpu_FieldAttr<CuteNvgpu_CopyFieldTmaStore, "atom_copy_field_tmastore">;
def CuteNvgpu_CopyFieldNonExecTmaLoad
    : CuteNvgpu_FieldEnum<"CopyFieldNonExecTmaLoad", "run-time field of a TMA load with its tensor map", [I32EnumAttrCase<"tma_desc", 3>]>;
def CuteNvgpu_CopyFieldNonExecTmaLoadAttr
    : CuteNvgpu_FieldAttr<CuteNvgpu_CopyFieldNonExecTmaLoad, "atom_copy_field_non_exec_tma_load">;
def CuteNvgpu_CopyFieldTmaReduce : CuteNvgpu_FieldEnum<"CopyFieldTmaReduce", "run-time field of a TMA reduction", [
    I32EnumAttrCase<"tma_descriptor_ptr", 0>, I32EnumAttrCase<"cache_policy", 7>,
    I32EnumAttrCase<"g_stride", 9>]>;
def CuteNvgpu_CopyFieldTmaReduceAttr : CuteNvgpu_FieldAttr<CuteNvgpu_CopyFieldTmaReduce, "atom_copy_field_tmareduce">;
def CuteNvgpu_CopyFieldNonExecTmaReduce
    : CuteNvgpu_FieldEnum<"CopyFieldNonExecTmaReduce", "run-time field of a TMA reduction with its tensor map", [I32EnumAttrCase<"tma_desc", 3>]>;
def CuteNvgpu_CopyFieldNonExecTmaReduceAttr
    : CuteNvgpu_FieldAttr<CuteNvgpu_CopyFieldNonExecTmaReduce, "atom_copy_field_non_exec_tma_reduce">;
def CuteNvgpu_CopyFieldNonExecIm2col
    : CuteNvgpu_FieldEnum<"CopyFieldNonExecIm2col", "run-time field of an im2col TMA load with its tensor map",
                          [I32EnumAttrCase<"im2col_tma_desc", 6>]>;
def CuteNvgpu_CopyFieldNonExecIm2colAttr
    : CuteNvgpu_FieldAttr<CuteNvgpu_CopyFieldNonExecIm2col, "atom_copy_field_non_exec_im2col_tma_load">;
def CuteNvgpu_CopyFieldNonExecIm2colStore
    : CuteNvgpu_FieldEnum<"CopyFieldNonExecIm2colStore", "run-time field of an im2col TMA store with its tensor map",
                          [I32EnumAttrCase<"im2col_tma_desc", 6>]>;
def CuteNvgpu_CopyFieldNonExecIm2colStoreAttr
    : CuteNvgpu_FieldAttr<CuteNvgpu_CopyFieldNonExecIm2colStore, "atom_copy_field_non_exec_im2col_tma_store">;
def CuteNvgpu_CopyFieldNonExecGather4
    : CuteNvgpu_FieldEnum<"CopyFieldNonExecGather4", "run-time field of a TMA load of four rows with its tensor map",
                          [I32EnumAttrCase<"tma_desc", 3>]>;
def CuteNvgpu_CopyFieldNonExecGather4Attr
    : CuteNvgpu_FieldAttr<CuteNvgpu_CopyFieldNonExecGather4, "atom_copy_field_non_exec_2d_gather4_tma_load">;
def CuteNvgpu_CopyFieldNonExecScatter4
    : CuteNvgpu_FieldEnum<"CopyFieldNonExecScatter4", "run-time field of a TMA store of four rows with its tensor map",
                          [I32EnumAttrCase<"tma_desc", 3>]>;
def CuteNvgpu_CopyFieldNonExecScatter4Attr
    : CuteNvgpu_FieldAttr<CuteNvgpu_CopyFieldNonExecScatter4, "atom_copy_field_non_exec_2d_scatter4_tma_store">;
def CuteNvgpu_CopyFieldNonExecTmaStore
    : CuteNvgpu_FieldEnum<"CopyFieldNonExecTmaStore", "run-time field of a TMA store with its tensor map", [I32EnumAttrCase<"tma_desc", 3>]>;
def CuteNvgpu_CopyFieldNonExecTmaStoreAttr
    : CuteNvgpu_FieldAttr<CuteNvgpu_CopyFieldNonExecTmaStore, "atom_copy_field_non_exec_tma_store">;

//===--- atoms that are executed --------------------------------------------------------------===//

// `tma_gbasis` tells which mode of the tensor each mode of the box walks; copy_bits is one box.
def CuteNvgpu_TmaLoad
    : CuteNvgpu_Copy<"TmaLoad", "atom.tma_load",
    [ColValType, ColCopyBits, ColTmaMode, ColCopyCtas, ColGStride, ColMcast, ColTmaGbasis],
    [{`<` $val_type `,` `copy_bits` `=` $copy_bits `,` `mode` `=` $mode `,` `num_cta` `=` $num_cta `,`
      `g_stride` `=` $g_stride `` custom<Multicast>($mcast) `tma_gbasis` `=` $tma_gbasis `>`}], "TmaLoad", "", [PrefetchAtomType]> {
  let summary = "TMA load, ready to execute";
  let fields = [AtomField<"CopyFieldTmaLoad", "tma_descriptor_ptr", "tensorMap()">, AtomField<"CopyFieldTmaLoad", "tma_bar", "barrier()">,
                AtomField<"CopyFieldTmaLoad", "mcast_mask", "bits(16)">, AtomField<"CopyFieldTmaLoad", "cache_policy", "bits(64)">,
                AtomField<"CopyFieldTmaLoad", "g_stride">];
}
/// The same, its text without a mode.
def CuteNvgpu_Im2colTmaLoad
    : CuteNvgpu_Copy<"Im2colTmaLoad", "atom.im2col_tma_load", [ColValType, ColCopyBits, ColCopyCtas, ColGStride, ColMcast, ColTmaGbasis],
    [{`<` $val_type `,` `copy_bits` `=` $copy_bits `,` `num_cta` `=` $num_cta `,` `g_stride` `=` $g_stride ``
      custom<Multicast>($mcast) `tma_gbasis` `=` $tma_gbasis `>`}], "TmaLoad", "form.key.mode = ::tessera::atom::TmaMode::Im2col;",
    [PrefetchAtomType]> {
  let summary = "TMA load of pixels under a filter, ready to execute";
  let fields = [AtomField<"CopyFieldTmaLoad", "tma_descriptor_ptr", "tensorMap()">, AtomField<"CopyFieldTmaLoad", "tma_bar", "barrier()">,
                AtomField<"CopyFieldTmaLoad", "mcast_mask", "bits(16)">, AtomField<"CopyFieldTmaLoad", "cache_policy", "bits(64)">,
                AtomField<"CopyFieldTmaLoad", "g_stride">];
}
def CuteNvgpu_Im2colTmaStore
    : CuteNvgpu_Copy<"Im2colTmaStore", "atom.im2col_tma_store", [ColValType, ColCopyBits, ColGStride, ColTmaGbasis],
                     "`<` $val_type `,` `copy_bits` `=` $copy_bits `,` `g_stride` `=` $g_stride `tma_gbasis` `=` $tma_gbasis `>`", "TmaStore",
                     "form.key.mode = ::tessera::atom::TmaMode::Im2col;"> {
  let summary = "TMA store of pixels, ready to execute";
  let fields = [AtomField<"CopyFieldTmaStore", "tma_descriptor_ptr", "tensorMap()">,
                AtomField<"CopyFieldTmaStore", "cache_policy", "bits(64)">, AtomField<"CopyFieldTmaStore", "g_stride">];
}
class CuteNvgpu_TmaStoreLike<string name, string typeMnemonic, string fieldEnum, list<Column> kind = [], string kindFormat = "">
    : CuteNvgpu_Copy<name, typeMnemonic, [ColValType, ColCopyBits, ColTmaMode] # kind # [ColGStride, ColTmaGbasis],
    "`<` $val_type `,` `copy_bits` `=` $copy_bits `,` `mode` `=` $mode " # kindFormat #
    "`,` `g_stride` `=` $g_stride `tma_gbasis` `=` $tma_gbasis `>`"> {
  let fields = [AtomField<fieldEnum, "tma_descriptor_ptr", "tensorMap()">, AtomField<fieldEnum, "cache_policy", "bits(64)">,
                AtomField<fieldEnum, "g_stride">];
}
def CuteNvgpu_TmaStore : CuteNvgpu_TmaStoreLike<"TmaStore", "atom.tma_store", "CopyFieldTmaStore"> {
  let summary = "TMA store, ready to execute";
}
def CuteNvgpu_TmaReduce
    : CuteNvgpu_TmaStoreLike<"TmaReduce", "atom.tma_reduce", "CopyFieldTmaReduce", [ColReduction], "`,` `kind` `=` $kind "> {
  let summary = "TMA reduction into global memory, ready to execute";
  let gate = "reductionGate";
}

//===--- atoms with their tensor map ----------------------------------------------------------===//

def ColLoadKind : Column<Must<"::tessera::atom::TiledLoad">, "kind", "Kind", "loadKind">;
def ColTmaFormat : Column<OptionalParameter<"std::optional<::tessera::atom::TensorMapType>">, "tma_format", "TmaFormat", "tmaFormat">;
def ColInternalValType : Column<OptionalParameter<"::mlir::Type">, "internal_val_type", "InternalValType", "internalValType">;
class CuteNvgpu_NonExecTma<string name, string typeMnemonic, list<Column> kind, string kindFormat, string family, string fieldEnum,
                           string constants = "", list<Trait> more = [], string map = "tma_desc", list<Column> last = [],
                           string options = "custom<TmaFormat>($tma_format, $internal_val_type)">
    : CuteNvgpu_Copy<name, typeMnemonic, kind # [ColValType, ColCopyBits, ColTmaGbasis, ColTmaFormat, ColInternalValType] # last,
    "`<` " # kindFormat # [{ $val_type `,` `copy_bits` `=` $copy_bits `,` `tma_gbasis` `=` $tma_gbasis
      `` }] # options # " `>`", family, constants, more> {
  let fields = [AtomField<fieldEnum, map, "tensorMap()">];
  let hasTensorMap = 1;
}
def CuteNvgpu_NonExecTiledTmaLoad
    : CuteNvgpu_NonExecTma<"NonExecTiledTmaLoad", "atom.non_exec_tiled_tma_load", [ColLoadKind], "$kind `,`", "TmaLoad",
                           "CopyFieldNonExecTmaLoad", [{form.key.mode = ::tessera::atom::TmaMode::Tiled;
                           form.key.multicast = ::tessera::atom::isMulticast(kind); form.key.ctas = ::tessera::atom::ctas(kind);}],
                           [PrefetchAtomType]> {
  let summary = "TMA load with its tensor map, as kernels take it";
  let description = "CuTe DSL 4.3.3 prints `internal_val_type = f16`, 4.4 `tma_format = F16_RN`.";
}
def CuteNvgpu_NonExecTiledTmaStore
    : CuteNvgpu_NonExecTma<"NonExecTiledTmaStore", "atom.non_exec_tiled_tma_store", [], "", "TmaStore", "CopyFieldNonExecTmaStore",
                           "form.key.mode = ::tessera::atom::TmaMode::Tiled;"> {
  let summary = "TMA store with its tensor map, as kernels take it";
}
def CuteNvgpu_NonExecTiledTmaReduce
    : CuteNvgpu_NonExecTma<"NonExecTiledTmaReduce", "atom.non_exec_tiled_tma_reduce", [ColReduction], "$kind `,`", "TmaReduce",
                           "CopyFieldNonExecTmaReduce", "form.key.mode = ::tessera::atom::TmaMode::Tiled;"> {
  let summary = "TMA reduction with its tensor map, as kernels take it";
  let gate = "reductionGate";
}
def CuteNvgpu_NonExecIm2colTmaLoad
    : CuteNvgpu_NonExecTma<"NonExecIm2colTmaLoad", "atom.non_exec_im2col_tma_load", [ColLoadKind], "$kind `,`", "TmaLoad",
                           "CopyFieldNonExecIm2col", [{form.key.multicast = ::tessera::atom::isMulticast(kind);
                           form.key.ctas = ::tessera::atom::ctas(kind);}], [PrefetchAtomType], "im2col_tma_desc", [ColIm2colMode],
                           "custom<PixelFormat>($tma_format, $internal_val_type, $mode)"> {
  let summary = "TMA load of pixels under a filter with its tensor map, as kernels take it";
  let description = "`mode = w` or `mode = w128`: along W only, which sm_100 has.";
  let gate = "pixelGate";
}

def CuteNvgpu_NonExecIm2colTmaStore
    : CuteNvgpu_NonExecTma<"NonExecIm2colTmaStore", "atom.non_exec_im2col_tma_store", [], "", "TmaStore", "CopyFieldNonExecIm2colStore",
                           "form.key.mode = ::tessera::atom::TmaMode::Im2col;", [], "im2col_tma_desc"> {
  let summary = "TMA store of pixels with its tensor map, as kernels take it";
}
def CuteNvgpu_NonExecGather4TmaLoad
    : CuteNvgpu_NonExecTma<"NonExecGather4TmaLoad", "atom.non_exec_2d_gather4_tma_load", [ColLoadKind], "$kind `,`", "TmaLoad",
                           "CopyFieldNonExecGather4", [{form.key.mode = ::tessera::atom::TmaMode::Gather4;
                           form.key.multicast = ::tessera::atom::isMulticast(kind); form.key.ctas = ::tessera::atom::ctas(kind);}],
                           [PrefetchAtomType]> {
  let summary = "TMA load of four rows of a matrix with its tensor map, as kernels take it";
}
def CuteNvgpu_NonExecScatter4TmaStore
    : CuteNvgpu_NonExecTma<"NonExecScatter4TmaStore", "atom.non_exec_2d_scatter4_tma_store", [], "", "TmaStore",
                           "CopyFieldNonExecScatter4", "form.key.mode = ::tessera::atom::TmaMode::Scatter4;"> {
  let summary = "TMA store of four rows of a matrix with its tensor map, as kernels take it";
}

//===--- descriptors --------------------------------------------------------------------------===//

def CuteNvgpu_TmaDescriptorTiled : CuteNvgpu_Type<"TmaDescriptorTiled", "tma_descriptor_tiled"> {
  let summary = "a tensor map for tiled access: 128 bytes, aligned to 64";
}
def CuteNvgpu_TmaDescriptorIm2col : CuteNvgpu_Type<"TmaDescriptorIm2col", "tma_descriptor_im2col"> {
  let summary = "a tensor map for im2col access: 128 bytes, aligned to 64";
}

#endif
