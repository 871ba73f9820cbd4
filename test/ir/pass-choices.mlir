// Choices between cute values, which --canonicalize makes of branches, become choices between their leaves; test/lower/ChoicesTest.cpp runs
// every kind.
// RUN: tessera-opt %s --canonicalize | FileCheck %s --check-prefix=CANON
// RUN: tessera-opt %s --canonicalize --cute-desugar --cute-expand-ops | FileCheck %s --check-prefix=EXPAND
// RUN: tessera-opt %s --canonicalize --tessera-lower | FileCheck %s

!l = !cute.layout<"(?,8):(1,?)">
// CANON-LABEL: @choose
// CANON: arith.select %{{.*}} : !cute.layout<"(?,8):(1,?)">
// EXPAND-LABEL: @choose
// EXPAND-COUNT-2: arith.select %{{.*}} : i32
// EXPAND-NOT: arith.select
// CHECK-LABEL: llvm.func @choose
// CHECK: llvm.select %{{.*}} : i1, i32
// CHECK-NOT: builtin.unrealized_conversion_cast
// CHECK: llvm.return
func.func @choose(%p: i1, %a: !l, %b: !l) -> !l {
  %r = scf.if %p -> !l {
    scf.yield %a : !l
  } else {
    scf.yield %b : !l
  }
  return %r : !l
}
