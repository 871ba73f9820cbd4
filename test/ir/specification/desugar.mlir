// The rewrites of docs/specification/passes.md#desugar-rewrites, with its operands where types can state them; that a second run finds nothing to do; and that
// nothing of the pass names a target.
// RUN: tessera-opt %s --cute-desugar | FileCheck %s
// RUN: tessera-opt %s --cute-desugar -o %t.once
// RUN: tessera-opt %t.once --cute-desugar -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: not grep -inE "sm_?[0-9]|cute_nvgpu|wgmma|umma|tcgen|tma|ldsm|nvvm" %S/../../../tessera/lower/CuteDesugar.cpp %S/../../../tessera/lower/AtomLoops.cpp

// make_layout: tuples, then make_layout_raw. Operands keep their order.
// CHECK-LABEL: @make_layout
// CHECK-SAME: (%[[M:.*]]: i32, %[[N:.*]]: i32, %[[K:.*]]: i32, %[[SM:.*]]: i32, %[[SN:.*]]: i32, %[[SK:.*]]: i32)
func.func @make_layout(%m: i32, %n: i32, %k: i32, %sm: i32, %sn: i32, %sk: i32) -> !cute.layout<"(?,?,?):(?,?,?)"> {
  // CHECK: %[[S:.*]] = cute.make_int_tuple(%[[M]], %[[N]], %[[K]]) : (i32, i32, i32) -> !cute.shape<"(?,?,?)">
  %s = cute.make_shape(%m, %n, %k) : (i32, i32, i32) -> !cute.shape<"(?,?,?)">
  // CHECK: %[[D:.*]] = cute.make_int_tuple(%[[SM]], %[[SN]], %[[SK]]) : (i32, i32, i32) -> !cute.stride<"(?,?,?)">
  %d = cute.make_stride(%sm, %sn, %sk) : (i32, i32, i32) -> !cute.stride<"(?,?,?)">
  // CHECK: cute.make_layout_raw(%[[S]], %[[D]])
  // CHECK-NOT: cute.make_layout(
  %l = cute.make_layout(%s, %d) : (!cute.shape<"(?,?,?)">, !cute.stride<"(?,?,?)">)
  return %l : !cute.layout<"(?,?,?):(?,?,?)">
}

// make_coord and make_tile: make_int_tuple whose result type is the kind tag.
// CHECK-LABEL: @coord_and_tile
func.func @coord_and_tile(%i: i32, %j: i32, %k: i32) -> (!cute.coord<"(?,?,?)">, !cute.tile<"[?:1;?:1;?:1]">) {
  // CHECK-DAG: cute.make_int_tuple(%{{.*}}, %{{.*}}, %{{.*}}) : (i32, i32, i32) -> !cute.coord<"(?,?,?)">
  %c = cute.make_coord(%i, %j, %k) : (i32, i32, i32) -> !cute.coord<"(?,?,?)">
  // CHECK-DAG: cute.make_int_tuple(%{{.*}}, %{{.*}}, %{{.*}}) : (i32, i32, i32) -> !cute.tile<"[?:1;?:1;?:1]">
  %t = cute.make_tile(%i, %j, %k) : (i32, i32, i32) -> !cute.tile<"[?:1;?:1;?:1]">
  return %c, %t : !cute.coord<"(?,?,?)">, !cute.tile<"[?:1;?:1;?:1]">
}

// make_composed_layout: the inner swizzle, the offset, then (outer, inner, offset).
// CHECK-LABEL: @composed
// CHECK-SAME: %[[OUTER:.*]]: !cute.layout<"(8,?):(?,1)">, %[[OFFSET:.*]]: !cute.int_tuple<"0">
func.func @composed(%outer: !cute.layout<"(8,?):(?,1)">, %offset: !cute.int_tuple<"0">) -> !cute.composed_layout<"S<2,4,3> o 0 o (8,?):(?,1)"> {
  // CHECK: %[[W:.*]] = cute.make_swizzle : !cute.swizzle<"S<2,4,3>">
  // CHECK: cute.make_composed_layout_raw(%[[OUTER]], %[[W]], %[[OFFSET]])
  %swizzle = cute.static : !cute.swizzle<"S<2,4,3>">
  %c = cute.make_composed_layout(%swizzle, %offset, %outer) : (!cute.swizzle<"S<2,4,3>">, <"0">, <"(8,?):(?,1)">)
  return %c : !cute.composed_layout<"S<2,4,3> o 0 o (8,?):(?,1)">
}

// equal over layouts: shapes, strides, andi.
// CHECK-LABEL: @equal
func.func @equal(%l1: !cute.layout<"(?,8):(1,?)">, %l2: !cute.layout<"(?,8):(1,?)">) -> i1 {
  // CHECK: %[[S1:.*]] = cute.get_shape(%[[L1:.*]]) :
  // CHECK: %[[S2:.*]] = cute.get_shape(%[[L2:.*]]) :
  // CHECK: %[[SEQ:.*]] = cute.tuple_eq(%[[S1]], %[[S2]])
  // CHECK: %[[T1:.*]] = cute.get_stride(%[[L1]]) :
  // CHECK: %[[T2:.*]] = cute.get_stride(%[[L2]]) :
  // CHECK: %[[TEQ:.*]] = cute.tuple_eq(%[[T1]], %[[T2]])
  // CHECK: arith.andi %[[SEQ]], %[[TEQ]] : i1
  %r = cute.equal(%l1, %l2) : (!cute.layout<"(?,8):(1,?)">, !cute.layout<"(?,8):(1,?)">) -> i1
  return %r : i1
}

// A dynamic print: a loop over the flattened coordinates.
// CHECK-LABEL: @print
func.func @print(%v: !cute.memref<f32, gmem, "(?):(2)">) {
  // CHECK: cute.size
  // CHECK: scf.for
  // CHECK: cute.memref.load
  // CHECK: cute.print(
  // CHECK-NOT: cute.print_view
  cute.print_view(%v) {is_signed = true, verbose = false} : !cute.memref<f32, gmem, "(?):(2)">
  return
}

// Static tuples are canonical: two layouts of one shape get the same value from --cse.
// RUN: tessera-opt %s --cute-desugar --cse | FileCheck %s --check-prefix=CSE
// CSE-LABEL: @same_shape
// CSE-COUNT-1: cute.make_int_tuple
// CSE-NOT: cute.make_int_tuple
// CSE: return
func.func @same_shape(%m: i32) -> (!cute.layout<"(?,8):(1,?)">, !cute.layout<"(?,8):(1,?)">) {
  %s1 = cute.make_shape(%m) : (i32) -> !cute.shape<"(?,8)">
  %s2 = cute.make_shape(%m) : (i32) -> !cute.shape<"(?,8)">
  %l1 = cute.make_layout(%s1) : (!cute.shape<"(?,8)">) -> !cute.layout<"(?,8):(1,?)">
  %l2 = cute.make_layout(%s2) : (!cute.shape<"(?,8)">) -> !cute.layout<"(?,8):(1,?)">
  return %l1, %l2 : !cute.layout<"(?,8):(1,?)">, !cute.layout<"(?,8):(1,?)">
}

// Tiled atoms without run-time fields are what their types state.
!tiled_copy = !cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f16, 128 b>, layout_copy_tv = <"((8,16),8):((128,1),16)">, tiler_mn = <"[16:1;64:1]">>
!tiled_mma = !cute.tiled_mma<!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, atom_layout_MNK = <"(2,2,1):(1,2,0)">>
// CHECK-LABEL: @tiled
func.func @tiled() -> (!tiled_copy, !tiled_mma) {
  // CHECK: %[[T:.*]] = cute.static : !cute.tiled_copy<
  // CHECK: %[[M:.*]] = cute.static : !cute.tiled_mma<
  // CHECK-NOT: cute.make_tiled
  // CHECK: return %[[T]], %[[M]]
  %a = cute.make_atom() : () -> !cute_nvgpu.atom.universal_copy<f16, 128 b>
  %t = cute.make_tiled_copy(%a) : !cute_nvgpu.atom.universal_copy<f16, 128 b> -> !tiled_copy
  %b = cute.make_atom() : () -> !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >
  %m = cute.make_tiled_mma(%b) : !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) > -> !tiled_mma
  return %t, %m : !tiled_copy, !tiled_mma
}
