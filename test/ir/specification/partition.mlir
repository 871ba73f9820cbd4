// docs/specification/passes.md#partition-walk on what this dialect has for it, local_tile: a 32x32 tile of a (128,64):(1,128) tensor of f16 in
// shared memory. Tile (i,j) starts at element 32 i + 128 * 32 j, in the same address space; the tile's layout is static, so no code.
// RUN: tessera-opt %s --cute-desugar --convert-cute-to-llvm --reconcile-unrealized-casts --canonicalize | FileCheck %s

// CHECK-LABEL: llvm.func @walk
// CHECK-SAME: (%[[BASE:.*]]: !llvm.ptr<3>, %[[I:.*]]: i32, %[[J:.*]]: i32)
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : i32
// CHECK-DAG: %[[C4096:.*]] = arith.constant 4096 : i32
// CHECK-DAG: %[[X:.*]] = arith.muli %[[I]], %[[C32]]
// CHECK-DAG: %[[Y:.*]] = arith.muli %[[J]], %[[C4096]]
// CHECK: %[[AT:.*]] = arith.addi %[[X]], %[[Y]]
// CHECK: llvm.getelementptr %{{.*}}[%[[AT]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>
// CHECK: llvm.return %{{.*}} : !llvm.struct<(ptr<3>, struct<(struct<()>, struct<()>)>)>
!tensor = !cute.memref<f16, smem, align<128>, "(128,64):(1,128)">
!sub = !cute.memref<f16, smem, align<64>, "(32,32):(1,128)">
func.func @walk(%base: !cute.ptr<f16, smem, align<128>>, %i: i32, %j: i32) -> !sub {
  %layout = cute.static : !cute.layout<"(128,64):(1,128)">
  %tensor = cute.make_view(%base, %layout) : (!cute.ptr<f16, smem, align<128>>, !cute.layout<"(128,64):(1,128)">)
  %tile = cute.static : !cute.tile<"[32:1;32:1]">
  %at = cute.make_coord(%i, %j) : (i32, i32) -> !cute.coord<"(?,?)">
  %sub = cute.local_tile(%tensor, %tile, %at) : (!tensor, !cute.tile<"[32:1;32:1]">, !cute.coord<"(?,?)">)
  return %sub : !sub
}
