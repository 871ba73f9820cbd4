// The pass loop-split, as far as text says more than test/cuda_tile/LoopSplitTest.cpp.
// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda_tile.module(cuda_tile.entry(loop-split)))' | FileCheck %s
// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda_tile.module(cuda_tile.entry(loop-split{split-threshold=2})))' | FileCheck %s --check-prefix=FEW

cuda_tile.module @m {
  // CHECK-LABEL: @split
  // CHECK-DAG: %[[END:.*]] = mini %arg1, %arg0 signed
  // CHECK-DAG: %[[START:.*]] = maxi %arg1, %cst_0_i32 signed
  // CHECK: %[[FIRST:.*]] = for %{{.*}} in (%cst_0_i32 to %[[END]], step %cst_1_i32) : tile<i32> iter_values(%[[A:.*]] = %cst_0_i32)
  // CHECK-NOT: if
  // CHECK: subi
  // CHECK: for %{{.*}} in (%[[START]] to %arg0, step %cst_1_i32) : tile<i32> iter_values(%{{.*}} = %[[FIRST]])
  // CHECK-NOT: if
  // CHECK: addi
  entry @split(%n: tile<i32>, %c: tile<i32>) {
    %0 = constant <i32: 0> : tile<i32>
    %1 = constant <i32: 1> : tile<i32>
    %sum = for %i in (%0 to %n, step %1) : tile<i32> iter_values(%acc = %0) -> (tile<i32>) {
      %far = cmpi greater_than_or_equal %i, %c, signed : tile<i32> -> tile<i1>
      %r = if %far -> (tile<i32>) {
        %s = addi %acc, %i : tile<i32>
        yield %s : tile<i32>
      } else {
        %s = subi %acc, %i : tile<i32>
        yield %s : tile<i32>
      }
      continue %r : tile<i32>
    }
    %t = print_tko "%d", %sum : tile<i32> -> token
    return
  }
  // A branch that ends the iteration takes what comes after it along.
  // CHECK-LABEL: @ends
  // CHECK: for
  // CHECK-NEXT: print_tko "skipped"
  // CHECK-NEXT: }
  // CHECK: for
  // CHECK-NEXT: print_tko "done"
  // CHECK-NEXT: }
  entry @ends(%n: tile<i32>, %c: tile<i32>) {
    %1 = constant <i32: 1> : tile<i32>
    for %i in (%1 to %n, step %1) : tile<i32> {
      %near = cmpi less_than %i, %c, signed : tile<i32> -> tile<i1>
      if %near {
        %t = print_tko "skipped" -> token
        continue
      }
      %u = print_tko "done" -> token
    }
    return
  }
  // The nearest hint decides: that of the `if`, of the loop, of the entry.
  // CHECK-LABEL: @hint_of_entry
  // CHECK-COUNT-1: for
  // CHECK-NOT: for
  // CHECK: return
  entry @hint_of_entry(%n: tile<i32>, %c: tile<i32>) attributes {cuda_tile.loop_split = 0} {
    %1 = constant <i32: 1> : tile<i32>
    for %i in (%1 to %n, step %1) : tile<i32> {
      %near = cmpi less_than %i, %c, signed : tile<i32> -> tile<i1>
      if %near { %t = print_tko "near" -> token }
    }
    return
  }
  // CHECK-LABEL: @hint_of_loop
  // CHECK-COUNT-2: for
  // CHECK: return
  entry @hint_of_loop(%n: tile<i32>, %c: tile<i32>) attributes {cuda_tile.loop_split = 0} {
    %1 = constant <i32: 1> : tile<i32>
    for %i in (%1 to %n, step %1) : tile<i32> {
      %near = cmpi less_than %i, %c, signed : tile<i32> -> tile<i1>
      if %near { %t = print_tko "near" -> token }
    } {cuda_tile.loop_split = 1}
    return
  }
  // A hint above 1 asks for as many ops in a branch, or for one that takes long.
  // CHECK-LABEL: @hint_of_few
  // CHECK-COUNT-1: for
  // CHECK-NOT: for
  // CHECK: return
  // FEW-LABEL: @hint_of_few
  entry @hint_of_few(%n: tile<i32>, %c: tile<i32>) attributes {cuda_tile.loop_split = 2} {
    %1 = constant <i32: 1> : tile<i32>
    for %i in (%1 to %n, step %1) : tile<i32> {
      %near = cmpi less_than %i, %c, signed : tile<i32> -> tile<i1>
      if %near { %t = print_tko "near" -> token }
    }
    return
  }
  // CHECK-LABEL: @hint_of_enough
  // CHECK-COUNT-2: for
  // CHECK: return
  entry @hint_of_enough(%n: tile<i32>, %c: tile<i32>) attributes {cuda_tile.loop_split = 2} {
    %1 = constant <i32: 1> : tile<i32>
    for %i in (%1 to %n, step %1) : tile<i32> {
      %near = cmpi less_than %i, %c, signed : tile<i32> -> tile<i1>
      if %near {
      } else {
        %t = print_tko "far" -> token
        %u = print_tko "farther" -> token
      }
    }
    return
  }
  // CHECK-LABEL: @hint_of_load
  // CHECK-COUNT-2: for
  // CHECK: return
  entry @hint_of_load(%n: tile<i32>, %c: tile<i32>, %p: tile<ptr<i32>>) attributes {cuda_tile.loop_split = 9} {
    %1 = constant <i32: 1> : tile<i32>
    for %i in (%1 to %n, step %1) : tile<i32> {
      %near = cmpi less_than %i, %c, signed : tile<i32> -> tile<i1>
      if %near { %t = store_ptr_tko weak %p, %i : tile<ptr<i32>>, tile<i32> -> token }
    }
    return
  }
  // What the option says is for those without a hint.
  // FEW-LABEL: @option
  // FEW-COUNT-1: for
  // FEW-NOT: for
  // FEW: return
  // CHECK-LABEL: @option
  // CHECK-COUNT-2: for
  // CHECK: return
  entry @option(%n: tile<i32>, %c: tile<i32>) {
    %1 = constant <i32: 1> : tile<i32>
    for %i in (%1 to %n, step %1) : tile<i32> {
      %near = cmpi less_than %i, %c, signed : tile<i32> -> tile<i1>
      if %near { %t = print_tko "near" -> token }
    }
    return
  }
  // Of branches in one another the inner one is asked first; it keeps its place, with a constant.
  // CHECK-LABEL: @innermost
  // CHECK: mini %arg2, %arg0
  // CHECK: for
  // CHECK: %[[TRUE:.*]] = constant <i1: true>
  // CHECK: if %[[TRUE]]
  // CHECK: for
  // CHECK: return
  entry @innermost(%n: tile<i32>, %c: tile<i32>, %d: tile<i32>) {
    %1 = constant <i32: 1> : tile<i32>
    for %i in (%1 to %n, step %1) : tile<i32> {
      %near = cmpi less_than %i, %c, signed : tile<i32> -> tile<i1>
      %nearer = cmpi less_than %i, %d, signed : tile<i32> -> tile<i1>
      if %near {
        if %nearer { %t = print_tko "near" -> token }
      }
    }
    return
  }
  // Unsigned numbers, equality and a number that the loop changes do not split.
  // CHECK-LABEL: @not_split
  // CHECK-COUNT-1: for
  // CHECK-NOT: for
  // CHECK: return
  entry @not_split(%n: tile<i32>, %c: tile<i32>) {
    %1 = constant <i32: 1> : tile<i32>
    for %i in (%1 to %n, step %1) : tile<i32> {
      %u = cmpi less_than %i, %c, unsigned : tile<i32> -> tile<i1>
      if %u { %t = print_tko "near" -> token }
      %e = cmpi equal %i, %c, signed : tile<i32> -> tile<i1>
      if %e { %t = print_tko "equal" -> token }
      %d = addi %c, %i : tile<i32>
      %m = cmpi less_than %i, %d, signed : tile<i32> -> tile<i1>
      if %m { %t = print_tko "moving" -> token }
    }
    return
  }
}
