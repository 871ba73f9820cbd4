// Options of atoms that are no such options, at the word that is wrong.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expects sm_100 or sm_103}}
func.func private @f(!cute_nvgpu.sm100.mma_bs<128x128x64, num_cta = 1, ab_major = (k, k), elem_type = (f4E2M1FN, f4E2M1FN, f32), sf_type = f8E4M3FN, frag_kind = ss, vec_size = 16, arch_promote = sm_110>)

// -----

// expected-error @+1 {{expects a memory space such as gmem or smem, but got 'shared'}}
func.func private @f(!cute_nvgpu.atom.universal_copy<f16, 128 b, src_space = shared>)

// -----

func.func @f(%a: !cute.memref<f16, gmem, "(8,8):(8,1)">) {
  // expected-error @+1 {{expects a tma_data_format}}
  %0:2 = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%a, %a, %a) <{kind = <sm_90> tma_format = 1 : i32}> : (i32) -> (i32)
  return
}

// -----

func.func @f(%a: !cute.memref<f16, gmem, "(8,8):(8,1)">) {
  // expected-error @+1 {{expects the kind of TMA load}}
  %0:2 = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%a, %a, %a) <{num_multicast = 1}> : (i32) -> (i32)
  return
}
