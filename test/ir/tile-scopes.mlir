// The pass synthesize-debug-info-scopes: bytecode keeps the places of a text.
// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda_tile.module(cuda_tile.entry(synthesize-debug-info-scopes)))' --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// CHECK: entry @plain
// CHECK-NEXT: constant {{.*}} loc(#cuda_tile.di_loc<loc("/src/k.py":3:4) in #cuda_tile.di_subprogram<file = <"k.py" in "/src">, line = 1, name = "plain", linkageName = "plain", compileUnit = <file = <"k.py" in "/src">>, scopeLine = 1>>)
// CHECK-NEXT: constant {{.*}} loc(#cuda_tile.di_loc<loc("/src/k.py":5:6) in #cuda_tile.di_subprogram<{{.*}}>)
// CHECK-NEXT: constant {{.*}} loc(callsite(#cuda_tile.di_loc<loc("/src/k.py":7:8) {{.*}} at #cuda_tile.di_loc<loc("/src/k.py":9:10) {{.*}}))
// CHECK-NEXT: return loc(unknown)
// CHECK-NEXT: } loc(#cuda_tile.di_loc<loc("/src/k.py":1:2) in #cuda_tile.di_subprogram<
// CHECK: entry @elsewhere
// CHECK-NEXT: return loc("/src/k.py":3:4)
// CHECK-NEXT: } loc(unknown)
cuda_tile.module @m {
  entry @plain() {
    %0 = constant <i8: 1> : tile<i8> loc("/src/k.py":3:4)
    %1 = constant <i8: 1> : tile<i8> loc("name"("/src/k.py":5:6))
    %2 = constant <i8: 1> : tile<i8> loc(callsite("/src/k.py":7:8 at "/src/k.py":9:10))
    return loc(unknown)
  } loc("/src/k.py":1:2)
  entry @elsewhere() {
    return loc("/src/k.py":3:4)
  } loc(unknown)
}
