// One broadcast of what is computed in the same way in a block.
// RUN: tessera-opt %s --tessera-merge-uniform | FileCheck %s
// RUN: tessera compile %s --arch sm_90a --no-cache -o - | FileCheck %s --check-prefix=PTX

// The warp's number once, half of it, and two loaded ones; once more in a branch.
// PTX-LABEL: .entry warps(
// PTX-COUNT-5: shfl.sync.idx
// PTX-NOT: shfl.sync

gpu.module @kernels {
  // CHECK-LABEL: @warps
  cuda.kernel @warps(%out: !llvm.ptr<1>, %p: i1) attributes {cute.kernel} {
    %c32 = arith.constant 32 : i32
    %t0 = nvvm.read.ptx.sreg.tid.x : i32
    %w0 = arith.divui %t0, %c32 : i32
    // CHECK: %[[WARP:.*]] = cute_nvgpu.arch.make_warp_uniform
    %u0 = cute_nvgpu.arch.make_warp_uniform(%w0) : i32
    // CHECK: llvm.store volatile %[[WARP]]
    llvm.store volatile %u0, %out : i32, !llvm.ptr<1>
    %other = arith.constant 32 : i32
    %t1 = nvvm.read.ptx.sreg.tid.x : i32
    %w1 = arith.divui %t1, %other : i32
    %u1 = cute_nvgpu.arch.make_warp_uniform(%w1) : i32
    // CHECK: llvm.store volatile %[[WARP]]
    llvm.store volatile %u1, %out : i32, !llvm.ptr<1>
    // Not a multiple of the same number.
    %c64 = arith.constant 64 : i32
    %w2 = arith.divui %t1, %c64 : i32
    // CHECK: %[[HALF:.*]] = cute_nvgpu.arch.make_warp_uniform
    %u2 = cute_nvgpu.arch.make_warp_uniform(%w2) : i32
    // CHECK: llvm.store volatile %[[HALF]]
    llvm.store volatile %u2, %out : i32, !llvm.ptr<1>
    // What was loaded twice may have changed.
    %l0 = llvm.load volatile %out : !llvm.ptr<1> -> i32
    // CHECK: %[[ONE:.*]] = cute_nvgpu.arch.make_warp_uniform
    %v0 = cute_nvgpu.arch.make_warp_uniform(%l0) : i32
    %l1 = llvm.load volatile %out : !llvm.ptr<1> -> i32
    // CHECK: %[[TWO:.*]] = cute_nvgpu.arch.make_warp_uniform
    %v1 = cute_nvgpu.arch.make_warp_uniform(%l1) : i32
    // CHECK: llvm.store volatile %[[ONE]]
    llvm.store volatile %v0, %out : i32, !llvm.ptr<1>
    // CHECK: llvm.store volatile %[[TWO]]
    llvm.store volatile %v1, %out : i32, !llvm.ptr<1>
    // CHECK: scf.if
    scf.if %p {
      %t2 = nvvm.read.ptx.sreg.tid.x : i32
      %w3 = arith.divui %t2, %c32 : i32
      // CHECK: %[[INNER:.*]] = cute_nvgpu.arch.make_warp_uniform
      %u3 = cute_nvgpu.arch.make_warp_uniform(%w3) : i32
      %u4 = cute_nvgpu.arch.make_warp_uniform(%w3) : i32
      // CHECK: llvm.store volatile %[[INNER]]
      llvm.store volatile %u3, %out : i32, !llvm.ptr<1>
      // CHECK: llvm.store volatile %[[INNER]]
      llvm.store volatile %u4, %out : i32, !llvm.ptr<1>
    }
    return
  }
}
