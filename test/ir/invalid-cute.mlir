// The verifiers of `cute`: memory ops, atoms, the partition verifier of cute.copy in the order of its phases, the gates
// of cute.gemm. Where section 1 of the facts has a text, it stands here word for word.
// More than 600 lines: the phases of the partition verifier are in order, and what fails in two of them stands after both.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

// The partition verifier. Phase 1: rest modes have the same size.
func.func @f(%c: !cute_nvgpu.atom.universal_copy<f16, 128 b>, %s: !cute.memref<f16, gmem, align<16>, "((8,1),4,2):((1,0),8,32)">, %d: !cute.memref<f16, rmem, align<16>, "((8,1),3,2):((1,0),8,32)">) {
  // expected-error @+1 {{'cute.copy' op expects same size in rank 1 but got srcShape: ((8,1),4,2), dstShape: ((8,1),3,2)}}
  cute.copy(%c, %s, %d) : (!cute_nvgpu.atom.universal_copy<f16, 128 b>, !cute.memref<f16, gmem, align<16>, "((8,1),4,2):((1,0),8,32)">, !cute.memref<f16, rmem, align<16>, "((8,1),3,2):((1,0),8,32)">)
  return
}

// -----

func.func @f(%c: !cute_nvgpu.atom.universal_copy<f16, 128 b>, %s: !cute.memref<f16, gmem, align<16>, "((8,1),4,2):((1,0),8,32)">, %d: !cute.memref<f16, rmem, align<16>, "((8,1),4):((1,0),8)">) {
  // expected-error @+1 {{'cute.copy' op expects same size in rank 2 but got srcShape: ((8,1),4,2), dstShape: ((8,1),4)}}
  cute.copy(%c, %s, %d) : (!cute_nvgpu.atom.universal_copy<f16, 128 b>, !cute.memref<f16, gmem, align<16>, "((8,1),4,2):((1,0),8,32)">, !cute.memref<f16, rmem, align<16>, "((8,1),4):((1,0),8)">)
  return
}

// -----

func.func @f(%c: !cute_nvgpu.atom.universal_copy<f16, 128 b>, %s: !cute.memref<f16, gmem, align<16>, "((8,1),4):((1,0),8)">, %d: !cute.memref<f16, rmem, align<16>, "((8,1),3):((1,0),8)">) {
  // expected-error @+1 {{'cute.copy_atom_call' op expects same size in rank 1 but got srcShape: ((8,1),4), dstShape: ((8,1),3)}}
  cute.copy_atom_call(%c, %s, %d) : (!cute_nvgpu.atom.universal_copy<f16, 128 b>, !cute.memref<f16, gmem, align<16>, "((8,1),4):((1,0),8)">, !cute.memref<f16, rmem, align<16>, "((8,1),3):((1,0),8)">)
  return
}

// -----

// Phase 2: the predicate is a plain tensor, not in tensor memory, with one element for each call.
func.func @f(%c: !cute_nvgpu.atom.universal_copy<f16, 128 b>, %s: !cute.memref<f16, gmem, align<16>, "((8,1),4,2):((1,0),8,32)">, %d: !cute.memref<f16, rmem, align<16>, "((8,1),4,2):((1,0),8,32)">, %p: !cute.memref<i1, tmem, "(1,4,2):(0,1,4)">) {
  // expected-error @+1 {{'cute.copy' op pred memory space invalid}}
  cute.copy(%c, %s, %d, %p) : (!cute_nvgpu.atom.universal_copy<f16, 128 b>, !cute.memref<f16, gmem, align<16>, "((8,1),4,2):((1,0),8,32)">, !cute.memref<f16, rmem, align<16>, "((8,1),4,2):((1,0),8,32)">, !cute.memref<i1, tmem, "(1,4,2):(0,1,4)">)
  return
}

// -----

func.func @f(%c: !cute_nvgpu.atom.universal_copy<f16, 128 b>, %s: !cute.memref<f16, gmem, align<16>, "((8,1),4,2):((1,0),8,32)">, %d: !cute.memref<f16, rmem, align<16>, "((8,1),4,2):((1,0),8,32)">, %p: !cute.memref<i1, smem, S<1,4,3>, "(1,4,2):(0,1,4)">) {
  // expected-error @+1 {{'cute.copy' op pred must not be swizzled, but got (1,4,2):(0,1,4)}}
  cute.copy(%c, %s, %d, %p) : (!cute_nvgpu.atom.universal_copy<f16, 128 b>, !cute.memref<f16, gmem, align<16>, "((8,1),4,2):((1,0),8,32)">, !cute.memref<f16, rmem, align<16>, "((8,1),4,2):((1,0),8,32)">, !cute.memref<i1, smem, S<1,4,3>, "(1,4,2):(0,1,4)">)
  return
}

// -----

func.func @f(%c: !cute_nvgpu.atom.universal_copy<f16, 128 b>, %s: !cute.memref<f16, gmem, align<16>, "((8,1),4,2):((1,0),8,32)">, %d: !cute.memref<f16, rmem, align<16>, "((8,1),4,2):((1,0),8,32)">, %p: !cute.memref<i1, smem, "S<1,0,3> o 0 o (1,4,2):(0,1,4)">) {
  // expected-error @+1 {{'cute.copy' op pred must not be swizzled, but got S<1,0,3> o 0 o (1,4,2):(0,1,4)}}
  cute.copy(%c, %s, %d, %p) : (!cute_nvgpu.atom.universal_copy<f16, 128 b>, !cute.memref<f16, gmem, align<16>, "((8,1),4,2):((1,0),8,32)">, !cute.memref<f16, rmem, align<16>, "((8,1),4,2):((1,0),8,32)">, !cute.memref<i1, smem, "S<1,0,3> o 0 o (1,4,2):(0,1,4)">)
  return
}

// -----

func.func @f(%c: !cute_nvgpu.atom.universal_copy<f16, 128 b>, %s: !cute.memref<f16, gmem, align<16>, "((8,1),4,2):((1,0),8,32)">, %d: !cute.memref<f16, rmem, align<16>, "((8,1),4,2):((1,0),8,32)">, %p: !cute.memref<i1, rmem, "(1,4,3):(0,1,4)">) {
  // expected-error @+1 {{'cute.copy' op expects pred to have compatible shape with: (1,4,2) but got actual predShape: (1,4,3)}}
  cute.copy(%c, %s, %d, %p) : (!cute_nvgpu.atom.universal_copy<f16, 128 b>, !cute.memref<f16, gmem, align<16>, "((8,1),4,2):((1,0),8,32)">, !cute.memref<f16, rmem, align<16>, "((8,1),4,2):((1,0),8,32)">, !cute.memref<i1, rmem, "(1,4,3):(0,1,4)">)
  return
}

// -----

func.func @f(%c: !cute_nvgpu.atom.universal_copy<f16, 128 b>, %s: !cute.memref<f16, gmem, align<16>, "((8,1),4,2):((1,0),8,32)">, %d: !cute.memref<f16, rmem, align<16>, "((8,1),4,2):((1,0),8,32)">, %p: !cute.memref<i1, rmem, "(4,2):(1,4)">) {
  // expected-error @+1 {{'cute.copy' op expects pred to have compatible shape with: (1,4,2) but got actual predShape: (4,2)}}
  cute.copy(%c, %s, %d, %p) : (!cute_nvgpu.atom.universal_copy<f16, 128 b>, !cute.memref<f16, gmem, align<16>, "((8,1),4,2):((1,0),8,32)">, !cute.memref<f16, rmem, align<16>, "((8,1),4,2):((1,0),8,32)">, !cute.memref<i1, rmem, "(4,2):(1,4)">)
  return
}

// -----

// Phase 3: the values of a call divide the value mode.
func.func @f(%c: !cute_nvgpu.atom.universal_copy<f16, 128 b>, %s: !cute.memref<f16, gmem, align<16>, "((4,1),4):((1,0),4)">, %d: !cute.memref<f16, rmem, align<16>, "((4,1),4):((1,0),4)">) {
  // expected-error @+1 {{'cute.copy' op '!cute_nvgpu.atom.universal_copy<f16, 128 b>' cannot vectorized copy to 8 elements}}
  cute.copy(%c, %s, %d) : (!cute_nvgpu.atom.universal_copy<f16, 128 b>, !cute.memref<f16, gmem, align<16>, "((4,1),4):((1,0),4)">, !cute.memref<f16, rmem, align<16>, "((4,1),4):((1,0),4)">)
  return
}

// -----

// All three phases fail: the first is reported.
func.func @f(%c: !cute_nvgpu.atom.universal_copy<f16, 128 b>, %s: !cute.memref<f16, gmem, align<16>, "((4,1),4):((1,0),4)">, %d: !cute.memref<f16, rmem, align<16>, "((4,1),3):((1,0),4)">, %p: !cute.memref<i1, tmem, "(1,4):(0,1)">) {
  // expected-error @+1 {{'cute.copy' op expects same size in rank 1 but got srcShape: ((4,1),4), dstShape: ((4,1),3)}}
  cute.copy(%c, %s, %d, %p) : (!cute_nvgpu.atom.universal_copy<f16, 128 b>, !cute.memref<f16, gmem, align<16>, "((4,1),4):((1,0),4)">, !cute.memref<f16, rmem, align<16>, "((4,1),3):((1,0),4)">, !cute.memref<i1, tmem, "(1,4):(0,1)">)
  return
}

// -----

// The last two fail: the second is reported.
func.func @f(%c: !cute_nvgpu.atom.universal_copy<f16, 128 b>, %s: !cute.memref<f16, gmem, align<16>, "((4,1),4):((1,0),4)">, %d: !cute.memref<f16, rmem, align<16>, "((4,1),4):((1,0),4)">, %p: !cute.memref<i1, tmem, "(1,4):(0,1)">) {
  // expected-error @+1 {{'cute.copy' op pred memory space invalid}}
  cute.copy(%c, %s, %d, %p) : (!cute_nvgpu.atom.universal_copy<f16, 128 b>, !cute.memref<f16, gmem, align<16>, "((4,1),4):((1,0),4)">, !cute.memref<f16, rmem, align<16>, "((4,1),4):((1,0),4)">, !cute.memref<i1, tmem, "(1,4):(0,1)">)
  return
}

// -----

// Gates of the copy atoms.
func.func @f(%c: !cute_nvgpu.atom.universal_copy<f16, 128 b>, %s: !cute.memref<f16, gmem, align<8>, "((8,1),4):((1,0),8)">, %d: !cute.memref<f16, rmem, align<16>, "((8,1),4):((1,0),8)">) {
  // expected-error @+1 {{'cute.copy' op src ptr alignment (64 bits) does not meet requirement (128 bits) of atom '!cute_nvgpu.atom.universal_copy<f16, 128 b>'}}
  cute.copy(%c, %s, %d) : (!cute_nvgpu.atom.universal_copy<f16, 128 b>, !cute.memref<f16, gmem, align<8>, "((8,1),4):((1,0),8)">, !cute.memref<f16, rmem, align<16>, "((8,1),4):((1,0),8)">)
  return
}

// -----

func.func @f(%c: !cute_nvgpu.atom.universal_copy<f16, 128 b>, %s: !cute.memref<f16, rmem, align<16>, "((8,1),4):((1,0),8)">, %d: !cute.memref<f16, smem, "((8,1),4):((1,0),8)">) {
  // expected-error @+1 {{'cute.copy' op dst ptr alignment (16 bits) does not meet requirement (128 bits) of atom '!cute_nvgpu.atom.universal_copy<f16, 128 b>'}}
  cute.copy(%c, %s, %d) : (!cute_nvgpu.atom.universal_copy<f16, 128 b>, !cute.memref<f16, rmem, align<16>, "((8,1),4):((1,0),8)">, !cute.memref<f16, smem, "((8,1),4):((1,0),8)">)
  return
}

// -----

func.func @f(%c: !cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, n>, %s: !cute.memref<f16, gmem, align<16>, "((8,1),4):((1,0),8)">, %d: !cute.memref<f16, rmem, align<16>, "((8,1),4):((1,0),8)">) {
  // expected-error @+1 {{'cute.copy' op src of atom '!cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, n>' must be in smem, but got gmem}}
  cute.copy(%c, %s, %d) : (!cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, n>, !cute.memref<f16, gmem, align<16>, "((8,1),4):((1,0),8)">, !cute.memref<f16, rmem, align<16>, "((8,1),4):((1,0),8)">)
  return
}

// -----

func.func @f(%c: !cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, n>, %s: !cute.memref<f16, smem, align<16>, "((8,1),4):((1,0),8)">, %d: !cute.memref<f16, smem, align<16>, "((8,1),4):((1,0),8)">) {
  // expected-error @+1 {{'cute.copy' op dst of atom '!cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, n>' must be in rmem, but got smem}}
  cute.copy(%c, %s, %d) : (!cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, n>, !cute.memref<f16, smem, align<16>, "((8,1),4):((1,0),8)">, !cute.memref<f16, smem, align<16>, "((8,1),4):((1,0),8)">)
  return
}

// -----

func.func @f(%c: !cute_nvgpu.atom.simt_async_copy<f16, cache = global, 128 b>, %s: !cute.memref<f16, rmem, align<16>, "((8,1),4):((1,0),8)">, %d: !cute.memref<f16, smem, align<16>, "((8,1),4):((1,0),8)">) {
  // expected-error @+1 {{'cute.copy' op src of atom '!cute_nvgpu.atom.simt_async_copy<f16, cache = global, 128 b>' must be in gmem, but got rmem}}
  cute.copy(%c, %s, %d) : (!cute_nvgpu.atom.simt_async_copy<f16, cache = global, 128 b>, !cute.memref<f16, rmem, align<16>, "((8,1),4):((1,0),8)">, !cute.memref<f16, smem, align<16>, "((8,1),4):((1,0),8)">)
  return
}

// -----

func.func @f(%c: !cute_nvgpu.atom.simt_async_copy<f16, cache = global, 128 b>, %s: !cute.memref<f16, gmem, align<16>, "((8,1),4):((1,0),8)">, %d: !cute.memref<f16, gmem, align<16>, "((8,1),4):((1,0),8)">) {
  // expected-error @+1 {{'cute.copy' op dst of atom '!cute_nvgpu.atom.simt_async_copy<f16, cache = global, 128 b>' must be in smem, but got gmem}}
  cute.copy(%c, %s, %d) : (!cute_nvgpu.atom.simt_async_copy<f16, cache = global, 128 b>, !cute.memref<f16, gmem, align<16>, "((8,1),4):((1,0),8)">, !cute.memref<f16, gmem, align<16>, "((8,1),4):((1,0),8)">)
  return
}

// -----

func.func @f(%c: !cute_nvgpu.atom.simt_async_copy<f16, cache = global, 128 b>, %s: !cute.memref<f16, gmem, align<16>, "((8,1),4):((1,0),8)">, %d: !cute.memref<f16, smem, align<8>, "((8,1),4):((1,0),8)">) {
  // expected-error @+1 {{'cute.copy' op dst ptr alignment (64 bits) does not meet requirement (128 bits) of atom '!cute_nvgpu.atom.simt_async_copy<f16, cache = global, 128 b>'}}
  cute.copy(%c, %s, %d) : (!cute_nvgpu.atom.simt_async_copy<f16, cache = global, 128 b>, !cute.memref<f16, gmem, align<16>, "((8,1),4):((1,0),8)">, !cute.memref<f16, smem, align<8>, "((8,1),4):((1,0),8)">)
  return
}

// -----

func.func @f(%c: !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, %s: !cute.memref<f16, gmem, align<16>, "((8,1),4,2):((1,0),8,32)">, %d: !cute.memref<f16, rmem, align<16>, "((8,1),4,2):((1,0),8,32)">) {
  // expected-error @+1 {{'cute.copy' op expects a copy atom or tiled copy, but got !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >}}
  cute.copy(%c, %s, %d) : (!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, !cute.memref<f16, gmem, align<16>, "((8,1),4,2):((1,0),8,32)">, !cute.memref<f16, rmem, align<16>, "((8,1),4,2):((1,0),8,32)">)
  return
}

// -----

func.func @f(%c: !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, %s: !cute.memref<f16, gmem, align<16>, "((8,1),4,2):((1,0),8,32)">) {
  // expected-error @+1 {{'cute.prefetch' op expects an atom that can prefetch, such as a TMA load, but got !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >}}
  cute.prefetch(%c, %s) : (!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, !cute.memref<f16, gmem, align<16>, "((8,1),4,2):((1,0),8,32)">)
  return
}

// -----

func.func @f(%c: f32, %s: !cute.memref<f16, gmem, align<16>, "((8,1),4,2):((1,0),8,32)">) {
  // expected-error @+1 {{'cute.prefetch_atom_call' op operand #0 must be an atom, tiled or not, but got 'f32'}}
  cute.prefetch_atom_call(%c, %s) : (f32, !cute.memref<f16, gmem, align<16>, "((8,1),4,2):((1,0),8,32)">)
  return
}

// -----

func.func @f(%c: !cute_nvgpu.atom.universal_copy<f16>, %s: !cute.memref<f16, gmem, align<16>, "((8,1),4,2):((1,0),8,32)">) {
  // expected-error @+1 {{'cute.prefetch_atom_call' op expects an atom that can prefetch, such as a TMA load, but got !cute_nvgpu.atom.universal_copy<f16>}}
  cute.prefetch_atom_call(%c, %s) : (!cute_nvgpu.atom.universal_copy<f16>, !cute.memref<f16, gmem, align<16>, "((8,1),4,2):((1,0),8,32)">)
  return
}

// -----

// cute.gemm: ranks.
func.func @f(%m: !cute_nvgpu.atom.universal_copy<f16, 128 b>, %d: !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">, %a: !cute.memref<f16, rmem, align<16>, "((2,2,2),2,1):((1,2,4),8,0)">, %b: !cute.memref<f16, rmem, align<8>, "((2,2),2,1):((1,2),4,0)">, %c: !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">) {
  // expected-error @+1 {{'cute.gemm' op expects an MMA atom or tiled MMA, but got !cute_nvgpu.atom.universal_copy<f16, 128 b>}}
  cute.gemm(%m, %d, %a, %b, %c) : (!cute_nvgpu.atom.universal_copy<f16, 128 b>, !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">, !cute.memref<f16, rmem, align<16>, "((2,2,2),2,1):((1,2,4),8,0)">, !cute.memref<f16, rmem, align<8>, "((2,2),2,1):((1,2),4,0)">, !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">)
  return
}

// -----

func.func @f(%m: !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, %d: !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">, %a: !cute.memref<f16, rmem, align<16>, "((2,2,2),2,1):((1,2,4),8,0)">, %b: !cute.memref<f16, rmem, align<8>, "((2,2),2):((1,2),4)">, %c: !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">) {
  // expected-error @+1 {{'cute.gemm' op expects A, B to have the same rank, but got A: ((2,2,2),2,1):((1,2,4),8,0), B: ((2,2),2):((1,2),4)}}
  cute.gemm(%m, %d, %a, %b, %c) : (!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">, !cute.memref<f16, rmem, align<16>, "((2,2,2),2,1):((1,2,4),8,0)">, !cute.memref<f16, rmem, align<8>, "((2,2),2):((1,2),4)">, !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">)
  return
}

// -----

func.func @f(%m: !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, %d: !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">, %a: !cute.memref<f16, rmem, align<16>, "((2,2,2),2,1):((1,2,4),8,0)">, %b: !cute.memref<f16, rmem, align<8>, "((2,2),2,1):((1,2),4,0)">, %c: !cute.memref<f32, rmem, align<16>, "((2,2),2):((1,2),4)">) {
  // expected-error @+1 {{'cute.gemm' op expects C, D to have the same rank, but got C: ((2,2),2):((1,2),4), D: ((2,2),2,2):((1,2),4,8)}}
  cute.gemm(%m, %d, %a, %b, %c) : (!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">, !cute.memref<f16, rmem, align<16>, "((2,2,2),2,1):((1,2,4),8,0)">, !cute.memref<f16, rmem, align<8>, "((2,2),2,1):((1,2),4,0)">, !cute.memref<f32, rmem, align<16>, "((2,2),2):((1,2),4)">)
  return
}

// -----

func.func @f(%m: !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, %d: !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">, %a: !cute.memref<f16, rmem, align<16>, "((2,2,2)):((1,2,4))">, %b: !cute.memref<f16, rmem, align<8>, "((2,2)):((1,2))">, %c: !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">) {
  // expected-error @+1 {{'cute.gemm' op expects C to have rank 1 or 2, but got C: ((2,2),2,2):((1,2),4,8)}}
  cute.gemm(%m, %d, %a, %b, %c) : (!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">, !cute.memref<f16, rmem, align<16>, "((2,2,2)):((1,2,4))">, !cute.memref<f16, rmem, align<8>, "((2,2)):((1,2))">, !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">)
  return
}

// -----

func.func @f(%m: !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, %d: !cute.memref<f32, rmem, align<16>, "((2,2)):((1,2))">, %a: !cute.memref<f16, rmem, align<16>, "((2,2,2),1):((1,2,4),0)">, %b: !cute.memref<f16, rmem, align<8>, "((2,2),1):((1,2),0)">, %c: !cute.memref<f32, rmem, align<16>, "((2,2)):((1,2))">) {
  // expected-error @+1 {{'cute.gemm' op expects C to have rank 2 or 3, but got C: ((2,2)):((1,2))}}
  cute.gemm(%m, %d, %a, %b, %c) : (!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, !cute.memref<f32, rmem, align<16>, "((2,2)):((1,2))">, !cute.memref<f16, rmem, align<16>, "((2,2,2),1):((1,2,4),0)">, !cute.memref<f16, rmem, align<8>, "((2,2),1):((1,2),0)">, !cute.memref<f32, rmem, align<16>, "((2,2)):((1,2))">)
  return
}

// -----

func.func @f(%m: !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, %d: !cute.memref<f32, rmem, align<16>, "((2,2),2):((1,2),4)">, %a: !cute.memref<f16, rmem, align<16>, "((2,2,2),2,1):((1,2,4),8,0)">, %b: !cute.memref<f16, rmem, align<8>, "((2,2),2,1):((1,2),4,0)">, %c: !cute.memref<f32, rmem, align<16>, "((2,2),2):((1,2),4)">) {
  // expected-error @+1 {{'cute.gemm' op expects C to have rank 3, but got C: ((2,2),2):((1,2),4)}}
  cute.gemm(%m, %d, %a, %b, %c) : (!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, !cute.memref<f32, rmem, align<16>, "((2,2),2):((1,2),4)">, !cute.memref<f16, rmem, align<16>, "((2,2,2),2,1):((1,2,4),8,0)">, !cute.memref<f16, rmem, align<8>, "((2,2),2,1):((1,2),4,0)">, !cute.memref<f32, rmem, align<16>, "((2,2),2):((1,2),4)">)
  return
}

// -----

// Gates of the register atoms, in order: element types, residency, layouts, gemm.
func.func @f(%m: !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, %d: !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">, %a: !cute.memref<bf16, rmem, align<16>, "((2,2,2),2,1):((1,2,4),8,0)">, %b: !cute.memref<f16, rmem, align<8>, "((2,2),2,1):((1,2),4,0)">, %c: !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">) {
  // expected-error @+1 {{'cute.gemm' op expects operand a with element type f16, but get bf16.}}
  cute.gemm(%m, %d, %a, %b, %c) : (!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">, !cute.memref<bf16, rmem, align<16>, "((2,2,2),2,1):((1,2,4),8,0)">, !cute.memref<f16, rmem, align<8>, "((2,2),2,1):((1,2),4,0)">, !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">)
  return
}

// -----

func.func @f(%m: !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, %d: !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">, %a: !cute.memref<f16, rmem, align<16>, "((2,2,2),2,1):((1,2,4),8,0)">, %b: !cute.memref<f32, rmem, align<8>, "((2,2),2,1):((1,2),4,0)">, %c: !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">) {
  // expected-error @+1 {{'cute.gemm' op expects operand b with element type f16, but get f32.}}
  cute.gemm(%m, %d, %a, %b, %c) : (!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">, !cute.memref<f16, rmem, align<16>, "((2,2,2),2,1):((1,2,4),8,0)">, !cute.memref<f32, rmem, align<8>, "((2,2),2,1):((1,2),4,0)">, !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">)
  return
}

// -----

func.func @f(%m: !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, %d: !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">, %a: !cute.memref<f16, rmem, align<16>, "((2,2,2),2,1):((1,2,4),8,0)">, %b: !cute.memref<f16, rmem, align<8>, "((2,2),2,1):((1,2),4,0)">, %c: !cute.memref<f16, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">) {
  // expected-error @+1 {{'cute.gemm' op expects operand c with element type f32, but get f16.}}
  cute.gemm(%m, %d, %a, %b, %c) : (!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">, !cute.memref<f16, rmem, align<16>, "((2,2,2),2,1):((1,2,4),8,0)">, !cute.memref<f16, rmem, align<8>, "((2,2),2,1):((1,2),4,0)">, !cute.memref<f16, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">)
  return
}

// -----

func.func @f(%m: !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, %d: !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">, %a: !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,2,1):(0,1,0)">, %b: !cute.memref<f16, rmem, align<8>, "((2,2),2,1):((1,2),4,0)">, %c: !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">) {
  // expected-error @+1 {{'cute.gemm' op expects all mma operands to have element type}}
  cute.gemm(%m, %d, %a, %b, %c) : (!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,2,1):(0,1,0)">, !cute.memref<f16, rmem, align<8>, "((2,2),2,1):((1,2),4,0)">, !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">)
  return
}

// -----

func.func @f(%m: !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, %d: !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">, %a: !cute.memref<f16, smem, align<16>, "((2,2,2),2,1):((1,2,4),8,0)">, %b: !cute.memref<f16, rmem, align<8>, "((2,2),2,1):((1,2),4,0)">, %c: !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">) {
  // expected-error @+1 {{'cute.gemm' op expects rmem for input operands, but got A: !cute.memref<f16, smem, align<16>, "((2,2,2),2,1):((1,2,4),8,0)">, B: !cute.memref<f16, rmem, align<8>, "((2,2),2,1):((1,2),4,0)">, D: !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">}}
  cute.gemm(%m, %d, %a, %b, %c) : (!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">, !cute.memref<f16, smem, align<16>, "((2,2,2),2,1):((1,2,4),8,0)">, !cute.memref<f16, rmem, align<8>, "((2,2),2,1):((1,2),4,0)">, !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">)
  return
}

// -----

func.func @f(%m: !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, %d: !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">, %a: !cute.memref<f16, rmem, align<16>, "((2,2,2),?,1):((1,2,4),8,0)">, %b: !cute.memref<f16, rmem, align<8>, "((2,2),2,1):((1,2),4,0)">, %c: !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">) {
  // expected-error @+1 {{'cute.gemm' op expects static and no scaled basis layout for a}}
  cute.gemm(%m, %d, %a, %b, %c) : (!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">, !cute.memref<f16, rmem, align<16>, "((2,2,2),?,1):((1,2,4),8,0)">, !cute.memref<f16, rmem, align<8>, "((2,2),2,1):((1,2),4,0)">, !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">)
  return
}

// -----

func.func @f(%m: !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, %d: !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">, %a: !cute.memref<f16, rmem, align<16>, "((2,2),2,1):((1,2),8,0)">, %b: !cute.memref<f16, rmem, align<8>, "((2,2),2,1):((1,2),4,0)">, %c: !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">) {
  // expected-error @+1 {{'cute.gemm' op invalid layout of A/B/D. A: ((2,2),2,1):((1,2),8,0), B: ((2,2),2,1):((1,2),4,0), D:((2,2),2,2):((1,2),4,8); expects a first mode of 8 values of operand a, but got 4}}
  cute.gemm(%m, %d, %a, %b, %c) : (!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">, !cute.memref<f16, rmem, align<16>, "((2,2),2,1):((1,2),8,0)">, !cute.memref<f16, rmem, align<8>, "((2,2),2,1):((1,2),4,0)">, !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">)
  return
}

// -----

func.func @f(%m: !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, %d: !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">, %a: !cute.memref<f16, rmem, align<16>, "((2,2,2),3,1):((1,2,4),8,0)">, %b: !cute.memref<f16, rmem, align<8>, "((2,2),2,1):((1,2),4,0)">, %c: !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">) {
  // expected-error @+1 {{'cute.gemm' op layoutA, layoutB and layoutD fail to form a gemm. A: ((2,2,2),3,1):((1,2,4),8,0), B: ((2,2),2,1):((1,2),4,0), D: ((2,2),2,2):((1,2),4,8)}}
  cute.gemm(%m, %d, %a, %b, %c) : (!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">, !cute.memref<f16, rmem, align<16>, "((2,2,2),3,1):((1,2,4),8,0)">, !cute.memref<f16, rmem, align<8>, "((2,2),2,1):((1,2),4,0)">, !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">)
  return
}

// -----

func.func @f(%m: !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, %d: !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">, %a: !cute.memref<f16, rmem, align<16>, "((2,2,2),2,1):((1,2,4),8,0)">, %b: !cute.memref<f16, rmem, align<8>, "((2,2),2,2):((1,2),4,8)">, %c: !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">) {
  // expected-error @+1 {{'cute.gemm' op layoutA, layoutB and layoutD fail to form a gemm. A: ((2,2,2),2,1):((1,2,4),8,0), B: ((2,2),2,2):((1,2),4,8), D: ((2,2),2,2):((1,2),4,8)}}
  cute.gemm(%m, %d, %a, %b, %c) : (!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">, !cute.memref<f16, rmem, align<16>, "((2,2,2),2,1):((1,2,4),8,0)">, !cute.memref<f16, rmem, align<8>, "((2,2),2,2):((1,2),4,8)">, !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">)
  return
}

// -----

// All of these fail: the element type is reported.
func.func @f(%m: !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, %d: !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">, %a: !cute.memref<bf16, smem, align<16>, "((2,2),3,1):((1,2),8,0)">, %b: !cute.memref<f16, rmem, align<8>, "((2,2),2,1):((1,2),4,0)">, %c: !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">) {
  // expected-error @+1 {{'cute.mma_atom_call' op expects operand a with element type f16, but get bf16.}}
  cute.mma_atom_call(%m, %d, %a, %b, %c) : (!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">, !cute.memref<bf16, smem, align<16>, "((2,2),3,1):((1,2),8,0)">, !cute.memref<f16, rmem, align<8>, "((2,2),2,1):((1,2),4,0)">, !cute.memref<f32, rmem, align<16>, "((2,2),2,2):((1,2),4,8)">)
  return
}

// -----

// Gates of the atoms that read descriptors.
func.func @f(%m: !cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, %d: !cute.memref<f32, rmem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">, %a: !cute.memref<f16, smem, align<16>, "((64,16),1,1):((64,1),0,0)">, %b: !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">, %c: !cute.memref<f32, rmem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">) {
  // expected-error @+1 {{'cute.gemm' op expects memref/smem_desc_view for operand A, but gets A:!cute.memref<f16, smem, align<16>, "((64,16),1,1):((64,1),0,0)">.}}
  cute.gemm(%m, %d, %a, %b, %c) : (!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, !cute.memref<f32, rmem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">, !cute.memref<f16, smem, align<16>, "((64,16),1,1):((64,1),0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">, !cute.memref<f32, rmem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">)
  return
}

// -----

func.func @f(%m: !cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, %d: !cute.memref<f32, rmem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">, %a: !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">, %b: !cute.memref<f16, smem, align<16>, "((64,16),1,1):((64,1),0,0)">, %c: !cute.memref<f32, rmem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">) {
  // expected-error @+1 {{'cute.gemm' op expects smem_desc_view for operand B, but gets B: !cute.memref<f16, smem, align<16>, "((64,16),1,1):((64,1),0,0)">.}}
  cute.gemm(%m, %d, %a, %b, %c) : (!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, !cute.memref<f32, rmem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">, !cute.memref<f16, smem, align<16>, "((64,16),1,1):((64,1),0,0)">, !cute.memref<f32, rmem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">)
  return
}

// -----

func.func @f(%m: !cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, %d: !cute.memref<f32, smem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">, %a: !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">, %b: !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">, %c: !cute.memref<f32, smem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">) {
  // expected-error @+1 {{'cute.gemm' op expects memref for operand D, but gets D: !cute.memref<f32, smem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">.}}
  cute.gemm(%m, %d, %a, %b, %c) : (!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, !cute.memref<f32, smem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">, !cute.memref<f32, smem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">)
  return
}

// -----

// Building atoms.
func.func @f() {
  // expected-error @+1 {{'cute.make_atom' op atom type does not implement a known cute_nvgpu interface, got f32}}
  %0 = cute.make_atom() : () -> f32
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{expects !cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss> to be made of fields of types (i1), but got ()}}
  %0 = cute.make_atom() : () -> !cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>
  return
}

// -----

func.func @f(%a: !cute_nvgpu.atom.universal_copy<f16>) {
  // expected-error @+1 {{'cute.make_tiled_copy' op expects an atom of type !cute_nvgpu.atom.universal_copy<f16, 128 b>, but got !cute_nvgpu.atom.universal_copy<f16>}}
  %0 = cute.make_tiled_copy(%a) : !cute_nvgpu.atom.universal_copy<f16> -> !cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f16, 128 b>, layout_copy_tv = <"((8,16),8):((128,1),16)">, tiler_mn = <"[16:1;64:1]">>
  return
}

// -----

func.func @f(%m: !cute.tiled_mma<!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, %s: !cute.shape<"(32,32)">) {
  // expected-error @+2 {{expects operand_id 0 (A), 1 (B) or 2 (C), but got 3}}
  // expected-error @+1 {{'cute.tiled.mma.partition_shape' op failed to infer returned types}}
  %0 = "cute.tiled.mma.partition_shape"(%m, %s) <{operand_id = 3 : i32}> : (!cute.tiled_mma<!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, !cute.shape<"(32,32)">) -> !cute.shape<"(1,2)">
  return
}

// -----

func.func @f(%m: !cute.tiled_mma<!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, %s: !cute.shape<"(32,32)">) {
  // expected-error @+1 {{expects operand A, B or C, but got 'D'}}
  %0 = cute.tiled.mma.partition_shape D (%m, %s) : (!cute.tiled_mma<!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, !cute.shape<"(32,32)">)
  return
}

// -----

func.func @f(%t: !cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f16, 128 b>, layout_copy_tv = <"((8,16),8):((128,1),16)">, tiler_mn = <"[16:1;64:1]">>, %v: !cute.memref<f16, gmem, align<16>, "64:1">, %c: !cute.coord<"0">) {
  // expected-error @+1 {{expects a tensor of rank 2 or more for the tiler "[16:1;64:1]", but got "64:1"}}
  %0 = cute.tiled.copy.partition_S(%t, %v, %c) : (!cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f16, 128 b>, layout_copy_tv = <"((8,16),8):((128,1),16)">, tiler_mn = <"[16:1;64:1]">>, !cute.memref<f16, gmem, align<16>, "64:1">, !cute.coord<"0">)
  return
}

// -----

// Values.
func.func @f() {
  // expected-error @+1 {{'cute.static' op expects result to be static, but got '!cute.shape<"(?,8)">'}}
  %0 = cute.static : !cute.shape<"(?,8)">
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'cute.static' op expects result to be static, but got 'i32'}}
  %0 = cute.static : i32
  return
}

// -----

func.func @f(%i: i32) {
  // expected-error @+1 {{'cute.make_shape' op expects 2 dynamic operand(s) for result type '!cute.shape<"(?,?)">', but got 1; give one operand for each `?` of it}}
  %0 = cute.make_shape(%i) : (i32) -> !cute.shape<"(?,?)">
  return
}

// -----

func.func @f(%i: i64) {
  // expected-error @+1 {{'cute.make_shape' op expects operand #0 to have (width=32), but got (width=64): expects an operand no wider than the leaf ?}}
  %0 = cute.make_shape(%i) : (i64) -> !cute.shape<"(4,?)">
  return
}

// -----

func.func @f(%i: !cute.int_tuple<"4">) {
  // expected-error @+1 {{operand #0 must be variadic of i32, i64, or depth-0 !cute.int_tuple, but got '!cute.int_tuple<"4">': expects dynamic scalars as operands}}
  %0 = cute.make_shape(%i) : (!cute.int_tuple<"4">) -> !cute.shape<"(4,?)">
  return
}

// -----

func.func @f(%s: !cute.shape<"(4,8)">) {
  // expected-error @+1 {{cannot tell the operand types from the result type '!cute.shape<"(4,8)">'}}
  %0 = cute.make_layout(%s) : !cute.shape<"(4,8)">
  return
}

// -----

// Memory.
func.func @f(%v: !cute.memref<i24, gmem, align<4>, "(4,4):(1,4)">, %c: !cute.coord<"(1,1)">) {
  // expected-error @+1 {{'cute.memref.load' op expects an element type whose width in bits is a power of two, but got i24}}
  %0 = cute.memref.load(%v, %c) : (!cute.memref<i24, gmem, align<4>, "(4,4):(1,4)">, !cute.coord<"(1,1)">) -> i24
  return
}

// -----

func.func @f(%v: !cute.memref<i1, gmem, "(4,4):(1,4)">, %c: !cute.coord<"(1,1)">) {
  // expected-error @+1 {{'cute.memref.load' op expects i1 elements only in rmem, but got gmem}}
  %0 = cute.memref.load(%v, %c) : (!cute.memref<i1, gmem, "(4,4):(1,4)">, !cute.coord<"(1,1)">) -> i1
  return
}

// -----

func.func @f(%v: !cute.memref<f32, gmem, "(4,4):(1,4)">, %c: !cute.coord<"(1,1)">) {
  // expected-error @+1 {{'cute.memref.load' op expects a value of the element type f32, but got f16}}
  %0 = cute.memref.load(%v, %c) : (!cute.memref<f32, gmem, "(4,4):(1,4)">, !cute.coord<"(1,1)">) -> f16
  return
}

// -----

func.func @f(%v: !cute.memref<f32, gmem, "(4,4):(1,4)">, %c: !cute.coord<"(1,1,1)">) {
  // expected-error @+1 {{'cute.memref.load' op expects a coordinate weakly congruent with the shape (4,4), but got (1,1,1)}}
  %0 = cute.memref.load(%v, %c) : (!cute.memref<f32, gmem, "(4,4):(1,4)">, !cute.coord<"(1,1,1)">) -> f32
  return
}

// -----

func.func @f(%v: !cute.memref<f32, gmem, "(4,4):(1,4)">, %c: !cute.coord<"(1,_)">) {
  // expected-error @+1 {{'cute.memref.load' op expects a coordinate that fixes every mode, but got (1,_)}}
  %0 = cute.memref.load(%v, %c) : (!cute.memref<f32, gmem, "(4,4):(1,4)">, !cute.coord<"(1,_)">) -> f32
  return
}

// -----

func.func @f(%v: !cute.memref<f32, gmem, "(4,4):(1,4)">, %c: !cute.coord<"(1,1)">, %x: i32) {
  // expected-error @+1 {{'cute.memref.store' op expects a value of the element type f32, but got i32}}
  cute.memref.store(%v, %c, %x) : (!cute.memref<f32, gmem, "(4,4):(1,4)">, !cute.coord<"(1,1)">, i32) -> ()
  return
}

// -----

func.func @f(%l: !cute.layout<"(4,?):(1,4)">) {
  // expected-error @+1 {{'cute.memref.alloca' op expects a static layout to allocate, but got (4,?):(1,4)}}
  %0 = cute.memref.alloca(%l) : !cute.memref<f32, rmem, "(4,?):(1,4)">
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'cute.memref.alloca' op expects to allocate in rmem, but got smem}}
  %0 = cute.memref.alloca() : !cute.memref<f32, smem, "(4,4):(1,4)">
  return
}

// -----

func.func @f(%l: !cute.layout<"(4,4):(4,1)">) {
  // expected-error @+1 {{'cute.memref.alloca' op expects the layout of the result to be that of the operand, (4,4):(4,1), but got (4,4):(1,4)}}
  %0 = "cute.memref.alloca"(%l) : (!cute.layout<"(4,4):(4,1)">) -> !cute.memref<f32, rmem, "(4,4):(1,4)">
  return
}

// -----

func.func @f(%v: !cute.memref<f32, gmem, "(4,?):(1,4)">) {
  // expected-error @+1 {{expects a tensor of static shape, but got (4,?):(1,4)}}
  %0 = cute.memref.load_vec %v : !cute.memref<f32, gmem, "(4,?):(1,4)">
  return
}

// -----

func.func @f(%v: !cute.memref<f32, gmem, "(4,?):(1,4)">, %x: vector<4xf32>) {
  // expected-error @+1 {{expects a tensor of static shape, but got (4,?):(1,4)}}
  cute.memref.store_vec %x, %v : !cute.memref<f32, gmem, "(4,?):(1,4)">
  return
}

// -----

func.func @f(%v: !cute.memref<f32, gmem, "(4,4):(1,4)">) {
  // expected-error @+1 {{'cute.memref.load_vec' op expects a vector of 16 x f32, the elements of the tensor, but got vector<8xf32>}}
  %0 = "cute.memref.load_vec"(%v) : (!cute.memref<f32, gmem, "(4,4):(1,4)">) -> vector<8xf32>
  return
}

// -----

func.func @f(%v: !cute.memref<f32, gmem, "(4,4):(1,4)">, %x: vector<16xf16>) {
  // expected-error @+1 {{'cute.memref.store_vec' op expects a vector of 16 x f32, the elements of the tensor, but got vector<16xf16>}}
  "cute.memref.store_vec"(%x, %v) : (vector<16xf16>, !cute.memref<f32, gmem, "(4,4):(1,4)">) -> ()
  return
}

// -----

func.func @f(%p: !cute.ptr<f32, gmem>) {
  // expected-error @+1 {{'cute.recast_iter' op expects a pointer of the same address space gmem, but got smem}}
  %0 = cute.recast_iter(%p) : !cute.ptr<f32, gmem> to !cute.ptr<f32, smem>
  return
}

// -----

func.func @f(%p: !cute.ptr<f32, gmem>) {
  // expected-error @+1 {{'cute.recast_iter' op expects an alignment of at most 4 bytes, that of the source, but got 8}}
  %0 = cute.recast_iter(%p) : !cute.ptr<f32, gmem> to !cute.ptr<f64, gmem>
  return
}

// -----

func.func @f(%a: !cute.i64<divby 8>) {
  // expected-error @+1 {{'cute.inttoptr' op expects an address known to be a multiple of 16, the pointer's alignment in bytes, but got !cute.i64<divby 8>}}
  %0 = cute.inttoptr(%a) : !cute.i64<divby 8> to !cute.ptr<f32, gmem, align<16>>
  return
}

// -----

func.func @f(%a: i32) {
  // expected-error @+1 {{'cute.inttoptr' op expects a 64-bit address for a pointer to gmem, but got i32}}
  %0 = cute.inttoptr(%a) : i32 to !cute.ptr<f32, gmem>
  return
}

// -----

func.func @f(%a: !cute.ptr<f32, generic>) {
  // expected-error @+1 {{'cute.ptrtoint' op expects a 64-bit address for a pointer to generic, but got i32}}
  %0 = cute.ptrtoint(%a) : !cute.ptr<f32, generic> to i32
  return
}

// -----

func.func @f(%a: i64) {
  // expected-error @+1 {{'cute.assume' op expects a result as wide as the operand, but got i64 and !cute.i32<divby 4>}}
  %0 = cute.assume(%a) : (i64) -> !cute.i32<divby 4>
  return
}

// -----

func.func @f(%a: i64) {
  // expected-error @+1 {{'cute.fast_divmod.create_divisor' op expects a divisor of 64 bits, but got !cute.fast_divmod_divisor<32>}}
  %0 = cute.fast_divmod.create_divisor(%a) : i64 -> !cute.fast_divmod_divisor<32>
  return
}

// -----

func.func @f(%a: i64, %d: !cute.fast_divmod_divisor<32>) {
  // expected-error @+1 {{'cute.fast_divmod.compute' op expects a divisor of 64 bits, but got !cute.fast_divmod_divisor<32>}}
  %q, %r = cute.fast_divmod.compute(%a, %d) : i64, !cute.fast_divmod_divisor<32> -> i64
  return
}

// -----

func.func @f(%a: i64, %d: !cute.fast_divmod_divisor<32>) {
  // expected-error @+1 {{'cute.fast_divmod.divide' op expects a divisor of 64 bits, but got !cute.fast_divmod_divisor<32>}}
  %q = cute.fast_divmod.divide(%a, %d) : i64, !cute.fast_divmod_divisor<32> -> i64
  return
}

// -----

func.func @f(%a: i64, %s: i8) {
  // expected-error @+1 {{'cute.fast_divmod.make_divisor' op expects a divisor of 64 bits, but got !cute.fast_divmod_divisor<32>}}
  %d = cute.fast_divmod.make_divisor(%a, %a, %s, %s) : i64 -> !cute.fast_divmod_divisor<32>
  return
}

// -----

func.func @f(%d: !cute.fast_divmod_divisor<32>) {
  // expected-error @+1 {{'cute.fast_divmod.get_aux' op expects a divisor of 64 bits, but got !cute.fast_divmod_divisor<32>}}
  %m, %s1, %s2 = cute.fast_divmod.get_aux(%d) : !cute.fast_divmod_divisor<32> -> (i64, i8)
  return
}

// -----

func.func @f(%i: i32) {
  // expected-error @+1 {{'cute.print' op expects as many operands as there are `{}` in the format, 2, but got 1}}
  cute.print("{} {}", %i) : i32
  return
}

// -----

func.func @f(%p: !cute.ptr<f32, gmem>, %o: !cute.int_tuple<"(1,2)">) {
  // expected-error @+1 {{expects an offset that can be added to the iterator, but got "(1,2)"}}
  %0 = cute.add_offset(%p, %o) : (!cute.ptr<f32, gmem>, !cute.int_tuple<"(1,2)">)
  return
}

// -----

// Phase two of the partition verifier: a predicate of coordinates is not a tensor in memory.
func.func @f(%c: !cute_nvgpu.atom.universal_copy<f32>, %s: !cute.memref<f32, gmem, "4:1">, %p: !cute.coord_tensor<"(0)", "(1):(1@0)">) {
  // expected-error @+1 {{'cute.copy' op pred must be a CuteMemRefType}}
  cute.copy(%c, %s, %s, %p) : (!cute_nvgpu.atom.universal_copy<f32>, !cute.memref<f32, gmem, "4:1">, !cute.memref<f32, gmem, "4:1">, !cute.coord_tensor<"(0)", "(1):(1@0)">)
  return
}

// -----

// A copy that reads registers has nothing to prefetch.
func.func @f(%c: !cute_nvgpu.atom.universal_copy<f32>, %s: !cute.memref<f32, gmem, "4:1">) {
  // expected-error @+1 {{'cute.prefetch' op expects an atom that can prefetch, such as a TMA load, but got !cute_nvgpu.atom.universal_copy<f32}}
  cute.prefetch(%c, %s) : (!cute_nvgpu.atom.universal_copy<f32>, !cute.memref<f32, gmem, "4:1">)
  return
}

// -----

// Inner tuples: one operand for each mode, of the mode's own type.
func.func @f(%s: !cute.shape<"(?,4)">, %n: index) {
  // expected-error @+1 {{'cute.make_shape' op operand #0 must be variadic of i32, i64, or depth-0 !cute.int_tuple, but got '!cute.shape<"(?,4)">': expects one operand for each mode of !cute.shape<"((?,?),?)">, an inner tuple of the mode's own type or a number for `?`, but got (!cute.shape<"(?,4)">, index)}}
  %0 = cute.make_shape [%s, %n] : (!cute.shape<"(?,4)">, index) -> !cute.shape<"((?,?),?)">
  return
}

// -----

func.func @f(%s: !cute.stride<"(?,?)">, %n: index) {
  // expected-error @+1 {{expects one operand for each mode of !cute.shape<"((?,?),?)">}}
  %0 = cute.make_shape [%s, %n] : (!cute.stride<"(?,?)">, index) -> !cute.shape<"((?,?),?)">
  return
}

// -----

func.func @f(%s: !cute.shape<"(?,?)">) {
  // expected-error @+1 {{expects one operand for each mode of !cute.shape<"((?,?),?)">}}
  %0 = cute.make_shape [%s] : (!cute.shape<"(?,?)">) -> !cute.shape<"((?,?),?)">
  return
}

// -----

// A result may leave open what the operands say, and not the other way round.
func.func @f(%s: !cute.shape<2>) {
  // expected-error @+2 {{'cute.make_layout' op inferred type(s)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "cute.make_layout"(%s) <{operandSegmentSizes = array<i32: 1, 0>}> : (!cute.shape<2>) -> !cute.layout<"(?,4):(1,4)">
  return
}

// -----

func.func @f(%p: !cute.ptr<f32, gmem, align<16>>) {
  // expected-error @+1 {{attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose value is a power of two > 0}}
  %0 = cute.ptr.load(%p) {alignment = 3 : i64} : (!cute.ptr<f32, gmem, align<16>>) -> f32
  return
}

// -----

func.func @f(%p: !cute.ptr<f32, gmem, align<16>>, %x: f32) {
  // expected-error @+1 {{attribute 'alignment' failed to satisfy constraint}}
  cute.ptr.store(%p, %x) {alignment = -16 : i64} : (!cute.ptr<f32, gmem, align<16>>, f32) -> ()
  return
}
