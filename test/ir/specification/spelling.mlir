// The spellings of docs/specification/types-and-ops.md#notation are read, and printed as everything else is; what is printed reads as the same.
// RUN: tessera-opt %s | FileCheck %s
// RUN: tessera-opt %s | tessera-opt | FileCheck %s
// RUN: tessera-opt %s --cute-desugar | FileCheck %s --check-prefix=DESUGAR
// RUN: tessera-opt %s --convert-cute-to-llvm --reconcile-unrealized-casts --canonicalize | FileCheck %s --check-prefix=LLVM

// A rank is `?` for each mode.
// CHECK: func.func private @ranks(!cute.shape<"(?,?,?)">, !cute.stride<"(?,?,?)">, !cute.coord<"(?,?)">, !cute.int_tuple<"?">, !cute.layout<"(?,?,?):(?,?,?)">, !cute.tile<"[?:1;?:1]">, !cute.tile<"[?:1;?:1]">)
func.func private @ranks(!cute.shape<3>, !cute.stride<3>, !cute.coord<2>, !cute.int_tuple<1>, !cute.layout<3>, !cute.tile<2>, !cute.tiler<2>)

// shape:stride of each mode.
// CHECK: func.func private @modes(!cute.layout<"(8,4):(1,8)">, !cute.layout<"8:1">, !cute.layout<"((2,4),4):((1,16),8)">, !cute.layout<"((2,2),?):((1,8),2)">)
func.func private @modes(!cute.layout<<8:1, 4:8>>, !cute.layout<<8:1>>, !cute.layout<<((2, 4), 4):((1, 16), 8)>>, !cute.layout<<(2, 2):(1, 8), ?:2>>)

// 0 is generic, 1 global, 3 shared, 5 local (here: registers), 6 tensor memory (the PTX address spaces of LLVM).
// CHECK: func.func private @spaces(!cute.ptr<f16, generic>, !cute.ptr<f16, gmem>, !cute.ptr<f16, smem>, !cute.ptr<f16, rmem>, !cute.ptr<f16, tmem, align<16>>)
func.func private @spaces(!cute.ptr<f16, 0>, !cute.ptr<f16, 1>, !cute.ptr<f16, 3>, !cute.ptr<f16, 5>, !cute.ptr<f16, 6, align<16>>)

// The signature of docs/specification/types-and-ops.md#builder-signatures.
// CHECK-LABEL: @make_shape
// CHECK: cute.make_shape(%{{.*}}, %{{.*}}, %{{.*}}) : (index, index, index) -> !cute.shape<"(?,?,?)">
// DESUGAR-LABEL: @make_shape
// DESUGAR: %[[M:.*]] = arith.index_cast %{{.*}} : index to i32
// DESUGAR: %[[N:.*]] = arith.index_cast %{{.*}} : index to i32
// DESUGAR: %[[K:.*]] = arith.index_cast %{{.*}} : index to i32
// DESUGAR: cute.make_int_tuple(%[[M]], %[[N]], %[[K]]) : (i32, i32, i32) -> !cute.shape<"(?,?,?)">
// LLVM-LABEL: llvm.func @make_shape
// LLVM-COUNT-3: arith.{{index_cast|trunci}} %{{.*}} to i32
// LLVM: llvm.return
func.func @make_shape(%a: i64) -> !cute.shape<3> {
  %m = arith.index_cast %a : i64 to index
  %c = arith.constant 5 : index
  %n = arith.addi %m, %c : index
  %k = arith.muli %m, %c : index
  %shape = cute.make_shape [%m, %n, %k]
         : (index, index, index) -> !cute.shape<3>
  return %shape : !cute.shape<3>
}

// The other constructors, with brackets, and with the result type only, whose leaves say the operands' types.
// CHECK-LABEL: @constructors
// CHECK: cute.make_stride(%{{.*}}, %{{.*}}) : (i32, i64) -> !cute.stride<"(?,?{i64})">
// CHECK: cute.make_coord(%{{.*}}, %{{.*}}) : (i32, i32) -> !cute.coord<"(?,?)">
// CHECK: cute.make_tile(%{{.*}}, %{{.*}}) : (i32, i32) -> !cute.tile<"[?:1;?:1]">
// CHECK: cute.make_shape(%{{.*}}, %{{.*}}) : (i32, i32) -> !cute.shape<"(?,?)">
// CHECK: cute.make_int_tuple(%{{.*}}, %{{.*}}, %{{.*}}) : (i32, i32, i32) -> !cute.coord<"(?,?,?)">
// CHECK: cute.make_int_tuple(%{{.*}}, %{{.*}}) : (i32, i64) -> !cute.int_tuple<"(?,(3,?{i64}))">
// CHECK: cute.make_shape() : () -> !cute.shape<"(4,8)">
func.func @constructors(%i: i32, %j: i32, %w: i64) {
  %0 = cute.make_stride [%i, %w] : (i32, i64) -> !cute.stride<"(?,?{i64})">
  %1 = cute.make_coord [%i, %j] : !cute.coord<2>
  %2 = cute.make_tile [%i, %j] : (i32, i32) -> !cute.tile<2>
  %3 = cute.make_shape (%i, %j) : !cute.shape<2>
  %4 = cute.make_int_tuple %i, %j, %i : !cute.coord<3>
  %5 = cute.make_int_tuple %i, %w : !cute.int_tuple<"(?,(3,?{i64}))">
  %6 = cute.make_shape() : !cute.shape<"(4,8)">
  return
}

// docs/specification/passes.md#desugar-rewrites: a layout with shape and stride in place is a tuple of each, and the raw layout.
// CHECK-LABEL: @layout_in_place
// CHECK: cute.make_tuple(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (i32, i32, i32, i32) -> !cute.layout<"(?,8,?):(1,?,?)">
// DESUGAR-LABEL: @layout_in_place
// DESUGAR-SAME: (%[[M:.*]]: i32, %[[K:.*]]: i32, %[[SN:.*]]: i32, %[[SK:.*]]: i32)
// DESUGAR: %[[SHAPE:.*]] = cute.make_int_tuple(%[[M]], %[[K]]) : (i32, i32) -> !cute.shape<"(?,8,?)">
// DESUGAR: %[[STRIDE:.*]] = cute.make_int_tuple(%[[SN]], %[[SK]]) : (i32, i32) -> !cute.stride<"(1,?,?)">
// DESUGAR: cute.make_layout_raw(%[[SHAPE]], %[[STRIDE]])
// LLVM-LABEL: llvm.func @layout_in_place
func.func @layout_in_place(%m: i32, %k: i32, %sn: i32, %sk: i32) -> !cute.layout<"(?,8,?):(1,?,?)"> {
  %l = cute.make_layout(shape = (%m, 8, %k), stride = (1, %sn, %sk)) : !cute.layout<"(?,8,?):(1,?,?)">
  return %l : !cute.layout<"(?,8,?):(1,?,?)">
}

// With numbers only it is the value that its type states.
// CHECK-LABEL: @layout_of_numbers
// CHECK: cute.static : !cute.layout<"(8,4):(1,8)">
// CHECK: cute.static : !cute.layout<"(4,2):(1,4)">
func.func @layout_of_numbers() {
  %l = cute.make_layout shape = <8 : i32, 4 : i32>, stride = <1 : i32, 8 : i32>
     : !cute.layout<<8:1, 4:8>>
  %compact = cute.make_layout(shape = (4, 2)) : !cute.layout<<4:1, 2:4>>
  return
}

// The composed layout of docs/specification/passes.md#desugar-rewrites; desugared: inner, offset and the raw op.
// CHECK-LABEL: @composed
// CHECK-DAG: %[[S:.*]] = cute.static : !cute.swizzle<"S<2,4,3>">
// CHECK-DAG: %[[O:.*]] = cute.static : !cute.int_tuple<"0">
// CHECK: cute.make_composed_layout(%[[S]], %[[O]], %{{.*}}) : (!cute.swizzle<"S<2,4,3>">, <"0">, <"(8,?):(64,1)">) -> <"S<2,4,3> o 0 o (8,?):(64,1)">
// DESUGAR-LABEL: @composed
// DESUGAR-SAME: (%[[OUTER:.*]]: !cute.layout
// DESUGAR-DAG: %[[OFFSET:.*]] = cute.static : !cute.int_tuple<"0">
// DESUGAR-DAG: %[[INNER:.*]] = cute.make_swizzle : !cute.swizzle<"S<2,4,3>">
// DESUGAR: cute.make_composed_layout_raw(%[[OUTER]], %[[INNER]], %[[OFFSET]])
// LLVM-LABEL: llvm.func @composed
func.func @composed(%outer: !cute.layout<"(8,?):(64,1)">) -> !cute.composed_layout<"S<2,4,3> o 0 o (8,?):(64,1)"> {
  %c = cute.make_composed_layout(outer = %outer,
                                 swizzle = swizzle<2, 4, 3>,
                                 offset = (0, 0))
     : !cute.composed_layout<"S<2,4,3> o 0 o (8,?):(64,1)">
  return %c : !cute.composed_layout<"S<2,4,3> o 0 o (8,?):(64,1)">
}

// The type of the operand does as well; an offset that is a number stays. B = 0 is the identity, so the outer layout is the result.
// CHECK-LABEL: @composed_forms
// CHECK: cute.make_composed_layout(%{{.*}}) -> <"S<3,4,3> o 16 o (8,64):(64,1)">
// CHECK: cute.make_composed_layout(%{{.*}}) -> !cute.layout<"(8,64):(64,1)">
func.func @composed_forms() {
  %outer = cute.static : !cute.layout<"(8,64):(64,1)">
  %0 = cute.make_composed_layout outer = %outer, swizzle = swizzle<3, 4, 3>, offset = 16 : !cute.layout<"(8,64):(64,1)">
  %1 = cute.make_composed_layout(outer = %outer, swizzle = swizzle<0, 4, 3>, offset = 0) : !cute.layout<"(8,64):(64,1)">
  return
}

// The raw forms.
// CHECK-LABEL: @raw
// CHECK: cute.make_layout_raw(%{{.*}}, %{{.*}}) : (!cute.shape<"(?,?)">, !cute.stride<"(?,?)">) -> !cute.layout<"(?,?):(?,?)">
// CHECK: %[[S:.*]] = cute.make_swizzle : !cute.swizzle<"S<2,4,3>">
// CHECK: cute.make_composed_layout_raw(%{{.*}}, %[[S]], %{{.*}})
// CHECK: cute.tuple_eq(%{{.*}}, %{{.*}}) : (!cute.shape<"(?,?)">, !cute.shape<"(?,?)">) -> i1
// CHECK: cute.get_shape(%{{.*}}) : !cute.layout<"(?,?):(?,?)"> -> !cute.shape<"(?,?)">
// CHECK: cute.get_layout(%{{.*}}) : !cute.memref<f32, gmem, "8:1">
// CHECK: cute.make_view(%{{.*}}, %{{.*}}) : (!cute.ptr<f32, gmem>, !cute.layout<"(?,?):(?,?)">) -> !cute.memref<f32, gmem, "(?,?):(?,?)">
func.func @raw(%s: !cute.shape<2>, %d: !cute.stride<2>, %o: !cute.int_tuple<"0">, %it: !cute.ptr<f32, 1>, %t: !cute.memref<f32, gmem, "8:1">) {
  %l = cute.make_layout_raw %s, %d : !cute.shape<2>, !cute.stride<2> -> !cute.layout<2>
  %i = cute.make_swizzle 2, 4, 3 : !cute.swizzle<"S<2,4,3>">
  %c = cute.make_composed_layout_raw %l, %i, %o : !cute.layout<2>, !cute.swizzle<"S<2,4,3>">, !cute.int_tuple<"0"> -> !cute.composed_layout<"S<2,4,3> o 0 o (?,?):(?,?)">
  %e = cute.tuple_eq %s, %s : !cute.shape<2>, !cute.shape<2> -> i1
  %g = cute.get_shape %l : !cute.layout<2> -> !cute.shape<2>
  %own = cute.get_layout %t : !cute.memref<f32, gmem, "8:1">
  %v = cute.make_view %it, %l : !cute.memref<f32, gmem, "(?,?):(?,?)">
  return
}

// The example of docs/specification/algebra.md#compose; its result here is (8,4):(1,8) (compose.mlir).
// CHECK-LABEL: @compose
// CHECK: cute.compose(%{{.*}}, %{{.*}}) : (!cute.layout<"(8,4):(1,8)">, !cute.layout<"(2,8):(1,2)">) -> !cute.layout<"(8,4):(1,8)">
func.func @compose(%l1: !cute.layout<<8:1, 4:8>>, %l2: !cute.layout<<2:1, 8:2>>) {
  %c = cute.compose %l1, %l2
     : !cute.layout<<8:1, 4:8>>, !cute.layout<<2:1, 8:2>>
    -> !cute.layout<<8:1, 4:8>>
  return
}

// docs/specification/passes.md#partition-walk: the pointer moves by the product of coordinate and stride, the window has the strides of the layout.
// CHECK-LABEL: @tile_partition
// CHECK: cute.tile_partition(%{{.*}}, %{{.*}}, %{{.*}}) : (!cute.ptr<f16, smem>, !cute.layout<"(128,64):(1,128)">, !cute.coord<"(?,?)">) -> (!cute.ptr<f16, smem>, !cute.layout<"(32,32):(1,128)">)
// LLVM-LABEL: llvm.func @tile_partition
// LLVM-DAG: %[[C0:.*]] = llvm.extractvalue %{{.*}}[0] : !llvm.struct<(i32, i32)>
// LLVM-DAG: %[[C1:.*]] = llvm.extractvalue %{{.*}}[1] : !llvm.struct<(i32, i32)>
// LLVM-DAG: %[[S1:.*]] = arith.constant 128 : i32
// LLVM: %[[O1:.*]] = arith.muli %[[C1]], %[[S1]]
// LLVM: %[[O:.*]] = arith.addi %[[C0]], %[[O1]]
// LLVM: llvm.getelementptr %{{.*}}[%[[O]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, {{[if]}}16
func.func @tile_partition(%base_ptr: !cute.ptr<f16, 3>, %layout: !cute.layout<<128:1, 64:128>>, %tile_coord: !cute.coord<2>) -> !cute.ptr<f16, 3> {
  %sub_ptr, %sub_layout =
    cute.tile_partition %base_ptr, %layout, %tile_coord
    : !cute.ptr<f16, 3>, !cute.layout<<128:1, 64:128>>, !cute.coord<2>
   -> !cute.ptr<f16, 3>, !cute.layout<<32:1, 32:128>>
  return %sub_ptr : !cute.ptr<f16, 3>
}

// The tensor forms of docs/specification/passes.md#desugar-rewrites: get_iter, get_layout and make_view.
// CHECK-LABEL: @tensors
// CHECK: cute.make_tensor(%{{.*}}) : (!cute.memref<f32, gmem, "(8,4):(1,8)">) -> !cute.memref<f32, gmem, "(8,4):(1,8)">
// CHECK: cute.make_tensor(%{{.*}}, %{{.*}}) : (!cute.memref<f32, gmem, "(8,4):(1,8)">, !cute.layout<"32:1">) -> !cute.memref<f32, gmem, "32:1">
// CHECK: cute.make_tensor(%{{.*}}, %{{.*}}) : (!cute.ptr<f32, gmem>, !cute.layout<"32:1">) -> !cute.memref<f32, gmem, "32:1">
// DESUGAR-LABEL: @tensors
// DESUGAR-SAME: (%[[T:.*]]: !cute.memref{{.*}}, %[[P:.*]]: !cute.ptr<f32, gmem>, %[[L:.*]]: !cute.layout<"32:1">)
// DESUGAR: %[[I:.*]] = cute.get_iter(%[[T]])
// DESUGAR: %[[OWN:.*]] = cute.get_layout(%[[T]])
// DESUGAR: cute.make_view(%[[I]], %[[OWN]])
// DESUGAR: %[[J:.*]] = cute.get_iter(%[[T]])
// DESUGAR-NOT: cute.get_layout
// DESUGAR: cute.make_view(%[[J]], %[[L]])
// DESUGAR: cute.make_view(%[[P]], %[[L]])
// LLVM-LABEL: llvm.func @tensors
func.func @tensors(%t: !cute.memref<f32, gmem, "(8,4):(1,8)">, %p: !cute.ptr<f32, gmem>, %l: !cute.layout<"32:1">) {
  %0 = cute.tensor %t : !cute.memref<f32, gmem, "(8,4):(1,8)">
  %1 = cute.make_tensor %t, %l : !cute.memref<f32, gmem, "(8,4):(1,8)">, !cute.layout<"32:1"> -> !cute.memref<f32, gmem, "32:1">
  %2 = cute.make_tensor(%p, %l) : (!cute.ptr<f32, gmem>, !cute.layout<"32:1">)
  return
}
