// Cute values carried by scf.if, scf.while and cf.br: their dynamic leaves are, through the expansion and through the bank.
// RUN: tessera-opt %s --cute-desugar --cute-expand-ops | FileCheck %s
// RUN: tessera-opt %s --convert-cute-to-llvm | FileCheck %s --check-prefix=ATONCE
// RUN: tessera-opt %s --tessera-lower=arch=sm_90a | FileCheck %s --check-prefix=LOWERED --implicit-check-not=cute.

!layout = !cute.layout<"(?,8):(1,?)">
!mma = !cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>
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
// What passes put where a way has no value (lift-cf-to-scf): each leaf has none.
// CHECK-LABEL: @poison
// CHECK: %[[A:.*]] = ub.poison : i32
// CHECK: %[[B:.*]] = ub.poison : i32
// CHECK: %[[P:.*]] = ub.poison : !cute.ptr<f32, gmem>
// CHECK: %[[F:.*]] = ub.poison : i1
// CHECK: scf.while (%{{.*}} = %[[A]], %{{.*}} = %[[B]], %{{.*}} = %[[P]], %{{.*}} = %[[F]]) : (i32, i32, !cute.ptr<f32, gmem>, i1)
// ATONCE-LABEL: llvm.func @poison
// ATONCE-DAG: llvm.mlir.poison : !llvm.struct<(i32, i32)>
// ATONCE-DAG: llvm.mlir.poison : !llvm.ptr<1>
// ATONCE-DAG: llvm.mlir.poison : !llvm.struct<(i1)>
// LOWERED-LABEL: llvm.func @poison
// LOWERED: llvm.mlir.poison : i32
// LOWERED: llvm.mlir.poison : !llvm.ptr<1>
// LOWERED: llvm.mlir.poison : i1
func.func @poison(%c: i1, %p: !cute.ptr<f32, gmem>, %m: !mma) -> (!layout, !cute.ptr<f32, gmem>, !mma) {
  %l = ub.poison : !layout
  %q = ub.poison : !cute.ptr<f32, gmem>
  %n = ub.poison : !mma
  %r:3 = scf.while (%x = %l, %y = %q, %z = %n) : (!layout, !cute.ptr<f32, gmem>, !mma) -> (!layout, !cute.ptr<f32, gmem>, !mma) {
    scf.condition(%c) %x, %y, %z : !layout, !cute.ptr<f32, gmem>, !mma
  } do {
  ^bb0(%x: !layout, %y: !cute.ptr<f32, gmem>, %z: !mma):
    scf.yield %x, %p, %m : !layout, !cute.ptr<f32, gmem>, !mma
  }
  return %r#0, %r#1, %r#2 : !layout, !cute.ptr<f32, gmem>, !mma
}

// Blocks with arguments of cute types: structs of their leaves where they are lowered at once, leaves after the expansion.
// RUN: tessera-opt %S/Inputs/blocks.mlir --convert-cute-to-llvm | FileCheck %S/Inputs/blocks.mlir
// RUN: tessera-opt %S/Inputs/blocks.mlir --tessera-lower=arch=sm_90a | FileCheck %S/Inputs/blocks.mlir --check-prefix=LEAVES
// Atoms are called in blocks too, and run.
// RUN: tessera compile %S/Inputs/blocks-atoms.mlir --arch sm_80 -o %t.ptx
// RUN: tessera sim %t.ptx --kernel copy_rows --block 32 --arg ptr=rand:f32:7x128:seed=3 --arg ptr=out:f32:7x128 --arg i32:7 --arg i32:128 --save 0=%t.npy --sanitize
// RUN: tessera sim %t.ptx --kernel copy_rows --block 32 --arg ptr=rand:f32:7x128:seed=3 --arg ptr=out:f32:7x128 --arg i32:7 --arg i32:128 --check 1=%t.npy --atol 0 --rtol 0 | FileCheck %s --check-prefix=ROWS
// ROWS: all 896 elements pass
