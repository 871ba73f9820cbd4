// Cute values carried by scf.if, scf.while and cf.br: their dynamic leaves are, through the expansion and through the bank.
// RUN: tessera-opt %s --cute-desugar --cute-expand-ops | FileCheck %s
// RUN: tessera-opt %s --tessera-lower=arch=sm_90a | FileCheck %s --check-prefix=LOWERED --implicit-check-not=cute.

!layout = !cute.layout<"(?,8):(1,?)">
// CHECK-LABEL: @if
// CHECK: %[[R:.*]]:2 = scf.if %{{.*}} -> (i32, i32) {
// CHECK: scf.yield %{{.*}}, %{{.*}} : i32, i32
// CHECK: return
// LOWERED-LABEL: llvm.func @if
// LOWERED: llvm.cond_br
func.func @if(%c: i1, %l: !layout, %m: !layout) -> !layout {
  %r = scf.if %c -> !layout {
    scf.yield %l : !layout
  } else {
    scf.yield %m : !layout
  }
  return %r : !layout
}
// CHECK-LABEL: @while
// CHECK: scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (i32, i32) -> (i32, i32)
// CHECK: scf.condition(%{{.*}}) %{{.*}}, %{{.*}} : i32, i32
// LOWERED-LABEL: llvm.func @while
// LOWERED: llvm.cond_br
func.func @while(%c: i1, %l: !layout) -> !layout {
  %r = scf.while (%x = %l) : (!layout) -> !layout {
    scf.condition(%c) %x : !layout
  } do {
  ^bb0(%y: !layout):
    scf.yield %y : !layout
  }
  return %r : !layout
}

// Blocks with arguments of cute types: the expansion leaves algebra in them to the bank. Atom calls want structured control flow.
// RUN: tessera-opt %S/Inputs/blocks.mlir --convert-cute-to-llvm | FileCheck %S/Inputs/blocks.mlir
// RUN: tessera-opt %S/Inputs/blocks.mlir --tessera-lower=arch=sm_90a | FileCheck %S/Inputs/blocks.mlir
// RUN: tessera-opt %S/Inputs/blocks-atoms.mlir --cute-expand-ops --verify-diagnostics
