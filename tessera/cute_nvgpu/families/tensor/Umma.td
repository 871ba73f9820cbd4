// Products in tensor memory: tcgen05.mma, dense, sparse and block-scaled.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_NVGPU_FAMILIES_TENSOR_UMMA_TD
#define TESSERA_CUTE_NVGPU_FAMILIES_TENSOR_UMMA_TD

include "tessera/cute_nvgpu/ops/Base.td"

/// One bit for each lane of D of one block, or of a pair.
def CuteNvgpu_LaneMask : Cute_OneOf<[VectorOfLengthAndType<[4, 8], [I32]>], "4 or 8 words of 32 bits">;

/// Qualifiers are attributes. Without `kind` it follows from the element types. The ladder of tessera/atom/UmmaForm.h holds for all of
/// them; its rules about the target wait for the SM gate.
class CuteNvgpu_ArchUmma<string mnemonic, dag operands>
    : CuteNvgpu_Op<mnemonic, [MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = !con(
      (ins CuteNvgpu_PtrOrSmemDesc:$a, CuteNvgpu_SmemDesc:$b, Cute_Ptr:$d, I32:$idesc, I1:$accumulate), operands,
      (ins TypeAttr:$a_type, OptionalAttr<TypeAttr>:$b_type, ConfinedAttr<I32Attr, [IntMinValue<1>, IntMaxValue<2>]>:$num_cta,
           ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<15>]>:$scale, OptionalAttr<CuteNvgpu_MmaKindAttr>:$kind,
           OptionalAttr<CuteNvgpu_ScaleVecAttr>:$scale_vec, OptionalAttr<CuteNvgpu_CollectorOpAttr>:$collector_a,
           OptionalAttr<ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<3>]>>:$collector_buffer, UnitAttr:$ashift,
           UnitAttr:$weight_stationary));
  let assemblyFormat = "`(` operands `)` attr-dict `:` `(` type(operands) `)`";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The qualifiers, as the tables know them.
    ::tessera::atom::UmmaForm getForm();
  }];
}
def CuteNvgpu_ArchUmmaOp : CuteNvgpu_ArchUmma<"arch.mma.SM100.umma", (ins Optional<CuteNvgpu_LaneMask>:$disabled)> {
  let summary = "tcgen05.mma: A (descriptor or tensor memory), B, accumulator, instruction descriptor, whether D counts, lanes of D that stay";
}
def CuteNvgpu_ArchUmmaSparseOp : CuteNvgpu_ArchUmma<"arch.mma.SM100.umma_sparse", (ins Cute_Ptr:$e)> {
  let summary = "tcgen05.mma.sp: A holds half of its values, E in tensor memory says which";
}
def CuteNvgpu_ArchUmmaBlockScaledOp
    : CuteNvgpu_ArchUmma<"arch.mma.SM100.umma_block_scaled", (ins Cute_MemRef:$sfa, Cute_MemRef:$sfb)> {
  let summary = "tcgen05.mma.block_scale: the scale factors of A and B in tensor memory, laid out as (rows, (elements per factor, factors))";
}
def CuteNvgpu_ArchUmmaBlockScaledSparseOp
    : CuteNvgpu_ArchUmma<"arch.mma.SM100.umma_block_scaled_sparse", (ins Cute_Ptr:$e, Cute_MemRef:$sfa, Cute_MemRef:$sfb)> {
  let summary = "tcgen05.mma.sp.block_scale";
}

#endif
