// Reductions and scans.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUDA_TILE_OPS_REDUCTION_TD
#define TESSERA_CUDA_TILE_OPS_REDUCTION_TD

include "tessera/cuda_tile/ops/Base.td"

// Checked before types are inferred, which needs a dimension in range.
def CudaTile_Combines : NativeOpTrait<"Combines"> {
  let cppNamespace = "::tessera::cuda_tile";
}
// N tiles of one shape are combined along a dimension by a region with 2N scalar arguments: the next element and what was accumulated, in turn.
class CudaTile_CombiningOp<string mnemonic, list<Trait> traits = []> : CudaTile_PureOp<mnemonic, "13, 1", [CudaTile_Combines, OpAsmOpInterface] # traits> {
  let description = [{
    The order in which elements are combined is not specified, but it is the same in every run. The identities may be combined in any number of
    times. The region may only hold pure ops.
  }];
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = CudaTile_Own.prefix # CudaTile_ResultName<mnemonic>.method # [{
    void getAsmBlockArgumentNames(::mlir::Region &region, ::mlir::OpAsmSetValueNameFn name);
  }];
}
def CudaTile_NonNegativeI32 : ConfinedAttr<I32Attr, [IntNonNegative]>;
def CudaTile_ReduceOp : CudaTile_CombiningOp<"reduce", [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "combines all elements along a dimension, which the result lacks";
  let arguments = (ins Variadic<CudaTile_AnyTile>:$operands, CudaTile_NonNegativeI32:$dim, ArrayAttr:$identities);
  let results = (outs Variadic<CudaTile_AnyTile>:$results);
}
def CudaTile_ScanOp : CudaTile_CombiningOp<"scan"> {
  let summary = "combines each element along a dimension with those before it, or after it if reverse";
  let arguments = (ins Variadic<CudaTile_AnyTile>:$operands, CudaTile_NonNegativeI32:$dim, BoolAttr:$reverse, ArrayAttr:$identities);
  let results = (outs Variadic<CudaTile_AnyTile>:$results);
}

#endif
