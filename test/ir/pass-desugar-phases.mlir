// The three phases of --cute-desugar one by one, what each expects of the ones before, and its statistics.
// RUN: split-file %s %t
// RUN: tessera-opt %t/all.mlir --cute-desugar=phases=1 | FileCheck %s --check-prefix=ONE
// RUN: tessera-opt %t/all.mlir --cute-desugar=phases=1,2 | FileCheck %s --check-prefix=TWO
// RUN: tessera-opt %t/all.mlir --cute-desugar=phases=1,2,3 -o %t/listed.mlir
// RUN: tessera-opt %t/all.mlir --cute-desugar -o %t/whole.mlir
// RUN: diff %t/listed.mlir %t/whole.mlir
// RUN: tessera-opt %t/all.mlir --cute-desugar=phases=1 --cute-desugar=phases=2 --cute-desugar=phases=3 | diff - %t/whole.mlir
// RUN: not tessera-opt %t/all.mlir --cute-desugar=phases=3 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not tessera-opt %t/stride.mlir --cute-desugar=phases=3 2>&1 | FileCheck %s --check-prefix=STRIDE
// RUN: not tessera-opt %t/all.mlir --cute-desugar=phases=2,1 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not tessera-opt %t/all.mlir --cute-desugar=phases=4 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: tessera-opt %t/all.mlir --cute-desugar=statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNTS

// ONE: cute.make_int_tuple({{.*}} -> !cute.shape<"(?,8)">
// ONE: cute.make_stride(
// ONE: cute.make_layout(
// TWO: cute.make_int_tuple({{.*}} -> !cute.shape<"(?,8)">
// TWO: cute.make_int_tuple({{.*}} -> !cute.stride<"(1,?)">
// TWO: cute.make_layout(

// EARLY: all.mlir:2:8: error: 'cute.make_shape' op expects phase 1 of --cute-desugar to have rewritten it by now
// STRIDE: stride.mlir:2:8: error: 'cute.make_stride' op expects phase 2 of --cute-desugar to have rewritten it by now
// ORDER: error: cute-desugar: expects phases of 1 to 3 in ascending order, but got 2, 1
// NONE: error: cute-desugar: expects phases of 1 to 3 in ascending order, but got 4

// COUNTS: cute-desugar: 1 cute.make_shape
// COUNTS-NEXT: cute-desugar: 1 cute.make_stride
// COUNTS-NEXT: cute-desugar: 1 cute.make_layout
// COUNTS-NOT: cute-desugar:

//--- all.mlir
func.func @f(%i: i32) -> !cute.layout<"(?,8):(1,?)"> {
  %s = cute.make_shape(%i) : (i32) -> !cute.shape<"(?,8)">
  %d = cute.make_stride(%i) : (i32) -> !cute.stride<"(1,?)">
  %l = cute.make_layout(%s, %d) : (!cute.shape<"(?,8)">, !cute.stride<"(1,?)">) -> !cute.layout<"(?,8):(1,?)">
  return %l : !cute.layout<"(?,8):(1,?)">
}
//--- stride.mlir
func.func @f(%i: i32) -> !cute.stride<"(1,?)"> {
  %d = cute.make_stride(%i) : (i32) -> !cute.stride<"(1,?)">
  return %d : !cute.stride<"(1,?)">
}
