// What level 1 refuses is compiled at level 0, which says why it cannot, once.
// RUN: tessera-opt %s --tessera-lower-tiles=arch=sm_90a --split-input-file --verify-diagnostics

cuda_tile.module @unknown {
  entry @k() {
    // expected-error @below {{'cuda_tile.testing$bytecode_test_new_attribute' op is not compiled yet; the interpreter of tile programs runs it}}
    testing$bytecode_test_new_attribute
    return
  }
}

// -----

cuda_tile.module @global {
  entry @k() {
    // expected-error @below {{'cuda_tile.alloca' op asks for memory that other tile blocks see, which launchers of tile programs do not give to kernels; pass a pointer to memory of the caller, or leave global out if no other tile block needs it}}
    %p = alloca num_elem = 4, alignment = 16 global : tile<ptr<f32>>
    return
  }
}

// -----

cuda_tile.module @large {
  entry @k() {
    // expected-error @below {{'cuda_tile.constant' op makes a tile of 262144 elements, but the compiler takes at most 131072; cut the tile into smaller ones}}
    %c = constant <f32: 1.0> : tile<262144xf32>
    return
  }
}

// -----

// In a combiner whose order counts, level 0 makes the reduction, and refuses the op.
cuda_tile.module @combiner {
  entry @k() {
    %c = constant <f64: 1.0> : tile<64xf64>
    %r = reduce %c dim=0 identities=[0.000000e+00 : f64] : tile<64xf64> -> tile<f64>
    (%a: tile<f64>, %b: tile<f64>) {
      // expected-error @below {{'cuda_tile.iota' op makes a tile of 128 elements in the region of cuda_tile.reduce, where each thread has the tile for itself and at most 64 elements of it; cut the tile into smaller ones}}
      %i = iota : tile<128xi32>
      %e = exp %a : tile<f64>
      %s = addf %e, %b : tile<f64>
      yield %s : tile<f64>
    }
    return
  }
}
