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

// Blocks with arguments of cute types: structs of their leaves where they are lowered at once, leaves after the expansion.
// RUN: tessera-opt %S/Inputs/blocks.mlir --convert-cute-to-llvm | FileCheck %S/Inputs/blocks.mlir
// RUN: tessera-opt %S/Inputs/blocks.mlir --tessera-lower=arch=sm_90a | FileCheck %S/Inputs/blocks.mlir --check-prefix=LEAVES
// Atoms are called in blocks too, and run.
// RUN: tessera compile %S/Inputs/blocks-atoms.mlir --arch sm_80 -o %t.ptx
// RUN: tessera sim %t.ptx --kernel copy_rows --block 32 --arg ptr=rand:f32:7x128:seed=3 --arg ptr=out:f32:7x128 --arg i32:7 --arg i32:128 --save 0=%t.npy --sanitize
// RUN: tessera sim %t.ptx --kernel copy_rows --block 32 --arg ptr=rand:f32:7x128:seed=3 --arg ptr=out:f32:7x128 --arg i32:7 --arg i32:128 --check 1=%t.npy --atol 0 --rtol 0 | FileCheck %s --check-prefix=ROWS
// ROWS: all 896 elements pass
