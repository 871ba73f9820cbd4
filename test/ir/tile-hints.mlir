// Hints that are unknown or out of range: nothing by default, a warning or an error by a flag.
// RUN: cuda-tile-opt %s | FileCheck %s
// RUN: cuda-tile-opt %s -Wunsupported-hints -verify-diagnostics -o /dev/null
// RUN: not cuda-tile-opt %s -Werr-hints 2>&1 | FileCheck %s --check-prefix=ERROR

// CHECK: optimization_hints=<default = {num_worker_warps_per_cta = 4}, sm_120 = {occupancy = 2}>
// ERROR: warning: unknown hint key sm_70
// ERROR: error: {{.*}}Optimization hints verification failed
cuda_tile.module @m {
  // expected-warning @below {{unknown hint key sm_70}}
  entry @key() optimization_hints=<sm_70 = {}> { }
  // expected-warning @below {{latency is not known hint for current Operation}}
  entry @name() optimization_hints=<sm_90 = {latency = 2}> { }
  // expected-warning @below {{integer value expected for sm_90.occupancy}}
  entry @number() optimization_hints=<sm_90 = {occupancy = "many"}> { }
  // expected-warning @below {{expected power-of-two ≤ 16 for sm_90.num_cta_in_cga}}
  entry @power() optimization_hints=<sm_90 = {num_cta_in_cga = 3}> { }
  // There are no clusters on sm_8x.
  // expected-warning @below {{expected 1 for sm_86.num_cta_in_cga}}
  entry @cluster() optimization_hints=<sm_86 = {num_cta_in_cga = 2}> { }
  // expected-warning @below {{integer value in the range [1, 32] is expected for sm_90.occupancy}}
  entry @range() optimization_hints=<sm_90 = {occupancy = 33}> { }
  entry @right() optimization_hints=<default = {num_worker_warps_per_cta = 4}, sm_120 = {occupancy = 2}> { }
  testing$func @access(%p: tile<ptr<f32>>, %v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>) {
    // expected-warning @below {{integer value in the range [1, 10] is expected for sm_90.latency}}
    load_ptr_tko weak %p optimization_hints=<sm_90 = {latency = 11}> : tile<ptr<f32>> -> tile<f32>, token
    // expected-warning @below {{allow_tma is not known hint for current Operation}}
    load_ptr_tko weak %p optimization_hints=<sm_90 = {allow_tma = true}> : tile<ptr<f32>> -> tile<f32>, token
    // expected-warning @below {{boolean value expected for sm_90.allow_tma}}
    load_view_tko weak %v[%i] optimization_hints = <sm_90 = {allow_tma = 1}> : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
  }
}
