// Products of layouts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_OPS_PRODUCT_TD
#define TESSERA_CUTE_OPS_PRODUCT_TD

include "tessera/cute/ops/Base.td"

def Cute_LogicalProductOp : Cute_AlgebraOp<"logical_product", "; (Q, Q) -> Q"> {
  let summary = "(block, copies)";
  let arguments = (ins Cute_AnyLayout:$lhs, Cute_Layout:$rhs);
  let results = (outs Cute_AnyLayout:$result);
}
def Cute_ZippedProductOp : Cute_AlgebraOp<"zipped_product", "; (Q, Q) -> Q"> {
  let summary = "(block, copies)";
  let arguments = (ins Cute_AnyLayout:$lhs, Cute_Layout:$rhs);
  let results = (outs Cute_AnyLayout:$result);
}
def Cute_TiledProductOp : Cute_AlgebraOp<"tiled_product", "; (Q, Q) -> Q"> {
  let summary = "(block, copies of each mode)";
  let arguments = (ins Cute_AnyLayout:$lhs, Cute_Layout:$rhs);
  let results = (outs Cute_AnyLayout:$result);
}
def Cute_FlatProductOp : Cute_AlgebraOp<"flat_product", "; (Q, Q) -> Q"> {
  let summary = "all modes side by side";
  let arguments = (ins Cute_AnyLayout:$lhs, Cute_Layout:$rhs);
  let results = (outs Cute_AnyLayout:$result);
}
def Cute_BlockedProductOp : Cute_AlgebraOp<"blocked_product", "; (Q, Q) -> Q"> {
  let summary = "blocks side by side, mode by mode";
  let arguments = (ins Cute_AnyLayout:$lhs, Cute_Layout:$rhs);
  let results = (outs Cute_AnyLayout:$result);
}
def Cute_RakedProductOp : Cute_AlgebraOp<"raked_product", "; (Q, Q) -> Q"> {
  let summary = "blocks interleaved, mode by mode";
  let arguments = (ins Cute_AnyLayout:$lhs, Cute_Layout:$rhs);
  let results = (outs Cute_AnyLayout:$result);
}

#endif
