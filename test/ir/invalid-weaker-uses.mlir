// Uses that state another type than an op may have: nobody can print these.
// RUN: split-file %s %t
// RUN: not tessera-opt %t/stronger.mlir 2>&1 | FileCheck %s --check-prefix=STRONGER
// RUN: not tessera compile --emit mlir %t/both.mlir 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not tessera compile --emit mlir %t/later.mlir 2>&1 | FileCheck %s --check-prefix=LATER
// RUN: not tessera compile --emit mlir %t/three.mlir 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: not tessera-opt %t/stated.mlir 2>&1 | FileCheck %s --check-prefix=STATED
// RUN: not tessera-opt %t/argument.mlir 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not tessera compile --emit mlir %t/foreign.mlir 2>&1 | FileCheck %s --check-prefix=FOREIGN

//--- stronger.mlir
func.func @f(%v: !cute.memref<f32, gmem, "(?{div=8},4):(4,1)">) -> !cute.layout<"(?{div=16},4):(4,1)"> {
  %0 = cute.get_layout(%v) : !cute.memref<f32, gmem, "(?{div=8},4):(4,1)">
  // STRONGER: stronger.mlir:4:10: error: use of value '%0' expects different type than prior uses: '!cute.layout<"(?{div=16},4):(4,1)">' vs '!cute.layout<"(?{div=8},4):(4,1)">'
  return %0 : !cute.layout<"(?{div=16},4):(4,1)">
}
//--- both.mlir
func.func @f(%v: !cute.memref<f32, gmem, "(?{div=8},4):(4,1)">) -> !cute.layout<"(?,4):(4,1)"> {
  %0 = cute.get_layout(%v) : !cute.memref<f32, gmem, "(?{div=8},4):(4,1)">
  %1 = cute.size(%0) : (!cute.layout<"(?{div=8},4):(4,1)">) -> !cute.int_tuple<"?{div=32}">
  // BOTH: both.mlir:5:3: error: expects what states the type of a value to agree, but got !cute.layout<"(?,4):(4,1)"> and !cute.layout<"(?{div=8},4):(4,1)">
  return %0 : !cute.layout<"(?,4):(4,1)">
}
//--- later.mlir
func.func @f(%v: !cute.memref<f32, gmem, "(?{div=8},4):(4,1)">, %p: i1) {
  %0 = cute.get_layout(%v) : !cute.memref<f32, gmem, "(?{div=8},4):(4,1)">
  %1 = cute.size(%0) : (!cute.layout<"(?,4):(4,1)">) -> !cute.int_tuple<"?{div=4}">
  // LATER: later.mlir:5:18: error: expects what states the type of a value to agree, but got !cute.layout<"(?{div=8},4):(4,1)"> and !cute.layout<"(?,4):(4,1)">
  %2 = cute.size(%0) : (!cute.layout<"(?{div=8},4):(4,1)">) -> !cute.int_tuple<"?{div=32}">
  return
}
//--- three.mlir
func.func @f(%v: !cute.memref<f32, gmem, "(?{div=8},4):(4,1)">, %p: i1) {
  %0 = cute.get_layout(%v) : !cute.memref<f32, gmem, "(?{div=8},4):(4,1)">
  scf.if %p {
    // THREE: three.mlir:5:{{.*}}: error: expects what states the type of a value to agree, but got !cute.layout<"(?,4):(4,1)"> and !cute.layout<"(?{div=2},4):(4,1)">
    %1 = cute.size(%0) : (!cute.layout<"(?,4):(4,1)">) -> !cute.int_tuple<"?{div=4}">
  }
  scf.if %p {
    %2 = cute.size(%0) : (!cute.layout<"(?{div=2},4):(4,1)">) -> !cute.int_tuple<"?{div=8}">
  }
  return
}
//--- stated.mlir
func.func @f(%l: !cute.layout<"(?{div=8},4):(4,1)">) -> !cute.shape<"(?,4)"> {
  %0 = cute.get_shape(%l) : (!cute.layout<"(?{div=8},4):(4,1)">) -> !cute.shape<"(?{div=8},4)">
  // STATED: stated.mlir:4:10: error: use of value '%0' expects different type than prior uses
  return %0 : !cute.shape<"(?,4)">
}
//--- argument.mlir
func.func @f(%l: !cute.layout<"(?{div=8},4):(4,1)">) {
  // ARGUMENT: argument.mlir:3:18: error: use of value '%l' expects different type than prior uses
  %0 = cute.size(%l) : (!cute.layout<"(?,4):(4,1)">) -> !cute.int_tuple<"?{div=4}">
  return
}
//--- foreign.mlir
func.func @f(%p: i1, %l: !cute.layout<"(?{div=8},4):(4,1)">) -> !cute.layout<"(?,4):(4,1)"> {
  %0 = arith.select %p, %l, %l : !cute.layout<"(?{div=8},4):(4,1)">
  // FOREIGN: foreign.mlir:4:3: error: expects what states the type of a value to agree
  return %0 : !cute.layout<"(?,4):(4,1)">
}
