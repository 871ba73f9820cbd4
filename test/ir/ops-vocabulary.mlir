// Atoms that no kernel of the corpus has: types as nvidia-cutlass-dsl 4.8.0 prints them, and names of their fields.
// RUN: tessera-opt %s | tessera-opt | FileCheck %s

// CHECK-LABEL: @reducing
// CHECK-SAME: !cute_nvgpu.atom.tmem_load_red<f32, 16 DP, 32 bit, x4, maxabs, nan, half_split_off=3 : i64>
// CHECK-SAME: !cute_nvgpu.atom.tmem_load_red<i32, 32 DP, 32 bit, x128, min>
func.func private @reducing(
  !cute_nvgpu.atom.tmem_load_red<f32, 16 DP, 32 bit, x4, maxabs, nan, half_split_off=3 : i64>,
  !cute_nvgpu.atom.tmem_load_red<i32, 32 DP, 32 bit, x128, min>)

// What is as usual is left out.
// CHECK-LABEL: @direct
// CHECK-SAME: !cute_nvgpu.atom.g2r<f32 copy_bits = 64 mem_order = relaxed mem_scope = gpu l2_prefetch_size = size_128b l1_cache_evict_priority = evict_last shared_space = cluster>
// CHECK-SAME: !cute_nvgpu.atom.g2r<f16 copy_bits = 128 load_cache_mode = streaming invariant = true>
// CHECK-SAME: !cute_nvgpu.atom.g2r<f16 copy_bits = 128>
// CHECK-SAME: !cute_nvgpu.atom.r2g<f16 copy_bits = 128 l1_cache_evict_priority = no_allocate store_cache_mode = write_through>
// CHECK-SAME: !cute_nvgpu.atom.s2r<f32 copy_bits = 64 mem_order = relaxed mem_scope = gpu shared_space = cluster>
// CHECK-SAME: !cute_nvgpu.atom.r2s<f32 copy_bits = 64 mem_order = release mem_scope = cluster shared_space = cluster>
func.func private @direct(
  !cute_nvgpu.atom.g2r<f32 copy_bits = 64 mem_order = relaxed mem_scope = gpu l2_prefetch_size = size_128b l1_cache_evict_priority = evict_last shared_space = cluster>,
  !cute_nvgpu.atom.g2r<f16 copy_bits = 128 load_cache_mode = streaming invariant = true>,
  !cute_nvgpu.atom.g2r<f16 copy_bits = 128 mem_order = weak mem_scope = cta load_cache_mode = always invariant = false>,
  !cute_nvgpu.atom.r2g<f16 copy_bits = 128 l1_cache_evict_priority = no_allocate store_cache_mode = write_through>,
  !cute_nvgpu.atom.s2r<f32 copy_bits = 64 mem_order = relaxed mem_scope = gpu shared_space = cluster>,
  !cute_nvgpu.atom.r2s<f32 copy_bits = 64 mem_order = release mem_scope = cluster shared_space = cluster>)

// CHECK-LABEL: @tma
// CHECK-SAME: !cute_nvgpu.atom.im2col_tma_load<f16, copy_bits = 131072, num_cta = 1, g_stride = <"()"> mcast = true tma_gbasis = <"(64,128):(1@1,1@0)">>
// CHECK-SAME: !cute_nvgpu.atom.im2col_tma_store<f16, copy_bits = 65536, g_stride = <"()"> tma_gbasis = <"(32,128):(1@1,1@0)">>
// CHECK-SAME: !cute_nvgpu.atom.non_exec_im2col_tma_store<f16, copy_bits = 1024, tma_gbasis = <"(64,1):(1@0,1@1)">, tma_format = F16_RN>
// CHECK-SAME: !cute_nvgpu.atom.non_exec_2d_gather4_tma_load<sm_100, f16, copy_bits = 1024, tma_gbasis = <"(64,1):(1@0,1@1)">, tma_format = F16_RN>
// CHECK-SAME: !cute_nvgpu.atom.non_exec_2d_gather4_tma_load<sm_100_2sm_multicast, f16, copy_bits = 1024, tma_gbasis = <"(64,1):(1@0,1@1)">>
// CHECK-SAME: !cute_nvgpu.atom.non_exec_2d_scatter4_tma_store<f16, copy_bits = 1024, tma_gbasis = <"(4,64):(1@0,1@1)">, tma_format = F16_RN>
// CHECK-SAME: !cute_nvgpu.atom.tma_load<bf16, copy_bits = 1024, mode = gather4, num_cta = 2, g_stride = <"()"> mcast = true tma_gbasis = <"(64,1):(1@0,1@1)">>
// CHECK-SAME: !cute_nvgpu.atom.bulk_copy_s2g<f32 copy_bits = 128 mask = true>
func.func private @tma(
  !cute_nvgpu.atom.im2col_tma_load<f16, copy_bits = 131072, num_cta = 1, g_stride = <"()"> mcast = true tma_gbasis = <"(64,128):(1@1,1@0)">>,
  !cute_nvgpu.atom.im2col_tma_store<f16, copy_bits = 65536, g_stride = <"()"> tma_gbasis = <"(32,128):(1@1,1@0)">>,
  !cute_nvgpu.atom.non_exec_im2col_tma_store<f16, copy_bits = 1024, tma_gbasis = <"(64,1):(1@0,1@1)">, tma_format = F16_RN>,
  !cute_nvgpu.atom.non_exec_2d_gather4_tma_load<sm_100, f16, copy_bits = 1024, tma_gbasis = <"(64,1):(1@0,1@1)">, tma_format = F16_RN>,
  !cute_nvgpu.atom.non_exec_2d_gather4_tma_load<sm_100_2sm_multicast, f16, copy_bits = 1024, tma_gbasis = <"(64,1):(1@0,1@1)">>,
  !cute_nvgpu.atom.non_exec_2d_scatter4_tma_store<f16, copy_bits = 1024, tma_gbasis = <"(4,64):(1@0,1@1)">, tma_format = F16_RN>,
  !cute_nvgpu.atom.tma_load<bf16, copy_bits = 1024, mode = gather4, num_cta = 2, g_stride = <"()"> mcast = true tma_gbasis = <"(64,1):(1@0,1@1)">>,
  !cute_nvgpu.atom.bulk_copy_s2g<f32 copy_bits = 128 mask = true>)

// CHECK-LABEL: @fields
// CHECK-SAME: #cute_nvgpu.atom_copy_field_bulks2g<byte_mask>
// CHECK-SAME: #cute_nvgpu.atom_copy_field_non_exec_im2col_tma_store<im2col_tma_desc>
// CHECK-SAME: #cute_nvgpu.atom_copy_field_non_exec_2d_gather4_tma_load<tma_desc>
// CHECK-SAME: #cute_nvgpu.atom_copy_field_non_exec_2d_scatter4_tma_store<tma_desc>
func.func private @fields() attributes {test.fields = [#cute_nvgpu.atom_copy_field_bulks2g<byte_mask>,
  #cute_nvgpu.atom_copy_field_non_exec_im2col_tma_store<im2col_tma_desc>,
  #cute_nvgpu.atom_copy_field_non_exec_2d_gather4_tma_load<tma_desc>,
  #cute_nvgpu.atom_copy_field_non_exec_2d_scatter4_tma_store<tma_desc>]}

// Fields that products of tensor memory take: factors and metadata are where tensor memory has them.
!scaled = !cute_nvgpu.sm100.mma_bs_sp<128x128x128, num_cta = 1, ab_major = (k, k), elem_type = (f4E2M1FN, f4E2M1FN, f32), sf_type = f8E8M0FNU, sparse_metadata_format = tid, frag_kind = ss, vec_size = 32>
// CHECK-LABEL: @products
func.func @products(%t: i1, %f: !cute.ptr<f8E8M0FNU, tmem, align<16>>, %e: !cute.ptr<i8, tmem, align<1>>) -> !scaled {
  // CHECK: cute.make_atom(%{{.*}}) : (i1, i1, i1, !cute.ptr<f8E8M0FNU, tmem, align<16>>, !cute.ptr<f8E8M0FNU, tmem, align<16>>, !cute.ptr<i8, tmem>)
  %a = cute.make_atom(%t, %t, %t, %f, %f, %e) : (i1, i1, i1, !cute.ptr<f8E8M0FNU, tmem, align<16>>, !cute.ptr<f8E8M0FNU, tmem, align<16>>, !cute.ptr<i8, tmem, align<1>>) -> !scaled
  // CHECK: cute_nvgpu.atom.set_value(%{{.*}}, %{{.*}} : !cute.ptr<f8E8M0FNU, tmem, align<16>>) {field = #cute_nvgpu.atom_mma_field_sm100_block_scaled_sparse<sf_b>}
  %b = cute_nvgpu.atom.set_value(%a, %f : !cute.ptr<f8E8M0FNU, tmem, align<16>>) {field = #cute_nvgpu.atom_mma_field_sm100_block_scaled_sparse<sf_b>} : !scaled
  return %b : !scaled
}
