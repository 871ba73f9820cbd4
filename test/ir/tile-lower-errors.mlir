// Tile programs that are not compiled name the op, the reason, and what to do.
// RUN: tessera-opt %s --tessera-lower-tiles="arch=sm_80 level=0" --split-input-file --verify-diagnostics

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

cuda_tile.module @own {
  entry @k() {
    %p = alloca num_elem = 1000, alignment = 16 : tile<ptr<f32>>
    // expected-error @below {{'cuda_tile.alloca' op asks for 3100 elements of 4 bytes of the tile block's memory, of which 12288 bytes are left; use memory of the caller}}
    %q = alloca num_elem = 3100, alignment = 16 : tile<ptr<f32>>
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

cuda_tile.module @local {
  // expected-error @below {{'cuda_tile.entry' op needs 573440 bytes of local memory for each thread, but a thread has 524288; use smaller tiles, or fewer at a time}}
  entry @k(%x: tile<f64>) {
    %r = reshape %x : tile<f64> -> tile<1xf64>
    %a = broadcast %r : tile<1xf64> -> tile<131072xf64>
    %b0 = reshape %a : tile<131072xf64> -> tile<2x65536xf64>
    %b1 = negf %b0 : tile<2x65536xf64>
    %b2 = negf %b1 : tile<2x65536xf64>
    %b3 = negf %b2 : tile<2x65536xf64>
    %b4 = negf %b3 : tile<2x65536xf64>
    %b5 = negf %b4 : tile<2x65536xf64>
    %b6 = negf %b5 : tile<2x65536xf64>
    %b7 = negf %b6 : tile<2x65536xf64>
    %b8 = negf %b7 : tile<2x65536xf64>
    %b9 = negf %b8 : tile<2x65536xf64>
    %b10 = negf %b9 : tile<2x65536xf64>
    %b11 = negf %b10 : tile<2x65536xf64>
    %b12 = negf %b11 : tile<2x65536xf64>
    %b13 = negf %b12 : tile<2x65536xf64>
    %b14 = negf %b13 : tile<2x65536xf64>
    %b15 = negf %b14 : tile<2x65536xf64>
    %b16 = negf %b15 : tile<2x65536xf64>
    %b17 = negf %b16 : tile<2x65536xf64>
    %b18 = negf %b17 : tile<2x65536xf64>
    %b19 = negf %b18 : tile<2x65536xf64>
    %b20 = negf %b19 : tile<2x65536xf64>
    %b21 = negf %b20 : tile<2x65536xf64>
    %b22 = negf %b21 : tile<2x65536xf64>
    %b23 = negf %b22 : tile<2x65536xf64>
    %b24 = negf %b23 : tile<2x65536xf64>
    %b25 = negf %b24 : tile<2x65536xf64>
    %b26 = negf %b25 : tile<2x65536xf64>
    %b27 = negf %b26 : tile<2x65536xf64>
    %b28 = negf %b27 : tile<2x65536xf64>
    %b29 = negf %b28 : tile<2x65536xf64>
    %b30 = negf %b29 : tile<2x65536xf64>
    %b31 = negf %b30 : tile<2x65536xf64>
    %b32 = negf %b31 : tile<2x65536xf64>
    %b33 = negf %b32 : tile<2x65536xf64>
    %b34 = negf %b33 : tile<2x65536xf64>
    %b35 = negf %b34 : tile<2x65536xf64>
    %b36 = negf %b35 : tile<2x65536xf64>
    %b37 = negf %b36 : tile<2x65536xf64>
    %b38 = negf %b37 : tile<2x65536xf64>
    %b39 = negf %b38 : tile<2x65536xf64>
    %b40 = negf %b39 : tile<2x65536xf64>
    %b41 = negf %b40 : tile<2x65536xf64>
    %b42 = negf %b41 : tile<2x65536xf64>
    %b43 = negf %b42 : tile<2x65536xf64>
    %b44 = negf %b43 : tile<2x65536xf64>
    %b45 = negf %b44 : tile<2x65536xf64>
    %b46 = negf %b45 : tile<2x65536xf64>
    %b47 = negf %b46 : tile<2x65536xf64>
    %b48 = negf %b47 : tile<2x65536xf64>
    %b49 = negf %b48 : tile<2x65536xf64>
    %b50 = negf %b49 : tile<2x65536xf64>
    %b51 = negf %b50 : tile<2x65536xf64>
    %b52 = negf %b51 : tile<2x65536xf64>
    %b53 = negf %b52 : tile<2x65536xf64>
    %b54 = negf %b53 : tile<2x65536xf64>
    %b55 = negf %b54 : tile<2x65536xf64>
    %b56 = negf %b55 : tile<2x65536xf64>
    %b57 = negf %b56 : tile<2x65536xf64>
    %b58 = negf %b57 : tile<2x65536xf64>
    %b59 = negf %b58 : tile<2x65536xf64>
    %b60 = negf %b59 : tile<2x65536xf64>
    %b61 = negf %b60 : tile<2x65536xf64>
    %b62 = negf %b61 : tile<2x65536xf64>
    %b63 = negf %b62 : tile<2x65536xf64>
    %b64 = negf %b63 : tile<2x65536xf64>
    %b65 = negf %b64 : tile<2x65536xf64>
    %b66 = negf %b65 : tile<2x65536xf64>
    %b67 = negf %b66 : tile<2x65536xf64>
    %b68 = negf %b67 : tile<2x65536xf64>
    %b69 = negf %b68 : tile<2x65536xf64>
    %c1 = addf %b69, %b1 : tile<2x65536xf64>
    %c2 = addf %c1, %b2 : tile<2x65536xf64>
    %c3 = addf %c2, %b3 : tile<2x65536xf64>
    %c4 = addf %c3, %b4 : tile<2x65536xf64>
    %c5 = addf %c4, %b5 : tile<2x65536xf64>
    %c6 = addf %c5, %b6 : tile<2x65536xf64>
    %c7 = addf %c6, %b7 : tile<2x65536xf64>
    %c8 = addf %c7, %b8 : tile<2x65536xf64>
    %c9 = addf %c8, %b9 : tile<2x65536xf64>
    %c10 = addf %c9, %b10 : tile<2x65536xf64>
    %c11 = addf %c10, %b11 : tile<2x65536xf64>
    %c12 = addf %c11, %b12 : tile<2x65536xf64>
    %c13 = addf %c12, %b13 : tile<2x65536xf64>
    %c14 = addf %c13, %b14 : tile<2x65536xf64>
    %c15 = addf %c14, %b15 : tile<2x65536xf64>
    %c16 = addf %c15, %b16 : tile<2x65536xf64>
    %c17 = addf %c16, %b17 : tile<2x65536xf64>
    %c18 = addf %c17, %b18 : tile<2x65536xf64>
    %c19 = addf %c18, %b19 : tile<2x65536xf64>
    %c20 = addf %c19, %b20 : tile<2x65536xf64>
    %c21 = addf %c20, %b21 : tile<2x65536xf64>
    %c22 = addf %c21, %b22 : tile<2x65536xf64>
    %c23 = addf %c22, %b23 : tile<2x65536xf64>
    %c24 = addf %c23, %b24 : tile<2x65536xf64>
    %c25 = addf %c24, %b25 : tile<2x65536xf64>
    %c26 = addf %c25, %b26 : tile<2x65536xf64>
    %c27 = addf %c26, %b27 : tile<2x65536xf64>
    %c28 = addf %c27, %b28 : tile<2x65536xf64>
    %c29 = addf %c28, %b29 : tile<2x65536xf64>
    %c30 = addf %c29, %b30 : tile<2x65536xf64>
    %c31 = addf %c30, %b31 : tile<2x65536xf64>
    %c32 = addf %c31, %b32 : tile<2x65536xf64>
    %c33 = addf %c32, %b33 : tile<2x65536xf64>
    %c34 = addf %c33, %b34 : tile<2x65536xf64>
    %c35 = addf %c34, %b35 : tile<2x65536xf64>
    %c36 = addf %c35, %b36 : tile<2x65536xf64>
    %c37 = addf %c36, %b37 : tile<2x65536xf64>
    %c38 = addf %c37, %b38 : tile<2x65536xf64>
    %c39 = addf %c38, %b39 : tile<2x65536xf64>
    %c40 = addf %c39, %b40 : tile<2x65536xf64>
    %c41 = addf %c40, %b41 : tile<2x65536xf64>
    %c42 = addf %c41, %b42 : tile<2x65536xf64>
    %c43 = addf %c42, %b43 : tile<2x65536xf64>
    %c44 = addf %c43, %b44 : tile<2x65536xf64>
    %c45 = addf %c44, %b45 : tile<2x65536xf64>
    %c46 = addf %c45, %b46 : tile<2x65536xf64>
    %c47 = addf %c46, %b47 : tile<2x65536xf64>
    %c48 = addf %c47, %b48 : tile<2x65536xf64>
    %c49 = addf %c48, %b49 : tile<2x65536xf64>
    %c50 = addf %c49, %b50 : tile<2x65536xf64>
    %c51 = addf %c50, %b51 : tile<2x65536xf64>
    %c52 = addf %c51, %b52 : tile<2x65536xf64>
    %c53 = addf %c52, %b53 : tile<2x65536xf64>
    %c54 = addf %c53, %b54 : tile<2x65536xf64>
    %c55 = addf %c54, %b55 : tile<2x65536xf64>
    %c56 = addf %c55, %b56 : tile<2x65536xf64>
    %c57 = addf %c56, %b57 : tile<2x65536xf64>
    %c58 = addf %c57, %b58 : tile<2x65536xf64>
    %c59 = addf %c58, %b59 : tile<2x65536xf64>
    %c60 = addf %c59, %b60 : tile<2x65536xf64>
    %c61 = addf %c60, %b61 : tile<2x65536xf64>
    %c62 = addf %c61, %b62 : tile<2x65536xf64>
    %c63 = addf %c62, %b63 : tile<2x65536xf64>
    %c64 = addf %c63, %b64 : tile<2x65536xf64>
    %c65 = addf %c64, %b65 : tile<2x65536xf64>
    %c66 = addf %c65, %b66 : tile<2x65536xf64>
    %c67 = addf %c66, %b67 : tile<2x65536xf64>
    %c68 = addf %c67, %b68 : tile<2x65536xf64>
    return
  }
}

// -----

cuda_tile.module @combiner {
  entry @k() {
    %i = iota : tile<4xi8>
    %s = reduce %i dim=0 identities=[0 : i8] : tile<4xi8> -> tile<i8> (%c: tile<i8>, %a: tile<i8>) {
      %d = reshape %c : tile<i8> -> tile<1xi8>
      %e = broadcast %d : tile<1xi8> -> tile<4xi8>
      // expected-error @below {{'cuda_tile.unpack' op cannot be compiled in the region of cuda_tile.reduce; use elementwise ops, ops that arrange elements, reductions, branches and loops there}}
      %u = unpack %e : tile<4xi8> -> tile<2xi16>
      yield %a : tile<i8>
    }
    return
  }
}

// -----

cuda_tile.module @large_in_combiner {
  entry @k() {
    %i = iota : tile<4xi32>
    %s = reduce %i dim=0 identities=[0 : i32] : tile<4xi32> -> tile<i32> (%c: tile<i32>, %a: tile<i32>) {
      // expected-error @below {{'cuda_tile.iota' op makes a tile of 128 elements in the region of cuda_tile.reduce, where each thread has the tile for itself and at most 64 elements of it; cut the tile into smaller ones}}
      %j = iota : tile<128xi32>
      yield %c : tile<i32>
    }
    return
  }
}

// -----

cuda_tile.module @outside_of_combiner {
  entry @k(%p: tile<ptr<i32>>) {
    %i = iota : tile<4xi32>
    %q = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
    %b = broadcast %q : tile<1xptr<i32>> -> tile<4xptr<i32>>
    %o = offset %b, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
    %x, %t = load_ptr_tko weak %o : tile<4xptr<i32>> -> tile<4xi32>, token
    %s = reduce %i dim=0 identities=[0 : i32] : tile<4xi32> -> tile<i32> (%c: tile<i32>, %a: tile<i32>) {
      // expected-error @below {{'cuda_tile.reduce' op reads a tile of 4 elements from outside of the region of cuda_tile.reduce that is not made of constants and scalars alone; make it an operand, or read scalars}}
      %y = reduce %x dim=0 identities=[0 : i32] : tile<4xi32> -> tile<i32> (%d: tile<i32>, %e: tile<i32>) {
        %f = addi %d, %e : tile<i32>
        yield %f : tile<i32>
      }
      %r = addi %y, %a : tile<i32>
      yield %r : tile<i32>
    }
    return
  }
}

// -----

cuda_tile.module @product {
  entry @k() {
    %a = constant <f32: 1.0> : tile<16384x1xf32>
    %b = constant <f32: 1.0> : tile<1x1xf32>
    %c = constant <f32: 1.0> : tile<16384x1xf32>
    // expected-error @below {{'cuda_tile.mmaf' op multiplies 16384 rows by 1 columns, of which one step along K does not fit the 32768 bytes of shared memory; use a smaller tile}}
    %d = mmaf %a, %b, %c : tile<16384x1xf32>, tile<1x1xf32>, tile<16384x1xf32>
    return
  }
}

// -----

cuda_tile.module @print {
  entry @k(%x: tile<f32>) {
    // expected-error @below {{'cuda_tile.print_tko' op expects a conversion of printf for each operand, with a letter that fits its type, but got '%d'}}
    %t = print_tko "%d\n", %x : tile<f32> -> token
    return
  }
}

// -----

cuda_tile.module @name {
  // expected-error @below {{'cuda_tile.entry' op cannot be a kernel of this name, as PTX needs a letter, then letters, digits, _ and $, or _ or $ and at least one more of them, and not WARP_SZ, vprintf, __assertfail; use another name}}
  entry @"my-kernel"() {
    return
  }
}

// -----

cuda_tile.module @name_of_a_number {
  // expected-error @below {{cannot be a kernel of this name}}
  entry @"1x"() {
    return
  }
}

// -----

cuda_tile.module @name_of_a_function {
  // expected-error @below {{cannot be a kernel of this name}}
  entry @vprintf() {
    return
  }
}

// -----

cuda_tile.module @parameter {
  // expected-error @below {{'cuda_tile.entry' op has a parameter of i32, but only scalar tiles can be passed to a kernel: numbers, as tile<i32>, and pointers, as tile<ptr<f32>>}}
  entry @k(%a: tile<i32>, %b: i32) {
    return
  }
}

// -----

cuda_tile.module @foreign_type {
  entry @k() {
    // expected-error @below {{'cuda_tile.loop' op has a value of tensor<4xi8>, but the values of a tile program are tiles, tokens and views}}
    %r = "cuda_tile.loop"() ({
      "cuda_tile.continue"() : () -> ()
    }) : () -> tensor<4xi8>
    return
  }
}

// -----

cuda_tile.module @foreign_op {
  entry @k(%a: tile<i32>) {
    // expected-error @below {{'arith.constant' op is of another dialect, but a kernel of a tile program has ops of cuda_tile only}}
    %c = arith.constant 1 : i32
    %d = arith.addi %c, %c : i32
    return
  }
}
