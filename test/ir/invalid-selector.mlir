// A sparsity selector is not negative.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics --cute-desugar --cute-expand-ops

func.func @f(%h: vector<2xf16>, %f: f32, %e: i32) {
  // expected-error @+1 {{expects a sparsity selector in [0, 2) for SM80_SPARSE_16x8x32_F32F16F16F32_TN_ORDERED, but got -1}}
  %1:4 = cute_nvgpu.arch.mma.SM80.sparse A[%h, %h, %h, %h] B[%h, %h, %h, %h] C[%f, %f, %f, %f] E[%e]
    {a_type = f16, b_type = f16, selector = -1 : i32, shape_MNK = #cute.shape<"(16,8,32)">, sparse_metadata_format = #cute_nvgpu.sparse_metadata_format<ordered>}
    : (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, f32, f32, f32, f32, i32) -> (f32, f32, f32, f32)
  return
}

// -----

gpu.module @m {
  cuda.kernel @k(%e: i32) attributes {cute.kernel} {
    %atom = "cute.make_atom"(%e) : (i32) -> !cute_nvgpu.sm80.sparse_mma<16x8x32, elem_type = (f16, f16, f32), md_format = tid>
    %a = cute.memref.alloca() : !cute.memref<f16, rmem, align<16>, "(8):(1)">
    %c = cute.memref.alloca() : !cute.memref<f32, rmem, align<16>, "(4):(1)">
    // expected-error @+1 {{expects a sparsity selector in [0, 2) for SM80_SPARSE_16x8x32_F32F16F16F32_TN, but got 2}}
    "cute.mma_atom_call"(%atom, %c, %a, %a, %c) <{selector = 2 : i32}> : (!cute_nvgpu.sm80.sparse_mma<16x8x32, elem_type = (f16, f16, f32), md_format = tid>, !cute.memref<f32, rmem, align<16>, "(4):(1)">, !cute.memref<f16, rmem, align<16>, "(8):(1)">, !cute.memref<f16, rmem, align<16>, "(8):(1)">, !cute.memref<f32, rmem, align<16>, "(4):(1)">) -> ()
    return
  }
}
