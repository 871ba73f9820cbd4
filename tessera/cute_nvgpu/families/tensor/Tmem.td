// Tensor memory: allocation and addresses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_NVGPU_FAMILIES_TENSOR_TMEM_TD
#define TESSERA_CUTE_NVGPU_FAMILIES_TENSOR_TMEM_TD

include "tessera/cute_nvgpu/ops/Base.td"

def CuteNvgpu_AllocTmemOp
    : CuteNvgpu_Op<"arch.sm100.alloc_tmem", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "allocates columns of tensor memory and writes the address to shared memory";
  let description = [{`[ cta_1]`, or `[cta_2]` for a pair of CTAs. A whole warp executes it.}];
  let arguments = (ins I32:$num_columns, Cute_Ptr:$smem, UnitAttr:$is_two_cta);
  let assemblyFormat = [{
    `(` $num_columns `,` $smem `)` custom<CtaGroup>($is_two_cta) attr-dict `:` type($num_columns) `,` qualified(type($smem))
  }];
  let hasVerifier = 1;
}
def CuteNvgpu_DeallocTmemOp
    : CuteNvgpu_Op<"arch.sm100.dealloc_tmem", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "frees columns of tensor memory";
  let arguments = (ins Cute_Ptr:$tmem, I32:$num_columns, UnitAttr:$is_two_cta);
  let assemblyFormat = [{
    `(` $tmem `,` $num_columns `)` custom<CtaGroup>($is_two_cta) attr-dict `:` qualified(type($tmem)) `,` type($num_columns)
  }];
  let hasVerifier = 1;
}
def CuteNvgpu_RelinquishTmemAllocPermitOp
    : CuteNvgpu_Op<"arch.sm100.relinquish_tmem_alloc_permit", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "lets other CTAs of the SM allocate tensor memory";
  let arguments = (ins UnitAttr:$is_two_cta);
  let assemblyFormat = "custom<CtaGroup>($is_two_cta) attr-dict";
}
def CuteNvgpu_RetrieveTmemPtrOp
    : CuteNvgpu_Op<"arch.sm100.retrieve_tmem_ptr", [MemoryEffects<[MemRead]>]> {
  let summary = "the address that alloc_tmem wrote";
  let arguments = (ins Cute_Ptr:$smem);
  let results = (outs Cute_Ptr:$result);
  let assemblyFormat = "`(` $smem `)` attr-dict `:` qualified(type($smem)) `->` qualified(type($result))";
  let hasVerifier = 1;
}
/// The tiled copy follows from the atom and the tensor.
class CuteNvgpu_MakeTensorCopyOp<string mnemonic> : CuteNvgpu_Op<mnemonic, [Pure]> {
  let arguments = (ins CuteNvgpu_CopyAtom:$atom, Cute_MemRef:$tmem);
  let results = (outs Cute_TiledCopy:$result);
  let assemblyFormat = "`(` operands `)` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def CuteNvgpu_MakeTmemCopyOp : CuteNvgpu_MakeTensorCopyOp<"atom.make_tmem_copy"> {
  let summary = "tiled copy between tensor memory and the registers of four warps, from an atom and the tensor";
}
def CuteNvgpu_MakeS2TCopyOp : CuteNvgpu_MakeTensorCopyOp<"atom.make_s2t_copy"> {
  let summary = "tiled copy from shared to tensor memory, by one thread, from an atom and the tensor in tensor memory";
}
def CuteNvgpu_GetCopyS2TSmemDescViewOp : CuteNvgpu_Op<"atom.get_copy_s2t_smem_desc_view", [Pure]> {
  let summary = "descriptors of what each call of a copy from shared to tensor memory reads";
  let description = [{The partition's first mode is what one call reads; the others are offsets in 16 bytes.}];
  let arguments = (ins CuteNvgpu_CopyAtom:$atom, Cute_MemRef:$partition);
  let results = (outs CuteNvgpu_SmemDescView:$result);
  let assemblyFormat = "`(` operands `)` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The rows and bytes of one call, ((rows, elements)): the layout of its descriptor.
    ::tessera::Result<::tessera::layout::Layout> getMatrix();
  }];
}

#endif
