// A product of a warpgroup with a sparse A, from the atom call to PTX.
// RUN: tessera-opt %s --split-input-file --tessera-lower=arch=sm_90a | FileCheck %s
// RUN: tessera-opt %s --split-input-file --cute-desugar --cute-expand-ops | FileCheck %s --check-prefix=EXPAND
// RUN: tessera-opt %s --split-input-file --cute-desugar --cute-expand-ops | tessera-opt --split-input-file | FileCheck %s --check-prefix=EXPAND

!atom = !cute_nvgpu.sm90.mma_sp<64x8x32, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>
!mma = !cute.tiled_mma<!atom, atom_layout_MNK = <"(1,1,1):(0,0,0)">>
!atom_rs = !cute_nvgpu.sm90.mma_sp<64x8x32, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = rs>
!mma_rs = !cute.tiled_mma<!atom_rs, atom_layout_MNK = <"(1,1,1):(0,0,0)">>
!part_a = !cute.memref<f16, smem, align<4>, "(((2,2),2,2),1,1):(((0,1),512,8),0,0)">
!smem_a = !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((64,(2,16)),1,4):((64,(0,1)),0,16)">
!smem_b = !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((8,32),1,4):((64,1),0,32)">
!sums = !cute.memref<f32, rmem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">
gpu.module @kernels {
  // The tile that is stored has 16 elements along K, not 32: its descriptor is that of a dense A (address, 64 units from one group
  // of eight rows to the next, 128-byte swizzle), and steps of 32 bytes lead along K; in B these are steps of 64.
  // EXPAND-LABEL: cuda.kernel @sparse
  // EXPAND: cute_nvgpu.make_gmma_smem_desc({{.*}}) {layout = #cute.layout<"((64,(1,16)),1,4):((64,(0,1)),0,16)">
  // EXPAND: cute_nvgpu.arch.mma.SM90.sparse A[%{{.*}}] B[%{{.*}}] C[{{.*}}], %{{.*}}, E[%{{.*}}] {{{.*}}selector = 1 : i32
  // CHECK-LABEL: llvm.func @sparse
  // CHECK-SAME: %[[E:[^:]*]]: i32,
  // CHECK: llvm.mlir.constant(4611686293305360384 : i64)
  // PTX ISA 9.7.15.6: d, a, b, metadata, selector, scale-d, signs of A and B, transpositions of A and B.
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {$0, $1, $2, $3}, $8, $9, $10, 1, $11, 1, 1, 0, 0;", "=&f,=&f,=&f,=&f,0,1,2,3,l,l,r,b"{{.*}}, %[[E]], %{{.*}} : (
  cuda.kernel @sparse(%e: i32, %a: !smem_a, %b: !smem_b, %out: !cute.memref<f32, gmem, align<16>, "4:1">) attributes {cute.kernel, gpu.kernel} {
    %false = arith.constant false
    %zero = arith.constant 0 : i32
    %atom = cute.make_atom(%false, %zero) : (i1, i32) -> !atom
    %plain = cute.make_tiled_mma(%atom) : !mma
    %mma = cute_nvgpu.atom.set_value(%plain, %e : i32) {field = #cute_nvgpu.atom_mma_field_sm90_sparse<e>} : !mma
    %fa = cute.mma.make_fragment A (%mma, %a) : (!mma, !smem_a) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,4):(0,0,2)">
    %fb = cute.mma.make_fragment B (%mma, %b) : (!mma, !smem_b) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,4):(0,0,4)">
    %sums = cute.memref.alloca() : !sums
    cute.gemm(%mma, %sums, %fa, %fb, %sums) {selector = 1 : i32} : (!mma, !sums, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,4):(0,0,2)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,4):(0,0,4)">, !sums)
    %v = cute.memref.load_vec %sums : !sums
    cute.memref.store_vec %v, %out : !cute.memref<f32, gmem, align<16>, "4:1">
    cuda.return
  }

  // A in registers: of each pair along K the place that is kept, 8 of 16 in a thread.
  // EXPAND-LABEL: cuda.kernel @kept
  // EXPAND: cute_nvgpu.arch.mma.SM90.sparse A[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] B[
  // CHECK-LABEL: llvm.func @kept
  // CHECK: "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {$0, $1, $2, $3}, {$8, $9, $10, $11}, $12, $13, 0, $14, 1, 1, 0;", "=&f,=&f,=&f,=&f,0,1,2,3,r,r,r,r,l,r,b"
  cuda.kernel @kept(%e: i32, %a: !part_a, %b: !smem_b, %out: !cute.memref<f32, gmem, align<16>, "4:1">) attributes {cute.kernel, gpu.kernel} {
    %true = arith.constant true
    %atom = cute.make_atom(%true, %e) : (i1, i32) -> !atom_rs
    %mma = cute.make_tiled_mma(%atom) : !mma_rs
    %fa = cute.mma.make_fragment A (%mma, %a) : (!mma_rs, !part_a) -> !cute.memref<f16, rmem, align<16>, "(((1,2),2,2),1,1):(((0,1),2,4),0,0)">
    %fb = cute.mma.make_fragment B (%mma, %b) : (!mma_rs, !smem_b) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,4):(0,0,4)">
    %first = cute.static : !cute.coord<"(_,_,0)">
    %b0 = cute.slice(%fb, %first) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,4):(0,0,4)">, !cute.coord<"(_,_,0)">
    %a0 = cute.slice(%fa, %first) : !cute.memref<f16, rmem, align<16>, "(((1,2),2,2),1,1):(((0,1),2,4),0,0)">, !cute.coord<"(_,_,0)">
    %sums = cute.memref.alloca() : !sums
    cute.gemm(%mma, %sums, %a0, %b0, %sums) : (!mma_rs, !sums, !cute.memref<f16, rmem, align<16>, "(((1,2),2,2),1):(((0,1),2,4),0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !sums)
    %v = cute.memref.load_vec %sums : !sums
    cute.memref.store_vec %v, %out : !cute.memref<f32, gmem, align<16>, "4:1">
    cuda.return
  }
}
