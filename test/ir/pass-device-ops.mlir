// Mathematical functions and assertions of kernels, which have no C library. Host code keeps its own.
// RUN: tessera-opt %s --split-input-file --convert-device-ops --verify-diagnostics | FileCheck %s

// CHECK-DAG: llvm.mlir.global internal constant @assert_message_0("x is negative\00")
// CHECK-DAG: llvm.func @__assertfail(!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64)
gpu.module @m {
  // CHECK-LABEL: llvm.func @math
  // CHECK-SAME: (%[[X:.*]]: f32, %[[H:.*]]: f16)
  llvm.func @math(%x: f32, %h: f16) attributes {nvvm.kernel} {
    // Exact keeps subnormals, fast flushes them.
    // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"(%[[X]])
    %0 = math.exp2 %x : f32
    // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[X]])
    %1 = math.exp2 %x fastmath<afn> : f32
    // exp(x) = 2^(x log2 e).
    // CHECK: %[[L:.*]] = arith.constant 1.44269{{[0-9]*}} : f32
    // CHECK: %[[P:.*]] = arith.mulf %[[X]], %[[L]] : f32
    // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[P]])
    %2 = math.exp %x fastmath<afn> : f32
    // ln(x) = log2(x) ln 2.
    // CHECK: %[[G:.*]] = llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"(%[[X]])
    // CHECK: %[[N:.*]] = arith.constant 0.693147{{[0-9]*}} : f32
    // CHECK: arith.mulf %[[G]], %[[N]] : f32
    %3 = math.log %x fastmath<afn> : f32
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
  // Without leave to approximate: no instruction, and nothing is left of the op. test/sim/math.py has the errors.
  // CHECK-LABEL: llvm.func @polynomials
  // CHECK-NOT: {{(lg2|sin|cos|tanh).approx}}
  // CHECK-NOT: math.{{(exp|log|sin|tan|erf)}}
  // CHECK: llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr
  llvm.func @polynomials(%x: f32, %h: f16, %v: vector<4xf32>, %p: !llvm.ptr) attributes {nvvm.kernel} {
    %0 = math.exp %x : f32
    %1 = math.log %x : f32
    %2 = math.log10 %x : f32
    %3 = math.sin %x : f32
    %4 = math.tan %x : f32
    %5 = math.erf %h : f16
    %6 = math.tanh %v : vector<4xf32>
    llvm.store %0, %p : f32, !llvm.ptr
    llvm.store %1, %p : f32, !llvm.ptr
    llvm.store %2, %p : f32, !llvm.ptr
    llvm.store %3, %p : f32, !llvm.ptr
    llvm.store %4, %p : f32, !llvm.ptr
    llvm.store %5, %p : f16, !llvm.ptr
    llvm.store %6, %p : vector<4xf32>, !llvm.ptr
    llvm.return
  }
  // Powers in f64, and what is a few ops each. test/lower/UpstreamOpsTest.cpp runs them.
  // CHECK-LABEL: llvm.func @others
  // CHECK: arith.extf %{{.*}} : f32 to f64
  // CHECK-NOT: math.{{(powf|isinf|clampf|sincos)}}
  // CHECK: arith.truncf %{{.*}} : f64 to f32
  // CHECK-NOT: math.{{(powf|isinf|clampf|sincos)}}
  // CHECK: llvm.return
  llvm.func @others(%x: f32, %p: !llvm.ptr) attributes {nvvm.kernel} {
    %0 = math.powf %x, %x : f32
    %1 = math.isinf %x : f32
    %2 = math.clampf %x to [%0, %x] : f32
    %3, %4 = math.sincos %2 : f32
    llvm.store %3, %p : f32, !llvm.ptr
    llvm.store %4, %p : f32, !llvm.ptr
    llvm.store %1, %p : i1, !llvm.ptr
    llvm.return
  }
  // A barrier that is written as PTX is the instruction, so that constants stand in it; other PTX stays.
  // CHECK-LABEL: llvm.func @barriers
  // CHECK: nvvm.barrier id = %{{.*}} number_of_threads = %{{.*}}
  // CHECK: nvvm.barrier id = %{{.*}}
  // CHECK: llvm.inline_asm has_side_effects asm_dialect = att "bar.arrive $0, $1;"
  llvm.func @barriers(%x: i32) attributes {nvvm.kernel} {
    %id = llvm.mlir.constant(1 : i32) : i32
    llvm.inline_asm has_side_effects asm_dialect = att "bar.sync $0, $1;", "r,r" %id, %x : (i32, i32) -> ()
    llvm.inline_asm has_side_effects asm_dialect = att "bar.sync $0;", "r" %id : (i32) -> ()
    llvm.inline_asm has_side_effects asm_dialect = att "bar.arrive $0, $1;", "r,r" %id, %x : (i32, i32) -> ()
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
  // Where a call would hurt, on whatever line of an inline text the instruction stands, a trap ends the kernel.
  // CHECK-LABEL: llvm.func @product
  // CHECK-NOT: @__assertfail
  // CHECK: llvm.intr.trap
  llvm.func @product(%c: i1, %f: f32, %desc: i64) {
    %0 = llvm.inline_asm has_side_effects "// a product\0A{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {$0, $0}, $2, $2, p, 1, 1; }",
        "=f,0,l" %f, %desc : (f32, i64) -> f32
    cf.assert %c, "x is negative"
    llvm.return
  }
  // CHECK-LABEL: llvm.func @registers
  // CHECK-NOT: @__assertfail
  // CHECK: llvm.intr.trap
  llvm.func @registers(%c: i1) {
    nvvm.inline_ptx "/* fewer */ setmaxnreg.dec.sync.aligned.u32 40;"
    cf.assert %c, "x is negative"
    llvm.return
  }
  // A comment that names a product costs nothing.
  // CHECK-LABEL: llvm.func @named
  // CHECK: llvm.call @__assertfail(
  llvm.func @named(%c: i1) {
    llvm.inline_asm has_side_effects "nanosleep.u32 1; // not tcgen05.mma", "" : () -> ()
    cf.assert %c, "x is negative"
    llvm.return
  }
}
// A vector of f64 is two numbers, each with its polynomial.
gpu.module @doubles {
  // CHECK-LABEL: llvm.func @pairs
  // CHECK-NOT: math.exp
  // CHECK: llvm.extractelement {{.*}} : vector<2xf64>
  // CHECK: llvm.insertelement {{.*}} : vector<2xf64>
  // CHECK: llvm.insertelement {{.*}} : vector<2xf64>
  // CHECK-NOT: math.powf
  // CHECK: llvm.return
  llvm.func @pairs(%x: vector<2xf64>, %p: !llvm.ptr) attributes {nvvm.kernel} {
    %0 = math.exp %x : vector<2xf64>
    %1 = math.powf %0, %x : vector<2xf64>
    llvm.store %1, %p : vector<2xf64>, !llvm.ptr
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
  llvm.func @k(%d: f128, %p: !llvm.ptr) attributes {nvvm.kernel} {
    // expected-error @+1 {{'math.erf' op on 'f128' has no instruction on NVIDIA GPUs and no approximation here; write it with functions on f64, f32, f16 or bf16 that have one}}
    %0 = math.erf %d fastmath<afn> : f128
    llvm.store %0, %p : f128, !llvm.ptr
    llvm.return
  }
}

// -----

gpu.module @m {
  llvm.func @k(%x: f128, %p: !llvm.ptr) attributes {nvvm.kernel} {
    // expected-error @+1 {{'math.cbrt' op on 'f128' has no instruction on NVIDIA GPUs and no approximation here; write it with functions on f64, f32, f16 or bf16 that have one}}
    %0 = math.cbrt %x : f128
    llvm.store %0, %p : f128, !llvm.ptr
    llvm.return
  }
}
