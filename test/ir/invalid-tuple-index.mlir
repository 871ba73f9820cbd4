// An index is one number.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

func.func @f(%i: !cute.int_tuple<"(1,2)">, %l: !cute.layout<"(4,24):(24,1)">) {
  // expected-error @+1 {{expects the index to be one number, but got "(1,2)"}}
  %0 = cute.get_hier_coord(%i, %l) : (!cute.int_tuple<"(1,2)">, !cute.layout<"(4,24):(24,1)">)
  return
}

// -----

func.func @f(%i: !cute.int_tuple<"(1,2)">, %l: !cute.layout<"(4,24):(24,1)">) {
  // expected-error @+1 {{expects the index to be one number, but got "(1,2)"}}
  %0 = cute.get_flat_coord(%i, %l) : (!cute.int_tuple<"(1,2)">, !cute.layout<"(4,24):(24,1)">)
  return
}
