// docs/specification/tensor-memory.md#retrieve_tmem_ptr: atoms of tensor memory need a Blackwell of the data centre; consumer Blackwell and Hopper refuse them by name.
// RUN: tessera-opt %s --tessera-check-target=arch=sm_90a --verify-diagnostics
// RUN: tessera-opt %s --tessera-check-target=arch=sm_100a | FileCheck %s

// CHECK-LABEL: gpu.module @tensor_memory
gpu.module @tensor_memory {
  cuda.kernel @k() attributes {cute.kernel} {
    // expected-error @+1 {{'cute.make_atom' op SM100_TMEM_LOAD_32dp32b needs sm_100a/f, sm_103a/f or sm_110a/f, but the target is sm_90a}}
    %0 = cute.make_atom() : () -> !cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x128>
    // expected-error @+1 {{'cute.make_atom' op SM100_UTCCP_4x32dp128bit_1cta needs sm_100a/f, sm_103a/f or sm_110a/f, but the target is sm_90a}}
    %1 = cute.make_atom() : () -> !cute_nvgpu.atom.s2t_copy<f8E8M0FNU, 32 DP, 128 bit, 1 cta, x4>
    return
  }
}
