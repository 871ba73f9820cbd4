// Attributes that an op declares, in the dictionary after its operands and of another kind: an error of the op, and no crash.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

func.func @f(%l: !cute.layout<"(4,8):(1,4)">) {
  // expected-error @+1 {{custom op 'cute.size' Invalid attribute `mode` in property conversion: [1]}}
  %0 = cute.size(%l) {mode = [1]} : (!cute.layout<"(4,8):(1,4)">) -> !cute.int_tuple<"8">
  return
}

// -----

// One of its kind is the same as in angle brackets; both are one too many.
func.func @f(%l: !cute.layout<"(4,8):(1,4)">) -> !cute.int_tuple<"8"> {
  %0 = cute.size(%l) {mode = array<i32: 1>} : (!cute.layout<"(4,8):(1,4)">) -> !cute.int_tuple<"8">
  // expected-error @+1 {{expects the attribute 'mode' once}}
  %1 = cute.size<[0]> (%l) {mode = array<i32: 1>} : (!cute.layout<"(4,8):(1,4)">) -> !cute.int_tuple<"8">
  return %0 : !cute.int_tuple<"8">
}

// -----

func.func @f(%l: !cute.layout<"(4,8):(1,4)">) {
  // expected-error @+1 {{Invalid attribute `begin` in property conversion: "first"}}
  %0 = cute.group_modes(%l) {begin = "first", end = 2 : i32} : (!cute.layout<"(4,8):(1,4)">) -> !cute.layout<"((4,8)):((1,4))">
  return
}

// -----

func.func @f(%t: !cute.memref<f32, gmem, "4:1">) {
  // expected-error @+1 {{'cute.print' op attribute 'fmt' failed to satisfy constraint: string attribute}}
  cute.print(%t) {fmt = 1 : i32} : !cute.memref<f32, gmem, "4:1">
  return
}
