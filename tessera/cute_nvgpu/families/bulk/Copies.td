// Bulk copies and reductions, and the shared memory of other CTAs of the cluster.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_NVGPU_FAMILIES_BULK_COPIES_TD
#define TESSERA_CUTE_NVGPU_FAMILIES_BULK_COPIES_TD

include "tessera/cute_nvgpu/ops/Base.td"

/// One thread moves a run of `bytes`, a multiple of 16.
class CuteNvgpu_ArchBulk<string mnemonic, list<Trait> traits, dag operands, dag more, string format>
    : CuteNvgpu_Op<mnemonic, !listconcat(traits, [MemoryEffects<[MemRead, MemWrite]>])> {
  let arguments = !con((ins Cute_Ptr:$dst, Cute_Ptr:$src), operands, (ins I32Attr:$bytes), more);
  let assemblyFormat = "`(` $dst `,` $src " # format # " attr-dict `:` `(` type(operands) `)`";
  let hasVerifier = 1;
}
def CuteNvgpu_ArchBulkCopyG2SOp
    : CuteNvgpu_ArchBulk<"arch.copy.SM90.bulk_copy_g2s", [AttrSizedOperandSegments],
        (ins Cute_Ptr:$barrier, Optional<I16>:$mask, Optional<I64>:$cache_policy), (ins),
        "`,` $barrier `)` (`mask` `=` $mask^)? (`cache_policy` `=` $cache_policy^)?"> {
  let summary = "cp.async.bulk from global to shared memory; the barrier counts the bytes";
}
def CuteNvgpu_ArchBulkCopyS2GOp
    : CuteNvgpu_ArchBulk<"arch.copy.SM90.bulk_copy_s2g", [AttrSizedOperandSegments],
        (ins Optional<I16>:$byte_mask, Optional<I64>:$cache_policy), (ins),
        "`)` (`byte_mask` `=` $byte_mask^)? (`cache_policy` `=` $cache_policy^)?"> {
  let summary = "cp.async.bulk from shared to global memory, as part of a bulk group";
}
def CuteNvgpu_ArchBulkCopyS2SOp
    : CuteNvgpu_ArchBulk<"arch.copy.SM90.bulk_copy_s2s", [], (ins Cute_Ptr:$barrier), (ins), "`,` $barrier `)`"> {
  let summary = "cp.async.bulk to the shared memory of another CTA; its barrier counts the bytes";
}
def CuteNvgpu_ArchBulkReduceOp
    : CuteNvgpu_ArchBulk<"arch.copy.SM90.bulk_reduce", [AttrSizedOperandSegments],
        (ins Optional<Cute_Ptr>:$barrier, Optional<I64>:$cache_policy),
        (ins CuteNvgpu_ReductionKindAttr:$kind, TypeAttr:$element),
        "(`,` $barrier^)? `)` (`cache_policy` `=` $cache_policy^)?"> {
  let summary = "cp.reduce.async.bulk into global memory (a bulk group) or another CTA's shared memory (its barrier)";
  let extraClassDeclaration = [{
    /// The row of the instruction.
    ::tessera::Result<const ::tessera::atom::CopyRow *> getRow();
  }];
}
def CuteNvgpu_ArchBulkPrefetchOp
    : CuteNvgpu_Op<"arch.copy.SM90.bulk_prefetch", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "brings a run of bytes of global memory into L2";
  let arguments = (ins Cute_Ptr:$src, Optional<I64>:$cache_policy, I32Attr:$bytes);
  let assemblyFormat = "`(` $src `)` (`cache_policy` `=` $cache_policy^)? attr-dict `:` `(` type(operands) `)`";
  let hasVerifier = 1;
}
def CuteNvgpu_ArchDsmemStoreOp
    : CuteNvgpu_Op<"arch.copy.SM90.dsmem_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "st.async of 1, 2 or 4 words to another CTA; its barrier counts the bytes";
  let arguments = (ins Cute_Ptr:$dst, CuteNvgpu_Words:$value, Cute_Ptr:$barrier);
  let assemblyFormat = "`(` operands `)` attr-dict `:` `(` type(operands) `)`";
  let hasVerifier = 1;
}
def CuteNvgpu_MapDsmemPtrOp : CuteNvgpu_Op<"arch.map_dsmem_ptr", [Pure]> {
  let summary = "the same place in the shared memory of a CTA of the cluster";
  let arguments = (ins Cute_Ptr:$ptr, I32:$rank);
  let results = (outs Cute_Ptr:$result);
  let assemblyFormat = "`(` $ptr `,` $rank `)` attr-dict `:` functional-type($ptr, $result)";
  let hasVerifier = 1;
}

#endif
