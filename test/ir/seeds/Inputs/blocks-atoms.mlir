!v = !cute.memref<f32, gmem, align<16>, "(4):(1)">
!r = !cute.memref<f32, rmem, align<16>, "(4):(1)">
// expected-error @+1 {{expects structured control flow (scf) when cute ops are expanded, but got several blocks}}
func.func @br(%c: i1, %g: !v, %r: !r) {
  %a = cute.static : !cute_nvgpu.atom.universal_copy<f32, 128 b>
  cf.cond_br %c, ^a, ^b
^a:
  cute.copy_atom_call(%a, %g, %r) : (!cute_nvgpu.atom.universal_copy<f32, 128 b>, !v, !r)
  cf.br ^b
^b:
  return
}
