// Copies by TMA that cannot become an instruction.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics --cute-desugar --cute-expand-ops

!ne = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">, tma_format = F16_RN>
!ex = !cute_nvgpu.atom.tma_load<f16, copy_bits = 65536, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,64):(1@1,1@0)">>
!box = !cute.coord_tensor<"(?,?)", "(((64,64),1)):(((1@0,1@1),0))">
!smem = !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((4096,1)):((1,0))">
func.func @no_barrier(%tma: !ne, %box: !box, %s: !smem) {
  %exec = cute_nvgpu.atom.make_exec_tma(%tma) : (!ne) -> !ex
  // expected-error @+1 {{expects field tma_bar of the atom to be set: the barrier at which the copy ends}}
  cute.copy(%exec, %box, %s) : (!ex, !box, !smem)
  return
}

// -----

// An im2col load of rank 3 has three coordinates and one offset: four numbers.
!ex = !cute_nvgpu.atom.tma_load<f16, copy_bits = 65536, mode = im2col, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,64):(1@0,1@1)">>
!pixels = !cute.coord_tensor<"(?,?,?)", "((4096,1)):((1@0,0))">
!smem = !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((4096,1)):((1,0))">
func.func @offsets(%ready: !ex, %p: !pixels, %s: !smem) {
  // expected-error @+1 {{expects 3, 4 or 5 coordinates and after them 1, 2 or 3 offsets of the filter, but got 3 numbers}}
  cute.copy(%ready, %p, %s) : (!ex, !pixels, !smem)
  return
}

// -----

!load = !cute_nvgpu.atom.non_exec_im2col_tma_load<sm_90, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@0,1@1)">, tma_format = F16_RN>
!pixels = !cute.coord_tensor<"(?,?,?,?)", "((4096,1)):((1@0,0))">
func.func @not_executable(%carrier: !load, %p: !pixels) {
  // expected-error @+1 {{expects an executable atom: atom.make_exec_tma makes one}}
  cute.prefetch(%carrier, %p) : (!load, !pixels)
  return
}

// -----

!ex = !cute_nvgpu.atom.tma_load<f16, copy_bits = 65536, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,64):(1@1,1@0)">>
!gmem = !cute.memref<f16, gmem, align<16>, "((4096,1)):((1,0))">
!smem = !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((4096,1)):((1,0))">
func.func @pointer_for_coordinates(%ready: !ex, %g: !gmem, %s: !smem) {
  // expected-error @+1 {{expects a coordinate tensor on the side of global memory}}
  cute.copy(%ready, %g, %s) : (!ex, !gmem, !smem)
  return
}

// -----

// An atom that only carries its tensor map has no barrier and no policy: it copies nothing before make_exec_tma.
!load = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">, tma_format = F16_RN>
!box = !cute.coord_tensor<"(?,?)", "(((64,64),1)):(((1@0,1@1),0))">
!smem = !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((4096,1)):((1,0))">
func.func @load_not_executable(%carrier: !load, %box: !box, %s: !smem) {
  // expected-error @+1 {{expects an executable atom: atom.make_exec_tma makes one}}
  cute.copy(%carrier, %box, %s) : (!load, !box, !smem)
  return
}

// -----

!store = !cute_nvgpu.atom.non_exec_tiled_tma_store<f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">, tma_format = F16_RN>
!box = !cute.coord_tensor<"(?,?)", "(((64,64),1)):(((1@0,1@1),0))">
!smem = !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((4096,1)):((1,0))">
func.func @store_not_executable(%carrier: !store, %box: !box, %s: !smem) {
  // expected-error @+1 {{expects an executable atom: atom.make_exec_tma makes one}}
  cute.copy(%carrier, %s, %box) : (!store, !smem, !box)
  return
}

// -----

!reduce = !cute_nvgpu.atom.non_exec_tiled_tma_reduce<ADD, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">, tma_format = F16_RN>
!box = !cute.coord_tensor<"(?,?)", "(((64,64),1)):(((1@0,1@1),0))">
!smem = !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((4096,1)):((1,0))">
func.func @reduction_not_executable(%carrier: !reduce, %box: !box, %s: !smem) {
  // expected-error @+1 {{expects an executable atom: atom.make_exec_tma makes one}}
  cute.copy(%carrier, %s, %box) : (!reduce, !smem, !box)
  return
}
