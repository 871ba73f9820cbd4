// What the builders of docs/specification/types-and-ops.md#builder-operations refuse: operands of another kind, parts in another order, views that bind no valid layout.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

func.func @shape_like(%c: !cute.coord<"(4,8)">) {
  // expected-error @+1 {{'cute.make_layout' op operand #0 must be Scalar integer or recursive tuple of shape extents, but got '!cute.coord<"(4,8)">'}}
  %0 = "cute.make_layout"(%c) <{operandSegmentSizes = array<i32: 1, 0>}> : (!cute.coord<"(4,8)">) -> !cute.layout<"(4,8):(1,4)">
  return
}

// -----

func.func @coord_like(%s: !cute.shape<"(1,2)">, %l: !cute.layout<"(4,8):(1,4)">) {
  // expected-error @+1 {{'cute.crd2idx' op operand #0 must be Scalar integer, underscore wildcard, or recursive tuple of coordinates, but got}}
  %0 = "cute.crd2idx"(%s, %l) : (!cute.shape<"(1,2)">, !cute.layout<"(4,8):(1,4)">) -> !cute.int_tuple<"9">
  return
}

// -----

func.func @view_of_pointer(%p: !cute.ptr<f32, gmem>, %l: !cute.layout<"(4,8):(1@0,1@1)">) {
  // expected-error @+1 {{expects a layout that fits the iterator, but got "(4,8):(1@0,1@1)"}}
  %0 = cute.make_view(%p, %l) : (!cute.ptr<f32, gmem>, !cute.layout<"(4,8):(1@0,1@1)">)
  return
}

// -----

// Inner and outer exchanged.
func.func @composed_order(%outer: !cute.layout<"(8,4):(1,8)">, %swizzle: !cute.swizzle<"S<2,4,3>">, %offset: !cute.int_tuple<"0">) {
  // expected-error @+1 {{'cute.make_composed_layout' op operand #2 must be a layout (function from coordinates to indices), but got '!cute.swizzle<"S<2,4,3>">'}}
  %0 = "cute.make_composed_layout"(%outer, %offset, %swizzle) : (!cute.layout<"(8,4):(1,8)">, !cute.int_tuple<"0">, !cute.swizzle<"S<2,4,3>">) -> !cute.layout<"(8,4):(1,8)">
  return
}

// -----

func.func @product_of_a_tile(%l: !cute.layout<"(8,4):(1,8)">, %t: !cute.tile<"[2:1;2:1]">) {
  // expected-error @+1 {{'cute.logical_product' op operand #1 must be}}
  %0 = "cute.logical_product"(%l, %t) : (!cute.layout<"(8,4):(1,8)">, !cute.tile<"[2:1;2:1]">) -> !cute.layout<"(8,4):(1,8)">
  return
}

// -----

func.func @window(%l: !cute.layout<"8:1">, %w: !cute.int_tuple<"0">, %one: !cute.int_tuple<"1">) {
  // expected-error @+1 {{stencil_divide: window of mode "8" must be at least 1, but got 0}}
  %0:2 = cute.stencil_divide(%l, %w, %one, %one) : (!cute.layout<"8:1">, !cute.int_tuple<"0">, !cute.int_tuple<"1">, !cute.int_tuple<"1">)
  return
}

// -----

func.func @dilation(%l: !cute.layout<"8:1">, %w: !cute.int_tuple<"2">, %one: !cute.int_tuple<"1">, %none: !cute.int_tuple<"0">) {
  // expected-error @+1 {{stencil_divide: dilation of mode "8" must be at least 1, but got 0}}
  %0:2 = cute.stencil_divide(%l, %w, %one, %none) : (!cute.layout<"8:1">, !cute.int_tuple<"2">, !cute.int_tuple<"1">, !cute.int_tuple<"0">)
  return
}
