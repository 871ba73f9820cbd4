// What no descriptor iterator can be.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

// An index has no alternative to a number: strides of a pointer are numbers.
// expected-error@+1 {{expects a layout that fits the iterator, but got "(4,8):(1@0,1@1)"}}
func.func private @bases(!cute.desc_iter<!cute.ptr<f32, gmem>, "(4,8):(1@0,1@1)">)

// -----

func.func @bases_made(%p: !cute.ptr<f32, gmem>, %l: !cute.layout<"(4,8):(1@0,1@1)">) {
  // expected-error@+1 {{expects a layout that fits the iterator, but got "(4,8):(1@0,1@1)"}}
  %0 = cute.make_desc_iter(%p, %l) : (!cute.ptr<f32, gmem>, !cute.layout<"(4,8):(1@0,1@1)">)
  return
}

// -----

func.func @two_operands(%p: !cute.ptr<f32, gmem>, %n: i32) {
  // expected-error@+1 {{expects a layout, or an extent, a tile shape and a stride, but got 2 operands after the pointer}}
  %0 = cute.make_desc_iter(%p, %n, %n) : (!cute.ptr<f32, gmem>, i32, i32)
  return
}

// -----

func.func @layout_among_four(%p: !cute.ptr<f32, gmem>, %l: !cute.layout<"4:1">, %n: i32) {
  // expected-error@+1 {{expects a layout, or an extent, a tile shape and a stride, but got a layout among several after the pointer}}
  %0 = cute.get_iter(%p, %l, %n, %n) : (!cute.ptr<f32, gmem>, !cute.layout<"4:1">, i32, i32)
  return
}

// -----

func.func @stride_profile(%p: !cute.ptr<f32, gmem>, %n: i32, %s: !cute.stride<"(1,2)">) {
  // expected-error@+1 {{expects shape and stride profile to match, but got "?" and "(1,2)"}}
  %0 = cute.get_iter(%p, %n, %n, %s) : (!cute.ptr<f32, gmem>, i32, i32, !cute.stride<"(1,2)">)
  return
}

// -----

func.func @wide_offset(%it: !cute.desc_iter<!cute.ptr<f32, gmem>, "8:1">, %n: !cute.int_tuple<"?{i64}">) {
  // expected-error@+1 {{expects an offset of at most 32 bits for the index of !cute.desc_iter<!cute.ptr<f32, gmem>, "8:1">, but got ?{i64}}}
  %0 = cute.add_offset(%it, %n) : (!cute.desc_iter<!cute.ptr<f32, gmem>, "8:1">, !cute.int_tuple<"?{i64}">)
  return
}

// -----

func.func @tuple_offset(%it: !cute.desc_iter<!cute.ptr<f32, gmem>, "8:1">, %n: !cute.int_tuple<"(1,2)">) {
  // expected-error@+1 {{expects the index to be one number, but got "(1,2)"}}
  %0 = cute.add_offset(%it, %n) : (!cute.desc_iter<!cute.ptr<f32, gmem>, "8:1">, !cute.int_tuple<"(1,2)">)
  return
}

// -----

// It has a layout already.
func.func @view(%it: !cute.desc_iter<!cute.ptr<f32, gmem>, "8:1">, %l: !cute.layout<"8:1">) {
  // expected-error@+1 {{expects $input to be a pointer, arith_tuple_iter, descriptor or int_tuple, but got}}
  %0 = cute.make_view(%it, %l) : (!cute.desc_iter<!cute.ptr<f32, gmem>, "8:1">, !cute.layout<"8:1">)
  return
}

// -----

// expected-error@+1 {{expected}}
func.func private @no_pointer(!cute.desc_iter<f32, "8:1">)
