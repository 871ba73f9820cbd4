// The layout algebra refuses: each sentence of tessera/layout/Errors.def that an op can be brought to say. Where the
// public dialect has a message for the case, that is the wording.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: !cute.layout<"(4,8):(1,4)">) {
  // expected-error @+1 {{expects mode index in [0, 2) at depth 0, but got 5}}
  %0 = cute.get<[5]> (%a) : !cute.layout<"(4,8):(1,4)">
  return
}

// -----

func.func @f(%a: !cute.layout<"(4,8):(1,4)">) {
  // expected-error @+1 {{expects mode index in [0, 2) at depth 0, but got -1}}
  %0 = cute.get<[-1]> (%a) : !cute.layout<"(4,8):(1,4)">
  return
}

// -----

func.func @f(%a: !cute.layout<"(4,8):(1,4)">) {
  // expected-error @+1 {{expects mode indices to stop at a scalar leaf, but got 1 extra index after depth 1}}
  %0 = cute.get<[1, 0]> (%a) : !cute.layout<"(4,8):(1,4)">
  return
}

// -----

// Depths count from the tile.
func.func @f(%a: !cute.tile<"[4:1;(2,4):(1,2)]">) {
  // expected-error @+1 {{expects mode indices to stop at a scalar leaf, but got 1 extra index after depth 1}}
  %0 = cute.get<[0, 0]> (%a) : !cute.tile<"[4:1;(2,4):(1,2)]">
  return
}

// -----

// Depths count from the tile.
func.func @f(%a: !cute.tile<"[4:1;(2,4):(1,2)]">) {
  // expected-error @+1 {{expects mode indices to stop at a scalar leaf, but got 2 extra indices after depth 2}}
  %0 = cute.get<[1, 0, 0, 0]> (%a) : !cute.tile<"[4:1;(2,4):(1,2)]">
  return
}

// -----

// Depths count from the tile.
func.func @f(%a: !cute.tile<"[4:1;(2,4):(1,2)]">) {
  // expected-error @+1 {{expects mode index in [0, 2) at depth 1, but got 2}}
  %0 = cute.get<[1, 2]> (%a) : !cute.tile<"[4:1;(2,4):(1,2)]">
  return
}

// -----

func.func @f(%a: !cute.layout<"(4,8):(1,4)">) {
  // expected-error @+1 {{expects 0 <= begin, but got begin=-1}}
  %0 = cute.group_modes<-1, 2> (%a) : (!cute.layout<"(4,8):(1,4)">)
  return
}

// -----

func.func @f(%a: !cute.layout<"(4,8):(1,4)">) {
  // expected-error @+1 {{expects begin < end, but got begin=1, end=1}}
  %0 = cute.group_modes<1, 1> (%a) : (!cute.layout<"(4,8):(1,4)">)
  return
}

// -----

func.func @f(%a: !cute.layout<"(4,8):(1,4)">) {
  // expected-error @+1 {{expects end <= rank(input)=2, but got end=3}}
  %0 = cute.group_modes<0, 3> (%a) : (!cute.layout<"(4,8):(1,4)">)
  return
}

// -----

func.func @f(%a: !cute.layout<"(4,8):(1,4)">) {
  // expected-error @+1 {{expects mode index in [0, 2), but got 2: Invalid results for select(). Modes: [2]}}
  %0 = cute.select<[2]> (%a) : !cute.layout<"(4,8):(1,4)">
  return
}

// -----

func.func @f(%a: !cute.shape<"(4,8)">, %b: !cute.shape<"1">) {
  // expected-error @+1 {{expects rank to be a positive integer, but got 0}}
  %0 = cute.append_to_rank<0> (%a, %b) : !cute.shape<"(4,8)">, !cute.shape<"1">
  return
}

// -----

func.func @f(%a: !cute.shape<"(4,8)">, %b: !cute.shape<"1">) {
  // expected-error @+1 {{expects a rank of at most 1024, but got 2147483647}}
  %0 = cute.append_to_rank<2147483647> (%a, %b) : !cute.shape<"(4,8)">, !cute.shape<"1">
  return
}

// -----

func.func @f(%a: !cute.int_tuple<"(4,8)">, %b: !cute.int_tuple<"2">) {
  // expected-error @+1 {{expects matching structure, but rhs is a scalar and lhs is a tuple: '!cute.int_tuple<"(4,8)">' and '!cute.int_tuple<"2">'}}
  %0 = cute.tuple_add (%a, %b) : (!cute.int_tuple<"(4,8)">, !cute.int_tuple<"2">)
  return
}

// -----

func.func @f(%a: !cute.layout<"(8,4):(1,8)">, %b: !cute.coord<"(0,_,1)">) {
  // expected-error @+1 {{expects coord to be weakly congruent with input shape, but got '!cute.layout<"(8,4):(1,8)">' and '!cute.coord<"(0,_,1)">'}}
  %0 = cute.slice (%a, %b) : !cute.layout<"(8,4):(1,8)">, !cute.coord<"(0,_,1)">
  return
}

// -----

func.func @f(%a: !cute.coord<"(1,2,3)">, %b: !cute.layout<"(4,8):(1,4)">) {
  // expected-error @+1 {{expects coordinate rank 2 (to match layout shape rank) or be a leaf, but got 3, "(1,2,3)"}}
  %0 = cute.crd2idx (%a, %b) : (!cute.coord<"(1,2,3)">, !cute.layout<"(4,8):(1,4)">)
  return
}

// -----

func.func @f(%a: !cute.int_tuple<"(1,2,3)">, %b: !cute.shape<"(4,8)">) {
  // expected-error @+1 {{unable to compute idx2crd for index '!cute.int_tuple<"(1,2,3)">' and shape '!cute.shape<"(4,8)">': expects index rank 2 (to match shape rank) or scalar, but got 3, "(1,2,3)"}}
  %0 = cute.idx2crd (%a, %b) : (!cute.int_tuple<"(1,2,3)">, !cute.shape<"(4,8)">)
  return
}

// -----

func.func @f(%a: !cute.int_tuple<"4">, %b: !cute.int_tuple<"0">) {
  // expected-error @+1 {{divisor is zero in "4" / "0"}}
  %0 = cute.tuple_div (%a, %b) : (!cute.int_tuple<"4">, !cute.int_tuple<"0">)
  return
}

// -----

func.func @f(%a: !cute.int_tuple<"(4,8)">, %b: !cute.int_tuple<"(2,0)">) {
  // expected-error @+1 {{divisor is zero in "(4,8)" / "(2,0)"}}
  %0 = cute.tuple_mod (%a, %b) : (!cute.int_tuple<"(4,8)">, !cute.int_tuple<"(2,0)">)
  return
}

// -----

func.func @f(%a: !cute.shape<"7">, %b: !cute.shape<"3">) {
  // expected-error @+1 {{expects valid operands, but cannot compute shape_div for '!cute.shape<"7">' and '!cute.shape<"3">': 7 is not divisible by 3 (neither 7 % 3 == 0 nor 3 % 7 == 0)}}
  %0 = cute.shape_div (%a, %b) : (!cute.shape<"7">, !cute.shape<"3">)
  return
}

// -----

func.func @f(%a: !cute.int_tuple<"7">, %b: !cute.int_tuple<"0">) {
  // expected-error @+1 {{expects valid operands, but cannot compute ceil_div for '!cute.int_tuple<"7">' and '!cute.int_tuple<"0">': tiler is zero in "0"}}
  %0 = cute.ceil_div (%a, %b) : (!cute.int_tuple<"7">, !cute.int_tuple<"0">)
  return
}

// -----

func.func @f(%a: !cute.int_tuple<"(4,8)">, %b: !cute.int_tuple<"(2,4,2)">) {
  // expected-error @+1 {{cannot compute ceil_div for '!cute.int_tuple<"(4,8)">' and '!cute.int_tuple<"(2,4,2)">': rank(tiler)=3 > rank(input)=2: expects rank(tiler) <= rank(input), but got rank 3 tiler and rank 2 input}}
  %0 = cute.ceil_div (%a, %b) : (!cute.int_tuple<"(4,8)">, !cute.int_tuple<"(2,4,2)">)
  return
}

// -----

func.func @f(%a: !cute.layout<"(4,8):(1,4)">, %b: !cute.tile<"[2:1;4:1;2:1]">) {
  // expected-error @+1 {{expects rank(tiler) <= rank(input), but got rank 3 tiler and rank 2 input}}
  %0 = cute.zipped_divide (%a, %b) : (!cute.layout<"(4,8):(1,4)">, !cute.tile<"[2:1;4:1;2:1]">)
  return
}

// -----

func.func @f(%a: !cute.shape<"(4,2)">, %b: !cute.int_tuple<"(0,1,2)">) {
  // expected-error @+1 {{expects order to be weakly congruent to shape '!cute.shape<"(4,2)">', but got '!cute.int_tuple<"(0,1,2)">': expects order and shape of the same structure, but got "(0,1,2)" and "(4,2)"}}
  %0 = cute.make_ordered_layout (%a, %b) : (!cute.shape<"(4,2)">, !cute.int_tuple<"(0,1,2)">)
  return
}

// -----

func.func @f(%a: !cute.layout<"(6,4):(1,8)">, %b: !cute.layout<"3:4">) {
  // expected-error @+1 {{expects a valid composition result, but construction failed: composition: mode 0 of the left layout has extent 6, which stride 4 of the right layout does not divide}}
  %0 = cute.composition (%a, %b) : (!cute.layout<"(6,4):(1,8)">, !cute.layout<"3:4">)
  return
}

// -----

func.func @f(%a: !cute.layout<"(4,6):(1,8)">, %b: !cute.layout<"5:1">) {
  // expected-error @+1 {{composition: extent 5 of the right layout is not divisible by the 4 elements left in mode 0 of the left layout}}
  %0 = cute.composition (%a, %b) : (!cute.layout<"(4,6):(1,8)">, !cute.layout<"5:1">)
  return
}

// -----

func.func @f(%a: !cute.layout<"(4,8):(1,100)">, %b: !cute.layout<"(3,2):(1,2)">) {
  // expected-error @+1 {{composition: modes of the right layout "(3,2):(1,2)" add up beyond the end of a mode of the left layout "(4,8):(1,100)"}}
  %0 = cute.composition (%a, %b) : (!cute.layout<"(4,8):(1,100)">, !cute.layout<"(3,2):(1,2)">)
  return
}

// -----

func.func @f(%a: !cute.layout<"(4,8):(1,?)">) {
  // expected-error @+1 {{expects input with static strides for layouts with more than one mode, but '!cute.layout<"(4,8):(1,?)">' has dynamic strides with rank 2: complement: expects static strides when there is more than one mode, but got "(4,8):(1,?)"}}
  %0 = cute.complement (%a) : (!cute.layout<"(4,8):(1,?)">)
  return
}

// -----

func.func @f(%a: !cute.layout<"(4,4):(1,2)">) {
  // expected-error @+1 {{complement: "(4,4):(1,2)" maps two coordinates to one index, so nothing complements it}}
  %0 = cute.complement (%a) : (!cute.layout<"(4,4):(1,2)">)
  return
}

// -----

func.func @f(%a: !cute.composed_layout<"(2,3):(1,2) o 0 o (4,5):(1,4)">) {
  // expected-error @+2 {{expects composed_layout inner to be a swizzle (cosize is undefined for affine inner), but got '!cute.composed_layout<"(2,3):(1,2) o 0 o (4,5):(1,4)">'}}
  // expected-error @+1 {{'cute.cosize' op failed to infer returned types}}
  %0 = cute.cosize (%a) : (!cute.composed_layout<"(2,3):(1,2) o 0 o (4,5):(1,4)">) -> !cute.int_tuple<"1">
  return
}

// -----

func.func @f(%a: !cute.layout<"(4,3):(1,?)">) {
  // expected-error @+1 {{expects a static-stride input layout for left inverse, but got '!cute.layout<"(4,3):(1,?)">': left_inverse: expects static strides, whose order is known, but got "(4,3):(1,?)"}}
  %0 = cute.left_inverse (%a) : (!cute.layout<"(4,3):(1,?)">)
  return
}

// -----

func.func @f(%a: !cute.layout<"(8,4,2):(13,2,1)">) {
  // expected-error @+1 {{unable to compute a left inverse for '!cute.layout<"(8,4,2):(13,2,1)">': left_inverse: "(8,4,2):(13,2,1)" is not injective in the order of its strides}}
  %0 = cute.left_inverse (%a) : (!cute.layout<"(8,4,2):(13,2,1)">)
  return
}

// -----

func.func @f(%a: !cute.layout<"(4,8):(1,4)">) {
  // expected-error @+1 {{expects new_type_bits to be positive, but got 0}}
  %0 = cute.recast_layout<0, 8> (%a) : !cute.layout<"(4,8):(1,4)">
  return
}

// -----

func.func @f(%a: !cute.layout<"(4,8):(1,4)">) {
  // expected-error @+1 {{expects old_type_bits to be positive, but got -4}}
  %0 = cute.recast_layout<8, -4> (%a) : !cute.layout<"(4,8):(1,4)">
  return
}

// -----

func.func @f(%a: !cute.layout<"(3,9,24):(216,24,1)">) {
  // expected-error @+1 {{bits: stride 216 of "3" is not divisible by 32}}
  %0 = cute.recast_layout<128, 4> (%a) : !cute.layout<"(3,9,24):(216,24,1)">
  return
}

// -----

func.func @f(%a: !cute.layout<"(4,8):(2,8)">) {
  // expected-error @+1 {{bits: expects a mode of stride 1, whose elements are contiguous, but got "(4,8):(2,8)"}}
  %0 = cute.recast_layout<8, 16> (%a) : !cute.layout<"(4,8):(2,8)">
  return
}

// -----

func.func @f(%a: !cute.composed_layout<"S<1,0,3> o 0 o 64:1">) {
  // expected-error @+1 {{recast from 2 to 128 bits moves the bits of "S<1,0,3>" below bit 0}}
  %0 = cute.recast_layout<128, 2> (%a) : !cute.composed_layout<"S<1,0,3> o 0 o 64:1">
  return
}

// -----

func.func @f(%a: !cute.memref<f16, smem, "S<3,4,3> o 0 o (8,64):(64,1)">) {
  // expected-error @+1 {{expects a layout without swizzle, whose strides are numbers, but got "S<3,4,3> o 0 o (8,64):(64,1)"}}
  %0 = cute.get_stride (%a) : !cute.memref<f16, smem, "S<3,4,3> o 0 o (8,64):(64,1)">
  return
}

// -----

func.func @f(%a: !cute.shape<"(4,8)">) {
  // expected-error @+1 {{expects a coordinate, as an operand or an attribute}}
  %0 = cute.dice(%a) : (!cute.shape<"(4,8)">)
  return
}

// -----

func.func @f(%a: !cute.layout<"(4,8):(1,4)">) {
  // expected-error @+2 {{'cute.coalesce' op inferred type(s) '!cute.layout<"32:1">' are incompatible with return type(s) of operation '!cute.layout<"(4,8):(1,4)">'}}
  // expected-error @+1 {{'cute.coalesce' op failed to infer returned types}}
  %0 = cute.coalesce(%a) : (!cute.layout<"(4,8):(1,4)">) -> !cute.layout<"(4,8):(1,4)">
  return
}

// -----

func.func @f(%a: !cute.layout<"(2,2,2):(1,1,16)">) {
  // expected-error @+1 {{modes of "(2,2,2):(1,1,16)" add up beyond the end of a new element}}
  %0 = cute.recast_layout<16, 8> (%a) : !cute.layout<"(2,2,2):(1,1,16)">
  return
}

// -----

func.func @f(%l: !cute.composed_layout<"(4,5):(5,1) o 2 o (2,3):(1,2)">) {
  // expected-error @+1 {{recast from 16 to 8 bits: expects an inner layout whose first mode steps by 1 and whose others begin at whole new elements, but got "(4,5):(5,1) o 2 o (2,3):(1,2)"}}
  %0 = cute.recast_layout<8, 16> (%l) : !cute.composed_layout<"(4,5):(5,1) o 2 o (2,3):(1,2)">
  return
}

// -----

// A profile of another structure.
func.func @f(%a: !cute.layout<"(4,(2,3)):(1,(4,0))">, %b: !cute.int_tuple<"(1,0)">) {
  // expected-error @below {{Expects target_profile has the same profile with the src, but src_profile is: (4,(2,3)) and target_profile is: (1,0)}}
  %0 = cute.filter_zeros(%a, %b) : (!cute.layout<"(4,(2,3)):(1,(4,0))">, !cute.int_tuple<"(1,0)">)
  return
}

// -----

// Extents are positive: 4 - 4 is a number, but no extent.
func.func @f(%a: !cute.shape<"(4,4)">, %b: !cute.shape<"(1,4)">) {
  %0 = cute.tuple_sub(%a, %b) : (!cute.shape<"(4,4)">, !cute.shape<"(1,4)">)
  // expected-error @+2 {{expects positive shape mode, but got "(3,0)"}}
  // expected-error @+1 {{'cute.make_identity_layout' op failed to infer returned types}}
  %1 = cute.make_identity_layout(%0) : !cute.shape<"(3,0)"> -> !cute.layout<"(3,1):(1@0,1@1)">
  return
}
