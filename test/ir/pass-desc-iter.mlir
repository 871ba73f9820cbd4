// Descriptor iterators lowered: {pointer, index, dynamic shape, dynamic stride}. Swizzle, rank and static leaves are in the type.
// RUN: tessera-opt %s --cute-desugar --convert-cute-to-llvm --reconcile-unrealized-casts | FileCheck %s
// RUN: tessera-opt %s --tessera-lower=arch=sm_90a | FileCheck %s --check-prefix=WHOLE --implicit-check-not=cute.

// CHECK-LABEL: llvm.func @types
// CHECK-SAME: (!llvm.struct<(ptr<1>, i32, i32, i32)>, !llvm.struct<(ptr<3>, i32, struct<()>, struct<()>)>
// CHECK-SAME: !llvm.struct<(ptr<3>, i32, struct<()>, struct<()>, i32, struct<()>)>
// CHECK-SAME: !llvm.struct<(ptr<1>, i64, struct<(i64, i32)>, i64)>
func.func private @types(%0: !cute.desc_iter<!cute.ptr<f32, gmem>, "?:?">, %1: !cute.desc_iter<!cute.ptr<f16, smem>, "(8,4):(4,1)">,
                         %2: !cute.desc_iter<!cute.ptr<f16, smem>, "S<3,3,3> o ? o (8,64):(64,1)">,
                         %3: !cute.desc_iter<!cute.ptr<f32, gmem>, "(?{i64},?):(1,?{i64})">)

// 3 forward, 1 back, from the place at which the iterator stands; element i * s.
// CHECK-LABEL: llvm.func @move
// CHECK-SAME: (%[[IT:.*]]: !llvm.struct<(ptr<1>, i32, i32, i32)>)
// CHECK: llvm.extractvalue %[[IT]][0]
// CHECK: %[[I:.*]] = llvm.extractvalue %[[IT]][1]
// CHECK: %[[J:.*]] = arith.addi %[[I]], %{{.*}} overflow<nsw> : i32
// CHECK: llvm.insertvalue %[[J]], %{{.*}}[1]
// DescriptorRewindOpLowering: one step back.
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i32) : i32
// CHECK: %[[K:.*]] = llvm.sub %{{.*}}, %[[ONE]] : i32
// CHECK: llvm.insertvalue %[[K]], %{{.*}}[1]
// CHECK: arith.muli
// CHECK: llvm.getelementptr
// CHECK: llvm.load
// WHOLE-LABEL: llvm.func @move
// WHOLE: llvm.load
func.func @move(%it: !cute.desc_iter<!cute.ptr<f32, gmem>, "?:?">) -> f32 {
  %three = cute.static : !cute.int_tuple<"3">
  %back = cute.static : !cute.int_tuple<"-1">
  %0 = cute.add_offset(%it, %three) : (!cute.desc_iter<!cute.ptr<f32, gmem>, "?:?">, !cute.int_tuple<"3">)
  %1 = cute.add_offset(%0, %back) : (!cute.desc_iter<!cute.ptr<f32, gmem>, "?:?">, !cute.int_tuple<"-1">)
  %2 = cute.deref_desc_iter(%1) : (!cute.desc_iter<!cute.ptr<f32, gmem>, "?:?">)
  %3 = cute.ptr.load(%2) : (!cute.ptr<f32, gmem>) -> f32
  return %3 : f32
}

// The four operands of docs/specification/abi.md#layouts-and-iterators: ceil_div(extent, 64) places from index 0. No alloca.
// CHECK-LABEL: llvm.func @make
// CHECK-NOT: alloca
// CHECK: arith.divui
// CHECK: llvm.insertvalue %{{.*}}, %{{.*}}[0] : !llvm.struct<(ptr<1>, i32, i32, i32)>
// CHECK: llvm.insertvalue %c0_i32{{.*}}, %{{.*}}[1]
// CHECK: llvm.insertvalue %{{.*}}, %{{.*}}[2]
// CHECK: llvm.insertvalue %{{.*}}, %{{.*}}[3]
// CHECK: llvm.return %{{.*}} : !llvm.struct<(ptr<1>, i32, i32, i32)>
// WHOLE-LABEL: llvm.func @make
// WHOLE: llvm.return %{{.*}} : !llvm.struct<(ptr<1>, i32, i32, i32)>
func.func @make(%p: !cute.ptr<f32, gmem>, %m: i32, %s: i32) -> !cute.desc_iter<!cute.ptr<f32, gmem>, "?:?"> {
  %tile = arith.constant 64 : i32
  %0 = cute.get_iter %p, %m, %tile, %s : !cute.ptr<f32, gmem>, i32, i32, i32
  return %0 : !cute.desc_iter<!cute.ptr<f32, gmem>, "?:?">
}

// Loops carry the pointer and the leaves.
// WHOLE-LABEL: llvm.func @loop
// WHOLE: llvm.br
// WHOLE: llvm.return
func.func @loop(%it: !cute.desc_iter<!cute.ptr<f32, gmem>, "?:?">, %n: i32) -> !cute.desc_iter<!cute.ptr<f32, gmem>, "?:?"> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = cute.static : !cute.int_tuple<"1">
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%at = %it) -> (!cute.desc_iter<!cute.ptr<f32, gmem>, "?:?">) : i32 {
    %next = cute.add_offset(%at, %one) : (!cute.desc_iter<!cute.ptr<f32, gmem>, "?:?">, !cute.int_tuple<"1">)
    scf.yield %next : !cute.desc_iter<!cute.ptr<f32, gmem>, "?:?">
  }
  return %r : !cute.desc_iter<!cute.ptr<f32, gmem>, "?:?">
}
