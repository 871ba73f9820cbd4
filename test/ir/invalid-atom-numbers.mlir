// Numbers of an atom that no instruction has.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics
// XFAIL: *
// Bug: the parameters are cut to 8 or 16 bits before they are looked up, so 260 matrices count as 4, 257 CTAs as 1.

// expected-error @below {{atom.ldsm has no }}
func.func private @f(!cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 260, n>)

// -----

// expected-error @below {{atom.ldsm has no }}
func.func private @f(!cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(65544,8)">, sz_pattern = u16, num_matrices = 4, n>)

// -----

// expected-error @below {{atom.tma_load has no }}
func.func private @f(!cute_nvgpu.atom.tma_load<f16, copy_bits = 131072, mode = tiled, num_cta = 257, g_stride = <"()"> tma_gbasis = <"(64,128):(1@1,1@0)">>)
