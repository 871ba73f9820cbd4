// A stated type that contradicts the inferred one, or says more: an error, with both types.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

func.func @stronger(%s: !cute.shape<"(?,8)">) {
  // expected-error @+2 {{'cute.size' op inferred type(s) '!cute.int_tuple<"?{div=8}">' are incompatible with return type(s) of operation '!cute.int_tuple<"?{div=16}">'}}
  // expected-error @+1 {{'cute.size' op failed to infer returned types}}
  %0 = cute.size(%s) : (!cute.shape<"(?,8)">) -> !cute.int_tuple<"?{div=16}">
  return
}

// -----

func.func @other_number(%s: !cute.shape<"(4,8)">) {
  // expected-error @+2 {{'cute.size' op inferred type(s) '!cute.int_tuple<"32">' are incompatible with return type(s) of operation '!cute.int_tuple<"?{div=5}">'}}
  // expected-error @+1 {{'cute.size' op failed to infer returned types}}
  %0 = cute.size(%s) : (!cute.shape<"(4,8)">) -> !cute.int_tuple<"?{div=5}">
  return
}

// -----

func.func @known(%s: !cute.shape<"(?,8)">) {
  // expected-error @+2 {{'cute.get' op inferred type(s) '!cute.shape<"?">' are incompatible with return type(s) of operation '!cute.shape<"4">'}}
  // expected-error @+1 {{'cute.get' op failed to infer returned types}}
  %0 = cute.get<[0]>(%s) : !cute.shape<"(?,8)"> -> !cute.shape<"4">
  return
}

// -----

func.func @narrower(%s: !cute.shape<"(?{i64},8)">) {
  // expected-error @+2 {{'cute.get' op inferred type(s) '!cute.shape<"?{i64}">' are incompatible with return type(s) of operation '!cute.shape<"?">'}}
  // expected-error @+1 {{'cute.get' op failed to infer returned types}}
  %0 = cute.get<[0]>(%s) : !cute.shape<"(?{i64},8)"> -> !cute.shape<"?">
  return
}

// -----

// One function on integers, and another profile.
func.func @profile(%a: !cute.layout<"(3,2):(1,3)">) {
  // expected-error @+2 {{'cute.coalesce' op inferred type(s) '!cute.layout<"6:1">' are incompatible with return type(s) of operation '!cute.layout<"(2,3):(1,2)">'}}
  // expected-error @+1 {{'cute.coalesce' op failed to infer returned types}}
  %0 = cute.coalesce(%a) : (!cute.layout<"(3,2):(1,3)">) -> !cute.layout<"(2,3):(1,2)">
  return
}

// -----

// The stride of an extent that may be 1, but need not.
func.func @stride(%a: !cute.layout<"(?,2):(1,3)">) {
  // expected-error @+2 {{'cute.get' op inferred type(s) '!cute.layout<"?:1">' are incompatible with return type(s) of operation '!cute.layout<"?:2">'}}
  // expected-error @+1 {{'cute.get' op failed to infer returned types}}
  %0 = cute.get<[0]>(%a) : !cute.layout<"(?,2):(1,3)"> -> !cute.layout<"?:2">
  return
}

// -----

func.func @alignment(%v: !cute.memref<f16, smem, align<16>, "8:1">) {
  // expected-error @+2 {{are incompatible with return type(s) of operation '!cute.ptr<f16, smem, align<32>>'}}
  // expected-error @+1 {{'cute.get_iter' op failed to infer returned types}}
  %0 = cute.get_iter(%v) : (!cute.memref<f16, smem, align<16>, "8:1">) -> !cute.ptr<f16, smem, align<32>>
  return
}
