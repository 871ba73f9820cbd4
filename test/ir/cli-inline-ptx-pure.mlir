// What LLVM may assume of inline PTX. Instructions that only compute are a function of their operands: made once, although memory is written in
// between. With side effects, or where they read memory, clocks or a carry, they stay as often as they are written. What is not such a function stays
// among all threads.
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
    // CHECK-LABEL: .entry clocks
    // CHECK-COUNT-2: %clock
    // CHECK-NOT: %clock
    // CHECK-LABEL: .entry carries
    // CHECK: add.cc.u32
    // CHECK: addc.u32
    // CHECK: add.cc.u32
    // CHECK: addc.u32
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
      %x = llvm.inline_asm "ld.global.f32 $0, [$1];", "=f,l" %to : (!llvm.ptr<1>) -> f32
      llvm.store %x, %to : f32, !llvm.ptr<1>
      %y = llvm.inline_asm "ld.global.f32 $0, [$1];", "=f,l" %to : (!llvm.ptr<1>) -> f32
      %at = llvm.getelementptr %to[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
      llvm.store %y, %at : f32, !llvm.ptr<1>
      llvm.return
    }
    llvm.func @clocks(%to: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
      %x = llvm.inline_asm "mov.u32 $0, %clock;", "=r" : () -> i32
      %y = llvm.inline_asm "mov.u32 $0, %clock;", "=r" : () -> i32
      %passed = llvm.sub %y, %x : i32
      llvm.store %passed, %to : i32, !llvm.ptr<1>
      llvm.return
    }
    llvm.func @carries(%to: !llvm.ptr<1>, %a: i32, %b: i32) attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
      %c1 = llvm.mlir.constant(1 : i32) : i32
      %low = llvm.inline_asm "add.cc.u32 $0, $1, $2;", "=r,r,r" %a, %b : (i32, i32) -> i32
      %carry = llvm.inline_asm "addc.u32 $0, 0, 0;", "=r" : () -> i32
      %low2 = llvm.inline_asm "add.cc.u32 $0, $1, $2;", "=r,r,r" %a, %c1 : (i32, i32) -> i32
      %carry2 = llvm.inline_asm "addc.u32 $0, 0, 0;", "=r" : () -> i32
      %s0 = llvm.add %low, %carry : i32
      %s1 = llvm.add %low2, %carry2 : i32
      %s2 = llvm.mul %s0, %s1 : i32
      llvm.store %s2, %to : i32, !llvm.ptr<1>
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
