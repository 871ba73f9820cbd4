// The pass fuse-fma.
// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda_tile.module(fuse-fma))' | FileCheck %s
// RUN: tessera-opt %s --fuse-fma | FileCheck %s

cuda_tile.module @m {
  // CHECK-LABEL: @sum
  testing$func @sum(%a: tile<4xf32>, %b: tile<4xf32>, %c: tile<4xf32>) -> tile<4xf32> {
    // CHECK-NEXT: %[[R:.*]] = fma %arg0, %arg1, %arg2 : tile<4xf32>
    // CHECK-NEXT: return %[[R]]
    %p = mulf %a, %b : tile<4xf32>
    %s = addf %p, %c : tile<4xf32>
    return %s : tile<4xf32>
  }
  // CHECK-LABEL: @sum_of_other_order
  testing$func @sum_of_other_order(%a: tile<f16>, %b: tile<f16>, %c: tile<f16>) -> tile<f16> {
    // CHECK-NEXT: fma %arg0, %arg1, %arg2 : tile<f16>
    // CHECK-NEXT: return
    %p = mulf %a, %b : tile<f16>
    %s = addf %c, %p : tile<f16>
    return %s : tile<f16>
  }
  // CHECK-LABEL: @modifiers
  testing$func @modifiers(%a: tile<f32>, %b: tile<f32>, %c: tile<f32>) -> tile<f32> {
    // CHECK-NEXT: fma %arg0, %arg1, %arg2 rounding<zero> flush_to_zero : tile<f32>
    // CHECK-NEXT: return
    %p = mulf %a, %b rounding<zero> flush_to_zero : tile<f32>
    %s = addf %p, %c rounding<zero> flush_to_zero : tile<f32>
    return %s : tile<f32>
  }
  // CHECK-LABEL: @difference
  testing$func @difference(%a: tile<f32>, %b: tile<f32>, %c: tile<f32>) -> tile<f32> {
    // CHECK-NEXT: %[[N:.*]] = negf %arg2
    // CHECK-NEXT: fma %arg0, %arg1, %[[N]]
    // CHECK-NEXT: return
    %p = mulf %a, %b : tile<f32>
    %s = subf %p, %c : tile<f32>
    return %s : tile<f32>
  }
  // Another op needs the product.
  // CHECK-LABEL: @used_twice
  testing$func @used_twice(%a: tile<f32>, %b: tile<f32>) -> (tile<f32>, tile<f32>) {
    // CHECK-NOT: fma
    // CHECK: return
    %p = mulf %a, %b : tile<f32>
    %s = addf %p, %a : tile<f32>
    return %s, %p : tile<f32>, tile<f32>
  }
  // One rounding in place of two different ones would be neither.
  // CHECK-LABEL: @other_rounding
  testing$func @other_rounding(%a: tile<f32>, %b: tile<f32>, %c: tile<f32>) -> tile<f32> {
    // CHECK-NOT: fma
    // CHECK: return
    %p = mulf %a, %b rounding<zero> : tile<f32>
    %s = addf %p, %c : tile<f32>
    return %s : tile<f32>
  }
  // The product comes first, fused or not.
  // CHECK-LABEL: @other_rounding_and_order
  testing$func @other_rounding_and_order(%a: tile<f32>, %b: tile<f32>, %c: tile<f32>) -> tile<f32> {
    // CHECK-NEXT: %[[P:.*]] = mulf
    // CHECK-NEXT: addf %[[P]], %arg2
    %p = mulf %a, %b rounding<zero> : tile<f32>
    %s = addf %c, %p : tile<f32>
    return %s : tile<f32>
  }
  // Of two products only the first is fused.
  // CHECK-LABEL: @second_product
  testing$func @second_product(%a: tile<f32>, %b: tile<f32>) -> (tile<f32>, tile<f32>) {
    // CHECK-NOT: fma
    // CHECK: return
    %p = mulf %a, %a : tile<f32>
    %q = mulf %b, %b : tile<f32>
    %s = addf %p, %q : tile<f32>
    return %s, %p : tile<f32>, tile<f32>
  }
  // CHECK-LABEL: @other_flush
  testing$func @other_flush(%a: tile<f32>, %b: tile<f32>, %c: tile<f32>) -> tile<f32> {
    // CHECK-NOT: fma
    // CHECK: return
    %p = mulf %a, %b flush_to_zero : tile<f32>
    %s = addf %p, %c : tile<f32>
    return %s : tile<f32>
  }
  // A square uses its operand twice, not the product.
  // CHECK-LABEL: @two_products
  testing$func @two_products(%a: tile<f32>, %b: tile<f32>) -> tile<f32> {
    // CHECK-NEXT: %[[P:.*]] = mulf %arg1, %arg1
    // CHECK-NEXT: fma %arg0, %arg0, %[[P]]
    // CHECK-NEXT: return
    %p = mulf %a, %a : tile<f32>
    %q = mulf %b, %b : tile<f32>
    %s = addf %p, %q : tile<f32>
    return %s : tile<f32>
  }
}
