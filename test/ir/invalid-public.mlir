// What NVIDIA's public dialect refuses, in its words (tessera/cute/Diagnostics.def).
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

func.func @f(%t: !cute.tile<"[4:1;_]">) {
  // expected-error @+2 {{expects a tile operand with no underscore slots, but got '!cute.tile<"[4:1;_]">'}}
  // expected-error @+1 {{'cute.get_shape' op failed to infer returned types}}
  %0 = cute.get_shape(%t) : !cute.tile<"[4:1;_]"> -> !cute.shape<"(4,x)">
  return
}

// -----

func.func @f(%t: !cute.tile<"[_;_;_]">) {
  // expected-error @+1 {{expects $tile to contain at least one layout slot, but got '!cute.tile<"[_;_;_]">'}}
  cute.get_layouts_from_tile(%t) : !cute.tile<"[_;_;_]">
  return
}

// -----

func.func @f(%s: !cute.stride<"2@1">) {
  // expected-error @+2 {{expects source without scaled-basis strides, but got '!cute.stride<"2@1">'}}
  // expected-error @+1 {{'cute.to_int_tuple' op failed to infer returned types}}
  %0 = cute.to_int_tuple(%s) : !cute.stride<"2@1"> -> !cute.int_tuple<"2">
  return
}

// -----

func.func @f(%c: !cute.coord<"(_,3)">) {
  // expected-error @+2 {{expects source without underscores (_), but got '!cute.coord<"(_,3)">'}}
  // expected-error @+1 {{'cute.to_int_tuple' op failed to infer returned types}}
  %0 = cute.to_int_tuple(%c) : !cute.coord<"(_,3)"> -> !cute.int_tuple<"(1,3)">
  return
}

// -----

func.func @f(%l: !cute.layout<"(8,3):(1@1,1@0)">) {
  // expected-error @+2 {{expects plain integer strides in source layout, but got scaled-basis strides}}
  // expected-error @+1 {{'cute.make_layout_like' op failed to infer returned types}}
  %0 = cute.make_layout_like(%l) : !cute.layout<"(8,3):(1@1,1@0)"> -> !cute.layout<"(8,3):(1,8)">
  return
}

// -----

func.func @f(%l: !cute.composed_layout<"(8,8):(8,1) o 1 o (4,2):(2,1)">) {
  // expected-error @+2 {{expects source composed layout to have a Swizzle A component, but got a layout A}}
  // expected-error @+1 {{'cute.make_layout_like' op failed to infer returned types}}
  %0 = cute.make_layout_like(%l) : !cute.composed_layout<"(8,8):(8,1) o 1 o (4,2):(2,1)"> -> !cute.layout<"(4,2):(2,1)">
  return
}

// -----

func.func @f(%l: !cute.layout<"(4,2):(1,4)">, %s: !cute.shape<"(8,8)">, %o: !cute.int_tuple<"(0,?)">) {
  // expected-error @+2 {{expects static order, but got (0,?); expects order to be a static int_tuple, but got '!cute.int_tuple<"(0,?)">': expects only static order modes, but got "(0,?)"}}
  // expected-error @+1 {{'cute.tile_to_shape' op failed to infer returned types}}
  %0 = cute.tile_to_shape(%l, %s, %o) : (!cute.layout<"(4,2):(1,4)">, !cute.shape<"(8,8)">, !cute.int_tuple<"(0,?)">) -> !cute.layout<"((4,2),(2,4)):((1,8),(4,16))">
  return
}

// -----

func.func @f(%l: !cute.layout<"(4,2):(1,4)">, %s: !cute.shape<"(8,8)">, %o: !cute.int_tuple<"(0,1,2)">) {
  // expected-error @+2 {{expects order rank (3) to equal target-shape rank (2)}}
  // expected-error @+1 {{'cute.tile_to_shape' op failed to infer returned types}}
  %0 = cute.tile_to_shape(%l, %s, %o) : (!cute.layout<"(4,2):(1,4)">, !cute.shape<"(8,8)">, !cute.int_tuple<"(0,1,2)">) -> !cute.layout<"((4,2),(2,4)):((1,8),(4,16))">
  return
}

// -----

func.func @f(%l: !cute.layout<"(4,2):(1,4)">, %s: !cute.shape<"(8,8)">, %o: !cute.int_tuple<"(0,2)">) {
  // expected-error @+2 {{expects $order to be a permutation of [0, 2), but got out-of-range index 2 at mode 1}}
  // expected-error @+1 {{'cute.tile_to_shape' op failed to infer returned types}}
  %0 = cute.tile_to_shape(%l, %s, %o) : (!cute.layout<"(4,2):(1,4)">, !cute.shape<"(8,8)">, !cute.int_tuple<"(0,2)">) -> !cute.layout<"((4,2),(2,4)):((1,8),(4,16))">
  return
}

// -----

func.func @f(%l: !cute.layout<"(4,2):(1,4)">, %s: !cute.shape<"(8,8)">, %o: !cute.int_tuple<"(1,1)">) {
  // expected-error @+2 {{expects $order to be a permutation of [0, 2), but index 1 appears more than once}}
  // expected-error @+1 {{'cute.tile_to_shape' op failed to infer returned types}}
  %0 = cute.tile_to_shape(%l, %s, %o) : (!cute.layout<"(4,2):(1,4)">, !cute.shape<"(8,8)">, !cute.int_tuple<"(1,1)">) -> !cute.layout<"((4,2),(2,4)):((1,8),(4,16))">
  return
}

// -----

func.func @f(%l: !cute.layout<"(4,2,2):(1,4,8)">, %s: !cute.shape<"(8,8)">, %o: !cute.int_tuple<"(0,1)">) {
  // expected-error @+2 {{expects block layout rank <= target shape rank, but got rank 3 block and rank 2 target shape}}
  // expected-error @+1 {{'cute.tile_to_shape' op failed to infer returned types}}
  %0 = cute.tile_to_shape(%l, %s, %o) : (!cute.layout<"(4,2,2):(1,4,8)">, !cute.shape<"(8,8)">, !cute.int_tuple<"(0,1)">) -> !cute.layout<"((4,2),(2,4)):((1,8),(4,16))">
  return
}

// -----

func.func @f(%l: !cute.layout<"(4,2):(1@0,1@1)">, %s: !cute.shape<"(4,6)">) {
  // expected-error @+2 {{expects input with integer strides, but '!cute.layout<"(4,2):(1@0,1@1)">' has non-integer strides}}
  // expected-error @+1 {{'cute.complement' op failed to infer returned types}}
  %0 = cute.complement(%l, %s) : (!cute.layout<"(4,2):(1@0,1@1)">, !cute.shape<"(4,6)">) -> !cute.layout<"1:0">
  return
}

// -----

func.func @f(%l: !cute.layout<"(?,5):(1,9)">) {
  // expected-error @+2 {{expects a static-shape input layout, but got '!cute.layout<"(?,5):(1,9)">'}}
  // expected-error @+1 {{'cute.right_inverse' op failed to infer returned types}}
  %0 = cute.right_inverse(%l) : (!cute.layout<"(?,5):(1,9)">) -> !cute.layout<"5:1">
  return
}

// -----

func.func @f(%a: !cute.layout<"(?,2):(1,4)">, %b: !cute.layout<"(2,2):(1,2)">) {
  // expected-error @+2 {{expects lhs to be static, but got '!cute.layout<"(?,2):(1,4)">'}}
  // expected-error @+1 {{'cute.blocked_product' op failed to infer returned types}}
  %0 = cute.blocked_product(%a, %b) : (!cute.layout<"(?,2):(1,4)">, !cute.layout<"(2,2):(1,2)">) -> !cute.layout<"1:1">
  return
}

// -----

func.func @f(%a: !cute.layout<"(3,2):(1,4)">, %b: !cute.layout<"(2,2):(1@0,1@1)">) {
  // expected-error @+2 {{expects rhs stride to be integer-only (scaled-basis strides like `N@M` are not supported), but got '!cute.layout<"(2,2):(1@0,1@1)">'}}
  // expected-error @+1 {{'cute.blocked_product' op failed to infer returned types}}
  %0 = cute.blocked_product(%a, %b) : (!cute.layout<"(3,2):(1,4)">, !cute.layout<"(2,2):(1@0,1@1)">) -> !cute.layout<"1:1">
  return
}

// -----

func.func @f(%a: !cute.layout<"(3,2):(1@0,1@1)">, %b: !cute.layout<"(2,?):(1,2)">) {
  // expected-error @+2 {{expects rhs to be static when lhs has scaled-basis strides (`N@M`), but got rhs '!cute.layout<"(2,?):(1,2)">'}}
  // expected-error @+1 {{'cute.blocked_product' op failed to infer returned types}}
  %0 = cute.blocked_product(%a, %b) : (!cute.layout<"(3,2):(1@0,1@1)">, !cute.layout<"(2,?):(1,2)">) -> !cute.layout<"1:1">
  return
}

// -----

func.func @f(%a: !cute.layout<"(4,6):(6,1)">, %b: !cute.layout<"(2,3):(?,1)">) {
  // expected-error @+2 {{expects tiler to have a static stride or to be rank-1, but got tiler (2,3):(?,1)}}
  // expected-error @+1 {{'cute.zipped_divide' op failed to infer returned types}}
  %0 = cute.zipped_divide(%a, %b) : (!cute.layout<"(4,6):(6,1)">, !cute.layout<"(2,3):(?,1)">) -> !cute.layout<"1:1">
  return
}

// -----

func.func @f(%a: !cute.layout<"(4,6):(6,1)">, %b: !cute.tile<"[2:1;3:1@1]">) {
  // expected-error @+2 {{expects layout components of a tile tiler to have integer-only strides (scaled-basis strides like `N@M` are not supported), but got tiler 3:1@1 at mode path [1]}}
  // expected-error @+1 {{'cute.zipped_divide' op failed to infer returned types}}
  %0 = cute.zipped_divide(%a, %b) : (!cute.layout<"(4,6):(6,1)">, !cute.tile<"[2:1;3:1@1]">) -> !cute.layout<"1:1">
  return
}

// -----

func.func @f(%a: !cute.layout<"(2,3):(1@0,1@1)">) {
  // expected-error @+2 {{expects integer or dynamic strides, but '!cute.layout<"(2,3):(1@0,1@1)">' has scaled-basis strides}}
  // expected-error @+1 {{'cute.recast_layout' op failed to infer returned types}}
  %0 = cute.recast_layout<16, 8>(%a) : !cute.layout<"(2,3):(1@0,1@1)"> -> !cute.layout<"(1,3):(1@0,1@1)">
  return
}

// -----

// Bases beside zeros, and a width that stays.
func.func @f(%a: !cute.layout<"(4,(2,?)):(0,(1@1,2@0))">) {
  // expected-error @+2 {{expects integer or dynamic strides, but '!cute.layout<"(4,(2,?)):(0,(1@1,2@0))">' has scaled-basis strides}}
  // expected-error @+1 {{'cute.recast_layout' op failed to infer returned types}}
  %0 = cute.recast_layout<8, 8>(%a) : !cute.layout<"(4,(2,?)):(0,(1@1,2@0))"> -> !cute.layout<"(4,(2,?)):(0,(1@1,2@0))">
  return
}

// -----

// The outer layout counts, before what is inside.
func.func @f(%a: !cute.composed_layout<"(2,3):(1,3) o (0,0) o (2,3):(1@0,1@1)">) {
  // expected-error @+2 {{expects integer or dynamic strides, but '!cute.composed_layout<"(2,3):(1,3) o (0,0) o (2,3):(1@0,1@1)">' has scaled-basis strides}}
  // expected-error @+1 {{'cute.recast_layout' op failed to infer returned types}}
  %0 = cute.recast_layout<16, 8>(%a) : !cute.composed_layout<"(2,3):(1,3) o (0,0) o (2,3):(1@0,1@1)"> -> !cute.composed_layout<"(2,3):(1,3) o (0,0) o (2,3):(1@0,1@1)">
  return
}

// -----

func.func @f(%a: !cute.swizzle<"S<3,5,4>">, %c: !cute.coord<"_">) {
  // expected-error @+1 {{expects $input to be !cute.shape, !cute.stride, !cute.int_tuple, !cute.coord, !cute.layout, or !cute.composed_layout, but got '!cute.swizzle<"S<3,5,4>">'}}
  %0 = cute.slice(%a, %c) : !cute.swizzle<"S<3,5,4>">, !cute.coord<"_">
  return
}

// -----

func.func @f(%a: !cute.composed_layout<"(8,8):(8,1) o 1 o (4,2):(2,1)">) {
  // expected-error @+2 {{expects composed_layout inner to be a swizzle (cosize is undefined for affine inner), but got '!cute.composed_layout<"(8,8):(8,1) o 1 o (4,2):(2,1)">'}}
  // expected-error @+1 {{'cute.cosize' op failed to infer returned types}}
  %0 = cute.cosize(%a) : (!cute.composed_layout<"(8,8):(8,1) o 1 o (4,2):(2,1)">) -> !cute.int_tuple<"24">
  return
}

// -----

func.func @f(%a: !cute.coord<"(1,2)">, %s: !cute.int_tuple<"4">) {
  // expected-error @+1 {{'cute.elem_less' op expects congruent inputs, but got '!cute.coord<"(1,2)">' and '!cute.int_tuple<"4">': expects matching structure, but lhs is "(1,2)" and rhs is "4"}}
  %0 = cute.elem_less(%a, %s) : (!cute.coord<"(1,2)">, !cute.int_tuple<"4">) -> i1
  return
}

// -----

func.func @f(%a: !cute.composed_layout<"(6,5):(1,6) o 3 o (2,2):(1,2)">) {
  // expected-error @+1 {{'cute.equal' op operand #0 must be !cute.int_tuple, !cute.shape, !cute.coord, !cute.stride, or !cute.layout, but got '!cute.composed_layout<"(6,5):(1,6) o 3 o (2,2):(1,2)">'}}
  %0 = cute.equal(%a, %a) : (!cute.composed_layout<"(6,5):(1,6) o 3 o (2,2):(1,2)">, !cute.composed_layout<"(6,5):(1,6) o 3 o (2,2):(1,2)">) -> i1
  return
}

// -----

func.func @f(%a: !cute.coord<"(1,2)">, %s: !cute.layout<"4:1">) {
  // expected-error @+1 {{'cute.equal' op expects lhs and rhs to be the same kind, but got '!cute.coord<"(1,2)">' and '!cute.layout<"4:1">'}}
  %0 = cute.equal(%a, %s) : (!cute.coord<"(1,2)">, !cute.layout<"4:1">) -> i1
  return
}

// -----

func.func @f(%a: !cute.int_tuple<"(7,(8,1))">, %b: !cute.int_tuple<"(1,2)">) {
  // expected-error @+2 {{expects matching nesting at element 1, but got: '!cute.int_tuple<"(7,(8,1))">' and '!cute.int_tuple<"(1,2)">'}}
  // expected-error @+1 {{'cute.tuple_sub' op failed to infer returned types}}
  %0 = cute.tuple_sub(%a, %b) : (!cute.int_tuple<"(7,(8,1))">, !cute.int_tuple<"(1,2)">) -> !cute.int_tuple<"(6,6)">
  return
}

// -----

func.func @f(%a: !cute.int_tuple<"(7,8)">, %b: !cute.stride<"1">) {
  // expected-error @+1 {{expects input and element to have the same kind, but got '!cute.int_tuple<"(7,8)">' and '!cute.stride<"1">'}}
  %0 = cute.append_to_rank<4>(%a, %b) : !cute.int_tuple<"(7,8)">, !cute.stride<"1">
  return
}

// -----

func.func @f(%a: !cute.composed_layout<"S<2,3,3> o 0 o (8,8):(8,1)">, %b: !cute.stride<"1">) {
  // expected-error @+1 {{expects element to be !cute.layout when input is !cute.composed_layout, but got '!cute.stride<"1">'}}
  %0 = cute.append_to_rank<4>(%a, %b) : !cute.composed_layout<"S<2,3,3> o 0 o (8,8):(8,1)">, !cute.stride<"1">
  return
}

// -----

// expected-error @+1 {{failed to parse layout from "(5,4):(1/3@0,1@1)": expects scaled-basis strides to have integer values, not ratios, but got "(1/3@0,1@1)"}}
func.func @f(%a: !cute.layout<"(5,4):(1/3@0,1@1)">) {
  return
}

// -----

// expected-error @+1 {{expects shape and stride profile to match, but got "(5,4)" and "(1,5,20)": expects no error(`x`) in layout, but got "x:x"}}
func.func @f(%a: !cute.layout<"(5,4):(1,5,20)">) {
  return
}

// -----

func.func @f(%a: !cute.int_tuple<"(x,4)">) {
  // expected-error @+2 {{expects operands without errors (`x`), but got "(x,4)"}}
  // expected-error @+1 {{'cute.size' op failed to infer returned types}}
  %0 = cute.size(%a) : (!cute.int_tuple<"(x,4)">) -> !cute.int_tuple<"4">
  return
}

// -----

func.func @f(%a: !cute.layout<"(6,2):(1,6)">, %p: !cute.coord<"(1,1,1,1)">) {
  // expected-error @+2 {{expects target_profile rank (4) to not exceed the layout rank (2)}}
  // expected-error @+1 {{'cute.coalesce' op failed to infer returned types}}
  %0 = cute.coalesce(%a, %p) : (!cute.layout<"(6,2):(1,6)">, !cute.coord<"(1,1,1,1)">) -> !cute.layout<"12:1">
  return
}

// -----

// expected-error @+1 {{expects offset and `layout_eval(0, outer)` to be addable, but got 1 and (0,0)}}
func.func @f(%a: !cute.composed_layout<"(8,8):(8,1) o 1 o (4,2):(1@0,1@1)">) {
  return
}

// -----

func.func @f(%l: !cute.composed_layout<"S<2,3,3> o 0 o (8,8):(8,1)">, %c: !cute.coord<"(1,2)">) {
  // expected-error @+1 {{expects swizzle-A composed slice's coord to contain at least one underscore, but got '!cute.coord<"(1,2)">'}}
  %0 = cute.slice(%l, %c) : !cute.composed_layout<"S<2,3,3> o 0 o (8,8):(8,1)">, !cute.coord<"(1,2)">
  return
}

// -----

func.func @f(%l: !cute.composed_layout<"S<2,3,3> o 0 o (8,8):(?,1)">, %c: !cute.coord<"(1,_)">) {
  // expected-error @+1 {{expects swizzle-A composed slice's outer layout to be static, but got '!cute.composed_layout<"S<2,3,3> o 0 o (8,8):(?,1)">'}}
  %0 = cute.slice(%l, %c) : !cute.composed_layout<"S<2,3,3> o 0 o (8,8):(?,1)">, !cute.coord<"(1,_)">
  return
}

// -----

func.func @f(%c: !cute.coord<"(1,_)">, %s: !cute.shape<"(4,6)">) {
  // expected-error @+2 {{expects coord to be free of underscore wildcards, but got '!cute.coord<"(1,_)">'}}
  // expected-error @+1 {{'cute.increment_coord' op failed to infer returned types}}
  %0 = cute.increment_coord(%c, %s) : (!cute.coord<"(1,_)">, !cute.shape<"(4,6)">) -> !cute.coord<"(2,0)">
  return
}

// -----

func.func @f(%c: !cute.coord<"(1,2,3)">, %s: !cute.shape<"(4,6)">) {
  // expected-error @+2 {{expects coord to be congruent with shape, but got '!cute.coord<"(1,2,3)">' and '!cute.shape<"(4,6)">'}}
  // expected-error @+1 {{'cute.increment_coord' op failed to infer returned types}}
  %0 = cute.increment_coord(%c, %s) : (!cute.coord<"(1,2,3)">, !cute.shape<"(4,6)">) -> !cute.coord<"(2,2,3)">
  return
}

// -----

func.func @f(%c: !cute.coord<"(1,2,3)">, %s: !cute.shape<"(4,6)">) {
  // expected-error @+2 {{expects coord and shape to be weakly congruent: expects coordinate rank 2 (to match layout shape rank) or be a leaf, but got 3, "(1,2,3)"}}
  // expected-error @+1 {{'cute.crd2idx' op failed to infer returned types}}
  %0 = cute.crd2idx(%c, %s) : (!cute.coord<"(1,2,3)">, !cute.shape<"(4,6)">) -> !cute.int_tuple<"9">
  return
}

// -----

func.func @f(%l: !cute.layout<"(4,6):(1,4)">, %c: !cute.coord<"(?,_)">) {
  // expected-error @+1 {{expects coord to be static, but got '!cute.coord<"(?,_)">'}}
  %0 = cute.dice(%l, %c) : !cute.layout<"(4,6):(1,4)">, !cute.coord<"(?,_)">
  return
}

// -----

func.func @f(%a: !cute.int_tuple<"(7,8)">, %b: !cute.shape<"(1,2)">) {
  // expected-error @+2 {{expects lhs and rhs to have the same kind, but got '!cute.int_tuple<"(7,8)">' and '!cute.shape<"(1,2)">'}}
  // expected-error @+1 {{'cute.tuple_sub' op failed to infer returned types}}
  %0 = cute.tuple_sub(%a, %b) : (!cute.int_tuple<"(7,8)">, !cute.shape<"(1,2)">) -> !cute.int_tuple<"(6,6)">
  return
}

// -----

// A trivial composition has the type of its outer layout.
// expected-error @+1 {{expects a composed layout that is not trivial, but the swizzle of "S<0,4,3> o 0 o (8,4):(1,8)" changes nothing and its offset is 0: use !cute.layout for the outer layout}}
func.func private @f(!cute.composed_layout<"S<0,4,3> o 0 o (8,4):(1,8)">)

// -----

// An index has a number for each extent, or one for several.
func.func @f(%i: !cute.int_tuple<"(1,(2,3))">, %s: !cute.shape<"(4,8)">) {
  // expected-error @+2 {{unable to compute idx2crd for index '!cute.int_tuple<"(1,(2,3))">' and shape '!cute.shape<"(4,8)">': expects a number as the index within the extent 8, but got "(2,3)"}}
  // expected-error @+1 {{'cute.idx2crd' op failed to infer returned types}}
  %0 = cute.idx2crd(%i, %s) : (!cute.int_tuple<"(1,(2,3))">, !cute.shape<"(4,8)">) -> !cute.coord<"(1,(2,3))">
  return
}

// -----

func.func @f(%s: !cute.shape<"4">, %d: !cute.stride<"1">) {
  // expected-error @+1 {{expects operandSegmentSizes [1, 1], a shape and 1 strides, or none, but got [1, 0]}}
  %0 = "cute.make_layout"(%s, %d) <{operandSegmentSizes = array<i32: 1, 0>}> : (!cute.shape<"4">, !cute.stride<"1">) -> !cute.layout<"4:1">
  return
}

// -----

// A narrow leaf is filled by an integer of its width.
func.func @f(%n: i32) {
  // expected-error @+1 {{expects operand #0 to have (width=16), but got (width=32)}}
  %0 = cute.make_int_tuple(%n) : (i32) -> !cute.int_tuple<"?{i16}">
  return
}

// -----

// The inner layout takes the halves of an element to places that are 2 apart.
func.func @f(%l: !cute.composed_layout<"(4,5):(2,8) o 2 o (8,4):(1,8)">) {
  // expected-error @+2 {{recast from 16 to 8 bits: expects an inner layout whose first mode steps by 1 and whose others begin at whole new elements, but got "(4,5):(2,8) o 2 o (8,4):(1,8)"}}
  // expected-error @+1 {{'cute.recast_layout' op failed to infer returned types}}
  %0 = cute.recast_layout<8, 16>(%l) : !cute.composed_layout<"(4,5):(2,8) o 2 o (8,4):(1,8)"> -> !cute.composed_layout<"(8,5):(4,16) o 4 o (16,4):(1,16)">
  return
}

// -----

// Rows of three halves do not begin at whole elements.
func.func @f(%l: !cute.composed_layout<"(3,5):(1,9) o 2 o (8,4):(1,8)">) {
  // expected-error @+2 {{recast from 8 to 16 bits: expects an inner layout whose first mode steps by 1 and whose others begin at whole new elements, but got "(3,5):(1,9) o 2 o (8,4):(1,8)"}}
  // expected-error @+1 {{'cute.recast_layout' op failed to infer returned types}}
  %0 = cute.recast_layout<16, 8>(%l) : !cute.composed_layout<"(3,5):(1,9) o 2 o (8,4):(1,8)"> -> !cute.composed_layout<"(2,5):(1,5) o 1 o (4,4):(1,4)">
  return
}

// -----

func.func @f(%l: !cute.composed_layout<"(4,5):(1,4) o 3 o (8,4):(1,8)">) {
  // expected-error @+2 {{recast from 16 to 32 bits: offset 3 of "(4,5):(1,4) o 3 o (8,4):(1,8)" is not divisible by 2}}
  // expected-error @+1 {{'cute.recast_layout' op failed to infer returned types}}
  %0 = cute.recast_layout<32, 16>(%l) : !cute.composed_layout<"(4,5):(1,4) o 3 o (8,4):(1,8)"> -> !cute.composed_layout<"(2,5):(1,2) o 1 o (4,4):(1,4)">
  return
}

// -----

func.func @f(%a: !cute.stride<"(3,4)">) {
  // expected-error @+1 {{'cute.elem_less' op operand #0 must be !cute.int_tuple, !cute.shape, or !cute.coord (or an iterator), but got '!cute.stride<"(3,4)">'}}
  %0 = cute.elem_less(%a, %a) : (!cute.stride<"(3,4)">, !cute.stride<"(3,4)">) -> i1
  return
}

// -----

func.func @f(%n: i16) {
  // expected-error @+1 {{'cute.make_coord' op operand #0 must be variadic of i32, i64, or depth-0 !cute.int_tuple, but got 'i16': expects an i32 or i64 for the leaf ?, but got i16}}
  %0 = cute.make_coord(%n) : (i16) -> !cute.coord<"(_,?)">
  return
}
