// Orders and scopes of `llvm.atomicrmw` reach the PTX, orders as fences: LLVM writes a relaxed `atom` of the device. Where no scope
// is said it is the system (LLVM Language Reference, atomic memory ordering constraints).
// RUN: tessera compile %s --arch sm_80 --no-line-info --no-cache | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: .entry k(
  // CHECK: fence.acq_rel.gpu;
  // CHECK: atom.{{.*}}add.u32
  // CHECK-NEXT: fence.acq_rel.gpu;
  // CHECK-NEXT: fence.acq_rel.sys;
  // CHECK: atom.relaxed.sys.global.xor.b32
  // CHECK: atom.{{.*}}max.u32
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
  // CHECK-LABEL: .entry scopes(
  // CHECK: atom.relaxed.sys.global.add.u32
  // CHECK: atom.relaxed.sys.global.add.u32
  // CHECK: atom.relaxed.sys.add.u64
  // CHECK: atom.relaxed.sys.shared.add.f32
  // CHECK: atom.relaxed.sys.global.add.noftz.f16
  // CHECK: atom.global.add.u32
  // CHECK: atom.relaxed.sys.global.cas.b32
  llvm.func @scopes(%p: !llvm.ptr<1>, %g: !llvm.ptr, %s: !llvm.ptr<3>, %x: i32, %w: i64, %f: f32, %h: f16) attributes {gpu.kernel, nvvm.kernel} {
    %0 = llvm.atomicrmw add %p, %x monotonic : !llvm.ptr<1>, i32
    %1 = llvm.atomicrmw sub %p, %0 monotonic : !llvm.ptr<1>, i32
    %2 = llvm.atomicrmw add %g, %w monotonic : !llvm.ptr, i64
    %3 = llvm.atomicrmw fadd %s, %f monotonic : !llvm.ptr<3>, f32
    %4 = llvm.atomicrmw fadd %p, %h monotonic : !llvm.ptr<1>, f16
    %5 = llvm.atomicrmw add %p, %1 syncscope("device") monotonic : !llvm.ptr<1>, i32
    %6 = llvm.atomicrmw nand %g, %5 monotonic : !llvm.ptr, i32
    llvm.store %6, %p : i32, !llvm.ptr<1>
    llvm.return
  }
}
