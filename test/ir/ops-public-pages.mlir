// What the pages of NVIDIA's public dialect say of its ops (media/docs/cutlass_compiler/cute_dialect.rst), with values of our own.
// RUN: tessera-opt %s | FileCheck %s
// RUN: tessera-opt %s --mlir-print-op-generic | tessera-opt | FileCheck %s
// RUN: tessera-opt %s --tessera-lower | FileCheck %s --check-prefix=LOWER

// A swizzle has three scalars: its bits, base and shift. None is dynamic.
// CHECK-LABEL: @scalars_of_a_swizzle
// LOWER-LABEL: @scalars_of_a_swizzle
func.func @scalars_of_a_swizzle(%s: !cute.swizzle<"S<2,4,-3>">) -> (i32, i32, i32) {
  // CHECK: cute.get_scalars (%{{.*}}) : !cute.swizzle<"S<2,4,-3>">
  // LOWER-DAG: llvm.mlir.constant(2 : i32)
  // LOWER-DAG: llvm.mlir.constant(4 : i32)
  // LOWER-DAG: llvm.mlir.constant(-3 : i32)
  %0:3 = cute.get_scalars (%s) : !cute.swizzle<"S<2,4,-3>">
  // CHECK: cute.get_scalars<{only_dynamic}> (%{{.*}}) : !cute.swizzle<"S<2,4,-3>">
  cute.get_scalars<{only_dynamic}> (%s) : !cute.swizzle<"S<2,4,-3>">
  return %0#0, %0#1, %0#2 : i32, i32, i32
}

// Tiles have leaves too, their layouts and `_`: flattening leaves a layout's own modes alone.
// CHECK-LABEL: @flat_tiles
func.func @flat_tiles(%t: !cute.tile<"[[3:1;[_;(2,(4,5)):(1,(2,8))]];?:2]">, %u: !cute.tile<"_">) {
  // CHECK: cute.flatten{{.*}} -> !cute.tile<"[3:1;_;(2,(4,5)):(1,(2,8));?:2]">
  %0 = cute.flatten(%t) : (!cute.tile<"[[3:1;[_;(2,(4,5)):(1,(2,8))]];?:2]">) -> !cute.tile<"[3:1;_;(2,(4,5)):(1,(2,8));?:2]">
  // CHECK: cute.flatten{{.*}} -> !cute.tile<"_">
  %1 = cute.flatten(%u) : (!cute.tile<"_">) -> !cute.tile<"_">
  return
}

// Of a layout as the target of a complement the shape alone counts; without a target, bases have a complement for each mode of
// the coordinates, nested as these are. 2:3@1 steps to 0 and 3 there: it leaves 1 and 2 out, and all from 6 on; nothing steps in mode 0.
// CHECK-LABEL: @complements
func.func @complements(%a: !cute.layout<"5:3">, %within: !cute.layout<"15:7">, %b: !cute.layout<"(4,5):(1@0,1@1)">, %gap: !cute.layout<"2:3@1">,
                       %nested: !cute.layout<"((2,3),4):((1@1@0,1@0@0),1@1)">) {
  // CHECK: cute.complement{{.*}} -> !cute.layout<"3:1">
  %0 = cute.complement(%a, %within) : (!cute.layout<"5:3">, !cute.layout<"15:7">) -> !cute.layout<"3:1">
  // CHECK: cute.complement{{.*}} -> !cute.layout<"(1,1):(4@0,5@1)">
  %1 = cute.complement(%b) : (!cute.layout<"(4,5):(1@0,1@1)">) -> !cute.layout<"(1,1):(4@0,5@1)">
  // CHECK: cute.complement{{.*}} -> !cute.layout<"(1,(3,1)):(1@0,(1@1,6@1))">
  %2 = cute.complement(%gap) : (!cute.layout<"2:3@1">) -> !cute.layout<"(1,(3,1)):(1@0,(1@1,6@1))">
  // CHECK: cute.complement{{.*}} -> !cute.layout<"((1,1),1):((3@0@0,2@1@0),4@1)">
  %3 = cute.complement(%nested) : (!cute.layout<"((2,3),4):((1@1@0,1@0@0),1@1)">) -> !cute.layout<"((1,1),1):((3@0@0,2@1@0),4@1)">
  return
}

// Modes of one order value are ordered from left to right.
// CHECK-LABEL: @ties
func.func @ties(%s: !cute.shape<"(4,3,5)">, %d: !cute.shape<"(?,3,(2,5))">, %o: !cute.int_tuple<"(7,2,7)">, %p: !cute.int_tuple<"(1,1,0)">) {
  // CHECK: cute.make_ordered_layout{{.*}} -> !cute.layout<"(4,3,5):(3,1,12)">
  %0 = cute.make_ordered_layout(%s, %o) : (!cute.shape<"(4,3,5)">, !cute.int_tuple<"(7,2,7)">) -> !cute.layout<"(4,3,5):(3,1,12)">
  // CHECK: cute.make_ordered_layout{{.*}} -> !cute.layout<"(?,3,(2,5)):(10,?{div=10},(1,2))">
  %1 = cute.make_ordered_layout(%d, %p) : (!cute.shape<"(?,3,(2,5))">, !cute.int_tuple<"(1,1,0)">) -> !cute.layout<"(?,3,(2,5)):(10,?{div=10},(1,2))">
  return
}

// All parts of a composition are recast where the inner layout keeps neighbours together: (6,4):(1,12) after 6 + B, in elements of 8
// bits, is (2,4):(1,4) after 2 + B of 24 bits, and (24,4):(1,48) after 24 + B of 2 bits.
// CHECK-LABEL: @recast
func.func @recast(%c: !cute.composed_layout<"(6,4):(1,12) o 6 o (3,2):(1,9)">, %same: !cute.composed_layout<"(4,5):(2,8) o 3 o (8,4):(1,8)">) {
  // CHECK: cute.recast_layout<24, 8>{{.*}} -> !cute.composed_layout<"(2,4):(1,4) o 2 o (1,2):(1,3)">
  %0 = cute.recast_layout<24, 8>(%c) : !cute.composed_layout<"(6,4):(1,12) o 6 o (3,2):(1,9)"> -> !cute.composed_layout<"(2,4):(1,4) o 2 o (1,2):(1,3)">
  // CHECK: cute.recast_layout<2, 8>{{.*}} -> !cute.composed_layout<"(24,4):(1,48) o 24 o (12,2):(1,36)">
  %1 = cute.recast_layout<2, 8>(%c) : !cute.composed_layout<"(6,4):(1,12) o 6 o (3,2):(1,9)"> -> !cute.composed_layout<"(24,4):(1,48) o 24 o (12,2):(1,36)">
  // CHECK: cute.recast_layout<16, 16>
  %2 = cute.recast_layout<16, 16>(%same) : !cute.composed_layout<"(4,5):(2,8) o 3 o (8,4):(1,8)"> -> !cute.composed_layout<"(4,5):(2,8) o 3 o (8,4):(1,8)">
  return
}
