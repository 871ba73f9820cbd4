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
def CuteNvgpu_ArchTmemStoreOp : CuteNvgpu_ArchTmemCopy<"arch.copy.SM100.tmem_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "tcgen05.st";
  let arguments = (ins Cute_Ptr:$dst, CuteNvgpu_Words:$value,
                   I32Attr:$num_dp, I32Attr:$num_b, I32Attr:$num_rep, UnitAttr:$pack16b);
  let assemblyFormat = "`(` operands `)` attr-dict `:` `(` type(operands) `)`";
}

#endif
