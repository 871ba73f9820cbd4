// What TMA instructions and ops on tensor maps in memory refuse (PTX ISA 9.7.9.25.5, 9.7.9.27; CUDA driver API, cuTensorMapEncodeIm2col).
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

func.func @f(%desc: !cute.ptr<i8, generic, align<64>>, %i: i32) {
  // expected-error @+1 {{'cute_nvgpu.arch.copy.SM100.tma_prefetch' op TMA rank must be in the range 1..5, but got 6 coordinates}}
  cute_nvgpu.arch.copy.SM100.tma_prefetch(%desc, [%i, %i, %i, %i, %i, %i]) {mode = #cute_nvgpu.tma_load_mode<tiled>} : !cute.ptr<i8, generic, align<64>>
  return
}

// -----

func.func @f(%desc: !cute.ptr<i8, generic, align<64>>, %s: !cute.ptr<f16, smem, align<128>>, %i: i32) {
  // expected-error @+1 {{im2col tensor copies require at least three dimensions and have at most five, but got 2 coordinates}}
  cute_nvgpu.arch.copy.SM100.tma_store(%desc, %s, [%i, %i]) {mode = #cute_nvgpu.tma_store_mode<im2col>} : !cute.ptr<i8, generic, align<64>>, !cute.ptr<f16, smem, align<128>>
  return
}

// -----

func.func @f(%desc: !cute.ptr<i8, generic, align<64>>, %s: !cute.ptr<f16, smem, align<128>>, %bar: !cute.ptr<i64, smem>, %i: i32, %o: i16) {
  // expected-error @+1 {{expects 2 offsets of the filter for 4 coordinates (none in tiled mode), but got 1}}
  cute_nvgpu.arch.copy.SM100.tma_load(%desc, %s, %bar, [%i, %i, %i, %i]) offsets = [%o] {mode = #cute_nvgpu.tma_load_mode<im2col>, num_cta = 1 : i32} : !cute.ptr<i8, generic, align<64>>, !cute.ptr<f16, smem, align<128>>, !cute.ptr<i64, smem>
  return
}

// -----

func.func @f(%desc: !cute.ptr<i8, generic, align<64>>, %i: i32, %o: i16) {
  // expected-error @+1 {{expects 0 offsets of the filter for 3 coordinates (none in tiled mode), but got 1}}
  cute_nvgpu.arch.copy.SM100.tma_prefetch(%desc, [%i, %i, %i]) offsets = [%o] {mode = #cute_nvgpu.tma_load_mode<tiled>} : !cute.ptr<i8, generic, align<64>>
  return
}

// -----

func.func @f(%desc: !cute.ptr<i8, gmem, align<64>>, %g: !cute.ptr<f16, gmem, align<16>>, %i: i32, %s: i64) {
  // expected-error @+1 {{expects 1 strides for 2 extents: the first mode is contiguous, but got 2}}
  cute_nvgpu.arch.replace_tma_desc(%desc, %g, [%i, %i], [%s, %s]) : !cute.ptr<i8, gmem, align<64>>, !cute.ptr<f16, gmem, align<16>>
  return
}

// -----

// An executable atom has the address of a map, but not what its elements are.
!ex = !cute_nvgpu.atom.tma_load<f16, copy_bits = 65536, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,64):(1@1,1@0)">>
func.func @f(%a: !ex, %p: !cute.ptr<i8, smem, align<128>>) {
  // expected-error @+1 {{'cute_nvgpu.copy_tma_desc' op expects an atom that carries a tensor map, but got !cute_nvgpu.atom.tma_load<}}
  cute_nvgpu.copy_tma_desc(%a, %p) : (!ex, !cute.ptr<i8, smem, align<128>>) -> ()
  return
}

// -----

!ne = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">, tma_format = F16_RN>
func.func @f(%a: !ne, %g: !cute.memref<f16, gmem, align<16>, "(64,64):(64,1)">, %p: !cute.ptr<i8, smem, align<32>>) {
  // expected-error @+1 {{'cute_nvgpu.update_tma_desc' op expects memory of a tensor map aligned to 64 bytes, but got !cute.ptr<i8, smem, align<32>>}}
  cute_nvgpu.update_tma_desc(%a, %g, %p) : (!ne, !cute.memref<f16, gmem, align<16>, "(64,64):(64,1)">, !cute.ptr<i8, smem, align<32>>) -> ()
  return
}

// -----

func.func @f(%p: !cute.ptr<f16, gmem, align<16>>, %n: i64) {
  // expected-error @+1 {{expects corners of 1 and steps of 3 modes, but got lower of 2, upper of 1 and steps of 3}}
  %e = cute_nvgpu.make_tma_desc_im2col(%p, [%n, %n, %n], [%n, %n]) {channels = 64 : i32, format = #cute_nvgpu.tma_data_format<F16_RN>, lower = array<i32: -1, 0>, pixels = 128 : i32, steps = array<i32: 1, 1, 1>, swizzle = #cute_nvgpu.tma_swizzle<b128>, upper = array<i32: -1>} : !cute.ptr<f16, gmem, align<16>> -> !cute.ptr<i8, generic, align<64>>
  return
}

// -----

func.func @f(%p: !cute.ptr<f16, gmem, align<16>>, %n: i64) {
  // expected-error @+1 {{expects a mode of im2col maps, im2col, w or w128, but got gather4}}
  %e = cute_nvgpu.make_tma_desc_im2col(%p, [%n, %n, %n], [%n, %n]) {channels = 64 : i32, format = #cute_nvgpu.tma_data_format<F16_RN>, lower = array<i32: -1>, mode = #cute_nvgpu.tma_load_mode<gather4>, pixels = 128 : i32, steps = array<i32: 1, 1, 1>, swizzle = #cute_nvgpu.tma_swizzle<b128>, upper = array<i32: -1>} : !cute.ptr<f16, gmem, align<16>> -> !cute.ptr<i8, generic, align<64>>
  return
}

// -----

func.func @f(%p: !cute.ptr<f16, gmem, align<16>>, %n: i64) {
  // expected-error @+1 {{expects corners of 1 and steps of 4 modes, but got lower of 2, upper of 1 and steps of 4}}
  %e = cute_nvgpu.make_tma_desc_im2col(%p, [%n, %n, %n, %n], [%n, %n, %n]) {channels = 64 : i32, format = #cute_nvgpu.tma_data_format<F16_RN>, lower = array<i32: -1, 0>, mode = #cute_nvgpu.tma_load_mode<w>, pixels = 128 : i32, steps = array<i32: 1, 1, 1, 1>, swizzle = #cute_nvgpu.tma_swizzle<b128>, upper = array<i32: -1>} : !cute.ptr<f16, gmem, align<16>> -> !cute.ptr<i8, generic, align<64>>
  return
}

// -----

func.func @f(%p: !cute.ptr<f16, gmem, align<16>>, %n: i64) {
  // expected-error @+1 {{an im2col::w tensor map expects swizzle 64B, 128B or 128B_ATOM_32B, but got NONE}}
  %e = cute_nvgpu.make_tma_desc_im2col(%p, [%n, %n, %n, %n], [%n, %n, %n]) {channels = 64 : i32, format = #cute_nvgpu.tma_data_format<F16_RN>, lower = array<i32: -1>, mode = #cute_nvgpu.tma_load_mode<w128>, pixels = 128 : i32, steps = array<i32: 1, 1, 1, 1>, swizzle = #cute_nvgpu.tma_swizzle<none>, upper = array<i32: -1>} : !cute.ptr<f16, gmem, align<16>> -> !cute.ptr<i8, generic, align<64>>
  return
}

// -----

// expected-error @below {{expects a mode of im2col maps, im2col, w or w128, but got tiled}}
func.func private @f(!cute_nvgpu.atom.non_exec_im2col_tma_load<sm_100, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@0,1@1)">, mode = tiled>)

// -----

// 128 channels of f16 are more than the 128 bytes of the swizzle: "NoSuchMap".
func.func @f(%p: !cute.ptr<f16, gmem, align<16>>, %n: i64) {
  // expected-error @+1 {{a tensor map with swizzle 128B expects channels to take at most 128 bytes, but got 256}}
  %e = cute_nvgpu.make_tma_desc_im2col(%p, [%n, %n, %n], [%n, %n]) {channels = 128 : i32, format = #cute_nvgpu.tma_data_format<F16_RN>, lower = array<i32: -1>, pixels = 128 : i32, steps = array<i32: 1, 1, 1>, swizzle = #cute_nvgpu.tma_swizzle<b128>, upper = array<i32: -1>} : !cute.ptr<f16, gmem, align<16>> -> !cute.ptr<i8, generic, align<64>>
  return
}

// -----

!ne = !cute_nvgpu.atom.non_exec_tiled_tma_reduce<ADD, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">, tma_format = F16_RN>
!ex = !cute_nvgpu.atom.tma_reduce<f16, copy_bits = 65536, mode = tiled, kind = MAX, g_stride = <"()"> tma_gbasis = <"(64,64):(1@1,1@0)">>
func.func @f(%a: !ne) {
  // expected-error @+1 {{'cute_nvgpu.atom.make_exec_tma' op expects an executable atom of the same copy as !cute_nvgpu.atom.non_exec_tiled_tma_reduce<ADD, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">, tma_format = F16_RN>, but got}}
  %0 = cute_nvgpu.atom.make_exec_tma(%a) : (!ne) -> !ex
  return
}

// -----

!ex = !cute_nvgpu.atom.tma_load<f16, copy_bits = 65536, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,64):(1@1,1@0)">>
func.func @f(%a: !ex) {
  // expected-error @+1 {{'cute_nvgpu.atom.make_exec_tma' op expects an atom that carries a tensor map, but got !cute_nvgpu.atom.tma_load<}}
  %0 = cute_nvgpu.atom.make_exec_tma(%a) : (!ex) -> !ex
  return
}

// -----

// expected-error @below {{expects a mode of TMA stores, tiled, im2col or scatter4, but got w}}
func.func private @f() attributes {a = #cute_nvgpu.tma_store_mode<w>}

// -----

func.func @f(%p: !cute.ptr<f16, gmem, align<16>>, %n: i64) {
  // expected-error @+1 {{'cute_nvgpu.make_tma_desc_tiled' op expects a box of 2 extents, as many as the tensor has, but got 1}}
  %d = cute_nvgpu.make_tma_desc_tiled(%p, [%n, %n], [%n]) {box = array<i32: 64>, format = #cute_nvgpu.tma_data_format<F16_RN>, swizzle = #cute_nvgpu.tma_swizzle<b128>} : !cute.ptr<f16, gmem, align<16>> -> !cute.ptr<i8, generic, align<64>>
  return
}

// -----

func.func @f(%p: !cute.ptr<f16, gmem, align<16>>, %n: i64) {
  // expected-error @+1 {{expects 1 strides for 2 extents: the first mode is contiguous, but got 2}}
  %d = cute_nvgpu.make_tma_desc_tiled(%p, [%n, %n], [%n, %n]) {box = array<i32: 64, 8>, format = #cute_nvgpu.tma_data_format<F16_RN>, swizzle = #cute_nvgpu.tma_swizzle<b128>} : !cute.ptr<f16, gmem, align<16>> -> !cute.ptr<i8, generic, align<64>>
  return
}

// -----

// CUDA driver API, cuTensorMapEncodeTiled: boxDim is at most 256, and its first extent at most 128 bytes with the swizzle of 128.
func.func @f(%p: !cute.ptr<f16, gmem, align<16>>, %n: i64) {
  // expected-error @+1 {{expects boxes of 1 to 256 elements in each mode, but mode 1 has 300}}
  %d = cute_nvgpu.make_tma_desc_tiled(%p, [%n, %n], [%n]) {box = array<i32: 64, 300>, format = #cute_nvgpu.tma_data_format<F16_RN>, swizzle = #cute_nvgpu.tma_swizzle<b128>} : !cute.ptr<f16, gmem, align<16>> -> !cute.ptr<i8, generic, align<64>>
  return
}

// -----

func.func @f(%p: !cute.ptr<f16, gmem, align<16>>, %n: i64) {
  // expected-error @+1 {{expects box[0] to take at most 128 bytes, but got 256}}
  %d = cute_nvgpu.make_tma_desc_tiled(%p, [%n, %n], [%n]) {box = array<i32: 128, 8>, format = #cute_nvgpu.tma_data_format<F16_RN>, swizzle = #cute_nvgpu.tma_swizzle<b128>} : !cute.ptr<f16, gmem, align<16>> -> !cute.ptr<i8, generic, align<64>>
  return
}

// -----

func.func @f(%desc: !cute.ptr<i8, generic, align<64>>, %s: !cute.ptr<f16, smem, align<128>>, %bar: !cute.ptr<i64, smem>, %i: i32) {
  // expected-error @+1 {{expects a TMA load of 1 or 2 CTAs, but got num_cta = 3}}
  cute_nvgpu.arch.copy.SM100.tma_load(%desc, %s, %bar, [%i, %i]) {mode = #cute_nvgpu.tma_load_mode<tiled>, num_cta = 3 : i32} : !cute.ptr<i8, generic, align<64>>, !cute.ptr<f16, smem, align<128>>, !cute.ptr<i64, smem>
  return
}

// -----

// A box of 64 x 64 elements of 16 bits; a copy moves all of it.
// expected-error @below {{expects copy_bits of a box of 4096 elements of f16, 65536 bits, but got 32768}}
func.func private @f(!cute_nvgpu.atom.tma_load<f16, copy_bits = 32768, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,64):(1@1,1@0)">>)

// -----

// expected-error @below {{expects copy_bits of a box of 512 elements of f32, 16384 bits, but got 8192}}
func.func private @f(!cute_nvgpu.atom.non_exec_im2col_tma_load<sm_90, f32, copy_bits = 8192, tma_gbasis = <"(32,16):(1@0,1@1)">, tma_format = F32_RN>)

// -----

// Numbers of 4 bits are stored as they are, or each in a byte.
func.func private @f(!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f4E2M1FN, copy_bits = 16384, tma_gbasis = <"(64,64):(1@1,1@0)">>,
                     !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f4E2M1FN, copy_bits = 32768, tma_gbasis = <"(64,64):(1@1,1@0)">>)
