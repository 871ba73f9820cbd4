// One election for branches of single lanes that follow each other, in functions with products in tensor memory.
// RUN: tessera-opt %s --tessera-merge-elections | FileCheck %s

// What is computed between the branches goes before them, a barrier does not.
// CHECK-LABEL: llvm.func @run
// CHECK-SAME: (%[[A:.*]]: i32, %[[B:.*]]: i64, %[[P:.*]]: !llvm.ptr<3>)
llvm.func @run(%a: i32, %b: i64, %p: !llvm.ptr<3>) {
  // CHECK: %[[ONE:.*]] = llvm.mlir.constant
  // CHECK: %[[NEXT:.*]] = llvm.add %[[B]], %[[ONE]]
  // CHECK: %[[E:.*]] = nvvm.elect.sync
  // CHECK-NEXT: llvm.cond_br %[[E]], ^bb1, ^bb2
  // CHECK: ^bb1:
  // CHECK-NEXT: llvm.inline_asm has_side_effects "tcgen05.mma.cta_group::1.kind::f16 [$0], $1, $1, $0, p;", "r,l" %[[A]], %[[B]]
  // CHECK-NEXT: llvm.inline_asm has_side_effects "tcgen05.mma.cta_group::1.kind::f16 [$0], $1, $1, $0, p;", "r,l" %[[A]], %[[NEXT]]
  // CHECK-NEXT: nvvm.tcgen05.commit %[[P]]
  // CHECK-NEXT: llvm.br ^bb2
  // CHECK: ^bb2:
  // CHECK-NEXT: nvvm.barrier
  // CHECK-NEXT: nvvm.elect.sync
  %one = llvm.mlir.constant(1 : i64) : i64
  %e0 = nvvm.elect.sync -> i1
  llvm.cond_br %e0, ^bb1, ^bb2
^bb1:
  llvm.inline_asm has_side_effects "tcgen05.mma.cta_group::1.kind::f16 [$0], $1, $1, $0, p;", "r,l" %a, %b : (i32, i64) -> ()
  llvm.br ^bb2
^bb2:
  %next = llvm.add %b, %one : i64
  %e1 = nvvm.elect.sync -> i1
  llvm.cond_br %e1, ^bb3, ^bb4
^bb3:
  llvm.inline_asm has_side_effects "tcgen05.mma.cta_group::1.kind::f16 [$0], $1, $1, $0, p;", "r,l" %a, %next : (i32, i64) -> ()
  llvm.br ^bb4
^bb4:
  %e2 = nvvm.elect.sync -> i1
  llvm.cond_br %e2, ^bb5, ^bb6
^bb5:
  nvvm.tcgen05.commit %p : !llvm.ptr<3>
  llvm.br ^bb6
^bb6:
  nvvm.barrier
  %e3 = nvvm.elect.sync -> i1
  llvm.cond_br %e3, ^bb7, ^bb8
^bb7:
  nvvm.tcgen05.commit %p : !llvm.ptr<3>
  llvm.br ^bb8
^bb8:
  llvm.return
}

// Others come to the second branch: it stays.
// CHECK-LABEL: llvm.func @joined
// CHECK-COUNT-2: nvvm.elect.sync
llvm.func @joined(%a: i32, %c: i1) {
  llvm.cond_br %c, ^bb1, ^bb3
^bb1:
  %e0 = nvvm.elect.sync -> i1
  llvm.cond_br %e0, ^bb2, ^bb3
^bb2:
  llvm.inline_asm has_side_effects "tcgen05.mma.cta_group::1.kind::f16 [$0];", "r" %a : (i32) -> ()
  llvm.br ^bb3
^bb3:
  %e1 = nvvm.elect.sync -> i1
  llvm.cond_br %e1, ^bb4, ^bb5
^bb4:
  llvm.inline_asm has_side_effects "tcgen05.mma.cta_group::1.kind::f16 [$0];", "r" %a : (i32) -> ()
  llvm.br ^bb5
^bb5:
  llvm.return
}

// No product in tensor memory: nothing changes.
// CHECK-LABEL: llvm.func @other
// CHECK-COUNT-2: nvvm.elect.sync
llvm.func @other(%p: !llvm.ptr<3>) {
  %e0 = nvvm.elect.sync -> i1
  llvm.cond_br %e0, ^bb1, ^bb2
^bb1:
  nvvm.mbarrier.inval %p : !llvm.ptr<3>
  llvm.br ^bb2
^bb2:
  %e1 = nvvm.elect.sync -> i1
  llvm.cond_br %e1, ^bb3, ^bb4
^bb3:
  nvvm.mbarrier.inval %p : !llvm.ptr<3>
  llvm.br ^bb4
^bb4:
  llvm.return
}

// Nor where a comment only names one.
// CHECK-LABEL: llvm.func @named
// CHECK-COUNT-2: nvvm.elect.sync
llvm.func @named(%p: !llvm.ptr<3>) {
  llvm.inline_asm has_side_effects "nanosleep.u32 1; // tcgen05.mma comes later", "" : () -> ()
  %e0 = nvvm.elect.sync -> i1
  llvm.cond_br %e0, ^bb1, ^bb2
^bb1:
  nvvm.mbarrier.inval %p : !llvm.ptr<3>
  llvm.br ^bb2
^bb2:
  %e1 = nvvm.elect.sync -> i1
  llvm.cond_br %e1, ^bb3, ^bb4
^bb3:
  nvvm.mbarrier.inval %p : !llvm.ptr<3>
  llvm.br ^bb4
^bb4:
  llvm.return
}
