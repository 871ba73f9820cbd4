// Tensor memory is there from sm_100a on, and not on sm_120a: every op of it is refused elsewhere.
// RUN: not tessera-opt %s --tessera-check-target=arch=sm_90a 2>&1 | FileCheck %s --check-prefix=HOPPER
// RUN: not tessera-opt %s --tessera-check-target=arch=sm_120a 2>&1 | FileCheck %s --check-prefix=GEFORCE
// RUN: tessera-opt %s --tessera-check-target=arch=sm_100a | FileCheck %s --check-prefix=GOOD
// HOPPER-DAG: [[#@LINE+10]]:5: error: 'cute_nvgpu.arch.sm100.alloc_tmem' op {{.*}} needs sm_100a{{.*}}, but the target is sm_90a
// HOPPER-DAG: [[#@LINE+10]]:10: error: 'cute_nvgpu.arch.sm100.retrieve_tmem_ptr' op {{.*}}, but the target is sm_90a
// HOPPER-DAG: [[#@LINE+10]]:5: error: 'cute_nvgpu.arch.sm100.relinquish_tmem_alloc_permit' op {{.*}}, but the target is sm_90a
// HOPPER-DAG: [[#@LINE+10]]:5: error: 'cute_nvgpu.arch.sm100.dealloc_tmem' op {{.*}}, but the target is sm_90a
// GEFORCE: error: 'cute_nvgpu.arch.sm100.alloc_tmem' op {{.*}}, but the target is sm_120a
// GOOD: cute_nvgpu.arch.sm100.alloc_tmem

gpu.module @tmem {
  cuda.kernel @k(%n: i32, %s: !cute.ptr<i32, smem>) attributes {cute.kernel} {

    cute_nvgpu.arch.sm100.alloc_tmem(%n, %s) [cta_1] : i32, !cute.ptr<i32, smem>
    %t = cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%s) : !cute.ptr<i32, smem> -> !cute.ptr<f32, tmem, align<16>>
    cute_nvgpu.arch.sm100.relinquish_tmem_alloc_permit [cta_1]
    cute_nvgpu.arch.sm100.dealloc_tmem(%t, %n) [cta_1] : !cute.ptr<f32, tmem, align<16>>, i32
    return
  }
}
