// Matrix descriptors of shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_NVGPU_FAMILIES_GROUP_DESCRIPTORS_TD
#define TESSERA_CUTE_NVGPU_FAMILIES_GROUP_DESCRIPTORS_TD

include "tessera/cute_nvgpu/ops/Base.td"

class CuteNvgpu_MakeSmemDescOp<string mnemonic, string which> : CuteNvgpu_Op<mnemonic, [Pure]> {
  let summary = "descriptor for " # which # " of the matrix at a pointer; layout in elements";
  let arguments = (ins Cute_Ptr:$ptr, Cute_LayoutAttr:$layout, CuteNvgpu_MajorAttr:$major);
  let results = (outs CuteNvgpu_SmemDesc:$result);
  let assemblyFormat = "`(` $ptr `)` attr-dict `:` functional-type($ptr, $result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The descriptor except for its address, or why hardware has no such matrix.
    ::tessera::Result<uint64_t> getWord();
  }];
}
def CuteNvgpu_MakeGmmaSmemDescOp : CuteNvgpu_MakeSmemDescOp<"make_gmma_smem_desc", "wgmma">;
def CuteNvgpu_MakeUmmaSmemDescOp : CuteNvgpu_MakeSmemDescOp<"make_umma_smem_desc", "tcgen05.mma">;

#endif
