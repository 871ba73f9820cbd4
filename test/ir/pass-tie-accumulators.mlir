// RUN: tessera-opt %s --tie-group-accumulators | FileCheck %s
// After a wait, what was written to the accumulators goes through an empty instruction, one operand a register; so does what other code wrote,
// before the fence. Other memory does not.

!two = !llvm.struct<(f32, f32)>

// CHECK-LABEL: llvm.func @product
llvm.func @product(%desc: i64, %go: i1) -> f32 {
  %one = llvm.mlir.constant(1 : i32) : i32
  %sums = llvm.alloca %one x !llvm.array<2 x f32> : (i32) -> !llvm.ptr
  %other = llvm.alloca %one x f32 : (i32) -> !llvm.ptr
  %second = llvm.getelementptr %sums[1] : (!llvm.ptr) -> !llvm.ptr, f32
  %c0 = llvm.load %sums : !llvm.ptr -> f32
  %c1 = llvm.load %second : !llvm.ptr -> f32
  %d = llvm.inline_asm has_side_effects "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {$0, $1}, $4, $4, $5, 1, 1;",
      "=&f,=&f,0,1,l,b" %c0, %c1, %desc, %go : (f32, f32, i64, i1) -> !two
  %d0 = llvm.extractvalue %d[0] : !two
  %d1 = llvm.extractvalue %d[1] : !two
  llvm.store %d0, %sums : f32, !llvm.ptr
  llvm.store %d1, %second : f32, !llvm.ptr
  llvm.store %c0, %other : f32, !llvm.ptr
  // CHECK: nvvm.wgmma.wait.group.sync.aligned 0
  // CHECK-NEXT: [[AT0:%.*]] = llvm.getelementptr [[SUMS:%.*]][0] : (!llvm.ptr) -> !llvm.ptr, i8
  // CHECK-NEXT: [[V0:%.*]] = llvm.load [[AT0]] : !llvm.ptr -> f32
  // CHECK-NEXT: [[AT1:%.*]] = llvm.getelementptr [[SUMS]][4] : (!llvm.ptr) -> !llvm.ptr, i8
  // CHECK-NEXT: [[V1:%.*]] = llvm.load [[AT1]] : !llvm.ptr -> f32
  // CHECK-NEXT: [[TIED:%.*]] = llvm.inline_asm has_side_effects {{.*}}"", "=f,=f,0,1" [[V0]], [[V1]]
  // CHECK-NEXT: [[T0:%.*]] = llvm.extractvalue [[TIED]][0]
  // CHECK-NEXT: llvm.store [[T0]], [[AT0]]
  // CHECK-NEXT: [[T1:%.*]] = llvm.extractvalue [[TIED]][1]
  // CHECK-NEXT: llvm.store [[T1]], [[AT1]]
  // CHECK-NEXT: llvm.load
  nvvm.wgmma.wait.group.sync.aligned 0
  %result = llvm.load %second : !llvm.ptr -> f32
  llvm.return %result : f32
}

// A wait where there was no product of this function, or before its accumulators exist, stays alone.
// CHECK-LABEL: llvm.func @none
// CHECK-NEXT: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-NEXT: llvm.return
llvm.func @none() {
  nvvm.wgmma.wait.group.sync.aligned 0
  llvm.return
}

// In a loop whose only reader is the next product nothing is tied; what is read after the loop is, at the wait before it.
// CHECK-LABEL: llvm.func @loop
// CHECK: nvvm.wgmma.wait.group.sync.aligned 1
// CHECK-NEXT: llvm.cond_br
// CHECK: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK: llvm.inline_asm has_side_effects {{.*}}"", "=f,0"
// CHECK: llvm.return
llvm.func @loop(%desc: i64, %go: i1) -> f32 {
  %one = llvm.mlir.constant(1 : i32) : i32
  %sums = llvm.alloca %one x f32 : (i32) -> !llvm.ptr
  llvm.br ^more
^more:
  %c = llvm.load %sums : !llvm.ptr -> f32
  %d = llvm.inline_asm has_side_effects "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {$0, $1}, $3, $3, $4, 1, 1;",
      "=&f,=&f,0,l,b" %c, %desc, %go : (f32, i64, i1) -> !two
  %d0 = llvm.extractvalue %d[0] : !two
  llvm.store %d0, %sums : f32, !llvm.ptr
  nvvm.wgmma.wait.group.sync.aligned 1
  llvm.cond_br %go, ^more, ^done
^done:
  nvvm.wgmma.wait.group.sync.aligned 0
  %result = llvm.load %sums : !llvm.ptr -> f32
  llvm.return %result : f32
}

// A read at an index of the run, of the pointer as a view carries it, and through a pointer that nothing is known of: tied too.
// CHECK-LABEL: llvm.func @ways
// CHECK-COUNT-3: "", "=f,0"
// CHECK: llvm.return
llvm.func @ways(%desc: i64, %go: i1, %i: i64) -> f32 {
  %one = llvm.mlir.constant(1 : i32) : i32
  %sums = llvm.alloca %one x f32 : (i32) -> !llvm.ptr
  %c = llvm.load %sums : !llvm.ptr -> f32
  %d = llvm.inline_asm has_side_effects "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {$0, $1}, $3, $3, $4, 1, 1;",
      "=&f,=&f,0,l,b" %c, %desc, %go : (f32, i64, i1) -> !two
  %d0 = llvm.extractvalue %d[0] : !two
  llvm.store %d0, %sums : f32, !llvm.ptr
  %none = llvm.mlir.undef : !llvm.struct<(ptr, struct<(i32)>)>
  %view = llvm.insertvalue %sums, %none[0] : !llvm.struct<(ptr, struct<(i32)>)>
  %whole = llvm.insertvalue %one, %view[1, 0] : !llvm.struct<(ptr, struct<(i32)>)>
  %carried = llvm.extractvalue %whole[0] : !llvm.struct<(ptr, struct<(i32)>)>
  nvvm.wgmma.wait.group.sync.aligned 0
  %at = llvm.getelementptr %sums[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %x = llvm.load %at : !llvm.ptr -> f32
  nvvm.wgmma.wait.group.sync.aligned 0
  %y = llvm.load %carried : !llvm.ptr -> f32
  llvm.br ^then(%carried : !llvm.ptr)
^then(%unknown: !llvm.ptr):
  nvvm.wgmma.wait.group.sync.aligned 0
  %z = llvm.load %unknown : !llvm.ptr -> f32
  %xy = llvm.fadd %x, %y : f32
  %xyz = llvm.fadd %xy, %z : f32
  llvm.return %xyz : f32
}

// Zeros before the fence: they go through the instruction before it, though the products are in a branch after it. The branch has a fence
// of its own, where ptxas wants it.
// CHECK-LABEL: llvm.func @zeros
// CHECK: llvm.store %{{.*}}, [[SUMS:%.*]] : f32, !llvm.ptr
// CHECK: [[TIED:%.*]] = llvm.inline_asm has_side_effects {{.*}}"", "=f,0"
// CHECK-NEXT: llvm.store [[TIED]],
// CHECK-NEXT: nvvm.wgmma.fence.aligned
// CHECK-NEXT: llvm.cond_br
// CHECK: nvvm.wgmma.fence.aligned
// CHECK-NEXT: wgmma.mma_async
// CHECK-NOT: nvvm.wgmma.fence
llvm.func @zeros(%desc: i64, %go: i1) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %sums = llvm.alloca %one x f32 : (i32) -> !llvm.ptr
  llvm.store %zero, %sums : f32, !llvm.ptr
  nvvm.wgmma.fence.aligned
  llvm.cond_br %go, ^some, ^done
^some:
  %c = llvm.load %sums : !llvm.ptr -> f32
  %d = llvm.inline_asm has_side_effects "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {$0, $1}, $3, $3, $4, 1, 1;",
      "=&f,=&f,0,l,b" %c, %desc, %go : (f32, i64, i1) -> !two
  %d0 = llvm.extractvalue %d[0] : !two
  llvm.store %d0, %sums : f32, !llvm.ptr
  llvm.br ^done
^done:
  llvm.return
}

// A from registers: what writes it ends before the fence of its block, once for each turn of the loop. A store elsewhere is not tied, and
// neither is what the product itself writes.
// CHECK-LABEL: llvm.func @registers
// CHECK-NOT: ""
// CHECK: ^bb1
// CHECK: llvm.store
// CHECK: llvm.inline_asm has_side_effects {{.*}}"", "=r,0"
// CHECK-NEXT: llvm.store
// CHECK-NEXT: nvvm.wgmma.fence.aligned
// CHECK-NOT: ""
// CHECK: llvm.return
llvm.func @registers(%desc: i64, %go: i1, %word: i32) {
  %one = llvm.mlir.constant(1 : i32) : i32
  %a = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
  %other = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
  llvm.br ^more
^more:
  llvm.store %word, %other : i32, !llvm.ptr
  llvm.store %word, %a : i32, !llvm.ptr
  nvvm.wgmma.fence.aligned
  %w = llvm.load %a : !llvm.ptr -> i32
  %d = llvm.inline_asm has_side_effects "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1}, $2, $3, $4, 1, 1;",
      "=&f,=&f,r,l,b" %w, %desc, %go : (i32, i64, i1) -> !two
  %d0 = llvm.extractvalue %d[0] : !two
  llvm.store %d0, %other : f32, !llvm.ptr
  llvm.cond_br %go, ^more, ^done
^done:
  llvm.return
}

// What stands before the instruction in its text hides it from nobody: a comment, braces with a declaration. Zeros before a fence elsewhere
// and the read after the wait are tied, and the product has its fence.
// CHECK-LABEL: llvm.func @commented
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr
// CHECK-NEXT: llvm.getelementptr
// CHECK-NEXT: llvm.load
// CHECK-NEXT: llvm.inline_asm has_side_effects {{.*}}"", "=f,0"
// CHECK: nvvm.wgmma.fence.aligned
// CHECK-NEXT: llvm.inline_asm has_side_effects "// a product
// CHECK: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-NEXT: llvm.getelementptr
// CHECK-NEXT: llvm.load
// CHECK-NEXT: llvm.inline_asm has_side_effects {{.*}}"", "=f,0"
llvm.func @commented(%desc: i64, %go: i1) -> f32 {
  %one = llvm.mlir.constant(1 : i32) : i32
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %sums = llvm.alloca %one x f32 : (i32) -> !llvm.ptr
  llvm.store %zero, %sums : f32, !llvm.ptr
  llvm.br ^some
^some:
  %c = llvm.load %sums : !llvm.ptr -> f32
  %d = llvm.inline_asm has_side_effects "// a product\0A wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {$0, $1}, $3, $3, $4, 1, 1;",
      "=&f,=&f,0,l,b" %c, %desc, %go : (f32, i64, i1) -> !two
  %d0 = llvm.extractvalue %d[0] : !two
  llvm.store %d0, %sums : f32, !llvm.ptr
  nvvm.wgmma.wait.group.sync.aligned 0
  %result = llvm.load %sums : !llvm.ptr -> f32
  llvm.return %result : f32
}

// CHECK-LABEL: llvm.func @braces
// CHECK: nvvm.wgmma.fence.aligned
// CHECK-NEXT: llvm.inline_asm has_side_effects "{ .reg .pred p;
// CHECK: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-NEXT: llvm.getelementptr
// CHECK-NEXT: llvm.load
// CHECK-NEXT: llvm.inline_asm has_side_effects {{.*}}"", "=f,0"
llvm.func @braces(%desc: i64, %go: i32) -> f32 {
  %one = llvm.mlir.constant(1 : i32) : i32
  %sums = llvm.alloca %one x f32 : (i32) -> !llvm.ptr
  %c = llvm.load %sums : !llvm.ptr -> f32
  %d = llvm.inline_asm has_side_effects "{ .reg .pred p; setp.ne.b32 p, $4, 0; wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {$0, $1}, $3, $3, p, 1, 1; }",
      "=&f,=&f,0,l,r" %c, %desc, %go : (f32, i64, i32) -> !two
  %d0 = llvm.extractvalue %d[0] : !two
  llvm.store %d0, %sums : f32, !llvm.ptr
  nvvm.wgmma.wait.group.sync.aligned 0
  %result = llvm.load %sums : !llvm.ptr -> f32
  llvm.return %result : f32
}

// One that a comment only names is not a product.
// CHECK-LABEL: llvm.func @named
// CHECK-NOT: nvvm.wgmma.fence
// CHECK: llvm.return
llvm.func @named() {
  llvm.inline_asm has_side_effects "nanosleep.u32 1; // wgmma.mma_async comes later", "" : () -> ()
  llvm.return
}
