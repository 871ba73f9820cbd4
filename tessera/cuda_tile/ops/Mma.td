// Products of matrices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUDA_TILE_OPS_MMA_TD
#define TESSERA_CUDA_TILE_OPS_MMA_TD

include "tessera/cuda_tile/ops/Base.td"

// Shapes are (M, K), (K, N) and (M, N), or the same with a batch in front.
class CudaTile_MmaOp<string mnemonic, string since, list<Trait> traits = [], list<string> scales = []>
  : CudaTile_PureOp<mnemonic, since, [AllTypesMatch<["acc", "result"]>, CudaTile_SameElementType<["lhs", "rhs"]>] # traits #
      [AllRanksMatch<["lhs", "rhs", "acc"] # scales>]> {
  let hasVerifier = 1;
}
def CudaTile_MmaFOperand : CudaTile_TileOf<CudaTile_BaseFloats # [CudaTile_TF32, CudaTile_F8E4M3FN, CudaTile_F8E5M2], "mmaf operand tile type">;
def CudaTile_MmaFAcc : CudaTile_TileOf<[CudaTile_F16, CudaTile_F32, CudaTile_F64], "mmaf acc/result tile type">;
def CudaTile_MmaFOp : CudaTile_MmaOp<"mmaf", "13, 1"> {
  let summary = "acc plus the product of lhs and rhs";
  let description = [{
    Accumulators: f16 or f32 for f16, f8E4M3FN and f8E5M2; f32 for bf16, tf32 and f32; f64 for f64. `fast_acc` (13.3) allows f8 products
    to be added in fewer bits on Hopper.
  }];
  let arguments = (ins CudaTile_MmaFOperand:$lhs, CudaTile_MmaFOperand:$rhs, CudaTile_MmaFAcc:$acc, UnitAttr:$fast_acc);
  let results = (outs CudaTile_MmaFAcc:$result);
  let assemblyFormat = [{$lhs `,` $rhs `,` $acc (`fast_acc` $fast_acc^)? attr-dict `:` custom<ShortType>(type($lhs)) `,` custom<ShortType>(type($rhs)) `,`
    custom<ShortType>(type($acc))}];
}
def CudaTile_MmaIOperand : CudaTile_TileOf<[CudaTile_I8], "mmai operand tile type">;
def CudaTile_MmaIAcc : CudaTile_TileOf<[CudaTile_I32], "mmai acc tile type">;
def CudaTile_MmaIResult : CudaTile_TileOf<[CudaTile_I32], "mmai result tile type">;
def CudaTile_MmaIOp : CudaTile_MmaOp<"mmai", "13, 1"> {
  let summary = "acc plus the product of 8-bit integers";
  let arguments = (ins CudaTile_MmaIOperand:$lhs, CudaTile_MmaIOperand:$rhs, CudaTile_MmaIAcc:$acc, CudaTile_SignednessAttr:$signedness_lhs,
    CudaTile_SignednessAttr:$signedness_rhs);
  let results = (outs CudaTile_MmaIResult:$result);
  let assemblyFormat = [{$lhs `,` $rhs `,` $acc custom<Signedness>($signedness_lhs) custom<Signedness>($signedness_rhs) attr-dict `:`
    custom<ShortType>(type($lhs)) `,` custom<ShortType>(type($rhs)) `,` custom<ShortType>(type($acc))}];
}
def CudaTile_MmaFScaledOperand : CudaTile_TileOf<[CudaTile_F8E4M3FN, CudaTile_F8E5M2, CudaTile_F4E2M1FN], "mmaf_scaled operand tile type">;
def CudaTile_MmaFScaledAcc : CudaTile_TileOf<[CudaTile_F32], "mmaf_scaled result tile type">;
def CudaTile_MmaFScaledScale : CudaTile_TileOf<[CudaTile_F8E4M3FN, CudaTile_F8E8M0FNU], "mmaf_scaled scale tile type", [CudaTile_F8E5M3FNU]>;
def CudaTile_MmaFScaledOp : CudaTile_MmaOp<"mmaf_scaled", "13, 3",
    [CudaTile_SameElementType<["lhs_scale", "rhs_scale"]>], ["lhs_scale", "rhs_scale"]> {
  let summary = "acc plus the product of block-scaled matrices";
  let description = [{
    Each block of v elements along K has a scale: lhs_scale is (M, K/v), rhs_scale (K/v, N). v is 32 for f8 with f8E8M0FNU; for f4E2M1FN
    16 or 32 with f8E8M0FNU, 16 with f8E4M3FN and f8E5M3FNU (13.4, a preview). Targets: sm_100 and above.
  }];
  let arguments = (ins CudaTile_MmaFScaledOperand:$lhs, CudaTile_MmaFScaledOperand:$rhs, CudaTile_MmaFScaledAcc:$acc,
    CudaTile_MmaFScaledScale:$lhs_scale, CudaTile_MmaFScaledScale:$rhs_scale);
  let results = (outs CudaTile_MmaFScaledAcc:$result);
  let assemblyFormat = [{$lhs `,` $rhs `,` $acc `,` $lhs_scale `,` $rhs_scale attr-dict `:` custom<ShortType>(type($lhs)) `,`
    custom<ShortType>(type($rhs)) `,` custom<ShortType>(type($acc)) `,` custom<ShortType>(type($lhs_scale)) `,` custom<ShortType>(type($rhs_scale))}];
}

#endif
