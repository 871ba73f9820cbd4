// docs/specification/types-and-ops.md#builder-signatures: an operand of make_shape may be an inner shape, and a layout may be given a type that says its rank only.
// Both are built from their leaves, depth first; the lowered forms are those of section 2.5 of the facts.
// RUN: tessera-opt %s | tessera-opt | FileCheck %s
// RUN: tessera-opt %s --cute-desugar | FileCheck %s --check-prefix=SUGAR
// RUN: tessera-opt %s --convert-cute-to-llvm --reconcile-unrealized-casts | FileCheck %s --check-prefix=BANK
// RUN: tessera-opt %s --cute-desugar --cute-expand-ops --convert-cute-to-llvm --reconcile-unrealized-casts | FileCheck %s --check-prefix=BANK

// CHECK-LABEL: @inner
// CHECK: cute.make_shape(%{{.*}}, %{{.*}}) : (!cute.shape<"(?,4)">, i32) -> !cute.shape<"((?,4),?)">
// Two leaves are left: the inner one first.
// SUGAR-LABEL: @inner(
// SUGAR-SAME: %[[S:.*]]: !cute.shape<"(?,4)">, %[[K:.*]]: i32)
// SUGAR: %[[M:.*]] = cute.get_scalars<{only_dynamic}> (%[[S]])
// SUGAR: cute.make_int_tuple(%[[M]], %[[K]]) : (i32, i32) -> !cute.shape<"((?,4),?)">
// BANK-LABEL: llvm.func @inner(
// BANK-SAME: %[[M:.*]]: i32, %[[K:.*]]: i32) -> !llvm.struct<(i32, i32)>
// BANK: %[[P:.*]] = llvm.insertvalue %[[M]], %{{.*}}[0]
// BANK: llvm.insertvalue %[[K]], %[[P]][1]
func.func @inner(%s: !cute.shape<"(?,4)">, %k: i32) -> !cute.shape<"((?,4),?)"> {
  %0 = cute.make_shape [%s, %k] : (!cute.shape<"(?,4)">, i32) -> !cute.shape<"((?,4),?)">
  return %0 : !cute.shape<"((?,4),?)">
}

// The same with a type that says its rank only: the type leaves the stride open, which is (1,m).
// CHECK-LABEL: @tile
// CHECK: cute.make_layout(%{{.*}}) : (!cute.shape<"(?,?)">) -> !cute.layout<"(?,?):(?,?)">
// BANK-LABEL: llvm.func @tile(
// BANK-SAME: %[[S:.*]]: !llvm.struct<(i32, i32)>) -> !llvm.struct<(struct<(i32, i32)>, struct<(i32, i32)>)>
// BANK-DAG: %[[M:.*]] = llvm.extractvalue %[[S]][0]
// BANK-DAG: %[[ONE:.*]] = {{llvm.mlir.constant\(1|arith.constant 1}} : i32
// BANK: llvm.insertvalue %[[ONE]], %{{.*}}[0]
// BANK: llvm.insertvalue %{{.*}}, %{{.*}}[1]
// BANK: llvm.return
func.func @tile(%s: !cute.shape<2>) -> !cute.layout<2> {
  %tile = cute.make_layout(%s) : (!cute.shape<2>) -> !cute.layout<2>
  return %tile : !cute.layout<2>
}
