// Rules 0 to 4 of the ladder of tcgen05.mma ask for the target, so the SM gate has them; each target breaks one and none before it.
// RUN: sed -n '/^\/\/ ARCH$/,/^}/p' %s | not tessera-opt --tessera-check-target=arch=sm_120a 2>&1 | FileCheck %s --check-prefix=CHECK-ARCH
// RUN: sed -n '/^\/\/ INT8$/,/^}/p' %s | not tessera-opt --tessera-check-target=arch=sm_100f 2>&1 | FileCheck %s --check-prefix=CHECK-INT8
// RUN: sed -n '/^\/\/ SPARSE$/,/^}/p' %s | not tessera-opt --tessera-check-target=arch=sm_103f 2>&1 | FileCheck %s --check-prefix=CHECK-SPARSE
// RUN: sed -n '/^\/\/ VEC$/,/^}/p' %s | not tessera-opt --tessera-check-target=arch=sm_110f 2>&1 | FileCheck %s --check-prefix=CHECK-VEC
// RUN: sed -n '/^\/\/ INPUT$/,/^}/p' %s | not tessera-opt --tessera-check-target=arch=sm_110a 2>&1 | FileCheck %s --check-prefix=CHECK-INPUT
// All of them are in sm_100a.
// RUN: tessera-opt %s --split-input-file --tessera-check-target=arch=sm_100a -o /dev/null

// ARCH
// CHECK-ARCH: error: 'cute_nvgpu.arch.mma.SM100.umma' op tcgen05.mma supported only on arch-conditional or family-conditional variants from SM100 onwards.
gpu.module @m {
  cuda.kernel @k(%d: !cute_nvgpu.smem_desc, %t: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1) attributes {cute.kernel} {
    cute_nvgpu.arch.mma.SM100.umma(%d, %d, %t, %i, %c) {a_type = f16, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1)
    return
  }
}

// -----

// INT8
// CHECK-INT8: error: 'cute_nvgpu.arch.mma.SM100.umma' op INT8 type is supported only on arch-conditional variants.
gpu.module @m {
  cuda.kernel @k(%d: !cute_nvgpu.smem_desc, %t: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1) attributes {cute.kernel} {
    cute_nvgpu.arch.mma.SM100.umma(%d, %d, %t, %i, %c) {a_type = i8, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1)
    return
  }
}

// -----

// SPARSE
// CHECK-SPARSE: error: 'cute_nvgpu.arch.mma.SM100.umma_block_scaled_sparse' op MXF4 and MXF4NVF4 types with Sparsity are supported only on arch-conditional variants.
gpu.module @m {
  cuda.kernel @k(%d: !cute_nvgpu.smem_desc, %t: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1, %s4: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(64,2)):(((262144,4),8388608),(0,1))">) attributes {cute.kernel} {
    cute_nvgpu.arch.mma.SM100.umma_block_scaled_sparse(%d, %d, %t, %i, %c, %t, %s4, %s4) {a_type = f4E2M1FN, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1, !cute.ptr<f32, tmem, align<16>>, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(64,2)):(((262144,4),8388608),(0,1))">, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(64,2)):(((262144,4),8388608),(0,1))">)
    return
  }
}

// -----

// VEC
// CHECK-VEC: error: 'cute_nvgpu.arch.mma.SM100.umma_block_scaled' op Explicit scale vector size is supported only on arch-conditional variants.
gpu.module @m {
  cuda.kernel @k(%d: !cute_nvgpu.smem_desc, %t: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1, %s8: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,1))">) attributes {cute.kernel} {
    cute_nvgpu.arch.mma.SM100.umma_block_scaled(%d, %d, %t, %i, %c, %s8, %s8) {a_type = f8E4M3FN, num_cta = 1 : i32, scale = 0 : i32, scale_vec = #cute_nvgpu.scale_vec<x1>} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,1))">, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,1))">)
    return
  }
}

// -----

// INPUT
// CHECK-INPUT: error: 'cute_nvgpu.arch.mma.SM100.umma' op Scale input accumulator is not supported on this architecture.
gpu.module @m {
  cuda.kernel @k(%d: !cute_nvgpu.smem_desc, %t: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1) attributes {cute.kernel} {
    cute_nvgpu.arch.mma.SM100.umma(%d, %d, %t, %i, %c) {a_type = f16, num_cta = 1 : i32, scale = 2 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1)
    return
  }
}
