// Where attributes, locations and names stand in the text of tile programs.
// RUN: cuda-tile-opt %s | FileCheck %s
// RUN: cuda-tile-opt %s -mlir-print-debuginfo | cuda-tile-opt | FileCheck %s

cuda_tile.module @m { testing$func @f(%p: tile<4xptr<f32>>, %x: tile<4xf32>, %i: tile<4xi32>) {
  // CHECK: constant <i32: 7> : tile<i32> {note = "seven"}
  %c = constant <i32: 7> : tile<i32> {note = "seven"}
  // CHECK: reduce %{{.*}} {note = 1 : i64} dim=0 identities=[0.000000e+00 : f32] : tile<4xf32> -> tile<f32>
  // CHECK-NEXT: (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>)
  %r = reduce %x {note = 1} dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32>
  (%a: tile<f32> loc("a.py":1:2), %b: tile<f32>) { yield %a : tile<f32> }
  // CHECK: scan %{{.*}}, %{{.*}} dim=0 reverse=false
  // CHECK-NEXT: (%scan_lhs0: tile<f32>, %scan_rhs0: tile<f32>, %scan_lhs1: tile<i32>, %scan_rhs1: tile<i32>)
  %s:2 = scan %x, %i dim=0 reverse=false identities=[0.0 : f32, 0 : i32] : tile<4xf32>, tile<4xi32> -> tile<4xf32>, tile<4xi32>
  (%a: tile<f32>, %b: tile<f32>, %d: tile<i32>, %e: tile<i32>) { yield %a, %d : tile<f32>, tile<i32> }
  // CHECK: load_ptr_tko weak %{{.*}} optimization_hints = <default = {latency = 5}> :
  %l, %t = load_ptr_tko weak %p optimization_hints=<default = {latency = 5}> : tile<4xptr<f32>> -> tile<4xf32>, token
  // What is assumed has the name of what it is assumed of.
  // CHECK: %assume_cst_7_i32 = assume bounded<0, ?>, %cst_7_i32 :
  // CHECK: %assume_assume_cst_7_i32 = assume div_by<1>, %assume_cst_7_i32 :
  // CHECK: %assume = assume div_by<1>, %arg0 :
  %k = assume bounded<0, ?>, %c : tile<i32>
  %k2 = assume div_by<1>, %k : tile<i32>
  %k3 = assume div_by<1>, %p : tile<4xptr<f32>>
  // Ops on views have a keyword before other attributes. It may be left out.
  // CHECK: load_view_tko weak %{{.*}}[%{{.*}}] attributes {note = 1 : i64} : partition_view
  // CHECK: load_view_tko weak %{{.*}}[%{{.*}}] optimization_hints = <default = {latency = 2}> attributes {inbounds = array<i1: true>} : partition_view
  // CHECK: store_view_tko weak %{{.*}}, %{{.*}}[%{{.*}}] token = %{{.*}} attributes {note = 2 : i64} : tile<4xf32>,
  // CHECK: load_view_tko weak %{{.*}}[%{{.*}}] : partition_view
  // CHECK: atomic_red_view_tko relaxed device %{{.*}}[%{{.*}}], addf, %{{.*}} token = %{{.*}} attributes {note = 3 : i64} : tile<4xf32>,
  %base = get_global @g : tile<ptr<f32>>
  %tv = make_tensor_view %base, shape = [8], strides = [1] : tensor_view<8xf32, strides=[1]>
  %v = make_partition_view %tv : partition_view<tile=(4), tensor_view<8xf32, strides=[1]>>
  %l1:2 = load_view_tko weak %v[%c] attributes {note = 1} : partition_view<tile=(4), tensor_view<8xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
  %l2:2 = load_view_tko weak %v[%c] optimization_hints = <default = {latency = 2}> {inbounds = array<i1: true>} : partition_view<tile=(4), tensor_view<8xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
  %s1 = store_view_tko weak %l1#0, %v[%c] token = %l1#1 attributes {note = 2} : tile<4xf32>, partition_view<tile=(4), tensor_view<8xf32, strides=[1]>>, tile<i32> -> token
  %l3:2 = load_view_tko weak %v[%c] : partition_view<tile=(4), tensor_view<8xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
  %s2 = atomic_red_view_tko relaxed device %v[%c], addf, %l3#0 token = %s1 attributes {note = 3} : tile<4xf32>, partition_view<tile=(4), tensor_view<8xf32, strides=[1]>>, tile<i32> -> token
}
global @g <f32: 0.0> : tile<8xf32>
}
