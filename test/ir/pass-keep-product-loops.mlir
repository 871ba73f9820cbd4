// Loops with products in tensor memory are not unrolled; what a program says of one, and other loops, stay.
// RUN: tessera-opt %s --tessera-keep-product-loops | FileCheck %s

// CHECK-DAG: #[[OFF:.*]] = #llvm.loop_unroll<disable = true>
// CHECK-DAG: #[[KEPT:.*]] = #llvm.loop_annotation<unroll = #[[OFF]]>
// CHECK-DAG: #[[OWN:.*]] = #llvm.loop_annotation<mustProgress = true>
#own = #llvm.loop_annotation<mustProgress = true>

// The product is in the inner loop; both are kept.
// CHECK-LABEL: llvm.func @nested
llvm.func @nested(%t: i32, %c: i1) {
  llvm.br ^bb1
^bb1:
  llvm.br ^bb2
^bb2:
  llvm.cond_br %c, ^bb3, ^bb4
^bb3:
  llvm.inline_asm has_side_effects "{ tcgen05.mma.cta_group::1.kind::f16 [$0]; }", "r" %t : (i32) -> ()
  llvm.br ^bb4
^bb4:
  // CHECK: llvm.cond_br %{{.*}}, ^bb2, ^bb5 {loop_annotation = #[[KEPT]]}
  llvm.cond_br %c, ^bb2, ^bb5
^bb5:
  // CHECK: llvm.cond_br %{{.*}}, ^bb1, ^bb6 {loop_annotation = #[[KEPT]]}
  llvm.cond_br %c, ^bb1, ^bb6
^bb6:
  // CHECK: ^bb6:
  // CHECK-NEXT: llvm.cond_br %{{.*}}, ^bb6, ^bb7{{$}}
  llvm.cond_br %c, ^bb6, ^bb7
^bb7:
  llvm.return
}

// CHECK-LABEL: llvm.func @own
llvm.func @own(%t: i32, %c: i1) {
  llvm.br ^bb1
^bb1:
  llvm.inline_asm has_side_effects "{ tcgen05.mma.cta_group::1.kind::f16 [$0]; }", "r" %t : (i32) -> ()
  // CHECK: llvm.cond_br %{{.*}}, ^bb1, ^bb2 {loop_annotation = #[[OWN]]}
  llvm.cond_br %c, ^bb1, ^bb2 {loop_annotation = #own}
^bb2:
  llvm.return
}

// CHECK-LABEL: llvm.func @other
llvm.func @other(%c: i1) {
  llvm.br ^bb1
^bb1:
  // CHECK: llvm.cond_br %{{.*}}, ^bb1, ^bb2{{$}}
  llvm.cond_br %c, ^bb1, ^bb2
^bb2:
  llvm.return
}
