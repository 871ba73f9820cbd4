// Mathematical functions and assertions of kernels, which have no C library. Host code keeps its own.
// RUN: tessera-opt %s --split-input-file --convert-device-ops --verify-diagnostics | FileCheck %s

// CHECK-DAG: llvm.mlir.global internal constant @assert_message_0("x is negative\00")
// CHECK-DAG: llvm.func @__assertfail(!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64)
gpu.module @m {
  // CHECK-LABEL: llvm.func @math
  // CHECK-SAME: (%[[X:.*]]: f32, %[[H:.*]]: f16)
  llvm.func @math(%x: f32, %h: f16) attributes {nvvm.kernel} {
    // Exact keeps subnormals, fast flushes them.
    // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.f"(%[[X]])
    %0 = math.exp2 %x : f32
    // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"(%[[X]])
    %1 = math.exp2 %x fastmath<afn> : f32
    // exp(x) = 2^(x log2 e).
    // CHECK: %[[L:.*]] = arith.constant 1.44269{{[0-9]*}} : f32
    // CHECK: %[[P:.*]] = arith.mulf %[[X]], %[[L]] : f32
    // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.f"(%[[P]])
    %2 = math.exp %x : f32
    // ln(x) = log2(x) ln 2.
    // CHECK: %[[G:.*]] = llvm.call_intrinsic "llvm.nvvm.lg2.approx.f"(%[[X]])
    // CHECK: %[[N:.*]] = arith.constant 0.693147{{[0-9]*}} : f32
    // CHECK: arith.mulf %[[G]], %[[N]] : f32
    %3 = math.log %x : f32
    // Through f32.
    // CHECK: %[[W:.*]] = arith.extf %[[H]] : f16 to f32
    // CHECK: %[[R:.*]] = llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"(%[[W]])
    // CHECK: arith.truncf %[[R]] : f32 to f16
    %4 = math.rsqrt %h : f16
    // CHECK: llvm.inline_asm "tanh.approx.f32 $0, $1;", "=f,f" %[[X]]
    %5 = math.tanh %x fastmath<afn> : f32
    // The back end knows these.
    // CHECK: math.sqrt
    %6 = math.sqrt %x : f32
    llvm.return
  }
  // CHECK-LABEL: llvm.func @check
  // CHECK-SAME: (%[[C:.*]]: i1)
  llvm.func @check(%c: i1) {
    // CHECK: cf.cond_br %[[C]], ^[[ON:.*]], ^[[FAIL:.*]]
    // CHECK: ^[[FAIL]]:
    // CHECK: llvm.call @__assertfail(
    // CHECK: llvm.unreachable
    // CHECK: ^[[ON]]:
    cf.assert %c, "x is negative"
    llvm.return
  }
}
// CHECK-LABEL: llvm.func @host
llvm.func @host(%x: f32) {
  // CHECK: math.sin
  %0 = math.sin %x : f32
  llvm.return
}

// -----

gpu.module @m {
  llvm.func @k(%x: f32, %d: f64) attributes {nvvm.kernel} {
    // expected-error @+1 {{'math.sin' op on 'f32' without fastmath<afn> has no instruction on NVIDIA GPUs; expects an approximation to be allowed, on f32, f16 or bf16}}
    %0 = math.sin %x : f32
    // expected-error @+1 {{'math.exp' op on 'f64' has no instruction on NVIDIA GPUs; expects an approximation to be allowed, on f32, f16 or bf16}}
    %1 = math.exp %d fastmath<afn> : f64
    llvm.return
  }
}
