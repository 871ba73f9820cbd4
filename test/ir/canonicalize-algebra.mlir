// What `--canonicalize` makes of algebra: values that are known or there already take the place of ops, by one evaluation and no table
// of pairs (tessera/cute/Fold.h).
// RUN: tessera-opt %s --canonicalize --split-input-file | FileCheck %s

// A layout of constants: its type states it all.
// CHECK-LABEL: @constants
func.func @constants() -> (!cute.layout<"(4,8):(1,4)">, !cute.int_tuple<"32">, !cute.layout<"8:1">, !cute.swizzle<"S<2,4,3>">) {
  // CHECK-DAG: %[[L:.*]] = cute.static : !cute.layout<"(4,8):(1,4)">
  // CHECK-DAG: %[[N:.*]] = cute.static : !cute.int_tuple<"32">
  // CHECK-DAG: %[[F:.*]] = cute.static : !cute.layout<"8:1">
  // CHECK-DAG: %[[S:.*]] = cute.static : !cute.swizzle<"S<2,4,3>">
  // CHECK: return %[[L]], %[[N]], %[[F]], %[[S]]
  %shape = cute.make_shape() : () -> !cute.shape<"(4,8)">
  %l = cute.make_layout(%shape) : !cute.layout<"(4,8):(1,4)">
  %n = cute.size(%l) : (!cute.layout<"(4,8):(1,4)">) -> !cute.int_tuple<"32">
  %b = cute.static : !cute.layout<"((1,2),4):((0,1),2)">
  %f = cute.filter(%b) : (!cute.layout<"((1,2),4):((0,1),2)">) -> !cute.layout<"8:1">
  %s = cute.make_swizzle : !cute.swizzle<"S<2,4,3>">
  return %l, %n, %f, %s : !cute.layout<"(4,8):(1,4)">, !cute.int_tuple<"32">, !cute.layout<"8:1">, !cute.swizzle<"S<2,4,3>">
}

// -----

// Every part of what was put together.
// CHECK-LABEL: @parts
// CHECK-SAME: (%[[S:.*]]: !cute.shape<"(?,8)">, %[[D:.*]]: !cute.stride<"(1,?)">, %[[P:.*]]: !cute.ptr<f32, gmem>)
func.func @parts(%s: !cute.shape<"(?,8)">, %d: !cute.stride<"(1,?)">, %p: !cute.ptr<f32, gmem>)
    -> (!cute.shape<"(?,8)">, !cute.stride<"(1,?)">, !cute.ptr<f32, gmem>, !cute.layout<"(?,8):(1,?)">, !cute.shape<"(?,8)">) {
  // CHECK-NEXT: %[[L:.*]] = cute.make_layout(%[[S]], %[[D]])
  // CHECK-NEXT: return %[[S]], %[[D]], %[[P]], %[[L]], %[[S]]
  %l = cute.make_layout(%s, %d) : (!cute.shape<"(?,8)">, !cute.stride<"(1,?)">) -> !cute.layout<"(?,8):(1,?)">
  %v = cute.make_view(%p, %l) : (!cute.ptr<f32, gmem>, !cute.layout<"(?,8):(1,?)">) -> !cute.memref<f32, gmem, "(?,8):(1,?)">
  %s1 = cute.get_shape(%l) : (!cute.layout<"(?,8):(1,?)">) -> !cute.shape<"(?,8)">
  %d1 = cute.get_stride(%l) : !cute.layout<"(?,8):(1,?)"> -> !cute.stride<"(1,?)">
  %p1 = cute.get_iter(%v) : (!cute.memref<f32, gmem, "(?,8):(1,?)">) -> !cute.ptr<f32, gmem>
  %l1 = cute.get_layout(%v) : !cute.memref<f32, gmem, "(?,8):(1,?)">
  %s2 = cute.get_shape(%v) : (!cute.memref<f32, gmem, "(?,8):(1,?)">) -> !cute.shape<"(?,8)">
  return %s1, %d1, %p1, %l1, %s2 : !cute.shape<"(?,8)">, !cute.stride<"(1,?)">, !cute.ptr<f32, gmem>, !cute.layout<"(?,8):(1,?)">, !cute.shape<"(?,8)">
}

// -----

// The other way round: what is made of all parts of a value is that value.
// CHECK-LABEL: @together
// CHECK-SAME: (%[[V:.*]]: !cute.memref<{{.*}}>, %[[S:.*]]: !cute.shape<"(?,?)">)
func.func @together(%v: !cute.memref<f32, gmem, "(?,8):(1,?)">, %s: !cute.shape<"(?,?)">) -> (!cute.memref<f32, gmem, "(?,8):(1,?)">, !cute.shape<"(?,?)">) {
  // CHECK-NEXT: return %[[V]], %[[S]]
  %p = cute.get_iter(%v) : (!cute.memref<f32, gmem, "(?,8):(1,?)">) -> !cute.ptr<f32, gmem>
  %l = cute.get_layout(%v) : !cute.memref<f32, gmem, "(?,8):(1,?)">
  %w = cute.make_view(%p, %l) : (!cute.ptr<f32, gmem>, !cute.layout<"(?,8):(1,?)">) -> !cute.memref<f32, gmem, "(?,8):(1,?)">
  %m, %n = cute.get_scalars(%s) : !cute.shape<"(?,?)">
  %t = cute.make_shape(%m, %n) : (i32, i32) -> !cute.shape<"(?,?)">
  return %w, %t : !cute.memref<f32, gmem, "(?,8):(1,?)">, !cute.shape<"(?,?)">
}

// -----

// What is not that value: another order, another iterator, a leaf of another value.
// CHECK-LABEL: @not_together
func.func @not_together(%v: !cute.memref<f32, gmem, "(?,8):(1,?)">, %w: !cute.memref<f32, gmem, "(?,8):(1,?)">, %s: !cute.shape<"(?,?)">)
    -> (!cute.memref<f32, gmem, "(?,8):(1,?)">, !cute.shape<"(?,?)">) {
  // CHECK: cute.make_view
  // CHECK: cute.make_shape
  %p = cute.get_iter(%v) : (!cute.memref<f32, gmem, "(?,8):(1,?)">) -> !cute.ptr<f32, gmem>
  %l = cute.get_layout(%w) : !cute.memref<f32, gmem, "(?,8):(1,?)">
  %x = cute.make_view(%p, %l) : (!cute.ptr<f32, gmem>, !cute.layout<"(?,8):(1,?)">) -> !cute.memref<f32, gmem, "(?,8):(1,?)">
  %m, %n = cute.get_scalars(%s) : !cute.shape<"(?,?)">
  %t = cute.make_shape(%n, %m) : (i32, i32) -> !cute.shape<"(?,?)">
  return %x, %t : !cute.memref<f32, gmem, "(?,8):(1,?)">, !cute.shape<"(?,?)">
}

// -----

// Composition with the layout's own extents, select of all modes, twice the same normal form.
// CHECK-LABEL: @identities
// CHECK-SAME: (%[[L:.*]]: !cute.layout<"(4,8):(?,?)">, %[[M:.*]]: !cute.layout<"(?,8):(1,?)">, %[[N:.*]]: !cute.layout<"(?,1,8):(1,0,?)">)
func.func @identities(%l: !cute.layout<"(4,8):(?,?)">, %m: !cute.layout<"(?,8):(1,?)">, %n: !cute.layout<"(?,1,8):(1,0,?)">)
    -> (!cute.layout<"(4,8):(?,?)">, !cute.layout<"(?,8):(1,?)">, !cute.layout<"(?,8):(1,?)">, !cute.layout<"(?,8):(1,?)">) {
  // CHECK-NOT: cute.composition
  // CHECK-NOT: cute.select
  // CHECK: %[[C:.*]] = cute.coalesce(%[[N]])
  // CHECK-NOT: cute.coalesce
  // CHECK: return %[[L]], %[[M]], %[[C]], %[[M]]
  %shape = cute.static : !cute.layout<"(4,8):(1,4)">
  %a = cute.composition(%l, %shape) : (!cute.layout<"(4,8):(?,?)">, !cute.layout<"(4,8):(1,4)">) -> !cute.layout<"(4,8):(?,?)">
  %b = cute.select<[0, 1]>(%m) : !cute.layout<"(?,8):(1,?)"> -> !cute.layout<"(?,8):(1,?)">
  %c0 = cute.coalesce(%n) : (!cute.layout<"(?,1,8):(1,0,?)">) -> !cute.layout<"(?,8):(1,?)">
  %c = cute.coalesce(%c0) : (!cute.layout<"(?,8):(1,?)">) -> !cute.layout<"(?,8):(1,?)">
  %d = cute.flatten(%m) : (!cute.layout<"(?,8):(1,?)">) -> !cute.layout<"(?,8):(1,?)">
  return %a, %b, %c, %d : !cute.layout<"(4,8):(?,?)">, !cute.layout<"(?,8):(1,?)">, !cute.layout<"(?,8):(1,?)">, !cute.layout<"(?,8):(1,?)">
}

// -----

// Not identities: other extents, modes exchanged.
// CHECK-LABEL: @no_identities
func.func @no_identities(%l: !cute.layout<"(4,8):(?,?)">, %m: !cute.layout<"(?,?):(?,?)">) -> (!cute.layout<"(4,4):(?,?)">, !cute.layout<"(?,?):(?,?)">) {
  // CHECK: cute.composition
  // CHECK: cute.select<[1, 0]>
  %part = cute.static : !cute.layout<"(4,4):(1,4)">
  %a = cute.composition(%l, %part) : (!cute.layout<"(4,8):(?,?)">, !cute.layout<"(4,4):(1,4)">) -> !cute.layout<"(4,4):(?,?)">
  %b = cute.select<[1, 0]>(%m) : !cute.layout<"(?,?):(?,?)"> -> !cute.layout<"(?,?):(?,?)">
  return %a, %b : !cute.layout<"(4,4):(?,?)">, !cute.layout<"(?,?):(?,?)">
}

// -----

// Neutral elements, static or constants; one is none.
// CHECK-LABEL: @neutral
// CHECK-SAME: (%[[T:.*]]: !cute.int_tuple<"(?,?)">, %[[P:.*]]: !cute.ptr<f32, gmem>)
func.func @neutral(%t: !cute.int_tuple<"(?,?)">, %p: !cute.ptr<f32, gmem>)
    -> (!cute.int_tuple<"(?,?)">, !cute.int_tuple<"(?,?)">, !cute.int_tuple<"(?,?)">, !cute.ptr<f32, gmem>, !cute.ptr<f32, gmem>) {
  // CHECK: %[[U:.*]] = cute.tuple_add
  // CHECK-NEXT: %[[Q:.*]] = cute.add_offset
  // CHECK-NEXT: return %[[T]], %[[T]], %[[U]], %[[P]], %[[Q]]
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = cute.make_int_tuple(%c0) : (i32) -> !cute.int_tuple<"(?,0)">
  %ones = cute.make_int_tuple(%c1, %c1) : (i32, i32) -> !cute.int_tuple<"(?,?)">
  %none = cute.static : !cute.int_tuple<"0">
  %one = cute.static : !cute.int_tuple<"1">
  %a = cute.tuple_add(%t, %zero) : (!cute.int_tuple<"(?,?)">, !cute.int_tuple<"(?,0)">) -> !cute.int_tuple<"(?,?)">
  %m = cute.tuple_mul(%ones, %t) : (!cute.int_tuple<"(?,?)">, !cute.int_tuple<"(?,?)">) -> !cute.int_tuple<"(?,?)">
  %u = cute.tuple_add(%t, %ones) : (!cute.int_tuple<"(?,?)">, !cute.int_tuple<"(?,?)">) -> !cute.int_tuple<"(?,?)">
  %here = cute.add_offset(%p, %none) : (!cute.ptr<f32, gmem>, !cute.int_tuple<"0">) -> !cute.ptr<f32, gmem>
  %next = cute.add_offset(%p, %one) : (!cute.ptr<f32, gmem>, !cute.int_tuple<"1">) -> !cute.ptr<f32, gmem>
  return %a, %m, %u, %here, %next : !cute.int_tuple<"(?,?)">, !cute.int_tuple<"(?,?)">, !cute.int_tuple<"(?,?)">, !cute.ptr<f32, gmem>, !cute.ptr<f32, gmem>
}

// -----

// A number that the type leaves open is a constant where it is read.
// CHECK-LABEL: @numbers
func.func @numbers() -> (i32, i1, i1) {
  // CHECK-DAG: %[[N:.*]] = arith.constant 32 : i32
  // CHECK-DAG: %[[T:.*]] = arith.constant true
  // CHECK-DAG: %[[F:.*]] = arith.constant false
  // CHECK: return %[[N]], %[[T]], %[[F]]
  %c4 = arith.constant 4 : i32
  %c8 = arith.constant 8 : i32
  %s = cute.make_shape(%c4, %c8) : (i32, i32) -> !cute.shape<"(?,?)">
  %n = cute.size(%s) : (!cute.shape<"(?,?)">) -> !cute.int_tuple<"?">
  %x = cute.get_scalars(%n) : !cute.int_tuple<"?">
  %c = cute.static : !cute.coord<"(1,2)">
  %less = cute.elem_less(%c, %s) : (!cute.coord<"(1,2)">, !cute.shape<"(?,?)">) -> i1
  %t = cute.static : !cute.shape<"(4,9)">
  %equal = cute.equal(%s, %t) : (!cute.shape<"(?,?)">, !cute.shape<"(4,9)">) -> i1
  return %x, %less, %equal : i32, i1, i1
}

// -----

// A product that does not fit 32 bits is left to the code: what it wraps to is not said here.
// CHECK-LABEL: @no_number
func.func @no_number() -> i32 {
  // CHECK: cute.size
  %big = arith.constant 65536 : i32
  %s = cute.make_shape(%big, %big) : (i32, i32) -> !cute.shape<"(?,?)">
  %n = cute.size(%s) : (!cute.shape<"(?,?)">) -> !cute.int_tuple<"?">
  %x = cute.get_scalars(%n) : !cute.int_tuple<"?">
  return %x : i32
}

// -----

// Tuples of scalars that are there: get, select and conversions of what was made of them.
// CHECK-LABEL: @tuples
// CHECK-SAME: (%[[M:.*]]: i32, %[[N:.*]]: i32)
func.func @tuples(%m: i32, %n: i32) -> (!cute.shape<"?">, !cute.coord<"(?,?)">, i32) {
  // CHECK-DAG: %[[A:.*]] = cute.make_int_tuple(%[[N]]) : (i32) -> !cute.shape<"?">
  // CHECK-DAG: %[[B:.*]] = cute.make_int_tuple(%[[N]], %[[M]]) : (i32, i32) -> !cute.coord<"(?,?)">
  // CHECK: return %[[A]], %[[B]], %[[M]]
  %s = cute.make_shape(%m, %n) : (i32, i32) -> !cute.shape<"(?,?)">
  %a = cute.get<[1]>(%s) : !cute.shape<"(?,?)"> -> !cute.shape<"?">
  %r = cute.select<[1, 0]>(%s) : !cute.shape<"(?,?)"> -> !cute.shape<"(?,?)">
  %b = cute.to_coord(%r) : !cute.shape<"(?,?)"> -> !cute.coord<"(?,?)">
  %l = cute.make_layout(%s) : !cute.layout<"(?,?):(1,?)">
  %x, %y, %z = cute.get_scalars<{only_dynamic}>(%l) : !cute.layout<"(?,?):(1,?)">
  return %a, %b, %z : !cute.shape<"?">, !cute.coord<"(?,?)">, i32
}

// -----

// Conversions of conversions. A shape is made of an int_tuple only, so that of a stride stays two ops.
// CHECK-LABEL: @conversions
// CHECK-SAME: (%[[S:.*]]: !cute.stride<"(?,32)">, %[[T:.*]]: !cute.shape<"(?,2)">)
func.func @conversions(%s: !cute.stride<"(?,32)">, %t: !cute.shape<"(?,2)">)
    -> (!cute.shape<"(?,32)">, !cute.coord<"(?,32)">, !cute.coord<"(?,2)">, !cute.int_tuple<"(?,2)">) {
  // CHECK-DAG: %[[I:.*]] = cute.to_int_tuple(%[[S]])
  // CHECK-DAG: %[[A:.*]] = cute.to_shape(%[[I]])
  // CHECK-DAG: %[[B:.*]] = cute.to_coord(%[[I]])
  // CHECK-DAG: %[[C:.*]] = cute.to_coord(%[[T]])
  // CHECK-DAG: %[[D:.*]] = cute.to_int_tuple(%[[T]])
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  %i = cute.to_int_tuple(%s) : !cute.stride<"(?,32)"> -> !cute.int_tuple<"(?,32)">
  %a = cute.to_shape(%i) : !cute.int_tuple<"(?,32)"> -> !cute.shape<"(?,32)">
  %b = cute.to_coord(%i) : !cute.int_tuple<"(?,32)"> -> !cute.coord<"(?,32)">
  %j = cute.to_int_tuple(%t) : !cute.shape<"(?,2)"> -> !cute.int_tuple<"(?,2)">
  %c = cute.to_coord(%j) : !cute.int_tuple<"(?,2)"> -> !cute.coord<"(?,2)">
  %k = cute.to_shape(%j) : !cute.int_tuple<"(?,2)"> -> !cute.shape<"(?,2)">
  %d = cute.to_int_tuple(%k) : !cute.shape<"(?,2)"> -> !cute.int_tuple<"(?,2)">
  return %a, %b, %c, %d : !cute.shape<"(?,32)">, !cute.coord<"(?,32)">, !cute.coord<"(?,2)">, !cute.int_tuple<"(?,2)">
}

// -----

// Slice of slice, of a layout and of a view; with coordinates known and not.
// CHECK-LABEL: @slices
// CHECK-SAME: (%[[L:.*]]: !cute.layout<"(4,8,?):(1,4,?)">, %[[V:.*]]: !cute.memref<{{.*}}>, %[[I:.*]]: !cute.coord<"(_,?,_)">, %[[J:.*]]: !cute.coord<"(?,_)">)
func.func @slices(%l: !cute.layout<"(4,8,?):(1,4,?)">, %v: !cute.memref<f32, gmem, "(4,8,?):(1,4,?)">, %i: !cute.coord<"(_,?,_)">, %j: !cute.coord<"(?,_)">)
    -> (!cute.layout<"(?):(?)">, !cute.memref<f32, gmem, "(?):(?)">) {
  // CHECK-DAG: %[[C:.*]] = cute.static : !cute.coord<"(2,1,_)">
  // CHECK-DAG: %[[A:.*]] = cute.slice(%[[L]], %[[C]])
  // CHECK-DAG: %[[X:.*]] = cute.get_scalars<{only_dynamic}> (%[[I]])
  // CHECK-DAG: %[[Y:.*]] = cute.get_scalars<{only_dynamic}> (%[[J]])
  // CHECK-DAG: %[[D:.*]] = cute.make_int_tuple(%[[Y]], %[[X]]) : (i32, i32) -> !cute.coord<"(?,?,_)">
  // CHECK-DAG: %[[B:.*]] = cute.slice(%[[V]], %[[D]])
  // CHECK: return %[[A]], %[[B]]
  %c1 = cute.static : !cute.coord<"(_,1,_)">
  %c2 = cute.static : !cute.coord<"(2,_)">
  %a0 = cute.slice(%l, %c1) : !cute.layout<"(4,8,?):(1,4,?)">, !cute.coord<"(_,1,_)">
  %a = cute.slice(%a0, %c2) : !cute.layout<"(4,?):(1,?)">, !cute.coord<"(2,_)">
  %b0 = cute.slice(%v, %i) : !cute.memref<f32, gmem, "(4,8,?):(1,4,?)">, !cute.coord<"(_,?,_)">
  %b = cute.slice(%b0, %j) : !cute.memref<f32, gmem, "(4,?):(1,?)">, !cute.coord<"(?,_)">
  return %a, %b : !cute.layout<"(?):(?)">, !cute.memref<f32, gmem, "(?):(?)">
}

// -----

// The first slice is used by itself: it stays, and so does the second.
// CHECK-LABEL: @slice_with_users
func.func @slice_with_users(%l: !cute.layout<"(4,8,?):(1,4,?)">) -> (!cute.layout<"(4,?):(1,?)">, !cute.layout<"(?):(?)">) {
  // CHECK-COUNT-2: cute.slice
  %c1 = cute.static : !cute.coord<"(_,1,_)">
  %c2 = cute.static : !cute.coord<"(2,_)">
  %a0 = cute.slice(%l, %c1) : !cute.layout<"(4,8,?):(1,4,?)">, !cute.coord<"(_,1,_)">
  %a = cute.slice(%a0, %c2) : !cute.layout<"(4,?):(1,?)">, !cute.coord<"(2,_)">
  return %a0, %a : !cute.layout<"(4,?):(1,?)">, !cute.layout<"(?):(?)">
}

// -----

// get of get and select of select of what is not made here.
// CHECK-LABEL: @paths
// CHECK-SAME: (%[[L:.*]]: !cute.layout<"((?,4),8):((1,?),?)">, %[[S:.*]]: !cute.shape<"(?,?,4)">)
func.func @paths(%l: !cute.layout<"((?,4),8):((1,?),?)">, %s: !cute.shape<"(?,?,4)">) -> (!cute.layout<"4:?">, !cute.shape<"(?)">) {
  // CHECK-DAG: %[[A:.*]] = cute.get<[0, 1]> (%[[L]])
  // CHECK-DAG: %[[B:.*]] = cute.select<[1]> (%[[S]])
  // CHECK: return %[[A]], %[[B]]
  %a0 = cute.get<[0]>(%l) : !cute.layout<"((?,4),8):((1,?),?)"> -> !cute.layout<"(?,4):(1,?)">
  %a = cute.get<[1]>(%a0) : !cute.layout<"(?,4):(1,?)"> -> !cute.layout<"4:?">
  %b0 = cute.select<[2, 1]>(%s) : !cute.shape<"(?,?,4)"> -> !cute.shape<"(4,?)">
  %b = cute.select<[1]>(%b0) : !cute.shape<"(4,?)"> -> !cute.shape<"(?)">
  return %a, %b : !cute.layout<"4:?">, !cute.shape<"(?)">
}

// -----

// Casts of pointers and integers that say nothing new.
// CHECK-LABEL: @casts
// CHECK-SAME: (%[[P:.*]]: !cute.ptr<f32, gmem>, %[[A:.*]]: i64, %[[N:.*]]: !cute.i32<divby 4>)
func.func @casts(%p: !cute.ptr<f32, gmem>, %a: i64, %n: !cute.i32<divby 4>) -> (!cute.ptr<f32, gmem>, !cute.ptr<f32, gmem>, i64, !cute.i32<divby 4>) {
  // CHECK-NEXT: return %[[P]], %[[P]], %[[A]], %[[N]]
  %q = cute.recast_iter(%p) : !cute.ptr<f32, gmem> to !cute.ptr<f32, gmem>
  %i = cute.ptrtoint(%p) : !cute.ptr<f32, gmem> to i64
  %r = cute.inttoptr(%i) : i64 to !cute.ptr<f32, gmem>
  %s = cute.inttoptr(%a) : i64 to !cute.ptr<f32, gmem>
  %b = cute.ptrtoint(%s) : !cute.ptr<f32, gmem> to i64
  %m = cute.assume(%n) : (!cute.i32<divby 4>) -> !cute.i32<divby 4>
  return %q, %r, %b, %m : !cute.ptr<f32, gmem>, !cute.ptr<f32, gmem>, i64, !cute.i32<divby 4>
}

// -----

// A shared memory pointer has 32 bits, the integer 64; the other casts change the type.
// CHECK-LABEL: @no_casts
func.func @no_casts(%a: i64, %p: !cute.ptr<f32, gmem>) -> (i64, !cute.ptr<f16, gmem>) {
  // CHECK: cute.inttoptr
  // CHECK: cute.ptrtoint
  // CHECK: cute.recast_iter
  %s = cute.inttoptr(%a) : i64 to !cute.ptr<f32, smem>
  %b = cute.ptrtoint(%s) : !cute.ptr<f32, smem> to i64
  %q = cute.recast_iter(%p) : !cute.ptr<f32, gmem> to !cute.ptr<f16, gmem>
  return %b, %q : i64, !cute.ptr<f16, gmem>
}

// -----

// What holds only under an assumption stays, as the assumption would go with it: that 1 divides the extent is one to shape_div, which
// looks at types only.
// CHECK-LABEL: @assumption
func.func @assumption(%s: !cute.shape<"?">) -> !cute.shape<"?"> {
  // CHECK: cute.shape_div
  %c1 = arith.constant 1 : i32
  %one = cute.make_shape(%c1) : (i32) -> !cute.shape<"?">
  %q = cute.shape_div(%s, %one) : (!cute.shape<"?">, !cute.shape<"?">) -> !cute.shape<"?">
  return %q : !cute.shape<"?">
}

// -----

// Registers are allocated, so fragments are neither shared nor removed.
// CHECK-LABEL: @fragments
func.func @fragments(%c: !cute.coord<"(0)">) -> (!cute.memref<f32, rmem, "4:1">, !cute.memref<f32, rmem, "4:1">) {
  // CHECK-COUNT-2: cute.memref.alloca
  %a = cute.memref.alloca() : !cute.memref<f32, rmem, "4:1">
  %b = cute.memref.alloca() : !cute.memref<f32, rmem, "4:1">
  return %a, %b : !cute.memref<f32, rmem, "4:1">, !cute.memref<f32, rmem, "4:1">
}

// -----

// What is compared with itself, and what only may be equal.
// CHECK-LABEL: @comparisons
func.func @comparisons(%s: !cute.shape<"(?,?)">, %t: !cute.shape<"(?,?)">) -> (i1, i1, i1) {
  // CHECK-DAG: %[[T:.*]] = arith.constant true
  // CHECK-DAG: %[[F:.*]] = arith.constant false
  // CHECK-DAG: %[[E:.*]] = cute.equal
  // CHECK: return %[[T]], %[[E]], %[[F]]
  %l = cute.make_layout(%s) : !cute.layout<"(?,?):(1,?)">
  %u = cute.get_shape(%l) : (!cute.layout<"(?,?):(1,?)">) -> !cute.shape<"(?,?)">
  %0 = cute.equal(%s, %u) : (!cute.shape<"(?,?)">, !cute.shape<"(?,?)">) -> i1
  %1 = cute.equal(%s, %t) : (!cute.shape<"(?,?)">, !cute.shape<"(?,?)">) -> i1
  %2 = cute.elem_less(%s, %u) : (!cute.shape<"(?,?)">, !cute.shape<"(?,?)">) -> i1
  return %0, %1, %2 : i1, i1, i1
}

// -----

// An extent that turns out to be a constant: the type of the descriptor iterator stays as it was.
// CHECK-LABEL: @descriptor
func.func @descriptor(%p: !cute.ptr<f32, gmem>, %s: i32) -> !cute.desc_iter<!cute.ptr<f32, gmem>, "?:?"> {
  // CHECK-DAG: %[[N:.*]] = arith.constant 64 : i32
  // CHECK: cute.make_desc_iter(%{{.*}}, %[[N]], %{{.*}}, %{{.*}}) : {{.*}} -> !cute.desc_iter<!cute.ptr<f32, gmem>, "?:?">
  %c64 = arith.constant 64 : i32
  %c8 = arith.constant 8 : i32
  %shape = cute.make_shape(%c64) : (i32) -> !cute.shape<"?">
  %n = cute.get_scalars(%shape) : !cute.shape<"?">
  %i = cute.make_desc_iter(%p, %n, %c8, %s) : (!cute.ptr<f32, gmem>, i32, i32, i32) -> !cute.desc_iter<!cute.ptr<f32, gmem>, "?:?">
  return %i : !cute.desc_iter<!cute.ptr<f32, gmem>, "?:?">
}
