// layout-abi=packed: a layout is all its leaves, shape beside stride, a nested mode a struct of its own (docs/specification/abi.md#layout-value-to-struct); one that is all static is a constant, whose attribute is an array (a dense one cannot be of a struct type).
// RUN: tessera-opt %s --split-input-file --convert-cute-to-llvm=layout-abi=packed --reconcile-unrealized-casts | FileCheck %s --implicit-check-not=!cute
// RUN: tessera-opt %s --split-input-file --cute-desugar --cute-expand-ops --convert-cute-to-llvm=layout-abi=packed --reconcile-unrealized-casts -o /dev/null
// RUN: not tessera-opt %s --split-input-file --convert-cute-to-llvm=layout-abi=loose 2>&1 | FileCheck %s --check-prefix=LOOSE
// LOOSE: error: convert-cute-to-llvm: expects layout-abi=dynamic or layout-abi=packed, but got 'loose'

// The specification's example, and the same with a dynamic stride: (shape0, stride0, shape1, stride1).
// CHECK-LABEL: llvm.func @static
// CHECK: llvm.mlir.constant([8 : i32, 1 : i32, 4 : i32, 8 : i32]) : !llvm.struct<(i32, i32, i32, i32)>
func.func @static() -> !cute.layout<"(8,4):(1,8)"> {
  %0 = cute.static : !cute.layout<"(8,4):(1,8)">
  return %0 : !cute.layout<"(8,4):(1,8)">
}
// CHECK-LABEL: llvm.func @dynamic(
// CHECK-SAME: %[[D:.*]]: i32) -> !llvm.struct<(i32, i32, i32, i32)>
// CHECK-DAG: %[[S0:.*]] = {{llvm.mlir.constant\(8|arith.constant 8}} : i32
// CHECK: %[[A:.*]] = llvm.insertvalue %[[S0]], %{{.*}}[0] : !llvm.struct<(i32, i32, i32, i32)>
// CHECK: %[[B:.*]] = llvm.insertvalue %[[D]], %[[A]][1]
// CHECK: %[[C:.*]] = llvm.insertvalue %{{.*}}, %[[B]][2]
// CHECK: llvm.insertvalue %{{.*}}, %[[C]][3]
func.func @dynamic(%d: !cute.stride<"(?,8)">) -> !cute.layout<"(8,4):(?,8)"> {
  %s = cute.static : !cute.shape<"(8,4)">
  %0 = cute.make_layout(%s, %d) : (!cute.shape<"(8,4)">, !cute.stride<"(?,8)">)
  return %0 : !cute.layout<"(8,4):(?,8)">
}
// Rank 3 is a 6-tuple. Reading: the size of (m,n,4) is of fields 0 and 2.
// CHECK-LABEL: llvm.func @rank_3(
// CHECK-SAME: %[[L:.*]]: !llvm.struct<(i32, i32, i32, i32, i32, i32)>)
// CHECK-DAG: %[[M:.*]] = llvm.extractvalue %[[L]][0]
// CHECK-DAG: %[[N:.*]] = llvm.extractvalue %[[L]][2]
// CHECK: %[[MN:.*]] = arith.muli %[[M]], %[[N]]
func.func @rank_3(%l: !cute.layout<"(?,?,4):(1,?,?)">) -> !cute.int_tuple<"?{div=4}"> {
  %0 = cute.size(%l) : (!cute.layout<"(?,?,4):(1,?,?)">)
  return %0 : !cute.int_tuple<"?{div=4}">
}
// A nested mode.
// CHECK-LABEL: llvm.func @nested(
// CHECK-SAME: %{{.*}}: !llvm.struct<(struct<(i32, i32, i32, i32)>, i32, i32)>)
func.func @nested(%l: !cute.layout<"((2,?),4):((1,2),?)">) -> !cute.layout<"((2,?),4):((1,2),?)"> {
  return %l : !cute.layout<"((2,?),4):((1,2),?)">
}
// Compose of two static layouts is a constant: ((2,4),4) of docs/specification/algebra.md#compose, as public CuTe has it (8,4):(1,8) of 8 in 4.
// CHECK-LABEL: llvm.func @compose
// CHECK: llvm.mlir.constant([4 : i32, 2 : i32]) : !llvm.struct<(i32, i32)>
func.func @compose() -> !cute.layout<"4:2"> {
  %a = cute.static : !cute.layout<"8:1">
  %b = cute.static : !cute.layout<"4:2">
  %0 = cute.composition(%a, %b) : (!cute.layout<"8:1">, !cute.layout<"4:2">)
  return %0 : !cute.layout<"4:2">
}
// Tensors are what kernels take, and stay as they are.
// CHECK-LABEL: llvm.func @tensor(
// CHECK-SAME: !llvm.struct<(ptr<1>, struct<(i32, struct<()>)>)>
func.func private @tensor(!cute.memref<f32, gmem, "(?,4):(4,1)">)
