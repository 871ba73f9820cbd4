// What constants refine is held to the rules of types: extents are positive.
// RUN: tessera-opt %s --cute-fold-static --verify-diagnostics
func.func @empty() -> !cute.shape<"(?,8)"> {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'cute.make_shape' op expects positive shape mode, but got "(0,8)"}}
  %0 = cute.make_shape [%c0] : (index) -> !cute.shape<"(?,8)">
  return %0 : !cute.shape<"(?,8)">
}
