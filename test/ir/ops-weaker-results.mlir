// Ops whose text leaves the result types to inference: where the types say less, the text says so, and reads back.
// RUN: tessera-opt %s | FileCheck %s
// RUN: tessera-opt %s | tessera-opt | FileCheck %s

// CHECK-LABEL: @weaker
func.func @weaker(%l: !cute.layout<"(4,?{div=8}):(1,?{div=16})">, %c: !cute.coord<"(0,_)">, %d: !cute.coord<"(_,1)">,
                  %s: !cute.shape<"(4,?{div=8})">, %one: !cute.shape<"1">, %t: !cute.tile<"[4:1;?{div=8}:?{div=2}]">,
                  %v: !cute.memref<f32, gmem, "(?{div=8},4):(4,1)">) {
  // CHECK: cute.slice(%{{.*}}, %{{.*}}) : !cute.layout<"(4,?{div=8}):(1,?{div=16})">, !cute.coord<"(0,_)"> -> !cute.layout<"(?):(?)">
  %0 = "cute.slice"(%l, %c) : (!cute.layout<"(4,?{div=8}):(1,?{div=16})">, !cute.coord<"(0,_)">) -> !cute.layout<"(?):(?)">
  // CHECK: cute.slice(%{{.*}}, %{{.*}}) : !cute.layout<"(4,?{div=8}):(1,?{div=16})">, !cute.coord<"(0,_)">{{$}}
  %1 = "cute.slice"(%l, %c) : (!cute.layout<"(4,?{div=8}):(1,?{div=16})">, !cute.coord<"(0,_)">) -> !cute.layout<"(?{div=8}):(?{div=16})">
  // CHECK: cute.dice(%{{.*}}, %{{.*}}) : !cute.layout<"(4,?{div=8}):(1,?{div=16})">, !cute.coord<"(_,1)"> -> !cute.layout<"(?):(?{div=4})">
  %2 = "cute.dice"(%l, %d) : (!cute.layout<"(4,?{div=8}):(1,?{div=16})">, !cute.coord<"(_,1)">) -> !cute.layout<"(?):(?{div=4})">
  // CHECK: cute.append_to_rank<3> (%{{.*}}, %{{.*}}) : !cute.shape<"(4,?{div=8})">, !cute.shape<"1"> -> !cute.shape<"(4,?,1)">
  %3 = "cute.append_to_rank"(%s, %one) <{rank = 3 : i32}> : (!cute.shape<"(4,?{div=8})">, !cute.shape<"1">) -> !cute.shape<"(4,?,1)">
  // CHECK: cute.prepend_to_rank<3> (%{{.*}}, %{{.*}}) : !cute.shape<"(4,?{div=8})">, !cute.shape<"1"> -> !cute.shape<"(1,4,?{div=2})">
  %4 = "cute.prepend_to_rank"(%s, %one) <{rank = 3 : i32}> : (!cute.shape<"(4,?{div=8})">, !cute.shape<"1">) -> !cute.shape<"(1,4,?{div=2})">
  // CHECK: cute.get_leaves(%{{.*}}) : !cute.shape<"(4,?{div=8})"> -> (!cute.shape<"4">, !cute.shape<"?">)
  %5:2 = "cute.get_leaves"(%s) : (!cute.shape<"(4,?{div=8})">) -> (!cute.shape<"4">, !cute.shape<"?">)
  // CHECK: cute.get_layouts_from_tile(%{{.*}}) : <"[4:1;?{div=8}:?{div=2}]"> -> (!cute.layout<"4:1">, !cute.layout<"?:?">)
  %6:2 = "cute.get_layouts_from_tile"(%t) : (!cute.tile<"[4:1;?{div=8}:?{div=2}]">) -> (!cute.layout<"4:1">, !cute.layout<"?:?">)
  // CHECK: cute.get_layout(%{{.*}}) : !cute.memref<f32, gmem, "(?{div=8},4):(4,1)"> -> !cute.layout<"(?,4):(4,1)">
  %7 = "cute.get_layout"(%v) : (!cute.memref<f32, gmem, "(?{div=8},4):(4,1)">) -> !cute.layout<"(?,4):(4,1)">
  // CHECK: cute.get_layout(%{{.*}}) : !cute.memref<f32, gmem, "(?{div=8},4):(4,1)">{{$}}
  %8 = cute.get_layout(%v) : !cute.memref<f32, gmem, "(?{div=8},4):(4,1)"> -> !cute.layout<"(?{div=8},4):(4,1)">
  // What was stated is what users see.
  // CHECK: cute.size (%{{.*}}) : (!cute.layout<"(?,4):(4,1)">) -> !cute.int_tuple<"?{div=4}">
  %9 = cute.size(%7) : (!cute.layout<"(?,4):(4,1)">)
  return
}
