// An index is one number.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics
// XFAIL: *
// Bug: an int_tuple that is a tuple trips an assertion (Tree.h: leaf of a tuple).

func.func @f(%i: !cute.int_tuple<"(1,2)">, %l: !cute.layout<"(4,24):(24,1)">) {
  // expected-error @+1 {{expects}}
  %0 = cute.get_hier_coord(%i, %l) : (!cute.int_tuple<"(1,2)">, !cute.layout<"(4,24):(24,1)">)
  return
}

// -----

func.func @f(%i: !cute.int_tuple<"(1,2)">, %l: !cute.layout<"(4,24):(24,1)">) {
  // expected-error @+1 {{expects}}
  %0 = cute.get_flat_coord(%i, %l) : (!cute.int_tuple<"(1,2)">, !cute.layout<"(4,24):(24,1)">)
  return
}
