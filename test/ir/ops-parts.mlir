// Windows, outer division, partitions. The expected types are worked out by hand from the definitions in docs/layout.md.
// RUN: tessera-opt %s | tessera-opt | FileCheck %s
// RUN: tessera-opt %s --mlir-print-op-generic | tessera-opt | FileCheck %s
// RUN: tessera-opt %s --cute-desugar --cute-expand-ops | FileCheck %s --check-prefix=EXPAND
// RUN: tessera-opt %s --cute-desugar --convert-cute-to-llvm -o /dev/null

// CHECK-LABEL: @windows
func.func @windows(%l: !cute.layout<"(8,8):(8,1)">, %w: !cute.int_tuple<"(3,3)">, %one: !cute.int_tuple<"(1,1)">,
                   %v: !cute.memref<f32, gmem, "(8,8):(8,1)">, %n: !cute.layout<"10:1">, %k: !cute.int_tuple<"3">,
                   %two: !cute.int_tuple<"2">, %r: !cute.coord<"(3,_)">) {
  // A 3x3 convolution with one row and column of padding on each side: 8 x 8 windows again, the first of which starts at
  // (-1,-1), index -9.
  // CHECK: cute.stencil_divide<logical> (%{{.*}}) : {{.*}} -> (!cute.layout<"((3,8),(3,8)):((8,8),(1,1))">, !cute.int_tuple<"-9">)
  %0:2 = cute.stencil_divide<logical> (%l, %w, %one, %one, %one, %one) : (!cute.layout<"(8,8):(8,1)">, !cute.int_tuple<"(3,3)">, !cute.int_tuple<"(1,1)">, !cute.int_tuple<"(1,1)">, !cute.int_tuple<"(1,1)">, !cute.int_tuple<"(1,1)">)
  // Every second element of five, in steps of two: windows at 0, 2 and 4 of ten elements.
  // CHECK: cute.stencil_divide<logical> {{.*}} -> (!cute.layout<"(3,3):(2,2)">, !cute.int_tuple<"0">)
  %1:2 = cute.stencil_divide(%n, %k, %two, %two) : (!cute.layout<"10:1">, !cute.int_tuple<"3">, !cute.int_tuple<"2">, !cute.int_tuple<"2">)
  // A tensor: windows in front, outputs after.
  // CHECK: cute.stencil_divide<zipped> {{.*}} -> (!cute.memref<f32, gmem, "((3,3),(6,6)):((8,1),(8,1))">, !cute.int_tuple<"0">)
  %2:2 = cute.stencil_divide<zipped> (%v, %w, %one, %one) : (!cute.memref<f32, gmem, "(8,8):(8,1)">, !cute.int_tuple<"(3,3)">, !cute.int_tuple<"(1,1)">, !cute.int_tuple<"(1,1)">)
  return
}

// n rows, no window over the columns: (n - 3) / 1 + 1 = n - 2 outputs of 3 elements.
// EXPAND-LABEL: @dynamic_windows
// EXPAND-SAME: (%[[N:.*]]: i32, %[[S:.*]]: i64)
// EXPAND: %[[OUTPUTS:.*]] = arith.addi %[[N]], %c-2_i32 overflow<nsw> : i32
// EXPAND: %[[SIZE:.*]] = arith.muli %c3_i32, %[[OUTPUTS]] overflow<nsw> : i32
// EXPAND: return %[[SIZE]] : i32
func.func @dynamic_windows(%n: i32, %s: i64) -> i32 {
  %shape = cute.make_shape(%n) : (i32) -> !cute.shape<"(?,4)">
  %stride = cute.make_stride(%s) : (i64) -> !cute.stride<"(?{i64},1)">
  %d = cute.make_layout(%shape, %stride) : (!cute.shape<"(?,4)">, !cute.stride<"(?{i64},1)">) -> !cute.layout<"(?,4):(?{i64},1)">
  %r = cute.static : !cute.coord<"(3,_)">
  %one = cute.static : !cute.int_tuple<"(1,1)">
  // CHECK: cute.stencil_divide<logical> {{.*}} -> (!cute.layout<"((3,?),4):((?{i64},?{i64}),1)">, !cute.int_tuple<"0">)
  %0:2 = cute.stencil_divide(%d, %r, %one, %one) : (!cute.layout<"(?,4):(?{i64},1)">, !cute.coord<"(3,_)">, !cute.int_tuple<"(1,1)">, !cute.int_tuple<"(1,1)">)
  %1 = cute.size<[0]> (%0#0) : (!cute.layout<"((3,?),4):((?{i64},?{i64}),1)">) -> !cute.int_tuple<"?{div=3}">
  %2 = cute.get_scalars(%1) : (!cute.int_tuple<"?{div=3}">) -> i32
  return %2 : i32
}

// CHECK-LABEL: @parts
func.func @parts(%a: !cute.layout<"(4,2,8):(3,12,97)">, %r: !cute.layout<"3:3">, %m: !cute.layout<"(8,4):(1,8)">,
                 %last: !cute.tile<"[2:1]">, %c: !cute.memref<f32, gmem, "(128,128):(1,128)">,
                 %tile: !cute.tile<"[64:1;64:1]">, %at: !cute.coord<"(1,0)">, %row: !cute.coord<"(1,_)">,
                 %z: !cute.layout<"(4,(2,3)):(1,(0,8))">, %p: !cute.coord<"(1,(0,0))">) {
  // Oracle 319 has composition((4,2,8):(3,12,97), 3:3).
  // CHECK: cute.compose(%{{.*}}, %{{.*}}) : (!cute.layout<"3:3">, !cute.layout<"(4,2,8):(3,12,97)">) -> !cute.layout<"3:9">
  %0 = cute.compose(%r, %a) : (!cute.layout<"3:3">, !cute.layout<"(4,2,8):(3,12,97)">)
  // The tile divides the last mode, 4:8; rests come first.
  // CHECK: cute.outer_divide<zipped> {{.*}} -> !cute.layout<"((8,2),(2)):((1,16),(8))">
  %1 = cute.outer_divide(%m, %last) : (!cute.layout<"(8,4):(1,8)">, !cute.tile<"[2:1]">)
  // CHECK: cute.outer_divide<tiled> {{.*}} -> !cute.layout<"(8,2,(2)):(1,16,(8))">
  %2 = cute.outer_divide<tiled> (%m, %last) : (!cute.layout<"(8,4):(1,8)">, !cute.tile<"[2:1]">)
  // CHECK: cute.tiled_partition{{.*}} -> !cute.memref<f32, gmem, "((64,64)):((1,128))">
  %3 = cute.tiled_partition(%c, %tile, %at) : (!cute.memref<f32, gmem, "(128,128):(1,128)">, !cute.tile<"[64:1;64:1]">, !cute.coord<"(1,0)">)
  // CHECK: cute.tiled_partition{{.*}} -> !cute.memref<f32, gmem, "((64,64),2):((1,128),8192)">
  %4 = cute.tiled_partition(%c, %tile, %row) : (!cute.memref<f32, gmem, "(128,128):(1,128)">, !cute.tile<"[64:1;64:1]">, !cute.coord<"(1,_)">)
  // CHECK: cute.filter_zeros(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.layout<"(4,(1,1)):(1,(0,8))">
  %5 = cute.filter_zeros(%z, %p) : (!cute.layout<"(4,(2,3)):(1,(0,8))">, !cute.coord<"(1,(0,0))">)
  return
}

// Thread t of (4,2):(1,4) is at (t % 4, t / 4 % 2): it starts at t % 4 + 16 (t / 4 % 2).
// EXPAND-LABEL: @thread
// EXPAND-SAME: %[[T:[a-z0-9]+]]: i32)
// EXPAND-DAG: %[[X:.*]] = arith.remui %[[T]], %c4_i32 : i32
// EXPAND-DAG: %[[ROW:.*]] = arith.divui %[[T]], %c4_i32 : i32
// EXPAND: %[[Y:.*]] = arith.remui %[[ROW]], %c2_i32 : i32
// EXPAND: %[[Z:.*]] = arith.muli %[[Y]], %c16_i32 overflow<nsw> : i32
// EXPAND: arith.addi %[[X]], %[[Z]] overflow<nsw> : i32
func.func @thread(%t: !cute.memref<f32, gmem, "(16,8):(1,16)">, %thread: i32) -> f32 {
  %th = cute.static : !cute.layout<"(4,2):(1,4)">
  %x = cute.make_coord(%thread) : (i32) -> !cute.coord<"?">
  // CHECK: cute.local_partition(%{{.*}}, %{{.*}}, %{{.*}}) : {{.*}} -> !cute.memref<f32, gmem, "(4,4):(4,32)">
  %0 = cute.local_partition(%t, %th, %x) : (!cute.memref<f32, gmem, "(16,8):(1,16)">, !cute.layout<"(4,2):(1,4)">, !cute.coord<"?">)
  %first = cute.static : !cute.coord<"(0,0)">
  %1 = cute.memref.load(%0, %first) : (!cute.memref<f32, gmem, "(4,4):(4,32)">, !cute.coord<"(0,0)">) -> f32
  return %1 : f32
}
