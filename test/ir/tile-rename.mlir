// Renaming a symbol changes the linkage name of its subprogram, in the scope that is named.
// RUN: cuda-tile-opt %s -split-input-file --test-debuginfo-update-symbol-name="symbol-to-rename=m::f new-name=g update-uses=true" --mlir-print-debuginfo -verify-diagnostics | FileCheck %s
// RUN: not cuda-tile-opt %s --test-debuginfo-update-symbol-name="symbol-to-rename=m::f scope=m::other new-name=g" 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not cuda-tile-opt %s --test-debuginfo-update-symbol-name="symbol-to-rename=m::missing new-name=g" 2>&1 | FileCheck %s --check-prefix=MISSING

// OUTSIDE: attempted to update symbol names in a scope that did not enclose the symbol itself
// OUTSIDE: scope defined here
// MISSING: could not find symbol op with name '@m::@missing'
#file = #cuda_tile.di_file<"k.py" in "/src">
#unit = #cuda_tile.di_compile_unit<file = #file>
#f = #cuda_tile.di_subprogram<file = #file, line = 1, name = "f", linkageName = "f", compileUnit = #unit, scopeLine = 1>
#block = #cuda_tile.di_lexical_block<scope = #f, file = #file, line = 2, column = 3>
#in_f = #cuda_tile.di_loc<loc("k.py":1:2) in #f>
#in_block = #cuda_tile.di_loc<loc("k.py":2:3) in #block>
// CHECK: entry @g()
// CHECK-NOT: linkageName = "f"
// CHECK: name = "f", linkageName = "g"
// CHECK-NOT: linkageName = "f"
cuda_tile.module @m {
  entry @f() {
    %0 = constant <i32: 1> : tile<i32> loc(#in_block)
    return loc(#in_f)
  } loc(#in_f)
  entry @other() { return }
}
