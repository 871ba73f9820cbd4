// A scan of three of the largest tiles has room in a thread's local memory at level 0.
// RUN: tessera-opt %s --tessera-lower-tiles="arch=sm_80 level=0" | FileCheck %s

// %n, %all, %at, %x and three results; the last two ops have arrays of what is not read any more.
// CHECK-LABEL: llvm.func @scan
// CHECK-COUNT-7: llvm.alloca
// CHECK-NOT: llvm.alloca
cuda_tile.module @m {
  entry @scan(%p: tile<ptr<i32>>) {
    %n = iota : tile<131072xi32>
    %one = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
    %all = broadcast %one : tile<1xptr<i32>> -> tile<131072xptr<i32>>
    %at = offset %all, %n : tile<131072xptr<i32>>, tile<131072xi32> -> tile<131072xptr<i32>>
    %x, %t = load_ptr_tko weak %at : tile<131072xptr<i32>> -> tile<131072xi32>, token
    %r:3 = scan %x, %n, %x dim=0 reverse=false identities=[0 : i32, 0 : i32, 0 : i32] : tile<131072xi32>, tile<131072xi32>, tile<131072xi32> -> tile<131072xi32>, tile<131072xi32>, tile<131072xi32>
        (%a: tile<i32>, %b: tile<i32>, %c: tile<i32>, %d: tile<i32>, %e: tile<i32>, %f: tile<i32>) {
      %u = addi %a, %b : tile<i32>
      %v = xori %c, %d : tile<i32>
      %w = maxi %e, %f signed : tile<i32>
      yield %u, %v, %w : tile<i32>, tile<i32>, tile<i32>
    }
    %s = addi %r#0, %r#1 : tile<131072xi32>
    %z = xori %s, %r#2 : tile<131072xi32>
    %u = store_ptr_tko weak %at, %z : tile<131072xptr<i32>>, tile<131072xi32> -> token
    return
  }
}
