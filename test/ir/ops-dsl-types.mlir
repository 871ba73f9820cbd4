// Types of atoms and names of their fields as nvidia-cutlass-dsl 4.8.0 prints them; public bindings of its dialects give the texts.
// RUN: tessera-opt %s | FileCheck %s

// CHECK-LABEL: @atoms
// CHECK-SAME: !cute_nvgpu.sm80.mma<16x8x32, elem_type = (i8, i8, i32), int_overflow = <satfinite> >
// CHECK-SAME: !cute_nvgpu.sm80.sparse_mma<16x8x64, elem_type = (ui8, i8, i32), md_format = tid, int_overflow = <satfinite> >
// CHECK-SAME: !cute_nvgpu.sm90.mma<64x128x32, ab_major = (k, k), elem_type = (i8, i8, i32), frag_kind = ss, int_overflow = <satfinite>>
// CHECK-SAME: !cute_nvgpu.sm90.mma<64x32x16, ab_major = (k, mn), elem_type = (f16, f16, f16), frag_kind = ss, a_neg, b_neg>
// CHECK-SAME: !cute_nvgpu.sm100.mma_sp<128x64x64, num_cta = 1, ab_major = (k, k), elem_type = (f8E4M3FN, f8E5M2, f32), e_type = i8, sparse_metadata_format = tid, frag_kind = ss, c_scale_exp = 0>
// CHECK-SAME: !cute_nvgpu.sm100.mma_bs<128x192x96, num_cta = 1, ab_major = (k, k), elem_type = (f4E2M1FN, f4E2M1FN, f32), sf_type = f8E4M3FN, frag_kind = ss, vec_size = 16, arch_promote = sm_103>
// CHECK-SAME: !cute_nvgpu.sm100.mma_bs_sp<128x128x128, num_cta = 1, ab_major = (k, k), elem_type = (f4E2M1FN, f4E2M1FN, f32), sf_type = f8E8M0FNU, sparse_metadata_format = tid, frag_kind = ss, vec_size = 32>
// CHECK-SAME: !cute_nvgpu.SM120.mma_bs<16x8x64, vec_size = 16, elem_type = (f4E2M1FN, f4E2M1FN, f32), sf_type = f8E4M3FN, use_sf_layout_TV = true>
// CHECK-SAME: !cute_nvgpu.atom.bulk_copy_g2s<bf16 copy_bits = 4096 mcast = true>
// CHECK-SAME: !cute_nvgpu.atom.bulk_copy_s2g<f16 copy_bits = 2048>
// CHECK-SAME: !cute_nvgpu.atom.universal_copy<f16, 64 b, src_space = smem, dst_space = rmem>
// CHECK-SAME: !cute_nvgpu.atom.tmem_load<f16, 16 DP, 64 bit, x8, pack16b>
// CHECK-SAME: !cute_nvgpu.atom.tmem_store<bf16, 32 DP, 32 bit, x16, expand16b>
// CHECK-SAME: !cute_nvgpu.atom.non_exec_im2col_tma_load<sm_90_multicast, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@0,1@1)">, tma_format = F16_RN>
// CHECK-SAME: !cute_nvgpu.atom.non_exec_tiled_tma_reduce<ADD, f32, copy_bits = 1024, tma_gbasis = <"(32,1):(1@0,1@1)">, tma_format = F32_RN>
// CHECK-SAME: !cute_nvgpu.atom.tma_reduce<f32, copy_bits = 131072, mode = tiled, kind = ADD, g_stride = <"()"> tma_gbasis = <"(32,128):(1@1,1@0)">>
func.func private @atoms(
  !cute_nvgpu.sm80.mma<16x8x32, elem_type = (i8, i8, i32), int_overflow = <satfinite> >,
  !cute_nvgpu.sm80.sparse_mma<16x8x64, elem_type = (ui8, i8, i32), md_format = tid, int_overflow = <satfinite> >,
  !cute_nvgpu.sm90.mma<64x128x32, ab_major = (k, k), elem_type = (i8, i8, i32), frag_kind = ss, int_overflow = <satfinite>>,
  !cute_nvgpu.sm90.mma<64x32x16, ab_major = (k, mn), elem_type = (f16, f16, f16), frag_kind = ss, a_neg, b_neg>,
  !cute_nvgpu.sm100.mma_sp<128x64x64, num_cta = 1, ab_major = (k, k), elem_type = (f8E4M3FN, f8E5M2, f32), e_type = i8, sparse_metadata_format = tid, frag_kind = ss, c_scale_exp = 0>,
  !cute_nvgpu.sm100.mma_bs<128x192x96, num_cta = 1, ab_major = (k, k), elem_type = (f4E2M1FN, f4E2M1FN, f32), sf_type = f8E4M3FN, frag_kind = ss, vec_size = 16, arch_promote = sm_103>,
  !cute_nvgpu.sm100.mma_bs_sp<128x128x128, num_cta = 1, ab_major = (k, k), elem_type = (f4E2M1FN, f4E2M1FN, f32), sf_type = f8E8M0FNU, sparse_metadata_format = tid, frag_kind = ss, vec_size = 32>,
  !cute_nvgpu.SM120.mma_bs<16x8x64, vec_size = 16, elem_type = (f4E2M1FN, f4E2M1FN, f32), sf_type = f8E4M3FN, use_sf_layout_TV = true>,
  !cute_nvgpu.atom.bulk_copy_g2s<bf16 copy_bits = 4096 mcast = true>,
  !cute_nvgpu.atom.bulk_copy_s2g<f16 copy_bits = 2048>,
  !cute_nvgpu.atom.universal_copy<f16, 64 b, src_space = smem, dst_space = rmem>,
  !cute_nvgpu.atom.tmem_load<f16, 16 DP, 64 bit, x8, pack16b>,
  !cute_nvgpu.atom.tmem_store<bf16, 32 DP, 32 bit, x16, expand16b>,
  !cute_nvgpu.atom.non_exec_im2col_tma_load<sm_90_multicast, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@0,1@1)">, tma_format = F16_RN>,
  !cute_nvgpu.atom.non_exec_tiled_tma_reduce<ADD, f32, copy_bits = 1024, tma_gbasis = <"(32,1):(1@0,1@1)">, tma_format = F32_RN>,
  !cute_nvgpu.atom.tma_reduce<f32, copy_bits = 131072, mode = tiled, kind = ADD, g_stride = <"()"> tma_gbasis = <"(32,128):(1@1,1@0)">>)

// CHECK-LABEL: @fields
// CHECK-SAME: #cute_nvgpu.atom_copy_field_bulkg2s<mcast_mask>
// CHECK-SAME: #cute_nvgpu.atom_copy_field_bulks2g<cache_policy>
// CHECK-SAME: #cute_nvgpu.atom_copy_field_bulks2s<tma_bar>
// CHECK-SAME: #cute_nvgpu.atom_copy_field_dsmem_store<mbar_ptr>
// CHECK-SAME: #cute_nvgpu.atom_copy_field_tmareduce<cache_policy>
// CHECK-SAME: #cute_nvgpu.atom_copy_field_non_exec_tma_reduce<tma_desc>
// CHECK-SAME: #cute_nvgpu.atom_copy_field_non_exec_im2col_tma_load<im2col_tma_desc>
// CHECK-SAME: #cute_nvgpu.atom_mma_field_sm100<disable_output_lane>
// CHECK-SAME: #cute_nvgpu.atom_mma_field_sm100_sparse<e>
// CHECK-SAME: #cute_nvgpu.atom_mma_field_sm100_block_scaled<sf_a>
// CHECK-SAME: #cute_nvgpu.atom_mma_field_sm100_block_scaled_sparse<e>
// CHECK-SAME: #cute_nvgpu.atom_mma_field_sm120_block_scaled<sf_b>
func.func private @fields() attributes {test.fields = [#cute_nvgpu.atom_copy_field_bulkg2s<mcast_mask>,
  #cute_nvgpu.atom_copy_field_bulks2g<cache_policy>,
  #cute_nvgpu.atom_copy_field_bulks2s<tma_bar>,
  #cute_nvgpu.atom_copy_field_dsmem_store<mbar_ptr>,
  #cute_nvgpu.atom_copy_field_tmareduce<cache_policy>,
  #cute_nvgpu.atom_copy_field_non_exec_tma_reduce<tma_desc>,
  #cute_nvgpu.atom_copy_field_non_exec_im2col_tma_load<im2col_tma_desc>,
  #cute_nvgpu.atom_mma_field_sm100<disable_output_lane>,
  #cute_nvgpu.atom_mma_field_sm100_sparse<e>,
  #cute_nvgpu.atom_mma_field_sm100_block_scaled<sf_a>,
  #cute_nvgpu.atom_mma_field_sm100_block_scaled_sparse<e>,
  #cute_nvgpu.atom_mma_field_sm120_block_scaled<sf_b>]}

// What a type leaves as it is without may be stated.
// CHECK-LABEL: @defaults
// CHECK-SAME: !cute_nvgpu.sm80.mma<16x8x32, elem_type = (i8, i8, i32) >
func.func private @defaults(!cute_nvgpu.sm80.mma<16x8x32, elem_type = (i8, i8, i32), int_overflow = <wrapped>, binary_op = <none> >)

// Pointers to barriers and tensor maps after its pass CuteExpandOps name no element: they point to bytes.
// CHECK-LABEL: @pointers
// CHECK-SAME: !cute.ptr<i8, smem, align<8>>, !cute.ptr<i8, generic, align<64>>, !cute.ptr<i8, tmem>
func.func private @pointers(!cute.ptr<smem, align<8>>, !cute.ptr<generic, align<64>>, !cute.ptr<tmem>)
