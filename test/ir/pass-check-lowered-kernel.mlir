// The pipeline ends with --tessera-check-lowered: ops that no conversion knows are named with their places, each of them.
// RUN: tessera-opt %s --split-input-file --tessera-lower --verify-diagnostics

func.func @host(%x: f64, %p: !llvm.ptr) {
  // expected-error @+1 {{'math.cbrt' op is not lowered on ('f64') to ('f64'): this compiler has no code for it; write it with other ops}}
  %0 = math.cbrt %x : f64
  // expected-error @+1 {{'math.erf' op is not lowered on ('f64') to ('f64')}}
  %1 = math.erf %0 : f64
  llvm.store %1, %p : f64, !llvm.ptr
  return
}

// -----

// A function is not a value.
gpu.module @m {
  func.func @twice(%x: f32) -> f32 {
    return %x : f32
  }
  cuda.kernel @k(%x: f32, %p: !llvm.ptr) attributes {cute.kernel} {
    // expected-error @+1 {{'func.constant' op is not lowered: functions are called by name, with func.call}}
    %f = func.constant @twice : (f32) -> f32
    %y = func.call_indirect %f(%x) : (f32) -> f32
    llvm.store %y, %p : f32, !llvm.ptr
    return
  }
}
