// The seven sentences of the closed compiler's canonical-layout verifier, each with all rules before it kept. The layouts are those that
// CUTLASS's make_umma_desc does not take (include/cute/atom/mma_traits_sm100.hpp); the detail after a sentence is ours.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

// 0, which public reports show: the matrix of one instruction has two modes.
func.func @f(%p: !cute.ptr<f16, smem, align<1024>, S<3,4,3>>) {
  // expected-error @below {{'cute_nvgpu.make_umma_smem_desc' op Expect rank-2 vec_mode layout but got 64:1: }}
  %0 = cute_nvgpu.make_umma_smem_desc(%p) {layout = #cute.layout<"(64,1,4):(1,0,64)">, major = #cute_nvgpu.major<k>} : (!cute.ptr<f16, smem, align<1024>, S<3,4,3>>) -> !cute_nvgpu.smem_desc
  return
}

// -----

// 1: a K-major operand has no atoms of 32 bytes.
func.func @f(%p: !cute.ptr<f16, smem, align<1024>, S<2,5,2>>) {
  // expected-error @below {{'cute_nvgpu.make_umma_smem_desc' op unsupported swizzle, got S<2,5,2>; expects S<0,4,3>, S<1,4,3>, S<2,4,3> or S<3,4,3>}}
  %0 = cute_nvgpu.make_umma_smem_desc(%p) {layout = #cute.layout<"((64,16),1):((64,1),0)">, major = #cute_nvgpu.major<k>} : (!cute.ptr<f16, smem, align<1024>, S<2,5,2>>) -> !cute_nvgpu.smem_desc
  return
}

// -----

func.func @f(%p: !cute.ptr<f16, smem, align<1024>, S<1,4,2>>) {
  // expected-error @below {{'cute_nvgpu.make_umma_smem_desc' op unsupported swizzle, got S<1,4,2>; expects S<0,4,3>, S<1,4,3>, S<2,4,3> or S<3,4,3>, or S<2,5,2>}}
  %0 = cute_nvgpu.make_umma_smem_desc(%p) {layout = #cute.layout<"((64,16),1):((1,64),0)">, major = #cute_nvgpu.major<mn>} : (!cute.ptr<f16, smem, align<1024>, S<1,4,2>>) -> !cute_nvgpu.smem_desc
  return
}

// -----

// 2: 256 / 16 = 16.
func.func @f(%p: !cute.ptr<f16, smem, align<1024>, S<3,4,3>>) {
  // expected-error @below {{'cute_nvgpu.make_umma_smem_desc' op Not a canonical UMMA_MN Layout: Expected K-size 256/sizeof_bits<T> or 512/sizeof_bits(T) in sparse gemm kernels.}}
  %0 = cute_nvgpu.make_umma_smem_desc(%p) {layout = #cute.layout<"((64,8),1):((1,64),0)">, major = #cute_nvgpu.major<mn>} : (!cute.ptr<f16, smem, align<1024>, S<3,4,3>>) -> !cute_nvgpu.smem_desc
  return
}

// -----

// 3: the blocks along M are two modes that do not follow one step.
func.func @f(%p: !cute.ptr<f16, smem, align<1024>>) {
  // expected-error @below {{'cute_nvgpu.make_umma_smem_desc' op Not a canonical UMMA_MN Layout: No flat offset mode}}
  %0 = cute_nvgpu.make_umma_smem_desc(%p) {layout = #cute.layout<"(((8,2,2,2),16),1):(((1,64,4096,16384),8),0)">, major = #cute_nvgpu.major<mn>} : (!cute.ptr<f16, smem, align<1024>>) -> !cute_nvgpu.smem_desc
  return
}

// -----

// 4: rows of K lie 128 bytes apart, not 256.
func.func @f(%p: !cute.ptr<f16, smem, align<1024>, S<3,4,3>>) {
  // expected-error @below {{'cute_nvgpu.make_umma_smem_desc' op Not a canonical UMMA_MN Layout: Expected stride failure.}}
  %0 = cute_nvgpu.make_umma_smem_desc(%p) {layout = #cute.layout<"((64,16),1):((1,128),0)">, major = #cute_nvgpu.major<mn>} : (!cute.ptr<f16, smem, align<1024>, S<3,4,3>>) -> !cute_nvgpu.smem_desc
  return
}

// -----

// 5
func.func @f(%p: !cute.ptr<f16, smem, align<1024>, S<3,4,3>>) {
  // expected-error @below {{'cute_nvgpu.make_umma_smem_desc' op Not a canonical UMMA_K Layout: Expected MN-size multiple of 8.}}
  %0 = cute_nvgpu.make_umma_smem_desc(%p) {layout = #cute.layout<"((4,16),1):((64,1),0)">, major = #cute_nvgpu.major<k>} : (!cute.ptr<f16, smem, align<1024>, S<3,4,3>>) -> !cute_nvgpu.smem_desc
  return
}

// -----

// 6
func.func @f(%p: !cute.ptr<f16, smem, align<1024>, S<3,4,3>>) {
  // expected-error @below {{'cute_nvgpu.make_umma_smem_desc' op Not a canonical UMMA_K Layout: No flat offset mode}}
  %0 = cute_nvgpu.make_umma_smem_desc(%p) {layout = #cute.layout<"(((8,2,4),16),1):(((64,1024,4096),1),0)">, major = #cute_nvgpu.major<k>} : (!cute.ptr<f16, smem, align<1024>, S<3,4,3>>) -> !cute_nvgpu.smem_desc
  return
}

// -----

// 7
func.func @f(%p: !cute.ptr<f16, smem, align<1024>, S<3,4,3>>) {
  // expected-error @below {{'cute_nvgpu.make_umma_smem_desc' op Not a canonical UMMA_K Layout: Expected stride failure.}}
  %0 = cute_nvgpu.make_umma_smem_desc(%p) {layout = #cute.layout<"((64,16),1):((128,1),0)">, major = #cute_nvgpu.major<k>} : (!cute.ptr<f16, smem, align<1024>, S<3,4,3>>) -> !cute_nvgpu.smem_desc
  return
}
