// Sugar becomes primitives, phase by phase: tuples, layouts and views, atoms, loops over atom calls. No target is named.
// RUN: tessera-opt %s --cute-desugar | FileCheck %s

// Phases 1 and 2: make_shape, make_coord, make_tile, make_stride become make_int_tuple; the type keeps the kind.
// CHECK-LABEL: @tuples
// CHECK-SAME: (%[[I:.*]]: i32)
func.func @tuples(%i: i32) -> (!cute.shape<"(?,8)">, !cute.stride<"(1,?)">, !cute.coord<"(_,?)">, !cute.tile<"[?:1;_]">, !cute.shape<"(4,8)">) {
  // CHECK-DAG: %[[S:.*]] = cute.make_int_tuple(%[[I]]) : (i32) -> !cute.shape<"(?,8)">
  %0 = cute.make_shape(%i) : (i32) -> !cute.shape<"(?,8)">
  // CHECK-DAG: %[[D:.*]] = cute.make_int_tuple(%[[I]]) : (i32) -> !cute.stride<"(1,?)">
  %1 = cute.make_stride(%i) : (i32) -> !cute.stride<"(1,?)">
  // CHECK-DAG: %[[C:.*]] = cute.make_int_tuple(%[[I]]) : (i32) -> !cute.coord<"(_,?)">
  %2 = cute.make_coord(%i) : (i32) -> !cute.coord<"(_,?)">
  // CHECK-DAG: %[[T:.*]] = cute.make_int_tuple(%[[I]]) : (i32) -> !cute.tile<"[?:1;_]">
  %3 = cute.make_tile(%i) : (i32) -> !cute.tile<"[?:1;_]">
  // CHECK-DAG: %[[F:.*]] = cute.static : !cute.shape<"(4,8)">
  %4 = cute.make_shape() : () -> !cute.shape<"(4,8)">
  // CHECK: return %[[S]], %[[D]], %[[C]], %[[T]], %[[F]]
  return %0, %1, %2, %3, %4 : !cute.shape<"(?,8)">, !cute.stride<"(1,?)">, !cute.coord<"(_,?)">, !cute.tile<"[?:1;_]">, !cute.shape<"(4,8)">
}

// Phase 3.
// CHECK-LABEL: @layouts
func.func @layouts(%s: !cute.shape<"(?,8)">, %d: !cute.stride<"(1,?)">, %sw: !cute.swizzle<"S<3,4,3>">, %o: !cute.int_tuple<"0">) -> !cute.composed_layout<"S<3,4,3> o 0 o (?,8):(1,?)"> {
  // CHECK: %[[L:.*]] = cute.make_layout_raw(%{{.*}}, %{{.*}}) : (!cute.shape<"(?,8)">, !cute.stride<"(1,?)">) -> !cute.layout<"(?,8):(1,?)">
  %l = cute.make_layout(%s, %d) : (!cute.shape<"(?,8)">, !cute.stride<"(1,?)">) -> !cute.layout<"(?,8):(1,?)">
  // CHECK: %[[W:.*]] = cute.make_swizzle : !cute.swizzle<"S<3,4,3>">
  // CHECK: cute.make_composed_layout_raw(%[[L]], %[[W]], %{{.*}})
  %c = cute.make_composed_layout(%sw, %o, %l) : (!cute.swizzle<"S<3,4,3>">, !cute.int_tuple<"0">, !cute.layout<"(?,8):(1,?)">) -> !cute.composed_layout<"S<3,4,3> o 0 o (?,8):(1,?)">
  return %c : !cute.composed_layout<"S<3,4,3> o 0 o (?,8):(1,?)">
}

// Algebra on a view is algebra on its layout.
// CHECK-LABEL: @views
func.func @views(%v: !cute.memref<f32, gmem, "(8,?):(1,8)">, %t: !cute.tile<"[4:1;2:1]">) {
  // CHECK: %[[I:.*]] = cute.get_iter(%[[V:.*]]) :
  // CHECK: %[[L:.*]] = cute.get_layout(%[[V]]) :
  // CHECK: %[[D:.*]] = cute.zipped_divide(%[[L]], %{{.*}}) : (!cute.layout<"(8,?):(1,8)">, !cute.tile<"[4:1;2:1]">) -> !cute.layout<"((4,2),(2,?)):((1,8),(4,16))">
  // CHECK: cute.make_view(%[[I]], %[[D]]) : {{.*}} -> !cute.memref<f32, gmem, "((4,2),(2,?)):((1,8),(4,16))">
  %0 = cute.zipped_divide(%v, %t) : (!cute.memref<f32, gmem, "(8,?):(1,8)">, !cute.tile<"[4:1;2:1]">)
  return
}

// CHECK-LABEL: @equal
func.func @equal(%a: !cute.layout<"(?,8):(1,?)">, %b: !cute.layout<"(?,8):(1,?)">) -> i1 {
  // CHECK-NOT: cute.equal
  // CHECK: %[[S:.*]] = cute.tuple_eq({{.*}}) : (!cute.shape<"(?,8)">, !cute.shape<"(?,8)">) -> i1
  // CHECK: %[[D:.*]] = cute.tuple_eq({{.*}}) : (!cute.stride<"(1,?)">, !cute.stride<"(1,?)">) -> i1
  // CHECK: arith.andi %[[S]], %[[D]] : i1
  %0 = cute.equal(%a, %b) : (!cute.layout<"(?,8):(1,?)">, !cute.layout<"(?,8):(1,?)">) -> i1
  return %0 : i1
}

// Of composed layouts all three parts; swizzles are known.
// CHECK-LABEL: @equal_composed
func.func @equal_composed(%a: !cute.composed_layout<"S<3,4,3> o ? o (?,8):(1,?)">, %b: !cute.composed_layout<"S<3,4,3> o ? o (?,8):(1,?)">) -> i1 {
  // CHECK-NOT: cute.equal
  // CHECK: cute.composed_get_outer
  // CHECK: cute.tuple_eq({{.*}}) : (!cute.shape<"(?,8)">, !cute.shape<"(?,8)">) -> i1
  // CHECK: cute.tuple_eq({{.*}}) : (!cute.stride<"(1,?)">, !cute.stride<"(1,?)">) -> i1
  // CHECK: arith.andi
  // CHECK: cute.composed_get_offset
  // CHECK: cute.tuple_eq({{.*}}) : (!cute.int_tuple<"?">, !cute.int_tuple<"?">) -> i1
  // CHECK: arith.andi
  // CHECK: arith.constant true
  // CHECK: arith.andi
  %0 = cute.equal(%a, %b) : (!cute.composed_layout<"S<3,4,3> o ? o (?,8):(1,?)">, !cute.composed_layout<"S<3,4,3> o ? o (?,8):(1,?)">) -> i1
  return %0 : i1
}

// Of views the layouts.
// CHECK-LABEL: @equal_views
func.func @equal_views(%a: !cute.memref<f32, gmem, "(?,8):(1,?)">, %b: !cute.memref<f32, smem, "(?,8):(1,?)">) -> i1 {
  // CHECK-NOT: cute.equal
  // CHECK: cute.get_layout
  // CHECK: cute.get_layout
  // CHECK: cute.tuple_eq({{.*}}) : (!cute.shape<"(?,8)">, !cute.shape<"(?,8)">) -> i1
  // CHECK: cute.tuple_eq({{.*}}) : (!cute.stride<"(1,?)">, !cute.stride<"(1,?)">) -> i1
  // CHECK: arith.andi
  %0 = cute.equal(%a, %b) : (!cute.memref<f32, gmem, "(?,8):(1,?)">, !cute.memref<f32, smem, "(?,8):(1,?)">) -> i1
  return %0 : i1
}

// What is of different kinds is different.
// CHECK-LABEL: @equal_kinds
func.func @equal_kinds(%a: !cute.composed_layout<"S<3,4,3> o ? o (?,8):(1,?)">, %b: !cute.layout<"(?,8):(1,?)">) -> i1 {
  // CHECK: %[[NO:.*]] = arith.constant false
  // CHECK: return %[[NO]]
  %0 = cute.equal(%a, %b) : (!cute.composed_layout<"S<3,4,3> o ? o (?,8):(1,?)">, !cute.layout<"(?,8):(1,?)">) -> i1
  return %0 : i1
}

!copy = !cute_nvgpu.atom.universal_copy<f16, 128 b>
!g = !cute.memref<f16, gmem, align<16>, "((8,1),4):((1,0),64)">
!r = !cute.memref<f16, rmem, align<16>, "((8,1),4):((1,0),8)">

// An atom without fields is static; a copy is one call for each of the four rest coordinates, in a loop.
// CHECK-LABEL: @copy
func.func @copy(%g: !g, %r: !r) {
  // CHECK: cute.static : !cute_nvgpu.atom.universal_copy<f16, 128 b>
  // CHECK-NOT: cute.make_atom
  %atom = cute.make_atom() : () -> !copy
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step
  // CHECK: cute.copy_atom_call(
  // CHECK-NOT: cute.copy(
  cute.copy(%atom, %g, %r) : (!copy, !g, !r)
  return
}

!mma = !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >
!A = !cute.memref<f16, rmem, align<16>, "((2,2,2),2,2):((1,2,4),8,16)">
!B = !cute.memref<f16, rmem, align<8>, "((2,2),4,2):((1,2),4,16)">
!D = !cute.memref<f32, rmem, align<16>, "((2,2),2,4):((1,2),4,8)">

!bulk = !cute_nvgpu.atom.bulk_copy_g2s<f16 copy_bits = 128>
!rows = !cute.memref<f16, gmem, align<16>, "((8,1),4):((1,0),8)">

// CHECK-LABEL: @gemm
func.func @gemm(%a: !A, %b: !B, %d: !D, %bulk: !bulk, %rows: !rows) {
  %atom = cute.make_atom() : () -> !mma
  // k, then m and n.
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: cute.mma_atom_call(
  // CHECK-NOT: cute.gemm
  cute.gemm(%atom, %d, %a, %b, %d) : (!mma, !D, !A, !B, !D)
  // CHECK: scf.for
  // CHECK: cute.prefetch_atom_call
  cute.prefetch(%bulk, %rows) : (!bulk, !rows)
  return
}

// CHECK-LABEL: @printing
func.func @printing(%v: !cute.memref<f32, gmem, "(2,3):(1,2)">) {
  // CHECK-NOT: cute.print_view
  // CHECK: scf.for
  cute.print_view(%v) {is_signed = true, verbose = false} : !cute.memref<f32, gmem, "(2,3):(1,2)">
  return
}
