// Four matrices of (8,8) are four registers, not eight.
// RUN: tessera-opt %s --verify-diagnostics
// XFAIL: *
// Bug: more registers than matrices are accepted; --convert-cute-nvgpu-to-nvvm then makes a vector of 8 from 4 values.

func.func @f(%m: !cute.ptr<f16, smem, align<16>>) {
  // expected-error @+1 {{'cute_nvgpu.arch.copy.ldsm' op expects one 32-bit register for each of the 4 matrices, but got vector<8xi32>}}
  %0 = cute_nvgpu.arch.copy.ldsm(%m) {matrix_shape = #cute.shape<"(8,8)">, num_matrices = 4 : i32, sz_pattern = #cute_nvgpu.ldsm_sz_pattern<u16>} : (!cute.ptr<f16, smem, align<16>>) -> vector<8xi32>
  return
}
