// Kernels of the gpu dialect: cute values cross their signatures as those of cuda.kernel do (docs/specification/passes.md#pattern-bank), and no
// cute type survives. Lowered forms: section 2.5 of the facts, a value is the struct of its dynamic leaves.
// RUN: tessera-opt %s --split-input-file --convert-cute-to-llvm --reconcile-unrealized-casts --cute-kernel-to-nvvm --verify-diagnostics | FileCheck %s
// RUN: tessera-opt %s --split-input-file --cute-desugar --cute-expand-ops --convert-cute-to-llvm --reconcile-unrealized-casts --cute-kernel-to-nvvm --verify-diagnostics | FileCheck %s --check-prefix=WHOLE

// RUN: not tessera-opt %s --split-input-file --convert-cute-to-llvm=statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNTS
// COUNTS: convert-cute-to-llvm: 2 ConvertGPUFuncSignature

gpu.module @m {
  // A static layout is not an argument; a tensor is its pointer and the dynamic leaves of its layout.
  // CHECK-LABEL: llvm.func @k(
  // CHECK-SAME: !llvm.struct<(ptr<1>, struct<(i32, i32)>)>, %{{.*}}: i32)
  // CHECK-SAME: nvvm.kernel
  // CHECK-SAME: nvvm.reqntid = array<i32: 128, 1, 1>
  // CHECK-NOT: !cute
  // CHECK: llvm.return
  // WHOLE-LABEL: llvm.func @k(
  // WHOLE-SAME: nvvm.kernel
  // WHOLE-NOT: !cute
  // WHOLE: llvm.getelementptr
  // WHOLE: llvm.return
  gpu.func @k(%t: !cute.memref<f32, gmem, "(?,4):(1,?)">, %l: !cute.layout<"(4,2):(1,4)">, %c: !cute.coord<"?">) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %at = cute.crd2idx(%c, %l) : (!cute.coord<"?">, !cute.layout<"(4,2):(1,4)">)
    %it = cute.get_iter(%t) : (!cute.memref<f32, gmem, "(?,4):(1,?)">)
    %p = cute.add_offset(%it, %at) : (!cute.ptr<f32, gmem>, !cute.int_tuple<"?">)
    %v = cute.ptr.load(%p) : (!cute.ptr<f32, gmem>) -> f32
    cute.ptr.store(%it, %v) : (!cute.ptr<f32, gmem>, f32) -> ()
    gpu.return
  }
  // One that is not a kernel keeps its result.
  // CHECK: llvm.func @helper(%{{.*}}: i32) -> i32
  gpu.func @helper(%c: !cute.coord<"(1,?)">) -> !cute.coord<"(1,?)"> {
    gpu.return %c : !cute.coord<"(1,?)">
  }
}

// -----

gpu.module @m {
  // expected-error @below {{expects no memory attributions: declare shared memory with cute_nvgpu.arch.get_dyn_smem}}
  // expected-error @below {{failed to legalize operation 'gpu.func'}}
  gpu.func @k() workgroup(%s: memref<4xf32, 3>) kernel {
    gpu.return
  }
}
