// A mode that is left out is the empty one, also where the result type is left to inference.
// RUN: tessera-opt %s | FileCheck %s

func.func @f(%s: !cute.shape<"(2,3)">, %l: !cute.layout<"(2,3):(1,4)">) {
  // CHECK: cute.size (%{{.*}}) : (!cute.shape<"(2,3)">) -> !cute.int_tuple<"6">
  %0 = cute.size (%s) : (!cute.shape<"(2,3)">)
  // CHECK: cute.cosize (%{{.*}}) : (!cute.layout<"(2,3):(1,4)">) -> !cute.int_tuple<"10">
  %1 = cute.cosize (%l) : (!cute.layout<"(2,3):(1,4)">)
  // CHECK: cute.get (%{{.*}}) : !cute.layout<"(2,3):(1,4)"> -> !cute.layout<"(2,3):(1,4)">
  %2 = cute.get (%l) : !cute.layout<"(2,3):(1,4)">
  return
}
