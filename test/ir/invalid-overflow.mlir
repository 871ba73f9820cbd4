// A size that no 64-bit number holds is not some other number.
// RUN: tessera-opt %s --verify-diagnostics

func.func @f(%s: !cute.shape<"(9223372036854775807,9223372036854775807)">) {
  // expected-error @+2 {{the result has a number that does not fit 64 bits}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "cute.size"(%s) : (!cute.shape<"(9223372036854775807,9223372036854775807)">) -> !cute.int_tuple<"1">
  return
}
