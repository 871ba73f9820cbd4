// What becomes one value for each element is refused beyond a limit, not expanded forever.
// RUN: tessera-opt %s --cute-expand-ops --split-input-file --verify-diagnostics

func.func @f(%g: !cute.memref<f32, gmem, "(1000000000):(1)">) {
  // expected-error @+1 {{'cute.memref.load_vec' op expects a vector or tensor in registers of at most 65536 elements, but got 1000000000}}
  %v = cute.memref.load_vec %g : !cute.memref<f32, gmem, "(1000000000):(1)">
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'cute.memref.alloca' op expects a vector or tensor in registers of at most 65536 elements, but got 1000000000}}
  %r = cute.memref.alloca() : !cute.memref<f32, rmem, "(1000000000):(1)">
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'arith.constant' op expects a vector or tensor in registers of at most 65536 elements, but got 1000000000}}
  %c = arith.constant dense<0.0> : vector<1000000000xf32>
  return
}
