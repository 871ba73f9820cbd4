// Pointers, tensors, loads and stores, fast division, printing. Types are worked out by hand.
// RUN: tessera-opt %s | tessera-opt | FileCheck %s
// RUN: tessera-opt %s --mlir-print-op-generic | tessera-opt | FileCheck %s

// CHECK-LABEL: @pointers
func.func @pointers(%p: !cute.ptr<f16, gmem, align<16>>, %o: !cute.int_tuple<"?{div=4}">, %z: !cute.int_tuple<"3">,
                    %a: !cute.i64<divby 128>, %s: !cute.ptr<f16, smem, align<128>, S<3,4,3>>, %i: i32) {
  // Four halves are 8 bytes: what is left of an alignment of 16.
  // CHECK: cute.add_offset(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.ptr<f16, gmem, align<8>>
  %0 = cute.add_offset(%p, %o) : (!cute.ptr<f16, gmem, align<16>>, !cute.int_tuple<"?{div=4}">)
  // Three halves are 6 bytes; an alignment of 2 is that of one element, which is not printed.
  // CHECK: cute.add_offset(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.ptr<f16, gmem>
  %1 = cute.add_offset(%p, %z) : (!cute.ptr<f16, gmem, align<16>>, !cute.int_tuple<"3">)
  // CHECK: cute.recast_iter(%{{.*}}) : !cute.ptr<f16, smem, align<128>, S<3,4,3>> to !cute.ptr<i32, smem, align<16>>
  %2 = cute.recast_iter(%s) : !cute.ptr<f16, smem, align<128>, S<3,4,3>> to !cute.ptr<i32, smem, align<16>>
  // CHECK: cute.inttoptr(%{{.*}}) : !cute.i64<divby 128> to !cute.ptr<f32, gmem, align<64>>
  %3 = cute.inttoptr(%a) : !cute.i64<divby 128> to !cute.ptr<f32, gmem, align<64>>
  // Shared memory has addresses of 32 bits, too.
  // CHECK: cute.ptrtoint(%{{.*}}) : !cute.ptr<f16, smem, align<128>, S<3,4,3>> to i32
  %4 = cute.ptrtoint(%s) : !cute.ptr<f16, smem, align<128>, S<3,4,3>> to i32
  // CHECK: cute.assume(%{{.*}}) : (i32) -> !cute.i32<divby 8>
  %5 = cute.assume(%i) : (i32) -> !cute.i32<divby 8>
  // CHECK: cute.ptr.load(%{{.*}}) {offset = 4 : i64} : (!cute.ptr<f16, gmem, align<16>>) -> vector<4xf16>
  %6 = cute.ptr.load(%p) {offset = 4 : i64} : (!cute.ptr<f16, gmem, align<16>>) -> vector<4xf16>
  // CHECK: cute.ptr.store(%{{.*}}, %{{.*}}) {alignment = 8 : i64} : (!cute.ptr<f16, gmem, align<16>>, vector<4xf16>) -> ()
  cute.ptr.store(%p, %6) {alignment = 8 : i64} : (!cute.ptr<f16, gmem, align<16>>, vector<4xf16>) -> ()
  return
}

// CHECK-LABEL: @views
func.func @views(%p: !cute.ptr<f32, gmem, align<16>>, %l: !cute.layout<"(8,4):(4,1)">, %c: !cute.coord<"(3,_)">,
                 %t: !cute.tile<"[4:1;2:1]">, %tc: !cute.coord<"(1,1)">) {
  // CHECK: %[[V:.*]] = cute.make_view(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.memref<f32, gmem, align<16>, "(8,4):(4,1)">
  %v = cute.make_view(%p, %l) : (!cute.ptr<f32, gmem, align<16>>, !cute.layout<"(8,4):(4,1)">)
  // CHECK: cute.get_iter(%[[V]]) : {{.*}} -> !cute.ptr<f32, gmem, align<16>>
  %0 = cute.get_iter(%v) : (!cute.memref<f32, gmem, align<16>, "(8,4):(4,1)">)
  // CHECK: cute.get_layout(%[[V]]) : !cute.memref<f32, gmem, align<16>, "(8,4):(4,1)">
  %1 = cute.get_layout(%v) : !cute.memref<f32, gmem, align<16>, "(8,4):(4,1)">
  // CHECK: cute.get_stride(%{{.*}}) : <"(8,4):(4,1)"> -> !cute.stride<"(4,1)">
  %2 = cute.get_stride(%1) : !cute.layout<"(8,4):(4,1)">
  // Row 3 begins 12 floats, 48 bytes, further: still aligned to 16.
  // CHECK: %[[R:.*]] = cute.slice(%[[V]], %{{.*}}) : !cute.memref<f32, gmem, align<16>, "(8,4):(4,1)">, !cute.coord<"(3,_)">
  %3 = cute.slice(%v, %c) : !cute.memref<f32, gmem, align<16>, "(8,4):(4,1)">, !cute.coord<"(3,_)">
  // CHECK: cute.get_iter(%[[R]]) : (!cute.memref<f32, gmem, align<16>, "(4):(1)">) -> !cute.ptr<f32, gmem, align<16>>
  %4 = cute.get_iter(%3) : (!cute.memref<f32, gmem, align<16>, "(4):(1)">)
  // Tile (1,1) of 4x2 begins at 4*4 + 2*1 = 18 floats, 72 bytes: aligned to 8.
  // CHECK: cute.local_tile(%[[V]], %{{.*}}, %{{.*}}) : {{.*}} -> !cute.memref<f32, gmem, align<8>, "(4,2):(4,1)">
  %5 = cute.local_tile(%v, %t, %tc) : (!cute.memref<f32, gmem, align<16>, "(8,4):(4,1)">, !cute.tile<"[4:1;2:1]">, !cute.coord<"(1,1)">)
  return
}

// Results of CuTe C++'s local_tile with the tiler Int<8>{}, which is not a tuple: a mode without one, and two modes that it covers.
// CHECK-LABEL: @local_tile_of_an_integer
func.func @local_tile_of_an_integer(%v: !cute.memref<f32, gmem, align<32>, "?:1">, %m: !cute.memref<f32, gmem, align<16>, "(4,6):(6,1)">,
                                    %t: !cute.tile<"8:1">, %c: !cute.coord<"?">, %all: !cute.coord<"_">) {
  // CHECK: cute.local_tile{{.*}} -> !cute.memref<f32, gmem, align<32>, "(8):(1)">
  %0 = cute.local_tile(%v, %t, %c) : (!cute.memref<f32, gmem, align<32>, "?:1">, !cute.tile<"8:1">, !cute.coord<"?">)
  // Two elements of a row in: 8 bytes.
  // CHECK: cute.local_tile{{.*}} -> !cute.memref<f32, gmem, align<8>, "(4,2):(6,1)">
  %1 = cute.local_tile(%m, %t, %c) : (!cute.memref<f32, gmem, align<16>, "(4,6):(6,1)">, !cute.tile<"8:1">, !cute.coord<"?">)
  // CHECK: cute.local_tile{{.*}} -> !cute.memref<f32, gmem, align<16>, "(4,2,3):(6,1,2)">
  %2 = cute.local_tile(%m, %t, %all) : (!cute.memref<f32, gmem, align<16>, "(4,6):(6,1)">, !cute.tile<"8:1">, !cute.coord<"_">)
  return
}

// Oracle 21360 of layout_algebra.tsv: (64,8):(8,1) by (8,32,2) at (4,0,3), without the second; + 262.
// CHECK-LABEL: @local_tile_projected
func.func @local_tile_projected(%v: !cute.memref<f32, gmem, align<16>, "(64,8):(8,1)">, %t: !cute.tile<"[8:1;32:1;2:1]">, %c: !cute.coord<"(4,0,3)">) {
  // 262 floats are 1048 bytes, 8 * 131.
  // CHECK: cute.local_tile(%{{.*}}, %{{.*}}, %{{.*}}, "(1,_,1)") : {{.*}} -> !cute.memref<f32, gmem, align<8>, "(8,2):(8,1)">
  %0 = cute.local_tile(%v, %t, %c, "(1,_,1)") : (!cute.memref<f32, gmem, align<16>, "(64,8):(8,1)">, !cute.tile<"[8:1;32:1;2:1]">, !cute.coord<"(4,0,3)">)
  return
}

// CHECK-LABEL: @elements
func.func @elements(%c: !cute.coord<"(1,?)">, %x: f32, %l: !cute.layout<"(2,4):(4,1)">) {
  // CHECK: %[[A:.*]] = cute.memref.alloca() : !cute.memref<f32, rmem, align<16>, "(2,4):(4,1)">
  %a = cute.memref.alloca() : !cute.memref<f32, rmem, align<16>, "(2,4):(4,1)">
  // CHECK: cute.memref.alloca(%{{.*}}) : !cute.memref<f32, rmem, "(2,4):(4,1)">
  %b = cute.memref.alloca(%l) : !cute.memref<f32, rmem, "(2,4):(4,1)">
  // CHECK: cute.memref.load(%[[A]], %{{.*}}) : (!cute.memref<f32, rmem, align<16>, "(2,4):(4,1)">, !cute.coord<"(1,?)">) -> f32
  %0 = cute.memref.load(%a, %c) : (!cute.memref<f32, rmem, align<16>, "(2,4):(4,1)">, !cute.coord<"(1,?)">) -> f32
  // CHECK: cute.memref.store(%[[A]], %{{.*}}, %{{.*}}) : {{.*}}, !cute.coord<"(1,?)">, f32) -> ()
  cute.memref.store(%a, %c, %x) : (!cute.memref<f32, rmem, align<16>, "(2,4):(4,1)">, !cute.coord<"(1,?)">, f32) -> ()
  // Eight elements.
  // CHECK: %[[X:.*]] = cute.memref.load_vec %[[A]] : !cute.memref<f32, rmem, align<16>, "(2,4):(4,1)">
  %1 = cute.memref.load_vec %a : !cute.memref<f32, rmem, align<16>, "(2,4):(4,1)">
  // CHECK: arith.addf %[[X]], %[[X]] : vector<8xf32>
  %2 = arith.addf %1, %1 : vector<8xf32>
  // CHECK: cute.memref.store_vec %{{.*}}, %[[A]] : !cute.memref<f32, rmem, align<16>, "(2,4):(4,1)">
  cute.memref.store_vec %2, %a : !cute.memref<f32, rmem, align<16>, "(2,4):(4,1)">
  return
}

// CHECK-LABEL: @fast_division
func.func @fast_division(%n: i32, %d: i32, %n64: i64, %d64: i64) {
  // CHECK: %[[D:.*]] = cute.fast_divmod.create_divisor(%{{.*}}) : i32 -> !cute.fast_divmod_divisor<32>
  %0 = cute.fast_divmod.create_divisor(%d) : i32 -> !cute.fast_divmod_divisor<32>
  // CHECK: %{{.*}}, %{{.*}} = cute.fast_divmod.compute(%{{.*}}, %[[D]]) : i32, !cute.fast_divmod_divisor<32> -> i32
  %q, %r = cute.fast_divmod.compute(%n, %0) : i32, !cute.fast_divmod_divisor<32> -> i32
  // CHECK: cute.fast_divmod.create_divisor(%{{.*}}) : i64 -> !cute.fast_divmod_divisor<64>
  %1 = cute.fast_divmod.create_divisor(%d64) : i64 -> !cute.fast_divmod_divisor<64>
  // CHECK: cute.fast_divmod.divide(%{{.*}}, %[[D]]) : i32, !cute.fast_divmod_divisor<32> -> i32
  %2 = cute.fast_divmod.divide(%n, %0) : i32, !cute.fast_divmod_divisor<32> -> i32
  // CHECK: cute.fast_divmod.get_divisor(%[[D]]) : !cute.fast_divmod_divisor<32>
  %3 = cute.fast_divmod.get_divisor(%0) : !cute.fast_divmod_divisor<32>
  // CHECK: %[[M:.*]], %[[S1:.*]], %[[S2:.*]] = cute.fast_divmod.get_aux(%[[D]]) : !cute.fast_divmod_divisor<32> -> (i32, i8)
  %m, %s1, %s2 = cute.fast_divmod.get_aux(%0) : !cute.fast_divmod_divisor<32> -> (i32, i8)
  // CHECK: cute.fast_divmod.make_divisor(%{{.*}}, %[[M]], %[[S1]], %[[S2]]) : i32 -> !cute.fast_divmod_divisor<32>
  %4 = cute.fast_divmod.make_divisor(%3, %m, %s1, %s2) : i32 -> !cute.fast_divmod_divisor<32>
  return
}

// CHECK-LABEL: @printing
func.func @printing(%i: i32, %l: !cute.layout<"(?,8):(1,?)">, %v: !cute.memref<f32, gmem, "(8,4):(4,1)">) {
  // CHECK: cute.print("x = {}, {}\0A", %{{.*}}, %{{.*}}) : i32, !cute.layout<"(?,8):(1,?)">
  cute.print("x = {}, {}\n", %i, %l) : i32, !cute.layout<"(?,8):(1,?)">
  // CHECK: cute.print("no holes")
  cute.print("no holes")
  // CHECK: cute.print(%{{.*}}) : !cute.layout<"(?,8):(1,?)">
  cute.print(%l) : !cute.layout<"(?,8):(1,?)">
  // CHECK: cute.printf "%d\0A", %{{.*}} : i32
  cute.printf "%d\n", %i : i32
  // CHECK: cute.print_view(%{{.*}}) {is_signed = true, verbose = false} : !cute.memref<f32, gmem, "(8,4):(4,1)">
  cute.print_view(%v) {is_signed = true, verbose = false} : !cute.memref<f32, gmem, "(8,4):(4,1)">
  return
}
