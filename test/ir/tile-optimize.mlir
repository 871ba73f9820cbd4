// cuda-tile-optimize: its passes by level, and what it reads and writes.
// RUN: cuda-tile-optimize %s | FileCheck %s --check-prefixes=CHECK,CSE,SPLIT
// RUN: cuda-tile-optimize -O1 %s | FileCheck %s --check-prefixes=CHECK,CSE,WHOLE
// RUN: cuda-tile-optimize --opt-level=0 %s | FileCheck %s --check-prefixes=CHECK,TWICE,WHOLE
// RUN: cuda-tile-optimize -O0 --fuse-fma %s | FileCheck %s --check-prefix=FMA
// RUN: cuda-tile-optimize -O0 --after=cse %s | FileCheck %s --check-prefixes=CHECK,CSE
// RUN: cuda-tile-optimize %s --emit-bytecode -o %t.tilebc | count 0
// RUN: cuda-tile-optimize -O0 %t.tilebc | FileCheck %s --check-prefixes=CHECK,CSE,SPLIT
// RUN: cuda-tile-optimize -v %s -o %t.mlir | FileCheck %s --check-prefixes=CHECK,CSE,SPLIT
// RUN: FileCheck %s --check-prefixes=CHECK,CSE,SPLIT < %t.mlir
// RUN: cuda-tile-optimize -q %s | count 0
// RUN: not cuda-tile-optimize 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: echo 'module { }' | not cuda-tile-optimize - 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not cuda-tile-optimize --before=nothing %s 2>&1 | FileCheck %s --check-prefix=PASS

// CHECK: entry @k
// TWICE-COUNT-2: offset
// CSE-COUNT-1: offset
// WHOLE-COUNT-1: for
// WHOLE: if
// SPLIT: mini
// SPLIT: for
// SPLIT-NOT: if
// FMA: fma
// NOTHING: no input file provided
// NONE: expected a single CUDA Tile IR module in the MLIR module
// NONE: Failed to parse input
// PASS: 'nothing' does not refer to a registered pass
cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %0 = constant <i32: 0> : tile<i32>
    %1 = constant <i32: 1> : tile<i32>
    %4 = constant <i32: 4> : tile<i32>
    %a = offset %p, %n : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %b = offset %p, %n : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %x, %t = load_ptr_tko weak %a : tile<ptr<f32>> -> tile<f32>, token
    %m = mulf %x, %x : tile<f32>
    %s = addf %m, %x : tile<f32>
    for %i in (%0 to %n, step %1) : tile<i32> {
      %c = cmpi less_than %i, %4, signed : tile<i32> -> tile<i1>
      if %c { store_ptr_tko weak %b, %s : tile<ptr<f32>>, tile<f32> -> token }
      continue
    }
    return
  }
}
