// Bulk copies and reductions, stores to other CTAs of the cluster: types, fields, calls and instructions.
// RUN: tessera-opt %s | tessera-opt | FileCheck %s
// RUN: tessera-opt %s --mlir-print-op-generic | tessera-opt | FileCheck %s

// CHECK-LABEL: @types
// CHECK-SAME: !cute_nvgpu.atom.bulk_copy_g2s<f16 copy_bits = 4096>
// CHECK-SAME: !cute_nvgpu.atom.bulk_copy_g2s<f16 copy_bits = 128 mcast = true>
// CHECK-SAME: !cute_nvgpu.atom.bulk_copy_s2g<f32 copy_bits = 4096>
// CHECK-SAME: !cute_nvgpu.atom.bulk_copy_s2s<i8 copy_bits = 4096>
// CHECK-SAME: !cute_nvgpu.atom.bulk_reduce_s2g<bf16 copy_bits = 4096 kind = ADD>
// CHECK-SAME: !cute_nvgpu.atom.bulk_reduce_s2s<ui32 copy_bits = 4096 kind = INC>
// CHECK-SAME: !cute_nvgpu.atom.dsmem_store<f32, 128 b>
// CHECK-SAME: !cute_nvgpu.atom.non_exec_im2col_tma_load<sm_90, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@0,1@1)">, tma_format = F16_RN>
// CHECK-SAME: !cute_nvgpu.atom.non_exec_im2col_tma_load<sm_100, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@0,1@1)">, tma_format = F16_RN, mode = w>
// CHECK-SAME: !cute_nvgpu.atom.non_exec_im2col_tma_load<sm_100_multicast, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@0,1@1)">, mode = w128>
func.func private @types(!cute_nvgpu.atom.bulk_copy_g2s<f16 copy_bits = 4096>, !cute_nvgpu.atom.bulk_copy_g2s<f16 copy_bits = 128 mcast = true>,
  !cute_nvgpu.atom.bulk_copy_s2g<f32 copy_bits = 4096>, !cute_nvgpu.atom.bulk_copy_s2s<i8 copy_bits = 4096>,
  !cute_nvgpu.atom.bulk_reduce_s2g<bf16 copy_bits = 4096 kind = ADD>, !cute_nvgpu.atom.bulk_reduce_s2s<ui32 copy_bits = 4096 kind = INC>,
  !cute_nvgpu.atom.dsmem_store<f32, 128 b>, !cute_nvgpu.atom.non_exec_im2col_tma_load<sm_90, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@0,1@1)">, tma_format = F16_RN>,
  !cute_nvgpu.atom.non_exec_im2col_tma_load<sm_100, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@0,1@1)">, tma_format = F16_RN, mode = w>,
  !cute_nvgpu.atom.non_exec_im2col_tma_load<sm_100_multicast, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@0,1@1)">, mode = w128>)

!load = !cute_nvgpu.atom.bulk_copy_g2s<f16 copy_bits = 4096 mcast = true>
// CHECK-LABEL: @fields
func.func @fields(%bar: !cute.ptr<i64, smem>, %mask: i16, %policy: i64) -> !load {
  %a = cute.make_atom(%bar, %mask, %policy) : (!cute.ptr<i64, smem>, i16, i64) -> !load
  // CHECK: cute_nvgpu.atom.set_value(%{{.*}}, %{{.*}} : i64) {field = #cute_nvgpu.atom_copy_field_bulkg2s<cache_policy>}
  %b = cute_nvgpu.atom.set_value(%a, %policy : i64) {field = #cute_nvgpu.atom_copy_field_bulkg2s<cache_policy>} : !load
  return %b : !load
}

// One element is a run, whatever its stride.
// CHECK-LABEL: @one
func.func @one(%a: !cute_nvgpu.atom.dsmem_store<f32, 32 b>, %r: !cute.memref<f32, rmem, "1:1">, %d: !cute.memref<f32, dsmem, "1:7">) {
  // CHECK: cute.copy(
  cute.copy(%a, %r, %d) : (!cute_nvgpu.atom.dsmem_store<f32, 32 b>, !cute.memref<f32, rmem, "1:1">, !cute.memref<f32, dsmem, "1:7">)
  return
}

// CHECK-LABEL: @instructions
func.func @instructions(%g: !cute.ptr<f16, gmem, align<16>>, %s: !cute.ptr<f16, smem, align<16>>, %bar: !cute.ptr<i64, smem>, %m: i16, %p: i64, %rank: i32, %v: vector<4xi32>) {
  // CHECK: %[[D:.*]] = cute_nvgpu.arch.map_dsmem_ptr(%{{.*}}, %{{.*}}) : (!cute.ptr<f16, smem, align<16>>) -> !cute.ptr<f16, dsmem, align<16>>
  %d = cute_nvgpu.arch.map_dsmem_ptr(%s, %rank) : (!cute.ptr<f16, smem, align<16>>) -> !cute.ptr<f16, dsmem, align<16>>
  %b = cute_nvgpu.arch.map_dsmem_ptr(%bar, %rank) : (!cute.ptr<i64, smem>) -> !cute.ptr<i64, dsmem>
  // CHECK: cute_nvgpu.arch.copy.SM90.bulk_copy_g2s(%{{.*}}, %{{.*}}, %{{.*}}) mask = %{{.*}} cache_policy = %{{.*}} {bytes = 512 : i32} : (!cute.ptr<f16, smem, align<16>>, !cute.ptr<f16, gmem, align<16>>, !cute.ptr<i64, smem>, i16, i64)
  cute_nvgpu.arch.copy.SM90.bulk_copy_g2s(%s, %g, %bar) mask = %m cache_policy = %p {bytes = 512 : i32} : (!cute.ptr<f16, smem, align<16>>, !cute.ptr<f16, gmem, align<16>>, !cute.ptr<i64, smem>, i16, i64)
  // CHECK: cute_nvgpu.arch.copy.SM90.bulk_copy_s2g(%{{.*}}, %{{.*}}) {bytes = 16 : i32} : (!cute.ptr<f16, gmem, align<16>>, !cute.ptr<f16, smem, align<16>>)
  cute_nvgpu.arch.copy.SM90.bulk_copy_s2g(%g, %s) {bytes = 16 : i32} : (!cute.ptr<f16, gmem, align<16>>, !cute.ptr<f16, smem, align<16>>)
  // CHECK: cute_nvgpu.arch.copy.SM90.bulk_copy_s2s(%[[D]], %{{.*}}, %{{.*}}) {bytes = 16 : i32}
  cute_nvgpu.arch.copy.SM90.bulk_copy_s2s(%d, %s, %b) {bytes = 16 : i32} : (!cute.ptr<f16, dsmem, align<16>>, !cute.ptr<f16, smem, align<16>>, !cute.ptr<i64, dsmem>)
  // CHECK: cute_nvgpu.arch.copy.SM90.bulk_reduce(%{{.*}}, %{{.*}}) cache_policy = %{{.*}} {bytes = 16 : i32, element = f16, kind = #cute_nvgpu.reduction_kind<MIN>}
  cute_nvgpu.arch.copy.SM90.bulk_reduce(%g, %s) cache_policy = %p {bytes = 16 : i32, element = f16, kind = #cute_nvgpu.reduction_kind<MIN>} : (!cute.ptr<f16, gmem, align<16>>, !cute.ptr<f16, smem, align<16>>, i64)
  // CHECK: cute_nvgpu.arch.copy.SM90.bulk_reduce(%{{.*}}, %{{.*}}, %{{.*}}) {bytes = 16 : i32, element = i32, kind = #cute_nvgpu.reduction_kind<XOR>}
  cute_nvgpu.arch.copy.SM90.bulk_reduce(%d, %s, %b) {bytes = 16 : i32, element = i32, kind = #cute_nvgpu.reduction_kind<XOR>} : (!cute.ptr<f16, dsmem, align<16>>, !cute.ptr<f16, smem, align<16>>, !cute.ptr<i64, dsmem>)
  // CHECK: cute_nvgpu.arch.copy.SM90.bulk_prefetch(%{{.*}}) {bytes = 4096 : i32} : (!cute.ptr<f16, gmem, align<16>>)
  cute_nvgpu.arch.copy.SM90.bulk_prefetch(%g) {bytes = 4096 : i32} : (!cute.ptr<f16, gmem, align<16>>)
  // CHECK: cute_nvgpu.arch.copy.SM90.dsmem_store(%[[D]], %{{.*}}, %{{.*}}) : (!cute.ptr<f16, dsmem, align<16>>, vector<4xi32>, !cute.ptr<i64, dsmem>)
  cute_nvgpu.arch.copy.SM90.dsmem_store(%d, %v, %b) : (!cute.ptr<f16, dsmem, align<16>>, vector<4xi32>, !cute.ptr<i64, dsmem>)
  return
}
