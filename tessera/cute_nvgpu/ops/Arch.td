// Architecture ops of no family: the resources of a block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_NVGPU_OPS_ARCH_TD
#define TESSERA_CUTE_NVGPU_OPS_ARCH_TD

include "tessera/cute_nvgpu/ops/Base.td"

def CuteNvgpu_GetDynSmemOp : CuteNvgpu_Op<"arch.get_dyn_smem", [Pure]> {
  let summary = "start of the block's dynamic shared memory";
  let results = (outs CuteNvgpu_SmemPtr:$result);
  let assemblyFormat = "`(` `)` attr-dict `:` qualified(type($result))";
}
def CuteNvgpu_GetDynSmemSizeOp : CuteNvgpu_Op<"arch.get_dyn_smem_size", [Pure]> {
  let summary = "bytes of dynamic shared memory that the launch gave the block";
  let results = (outs I32:$result);
  let assemblyFormat = "`(` `)` attr-dict `:` qualified(type($result))";
}
def CuteNvgpu_MakeWarpUniformOp : CuteNvgpu_Op<"arch.make_warp_uniform", [Pure]> {
  let summary = "a value that is the same in all threads of a warp, told to the compiler";
  let arguments = (ins I32:$value);
  let results = (outs I32:$result);
  let assemblyFormat = "`(` $value `)` attr-dict `:` qualified(type($result))";
}

#endif
