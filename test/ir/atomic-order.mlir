// Orders of `llvm.atomicrmw` reach the PTX, as fences: LLVM writes a relaxed `atom`.
// RUN: tessera compile %s --arch sm_80 --no-line-info --no-cache | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: .entry k(
  // CHECK: fence.acq_rel.gpu;
  // CHECK: atom.{{.*}}add.u32
  // CHECK-NEXT: fence.acq_rel.gpu;
  // CHECK-NEXT: fence.acq_rel.sys;
  // CHECK-NEXT: atom.{{.*}}xor.b32
  // CHECK-NEXT: atom.{{.*}}max.u32
  // CHECK-NEXT: fence.acq_rel.cta;
  // CHECK-NEXT: fence.sc.gpu;
  // CHECK-NEXT: atom.{{.*}}exch.b32
  // CHECK-NEXT: fence.sc.gpu;
  // CHECK-NEXT: atom.{{.*}}and.b32
  // CHECK-NOT: fence
  llvm.func @k(%p: !llvm.ptr<1>, %x: i32) attributes {gpu.kernel, nvvm.kernel} {
    %0 = llvm.atomicrmw add %p, %x syncscope("device") acq_rel : !llvm.ptr<1>, i32
    %1 = llvm.atomicrmw _xor %p, %0 release : !llvm.ptr<1>, i32
    %2 = llvm.atomicrmw umax %p, %1 syncscope("block") acquire : !llvm.ptr<1>, i32
    %3 = llvm.atomicrmw xchg %p, %2 syncscope("device") seq_cst : !llvm.ptr<1>, i32
    %4 = llvm.atomicrmw _and %p, %3 syncscope("device") monotonic : !llvm.ptr<1>, i32
    llvm.store %4, %p : i32, !llvm.ptr<1>
    llvm.return
  }
}
