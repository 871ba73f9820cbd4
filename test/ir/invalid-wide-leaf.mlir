// A leaf holds 32 or 64 bits.
// RUN: tessera-opt %s --verify-diagnostics

func.func @f(%i: i128) {
  // expected-error @+1 {{'cute.make_shape' op operand #0 must be variadic of i32, i64, or depth-0 !cute.int_tuple, but got 'i128': expects an i32 or i64 for the leaf ?, but got i128}}
  %0 = cute.make_shape(%i) : (i128) -> !cute.shape<"(4,?)">
  return
}
