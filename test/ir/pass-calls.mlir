// Calls of functions with cute-typed parameters and results: what has no dynamic part is dropped, several results are one struct.
// RUN: tessera-opt %s --tessera-lower | FileCheck %s

// CHECK-LABEL: llvm.func @two(%arg0: i32, %arg1: i32) -> !llvm.struct<(i32, struct<(struct<(i32, i32)>, i32)>)>
func.func @two(%m: i32, %n: i32) -> (!cute.shape<"(?,8)">, !cute.stride<"(1,2)">, !cute.layout<"(?,?):(1,?)">) {
  %s = cute.make_shape(%m) : (i32) -> !cute.shape<"(?,8)">
  %d = cute.static : !cute.stride<"(1,2)">
  %whole = cute.make_shape(%m, %n) : (i32, i32) -> !cute.shape<"(?,?)">
  %l = cute.make_layout(%whole) : (!cute.shape<"(?,?)">) -> !cute.layout<"(?,?):(1,?)">
  return %s, %d, %l : !cute.shape<"(?,8)">, !cute.stride<"(1,2)">, !cute.layout<"(?,?):(1,?)">
}

// CHECK-LABEL: llvm.func @none()
// CHECK: llvm.return{{$}}
func.func @none() -> !cute.shape<"(4,8)"> {
  %s = cute.static : !cute.shape<"(4,8)">
  return %s : !cute.shape<"(4,8)">
}

// CHECK-LABEL: llvm.func @takes(%arg0: i32) -> i32
func.func @takes(%s: !cute.shape<"(?,8)">, %known: !cute.shape<"(4,8)">) -> i32 {
  %n = cute.size(%s) : (!cute.shape<"(?,8)">) -> !cute.int_tuple<"?{div=8}">
  %x = cute.get_scalars(%n) : !cute.int_tuple<"?{div=8}">
  return %x : i32
}

// CHECK-LABEL: llvm.func @main(%arg0: i32) -> i32
func.func @main(%m: i32) -> i32 {
  // CHECK: %[[ALL:.*]] = llvm.call @two(%arg0, %arg0) : (i32, i32) -> !llvm.struct<(i32, struct<(struct<(i32, i32)>, i32)>)>
  // CHECK: %[[S:.*]] = llvm.extractvalue %[[ALL]][0]
  %s, %d, %l = func.call @two(%m, %m) : (i32, i32) -> (!cute.shape<"(?,8)">, !cute.stride<"(1,2)">, !cute.layout<"(?,?):(1,?)">)
  // CHECK: llvm.call @none() : () -> ()
  %k = func.call @none() : () -> !cute.shape<"(4,8)">
  // CHECK: %[[R:.*]] = llvm.call @takes(%[[S]]) : (i32) -> i32
  // CHECK: llvm.return %[[R]]
  %r = func.call @takes(%s, %k) : (!cute.shape<"(?,8)">, !cute.shape<"(4,8)">) -> i32
  return %r : i32
}
