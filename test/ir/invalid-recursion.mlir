// A function that calls itself is refused by name, directly and through others.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics --tessera-lower

func.func @own(%s: !cute.shape<"?">) -> !cute.shape<"?"> {
  // expected-error @+1 {{'func.call' op calls @own, which then calls itself (@own): recursion is not lowered; write it as a loop}}
  %0 = func.call @own(%s) : (!cute.shape<"?">) -> !cute.shape<"?">
  return %0 : !cute.shape<"?">
}

// -----

func.func @even(%n: i32) -> i32 {
  %0 = func.call @odd(%n) : (i32) -> i32
  return %0 : i32
}
func.func @odd(%n: i32) -> i32 {
  // expected-error @+1 {{recursion is not lowered}}
  %0 = func.call @even(%n) : (i32) -> i32
  return %0 : i32
}
