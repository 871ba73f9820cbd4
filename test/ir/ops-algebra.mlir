// The layout algebra: composition, complement, inverses, divisions, products. Result types are left to inference
// and checked against CuTe C++: "oracle N" is row N of layout_algebra.tsv.
// RUN: tessera-opt %s | tessera-opt | FileCheck %s
// RUN: tessera-opt %s --mlir-print-op-generic | tessera-opt | FileCheck %s

// CHECK-LABEL: @composition
func.func @composition(%a: !cute.layout<"(4,2,8):(3,12,97)">, %r: !cute.layout<"3:3">,
                       %b: !cute.layout<"(4,(7,4,9)):(4,(16,0,1))">, %t: !cute.tile<"[_;((4,3)):((1,28))]">,
                       %c: !cute.layout<"(3,4):(16,1)">, %s: !cute.shape<"(3,2)">,
                       %d: !cute.layout<"(?,8):(1,?)">, %id: !cute.layout<"(4,8):(1,4)">) {
  // Oracle 319.
  // CHECK: cute.composition(%{{.*}}, %{{.*}}) : (!cute.layout<"(4,2,8):(3,12,97)">, !cute.layout<"3:3">) -> !cute.layout<"3:9">
  %0 = cute.composition(%a, %r) : (!cute.layout<"(4,2,8):(3,12,97)">, !cute.layout<"3:3">)
  // Oracle 9209: a tile composes mode by mode.
  // CHECK: cute.composition{{.*}} -> !cute.layout<"(4,((4,3))):(4,((16,1)))">
  %1 = cute.composition(%b, %t) : (!cute.layout<"(4,(7,4,9)):(4,(16,0,1))">, !cute.tile<"[_;((4,3)):((1,28))]">)
  // Oracle 9686: 3 of mode 0 and 2 of mode 1.
  // CHECK: cute.composition{{.*}} -> !cute.layout<"(3,2):(16,1)">
  %2 = cute.composition(%c, %s) : (!cute.layout<"(3,4):(16,1)">, !cute.shape<"(3,2)">)
  return
}

// CHECK-LABEL: @coalesce
func.func @coalesce(%a: !cute.layout<"(16,(2),9,1):(2,(1),32,0)">, %b: !cute.layout<"((2,4),5,1):((1,2),8,0)">,
                    %p: !cute.coord<"(1,1,1)">, %c: !cute.layout<"((2,2),2):((1,2),4)">) {
  // Oracle 4615.
  // CHECK: cute.coalesce(%{{.*}}) : (!cute.layout<"(16,(2),9,1):(2,(1),32,0)">) -> !cute.layout<"(16,2,9):(2,1,32)">
  %0 = cute.coalesce(%a) : (!cute.layout<"(16,(2),9,1):(2,(1),32,0)">)
  // Oracle 5295: by a profile, mode by mode.
  // CHECK: cute.coalesce(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.layout<"(8,5,1):(1,8,0)">
  %1 = cute.coalesce(%b, %p) : (!cute.layout<"((2,4),5,1):((1,2),8,0)">, !cute.coord<"(1,1,1)">)
  // Oracle 4676.
  // CHECK: cute.coalesce{{.*}} -> !cute.layout<"8:1">
  %2 = cute.coalesce(%c) : (!cute.layout<"((2,2),2):((1,2),4)">)
  return
}

// CHECK-LABEL: @flatten_and_filter
func.func @flatten_and_filter(%a: !cute.layout<"((1,24),1):((0,4),0)">, %s: !cute.shape<"(4,(2,3))">,
                              %f: !cute.layout<"(5,7,16,3):(1,0,0,5)">, %z: !cute.layout<"(8,(2,7)):(64,(0,6))">) {
  // Oracle 18776.
  // CHECK: cute.flatten(%{{.*}}) : (!cute.layout<"((1,24),1):((0,4),0)">) -> !cute.layout<"(1,24,1):(0,4,0)">
  %0 = cute.flatten(%a) : (!cute.layout<"((1,24),1):((0,4),0)">)
  // By hand.
  // CHECK: cute.flatten{{.*}} -> !cute.shape<"(4,2,3)">
  %1 = cute.flatten(%s) : (!cute.shape<"(4,(2,3))">)
  // Oracle 5670.
  // CHECK: cute.filter(%{{.*}}) : (!cute.layout<"(5,7,16,3):(1,0,0,5)">) -> !cute.layout<"15:1">
  %2 = cute.filter(%f) : (!cute.layout<"(5,7,16,3):(1,0,0,5)">)
  // Oracle 6239: extent 1 where the stride is 0; the profile stays.
  // CHECK: cute.filter_zeros(%{{.*}}) : (!cute.layout<"(8,(2,7)):(64,(0,6))">) -> !cute.layout<"(8,(1,7)):(64,(0,6))">
  %3 = cute.filter_zeros(%z) : (!cute.layout<"(8,(2,7)):(64,(0,6))">)
  return
}

// CHECK-LABEL: @complement
func.func @complement(%a: !cute.layout<"(4,16):(192,4)">, %n: !cute.shape<"64">,
                      %b: !cute.layout<"((2,4,8),(2,4)):((8,1,64),(4,16))">) {
  // Oracle 6587.
  // CHECK: cute.complement(%{{.*}}, %{{.*}}) : (!cute.layout<"(4,16):(192,4)">, !cute.shape<"64">) -> !cute.layout<"(4,3):(1,64)">
  %0 = cute.complement(%a, %n) : (!cute.layout<"(4,16):(192,4)">, !cute.shape<"64">)
  // Oracle 341: a bijection leaves nothing out; the stride is that of the mode after it, as cutegen has it.
  // CHECK: cute.complement(%{{.*}}) : {{.*}} -> !cute.layout<"1:512">
  %1 = cute.complement(%b) : (!cute.layout<"((2,4,8),(2,4)):((8,1,64),(4,16))">)
  return
}

// CHECK-LABEL: @inverses
func.func @inverses(%a: !cute.layout<"(2,32,4):(128,4,1)">, %b: !cute.layout<"((4,2),2,7):((2,1344),8,48)">) {
  // Oracle 15440.
  // CHECK: cute.right_inverse(%{{.*}}) : (!cute.layout<"(2,32,4):(128,4,1)">) -> !cute.layout<"(4,32,2):(64,2,1)">
  %0 = cute.right_inverse(%a) : (!cute.layout<"(2,32,4):(128,4,1)">)
  // Oracle 16050.
  // CHECK: cute.left_inverse(%{{.*}}) : {{.*}} -> !cute.layout<"(2,4,6,28,2):(0,1,8,16,4)">
  %1 = cute.left_inverse(%b) : (!cute.layout<"((4,2),2,7):((2,1344),8,48)">)
  return
}

// CHECK-LABEL: @group_select_get
func.func @group_select_get(%a: !cute.layout<"(6,8,16):(128,1,8)">, %b: !cute.layout<"(4,(8,9)):(36,(288,1))">,
                            %c: !cute.layout<"(10,(5,24)):(1,(240,10))">, %s: !cute.shape<"(2,3,4)">,
                            %t: !cute.tile<"[(16,8):(8,1);_]">) {
  // Oracle 18513.
  // CHECK: cute.group_modes<2, 3> (%{{.*}}) : (!cute.layout<"(6,8,16):(128,1,8)">) -> !cute.layout<"(6,8,(16)):(128,1,(8))">
  %0 = cute.group_modes<2, 3> (%a) : (!cute.layout<"(6,8,16):(128,1,8)">)
  // Oracle 18921.
  // CHECK: cute.select<[1]> (%{{.*}}) : {{.*}} -> !cute.layout<"((8,9)):((288,1))">
  %2 = cute.select<[1]> (%b) : !cute.layout<"(4,(8,9)):(36,(288,1))">
  // By hand: in this order.
  // CHECK: cute.select<[2, 0]> {{.*}} -> !cute.shape<"(4,2)">
  %3 = cute.select<[2, 0]> (%s) : !cute.shape<"(2,3,4)">
  // Oracle 1884.
  // CHECK: cute.get<[1, 1]> (%{{.*}}) : {{.*}} -> !cute.layout<"24:10">
  %4 = cute.get<[1, 1]> (%c) : !cute.layout<"(10,(5,24)):(1,(240,10))">
  // By hand.
  // CHECK: cute.get<[0]> {{.*}} -> !cute.tile<"(16,8):(8,1)">
  %5 = cute.get<[0]> (%t) : !cute.tile<"[(16,8):(8,1);_]">
  return
}

// CHECK-LABEL: @recast
func.func @recast(%a: !cute.layout<"(16,(8,2)):(2,(32,1))">, %b: !cute.layout<"(8,2,(8,2,4)):(128,64,(8,4,1))">,
                  %c: !cute.composed_layout<"S<2,4,3> o 0 o 8:1">) {
  // Oracle 22913, 32 to 8 bits; the op states new before old.
  // CHECK: cute.recast_layout<8, 32> (%{{.*}}) : {{.*}} -> !cute.layout<"(16,(8,8)):(8,(128,1))">
  %0 = cute.recast_layout<8, 32> (%a) : !cute.layout<"(16,(8,2)):(2,(32,1))">
  // Oracle 22935, 4 to 32 bits.
  // CHECK: cute.recast_layout<32, 4> {{.*}} -> !cute.layout<"(8,2,(8,1,1)):(16,8,(1,1,1))">
  %1 = cute.recast_layout<32, 4> (%b) : !cute.layout<"(8,2,(8,2,4)):(128,64,(8,4,1))">
  // Oracle 22899, 2 to 16 bits: the swizzle's base goes down with the width.
  // CHECK: cute.recast_layout<16, 2> {{.*}} -> !cute.composed_layout<"S<2,1,3> o 0 o 1:1">
  %2 = cute.recast_layout<16, 2> (%c) : !cute.composed_layout<"S<2,4,3> o 0 o 8:1">
  return
}

// CHECK-LABEL: @divisions
func.func @divisions(%a: !cute.layout<"(4,1):(1,1)">, %la: !cute.layout<"2:2">, %b: !cute.layout<"(8,16):(1,8)">,
                     %tb: !cute.tile<"[2:4]">, %c: !cute.layout<"(2,16):(0,3)">, %tc: !cute.tile<"[1:0;4:1]">,
                     %d: !cute.layout<"(16,12):(12,1)">, %td: !cute.tile<"[16:1]">,
                     %e: !cute.layout<"(8,16,2):(32,1,16)">, %le: !cute.layout<"4:1">,
                     %f: !cute.layout<"(4,9):(2,2)">, %lf: !cute.layout<"(2):(1)">) {
  // Oracle 712.
  // CHECK: cute.logical_divide(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.layout<"(2,2):(2,1)">
  %0 = cute.logical_divide(%a, %la) : (!cute.layout<"(4,1):(1,1)">, !cute.layout<"2:2">)
  // Oracle 10955.
  // CHECK: cute.logical_divide{{.*}} -> !cute.layout<"((2,4),16):((4,1),8)">
  %1 = cute.logical_divide(%b, %tb) : (!cute.layout<"(8,16):(1,8)">, !cute.tile<"[2:4]">)
  // Oracle 11682.
  // CHECK: cute.zipped_divide(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.layout<"((1,4),(2,4)):((0,3),(0,12))">
  %2 = cute.zipped_divide(%c, %tc) : (!cute.layout<"(2,16):(0,3)">, !cute.tile<"[1:0;4:1]">)
  // Oracle 12198.
  // CHECK: cute.tiled_divide(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.layout<"((16),1,12):((12),0,1)">
  %3 = cute.tiled_divide(%d, %td) : (!cute.layout<"(16,12):(12,1)">, !cute.tile<"[16:1]">)
  // Oracle 12270.
  // CHECK: cute.tiled_divide{{.*}} -> !cute.layout<"(4,2,32):(32,128,1)">
  %4 = cute.tiled_divide(%e, %le) : (!cute.layout<"(8,16,2):(32,1,16)">, !cute.layout<"4:1">)
  return
}

// CHECK-LABEL: @flat_divide
func.func @flat_divide(%a: !cute.layout<"(4,8):(1,4)">, %t: !cute.tile<"[2:1;4:1]">) {
  // The public dialect's example: 2 of 4 and 4 of 8, then what is left of both.
  // CHECK: cute.flat_divide(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.layout<"(2,4,2,2):(1,4,2,16)">
  %0 = cute.flat_divide(%a, %t) : (!cute.layout<"(4,8):(1,4)">, !cute.tile<"[2:1;4:1]">)
  // CHECK: cute.zipped_divide{{.*}} -> !cute.layout<"((2,4),(2,2)):((1,4),(2,16))">
  %1 = cute.zipped_divide(%a, %t) : (!cute.layout<"(4,8):(1,4)">, !cute.tile<"[2:1;4:1]">)
  return
}

// CHECK-LABEL: @products
func.func @products(%a: !cute.layout<"(2,8):(1,2)">, %ra: !cute.layout<"9:1">, %b: !cute.layout<"(6,2,7):(14,7,1)">,
                    %rb: !cute.layout<"(4,10):(16,64)">, %c: !cute.layout<"(12,2,(3,1)):(1,12,(24,0))">,
                    %rc: !cute.layout<"(6,4):(8,1)">, %d: !cute.layout<"(2,24):(24,1)">, %rd: !cute.layout<"(4,1):(1,0)">,
                    %e: !cute.layout<"(4,2):(2,1)">, %re: !cute.layout<"(10,1):(1,0)">,
                    %f: !cute.layout<"(12,8):(8,1)">, %rf: !cute.layout<"(6,9):(9,1)">) {
  // Oracle 13131.
  // CHECK: cute.logical_product(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.layout<"((2,8),9):((1,2),16)">
  %0 = cute.logical_product(%a, %ra) : (!cute.layout<"(2,8):(1,2)">, !cute.layout<"9:1">)
  // Oracle 13691.
  // CHECK: cute.zipped_product(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.layout<"((6,2,7),(4,10)):((14,7,1),(1344,5376))">
  %1 = cute.zipped_product(%b, %rb) : (!cute.layout<"(6,2,7):(14,7,1)">, !cute.layout<"(4,10):(16,64)">)
  // Oracle 13980.
  // CHECK: cute.tiled_product(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.layout<"((12,2,(3,1)),6,4):((1,12,(24,0)),576,72)">
  %2 = cute.tiled_product(%c, %rc) : (!cute.layout<"(12,2,(3,1)):(1,12,(24,0))">, !cute.layout<"(6,4):(8,1)">)
  // Oracle 14299.
  // CHECK: cute.flat_product(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.layout<"(2,24,4,1):(24,1,48,0)">
  %3 = cute.flat_product(%d, %rd) : (!cute.layout<"(2,24):(24,1)">, !cute.layout<"(4,1):(1,0)">)
  // Oracle 14594.
  // CHECK: cute.blocked_product(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.layout<"((4,10),(2,1)):((2,8),(1,0))">
  %4 = cute.blocked_product(%e, %re) : (!cute.layout<"(4,2):(2,1)">, !cute.layout<"(10,1):(1,0)">)
  // Oracle 15020.
  // CHECK: cute.raked_product(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.layout<"((6,12),(9,8)):((864,8),(96,1))">
  %5 = cute.raked_product(%f, %rf) : (!cute.layout<"(12,8):(8,1)">, !cute.layout<"(6,9):(9,1)">)
  return
}

// CHECK-LABEL: @public_products
func.func @public_products(%a: !cute.layout<"(4,8):(1,4)">, %b: !cute.layout<"(2,3):(1,2)">) {
  // The public dialect's examples.
  // CHECK: cute.raked_product{{.*}} -> !cute.layout<"((2,4),(3,8)):((32,1),(64,4))">
  %0 = cute.raked_product(%a, %b) : (!cute.layout<"(4,8):(1,4)">, !cute.layout<"(2,3):(1,2)">)
  // CHECK: cute.blocked_product{{.*}} -> !cute.layout<"((4,2),(8,3)):((1,32),(4,64))">
  %1 = cute.blocked_product(%a, %b) : (!cute.layout<"(4,8):(1,4)">, !cute.layout<"(2,3):(1,2)">)
  return
}

// CHECK-LABEL: @tile_to_shape
func.func @tile_to_shape(%a: !cute.layout<"(32,2):(3,96)">, %s: !cute.shape<"(64,6)">, %o: !cute.int_tuple<"(1,0)">,
                         %b: !cute.layout<"(4,8):(1,4)">, %t: !cute.shape<"(8,8)">) {
  // Oracle 17950.
  // CHECK: cute.tile_to_shape(%{{.*}}, %{{.*}}, %{{.*}}) : {{.*}} -> !cute.layout<"((32,2),(2,3)):((3,192),(96,1))">
  %0 = cute.tile_to_shape(%a, %s, %o) : (!cute.layout<"(32,2):(3,96)">, !cute.shape<"(64,6)">, !cute.int_tuple<"(1,0)">)
  // The public dialect's example.
  // CHECK: cute.tile_to_shape(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.layout<"((4,2),(8,1)):((1,32),(4,0))">
  %1 = cute.tile_to_shape(%b, %t) : (!cute.layout<"(4,8):(1,4)">, !cute.shape<"(8,8)">)
  return
}
