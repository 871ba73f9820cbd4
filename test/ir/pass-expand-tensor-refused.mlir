// Products that the types of atoms allow, as CuTe C++'s do, and tcgen05 does not. PTX ISA, tcgen05, major-ness of operands.
// RUN: tessera-opt %s --cute-expand-ops --split-input-file --verify-diagnostics

!desc = !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1):(0)">
!bytes = !cute_nvgpu.sm100.mma<64x24x32, num_cta = 1, ab_major = (k, mn), elem_type = (f8E4M3FN, f8E5M2, f32), frag_kind = ss, c_scale_exp = 0>
!acc = !cute.memref<f32, tmem, "((64,24)):((65536,1))">
func.func @bytes(%x: !bytes, %d: !acc, %a: !desc) {
  // expected-error @+1 {{expects N in steps of 16 where B, of 8-bit elements, is contiguous along n, but got 24}}
  cute.mma_atom_call(%x, %d, %a, %a, %d) : (!bytes, !acc, !desc, !desc, !acc)
  return
}

// -----

// Two blocks have half of B each.
!desc = !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1):(0)">
!pair = !cute_nvgpu.sm100.mma<256x48x32, num_cta = 2, ab_major = (mn, mn), elem_type = (f8E4M3FN, f8E4M3FN, f32), frag_kind = ss, c_scale_exp = 0>
!acc = !cute.memref<f32, tmem, "((128,48)):((65536,1))">
func.func @pair(%x: !pair, %d: !acc, %a: !desc) {
  // expected-error @+1 {{expects N in steps of 32 where B, of 8-bit elements, is contiguous along n, but got 48}}
  cute.mma_atom_call(%x, %d, %a, %a, %d) : (!pair, !acc, !desc, !desc, !acc)
  return
}

// -----

// K-major bytes, and halves along n, come in steps of 8.
!desc = !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1):(0)">
!bytes = !cute_nvgpu.sm100.mma<64x24x32, num_cta = 1, ab_major = (mn, k), elem_type = (f8E4M3FN, f8E5M2, f32), frag_kind = ss, c_scale_exp = 0>
!halves = !cute_nvgpu.sm100.mma<64x24x16, num_cta = 1, ab_major = (k, mn), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0>
!acc = !cute.memref<f32, tmem, "((64,24)):((65536,1))">
func.func @others(%x: !bytes, %y: !halves, %d: !acc, %a: !desc) {
  cute.mma_atom_call(%x, %d, %a, %a, %d) : (!bytes, !acc, !desc, !desc, !acc)
  cute.mma_atom_call(%y, %d, %a, %a, %d) : (!halves, !acc, !desc, !desc, !acc)
  return
}

// -----

!cp = !cute_nvgpu.atom.tmem_load_red<f32, 32 DP, 32 bit, x4, max>
!src = !cute.memref<f32, tmem, align<16>, "((4,32)):((1,65536))">
!dst = !cute.memref<f32, rmem, align<16>, "((4,1)):((1,0))">
func.func @reduced(%s: !src, %d: !dst) {
  %a = cute.make_atom() : () -> !cp
  // expected-error @+1 {{loads of tensor memory that reduce take two destinations: expects cute.copy(atom, src, [values, reduced])}}
  cute.copy_atom_call(%a, %s, %d) : (!cp, !src, !dst)
  return
}
