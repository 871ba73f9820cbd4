// A tensor of rank 0 has no value mode.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

!u = !cute_nvgpu.atom.universal_copy<f32>
func.func @f(%c: !u, %d: !cute.memref<f32, rmem, "():()">) {
  // expected-error @+1 {{'cute.copy' op expects src to have a value mode, but got ():()}}
  cute.copy(%c, %d, %d) : (!u, !cute.memref<f32, rmem, "():()">, !cute.memref<f32, rmem, "():()">)
  return
}

// -----

!m = !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32)>
func.func @f(%m: !m, %x: !cute.memref<f16, rmem, "():()">, %y: !cute.memref<f32, rmem, "():()">) {
  // expected-error @+1 {{'cute.gemm' op expects A to have a value mode, but got ():()}}
  cute.gemm(%m, %y, %x, %x, %y) : (!m, !cute.memref<f32, rmem, "():()">, !cute.memref<f16, rmem, "():()">, !cute.memref<f16, rmem, "():()">, !cute.memref<f32, rmem, "():()">)
  return
}
