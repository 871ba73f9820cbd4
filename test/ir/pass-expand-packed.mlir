// Pairs of floats stay pairs where the target has an instruction for them, of f32 from sm_100 on; what the program takes apart is scalars.
// RUN: tessera-opt %s --tessera-check-target=arch=sm_100a --cute-expand-vectors | FileCheck %s
// RUN: tessera-opt %s --tessera-check-target=arch=sm_90a --cute-expand-vectors | FileCheck %s --check-prefix=HOPPER
// RUN: tessera-opt %s --tessera-check-target=arch=sm_80 --cute-expand-vectors | FileCheck %s --check-prefix=AMPERE

gpu.module @m {
  // CHECK-LABEL: func.func @pairs
  // CHECK-SAME: (%[[A:.*]]: vector<2xf32>, %[[B:.*]]: vector<2xf32>)
  // CHECK: %[[S:.*]] = arith.addf %{{.*}}, %{{.*}} : vector<2xf32>
  // CHECK: %[[F:.*]] = math.fma %{{.*}}, %{{.*}}, %{{.*}} : vector<2xf32>
  // CHECK: %[[E:.*]]:2 = vector.to_elements %[[F]]
  // CHECK: arith.mulf %[[E]]#0, %[[E]]#1 : f32
  // HOPPER-LABEL: func.func @pairs
  // HOPPER-NOT: arith.addf {{.*}} : vector
  // HOPPER: arith.addf {{.*}} : f32
  // HOPPER: arith.addf {{.*}} : f32
  // HOPPER: math.fma {{.*}} : f32
  // HOPPER: math.fma {{.*}} : f32
  func.func @pairs(%a: vector<2xf32>, %b: vector<2xf32>) -> f32 {
    %s = arith.addf %a, %b : vector<2xf32>
    %f = math.fma %s, %b, %a : vector<2xf32>
    %x = vector.extract %f[0] : f32 from vector<2xf32>
    %y = vector.extract %f[1] : f32 from vector<2xf32>
    %r = arith.mulf %x, %y : f32
    return %r : f32
  }

  // More than two are taken apart.
  // CHECK-LABEL: func.func @others
  // CHECK-NOT: arith.addf {{.*}} : vector
  // CHECK: arith.addf {{.*}} : f32
  func.func @others(%a: vector<4xf32>) -> f32 {
    %s = arith.addf %a, %a : vector<4xf32>
    %x = vector.extract %s[3] : f32 from vector<4xf32>
    return %x : f32
  }

  // Two of 16 bits are one everywhere, of bf16 from sm_90 on.
  // CHECK-LABEL: func.func @halves
  // CHECK: arith.addf {{.*}} : vector<2xf16>
  // CHECK: arith.mulf {{.*}} : vector<2xbf16>
  // HOPPER-LABEL: func.func @halves
  // HOPPER: arith.addf {{.*}} : vector<2xf16>
  // HOPPER: arith.mulf {{.*}} : vector<2xbf16>
  // AMPERE-LABEL: func.func @halves
  // AMPERE: arith.addf {{.*}} : vector<2xf16>
  // AMPERE-NOT: arith.mulf {{.*}} : vector
  // AMPERE: arith.mulf {{.*}} : bf16
  func.func @halves(%h: vector<2xf16>, %b: vector<2xbf16>) -> (f16, bf16) {
    %t = arith.addf %h, %h : vector<2xf16>
    %u = arith.mulf %b, %b : vector<2xbf16>
    %x = vector.extract %t[1] : f16 from vector<2xf16>
    %y = vector.extract %u[0] : bf16 from vector<2xbf16>
    return %x, %y : f16, bf16
  }
}
