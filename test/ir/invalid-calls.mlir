// Operands of copies and products that do not go together: as many calls on both sides, one call where one is written, C as D.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

// Eight values and a place for four: without this rule the copy writes past its destination.
!one = !cute_nvgpu.atom.universal_copy<f32>
func.func @fewer(%s: !cute.memref<f32, gmem, align<16>, "(8,2):(1,8)">, %d: !cute.memref<f32, rmem, align<16>, "(4,2):(1,4)">) {
  %a = cute.make_atom() : () -> !one
  // expected-error @below {{'cute.copy' op expects value modes of src and dst that take as many calls of atom '!cute_nvgpu.atom.universal_copy<f32>', but got 8 for 8 and 4 for 4}}
  cute.copy(%a, %s, %d) : (!one, !cute.memref<f32, gmem, align<16>, "(8,2):(1,8)">, !cute.memref<f32, rmem, align<16>, "(4,2):(1,4)">)
  return
}

// -----

// The two places of a pair of a sparse A are one register: the pair has to be sliced out of the source, too.
!one = !cute_nvgpu.atom.universal_copy<f16>
func.func @pairs(%s: !cute.memref<f16, gmem, align<4>, "(((2,2),2),1,1):(((0,1),64),0,0)">, %d: !cute.memref<f16, rmem, align<8>, "(((1,2),2),1,1):(((0,1),2),0,0)">) {
  %a = cute.make_atom() : () -> !one
  // expected-error @below {{but got 8 for ((2,2),2) and 4 for ((1,2),2)}}
  cute.copy(%a, %s, %d) : (!one, !cute.memref<f16, gmem, align<4>, "(((2,2),2),1,1):(((0,1),64),0,0)">, !cute.memref<f16, rmem, align<8>, "(((1,2),2),1,1):(((0,1),2),0,0)">)
  return
}

// -----

// Four matrices are eight values of a lane on both sides.
!ldsm = !cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, n>
func.func @call(%s: !cute.memref<f16, smem, align<16>, "((8,2)):((1,64))">, %d: !cute.memref<f16, rmem, align<16>, "((8,1)):((1,0))">) {
  %a = cute.make_atom() : () -> !ldsm
  // expected-error @below {{'cute.copy_atom_call' op expects value modes of src and dst that take as many calls}}
  cute.copy_atom_call(%a, %s, %d) : (!ldsm, !cute.memref<f16, smem, align<16>, "((8,2)):((1,64))">, !cute.memref<f16, rmem, align<16>, "((8,1)):((1,0))">)
  return
}

// -----

!atom = !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >
!fa = !cute.memref<f16, rmem, align<16>, "((2,2,2),2,2):((1,2,4),8,16)">
!fb = !cute.memref<f16, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">
!fd = !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">
!fc = !cute.memref<f32, rmem, align<16>, "((2,2),1,1):((1,2),0,0)">
func.func @addend(%a: !fa, %b: !fb, %c: !fc, %d: !fd) {
  %m = cute.make_atom() : () -> !atom
  // expected-error @below {{'cute.gemm' op expects C and D to have the same extent in mode 1, but got C: ((2,2),1,1):((1,2),0,0), D: ((2,2),2,2):((1,2),4,8)}}
  cute.gemm(%m, %d, %a, %b, %c) : (!atom, !fd, !fa, !fb, !fc)
  return
}

// -----

// D has no mode for the columns of B.
!atom = !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >
!fa = !cute.memref<f16, rmem, align<16>, "((2,2,2),2):((1,2,4),8)">
!fb = !cute.memref<f16, rmem, align<16>, "((2,2),3):((1,2),4)">
!fd = !cute.memref<f32, rmem, align<16>, "((2,2),2):((1,2),4)">
func.func @columns(%a: !fa, %b: !fb, %d: !fd) {
  %m = cute.make_atom() : () -> !atom
  // expected-error @below {{layoutA, layoutB and layoutD fail to form a gemm}}
  cute.gemm(%m, %d, %a, %b, %d) : (!atom, !fd, !fa, !fb, !fd)
  return
}

// -----

!atom = !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >
!fa = !cute.memref<f16, rmem, align<16>, "((2,2,2),2,2,3):((1,2,4),8,16,32)">
!fb = !cute.memref<f16, rmem, align<16>, "((2,2),2,2,3):((1,2),4,8,16)">
!fd = !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">
func.func @stages(%a: !fa, %b: !fb, %d: !fd) {
  %m = cute.make_atom() : () -> !atom
  // expected-error @below {{'cute.gemm' op expects A and B of rank 1 to 3, (V, M, K) and (V, N, K), but got A: ((2,2,2),2,2,3):((1,2,4),8,16,32), B: }}
  cute.gemm(%m, %d, %a, %b, %d) : (!atom, !fd, !fa, !fb, !fd)
  return
}

// -----

!atom = !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >
!fa = !cute.memref<f16, rmem, align<16>, "((2,2,2),1,1):((1,2,4),0,0)">
!fb = !cute.memref<f16, rmem, align<16>, "((2,2),2,1):((1,2),4,0)">
!fd = !cute.memref<f32, rmem, align<16>, "((2,2),1,2):((1,2),0,4)">
func.func @several(%a: !fa, %b: !fb, %d: !fd) {
  %m = cute.make_atom() : () -> !atom
  // expected-error @below {{'cute.mma_atom_call' op expects the operands of one call, whose modes after the first have extent 1, but got ((2,2),2,1):((1,2),4,0); cute.gemm makes a call for each}}
  cute.mma_atom_call(%m, %d, %a, %b, %d) : (!atom, !fd, !fa, !fb, !fd)
  return
}

// -----

// Tensor memory adds to what it has: another C would not be read.
!mma = !cute_nvgpu.sm100.mma<128x64x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0>
!frag = !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,4):(0,0,2)">
!acc = !cute.memref<f32, tmem, align<1>, "((128,64),1,1):((65536,1),0,0)">
func.func @elsewhere(%m: !mma, %a: !frag, %b: !frag, %c: !acc, %d: !acc) {
  // expected-error @below {{'cute.gemm' op expects C to be D in tensor memory, where a product adds to what is there, but got two tensors}}
  cute.gemm(%m, %d, %a, %b, %c) : (!mma, !acc, !frag, !frag, !acc)
  return
}

// -----

// One tensor, sliced twice.
!mma = !cute_nvgpu.sm100.mma<128x64x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0>
!frag = !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,4):(0,0,2)">
!accs = !cute.memref<f32, tmem, align<1>, "((128,64),1,1,2):((65536,1),0,0,64)">
!acc = !cute.memref<f32, tmem, align<1>, "((128,64),1,1):((65536,1),0,0)">
func.func @twice(%m: !mma, %a: !frag, %b: !frag, %both: !accs, %i: i32) {
  %0 = cute.make_coord(%i) : (i32) -> !cute.coord<"(_,_,_,?)">
  %c = cute.slice(%both, %0) : !accs, !cute.coord<"(_,_,_,?)">
  %1 = cute.make_coord(%i) : (i32) -> !cute.coord<"(_,_,_,?)">
  %d = cute.slice(%both, %1) : !accs, !cute.coord<"(_,_,_,?)">
  cute.gemm(%m, %d, %a, %b, %c) : (!mma, !acc, !frag, !frag, !acc)
  return
}

// -----

// Two stages of it.
!mma = !cute_nvgpu.sm100.mma<128x64x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0>
!frag = !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,4):(0,0,2)">
!accs = !cute.memref<f32, tmem, align<1>, "((128,64),1,1,2):((65536,1),0,0,64)">
!acc = !cute.memref<f32, tmem, align<1>, "((128,64),1,1):((65536,1),0,0)">
func.func @stages(%m: !mma, %a: !frag, %b: !frag, %both: !accs, %i: i32, %j: i32) {
  %0 = cute.make_coord(%i) : (i32) -> !cute.coord<"(_,_,_,?)">
  %c = cute.slice(%both, %0) : !accs, !cute.coord<"(_,_,_,?)">
  %1 = cute.make_coord(%j) : (i32) -> !cute.coord<"(_,_,_,?)">
  %d = cute.slice(%both, %1) : !accs, !cute.coord<"(_,_,_,?)">
  // expected-error @below {{expects C to be D in tensor memory, where a product adds to what is there, but got two tensors}}
  cute.gemm(%m, %d, %a, %b, %c) : (!mma, !acc, !frag, !frag, !acc)
  return
}
