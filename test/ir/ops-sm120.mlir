// Products of a warp on SM120: types, their fields, and instructions, as they are read and printed.
// RUN: tessera-opt %s | tessera-opt | FileCheck %s

// CHECK-LABEL: @types
// CHECK-SAME: !cute_nvgpu.SM120.mma<16x8x32, elem_type = (f4E2M1FN, f6E3M2FN, f16)>
// CHECK-SAME: !cute_nvgpu.SM120.mma_sp<16x8x64, elem_type = (f8E4M3FN, f8E5M2, f32), sparse_metadata_format = ordered>
// CHECK-SAME: !cute_nvgpu.SM120.mma_bs<16x8x32, vec_size = 32, elem_type = (f8E4M3FN, f4E2M1FN, f32), sf_type = f8E8M0FNU, use_sf_layout_TV = true>
// CHECK-SAME: !cute_nvgpu.SM120.mma_bs_sp<16x8x128, vec_size = 32, elem_type = (f4E2M1FN, f4E2M1FN, f32), sf_type = f8E4M3FN, sparse_metadata_format = ordered>
func.func private @types(%0: !cute_nvgpu.SM120.mma<16x8x32, elem_type = (f4E2M1FN, f6E3M2FN, f16)>,
  %1: !cute_nvgpu.SM120.mma_sp<16x8x64, elem_type = (f8E4M3FN, f8E5M2, f32), sparse_metadata_format = ordered>,
  %2: !cute_nvgpu.SM120.mma_bs<16x8x32, vec_size = 32, elem_type = (f8E4M3FN, f4E2M1FN, f32), sf_type = f8E8M0FNU, use_sf_layout_TV = true>,
  %3: !cute_nvgpu.SM120.mma_bs_sp<16x8x128, vec_size = 32, elem_type = (f4E2M1FN, f4E2M1FN, f32), sf_type = f8E4M3FN, sparse_metadata_format = ordered>) { return }

!sp = !cute_nvgpu.SM120.mma_bs_sp<16x8x64, vec_size = 64, elem_type = (f8E4M3FN, f8E4M3FN, f32), sf_type = f8E8M0FNU, sparse_metadata_format = ordered>

// CHECK-LABEL: @fields
func.func @fields(%atom: !sp, %word: i32) {
  // CHECK: cute_nvgpu.atom.set_value({{.*}}) {field = #cute_nvgpu.atom_mma_field_sm120_block_scaled<sf_a>}
  %0 = cute_nvgpu.atom.set_value(%atom, %word : i32) {field = #cute_nvgpu.atom_mma_field_sm120_block_scaled<sf_a>} : !sp
  // CHECK: cute_nvgpu.atom.set_value({{.*}}) {field = #cute_nvgpu.atom_mma_field_sm120_block_scaled<e>}
  %1 = cute_nvgpu.atom.set_value(%0, %word : i32) {field = #cute_nvgpu.atom_mma_field_sm120_block_scaled<e>} : !sp
  return
}

// CHECK-LABEL: @instructions
func.func @instructions(%r: i32, %f: f32) {
  // CHECK: cute_nvgpu.arch.mma.SM120 A[
  %0:4 = cute_nvgpu.arch.mma.SM120 A[%r, %r, %r, %r] B[%r, %r] C[%f, %f, %f, %f] {shape_MNK = #cute.shape<"(16,8,32)">, a_type = f4E2M1FN, b_type = f8E4M3FN}
    : (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32) -> (f32, f32, f32, f32)
  // CHECK: cute_nvgpu.arch.mma.SM120.sparse A[{{.*}}] E[%{{.*}}]
  %1:4 = cute_nvgpu.arch.mma.SM120.sparse A[%r, %r, %r, %r] B[%r, %r, %r, %r] C[%f, %f, %f, %f] E[%r] {shape_MNK = #cute.shape<"(16,8,64)">, a_type = f8E4M3FN, b_type = f8E4M3FN, sparse_metadata_format = #cute_nvgpu.sparse_metadata_format<ordered>}
    : (i32, i32, i32, i32, i32, i32, i32, i32, f32, f32, f32, f32, i32) -> (f32, f32, f32, f32)
  // CHECK: cute_nvgpu.arch.mma.SM120.block_scaled_sparse A[{{.*}}] SF[%{{.*}}, %{{.*}}] E[%{{.*}}]
  %2:4 = cute_nvgpu.arch.mma.SM120.block_scaled_sparse A[%r, %r, %r, %r] B[%r, %r, %r, %r] C[%f, %f, %f, %f] SF[%r, %r] E[%r] {shape_MNK = #cute.shape<"(16,8,64)">, a_type = f8E4M3FN, b_type = f8E4M3FN, sf_type = f8E8M0FNU, vec_size = 64 : i32, sparse_metadata_format = #cute_nvgpu.sparse_metadata_format<ordered>}
    : (i32, i32, i32, i32, i32, i32, i32, i32, f32, f32, f32, f32, i32, i32, i32) -> (f32, f32, f32, f32)
  return
}
