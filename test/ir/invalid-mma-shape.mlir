// The shape of an MMA has three extents.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

func.func @f(%h: vector<2xf16>, %f: f32) {
  // expected-error @+1 {{'cute_nvgpu.arch.mma.SM80' op expects a shape of three extents, (M,N,K), but got (16,8,16,4)}}
  %0:4 = cute_nvgpu.arch.mma.SM80 A[%h, %h, %h, %h] B[%h, %h] C[%f, %f, %f, %f] {a_type = f16, b_type = f16, shape_MNK = #cute.shape<"(16,8,16,4)">}
    : (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, f32, f32, f32, f32) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @f(%h: vector<2xf16>, %f: f32) {
  // expected-error @+1 {{'cute_nvgpu.arch.mma.SM80' op expects a shape of three extents, (M,N,K), but got (16,8)}}
  %0:4 = cute_nvgpu.arch.mma.SM80 A[%h, %h, %h, %h] B[%h, %h] C[%f, %f, %f, %f] {a_type = f16, b_type = f16, shape_MNK = #cute.shape<"(16,8)">}
    : (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, f32, f32, f32, f32) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @f(%h: vector<2xf16>, %f: f32) {
  // expected-error @+1 {{'cute_nvgpu.arch.mma.SM80' op expects a shape of three extents, (M,N,K), but got ((16,8),8,16)}}
  %0:4 = cute_nvgpu.arch.mma.SM80 A[%h, %h, %h, %h] B[%h, %h] C[%f, %f, %f, %f] {a_type = f16, b_type = f16, shape_MNK = #cute.shape<"((16,8),8,16)">}
    : (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, f32, f32, f32, f32) -> (f32, f32, f32, f32)
  return
}
