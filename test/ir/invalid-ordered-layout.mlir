// An order decides which mode is fastest, so the public dialect takes none that is known only at run time.
// RUN: tessera-opt %s --verify-diagnostics

func.func @f(%s: !cute.shape<"(4,2)">, %o: !cute.int_tuple<"(0,?)">) {
  // expected-error @+1 {{expects only static order modes, but got "(0,?)"}}
  %0 = cute.make_ordered_layout(%s, %o) : (!cute.shape<"(4,2)">, !cute.int_tuple<"(0,?)">)
  return
}
