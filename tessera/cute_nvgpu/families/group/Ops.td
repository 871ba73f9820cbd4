// Products of a warpgroup.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_NVGPU_FAMILIES_GROUP_OPS_TD
#define TESSERA_CUTE_NVGPU_FAMILIES_GROUP_OPS_TD

include "tessera/cute_nvgpu/ops/Base.td"

class CuteNvgpu_ArchGroupMma<string mnemonic, dag operands, dag more, string moreFormat>
    : CuteNvgpu_Op<mnemonic, [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>, TableMmaOp]> {
  let arguments = !con((ins Variadic<CuteNvgpu_RegisterOrSmemDesc>:$a, CuteNvgpu_SmemDesc:$b, Variadic<CuteNvgpu_Register>:$c, I1:$accumulate), operands,
                       (ins Cute_ShapeAttr:$shapeMNK, TypeAttr:$a_type, TypeAttr:$b_type, TypeAttr:$cd_type,
                            CuteNvgpu_MajorAttr:$a_major, CuteNvgpu_MajorAttr:$b_major, UnitAttr:$neg_a, UnitAttr:$neg_b,
                            OptionalAttr<CuteNvgpu_OverflowAttr>:$overflow), more);
  let results = (outs Variadic<CuteNvgpu_Register>:$d);
  let assemblyFormat = "`A` `[` $a `]` `B` `[` $b `]` `C` `[` $c `]` `,` $accumulate " # moreFormat #
                       " attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    /// The row of the instruction. The shape must be (M,N,K).
    ::tessera::Result<const ::tessera::atom::MmaRow *> getRow();
    /// Whether A comes from shared memory.
    bool takesDescriptor();
  }];
  let hasVerifier = 1;
}
def CuteNvgpu_ArchMmaSm90Op
    : CuteNvgpu_ArchGroupMma<"arch.mma.SM90", (ins), (ins OptionalAttr<CuteNvgpu_BinaryOpAttr>:$binary_op), ""> {
  let summary = "wgmma.mma_async: descriptors (or registers for A), the accumulators, and whether they count";
}
def CuteNvgpu_ArchMmaSm90SparseOp
    : CuteNvgpu_ArchGroupMma<"arch.mma.SM90.sparse", (ins I32:$e), (ins DefaultValuedAttr<I32Attr, "0">:$selector),
                             "`,` `E` `[` $e `]`"> {
  let summary = "wgmma.mma_async.sp: A holds half of its values, E says which; selector picks the lanes that give E";
}

#endif
