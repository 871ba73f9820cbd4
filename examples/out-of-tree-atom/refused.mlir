// The atom's own gate, after those of every copy.
func.func @f(%a: !spin.rotate<f32, 4>, %src: !cute.memref<f32, rmem, align<16>, "((4,1)):((1,0))">,
             %dst: !cute.memref<f32, rmem, align<16>, "((4,1)):((1,0))">) {
  cute.copy(%a, %src, %dst) : (!spin.rotate<f32, 4>, !cute.memref<f32, rmem, align<16>, "((4,1)):((1,0))">, !cute.memref<f32, rmem, align<16>, "((4,1)):((1,0))">)
  return
}
