// A sentence says what is legal without a stray sign, and what is wrong, not what is right.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{takes one of 8, 16, 32, 64, 128 or 256 bits, but got 12}}
func.func private @f(!cute_nvgpu.atom.universal_copy<f16, 12 b>)

// -----

func.func @f(%h: vector<2xf16>, %w: vector<4xf16>, %f: f32) {
  // expected-error @+1 {{expects 2 registers of type b32 for operand B of SM80_16x8x16_F32F16F16F32_TN, but got vector<2xf16>, vector<4xf16>}}
  %0:4 = cute_nvgpu.arch.mma.SM80 A[%h, %h, %h, %h] B[%h, %w] C[%f, %f, %f, %f] {a_type = f16, b_type = f16, shape_MNK = #cute.shape<"(16,8,16)">}
    : (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<4xf16>, f32, f32, f32, f32) -> (f32, f32, f32, f32)
  return
}
