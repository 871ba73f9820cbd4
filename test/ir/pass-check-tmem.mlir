// Tensor memory: what an op of its life may be given, and in which order they come. The rules are those of PTX ISA 9.7.16.7.1.
// RUN: tessera-opt %s --tessera-check-tmem --split-input-file --verify-diagnostics

// What one op knows.
func.func @f(%s: !cute.ptr<i32, smem>, %t: !cute.ptr<f32, tmem, align<16>>, %g: !cute.ptr<i32, gmem>) {
    %c = arith.constant 48 : i32
    %c32 = arith.constant 32 : i32
    // expected-error @below {{expects a power of two from 32 to 512 columns of tensor memory, but got 48}}
    cute_nvgpu.arch.sm100.alloc_tmem(%c, %s) [cta_1] : i32, !cute.ptr<i32, smem>
    return
}

// -----

func.func @f(%s: !cute.ptr<i32, smem>, %t: !cute.ptr<f32, tmem, align<16>>, %g: !cute.ptr<i32, gmem>) {
    %c = arith.constant 48 : i32
    %c32 = arith.constant 32 : i32
    // expected-error @below {{expects a power of two from 32 to 512 columns of tensor memory, but got 48}}
    cute_nvgpu.arch.sm100.dealloc_tmem(%t, %c) [cta_1] : !cute.ptr<f32, tmem, align<16>>, i32
    return
}

// -----

func.func @f(%s: !cute.ptr<i32, smem>, %t: !cute.ptr<f32, tmem, align<16>>, %g: !cute.ptr<i32, gmem>) {
    %c = arith.constant 48 : i32
    %c32 = arith.constant 32 : i32
    // expected-error @below {{expects the place of the address in smem, but got !cute.ptr<i32, gmem>}}
    cute_nvgpu.arch.sm100.alloc_tmem(%c32, %g) [cta_1] : i32, !cute.ptr<i32, gmem>
    return
}

// -----

func.func @f(%s: !cute.ptr<i32, smem>, %t: !cute.ptr<f32, tmem, align<16>>, %g: !cute.ptr<i32, gmem>) {
    %c = arith.constant 48 : i32
    %c32 = arith.constant 32 : i32
    // expected-error @below {{expects what is freed in tmem, but got !cute.ptr<i32, smem>}}
    cute_nvgpu.arch.sm100.dealloc_tmem(%s, %c32) [cta_1] : !cute.ptr<i32, smem>, i32
    return
}

// -----

func.func @f(%s: !cute.ptr<i32, smem>, %t: !cute.ptr<f32, tmem, align<16>>, %g: !cute.ptr<i32, gmem>) {
    %c = arith.constant 48 : i32
    %c32 = arith.constant 32 : i32
    // expected-error @below {{expects the place of the address in smem, but got !cute.ptr<i32, gmem>}}
    %r = cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%g) : !cute.ptr<i32, gmem> -> !cute.ptr<f32, tmem, align<16>>
    return
}

// -----

func.func @f(%s: !cute.ptr<i32, smem>, %t: !cute.ptr<f32, tmem, align<16>>, %g: !cute.ptr<i32, gmem>) {
    %c = arith.constant 48 : i32
    %c32 = arith.constant 32 : i32
    // expected-error @below {{expects the address in tmem, but got !cute.ptr<i32, gmem>}}
    %r = cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%s) : !cute.ptr<i32, smem> -> !cute.ptr<i32, gmem>
    return
}

// -----

// The life that PTX asks for: nothing to report. Branches of one if are of different warps.
gpu.module @m {
  cuda.kernel @k(%s: !cute.ptr<i32, smem>, %t: !cute.ptr<f32, tmem, align<16>>, %c: i1) attributes {cute.kernel} {
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %c256 = arith.constant 256 : i32
    %c512 = arith.constant 512 : i32
    scf.if %c {
    cute_nvgpu.arch.sm100.alloc_tmem(%c256, %s) [cta_1] : i32, !cute.ptr<i32, smem>
    cute_nvgpu.arch.sm100.relinquish_tmem_alloc_permit [cta_1]
    }
    %r = cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%s) : !cute.ptr<i32, smem> -> !cute.ptr<f32, tmem, align<16>>
    scf.if %c {
    cute_nvgpu.arch.sm100.dealloc_tmem(%t, %c256) [cta_1] : !cute.ptr<f32, tmem, align<16>>, i32
    }
    return
  }
}

// -----

gpu.module @m {
  cuda.kernel @k(%s: !cute.ptr<i32, smem>, %t: !cute.ptr<f32, tmem, align<16>>, %c: i1) attributes {cute.kernel} {
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %c256 = arith.constant 256 : i32
    %c512 = arith.constant 512 : i32
    scf.if %c {
    %r = cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%s) : !cute.ptr<i32, smem> -> !cute.ptr<f32, tmem, align<16>>
    cute_nvgpu.arch.sm100.dealloc_tmem(%t, %c256) [cta_1] : !cute.ptr<f32, tmem, align<16>>, i32
    } else {
    cute_nvgpu.arch.sm100.alloc_tmem(%c256, %s) [cta_1] : i32, !cute.ptr<i32, smem>
    }
    return
  }
}

// -----

gpu.module @m {
  cuda.kernel @k(%s: !cute.ptr<i32, smem>, %t: !cute.ptr<f32, tmem, align<16>>, %c: i1) attributes {cute.kernel} {
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %c256 = arith.constant 256 : i32
    %c512 = arith.constant 512 : i32
    cute_nvgpu.arch.sm100.alloc_tmem(%c256, %s) [cta_1] : i32, !cute.ptr<i32, smem>
    cute_nvgpu.arch.sm100.dealloc_tmem(%t, %c256) [cta_1] : !cute.ptr<f32, tmem, align<16>>, i32
    cute_nvgpu.arch.sm100.alloc_tmem(%c512, %s) [cta_1] : i32, !cute.ptr<i32, smem>
    %r = cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%s) : !cute.ptr<i32, smem> -> !cute.ptr<f32, tmem, align<16>>
    cute_nvgpu.arch.sm100.dealloc_tmem(%t, %c512) [cta_1] : !cute.ptr<f32, tmem, align<16>>, i32
    return
  }
}

// -----

gpu.module @m {
  cuda.kernel @k(%s: !cute.ptr<i32, smem>, %t: !cute.ptr<f32, tmem, align<16>>, %c: i1)  {
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %c256 = arith.constant 256 : i32
    %c512 = arith.constant 512 : i32
    %r = cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%s) : !cute.ptr<i32, smem> -> !cute.ptr<f32, tmem, align<16>>
    cute_nvgpu.arch.sm100.dealloc_tmem(%t, %c256) [cta_1] : !cute.ptr<f32, tmem, align<16>>, i32
    return
  }
}

// -----

// One warp's branch reads the address that another one's makes, after a barrier; text order says nothing of them.
gpu.module @m {
  cuda.kernel @k(%s: !cute.ptr<i32, smem>, %t: !cute.ptr<f32, tmem, align<16>>, %c: i1, %d: i1) attributes {cute.kernel} {
    %c256 = arith.constant 256 : i32
    scf.if %c {
      %r = cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%s) : !cute.ptr<i32, smem> -> !cute.ptr<f32, tmem, align<16>>
    }
    scf.if %d {
      cute_nvgpu.arch.sm100.alloc_tmem(%c256, %s) [cta_1] : i32, !cute.ptr<i32, smem>
      %r = cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%s) : !cute.ptr<i32, smem> -> !cute.ptr<f32, tmem, align<16>>
      cute_nvgpu.arch.sm100.relinquish_tmem_alloc_permit [cta_1]
      cute_nvgpu.arch.sm100.dealloc_tmem(%r, %c256) [cta_1] : !cute.ptr<f32, tmem, align<16>>, i32
    }
    return
  }
}

// -----

// Columns are compared across branches.
gpu.module @m {
  cuda.kernel @k(%s: !cute.ptr<i32, smem>, %t: !cute.ptr<f32, tmem, align<16>>, %c: i1, %d: i1) attributes {cute.kernel} {
    %c256 = arith.constant 256 : i32
    %c64 = arith.constant 64 : i32
    scf.if %c {
      cute_nvgpu.arch.sm100.alloc_tmem(%c256, %s) [cta_1] : i32, !cute.ptr<i32, smem>
    }
    scf.if %d {
      // expected-error @below {{expects to free as many columns as were allocated, 256, but got 64}}
      cute_nvgpu.arch.sm100.dealloc_tmem(%t, %c64) [cta_1] : !cute.ptr<f32, tmem, align<16>>, i32
    }
    return
  }
}

// -----

// The order of a function, rule by rule.
gpu.module @m {
  cuda.kernel @k(%s: !cute.ptr<i32, smem>, %t: !cute.ptr<f32, tmem, align<16>>, %c: i1) attributes {cute.kernel} {
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %c256 = arith.constant 256 : i32
    %c512 = arith.constant 512 : i32
    cute_nvgpu.arch.sm100.alloc_tmem(%c256, %s) [cta_1] : i32, !cute.ptr<i32, smem>
    // expected-error @below {{expects the CTA group of the other ops on tensor memory of this kernel, cta_1, but got cta_2: an SM cannot use both}}
    cute_nvgpu.arch.sm100.dealloc_tmem(%t, %c256) [cta_2] : !cute.ptr<f32, tmem, align<16>>, i32
    return
  }
}

// -----

gpu.module @m {
  cuda.kernel @k(%s: !cute.ptr<i32, smem>, %t: !cute.ptr<f32, tmem, align<16>>, %c: i1) attributes {cute.kernel} {
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %c256 = arith.constant 256 : i32
    %c512 = arith.constant 512 : i32
    cute_nvgpu.arch.sm100.alloc_tmem(%c256, %s) [cta_1] : i32, !cute.ptr<i32, smem>
    %d = builtin.unrealized_conversion_cast %c32 : i32 to !cute_nvgpu.smem_desc
    // expected-error @below {{expects the CTA group of the other ops on tensor memory of this kernel, cta_1, but got cta_2: an SM cannot use both}}
    cute_nvgpu.arch.mma.SM100.umma(%d, %d, %t, %c32, %c) {a_type = f16, num_cta = 2 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1)
    cute_nvgpu.arch.sm100.dealloc_tmem(%t, %c256) [cta_1] : !cute.ptr<f32, tmem, align<16>>, i32
    return
  }
}

// -----

gpu.module @m {
  cuda.kernel @k(%s: !cute.ptr<i32, smem>, %t: !cute.ptr<f32, tmem, align<16>>, %c: i1) attributes {cute.kernel} {
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %c256 = arith.constant 256 : i32
    %c512 = arith.constant 512 : i32
    cute_nvgpu.arch.sm100.alloc_tmem(%c32, %s) [cta_1] : i32, !cute.ptr<i32, smem>
    cute_nvgpu.arch.sm100.relinquish_tmem_alloc_permit [cta_1]
    // expected-error @below {{expects no allocation after relinquish_tmem_alloc_permit, which gives up the right to it; allocate before it}}
    cute_nvgpu.arch.sm100.alloc_tmem(%c32, %s) [cta_1] : i32, !cute.ptr<i32, smem>
    cute_nvgpu.arch.sm100.dealloc_tmem(%t, %c32) [cta_1] : !cute.ptr<f32, tmem, align<16>>, i32
    return
  }
}

// -----

gpu.module @m {
  cuda.kernel @k(%s: !cute.ptr<i32, smem>, %t: !cute.ptr<f32, tmem, align<16>>, %c: i1) attributes {cute.kernel} {
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %c256 = arith.constant 256 : i32
    %c512 = arith.constant 512 : i32
    cute_nvgpu.arch.sm100.alloc_tmem(%c512, %s) [cta_1] : i32, !cute.ptr<i32, smem>
    // expected-error @below {{allocated tmem out of resource: 512 columns and 32 more, of 512; free some before, or allocate less}}
    cute_nvgpu.arch.sm100.alloc_tmem(%c32, %s) [cta_1] : i32, !cute.ptr<i32, smem>
    cute_nvgpu.arch.sm100.dealloc_tmem(%t, %c512) [cta_1] : !cute.ptr<f32, tmem, align<16>>, i32
    return
  }
}

// -----

gpu.module @m {
  cuda.kernel @k(%s: !cute.ptr<i32, smem>, %t: !cute.ptr<f32, tmem, align<16>>, %c: i1) attributes {cute.kernel} {
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %c256 = arith.constant 256 : i32
    %c512 = arith.constant 512 : i32
    // expected-error @below {{expects an allocation of tensor memory before this op, but the first one comes after it; move it up}}
    %r = cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%s) : !cute.ptr<i32, smem> -> !cute.ptr<f32, tmem, align<16>>
    cute_nvgpu.arch.sm100.alloc_tmem(%c256, %s) [cta_1] : i32, !cute.ptr<i32, smem>
    cute_nvgpu.arch.sm100.dealloc_tmem(%t, %c256) [cta_1] : !cute.ptr<f32, tmem, align<16>>, i32
    return
  }
}

// -----

gpu.module @m {
  cuda.kernel @k(%s: !cute.ptr<i32, smem>, %t: !cute.ptr<f32, tmem, align<16>>, %c: i1) attributes {cute.kernel} {
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %c256 = arith.constant 256 : i32
    %c512 = arith.constant 512 : i32
    // expected-error @below {{expects an allocation of tensor memory before}}
    cute_nvgpu.arch.sm100.relinquish_tmem_alloc_permit [cta_1]
    cute_nvgpu.arch.sm100.alloc_tmem(%c256, %s) [cta_1] : i32, !cute.ptr<i32, smem>
    cute_nvgpu.arch.sm100.dealloc_tmem(%t, %c256) [cta_1] : !cute.ptr<f32, tmem, align<16>>, i32
    return
  }
}

// -----

gpu.module @m {
  cuda.kernel @k(%s: !cute.ptr<i32, smem>, %t: !cute.ptr<f32, tmem, align<16>>, %c: i1) attributes {cute.kernel} {
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %c256 = arith.constant 256 : i32
    %c512 = arith.constant 512 : i32
    cute_nvgpu.arch.sm100.alloc_tmem(%c256, %s) [cta_1] : i32, !cute.ptr<i32, smem>
    cute_nvgpu.arch.sm100.dealloc_tmem(%t, %c256) [cta_1] : !cute.ptr<f32, tmem, align<16>>, i32
    // expected-error @below {{expects tensor memory that is allocated, but all of it has been freed before; free it after its last use}}
    %r = cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%s) : !cute.ptr<i32, smem> -> !cute.ptr<f32, tmem, align<16>>
    return
  }
}

// -----

gpu.module @m {
  cuda.kernel @k(%s: !cute.ptr<i32, smem>, %t: !cute.ptr<f32, tmem, align<16>>, %c: i1) attributes {cute.kernel} {
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %c256 = arith.constant 256 : i32
    %c512 = arith.constant 512 : i32
    cute_nvgpu.arch.sm100.alloc_tmem(%c256, %s) [cta_1] : i32, !cute.ptr<i32, smem>
    cute_nvgpu.arch.sm100.dealloc_tmem(%t, %c256) [cta_1] : !cute.ptr<f32, tmem, align<16>>, i32
    // expected-error @below {{expects tensor memory that is allocated}}
    cute_nvgpu.arch.sm100.dealloc_tmem(%t, %c256) [cta_1] : !cute.ptr<f32, tmem, align<16>>, i32
    return
  }
}

// -----

gpu.module @m {
  cuda.kernel @k(%s: !cute.ptr<i32, smem>, %t: !cute.ptr<f32, tmem, align<16>>, %c: i1) attributes {cute.kernel} {
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %c256 = arith.constant 256 : i32
    %c512 = arith.constant 512 : i32
    cute_nvgpu.arch.sm100.alloc_tmem(%c256, %s) [cta_1] : i32, !cute.ptr<i32, smem>
    %r = cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%s) : !cute.ptr<i32, smem> -> !cute.ptr<f32, tmem, align<16>>
    // expected-error @below {{expects to free as many columns as were allocated, 256, but got 64}}
    cute_nvgpu.arch.sm100.dealloc_tmem(%t, %c64) [cta_1] : !cute.ptr<f32, tmem, align<16>>, i32
    return
  }
}

// -----

gpu.module @m {
  cuda.kernel @k(%s: !cute.ptr<i32, smem>, %t: !cute.ptr<f32, tmem, align<16>>, %c: i1) attributes {cute.kernel} {
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %c256 = arith.constant 256 : i32
    %c512 = arith.constant 512 : i32
    // expected-error @below {{expects tensor memory to be freed before the kernel ends: there is no dealloc_tmem; add one after the last use}}
    cute_nvgpu.arch.sm100.alloc_tmem(%c256, %s) [cta_1] : i32, !cute.ptr<i32, smem>
    %r = cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%s) : !cute.ptr<i32, smem> -> !cute.ptr<f32, tmem, align<16>>
    return
  }
}

// -----

// Branches of blocks are branches, in whichever order they stand: one warp allocates, another takes the address after a barrier.
gpu.module @m {
  cuda.kernel @blocks(%s: !cute.ptr<i32, smem>, %first: i1, %second: i1) attributes {cute.kernel} {
    %c256 = arith.constant 256 : i32
    cf.cond_br %second, ^use, ^other
  ^use:
    %r = cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%s) : !cute.ptr<i32, smem> -> !cute.ptr<f32, tmem, align<16>>
    cf.br ^other
  ^other:
    cf.cond_br %first, ^make, ^end
  ^make:
    cute_nvgpu.arch.sm100.alloc_tmem(%c256, %s) [cta_1] : i32, !cute.ptr<i32, smem>
    %t = cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%s) : !cute.ptr<i32, smem> -> !cute.ptr<f32, tmem, align<16>>
    cute_nvgpu.arch.sm100.dealloc_tmem(%t, %c256) [cta_1] : !cute.ptr<f32, tmem, align<16>>, i32
    cf.br ^end
  ^end:
    return
  }
  cuda.kernel @switch(%s: !cute.ptr<i32, smem>, %warp: index) attributes {cute.kernel} {
    %c256 = arith.constant 256 : i32
    scf.index_switch %warp
    case 0 {
      %r = cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%s) : !cute.ptr<i32, smem> -> !cute.ptr<f32, tmem, align<16>>
      scf.yield
    }
    case 1 {
      cute_nvgpu.arch.sm100.alloc_tmem(%c256, %s) [cta_1] : i32, !cute.ptr<i32, smem>
      %t = cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%s) : !cute.ptr<i32, smem> -> !cute.ptr<f32, tmem, align<16>>
      cute_nvgpu.arch.sm100.dealloc_tmem(%t, %c256) [cta_1] : !cute.ptr<f32, tmem, align<16>>, i32
      scf.yield
    }
    default {
    }
    return
  }
}

// -----

// What every way passes before the allocation is before it, though the text has it after; so is what is freed.
gpu.module @m {
  cuda.kernel @k(%s: !cute.ptr<i32, smem>, %t: !cute.ptr<f32, tmem, align<16>>) attributes {cute.kernel} {
    %c256 = arith.constant 256 : i32
    cf.br ^first
  ^second:
    cute_nvgpu.arch.sm100.alloc_tmem(%c256, %s) [cta_1] : i32, !cute.ptr<i32, smem>
    cute_nvgpu.arch.sm100.dealloc_tmem(%t, %c256) [cta_1] : !cute.ptr<f32, tmem, align<16>>, i32
    return
  ^first:
    // expected-error @below {{expects an allocation of tensor memory before this op, but the first one comes after it; move it up}}
    %r = cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%s) : !cute.ptr<i32, smem> -> !cute.ptr<f32, tmem, align<16>>
    cf.br ^second
  }
}

// -----

// Blocks of a loop, whose last block stands before its body.
gpu.module @m {
  cuda.kernel @k(%s: !cute.ptr<i32, smem>, %more: i1) attributes {cute.kernel} {
    %c256 = arith.constant 256 : i32
    cute_nvgpu.arch.sm100.alloc_tmem(%c256, %s) [cta_1] : i32, !cute.ptr<i32, smem>
    cf.br ^head
  ^end:
    %t = cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%s) : !cute.ptr<i32, smem> -> !cute.ptr<f32, tmem, align<16>>
    cute_nvgpu.arch.sm100.dealloc_tmem(%t, %c256) [cta_1] : !cute.ptr<f32, tmem, align<16>>, i32
    return
  ^head:
    cf.cond_br %more, ^body, ^end
  ^body:
    %r = cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%s) : !cute.ptr<i32, smem> -> !cute.ptr<f32, tmem, align<16>>
    cf.br ^head
  }
}
