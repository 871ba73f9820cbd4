// Comparisons of static tuples are i1, too: the public dialect's own example is the first.
// RUN: tessera-opt %s | tessera-opt | FileCheck %s

// CHECK-LABEL: @static_comparisons
func.func @static_comparisons(%c: !cute.coord<"(1,2)">, %s: !cute.shape<"(4,8)">, %l: !cute.layout<"(4,8):(1,4)">) {
  // CHECK: cute.elem_less(%{{.*}}, %{{.*}}) : (!cute.coord<"(1,2)">, !cute.shape<"(4,8)">) -> i1
  %0 = cute.elem_less(%c, %s) : (!cute.coord<"(1,2)">, !cute.shape<"(4,8)">) -> i1
  // CHECK: cute.equal(%{{.*}}, %{{.*}}) : (!cute.layout<"(4,8):(1,4)">, !cute.layout<"(4,8):(1,4)">) -> i1
  %1 = cute.equal(%l, %l) : (!cute.layout<"(4,8):(1,4)">, !cute.layout<"(4,8):(1,4)">) -> i1
  // CHECK: cute.tuple_eq(%{{.*}}, %{{.*}}) : (!cute.shape<"(4,8)">, !cute.shape<"(4,8)">) -> i1
  %2 = cute.tuple_eq(%s, %s) : (!cute.shape<"(4,8)">, !cute.shape<"(4,8)">) -> i1
  return
}
