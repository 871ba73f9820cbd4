// Formats of numbers that MLIR and LLVM have and no GPU, alone and as parts of a type.
// RUN: tessera-opt %s --split-input-file --tessera-check-target=arch=sm_100a --verify-diagnostics -o /dev/null

gpu.module @formats {
  // expected-error @+1 {{'cuda.kernel' op argument 0: has the type 'f80', which no GPU computes with; use f64 or a smaller format; the attribute tessera.allow_unlisted_ptx lets it pass if the target does have it}}
  cuda.kernel @k(%x: f80) attributes {cute.kernel} {
    return
  }
  cuda.kernel @l(%p: !llvm.ptr<1>) attributes {cute.kernel} {
    // expected-error @+1 {{'llvm.load' op has the type 'f128', which no GPU computes with}}
    %0 = llvm.load %p : !llvm.ptr<1> -> !llvm.struct<(i32, f128)>
    // expected-error @+1 {{'llvm.mlir.undef' op has the type '!llvm.ppc_fp128', which no GPU computes with}}
    %1 = llvm.mlir.undef : vector<2x!llvm.ppc_fp128>
    %2 = llvm.mlir.undef : vector<2xf64>
    return
  }
}

// -----

gpu.module @allowed attributes {tessera.allow_unlisted_ptx} {
  // expected-warning @+1 {{argument 0: has the type 'f128', which no GPU computes with; use f64 or a smaller format (allowed)}}
  cuda.kernel @k(%x: f128) attributes {cute.kernel} {
    return
  }
}

// -----

// The host may have them.
func.func @host(%x: f80) {
  return
}
