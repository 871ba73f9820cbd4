// A leaf holds 32 or 64 bits.
// RUN: tessera-opt %s --verify-diagnostics
// XFAIL: *
// Bug: integers of any other width count as 32 bits: an i128 is accepted, and cut off when it is lowered.

func.func @f(%i: i128) {
  // expected-error @+1 {{'cute.make_shape' op expects an operand no wider than the leaf ?, but got 'i128'}}
  %0 = cute.make_shape(%i) : (i128) -> !cute.shape<"(4,?)">
  return
}
