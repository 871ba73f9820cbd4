// Building values, taking them apart, coordinates and tuple arithmetic. Result types are left to inference where
// the form allows it; "oracle N" is row N of layout_algebra.tsv, the rest is worked out by hand.
// RUN: tessera-opt %s | tessera-opt | FileCheck %s
// RUN: tessera-opt %s --mlir-print-op-generic | tessera-opt | FileCheck %s

// CHECK-LABEL: @static
func.func @static() {
  // CHECK: cute.static : !cute.int_tuple<"(1,(2,3))">
  %0 = cute.static : !cute.int_tuple<"( 1, (2 ,3))">
  // CHECK: cute.static : !cute.coord<"(_,(1,_))">
  %1 = cute.static : !cute.coord<"(_,(1,_))">
  // CHECK: cute.static : !cute.stride<"(1@0,2@0@1)">
  %2 = cute.static : !cute.stride<"(1@0,2@0@1)">
  // A shape alone is compact, first mode fastest.
  // CHECK: cute.static : !cute.layout<"(2,3):(1,2)">
  %3 = cute.static : !cute.layout<"(2,3)">
  // CHECK: cute.static : !cute.tile<"[128:1;(16,8):(8,1);_]">
  %4 = cute.static : !cute.tile<"[128;(16,8):(8,1);_]">
  // CHECK: cute.static : !cute.composed_layout<"S<3,4,3> o 0 o (8,64):(64,1)">
  %5 = cute.static : !cute.composed_layout<"S<3,4,3> o 0 o (8,64):(64,1)">
  // CHECK: cute.static : !cute.swizzle<"S<3,4,-3>">
  %6 = cute.static : !cute.swizzle<"S<3,4,-3>">
  // CHECK: cute.make_swizzle : !cute.swizzle<"S<2,4,3>">
  %7 = cute.make_swizzle : !cute.swizzle<"S<2,4,3>">
  return
}

// CHECK-LABEL: @construct
func.func @construct(%i: i32, %j: i64, %k: !cute.i32<divby 8>, %s: !cute.int_tuple<"?">) {
  // CHECK: cute.make_int_tuple(%{{.*}}, %{{.*}}) : (i32, i32) -> !cute.int_tuple<"(?,(?,4))">
  %0 = cute.make_int_tuple(%i, %i) : (i32, i32) -> !cute.int_tuple<"(?,(?,4))">
  // CHECK: cute.make_shape(%{{.*}}, %{{.*}}) : (i32, i64) -> !cute.shape<"(?,?{i64})">
  %1 = cute.make_shape(%i, %j) : (i32, i64) -> !cute.shape<"(?,?{i64})">
  // CHECK: cute.make_shape(%{{.*}}) : (!cute.i32<divby 8>) -> !cute.shape<"(4,?{div=8})">
  %2 = cute.make_shape(%k) : (!cute.i32<divby 8>) -> !cute.shape<"(4,?{div=8})">
  // CHECK: cute.make_stride(%{{.*}}) : (i32) -> !cute.stride<"(?@0,1@1)">
  %3 = cute.make_stride(%i) : (i32) -> !cute.stride<"(?@0,1@1)">
  // CHECK: cute.make_coord(%{{.*}}) : (!cute.int_tuple<"?">) -> !cute.coord<"(_,?)">
  %4 = cute.make_coord(%s) : (!cute.int_tuple<"?">) -> !cute.coord<"(_,?)">
  // CHECK: cute.make_tile(%{{.*}}, %{{.*}}) : (i32, i32) -> !cute.tile<"[(?,3):(1,?);_]">
  %5 = cute.make_tile(%i, %i) : (i32, i32) -> !cute.tile<"[(?,3):(1,?);_]">
  // Shape before stride.
  // CHECK: cute.make_tuple(%{{.*}}, %{{.*}}) : (i32, i64) -> !cute.layout<"(?,8):(1,?{i64})">
  %6 = cute.make_tuple(%i, %j) : (i32, i64) -> !cute.layout<"(?,8):(1,?{i64})">
  return
}

// CHECK-LABEL: @layouts
func.func @layouts(%s: !cute.shape<"(4,8)">, %d: !cute.stride<"(1,4)">, %sd: !cute.shape<"(?,8)">, %dd: !cute.stride<"(1,?)">,
                   %sw: !cute.swizzle<"S<3,5,4>">, %o: !cute.int_tuple<"0">, %b: !cute.layout<"(8,4):(1,8)">,
                   %os: !cute.shape<"((16,24),9)">, %oo: !cute.int_tuple<"(0,1)">, %l: !cute.layout<"((7,2),(1,9)):((0,1),(0,8))">,
                   %f: !cute.layout<"((2,2),(2,2)):((1,4),(8,32))">, %is: !cute.shape<"(6,((4,12,4),3))">) {
  // CHECK: cute.make_layout(%{{.*}}, %{{.*}}) : (!cute.shape<"(4,8)">, !cute.stride<"(1,4)">) -> !cute.layout<"(4,8):(1,4)">
  %0 = cute.make_layout(%s, %d) : (!cute.shape<"(4,8)">, !cute.stride<"(1,4)">)
  // CHECK: cute.make_layout(%{{[^,]*}}) : (!cute.shape<"(4,8)">) -> !cute.layout<"(4,8):(1,4)">
  %1 = cute.make_layout(%s) : (!cute.shape<"(4,8)">) -> !cute.layout<"(4,8):(1,4)">
  // CHECK: cute.make_layout_raw(%{{.*}}, %{{.*}}) : (!cute.shape<"(?,8)">, !cute.stride<"(1,?)">) -> !cute.layout<"(?,8):(1,?)">
  %2 = cute.make_layout_raw(%sd, %dd) : (!cute.shape<"(?,8)">, !cute.stride<"(1,?)">)
  // The public dialect's example.
  // CHECK: cute.make_composed_layout(%{{.*}}, %{{.*}}, %{{.*}}) : (!cute.swizzle<"S<3,5,4>">, <"0">, <"(8,4):(1,8)">) -> <"S<3,5,4> o 0 o (8,4):(1,8)">
  %3 = cute.make_composed_layout(%sw, %o, %b) : (!cute.swizzle<"S<3,5,4>">, <"0">, <"(8,4):(1,8)">)
  // CHECK: cute.make_composed_layout_raw(%{{.*}}, %{{.*}}, %{{.*}}) : (!cute.layout<"(8,4):(1,8)">, !cute.swizzle<"S<3,5,4>">, <"0">) -> !cute.composed_layout<"S<3,5,4> o 0 o (8,4):(1,8)">
  %4 = cute.make_composed_layout_raw(%b, %sw, %o) : (!cute.layout<"(8,4):(1,8)">, !cute.swizzle<"S<3,5,4>">, !cute.int_tuple<"0">)
  // Oracle 16963.
  // CHECK: cute.make_ordered_layout(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.layout<"((16,24),9):((1,16),384)">
  %5 = cute.make_ordered_layout(%os, %oo) : (!cute.shape<"((16,24),9)">, !cute.int_tuple<"(0,1)">)
  // Oracle 17367.
  // CHECK: cute.make_layout_like(%{{.*}}) : {{.*}} -> !cute.layout<"((7,2),(1,9)):((0,1),(0,2))">
  %6 = cute.make_layout_like(%l) : !cute.layout<"((7,2),(1,9)):((0,1),(0,8))"> -> !cute.layout<"((7,2),(1,9)):((0,1),(0,2))">
  // Oracle 16872.
  // CHECK: cute.make_identity_layout(%{{.*}}) : {{.*}} -> !cute.layout<"(6,((4,12,4),3)):(1@0,((1@0@0@1,1@1@0@1,1@2@0@1),1@1@1))">
  %7 = cute.make_identity_layout(%is) : !cute.shape<"(6,((4,12,4),3))"> -> !cute.layout<"(6,((4,12,4),3)):(1@0,((1@0@0@1,1@1@0@1,1@2@0@1),1@1@1))">
  // Oracle 216; C++ wraps the rest once more, here the profile is that of the operand (test/eval/OracleDifferences.cpp).
  // CHECK: cute.make_fragment_like(%{{.*}}) : {{.*}} -> !cute.layout<"((2,2),(2,2)):((1,2),(4,8))">
  %8 = cute.make_fragment_like(%f) : (!cute.layout<"((2,2),(2,2)):((1,4),(8,32))">)
  return
}

// CHECK-LABEL: @coordinate_tensors
func.func @coordinate_tensors(%s: !cute.shape<"(64,128)">, %t: !cute.int_tuple<"(?{div=16},0)">, %l: !cute.layout<"(64,128):(1@0,1@1)">,
                              %c: !cute.coord<"(3,_)">) {
  // CHECK: cute.make_identity_tensor(%{{.*}}) : (!cute.shape<"(64,128)">) -> !cute.coord_tensor<"(0,0)", "(64,128):(1@0,1@1)">
  %0 = cute.make_identity_tensor(%s) : (!cute.shape<"(64,128)">) -> !cute.coord_tensor<"(0,0)", "(64,128):(1@0,1@1)">
  // CHECK: cute.make_arith_tuple_iter(%{{.*}}) : (!cute.int_tuple<"(?{div=16},0)">) -> !cute.arith_tuple_iter<"(?{div=16},0)">
  %1 = cute.make_arith_tuple_iter(%t) : (!cute.int_tuple<"(?{div=16},0)">)
  // CHECK: cute.make_view(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.coord_tensor<"(?{div=16},0)", "(64,128):(1@0,1@1)">
  %2 = cute.make_view(%1, %l) : (!cute.arith_tuple_iter<"(?{div=16},0)">, !cute.layout<"(64,128):(1@0,1@1)">)
  // CHECK: cute.get_iter(%{{.*}}) : {{.*}} -> !cute.arith_tuple_iter<"(?{div=16},0)">
  %3 = cute.get_iter(%2) : (!cute.coord_tensor<"(?{div=16},0)", "(64,128):(1@0,1@1)">)
  // CHECK: cute.deref_arith_tuple_iter(%{{.*}}) : {{.*}} -> !cute.int_tuple<"(?{div=16},0)">
  %4 = cute.deref_arith_tuple_iter(%3) : (!cute.arith_tuple_iter<"(?{div=16},0)">)
  // A slice of a view moves its iterator: row 3.
  // CHECK: cute.slice(%{{.*}}, %{{.*}}) : !cute.coord_tensor<"(0,0)", "(64,128):(1@0,1@1)">, !cute.coord<"(3,_)">
  %5 = cute.slice(%0, %c) : !cute.coord_tensor<"(0,0)", "(64,128):(1@0,1@1)">, !cute.coord<"(3,_)">
  // CHECK: cute.get_iter(%{{.*}}) : (!cute.coord_tensor<"(3,0)", "(128):(1@1)">) -> !cute.arith_tuple_iter<"(3,0)">
  %6 = cute.get_iter(%5) : (!cute.coord_tensor<"(3,0)", "(128):(1@1)">)
  return
}

// CHECK-LABEL: @casts
func.func @casts(%i: !cute.int_tuple<"(1,(2,?))">) {
  // CHECK: cute.to_shape(%{{.*}}) : !cute.int_tuple<"(1,(2,?))"> -> !cute.shape<"(1,(2,?))">
  %0 = cute.to_shape(%i) : !cute.int_tuple<"(1,(2,?))">
  // CHECK: cute.to_stride(%{{.*}}) : !cute.int_tuple<"(1,(2,?))"> -> !cute.stride<"(1,(2,?))">
  %1 = cute.to_stride(%i) : !cute.int_tuple<"(1,(2,?))">
  // CHECK: cute.to_coord(%{{.*}}) : !cute.int_tuple<"(1,(2,?))"> -> !cute.coord<"(1,(2,?))">
  %2 = cute.to_coord(%i) : !cute.int_tuple<"(1,(2,?))">
  // CHECK: cute.to_int_tuple(%{{.*}}) : !cute.shape<"(1,(2,?))"> -> !cute.int_tuple<"(1,(2,?))">
  %3 = cute.to_int_tuple(%0) : !cute.shape<"(1,(2,?))">
  return
}

// CHECK-LABEL: @access
func.func @access(%l: !cute.layout<"(?,8):(1,?{i64})">, %c: !cute.composed_layout<"S<3,5,4> o 4 o (8,4):(1,8)">,
                  %t: !cute.tile<"[4:1;_;[2:1;3:1]]">, %s: !cute.shape<"(4,(2,?))">, %t2: !cute.tile<"[4:1;(2,3):(1,2)]">) {
  // CHECK: cute.get_shape(%{{.*}}) : !cute.layout<"(?,8):(1,?{i64})"> -> !cute.shape<"(?,8)">
  %0 = cute.get_shape(%l) : !cute.layout<"(?,8):(1,?{i64})">
  // CHECK: cute.get_shape(%{{.*}}) : !cute.composed_layout<{{.*}}> -> !cute.shape<"(8,4)">
  %1 = cute.get_shape(%c) : !cute.composed_layout<"S<3,5,4> o 4 o (8,4):(1,8)">
  // CHECK: cute.get_shape(%{{.*}}) : !cute.tile<{{.*}}> -> !cute.shape<"(4,(2,3))">
  %2 = cute.get_shape(%t2) : !cute.tile<"[4:1;(2,3):(1,2)]">
  // CHECK: cute.get_stride(%{{.*}}) : <"(?,8):(1,?{i64})"> -> !cute.stride<"(1,?{i64})">
  %3 = cute.get_stride(%l) : <"(?,8):(1,?{i64})">
  // CHECK: cute.composed_get_inner(%{{.*}}) : <"S<3,5,4> o 4 o (8,4):(1,8)"> -> !cute.swizzle<"S<3,5,4>">
  %4 = cute.composed_get_inner(%c) : <"S<3,5,4> o 4 o (8,4):(1,8)">
  // CHECK: cute.composed_get_offset(%{{.*}}) : <"S<3,5,4> o 4 o (8,4):(1,8)"> -> !cute.int_tuple<"4">
  %5 = cute.composed_get_offset(%c) : <"S<3,5,4> o 4 o (8,4):(1,8)">
  // CHECK: cute.composed_get_outer(%{{.*}}) : <"S<3,5,4> o 4 o (8,4):(1,8)"> -> <"(8,4):(1,8)">
  %6 = cute.composed_get_outer(%c) : <"S<3,5,4> o 4 o (8,4):(1,8)">
  // CHECK: %{{.*}}:3 = cute.get_leaves(%{{.*}}) : !cute.shape<"(4,(2,?))">
  %7:3 = cute.get_leaves(%s) : !cute.shape<"(4,(2,?))">
  // Each leaf is of the same kind.
  // CHECK: cute.to_int_tuple(%{{.*}}#2) : !cute.shape<"?"> -> !cute.int_tuple<"?">
  %8 = cute.to_int_tuple(%7#2) : !cute.shape<"?">
  // CHECK: %{{.*}}:4 = cute.get_scalars (%{{.*}}) : !cute.layout<"(?,8):(1,?{i64})">
  %9:4 = cute.get_scalars (%l) : !cute.layout<"(?,8):(1,?{i64})">
  // CHECK: %{{.*}}:2 = cute.get_scalars<{only_dynamic}> (%{{.*}}) : !cute.layout<"(?,8):(1,?{i64})">
  %10:2 = cute.get_scalars<{only_dynamic}> (%l) : !cute.layout<"(?,8):(1,?{i64})">
  // The last one is the stride, 64 bits wide.
  // CHECK: arith.addi %{{.*}}#1, %{{.*}}#3 : i64
  %11 = arith.addi %10#1, %9#3 : i64
  // CHECK: %{{.*}}:3 = cute.get_layouts_from_tile(%{{.*}}) : <"[4:1;_;[2:1;3:1]]">
  %12:3 = cute.get_layouts_from_tile(%t) : <"[4:1;_;[2:1;3:1]]">
  // CHECK: cute.get_shape(%{{.*}}#2) : !cute.layout<"3:1"> -> !cute.shape<"3">
  %13 = cute.get_shape(%12#2) : !cute.layout<"3:1">
  return
}

// CHECK-LABEL: @sizes
func.func @sizes(%l: !cute.layout<"((9,(6)),12,16):((1,(1728)),144,9)">, %m: !cute.layout<"(4,2):(2,1)">, %s: !cute.shape<"(4,(2,3))">,
                 %k: !cute.layout<"(2,16,4,8):(4,3072,8,128)">, %cm: !cute.layout<"(5,4,10):(40,10,1)">, %d: !cute.shape<"(?{div=8},4)">,
                 %b: !cute.layout<"((24,2),(10,1)):((1@0@0,1@1@0),(1@0@1,1@1@1))">, %b2: !cute.layout<"(4,8):(2@0,1@1)">) {
  // Oracle 854.
  // CHECK: cute.size (%{{.*}}) : {{.*}} -> !cute.int_tuple<"10368">
  %0 = cute.size (%l) : (!cute.layout<"((9,(6)),12,16):((1,(1728)),144,9)">) -> !cute.int_tuple<"10368">
  // Oracle 1875.
  // CHECK: cute.size<[0]> (%{{.*}}) : {{.*}} -> !cute.int_tuple<"4">
  %1 = cute.size<[0]> (%m) : (!cute.layout<"(4,2):(2,1)">)
  // Four times a multiple of 8.
  // CHECK: cute.size (%{{.*}}) : (!cute.shape<"(?{div=8},4)">) -> !cute.int_tuple<"?{div=32}">
  %2 = cute.size (%d) : (!cute.shape<"(?{div=8},4)">) -> !cute.int_tuple<"?{div=32}">
  // Oracle 1037.
  // CHECK: cute.cosize (%{{.*}}) : {{.*}} -> !cute.int_tuple<"47005">
  %3 = cute.cosize (%k) : (!cute.layout<"(2,16,4,8):(4,3072,8,128)">) -> !cute.int_tuple<"47005">
  // Oracle 1918.
  // CHECK: cute.cosize<[1]> (%{{.*}}) : {{.*}} -> !cute.int_tuple<"31">
  %4 = cute.cosize<[1]> (%cm) : (!cute.layout<"(5,4,10):(40,10,1)">)
  // Oracle 1041: of bases, the elements of the coordinates that are reached.
  // CHECK: cute.cosize (%{{.*}}) : {{.*}} -> !cute.int_tuple<"480">
  %7 = cute.cosize (%b) : (!cute.layout<"((24,2),(10,1)):((1@0@0,1@1@0),(1@0@1,1@1@1))">)
  // By hand: 0 to 6 in steps of 2, times 8; and the first mode alone.
  // CHECK: cute.cosize (%{{.*}}) : {{.*}} -> !cute.int_tuple<"56">
  %8 = cute.cosize (%b2) : (!cute.layout<"(4,8):(2@0,1@1)">)
  // CHECK: cute.cosize<[0]> (%{{.*}}) : {{.*}} -> !cute.int_tuple<"7">
  %9 = cute.cosize<[0]> (%b2) : (!cute.layout<"(4,8):(2@0,1@1)">)
  // CHECK: cute.tuple_product(%{{.*}}) : (!cute.shape<"(4,(2,3))">) -> !cute.shape<"24">
  %5 = cute.tuple_product(%s) : (!cute.shape<"(4,(2,3))">)
  // CHECK: cute.tuple_product_each(%{{.*}}) : (!cute.shape<"(4,(2,3))">) -> !cute.shape<"(4,6)">
  %6 = cute.tuple_product_each(%s) : (!cute.shape<"(4,(2,3))">)
  return
}

// CHECK-LABEL: @coordinates
func.func @coordinates(%c: !cute.coord<"(10,1,6)">, %l: !cute.layout<"((8,2),4,7):((1,32),8,192)">, %c2: !cute.coord<"((1,4),2)">,
                       %s2: !cute.shape<"((2,6),3)">, %i: !cute.int_tuple<"1662">, %s3: !cute.shape<"(16,32,8)">,
                       %n: !cute.coord<"(3,7,2)">, %s4: !cute.shape<"(4,8,9)">, %h: !cute.int_tuple<"448">,
                       %hl: !cute.layout<"(((3,2),3),3,10):(((180,90),30),10,1)">, %f: !cute.int_tuple<"130">,
                       %fl: !cute.layout<"((10,(1,7)),7):((49,(0,7)),1)">, %idx: i32, %hl2: !cute.layout<"(4,24):(24,1)">) {
  // Oracle 2665: 2 + 32 + 8 + 6 * 192.
  // CHECK: cute.crd2idx(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.int_tuple<"1194">
  %0 = cute.crd2idx(%c, %l) : (!cute.coord<"(10,1,6)">, !cute.layout<"((8,2),4,7):((1,32),8,192)">)
  // CHECK: cute.layout_eval(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.int_tuple<"1194">
  %1 = cute.layout_eval(%c, %l) : (!cute.coord<"(10,1,6)">, !cute.layout<"((8,2),4,7):((1,32),8,192)">)
  // Oracle 3396.
  // CHECK: cute.crd2idx(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.int_tuple<"33">
  %2 = cute.crd2idx(%c2, %s2) : (!cute.coord<"((1,4),2)">, !cute.shape<"((2,6),3)">)
  // Oracle 3730.
  // CHECK: cute.idx2crd(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.coord<"(14,7,3)">
  %3 = cute.idx2crd(%i, %s3) : (!cute.int_tuple<"1662">, !cute.shape<"(16,32,8)">)
  // Two carries.
  // CHECK: cute.increment_coord(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.coord<"(0,0,3)">
  %4 = cute.increment_coord(%n, %s4) : (!cute.coord<"(3,7,2)">, !cute.shape<"(4,8,9)">)
  // Oracle 4123.
  // CHECK: cute.get_hier_coord(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.coord<"(((2,0),2),2,8)">
  %5 = cute.get_hier_coord(%h, %hl) : (!cute.int_tuple<"448">, !cute.layout<"(((3,2),3),3,10):(((180,90),30),10,1)">)
  // Oracle 4225.
  // CHECK: cute.get_flat_coord(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.coord<"(42,4)">
  %6 = cute.get_flat_coord(%f, %fl) : (!cute.int_tuple<"130">, !cute.layout<"((10,(1,7)),7):((49,(0,7)),1)">)
  // CHECK: cute.get_hier_coord(%{{.*}}, %{{.*}}) : (i32, !cute.layout<"(4,24):(24,1)">) -> !cute.coord<"(?,?)">
  %7 = cute.get_hier_coord(%idx, %hl2) : (i32, !cute.layout<"(4,24):(24,1)">)
  return
}

// CHECK-LABEL: @slice_and_dice
func.func @slice_and_dice(%a: !cute.layout<"((2,12),9):((54,216),6)">, %ca: !cute.coord<"(_,1)">, %b: !cute.layout<"(6,(4,1),1):(4,(1,48),1)">,
                          %cb: !cute.coord<"(2,_,0)">, %t: !cute.tile<"[4:1;8:1;2:1]">) {
  // Oracle 19731; the type of a slice is not printed, so it is read back by get_shape.
  // CHECK: cute.slice(%{{.*}}, %{{.*}}) : !cute.layout<"((2,12),9):((54,216),6)">, !cute.coord<"(_,1)">
  %0 = cute.slice(%a, %ca) : !cute.layout<"((2,12),9):((54,216),6)">, !cute.coord<"(_,1)">
  // CHECK: cute.get_stride(%{{.*}}) : <"((2,12)):((54,216))"> -> !cute.stride<"((54,216))">
  %1 = cute.get_stride(%0) : !cute.layout<"((2,12)):((54,216))">
  // Oracle 20122.
  // CHECK: cute.dice(%{{.*}}, %{{.*}}) : !cute.layout<"(6,(4,1),1):(4,(1,48),1)">, !cute.coord<"(2,_,0)">
  %2 = cute.dice(%b, %cb) : (!cute.layout<"(6,(4,1),1):(4,(1,48),1)">, !cute.coord<"(2,_,0)">)
  // CHECK: cute.get_stride(%{{.*}}) : <"(6,1):(4,1)"> -> !cute.stride<"(4,1)">
  %s2 = cute.get_stride(%2) : !cute.layout<"(6,1):(4,1)">
  // With the coordinate as an attribute, the first and the last mode of a tile.
  // CHECK: cute.dice(%{{.*}}, "(1,_,1)") : (!cute.tile<"[4:1;8:1;2:1]">) -> !cute.tile<"[4:1;2:1]">
  %3 = cute.dice(%t, "(1,_,1)") : (!cute.tile<"[4:1;8:1;2:1]">)
  return
}

// CHECK-LABEL: @comparisons
func.func @comparisons(%a: !cute.coord<"((1,7,?))">, %b: !cute.shape<"((3,10,7))">, %l: !cute.layout<"(4,8):(1,?)">, %x: !cute.int_tuple<"(1,?)">) {
  // CHECK: cute.elem_less(%{{.*}}, %{{.*}}) : (!cute.coord<"((1,7,?))">, !cute.shape<"((3,10,7))">) -> i1
  %0 = cute.elem_less(%a, %b) : (!cute.coord<"((1,7,?))">, !cute.shape<"((3,10,7))">)
  // CHECK: cute.equal(%{{.*}}, %{{.*}}) : (!cute.layout<"(4,8):(1,?)">, !cute.layout<"(4,8):(1,?)">) -> i1
  %1 = cute.equal(%l, %l) : (!cute.layout<"(4,8):(1,?)">, !cute.layout<"(4,8):(1,?)">)
  // CHECK: cute.tuple_eq(%{{.*}}, %{{.*}}) : (!cute.int_tuple<"(1,?)">, !cute.int_tuple<"(1,?)">) -> i1
  %2 = cute.tuple_eq(%x, %x) : (!cute.int_tuple<"(1,?)">, !cute.int_tuple<"(1,?)">)
  return
}

// CHECK-LABEL: @arithmetic
func.func @arithmetic(%a: !cute.int_tuple<"(17,(6,?{div=4}))">, %b: !cute.int_tuple<"(5,(2,8))">, %s: !cute.shape<"((4,2),16)">,
                      %t: !cute.shape<"((12,1),32)">, %e: !cute.int_tuple<"(11,2,(8,15))">, %f: !cute.int_tuple<"(9,2,(9,1))">,
                      %g: !cute.shape<"(4,4,4)">, %h: !cute.tile<"[1:0;2:1;2:1]">) {
  // CHECK: cute.tuple_add(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.int_tuple<"(22,(8,?{div=4}))">
  %0 = cute.tuple_add(%a, %b) : (!cute.int_tuple<"(17,(6,?{div=4}))">, !cute.int_tuple<"(5,(2,8))">)
  // CHECK: cute.tuple_sub(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.int_tuple<"(12,(4,?{div=4}))">
  %1 = cute.tuple_sub(%a, %b) : (!cute.int_tuple<"(17,(6,?{div=4}))">, !cute.int_tuple<"(5,(2,8))">)
  // CHECK: cute.tuple_mul(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.int_tuple<"(85,(12,?{div=32}))">
  %2 = cute.tuple_mul(%a, %b) : (!cute.int_tuple<"(17,(6,?{div=4}))">, !cute.int_tuple<"(5,(2,8))">)
  // CHECK: cute.tuple_div(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.int_tuple<"(3,(3,?))">
  %3 = cute.tuple_div(%a, %b) : (!cute.int_tuple<"(17,(6,?{div=4}))">, !cute.int_tuple<"(5,(2,8))">)
  // A multiple of 4 modulo 8 is a multiple of 4.
  // CHECK: cute.tuple_mod(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.int_tuple<"(2,(0,?{div=4}))">
  %4 = cute.tuple_mod(%a, %b) : (!cute.int_tuple<"(17,(6,?{div=4}))">, !cute.int_tuple<"(5,(2,8))">)
  // Oracle 24048.
  // CHECK: cute.shape_div(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.shape<"((1,2),1)">
  %5 = cute.shape_div(%s, %t) : (!cute.shape<"((4,2),16)">, !cute.shape<"((12,1),32)">)
  // Oracle 24546.
  // CHECK: cute.ceil_div(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.int_tuple<"(2,1,(1,15))">
  %6 = cute.ceil_div(%e, %f) : (!cute.int_tuple<"(11,2,(8,15))">, !cute.int_tuple<"(9,2,(9,1))">)
  // Oracle 24774.
  // CHECK: cute.ceil_div(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.shape<"(4,2,2)">
  %7 = cute.ceil_div(%g, %h) : (!cute.shape<"(4,4,4)">, !cute.tile<"[1:0;2:1;2:1]">)
  return
}

// CHECK-LABEL: @ranks
func.func @ranks(%a: !cute.layout<"(3,7,(3,2)):(1,0,(0,3))">, %e: !cute.layout<"(2,5):(1,2)">, %s: !cute.shape<"(4,8)">, %u: !cute.shape<"1">) {
  // Oracle 19182.
  // CHECK: cute.append_to_rank<4> (%{{.*}}, %{{.*}}) : !cute.layout<"(3,7,(3,2)):(1,0,(0,3))">, !cute.layout<"(2,5):(1,2)">
  %0 = cute.append_to_rank<4> (%a, %e) : !cute.layout<"(3,7,(3,2)):(1,0,(0,3))">, !cute.layout<"(2,5):(1,2)">
  // CHECK: cute.get_shape(%{{.*}}) : !cute.layout<"(3,7,(3,2),(2,5)):(1,0,(0,3),(1,2))"> -> !cute.shape<"(3,7,(3,2),(2,5))">
  %1 = cute.get_shape(%0) : !cute.layout<"(3,7,(3,2),(2,5)):(1,0,(0,3),(1,2))">
  // CHECK: cute.prepend_to_rank<4> (%{{.*}}, %{{.*}}) : !cute.shape<"(4,8)">, !cute.shape<"1">
  %2 = cute.prepend_to_rank<4> (%s, %u) : !cute.shape<"(4,8)">, !cute.shape<"1">
  // CHECK: cute.to_int_tuple(%{{.*}}) : !cute.shape<"(1,1,4,8)"> -> !cute.int_tuple<"(1,1,4,8)">
  %3 = cute.to_int_tuple(%2) : !cute.shape<"(1,1,4,8)">
  return
}
