// docs/specification/diagnostics.md#partition-verifier, phase one: rank 1 goes with 1 or 2, 2 with 2 or 3, 3 with 3, where rest modes have the same
// size; a failure names the first rank that does not.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

!atom = !cute_nvgpu.atom.universal_copy<f16, 128 b>
!g1 = !cute.memref<f16, gmem, align<16>, "((8,1)):((1,0))">
!g2 = !cute.memref<f16, gmem, align<16>, "((8,1),2):((1,0),8)">
!g3 = !cute.memref<f16, gmem, align<16>, "((8,1),2,3):((1,0),8,16)">
!r1 = !cute.memref<f16, rmem, align<16>, "((8,1)):((1,0))">
!r12 = !cute.memref<f16, rmem, align<16>, "((8,1),1):((1,0),0)">
!r2 = !cute.memref<f16, rmem, align<16>, "((8,1),2):((1,0),8)">
!r23 = !cute.memref<f16, rmem, align<16>, "((8,1),2,1):((1,0),8,0)">
!r3 = !cute.memref<f16, rmem, align<16>, "((8,1),2,3):((1,0),8,16)">
func.func @table(%c: !atom, %g1: !g1, %g2: !g2, %g3: !g3, %r1: !r1, %r12: !r12, %r2: !r2, %r23: !r23, %r3: !r3) {
  cute.copy(%c, %g1, %r1) : (!atom, !g1, !r1)
  cute.copy(%c, %g1, %r12) : (!atom, !g1, !r12)
  cute.copy(%c, %g2, %r2) : (!atom, !g2, !r2)
  cute.copy(%c, %g2, %r23) : (!atom, !g2, !r23)
  cute.copy(%c, %g3, %r3) : (!atom, !g3, !r3)
  return
}

// -----

!atom = !cute_nvgpu.atom.universal_copy<f16, 128 b>
!g3 = !cute.memref<f16, gmem, align<16>, "((8,1),2,3):((1,0),8,16)">
!r1 = !cute.memref<f16, rmem, align<16>, "((8,1)):((1,0))">
func.func @three_to_one(%c: !atom, %g: !g3, %r: !r1) {
  // expected-error @+1 {{'cute.copy' op expects same size in rank 1 but got srcShape: ((8,1),2,3), dstShape: ((8,1))}}
  cute.copy(%c, %g, %r) : (!atom, !g3, !r1)
  return
}

// -----

!atom = !cute_nvgpu.atom.universal_copy<f16, 128 b>
!g1 = !cute.memref<f16, gmem, align<16>, "((8,1)):((1,0))">
!r2 = !cute.memref<f16, rmem, align<16>, "((8,1),2):((1,0),8)">
func.func @one_to_two(%c: !atom, %g: !g1, %r: !r2) {
  // expected-error @+1 {{'cute.copy' op expects same size in rank 1 but got srcShape: ((8,1)), dstShape: ((8,1),2)}}
  cute.copy(%c, %g, %r) : (!atom, !g1, !r2)
  return
}
