// LLVM makes an intrinsic of every function with the name of one, so a call of it by name needs what the intrinsic needs, as does an address taken.
// RUN: tessera-opt %s --split-input-file --tessera-check-target=arch=sm_70 --verify-diagnostics -o /dev/null

gpu.module @called {
  llvm.func @llvm.nvvm.wgmma.fence.sync.aligned()
  llvm.func @llvm.nvvm.cp.async.commit.group()
  llvm.func @llvm.nvvm.cp.async.bulk.commit.group()
  cuda.kernel @k() attributes {cute.kernel} {
    // expected-error @+1 {{'llvm.call' op wgmma needs sm_90a, but the target is sm_70}}
    llvm.call @llvm.nvvm.wgmma.fence.sync.aligned() : () -> ()
    // expected-error @+1 {{'llvm.call' op cp.async needs sm_80 or later, but the target is sm_70}}
    llvm.call @llvm.nvvm.cp.async.commit.group() : () -> ()
    // expected-error @+1 {{'llvm.call' op cp.async.bulk needs sm_90 or later, but the target is sm_70}}
    llvm.call @llvm.nvvm.cp.async.bulk.commit.group() : () -> ()
    return
  }
}

// -----

gpu.module @called_by_func {
  func.func private @llvm.nvvm.wgmma.fence.sync.aligned()
  cuda.kernel @k() attributes {cute.kernel} {
    // expected-error @+1 {{'func.call' op wgmma needs sm_90a, but the target is sm_70}}
    func.call @llvm.nvvm.wgmma.fence.sync.aligned() : () -> ()
    // expected-error @+1 {{'func.constant' op wgmma needs sm_90a, but the target is sm_70}}
    %0 = func.constant @llvm.nvvm.wgmma.fence.sync.aligned : () -> ()
    return
  }
}

// -----

// In what a kernel calls, and in an initial value.
gpu.module @elsewhere {
  llvm.func @llvm.nvvm.wgmma.fence.sync.aligned()
  llvm.mlir.global internal constant @table() : !llvm.ptr {
    // expected-error @+1 {{'llvm.mlir.addressof' op wgmma needs sm_90a, but the target is sm_70}}
    %0 = llvm.mlir.addressof @llvm.nvvm.wgmma.fence.sync.aligned : !llvm.ptr
    llvm.return %0 : !llvm.ptr
  }
  llvm.func @helper() {
    // expected-error @+1 {{'llvm.mlir.addressof' op wgmma needs sm_90a, but the target is sm_70}}
    %0 = llvm.mlir.addressof @llvm.nvvm.wgmma.fence.sync.aligned : !llvm.ptr
    llvm.call %0() : !llvm.ptr, () -> ()
    llvm.return
  }
}

// -----

// What has no row is an error that can be allowed; a name that LLVM does not know cannot be.
gpu.module @unknown {
  llvm.func @llvm.nvvm.tcgen05.fence.before.thread.sync()
  llvm.func @llvm.nvvm.tanh.approx.f32(f32) -> f32
  llvm.func @llvm.exp.f32(f32) -> f32
  cuda.kernel @k(%x: f32) attributes {cute.kernel} {
    // expected-error @+1 {{'llvm.call' op the intrinsic 'llvm.nvvm.tcgen05.fence.before.thread.sync' is in no row of the table of ops}}
    llvm.call @llvm.nvvm.tcgen05.fence.before.thread.sync() : () -> ()
    // expected-warning @+1 {{'llvm.call' op the intrinsic 'llvm.nvvm.tcgen05.fence.before.thread.sync' is in no row of the table of ops}}
    llvm.call @llvm.nvvm.tcgen05.fence.before.thread.sync() {tessera.allow_unlisted_ptx} : () -> ()
    // expected-error @+1 {{'llvm.call' op names 'llvm.nvvm.tanh.approx.f32', an intrinsic that LLVM}}
    %0 = llvm.call @llvm.nvvm.tanh.approx.f32(%x) : (f32) -> f32
    // expected-error @+1 {{'llvm.call' op names 'llvm.nvvm.tanh.approx.f32', an intrinsic that LLVM}}
    %1 = llvm.call @llvm.nvvm.tanh.approx.f32(%x) {tessera.allow_unlisted_ptx} : (f32) -> f32
    // expected-error @+1 {{'llvm.call_intrinsic' op names 'llvm.nvvm.warp.drive', an intrinsic that LLVM}}
    %2 = llvm.call_intrinsic "llvm.nvvm.warp.drive"(%x) : (f32) -> f32
    // The back end has no code for it.
    // expected-error @+1 {{'llvm.call' op the intrinsic 'llvm.exp.f32' is in no row of the table of ops}}
    %3 = llvm.call @llvm.exp.f32(%x) : (f32) -> f32
    return
  }
}

// -----

// What sm_70 has passes, called either way, and so do functions of other names.
gpu.module @good {
  llvm.func @llvm.nvvm.fmax.f(f32, f32) -> f32
  llvm.func @llvm.nvvm.read.ptx.sreg.tid.x() -> i32
  llvm.func @llvm.nvvm.read.ptx.sreg.warpsize() -> i32
  llvm.func @llvm.fma.f32(f32, f32, f32) -> f32
  llvm.func @llvm.memcpy.p0.p0.i64(!llvm.ptr, !llvm.ptr, i64, i1)
  llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
  llvm.func @llvmish()
  cuda.kernel @k(%x: f32, %p: !llvm.ptr, %n: i64, %c: i1) attributes {cute.kernel} {
    %0 = llvm.call @llvm.nvvm.fmax.f(%x, %x) : (f32, f32) -> f32
    %1 = llvm.call @llvm.nvvm.read.ptx.sreg.tid.x() : () -> i32
    %2 = llvm.call @llvm.nvvm.read.ptx.sreg.warpsize() : () -> i32
    %3 = llvm.call @llvm.fma.f32(%x, %x, %x) : (f32, f32, f32) -> f32
    %4 = llvm.call_intrinsic "llvm.fma.f32"(%x, %x, %x) : (f32, f32, f32) -> f32
    llvm.call @llvm.memcpy.p0.p0.i64(%p, %p, %n, %c) : (!llvm.ptr, !llvm.ptr, i64, i1) -> ()
    %5 = llvm.call @vprintf(%p, %p) : (!llvm.ptr, !llvm.ptr) -> i32
    llvm.call @llvmish() : () -> ()
    return
  }
}

// -----

// Host code is not looked at.
llvm.func @llvm.nvvm.wgmma.fence.sync.aligned()
func.func @host() {
  llvm.call @llvm.nvvm.wgmma.fence.sync.aligned() : () -> ()
  return
}
