// The examples of docs/specification/algebra.md#worked-examples: results, and the message of the tile that does not divide. The documents write the tiler as one layout
// where they mean a tile, mode by mode (architecture: "divide by a tuple of tiles vs by a layout").
// RUN: tessera-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @column_major
func.func @column_major(%shape: !cute.shape<"(128,128)">, %tile: !cute.tile<"[64:1;64:1]">, %tile_logical: !cute.tile<"[32:1;16:1]">) {
  // CHECK: %[[L:.*]] = cute.make_layout(%{{.*}}) : (!cute.shape<"(128,128)">) -> !cute.layout<"(128,128):(1,128)">
  %layout = cute.make_layout(%shape) : (!cute.shape<"(128,128)">) -> !cute.layout<"(128,128):(1,128)">
  // CHECK: cute.tiled_divide(%[[L]], %{{.*}}) : {{.*}} -> !cute.layout<"((64,64),2,2):((1,128),64,8192)">
  %divided = cute.tiled_divide(%layout, %tile) : (!cute.layout<"(128,128):(1,128)">, !cute.tile<"[64:1;64:1]">)
  // CHECK: cute.logical_divide(%[[L]], %{{.*}}) : {{.*}} -> !cute.layout<"((32,4),(16,8)):((1,32),(128,2048))">
  %logical = cute.logical_divide(%layout, %tile_logical) : (!cute.layout<"(128,128):(1,128)">, !cute.tile<"[32:1;16:1]">)
  // The same inputs, regrouped: ((32,16),4,8).
  // CHECK: cute.tiled_divide(%[[L]], %{{.*}}) : {{.*}} -> !cute.layout<"((32,16),4,8):((1,128),32,2048)">
  %tiled = cute.tiled_divide(%layout, %tile_logical) : (!cute.layout<"(128,128):(1,128)">, !cute.tile<"[32:1;16:1]">)
  // Size: 64 * 64 * 2 * 2 = 128 * 128.
  // CHECK: cute.size (%{{.*}}) : (!cute.layout<"((64,64),2,2):((1,128),64,8192)">) -> !cute.int_tuple<"16384">
  %size = cute.size (%divided) : (!cute.layout<"((64,64),2,2):((1,128),64,8192)">) -> !cute.int_tuple<"16384">
  return
}

// A layout for a shape without a stride: (4,2) has the strides (1,4).
// CHECK-LABEL: @compact
func.func @compact(%shape: !cute.shape<"(4,2)">) {
  // CHECK: cute.make_layout(%{{.*}}) : (!cute.shape<"(4,2)">) -> !cute.layout<"(4,2):(1,4)">
  %0 = cute.make_layout(%shape) : (!cute.shape<"(4,2)">) -> !cute.layout<"(4,2):(1,4)">
  return
}

// -----

// 128 % 40 != 0.
func.func @does_not_divide(%layout: !cute.layout<"(128,128):(1,128)">, %tile: !cute.tile<"[40:1;64:1]">) {
  // expected-error @+1 {{expects same size in rank 0 but got srcShape: (128,128), dstShape: (40,64)}}
  %0 = cute.tiled_divide(%layout, %tile) : (!cute.layout<"(128,128):(1,128)">, !cute.tile<"[40:1;64:1]">)
  return
}

// -----

func.func @tiler_rank(%layout: !cute.layout<"(128,128):(1,128)">, %tile: !cute.tile<"[2:1;2:1;2:1]">) {
  // expected-error @+1 {{expects rank(tiler) <= rank(input), but got rank 3 tiler and rank 2 input}}
  %0 = cute.tiled_divide(%layout, %tile) : (!cute.layout<"(128,128):(1,128)">, !cute.tile<"[2:1;2:1;2:1]">)
  return
}

// -----

func.func @make_layout_congruent(%shape: !cute.shape<"(4,8)">, %stride: !cute.stride<"(1,2,3)">) {
  // expected-error @+1 {{expects shape and stride profile to match, but got "(4,8)" and "(1,2,3)"}}
  %0 = cute.make_layout(%shape, %stride) : (!cute.shape<"(4,8)">, !cute.stride<"(1,2,3)">)
  return
}
