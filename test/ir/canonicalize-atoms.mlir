// What `--canonicalize` makes of atoms: those without fields are static, and a field that was set is known.
// RUN: tessera-opt %s --canonicalize --split-input-file | FileCheck %s

!copy = !cute_nvgpu.atom.universal_copy<f32>
!tiled = !cute.tiled_copy<!copy, layout_copy_tv = <"(32,4):(1,32)">, tiler_mn = <"[128:1]">>
// CHECK-LABEL: @static_atoms
func.func @static_atoms() -> (!copy, !tiled) {
  // CHECK-DAG: %[[A:.*]] = cute.static : !cute_nvgpu.atom.universal_copy<f32>
  // CHECK-DAG: %[[T:.*]] = cute.static : !cute.tiled_copy<
  // CHECK: return %[[A]], %[[T]]
  %a = cute.make_atom() : () -> !copy
  %t = cute.make_tiled_copy(%a) : !copy -> !tiled
  return %a, %t : !copy, !tiled
}

// -----

// The last value counts, and another field is none of it.
!ex = !cute_nvgpu.atom.tma_load<f16, copy_bits = 65536, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,64):(1@1,1@0)">>
// CHECK-LABEL: @fields
// CHECK-SAME: (%[[X:.*]]: !cute_nvgpu{{.*}}, %[[A:.*]]: !cute.ptr<i64, smem>, %[[B:.*]]: !cute.ptr<i64, smem>, %[[P:.*]]: i64)
func.func @fields(%x: !ex, %a: !cute.ptr<i64, smem>, %b: !cute.ptr<i64, smem>, %p: i64) -> (!cute.ptr<i64, smem>, i64, i16) {
  // CHECK-NEXT: %[[M:.*]] = cute_nvgpu.atom.get_value(%[[X]] : {{.*}}) {field = #cute_nvgpu.atom_copy_field_tmaload<mcast_mask>}
  // CHECK-NEXT: return %[[B]], %[[P]], %[[M]]
  %0 = cute_nvgpu.atom.set_value(%x, %a : !cute.ptr<i64, smem>) {field = #cute_nvgpu.atom_copy_field_tmaload<tma_bar>} : !ex
  %1 = cute_nvgpu.atom.set_value(%0, %p : i64) {field = #cute_nvgpu.atom_copy_field_tmaload<cache_policy>} : !ex
  %2 = cute_nvgpu.atom.set_value(%1, %b : !cute.ptr<i64, smem>) {field = #cute_nvgpu.atom_copy_field_tmaload<tma_bar>} : !ex
  %3 = cute_nvgpu.atom.get_value(%2 : !ex) {field = #cute_nvgpu.atom_copy_field_tmaload<tma_bar>} : !cute.ptr<i64, smem>
  %4 = cute_nvgpu.atom.get_value(%2 : !ex) {field = #cute_nvgpu.atom_copy_field_tmaload<cache_policy>} : i64
  %5 = cute_nvgpu.atom.get_value(%2 : !ex) {field = #cute_nvgpu.atom_copy_field_tmaload<mcast_mask>} : i16
  return %3, %4, %5 : !cute.ptr<i64, smem>, i64, i16
}
