// Which loops of known counts unroll: it is decided on what they become, not on how the source spells it.
// RUN: tessera-opt %s --cute-unroll-loops | FileCheck %s

#full = #llvm.loop_annotation<unroll = <full = true>>

// 8 iterations of 200 additions each, though the source has one: the outer loop stays.
// CHECK-LABEL: func.func @nested
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK-COUNT-200: arith.addf
// CHECK-NOT: arith.addf
// CHECK: return
func.func @nested(%x: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %c200 = arith.constant 200 : i32
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %x) -> (f32) : i32 {
    %s = scf.for %k = %c0 to %c200 step %c1 iter_args(%b = %a) -> (f32) : i32 {
      %t = arith.addf %b, %x : f32
      scf.yield %t : f32
    } {loop_annotation = #full}
    scf.yield %s : f32
  }
  return %r : f32
}

// 400 iterations of one instruction: a dozen getters in each are none.
// CHECK-LABEL: func.func @getters
// CHECK-NOT: scf.for
// CHECK-COUNT-400: arith.addf
// CHECK-NOT: arith.addf
// CHECK: return
func.func @getters(%x: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c400 = arith.constant 400 : i32
  %l = cute.static : !cute.layout<"(2,1):(1,2)">
  %r = scf.for %i = %c0 to %c400 step %c1 iter_args(%a = %x) -> (f32) : i32 {
    %n0 = cute.size(%l) : (!cute.layout<"(2,1):(1,2)">) -> !cute.int_tuple<"2">
    %n1 = cute.size(%l) : (!cute.layout<"(2,1):(1,2)">) -> !cute.int_tuple<"2">
    %n2 = cute.size(%l) : (!cute.layout<"(2,1):(1,2)">) -> !cute.int_tuple<"2">
    %n3 = cute.size(%l) : (!cute.layout<"(2,1):(1,2)">) -> !cute.int_tuple<"2">
    %n4 = cute.size(%l) : (!cute.layout<"(2,1):(1,2)">) -> !cute.int_tuple<"2">
    %n5 = cute.size(%l) : (!cute.layout<"(2,1):(1,2)">) -> !cute.int_tuple<"2">
    %n6 = cute.size(%l) : (!cute.layout<"(2,1):(1,2)">) -> !cute.int_tuple<"2">
    %n7 = cute.size(%l) : (!cute.layout<"(2,1):(1,2)">) -> !cute.int_tuple<"2">
    %n8 = cute.size(%l) : (!cute.layout<"(2,1):(1,2)">) -> !cute.int_tuple<"2">
    %n9 = cute.size(%l) : (!cute.layout<"(2,1):(1,2)">) -> !cute.int_tuple<"2">
    %n10 = cute.size(%l) : (!cute.layout<"(2,1):(1,2)">) -> !cute.int_tuple<"2">
    %n11 = cute.size(%l) : (!cute.layout<"(2,1):(1,2)">) -> !cute.int_tuple<"2">
    %s = arith.addf %a, %x : f32
    scf.yield %s : f32
  }
  return %r : f32
}

// 32 iterations of 64 elements.
// CHECK-LABEL: func.func @vectors
// CHECK: scf.for
// CHECK: return
func.func @vectors(%x: vector<64xf32>) -> vector<64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %r = scf.for %i = %c0 to %c32 step %c1 iter_args(%a = %x) -> (vector<64xf32>) : i32 {
    %s = arith.addf %a, %x : vector<64xf32>
    scf.yield %s : vector<64xf32>
  }
  return %r : vector<64xf32>
}

// 100 iterations of 22 instructions that index registers: registers have no addresses, so the array would be in local memory.
// CHECK-LABEL: func.func @registers
// CHECK-NOT: scf.for
// CHECK: return
func.func @registers(%m: !cute.memref<f32, rmem, "100:1">) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c100 = arith.constant 100 : i32
  scf.for %i = %c0 to %c100 step %c1 : i32 {
    %at = cute.make_coord(%i) : (i32) -> !cute.coord<"?">
    %f0 = cute.memref.load(%m, %at) : (!cute.memref<f32, rmem, "100:1">, !cute.coord<"?">) -> f32
    %f1 = arith.addf %f0, %f0 : f32
    %f2 = arith.addf %f1, %f1 : f32
    %f3 = arith.addf %f2, %f2 : f32
    %f4 = arith.addf %f3, %f3 : f32
    %f5 = arith.addf %f4, %f4 : f32
    %f6 = arith.addf %f5, %f5 : f32
    %f7 = arith.addf %f6, %f6 : f32
    %f8 = arith.addf %f7, %f7 : f32
    %f9 = arith.addf %f8, %f8 : f32
    %f10 = arith.addf %f9, %f9 : f32
    %f11 = arith.addf %f10, %f10 : f32
    %f12 = arith.addf %f11, %f11 : f32
    %f13 = arith.addf %f12, %f12 : f32
    %f14 = arith.addf %f13, %f13 : f32
    %f15 = arith.addf %f14, %f14 : f32
    %f16 = arith.addf %f15, %f15 : f32
    %f17 = arith.addf %f16, %f16 : f32
    %f18 = arith.addf %f17, %f17 : f32
    %f19 = arith.addf %f18, %f18 : f32
    %f20 = arith.addf %f19, %f19 : f32
    cute.memref.store(%m, %at, %f20) : (!cute.memref<f32, rmem, "100:1">, !cute.coord<"?">, f32) -> ()
  }
  return
}

// The same of memory stays a loop.
// CHECK-LABEL: func.func @memory
// CHECK: scf.for
// CHECK: return
func.func @memory(%m: !cute.memref<f32, gmem, "100:1">) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c100 = arith.constant 100 : i32
  scf.for %i = %c0 to %c100 step %c1 : i32 {
    %at = cute.make_coord(%i) : (i32) -> !cute.coord<"?">
    %f0 = cute.memref.load(%m, %at) : (!cute.memref<f32, gmem, "100:1">, !cute.coord<"?">) -> f32
    %f1 = arith.addf %f0, %f0 : f32
    %f2 = arith.addf %f1, %f1 : f32
    %f3 = arith.addf %f2, %f2 : f32
    %f4 = arith.addf %f3, %f3 : f32
    %f5 = arith.addf %f4, %f4 : f32
    %f6 = arith.addf %f5, %f5 : f32
    %f7 = arith.addf %f6, %f6 : f32
    %f8 = arith.addf %f7, %f7 : f32
    %f9 = arith.addf %f8, %f8 : f32
    %f10 = arith.addf %f9, %f9 : f32
    %f11 = arith.addf %f10, %f10 : f32
    %f12 = arith.addf %f11, %f11 : f32
    %f13 = arith.addf %f12, %f12 : f32
    %f14 = arith.addf %f13, %f13 : f32
    %f15 = arith.addf %f14, %f14 : f32
    %f16 = arith.addf %f15, %f15 : f32
    %f17 = arith.addf %f16, %f16 : f32
    %f18 = arith.addf %f17, %f17 : f32
    %f19 = arith.addf %f18, %f18 : f32
    %f20 = arith.addf %f19, %f19 : f32
    cute.memref.store(%m, %at, %f20) : (!cute.memref<f32, gmem, "100:1">, !cute.coord<"?">, f32) -> ()
  }
  return
}
