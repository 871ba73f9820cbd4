// Ops of other dialects that have no form on a GPU are refused where they stand.
// RUN: tessera-opt %s --split-input-file --cute-expand-ops --convert-cute-to-llvm --verify-diagnostics

gpu.module @k {
  cuda.kernel @scalable(%v: vector<[4]xf32>) attributes {cute.kernel} {
    // expected-error @+1 {{'arith.addf' op expects vectors of a fixed length, but got 'vector<[4]xf32>'}}
    %0 = arith.addf %v, %v : vector<[4]xf32>
    return
  }
}

// -----

gpu.module @k {
  cuda.kernel @memory(%m: memref<4xf32>) attributes {cute.kernel} {
    %c = arith.constant 0 : index
    // expected-error @+1 {{'vector.load' op is not lowered: kernels have no memref; load and store with cute.memref.load_vec, cute.memref.store_vec or llvm.load}}
    %0 = vector.load %m[%c] : memref<4xf32>, vector<4xf32>
    return
  }
}

// -----

gpu.module @k {
  cuda.kernel @printed() attributes {cute.kernel} {
    %v = arith.constant dense<0> : vector<2xi128>
    // expected-error @+1 {{'vector.print' op expects integers of up to 64 bits or floats, but got 'vector<2xi128>'}}
    vector.print %v : vector<2xi128>
    return
  }
}

// -----

gpu.module @k {
  cuda.kernel @tensors() attributes {cute.kernel} {
    %c = arith.constant dense<0> : tensor<4xi32>
    %c4 = arith.constant 4 : index
    // expected-error @+1 {{'scf.forall' op expects no shared tensors: write to memory in the loop}}
    %r = scf.forall (%i) in (%c4) shared_outs(%o = %c) -> (tensor<4xi32>) {
      scf.forall.in_parallel { }
    }
    return
  }
}

// -----

gpu.module @k {
  cuda.kernel @lane(%i: i32, %n: index) attributes {cute.kernel} {
    %s = cute.make_shape(%i) : (i32) -> !cute.shape<"?">
    // expected-error @+1 {{'gpu.warp_execute_on_lane_0' op has regions, and is not an scf op in which cute ops can be expanded}}
    gpu.warp_execute_on_lane_0(%n)[32] {
      %r = cute.size(%s) : (!cute.shape<"?">) -> !cute.int_tuple<"?">
    }
    return
  }
}
