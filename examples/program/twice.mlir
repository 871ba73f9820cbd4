// A kernel that doubles 256 numbers, and the host function that launches it; the example of the README.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!row = !cute.memref<f32, gmem, "(?):(1)">
module attributes {gpu.container_module} {
  gpu.module @kernels {
    cuda.kernel @twice(%x: !row, %y: !row) attributes {cute.kernel} {
      %thread = nvvm.read.ptx.sreg.tid.x : i32
      %at = cute.make_coord(%thread) : (i32) -> !cute.coord<"?">
      %a = cute.memref.load(%x, %at) : (!row, !cute.coord<"?">) -> f32
      %b = arith.addf %a, %a : f32
      cute.memref.store(%y, %at, %b) : (!row, !cute.coord<"?">, f32) -> ()
      return
    }
  }
  func.func @main(%x: !row, %y: !row, %stream: !cuda.stream) -> i32 {
    %one = arith.constant 1 : i32
    %threads = arith.constant 256 : i32
    %smem = arith.constant 0 : i64
    %config = cuda.launch_cfg.create<max_attrs = 2 : i32> (blockDim = (%threads, %one, %one), dynamicSmemBytes = %smem, gridDim = (%one, %one, %one), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 2>
    %launched = cuda.launch_ex @kernels::@twice<%config> (%x, %y) : !cuda.launch_cfg<max_attrs = 2>, (!row, !row) -> !cuda.result
    %code = cuda.cast %launched : !cuda.result -> i32
    return %code : i32
  }
}
