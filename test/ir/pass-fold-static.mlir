// What a type fully states is a constant; the rest stays.
// RUN: tessera-opt %s --cute-fold-static | FileCheck %s

// CHECK-LABEL: @fold
func.func @fold(%d: !cute.layout<"(?,8):(1,?)">, %i: i32) -> (!cute.int_tuple<"32">, !cute.layout<"(2,4):(1,2)">, !cute.int_tuple<"?{div=8}">) {
  // CHECK-DAG: %[[N:.*]] = cute.static : !cute.int_tuple<"32">
  // CHECK-DAG: %[[L:.*]] = cute.static : !cute.layout<"(2,4):(1,2)">
  // CHECK-DAG: %[[S:.*]] = cute.size (%{{.*}}) : (!cute.layout<"(?,8):(1,?)">) -> !cute.int_tuple<"?{div=8}">
  // CHECK-NOT: cute.coalesce
  // CHECK: return %[[N]], %[[L]], %[[S]]
  %a = cute.static : !cute.layout<"(4,8):(1,4)">
  %0 = cute.size (%a) : (!cute.layout<"(4,8):(1,4)">) -> !cute.int_tuple<"32">
  %b = cute.static : !cute.layout<"((1,2),4):((0,1),2)">
  %1 = cute.filter(%b) : (!cute.layout<"((1,2),4):((0,1),2)">) -> !cute.layout<"8:1">
  %c = cute.static : !cute.layout<"(2,4):(1,2)">
  %2 = cute.composition(%1, %c) : (!cute.layout<"8:1">, !cute.layout<"(2,4):(1,2)">) -> !cute.layout<"(2,4):(1,2)">
  %3 = cute.size (%d) : (!cute.layout<"(?,8):(1,?)">) -> !cute.int_tuple<"?{div=8}">
  return %0, %2, %3 : !cute.int_tuple<"32">, !cute.layout<"(2,4):(1,2)">, !cute.int_tuple<"?{div=8}">
}
