// What is not lowered yet is said, not dropped.
// RUN: tessera-opt %s --split-input-file --convert-cute-to-llvm --convert-cute-nvgpu-to-nvvm --verify-diagnostics

func.func @tmem(%t: !cute.memref<f32, tmem, "(128,64):(65536,1)">) -> f32 {
  %c = cute.static : !cute.coord<"(0,3)">
  // expected-error @+2 {{expects memory that threads can access, but got '!cute.ptr<f32, tmem>': copy to or from tensor memory with its own atoms}}
  // expected-error @+1 {{failed to legalize operation 'cute.memref.load'}}
  %x = cute.memref.load(%t, %c) : (!cute.memref<f32, tmem, "(128,64):(65536,1)">, !cute.coord<"(0,3)">) -> f32
  return %x : f32
}

// -----

func.func @tmem(%t: !cute.ptr<f64, tmem>) -> !cute.ptr<f64, tmem> {
  %o = cute.static : !cute.int_tuple<"1">
  // expected-error @+2 {{expects elements of 4, 8, 16 or 32 bits in tensor memory, but got 'f64'}}
  // expected-error @+1 {{failed to legalize operation 'cute.add_offset'}}
  %x = cute.add_offset(%t, %o) : (!cute.ptr<f64, tmem>, !cute.int_tuple<"1">) -> !cute.ptr<f64, tmem>
  return %x : !cute.ptr<f64, tmem>
}

// -----

// The patterns of tensor memory are for targets that have it.
gpu.module @hopper attributes {tessera.target = "sm_90a"} {
  func.func @f(%n: i32, %s: !cute.ptr<i32, smem>) {
    // expected-error @below {{failed to legalize operation 'cute_nvgpu.arch.sm100.alloc_tmem'}}
    cute_nvgpu.arch.sm100.alloc_tmem(%n, %s) [cta_1] : i32, !cute.ptr<i32, smem>
    return
  }
}

// -----

gpu.module @geforce attributes {tessera.target = "sm_120a"} {
  func.func @f(%t: !cute.ptr<f32, tmem>) {
    // expected-error @below {{failed to legalize operation 'cute_nvgpu.arch.copy.SM100.tmem_load'}}
    %0 = cute_nvgpu.arch.copy.SM100.tmem_load(%t) {num_b = 32 : i32, num_dp = 32 : i32, num_rep = 1 : i32} : (!cute.ptr<f32, tmem>) -> i32
    return
  }
}
