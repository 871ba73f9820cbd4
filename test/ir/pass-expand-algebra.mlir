// The algebra step: layouts and coordinates become arithmetic, loops carry leaves; calls of atoms and vectors stay, on views that are
// made of a pointer and a layout.
// RUN: tessera-opt %s --cute-desugar --cute-expand-algebra | FileCheck %s
// What it leaves it takes again, and changes nothing.
// RUN: tessera-opt %s --cute-desugar --cute-expand-algebra --cute-expand-algebra | FileCheck %s
// RUN: tessera-opt %s --cute-desugar --cute-expand-algebra=statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNTS
// COUNTS-DAG: cute-expand-algebra: 1 cute.tuple_add
// COUNTS-DAG: cute-expand-algebra: 3 cute.slice

// A loop that is marked for unrolling is another step's.
// CHECK-LABEL: @carried
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}}) -> (i32)
// CHECK: arith.addi %[[X]], %{{.*}} : i32
// CHECK: return %[[R]] : i32
#full = #llvm.loop_annotation<unroll = <full = true>>
func.func @carried(%i: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %l0 = cute.make_int_tuple(%i) : (i32) -> !cute.int_tuple<"?">
  %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%x = %l0) -> (!cute.int_tuple<"?">) : i32 {
    %s = cute.make_int_tuple(%k) : (i32) -> !cute.int_tuple<"?">
    %y = cute.tuple_add(%x, %s) : (!cute.int_tuple<"?">, !cute.int_tuple<"?">) -> !cute.int_tuple<"?">
    scf.yield %y : !cute.int_tuple<"?">
  } {llvm.loop_annotation = #full}
  %o = cute.get_scalars(%r) : !cute.int_tuple<"?">
  return %o : i32
}

// Row i of 128 rows of 4 floats: the pointer moves by 4 i.
!x = !cute.memref<f32, gmem, align<16>, "(4,128):(1,4)">
!row = !cute.memref<f32, gmem, align<16>, "(4):(1)">
!r = !cute.memref<f32, rmem, align<16>, "(4):(1)">
!copy = !cute_nvgpu.atom.universal_copy<f32, 128 b>
// CHECK-LABEL: @views
// CHECK-SAME: %[[I:[a-z0-9]*]]: i32) -> vector<4xf32>
// CHECK: arith.muli %[[I]], %c4_i32
// CHECK: %[[AT:.*]] = cute.add_offset(
// CHECK-NOT: cute.slice
// CHECK: %[[SRC:.*]] = cute.make_view(%[[AT]], %{{.*}})
// CHECK: cute.copy_atom_call(%{{.*}}, %[[SRC]], %{{.*}})
// CHECK: cute.memref.load_vec
func.func @views(%x: !x, %i: i32) -> vector<4xf32> {
  %c = cute.make_coord(%i) : (i32) -> !cute.coord<"(_,?)">
  %row = cute.slice(%x, %c) : !x, !cute.coord<"(_,?)">
  %r = cute.memref.alloca() : !r
  %atom = cute.make_atom() : () -> !copy
  cute.copy_atom_call(%atom, %row, %r) : (!copy, !row, !r)
  %v = cute.memref.load_vec %r : !r
  return %v : vector<4xf32>
}

// Of a swizzled pointer's offset the step says which bits it may have: 64 (i mod 8) has bits 6 to 8, which make 448.
!s = !cute.memref<f16, smem, align<1024>, S<3,4,3>, "(8,8):(1,64)">
!vec = !cute.memref<f16, smem, align<128>, S<3,4,3>, "(8):(1)">
// CHECK-LABEL: @swizzled
// CHECK: arith.remui
// CHECK: cute.add_offset({{.*}}) {cute.offset_bits = array<i64: 448, 0>}
// CHECK: cute.memref.load_vec
func.func @swizzled(%s: !s, %i: i32) -> vector<8xf16> {
  %l = cute.static : !cute.layout<"(8,4):(1,8)">
  %n = cute.make_int_tuple(%i) : (i32) -> !cute.int_tuple<"?">
  %h = cute.get_hier_coord(%n, %l) : (!cute.int_tuple<"?">, !cute.layout<"(8,4):(1,8)">) -> !cute.coord<"(?,?)">
  %h0 = cute.get(%h) {mode = array<i32: 0>} : (!cute.coord<"(?,?)">) -> !cute.coord<"?">
  %at = cute.make_coord(%h0) : (!cute.coord<"?">) -> !cute.coord<"(_,?)">
  %v = cute.slice(%s, %at) : !s, !cute.coord<"(_,?)">
  %r = cute.memref.load_vec %v : !vec
  return %r : vector<8xf16>
}

// What a value shows of its bits does not decide the form of a result: the offset of the partition has bits 7 and 8 only, which the type does not say,
// and the type of the slice states the swizzle.
!mma = !cute.tiled_mma<!cute_nvgpu.sm80.mma<16x8x8, elem_type = (f16, f16, f32) >, atom_layout_MNK = <"(2,2,1):(1,2,0)">, permutation_MNK = <"[64:1;_;8:1]">>
!in = !cute.memref<f16, smem, align<1024>, "S<3,4,3> o 0 o (64,24):(1,64)">
!part = !cute.memref<f16, smem, "S<3,4,3> o ?{div=128} o (2,4,3):(64,16,512)">
!k = !cute.memref<f16, smem, "S<3,4,3> o ?{div=128} o (2,4):(64,16)">
// CHECK-LABEL: @swizzled_partition
// CHECK: cute.make_view({{.*}}) : ({{.*}}, !cute.composed_layout<"S<3,4,3> o ?{div=128} o (2,4):(64,16)">)
// CHECK-NEXT: cute.memref.load_vec
func.func @swizzled_partition(%mma: !mma, %v: !in, %i: i32) -> vector<8xf16> {
  %at = cute.make_coord(%i) : (i32) -> !cute.coord<"?">
  %p = cute.tiled.mma.partition B (%mma, %v, %at) : (!mma, !in, !cute.coord<"?">) -> !part
  %k = cute.make_coord(%i) : (i32) -> !cute.coord<"(_,_,?)">
  %s = cute.slice(%p, %k) : !part, !cute.coord<"(_,_,?)">
  %r = cute.memref.load_vec %s : !k
  return %r : vector<8xf16>
}
