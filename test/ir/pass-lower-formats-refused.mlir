// A conversion between two narrow formats has no instruction: the way goes through f32.
// RUN: not tessera-opt %s --tessera-lower=arch=sm_90a 2>&1 | FileCheck %s

gpu.module @k {
  cuda.kernel @k(%x: f4E2M1FN, %p: !llvm.ptr) attributes {cute.kernel} {
    // CHECK: pass-lower-formats-refused.mlir:[[#@LINE+1]]:10: error: 'arith.extf' op from 'f4E2M1FN' to 'f8E4M3FN' is not lowered: convert to f32 and from there
    %0 = arith.extf %x : f4E2M1FN to f8E4M3FN
    %1 = arith.bitcast %0 : f8E4M3FN to i8
    llvm.store %1, %p : i8, !llvm.ptr
    return
  }
}
