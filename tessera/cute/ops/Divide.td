// Division into tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_OPS_DIVIDE_TD
#define TESSERA_CUTE_OPS_DIVIDE_TD

include "tessera/cute/ops/Base.td"

def Cute_LogicalDivideOp : Cute_AlgebraOp<"logical_divide", "; (Q, Q) -> Q"> {
  let summary = "(tile, rest) in every mode";
  let description = [{A layout divides the whole domain, a tile mode by mode.}];
  let arguments = (ins Cute_LayoutOrView:$input, Cute_Tiler:$tiler);
  let results = (outs Cute_LayoutOrView:$result);
}
def Cute_ZippedDivideOp : Cute_AlgebraOp<"zipped_divide", "; (Q, Q) -> Q"> {
  let summary = "(tiles, rests)";
  let description = [{A layout divides the whole domain, a tile mode by mode.}];
  let arguments = (ins Cute_LayoutOrView:$input, Cute_Tiler:$tiler);
  let results = (outs Cute_LayoutOrView:$result);
}
def Cute_TiledDivideOp : Cute_AlgebraOp<"tiled_divide", "; (Q, Q) -> Q"> {
  let summary = "(tiles, rest, rest, ...)";
  let description = [{A layout divides the whole domain, a tile mode by mode.}];
  let arguments = (ins Cute_LayoutOrView:$input, Cute_Tiler:$tiler);
  let results = (outs Cute_LayoutOrView:$result);
}
def Cute_FlatDivideOp : Cute_AlgebraOp<"flat_divide", "; (Q, Q) -> Q"> {
  let summary = "(tile, tile, ..., rest, rest, ...)";
  let description = [{A layout divides the whole domain, a tile mode by mode.}];
  let arguments = (ins Cute_LayoutOrView:$input, Cute_Tiler:$tiler);
  let results = (outs Cute_LayoutOrView:$result);
}
def Cute_LocalTileOp : Cute_AlgebraOp<"local_tile", "proj; (Q, Q, Q) -> Q"> {
  let summary = "the tile at a coordinate";
  let description = [{zipped_divide, then a slice of the rests. `proj` keeps the modes of tiler and coordinate that it fixes.}];
  let arguments = (ins Cute_View:$input, Cute_Tiler:$tiler, Cute_Coord:$coord, OptionalAttr<Cute_CoordAttr>:$proj);
  let results = (outs Cute_View:$result);
  let extraMethods = [{
  }];
}

#endif
