// RUN: %exits 2 tessera compile %s --arch sm_90a --no-cache -o /dev/null 2>&1 | FileCheck %s
// What ends LLVM's back end is an error of the file, at its place, and not the end of the process. NVPTX has no instruction for sums
// of f128, on any target; the SM gate refuses the type, unless it is told to let it pass.

// CHECK: cli-llvm-ends.mlir:9:3: error: LLVM cannot compile this for sm_90a: unsupported library call operation
// CHECK: the module cannot be compiled to PTX, see above
module attributes {gpu.container_module} {
  // The place is that of the module: LLVM says no more.
  gpu.module @kernels attributes {tessera.allow_unlisted_ptx} {
    cuda.kernel @k(%p: !llvm.ptr<1>, %x: f128) attributes {cute.kernel} {
      %0 = llvm.fadd %x, %x : f128
      llvm.store %0, %p : f128, !llvm.ptr<1>
      return
    }
  }
}
