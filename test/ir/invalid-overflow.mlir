// A size that no 64-bit number holds is not some other number.
// RUN: tessera-opt %s --verify-diagnostics
// XFAIL: *
// Bug: the product wraps around: (2^63 - 1)^2 is said to be 1.

func.func @f(%s: !cute.shape<"(9223372036854775807,9223372036854775807)">) {
  // expected-error @+1 {{}}
  %0 = "cute.size"(%s) : (!cute.shape<"(9223372036854775807,9223372036854775807)">) -> !cute.int_tuple<"1">
  return
}
