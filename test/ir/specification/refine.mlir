// The examples of docs/specification/algebra.md#worked-examples with shapes of a rank: --cute-fold-static knows them from constants. Its identity layout is make_layout
// of the shape, and its tilers are those of a tile (docs/decisions.md).
// RUN: tessera-opt %s --cute-fold-static --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @tiled
// CHECK: %[[R:.*]] = cute.static : !cute.layout<"((64,64),2,2):((1,128),64,8192)">
// CHECK: cute.print(%[[R]])
func.func @tiled() {
  %c128 = arith.constant 128 : index
  %c64 = arith.constant 64 : index
  %shape  = cute.make_shape [%c128, %c128] : (index, index) -> !cute.shape<2>
  %layout = cute.make_layout(%shape) : (!cute.shape<2>) -> !cute.layout<"(?,?):(1,?)">
  %tile = cute.make_tile [%c64, %c64] : (index, index) -> !cute.tile<2>
  %divided = cute.tiled_divide(%layout, %tile) : (!cute.layout<"(?,?):(1,?)">, !cute.tile<2>)
  cute.print(%divided) : !cute.layout<"((?,?),?,?):((1,?),?,?)">
  return
}

// CHECK-LABEL: @logical
// CHECK: %[[R:.*]] = cute.static : !cute.layout<"((32,4),(16,8)):((1,32),(128,2048))">
// CHECK: cute.print(%[[R]])
func.func @logical() {
  %c128 = arith.constant 128 : index
  %c32 = arith.constant 32 : index
  %c16 = arith.constant 16 : index
  %shape  = cute.make_shape [%c128, %c128] : (index, index) -> !cute.shape<2>
  %layout = cute.make_layout(%shape) : (!cute.shape<2>) -> !cute.layout<"(?,?):(1,?)">
  %tile = cute.make_tile [%c32, %c16] : (index, index) -> !cute.tile<2>
  %divided = cute.logical_divide(%layout, %tile) : (!cute.layout<"(?,?):(1,?)">, !cute.tile<2>)
  cute.print(%divided) : !cute.layout<"((?,?),(?,?)):((1,?),(?,?))">
  return
}

// What states the type of a value keeps it: only the print takes the refined one.
// CHECK-LABEL: @result
// CHECK: %[[D:.*]] = cute.make_shape(
// CHECK: %[[S:.*]] = cute.static : !cute.shape<"(4,2)">
// CHECK: cute.print(%[[S]])
// CHECK: return %[[D]] : !cute.shape<"(?,?)">
func.func @result() -> !cute.shape<2> {
  %c4 = arith.constant 4 : i32
  %c2 = arith.constant 2 : i32
  %shape = cute.make_shape [%c4, %c2] : !cute.shape<2>
  cute.print(%shape) : !cute.shape<"(?,?)">
  return %shape : !cute.shape<2>
}

// -----

// 40 does not divide 128.
func.func @fails() {
  %c128 = arith.constant 128 : index
  %c64 = arith.constant 64 : index
  %c40 = arith.constant 40 : index
  %shape  = cute.make_shape [%c128, %c128] : (index, index) -> !cute.shape<2>
  %layout = cute.make_layout(%shape) : (!cute.shape<2>) -> !cute.layout<"(?,?):(1,?)">
  %tile = cute.make_tile [%c40, %c64] : (index, index) -> !cute.tile<2>
  // expected-error @below {{expects same size in rank 0 but got srcShape: }}
  %divided = cute.tiled_divide(%layout, %tile) : (!cute.layout<"(?,?):(1,?)">, !cute.tile<2>)
  cute.print(%divided) : !cute.layout<"((?,?),?,?):((1,?),?,?)">
  return
}
