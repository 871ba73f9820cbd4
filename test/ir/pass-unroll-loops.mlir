// Loops of known counts become their iterations, branches of known conditions what is taken; the algebra stays as it is.
// RUN: tessera-opt %s --cute-unroll-loops | FileCheck %s
// The step takes what the algebra step leaves as well, and a function by itself.
// RUN: tessera-opt %s --cute-expand-algebra --cute-unroll-loops | FileCheck %s --check-prefix=AFTER
// RUN: tessera-opt %s --pass-pipeline='builtin.module(func.func(cute-unroll-loops))' | FileCheck %s
// RUN: tessera-opt %s --cute-unroll-loops=statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNTS
// COUNTS-DAG: cute-unroll-loops: 7 scf.for
// COUNTS-DAG: cute-unroll-loops: 2 scf.if

func.func private @body(i32)

// Three iterations, 4, 6 and 8, of which each takes what the one before yields.
// CHECK-LABEL: func.func @iterations
// CHECK-SAME: (%[[X:.*]]: i32)
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : i32
// CHECK-DAG: %[[C6:.*]] = arith.constant 6 : i32
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : i32
// CHECK-NOT: scf.for
// CHECK: %[[A:.*]] = arith.muli %[[X]], %{{.*}}
// CHECK: %[[B:.*]] = arith.muli %[[A]], %[[C6]]
// CHECK: %[[C:.*]] = arith.muli %[[B]], %[[C8]]
// CHECK: return %[[C]]
// AFTER-LABEL: func.func @iterations
// AFTER-NOT: scf.for
// AFTER-COUNT-3: arith.muli
func.func @iterations(%x: i32) -> i32 {
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %c9 = arith.constant 9 : i32
  %r = scf.for %i = %c4 to %c9 step %c2 iter_args(%a = %x) -> (i32) : i32 {
    %p = arith.muli %a, %i : i32
    scf.yield %p : i32
  }
  return %r : i32
}

// Values that change places, three times: all at once.
// CHECK-LABEL: func.func @swap
// CHECK-SAME: (%[[X:.*]]: i32, %[[Y:.*]]: i32)
// CHECK: return %[[Y]], %[[X]]
func.func @swap(%x: i32, %y: i32) -> (i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %y) -> (i32, i32) : i32 {
    scf.yield %b, %a : i32, i32
  }
  return %r#0, %r#1 : i32, i32
}

// No iteration: the result is what went in.
// CHECK-LABEL: func.func @none
// CHECK-SAME: (%[[X:.*]]: i32)
// CHECK: return %[[X]]
func.func @none(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c1 to %c0 step %c1 iter_args(%a = %x) -> (i32) : i32 {
    %p = arith.muli %a, %i : i32
    scf.yield %p : i32
  }
  return %r : i32
}

// The outer bound is a size, 2, that a loop hands on unchanged; the inner one depends on the outer iteration, 0 + 1 and 1 + 1: three
// bodies. The branch is taken where i is 1: one more.
// CHECK-LABEL: func.func @bounds
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK-COUNT-4: call @body
// CHECK-NOT: call @body
// CHECK: return
func.func @bounds(%n: i32, %x: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %l = cute.static : !cute.layout<"(2,1):(1,2)">
  %size = cute.size(%l) : (!cute.layout<"(2,1):(1,2)">) -> !cute.int_tuple<"2">
  %two = cute.get_scalars(%size) : !cute.int_tuple<"2">
  %bound = scf.for %k = %c0 to %n step %c1 iter_args(%same = %two) -> (i32) : i32 {
    scf.yield %same : i32
  }
  scf.for %i = %c0 to %bound step %c1 : i32 {
    %more = arith.addi %i, %c1 : i32
    scf.for %j = %c0 to %more step %c1 : i32 {
      func.call @body(%j) : (i32) -> ()
    }
    %last = arith.cmpi eq, %i, %c1 : i32
    scf.if %last {
      func.call @body(%x) : (i32) -> ()
    }
  }
  return
}

// Too large by default, as large as it is where it is asked for, and small but marked to stay.
// CHECK-LABEL: func.func @marks
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: return
#full = #llvm.loop_annotation<unroll = <full = true>>
#stays = #llvm.loop_annotation<unroll = <disable = true>>
func.func @marks() {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c2000 = arith.constant 2000 : i32
  scf.for %i = %c0 to %c2000 step %c1 : i32 {
    func.call @body(%i) : (i32) -> ()
  }
  scf.for %i = %c0 to %c2000 step %c1 : i32 {
    func.call @body(%i) : (i32) -> ()
  } {llvm.loop_annotation = #full}
  scf.for %i = %c0 to %c2 step %c1 : i32 {
    func.call @body(%i) : (i32) -> ()
  } {llvm.loop_annotation = #stays}
  return
}
