// Rules of debug information. What breaks them has a location of another file, so that messages cannot be expected beside it.
// RUN: not cuda-tile-opt %s -split-input-file 2>&1 | FileCheck %s

#file = #cuda_tile.di_file<"k.py" in "/src">
#unit = #cuda_tile.di_compile_unit<file = #file>
#f = #cuda_tile.di_subprogram<file = #file, line = 1, name = "f", linkageName = "f", compileUnit = #unit, scopeLine = 1>
#block = #cuda_tile.di_lexical_block<scope = #f, file = #file, line = 2, column = 3>
#in_block = #cuda_tile.di_loc<loc("k.py":2:3) in #block>
// CHECK: invalid function debug info scope
// CHECK: Function location must have cuda_tile.di_subprogram debug info scope
cuda_tile.module @m { entry @f() { return } loc(#in_block) }

// -----
#file = #cuda_tile.di_file<"k.py" in "/src">
#unit = #cuda_tile.di_compile_unit<file = #file>
#f = #cuda_tile.di_subprogram<file = #file, line = 1, name = "f", linkageName = "f", compileUnit = #unit, scopeLine = 1>
#in_f = #cuda_tile.di_loc<loc("k.py":1:2) in #f>
// CHECK: invalid function debug info scope
// CHECK: Function name "g" does not match subprogram scope linkage name "f"
cuda_tile.module @m { entry @g() { return } loc(#in_f) }

// -----
#file = #cuda_tile.di_file<"k.py" in "/src">
#unit = #cuda_tile.di_compile_unit<file = #file>
#f = #cuda_tile.di_subprogram<file = #file, line = 1, name = "f", linkageName = "f", compileUnit = #unit, scopeLine = 1>
#in_f = #cuda_tile.di_loc<loc("k.py":1:2) in #f>
// CHECK: invalid function debug info scope
// CHECK: Function location must not be a call site
cuda_tile.module @m { entry @f() { return } loc(callsite(#in_f at #in_f)) }

// -----
#file = #cuda_tile.di_file<"k.py" in "/src">
#unit = #cuda_tile.di_compile_unit<file = #file>
#f = #cuda_tile.di_subprogram<file = #file, line = 1, name = "f", linkageName = "f", compileUnit = #unit, scopeLine = 1>
#in_f = #cuda_tile.di_loc<loc("k.py":1:2) in #f>
// CHECK: invalid operation debug info scope
// CHECK: Operation has debug info scope, but function debug info scope is undefined
cuda_tile.module @m { entry @f() { return loc(#in_f) } loc(unknown) }

// -----
#file = #cuda_tile.di_file<"k.py" in "/src">
#unit = #cuda_tile.di_compile_unit<file = #file>
#f = #cuda_tile.di_subprogram<file = #file, line = 1, name = "f", linkageName = "f", compileUnit = #unit, scopeLine = 1>
#g = #cuda_tile.di_subprogram<file = #file, line = 1, name = "g", linkageName = "g", compileUnit = #unit, scopeLine = 1>
#in_f = #cuda_tile.di_loc<loc("k.py":1:2) in #f>
#in_g = #cuda_tile.di_loc<loc("k.py":1:2) in #g>
// CHECK: invalid operation debug info scope
// CHECK: Operation debug info scope does not match function debug info scope
cuda_tile.module @m { entry @f() { return loc(#in_g) } loc(#in_f) }

// -----
#file = #cuda_tile.di_file<"k.py" in "/src">
#unit = #cuda_tile.di_compile_unit<file = #file>
#f = #cuda_tile.di_subprogram<file = #file, line = 1, name = "f", linkageName = "f", compileUnit = #unit, scopeLine = 1>
#in_f = #cuda_tile.di_loc<loc("k.py":1:2) in #f>
// CHECK: invalid operation debug info scope
// CHECK: Global variables must not have scope
cuda_tile.module @m { global @g <f32: 1.0> : tile<2xf32> loc(#in_f) }

// -----
// CHECK: struct is missing required parameter: linkageName
#file = #cuda_tile.di_file<"k.py" in "/src">
#unit = #cuda_tile.di_compile_unit<file = #file>
#f = #cuda_tile.di_subprogram<file = #file, line = 1, name = "f", compileUnit = #unit, scopeLine = 1>
