// Functions of the runtime that a file has as something else: without a result the call had no value, and the pass did not end.
// RUN: tessera-opt %s --split-input-file --convert-cute-to-llvm --convert-cuda-host-to-llvm --verify-diagnostics -o /dev/null

// expected-error @+1 {{'tessera_rt_launch_config' is a function of the runtime, of type '!llvm.func<void (ptr, i32, i32, i32, i64, i32, i32, i32, ptr, i32)>', which a file may not define or declare as something else; choose another name}}
llvm.func @tessera_rt_launch_config(!llvm.ptr) -> i32
func.func @host(%stream: !cuda.stream) {
  %c1 = arith.constant 1 : i32
  %z = arith.constant 0 : i64
  // expected-error @+1 {{failed to legalize}}
  %cfg = cuda.launch_cfg.create<max_attrs = 1 : i32> (blockDim = (%c1, %c1, %c1), dynamicSmemBytes = %z, gridDim = (%c1, %c1, %c1), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 1>
  return
}

// -----

// expected-error @+1 {{'tessera_rt_launch_config' is a function of the runtime}}
llvm.mlir.global external @tessera_rt_launch_config(0 : i32) : i32
func.func @host(%stream: !cuda.stream) {
  %c1 = arith.constant 1 : i32
  %z = arith.constant 0 : i64
  // expected-error @+1 {{failed to legalize}}
  %cfg = cuda.launch_cfg.create<max_attrs = 1 : i32> (blockDim = (%c1, %c1, %c1), dynamicSmemBytes = %z, gridDim = (%c1, %c1, %c1), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 1>
  return
}
