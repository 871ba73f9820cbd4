// Every type as a function argument: what is read is what is printed, except for spaces and defaults.
// RUN: tessera-opt %s | tessera-opt | FileCheck %s

// CHECK-LABEL: @scalars
// CHECK-SAME: !cute.i32<divby 4>, %{{.*}}: !cute.i64<divby 8192>, %{{.*}}: !cute.fast_divmod_divisor<32>, %{{.*}}: !cuda.stream, %{{.*}}: !cuda.result, %{{.*}}: !cuda.launch_cfg<max_attrs = 2>
func.func private @scalars(%0: !cute.i32<divby 4>, %1: !cute.i64<divby 8192>, %2: !cute.fast_divmod_divisor<32>, %3: !cuda.stream, %4: !cuda.result, %5: !cuda.launch_cfg<max_attrs = 2>) { return }

// Alignment that needs no saying is left out: 2 bytes of f16, 4 of f32.
// CHECK-LABEL: @pointers
// CHECK-SAME: !cute.ptr<f16, smem, align<128>, S<3,4,3>>, %{{.*}}: !cute.ptr<f32, generic>, %{{.*}}: !cute.ptr<i8, gmem, align<16>>, %{{.*}}: !cute.ptr<f16, tmem>, %{{.*}}: !cute.ptr<i1, rmem>
func.func private @pointers(%0: !cute.ptr<f16, smem, align<128>, S<3,4,3>>, %1: !cute.ptr<f32, generic, align<4>>, %2: !cute.ptr<i8, gmem, align<16>>, %3: !cute.ptr<f16, tmem, align<2>>, %4: !cute.ptr<i1, rmem>) { return }

// CHECK-LABEL: @views
// CHECK-SAME: !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((8,16),(64,1)):((64,512),(1,0))">, %{{.*}}: !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">, %{{.*}}: !cute.memref<f32, smem, "S<2,4,3> o 0 o (8,8):(8,1)">, %{{.*}}: !cute.coord_tensor<"(0,0,0)", "(64,128,1):(1@1,1@0,1@2)">, %{{.*}}: !cute.arith_tuple_iter<"(?{div=16},0)">, %{{.*}}: !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,4,4):(0,0,2,1024)">
func.func private @views(%0: !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((8,16),(64,1)):((64,512),(1,0))">, %1: !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">, %2: !cute.memref<f32, smem, "S<2,4,3> o 0 o (8,8):(8,1)">, %3: !cute.coord_tensor<"(0,0,0)","(64,128,1):(1@1,1@0,1@2)">, %4: !cute.arith_tuple_iter<"(?{div=16},0)">, %5: !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,4,4):(0,0,2,1024)">) { return }

// Section 3.4 of the facts.
// CHECK-LABEL: @mma
// CHECK-SAME: !cute_nvgpu.atom.universal_fma<1x1x1, (f32, f32) -> f32 >
// CHECK-SAME: !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >
// CHECK-SAME: !cute_nvgpu.sm80.mma<8x8x4, elem_type = (f16, f16, f32), ab_major = (k, mn) >
// CHECK-SAME: !cute_nvgpu.sm80.mma<16x8x32, elem_type = (i8, ui8, i32), int_overflow = <satfinite> >
// CHECK-SAME: !cute_nvgpu.sm80.mma<16x8x256, elem_type = (i1, i1, i32), binary_op = <xor_popc> >
// CHECK-SAME: !cute_nvgpu.sm80.sparse_mma<16x8x32, elem_type = (f16, f16, f32), md_format = ordered >
// CHECK-SAME: !cute_nvgpu.sm89.mma<16x8x32, elem_type = (f8E4M3FN, f8E5M2, f32) >
func.func private @mma(%0: !cute_nvgpu.atom.universal_fma<1x1x1, (f32, f32) -> f32 >, %1: !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >,
  %2: !cute_nvgpu.sm80.mma<8x8x4, elem_type = (f16, f16, f32), ab_major = (k, mn) >, %3: !cute_nvgpu.sm80.mma<16x8x32, elem_type = (i8, ui8, i32), int_overflow = <satfinite>>,
  %4: !cute_nvgpu.sm80.mma<16x8x256, elem_type = (i1, i1, i32), binary_op = <xor_popc>>, %5: !cute_nvgpu.sm80.sparse_mma<16x8x32, elem_type = (f16, f16, f32), md_format = ordered>,
  %6: !cute_nvgpu.sm89.mma<16x8x32, elem_type = (f8E4M3FN, f8E5M2, f32)>) { return }

// CHECK-LABEL: @warpgroup_mma
// CHECK-SAME: !cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>
// CHECK-SAME: !cute_nvgpu.sm90.mma<64x48x256, ab_major = (k, k), elem_type = (i1, i1, i32), frag_kind = rs, binary_op = <and_popc>>
// CHECK-SAME: !cute_nvgpu.sm90.mma_sp<64x128x32, ab_major = (mn, k), elem_type = (f16, f16, f32), frag_kind = ss, a_neg>
// CHECK-SAME: !cute_nvgpu.sm90.mma_sp<64x32x64, ab_major = (k, k), elem_type = (ui8, i8, i32), frag_kind = rs, int_overflow = <satfinite>>
// CHECK-SAME: !cute_nvgpu.sm90.mma<64x64x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs, a_neg, b_neg>
// CHECK-SAME: !cute_nvgpu.sm100.mma<128x256x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0>
// CHECK-SAME: !cute_nvgpu.sm100.mma<128x256x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0, lane_mask = true>
// CHECK-SAME: !cute_nvgpu.sm100.mma_sp<128x128x32, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), e_type = i8, sparse_metadata_format = tid, frag_kind = ss, c_scale_exp = 0>
// CHECK-SAME: !cute_nvgpu.sm100.mma_bs<128x128x64, num_cta = 1, ab_major = (k, k), elem_type = (f4E2M1FN, f4E2M1FN, f32), sf_type = f8E4M3FN, frag_kind = ss, vec_size = 16>
// CHECK-SAME: !cute_nvgpu.SM120.mma_bs<16x8x64, vec_size = 16, elem_type = (f4E2M1FN, f4E2M1FN, f32), sf_type = f8E4M3FN>
func.func private @warpgroup_mma(%0: !cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>,
  %b: !cute_nvgpu.sm90.mma<64x48x256, ab_major = (k, k), elem_type = (i1, i1, i32), frag_kind = rs, binary_op = <and_popc>>,
  %s: !cute_nvgpu.sm90.mma_sp<64x128x32, ab_major = (mn, k), elem_type = (f16, f16, f32), frag_kind = ss, a_neg>,
  %t: !cute_nvgpu.sm90.mma_sp<64x32x64, ab_major = (k, k), elem_type = (ui8, i8, i32), frag_kind = rs, int_overflow = <satfinite>>,
  %1: !cute_nvgpu.sm90.mma<64x64x16, ab_major = (k, mn), elem_type = (bf16, bf16, f32), frag_kind = rs, a_neg, b_neg>,
  %2: !cute_nvgpu.sm100.mma<128x256x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0>,
  %lanes: !cute_nvgpu.sm100.mma<128x256x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0, lane_mask = true>,
  %3: !cute_nvgpu.sm100.mma_sp<128x128x32, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), e_type = i8, sparse_metadata_format = tid, frag_kind = ss, c_scale_exp = 0>,
  %4: !cute_nvgpu.sm100.mma_bs<128x128x64, num_cta = 1, ab_major = (k, k), elem_type = (f4E2M1FN, f4E2M1FN, f32), sf_type = f8E4M3FN, frag_kind = ss, vec_size = 16>,
  %5: !cute_nvgpu.SM120.mma_bs<16x8x64, vec_size = 16, elem_type = (f4E2M1FN, f4E2M1FN, f32), sf_type = f8E4M3FN>) { return }

// Qualifiers of tcgen05.mma; the types without them print as above.
// CHECK-LABEL: @qualified
// CHECK-SAME: !cute_nvgpu.sm100.mma<32x256x16, num_cta = 1, ab_major = (k, mn), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0, weight_stationary = true, collector = <fill>, collector_buffer = 3>
// CHECK-SAME: !cute_nvgpu.sm100.mma<64x64x32, num_cta = 1, ab_major = (k, k), elem_type = (i8, i8, i32), frag_kind = ts, c_scale_exp = 0, int_overflow = <satfinite>, weight_stationary = true>
// CHECK-SAME: !cute_nvgpu.sm100.mma<256x64x8, num_cta = 2, ab_major = (k, k), elem_type = (tf32, tf32, f32), frag_kind = ts, c_scale_exp = 2, collector = <lastuse>, ashift = true, lane_mask = true>
// CHECK-SAME: !cute_nvgpu.sm100.mma<128x64x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0>
// CHECK-SAME: !cute_nvgpu.sm100.mma_sp<64x128x32, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), e_type = i8, sparse_metadata_format = tid, frag_kind = ss, c_scale_exp = 0, weight_stationary = true, collector = <use>, collector_buffer = 1>
// CHECK-SAME: !cute_nvgpu.sm100.mma_sp<128x128x32, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), e_type = i8, sparse_metadata_format = tid, frag_kind = ts, c_scale_exp = 0, ashift = true>
// CHECK-SAME: !cute_nvgpu.sm100.mma_bs<128x128x96, num_cta = 1, ab_major = (k, k), elem_type = (f4E2M1FN, f4E2M1FN, f32), sf_type = f8E4M3FN, frag_kind = ss, vec_size = 16, arch_promote = sm_103, collector = <fill>>
// CHECK-SAME: !cute_nvgpu.sm100.mma_bs_sp<128x64x64, num_cta = 1, ab_major = (k, k), elem_type = (f8E4M3FN, f8E4M3FN, f32), sf_type = f8E8M0FNU, sparse_metadata_format = tid, frag_kind = ss, vec_size = 64, collector = <lastuse>>
func.func private @qualified(
  !cute_nvgpu.sm100.mma<32x256x16, num_cta = 1, ab_major = (k, mn), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0, collector_buffer = 3, collector = <fill>, weight_stationary = true>,
  !cute_nvgpu.sm100.mma<64x64x32, num_cta = 1, ab_major = (k, k), elem_type = (i8, i8, i32), frag_kind = ts, c_scale_exp = 0, int_overflow = <satfinite>, weight_stationary = true>,
  !cute_nvgpu.sm100.mma<256x64x8, num_cta = 2, ab_major = (k, k), elem_type = (tf32, tf32, f32), frag_kind = ts, c_scale_exp = 2, collector = lastuse, ashift = true, lane_mask = true>,
  !cute_nvgpu.sm100.mma<128x64x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0, collector = <discard>>,
  !cute_nvgpu.sm100.mma_sp<64x128x32, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), e_type = i8, sparse_metadata_format = tid, frag_kind = ss, c_scale_exp = 0, weight_stationary = true, collector = <use>, collector_buffer = 1>,
  !cute_nvgpu.sm100.mma_sp<128x128x32, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), e_type = i8, sparse_metadata_format = tid, frag_kind = ts, c_scale_exp = 0, ashift = true>,
  !cute_nvgpu.sm100.mma_bs<128x128x96, num_cta = 1, ab_major = (k, k), elem_type = (f4E2M1FN, f4E2M1FN, f32), sf_type = f8E4M3FN, frag_kind = ss, vec_size = 16, arch_promote = sm_103, collector = <fill>>,
  !cute_nvgpu.sm100.mma_bs_sp<128x64x64, num_cta = 1, ab_major = (k, k), elem_type = (f8E4M3FN, f8E4M3FN, f32), sf_type = f8E8M0FNU, sparse_metadata_format = tid, frag_kind = ss, vec_size = 64, collector = <lastuse>>)

// CHECK-LABEL: @copies
// CHECK-SAME: !cute_nvgpu.atom.universal_copy<f16, 128 b>
// CHECK-SAME: !cute_nvgpu.atom.universal_copy<f32>
// CHECK-SAME: !cute_nvgpu.atom.universal_copy<f32, 128 b, l1_cache_eviction_priority=no_allocate>
// CHECK-SAME: !cute_nvgpu.atom.simt_async_copy<bf16, cache = global, 128 b>
// CHECK-SAME: !cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, t>
// CHECK-SAME: !cute_nvgpu.atom.stsm<f16, mode = <"(8,8)">, num_matrices = 4, n>
// CHECK-SAME: !cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x128>
// CHECK-SAME: !cute_nvgpu.atom.tmem_store<f32, 32 DP, 32 bit, x128>
// CHECK-SAME: !cute_nvgpu.atom.s2t_copy<f8E8M0FNU, 32 DP, 128 bit, 1 cta, x4>
func.func private @copies(%0: !cute_nvgpu.atom.universal_copy<f16, 128 b>, %1: !cute_nvgpu.atom.universal_copy<f32>, %2: !cute_nvgpu.atom.universal_copy<f32, 128 b, l1_cache_eviction_priority=no_allocate>,
  %3: !cute_nvgpu.atom.simt_async_copy<bf16, cache = global, 128 b>, %4: !cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, t>,
  %5: !cute_nvgpu.atom.stsm<f16, mode = <"(8,8)">, num_matrices = 4, n>, %6: !cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x128>, %7: !cute_nvgpu.atom.tmem_store<f32, 32 DP, 32 bit, x128>,
  %8: !cute_nvgpu.atom.s2t_copy<f8E8M0FNU, 32 DP, 128 bit, 1 cta, x4>) { return }

// CHECK-LABEL: @tma
// CHECK-SAME: !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128,1):(1@1,1@0,1@2)">, internal_val_type = f16>
// CHECK-SAME: !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_100_2sm_multicast, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
// CHECK-SAME: !cute_nvgpu.atom.non_exec_tiled_tma_store<f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
// CHECK-SAME: !cute_nvgpu.atom.non_exec_tiled_tma_reduce<ADD, f32, copy_bits = 131072, tma_gbasis = <"(64,64):(1@1,1@0)">>
// CHECK-SAME: !cute_nvgpu.atom.tma_load<f16, copy_bits = 131072, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,128):(1@1,1@0)">>
// CHECK-SAME: !cute_nvgpu.atom.tma_load<f16, copy_bits = 131072, mode = tiled, num_cta = 1, g_stride = <"()"> mcast = true tma_gbasis = <"(64,128):(1@1,1@0)">>
// CHECK-SAME: !cute_nvgpu.atom.tma_store<f16, copy_bits = 131072, mode = tiled, g_stride = <"()"> tma_gbasis = <"(64,128):(1@1,1@0)">>
// CHECK-SAME: !cute_nvgpu.atom.tma_reduce<i32, copy_bits = 131072, mode = tiled, kind = MAX, g_stride = <"()"> tma_gbasis = <"(64,64):(1@1,1@0)">>
// CHECK-SAME: !cute_nvgpu.tma_descriptor_tiled
// CHECK-SAME: !cute_nvgpu.tma_descriptor_im2col
func.func private @tma(%0: !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128,1):(1@1,1@0,1@2)">, internal_val_type = f16>,
  %1: !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_100_2sm_multicast, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>,
  %2: !cute_nvgpu.atom.non_exec_tiled_tma_store<f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>,
  %3: !cute_nvgpu.atom.non_exec_tiled_tma_reduce<ADD, f32, copy_bits = 131072, tma_gbasis = <"(64,64):(1@1,1@0)">>,
  %4: !cute_nvgpu.atom.tma_load<f16, copy_bits = 131072, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,128):(1@1,1@0)">>,
  %5: !cute_nvgpu.atom.tma_load<f16, copy_bits = 131072, mode = tiled, num_cta = 1, g_stride = <"()"> mcast = true tma_gbasis = <"(64,128):(1@1,1@0)">>,
  %6: !cute_nvgpu.atom.tma_store<f16, copy_bits = 131072, mode = tiled, g_stride = <"()"> tma_gbasis = <"(64,128):(1@1,1@0)">>,
  %7: !cute_nvgpu.atom.tma_reduce<i32, copy_bits = 131072, mode = tiled, kind = MAX, g_stride = <"()"> tma_gbasis = <"(64,64):(1@1,1@0)">>,
  %8: !cute_nvgpu.tma_descriptor_tiled, %9: !cute_nvgpu.tma_descriptor_im2col) { return }

// Attributes of the same notation.
// CHECK-LABEL: module_of_attributes
// CHECK-SAME: c = #cute.coord<"(_,1)">
// CHECK-SAME: co = #cute.composed_layout<"S<3,4,3> o 0 o (8,64):(64,1)">
// CHECK-SAME: i = #cute.int_tuple<"(1,2)">
// CHECK-SAME: l = #cute.layout<"(8,4):(1,8)">
// CHECK-SAME: s = #cute.shape<"(16,8,16)">
// CHECK-SAME: st = #cute.stride<"(1@0,1@1)">
// CHECK-SAME: sw = #cute.swizzle<"S<3,4,3>">
// CHECK-SAME: t = #cute.tile<"[128:1;_]">
func.func private @module_of_attributes() attributes {c = #cute.coord<"(_,1)">, co = #cute.composed_layout<"S<3,4,3> o 0 o (8,64):(64,1)">, i = #cute.int_tuple<"(1,2)">, l = #cute.layout<"(8,4)">,
  s = #cute.shape<"(16,8,16)">, st = #cute.stride<"(1@0,1@1)">, sw = #cute.swizzle<"S<3,4,3>">, t = #cute.tile<"[128;_]">}
