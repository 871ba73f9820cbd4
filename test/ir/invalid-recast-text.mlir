// A recast that is refused is named with the widths that the op states.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

// Oracle 22948 of invalid.tsv.
func.func @f(%a: !cute.layout<"(3,9,24):(216,24,1)">) {
  // expected-error @+1 {{recast from 4 to 128 bits: stride 216 of "3" is not divisible by 32}}
  %0 = cute.recast_layout<128, 4> (%a) : !cute.layout<"(3,9,24):(216,24,1)">
  return
}

// -----

func.func @f(%a: !cute.layout<"(4,8):(2,8)">) {
  // expected-error @+1 {{recast from 16 to 8 bits: expects a mode of stride 1, whose elements are contiguous, but got "(4,8):(2,8)"}}
  %0 = cute.recast_layout<8, 16> (%a) : !cute.layout<"(4,8):(2,8)">
  return
}

// -----

func.func @f(%a: !cute.layout<"(2,2,2):(1,1,16)">) {
  // expected-error @+1 {{recast from 8 to 16 bits: modes of "(2,2,2):(1,1,16)" add up beyond the end of a new element}}
  %0 = cute.recast_layout<16, 8> (%a) : !cute.layout<"(2,2,2):(1,1,16)">
  return
}
