// docs/specification/atoms.md#cutlass-names-of-the-atoms: the only SM120 entry is `SM120.mma_bs`, in this spelling; there is no dense and no sparse one.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

func.func private @spelled(!cute_nvgpu.SM120.mma_bs<16x8x64, vec_size = 16, elem_type = (f4E2M1FN, f4E2M1FN, f32, f8E4M3FN)>)

// -----

// expected-error @+1 {{unknown  type `sm120.mma_bs` in dialect `cute_nvgpu`}}
func.func private @lower_case(!cute_nvgpu.sm120.mma_bs<16x8x64, vec_size = 16, elem_type = (f4E2M1FN, f4E2M1FN, f32, f8E4M3FN)>)

// -----

// expected-error @+1 {{unknown  type `SM120.mma` in dialect `cute_nvgpu`}}
func.func private @dense(!cute_nvgpu.SM120.mma<16x8x64>)

// -----

// expected-error @+1 {{unknown  type `SM120.mma_sp` in dialect `cute_nvgpu`}}
func.func private @sparse(!cute_nvgpu.SM120.mma_sp<16x8x64>)

// -----

func.func private @bs_sp(!cute_nvgpu.sm100.mma_bs_sp<128x128x128, num_cta = 1, ab_major = (k, k), elem_type = (f4E2M1FN, f4E2M1FN, f32, f8E8M0FNU), frag_kind = ss, vec_size = 32, sparse_metadata_format = plain>)
