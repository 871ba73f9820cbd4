// Products of a warp on SM120 that there are not.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{SM120.mma}}
func.func private @f(!cute_nvgpu.SM120.mma<16x8x64, elem_type = (f8E4M3FN, f8E4M3FN, f32)>)

// -----

// expected-error @below {{metadata may be ordered}}
func.func private @f(!cute_nvgpu.SM120.mma_sp<16x8x64, elem_type = (f8E4M3FN, f8E4M3FN, f32), sparse_metadata_format = tid>)

// -----

// expected-error @below {{expects one of tid, ordered, but got 'none'}}
// expected-error @below {{failed to parse}}
func.func private @f(!cute_nvgpu.SM120.mma_sp<16x8x64, elem_type = (f8E4M3FN, f8E4M3FN, f32), sparse_metadata_format = none>)

// -----

// expected-error @below {{unsupported block-scaled mma configuration}}
func.func private @f(!cute_nvgpu.SM120.mma_bs_sp<16x8x64, vec_size = 32, elem_type = (f8E4M3FN, f8E4M3FN, f32), sf_type = f8E8M0FNU, sparse_metadata_format = ordered>)

// -----

!dense = !cute_nvgpu.SM120.mma<16x8x32, elem_type = (f8E4M3FN, f8E4M3FN, f32)>
func.func @f(%atom: !dense, %word: i32) {
  // expected-error @below {{has no field #cute_nvgpu.atom_mma_field_sm120_block_scaled<sf_a>}}
  %0 = cute_nvgpu.atom.set_value(%atom, %word : i32) {field = #cute_nvgpu.atom_mma_field_sm120_block_scaled<sf_a>} : !dense
  return
}

// -----

func.func @f(%r: i32, %f: f32) {
  // expected-error @below {{expects 4 registers of type b32 for operand B of}}
  %0:4 = cute_nvgpu.arch.mma.SM120.sparse A[%r, %r, %r, %r] B[%r, %r] C[%f, %f, %f, %f] E[%r] {shape_MNK = #cute.shape<"(16,8,64)">, a_type = f8E4M3FN, b_type = f8E4M3FN, sparse_metadata_format = #cute_nvgpu.sparse_metadata_format<ordered>}
    : (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32, i32) -> (f32, f32, f32, f32)
  return
}
