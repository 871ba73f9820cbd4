// Results in the form of NVIDIA's public dialect, where several are equivalent; and operands that only its rules allow.
// RUN: tessera-opt %s | FileCheck %s
// RUN: tessera-opt %s --mlir-print-op-generic | tessera-opt | FileCheck %s

// CHECK-LABEL: @tuples
func.func @tuples(%a: !cute.int_tuple<"(7,(2,3),4)">, %b: !cute.int_tuple<"(1,0)">, %zero: !cute.int_tuple<"0">,
                  %s: !cute.shape<"(4,?)">, %t: !cute.shape<"(4,2,6)">, %z: !cute.int_tuple<"(0,0,(0,(0,0)))">) {
  // A scalar 0 stands for a tuple of zeros, at any depth; modes that only one operand has stay as they are.
  // CHECK: cute.tuple_add{{.*}} -> !cute.int_tuple<"(8,(2,3),4)">
  %0 = cute.tuple_add(%a, %b) : (!cute.int_tuple<"(7,(2,3),4)">, !cute.int_tuple<"(1,0)">) -> !cute.int_tuple<"(8,(2,3),4)">
  // CHECK: cute.tuple_add{{.*}} -> !cute.int_tuple<"(8,(2,3),4)">
  %1 = cute.tuple_add(%b, %a) : (!cute.int_tuple<"(1,0)">, !cute.int_tuple<"(7,(2,3),4)">) -> !cute.int_tuple<"(8,(2,3),4)">
  // CHECK: cute.tuple_sub{{.*}} -> !cute.int_tuple<"(6,(2,3),4)">
  %2 = cute.tuple_sub(%a, %b) : (!cute.int_tuple<"(7,(2,3),4)">, !cute.int_tuple<"(1,0)">) -> !cute.int_tuple<"(6,(2,3),4)">
  // CHECK: cute.tuple_sub{{.*}} -> !cute.int_tuple<"(7,(2,3),4)">
  %3 = cute.tuple_sub(%a, %zero) : (!cute.int_tuple<"(7,(2,3),4)">, !cute.int_tuple<"0">) -> !cute.int_tuple<"(7,(2,3),4)">
  // CHECK: cute.tuple_add{{.*}} -> !cute.shape<"(8,?,6)">
  %4 = cute.tuple_add(%s, %t) : (!cute.shape<"(4,?)">, !cute.shape<"(4,2,6)">) -> !cute.shape<"(8,?,6)">
  // So the longer operand may be the second one.
  // CHECK: cute.tuple_sub{{.*}} -> !cute.int_tuple<"(-6,-8,(4,5))">
  %longer = cute.static : !cute.int_tuple<"(7,8,(4,5))">
  %6 = cute.tuple_sub(%b, %longer) : (!cute.int_tuple<"(1,0)">, !cute.int_tuple<"(7,8,(4,5))">) -> !cute.int_tuple<"(-6,-8,(4,5))">
  // CHECK: cute.tuple_sub{{.*}} -> !cute.int_tuple<"(0,0,(0,(0,0)))">
  %e = cute.static : !cute.int_tuple<"(0,0)">
  %5 = cute.tuple_sub(%e, %z) : (!cute.int_tuple<"(0,0)">, !cute.int_tuple<"(0,0,(0,(0,0)))">) -> !cute.int_tuple<"(0,0,(0,(0,0)))">
  return
}

// CHECK-LABEL: @ranks
func.func @ranks(%s: !cute.coord<"(1,_,3)">, %e: !cute.coord<"0">, %l: !cute.layout<"(2,3):(1,2)">, %m: !cute.layout<"5:7">,
                 %c: !cute.composed_layout<"S<1,4,3> o 0 o (2,3):(1,2)">) {
  // CHECK: cute.prepend_to_rank<2>
  %0 = cute.prepend_to_rank<2>(%s, %e) : !cute.coord<"(1,_,3)">, !cute.coord<"0">
  // CHECK: cute.to_int_tuple{{.*}} : !cute.shape<"(5,5,2,3)">
  %1 = cute.prepend_to_rank<4>(%l, %m) : !cute.layout<"(2,3):(1,2)">, !cute.layout<"5:7">
  %2 = cute.get_shape(%1) : !cute.layout<"(5,5,2,3):(7,7,1,2)"> -> !cute.shape<"(5,5,2,3)">
  %3 = cute.to_int_tuple(%2) : !cute.shape<"(5,5,2,3)"> -> !cute.int_tuple<"(5,5,2,3)">
  // CHECK: cute.append_to_rank<1>
  %4 = cute.append_to_rank<1>(%c, %m) : !cute.composed_layout<"S<1,4,3> o 0 o (2,3):(1,2)">, !cute.layout<"5:7">
  return
}

// CHECK-LABEL: @algebra
func.func @algebra(%l: !cute.layout<"(6,8):(8,1)">, %s: !cute.shape<"((2),4)">, %one: !cute.layout<"9:2">, %p: !cute.coord<"(1)">,
                   %r: !cute.layout<"(4,6):(2@1,1@0)">, %n: !cute.layout<"((2,3),4):((3@0@1,1@0@1),1@0)">, %z: !cute.layout<"(5,2):(0,0)">,
                   %basis: !cute.layout<"3:2@1">, %b: !cute.layout<"(2,3):(1,2)">) {
  // A shape composes and divides mode by mode, all the way down.
  // CHECK: cute.composition{{.*}} -> !cute.layout<"((2),4):((8),1)">
  %0 = cute.composition(%l, %s) : (!cute.layout<"(6,8):(8,1)">, !cute.shape<"((2),4)">) -> !cute.layout<"((2),4):((8),1)">
  // CHECK: cute.coalesce{{.*}} -> !cute.layout<"(9):(2)">
  %1 = cute.coalesce(%one, %p) : (!cute.layout<"9:2">, !cute.coord<"(1)">) -> !cute.layout<"(9):(2)">
  // Inverses of coordinates: a mode for each mode of the codomain.
  // CHECK: cute.right_inverse{{.*}} -> !cute.layout<"(6,1):(4,0)">
  %2 = cute.right_inverse(%r) : (!cute.layout<"(4,6):(2@1,1@0)">) -> !cute.layout<"(6,1):(4,0)">
  // CHECK: cute.left_inverse{{.*}} -> !cute.layout<"(6,(2,4)):(4,(0,1))">
  %3 = cute.left_inverse(%r) : (!cute.layout<"(4,6):(2@1,1@0)">) -> !cute.layout<"(6,(2,4)):(4,(0,1))">
  // CHECK: cute.left_inverse{{.*}} -> !cute.layout<"(4,((3,2))):(6,((2,1)))">
  %4 = cute.left_inverse(%n) : (!cute.layout<"((2,3),4):((3@0@1,1@0@1),1@0)">) -> !cute.layout<"(4,((3,2))):(6,((2,1)))">
  // CHECK: cute.left_inverse{{.*}} -> !cute.layout<"1:0">
  %5 = cute.left_inverse(%z) : (!cute.layout<"(5,2):(0,0)">) -> !cute.layout<"1:0">
  // Copies of a block of coordinates go on in the last mode.
  // CHECK: cute.logical_product{{.*}} -> !cute.layout<"((4,6),(2,3)):((2@1,1@0),(1@1,8@1))">
  %6 = cute.logical_product(%r, %b) : (!cute.layout<"(4,6):(2@1,1@0)">, !cute.layout<"(2,3):(1,2)">) -> !cute.layout<"((4,6),(2,3)):((2@1,1@0),(1@1,8@1))">
  // CHECK: cute.zipped_divide{{.*}} -> !cute.layout<"(3,(6,2)):(2,(8,1))">
  %small = cute.static : !cute.layout<"(6,6):(8,1)">
  %7 = cute.zipped_divide(%small, %basis) : (!cute.layout<"(6,6):(8,1)">, !cute.layout<"3:2@1">) -> !cute.layout<"(3,(6,2)):(2,(8,1))">
  // CHECK: cute.tiled_divide{{.*}} -> !cute.layout<"((12,16),1,1):((8,1),0,0)">
  %t = cute.static : !cute.tile<"[12:1;16:1]">
  %8 = cute.tiled_divide(%l, %t) : (!cute.layout<"(6,8):(8,1)">, !cute.tile<"[12:1;16:1]">) -> !cute.layout<"((12,16),1,1):((8,1),0,0)">
  // CHECK: cute.flat_divide{{.*}} -> !cute.layout<"(3,2,8):(8,24,1)">
  %u = cute.static : !cute.tile<"[3:1]">
  %9 = cute.flat_divide(%l, %u) : (!cute.layout<"(6,8):(8,1)">, !cute.tile<"[3:1]">) -> !cute.layout<"(3,2,8):(8,24,1)">
  // CHECK: cute.select<[1, 0]> {{.*}} -> !cute.tile<"[16:1;12:1]">
  %10 = cute.select<[1, 0]>(%t) : !cute.tile<"[12:1;16:1]"> -> !cute.tile<"[16:1;12:1]">
  // CHECK: cute.select<[1, 1, 0]> {{.*}} -> !cute.layout<"(8,8,6):(1,1,8)">
  %11 = cute.select<[1, 1, 0]>(%l) : !cute.layout<"(6,8):(8,1)"> -> !cute.layout<"(8,8,6):(1,1,8)">
  // Overlapping modes: index 5 is at coordinate 5 of the last mode, which goes on.
  %overlap = cute.static : !cute.layout<"(3,4):(1,2)">
  // CHECK: cute.left_inverse{{.*}} -> !cute.layout<"(2,4):(1,3)">
  %12 = cute.left_inverse(%overlap) : (!cute.layout<"(3,4):(1,2)">) -> !cute.layout<"(2,4):(1,3)">
  return
}

// A layout that leaves a gap: without a target its complement ends with the mode after the gap, of one element, since the
// layout reaches no further.
// CHECK-LABEL: @complements
func.func @complements(%l: !cute.layout<"(4,8):(1,12)">, %d: !cute.layout<"(1,(5,?)):(0,(1,5))">, %s: !cute.shape<"(?,?,3)">, %u: !cute.layout<"6:1">,
                      %within: !cute.layout<"(?,?):(1,?)">) {
  // CHECK: cute.complement{{.*}} -> !cute.layout<"(3,1):(4,96)">
  %0 = cute.complement(%l) : (!cute.layout<"(4,8):(1,12)">) -> !cute.layout<"(3,1):(4,96)">
  // CHECK: cute.complement{{.*}} -> !cute.layout<"1:?">
  %1 = cute.complement(%d) : (!cute.layout<"(1,(5,?)):(0,(1,5))">) -> !cute.layout<"1:?">
  // Dynamic extents of a target are one mode; those of a layout are a mode each, as in a division.
  // CHECK: cute.complement{{.*}} -> !cute.layout<"?:6">
  %2 = cute.complement(%u, %s) : (!cute.layout<"6:1">, !cute.shape<"(?,?,3)">) -> !cute.layout<"?:6">
  // CHECK: cute.complement{{.*}} -> !cute.layout<"(?,?):(6,?)">
  %3 = cute.complement(%u, %within) : (!cute.layout<"6:1">, !cute.layout<"(?,?):(1,?)">) -> !cute.layout<"(?,?):(6,?)">
  return
}

// What a layout leaves of dynamic modes has a mode for each of them; what it leaves of static ones is one mode.
// CHECK-LABEL: @dynamic_rests
func.func @dynamic_rests(%a: !cute.layout<"(?,?):(?,?)">, %b: !cute.layout<"(4,?,2,3):(?,?,?,1)">, %t: !cute.layout<"(3,2):(1,3)">,
                         %s: !cute.shape<"((?,?),8)">, %u: !cute.tile<"[5:1;2:1]">) {
  // CHECK: cute.logical_divide{{.*}} -> !cute.layout<"(((?,?),(?,?)),((?,?),(?,?))):
  %0 = cute.logical_divide(%a, %t) : (!cute.layout<"(?,?):(?,?)">, !cute.layout<"(3,2):(1,3)">)
       -> !cute.layout<"(((?,?),(?,?)),((?,?),(?,?))):(((?,?),(?,?)),((?,?),(?,?)))">
  // CHECK: cute.tiled_divide{{.*}} -> !cute.layout<"(((?,?),(?,?)),(?,?),(?,?)):
  %1 = cute.tiled_divide(%a, %t) : (!cute.layout<"(?,?):(?,?)">, !cute.layout<"(3,2):(1,3)">)
       -> !cute.layout<"(((?,?),(?,?)),(?,?),(?,?)):(((?,?),(?,?)),(?,?),(?,?))">
  // How many tiles there are is one number for each of them.
  // CHECK: cute.ceil_div{{.*}} -> !cute.shape<"(?,4)">
  %2 = cute.ceil_div(%s, %u) : (!cute.shape<"((?,?),8)">, !cute.tile<"[5:1;2:1]">) -> !cute.shape<"(?,4)">
  return
}

// The public generic form says which operand is which by their number.
// CHECK-LABEL: @make_layout
func.func @make_layout(%s: !cute.shape<"(4,?)">, %d: !cute.stride<"(?,1)">) {
  // CHECK: cute.make_layout(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.layout<"(4,?):(?,1)">
  %0 = "cute.make_layout"(%s, %d) : (!cute.shape<"(4,?)">, !cute.stride<"(?,1)">) -> !cute.layout<"(4,?):(?,1)">
  // CHECK: cute.make_layout(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.layout<"(4,?):(?,1)">
  %1 = "cute.make_layout"(%s, %d) <{operandSegmentSizes = array<i32: 1, 1>}> : (!cute.shape<"(4,?)">, !cute.stride<"(?,1)">) -> !cute.layout<"(4,?):(?,1)">
  // CHECK: cute.make_layout(%{{.*}}) : {{.*}} -> !cute.layout<"(4,?):(1,4)">
  %2 = "cute.make_layout"(%s) : (!cute.shape<"(4,?)">) -> !cute.layout<"(4,?):(1,4)">
  return
}

// A leaf has any of these widths; the last one of several holds.
// CHECK-LABEL: @widths
// CHECK-SAME: (%{{.*}}: !cute.shape<"(?{i1},?{i8},?{i16},?,?{i64})">, %{{.*}}: !cute.int_tuple<"?{i8 div=4}">
func.func @widths(%s: !cute.shape<"(?{i1},?{i8},?{i16},?{i32},?{i64})">, %i: !cute.int_tuple<"?{i64 i8 div=4}">, %b: i8,
                  %c: !cute.coord<"(?{i8},?)">, %e: !cute.shape<"(?,?)">) {
  // CHECK: cute.get_scalars (%{{.*}}) : !cute.shape<"(?{i1},?{i8},?{i16},?,?{i64})">
  %0:5 = cute.get_scalars(%s) : !cute.shape<"(?{i1},?{i8},?{i16},?{i32},?{i64})">
  // CHECK: cute.make_coord(%{{.*}}, %{{.*}}) : (i8, i64) -> !cute.coord<"(?{i8},?{i64})">
  %1 = cute.make_coord(%b, %0#4) : (i8, i64) -> !cute.coord<"(?{i8},?{i64})">
  // Sums and products take place in 32 or 64 bits: so do coordinates.
  // CHECK: cute.increment_coord{{.*}} -> !cute.coord<"(?,?)">
  %2 = cute.increment_coord(%c, %e) : (!cute.coord<"(?{i8},?)">, !cute.shape<"(?,?)">) -> !cute.coord<"(?,?)">
  return
}
