// The ladder of make_non_exec_tiled_tma_*, rule by rule in order; tma_partition; matrix descriptors.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

// Rule 1: operands.
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
!gmem = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!smem = !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
func.func @f(%g: !cute.memref<f16, smem, align<16>, "(128,64):(64,1)">, %s: !smem, %m: !map) {
  // expected-error @below {{invalid operand types, got !cute.memref<f16, smem, align<16>, "(128,64):(64,1)"> and}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90> num_multicast = 1}> : (!cute.memref<f16, smem, align<16>, "(128,64):(64,1)">, !smem, !map) -> (!atom, !coords)
  return
}

// -----

// Rule 2: the kind of the layout in shared memory.
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
!gmem = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!smem = !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
func.func @f(%g: !gmem, %s: !cute.shape<"(128,64)">, %m: !map) {
  // expected-error @below {{invalid smem layout type, expected LayoutType or ComposedLayoutType, got !cute.shape<"(128,64)">}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90> num_multicast = 1}> : (!gmem, !cute.shape<"(128,64)">, !map) -> (!atom, !coords)
  return
}

// -----

// Rule 3: the kind of the tensor's layout.
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
!gmem = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!smem = !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
func.func @f(%g: !cute.memref<f16, gmem, align<16>, "S<3,4,3> o 0 o (128,64):(64,1)">, %s: !smem, %m: !map) {
  // expected-error @below {{unsupported layout for the GMEM tensor, got S<3,4,3> o 0 o (128,64):(64,1)}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90> num_multicast = 1}> : (!cute.memref<f16, gmem, align<16>, "S<3,4,3> o 0 o (128,64):(64,1)">, !smem, !map) -> (!atom, !coords)
  return
}

// -----

// Rule 4: integer strides.
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
!gmem = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!smem = !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
func.func @f(%g: !gmem, %s: !cute.layout<"(128,64):(1@0,1@1)">, %m: !map) {
  // expected-error @below {{expected the GMEM and SMEM layouts to have integer stride elements, but got (?,?):(?{i64 div=8},1) and (128,64):(1@0,1@1)}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90> num_multicast = 1}> : (!gmem, !cute.layout<"(128,64):(1@0,1@1)">, !map) -> (!atom, !coords)
  return
}

// -----

// Rule 5: composed with a swizzle.
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
!gmem = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!smem = !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
func.func @f(%g: !gmem, %s: !cute.composed_layout<"(8192):(1) o 0 o (128,64):(64,1)">, %m: !map) {
  // expected-error @below {{expected the SMEM layout to be a swizzle layout, but got}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90> num_multicast = 1}> : (!gmem, !cute.composed_layout<"(8192):(1) o 0 o (128,64):(64,1)">, !map) -> (!atom, !coords)
  return
}

// -----

// Rule 6: static layouts.
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
!gmem = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!smem = !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
func.func @f(%g: !gmem, %s: !cute.layout<"(?,64):(64,1)">, %m: !map) {
  // expected-error @below {{expected the SMEM layout and the CTA V-map to be static, but got (?,64):(64,1) and (128,64):(1@0,1@1)}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90> num_multicast = 1}> : (!gmem, !cute.layout<"(?,64):(64,1)">, !map) -> (!atom, !coords)
  return
}

// -----

// Rule 7: equal shapes.
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
!gmem = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!smem = !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
func.func @f(%g: !gmem, %s: !cute.layout<"(64,128):(128,1)">, %m: !map) {
  // expected-error @below {{expected top-level shape equivalence between the SMEM layout and the CTA V-map, but got (64,128) and (128,64)}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90> num_multicast = 1}> : (!gmem, !cute.layout<"(64,128):(128,1)">, !map) -> (!atom, !coords)
  return
}

// -----

// Rule 8: the basis.
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
!gmem = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!smem = !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
func.func @f(%g: !gmem, %s: !smem, %m: !cute.layout<"(128,64):(1@0,2@1)">) {
  // expected-error @below {{failed to compute the TMA G-basis, got S<3,4,3> o 0 o (128,64):(64,1): Could not find a common tile-gmem vectorization}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90> num_multicast = 1}> : (!gmem, !smem, !cute.layout<"(128,64):(1@0,2@1)">) -> (!atom, !coords)
  return
}

// -----

// Rule 9: the box; contiguous in shared memory, but not in the tensor.
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
!gmem = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!smem = !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
func.func @f(%g: !cute.memref<f16, gmem, align<16>, "(?,?):(1,?{i64 div=8})">, %s: !smem, %m: !map) {
  // expected-error @below {{Computed TMA layout is invalid, got (64,128):(1@1,1@0): Majorness of smem doesn't match majorness of gmem}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90> num_multicast = 1}> : (!cute.memref<f16, gmem, align<16>, "(?,?):(1,?{i64 div=8})">, !smem, !map) -> (!atom, !coords)
  return
}

// -----

// Rule 9: a stride that may be 1, but another mode's is.
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,?{i64}@0)">
!gmem = !cute.memref<f16, gmem, align<16>, "(?,?):(1,?{i64})">
!smem = !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
func.func @f(%g: !gmem, %s: !smem, %m: !map) {
  // expected-error @below {{Computed TMA layout is invalid, got (64,128):(1@1,1@0): Majorness of smem doesn't match majorness of gmem}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90> num_multicast = 1}> : (!gmem, !smem, !map) -> (!atom, !coords)
  return
}

// -----

// Rule 9: the box; wider than the swizzle.
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
!gmem = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!smem = !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
func.func @f(%g: !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">, %s: !cute.composed_layout<"S<2,4,3> o 0 o (128,64):(64,1)">, %m: !map) {
  // expected-error @below {{Computed TMA layout is invalid, got (64,128):(1@1,1@0): the first mode of the box has the swizzle's 64 bytes, but got 128}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90> num_multicast = 1}> : (!cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">, !cute.composed_layout<"S<2,4,3> o 0 o (128,64):(64,1)">, !map) -> (!atom, !coords)
  return
}

// -----

// Rule 9: the box; narrower than the swizzle, whose rows hardware puts a span apart.
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 65536, tma_gbasis = <"(32,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
!gmem = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!smem = !cute.composed_layout<"S<3,4,3> o 0 o (128,32):(32,1)">
!map = !cute.layout<"(128,32):(1@0,1@1)">
func.func @f(%g: !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">, %s: !cute.composed_layout<"S<3,4,3> o 0 o (128,32):(32,1)">, %m: !map) {
  // expected-error @below {{Computed TMA layout is invalid, got (32,128):(1@1,1@0): the first mode of the box has the swizzle's 128 bytes, but got 64}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90> num_multicast = 1}> : (!cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">, !cute.composed_layout<"S<3,4,3> o 0 o (128,32):(32,1)">, !map) -> (!atom, !coords)
  return
}

// -----

// Rule 9: the box; a swizzle that TMA does not have.
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
!gmem = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!smem = !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
func.func @f(%g: !gmem, %s: !cute.composed_layout<"S<3,3,3> o 0 o (128,64):(64,1)">, %m: !map) {
  // expected-error @below {{TMA has no swizzle S<3,3,3>}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90> num_multicast = 1}> : (!gmem, !cute.composed_layout<"S<3,3,3> o 0 o (128,64):(64,1)">, !map) -> (!atom, !coords)
  return
}

// -----

// Rule 9: the box; a first mode of 8 bytes.
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
!gmem = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!smem = !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
func.func @f(%g: !gmem, %s: !cute.layout<"(128,4):(4,1)">, %m: !cute.layout<"(128,4):(1@0,1@1)">) {
  // expected-error @below {{the first mode of a box takes a multiple of 16 bytes, but got 8}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90> num_multicast = 1}> : (!gmem, !cute.layout<"(128,4):(4,1)">, !cute.layout<"(128,4):(1@0,1@1)">) -> (!atom, !coords)
  return
}

// -----

// Rule 9: the box; a pitch of 4 bytes.
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
!gmem = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!smem = !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
func.func @f(%g: !cute.memref<f16, gmem, align<16>, "(128,64):(2,1)">, %s: !smem, %m: !map) {
  // expected-error @below {{strides of the tensor are multiples of 16 bytes, but mode 1 has 4}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90> num_multicast = 1}> : (!cute.memref<f16, gmem, align<16>, "(128,64):(2,1)">, !smem, !map) -> (!atom, !coords)
  return
}

// -----

// Rule 10: the coordinate tensor.
!gmem = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!smem = !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@0,1@1)">
func.func @f(%g: !gmem, %s: !smem, %m: !map) {
  // expected-error @below {{Failed to construct the TMA tensor type: it has the layout (?,?):(1@1,1@0)}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90> num_multicast = 1}> : (!gmem, !smem, !map) -> (!atom, !coords)
  return
}

// -----

// Rule 11: a multicast load for one CTA.
!gmem = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!smem = !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90_multicast, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
func.func @f(%g: !gmem, %s: !smem, %m: !map) {
  // expected-error @below {{missing or invalid num_multicast for a multicast TMA load: got num_multicast of 1 for sm_90_multicast}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90_multicast> num_multicast = 1}> : (!gmem, !smem, !map) -> (!atom, !coords)
  return
}

// -----

// Rule 11: a multicast load for less than none.
!gmem = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!smem = !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90_multicast, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
func.func @f(%g: !gmem, %s: !smem, %m: !map) {
  // expected-error @below {{missing or invalid num_multicast for a multicast TMA load: got num_multicast of -1 for sm_90_multicast}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90_multicast> num_multicast = -1}> : (!gmem, !smem, !map) -> (!atom, !coords)
  return
}

// -----

// Rule 11: a multicast load for more CTAs than a mask has bits.
!gmem = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!smem = !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90_multicast, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
func.func @f(%g: !gmem, %s: !smem, %m: !map) {
  // expected-error @below {{missing or invalid num_multicast for a multicast TMA load: got num_multicast of 32 for sm_90_multicast}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90_multicast> num_multicast = 32}> : (!gmem, !smem, !map) -> (!atom, !coords)
  return
}

// -----

// Rule 11: a plain load for two.
!gmem = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!smem = !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
func.func @f(%g: !gmem, %s: !smem, %m: !map) {
  // expected-error @below {{got num_multicast of 2 for sm_90, which loads for one CTA}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90> num_multicast = 2}> : (!gmem, !smem, !map) -> (!atom, !coords)
  return
}

// -----

// The atom that is made, of loads.
!gmem = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!smem = !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
func.func @f(%g: !gmem, %s: !smem, %m: !map) {
  // expected-error @below {{expects an atom of copy_bits = 131072 and tma_gbasis = (64,128):(1@1,1@0), but got}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %s, %m) <{kind = <sm_90> num_multicast = 1}> : (!gmem, !smem, !map) -> (!atom, !coords)
  return
}

// -----

// The atom that is made, of stores.
!gmem = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!smem = !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">
!map = !cute.layout<"(128,64):(1@0,1@1)">
!atom = !cute_nvgpu.atom.non_exec_tiled_tma_store<f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">, tma_format = F16_RN>
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
func.func @f(%g: !gmem, %s: !smem, %m: !map) {
  // expected-error @below {{expects an atom of copy_bits = 131072 and tma_gbasis = (64,128):(1@1,1@0), but got}}
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_store(%g, %s, %m) : (!gmem, !smem, !map) -> (!atom, !coords)
  return
}

// -----

// TmaPartitionAtom: any other atom.
func.func @f(%a: !cute_nvgpu.atom.universal_copy<f16>, %c: !cute.coord<"0">, %l: !cute.layout<"1:0">,
             %s: !cute.memref<f16, smem, align<1024>, "((64,64)):((64,1))">, %t: !cute.coord_tensor<"(0,0)", "((64,64)):((1@1,1@0))">) {
  // expected-error @below {{expects a TMA atom, but got !cute_nvgpu.atom.universal_copy<f16>}}
  %0:2 = cute_nvgpu.atom.tma_partition(%a, %c, %l, %s, %t) : (!cute_nvgpu.atom.universal_copy<f16>, !cute.coord<"0">, !cute.layout<"1:0">, !cute.memref<f16, smem, align<1024>, "((64,64)):((64,1))">, !cute.coord_tensor<"(0,0)", "((64,64)):((1@1,1@0))">)
    -> (!cute.memref<f16, smem, align<1024>, "((4096,1)):((1,0))">, !cute.coord_tensor<"(0,0)", "(((64,64),1)):(((1@0,1@1),0))">)
  return
}

// -----

// "TmaPartitionTypes": results of other types.
!ne = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">, tma_format = F16_RN>
func.func @f(%a: !ne, %c: !cute.coord<"0">, %l: !cute.layout<"1:0">,
             %s: !cute.memref<f16, smem, align<1024>, "((64,64)):((64,1))">, %t: !cute.coord_tensor<"(0,0)", "((64,64)):((1@1,1@0))">) {
  // expected-error @below {{expects results of types}}
  %0:2 = cute_nvgpu.atom.tma_partition(%a, %c, %l, %s, %t) : (!ne, !cute.coord<"0">, !cute.layout<"1:0">, !cute.memref<f16, smem, align<1024>, "((64,64)):((64,1))">, !cute.coord_tensor<"(0,0)", "((64,64)):((1@1,1@0))">)
    -> (!cute.memref<f16, smem, align<1024>, "((64,64)):((64,1))">, !cute.coord_tensor<"(0,0)", "((64,64)):((1@1,1@0))">)
  return
}

// -----

// A message of the closed compiler, for a box that would start in the middle of 16 bytes.
!ne = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">, tma_format = F16_RN>
func.func @f(%a: !ne, %c: !cute.coord<"0">, %l: !cute.layout<"1:0">,
             %s: !cute.memref<f16, smem, align<1024>, "((64,64),2):((64,1),1)">, %t: !cute.coord_tensor<"(0,0)", "((64,64),2):((1@1,1@0),64@0)">) {
  // expected-error @below {{shared-memory operand stride at mode 1 is 16 bits, not a multiple of the required 128-bit TMA smem alignment (element=16b, stride=1 elements)}}
  %0:2 = cute_nvgpu.atom.tma_partition(%a, %c, %l, %s, %t) : (!ne, !cute.coord<"0">, !cute.layout<"1:0">, !cute.memref<f16, smem, align<1024>, "((64,64),2):((64,1),1)">, !cute.coord_tensor<"(0,0)", "((64,64),2):((1@1,1@0),64@0)">)
    -> (!cute.memref<f16, smem, align<1024>, "((4096,1),2):((1,0),1)">, !cute.coord_tensor<"(0,0)", "(((64,64),1),2):(((1@0,1@1),0),64@0)">)
  return
}

// -----

// "NoSuchDescriptor": the sentence of the table.
func.func @f(%p: !cute.ptr<f16, smem, align<128>, S<3,4,3>>) {
  // expected-error @below {{Not a canonical GMMA_K Layout: Expected stride failure. Expects 8, but got 16; in units of 16 bytes it is (64,2):(16,1)}}
  %0 = cute_nvgpu.make_gmma_smem_desc(%p) {layout = #cute.layout<"((64,16),2):((128,1),4096)">, major = #cute_nvgpu.major<k>} : (!cute.ptr<f16, smem, align<128>, S<3,4,3>>) -> !cute_nvgpu.smem_desc
  return
}

// -----

// Descriptors are of shared memory.
func.func @f(%p: !cute.ptr<f16, gmem, align<128>>) {
  // expected-error @below {{expects a pointer to smem, but got}}
  %0 = cute_nvgpu.make_umma_smem_desc(%p) {layout = #cute.layout<"((64,16),2):((128,1),4096)">, major = #cute_nvgpu.major<k>} : (!cute.ptr<f16, gmem, align<128>>) -> !cute_nvgpu.smem_desc
  return
}
