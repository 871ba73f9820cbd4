// A host function that computes with a bf16: what it rounds with has to be in the object.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    cuda.kernel @fill(%y: !cute.memref<bf16, gmem, align<16>, "?:1">, %number: bf16) attributes {cute.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
      %thread = nvvm.read.ptx.sreg.tid.x : i32
      %at = cute.make_int_tuple(%thread) : (i32) -> !cute.coord<"?">
      cute.memref.store(%y, %at, %number) : (!cute.memref<bf16, gmem, align<16>, "?:1">, !cute.coord<"?">, bf16) -> ()
      return
    }
  }
  func.func @square(%y: !cute.memref<bf16, gmem, align<16>, "?:1">, %number: bf16, %stream: !cuda.stream) -> i32 attributes {llvm.emit_c_interface} {
    %square = arith.mulf %number, %number : bf16
    %one = arith.constant 1 : i32
    %threads = arith.constant 32 : i32
    %smem = arith.constant 0 : i64
    %config = cuda.launch_cfg.create<max_attrs = 2 : i32> (blockDim = (%threads, %one, %one), dynamicSmemBytes = %smem, gridDim = (%one, %one, %one), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 2>
    %launched = cuda.launch_ex @kernels::@fill<%config> (%y, %square) : !cuda.launch_cfg<max_attrs = 2>, (!cute.memref<bf16, gmem, align<16>, "?:1">, bf16) -> !cuda.result
    %code = cuda.cast %launched : !cuda.result -> i32
    return %code : i32
  }
}
