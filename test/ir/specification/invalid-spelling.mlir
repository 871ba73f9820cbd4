// What the spellings of docs/specification/types-and-ops.md#notation refuse.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected string, or a rank of 1 to 16, but got 0}}
func.func private @no_rank(!cute.shape<0>)

// -----

// expected-error @below {{expected string, or a rank of 1 to 16, but got 1000000000000}}
func.func private @much_rank(!cute.layout<1000000000000>)

// -----

// expected-error @below {{expected string}}
func.func private @no_rank_here(!cute.swizzle<3>)

// -----

// A stride for each extent.
// expected-error @below {{expects shape and stride profile to match, but got "((2,2),4)" and "(1,8)"}}
func.func private @modes(!cute.layout<<(2, 2):1, 4:8>>)

// -----

// 4 is constant memory, which holds no tensor.
// expected-error @below {{expects an address space generic, gmem, smem, rmem, tmem or dsmem, but got '4'}}
func.func private @space(!cute.ptr<f16, 4>)

// -----

// expected-error @below {{expects an address space generic, gmem, smem, rmem, tmem or dsmem, but got '-1'}}
func.func private @negative_space(!cute.ptr<f16, -1>)

// -----

// Nothing says what `?` is.
func.func @open_leaf() {
  // expected-error @below {{expected integer value}}
  %0 = cute.make_layout(shape = (8, 2), stride = (1, ?)) : !cute.layout<"(8,2):(1,?)">
  return
}

// -----

func.func @operands(%i: i32) {
  // expected-error @below {{expects 2 dynamic operand(s) for result type '!cute.shape<"(?,?)">', but got 1}}
  %0 = cute.make_shape [%i] : !cute.shape<2>
  return
}

// -----

// An index becomes an i32.
func.func @index(%i: index) {
  // expected-error @below {{expects an i32 or i64 for the leaf ?{i64}, but got index}}
  %0 = cute.make_shape [%i] : (index) -> !cute.shape<"?{i64}">
  return
}

// -----

func.func @results(%i: i32) {
  // expected-error @below {{expects one result type, but got 2}}
  %0 = cute.make_shape [%i] : (i32) -> (!cute.shape<1>, !cute.shape<1>)
  return
}

// -----

func.func @compact_of_run_time(%i: i32) {
  // expected-error @below {{expects a stride, as the extents (8,?) are known only at run time}}
  %0 = cute.make_layout(shape = (8, %i)) : !cute.layout<2>
  return
}

// -----

func.func @other_layout() {
  // expected-error @below {{expects the result to be a layout of the form (8,4):(1,8), but got !cute.layout<"(8,4):(4,1)">}}
  %0 = cute.make_layout shape = <8, 4>, stride = <1, 8> : !cute.layout<<8:4, 4:1>>
  return
}

// -----

func.func @rank_of_numbers() {
  // expected-error @below {{expects the result to be a layout of the form (8,4):(1,8), but got !cute.layout<"(?,?):(?,?)">}}
  %0 = cute.make_layout shape = <8, 4>, stride = <1, 8> : !cute.layout<2>
  return
}

// -----

func.func @no_layout() {
  // expected-error @below {{expects the result to be a layout of the form 8:1, but got !cute.shape<"8">}}
  %0 = cute.make_layout shape = 8, stride = 1 : !cute.shape<"8">
  return
}

// -----

func.func @profile() {
  // expected-error @below {{expects shape and stride profile to match, but got "(8,4)" and "1"}}
  %0 = cute.make_layout(shape = (8, 4), stride = 1) : !cute.layout<<8:1, 4:8>>
  return
}

// -----

func.func @offset(%l: !cute.layout<"(8,4):(1,8)">) {
  // expected-error @below {{expects the offset in place to be one number or zeros, but got (0,1)}}
  %0 = cute.make_composed_layout(outer = %l, swizzle = swizzle<1, 4, 3>, offset = (0, 1)) : !cute.layout<"(8,4):(1,8)">
  return
}

// -----

func.func @swizzle(%l: !cute.layout<"(8,4):(1,8)">) {
  // expected-error @below {{expects |num_shift| >= num_bits, but got "S<3,4,2>"}}
  %0 = cute.make_composed_layout(outer = %l, swizzle = swizzle<3, 4, 2>, offset = 0) : !cute.layout<"(8,4):(1,8)">
  return
}

// -----

func.func @composed_result(%l: !cute.layout<"(8,4):(1,8)">) {
  // expected-error @below {{inferred type(s) '!cute.composed_layout<"S<1,4,3> o 0 o (8,4):(1,8)">' are incompatible}}
  // expected-error @below {{'cute.make_composed_layout' op failed to infer returned types}}
  %0 = cute.make_composed_layout(outer = %l, swizzle = swizzle<1, 4, 3>, offset = 0) : !cute.composed_layout<"S<2,4,3> o 0 o (8,4):(1,8)">
  return
}

// -----

func.func @outer_kind(%s: !cute.shape<"8">) {
  // expected-error @below {{operand #2 must be a layout (function from coordinates to indices), but got '!cute.shape<"8">'}}
  %0 = cute.make_composed_layout(outer = %s, swizzle = swizzle<1, 4, 3>, offset = 0) : !cute.shape<"8">
  return
}

// -----

func.func @outer_after() {
  cf.br ^use
^use:
  // expected-error @below {{expects the outer layout %l to be defined before its use with parts in place}}
  %0 = cute.make_composed_layout(outer = %l, swizzle = swizzle<1, 4, 3>, offset = 0) : !cute.layout<"(8,4):(1,8)">
  %l = cute.static : !cute.layout<"(8,4):(1,8)">
  return
}

// -----

func.func @swizzle_numbers() {
  // expected-error @below {{expects the swizzle of the type, S<2,4,3>, but got S<3,4,3>}}
  %0 = cute.make_swizzle 3, 4, 3 : !cute.swizzle<"S<2,4,3>">
  return
}

// -----

func.func @no_tensor_layout(%p: !cute.ptr<f32, gmem>) {
  // expected-error @below {{expects a layout after !cute.ptr<f32, gmem>, which has none}}
  %0 = cute.tensor %p : !cute.ptr<f32, gmem>
  return
}

// -----

func.func @unfit_tensor_layout(%p: !cute.ptr<f32, gmem>, %l: !cute.layout<"(8,4):(1@0,1@1)">) {
  // expected-error @below {{expects a layout that fits the iterator, but got "(8,4):(1@0,1@1)"}}
  %0 = cute.make_tensor(%p, %l) : (!cute.ptr<f32, gmem>, !cute.layout<"(8,4):(1@0,1@1)">)
  return
}

// -----

// 48 does not divide 128.
func.func @window(%p: !cute.ptr<f16, 3>, %l: !cute.layout<<128:1, 64:128>>, %c: !cute.coord<2>) {
  // expected-error @below {{expects a window of static extents that divide those of "(128,64)", mode by mode, but got !cute.layout<"(48,32):(1,128)">}}
  %0, %1 = cute.tile_partition %p, %l, %c : !cute.ptr<f16, 3>, !cute.layout<<128:1, 64:128>>, !cute.coord<2> -> !cute.ptr<f16, 3>, !cute.layout<<48:1, 32:128>>
  return
}

// -----

// `_` would be no single place.
func.func @window_coord(%p: !cute.ptr<f16, 3>, %l: !cute.layout<<128:1, 64:128>>, %c: !cute.coord<"(_,?)">) {
  // expected-error @below {{expects a coordinate that fixes every mode, but got (_,?)}}
  %0, %1 = cute.tile_partition %p, %l, %c : !cute.ptr<f16, 3>, !cute.layout<<128:1, 64:128>>, !cute.coord<"(_,?)"> -> !cute.ptr<f16, 3>, !cute.layout<<32:1, 32:128>>
  return
}

// -----

// The strides are those of the layout.
func.func @window_stride(%p: !cute.ptr<f16, 3>, %l: !cute.layout<<128:1, 64:128>>, %c: !cute.coord<2>) {
  // expected-error @below {{expects a result of type !cute.layout<"(32,32):(1,128)">, but got !cute.layout<"(32,32):(1,32)">}}
  %0, %1 = cute.tile_partition %p, %l, %c : !cute.ptr<f16, 3>, !cute.layout<<128:1, 64:128>>, !cute.coord<2> -> !cute.ptr<f16, 3>, !cute.layout<<32:1, 32:32>>
  return
}

// -----

// A coordinate that moves the pointer off its alignment.
func.func @window_pointer(%p: !cute.ptr<f16, 3, align<16>>, %l: !cute.layout<<128:1, 64:128>>, %c: !cute.coord<2>) {
  // expected-error @below {{expects a result of type !cute.ptr<f16, smem>, but got !cute.ptr<f16, smem, align<16>>}}
  %0, %1 = cute.tile_partition %p, %l, %c : !cute.ptr<f16, 3, align<16>>, !cute.layout<<128:1, 64:128>>, !cute.coord<2> -> !cute.ptr<f16, 3, align<16>>, !cute.layout<<32:1, 32:128>>
  return
}

// -----

// expected-error @below {{expects the name of a type of the dialect cute, but got 'tilers'}}
func.func private @type_name(!cute.tilers<2>)
