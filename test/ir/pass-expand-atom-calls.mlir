// The atom-call step: calls become architecture ops and accesses, fields of atoms become operands. Other passes may stand before it.
// RUN: tessera-opt %s --cute-desugar --cute-expand-algebra --canonicalize --cse --cute-expand-atom-calls | FileCheck %s
// Without the algebra step a view is taken apart as it is.
// RUN: tessera-opt %s --cute-desugar --cute-expand-atom-calls | FileCheck %s --check-prefix=ALONE
// RUN: tessera-opt %s --cute-desugar --cute-expand-atom-calls=statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNTS
// COUNTS-DAG: cute-expand-atom-calls: 1 cute.mma_atom_call
// COUNTS-DAG: cute-expand-atom-calls: 2 cute.copy_atom_call

// Row i of 128 rows of 4 floats: one access of 16 bytes at 4 i.
!x = !cute.memref<f32, gmem, align<16>, "(4,128):(1,4)">
!row = !cute.memref<f32, gmem, align<16>, "(4):(1)">
!r = !cute.memref<f32, rmem, align<16>, "(4):(1)">
!copy = !cute_nvgpu.atom.universal_copy<f32, 128 b>
// CHECK-LABEL: @copy
// CHECK: %[[AT:.*]] = cute.add_offset(
// CHECK: cute.ptr.load(%[[AT]]) {alignment = 16 : i64} : (!cute.ptr<f32, gmem, align<16>>) -> vector<4xi32>
// CHECK-NOT: cute.make_view
// CHECK: return
// ALONE-LABEL: @copy
// ALONE: %[[ROW:.*]] = cute.slice(
// ALONE: %[[AT:.*]] = cute.get_iter(%[[ROW]])
// ALONE: cute.ptr.load(%[[AT]]) {alignment = 16 : i64}
func.func @copy(%x: !x, %i: i32, %r: !r) {
  %c = cute.make_coord(%i) : (i32) -> !cute.coord<"(_,?)">
  %row = cute.slice(%x, %c) : !x, !cute.coord<"(_,?)">
  %atom = cute.make_atom() : () -> !copy
  cute.copy_atom_call(%atom, %row, %r) : (!copy, !row, !r)
  return
}

!mma = !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >
!A = !cute.memref<f16, rmem, align<16>, "((2,2,2)):((1,2,4))">
!B = !cute.memref<f16, rmem, align<8>, "((2,2)):((1,2))">
!D = !cute.memref<f32, rmem, align<16>, "((2,2)):((1,2))">
// CHECK-LABEL: @mma
// CHECK-COUNT-4: cute.ptr.load(%{{.*}}) {{.*}} -> vector<2xf16>
// CHECK-COUNT-2: cute.ptr.load(%{{.*}}) {{.*}} -> vector<2xf16>
// CHECK-COUNT-4: cute.ptr.load(%{{.*}}) {{.*}} -> f32
// CHECK: cute_nvgpu.arch.mma.SM80
// CHECK-COUNT-4: cute.ptr.store
func.func @mma(%a: !A, %b: !B, %d: !D) {
  %atom = cute.make_atom() : () -> !mma
  cute.mma_atom_call(%atom, %d, %a, %b, %d) : (!mma, !D, !A, !B, !D)
  return
}

// The barrier is a field; the cache policy is not set, so the copy has none.
!ne = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">, tma_format = F16_RN>
!ex = !cute_nvgpu.atom.tma_load<f16, copy_bits = 65536, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,64):(1@1,1@0)">>
!box = !cute.coord_tensor<"(?,?)", "(((64,64),1)):(((1@0,1@1),0))">
!smem = !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((4096,1)):((1,0))">
// CHECK-LABEL: @tma
// CHECK-SAME: %[[BAR:[a-z0-9_]*]]: !cute.ptr<i64, smem>, %[[M:[a-z0-9_]*]]: i32, %[[K:[a-z0-9_]*]]: i32
// CHECK: %[[MAP:.*]] = cute_nvgpu.atom.get_value
// CHECK: cute_nvgpu.arch.copy.SM100.tma_load(%[[MAP]]
// CHECK-SAME: %[[BAR]]
// CHECK-NOT: set_value
// CHECK: return
func.func @tma(%tma: !ne, %bar: !cute.ptr<i64, smem>, %m: i32, %k: i32, %s: !smem) {
  %exec = cute_nvgpu.atom.make_exec_tma(%tma) : (!ne) -> !ex
  %ready = cute_nvgpu.atom.set_value(%exec, %bar : !cute.ptr<i64, smem>) {field = #cute_nvgpu.atom_copy_field_tmaload<tma_bar>} : !ex
  %start = cute.make_int_tuple(%k, %m) : (i32, i32) -> !cute.int_tuple<"(?,?)">
  %layout = cute.static : !cute.layout<"(((64,64),1)):(((1@0,1@1),0))">
  %from = cute.make_view(%start, %layout) : !box
  cute.copy_atom_call(%ready, %from, %s) : (!ex, !box, !smem)
  return
}

// An atom whose field was set reaches a call through a tiled atom too, put together from its fields.
!tiled = !cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>
!sums = !cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>
// CHECK-LABEL: @passed
// CHECK-SAME: %[[SUMS:[a-z0-9_]*]]: i1
// CHECK-NOT: set_value
// CHECK: %[[ATOM:.*]] = cute.make_atom(%[[SUMS]]) : (i1)
// CHECK: %[[TILED:.*]] = cute.make_tiled_mma(%[[ATOM]])
// CHECK: call @callee(%[[TILED]])
func.func private @callee(!tiled)
func.func @passed(%sums: i1) {
  %false = arith.constant false
  %atom = cute.make_atom(%false) : (i1) -> !sums
  %set = cute_nvgpu.atom.set_value(%atom, %sums : i1) {field = #cute_nvgpu.atom_mma_field_sm90<accum_c>} : !sums
  %tiled = cute.make_tiled_mma(%set) : (!sums) -> !tiled
  call @callee(%tiled) : (!tiled) -> ()
  return
}
