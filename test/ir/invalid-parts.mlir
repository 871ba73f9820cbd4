// Windows and partitions that do not fit.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

func.func @f(%n: !cute.layout<"4:1">, %k: !cute.int_tuple<"3">, %one: !cute.int_tuple<"1">, %two: !cute.int_tuple<"2">) {
  // expected-error @+1 {{stencil_divide: a window of 3 elements that spans 5 does not fit mode "4", which has 4 with its padding}}
  %1:2 = cute.stencil_divide(%n, %k, %one, %two) : (!cute.layout<"4:1">, !cute.int_tuple<"3">, !cute.int_tuple<"1">, !cute.int_tuple<"2">)
  return
}

// -----

func.func @f(%n: !cute.layout<"4:1">, %k: !cute.int_tuple<"3">, %zero: !cute.int_tuple<"0">) {
  // expected-error @+1 {{stencil_divide: stride of mode "4" must be at least 1, but got 0}}
  %1:2 = cute.stencil_divide(%n, %k, %zero, %zero) : (!cute.layout<"4:1">, !cute.int_tuple<"3">, !cute.int_tuple<"0">, !cute.int_tuple<"0">)
  return
}

// -----

func.func @f(%n: !cute.layout<"4:1">, %one: !cute.int_tuple<"1">) {
  // expected-error @+1 {{expects padding as two tuples, before and after, or none, but got 1}}
  %1:2 = cute.stencil_divide(%n, %one, %one, %one, %one) : (!cute.layout<"4:1">, !cute.int_tuple<"1">, !cute.int_tuple<"1">, !cute.int_tuple<"1">, !cute.int_tuple<"1">)
  return
}

// -----

func.func @f(%n: !cute.layout<"4:1">, %one: !cute.tile<"[2:1]">) {
  // expected-error @+1 {{expects logical, zipped, tiled or flat, but got 'sideways'}}
  %1 = cute.outer_divide<sideways> (%n, %one) : (!cute.layout<"4:1">, !cute.tile<"[2:1]">)
  return
}

// -----

// docs/specification/algebra.md#worked-examples: 40 does not divide 128.
func.func @f(%c: !cute.layout<"(128,128):(1,128)">, %tile: !cute.tile<"[40:1;64:1]">) {
  // expected-error @+1 {{expects same size in rank 0 but got srcShape: (128,128), dstShape: (40,64)}}
  %0 = cute.tiled_divide(%c, %tile) : (!cute.layout<"(128,128):(1,128)">, !cute.tile<"[40:1;64:1]">)
  return
}

// -----

func.func @f(%c: !cute.memref<f32, gmem, "(128,128):(1,128)">, %tile: !cute.tile<"[64:1;40:1]">, %at: !cute.coord<"(0,0)">) {
  // expected-error @+1 {{expects same size in rank 1 but got srcShape: (128,128), dstShape: (64,40)}}
  %0 = cute.tiled_partition(%c, %tile, %at) : (!cute.memref<f32, gmem, "(128,128):(1,128)">, !cute.tile<"[64:1;40:1]">, !cute.coord<"(0,0)">)
  return
}

// -----

func.func @f(%c: !cute.memref<f32, gmem, "(128,128):(1,128)">, %tile: !cute.tile<"[64:1;64:1]">, %at: !cute.coord<"(0,0,0)">) {
  // expected-error @+1 {{expects coordinate rank 2 (to match layout shape rank) or be a leaf, but got 3, "(0,0,0)"}}
  %0 = cute.tiled_partition(%c, %tile, %at) : (!cute.memref<f32, gmem, "(128,128):(1,128)">, !cute.tile<"[64:1;64:1]">, !cute.coord<"(0,0,0)">)
  return
}

// -----

func.func @f(%c: !cute.memref<f32, gmem, "(128,128):(1,128)">, %threads: !cute.layout<"(4,2):(1,4)">, %at: !cute.coord<"(0,1)">) {
  // expected-error @+1 {{expects the thread to be one number, but got (0,1)}}
  %0 = cute.local_partition(%c, %threads, %at) : (!cute.memref<f32, gmem, "(128,128):(1,128)">, !cute.layout<"(4,2):(1,4)">, !cute.coord<"(0,1)">)
  return
}
