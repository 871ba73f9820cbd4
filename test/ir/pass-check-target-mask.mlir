// A byte mask is Blackwell's, in the atom as in the instruction.
// RUN: tessera-opt %s --split-input-file --tessera-check-target=arch=sm_90a --verify-diagnostics -o /dev/null
// RUN: tessera-opt %s --split-input-file --tessera-check-target=arch=sm_100a -o /dev/null

gpu.module @atom {
  // expected-error @+1 {{'cuda.kernel' op argument 0: cp.async.bulk with a byte mask needs sm_100 or later, but the target is sm_90a}}
  cuda.kernel @k(%atom: !cute_nvgpu.atom.bulk_copy_s2g<f32 copy_bits = 128 mask = true>) attributes {cute.kernel} {
    return
  }
}

// -----

gpu.module @instruction {
  cuda.kernel @k(%g: !cute.ptr<i8, gmem, align<16>>, %s: !cute.ptr<i8, smem, align<16>>, %m: i16) attributes {cute.kernel} {
    // expected-error @+1 {{sm_100 or later, but the target is sm_90a}}
    cute_nvgpu.arch.copy.SM90.bulk_copy_s2g(%g, %s) byte_mask = %m {bytes = 256 : i32} : (!cute.ptr<i8, gmem, align<16>>, !cute.ptr<i8, smem, align<16>>, i16)
    return
  }
}
