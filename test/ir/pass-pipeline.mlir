// The whole pipeline on a small kernel and its launch: y[i] = 2 x[i], 128 threads, 4 floats each.
// RUN: tessera-opt %s --tessera-lower=arch=sm_80 | FileCheck %s
// RUN: tessera-opt %s --tessera-lower=arch=sm_80 | FileCheck %s --check-prefix=NONE
// RUN: tessera compile %s --arch sm_80 | FileCheck %s --check-prefix=PTX
// RUN: tessera compile %s --arch sm_80 --emit llvm | FileCheck %s --check-prefix=LLVM
// NONE-NOT: cute
// NONE-NOT: cuda.
// NONE-NOT: unrealized_conversion_cast
// A tensor is its pointer and the struct of its dynamic leaves, here none.
// LLVM: define ptx_kernel void @scale({ ptr addrspace(1), { {}, {} } } %0, { ptr addrspace(1), { {}, {} } } %1)
// PTX: .target sm_80
// PTX: .entry scale(
// PTX: .reqntid 128
// Element 4 * tid is byte 16 * tid.
// PTX: ld.global{{.*}}.v4
// PTX: st.global{{.*}}.v4

!x = !cute.memref<f32, gmem, align<16>, "(4,128):(1,4)">
!r = !cute.memref<f32, rmem, align<16>, "(4):(1)">
!copy = !cute_nvgpu.atom.universal_copy<f32, 128 b>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    // CHECK: llvm.func @scale(%{{.*}}, %{{.*}}) attributes {{.*}}nvvm.kernel
    cuda.kernel @scale(%x: !x, %y: !x) attributes {cute.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
      // CHECK: nvvm.read.ptx.sreg.tid.x
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %c = cute.make_coord(%tid) : (i32) -> !cute.coord<"(_,?)">
      %xt = cute.slice(%x, %c) : !x, !cute.coord<"(_,?)">
      %yt = cute.slice(%y, %c) : !x, !cute.coord<"(_,?)">
      %r = cute.memref.alloca() : !r
      %atom = cute.make_atom() : () -> !copy
      cute.copy(%atom, %xt, %r) : (!copy, !cute.memref<f32, gmem, align<16>, "(4):(1)">, !r)
      %v = cute.memref.load_vec %r : !r
      %w = arith.addf %v, %v : vector<4xf32>
      cute.memref.store_vec %w, %r : !r
      cute.copy(%atom, %r, %yt) : (!copy, !r, !cute.memref<f32, gmem, align<16>, "(4):(1)">)
      return
    }
  }
  // CHECK: llvm.func @host(
  func.func @host(%x: !x, %y: !x, %stream: !cuda.stream) -> i32 {
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %z = arith.constant 0 : i64
    %cfg = cuda.launch_cfg.create<max_attrs = 1 : i32> (blockDim = (%c128, %c1, %c1), dynamicSmemBytes = %z, gridDim = (%c1, %c1, %c1), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 1>
    // CHECK: llvm.call @tessera_rt_launch(
    %r = cuda.launch_ex @kernels::@scale<%cfg> (%x, %y) : !cuda.launch_cfg<max_attrs = 1>, (!x, !x) -> !cuda.result
    %i = cuda.cast %r : !cuda.result -> i32
    cuda.return_if_error %i : i32
    return %i : i32
  }
}
