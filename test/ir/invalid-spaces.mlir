// Pointers to memory that an instruction does not reach, and values that are not a field's. PTX ISA: cp.async reads .global, TMA
// moves boxes between .global and .shared, tensor maps are in .global, .const or .param and are changed in .global or .shared.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

!map = !cute.ptr<i8, generic, align<64>>
func.func @f(%map: !map, %g: !cute.ptr<f16, gmem, align<128>>, %bar: !cute.ptr<i64, smem>, %i: i32) {
  // expected-error @+1 {{'cute_nvgpu.arch.copy.SM100.tma_load' op operand #1 must be a pointer to shared memory, but got '!cute.ptr<f16, gmem, align<128>>'}}
  cute_nvgpu.arch.copy.SM100.tma_load(%map, %g, %bar, [%i, %i]) {mode = #cute_nvgpu.tma_load_mode<tiled>, num_cta = 1 : i32} : !map, !cute.ptr<f16, gmem, align<128>>, !cute.ptr<i64, smem>
  return
}

// -----

func.func @f(%map: !cute.ptr<i8, smem, align<64>>, %s: !cute.ptr<f16, smem, align<128>>, %i: i32) {
  // expected-error @+1 {{operand #0 must be a pointer to global memory, or a generic one, but got '!cute.ptr<i8, smem, align<64>>'}}
  cute_nvgpu.arch.copy.SM100.tma_store(%map, %s, [%i, %i]) {mode = #cute_nvgpu.tma_store_mode<tiled>} : !cute.ptr<i8, smem, align<64>>, !cute.ptr<f16, smem, align<128>>
  return
}

// -----

!map = !cute.ptr<i8, generic, align<64>>
func.func @f(%map: !map, %r: !cute.ptr<f16, rmem, align<128>>, %i: i32) {
  // expected-error @+1 {{operand #1 must be a pointer to shared memory, but got '!cute.ptr<f16, rmem, align<128>>'}}
  cute_nvgpu.arch.copy.SM100.tma_reduce(%map, %r, [%i, %i]) {kind = #cute_nvgpu.reduction_kind<ADD>, mode = #cute_nvgpu.tma_store_mode<tiled>} : !map, !cute.ptr<f16, rmem, align<128>>
  return
}

// -----

func.func @f(%map: !cute.ptr<i8, tmem, align<64>>) {
  // expected-error @+1 {{operand #0 must be a pointer to global memory, or a generic one, but got}}
  cute_nvgpu.arch.prefetch_tma_desc(%map) : !cute.ptr<i8, tmem, align<64>>
  return
}

// -----

func.func @f(%map: !cute.ptr<i8, generic, align<64>>, %d: !cute.ptr<i8, rmem, align<128>>) {
  // expected-error @+1 {{operand #1 must be a pointer to global or shared memory, or a generic one, but got}}
  cute_nvgpu.arch.copy_tma_desc(%map, %d) : (!cute.ptr<i8, generic, align<64>>, !cute.ptr<i8, rmem, align<128>>)
  return
}

// -----

func.func @f(%s: !cute.ptr<i128, smem>, %t: !cute.ptr<i128, smem>, %p: i1) {
  // expected-error @+1 {{'cute_nvgpu.arch.copy.SM80.cp_async' op operand #1 must be a pointer to global memory, or a generic one, but got '!cute.ptr<i128, smem>'}}
  cute_nvgpu.arch.copy.SM80.cp_async(%s, %t, %p) {cache_mode = #cute_nvgpu.load_cache_mode<always>} : (!cute.ptr<i128, smem>, !cute.ptr<i128, smem>, i1)
  return
}

// -----

func.func @f(%s: !cute.ptr<f16, smem, align<16>>, %n: i64) {
  // expected-error @+1 {{'cute_nvgpu.make_tma_desc_tiled' op operand #0 must be a pointer to global memory, or a generic one, but got}}
  %d = cute_nvgpu.make_tma_desc_tiled(%s, [%n, %n], [%n]) {box = array<i32: 64, 128>, format = #cute_nvgpu.tma_data_format<F16_RN>, swizzle = #cute_nvgpu.tma_swizzle<b128>} : !cute.ptr<f16, smem, align<16>> -> !cute.ptr<i8, generic, align<64>>
  return
}

// -----

!ne = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">, tma_format = F16_RN>
!t = !cute.memref<f16, smem, align<16>, "(64,64):(64,1)">
func.func @f(%a: !ne, %t: !t, %d: !cute.ptr<i8, gmem, align<128>>) {
  // expected-error @+1 {{'cute_nvgpu.update_tma_desc' op expects the tensor in gmem, but got smem}}
  cute_nvgpu.update_tma_desc(%a, %t, %d) : (!ne, !t, !cute.ptr<i8, gmem, align<128>>) -> ()
  return
}

// -----

!ex = !cute_nvgpu.atom.tma_load<f16, copy_bits = 131072, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,128):(1@1,1@0)">>
func.func @f(%x: !ex, %bar: !cute.ptr<i64, gmem>) {
  // expected-error @+1 {{'cute_nvgpu.atom.set_value' op expects !cute.ptr<i64, smem> for field #cute_nvgpu.atom_copy_field_tmaload<tma_bar>, but got !cute.ptr<i64, gmem>}}
  %0 = cute_nvgpu.atom.set_value(%x, %bar : !cute.ptr<i64, gmem>) {field = #cute_nvgpu.atom_copy_field_tmaload<tma_bar>} : !ex
  return
}

// -----

!ex = !cute_nvgpu.atom.tma_load<f16, copy_bits = 131072, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,128):(1@1,1@0)">>
func.func @f(%x: !ex, %policy: i32) {
  // expected-error @+1 {{expects i64 for field #cute_nvgpu.atom_copy_field_tmaload<cache_policy>, but got i32}}
  %0 = cute_nvgpu.atom.set_value(%x, %policy : i32) {field = #cute_nvgpu.atom_copy_field_tmaload<cache_policy>} : !ex
  return
}

// -----

// Sums of one instruction have one type.
func.func @f(%h: vector<2xf16>, %f: f32, %i: i32) {
  // expected-error @+1 {{expects 4 registers of type f32 for operand C of SM80_16x8x16_F32F16F16F32_TN, but got f32, i32, f32, f32}}
  %0:4 = cute_nvgpu.arch.mma.SM80 A[%h, %h, %h, %h] B[%h, %h] C[%f, %i, %f, %f] {a_type = f16, b_type = f16, shape_MNK = #cute.shape<"(16,8,16)">}
    : (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, f32, i32, f32, f32) -> (f32, f32, f32, f32)
  return
}
