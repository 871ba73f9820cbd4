// Operands and results of elementwise ops that have not one type, in the generic form, which can say so; and other things that only it can.
// RUN: cuda-tile-opt %s -verify-diagnostics -split-input-file

cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xf32>) {
  // expected-error @below {{'cuda_tile.absf' op failed to verify that all of {source, result} have same type}}
  "cuda_tile.absf"(%a) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf16>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xf32>) {
  // expected-error @below {{'cuda_tile.negf' op failed to verify that all of {source, result} have same type}}
  "cuda_tile.negf"(%a) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf16>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xf32>) {
  // expected-error @below {{'cuda_tile.ceil' op failed to verify that all of {source, result} have same type}}
  "cuda_tile.ceil"(%a) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf16>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xf32>) {
  // expected-error @below {{'cuda_tile.floor' op failed to verify that all of {source, result} have same type}}
  "cuda_tile.floor"(%a) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf16>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xf32>) {
  // expected-error @below {{'cuda_tile.sin' op failed to verify that all of {source, result} have same type}}
  "cuda_tile.sin"(%a) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf16>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xf32>) {
  // expected-error @below {{'cuda_tile.cos' op failed to verify that all of {source, result} have same type}}
  "cuda_tile.cos"(%a) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf16>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xf32>) {
  // expected-error @below {{'cuda_tile.tan' op failed to verify that all of {source, result} have same type}}
  "cuda_tile.tan"(%a) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf16>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xf32>) {
  // expected-error @below {{'cuda_tile.sinh' op failed to verify that all of {source, result} have same type}}
  "cuda_tile.sinh"(%a) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf16>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xf32>) {
  // expected-error @below {{'cuda_tile.cosh' op failed to verify that all of {source, result} have same type}}
  "cuda_tile.cosh"(%a) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf16>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xf32>) {
  // expected-error @below {{'cuda_tile.log' op failed to verify that all of {source, result} have same type}}
  "cuda_tile.log"(%a) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf16>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xf32>) {
  // expected-error @below {{'cuda_tile.log2' op failed to verify that all of {source, result} have same type}}
  "cuda_tile.log2"(%a) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf16>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xf32>) {
  // expected-error @below {{'cuda_tile.rsqrt' op failed to verify that all of {source, result} have same type}}
  "cuda_tile.rsqrt"(%a) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf16>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xf32>) {
  // expected-error @below {{'cuda_tile.exp2' op failed to verify that all of {source, result} have same type}}
  "cuda_tile.exp2"(%a) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf16>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xf32>) {
  // expected-error @below {{'cuda_tile.exp' op failed to verify that all of {source, result} have same type}}
  "cuda_tile.exp"(%a) <{rounding_mode = #cuda_tile.rounding<full>}> : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<8xf32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xf32>) {
  // expected-error @below {{'cuda_tile.tanh' op failed to verify that all of {source, result} have same type}}
  "cuda_tile.tanh"(%a) <{rounding_mode = #cuda_tile.rounding<full>}> : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<8xf32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xf32>) {
  // expected-error @below {{'cuda_tile.sqrt' op failed to verify that all of {source, result} have same type}}
  "cuda_tile.sqrt"(%a) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf64>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xi32>) {
  // expected-error @below {{'cuda_tile.absi' op failed to verify that all of {source, result} have same type}}
  "cuda_tile.absi"(%a) : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi8>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xi32>) {
  // expected-error @below {{'cuda_tile.negi' op failed to verify that all of {source, result} have same type}}
  "cuda_tile.negi"(%a) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi8>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xf32>, %b: !cuda_tile.tile<8xf32>) {
  // expected-error @below {{'cuda_tile.addf' op failed to verify that all of {lhs, rhs, result} have same type}}
  "cuda_tile.addf"(%a, %b) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<4xf32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xf32>, %b: !cuda_tile.tile<8xf32>) {
  // expected-error @below {{'cuda_tile.subf' op failed to verify that all of {lhs, rhs, result} have same type}}
  "cuda_tile.subf"(%a, %b) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<4xf32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xf32>, %b: !cuda_tile.tile<8xf32>) {
  // expected-error @below {{'cuda_tile.mulf' op failed to verify that all of {lhs, rhs, result} have same type}}
  "cuda_tile.mulf"(%a, %b) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<4xf32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xf32>, %b: !cuda_tile.tile<8xf32>) {
  // expected-error @below {{'cuda_tile.divf' op failed to verify that all of {lhs, rhs, result} have same type}}
  "cuda_tile.divf"(%a, %b) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<8xf32>) -> !cuda_tile.tile<4xf32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xf32>, %b: !cuda_tile.tile<4xf16>) {
  // expected-error @below {{'cuda_tile.maxf' op failed to verify that all of {lhs, rhs, result} have same type}}
  "cuda_tile.maxf"(%a, %b) : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf16>) -> !cuda_tile.tile<4xf32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xf32>, %b: !cuda_tile.tile<4xf16>) {
  // expected-error @below {{'cuda_tile.minf' op failed to verify that all of {lhs, rhs, result} have same type}}
  "cuda_tile.minf"(%a, %b) : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf16>) -> !cuda_tile.tile<4xf32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xf32>, %b: !cuda_tile.tile<4xf16>) {
  // expected-error @below {{'cuda_tile.remf' op failed to verify that all of {lhs, rhs, result} have same type}}
  "cuda_tile.remf"(%a, %b) : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf16>) -> !cuda_tile.tile<4xf32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xi32>, %b: !cuda_tile.tile<4xi64>) {
  // expected-error @below {{'cuda_tile.addi' op failed to verify that all of {lhs, rhs, result} have same type}}
  "cuda_tile.addi"(%a, %b) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi64>) -> !cuda_tile.tile<4xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xi32>, %b: !cuda_tile.tile<4xi64>) {
  // expected-error @below {{'cuda_tile.subi' op failed to verify that all of {lhs, rhs, result} have same type}}
  "cuda_tile.subi"(%a, %b) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi64>) -> !cuda_tile.tile<4xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xi32>, %b: !cuda_tile.tile<4xi64>) {
  // expected-error @below {{'cuda_tile.muli' op failed to verify that all of {lhs, rhs, result} have same type}}
  "cuda_tile.muli"(%a, %b) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi64>) -> !cuda_tile.tile<4xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xi32>, %b: !cuda_tile.tile<4xi64>) {
  // expected-error @below {{'cuda_tile.shli' op failed to verify that all of {lhs, rhs, result} have same type}}
  "cuda_tile.shli"(%a, %b) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi64>) -> !cuda_tile.tile<4xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xi32>, %b: !cuda_tile.tile<4xi32>) {
  // expected-error @below {{'cuda_tile.maxi' op failed to verify that all of {lhs, rhs, result} have same type}}
  "cuda_tile.maxi"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi64>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xi32>, %b: !cuda_tile.tile<4xi32>) {
  // expected-error @below {{'cuda_tile.mini' op failed to verify that all of {lhs, rhs, result} have same type}}
  "cuda_tile.mini"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi64>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xi32>, %b: !cuda_tile.tile<4xi32>) {
  // expected-error @below {{'cuda_tile.shri' op failed to verify that all of {lhs, rhs, result} have same type}}
  "cuda_tile.shri"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi64>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xi32>, %b: !cuda_tile.tile<2x2xi32>) {
  // expected-error @below {{'cuda_tile.andi' op failed to verify that all of {lhs, rhs, result} have same type}}
  "cuda_tile.andi"(%a, %b) : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<2x2xi32>) -> !cuda_tile.tile<4xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xi32>, %b: !cuda_tile.tile<2x2xi32>) {
  // expected-error @below {{'cuda_tile.ori' op failed to verify that all of {lhs, rhs, result} have same type}}
  "cuda_tile.ori"(%a, %b) : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<2x2xi32>) -> !cuda_tile.tile<4xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xi32>, %b: !cuda_tile.tile<2x2xi32>) {
  // expected-error @below {{'cuda_tile.xori' op failed to verify that all of {lhs, rhs, result} have same type}}
  "cuda_tile.xori"(%a, %b) : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<2x2xi32>) -> !cuda_tile.tile<4xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xi32>, %b: !cuda_tile.tile<4xi8>) {
  // expected-error @below {{'cuda_tile.divi' op failed to verify that all of {lhs, rhs, result} have same type}}
  "cuda_tile.divi"(%a, %b) <{signedness = #cuda_tile.signedness<signed>, rounding = #cuda_tile.rounding<zero>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi8>) -> !cuda_tile.tile<4xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xi32>, %b: !cuda_tile.tile<4xi8>) {
  // expected-error @below {{'cuda_tile.remi' op failed to verify that all of {result, lhs, rhs} have same type}}
  "cuda_tile.remi"(%a, %b) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi8>) -> !cuda_tile.tile<4xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xi32>, %b: !cuda_tile.tile<4xi8>) {
  // expected-error @below {{'cuda_tile.mulhii' op failed to verify that all of {x, y, result} have same type}}
  "cuda_tile.mulhii"(%a, %b) : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi8>) -> !cuda_tile.tile<4xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xf32>, %b: !cuda_tile.tile<4xf64>) {
  // expected-error @below {{'cuda_tile.atan2' op failed to verify that all of {x, y, result} have same type}}
  "cuda_tile.atan2"(%a, %b) : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf64>) -> !cuda_tile.tile<4xf32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xf32>, %b: !cuda_tile.tile<4xf64>) {
  // expected-error @below {{'cuda_tile.pow' op failed to verify that all of {result, source, exponent} have same type}}
  "cuda_tile.pow"(%a, %b) : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf64>) -> !cuda_tile.tile<4xf32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xf32>, %b: !cuda_tile.tile<4xf32>, %c: !cuda_tile.tile<4xf64>) {
  // expected-error @below {{'cuda_tile.fma' op failed to verify that all of {lhs, rhs, acc, result} have same type}}
  "cuda_tile.fma"(%a, %b, %c) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf64>) -> !cuda_tile.tile<4xf32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>) {
  // expected-error @below {{types must be equal width, cannot convert '!cuda_tile.tile<4xi32>' of width 32 to type '!cuda_tile.tile<4xf16>' of width 16}}
  bitcast %a : tile<4xi32> -> tile<4xf16>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4x4xi8>, %c: tile<4x4xi64>) {
  // expected-error @below {{operand #2 must be mmai acc tile type of i32 values, but got '!cuda_tile.tile<4x4xi64>'}}
  mmai %a, %a, %c signed signed : tile<4x4xi8>, tile<4x4xi8>, tile<4x4xi64>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<32x32xf8E5M2>, %c: tile<32x32xf32>, %s: tile<32x1xf8E8M0FNU>, %t: tile<1x1x32xf8E8M0FNU>) {
  // expected-error @below {{failed to verify that all of {lhs, rhs, acc, lhs_scale, rhs_scale} have same rank}}
  mmaf_scaled %a, %a, %c, %s, %t : tile<32x32xf8E5M2>, tile<32x32xf8E5M2>, tile<32x32xf32>, tile<32x1xf8E8M0FNU>, tile<1x1x32xf8E8M0FNU>
} }
// -----
// Shapes come before element types.
cuda_tile.module @m { testing$func @f(%a: tile<4x8xbf16>, %b: tile<4x4xbf16>, %c: tile<4x4xf16>) {
  // expected-error @below {{shape error: dim 1 of lhs (8) and dim 0 of rhs (4) must match}}
  mmaf %a, %b, %c : tile<4x8xbf16>, tile<4x4xbf16>, tile<4x4xf16>
} }
// -----
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<i32>>, %v: tile<4xi32>, %m: tile<8xi1>) {
  // expected-error @below {{failed to verify that all of {pointers, arg, mask} have same shape}}
  atomic_rmw_tko relaxed device %p, add, %v, %m : tile<4xptr<i32>>, tile<4xi32>, tile<8xi1> -> tile<4xi32>, token
} }
// -----
cuda_tile.module @m { testing$func @f(%p: tile<4xptr<i32>>, %v: tile<4xi32>, %m: tile<8xi1>) {
  // expected-error @below {{failed to verify that all of {pointers, val, cmp and mask} have same shape}}
  atomic_cas_tko relaxed device %p, %v, %v, %m : tile<4xptr<i32>>, tile<4xi32>, tile<8xi1> -> tile<4xi32>, token
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4x8xi32>) {
  // expected-error @below {{permutation element at index 1 (2) is out of bound [0, 2)}}
  permute %a [0, 2] : tile<4x8xi32> -> tile<4x8xi32>
} }
// -----
// A slice that there is not may be in code that never runs.
cuda_tile.module @m { testing$func @f(%a: tile<8xi32>, %s: tile<4xi32>) {
  %far = constant <i32: 2> : tile<i32>
  %below = constant <i32: -1> : tile<i32>
  // expected-warning @below {{extract index 0 value 2 may be out of bounds (max valid index: 1)}}
  extract %a[%far] : tile<8xi32> -> tile<4xi32>
  // expected-warning @below {{extract index 0 has negative value -1, which may cause undefined behavior}}
  extract %a[%below] : tile<8xi32> -> tile<4xi32>
  // expected-warning @below {{insert index 0 value 2 may be out of bounds (max valid index: 1)}}
  insert %s, %a[%far] : tile<4xi32>, tile<8xi32> -> tile<8xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%t: tensor_view<16x16xf32, strides=[16,1]>) {
  // expected-error @below {{expected the type of the provided tensor_view value ('!cuda_tile.tensor_view<16x16xf32, strides=[16,1]>') to be the same as the view's tensor_view type ('!cuda_tile.tensor_view<8x16xf32, strides=[16,1]>')}}
  "cuda_tile.make_partition_view"(%t) : (!cuda_tile.tensor_view<16x16xf32, strides=[16,1]>) -> !cuda_tile.partition_view<tile=(4x4), tensor_view<8x16xf32, strides=[16,1]>>
} }
// -----
cuda_tile.module @m { testing$func @f(%v: gather_scatter_view<tile=(8x4), tensor_view<16x16xf32, strides=[16,1]>, sparse_dim=0>, %r: tile<4xi32>, %i: tile<i32>) {
  // expected-error @below {{expected gather/scatter index size (4) to match tile shape at gather/scatter dimension 0 (8)}}
  load_view_tko weak %v[%r, %i] : gather_scatter_view<tile=(8x4), tensor_view<16x16xf32, strides=[16,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<8x4xf32>, token
} }
// -----
cuda_tile.module @m { testing$func @f(%v: gather_scatter_view<tile=(8x4), tensor_view<16x16xf32, strides=[16,1]>, sparse_dim=0>, %r: tile<8xi32>, %i: tile<4xi32>) {
  // expected-error @below {{expected index 1 to be a scalar tile for GatherScatterView}}
  load_view_tko weak %v[%r, %i] : gather_scatter_view<tile=(8x4), tensor_view<16x16xf32, strides=[16,1]>, sparse_dim=0>, tile<8xi32>, tile<4xi32> -> tile<8x4xf32>, token
} }
// -----
cuda_tile.module @m { testing$func @f(%v: gather_scatter_view<tile=(8x4x4), tensor_view<16x16x16xf32, strides=[256,16,1]>, sparse_dim=0>, %r: tile<8xi64>, %i: tile<i32>, %j: tile<i64>) {
  // expected-error @below {{expected scalar index 2 to have the same type as other scalar indices ('!cuda_tile.tile<i32>'), got '!cuda_tile.tile<i64>'}}
  load_view_tko weak %v[%r, %i, %j] : gather_scatter_view<tile=(8x4x4), tensor_view<16x16x16xf32, strides=[256,16,1]>, sparse_dim=0>, tile<8xi64>, tile<i32>, tile<i64> -> tile<8x4x4xf32>, token
} }
// -----
cuda_tile.module @m { testing$func @f(%i: tile<i32>) {
  for %k in (%i to %i, step %i) : tile<i32> {
    // expected-error @below {{expects parent op to be one of 'cuda_tile.entry, cuda_tile.if, cuda_tile.testing$func'}}
    return
  }
} }
// -----
cuda_tile.module @m { testing$func @f(%i: tile<i32>, %c: tile<i1>) {
  for %k in (%i to %i, step %i) : tile<i32> {
    if %c {
      // expected-error @below {{must be used within a cuda_tile.testing$func, cuda_tile.entry, or cuda_tile.if operation}}
      return
    }
  }
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<i32>) {
  // expected-error @below {{expected at least one block argument for induction variable}}
  "cuda_tile.for"(%a, %a, %a) ({
    "cuda_tile.continue"() : () -> ()
  }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
} }
// -----
cuda_tile.module @m { testing$func @f(%a: !cuda_tile.tile<4xf32>) {
  // expected-error @below {{expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'sideways'}}
  addf %a, %a rounding<sideways> : tile<4xf32>
} }
