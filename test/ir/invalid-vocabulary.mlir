// What loads, stores, copies to tensor memory and TMA refuse.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expects f32, i32 or ui32 where a load from tensor memory reduces, but got f16}}
func.func private @f(!cute_nvgpu.atom.tmem_load_red<f16, 32 DP, 32 bit, x4, max>)

// -----

// expected-error @below {{expects f32 where a load from tensor memory reduces magnitudes or looks for NaN, but got i32}}
func.func private @f(!cute_nvgpu.atom.tmem_load_red<i32, 32 DP, 32 bit, x4, maxabs>)

// -----

// expected-error @below {{expects half_split_off from 0 to 508, so that the second half is within the columns of tensor memory, but got 509}}
func.func private @f(!cute_nvgpu.atom.tmem_load_red<f32, 16 DP, 32 bit, x4, max, half_split_off=509 : i64>)

// -----

// expected-error @below {{expects half_split_off from 0 to 508, so that the second half is within the columns of tensor memory, but got -1}}
func.func private @f(!cute_nvgpu.atom.tmem_load_red<f32, 16 DP, 32 bit, x4, max, half_split_off=-1 : i64>)

// -----

func.func @f(%t: !cute.ptr<f32, tmem>) {
  // expected-error @below {{'cute_nvgpu.arch.copy.SM100.tmem_load_red' op expects half_split_off from 0 to 510}}
  %0, %1 = cute_nvgpu.arch.copy.SM100.tmem_load_red(%t) {type = i32, num_b = 32 : i32, num_dp = 16 : i32, num_rep = 2 : i32, smallest, half_split = 511 : i32} : (!cute.ptr<f32, tmem>) -> (vector<2xi32>, i32)
  return
}

// -----

// expected-error @below {{expects 16 data paths with half_split_off, but got 32: other loads have one half}}
func.func private @f(!cute_nvgpu.atom.tmem_load_red<f32, 32 DP, 32 bit, x4, max, half_split_off=4 : i64>)

// -----

// expected-error @below {{expects one of max, maxabs, min, minabs, but got 'sum'}}
func.func private @f(!cute_nvgpu.atom.tmem_load_red<f32, 32 DP, 32 bit, x4, sum>)

// -----

// expected-error @below {{expects no store_cache_mode in an atom of this kind, but got write_through}}
func.func private @f(!cute_nvgpu.atom.g2r<f16 copy_bits = 128 store_cache_mode = write_through>)

// -----

// expected-error @below {{expects a memory order of a load, such as acquire, but got release}}
func.func private @f(!cute_nvgpu.atom.s2r<f16 copy_bits = 32 mem_order = release>)

// -----

// expected-error @below {{expects one of cta, cluster, gpu, sys, but got 'world'}}
func.func private @f(!cute_nvgpu.atom.r2g<f16 copy_bits = 32 mem_scope = world>)

// -----

// expected-error @below {{expects an option of loads and stores such as mem_order, but got 'speed'}}
func.func private @f(!cute_nvgpu.atom.r2s<f16 copy_bits = 32 speed = fast>)

// -----

!load = !cute_nvgpu.atom.g2r<f16 copy_bits = 32>
func.func @f(%a: !load, %s: !cute.memref<f16, smem, align<4>, "2:1">, %r: !cute.memref<f16, rmem, align<4>, "2:1">) {
  // expected-error @+1 {{src of atom '!cute_nvgpu.atom.g2r<f16 copy_bits = 32>' must be in gmem, but got smem}}
  cute.copy_atom_call(%a, %s, %r) : (!load, !cute.memref<f16, smem, align<4>, "2:1">, !cute.memref<f16, rmem, align<4>, "2:1">)
  return
}

// -----

!scaled = !cute_nvgpu.sm100.mma_bs<128x128x64, num_cta = 1, ab_major = (k, k), elem_type = (f4E2M1FN, f4E2M1FN, f32), sf_type = f8E4M3FN, frag_kind = ss, vec_size = 16>
func.func @f(%t: i1, %f: !cute.ptr<f8E8M0FNU, tmem, align<1>>) {
  // expected-error @+1 {{!cute.ptr<f8E4M3FN, tmem>}}
  %a = cute.make_atom(%t, %t, %t, %f, %f) : (i1, i1, i1, !cute.ptr<f8E8M0FNU, tmem, align<1>>, !cute.ptr<f8E8M0FNU, tmem, align<1>>) -> !scaled
  return
}

// -----

func.func @f(%d: !cute.ptr<i8, generic, align<64>>, %s: !cute.ptr<f16, smem, align<128>>, %b: !cute.ptr<i64, smem, align<8>>, %c: i32) {
  // expected-error @+1 {{expects five coordinates, a column and four rows, but got 2}}
  cute_nvgpu.arch.copy.SM100.tma_load(%d, %s, %b, [%c, %c]) {mode = #cute_nvgpu.tma_load_mode<gather4>, num_cta = 1 : i32} : !cute.ptr<i8, generic, align<64>>, !cute.ptr<f16, smem, align<128>>, !cute.ptr<i64, smem, align<8>>
  return
}

// -----

func.func @f(%d: !cute.ptr<i8, generic, align<64>>, %s: !cute.ptr<f16, smem, align<128>>, %b: !cute.ptr<i64, smem, align<8>>, %c: i32) {
  // expected-error @+1 {{expects a mode of loads, but got scatter4, which stores}}
  cute_nvgpu.arch.copy.SM100.tma_load(%d, %s, %b, [%c, %c, %c, %c, %c]) {mode = #cute_nvgpu.tma_load_mode<scatter4>, num_cta = 1 : i32} : !cute.ptr<i8, generic, align<64>>, !cute.ptr<f16, smem, align<128>>, !cute.ptr<i64, smem, align<8>>
  return
}

// -----

func.func @f(%d: !cute.ptr<i8, generic, align<64>>, %s: !cute.ptr<f16, smem, align<128>>, %c: i32) {
  // expected-error @+1 {{expects tiled or im2col, but got scatter4: it does not reduce}}
  cute_nvgpu.arch.copy.SM100.tma_reduce(%d, %s, [%c, %c, %c, %c, %c]) {kind = #cute_nvgpu.reduction_kind<ADD>, mode = #cute_nvgpu.tma_store_mode<scatter4>} : !cute.ptr<i8, generic, align<64>>, !cute.ptr<f16, smem, align<128>>
  return
}

// -----

func.func @f(%a: !cute_nvgpu.smem_desc, %p: !cute.ptr<i8, smem, align<16>>) {
  // expected-error @+1 {{expects}}
  cute_nvgpu.arch.copy.SM100.copy_s2t(%a, %p) {broadcast = #cute_nvgpu.broadcast<x4>, num_b = 128 : i32, num_cta = 1 : i32, num_dp = 32 : i32} : (!cute_nvgpu.smem_desc, !cute.ptr<i8, smem, align<16>>)
  return
}

// -----

// A copy to 64 data paths repeats them in one of two orders.
func.func @f(%a: !cute_nvgpu.smem_desc, %p: !cute.ptr<i8, tmem, align<16>>) {
  // expected-error @+1 {{atom.s2t_copy has no}}
  cute_nvgpu.arch.copy.SM100.copy_s2t(%a, %p) {broadcast = #cute_nvgpu.broadcast<x4>, num_b = 128 : i32, num_cta = 1 : i32, num_dp = 64 : i32} : (!cute_nvgpu.smem_desc, !cute.ptr<i8, tmem, align<16>>)
  return
}

// -----

!load = !cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x32>
!wrong = !cute.tiled_copy<!load, layout_copy_tv = <"((32,4),(16,32)):((0,1),(128,4))">, tiler_mn = <"[(4,32):(32,1);16:1]">>
func.func @f(%t: !cute.memref<f32, tmem, align<1>, "(128,32):(65536,1)">) {
  %a = cute.make_atom() : () -> !load
  // expected-error @+1 {{expects !cute.tiled_copy<!cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x32>, layout_copy_tv = <"((32,4),(32,32)):((0,1),(128,4))">, tiler_mn = <"[(4,32):(32,1);32:1]">>, the atom over that tensor, but got}}
  %c = cute_nvgpu.atom.make_tmem_copy(%a, %t) : (!load, !cute.memref<f32, tmem, align<1>, "(128,32):(65536,1)">) -> !wrong
  return
}

// -----

!load = !cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x32>
!copy = !cute.tiled_copy<!load, layout_copy_tv = <"((32,4),(32,32)):((0,1),(128,4))">, tiler_mn = <"[(4,32):(32,1);32:1]">>
func.func @f(%t: !cute.memref<f32, tmem, align<1>, "(128,16):(65536,1)">) {
  %a = cute.make_atom() : () -> !load
  // expected-error @+1 {{cannot tile the tensor: SM100_TMEM_LOAD_32dp32b expects a tensor that has every address that it moves, but (128,16):(65536,1) lacks some}}
  %c = cute_nvgpu.atom.make_tmem_copy(%a, %t) : (!load, !cute.memref<f32, tmem, align<1>, "(128,16):(65536,1)">) -> !copy
  return
}

// -----

!load = !cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x32>
!copy = !cute.tiled_copy<!load, layout_copy_tv = <"((32,4),(32,32)):((0,1),(128,4))">, tiler_mn = <"[(4,32):(32,1);32:1]">>
func.func @f(%t: !cute.memref<f16, tmem, align<1>, "(128,32):(65536,1)">) {
  %a = cute.make_atom() : () -> !load
  // expected-error @+1 {{expects elements of 32 bits, as the atom has, but got 16}}
  %c = cute_nvgpu.atom.make_tmem_copy(%a, %t) : (!load, !cute.memref<f16, tmem, align<1>, "(128,32):(65536,1)">) -> !copy
  return
}

// -----

!load = !cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x32>
!copy = !cute.tiled_copy<!load, layout_copy_tv = <"((32,4),(32,32)):((0,1),(128,4))">, tiler_mn = <"[(4,32):(32,1);32:1]">>
func.func @f(%t: !cute.memref<f32, tmem, align<1>, "(128,?):(65536,1)">) {
  %a = cute.make_atom() : () -> !load
  // expected-error @+1 {{expects a tensor in tensor memory with a static layout, but got}}
  %c = cute_nvgpu.atom.make_tmem_copy(%a, %t) : (!load, !cute.memref<f32, tmem, align<1>, "(128,?):(65536,1)">) -> !copy
  return
}

// -----

!load = !cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x32>
!copy = !cute.tiled_copy<!load, layout_copy_tv = <"((32,4),(32,32)):((0,1),(128,4))">, tiler_mn = <"[(4,32):(32,1);32:1]">>
func.func @f(%t: !cute.memref<f32, tmem, align<1>, "(128,32):(65536,1)">) {
  %a = cute.make_atom() : () -> !load
  // expected-error @+1 {{expects an atom that copies from shared to tensor memory, but got}}
  %c = cute_nvgpu.atom.make_s2t_copy(%a, %t) : (!load, !cute.memref<f32, tmem, align<1>, "(128,32):(65536,1)">) -> !copy
  return
}

// -----

!cp = !cute_nvgpu.atom.s2t_copy<f8E8M0FNU, 32 DP, 128 bit, 1 cta, x4>
func.func @f(%s: !cute.memref<f8E8M0FNU, smem, align<128>, "(512,1):(1,0)">) {
  %a = cute.make_atom() : () -> !cp
  // expected-error @+1 {{expects a partition in shared memory whose first mode is (values, 1) and static, but got (512,1):(1,0)}}
  %c = cute_nvgpu.atom.get_copy_s2t_smem_desc_view(%a, %s) : (!cp, !cute.memref<f8E8M0FNU, smem, align<128>, "(512,1):(1,0)">) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(32,1):(1,0)">
  return
}

// -----

!cp = !cute_nvgpu.atom.s2t_copy<f8E8M0FNU, 32 DP, 128 bit, 1 cta, x4>
!part = !cute.memref<f6E2M3FN, smem, align<128>, "((512,1),1):((1,0),0)">
func.func @f(%s: !part) {
  %a = cute.make_atom() : () -> !cp
  // expected-error @+1 {{expects a partition with the 32 rows of 128 bits that the atom moves, but got}}
  %c = cute_nvgpu.atom.get_copy_s2t_smem_desc_view(%a, %s) : (!cp, !part) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(32,1):(1,0)">
  return
}

// -----

!cp = !cute_nvgpu.atom.s2t_copy<f8E8M0FNU, 32 DP, 128 bit, 1 cta, x4>
!part = !cute.memref<f8E8M0FNU, smem, align<128>, "(((32,16),1),2):(((16,1),0),512)">
func.func @f(%s: !part) {
  %a = cute.make_atom() : () -> !cp
  // expected-error @+1 {{expects !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(((32,1),1),2):(((1,1),0),32)">, the partition by descriptors, but got !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(32,1):(1,0)">}}
  %c = cute_nvgpu.atom.get_copy_s2t_smem_desc_view(%a, %s) : (!cp, !part) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(32,1):(1,0)">
  return
}
