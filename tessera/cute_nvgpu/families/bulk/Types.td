// Bulk atoms: a run of bytes, by one thread. Both sides are aligned to 16 bytes, and have no swizzle.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_NVGPU_FAMILIES_BULK_TYPES_TD
#define TESSERA_CUTE_NVGPU_FAMILIES_BULK_TYPES_TD

include "tessera/cute_nvgpu/AtomBase.td"

def CuteNvgpu_CopyFieldBulkG2S : CuteNvgpu_FieldEnum<"CopyFieldBulkG2S", "run-time field of a bulk copy to shared memory", [
    I32EnumAttrCase<"tma_bar", 1>, I32EnumAttrCase<"mcast_mask", 2>, I32EnumAttrCase<"cache_policy", 7>]>;
def CuteNvgpu_CopyFieldBulkG2SAttr : CuteNvgpu_FieldAttr<CuteNvgpu_CopyFieldBulkG2S, "atom_copy_field_bulkg2s">;
def CuteNvgpu_CopyFieldBulkS2G
    : CuteNvgpu_FieldEnum<"CopyFieldBulkS2G", "run-time field of a bulk copy or reduction to global memory", [
    I32EnumAttrCase<"byte_mask", 4>, I32EnumAttrCase<"cache_policy", 7>]>;
def CuteNvgpu_CopyFieldBulkS2GAttr : CuteNvgpu_FieldAttr<CuteNvgpu_CopyFieldBulkS2G, "atom_copy_field_bulks2g">;
def CuteNvgpu_CopyFieldBulkS2S
    : CuteNvgpu_FieldEnum<"CopyFieldBulkS2S", "run-time field of a bulk copy or reduction to another CTA", [I32EnumAttrCase<"tma_bar", 1>]>;
def CuteNvgpu_CopyFieldBulkS2SAttr : CuteNvgpu_FieldAttr<CuteNvgpu_CopyFieldBulkS2S, "atom_copy_field_bulks2s">;
def CuteNvgpu_CopyFieldDsmemStore
    : CuteNvgpu_FieldEnum<"CopyFieldDsmemStore", "run-time field of a store to another CTA", [I32EnumAttrCase<"mbar_ptr", 8>]>;
def CuteNvgpu_CopyFieldDsmemStoreAttr : CuteNvgpu_FieldAttr<CuteNvgpu_CopyFieldDsmemStore, "atom_copy_field_dsmem_store">;

def BulkPolicy : AtomField<"CopyFieldBulkS2G", "cache_policy", "bits(64)">;
/// The barrier may be another CTA's.
def BulkClusterBarrier : AtomField<"CopyFieldBulkS2S", "tma_bar", "barrier(::tessera::cute::AddressSpace::Dsmem)">;

def ColByteMask : Column<May<"bool", "false">, "mask", "Mask", "byteMask">;
class CuteNvgpu_Bulk<string name, string typeMnemonic, list<Column> more, string moreFormat, string family, string constants = "",
                     list<Trait> traits = []>
    : CuteNvgpu_Copy<name, typeMnemonic, [ColValType, ColCopyBits] # more,
                     "`<` $val_type `copy_bits` `=` $copy_bits " # moreFormat # " `>`", family, "form.inRuns = true; " # constants, traits>;
def CuteNvgpu_BulkCopyG2S
    : CuteNvgpu_Bulk<"BulkCopyG2S", "atom.bulk_copy_g2s", [ColMcast], "`` custom<Multicast>($mcast)", "BulkG2S", "", [PrefetchAtomType]> {
  let summary = "bulk copy from global to shared memory: `<f16 copy_bits = 4096>`; `mcast = true` to several CTAs";
  let fields = [AtomField<"CopyFieldBulkG2S", "tma_bar", "barrier()">, AtomField<"CopyFieldBulkG2S", "mcast_mask", "bits(16)">,
                AtomField<"CopyFieldBulkG2S", "cache_policy", "bits(64)">];
}
def CuteNvgpu_BulkCopyS2G : CuteNvgpu_Bulk<"BulkCopyS2G", "atom.bulk_copy_s2g", [ColByteMask], "`` custom<ByteMask>($mask)", "BulkS2G"> {
  let summary = "bulk copy from shared to global memory; with `mask = true` of those bytes of every 16 that field `byte_mask` names";
  let fields = [BulkPolicy, AtomField<"CopyFieldBulkS2G", "byte_mask", "bitsIf(getMask(), 16)">];
}
def CuteNvgpu_BulkCopyS2S : CuteNvgpu_Bulk<"BulkCopyS2S", "atom.bulk_copy_s2s", [], "", "BulkS2S"> {
  let summary = "bulk copy to the shared memory of another CTA of the cluster";
  let fields = [BulkClusterBarrier];
}
class CuteNvgpu_BulkReduce<string name, string typeMnemonic>
    : CuteNvgpu_Bulk<name, typeMnemonic, [ColReduction], "`kind` `=` $kind", name, "form.key.reduced = reducedOf(kind, val_type);">;
def CuteNvgpu_BulkReduceS2G : CuteNvgpu_BulkReduce<"BulkReduceS2G", "atom.bulk_reduce_s2g"> {
  let summary = "bulk reduction into global memory: `<f32 copy_bits = 4096 kind = ADD>`";
  let fields = [BulkPolicy];
}
def CuteNvgpu_BulkReduceS2S : CuteNvgpu_BulkReduce<"BulkReduceS2S", "atom.bulk_reduce_s2s"> {
  let summary = "bulk reduction into the shared memory of another CTA of the cluster";
  let fields = [BulkClusterBarrier];
}
def CuteNvgpu_DsmemStore
    : CuteNvgpu_Copy<"DsmemStore", "atom.dsmem_store", [ColValType, ColThreadBits], "`<` $val_type `,` $copy_bits `b` `>`", "DsmemStore",
                     "form.byThread = true; form.inRuns = true;"> {
  let summary = "st.async of a thread's registers to another CTA of the cluster: `<f32, 128 b>`";
  let fields = [AtomField<"CopyFieldDsmemStore", "mbar_ptr", "barrier(::tessera::cute::AddressSpace::Dsmem)">];
}

#endif
