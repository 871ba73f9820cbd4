// docs/specification/atoms.md#cutlass-names-of-the-atoms: one SM120 entry, `SM120.mma_bs`, in this spelling. The dense and the sparse products are ours, spelled likewise.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

func.func private @spelled(!cute_nvgpu.SM120.mma_bs<16x8x64, vec_size = 16, elem_type = (f4E2M1FN, f4E2M1FN, f32), sf_type = f8E4M3FN>)

// -----

// expected-error @+1 {{unknown  type `sm120.mma_bs` in dialect `cute_nvgpu`}}
func.func private @lower_case(!cute_nvgpu.sm120.mma_bs<16x8x64, vec_size = 16, elem_type = (f4E2M1FN, f4E2M1FN, f32), sf_type = f8E4M3FN>)

// -----

func.func private @dense(!cute_nvgpu.SM120.mma<16x8x32, elem_type = (f8E4M3FN, f8E4M3FN, f32)>)

// -----

// expected-error @+1 {{unknown  type `sm120.mma` in dialect `cute_nvgpu`}}
func.func private @dense_lower_case(!cute_nvgpu.sm120.mma<16x8x32, elem_type = (f8E4M3FN, f8E4M3FN, f32)>)

// -----

func.func private @sparse(!cute_nvgpu.SM120.mma_sp<16x8x64, elem_type = (f8E4M3FN, f8E4M3FN, f32), sparse_metadata_format = ordered>)

// -----

func.func private @bs_sp(!cute_nvgpu.sm100.mma_bs_sp<128x128x128, num_cta = 1, ab_major = (k, k), elem_type = (f4E2M1FN, f4E2M1FN, f32), sf_type = f8E8M0FNU, sparse_metadata_format = tid, frag_kind = ss, vec_size = 32>)
