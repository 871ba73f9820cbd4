// Kernels that no GPU can launch: PTX ISA, .reqntid and .maxntid, and CUDA's limit for the threads of a block.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

gpu.module @m {
  // expected-error @+1 {{'cuda.kernel' op expects nvvm.reqntid to have extents of at least 1, and at most 1024 threads in all, but got array<i32: 2048, 1, 1>}}
  cuda.kernel @k() attributes {cute.kernel, nvvm.reqntid = array<i32: 2048, 1, 1>} {
    return
  }
}

// -----

gpu.module @m {
  // expected-error @+1 {{expects nvvm.reqntid to have extents of at least 1, and at most 1024 threads in all, but got array<i32: 32, 0, 1>}}
  cuda.kernel @k() attributes {cute.kernel, nvvm.reqntid = array<i32: 32, 0, 1>} {
    return
  }
}

// -----

gpu.module @m {
  // expected-error @+1 {{expects nvvm.maxntid to have extents of at least 1, and at most 1024 threads in all, but got array<i32: 32, 32, 2>}}
  cuda.kernel @k() attributes {cute.kernel, nvvm.maxntid = array<i32: 32, 32, 2>} {
    return
  }
}

// -----

gpu.module @m {
  cuda.kernel @k() attributes {cute.kernel, nvvm.reqntid = array<i32: 1024>, nvvm.maxntid = array<i32: 32, 32>} {
    return
  }
}
