// What says which memory is meant, or when, is not dropped.
// RUN: tessera-opt %s --split-input-file --cute-expand-ops --verify-diagnostics

!s = !cute.memref<f32, smem, align<16>, "4:1">
!r = !cute.memref<f32, rmem, align<16>, "4:1">
!far = !cute_nvgpu.atom.s2r<f32 copy_bits = 128 shared_space = cluster>
func.func @far(%s: !s, %r: !r) {
  %a = cute.make_atom() : () -> !far
  // expected-error @+1 {{expects shared_space = cta, but got cluster, which is not lowered yet; use nvvm.load.ext or nvvm.store.ext}}
  cute.copy_atom_call(%a, %s, %r) : (!far, !s, !r)
  return
}

// -----

!g = !cute.memref<f32, gmem, align<16>, "4:1">
!r = !cute.memref<f32, rmem, align<16>, "4:1">
!late = !cute_nvgpu.atom.g2r<f32 copy_bits = 128 mem_order = acquire mem_scope = gpu>
func.func @late(%g: !g, %r: !r) {
  %a = cute.make_atom() : () -> !late
  // expected-error @+1 {{expects mem_order = weak, but got acquire, which is not lowered yet; use nvvm.load.ext or nvvm.store.ext}}
  cute.copy_atom_call(%a, %g, %r) : (!late, !g, !r)
  return
}
