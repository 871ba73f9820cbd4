// What the algebra assumes of run-time values, as assertions. Expected: the preconditions that tessera/layout/Arith.h defines.
// RUN: tessera-opt %s --cute-desugar --cute-expand-ops=check-layout-assumptions | FileCheck %s
// RUN: tessera-opt %s --cute-desugar --cute-expand-ops | FileCheck %s --check-prefix=PLAIN
// The bank of convert-cute-to-llvm asserts the same of algebra that was not expanded.
// RUN: tessera-opt %s --cute-desugar --convert-cute-to-llvm=check-layout-assumptions --reconcile-unrealized-casts | FileCheck %s --check-prefix=BANK
// RUN: tessera-opt %s --cute-desugar --convert-cute-to-llvm --reconcile-unrealized-casts | FileCheck %s --check-prefix=PLAIN
// PLAIN-NOT: cf.assert

// BANK-LABEL: @product
// BANK: arith.mulsi_extended
// BANK: cf.assert %{{.*}}, "layout algebra: expects a result of 32 bits, but one of a product overflows"
// BANK-LABEL: @composition
// BANK: arith.remsi
// BANK: cf.assert %{{.*}}, "layout algebra: expects steps of 3 to divide a mode of ?, or to stay in it"
// BANK-LABEL: @element
// BANK: cf.assert %{{.*}}, "layout algebra: expects a result of 32 bits, but one of a product overflows"

// A product of two i32 leaves stays i32, as the IR states it; whether it fits is asked of all 64 bits.
// CHECK-LABEL: @product
// CHECK: %[[P:.*]] = arith.muli %[[A:.*]], %[[B:.*]] overflow<nsw> : i32
// CHECK: %[[LOW:.*]], %[[HIGH:.*]] = arith.mulsi_extended %[[A]], %[[B]] : i32
// CHECK: %[[SIGN:.*]] = arith.shrsi %[[LOW]], %c31_i32 : i32
// CHECK: %[[FITS:.*]] = arith.cmpi eq, %[[HIGH]], %[[SIGN]] : i32
// CHECK: cf.assert %[[FITS]], "layout algebra: expects a result of 32 bits, but one of a product overflows"
// CHECK: return %[[P]]
func.func @product(%a: i32, %b: i32) -> i32 {
  %s = cute.make_shape(%a, %b) : (i32, i32) -> !cute.shape<"(?,?)">
  %l = cute.make_layout(%s) : (!cute.shape<"(?,?)">) -> !cute.layout<"(?,?):(1,?)">
  %n = cute.size(%l) : (!cute.layout<"(?,?):(1,?)">) -> !cute.int_tuple<"?">
  %0 = cute.get_scalars(%n) : (!cute.int_tuple<"?">) -> i32
  return %0 : i32
}

// 4:3 after (n,5):(1,7): 3 divides n, or 4 steps of 3 stay in it.
// CHECK-LABEL: @composition
// CHECK: %[[N:.*]] = arith.extsi %arg0 : i32 to i64
// CHECK: arith.remsi %[[N]], %{{.*}} : i64
// CHECK: cf.assert %{{.*}}, "layout algebra: expects steps of 3 to divide a mode of ?, or to stay in it"
func.func @composition(%n: i32) -> i32 {
  %s = cute.make_shape(%n) : (i32) -> !cute.shape<"(?,5)">
  %t = cute.static : !cute.stride<"(1,7)">
  %l = cute.make_layout(%s, %t) : (!cute.shape<"(?,5)">, !cute.stride<"(1,7)">) -> !cute.layout<"(?,5):(1,7)">
  %r = cute.static : !cute.layout<"4:3">
  %c = cute.composition(%l, %r) : (!cute.layout<"(?,5):(1,7)">, !cute.layout<"4:3">)
  return %n : i32
}

// Where an element is, is algebra too.
// CHECK-LABEL: @element
// CHECK: cf.assert %{{.*}}, "layout algebra: expects a result of 32 bits, but one of a product overflows"
func.func @element(%v: !cute.memref<f32, gmem, "(?,8):(?,1)">, %i: i32) -> f32 {
  %c = cute.make_coord(%i) : (i32) -> !cute.coord<"(?,3)">
  %x = cute.memref.load(%v, %c) : (!cute.memref<f32, gmem, "(?,8):(?,1)">, !cute.coord<"(?,3)">) -> f32
  return %x : f32
}

// A tile of 4 rows divides n, or there is one tile that is not full; the tile of 2 columns is known to divide 8.
// CHECK-LABEL: @tiles
// CHECK: %[[ROWS:.*]] = arith.extsi %arg0 : i32 to i64
// CHECK: arith.remsi %[[ROWS]], %{{.*}} : i64
// CHECK: arith.cmpi slt, %[[ROWS]], %{{.*}} : i64
// CHECK: cf.assert %{{.*}}, "layout algebra: expects 4 to divide ?, or to be larger"
// CHECK-NOT: cf.assert
// CHECK: return
func.func @tiles(%n: i32) -> i32 {
  %s = cute.make_shape(%n) : (i32) -> !cute.shape<"(?,8)">
  %t = cute.static : !cute.stride<"(8,1)">
  %l = cute.make_layout(%s, %t) : (!cute.shape<"(?,8)">, !cute.stride<"(8,1)">) -> !cute.layout<"(?,8):(8,1)">
  %r = cute.static : !cute.tile<"[4:1;2:1]">
  %d = cute.tiled_divide(%l, %r) : (!cute.layout<"(?,8):(8,1)">, !cute.tile<"[4:1;2:1]">) -> !cute.layout<"((4,2),?,4):((8,1),32,2)">
  return %n : i32
}
