// Numbers of an atom that no instruction has.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{atom.ldsm has no }}
func.func private @f(!cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 260, n>)

// -----

// expected-error @below {{atom.ldsm has no }}
func.func private @f(!cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(65544,8)">, sz_pattern = u16, num_matrices = 4, n>)

// -----

// expected-error @below {{atom.tma_load has no }}
func.func private @f(!cute_nvgpu.atom.tma_load<f16, copy_bits = 131072, mode = tiled, num_cta = 257, g_stride = <"()"> tma_gbasis = <"(64,128):(1@1,1@0)">>)

// -----

// expected-error @below {{atom.s2t_copy has no }}
func.func private @f(!cute_nvgpu.atom.s2t_copy<f8E8M0FNU, 65568 DP, 128 bit, 1 cta, x4>)

// -----

// expected-error @below {{atom.s2t_copy has no }}
func.func private @f(!cute_nvgpu.atom.s2t_copy<f8E8M0FNU, 32 DP, 128 bit, 257 cta, x4>)

// -----

// expected-error @below {{atom.tmem_load has no }}
func.func private @f(!cute_nvgpu.atom.tmem_load<f32, 65568 DP, 32 bit, x128>)

// -----

// expected-error @below {{UniversalCopy takes one of 8, 16, 32, 64, 128 or 256 bits, but got 4}}
func.func private @f(!cute_nvgpu.atom.universal_copy<f16, 4 b>)

// -----

// expected-error @below {{UniversalCopy takes one of 8, 16, 32, 64, 128 or 256 bits, but got -128}}
func.func private @f(!cute_nvgpu.atom.universal_copy<f16, -128 b>)

// -----

// expected-error @below {{UniversalCopy takes one of 8, 16, 32, 64, 128 or 256 bits, but got 24}}
func.func private @f(!cute_nvgpu.atom.universal_copy<f16, 24 b>)

// -----

// PTX ISA, cp.async: .cg copies 16 bytes, which the text has to say.
// expected-error @+1 {{SM80_CP_ASYNC_CACHEGLOBAL takes 128 bits, but got 0}}
func.func private @f(!cute_nvgpu.atom.simt_async_copy<f32, cache = global, 0 b>)

// -----

// PTX ISA, tcgen05.mma: scale-input-d is 0 to 15.
// expected-error @+1 {{expects c_scale_exp from 0 to 15, the power of 2 that divides the accumulator, but got 16}}
func.func private @f(!cute_nvgpu.sm100.mma<128x128x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 16>)

// -----

// expected-error @+1 {{expects c_scale_exp from 0 to 15, the power of 2 that divides the accumulator, but got -1}}
func.func private @f(!cute_nvgpu.sm100.mma<128x128x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = -1>)
