// Every op of `cute_nvgpu`. The spellings are those of section 3.4 and 3.7 of the facts; register counts come from
// mma_atoms.tsv (regsA, regsB, regsC).
// RUN: tessera-opt %s | tessera-opt | FileCheck %s
// RUN: tessera-opt %s --mlir-print-op-generic | tessera-opt | FileCheck %s

// CHECK-LABEL: @resources
func.func @resources(%i: i32) {
  // CHECK: cute_nvgpu.arch.get_dyn_smem() : !cute.ptr<i8, smem, align<1024>>
  %0 = cute_nvgpu.arch.get_dyn_smem() : !cute.ptr<i8, smem, align<1024>>
  // CHECK: cute_nvgpu.arch.get_dyn_smem_size() : i32
  %1 = cute_nvgpu.arch.get_dyn_smem_size() : i32
  // CHECK: cute_nvgpu.arch.make_warp_uniform(%{{.*}}) : i32
  %2 = cute_nvgpu.arch.make_warp_uniform(%i) : i32
  return
}

// CHECK-LABEL: @copies
func.func @copies(%s: !cute.ptr<i128, smem>, %g: !cute.ptr<i128, gmem>, %p: i1, %m: !cute.ptr<f16, smem, align<16>>, %x: vector<2xi32>) {
  // CHECK: cute_nvgpu.arch.copy.SM80.cp_async(%{{.*}}, %{{.*}}, %{{.*}}) {cache_mode = #cute_nvgpu.load_cache_mode<always>} : (!cute.ptr<i128, smem>, !cute.ptr<i128, gmem>, i1)
  cute_nvgpu.arch.copy.SM80.cp_async(%s, %g, %p) {cache_mode = #cute_nvgpu.load_cache_mode<always>} : (!cute.ptr<i128, smem>, !cute.ptr<i128, gmem>, i1)
  // CHECK: cute_nvgpu.arch.copy.ldsm(%{{.*}}) {matrix_shape = #cute.shape<"(8,8)">, num_matrices = 4 : i32, sz_pattern = #cute_nvgpu.ldsm_sz_pattern<u16>, transpose} : (!cute.ptr<f16, smem, align<16>>) -> vector<4xi32>
  %0 = cute_nvgpu.arch.copy.ldsm(%m) {matrix_shape = #cute.shape<"(8,8)">, num_matrices = 4 : i32, sz_pattern = #cute_nvgpu.ldsm_sz_pattern<u16>, transpose} : (!cute.ptr<f16, smem, align<16>>) -> vector<4xi32>
  // One matrix is one register.
  // CHECK: cute_nvgpu.arch.copy.ldsm(%{{.*}}) {{{.*}}num_matrices = 1 : i32{{.*}}} : (!cute.ptr<f16, smem, align<16>>) -> i32
  %1 = cute_nvgpu.arch.copy.ldsm(%m) {matrix_shape = #cute.shape<"(8,8)">, num_matrices = 1 : i32, sz_pattern = #cute_nvgpu.ldsm_sz_pattern<u16>} : (!cute.ptr<f16, smem, align<16>>) -> i32
  // CHECK: cute_nvgpu.arch.copy.stsm(%{{.*}}, %{{.*}}) {matrix_shape = #cute.shape<"(8,8)">, num_matrices = 2 : i32} : (!cute.ptr<f16, smem, align<16>>, vector<2xi32>)
  cute_nvgpu.arch.copy.stsm(%m, %x) {matrix_shape = #cute.shape<"(8,8)">, num_matrices = 2 : i32} : (!cute.ptr<f16, smem, align<16>>, vector<2xi32>)
  return
}

// CHECK-LABEL: @tensor_memory
func.func @tensor_memory(%t: !cute.ptr<f32, tmem>, %x: vector<4xi32>, %n: i32, %s: !cute.ptr<i32, smem>, %tm: !cute.memref<f32, tmem, align<1>, "((128,64),1,1):((65536,1),0,0)">) {
  // CHECK: %[[V:.*]] = cute_nvgpu.arch.copy.SM100.tmem_load(%{{.*}}) {num_b = 32 : i32, num_dp = 32 : i32, num_rep = 4 : i32} : (!cute.ptr<f32, tmem>) -> vector<4xi32>
  %0 = cute_nvgpu.arch.copy.SM100.tmem_load(%t) {num_b = 32 : i32, num_dp = 32 : i32, num_rep = 4 : i32} : (!cute.ptr<f32, tmem>) -> vector<4xi32>
  // CHECK: cute_nvgpu.arch.copy.SM100.tmem_store(%{{.*}}, %{{.*}}) {num_b = 32 : i32, num_dp = 32 : i32, num_rep = 4 : i32, pack16b} : (!cute.ptr<f32, tmem>, vector<4xi32>)
  cute_nvgpu.arch.copy.SM100.tmem_store(%t, %x) {num_b = 32 : i32, num_dp = 32 : i32, num_rep = 4 : i32, pack16b} : (!cute.ptr<f32, tmem>, vector<4xi32>)
  // CHECK: cute_nvgpu.arch.sm100.alloc_tmem(%{{.*}}, %{{.*}}) [ cta_1] : i32, !cute.ptr<i32, smem>
  cute_nvgpu.arch.sm100.alloc_tmem(%n, %s) [cta_1] : i32, !cute.ptr<i32, smem>
  // CHECK: cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%{{.*}}) : !cute.ptr<i32, smem> -> !cute.ptr<f32, tmem, align<16>>
  %1 = cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%s) : !cute.ptr<i32, smem> -> !cute.ptr<f32, tmem, align<16>>
  // CHECK: cute_nvgpu.arch.sm100.dealloc_tmem(%{{.*}}, %{{.*}}) [cta_2] : !cute.ptr<f32, tmem>, i32
  cute_nvgpu.arch.sm100.dealloc_tmem(%t, %n) [cta_2] : !cute.ptr<f32, tmem>, i32
  // CHECK: cute_nvgpu.arch.sm100.relinquish_tmem_alloc_permit [ cta_1]
  cute_nvgpu.arch.sm100.relinquish_tmem_alloc_permit [cta_1]
  return
}

!tmem_load = !cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x64>
// One warp reads 32 lanes, four warps 128; each thread gets 64 columns. CUTLASS, make_tmem_copy.
!tmem_copy = !cute.tiled_copy<!tmem_load, layout_copy_tv = <"((32,4),(64,32)):((0,1),(4,256))">, tiler_mn = <"[(256,32):(32,1);1:0;1:0]">>
// CHECK-LABEL: @tmem_copy
func.func @tmem_copy(%tm: !cute.memref<f32, tmem, align<1>, "((128,64),1,1):((65536,1),0,0)">) {
  %atom = cute.make_atom() : () -> !tmem_load
  // CHECK: cute_nvgpu.atom.make_tmem_copy(%{{.*}}, %{{.*}}) : (!cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x64>, !cute.memref<f32, tmem, align<1>, "((128,64),1,1):((65536,1),0,0)">) -> !cute.tiled_copy<
  %0 = cute_nvgpu.atom.make_tmem_copy(%atom, %tm) : (!tmem_load, !cute.memref<f32, tmem, align<1>, "((128,64),1,1):((65536,1),0,0)">) -> !tmem_copy
  return
}

// CHECK-LABEL: @warp_mma
func.func @warp_mma(%h: vector<2xf16>, %f: f32, %r: i32, %e: i32) {
  // SM80_16x8x16_F32F16F16F32_TN: 4 registers of A, 2 of B, 4 of C.
  // CHECK: cute_nvgpu.arch.mma.SM80 A[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] B[%{{.*}}, %{{.*}}] C[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] {a_type = f16, b_type = f16, shape_MNK = #cute.shape<"(16,8,16)">} : ({{.*}}) -> (f32, f32, f32, f32)
  %0:4 = cute_nvgpu.arch.mma.SM80 A[%h, %h, %h, %h] B[%h, %h] C[%f, %f, %f, %f] {a_type = f16, b_type = f16, shape_MNK = #cute.shape<"(16,8,16)">}
    : (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, f32, f32, f32, f32) -> (f32, f32, f32, f32)
  // Half of A's values are left: m16n8k32 takes 4 registers of A, 4 of B.
  // CHECK: cute_nvgpu.arch.mma.SM80.sparse A[%{{.*}}] B[%{{.*}}] C[%{{.*}}] E[%{{.*}}] {{{.*}}sparse_metadata_format = #cute_nvgpu.sparse_metadata_format<ordered>}
  %1:4 = cute_nvgpu.arch.mma.SM80.sparse A[%h, %h, %h, %h] B[%h, %h, %h, %h] C[%f, %f, %f, %f] E[%e]
    {a_type = f16, b_type = f16, selector = 0 : i32, shape_MNK = #cute.shape<"(16,8,32)">, sparse_metadata_format = #cute_nvgpu.sparse_metadata_format<ordered>}
    : (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, f32, f32, f32, f32, i32) -> (f32, f32, f32, f32)
  // SM89_16x8x32_F32E4M3E4M3F32_TN.
  // CHECK: cute_nvgpu.arch.mma.SM89 A[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] B[%{{.*}}, %{{.*}}] C[{{.*}}] {a_type = f8E4M3FN, b_type = f8E5M2, shape_MNK = #cute.shape<"(16,8,32)">}
  %2:4 = cute_nvgpu.arch.mma.SM89 A[%r, %r, %r, %r] B[%r, %r] C[%f, %f, %f, %f] {a_type = f8E4M3FN, b_type = f8E5M2, shape_MNK = #cute.shape<"(16,8,32)">}
    : (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32) -> (f32, f32, f32, f32)
  return
}

// CHECK-LABEL: @descriptors
func.func @descriptors(%p: !cute.ptr<f16, smem, align<128>, S<3,4,3>>, %f: f32, %t: i1, %d: !cute.ptr<f32, tmem>, %i: i32) {
  // CHECK: cute_nvgpu.make_gmma_smem_desc(%{{.*}}) {layout = #cute.layout<"((64,16),2):((64,1),4096)">, major = #cute_nvgpu.major<k>} : (!cute.ptr<f16, smem, align<128>, S<3,4,3>>) -> !cute_nvgpu.smem_desc
  %0 = cute_nvgpu.make_gmma_smem_desc(%p) {layout = #cute.layout<"((64,16),2):((64,1),4096)">, major = #cute_nvgpu.major<k>} : (!cute.ptr<f16, smem, align<128>, S<3,4,3>>) -> !cute_nvgpu.smem_desc
  // CHECK: cute_nvgpu.make_umma_smem_desc(%{{.*}}) {{{.*}}major = #cute_nvgpu.major<mn>} : {{.*}} -> !cute_nvgpu.smem_desc
  %1 = cute_nvgpu.make_umma_smem_desc(%p) {layout = #cute.layout<"((64,(8,2)),1):((1,(64,512)),0)">, major = #cute_nvgpu.major<mn>} : (!cute.ptr<f16, smem, align<128>, S<3,4,3>>) -> !cute_nvgpu.smem_desc
  // 64x8: 4 accumulators a thread.
  // CHECK: cute_nvgpu.arch.mma.SM90 A[%{{.*}}] B[%{{.*}}] C[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}], %{{.*}} {a_major = #cute_nvgpu.major<k>, a_type = f16, b_major = #cute_nvgpu.major<k>, b_type = f16, cd_type = f32, shapeMNK = #cute.shape<"(64,8,16)">} : ({{.*}}) -> (f32, f32, f32, f32)
  %2:4 = cute_nvgpu.arch.mma.SM90 A[%0] B[%0] C[%f, %f, %f, %f], %t {a_major = #cute_nvgpu.major<k>, a_type = f16, b_major = #cute_nvgpu.major<k>, b_type = f16, cd_type = f32, shapeMNK = #cute.shape<"(64,8,16)">}
    : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, f32, f32, f32, f32, i1) -> (f32, f32, f32, f32)
  // CHECK: cute_nvgpu.arch.mma.SM100.umma(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {a_type = f16, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem>, i32, i1)
  cute_nvgpu.arch.mma.SM100.umma(%1, %1, %d, %i, %t) {a_type = f16, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem>, i32, i1)
  return
}

// The other products in tensor memory. Scale factors as the vendor's compiler lays them out, and those of B of a pair of CTAs.
// CHECK-LABEL: @umma
func.func @umma(%s: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem>, %i: i32, %t: i1, %sf: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,0))">, %pair: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,2),2,2),(32,1)):(((262144,4),16777216,8388608),(0,1))">, %sf2: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(64,1)):(((262144,4),8388608),(0,0))">) {
  // A in tensor memory, and all that qualifies a product.
  // CHECK: cute_nvgpu.arch.mma.SM100.umma({{.*}}) {a_type = f16, ashift, collector_a = #cute_nvgpu.collector_op<lastuse>, kind = #cute_nvgpu.mma_kind<f16>, num_cta = 2 : i32, scale = 15 : i32} : (!cute.ptr<f32, tmem>,
  cute_nvgpu.arch.mma.SM100.umma(%d, %s, %d, %i, %t) {a_type = f16, ashift, collector_a = #cute_nvgpu.collector_op<lastuse>, kind = #cute_nvgpu.mma_kind<f16>, num_cta = 2 : i32, scale = 15 : i32} : (!cute.ptr<f32, tmem>, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem>, i32, i1)
  // CHECK: cute_nvgpu.arch.mma.SM100.umma_sparse({{.*}}) {a_type = i8, num_cta = 1 : i32, scale = 0 : i32, weight_stationary}
  cute_nvgpu.arch.mma.SM100.umma_sparse(%s, %s, %d, %i, %t, %d) {a_type = i8, num_cta = 1 : i32, scale = 0 : i32, weight_stationary} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem>, i32, i1, !cute.ptr<f32, tmem>)
  // CHECK: cute_nvgpu.arch.mma.SM100.umma_block_scaled({{.*}}) {a_type = f8E4M3FN, b_type = f8E5M2, num_cta = 2 : i32, scale = 0 : i32}
  cute_nvgpu.arch.mma.SM100.umma_block_scaled(%s, %s, %d, %i, %t, %sf, %pair) {a_type = f8E4M3FN, b_type = f8E5M2, num_cta = 2 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem>, i32, i1, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,0))">, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,2),2,2),(32,1)):(((262144,4),16777216,8388608),(0,1))">)
  // Beside a sparse A 64 elements share a factor.
  // CHECK: cute_nvgpu.arch.mma.SM100.umma_block_scaled_sparse({{.*}}) {a_type = f8E4M3FN, num_cta = 1 : i32, scale = 0 : i32, scale_vec = #cute_nvgpu.scale_vec<x1>}
  cute_nvgpu.arch.mma.SM100.umma_block_scaled_sparse(%s, %s, %d, %i, %t, %d, %sf2, %sf2) {a_type = f8E4M3FN, num_cta = 1 : i32, scale = 0 : i32, scale_vec = #cute_nvgpu.scale_vec<x1>} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem>, i32, i1, !cute.ptr<f32, tmem>, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(64,1)):(((262144,4),8388608),(0,0))">, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(64,1)):(((262144,4),8388608),(0,0))">)
  return
}

// CHECK-LABEL: @warp_scaled
func.func @warp_scaled(%r: i32, %f: f32) {
  // CHECK: cute_nvgpu.arch.mma.SM120.block_scaled A[{{.*}}] B[{{.*}}] C[{{.*}}] SF[%{{.*}}, %{{.*}}] {a_type = f4E2M1FN, b_type = f4E2M1FN, byte_id_a = 2 : i32, sf_type = f8E8M0FNU, shape_MNK = #cute.shape<"(16,8,64)">, thread_id_a = 1 : i32, thread_id_b = 3 : i32, vec_size = 32 : i32}
  %0:4 = cute_nvgpu.arch.mma.SM120.block_scaled A[%r, %r, %r, %r] B[%r, %r] C[%f, %f, %f, %f] SF[%r, %r] {a_type = f4E2M1FN, b_type = f4E2M1FN, byte_id_a = 2 : i32, sf_type = f8E8M0FNU, shape_MNK = #cute.shape<"(16,8,64)">, thread_id_a = 1 : i32, thread_id_b = 3 : i32, vec_size = 32 : i32}
    : (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32, i32, i32) -> (f32, f32, f32, f32)
  return
}

!ne = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!ex = !cute_nvgpu.atom.tma_load<f16, copy_bits = 131072, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,128):(1@1,1@0)">>
!st = !cute_nvgpu.atom.non_exec_tiled_tma_store<f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!smem_layout = !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">
!gmem = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">

// CHECK-LABEL: @tma_atoms
func.func @tma_atoms(%g: !gmem, %l: !smem_layout, %t: !cute.layout<"(128,64):(1@0,1@1)">, %bar: !cute.ptr<i64, smem>, %d: !cute.ptr<i8, gmem, align<64>>,
                     %cc: !cute.coord<"0">, %cl: !cute.layout<"1:0">, %s: !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((128,64)):((64,1))">,
                     %ct: !cute.coord_tensor<"(0,0)", "((128,64)):((1@1,1@0))">) {
  // CHECK: %[[A:.*]], %[[C:.*]] = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%{{.*}}, %{{.*}}, %{{.*}}) <{kind = <sm_90> num_multicast = 1 tma_format = <F16_RN>}> :
  %a, %c = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%g, %l, %t) <{kind = <sm_90> num_multicast = 1 tma_format = <F16_RN>}>
    : (!gmem, !smem_layout, !cute.layout<"(128,64):(1@0,1@1)">) -> (!ne, !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">)
  // CHECK: cute_nvgpu.atom.make_non_exec_tiled_tma_store(%{{.*}}, %{{.*}}, %{{.*}}) : ({{.*}}) -> (!cute_nvgpu.atom.non_exec_tiled_tma_store<f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>, !cute.coord_tensor<
  %sa, %sc = cute_nvgpu.atom.make_non_exec_tiled_tma_store(%g, %l, %t) : (!gmem, !smem_layout, !cute.layout<"(128,64):(1@0,1@1)">) -> (!st, !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">)
  // CHECK: cute_nvgpu.prefetch_tma_desc(%[[A]]) : (!cute_nvgpu.atom.non_exec_tiled_tma_load<
  cute_nvgpu.prefetch_tma_desc(%a) : (!ne) -> ()
  // CHECK: cute_nvgpu.get_tma_desc_addr(%[[A]]) : {{.*}} -> !cute.ptr<!cute_nvgpu.tma_descriptor_tiled, generic, align<64>>
  %p = cute_nvgpu.get_tma_desc_addr(%a) : (!ne) -> !cute.ptr<!cute_nvgpu.tma_descriptor_tiled, generic, align<64>>
  // CHECK: cute_nvgpu.copy_tma_desc(%[[A]], %{{.*}}) : ({{.*}}, !cute.ptr<i8, gmem, align<64>>) -> ()
  cute_nvgpu.copy_tma_desc(%a, %d) : (!ne, !cute.ptr<i8, gmem, align<64>>) -> ()
  // CHECK: cute_nvgpu.update_tma_desc(%[[A]], %{{.*}}, %{{.*}}) : ({{.*}}) -> ()
  cute_nvgpu.update_tma_desc(%a, %g, %d) : (!ne, !gmem, !cute.ptr<i8, gmem, align<64>>) -> ()
  // CHECK: %[[X:.*]] = cute_nvgpu.atom.make_exec_tma(%[[A]]) : ({{.*}}) -> !cute_nvgpu.atom.tma_load<f16, copy_bits = 131072, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,128):(1@1,1@0)">>
  %x = cute_nvgpu.atom.make_exec_tma(%a) : (!ne) -> !ex
  // CHECK: %[[Y:.*]] = cute_nvgpu.atom.set_value(%[[X]], %{{.*}} : !cute.ptr<i64, smem>) {field = #cute_nvgpu.atom_copy_field_tmaload<tma_bar>} : !cute_nvgpu.atom.tma_load<
  %y = cute_nvgpu.atom.set_value(%x, %bar : !cute.ptr<i64, smem>) {field = #cute_nvgpu.atom_copy_field_tmaload<tma_bar>} : !ex
  // CHECK: cute_nvgpu.atom.get_value(%[[Y]] : {{.*}}) {field = #cute_nvgpu.atom_copy_field_tmaload<tma_bar>} : !cute.ptr<i64, smem>
  %z = cute_nvgpu.atom.get_value(%y : !ex) {field = #cute_nvgpu.atom_copy_field_tmaload<tma_bar>} : !cute.ptr<i64, smem>
  // CHECK: %{{.*}}:2 = cute_nvgpu.atom.tma_partition(%[[A]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : ({{.*}}) -> (!cute.memref<f16, smem, align<1024>, S<3,4,3>, "((8192,1)):((1,0))">, !cute.coord_tensor<
  %sp:2 = cute_nvgpu.atom.tma_partition(%a, %cc, %cl, %s, %ct) : (!ne, !cute.coord<"0">, !cute.layout<"1:0">, !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((128,64)):((64,1))">, !cute.coord_tensor<"(0,0)", "((128,64)):((1@1,1@0))">)
    -> (!cute.memref<f16, smem, align<1024>, S<3,4,3>, "((8192,1)):((1,0))">, !cute.coord_tensor<"(0,0)", "(((64,128),1)):(((1@0,1@1),0))">)
  return
}

// CHECK-LABEL: @tensor_maps
func.func @tensor_maps(%g: !gmem, %m: i64, %n: i64, %pitch: i64) {
  %p = cute.get_iter(%g) : !gmem
  // CHECK: %[[D:.*]] = cute_nvgpu.make_tma_desc_tiled(%{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}]) {box = array<i32: 64, 128>, format = #cute_nvgpu.tma_data_format<F16_RN>, swizzle = #cute_nvgpu.tma_swizzle<b128>} : !cute.ptr<f16, gmem, align<16>> -> !cute.ptr<i8, generic, align<64>>
  %d = cute_nvgpu.make_tma_desc_tiled(%p, [%n, %m], [%pitch]) {box = array<i32: 64, 128>, format = #cute_nvgpu.tma_data_format<F16_RN>, swizzle = #cute_nvgpu.tma_swizzle<b128>} : !cute.ptr<f16, gmem, align<16>> -> !cute.ptr<i8, generic, align<64>>
  // CHECK: cute_nvgpu.make_tma_desc_im2col(%{{.*}}, [%{{.*}}, %{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}]) {channels = 64 : i32, format = #cute_nvgpu.tma_data_format<F16_RN>, lower = array<i32: -1>, pixels = 128 : i32, steps = array<i32: 1, 1, 1>, swizzle = #cute_nvgpu.tma_swizzle<b128>, upper = array<i32: -1>} : !cute.ptr<f16, gmem, align<16>> -> !cute.ptr<i8, generic, align<64>>
  %e = cute_nvgpu.make_tma_desc_im2col(%p, [%n, %m, %m], [%pitch, %pitch]) {channels = 64 : i32, format = #cute_nvgpu.tma_data_format<F16_RN>, lower = array<i32: -1>, pixels = 128 : i32, steps = array<i32: 1, 1, 1>, swizzle = #cute_nvgpu.tma_swizzle<b128>, upper = array<i32: -1>} : !cute.ptr<f16, gmem, align<16>> -> !cute.ptr<i8, generic, align<64>>
  // CHECK: cute_nvgpu.arch.prefetch_tma_desc(%[[D]]) : !cute.ptr<i8, generic, align<64>>
  cute_nvgpu.arch.prefetch_tma_desc(%d) : !cute.ptr<i8, generic, align<64>>
  return
}

// CHECK-LABEL: @tma_instructions
func.func @tma_instructions(%desc: !cute.ptr<i8, generic, align<64>>, %s: !cute.ptr<f16, smem, align<128>>, %bar: !cute.ptr<i64, smem>, %i: i32, %m: i16, %p: i64,
                             %g: !cute.ptr<f16, gmem, align<128>>) {
  // CHECK: cute_nvgpu.arch.copy.SM100.tma_load(%{{.*}}, %{{.*}}, %{{.*}}, [%{{.*}}, %{{.*}}]) mask = %{{.*}} cache_policy = %{{.*}} {mode = #cute_nvgpu.tma_load_mode<tiled>, num_cta = 1 : i32} : !cute.ptr<i8, generic, align<64>>, !cute.ptr<f16, smem, align<128>>, !cute.ptr<i64, smem>
  cute_nvgpu.arch.copy.SM100.tma_load(%desc, %s, %bar, [%i, %i]) mask = %m cache_policy = %p {mode = #cute_nvgpu.tma_load_mode<tiled>, num_cta = 1 : i32} : !cute.ptr<i8, generic, align<64>>, !cute.ptr<f16, smem, align<128>>, !cute.ptr<i64, smem>
  // CHECK: cute_nvgpu.arch.copy.SM100.tma_load(%{{.*}}, %{{.*}}, %{{.*}}, [%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}]) offsets = [%{{.*}}, %{{.*}}] {mode = #cute_nvgpu.tma_load_mode<im2col>, num_cta = 2 : i32}
  cute_nvgpu.arch.copy.SM100.tma_load(%desc, %s, %bar, [%i, %i, %i, %i]) offsets = [%m, %m] {mode = #cute_nvgpu.tma_load_mode<im2col>, num_cta = 2 : i32} : !cute.ptr<i8, generic, align<64>>, !cute.ptr<f16, smem, align<128>>, !cute.ptr<i64, smem>
  // CHECK: cute_nvgpu.arch.copy.SM100.tma_store(%{{.*}}, %{{.*}}, [%{{.*}}, %{{.*}}, %{{.*}}]) cache_policy = %{{.*}} {mode = #cute_nvgpu.tma_store_mode<tiled>} : !cute.ptr<i8, generic, align<64>>, !cute.ptr<f16, smem, align<128>>
  cute_nvgpu.arch.copy.SM100.tma_store(%desc, %s, [%i, %i, %i]) cache_policy = %p {mode = #cute_nvgpu.tma_store_mode<tiled>} : !cute.ptr<i8, generic, align<64>>, !cute.ptr<f16, smem, align<128>>
  // CHECK: cute_nvgpu.arch.copy.SM100.tma_reduce(%{{.*}}, %{{.*}}, [%{{.*}}, %{{.*}}, %{{.*}}]) {kind = #cute_nvgpu.reduction_kind<MAX>, mode = #cute_nvgpu.tma_store_mode<im2col>} : !cute.ptr<i8, generic, align<64>>, !cute.ptr<f16, smem, align<128>>
  cute_nvgpu.arch.copy.SM100.tma_reduce(%desc, %s, [%i, %i, %i]) {kind = #cute_nvgpu.reduction_kind<MAX>, mode = #cute_nvgpu.tma_store_mode<im2col>} : !cute.ptr<i8, generic, align<64>>, !cute.ptr<f16, smem, align<128>>
  // CHECK: cute_nvgpu.arch.copy.SM100.tma_prefetch(%{{.*}}, [%{{.*}}, %{{.*}}, %{{.*}}]) offsets = [%{{.*}}] cache_policy = %{{.*}} {mode = #cute_nvgpu.tma_load_mode<im2col>} : !cute.ptr<i8, generic, align<64>>
  cute_nvgpu.arch.copy.SM100.tma_prefetch(%desc, [%i, %i, %i]) offsets = [%m] cache_policy = %p {mode = #cute_nvgpu.tma_load_mode<im2col>} : !cute.ptr<i8, generic, align<64>>
  // CHECK: cute_nvgpu.arch.replace_tma_desc(%{{.*}}, %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}]) : !cute.ptr<i8, generic, align<64>>, !cute.ptr<f16, gmem, align<128>>
  cute_nvgpu.arch.replace_tma_desc(%desc, %g, [%i, %i], [%p]) : !cute.ptr<i8, generic, align<64>>, !cute.ptr<f16, gmem, align<128>>
  // CHECK: cute_nvgpu.arch.copy_tma_desc(%{{.*}}, %{{.*}}) : (!cute.ptr<i8, generic, align<64>>, !cute.ptr<f16, smem, align<128>>)
  cute_nvgpu.arch.copy_tma_desc(%desc, %s) : (!cute.ptr<i8, generic, align<64>>, !cute.ptr<f16, smem, align<128>>)
  return
}
