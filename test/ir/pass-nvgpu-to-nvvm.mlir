// Architecture ops become NVVM ops, or the intrinsic where NVVM has no op.
// RUN: tessera-opt %s --convert-cute-to-llvm --convert-cute-nvgpu-to-nvvm | FileCheck %s --check-prefix=NONE
// RUN: tessera-opt %s --convert-cute-to-llvm --convert-cute-nvgpu-to-nvvm | FileCheck %s
// NONE-NOT: cute_nvgpu.

// CHECK-LABEL: llvm.func @f
func.func @f(%h: vector<2xf16>, %f: f32, %r: i32, %e: i32, %m: !cute.ptr<f16, smem, align<16>>, %s: !cute.ptr<i128, smem>, %g: !cute.ptr<i128, gmem>, %p: i1, %s4: !cute.ptr<i32, smem>, %g4: !cute.ptr<i32, gmem>, %x: vector<2xi32>) {
  // CHECK: %[[M:.*]] = nvvm.mma.sync A[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] B[%{{.*}}, %{{.*}}] C[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
  // CHECK: llvm.extractvalue %[[M]][3]
  %0:4 = cute_nvgpu.arch.mma.SM80 A[%h, %h, %h, %h] B[%h, %h] C[%f, %f, %f, %f] {a_type = f16, b_type = f16, shape_MNK = #cute.shape<"(16,8,16)">}
    : (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, f32, f32, f32, f32) -> (f32, f32, f32, f32)
  // CHECK: %[[S:.*]] = llvm.mlir.constant(1 : i32) : i32
  // CHECK: nvvm.mma.sp.sync {{.*}} sparseMetadata[%{{.*}}] selector[%[[S]]] {orderedMetadata, shape = #nvvm.shape<m = 16, n = 8, k = 32>}
  %1:4 = cute_nvgpu.arch.mma.SM80.sparse A[%h, %h, %h, %h] B[%h, %h, %h, %h] C[%f, %f, %f, %f] E[%e]
    {a_type = f16, b_type = f16, selector = 1 : i32, shape_MNK = #cute.shape<"(16,8,32)">, sparse_metadata_format = #cute_nvgpu.sparse_metadata_format<ordered>}
    : (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, f32, f32, f32, f32, i32) -> (f32, f32, f32, f32)
  // NVVM's op has no 8-bit floats.
  // CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e5m2.f32"(
  %2:4 = cute_nvgpu.arch.mma.SM89 A[%r, %r, %r, %r] B[%r, %r] C[%f, %f, %f, %f] {a_type = f8E4M3FN, b_type = f8E5M2, shape_MNK = #cute.shape<"(16,8,32)">}
    : (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32) -> (f32, f32, f32, f32)
  // Transposed is the column layout of NVVM.
  // CHECK: nvvm.ldmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>, num = 4 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
  %3 = cute_nvgpu.arch.copy.ldsm(%m) {matrix_shape = #cute.shape<"(8,8)">, num_matrices = 4 : i32, sz_pattern = #cute_nvgpu.ldsm_sz_pattern<u16>, transpose} : (!cute.ptr<f16, smem, align<16>>) -> vector<4xi32>
  // CHECK: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<row>, num = 1 : i32{{.*}} : (!llvm.ptr<3>) -> i32
  %4 = cute_nvgpu.arch.copy.ldsm(%m) {matrix_shape = #cute.shape<"(8,8)">, num_matrices = 1 : i32, sz_pattern = #cute_nvgpu.ldsm_sz_pattern<u16>} : (!cute.ptr<f16, smem, align<16>>) -> i32
  // CHECK: nvvm.stmatrix %{{.*}}, %{{.*}}, %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>
  cute_nvgpu.arch.copy.stsm(%m, %x) {matrix_shape = #cute.shape<"(8,8)">, num_matrices = 2 : i32} : (!cute.ptr<f16, smem, align<16>>, vector<2xi32>)
  // Matrices of bytes, and of numbers that are widened to bytes, are inline PTX.
  // CHECK: llvm.inline_asm has_side_effects "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {$0, $1}, [$2];", "=r,=r,r,~{memory}"
  %b0 = cute_nvgpu.arch.copy.ldsm(%m) {matrix_shape = #cute.shape<"(16,16)">, num_matrices = 1 : i32, sz_pattern = #cute_nvgpu.ldsm_sz_pattern<u8>, transpose} : (!cute.ptr<f16, smem, align<16>>) -> vector<2xi32>
  // CHECK: "ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b4x16_p64 {$0}, [$1];", "=r,r,~{memory}"
  %b1 = cute_nvgpu.arch.copy.ldsm(%m) {matrix_shape = #cute.shape<"(8,16)">, num_matrices = 1 : i32, sz_pattern = #cute_nvgpu.ldsm_sz_pattern<u4x16p64to8>} : (!cute.ptr<f16, smem, align<16>>) -> i32
  // CHECK: "stmatrix.sync.aligned.m16n8.x2.trans.shared.b8 [$0], {$1, $2};", "r,r,r,~{memory}"
  cute_nvgpu.arch.copy.stsm(%m, %x) {matrix_shape = #cute.shape<"(16,8)">, num_matrices = 2 : i32, transpose} : (!cute.ptr<f16, smem, align<16>>, vector<2xi32>)
  // False reads 0 of 16 bytes, the rest is zeros.
  // CHECK: %[[F:.*]] = llvm.mlir.constant(16 : i32) : i32
  // CHECK: %[[Z:.*]] = llvm.mlir.constant(0 : i32) : i32
  // CHECK: %[[N:.*]] = llvm.select %{{.*}}, %[[F]], %[[Z]] : i1, i32
  // CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg, %[[N]] : !llvm.ptr<3>, !llvm.ptr<1>, i32
  cute_nvgpu.arch.copy.SM80.cp_async(%s, %g, %p) {cache_mode = #cute_nvgpu.load_cache_mode<global>} : (!cute.ptr<i128, smem>, !cute.ptr<i128, gmem>, i1)
  // CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
  cute_nvgpu.arch.copy.SM80.cp_async(%s4, %g4) {cache_mode = #cute_nvgpu.load_cache_mode<always>} : (!cute.ptr<i32, smem>, !cute.ptr<i32, gmem>)
  // The value of lane 0, for all 32.
  // CHECK: nvvm.shfl.sync idx %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : i32 -> i32
  %5 = cute_nvgpu.arch.make_warp_uniform(%r) : i32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.dynamic_smem_size"()
  %6 = cute_nvgpu.arch.get_dyn_smem_size() : i32
  return
}
