// Kernels are looked at wherever they stand, and with their arguments: an atom that is passed in is one that the kernel needs.
// RUN: tessera-opt %s --split-input-file --tessera-check-target=arch=sm_80 --verify-diagnostics -o /dev/null
// RUN: tessera-opt %s --split-input-file --tessera-check-target=arch=sm_90a -o /dev/null

!wgmma = !cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>
gpu.module @wgmma {
  // expected-error @+1 {{'cuda.kernel' op argument 1: SM90_64xNx16_F32F16F16_SS needs sm_90a, but the target is sm_80}}
  cuda.kernel @k(%n: i32, %atom: !wgmma) attributes {cute.kernel} {
    return
  }
}

// -----

gpu.module @stmatrix {
  // expected-error @+1 {{'cuda.kernel' op argument 0: SM90_U32x4_STSM_N needs sm_90 or later, but the target is sm_80}}
  cuda.kernel @k(%atom: !cute_nvgpu.atom.stsm<f16, mode = <"(8,8)">, num_matrices = 4, n>) attributes {cute.kernel} {
    return
  }
}

// -----

gpu.module @gpu_func {
  // expected-error @+1 {{'gpu.func' op argument 0: SM90_U32x4_STSM_N needs sm_90 or later, but the target is sm_80}}
  gpu.func @k(%atom: !cute_nvgpu.atom.stsm<f16, mode = <"(8,8)">, num_matrices = 4, n>) kernel {
    gpu.return
  }
}

// -----

// A kernel in no gpu.module.
func.func @k(%p: !llvm.ptr<3>, %n: i32) attributes {cute.kernel} {
  // expected-error @+1 {{'nvvm.mbarrier.arrive.expect_tx' op mbarrier transaction counts (expect_tx, complete_tx) needs sm_90 or later, but the target is sm_80}}
  nvvm.mbarrier.arrive.expect_tx %p, %n : !llvm.ptr<3>, i32
  return
}
// So is what it calls, and what is a kernel by its op or another mark.
func.func @calls() attributes {cute.kernel} {
  func.call @called() : () -> ()
  return
}
func.func @called() {
  // expected-error @+1 {{'nvvm.wgmma.fence.aligned' op wgmma needs sm_90a, but the target is sm_80}}
  nvvm.wgmma.fence.aligned
  return
}
cuda.kernel @cuda() {
  // expected-error @+1 {{'nvvm.wgmma.fence.aligned' op wgmma needs sm_90a, but the target is sm_80}}
  nvvm.wgmma.fence.aligned
  return
}
llvm.func @nvvm() attributes {nvvm.kernel} {
  // expected-error @+1 {{'nvvm.wgmma.fence.aligned' op wgmma needs sm_90a, but the target is sm_80}}
  nvvm.wgmma.fence.aligned
  llvm.return
}
// Host code is not looked at.
func.func @host() -> !cute_nvgpu.atom.stsm<f16, mode = <"(8,8)">, num_matrices = 4, n> {
  %0 = cute.make_atom() : () -> !cute_nvgpu.atom.stsm<f16, mode = <"(8,8)">, num_matrices = 4, n>
  return %0 : !cute_nvgpu.atom.stsm<f16, mode = <"(8,8)">, num_matrices = 4, n>
}

// -----

// Nested regions, and the arguments of their blocks.
!stsm = !cute_nvgpu.atom.stsm<f16, mode = <"(8,8)">, num_matrices = 4, n>
gpu.module @nested {
  cuda.kernel @k(%c: i1, %n: index) attributes {cute.kernel} {
    scf.if %c {
      // expected-error @+1 {{'ub.poison' op SM90_U32x4_STSM_N needs sm_90 or later, but the target is sm_80}}
      %made = ub.poison : !stsm
      // expected-error @+1 {{'scf.for' op block argument 1: SM90_U32x4_STSM_N needs sm_90 or later, but the target is sm_80}}
      %0 = scf.for %i = %n to %n step %n iter_args(%a = %made) -> (!stsm) {
        scf.yield %a : !stsm
      }
    }
    return
  }
}

// -----

gpu.module @attribute {
  cuda.kernel @k() attributes {cute.kernel} {
    // expected-error @+1 {{'arith.constant' op attribute 'note': SM90_U32x4_STSM_N needs sm_90 or later, but the target is sm_80}}
    %0 = arith.constant {note = !cute_nvgpu.atom.stsm<f16, mode = <"(8,8)">, num_matrices = 4, n>} 1 : i32
    return
  }
}
