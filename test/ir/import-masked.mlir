// Loads and stores of vectors with a mask, as CuTe DSL 4.8 has them: in registers all elements are moved and selected from, in
// memory those are touched where the mask is true.
// RUN: tessera-opt %s | FileCheck %s

// CHECK-LABEL: @registers
// CHECK-SAME: (%[[T:.*]]: !cute.memref<f32, rmem, align<16>, "4:1">, %[[M:.*]]: vector<4xi1>, %[[P:.*]]: vector<4xf32>)
// CHECK: %[[V:.*]] = cute.memref.load_vec %[[T]]
// CHECK: %[[R:.*]] = arith.select %[[M]], %[[V]], %[[P]] : vector<4xi1>, vector<4xf32>
// CHECK: %[[Z:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK: %[[W:.*]] = cute.memref.load_vec %[[T]]
// CHECK: %[[Q:.*]] = arith.select %[[M]], %[[W]], %[[Z]]
// CHECK: %[[S:.*]] = arith.addf %[[R]], %[[Q]]
// CHECK: %[[OLD:.*]] = cute.memref.load_vec %[[T]]
// CHECK: %[[NEW:.*]] = arith.select %[[M]], %[[S]], %[[OLD]]
// CHECK: cute.memref.store_vec %[[NEW]], %[[T]]
func.func @registers(%t: !cute.memref<f32, rmem, align<16>, "4:1">, %m: vector<4xi1>, %p: vector<4xf32>) {
  %0 = "cute.memref.load_vec"(%t, %m, %p) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!cute.memref<f32, rmem, align<16>, "4:1">, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
  %1 = "cute.memref.load_vec"(%t, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (!cute.memref<f32, rmem, align<16>, "4:1">, vector<4xi1>) -> vector<4xf32>
  %2 = arith.addf %0, %1 : vector<4xf32>
  "cute.memref.store_vec"(%2, %t, %m) : (vector<4xf32>, !cute.memref<f32, rmem, align<16>, "4:1">, vector<4xi1>) -> ()
  return
}

// CHECK-LABEL: @memory
// CHECK-SAME: (%[[T:.*]]: !cute.memref<f32, gmem, "(1,2):(0,8)">, %[[M:.*]]: vector<2xi1>, %[[P:.*]]: vector<2xf32>)
// CHECK-DAG: %[[FIRST:.*]] = vector.extract %[[M]][0]
// CHECK-DAG: %[[ZERO:.*]] = cute.static : !cute.coord<"0">
// CHECK: %[[A:.*]] = scf.if %[[FIRST]] -> (f32) {
// CHECK-NEXT: cute.memref.load(%[[T]], %[[ZERO]])
// CHECK: %[[ONE:.*]] = vector.insert %[[A]], %[[P]] [0]
// CHECK-DAG: %[[SECOND:.*]] = vector.extract %[[M]][1]
// CHECK: %[[B:.*]] = scf.if %[[SECOND]] -> (f32) {
// CHECK: %[[BOTH:.*]] = vector.insert %[[B]], %[[ONE]] [1]
// CHECK-DAG: %[[KEEP:.*]] = vector.extract %[[M]][0]
// CHECK-DAG: %[[VALUE:.*]] = vector.extract %[[BOTH]][0]
// CHECK: scf.if %[[KEEP]] {
// CHECK-NEXT: cute.memref.store(%[[T]], %{{.*}}, %[[VALUE]])
func.func @memory(%t: !cute.memref<f32, gmem, "(1,2):(0,8)">, %m: vector<2xi1>, %p: vector<2xf32>) {
  %0 = "cute.memref.load_vec"(%t, %m, %p) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!cute.memref<f32, gmem, "(1,2):(0,8)">, vector<2xi1>, vector<2xf32>) -> vector<2xf32>
  "cute.memref.store_vec"(%0, %t, %m) : (vector<2xf32>, !cute.memref<f32, gmem, "(1,2):(0,8)">, vector<2xi1>) -> ()
  return
}

// What a type states of powers of two is read, and not kept.
// CHECK-LABEL: @power
// CHECK: cute.assume(%{{.*}}) : (i32) -> !cute.i32<divby 8>
func.func @power(%n: i32) -> !cute.i32<pow2, divby 8> {
  %0 = cute.assume(%n) : (i32) -> !cute.i32<pow2, divby 8>
  return %0 : !cute.i32<pow2, divby 8>
}
