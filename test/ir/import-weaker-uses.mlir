// What NVIDIA's printer writes of an op whose stated result type says less than what is inferred: the text leaves the type
// out, and only uses state it. The op takes it where its verifier does.
// RUN: tessera-opt %s | FileCheck %s
// RUN: tessera-opt %s | tessera-opt | FileCheck %s
// RUN: tessera compile --emit mlir %s -o /dev/null

// CHECK-LABEL: @results
func.func @results(%l: !cute.layout<"(4,?{div=8}):(1,?{div=16})">, %c: !cute.coord<"(0,_)">) -> !cute.layout<"(?):(?)"> {
  // CHECK: %[[R:.*]] = cute.slice(%{{.*}}) : !cute.layout<"(4,?{div=8}):(1,?{div=16})">, !cute.coord<"(0,_)"> -> !cute.layout<"(?):(?)">
  %r = cute.slice(%l, %c) : !cute.layout<"(4,?{div=8}):(1,?{div=16})">, !cute.coord<"(0,_)">
  // CHECK: return %[[R]] : !cute.layout<"(?):(?)">
  return %r : !cute.layout<"(?):(?)">
}

// CHECK-LABEL: @of_several
func.func @of_several(%s: !cute.shape<"(4,?{div=8},?{div=2})">) -> (!cute.shape<"4">, !cute.shape<"?{div=4}">, !cute.shape<"?{div=2}">) {
  // CHECK: %[[L:.*]]:3 = cute.get_leaves(%{{.*}}) : !cute.shape<"(4,?{div=8},?{div=2})"> -> (!cute.shape<"4">, !cute.shape<"?{div=4}">, !cute.shape<"?{div=2}">)
  %r:3 = cute.get_leaves(%s) : !cute.shape<"(4,?{div=8},?{div=2})">
  // CHECK: return %[[L]]#0, %[[L]]#1, %[[L]]#2
  return %r#0, %r#1, %r#2 : !cute.shape<"4">, !cute.shape<"?{div=4}">, !cute.shape<"?{div=2}">
}

// Uses in regions, before and after each other, and a value that follows from a weaker one.
// CHECK-LABEL: @in_regions
func.func @in_regions(%v: !cute.memref<f32, gmem, "(?{div=8},4):(4,1)">, %p: i1) -> !cute.int_tuple<"?{div=4}"> {
  // CHECK: %[[V:.*]] = cute.get_layout(%{{.*}}) : !cute.memref<f32, gmem, "(?{div=8},4):(4,1)"> -> !cute.layout<"(?,4):(4,1)">
  %0 = cute.get_layout(%v) : !cute.memref<f32, gmem, "(?{div=8},4):(4,1)"> loc("->")
  // CHECK: scf.if %{{.*}} -> (!cute.int_tuple<"?{div=4}">)
  %1 = scf.if %p -> (!cute.int_tuple<"?{div=4}">) {
    // CHECK: cute.size (%[[V]]) : (!cute.layout<"(?,4):(4,1)">) -> !cute.int_tuple<"?{div=4}">
    %2 = cute.size(%0) : (!cute.layout<"(?,4):(4,1)">) -> !cute.int_tuple<"?{div=4}">
    scf.yield %2 : !cute.int_tuple<"?{div=4}">
  } else {
    // CHECK: %[[S:.*]] = cute.get_shape(%[[V]])
    %3 = cute.get_shape(%0) : (!cute.layout<"(?,4):(4,1)">) -> !cute.shape<"(?,4)">
    %4 = cute.size(%3) : (!cute.shape<"(?,4)">) -> !cute.int_tuple<"?{div=4}">
    scf.yield %4 : !cute.int_tuple<"?{div=4}">
  }
  // CHECK: cute.size (%[[V]])
  %5 = cute.size(%0) : (!cute.layout<"(?,4):(4,1)">) -> !cute.int_tuple<"?{div=4}">
  return %5 : !cute.int_tuple<"?{div=4}">
}

// A weaker value through a loop.
// CHECK-LABEL: @through_loop
func.func @through_loop(%l: !cute.layout<"(4,?{div=8}):(1,?{div=16})">, %c: !cute.coord<"(0,_)">, %n: index) -> !cute.layout<"(?{div=2}):(?)"> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = cute.slice(%l, %c) : !cute.layout<"(4,?{div=8}):(1,?{div=16})">, !cute.coord<"(0,_)">
  // CHECK: iter_args(%[[A:.*]] = %{{.*}}) -> (!cute.layout<"(?{div=2}):(?)">)
  %s = scf.for %i = %zero to %n step %one iter_args(%a = %r) -> (!cute.layout<"(?{div=2}):(?)">) {
    scf.yield %r : !cute.layout<"(?{div=2}):(?)">
  }
  return %s : !cute.layout<"(?{div=2}):(?)">
}
