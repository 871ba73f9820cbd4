// Algebra becomes arithmetic on leaves, atom calls architecture ops on registers; nothing of layouts is left.
// RUN: tessera-opt %s --cute-desugar --cute-expand-ops | FileCheck %s

// A function that is lowered already has no cute values, and may have several blocks.
// CHECK-LABEL: llvm.func @lowered
// CHECK: llvm.cond_br
// CHECK: llvm.return
llvm.func @lowered(%c: i1, %i: i32) -> i32 {
  llvm.cond_br %c, ^bb1, ^bb2
^bb1:
  llvm.return %i : i32
^bb2:
  %d = llvm.add %i, %i : i32
  llvm.return %d : i32
}

// (i, n) in (?,8):(1,s): i + n * s.
// CHECK-LABEL: @eval
// CHECK-SAME: (%[[I:.*]]: i32, %[[N:.*]]: i32, %[[S:.*]]: i32)
// CHECK-NEXT: %[[P:.*]] = arith.muli %[[N]], %[[S]] overflow<nsw> : i32
// CHECK-NEXT: %[[X:.*]] = arith.addi %[[I]], %[[P]] overflow<nsw> : i32
// CHECK-NEXT: return %[[X]] : i32
func.func @eval(%i: i32, %n: i32, %s: i32) -> i32 {
  %c = cute.make_coord(%i, %n) : (i32, i32) -> !cute.coord<"(?,?)">
  %sh = cute.make_shape(%n) : (i32) -> !cute.shape<"(?,8)">
  %st = cute.make_stride(%s) : (i32) -> !cute.stride<"(1,?)">
  %l = cute.make_layout(%sh, %st) : (!cute.shape<"(?,8)">, !cute.stride<"(1,?)">) -> !cute.layout<"(?,8):(1,?)">
  %x = cute.layout_eval(%c, %l) : (!cute.coord<"(?,?)">, !cute.layout<"(?,8):(1,?)">) -> !cute.int_tuple<"?">
  %r = cute.get_scalars (%x) : !cute.int_tuple<"?">
  return %r : i32
}
// Two calls of 16 bytes, at elements 0 and 64 of the source, 0 and 8 of the registers.
!copy = !cute_nvgpu.atom.universal_copy<f16, 128 b>
!g = !cute.memref<f16, gmem, align<16>, "((8,1),2):((1,0),64)">
!r = !cute.memref<f16, rmem, align<16>, "((8,1),2):((1,0),8)">
// CHECK-LABEL: @copy
// CHECK-NOT: scf.for
// CHECK: cute.ptr.load(%[[G:.*]]) {alignment = 16 : i64} : (!cute.ptr<f16, gmem, align<16>>) -> vector<4xi32>
// CHECK: cute.ptr.store(%[[R:.*]], %{{.*}}) {alignment = 4 : i64, offset = 6 : i64} : (!cute.ptr<f16, rmem, align<16>>, i32) -> ()
// CHECK: cute.ptr.load(%[[G]]) {alignment = 16 : i64, offset = 64 : i64} : (!cute.ptr<f16, gmem, align<16>>) -> vector<4xi32>
// CHECK: cute.ptr.store(%[[R]], %{{.*}}) {alignment = 16 : i64, offset = 8 : i64}
// CHECK: vector.from_elements {{.*}} : vector<16xf16>
func.func @copy(%g: !g) -> vector<16xf16> {
  %atom = cute.make_atom() : () -> !copy
  %r = cute.memref.alloca() : !r
  cute.copy(%atom, %g, %r) : (!copy, !g, !r)
  %v = cute.memref.load_vec %r : !r
  return %v : vector<16xf16>
}
// One m16n8k16: 4 registers of two halves, 2, and 4 floats; D goes back to where C came from.
!mma = !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >
!A = !cute.memref<f16, rmem, align<16>, "((2,2,2),1,1):((1,2,4),0,0)">
!B = !cute.memref<f16, rmem, align<8>, "((2,2),1,1):((1,2),0,0)">
!D = !cute.memref<f32, rmem, align<16>, "((2,2),1,1):((1,2),0,0)">
// CHECK-LABEL: @gemm
// CHECK-COUNT-4: cute.ptr.load(%{{.*}}) {{.*}} : (!cute.ptr<f16, rmem, align<16>>) -> vector<2xf16>
// CHECK-COUNT-2: cute.ptr.load(%{{.*}}) {{.*}} : (!cute.ptr<f16, rmem, align<8>>) -> vector<2xf16>
// CHECK-COUNT-4: cute.ptr.load(%[[D:.*]]) {{.*}} : (!cute.ptr<f32, rmem, align<16>>) -> f32
// CHECK: %[[M:.*]]:4 = cute_nvgpu.arch.mma.SM80 A[{{.*}}] B[{{.*}}] C[{{.*}}] {a_type = f16, b_type = f16, shape_MNK = #cute.shape<"(16,8,16)">}
// CHECK: cute.ptr.store(%{{.*}}, %[[M]]#3) {alignment = 4 : i64, offset = 3 : i64} : (!cute.ptr<f32, rmem, align<16>>, f32) -> ()
func.func @gemm(%a: !A, %b: !B, %d: !D) {
  %atom = cute.make_atom() : () -> !mma
  cute.gemm(%atom, %d, %a, %b, %d) : (!mma, !D, !A, !B, !D)
  return
}
!ldsm = !cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, n>
// CHECK-LABEL: @ldsm
// CHECK: %[[W:.*]] = cute_nvgpu.arch.copy.ldsm(%{{.*}}) {matrix_shape = #cute.shape<"(8,8)">, num_matrices = 4 : i32, sz_pattern = #cute_nvgpu.ldsm_sz_pattern<u16>} : (!cute.ptr<f16, smem, align<16>>) -> vector<4xi32>
// CHECK: vector.to_elements %[[W]]
// CHECK-COUNT-4: cute.ptr.store
func.func @ldsm(%s: !cute.memref<f16, smem, align<16>, "((8,1)):((1,0))">, %d: !cute.memref<f16, rmem, align<16>, "((8,1)):((1,0))">) {
  %atom = cute.make_atom() : () -> !ldsm
  cute.copy_atom_call(%atom, %s, %d) : (!ldsm, !cute.memref<f16, smem, align<16>, "((8,1)):((1,0))">, !cute.memref<f16, rmem, align<16>, "((8,1)):((1,0))">)
  return
}
!async = !cute_nvgpu.atom.simt_async_copy<f16, cache = global, 128 b>
// The predicate fills with zeros, so the instruction gets it; its pointers are to 16 bytes.
// CHECK-LABEL: @async
// CHECK: %[[BYTE:.*]] = cute.ptr.load(%{{.*}}) {{.*}} -> i8
// CHECK-NEXT: %[[P:.*]] = arith.trunci %[[BYTE]] : i8 to i1
// CHECK: cute_nvgpu.arch.copy.SM80.cp_async(%{{.*}}, %{{.*}}, %[[P]]) {cache_mode = #cute_nvgpu.load_cache_mode<global>} : (!cute.ptr<i128, smem>, !cute.ptr<i128, gmem>, i1)
func.func @async(%g: !cute.memref<f16, gmem, align<16>, "((8,1)):((1,0))">, %s: !cute.memref<f16, smem, align<16>, "((8,1)):((1,0))">, %p: !cute.memref<i1, rmem, "(1):(0)">) {
  %atom = cute.make_atom() : () -> !async
  cute.copy_atom_call(%atom, %g, %s, %p) : (!async, !cute.memref<f16, gmem, align<16>, "((8,1)):((1,0))">, !cute.memref<f16, smem, align<16>, "((8,1)):((1,0))">, !cute.memref<i1, rmem, "(1):(0)">)
  return
}
// S<2,3,3> o 72 o L begins at S(72) = 64, as bit 6 of 72 changes bit 3: single elements, cp.async, ldmatrix and stmatrix agree.
!swizzled = !cute.memref<f16, smem, align<16>, "S<2,3,3> o 72 o ((8,1)):((1,0))">
// CHECK-LABEL: @composed
// CHECK: cute.ptr.store(%[[S:.*]], %{{.*}}) {alignment = 16 : i64, offset = 64 : i64}
// CHECK: %[[MOVED:.*]] = cute.add_offset(%[[S]], %{{.*}}) : (!cute.ptr<f16, smem, align<16>>, !cute.int_tuple<"64">)
// CHECK: %[[WIDE:.*]] = cute.recast_iter(%[[MOVED]])
// CHECK: cute_nvgpu.arch.copy.SM80.cp_async(%[[WIDE]],
// CHECK: %[[MOVED:.*]] = cute.add_offset(%[[S]], %{{.*}}) : (!cute.ptr<f16, smem, align<16>>, !cute.int_tuple<"64">)
// CHECK: cute_nvgpu.arch.copy.ldsm(%[[MOVED]])
// CHECK: %[[MOVED:.*]] = cute.add_offset(%[[S]], %{{.*}}) : (!cute.ptr<f16, smem, align<16>>, !cute.int_tuple<"64">)
// CHECK: cute_nvgpu.arch.copy.stsm(%[[MOVED]],
!row = !cute.memref<f16, rmem, align<16>, "((8,1)):((1,0))">
!stsm = !cute_nvgpu.atom.stsm<f16, mode = <"(8,8)">, num_matrices = 4, n>
func.func @composed(%g: !cute.memref<f16, gmem, align<16>, "((8,1)):((1,0))">, %s: !swizzled, %r: !row, %v: f16) {
  %zero = cute.make_coord() : () -> !cute.coord<"0">
  cute.memref.store(%s, %zero, %v) : (!swizzled, !cute.coord<"0">, f16) -> ()
  %async = cute.make_atom() : () -> !async
  cute.copy_atom_call(%async, %g, %s) : (!async, !cute.memref<f16, gmem, align<16>, "((8,1)):((1,0))">, !swizzled)
  %load = cute.make_atom() : () -> !ldsm
  cute.copy_atom_call(%load, %s, %r) : (!ldsm, !swizzled, !row)
  %store = cute.make_atom() : () -> !stsm
  cute.copy_atom_call(%store, %r, %s) : (!stsm, !row, !swizzled)
  return
}

// A loop carries leaves instead of a layout; a loop marked for full unrolling is none.
// CHECK-LABEL: @loops
func.func @loops(%n: i32, %i: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %l0 = cute.make_int_tuple(%i) : (i32) -> !cute.int_tuple<"?">
  // CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}}) -> (i32)
  // CHECK: arith.addi %[[X]], %{{.*}} : i32
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%x = %l0) -> (!cute.int_tuple<"?">) : i32 {
    %s = cute.make_int_tuple(%k) : (i32) -> !cute.int_tuple<"?">
    %y = cute.tuple_add(%x, %s) : (!cute.int_tuple<"?">, !cute.int_tuple<"?">) -> !cute.int_tuple<"?">
    scf.yield %y : !cute.int_tuple<"?">
  }
  // CHECK: return %[[R]] : i32
  %o = cute.get_scalars (%r) : !cute.int_tuple<"?">
  return %o : i32
}

// A number known to be a multiple is an ordinary number where arith takes it.
// CHECK-LABEL: @from_address
// CHECK-SAME: (%[[A:.*]]: !cute.i64<divby 128>)
// CHECK-NEXT: %[[I:.*]] = builtin.unrealized_conversion_cast %[[A]] : !cute.i64<divby 128> to i64
// CHECK-NEXT: cute.inttoptr(%[[I]]) : i64 to
func.func @from_address(%a: !cute.i64<divby 128>) -> f32 {
  %p = cute.inttoptr(%a) : !cute.i64<divby 128> to !cute.ptr<f32, gmem, align<64>>
  %0 = cute.ptr.load(%p) : (!cute.ptr<f32, gmem, align<64>>) -> f32
  return %0 : f32
}
