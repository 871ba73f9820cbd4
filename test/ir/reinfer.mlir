// One type of each function was changed by hand, and what follows still states the one from before.
// RUN: split-file %s %t
// RUN: tessera-opt %t/follows.mlir --cute-reinfer 2>&1 | FileCheck %t/follows.mlir
// RUN: tessera-opt %t/llvm.mlir --cute-reinfer 2>&1 | FileCheck %t/llvm.mlir
// RUN: not tessera-opt %t/llvm-refused.mlir --cute-reinfer 2>&1 | FileCheck %t/llvm-refused.mlir
// What is consistent comes back as it is.
// RUN: tessera-opt %t/follows.mlir --cute-reinfer -o %t/once.mlir
// RUN: tessera-opt %t/once.mlir --cute-reinfer | diff %t/once.mlir -
// RUN: tessera-opt %t/alias.mlir --cute-reinfer 2>&1 | FileCheck %t/alias.mlir
// RUN: tessera-opt %t/tiled-copies.mlir --cute-reinfer 2>&1 | FileCheck %t/tiled-copies.mlir
// RUN: not tessera-opt %t/derived.mlir --cute-reinfer 2>&1 | FileCheck %t/derived.mlir
// RUN: not tessera-opt %t/inference.mlir --cute-reinfer 2>&1 | FileCheck %t/inference.mlir
// RUN: not tessera-opt %t/stays.mlir --cute-reinfer 2>&1 | FileCheck %t/stays.mlir
// RUN: not tessera-opt %t/stays-in-loops.mlir --cute-reinfer 2>&1 | FileCheck %t/stays-in-loops.mlir
// RUN: not tessera-opt %t/stays-in-parallel.mlir --cute-reinfer 2>&1 | FileCheck %t/stays-in-parallel.mlir
// RUN: not tessera-opt %t/verifier.mlir --cute-reinfer 2>&1 | FileCheck %t/verifier.mlir
// RUN: not tessera-opt %t/loop.mlir --cute-reinfer 2>&1 | FileCheck %t/loop.mlir
// RUN: not tessera-opt %t/results.mlir --cute-reinfer 2>&1 | FileCheck %t/results.mlir
// RUN: not tessera-opt %t/alias-refused.mlir --cute-reinfer 2>&1 | FileCheck %t/alias-refused.mlir
// RUN: tessera-opt %t/callers.mlir --cute-reinfer 2>&1 | FileCheck %t/callers.mlir
// RUN: not tessera-opt %t/affine.mlir --cute-reinfer 2>&1 | FileCheck %t/affine.mlir
// RUN: tessera-opt %t/tensor-maps.mlir --cute-reinfer 2>&1 | FileCheck %t/tensor-maps.mlir
// RUN: tessera-opt %t/made.mlir --cute-reinfer 2>&1 | FileCheck %t/made.mlir
// RUN: not tessera-opt %t/made-refused.mlir --cute-reinfer 2>&1 | FileCheck %t/made-refused.mlir
// RUN: not tessera-opt %t/recursion.mlir --cute-reinfer 2>&1 | FileCheck %t/recursion.mlir
// Without the option the parser refuses it.
// RUN: not tessera-opt %t/follows.mlir 2>&1 | FileCheck %s --check-prefix=PARSER
// PARSER: error: use of value '%l' expects different type than prior uses

//--- follows.mlir
// (4,8):(8,1) before. A comment with %l and a brace } in it.
// CHECK-LABEL: func.func @layout
// CHECK: cute.make_view{{.*}} -> !cute.memref<f32, gmem, "(8,4):(4,1)">
// CHECK: cute.get_layout{{.*}} : !cute.memref<f32, gmem, "(8,4):(4,1)">
// CHECK: cute.composition{{.*}} -> !cute.layout<"(4,4):(8,1)">
// CHECK: cute.size{{.*}} -> !cute.int_tuple<"16">
func.func @layout(%p: !cute.ptr<f32, gmem>) -> i32 {
  %t = cute.static : !cute.tile<"[4:2;_]"> // [2:2;_] before
  %l = cute.static : !cute.layout<"(8,4):(4,1)">
  %v = cute.make_view(%p, %l) : (!cute.ptr<f32, gmem>, !cute.layout<"(4,8):(8,1)">) -> !cute.memref<f32, gmem, "(4,8):(8,1)">
  %m = cute.get_layout(%v)
      : !cute.memref<f32, gmem, "(4,8):(8,1)">
  %c = cute.composition(%m, %t) : (!cute.layout<"(4,8):(8,1)">, !cute.tile<"[2:2;_]">) -> !cute.layout<"(2,8):(16,1)">
  %s = cute.size(%c) : (!cute.layout<"(2,8):(16,1)">) -> !cute.int_tuple<"16">
  %z = arith.constant 0 : i32
  return %z : i32
}

// A swizzle where there was none: a layout becomes a composed one, through a loop and a branch.
// CHECK-LABEL: func.func @carried
// CHECK: scf.for {{.*}} -> (!cute.composed_layout<"S<2,3,3> o 0 o (8,64):(64,1)">)
// CHECK: scf.if {{.*}} -> (!cute.composed_layout<"S<2,3,3> o 0 o (8,64):(64,1)">)
// CHECK: scf.yield {{.*}} : !cute.composed_layout<"S<2,3,3> o 0 o (8,64):(64,1)">
// CHECK: return {{.*}} : !cute.composed_layout<"S<2,3,3> o 0 o (8,64):(64,1)">
// CHECK-LABEL: func.func @caller
// CHECK: call @carried({{.*}}) : (index, i1) -> !cute.composed_layout<"S<2,3,3> o 0 o (8,64):(64,1)">
// CHECK: cf.br ^{{.*}}({{.*}} : !cute.composed_layout<"S<2,3,3> o 0 o (8,64):(64,1)">)
// CHECK: ^{{.*}}(%{{.*}}: !cute.composed_layout<"S<2,3,3> o 0 o (8,64):(64,1)">):
func.func @carried(%n: index, %b: i1) -> !cute.layout<"(8,64):(64,1)"> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l = cute.static : !cute.composed_layout<"S<2,3,3> o 0 o (8,64):(64,1)">
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %l) -> (!cute.layout<"(8,64):(64,1)">) {
    %y = scf.if %b -> (!cute.layout<"(8,64):(64,1)">) {
      scf.yield %a : !cute.layout<"(8,64):(64,1)">
    } else {
      scf.yield %l : !cute.layout<"(8,64):(64,1)">
    }
    scf.yield %y : !cute.layout<"(8,64):(64,1)">
  }
  return %r : !cute.layout<"(8,64):(64,1)">
}
func.func @caller(%n: index, %b: i1) {
  %l = call @carried(%n, %b) : (index, i1) -> !cute.layout<"(8,64):(64,1)">
  cf.br ^end(%l : !cute.layout<"(8,64):(64,1)">)
^end(%m: !cute.layout<"(8,64):(64,1)">):
  return
}

// What is stated, not inferred: registers follow their layout, vectors their tensor, a tiled copy its atom, tuples their leaves.
// CHECK-LABEL: func.func @stated
// CHECK: cute.memref.alloca({{.*}}) : !cute.memref<f32, rmem, "(4,2):(2,1)">
// CHECK: cute.memref.load_vec {{.*}} : !cute.memref<f32, rmem, "(4,2):(2,1)">
// CHECK: arith.truncf {{.*}} : vector<8xf32> to vector<8xf16>
// CHECK: cute.make_tiled_copy({{.*}} -> !cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f16, 64 b>, layout_copy_tv = <"((8,16),8):((128,1),16)">
// CHECK: cute.make_shape({{.*}} -> !cute.shape<"(8,?{div=4})">
func.func @stated(%i: !cute.int_tuple<"?{div=4}">) -> vector<4xf16> {
  %l = cute.static : !cute.layout<"(4,2):(2,1)">
  %r = cute.memref.alloca(%l) : !cute.memref<f32, rmem, "4:1">
  %v = cute.memref.load_vec %r : !cute.memref<f32, rmem, "4:1">
  %h = arith.truncf %v : vector<4xf32> to vector<4xf16>
  %a = cute.make_atom() : () -> !cute_nvgpu.atom.universal_copy<f16, 64 b>
  %t = cute.make_tiled_copy(%a) : !cute_nvgpu.atom.universal_copy<f16, 128 b> -> !cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f16, 128 b>, layout_copy_tv = <"((8,16),8):((128,1),16)">, tiler_mn = <"[16:1;64:1]">>
  %j = cute.static : !cute.int_tuple<"8">
  %s = cute.make_shape(%j, %i) : (!cute.int_tuple<"?">, !cute.int_tuple<"?{div=8}">) -> !cute.shape<"(?,?{div=8})">
  return %h : vector<4xf16>
}

// One number everywhere has no length of its own.
// CHECK-LABEL: func.func @splats
// CHECK: arith.mulf {{.*}} : vector<8xf32>
// CHECK: arith.addf {{.*}} : vector<8xf32>
// CHECK: cute.memref.store_vec {{.*}} "8:1">
// CHECK: cute.memref.store_vec {{.*}} "8:1">
func.func @splats(%x: f32) {
  %c = arith.constant dense<2.0> : vector<4xf32>
  %b = vector.broadcast %x : f32 to vector<4xf32>
  %r = cute.memref.alloca() : !cute.memref<f32, rmem, "8:1">
  %v = cute.memref.load_vec %r : !cute.memref<f32, rmem, "4:1">
  %m = arith.mulf %c, %v : vector<4xf32>
  %s = arith.addf %m, %b : vector<4xf32>
  cute.memref.store_vec %s, %r : !cute.memref<f32, rmem, "4:1">
  cute.memref.store_vec %c, %r : !cute.memref<f32, rmem, "4:1">
  return
}

// Leaves that nobody looks at may be more.
// CHECK-LABEL: func.func @leaves
// CHECK: cute.get_leaves({{.*}}) : !cute.shape<"(4,8,2)">
func.func @leaves() {
  %s = cute.static : !cute.shape<"(4,8,2)">
  %a:2 = cute.get_leaves(%s) : !cute.shape<"(4,8)">
  return
}

// A type that says less than is inferred goes on saying less, and a cast of a pointer what it makes.
// CHECK-LABEL: func.func @weaker
// CHECK: cute.make_view{{.*}} -> !cute.memref<f32, gmem, "(?,16):(?,1)">
// CHECK: cute.recast_iter{{.*}} to !cute.ptr<i32, smem, align<16>, S<2,4,3>>
func.func @weaker(%p: !cute.ptr<f32, gmem>, %l: !cute.layout<"(?{div=8},16):(?{div=16},1)">, %q: !cute.ptr<f32, smem, align<16>, S<2,4,3>>) {
  %v = cute.make_view(%p, %l) : (!cute.ptr<f32, gmem>, !cute.layout<"(?{div=8},8):(?{div=16},1)">) -> !cute.memref<f32, gmem, "(?,8):(?,1)">
  %r = cute.recast_iter(%q) : !cute.ptr<f32, smem, align<128>, S<3,4,3>> to !cute.ptr<i32, smem, align<128>, S<3,4,3>>
  return
}

// A kernel's parameter follows from the launch.
// CHECK-LABEL: cuda.kernel @kernel
// CHECK-SAME: !cute.layout<"(8,4):(4,1)">
// CHECK: cute.size{{.*}}!cute.layout<"(8,4):(4,1)">
// CHECK-LABEL: func.func @host
// CHECK: cuda.launch_ex {{.*}}(!cute.layout<"(8,4):(4,1)">)
module {
  gpu.module @kernels {
    cuda.kernel @kernel(%l: !cute.layout<"(4,8):(8,1)">) {
      %s = cute.size(%l) : (!cute.layout<"(4,8):(8,1)">) -> !cute.int_tuple<"32">
      return
    }
  }
  func.func @host(%cfg: !cuda.launch_cfg<max_attrs = 2>) {
    %l = cute.static : !cute.layout<"(8,4):(4,1)">
    %r = cuda.launch_ex @kernels::@kernel<%cfg> (%l) : !cuda.launch_cfg<max_attrs = 2>, (!cute.layout<"(4,8):(8,1)">) -> !cuda.result
    return
  }
}

//--- alias.mlir
// An alias changes uses with the definition, so it shows only where something else follows: what stands first holds.
// CHECK: alias.mlir:[[# @LINE + 7]]:{{.*}} warning: 'cute.make_view' states '!cute.memref<f32, gmem, "(4,8):(8,1)">', but '!cute.memref<f32, gmem, "(8,4):(4,1)">' follows from its operands, which come first, and is taken
// CHECK-NOT: warning
// CHECK: cute.make_view{{.*}} -> !cute.memref<f32, gmem, "(8,4):(4,1)">
// CHECK: cute.get_layout{{.*}} : !cute.memref<f32, gmem, "(8,4):(4,1)">
!layout = !cute.layout<"(8,4):(4,1)">
func.func @alias(%p: !cute.ptr<f32, gmem>) {
  %l = cute.static : !layout
  %v = cute.make_view(%p, %l) : (!cute.ptr<f32, gmem>, !layout) -> !cute.memref<f32, gmem, "(4,8):(8,1)">
  %w = cute.make_view(%p, %l) : (!cute.ptr<f32, gmem>, !layout) -> !cute.memref<f32, gmem, "(4,8):(8,1)">
  %m = cute.get_layout(%v) : !cute.memref<f32, gmem, "(4,8):(8,1)">
  return
}

//--- tiled-copies.mlir
// A tiled copy whose values meet leaves elements of its tile out; threads may meet, as where the warps of a product load the same.
// CHECK: tiled-copies.mlir:[[# @LINE + 14]]:{{.*}} warning: the threads and values of '!cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f32>, layout_copy_tv = <"((32,4),(4,4)):((64,4),(16,0))">, tiler_mn = <"[16:1;128:1]">>' reach 512 of the 2048 elements of its tile; the others are not copied
// CHECK-NOT: warning
// CHECK: tiled-copies.mlir:[[# @LINE + 14]]:{{.*}} warning: the threads and values of {{.*}} reach index 2047, which is past the 1024 elements of its tile
// CHECK-NOT: warning
!atom = !cute_nvgpu.atom.universal_copy<f32>
!meets = !cute.tiled_copy<!atom, layout_copy_tv = <"((32,4),(4,4)):((64,4),(16,0))">, tiler_mn = <"[16:1;128:1]">>
!past = !cute.tiled_copy<!atom, layout_copy_tv = <"((32,4),(4,4)):((64,4),(16,1))">, tiler_mn = <"[8:1;128:1]">>
!whole = !cute.tiled_copy<!atom, layout_copy_tv = <"((32,4),(4,4)):((64,4),(16,1))">, tiler_mn = <"[16:1;128:1]">>
!shared = !cute.tiled_copy<!atom, layout_copy_tv = <"((4,8,2,2),((2,2,2),(1,1))):((64,1,16,0),((32,8,256),(0,0)))">, tiler_mn = <"[32:1;16:1]">>
!nested = !cute.tiled_copy<!atom, layout_copy_tv = <"(32,4):(1,32)">, tiler_mn = <"[(8,4):(1,8);(2,2):(1,2)]">>
!any = !cute.tiled_copy<!atom, layout_copy_tv = <"(32,1):(1,0)">, tiler_mn = <"[32:1;_]">>
func.func @copies() {
  %atom = cute.make_atom() : () -> !atom
  %0 = cute.make_tiled_copy(%atom) : !whole
  %1 = cute.make_tiled_copy(%atom) : !meets
  %2 = cute.make_tiled_copy(%atom) : !shared
  %3 = cute.make_tiled_copy(%atom) : !past
  %4 = cute.make_tiled_copy(%atom) : !nested
  %5 = cute.make_tiled_copy(%atom) : !any
  %6 = cute.make_tiled_copy(%atom) : !meets
  return
}

//--- derived.mlir
// CHECK: derived.mlir:[[# @LINE + 4]]:{{.*}} error: 'cute.make_view' states '!cute.memref<f32, gmem, "(8,4):(4,1)">', but '!cute.memref<f32, gmem, "(4,8):(8,1)">' follows from its operands, and its uses say so too: change what it is made of instead
// CHECK-NOT: error
func.func @derived(%p: !cute.ptr<f32, gmem>) {
  %l = cute.static : !cute.layout<"(4,8):(8,1)">
  %v = cute.make_view(%p, %l) : (!cute.ptr<f32, gmem>, !cute.layout<"(4,8):(8,1)">) -> !cute.memref<f32, gmem, "(8,4):(4,1)">
  %m = cute.get_layout(%v) : !cute.memref<f32, gmem, "(4,8):(8,1)">
  return
}

//--- inference.mlir
// CHECK: inference.mlir:[[# @LINE + 7]]:{{.*}} error: 'cute.composition' cannot follow: {{.+}}
// CHECK: inference.mlir:[[# @LINE + 4]]:{{.*}} note: operand #0 was stated as '!cute.layout<"(4,8):(8,1)">', and is '!cute.layout<"(3,5):(5,1)">' since the change here
// CHECK: inference.mlir:[[# @LINE + 4]]:{{.*}} note: operand #1 is '!cute.layout<"(2,8):(2,4)">' as before, which follows from here: change it here, if it belongs to the change
// CHECK-NOT: error
func.func @inference() {
  %l = cute.static : !cute.layout<"(3,5):(5,1)">
  %t = cute.static : !cute.layout<"(2,8):(2,4)">
  %c = cute.composition(%l, %t) : (!cute.layout<"(4,8):(8,1)">, !cute.layout<"(2,8):(2,4)">) -> !cute.layout<"(2,8):(16,1)">
  return
}

//--- stays.mlir
// Registers are stated apart from what is loaded, and go through a loop.
// CHECK: stays.mlir:[[# @LINE + 11]]:{{.*}} error: 'cute.copy' cannot follow: {{.+}}
// CHECK: stays.mlir:[[# @LINE + 4]]:{{.*}} note: operand #1 was stated as '!cute.memref<f32, gmem, "8:1">', and is '!cute.memref<f32, gmem, "4:1">' since the change here
// CHECK: stays.mlir:[[# @LINE + 6]]:{{.*}} note: operand #2 is '!cute.memref<f32, rmem, "8:1">' as before, which follows from here: change it here, if it belongs to the change
// CHECK-NOT: {{error|note}}
func.func @stays(%p: !cute.ptr<f32, gmem>, %n: index) {
  %l = cute.static : !cute.layout<"4:1">
  %v = cute.make_view(%p, %l) : (!cute.ptr<f32, gmem>, !cute.layout<"8:1">) -> !cute.memref<f32, gmem, "8:1">
  %a = cute.make_atom() : () -> !cute_nvgpu.atom.universal_copy<f32>
  %s = cute.static : !cute.layout<"8:1">
  %r = cute.memref.alloca(%s) : !cute.memref<f32, rmem, "8:1">
  %e = scf.for %i = %n to %n step %n iter_args(%g = %r) -> (!cute.memref<f32, rmem, "8:1">) {
    cute.copy(%a, %v, %g) : (!cute_nvgpu.atom.universal_copy<f32>, !cute.memref<f32, gmem, "8:1">, !cute.memref<f32, rmem, "8:1">)
    scf.yield %g : !cute.memref<f32, rmem, "8:1">
  }
  return
}

//--- stays-in-loops.mlir
// A while loop has other results than initial values.
// CHECK: stays-in-loops.mlir:[[# @LINE + 13]]:{{.*}} error: 'cute.composition' cannot follow: {{.+}}
// CHECK: stays-in-loops.mlir:[[# @LINE + 4]]:{{.*}} note: operand #0 was stated as '!cute.layout<"(4,8):(8,1)">', and is '!cute.layout<"(3,5):(5,1)">' since the change here
// CHECK: stays-in-loops.mlir:[[# @LINE + 5]]:{{.*}} note: operand #1 is '!cute.layout<"(2,8):(2,4)">' as before, which follows from here: change it here, if it belongs to the change
// CHECK-NOT: {{error|note}}
func.func @while(%n: i1) {
  %l = cute.static : !cute.layout<"(3,5):(5,1)">
  %r:2 = scf.while (%x = %n) : (i1) -> (i1, !cute.layout<"(2,8):(2,4)">) {
    %o = cute.static : !cute.layout<"(2,8):(2,4)">
    scf.condition(%x) %x, %o : i1, !cute.layout<"(2,8):(2,4)">
  } do {
  ^bb0(%u: i1, %v: !cute.layout<"(2,8):(2,4)">):
    scf.yield %u : i1
  }
  %c = cute.composition(%l, %r#1) : (!cute.layout<"(4,8):(8,1)">, !cute.layout<"(2,8):(2,4)">) -> !cute.layout<"((2),8):((16),2)">
  return
}

//--- stays-in-parallel.mlir
// CHECK: stays-in-parallel.mlir:[[# @LINE + 13]]:{{.*}} error: 'cute.composition' cannot follow: {{.+}}
// CHECK: stays-in-parallel.mlir:[[# @LINE + 4]]:{{.*}} note: operand #0 was stated as {{.*}} since the change here
// CHECK: stays-in-parallel.mlir:[[# @LINE + 4]]:{{.*}} note: operand #1 is '!cute.layout<"(2,8):(2,4)">' as before, which follows from here
// CHECK-NOT: {{error|note}}
func.func @parallel(%n: index) {
  %l = cute.static : !cute.layout<"(3,5):(5,1)">
  %o = cute.static : !cute.layout<"(2,8):(2,4)">
  %z = scf.parallel (%i) = (%n) to (%n) step (%n) init (%o) -> !cute.layout<"(2,8):(2,4)"> {
    scf.reduce(%o : !cute.layout<"(2,8):(2,4)">) {
    ^bb0(%a: !cute.layout<"(2,8):(2,4)">, %b: !cute.layout<"(2,8):(2,4)">):
      scf.reduce.return %a : !cute.layout<"(2,8):(2,4)">
    }
  }
  %c = cute.composition(%l, %z) : (!cute.layout<"(4,8):(8,1)">, !cute.layout<"(2,8):(2,4)">) -> !cute.layout<"((2),8):((16),2)">
  return
}

//--- verifier.mlir
// CHECK: verifier.mlir:[[# @LINE + 5]]:{{.*}} error: 'cute.memref.store_vec' cannot follow: expects a vector of 8 x f32
// CHECK: verifier.mlir:[[# @LINE + 3]]:{{.*}} note: operand #1 was stated as '!cute.memref<f32, rmem, "4:1">', and is '!cute.memref<f32, rmem, "8:1">' since the change here
// CHECK-NOT: error
func.func @verifier(%v: vector<4xf32>) {
  %r = cute.memref.alloca() : !cute.memref<f32, rmem, "8:1">
  cute.memref.store_vec %v, %r : !cute.memref<f32, rmem, "4:1">
  return
}

//--- loop.mlir
// CHECK: loop.mlir:[[# @LINE + 7]]:{{.*}} error: 'scf.yield' cannot follow: a value goes on with another type than it came in with: '!cute.layout<"(8,4):(4,1)">' and then '!cute.layout<"(4,8):(8,1)">'
// CHECK-NOT: error
func.func @loop(%n: index) {
  %c0 = arith.constant 0 : index
  %l = cute.static : !cute.layout<"(8,4):(4,1)">
  %m = cute.static : !cute.layout<"(4,8):(8,1)">
  %r = scf.for %i = %c0 to %n step %n iter_args(%a = %l) -> (!cute.layout<"(4,8):(8,1)">) {
    scf.yield %m : !cute.layout<"(4,8):(8,1)">
  }
  return
}

//--- results.mlir
// CHECK: results.mlir:[[# @LINE + 4]]:{{.*}} error: 'cute.get_leaves' cannot follow: it has 2 results, which are used, and 3 follow
// CHECK-NOT: error
func.func @results() {
  %s = cute.static : !cute.shape<"(4,8,2)">
  %a:2 = cute.get_leaves(%s) : !cute.shape<"(4,8)">
  %b = cute.to_int_tuple(%a#0) : !cute.shape<"4"> to !cute.int_tuple<"4">
  return
}

//--- alias-refused.mlir
// CHECK: alias-refused.mlir:[[# @LINE + 6]]:{{.*}} error: 'cute.composition' cannot follow: {{.+}}
// CHECK: note: it states '!cute.layout<"(2,8):(16,1)">'
!layout = !cute.layout<"(3,5):(5,1)">
func.func @refused() {
  %l = cute.static : !layout
  %t = cute.static : !cute.layout<"(2,8):(2,4)">
  %c = cute.composition(%l, %t) : (!layout, !cute.layout<"(2,8):(2,4)">) -> !cute.layout<"(2,8):(16,1)">
  return
}

//--- llvm.mlir
// Functions of the LLVM dialect, with a result and without.
// CHECK: llvm.func @none(%{{.*}}: i32) {
llvm.func @none(%x: i32) {
  llvm.return
}
// CHECK: llvm.func @one(%{{.*}}: i32) -> i32 {
llvm.func @one(%x: i32) -> i32 {
  llvm.return %x : i32
}
//--- llvm-refused.mlir
// What changed cannot be given to a function of the LLVM dialect.
// CHECK: llvm-refused.mlir:{{.*}} error:
llvm.func @takes(%x: i32) {
  llvm.return
}
func.func @gives() {
  %l = cute.static : !cute.layout<"2:1">
  %m = cute.coalesce(%l) : (!cute.layout<"4:1">) -> !cute.layout<"4:1">
  "llvm.call"(%m) <{callee = @takes, operandSegmentSizes = array<i32: 1, 0>, op_bundle_sizes = array<i32>}> : (!cute.layout<"4:1">) -> ()
  return
}
//--- callers.mlir
// Both sides of a call changed, 3 to 4, and the callee comes first: with the parameter from before nothing follows.
// CHECK: func.func @shared(%{{.*}}: !cute.layout<"(4,8):(8,1)">)
// CHECK: cute.composition{{.*}} -> !cute.layout<"4:8">
func.func @shared(%l: !cute.layout<"(3,8):(8,1)">) {
  %t = cute.static : !cute.layout<"4:1">
  %c = cute.composition(%l, %t) : (!cute.layout<"(3,8):(8,1)">, !cute.layout<"3:1">) -> !cute.layout<"3:8">
  return
}
func.func @calls() {
  %l = cute.static : !cute.layout<"(4,8):(8,1)">
  call @shared(%l) : (!cute.layout<"(3,8):(8,1)">) -> ()
  return
}
//--- affine.mlir
// A swizzle that is not there any more.
// CHECK: affine.mlir:{{.*}} error: 'cute.composed_get_outer' cannot follow: expects a composed layout, but got "(8,64):(64,1)"
func.func @f() {
  %l = cute.static : !cute.layout<"(8,64):(64,1)">
  %o = cute.composed_get_outer(%l) : (!cute.composed_layout<"S<2,3,3> o 0 o (8,64):(64,1)">) -> !cute.layout<"(8,64):(64,1)">
  return
}
//--- tensor-maps.mlir
// Half as many rows and columns: TMA brings other boxes, and tensor memory is read in another tile.
// CHECK-LABEL: func.func @maps
// CHECK: cute_nvgpu.atom.make_non_exec_tiled_tma_load{{.*}} -> (!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">, internal_val_type = f16>, !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">)
// CHECK: cute_nvgpu.atom.make_exec_tma{{.*}} -> !cute_nvgpu.atom.tma_load<f16, copy_bits = 65536, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,64):(1@1,1@0)">>
// CHECK: cute_nvgpu.atom.make_non_exec_tiled_tma_store{{.*}} -> (!cute_nvgpu.atom.non_exec_tiled_tma_store<f16, copy_bits = 65536, tma_gbasis = <"(64,64):(1@1,1@0)">, tma_format = F16_RN>,
// CHECK: cute_nvgpu.atom.make_exec_tma{{.*}} -> !cute_nvgpu.atom.tma_store<f16, copy_bits = 65536, mode = tiled, g_stride = <"()"> tma_gbasis = <"(64,64):(1@1,1@0)">>
// CHECK: cute_nvgpu.atom.make_tmem_copy{{.*}} -> !cute.tiled_copy<!cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x32>, layout_copy_tv = <"((32,4),(32,32)):((0,1),(4,128))">, tiler_mn = <"[(128,32):(32,1)]">>
!tensor = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!smem = !cute.composed_layout<"S<3,4,3> o 0 o (128,64):(64,1)">
!box = !cute.layout<"(128,64):(1@0,1@1)">
!coords = !cute.coord_tensor<"(0,0)", "(?,?):(1@1,1@0)">
!load = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, internal_val_type = f16>
!loads = !cute_nvgpu.atom.tma_load<f16, copy_bits = 131072, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,128):(1@1,1@0)">>
!store = !cute_nvgpu.atom.non_exec_tiled_tma_store<f16, copy_bits = 131072, tma_gbasis = <"(64,128):(1@1,1@0)">, tma_format = F16_RN>
!stores = !cute_nvgpu.atom.tma_store<f16, copy_bits = 131072, mode = tiled, g_stride = <"()"> tma_gbasis = <"(64,128):(1@1,1@0)">>
!atom = !cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x32>
!sums = !cute.memref<f32, tmem, align<16>, "((128,64)):((65536,1))">
func.func @maps(%t: !tensor, %p: !cute.ptr<f32, tmem, align<16>>) {
  %s = cute.static : !cute.composed_layout<"S<3,4,3> o 0 o (64,64):(64,1)">
  %b = cute.static : !cute.layout<"(64,64):(1@0,1@1)">
  %l, %lc = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%t, %s, %b) <{kind = <sm_90> num_multicast = 1}> : (!tensor, !smem, !box) -> (!load, !coords)
  %le = cute_nvgpu.atom.make_exec_tma(%l) : (!load) -> !loads
  %w, %wc = cute_nvgpu.atom.make_non_exec_tiled_tma_store(%t, %s, %b) : (!tensor, !smem, !box) -> (!store, !coords)
  %we = cute_nvgpu.atom.make_exec_tma(%w) : (!store) -> !stores
  %d = cute.static : !cute.layout<"((128,32)):((65536,1))">
  %v = cute.make_view(%p, %d) : (!cute.ptr<f32, tmem, align<16>>, !cute.layout<"((128,64)):((65536,1))">) -> !sums
  %a = cute.make_atom() : () -> !atom
  %c = cute_nvgpu.atom.make_tmem_copy(%a, %v) : (!atom, !sums) -> !cute.tiled_copy<!atom, layout_copy_tv = <"((32,4),(32,32)):((0,1),(4,128))">, tiler_mn = <"[(128,64):(64,1)]">>
  return
}
//--- made.mlir
// A warp reads 32 lanes, four of them 128, each thread 32 columns: the tensor and the atom say so. (32,32) and (128,4) before the edit.
// CHECK: made.mlir:{{.*}} warning: 'cute_nvgpu.atom.make_tmem_copy' states {{.*}}(64,32){{.*}}, but {{.*}}(32,32){{.*}} follows from its operands, which come first, and is taken
// CHECK: make_tmem_copy{{.*}} -> !cute.tiled_copy<{{.*}}x32>, layout_copy_tv = <"((32,4),(32,32)):((0,1),(128,4))">, tiler_mn = <"[(4,32):(32,1);32:1]">>
// CHECK: partition_S{{.*}} -> !cute.memref<f32, tmem, align<16>, "(((32,32),1),1,1):(((1,65536),0),0,0)">
!atom = !cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x32>
!sums = !cute.memref<f32, tmem, align<16>, "(128,32):(65536,1)">
!part = !cute.memref<f32, tmem, align<16>, "(((32,32),1),1,1):(((1,65536),0),0,0)">
!copy = !cute.tiled_copy<!atom, layout_copy_tv = <"((32,4),(64,32)):((0,1),(128,4))">, tiler_mn = <"[(4,32):(32,1);32:1]">>
func.func @f(%v: !sums) -> !part {
  %a = cute.make_atom() : () -> !atom
  %c = cute_nvgpu.atom.make_tmem_copy(%a, %v) : (!atom, !sums) -> !copy
  %t = cute.make_coord() : () -> !cute.coord<"0">
  %p = cute.tiled.copy.partition_S(%c, %v, %t) : (!copy, !sums, !cute.coord<"0">) -> !part
  return %p : !part
}
//--- made-refused.mlir
// Edited where it is made, and not where it is used.
// CHECK: made-refused.mlir:{{.*}} error: 'cute_nvgpu.atom.make_tmem_copy' states {{.*}};64:1]{{.*}}, but {{.*}};32:1]{{.*}} follows from its operands, and its uses say so too: change what it is made of instead
!atom = !cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x32>
!sums = !cute.memref<f32, tmem, align<16>, "(128,32):(65536,1)">
!part = !cute.memref<f32, tmem, align<16>, "(((32,32),1),1,1):(((1,65536),0),0,0)">
!copy = !cute.tiled_copy<!atom, layout_copy_tv = <"((32,4),(32,32)):((0,1),(128,4))">, tiler_mn = <"[(4,32):(32,1);32:1]">>
func.func @f(%v: !sums) {
  %a = cute.make_atom() : () -> !atom
  %c = cute_nvgpu.atom.make_tmem_copy(%a, %v) : (!atom, !sums) -> !cute.tiled_copy<!atom, layout_copy_tv = <"((32,4),(32,32)):((0,1),(128,4))">, tiler_mn = <"[(4,32):(32,1);64:1]">>
  %t = cute.make_coord() : () -> !cute.coord<"0">
  %p = cute.tiled.copy.partition_S(%c, %v, %t) : (!copy, !sums, !cute.coord<"0">) -> !part
  return
}
//--- recursion.mlir
// Each call groups the modes once more.
// CHECK: recursion.mlir:{{.*}} error: the types of this function do not settle
func.func @grows(%l: !cute.layout<"4:1">) {
  %p = cute.logical_product(%l, %l) : (!cute.layout<"4:1">, !cute.layout<"4:1">) -> !cute.layout<"(4,4):(1,4)">
  call @grows(%p) : (!cute.layout<"4:1">) -> ()
  return
}
func.func @start() {
  %l = cute.static : !cute.layout<"2:1">
  call @grows(%l) : (!cute.layout<"4:1">) -> ()
  return
}
