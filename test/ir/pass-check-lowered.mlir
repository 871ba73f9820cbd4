// What no conversion takes is refused by name and place where lowering ends, and nothing of it passes silently.
// RUN: tessera-opt %s --split-input-file --tessera-check-lowered --verify-diagnostics

llvm.func @lowered(%x: i32) -> i32 {
  llvm.return %x : i32
}
gpu.module @m {
  llvm.func @kernel() attributes {nvvm.kernel} {
    %0 = nvvm.read.ptx.sreg.tid.x : i32
    llvm.return
  }
}

// -----

// Each op that is left, not only the first.
llvm.func @left(%x: f64, %p: !llvm.ptr) {
  // expected-error @+1 {{'math.acos' op is not lowered on ('f64') to ('f64'): this compiler has no code for it; write it with other ops}}
  %0 = math.acos %x : f64
  // expected-error @+1 {{'arith.addf' op is not lowered on ('f64', 'f64') to ('f64')}}
  %1 = arith.addf %0, %x : f64
  llvm.store %1, %p : f64, !llvm.ptr
  llvm.return
}

// -----

// A value that is taken in a type that it does not have.
llvm.func @cast(%x: i32, %p: !llvm.ptr) {
  // expected-error @+1 {{a value of ('i32') is not lowered to ('f32'), which 'llvm.store' takes: this compiler has no form of it in LLVM}}
  %0 = builtin.unrealized_conversion_cast %x : i32 to f32
  llvm.store %0, %p : f32, !llvm.ptr
  llvm.return
}
