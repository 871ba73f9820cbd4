// The atom types: one type a family of rows in tessera/atom.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_NVGPU_ATOMTYPES_TD
#define TESSERA_CUTE_NVGPU_ATOMTYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "tessera/cute/Interfaces.td"
include "tessera/cute_nvgpu/Enums.td"

class CuteNvgpu_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<CuteNvgpu_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

//===--- MMA atoms ----------------------------------------------------------------------------===//

/// An MMA atom. Its parameters pick a row; a type whose parameters pick none is refused.
class CuteNvgpu_Mma<string name, string typeMnemonic, dag params, string format>
    : CuteNvgpu_Type<name, typeMnemonic,
                     [DeclareTypeInterfaceMethods<MmaAtomType>, DeclareTypeInterfaceMethods<MaybeStaticType>]> {
  let parameters = params;
  let assemblyFormat = format;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// What the table says of this atom.
    ::tessera::Result<::tessera::cute_nvgpu::MmaInstance> getInstance() const;
  }];
}

// Shapes are printed MxNxK; element types as (A, B, C).
def CuteNvgpu_UniversalFma : CuteNvgpu_Mma<"UniversalFma", "atom.universal_fma",
    (ins "::tessera::cute_nvgpu::ShapeMnk":$shape, "::mlir::Type":$a, "::mlir::Type":$b, "::mlir::Type":$c),
    "`<` custom<ShapeMnk>($shape) `,` `(` $a `,` $b `)` `->` $c ` ` `>`"> {
  let summary = "scalar multiply-add by every thread: `<1x1x1, (f32, f32) -> f32 >`";
}

def CuteNvgpu_Sm80Mma : CuteNvgpu_Mma<"Sm80Mma", "sm80.mma",
    (ins "::tessera::cute_nvgpu::ShapeMnk":$shape, "::mlir::Type":$a, "::mlir::Type":$b, "::mlir::Type":$c,
         DefaultValuedParameter<"Major", "Major::k">:$a_major,
         DefaultValuedParameter<"Major", "Major::k">:$b_major,
         DefaultValuedParameter<"Overflow", "Overflow::wrapped">:$overflow,
         DefaultValuedParameter<"BinaryOp", "BinaryOp::none">:$binary_op),
    [{`<` custom<ShapeMnk>($shape) `,` `elem_type` `=` `(` $a `,` $b `,` $c `)`
      `` custom<WarpMmaOptions>($a_major, $b_major, $overflow, $binary_op) ` ` `>`}]> {
  let summary = "warp-level MMA of SM70, SM75 and SM80: `<16x8x16, elem_type = (f16, f16, f32) >`";
  let description = [{
    `ab_major = (k, mn)` exists for 8x8x4 with f16 only (SM70); `overflow = satfinite` for integers;
    `binary_op = xor_popc` or `and_popc` for i1.
  }];
}
def CuteNvgpu_Sm80SparseMma : CuteNvgpu_Mma<"Sm80SparseMma", "sm80.sparse_mma",
    (ins "::tessera::cute_nvgpu::ShapeMnk":$shape, "::mlir::Type":$a, "::mlir::Type":$b, "::mlir::Type":$c,
         "SparseMetadataFormat":$sparse_metadata_format,
         DefaultValuedParameter<"Overflow", "Overflow::wrapped">:$overflow),
    [{`<` custom<ShapeMnk>($shape) `,` `elem_type` `=` `(` $a `,` $b `,` $c `)` `,`
      `sparse_metadata_format` `=` $sparse_metadata_format `` custom<OverflowOption>($overflow) ` ` `>`}]> {
  let summary = "warp-level MMA with a structured-sparse A";
}
def CuteNvgpu_Sm89Mma : CuteNvgpu_Mma<"Sm89Mma", "sm89.mma",
    (ins "::tessera::cute_nvgpu::ShapeMnk":$shape, "::mlir::Type":$a, "::mlir::Type":$b, "::mlir::Type":$c),
    "`<` custom<ShapeMnk>($shape) `,` `elem_type` `=` `(` $a `,` $b `,` $c `)` ` ` `>`"> {
  let summary = "warp-level MMA on 8-bit floats";
}
class CuteNvgpu_GroupMma<string name, string typeMnemonic, dag more, string moreFormat>
    : CuteNvgpu_Mma<name, typeMnemonic,
    !con((ins "::tessera::cute_nvgpu::ShapeMnk":$shape, "Major":$a_major, "Major":$b_major, "::mlir::Type":$a,
              "::mlir::Type":$b, "::mlir::Type":$c, "FragKind":$frag_kind,
              DefaultValuedParameter<"Overflow", "Overflow::wrapped">:$overflow,
              DefaultValuedParameter<"bool", "false">:$neg_a, DefaultValuedParameter<"bool", "false">:$neg_b), more),
    [{`<` custom<ShapeMnk>($shape) `,` `ab_major` `=` `(` $a_major `,` $b_major `)` `,`
      `elem_type` `=` `(` $a `,` $b `,` $c `)` `,` `frag_kind` `=` $frag_kind
      `` custom<Sm90Options>($overflow, $neg_a, $neg_b}] # moreFormat # ") `>`">;
def CuteNvgpu_Sm90Mma : CuteNvgpu_GroupMma<"Sm90Mma", "sm90.mma",
    (ins DefaultValuedParameter<"BinaryOp", "BinaryOp::none">:$binary_op), ", $binary_op"> {
  let summary = "warpgroup MMA: `<64x128x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>`";
  let description = [{`binary_op = and_popc` for i1; Hopper has no other.}];
}
def CuteNvgpu_Sm90MmaSp : CuteNvgpu_GroupMma<"Sm90MmaSp", "sm90.mma_sp", (ins), ""> {
  let summary = "warpgroup MMA with a structured-sparse A: `<64x128x32, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>`";
  let description = [{
    K is logical: A has half of it. In shared memory the two halves of a pair along K are one place: the tensor of A has a mode of
    extent 2 and stride 0 there, `(64,(2,16)):(16,(0,1))`. In registers a fragment holds what is kept, in order. Field `e` is the
    metadata, the call's selector the lanes that give it.
  }];
}

def CuteNvgpu_Sm100Mma : CuteNvgpu_Mma<"Sm100Mma", "sm100.mma",
    (ins "::tessera::cute_nvgpu::ShapeMnk":$shape, "int32_t":$num_cta, "Major":$a_major, "Major":$b_major,
         "::mlir::Type":$a, "::mlir::Type":$b, "::mlir::Type":$c, "FragKind":$frag_kind,
         "int32_t":$c_scale_exp, DefaultValuedParameter<"Overflow", "Overflow::wrapped">:$overflow),
    [{`<` custom<ShapeMnk>($shape) `,` `num_cta` `=` $num_cta `,` `ab_major` `=` `(` $a_major `,` $b_major `)`
      `,` `elem_type` `=` `(` $a `,` $b `,` $c `)` `,` `frag_kind` `=` $frag_kind `,`
      `c_scale_exp` `=` $c_scale_exp `` custom<OverflowOption>($overflow) `>`}]> {
  let summary = "tcgen05 MMA, accumulator in tensor memory";
}
def CuteNvgpu_Sm100MmaSp : CuteNvgpu_Mma<"Sm100MmaSp", "sm100.mma_sp",
    (ins "::tessera::cute_nvgpu::ShapeMnk":$shape, "int32_t":$num_cta, "Major":$a_major, "Major":$b_major,
         "::mlir::Type":$a, "::mlir::Type":$b, "::mlir::Type":$c, "FragKind":$frag_kind,
         "int32_t":$c_scale_exp, "::mlir::Type":$e, "SparseMetadataFormat":$sparse_metadata_format,
         DefaultValuedParameter<"Overflow", "Overflow::wrapped">:$overflow),
    [{`<` custom<ShapeMnk>($shape) `,` `num_cta` `=` $num_cta `,` `ab_major` `=` `(` $a_major `,` $b_major `)`
      `,` `elem_type` `=` `(` $a `,` $b `,` $c `)` `,` `frag_kind` `=` $frag_kind `,`
      `c_scale_exp` `=` $c_scale_exp `,` `e_type` `=` $e `,`
      `sparse_metadata_format` `=` $sparse_metadata_format `` custom<OverflowOption>($overflow) `>`}]> {
  let summary = "tcgen05 MMA with a structured-sparse A";
}
def CuteNvgpu_Sm100MmaBs : CuteNvgpu_Mma<"Sm100MmaBs", "sm100.mma_bs",
    (ins "::tessera::cute_nvgpu::ShapeMnk":$shape, "int32_t":$num_cta, "Major":$a_major, "Major":$b_major,
         "::mlir::Type":$a, "::mlir::Type":$b, "::mlir::Type":$c, "::mlir::Type":$sf, "FragKind":$frag_kind,
         "int32_t":$vec_size),
    [{`<` custom<ShapeMnk>($shape) `,` `num_cta` `=` $num_cta `,` `ab_major` `=` `(` $a_major `,` $b_major `)`
      `,` `elem_type` `=` `(` $a `,` $b `,` $c `,` $sf `)` `,` `frag_kind` `=` $frag_kind `,`
      `vec_size` `=` $vec_size `>`}]> {
  let summary = "tcgen05 MMA with block scales; vec_size elements share a scale";
}
def CuteNvgpu_Sm100MmaBsSp : CuteNvgpu_Mma<"Sm100MmaBsSp", "sm100.mma_bs_sp",
    (ins "::tessera::cute_nvgpu::ShapeMnk":$shape, "int32_t":$num_cta, "Major":$a_major, "Major":$b_major,
         "::mlir::Type":$a, "::mlir::Type":$b, "::mlir::Type":$c, "::mlir::Type":$sf, "FragKind":$frag_kind,
         "int32_t":$vec_size, "SparseMetadataFormat":$sparse_metadata_format),
    [{`<` custom<ShapeMnk>($shape) `,` `num_cta` `=` $num_cta `,` `ab_major` `=` `(` $a_major `,` $b_major `)`
      `,` `elem_type` `=` `(` $a `,` $b `,` $c `,` $sf `)` `,` `frag_kind` `=` $frag_kind `,`
      `vec_size` `=` $vec_size `,` `sparse_metadata_format` `=` $sparse_metadata_format `>`}]> {
  let summary = "tcgen05 MMA with block scales and a structured-sparse A";
}
def CuteNvgpu_Sm120MmaBs : CuteNvgpu_Mma<"Sm120MmaBs", "SM120.mma_bs",
    (ins "::tessera::cute_nvgpu::ShapeMnk":$shape, "int32_t":$vec_size, "::mlir::Type":$a, "::mlir::Type":$b,
         "::mlir::Type":$c, "::mlir::Type":$sf, DefaultValuedParameter<"bool", "false">:$use_sf_layout_tv),
    [{`<` custom<ShapeMnk>($shape) `,` `vec_size` `=` $vec_size `,`
      `elem_type` `=` `(` $a `,` $b `,` $c `,` $sf `)` `` custom<FlagOption>($use_sf_layout_tv) `>`}]> {
  let summary = "warp-level MMA with block scales of SM120";
}

//===--- Copy atoms ---------------------------------------------------------------------------===//

class CuteNvgpu_Copy<string name, string typeMnemonic, dag params, string format, list<Trait> more = []>
    : CuteNvgpu_Type<name, typeMnemonic, [DeclareTypeInterfaceMethods<CopyAtomType>,
                                         DeclareTypeInterfaceMethods<MaybeStaticType>] # more> {
  let parameters = params;
  let assemblyFormat = format;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// What the table says of this atom.
    ::tessera::Result<::tessera::cute_nvgpu::CopyInstance> getInstance() const;
  }];
}

def CuteNvgpu_UniversalCopy : CuteNvgpu_Copy<"UniversalCopy", "atom.universal_copy",
    (ins "::mlir::Type":$val_type, DefaultValuedParameter<"int32_t", "0">:$copy_bits,
         OptionalParameter<"std::optional<EvictionPriority>">:$l1_eviction),
    "`<` $val_type `` custom<UniversalCopyOptions>($copy_bits, $l1_eviction) `>`"> {
  let summary = "plain load and store: `<f16, 128 b>`; without a width one element";
}
def CuteNvgpu_SimtAsyncCopy : CuteNvgpu_Copy<"SimtAsyncCopy", "atom.simt_async_copy",
    (ins "::mlir::Type":$val_type, "LoadCacheMode":$cache, "int32_t":$copy_bits),
    "`<` $val_type `,` `cache` `=` $cache `,` $copy_bits `b` `>`"> {
  let summary = "cp.async: `<bf16, cache = global, 128 b>`";
}
def CuteNvgpu_Ldsm : CuteNvgpu_Copy<"Ldsm", "atom.ldsm",
    (ins "::mlir::Type":$val_type, "::tessera::cute::ShapeAttr":$mode, "LdsmSzPattern":$sz_pattern,
         "int32_t":$num_matrices, "bool":$transpose),
    [{`<` `val_type` `=` $val_type `,` `mode` `=` $mode `,` `sz_pattern` `=` $sz_pattern `,`
      `num_matrices` `=` $num_matrices `,` custom<Transpose>($transpose) `>`}]> {
  let summary = "ldmatrix: `<val_type = f16, mode = <\"(8,8)\">, sz_pattern = u16, num_matrices = 4, n>`";
}
def CuteNvgpu_Stsm : CuteNvgpu_Copy<"Stsm", "atom.stsm",
    (ins "::mlir::Type":$val_type, "::tessera::cute::ShapeAttr":$mode, "int32_t":$num_matrices,
         "bool":$transpose),
    [{`<` $val_type `,` `mode` `=` $mode `,` `num_matrices` `=` $num_matrices `,` custom<Transpose>($transpose)
      `>`}]> {
  let summary = "stmatrix: `<f16, mode = <\"(8,8)\">, num_matrices = 4, n>`";
}
class CuteNvgpu_TmemCopy<string name, string typeMnemonic>
    : CuteNvgpu_Copy<name, typeMnemonic,
    (ins "::mlir::Type":$val_type, "int32_t":$num_dp, "int32_t":$num_bit, "int32_t":$num_rep,
         DefaultValuedParameter<"bool", "false">:$pack16b),
    "`<` $val_type `,` $num_dp `DP` `,` $num_bit `bit` `,` custom<Repeat>($num_rep, $pack16b) `>`">;
def CuteNvgpu_TmemLoad : CuteNvgpu_TmemCopy<"TmemLoad", "atom.tmem_load"> {
  let summary = "tcgen05.ld: `<f32, 32 DP, 32 bit, x128>`";
}
def CuteNvgpu_TmemStore : CuteNvgpu_TmemCopy<"TmemStore", "atom.tmem_store"> {
  let summary = "tcgen05.st: `<f32, 32 DP, 32 bit, x128>`";
}
def CuteNvgpu_S2TCopy : CuteNvgpu_Copy<"S2TCopy", "atom.s2t_copy",
    (ins "::mlir::Type":$val_type, "int32_t":$num_dp, "int32_t":$num_bit, "int32_t":$num_cta,
         "S2TBroadcast":$broadcast),
    "`<` $val_type `,` $num_dp `DP` `,` $num_bit `bit` `,` $num_cta `cta` `,` $broadcast `>`"> {
  let summary = "tcgen05.cp: `<f8E8M0FNU, 32 DP, 128 bit, 1 cta, x4>`";
}

// TMA. `tma_gbasis` tells which mode of the tensor each mode of the box walks; copy_bits is one box.
def CuteNvgpu_TmaLoad : CuteNvgpu_Copy<"TmaLoad", "atom.tma_load",
    (ins "::mlir::Type":$val_type, "int64_t":$copy_bits, "TmaMode":$mode, "int32_t":$num_cta,
         "::tessera::cute::IntTupleAttr":$g_stride, DefaultValuedParameter<"bool", "false">:$mcast,
         "::tessera::cute::LayoutAttr":$tma_gbasis),
    [{`<` $val_type `,` `copy_bits` `=` $copy_bits `,` `mode` `=` $mode `,` `num_cta` `=` $num_cta `,`
      `g_stride` `=` $g_stride `` custom<Multicast>($mcast) `tma_gbasis` `=` $tma_gbasis `>`}],
    [DeclareTypeInterfaceMethods<PrefetchAtomType>]> {
  let summary = "TMA load, ready to execute";
}
class CuteNvgpu_TmaStoreLike<string name, string typeMnemonic>
    : CuteNvgpu_Copy<name, typeMnemonic,
    (ins "::mlir::Type":$val_type, "int64_t":$copy_bits, "TmaMode":$mode,
         "::tessera::cute::IntTupleAttr":$g_stride, "::tessera::cute::LayoutAttr":$tma_gbasis),
    [{`<` $val_type `,` `copy_bits` `=` $copy_bits `,` `mode` `=` $mode `,` `g_stride` `=` $g_stride
      `tma_gbasis` `=` $tma_gbasis `>`}]>;
def CuteNvgpu_TmaStore : CuteNvgpu_TmaStoreLike<"TmaStore", "atom.tma_store"> {
  let summary = "TMA store, ready to execute";
}
def CuteNvgpu_TmaReduce : CuteNvgpu_Copy<"TmaReduce", "atom.tma_reduce",
    (ins "::mlir::Type":$val_type, "int64_t":$copy_bits, "TmaMode":$mode, "ReductionKind":$kind,
         "::tessera::cute::IntTupleAttr":$g_stride, "::tessera::cute::LayoutAttr":$tma_gbasis),
    [{`<` $val_type `,` `copy_bits` `=` $copy_bits `,` `mode` `=` $mode `,` `kind` `=` $kind `,`
      `g_stride` `=` $g_stride `tma_gbasis` `=` $tma_gbasis `>`}]> {
  let summary = "TMA reduction into global memory, ready to execute";
}

class CuteNvgpu_NonExecTma<string name, string typeMnemonic, dag kind, string kindFormat, list<Trait> more = []>
    : CuteNvgpu_Copy<name, typeMnemonic,
    !con(kind, (ins "::mlir::Type":$val_type, "int64_t":$copy_bits,
                    "::tessera::cute::LayoutAttr":$tma_gbasis,
                    OptionalParameter<"std::optional<TmaDataFormat>">:$tma_format,
                    OptionalParameter<"::mlir::Type">:$internal_val_type)),
    "`<` " # kindFormat # [{ $val_type `,` `copy_bits` `=` $copy_bits `,` `tma_gbasis` `=` $tma_gbasis
      `` custom<TmaFormat>($tma_format, $internal_val_type) `>`}], more>;
def CuteNvgpu_NonExecTiledTmaLoad
    : CuteNvgpu_NonExecTma<"NonExecTiledTmaLoad", "atom.non_exec_tiled_tma_load",
                           (ins "TiledTmaLoad":$kind), "$kind `,`", [DeclareTypeInterfaceMethods<PrefetchAtomType>]> {
  let summary = "TMA load with its tensor map, as kernels take it";
  let description = "CuTe DSL 4.3.3 prints `internal_val_type = f16`, 4.4 `tma_format = F16_RN`.";
}
def CuteNvgpu_NonExecTiledTmaStore
    : CuteNvgpu_NonExecTma<"NonExecTiledTmaStore", "atom.non_exec_tiled_tma_store", (ins), ""> {
  let summary = "TMA store with its tensor map, as kernels take it";
}
def CuteNvgpu_NonExecTiledTmaReduce
    : CuteNvgpu_NonExecTma<"NonExecTiledTmaReduce", "atom.non_exec_tiled_tma_reduce",
                           (ins "ReductionKind":$kind), "$kind `,`"> {
  let summary = "TMA reduction with its tensor map, as kernels take it";
}

def CuteNvgpu_NonExecIm2colTmaLoad
    : CuteNvgpu_NonExecTma<"NonExecIm2colTmaLoad", "atom.non_exec_im2col_tma_load", (ins), "",
                           [DeclareTypeInterfaceMethods<PrefetchAtomType>]> {
  let summary = "TMA load of pixels under a filter with its tensor map, as kernels take it";
}

// Bulk copies: a run of bytes, by one thread. Both sides are aligned to 16 bytes, and have no swizzle.
class CuteNvgpu_Bulk<string name, string typeMnemonic, dag more, string moreFormat, list<Trait> traits = []>
    : CuteNvgpu_Copy<name, typeMnemonic, !con((ins "::mlir::Type":$val_type, "int64_t":$copy_bits), more),
                     "`<` $val_type `,` `copy_bits` `=` $copy_bits " # moreFormat # " `>`", traits>;
def CuteNvgpu_BulkCopyG2S : CuteNvgpu_Bulk<"BulkCopyG2S", "atom.bulk_copy_g2s",
    (ins DefaultValuedParameter<"bool", "false">:$mcast), "`` custom<Multicast>($mcast)",
    [DeclareTypeInterfaceMethods<PrefetchAtomType>]> {
  let summary = "bulk copy from global to shared memory: `<f16, copy_bits = 4096>`; `mcast = true` to several CTAs";
}
def CuteNvgpu_BulkCopyS2G : CuteNvgpu_Bulk<"BulkCopyS2G", "atom.bulk_copy_s2g", (ins), ""> {
  let summary = "bulk copy from shared to global memory";
}
def CuteNvgpu_BulkCopyS2S : CuteNvgpu_Bulk<"BulkCopyS2S", "atom.bulk_copy_s2s", (ins), ""> {
  let summary = "bulk copy to the shared memory of another CTA of the cluster";
}
class CuteNvgpu_BulkReduce<string name, string typeMnemonic>
    : CuteNvgpu_Bulk<name, typeMnemonic, (ins "ReductionKind":$kind), "`,` `kind` `=` $kind">;
def CuteNvgpu_BulkReduceS2G : CuteNvgpu_BulkReduce<"BulkReduceS2G", "atom.bulk_reduce_s2g"> {
  let summary = "bulk reduction into global memory: `<f32, copy_bits = 4096, kind = ADD>`";
}
def CuteNvgpu_BulkReduceS2S : CuteNvgpu_BulkReduce<"BulkReduceS2S", "atom.bulk_reduce_s2s"> {
  let summary = "bulk reduction into the shared memory of another CTA of the cluster";
}
def CuteNvgpu_DsmemStore : CuteNvgpu_Copy<"DsmemStore", "atom.dsmem_store",
    (ins "::mlir::Type":$val_type, "int32_t":$copy_bits), "`<` $val_type `,` $copy_bits `b` `>`"> {
  let summary = "st.async of a thread's registers to another CTA of the cluster: `<f32, 128 b>`";
}

//===--- Descriptors --------------------------------------------------------------------------===//

def CuteNvgpu_SmemDesc : CuteNvgpu_Type<"SmemDesc", "smem_desc",
                                        [DeclareTypeInterfaceMethods<IteratorType>]> {
  let summary = "64-bit descriptor of a matrix in shared memory; offsets are in 16-byte units";
}
def CuteNvgpu_SmemDescView : CuteNvgpu_Type<"SmemDescView", "smem_desc_view",
                                            [DeclareTypeInterfaceMethods<ViewType>]> {
  let summary = "descriptors of the matrices of a tensor: `<!cute_nvgpu.smem_desc, \"(1,4):(0,2)\">`";
  let parameters = (ins "::mlir::Type":$desc, "::tessera::layout::AnyLayout":$layout);
  let hasCustomAssemblyFormat = 1;
}
def CuteNvgpu_TmaDescriptorTiled : CuteNvgpu_Type<"TmaDescriptorTiled", "tma_descriptor_tiled"> {
  let summary = "a tensor map for tiled access: 128 bytes, aligned to 64";
}
def CuteNvgpu_TmaDescriptorIm2col : CuteNvgpu_Type<"TmaDescriptorIm2col", "tma_descriptor_im2col"> {
  let summary = "a tensor map for im2col access: 128 bytes, aligned to 64";
}

#endif
