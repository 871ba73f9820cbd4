// Copies between tensor memory and registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_NVGPU_FAMILIES_TENSOR_COPIES_TD
#define TESSERA_CUTE_NVGPU_FAMILIES_TENSOR_COPIES_TD

include "tessera/cute_nvgpu/ops/Base.td"

/// A copy between tensor memory and the registers of a warp: `num_dp` lanes of `num_b` bits, `num_rep` times.
class CuteNvgpu_ArchTmemCopy<string mnemonic, list<Trait> traits> : CuteNvgpu_Op<mnemonic, traits> {
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The row of the instruction.
    ::tessera::Result<const ::tessera::atom::CopyRow *> getRow();
  }];
}
def CuteNvgpu_ArchTmemLoadOp : CuteNvgpu_ArchTmemCopy<"arch.copy.SM100.tmem_load", [MemoryEffects<[MemRead]>]> {
  let summary = "tcgen05.ld";
  let arguments = (ins Cute_Ptr:$src, I32Attr:$num_dp, I32Attr:$num_b, I32Attr:$num_rep, UnitAttr:$pack16b);
  let results = (outs CuteNvgpu_Words:$result);
  let assemblyFormat = "`(` $src `)` attr-dict `:` functional-type($src, $result)";
}
def CuteNvgpu_ArchTmemLoadRedOp : CuteNvgpu_ArchTmemCopy<"arch.copy.SM100.tmem_load_red", [MemoryEffects<[MemRead]>]> {
  let summary = "tcgen05.ld.red: what tmem_load gives, and of each lane the largest or smallest of it";
  let description = [{
    `smallest`, `magnitude` and `nan` are PTX's `.min`, `.abs` and `.NaN`. Of 16 data paths `half_split` says how many columns the second half
    of the lanes reads further on; without it, those after the first half's.
  }];
  let arguments = (ins Cute_Ptr:$src, TypeAttr:$type, I32Attr:$num_dp, I32Attr:$num_b, I32Attr:$num_rep, UnitAttr:$smallest,
                       UnitAttr:$magnitude, UnitAttr:$nan, OptionalAttr<I32Attr>:$half_split);
  let results = (outs CuteNvgpu_Words:$result, I32:$reduced);
  let assemblyFormat = "`(` $src `)` attr-dict `:` functional-type($src, results)";
  let extraClassDeclaration = [{
    /// The row of the instruction.
    ::tessera::Result<const ::tessera::atom::CopyRow *> getRow();
    ::tessera::atom::LaneReduction getReduction() { return {getSmallest(), getMagnitude(), getNan()}; }
  }];
}
def CuteNvgpu_ArchCopyS2TOp
    : CuteNvgpu_ArchTmemCopy<"arch.copy.SM100.copy_s2t", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "tcgen05.cp: `num_dp` data paths of `num_b` bits from shared to tensor memory";
  let description = [{
    One lane issues it; of two CTAs those of even rank do. `tcgen05.commit` says when it is done. With `format` numbers of 6 or 4 bits are widened.
  }];
  let arguments = (ins CuteNvgpu_SmemDesc:$src, Cute_Ptr:$dst, I32Attr:$num_dp, I32Attr:$num_b,
                       ConfinedAttr<I32Attr, [IntMinValue<1>, IntMaxValue<2>]>:$num_cta, CuteNvgpu_BroadcastAttr:$broadcast,
                       OptionalAttr<CuteNvgpu_PackedFormatAttr>:$format);
  let assemblyFormat = "`(` operands `)` attr-dict `:` `(` type(operands) `)`";
}
def CuteNvgpu_ArchTmemStoreOp : CuteNvgpu_ArchTmemCopy<"arch.copy.SM100.tmem_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "tcgen05.st";
  let arguments = (ins Cute_Ptr:$dst, CuteNvgpu_Words:$value,
                   I32Attr:$num_dp, I32Attr:$num_b, I32Attr:$num_rep, UnitAttr:$pack16b);
  let assemblyFormat = "`(` operands `)` attr-dict `:` `(` type(operands) `)`";
}

#endif
