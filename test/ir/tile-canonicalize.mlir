// What --canonicalize makes of tile programs.
// RUN: cuda-tile-opt %s --canonicalize | FileCheck %s

cuda_tile.module @m {
  // Products come first, so that fuse-fma finds them on one side.
  // CHECK-LABEL: @product_first
  testing$func @product_first(%a: tile<f32>, %b: tile<f32>) -> tile<f32> {
    // CHECK: %[[P:.*]] = mulf %arg0, %arg1
    // CHECK: addf %[[P]], %arg1
    %p = mulf %a, %b : tile<f32>
    %s = addf %b, %p : tile<f32>
    return %s : tile<f32>
  }
  // CHECK-LABEL: @assume_once
  testing$func @assume_once(%a: tile<i32>) -> tile<i32> {
    // CHECK-COUNT-1: assume div_by<4>
    // CHECK: assume div_by<8>
    // CHECK-NOT: = assume
    %0 = assume div_by<4>, %a : tile<i32>
    %1 = assume div_by<4>, %0 : tile<i32>
    %2 = assume div_by<8>, %1 : tile<i32>
    return %2 : tile<i32>
  }
  // CHECK-LABEL: @same_shape
  testing$func @same_shape(%a: tile<4xi32>) -> (tile<4xi32>, tile<4xi32>) {
    // CHECK-NEXT: return %arg0, %arg0
    %0 = reshape %a : tile<4xi32> -> tile<4xi32>
    %1 = broadcast %a : tile<4xi32> -> tile<4xi32>
    return %0, %1 : tile<4xi32>, tile<4xi32>
  }

  // CHECK-LABEL: @select_same
  testing$func @select_same(%c: tile<i1>, %a: tile<i32>) -> tile<i32> {
    // CHECK-NEXT: return %arg1
    %0 = select %c, %a, %a : tile<i1>, tile<i32>
    return %0 : tile<i32>
  }
  // CHECK-LABEL: @select_known
  testing$func @select_known(%a: tile<i32>, %b: tile<i32>) -> tile<i32> {
    // CHECK-NEXT: return %arg1
    %false = constant <i1: false> : tile<i1>
    %0 = select %false, %a, %b : tile<i1>, tile<i32>
    return %0 : tile<i32>
  }
  // CHECK-LABEL: @select_condition
  testing$func @select_condition(%c: tile<i1>) -> tile<i1> {
    // CHECK-NEXT: return %arg0
    %true = constant <i1: true> : tile<i1>
    %false = constant <i1: false> : tile<i1>
    %0 = select %c, %true, %false : tile<i1>, tile<i1>
    return %0 : tile<i1>
  }
  // CHECK-LABEL: @select_equal
  testing$func @select_equal(%a: tile<i32>, %b: tile<i32>) -> (tile<i32>, tile<i32>) {
    // CHECK-NEXT: return %arg1, %arg0
    %e = cmpi equal %b, %a, signed : tile<i32> -> tile<i1>
    %n = cmpi not_equal %a, %b, unsigned : tile<i32> -> tile<i1>
    %0 = select %e, %a, %b : tile<i1>, tile<i32>
    %1 = select %n, %a, %b : tile<i1>, tile<i32>
    return %0, %1 : tile<i32>, tile<i32>
  }
  // Signed zeros are equal, and a NaN is not equal to itself, so cmpf is no such case.
  // CHECK-LABEL: @select_equal_floats
  testing$func @select_equal_floats(%a: tile<f32>, %b: tile<f32>) -> tile<f32> {
    // CHECK: select
    %e = cmpf equal ordered %a, %b : tile<f32> -> tile<i1>
    %0 = select %e, %a, %b : tile<i1>, tile<f32>
    return %0 : tile<f32>
  }
  // CHECK-LABEL: @select_constants
  testing$func @select_constants() -> tile<4xi32> {
    // CHECK-NEXT: constant <i32: [1, 20, 3, 40]> : tile<4xi32>
    %c = constant <i1: [true, false, true, false]> : tile<4xi1>
    %a = constant <i32: [1, 2, 3, 4]> : tile<4xi32>
    %b = constant <i32: [10, 20, 30, 40]> : tile<4xi32>
    %0 = select %c, %a, %b : tile<4xi1>, tile<4xi32>
    return %0 : tile<4xi32>
  }
  // CHECK-LABEL: @select_not
  testing$func @select_not(%c: tile<i1>, %a: tile<i32>, %b: tile<i32>) -> tile<i32> {
    // CHECK-NEXT: select %arg0, %arg2, %arg1
    %true = constant <i1: true> : tile<i1>
    %not = xori %c, %true : tile<i1>
    %0 = select %not, %a, %b : tile<i1>, tile<i32>
    return %0 : tile<i32>
  }
  // CHECK-LABEL: @select_select
  testing$func @select_select(%c: tile<i1>, %a: tile<i32>, %b: tile<i32>) -> tile<i32> {
    // CHECK-NEXT: select %arg0, %arg1, %arg2
    // CHECK-NEXT: return
    %0 = select %c, %a, %b : tile<i1>, tile<i32>
    %1 = select %c, %0, %b : tile<i1>, tile<i32>
    %2 = select %c, %a, %1 : tile<i1>, tile<i32>
    return %2 : tile<i32>
  }
  // CHECK-LABEL: @select_one_and_zero
  testing$func @select_one_and_zero(%c: tile<2xi1>) -> (tile<2xi32>, tile<2xi8>) {
    // CHECK-DAG: exti %arg0 unsigned : tile<2xi1> -> tile<2xi32>
    // CHECK-DAG: %[[NOT:.*]] = xori %arg0, %{{.*}} : tile<2xi1>
    // CHECK-DAG: exti %[[NOT]] unsigned : tile<2xi1> -> tile<2xi8>
    %one = constant <i32: 1> : tile<2xi32>
    %zero = constant <i32: 0> : tile<2xi32>
    %small = constant <i8: 1> : tile<2xi8>
    %nothing = constant <i8: 0> : tile<2xi8>
    %0 = select %c, %one, %zero : tile<2xi1>, tile<2xi32>
    %1 = select %c, %nothing, %small : tile<2xi1>, tile<2xi8>
    return %0, %1 : tile<2xi32>, tile<2xi8>
  }

  // CHECK-LABEL: @if_known
  testing$func @if_known(%a: tile<i32>) -> tile<i32> {
    // CHECK-NEXT: %[[S:.*]] = addi %arg0, %arg0
    // CHECK-NEXT: return %[[S]]
    %true = constant <i1: true> : tile<i1>
    %0 = if %true -> (tile<i32>) {
      %s = addi %a, %a : tile<i32>
      yield %s : tile<i32>
    } else {
      yield %a : tile<i32>
    }
    return %0 : tile<i32>
  }
  // What follows a block that leaves is not reached.
  // CHECK-LABEL: @if_known_leaves
  testing$func @if_known_leaves(%a: tile<i32>) -> tile<i32> {
    // CHECK-NEXT: return %arg0
    // CHECK-NEXT: }
    %true = constant <i1: true> : tile<i1>
    if %true { return %a : tile<i32> }
    %s = addi %a, %a : tile<i32>
    return %s : tile<i32>
  }
  // A block that leaves keeps its `if`, though nothing else is in it.
  // CHECK-LABEL: @if_leaves
  testing$func @if_leaves(%c: tile<i1>, %a: tile<i32>, %b: tile<i32>) -> tile<i32> {
    // CHECK-NEXT: if %arg0 {
    // CHECK-NEXT: return %arg2
    // CHECK-NEXT: }
    // CHECK-NEXT: return %arg1
    %0 = if %c -> (tile<i32>) { return %b : tile<i32> } else { yield %a : tile<i32> }
    return %0 : tile<i32>
  }
  // CHECK-LABEL: @if_in_loop_leaves
  testing$func @if_in_loop_leaves(%c: tile<i1>) {
    // CHECK: loop {
    // CHECK-NEXT: if %arg0 {
    // CHECK-NEXT: break
    loop {
      if %c { break }
    }
  }
  // CHECK-LABEL: @if_select
  testing$func @if_select(%c: tile<i1>, %a: tile<2x4xi32>, %b: tile<2x4xi32>) -> tile<2x4xi32> {
    // CHECK-NEXT: %[[R:.*]] = reshape %arg0 : tile<i1> -> tile<1x1xi1>
    // CHECK-NEXT: %[[C:.*]] = broadcast %[[R]] : tile<1x1xi1> -> tile<2x4xi1>
    // CHECK-NEXT: select %[[C]], %arg1, %arg2
    // CHECK-NEXT: return
    %0 = if %c -> (tile<2x4xi32>) { yield %a : tile<2x4xi32> } else { yield %b : tile<2x4xi32> }
    return %0 : tile<2x4xi32>
  }
  // Tokens cannot be selected.
  // CHECK-LABEL: @if_token
  testing$func @if_token(%c: tile<i1>, %t: token, %u: token) -> token {
    // CHECK-NEXT: if %arg0 -> (token)
    %0 = if %c -> (token) { yield %t : token } else { yield %u : token }
    return %0 : token
  }
  // CHECK-LABEL: @if_unused
  testing$func @if_unused(%c: tile<i1>, %a: tile<i32>) -> tile<i32> {
    // CHECK: if %arg0 -> (tile<i32>) {
    // CHECK: muli
    // CHECK-NOT: subi
    // CHECK: return
    %0, %1 = if %c -> (tile<i32>, tile<i32>) {
      %p = muli %a, %a : tile<i32>
      %d = subi %a, %p : tile<i32>
      yield %p, %d : tile<i32>, tile<i32>
    } else {
      yield %a, %a : tile<i32>, tile<i32>
    }
    return %0 : tile<i32>
  }
  // CHECK-LABEL: @if_not
  testing$func @if_not(%c: tile<i1>, %a: tile<i32>) {
    // CHECK-NEXT: if %arg0 {
    // CHECK-NEXT: print_tko "no"
    // CHECK-NEXT: } else {
    // CHECK-NEXT: print_tko "yes"
    %true = constant <i1: true> : tile<i1>
    %not = xori %c, %true : tile<i1>
    if %not { %0 = print_tko "yes" -> token } else { %1 = print_tko "no" -> token }
  }
  // CHECK-LABEL: @if_nested
  testing$func @if_nested(%c: tile<i1>, %d: tile<i1>) {
    // CHECK-NEXT: %[[B:.*]] = andi %arg0, %arg1
    // CHECK-NEXT: if %[[B]] {
    // CHECK-NEXT: print_tko
    if %c { if %d { %0 = print_tko "both" -> token } }
  }
  // CHECK-LABEL: @if_twice
  testing$func @if_twice(%c: tile<i1>) {
    // CHECK-NEXT: if %arg0 {
    // CHECK-NEXT: print_tko "1"
    // CHECK-NEXT: print_tko "3"
    // CHECK-NEXT: } else {
    // CHECK-NEXT: print_tko "2"
    // CHECK-NEXT: }
    // CHECK-NEXT: return
    if %c { %0 = print_tko "1" -> token } else { %1 = print_tko "2" -> token }
    if %c { %2 = print_tko "3" -> token }
  }
  // CHECK-LABEL: @if_both_leave
  testing$func @if_both_leave(%c: tile<i1>, %a: tile<i32>, %b: tile<i32>) -> tile<i32> {
    // CHECK-NEXT: if %arg0 {
    // CHECK-NEXT: return %arg1
    // CHECK-NEXT: }
    // CHECK-NEXT: return %arg2
    // CHECK-NEXT: }
    if %c { return %a : tile<i32> } else { return %b : tile<i32> }
    %s = addi %a, %b : tile<i32>
    return %s : tile<i32>
  }
  // CHECK-LABEL: @if_empty
  testing$func @if_empty(%c: tile<i1>) {
    // CHECK-NEXT: return
    if %c { } else { }
  }
}
