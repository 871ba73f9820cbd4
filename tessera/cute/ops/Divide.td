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
def Cute_OuterDivideOp : Cute_AlgebraOp<"outer_divide", "grouping; (Q, Q) -> Q"> {
  let summary = "division seen from the last mode: (rests, tiles)";
  let description = [{
    A tile divides the last modes, a layout the domain with its last mode fastest. `grouping` says how tiles and rests are
    put together, rests first: `<zipped>` ((r),(t)), `<tiled>` (r0,r1,(t)), `<flat>` (r0,r1,t0,t1); pairs of `<logical>` stay.
  }];
  let arguments = (ins Cute_LayoutOrView:$input, Cute_Tiler:$tiler,
                   DefaultValuedAttr<Cute_GroupingAttr, "::tessera::cute::DivideGrouping::zipped">:$grouping);
  let results = (outs Cute_LayoutOrView:$result);
}
def Cute_StencilDivideOp : Cute_AlgebraOp<"stencil_divide", "grouping; (Q, Q, Q, Q, Q, Q) -> Q"> {
  let summary = "sliding windows: (window, outputs) in every mode under a window";
  let description = [{
    A mode of extent n and stride t under a window of w elements, d apart, moved by s, becomes
    (w, 1 + (before + n + after - ((w-1) d + 1)) / s) with the strides (d t, s t). `_` in `window` leaves a mode alone, as do ranks
    beyond it; a number holds for all modes below it. Window, stride and dilation are positive, and the window must fit.
    `offset` is the index of the first window's first element, (-before): result(w, o) + offset = input(w d + o s - before); a
    view's iterator has moved there already. The same division of an identity layout gives that coordinate, which lies in
    the padding unless 0 <= it < n. `padding` is two tuples, before and after, or nothing.
  }];
  let arguments = (ins Cute_LayoutOrView:$input, Cute_Tuple:$window, Cute_Tuple:$stride, Cute_Tuple:$dilation,
                   Variadic<Cute_Tuple>:$padding,
                   DefaultValuedAttr<Cute_GroupingAttr, "::tessera::cute::DivideGrouping::logical">:$grouping);
  let results = (outs Cute_LayoutOrView:$result, Cute_IntTuple:$offset);
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
