// A stated type that says less than the inferred one, about every op that infers: what is left open, and what no function
// depends on. Each value here is computed too: the last lines are the lowered forms.
// RUN: tessera-opt %s --split-input-file | FileCheck %s
// RUN: tessera-opt %s --split-input-file | tessera-opt --split-input-file | FileCheck %s
// RUN: tessera-opt %s --split-input-file --tessera-lower | FileCheck %s --check-prefix=LOWER

// Divisors, widths and numbers that the type leaves open.
// CHECK-LABEL: @leaves
// LOWER-LABEL: llvm.func @leaves(%arg0: i32) -> !llvm.struct<(i32, i32)>
func.func @leaves(%n: i32) -> !cute.shape<"(?,?)"> {
  %s = cute.make_shape(%n) : (i32) -> !cute.shape<"(?,8)">
  // CHECK: cute.size (%{{.*}}) : (!cute.shape<"(?,8)">) -> !cute.int_tuple<"?">
  %0 = cute.size(%s) : (!cute.shape<"(?,8)">) -> !cute.int_tuple<"?">
  // CHECK: cute.size<[1]> (%{{.*}}) : (!cute.shape<"(?,8)">) -> !cute.int_tuple<"?{div=4}">
  %1 = cute.size<[1]>(%s) : (!cute.shape<"(?,8)">) -> !cute.int_tuple<"?{div=4}">
  %x = cute.get_scalars(%0) : !cute.int_tuple<"?">
  %y = cute.get_scalars(%1) : !cute.int_tuple<"?{div=4}">
  // LOWER: %[[EIGHT:.*]] = llvm.mlir.constant(8 : i32)
  // LOWER-NEXT: %[[EIGHT_TOO:.*]] = llvm.mlir.constant(8 : i32)
  // LOWER-NEXT: %[[SIZE:.*]] = llvm.mul %arg0, %[[EIGHT_TOO]]
  // LOWER: %[[S:.*]] = llvm.insertvalue %[[SIZE]], %{{.*}}[0]
  // LOWER: llvm.insertvalue %{{.*}}, %[[S]][1]
  %r = cute.make_shape(%x, %y) : (i32, i32) -> !cute.shape<"(?,?)">
  return %r : !cute.shape<"(?,?)">
}

// -----

// Strides of extents of 1: of other numbers, bases and open ones.
// CHECK-LABEL: @idle_strides
func.func @idle_strides(%a: !cute.layout<"(4,1):(1,9)">, %t: !cute.tile<"[4:1;1:0]">, %b: !cute.layout<"(4,3):(1@0,1@1)">,
                        %u: !cute.tile<"[4:1;3:1]">) {
  // CHECK: cute.coalesce{{.*}} -> !cute.layout<"4:1">
  %0 = cute.coalesce(%a) : (!cute.layout<"(4,1):(1,9)">) -> !cute.layout<"4:1">
  // CHECK: cute.logical_divide{{.*}} -> !cute.layout<"((4,1),(1,1)):((1,17),(?,5))">
  %1 = cute.logical_divide(%a, %t) : (!cute.layout<"(4,1):(1,9)">, !cute.tile<"[4:1;1:0]">) -> !cute.layout<"((4,1),(1,1)):((1,17),(?,5))">
  // CHECK: cute.zipped_divide{{.*}} -> !cute.layout<"((4,3),(1,1)):((1@0,1@1),(4@0,0))">
  %2 = cute.zipped_divide(%b, %u) : (!cute.layout<"(4,3):(1@0,1@1)">, !cute.tile<"[4:1;3:1]">) -> !cute.layout<"((4,3),(1,1)):((1@0,1@1),(4@0,0))">
  return
}

// -----

// Of views: the pointer may be stated with less alignment.
// CHECK-LABEL: @views
func.func @views(%v: !cute.memref<f16, smem, align<16>, "(8,?{div=8}):(1,8)">, %c: !cute.coord<"(0,?)">) -> !cute.memref<f16, smem, align<8>, "?:8"> {
  // CHECK: cute.get_iter({{.*}}) -> !cute.ptr<f16, smem, align<8>>
  %0 = cute.get_iter(%v) : (!cute.memref<f16, smem, align<16>, "(8,?{div=8}):(1,8)">) -> !cute.ptr<f16, smem, align<8>>
  %1 = cute.get_layout(%v) : !cute.memref<f16, smem, align<16>, "(8,?{div=8}):(1,8)">
  %2 = cute.get<[1]>(%1) : !cute.layout<"(8,?{div=8}):(1,8)"> -> !cute.layout<"?:8">
  %3 = cute.make_view(%0, %2) : (!cute.ptr<f16, smem, align<8>>, !cute.layout<"?:8">) -> !cute.memref<f16, smem, align<8>, "?:8">
  return %3 : !cute.memref<f16, smem, align<8>, "?:8">
}
