// A sparsity selector is not negative.
// RUN: tessera-opt %s --verify-diagnostics

func.func @f(%h: vector<2xf16>, %f: f32, %e: i32) {
  // expected-error @+1 {{expects a sparsity selector in [0, 2) for SM80_SPARSE_16x8x32_F32F16F16F32_TN_ORDERED, but got -1}}
  %1:4 = cute_nvgpu.arch.mma.SM80.sparse A[%h, %h, %h, %h] B[%h, %h, %h, %h] C[%f, %f, %f, %f] E[%e]
    {a_type = f16, b_type = f16, selector = -1 : i32, shape_MNK = #cute.shape<"(16,8,32)">, sparse_metadata_format = #cute_nvgpu.sparse_metadata_format<ordered>}
    : (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, f32, f32, f32, f32, i32) -> (f32, f32, f32, f32)
  return
}
