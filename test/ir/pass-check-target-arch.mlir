// A target that is none is refused; each variant of sm_90 has its own.
// RUN: not tessera-opt %s --tessera-check-target=arch=sm_12 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tessera-opt %s --tessera-check-target=arch=banana 2>&1 | FileCheck %s --check-prefix=BANANA
// RUN: not tessera-opt %s --tessera-check-target=arch=sm_90 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: tessera-opt %s --tessera-check-target=arch=sm_90a | FileCheck %s --check-prefix=GOOD
// UNKNOWN: error: no target is called "sm_12"; there are
// BANANA: error: no target is called "banana"; there are
// PLAIN: pass-check-target-arch.mlir:[[#@LINE+5]]:10: error: 'cute.make_atom' op {{.*}} needs sm_90a, but the target is sm_90
// GOOD: gpu.module @wgmma
// GOOD: cute.make_atom
gpu.module @wgmma {
  cuda.kernel @k(%t: i1) attributes {cute.kernel} {
    %0 = cute.make_atom(%t) : (i1) -> !cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>
    return
  }
}
