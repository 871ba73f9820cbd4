// Descriptor iterators: types and ops. Types are worked out by hand from the definitions: a pointer at layout(index).
// RUN: tessera-opt %s | tessera-opt | FileCheck %s
// RUN: tessera-opt %s --mlir-print-op-generic | tessera-opt | FileCheck %s

// CHECK-LABEL: @walk
func.func @walk(%p: !cute.ptr<f16, smem, align<128>>, %l: !cute.layout<"(8,?):(64,1)">, %n: !cute.int_tuple<"?">,
                %back: !cute.int_tuple<"-2">) {
  // CHECK: %[[I:.*]] = cute.make_desc_iter(%{{.*}}, %{{.*}}) : (!cute.ptr<f16, smem, align<128>>, !cute.layout<"(8,?):(64,1)">) -> !cute.desc_iter<!cute.ptr<f16, smem, align<128>>, "(8,?):(64,1)">
  %0 = cute.make_desc_iter(%p, %l) : (!cute.ptr<f16, smem, align<128>>, !cute.layout<"(8,?):(64,1)">)
  // Moving it changes the index alone, which is not part of the type.
  // CHECK: %[[J:.*]] = cute.add_offset(%[[I]], %{{.*}}) : {{.*}} -> !cute.desc_iter<!cute.ptr<f16, smem, align<128>>, "(8,?):(64,1)">
  %1 = cute.add_offset(%0, %n) : (!cute.desc_iter<!cute.ptr<f16, smem, align<128>>, "(8,?):(64,1)">, !cute.int_tuple<"?">)
  // CHECK: %[[K:.*]] = cute.add_offset(%[[J]], %{{.*}}) : {{.*}} -> !cute.desc_iter<!cute.ptr<f16, smem, align<128>>, "(8,?):(64,1)">
  %2 = cute.add_offset(%1, %back) : (!cute.desc_iter<!cute.ptr<f16, smem, align<128>>, "(8,?):(64,1)">, !cute.int_tuple<"-2">)
  // Columns are one half apart: 2 bytes are all that is known, the alignment of one element.
  // CHECK: cute.deref_desc_iter(%[[K]]) : {{.*}} -> !cute.ptr<f16, smem>
  %3 = cute.deref_desc_iter(%2) : (!cute.desc_iter<!cute.ptr<f16, smem, align<128>>, "(8,?):(64,1)">)
  // CHECK: cute.get_iter(%[[K]]) : {{.*}} -> !cute.ptr<f16, smem, align<128>>
  %4 = cute.get_iter(%2) : (!cute.desc_iter<!cute.ptr<f16, smem, align<128>>, "(8,?):(64,1)">)
  // CHECK: cute.get_layout(%[[K]]) : !cute.desc_iter<!cute.ptr<f16, smem, align<128>>, "(8,?):(64,1)">
  %5 = cute.get_layout(%2) : !cute.desc_iter<!cute.ptr<f16, smem, align<128>>, "(8,?):(64,1)">
  // The dynamic leaves: index, then extent.
  // CHECK: cute.get_scalars<{only_dynamic}> (%[[K]])
  %6:2 = cute.get_scalars<{only_dynamic}> (%2) : !cute.desc_iter<!cute.ptr<f16, smem, align<128>>, "(8,?):(64,1)">
  return
}

// A step of 8 halves is 16 bytes.
// CHECK-LABEL: @aligned
func.func @aligned(%p: !cute.ptr<f16, gmem, align<32>>, %l: !cute.layout<"16:8">) {
  %0 = cute.make_desc_iter(%p, %l) : (!cute.ptr<f16, gmem, align<32>>, !cute.layout<"16:8">)
  // CHECK: cute.deref_desc_iter(%{{.*}}) : {{.*}} -> !cute.ptr<f16, gmem, align<16>>
  %1 = cute.deref_desc_iter(%0) : (!cute.desc_iter<!cute.ptr<f16, gmem, align<32>>, "16:8">)
  return
}

// A size of 64 bits makes an index of 64 bits, which takes such offsets.
// CHECK-LABEL: @wide
func.func @wide(%p: !cute.ptr<f32, gmem>, %l: !cute.layout<"(?{i64},4):(4,1)">, %n: !cute.int_tuple<"?{i64}">) {
  %0 = cute.make_desc_iter(%p, %l) : (!cute.ptr<f32, gmem>, !cute.layout<"(?{i64},4):(4,1)">)
  // CHECK: cute.add_offset
  %1 = cute.add_offset(%0, %n) : (!cute.desc_iter<!cute.ptr<f32, gmem>, "(?{i64},4):(4,1)">, !cute.int_tuple<"?{i64}">)
  // CHECK: cute.get_scalars<{only_dynamic}> (%{{.*}}) : !cute.desc_iter<!cute.ptr<f32, gmem>, "(?{i64},4):(4,1)">
  %2:2 = cute.get_scalars<{only_dynamic}> (%1) : !cute.desc_iter<!cute.ptr<f32, gmem>, "(?{i64},4):(4,1)">
  return
}

// Swizzles live in the type.
// CHECK-LABEL: @swizzled
func.func @swizzled(%p: !cute.ptr<f16, smem>, %l: !cute.composed_layout<"S<3,3,3> o 0 o (8,64):(64,1)">) {
  // CHECK: cute.make_desc_iter(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.desc_iter<!cute.ptr<f16, smem>, "S<3,3,3> o 0 o (8,64):(64,1)">
  %0 = cute.make_desc_iter(%p, %l) : (!cute.ptr<f16, smem>, !cute.composed_layout<"S<3,3,3> o 0 o (8,64):(64,1)">)
  return
}

// docs/specification/abi.md#layouts-and-iterators: base, extent, tile shape, stride; ceil_div(extent, tile shape) places. With and without parentheses.
// CHECK-LABEL: @four_operands
func.func @four_operands(%p: !cute.ptr<f32, gmem>, %m: i32, %s: i32) {
  %tile = arith.constant 64 : i32
  %extent = arith.constant 130 : i32
  // CHECK: cute.make_desc_iter(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (!cute.ptr<f32, gmem>, i32, i32, i32) -> !cute.desc_iter<!cute.ptr<f32, gmem>, "?:?">
  %0 = cute.get_iter %p, %m, %tile, %s : !cute.ptr<f32, gmem>, i32, i32, i32
  // CHECK: cute.make_desc_iter(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (!cute.ptr<f32, gmem>, i32, i32, i32) -> !cute.desc_iter<!cute.ptr<f32, gmem>, "3:?">
  %1 = cute.get_iter(%p, %extent, %tile, %s) : (!cute.ptr<f32, gmem>, i32, i32, i32)
  return
}
// CHECK-LABEL: @four_tuples
func.func @four_tuples(%p: !cute.ptr<f32, gmem>, %e: !cute.shape<"(130,?)">, %t: !cute.shape<"(64,32)">, %s: !cute.stride<"(64,?{i64})">) {
  // CHECK: cute.make_desc_iter{{.*}} -> !cute.desc_iter<!cute.ptr<f32, gmem>, "(3,?):(64,?{i64})">
  %0 = cute.get_iter(%p, %e, %t, %s) : (!cute.ptr<f32, gmem>, !cute.shape<"(130,?)">, !cute.shape<"(64,32)">, !cute.stride<"(64,?{i64})">)
  return
}
