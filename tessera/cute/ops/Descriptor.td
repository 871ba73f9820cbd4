// Ops on descriptor iterators.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_OPS_DESCRIPTOR_TD
#define TESSERA_CUTE_OPS_DESCRIPTOR_TD

include "tessera/cute/ops/Base.td"

def Cute_MakeDescIterOp : Cute_AlgebraOp<"make_desc_iter", "; (Q, Q) -> Q"> {
  let summary = "descriptor iterator at the beginning of a layout";
  let description = [{
    After the pointer stands the layout, or an extent, a tile shape and a stride: then the layout is
    `ceil_div(extent, tile shape) : stride`, one place for each tile.
  }];
  let arguments = (ins Cute_Ptr:$base, Variadic<Cute_Walk>:$walk);
  let results = (outs Cute_DescIter:$result);
}

def Cute_DerefDescIterOp : Cute_AlgebraOp<"deref_desc_iter", "; (Q) -> Q"> {
  let summary = "pointer to the element at which a descriptor iterator stands";
  let arguments = (ins Cute_DescIter:$iter);
  let results = (outs Cute_Ptr:$result);
}

#endif
