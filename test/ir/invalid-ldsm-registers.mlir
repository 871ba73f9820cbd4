// Four matrices of (8,8) are four registers, not eight; those of (16,16) are two each; three are none.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

func.func @f(%m: !cute.ptr<f16, smem, align<16>>) {
  // expected-error @+1 {{'cute_nvgpu.arch.copy.ldsm' op expects one 32-bit register for each of the 4 matrices, but got vector<8xi32>}}
  %0 = cute_nvgpu.arch.copy.ldsm(%m) {matrix_shape = #cute.shape<"(8,8)">, num_matrices = 4 : i32, sz_pattern = #cute_nvgpu.ldsm_sz_pattern<u16>} : (!cute.ptr<f16, smem, align<16>>) -> vector<8xi32>
  return
}

// -----

func.func @f(%m: !cute.ptr<f16, smem, align<16>>) {
  // expected-error @+1 {{'cute_nvgpu.arch.copy.ldsm' op expects two 32-bit registers for each of the 2 matrices, but got vector<2xi32>}}
  %0 = cute_nvgpu.arch.copy.ldsm(%m) {matrix_shape = #cute.shape<"(16,16)">, num_matrices = 2 : i32, sz_pattern = #cute_nvgpu.ldsm_sz_pattern<u8>, transpose} : (!cute.ptr<f16, smem, align<16>>) -> vector<2xi32>
  return
}

// -----

func.func @f(%m: !cute.ptr<f16, smem, align<16>>) {
  // expected-error @+1 {{'cute_nvgpu.arch.copy.ldsm' op atom.ldsm has no (8,8) with matrices = 3; matrices may be 1, 2 or 4}}
  %0 = cute_nvgpu.arch.copy.ldsm(%m) {matrix_shape = #cute.shape<"(8,8)">, num_matrices = 3 : i32, sz_pattern = #cute_nvgpu.ldsm_sz_pattern<u16>} : (!cute.ptr<f16, smem, align<16>>) -> vector<3xi32>
  return
}

// -----

func.func @f(%m: !cute.ptr<f16, smem, align<16>>, %x: vector<3xi32>) {
  // expected-error @+1 {{'cute_nvgpu.arch.copy.stsm' op atom.stsm has no (8,8) with matrices = 3; matrices may be 1, 2 or 4}}
  cute_nvgpu.arch.copy.stsm(%m, %x) {matrix_shape = #cute.shape<"(8,8)">, num_matrices = 3 : i32} : (!cute.ptr<f16, smem, align<16>>, vector<3xi32>)
  return
}

// -----

func.func @f(%m: !cute.ptr<f16, smem, align<16>>, %x: vector<4xi32>) {
  // expected-error @+1 {{'cute_nvgpu.arch.copy.stsm' op expects one 32-bit register for each of the 2 matrices, but got vector<4xi32>}}
  cute_nvgpu.arch.copy.stsm(%m, %x) {matrix_shape = #cute.shape<"(8,8)">, num_matrices = 2 : i32} : (!cute.ptr<f16, smem, align<16>>, vector<4xi32>)
  return
}
