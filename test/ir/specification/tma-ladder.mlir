// docs/specification/tma.md#the-ladder: operands that break two rules get the sentence of the earlier one.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

// Rules 1 and 2.
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
!tensor = !cute.memref<f16, smem, align<16>, "(128,64):(64,1)">
!smem = !cute.shape<"(128,64)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
func.func @f(%g: !tensor, %s: !smem, %m: !map) {
  // expected-error @below {{invalid operand types, got}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90> num_multicast = 1}> : (!tensor, !smem, !map) -> (!atom, !coords)
  return
}

// -----

// Rules 2 and 3.
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
!tensor = !cute.memref<f16, gmem, align<16>, "S<3,4,3> o 0 o (128,64):(64,1)">
!smem = !cute.shape<"(128,64)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
func.func @f(%g: !tensor, %s: !smem, %m: !map) {
  // expected-error @below {{invalid smem layout type, expected LayoutType or ComposedLayoutType, got}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90> num_multicast = 1}> : (!tensor, !smem, !map) -> (!atom, !coords)
  return
}

// -----

// Rules 3 and 4.
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
!tensor = !cute.memref<f16, gmem, align<16>, "S<3,4,3> o 0 o (128,64):(64,1)">
!smem = !cute.layout<"(128,64):(1@0,1@1)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
func.func @f(%g: !tensor, %s: !smem, %m: !map) {
  // expected-error @below {{unsupported layout for the GMEM tensor, got}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90> num_multicast = 1}> : (!tensor, !smem, !map) -> (!atom, !coords)
  return
}

// -----

// Rules 4 and 6.
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
!tensor = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!smem = !cute.layout<"(?,64):(1@0,1@1)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
func.func @f(%g: !tensor, %s: !smem, %m: !map) {
  // expected-error @below {{expected the GMEM and SMEM layouts to have integer stride elements, but got}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90> num_multicast = 1}> : (!tensor, !smem, !map) -> (!atom, !coords)
  return
}

// -----

// Rules 5 and 7.
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
!tensor = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!smem = !cute.composed_layout<"(8192):(1) o 0 o (64,128):(128,1)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
func.func @f(%g: !tensor, %s: !smem, %m: !map) {
  // expected-error @below {{expected the SMEM layout to be a swizzle layout, but got}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90> num_multicast = 1}> : (!tensor, !smem, !map) -> (!atom, !coords)
  return
}

// -----

// Rules 6 and 7.
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
!tensor = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!smem = !cute.layout<"(?,128):(128,1)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
func.func @f(%g: !tensor, %s: !smem, %m: !map) {
  // expected-error @below {{expected the SMEM layout and the CTA V-map to be static, but got}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90> num_multicast = 1}> : (!tensor, !smem, !map) -> (!atom, !coords)
  return
}

// -----

// Rules 7 and 11.
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90_multicast, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
!tensor = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!smem = !cute.layout<"(64,128):(128,1)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
func.func @f(%g: !tensor, %s: !smem, %m: !map) {
  // expected-error @below {{expected top-level shape equivalence between the SMEM layout and the CTA V-map, but got}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90_multicast> num_multicast = 1}> : (!tensor, !smem, !map) -> (!atom, !coords)
  return
}

// -----

// Rules 8 and 11.
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90_multicast, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
!tensor = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!smem = !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">
!map = !cute.layout<"(128,64):(1@0,2@1)">
func.func @f(%g: !tensor, %s: !smem, %m: !map) {
  // expected-error @below {{failed to compute the TMA G-basis, got}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90_multicast> num_multicast = 1}> : (!tensor, !smem, !map) -> (!atom, !coords)
  return
}

// -----

// Rules 9 and 11.
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90_multicast, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
!tensor = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!smem = !cute.composed_layout<"S<2,4,3> o 0 o (128,64):(64,1)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
func.func @f(%g: !tensor, %s: !smem, %m: !map) {
  // expected-error @below {{Computed TMA layout is invalid, got}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90_multicast> num_multicast = 1}> : (!tensor, !smem, !map) -> (!atom, !coords)
  return
}
