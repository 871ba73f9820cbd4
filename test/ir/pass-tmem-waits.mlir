// Waits and fences of tensor memory, where the program has none; remarks say where.
// RUN: tessera-opt %s --tessera-tmem-waits | FileCheck %s
// RUN: tessera-opt %s --tessera-tmem-waits=remarks --verify-diagnostics -o /dev/null

// CHECK-LABEL: llvm.func @load
llvm.func @load(%t: i32) -> i32 {
  // CHECK: tcgen05.ld
  %x = llvm.inline_asm has_side_effects "tcgen05.ld.sync.aligned.32x32b.x1.b32 {$0}, [$1];", "=r,r" %t : (i32) -> i32
  // CHECK-NEXT: llvm.add
  %y = llvm.add %x, %x : i32
  // CHECK-NEXT: nvvm.tcgen05.wait <load>
  // CHECK-NEXT: nvvm.tcgen05.fence <before>
  // CHECK-NEXT: nvvm.barrier
  // expected-remark @+2 {{places tcgen05.wait::ld before this, as the program has none}}
  // expected-remark @+1 {{places tcgen05.fence::before_thread_sync before this, as the program has none}}
  nvvm.barrier
  // CHECK-NEXT: nvvm.barrier
  nvvm.barrier
  // CHECK-NEXT: nvvm.tcgen05.fence <after>
  // CHECK-NEXT: tcgen05.st
  // expected-remark @+1 {{places tcgen05.fence::after_thread_sync before this, as the program has none}}
  llvm.inline_asm has_side_effects "tcgen05.st.sync.aligned.32x32b.x1.b32 [$0], {$1};", "r,r" %t, %y : (i32, i32) -> ()
  // CHECK-NEXT: nvvm.tcgen05.wait <store>
  // CHECK-NEXT: nvvm.tcgen05.fence <before>
  // CHECK-NEXT: "bar.sync $0;"
  // expected-remark @+2 {{places tcgen05.wait::st before this, as the program has none}}
  // expected-remark @+1 {{places tcgen05.fence::before_thread_sync before this, as the program has none}}
  llvm.inline_asm has_side_effects "bar.sync $0;", "r" %t : (i32) -> ()
  llvm.return %y : i32
}

// What the program has stays alone.
// CHECK-LABEL: llvm.func @complete
llvm.func @complete(%t: i32) -> i32 {
  // CHECK: tcgen05.ld
  // CHECK-NEXT: nvvm.tcgen05.wait <load>
  // CHECK-NEXT: nvvm.tcgen05.fence <before>
  // CHECK-NEXT: nvvm.barrier
  // CHECK-NEXT: nvvm.tcgen05.fence <after>
  // CHECK-NEXT: tcgen05.ld
  // CHECK-NEXT: llvm.return
  %x = llvm.inline_asm has_side_effects "tcgen05.ld.sync.aligned.32x32b.x1.b32 {$0}, [$1];", "=r,r" %t : (i32) -> i32
  nvvm.tcgen05.wait <load>
  nvvm.tcgen05.fence <before>
  nvvm.barrier
  nvvm.tcgen05.fence <after>
  %y = llvm.inline_asm has_side_effects "tcgen05.ld.sync.aligned.32x32b.x1.b32 {$0}, [$1];", "=r,r" %t : (i32) -> i32
  llvm.return %y : i32
}

// A wait is for the whole warp: it stands where the load is, not where one lane arrives.
// CHECK-LABEL: llvm.func @elected
llvm.func @elected(%t: i32, %p: !llvm.ptr<3>) {
  // CHECK: tcgen05.ld
  // CHECK-NEXT: nvvm.elect.sync
  // CHECK-NEXT: nvvm.tcgen05.wait <load>
  // CHECK-NEXT: llvm.cond_br
  // CHECK: ^bb1:
  // CHECK-NEXT: nvvm.tcgen05.fence <before>
  // CHECK-NEXT: nvvm.mbarrier.arrive
  %x = llvm.inline_asm has_side_effects "tcgen05.ld.sync.aligned.32x32b.x1.b32 {$0}, [$1];", "=r,r" %t : (i32) -> i32
  %e = nvvm.elect.sync -> i1
  // expected-remark @+1 {{places tcgen05.wait::ld}}
  llvm.cond_br %e, ^bb1, ^bb2
^bb1:
  // expected-remark @+1 {{places tcgen05.fence::before_thread_sync}}
  %s = nvvm.mbarrier.arrive %p : !llvm.ptr<3> -> i64
  llvm.br ^bb2
^bb2:
  llvm.return
}

// Once on each path: a loop that loads and has nobody to tell gets its wait after it.
// CHECK-LABEL: llvm.func @loop
llvm.func @loop(%t: i32, %c: i1) {
  llvm.br ^bb1
^bb1:
  // CHECK: tcgen05.ld
  // CHECK-NEXT: nvvm.tcgen05.wait <load>
  // CHECK-NEXT: llvm.cond_br
  %x = llvm.inline_asm has_side_effects "tcgen05.ld.sync.aligned.32x32b.x1.b32 {$0}, [$1];", "=r,r" %t : (i32) -> i32
  // expected-remark @+1 {{places tcgen05.wait::ld}}
  llvm.cond_br %c, ^bb1, ^bb2
^bb2:
  // CHECK: nvvm.tcgen05.fence <before>
  // CHECK-NEXT: nvvm.cluster.arrive
  // expected-remark @+1 {{places tcgen05.fence::before_thread_sync}}
  nvvm.cluster.arrive
  llvm.return
}

// A product after a wait for its operands; the kernel ends without more.
// CHECK-LABEL: llvm.func @product
llvm.func @product(%t: i32, %p: !llvm.ptr<3>, %n: i32) {
  // CHECK: mbarrier.try_wait
  // CHECK-NEXT: nvvm.tcgen05.fence <after>
  // CHECK-NEXT: tcgen05.mma
  // CHECK-NEXT: tcgen05.mma
  // CHECK-NEXT: llvm.return
  llvm.inline_asm has_side_effects "{ .reg .pred P1; L: mbarrier.try_wait.parity.shared.b64 P1, [$0], $1; @!P1 bra L; }", "r,r" %p, %n : (!llvm.ptr<3>, i32) -> ()
  // expected-remark @+1 {{places tcgen05.fence::after_thread_sync}}
  llvm.inline_asm has_side_effects "tcgen05.mma.cta_group::1.kind::f16 [$0];", "r" %t : (i32) -> ()
  llvm.inline_asm has_side_effects "tcgen05.mma.cta_group::1.kind::f16 [$0];", "r" %t : (i32) -> ()
  llvm.return
}

// CHECK-LABEL: llvm.func @none
llvm.func @none() {
  // CHECK-NEXT: nvvm.barrier
  // CHECK-NEXT: llvm.return
  nvvm.barrier
  llvm.return
}

// An instruction of tensor memory that the pass has no row for may read it, and others may be told.
// CHECK-LABEL: llvm.func @unknown
llvm.func @unknown(%t: i32, %y: i32) {
  // CHECK: tcgen05.st
  // CHECK-NEXT: nvvm.tcgen05.wait <store>
  // CHECK-NEXT: tcgen05.later
  llvm.inline_asm has_side_effects "tcgen05.st.sync.aligned.32x32b.x1.b32 [$0], {$1};", "r,r" %t, %y : (i32, i32) -> ()
  // expected-remark @+1 {{places tcgen05.wait::st before this, as the program has none}}
  llvm.inline_asm has_side_effects "tcgen05.later.b32 [$0];", "r" %t : (i32) -> ()
  llvm.return
}
