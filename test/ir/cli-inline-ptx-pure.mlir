// What LLVM may assume of inline PTX. Without side effects it is a function of its operands: made once, although memory is written in between.
// With side effects, or where it may read memory, it stays where it is, as often as it is written. What names .sync stays among all threads.
// RUN: tessera compile %s --no-cache --arch sm_90a --emit ptx -o - | FileCheck %s
module attributes {gpu.container_module} {
  gpu.module @kernels {
    // CHECK-LABEL: .entry pure
    // CHECK: add.rn.f32
    // CHECK-NOT: add.rn.f32
    // CHECK-LABEL: .entry volatile
    // CHECK-COUNT-2: sqrt.rn.f32
    // CHECK-NOT: sqrt.rn.f32
    // CHECK-LABEL: .entry reads
    // CHECK-COUNT-2: ld.global.f32
    // CHECK-NOT: ld.global.f32
    // The threads meet before the branch, not in it.
    // CHECK-LABEL: .entry meets
    // CHECK: shfl.sync.bfly.b32
    // CHECK: bra
    // CHECK: st.global
    llvm.func @pure(%to: !llvm.ptr<1>, %a: f32, %b: f32) attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
      %x = llvm.inline_asm "add.rn.f32 $0, $1, $2;", "=f,f,f" %a, %b : (f32, f32) -> f32
      llvm.store %x, %to : f32, !llvm.ptr<1>
      %y = llvm.inline_asm "add.rn.f32 $0, $1, $2;", "=f,f,f" %a, %b : (f32, f32) -> f32
      %at = llvm.getelementptr %to[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
      llvm.store %y, %at : f32, !llvm.ptr<1>
      llvm.return
    }
    llvm.func @volatile(%to: !llvm.ptr<1>, %a: f32) attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
      %x = llvm.inline_asm has_side_effects "sqrt.rn.f32 $0, $1;", "=f,f" %a : (f32) -> f32
      %y = llvm.inline_asm has_side_effects "sqrt.rn.f32 $0, $1;", "=f,f" %a : (f32) -> f32
      %sum = llvm.fadd %x, %y : f32
      llvm.store %sum, %to : f32, !llvm.ptr<1>
      llvm.return
    }
    llvm.func @reads(%to: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
      %x = llvm.inline_asm "ld.global.f32 $0, [$1];", "=f,l,~{memory}" %to : (!llvm.ptr<1>) -> f32
      llvm.store %x, %to : f32, !llvm.ptr<1>
      %y = llvm.inline_asm "ld.global.f32 $0, [$1];", "=f,l,~{memory}" %to : (!llvm.ptr<1>) -> f32
      %at = llvm.getelementptr %to[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
      llvm.store %y, %at : f32, !llvm.ptr<1>
      llvm.return
    }
    llvm.func @meets(%to: !llvm.ptr<1>, %a: i32, %if: i1) attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
      %lane = nvvm.read.ptx.sreg.laneid : i32
      %mine = llvm.add %a, %lane : i32
      %x = llvm.inline_asm "shfl.sync.bfly.b32 $0, $1, 1, 0x1f, 0xffffffff;", "=r,r" %mine : (i32) -> i32
      %c3 = llvm.mlir.constant(3 : i32) : i32
      %isFew = llvm.icmp "ult" %lane, %c3 : i32
      llvm.cond_br %isFew, ^few, ^all
    ^few:
      llvm.store %x, %to : i32, !llvm.ptr<1>
      llvm.br ^all
    ^all:
      llvm.return
    }
  }
}
