// `cute.derefine`, which dumps of CuTe DSL have where a branch or a call takes a type that states less. The value stays what it was:
// a tensor at a coordinate of which nothing is known any more is the same element, its size the same number.
// RUN: tessera-opt %s | FileCheck %s
// RUN: tessera-opt %s | tessera-opt | FileCheck %s
// RUN: tessera run %s --no-cache --device sim --arch sm_90a --entry host --arg rand:i32:8x4 --arg out:i32:4 --save 0=%t.in.npy --save 1=%t.out.npy
// RUN: /usr/bin/python3 %S/Inputs/derefined.py %t.in.npy %t.out.npy
!wide = !cute.memref<i32, gmem, align<32>, "(8,4):(4,1)">
!less = !cute.memref<i32, gmem, "(?,?):(?,1)">
!four = !cute.memref<i32, gmem, "4:1">
!start = !cute.coord_tensor<"(0,8,2)", "(?{div=4},(3,2)):(1@0,(1@1,4@2))">
!moved = !cute.coord_tensor<"(0,?,?)", "(?,(3,2)):(1@0,(1@1,4@2))">
module attributes {gpu.container_module} {
  gpu.module @kernels {
    cuda.kernel @k(%a: !wide, %b: !start, %c: !four) attributes {cute.kernel, gpu.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} {
      // CHECK: %[[ITER:.*]] = cute.get_iter(%[[A:.*]]) : (!cute.memref<i32, gmem, align<32>, "(8,4):(4,1)">) -> !cute.ptr<i32, gmem>
      // CHECK: %[[LAY:.*]] = cute.get_layout(%[[A]]) : !cute.memref<i32, gmem, align<32>, "(8,4):(4,1)"> -> !cute.layout<"(?,?):(?,1)">
      // CHECK: cute.make_view(%[[ITER]], %[[LAY]])
      %less = cute.derefine(%a) : !wide to !less
      // CHECK: cute.get (%{{.*}}) : !cute.coord<"(3,2)"> -> !cute.coord<"(?,2)">
      %at = cute.static : !cute.coord<"(3,2)">
      %where = cute.derefine(%at) : !cute.coord<"(3,2)"> to !cute.coord<"(?,2)">
      %value = cute.memref.load(%less, %where) : (!less, !cute.coord<"(?,2)">) -> i32
      %layout = cute.get_layout(%less) : !less
      %size = cute.size(%layout) : (!cute.layout<"(?,?):(?,1)">) -> !cute.int_tuple<"?">
      %n = cute.get_scalars(%size) : !cute.int_tuple<"?">
      %moved = cute.derefine(%b) : !start to !moved
      %iter = cute.get_iter(%moved) : !moved
      %tuple = cute.deref_arith_tuple_iter(%iter) : !cute.arith_tuple_iter<"(0,?,?)">
      %xs:3 = cute.get_scalars(%tuple) : !cute.int_tuple<"(0,?,?)">
      // An iterator of its own, and a pointer.
      %own = cute.make_arith_tuple_iter(%tuple) : (!cute.int_tuple<"(0,?,?)">) -> !cute.arith_tuple_iter<"(0,?,?)">
      %unknown = cute.derefine(%own) : !cute.arith_tuple_iter<"(0,?,?)"> to !cute.arith_tuple_iter<"(?,?,?)">
      // CHECK: cute.recast_iter
      %p = cute.get_iter(%c) : !four
      %i0 = cute.static : !cute.coord<"0">
      %i1 = cute.static : !cute.coord<"1">
      %i2 = cute.static : !cute.coord<"2">
      %i3 = cute.static : !cute.coord<"3">
      cute.memref.store(%c, %i0, %value) : (!four, !cute.coord<"0">, i32) -> ()
      cute.memref.store(%c, %i1, %n) : (!four, !cute.coord<"1">, i32) -> ()
      cute.memref.store(%c, %i2, %xs#1) : (!four, !cute.coord<"2">, i32) -> ()
      cute.memref.store(%c, %i3, %xs#2) : (!four, !cute.coord<"3">, i32) -> ()
      %q = cute.get_iter(%a) : !wide
      %r = cute.derefine(%q) : !cute.ptr<i32, gmem, align<32>> to !cute.ptr<i32, gmem, align<8>>
      return
    }
  }
  func.func @host(%a: !wide, %c: !four) -> i32 attributes {llvm.emit_c_interface} {
    %c1 = arith.constant 1 : i32
    %eight = arith.constant 8 : i32
    %none = arith.constant 0 : i64
    %start = cute.static : !cute.int_tuple<"(0,8,2)">
    %extent = cute.assume(%eight) : (i32) -> !cute.i32<divby 4>
    %shape = cute.make_shape(%extent) : (!cute.i32<divby 4>) -> !cute.shape<"(?{div=4},(3,2))">
    %stride = cute.static : !cute.stride<"(1@0,(1@1,4@2))">
    %layout = cute.make_layout(%shape, %stride) : (!cute.shape<"(?{div=4},(3,2))">, !cute.stride<"(1@0,(1@1,4@2))">) -> !cute.layout<"(?{div=4},(3,2)):(1@0,(1@1,4@2))">
    %iter = cute.make_arith_tuple_iter(%start) : (!cute.int_tuple<"(0,8,2)">) -> !cute.arith_tuple_iter<"(0,8,2)">
    %coords = cute.make_view(%iter, %layout) : (!cute.arith_tuple_iter<"(0,8,2)">, !cute.layout<"(?{div=4},(3,2)):(1@0,(1@1,4@2))">) -> !start
    %stream = cuda.cast %none : i64 -> !cuda.stream
    %config = cuda.launch_cfg.create<max_attrs = 1 : i32> (blockDim = (%c1, %c1, %c1), dynamicSmemBytes = %none, gridDim = (%c1, %c1, %c1), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 1>
    %result = cuda.launch_ex @kernels::@k<%config> (%a, %coords, %c) : !cuda.launch_cfg<max_attrs = 1>, (!wide, !start, !four) -> !cuda.result
    %status = cuda.cast %result : !cuda.result -> i32
    return %status : i32
  }
}
