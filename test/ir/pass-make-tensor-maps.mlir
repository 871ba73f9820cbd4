// The tensor-map step, before the algebra: extents, strides in bytes and the box of a tensor map; the coordinates are algebra that the
// next step takes.
// RUN: tessera-opt %s --cute-make-tensor-maps | FileCheck %s
// RUN: tessera-opt %s --cute-make-tensor-maps --cute-expand-algebra | FileCheck %s --check-prefix=NEXT
// RUN: tessera-opt %s --cute-make-tensor-maps=statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNTS
// COUNTS-DAG: cute-make-tensor-maps: 1 cute_nvgpu.atom.make_non_exec_tiled_tma_load
// COUNTS-DAG: cute-make-tensor-maps: 1 cute_nvgpu.update_tma_desc
!ne = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!smem_layout = !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">
!gmem = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">

// Rows of f16: the pitch in bytes is twice that in elements; columns come first.
// CHECK-LABEL: @make
// CHECK-NOT: make_non_exec
// CHECK: %[[N:.*]]:3 = cute.get_scalars<{only_dynamic}> (%arg0)
// CHECK: %[[BYTES:.*]] = arith.divui
// CHECK: %[[MAP:.*]] = cute_nvgpu.make_tma_desc_tiled(%{{.*}}, [%{{.*}}, %{{.*}}], [%[[BYTES]]]) {box = array<i32: 64, 128>, format = #cute_nvgpu.tma_data_format<F16_RN>, swizzle = #cute_nvgpu.tma_swizzle<b128>}
// CHECK: %[[ATOM:.*]] = cute.make_atom(%[[MAP]])
// CHECK: return %[[ATOM]]
// Extent 0 of the coordinates is that of the tensor.
// NEXT-LABEL: @make
// NEXT: %[[N:.*]]:3 = cute.get_scalars<{only_dynamic}> (%arg0)
// NEXT: %[[MAP:.*]] = cute_nvgpu.make_tma_desc_tiled
// NEXT: return %{{.*}}, %[[N]]#0 :
func.func @make(%g: !gmem, %l: !smem_layout, %t: !cute.layout<"(128,64):(1@0,1@1)">) -> (!ne, i32) {
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %l, %t) <{kind = <sm_90> num_multicast = 1 tma_format = <F16_RN>}>
    : (!gmem, !smem_layout, !cute.layout<"(128,64):(1@0,1@1)">) -> (!ne, !coords)
  %layout = cute.get_layout(%c) : (!coords) -> !cute.layout<"(?,?):(1@1,1@0)">
  %shape = cute.get_shape(%layout) : (!cute.layout<"(?,?):(1@1,1@0)">) -> !cute.shape<"(?,?)">
  %rows, %columns = cute.get_scalars(%shape) : !cute.shape<"(?,?)">
  return %a, %rows : !ne, i32
}

// CHECK-LABEL: @update
// CHECK: cute_nvgpu.arch.replace_tma_desc
// CHECK-NOT: update_tma_desc
func.func @update(%a: !ne, %g: !gmem, %d: !cute.ptr<i8, gmem, align<64>>) {
  cute_nvgpu.update_tma_desc(%a, %g, %d) : (!ne, !gmem, !cute.ptr<i8, gmem, align<64>>) -> ()
  return
}
