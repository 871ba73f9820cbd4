// docs/specification/algebra.md#compose: i -> l2(l1(i)). The result that it quotes has a mode too many; l1 covers 0..31, and l2 = (2,8):(1,2) maps each of
// these to itself, so the result is l1 (coordinates beyond l2's last mode continue it, as in public CuTe).
// RUN: tessera-opt %s --cute-fold-static | FileCheck %s
// RUN: tessera-opt %s --convert-cute-to-llvm --reconcile-unrealized-casts --canonicalize | FileCheck %s --check-prefix=LLVM

// CHECK-LABEL: @static
// LLVM-LABEL: llvm.func @static
func.func @static() -> !cute.layout<"(8,4):(1,8)"> {
  // CHECK-NOT: cute.compose
  // CHECK: %[[C:.*]] = cute.static : !cute.layout<"(8,4):(1,8)">
  // CHECK: return %[[C]]
  // LLVM-NOT: llvm.extractvalue
  // LLVM: llvm.return
  %l1 = cute.static : !cute.layout<"(8,4):(1,8)">
  %l2 = cute.static : !cute.layout<"(2,8):(1,2)">
  %c = cute.compose(%l1, %l2) : (!cute.layout<"(8,4):(1,8)">, !cute.layout<"(2,8):(1,2)">)
  return %c : !cute.layout<"(8,4):(1,8)">
}

// A stride at run time: (c * s) of a second layout of stride t is (c * s * t).
// LLVM-LABEL: llvm.func @dynamic
// LLVM-SAME: (%[[S:.*]]: i32, %[[T:.*]]: i32)
// LLVM: %[[P:.*]] = arith.muli %[[S]], %[[T]] {{.*}}: i32
// LLVM: llvm.return %{{.*}} : !llvm.struct<(struct<()>, i32)>
// CHECK-LABEL: @dynamic
func.func @dynamic(%s: i32, %t: i32) -> !cute.layout<"8:?"> {
  // CHECK: cute.compose(
  %sh = cute.static : !cute.shape<"8">
  %d1 = cute.make_stride(%s) : (i32) -> !cute.stride<"?">
  %d2 = cute.make_stride(%t) : (i32) -> !cute.stride<"?">
  %l1 = cute.make_layout(%sh, %d1) : (!cute.shape<"8">, !cute.stride<"?">) -> !cute.layout<"8:?">
  %l2 = cute.make_layout(%sh, %d2) : (!cute.shape<"8">, !cute.stride<"?">) -> !cute.layout<"8:?">
  %c = cute.compose(%l1, %l2) : (!cute.layout<"8:?">, !cute.layout<"8:?">)
  return %c : !cute.layout<"8:?">
}
