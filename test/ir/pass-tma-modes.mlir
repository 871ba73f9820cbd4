// TMA of Blackwell: rows that are gathered and scattered, and pixels along W (PTX ISA 9.7.9.25.5.2 and 3).
// RUN: tessera-opt %s --convert-cute-to-llvm --convert-cute-nvgpu-to-nvvm --reconcile-unrealized-casts | FileCheck %s

!desc = !cute.ptr<i8, generic, align<64>>
!smem = !cute.ptr<f16, smem, align<128>>
!bar = !cute.ptr<i64, smem, align<8>>
// CHECK-LABEL: llvm.func @rows
func.func @rows(%d: !desc, %s: !smem, %b: !bar, %c: i32, %r: i32) {
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}mode = #nvvm.tma_load_mode<tile_gather4>
  cute_nvgpu.arch.copy.SM100.tma_load(%d, %s, %b, [%c, %r, %r, %r, %r]) {mode = #cute_nvgpu.tma_load_mode<gather4>, num_cta = 1 : i32} : !desc, !smem, !bar
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta {{.*}}mode = #nvvm.tma_store_mode<tile_scatter4>
  cute_nvgpu.arch.copy.SM100.tma_store(%d, %s, [%c, %r, %r, %r, %r]) {mode = #cute_nvgpu.tma_store_mode<scatter4>} : !desc, !smem
  // CHECK: nvvm.cp.async.bulk.tensor.prefetch {{.*}}mode = #nvvm.tma_load_mode<tile_gather4>
  cute_nvgpu.arch.copy.SM100.tma_prefetch(%d, [%c, %r, %r, %r, %r]) {mode = #cute_nvgpu.tma_load_mode<gather4>} : !desc
  return
}

// Halo and offset, whatever the rank.
// CHECK-LABEL: llvm.func @along
func.func @along(%d: !desc, %s: !smem, %b: !bar, %c: i32, %o: i16) {
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}mode = #nvvm.tma_load_mode<im2col_w>
  cute_nvgpu.arch.copy.SM100.tma_load(%d, %s, %b, [%c, %c, %c]) offsets = [%o, %o] {mode = #cute_nvgpu.tma_load_mode<w>, num_cta = 1 : i32} : !desc, !smem, !bar
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}mode = #nvvm.tma_load_mode<im2col_w_128>
  cute_nvgpu.arch.copy.SM100.tma_load(%d, %s, %b, [%c, %c, %c, %c]) offsets = [%o, %o] {mode = #cute_nvgpu.tma_load_mode<w128>, num_cta = 1 : i32} : !desc, !smem, !bar
  return
}

// Of every 16 bytes those that the mask names.
// CHECK-LABEL: llvm.func @masked
func.func @masked(%g: !cute.ptr<i8, gmem, align<16>>, %s: !cute.ptr<i8, smem, align<16>>, %m: i16) {
  // CHECK: nvvm.cp.async.bulk.global.shared.cta %{{.*}}, %{{.*}}, %{{.*}} byte_mask = %{{.*}} :
  cute_nvgpu.arch.copy.SM90.bulk_copy_s2g(%g, %s) byte_mask = %m {bytes = 256 : i32} : (!cute.ptr<i8, gmem, align<16>>, !cute.ptr<i8, smem, align<16>>, i16)
  return
}

// The map of pixels along W has one corner on each side, and the driver's number of the mode at the end.
// CHECK-LABEL: llvm.func @map
// CHECK-DAG: %[[LOWER:.*]] = llvm.mlir.constant(-2 : i32) : i32
// CHECK-DAG: %[[UPPER:.*]] = llvm.mlir.constant(-3 : i32) : i32
// CHECK: llvm.call @tessera_rt_tensor_map_im2col_wide({{.*}}, %[[LOWER]], %[[UPPER]], {{.*}}) : (!llvm.ptr, i64, i32, !llvm.ptr, !llvm.ptr, i32, i32, !llvm.ptr, i32, i32, i32, i32, i32) -> ()
func.func @map(%p: !cute.ptr<f16, gmem, align<16>>, %n: i64) -> !desc {
  %map = cute_nvgpu.make_tma_desc_im2col(%p, [%n, %n, %n, %n], [%n, %n, %n]) {channels = 64 : i32, format = #cute_nvgpu.tma_data_format<F16_RN>, lower = array<i32: -2>, mode = #cute_nvgpu.tma_load_mode<w128>, pixels = 64 : i32, steps = array<i32: 1, 1, 1, 1>, swizzle = #cute_nvgpu.tma_swizzle<b128>, upper = array<i32: -3>} : !cute.ptr<f16, gmem, align<16>> -> !desc
  return %map : !desc
}
