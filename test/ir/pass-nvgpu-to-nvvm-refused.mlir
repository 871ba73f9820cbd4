// What is not lowered yet is said, not dropped.
// RUN: tessera-opt %s --split-input-file --convert-cute-to-llvm --convert-cute-nvgpu-to-nvvm --verify-diagnostics

func.func @shape(%m: !cute.ptr<f16, smem, align<16>>) {
  // expected-error @+2 {{'cute_nvgpu.arch.copy.ldsm' op matrices of shape "(16,16)" are not lowered yet}}
  // expected-error @+1 {{failed to legalize operation 'cute_nvgpu.arch.copy.ldsm'}}
  %0 = cute_nvgpu.arch.copy.ldsm(%m) {matrix_shape = #cute.shape<"(16,16)">, num_matrices = 1 : i32, sz_pattern = #cute_nvgpu.ldsm_sz_pattern<u8>, transpose} : (!cute.ptr<f16, smem, align<16>>) -> vector<2xi32>
  return
}

// -----

func.func @tmem(%t: !cute.ptr<f32, tmem>) {
  // expected-error @+1 {{failed to legalize operation 'cute_nvgpu.arch.copy.SM100.tmem_load'}}
  %0 = cute_nvgpu.arch.copy.SM100.tmem_load(%t) {num_b = 32 : i32, num_dp = 32 : i32, num_rep = 4 : i32} : (!cute.ptr<f32, tmem>) -> vector<4xi32>
  return
}
