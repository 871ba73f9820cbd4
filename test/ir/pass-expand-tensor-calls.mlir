// Products of tensor memory as instructions: what fields of the atoms hold goes where PTX has it.
// RUN: tessera-opt %s --cute-expand-ops --convert-cute-to-llvm --convert-cute-nvgpu-to-nvvm --reconcile-unrealized-casts | FileCheck %s

!desc = !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1):(0)">
!sf = !cute.ptr<f8E8M0FNU, tmem, align<16>>
!e = !cute.ptr<i8, tmem, align<4>>

!sparse = !cute_nvgpu.sm100.mma_sp<128x64x64, num_cta = 1, ab_major = (k, k), elem_type = (f8E4M3FN, f8E5M2, f32), e_type = i8, sparse_metadata_format = tid, frag_kind = ss, c_scale_exp = 0>
!acc = !cute.memref<f32, tmem, "((128,64)):((65536,1))">
// CHECK-LABEL: llvm.func @sparse
func.func @sparse(%t: i1, %n: i1, %p: !e, %d: !acc, %a: !desc) {
  %x = cute.make_atom(%t, %n, %n, %p) : (i1, i1, i1, !e) -> !sparse
  // CHECK: tcgen05.mma.sp.cta_group::1.kind::f8f6f4 [$0], %desc1, %desc2, [$5], $6, $7; }"
  cute.mma_atom_call(%x, %d, %a, %a, %d) : (!sparse, !acc, !desc, !desc, !acc)
  return
}

// A in tensor memory, for two CTAs. The word says M = 256, N = 64, sparse: PTX ISA 9.7.16.4.2.
!pair = !cute_nvgpu.sm100.mma_sp<256x64x32, num_cta = 2, ab_major = (k, k), elem_type = (f16, f16, f32), e_type = i8, sparse_metadata_format = tid, frag_kind = ts, c_scale_exp = 0>
!a = !cute.memref<f16, tmem, "((128,32)):((131072,1))">
// CHECK-LABEL: llvm.func @pair
func.func @pair(%t: i1, %p: !e, %d: !acc, %a: !a, %b: !desc) {
  %f = arith.constant false
  %x = cute.make_atom(%t, %f, %f, %p) : (i1, i1, i1, !e) -> !pair
  // CHECK: arith.constant 269484052 : i32
  // CHECK: tcgen05.mma.sp.cta_group::2.kind::f16 [$0], [$1], %desc1, [$4], $5, $6; }"
  cute.mma_atom_call(%x, %d, %a, %b, %d) : (!pair, !acc, !a, !desc, !acc)
  return
}

// The bytes where factors begin are bits of the word, and addresses are without them.
!scaled = !cute_nvgpu.sm100.mma_bs<128x64x64, num_cta = 1, ab_major = (k, k), elem_type = (f4E2M1FN, f4E2M1FN, f32), sf_type = f8E8M0FNU, frag_kind = ss, vec_size = 32>
// CHECK-LABEL: llvm.func @scaled
func.func @scaled(%t: i1, %f: i1, %p: !sf, %q: !sf, %d: !acc, %a: !desc) {
  %x = cute.make_atom(%t, %f, %f, %p, %q) : (i1, i1, i1, !sf, !sf) -> !scaled
  // CHECK: tcgen05.mma.cta_group::1.kind::mxf4.block_scale.block32 [$0], %desc1, %desc2, $5, [$6], [$7], $8; }"
  cute.mma_atom_call(%x, %d, %a, %a, %d) : (!scaled, !acc, !desc, !desc, !acc)
  return
}

// Fields that are set later count.
!both = !cute_nvgpu.sm100.mma_bs_sp<128x64x64, num_cta = 1, ab_major = (k, k), elem_type = (f8E4M3FN, f8E4M3FN, f32), sf_type = f8E8M0FNU, sparse_metadata_format = tid, frag_kind = ss, vec_size = 64>
// CHECK-LABEL: llvm.func @both
// CHECK-SAME: !llvm.struct<(i1, i1, i1, i32, i32, i32)>, %[[E:[a-z0-9]+]]: i32, %
func.func @both(%t: i1, %atom: !both, %p: !e, %q: !sf, %d: !acc, %a: !desc) {
  %x = cute_nvgpu.atom.set_value(%atom, %p : !e) {field = #cute_nvgpu.atom_mma_field_sm100_block_scaled_sparse<e>} : !both
  // CHECK: tcgen05.mma.sp.cta_group::1.kind::mxf8f6f4.block_scale [$0], %desc1, %desc2, [$5], $6, [$7], [$8], $9; }", "{{.*}}" %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[E]],
  cute.mma_atom_call(%x, %d, %a, %a, %d) : (!both, !acc, !desc, !desc, !acc)
  return
}

// A kernel gets all fields of its atom as parameters; no product of integers is negated, and the bits are not left out, as they may be set.
!bytes = !cute_nvgpu.sm100.mma<128x64x32, num_cta = 1, ab_major = (k, k), elem_type = (i8, i8, i32), frag_kind = ss, c_scale_exp = 0>
!sums = !cute.memref<i32, tmem, "((128,64)):((65536,1))">
// CHECK-LABEL: llvm.func @bytes
func.func @bytes(%atom: !bytes, %d: !sums, %a: !desc) {
  // CHECK: arith.shli %{{.*}}, %c13_i32
  // CHECK: arith.shli %{{.*}}, %c14_i32
  // CHECK: tcgen05.mma.cta_group::1.kind::i8
  cute.mma_atom_call(%atom, %d, %a, %a, %d) : (!bytes, !sums, !desc, !desc, !sums)
  return
}

// Sums of integers that stop at the largest: bit 3 of the word. PTX ISA 9.7.16.4.2, table 42: M / 16 = 8, N / 8 = 8, A signed, D s32.
!stops = !cute_nvgpu.sm100.mma<128x64x32, num_cta = 1, ab_major = (k, k), elem_type = (i8, ui8, i32), frag_kind = ss, c_scale_exp = 0, int_overflow = <satfinite>>
// CHECK-LABEL: llvm.func @stops
func.func @stops(%d: !sums, %a: !desc) {
  %f = arith.constant false
  %x = cute.make_atom(%f, %f, %f) : (i1, i1, i1) -> !stops
  // CHECK: arith.constant 135266472 : i32
  // CHECK: tcgen05.mma.cta_group::1.kind::i8
  cute.mma_atom_call(%x, %d, %a, %a, %d) : (!stops, !sums, !desc, !desc, !sums)
  return
}

// Qualifiers of the type. The word says M = 32, N = 256: PTX ISA 9.7.16.4.2, M / 16 = 2, N / 8 = 32.
!stays = !cute_nvgpu.sm100.mma<32x256x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0, weight_stationary = true, collector = <fill>, collector_buffer = 3>
!uses = !cute_nvgpu.sm100.mma<32x256x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0, weight_stationary = true>
!moves = !cute_nvgpu.sm100.mma<128x64x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ts, c_scale_exp = 0, collector = <lastuse>, ashift = true>
!keeps = !cute_nvgpu.sm100.mma_bs<128x64x64, num_cta = 1, ab_major = (k, k), elem_type = (f4E2M1FN, f4E2M1FN, f32), sf_type = f8E8M0FNU, frag_kind = ss, vec_size = 32, collector = <fill>>
!in_lanes = !cute.memref<f16, tmem, "((128,16)):((131072,1))">
// CHECK-LABEL: llvm.func @qualified
func.func @qualified(%f: i1, %p: !sf, %d: !acc, %a: !desc, %t: !in_lanes) {
  %0 = cute.make_atom(%f, %f, %f) : (i1, i1, i1) -> !stays
  // CHECK: arith.constant 37748752 : i32
  // CHECK: tcgen05.mma.ws.cta_group::1.kind::f16.collector::b3::fill [$0], %desc1, %desc2, $5, $6; }"
  cute.mma_atom_call(%0, %d, %a, %a, %d) : (!stays, !acc, !desc, !desc, !acc)
  %1 = cute.make_atom(%f, %f, %f) : (i1, i1, i1) -> !uses
  // CHECK: tcgen05.mma.ws.cta_group::1.kind::f16 [$0], %desc1, %desc2, $5, $6; }"
  cute.mma_atom_call(%1, %d, %a, %a, %d) : (!uses, !acc, !desc, !desc, !acc)
  %2 = cute.make_atom(%f, %f, %f) : (i1, i1, i1) -> !moves
  // CHECK: tcgen05.mma.cta_group::1.kind::f16.ashift.collector::a::lastuse [$0], [$1], %desc1, $4, $5; }"
  cute.mma_atom_call(%2, %d, %t, %a, %d) : (!moves, !acc, !in_lanes, !desc, !acc)
  %3 = cute.make_atom(%f, %f, %f, %p, %p) : (i1, i1, i1, !sf, !sf) -> !keeps
  // CHECK: tcgen05.mma.cta_group::1.kind::mxf4.block_scale.block32.collector::a::fill [$0], %desc1, %desc2, $5, [$6], [$7], $8; }"
  cute.mma_atom_call(%3, %d, %a, %a, %d) : (!keeps, !acc, !desc, !desc, !acc)
  return
}
