// Swizzles whose atoms are of 32 and 64 bytes, and what a tensor map calls them. PTX ISA 5.5.7: in atoms of 64 bytes the halves of odd lines of
// 128 bytes change places, bit 6 by bit 7. S<2,6,2> would go beyond a line.
// RUN: tessera-opt %s --cute-make-tensor-maps | FileCheck %s
// RUN: sed 's/S<1,6,1>/S<2,6,2>/' %s | not tessera-opt 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: TMA has no swizzle S<2,6,2>
!ne = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_100, f32, copy_bits = 131072, tma_gbasis = <"(32,128):(1@1,1@0)">, tma_format = F32_RN>
!gmem = !cute.memref<f32, gmem, align<16>, "(?,?):(?{i64 div=4},1)">
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
!tiler = !cute.layout<"(128,32):(1@0,1@1)">
!atoms32 = !cute.composed_layout<"S<2,5,2> o 0 o (128,32):(32,1)">
!atoms64 = !cute.composed_layout<"S<1,6,1> o 0 o (128,32):(32,1)">

// CHECK-LABEL: @atoms
// CHECK: swizzle = #cute_nvgpu.tma_swizzle<b128_atom_b32>
// CHECK: swizzle = #cute_nvgpu.tma_swizzle<b128_atom_b64>
func.func @atoms(%g: !gmem, %a: !atoms32, %b: !atoms64, %t: !tiler) -> (!ne, !ne) {
  %0, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %a, %t) <{kind = <sm_100> num_multicast = 1 tma_format = <F32_RN>}> : (!gmem, !atoms32, !tiler) -> (!ne, !coords)
  %1, %d = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %b, %t) <{kind = <sm_100> num_multicast = 1 tma_format = <F32_RN>}> : (!gmem, !atoms64, !tiler) -> (!ne, !coords)
  return %0, %1 : !ne, !ne
}
