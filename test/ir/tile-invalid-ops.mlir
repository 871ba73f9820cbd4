// What the verifiers and parsers of `cuda_tile` refuse, one sentence of theirs after the other.
// More than 600 lines: a list of sentences, each with the shortest program that gets it.
// RUN: cuda-tile-opt %s -verify-diagnostics -split-input-file -allow-unregistered-dialect

cuda_tile.module @m { testing$func @f(%a: tile<4xi32>) {
  // expected-error @below {{expected signedness to be one of: {'signed', 'unsigned'}}}
  maxi %a, %a both : tile<4xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>) {
  // expected-error @below {{expected 'comparison_predicate' to be one of: {'equal', 'not_equal', 'less_than', 'less_than_or_equal', 'greater_than', 'greater_than_or_equal'}}}
  cmpi same %a, %a, signed : tile<4xi32> -> tile<4xi1>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) {
  // expected-error @below {{expected 'comparison_ordering' to be one of: {'ordered', 'unordered'}}}
  cmpf equal sorted %a, %a : tile<4xf32> -> tile<4xi1>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) {
  // expected-error @below {{invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf, approx]}}
  sqrt %a rounding<full> : tile<4xf32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) {
  // expected-error @below {{invalid rounding mode specified, expect one of [approx, full]}}
  tanh %a rounding<zero> : tile<4xf32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>) {
  // expected-error @below {{invalid rounding mode specified, expect one of [zero, negative_inf, positive_inf]}}
  divi %a, %a signed rounding<nearest_even> : tile<4xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) {
  // expected-error @below {{invalid rounding mode specified, expect one of [approx, full]}}
  "cuda_tile.exp"(%a) {rounding_mode = #cuda_tile.rounding<zero>} : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) {
  // expected-error @below {{invalid rounding mode specified. Only 'nearest_int_to_zero' is supported}}
  "cuda_tile.ftoi"(%a) {signedness = #cuda_tile.signedness<signed>, rounding_mode = #cuda_tile.rounding<zero>} : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>) {
  // expected-error @below {{invalid rounding mode specified. Only 'nearest_even' is supported}}
  itof %a signed rounding<zero> : tile<4xi32> -> tile<4xf32>
} }
// -----
// Nothing is lost, so nothing is rounded.
cuda_tile.module @m { testing$func @f(%a: tile<4xf16>) {
  // expected-error @below {{invalid rounding mode specified. Only 'nearest_even' is supported}}
  ftof %a rounding<zero> : tile<4xf16> -> tile<4xf32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) {
  // expected-error @below {{invalid rounding mode specified for conversion to f8E8M0FNU. Only 'zero' and 'positive_inf' are supported}}
  ftof %a : tile<4xf32> -> tile<4xf8E8M0FNU>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xf16>) {
  // expected-error @below {{flush_to_zero modifier only supported for f32 data type, but got: 'f16'}}
  exp2 %a flush_to_zero : tile<4xf16>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xf16>) {
  // expected-error @below {{flush_to_zero modifier only supported for f32 data type, but got: 'f16'}}
  maxf %a, %a flush_to_zero : tile<4xf16>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xf16>) {
  // expected-error @below {{approx modifier only supported for f32 data type, but got: 'f16'}}
  tanh %a rounding<approx> : tile<4xf16>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>) {
  // expected-error @below {{rounding mode 'negative_inf' is not allowed with 'unsigned' flag}}
  divi %a, %a unsigned rounding<negative_inf> : tile<4xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>) {
  // expected-error @below {{expected overflow to be one of: none, no_signed_wrap, no_unsigned_wrap, no_wrap, but got: 'never'}}
  addi %a, %a overflow<never> : tile<4xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) {
  // expected-error @below {{expected valid keyword}}
  // expected-error @below {{expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: ''}}
  addf %a, %a rounding<> : tile<4xf32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>) {
  // expected-error @below {{'no_wrap' overflow flag is not supported}}
  negi %a overflow<no_wrap> : tile<4xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%c: tile<2xi1>, %a: tile<2xf4E2M1FN>) {
  // expected-error @below {{cannot operate on sub-byte type F4E2M1FN}}
  select %c, %a, %a : tile<2xi1>, tile<2xf4E2M1FN>
} }

// -----

cuda_tile.module @m { testing$func @f(%a: tile<4xi32>) {
  // expected-error @below {{extending to smaller or identical integer: from 'i32' to 'i32'}}
  exti %a signed : tile<4xi32> -> tile<4xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>) {
  // expected-error @below {{truncating to larger or identical integer: from 'i32' to 'i64'}}
  trunci %a : tile<4xi32> -> tile<4xi64>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) {
  // expected-error @below {{converting tiles must not be a no-op, but both element types are 'f32'}}
  ftof %a : tile<4xf32> -> tile<4xf32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>) {
  // expected-error @below {{integer to f8E8M0FNU conversion is not supported, please first convert to another float type}}
  itof %a signed : tile<4xi32> -> tile<4xf8E8M0FNU>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>) {
  // expected-error @below {{types must be equal width}}
  bitcast %a : tile<4xi32> -> tile<4xf16>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<2x4xi32>) {
  // expected-error @below {{expects source and result to be rank-1 tiles}}
  pack %a : tile<2x4xi32> -> tile<8x4xi8>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<8xi32>) {
  // expected-error @below {{expects source and result to have the same size in bytes, but got source tile size 32 bytes and result tile size 16 bytes}}
  pack %a : tile<8xi32> -> tile<16xi8>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<8xi8>) {
  // expected-error @below {{expects source and result to have different element type widths}}
  unpack %a : tile<8xi8> -> tile<8xf8E5M2>
} }

// -----

cuda_tile.module @m { testing$func @f() {
  // expected-error @below {{expects result type to be 1-d tile}}
  iota : tile<2x2xi32>
} }
// -----
cuda_tile.module @m { testing$func @f() {
  // expected-error @below {{the number of elements 512 exceeds the maximum value of element type 'i8'}}
  iota : tile<512xi8>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>) {
  // expected-error @below {{expected source tile and result tile to have the same number of elements}}
  reshape %a : tile<4xi32> -> tile<2x4xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<2x4xi32>) {
  // expected-error @below {{expects the shape of source tile to be compatible with that of the result tile, but got: 2, 4 and 4, 4}}
  broadcast %a : tile<2x4xi32> -> tile<4x4xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>) {
  // expected-error @below {{expects at least rank 2, but got: 1}}
  permute %a [0] : tile<4xi32> -> tile<4xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4x2xi32>) {
  // expected-error @below {{expect permutation size (1) to equal the rank of the source (2)}}
  permute %a [0] : tile<4x2xi32> -> tile<4x2xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4x2xi32>) {
  // expected-error @below {{expect permutation elements to be unique, but got: 1, 1}}
  permute %a [1, 1] : tile<4x2xi32> -> tile<4x2xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4x2xi32>) {
  // expected-error @below {{result shape invalid at index 0, expected: 2, but got: 4}}
  permute %a [1, 0] : tile<4x2xi32> -> tile<4x2xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4x2xi32>) {
  // expected-error @below {{expect dim to be [0, 2), but got: 2}}
  cat %a, %a dim = 2 : tile<4x2xi32>, tile<4x2xi32> -> tile<8x2xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4x2xi32>) {
  // expected-error @below {{invalid concat at position 0, expected: 8 but got: 4}}
  cat %a, %a dim = 0 : tile<4x2xi32>, tile<4x2xi32> -> tile<4x2xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4x2xi32>, %b: tile<4x4xi32>) {
  // expected-error @below {{expect lhs and rhs shapes to match at non-concat position 1, expected: 2 but got: 4}}
  cat %a, %b dim = 0 : tile<4x2xi32>, tile<4x4xi32> -> tile<8x2xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4x2xi32>) {
  // expected-error @below {{expect lhs and result shapes to match at non-concat position 1, expected: 2 but got: 4}}
  cat %a, %a dim = 0 : tile<4x2xi32>, tile<4x2xi32> -> tile<8x4xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>, %i: tile<i32>) {
  // expected-error @below {{source and result element type do not match}}
  extract %a[%i] : tile<4xi32> -> tile<2xf32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>, %b: tile<2xf32>, %i: tile<i32>) {
  // expected-error @below {{source and destination element type do not match}}
  insert %b, %a[%i] : tile<2xf32>, tile<4xi32> -> tile<4xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>, %i: tile<i32>) {
  // expected-error @below {{expected 1 indices, but got 2}}
  extract %a[%i, %i] : tile<4xi32> -> tile<2xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xi32>, %b: tile<8xi32>, %i: tile<i32>) {
  // expected-error @below {{destination dimension 0 size (4) must be evenly divisible by source dimension 0 size (8)}}
  insert %b, %a[%i] : tile<8xi32>, tile<4xi32> -> tile<4xi32>
} }

// -----

cuda_tile.module @m { testing$func @f(%a: tile<4xf16>, %c: tile<4xf32>) {
  // expected-error @below {{operands must be 2D or 3D tiles, but got rank 1}}
  mmaf %a, %a, %c : tile<4xf16>, tile<4xf16>, tile<4xf32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4x8xf16>, %b: tile<4x8xf16>, %c: tile<4x8xf32>) {
  // expected-error @below {{shape error: dim 1 of lhs (8) and dim 0 of rhs (4) must match, but got lhs shape (4, 8) and rhs shape (4, 8)}}
  mmaf %a, %b, %c : tile<4x8xf16>, tile<4x8xf16>, tile<4x8xf32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4x4xbf16>, %c: tile<4x4xf16>) {
  // expected-error @below {{unsupported combination of element types. Input type 'bf16' expects accumulator/result type to be one of {'f32'}, but got 'f16'}}
  mmaf %a, %a, %c : tile<4x4xbf16>, tile<4x4xbf16>, tile<4x4xf16>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<16x32xf8E5M2>, %b: tile<32x16xf8E5M2>, %c: tile<16x16xf32>, %s: tile<16x1xf8E4M3FN>, %r: tile<1x16xf8E4M3FN>) {
  // expected-error @below {{unsupported combination of element types. Scale type 'f8E4M3FN' expects lhs and rhs element types to be 'f4E2M1FN', but got 'f8E5M2'}}
  mmaf_scaled %a, %b, %c, %s, %r : tile<16x32xf8E5M2>, tile<32x16xf8E5M2>, tile<16x16xf32>, tile<16x1xf8E4M3FN>, tile<1x16xf8E4M3FN>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<16x32xf8E5M2>, %b: tile<32x16xf8E5M2>, %c: tile<16x16xf32>, %s: tile<16x2xf8E8M0FNU>, %r: tile<2x16xf8E8M0FNU>) {
  // expected-error @below {{shape error: f8 element type requires block scale factor of lhs_scale and rhs_scale to be 32, but got 16}}
  mmaf_scaled %a, %b, %c, %s, %r : tile<16x32xf8E5M2>, tile<32x16xf8E5M2>, tile<16x16xf32>, tile<16x2xf8E8M0FNU>, tile<2x16xf8E8M0FNU>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<16x32xf8E5M2>, %b: tile<32x16xf8E5M2>, %c: tile<16x16xf32>, %s: tile<16x64xf8E8M0FNU>, %r: tile<64x16xf8E8M0FNU>) {
  // expected-error @below {{shape error: dim 1 of lhs_scale (64) must be a divisor of dim 1 of lhs (32), but got lhs_scale shape (16, 64) and lhs shape (16, 32)}}
  mmaf_scaled %a, %b, %c, %s, %r : tile<16x32xf8E5M2>, tile<32x16xf8E5M2>, tile<16x16xf32>, tile<16x64xf8E8M0FNU>, tile<64x16xf8E8M0FNU>
} }

// -----

cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) {
  // expected-error @below {{number of operands and types do not match: got 1 operands and 2 types}}
  reduce %a dim=0 identities=[0.0 : f32] : tile<4xf32>, tile<4xf32> -> tile<f32> (%x: tile<f32>, %y: tile<f32>) { yield %x : tile<f32> }
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) {
  // expected-error @below {{expect same number of operands and results}}
  scan %a dim=0 reverse=false identities=[0.0 : f32] : tile<4xf32> -> tile<4xf32>, tile<4xf32> (%x: tile<f32>, %y: tile<f32>) { yield %x : tile<f32> }
} }
// -----
cuda_tile.module @m { testing$func @f() {
  // expected-error @below {{expect at least 1 operand}}
  "cuda_tile.scan"() ({ "cuda_tile.yield"() : () -> () }) {dim = 0 : i32, reverse = false, identities = []} : () -> ()
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) {
  // expected-error @below {{expect identities to match the number of operands but got: 1 operands and 0 identities}}
  reduce %a dim=0 identities=[] : tile<4xf32> -> tile<f32> (%x: tile<f32>, %y: tile<f32>) { yield %x : tile<f32> }
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) {
  // expected-error @below {{expect 2 block arguments but got: 1}}
  reduce %a dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%x: tile<f32>) { yield %x : tile<f32> }
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) {
  // expected-error @below {{expect 0-rank tile type at index: 1 but got: '!cuda_tile.tile<4xf32>'}}
  reduce %a dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%x: tile<f32>, %y: tile<4xf32>) { yield %x : tile<f32> }
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) {
  // expected-error @below {{expect same element type for block argument at index: 0 and 1 but got: 'f32' and 'f16'}}
  reduce %a dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%x: tile<f32>, %y: tile<f16>) { yield %x : tile<f32> }
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) {
  // expected-error @below {{expect same type for operand at index: 0 and block argument at index: 0 but got: 'f32' and 'f16'}}
  reduce %a dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%x: tile<f16>, %y: tile<f16>) { yield %x : tile<f16> }
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) {
  // expected-error @below {{expect number of terminators operands (2) to match number of operands (1)}}
  reduce %a dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%x: tile<f32>, %y: tile<f32>) { yield %x, %y : tile<f32>, tile<f32> }
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) {
  // expected-error @below {{expect same type for operand at index: 0 and terminator argument at index: 0 but got: 'f32' and 'i1'}}
  reduce %a dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%x: tile<f32>, %y: tile<f32>) {
    %z = cmpf equal ordered %x, %y : tile<f32> -> tile<i1>
    yield %z : tile<i1>
  }
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) {
  // expected-error @below {{expect same type for operand at index: 0 and identity at index: 0 but got: 'f32' and 'i32'}}
  reduce %a dim=0 identities=[0 : i32] : tile<4xf32> -> tile<f32> (%x: tile<f32>, %y: tile<f32>) { yield %x : tile<f32> }
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) {
  // expected-error @below {{expect identity at index: 0 to be a number of type 'f32', but got: "zero"}}
  reduce %a dim=0 identities=["zero"] : tile<4xf32> -> tile<f32> (%x: tile<f32>, %y: tile<f32>) { yield %x : tile<f32> }
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) {
  // expected-error @below {{dimension (1) is out of bound [0, 1)}}
  scan %a dim=1 reverse=false identities=[0.0 : f32] : tile<4xf32> -> tile<4xf32> (%x: tile<f32>, %y: tile<f32>) { yield %x : tile<f32> }
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) {
  reduce %a dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%x: tile<f32>, %y: tile<f32>) {
    // expected-error @below {{only pure operations are allowed inside 'cuda_tile.reduce'}}
    %t = print_tko "here" -> token
    yield %x : tile<f32>
  }
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) {
  // expected-error @below {{expect same type for operand at index: 0 and result at index: 0}}
  scan %a dim=0 reverse=false identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%x: tile<f32>, %y: tile<f32>) { yield %x : tile<f32> }
} }

// -----

cuda_tile.module @m { testing$func @f(%p: tile<ptr<f32>>) {
  // expected-error @below {{expect one of: weak, relaxed, or acquire, but got: acq_rel}}
  load_ptr_tko acq_rel device %p : tile<ptr<f32>> -> tile<f32>, token
} }
// -----
cuda_tile.module @m { testing$func @f(%p: tile<ptr<f32>>) {
  // expected-error @below {{weak load must not have memory scope}}
  load_ptr_tko weak device %p : tile<ptr<f32>> -> tile<f32>, token
} }
// -----
cuda_tile.module @m { testing$func @f(%p: tile<ptr<f32>>, %x: tile<f32>) {
  // expected-error @below {{memory scope is required for release store}}
  store_ptr_tko release %p, %x : tile<ptr<f32>>, tile<f32> -> token
} }
// -----
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>) {
  // expected-error @below {{invalid memory_ordering_semantics attribute specification. Got "sorted" but expect one of: weak, relaxed, acquire, release, acq_rel}}
  load_view_tko sorted %v[%i] : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
} }
// -----
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>) {
  // expected-error @below {{invalid memory_scope attribute specification. Got "everywhere" but expect one of: tl_blk, device, sys}}
  load_view_tko relaxed everywhere %v[%i] : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
} }
// -----
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>) {
  // expected-error @below {{operation specifies weak memory ordering semantics, but then provides "sys" scope, expected no memory scope.}}
  load_view_tko weak sys %v[%i] : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
} }
// -----
cuda_tile.module @m { testing$func @f() {
  // expected-error @below {{'alignment' must be power of two}}
  alloca num_elem = 4, alignment = 12 : tile<ptr<f32>>
} }
// -----
cuda_tile.module @m { testing$func @f() {
  // expected-error @below {{'alignment' (2) must be at least the natural size (4 bytes) for element type 'tf32'}}
  alloca num_elem = 4, alignment = 2 : tile<ptr<tf32>>
} }
// -----
cuda_tile.module @m { testing$func @f(%t: token) {
  // expected-error @below {{expect two or more tokens}}
  join_tokens %t : token
} }
// -----
cuda_tile.module @m { testing$func @f(%x: tile<f32>) {
  // expected-error @below {{incorrect number of operands: expected 2, found 1}}
  print_tko "%f %% %d", %x : tile<f32> -> token
} }
// -----
cuda_tile.module @m { testing$func @f(%x: tile<f32>) {
  // expected-error @below {{found unterminated format expression}}
  print_tko "%5.", %x : tile<f32> -> token
} }

// -----

cuda_tile.module @m { testing$func @f(%p: tile<ptr<f32>>) {
  // expected-error @below {{expected either integer or SSA value}}
  make_tensor_view %p, shape = [x], strides = [1] : tensor_view<4xf32, strides=[1]>
} }
// -----
cuda_tile.module @m { testing$func @f(%p: tile<ptr<f32>>) {
  // expected-error @below {{expected stride declaration to contain 1 elements due to tensor_view type, but 2 were provided}}
  make_tensor_view %p, shape = [4], strides = [1, 1] : tensor_view<4xf32, strides=[1]>
} }
// -----
cuda_tile.module @m { testing$func @f(%p: tile<ptr<f32>>) {
  // expected-error @below {{input shape dimension 0 does not match tensor_view type (expected dynamic, got 4)}}
  make_tensor_view %p, shape = [4], strides = [1] : tensor_view<?xf32, strides=[1]>
} }
// -----
cuda_tile.module @m { testing$func @f(%p: tile<ptr<f32>>) {
  // expected-error @below {{expected 1 dynamic shape operands, got 0}}
  "cuda_tile.make_tensor_view"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!cuda_tile.tile<ptr<f32>>) -> !cuda_tile.tensor_view<?xf32, strides=[1]>
} }
// -----
cuda_tile.module @m { testing$func @f(%p: tile<ptr<f32>>, %i: tile<i32>, %l: tile<i64>) {
  // expected-error @below {{expected dynamic stride index 0 to be of the same type as the other dynamic values ('!cuda_tile.tile<i32>'), got '!cuda_tile.tile<i64>'}}
  "cuda_tile.make_tensor_view"(%p, %i, %l) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tensor_view<?xf32, strides=[?]>
} }
// -----
cuda_tile.module @m { testing$func @f(%p: tile<ptr<f16>>) {
  // expected-error @below {{expected pointer to 'f32' to build tensor_view of this type, got 'f16'}}
  "cuda_tile.make_tensor_view"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!cuda_tile.tile<ptr<f16>>) -> !cuda_tile.tensor_view<4xf32, strides=[1]>
} }
// -----
cuda_tile.module @m { testing$func @f(%v: tensor_view<4xf32, strides=[1]>) {
  // expected-error @below {{expected 'strided_view' type, but got '!cuda_tile.tensor_view<4xf32, strides=[1]>'}}
  make_strided_view %v : tensor_view<4xf32, strides=[1]>
} }
// -----
cuda_tile.module @m { testing$func @f(%v: tile<4xf32>) {
  // expected-error @below {{expected tensor_view, got '!cuda_tile.tile<4xf32>'}}
  get_tensor_shape %v : tile<4xf32> -> tile<i32>
} }
// -----
cuda_tile.module @m { testing$func @f(%v: tensor_view<4xf32, strides=[1]>) {
  // expected-error @below {{expected tile view, got '!cuda_tile.tensor_view<4xf32, strides=[1]>'}}
  get_index_space_shape %v : tensor_view<4xf32, strides=[1]> -> tile<i32>
} }
// -----
cuda_tile.module @m { testing$func @f(%v: tensor_view<4xf32, strides=[1]>) {
  // expected-error @below {{expected 1 results due to tensor rank, but got 2}}
  "cuda_tile.get_tensor_shape"(%v) : (!cuda_tile.tensor_view<4xf32, strides=[1]>) -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
} }
// -----
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>) {
  // expected-error @below {{expected 1 results due to view index space rank, but got 0}}
  "cuda_tile.get_index_space_shape"(%v) : (!cuda_tile.partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>) -> ()
} }
// -----
cuda_tile.module @m { testing$func @f(%v: tensor_view<4x4xf32, strides=[4,1]>) {
  // expected-error @below {{expected all results to have one type, got '!cuda_tile.tile<i32>' and '!cuda_tile.tile<i64>'}}
  "cuda_tile.get_tensor_shape"(%v) : (!cuda_tile.tensor_view<4x4xf32, strides=[4,1]>) -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>)
} }
// -----
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>) {
  // expected-error @below {{expected tile type to be '!cuda_tile.tile<4xf32>' (based on view type), got '!cuda_tile.tile<8xf32>'}}
  load_view_tko weak %v[%i] : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
} }
// -----
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>) {
  // expected-error @below {{expected 1 index operands (based on view type), got 2}}
  load_view_tko weak %v[%i, %i] : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
} }
// -----
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4x4), tensor_view<4x4xf32, strides=[4,1]>>, %i: tile<i32>, %l: tile<i64>) {
  // expected-error @below {{expected index type 1 to be the same as other index types ('!cuda_tile.tile<i32>'), got '!cuda_tile.tile<i64>'}}
  load_view_tko weak %v[%i, %l] : partition_view<tile=(4x4), tensor_view<4x4xf32, strides=[4,1]>>, tile<i32>, tile<i64> -> tile<4x4xf32>, token
} }
// -----
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<4xi32>) {
  // expected-error @below {{expected index type to be a scalar tile, got '!cuda_tile.tile<4xi32>'}}
  load_view_tko weak %v[%i] : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<4xi32> -> tile<4xf32>, token
} }
// -----
cuda_tile.module @m { testing$func @f(%v: gather_scatter_view<tile=(4), tensor_view<4xf32, strides=[1]>, sparse_dim=0>, %i: tile<i32>) {
  // expected-error @below {{expected index at sparse_dim position 0 to be a 1D tensor for GatherScatterView, got rank 0}}
  load_view_tko weak %v[%i] : gather_scatter_view<tile=(4), tensor_view<4xf32, strides=[1]>, sparse_dim=0>, tile<i32> -> tile<4xf32>, token
} }
// -----
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>) {
  // expected-error @below {{expected 1 index types, got 2}}
  load_view_tko weak %v[%i] : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32>, tile<i32> -> tile<4xf32>, token
} }
// -----
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>) {
  // expected-error @below {{expected valid keyword}}
  // expected-error @below {{expected index type after comma}}
  load_view_tko weak %v[%i] : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, -> tile<4xf32>, token
} }
// -----
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>, %x: tile<4xf32>) {
  // expected-error @below {{'cuda_tile.atomic_red_view_tko' op requires attribute 'memory_scope'}}
  atomic_red_view_tko relaxed %v[%i], addf, %x : tile<4xf32>, partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> token
} }
// -----
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>) {
  // expected-error @below {{expected 1 values in inbounds, got 2}}
  load_view_tko weak %v[%i] {inbounds = array<i1: true, true>} : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
} }

// -----

cuda_tile.module @m { testing$func @f(%p: tile<ptr<i32>>, %x: tile<i32>) {
  // expected-error @below {{memory ordering semantics must be one of: relaxed, acquire, release, acq_rel}}
  atomic_rmw_tko weak device %p, add, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
} }
// -----
cuda_tile.module @m { testing$func @f(%p: tile<ptr<i32>>, %x: tile<i64>) {
  // expected-error @below {{expected pointee type ('i32') to match element type of 'arg' ('i64')}}
  atomic_rmw_tko relaxed device %p, add, %x : tile<ptr<i32>>, tile<i64> -> tile<i64>, token
} }
// -----
cuda_tile.module @m { testing$func @f(%p: tile<ptr<i16>>, %x: tile<i16>) {
  // expected-error @below {{'add' works only with integers i32 and i64}}
  atomic_rmw_tko relaxed device %p, add, %x : tile<ptr<i16>>, tile<i16> -> tile<i16>, token
} }
// -----
cuda_tile.module @m { testing$func @f(%p: tile<ptr<i32>>, %x: tile<i32>) {
  // expected-error @below {{'addf' works only with floats f16, bf16, f32, and f64}}
  atomic_rmw_tko relaxed device %p, addf, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
} }
// -----
cuda_tile.module @m { testing$func @f(%p: tile<ptr<f16>>, %x: tile<f16>) {
  // expected-error @below {{'xchg' works only with integers or float of 32 or 64 bitwidth}}
  atomic_rmw_tko relaxed device %p, xchg, %x : tile<ptr<f16>>, tile<f16> -> tile<f16>, token
} }
// -----
cuda_tile.module @m { testing$func @f(%p: tile<ptr<f16>>, %x: tile<f16>) {
  // expected-error @below {{expect only float or integer types with 32 or 64 bit}}
  atomic_cas_tko relaxed device %p, %x, %x : tile<ptr<f16>>, tile<f16> -> tile<f16>, token
} }
// -----
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %x: tile<4xf32>, %i: tile<i32>) {
  // expected-error @below {{only 'relaxed' memory ordering is supported for view-based atomic reductions}}
  atomic_red_view_tko release device %v[%i], addf, %x : tile<4xf32>, partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> token
} }
// -----
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %x: tile<4xf32>, %i: tile<i32>) {
  // expected-error @below {{memory scope 'sys' is not supported for view-based atomic reductions; use 'tl_blk' or 'device' for TMA compatibility}}
  atomic_red_view_tko relaxed sys %v[%i], addf, %x : tile<4xf32>, partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> token
} }
// -----
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %x: tile<4xf32>, %i: tile<i32>) {
  // expected-error @below {{atomic_red_view_tko op cannot use xchg operation}}
  atomic_red_view_tko relaxed device %v[%i], xchg, %x : tile<4xf32>, partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> token
} }
// -----
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %x: tile<4xf16>, %i: tile<i32>) {
  // expected-error @below {{view element type ('f32') must match value element type ('f16')}}
  atomic_red_view_tko relaxed device %v[%i], addf, %x : tile<4xf16>, partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> token
} }
// -----
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %x: tile<8xf32>, %i: tile<i32>) {
  // expected-error @below {{view tile shape 4 must match value shape 8 for element-wise atomic operations}}
  atomic_red_view_tko relaxed device %v[%i], addf, %x : tile<8xf32>, partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> token
} }
// -----
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %x: tile<4xf32>, %i: tile<i32>) {
  // expected-error @below {{expected 1 index operand(s) for view with tile rank 1, got 2}}
  atomic_red_view_tko relaxed device %v[%i, %i], addf, %x : tile<4xf32>, partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> token
} }
// -----
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %x: tile<4xf32>, %i: tile<2xi32>) {
  // expected-error @below {{index operand 0 must be a scalar tile (rank 0), got shape 2}}
  atomic_red_view_tko relaxed device %v[%i], addf, %x : tile<4xf32>, partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<2xi32> -> token
} }
// -----
cuda_tile.module @m { testing$func @f(%v: gather_scatter_view<tile=(4), tensor_view<4xf32, strides=[1]>, sparse_dim=0>, %x: tile<4xf32>, %i: tile<i32>) {
  // expected-error @below {{gather_scatter_view is not supported; use partition_view instead}}
  atomic_red_view_tko relaxed device %v[%i], addf, %x : tile<4xf32>, gather_scatter_view<tile=(4), tensor_view<4xf32, strides=[1]>, sparse_dim=0>, tile<i32> -> token
} }
// -----
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), padding_value = zero, tensor_view<4xf32, strides=[1]>>, %x: tile<4xf32>, %i: tile<i32>) {
  // expected-error @below {{views with padding_value are not supported for atomic reductions}}
  atomic_red_view_tko relaxed device %v[%i], addf, %x : tile<4xf32>, partition_view<tile=(4), padding_value = zero, tensor_view<4xf32, strides=[1]>>, tile<i32> -> token
} }

// -----

cuda_tile.module @m { testing$func @f(%i: tile<i32>, %v: tensor_view<4xf32, strides=[1]>) {
  // expected-error @below {{loop-carried value 0 is a tensor_view, which is not supported}}
  for %k in (%i to %i, step %i) : tile<i32> iter_values(%w = %v) -> (tensor_view<4xf32, strides=[1]>) { continue %w : tensor_view<4xf32, strides=[1]> }
} }
// -----
cuda_tile.module @m { testing$func @f(%c: tile<i1>, %v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>) {
  // expected-error @below {{result type 0 is a tile view, which is not supported}}
  if %c -> (partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>) {
    yield %v : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>
  } else {
    yield %v : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>
  }
} }
// -----
cuda_tile.module @m { testing$func @f(%i: tile<i32>) {
  // expected-error @below {{expected induction variable to be same type as bounds and step: '!cuda_tile.tile<i64>' vs '!cuda_tile.tile<i32>'}}
  "cuda_tile.for"(%i, %i, %i) ({ ^bb0(%k: !cuda_tile.tile<i64>): "cuda_tile.continue"() : () -> () }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
} }
// -----
cuda_tile.module @m { testing$func @f(%i: tile<i32>) {
  // expected-error @below {{mismatch in number of region iterator values and loop iterator inits: 1 vs 0}}
  "cuda_tile.for"(%i, %i, %i) ({ ^bb0(%k: !cuda_tile.tile<i32>, %x: !cuda_tile.tile<i32>): "cuda_tile.continue"() : () -> () }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
} }
// -----
cuda_tile.module @m { testing$func @f(%i: tile<i32>) {
  // expected-error @below {{init value 0 and region iter_value 0 have different type: '!cuda_tile.tile<i32>' != '!cuda_tile.tile<i64>'}}
  "cuda_tile.loop"(%i) ({ ^bb0(%x: !cuda_tile.tile<i64>): "cuda_tile.break"() : () -> () }) : (!cuda_tile.tile<i32>) -> ()
} }
// -----
cuda_tile.module @m { testing$func @f(%i: tile<i32>) {
  // expected-error @below {{failed to verify that all of {initValues, resultValues} have same type}}
  "cuda_tile.for"(%i, %i, %i, %i) ({ ^bb0(%k: !cuda_tile.tile<i32>, %x: !cuda_tile.tile<i32>): "cuda_tile.continue"() : () -> () }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
} }
// -----
cuda_tile.module @m { testing$func @f(%i: tile<i32>) {
  // expected-error @below {{failed to verify that all of {initValues, resultValues} have same type, but got ('!cuda_tile.tile<i32>') and ('!cuda_tile.tile<i64>')}}
  "cuda_tile.for"(%i, %i, %i, %i) ({ ^bb0(%k: !cuda_tile.tile<i32>, %x: !cuda_tile.tile<i32>): "cuda_tile.break"() : () -> () }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i64>
} }
// -----
cuda_tile.module @m { testing$func @f(%i: tile<i32>) {
  // expected-error @below {{found different number of iter_values and types}}
  loop iter_values(%x = %i) : tile<i32>, tile<i32> { break }
} }
// -----
cuda_tile.module @m { testing$func @f(%i: tile<i32>) {
  loop iter_values(%x = %i) : tile<i32> {
    // expected-error @below {{`loop` is missing a valid terminator. `continue` op should have operand types that match the parent loop iter_values: ('!cuda_tile.tile<i32>'), but found: ()}}
    continue
  }
} }
// -----
cuda_tile.module @m { testing$func @f(%i: tile<i32>) {
  loop {
    // expected-error @below {{operand types must correspond to the parent loop result types: ('!cuda_tile.tile<i32>') vs ()}}
    break %i : tile<i32>
  }
} }
// -----
cuda_tile.module @m { testing$func @f(%i: tile<i32>, %c: tile<i1>) {
  // expected-note @below {{see unexpected ancestor operation}}
  for %k in (%i to %i, step %i) : tile<i32> {
    if %c {
      // expected-error @below {{can only be nested within a ancestor chain of 'cuda_tile.loop', 'cuda_tile.if' operations}}
      break
    }
  }
} }
// -----
cuda_tile.module @m { testing$func @f(%c: tile<i1>, %i: tile<i32>) {
  // expected-error @below {{has non-empty return type, must define else branch}}
  if %c -> (tile<i32>) { yield %i : tile<i32> }
} }
// -----
cuda_tile.module @m { testing$func @f(%c: tile<i1>, %i: tile<i32>) {
  // expected-error @below {{has return type of '!cuda_tile.tile<i32>' but else branch does not yield anything}}
  if %c -> (tile<i32>) { yield %i : tile<i32> } else { }
} }
// -----
cuda_tile.module @m { testing$func @f(%c: tile<i1>, %i: tile<i32>) {
  // expected-error @below {{does not return a value, but then branch yields '!cuda_tile.tile<i32>'}}
  if %c { yield %i : tile<i32> }
} }
// -----
cuda_tile.module @m { testing$func @f(%c: tile<i1>, %i: tile<i32>) {
  // expected-error @below {{type does not match yield type, then branch yields '!cuda_tile.tile<i32>' but op result type is '!cuda_tile.tile<i64>'}}
  if %c -> (tile<i64>) { yield %i : tile<i32> } else { yield %i : tile<i32> }
} }
// -----
cuda_tile.module @m { testing$func @f(%i: tile<i32>) {
  // expected-error @below {{has 1 operands, but enclosing function (@f) returns 0}}
  return %i : tile<i32>
} }
// -----
cuda_tile.module @m { testing$func @f(%i: tile<i32>) -> tile<i64> {
  // expected-error @below {{type of return operand 0 ('!cuda_tile.tile<i32>') doesn't match function result type ('!cuda_tile.tile<i64>') in function @f}}
  return %i : tile<i32>
} }

// -----

cuda_tile.module @m {
  // expected-error @below {{entry op must not return values}}
  entry @f(%i: tile<i32>) -> tile<i32> { return %i : tile<i32> }
}
// -----
cuda_tile.module @m {
  // expected-error @below {{entry op must have scalar types (rank 0 !cuda_tile.tile)}}
  entry @f(%i: tile<4xi32>) { }
}
// -----
cuda_tile.module @m {
  // expected-error @below {{type must have rank 1}}
  global @g <f32: 1.0> : tile<2x2xf32>
}
// -----
cuda_tile.module @m {
  // expected-error @below {{'alignment' must be zero or a power of two, but got 6}}
  global @g alignment = 6 <f32: 1.0> : tile<2xf32>
}
// -----
cuda_tile.module @m { testing$func @f() {
  // expected-error @below {{'g' does not reference a valid global}}
  get_global @g : tile<ptr<f32>>
} }
// -----
cuda_tile.module @m {
  global @g <f32: 1.0> : tile<2xf32>
  testing$func @f() {
    // expected-error @below {{pointee type of result type '!cuda_tile.ptr<i32>' does not match type 'f32' of the global @g}}
    get_global @g : tile<ptr<i32>>
  }
}
// -----
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>) {
  // expected-error @below {{index types must be specified when indices are present: one for all after the type of the view, or one for each}}
  load_view_tko weak %v[%i] : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>> -> tile<4xf32>, token
} }
// -----
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>) {
  // expected-error @below {{expected 1 index operands (based on view type), got 0}}
  load_view_tko weak %v[] : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>> -> tile<4xf32>, token
} }
// -----
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>, %x: tile<4xf32>) {
  // expected-error @below {{invalid memory_ordering_semantics: 'strong'; expected one of: weak, relaxed, acquire, release, acq_rel}}
  atomic_red_view_tko strong device %v[%i], addf, %x : tile<4xf32>, partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> token
} }
// -----
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>, %x: tile<4xf32>) {
  // expected-error @below {{invalid memory_scope: 'block'; expected one of: tl_blk, device, sys}}
  atomic_red_view_tko relaxed block %v[%i], addf, %x : tile<4xf32>, partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> token
} }
// -----
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>, %x: tile<4xf32>) {
  // expected-error @below {{unknown atomic RMW mode: 'mul'; expected one of: and, or, xor, add, addf, max, min, umax, umin}}
  atomic_red_view_tko relaxed device %v[%i], mul, %x : tile<4xf32>, partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> token
} }
// -----
cuda_tile.module @m { testing$func @f(%i: tile<i32>) {
  // expected-error @below {{mismatch in number of loop-carried values and defined values: 1 vs 2}}
  for %k in (%i to %i, step %i) : tile<i32> iter_values(%x = %i) -> (tile<i32>, tile<i32>) { }
} }
// -----
// An error stands where the declared list or the number in it does.
cuda_tile.module @m { testing$func @f(%p: tile<ptr<f32>>) {
  make_tensor_view %p,
    // expected-error @below {{expected shape declaration to contain 2 elements}}
    shape = [4], strides = [4, 1] : tensor_view<4x4xf32, strides=[4,1]>
} }
// -----
cuda_tile.module @m { testing$func @f(%p: tile<ptr<f32>>) {
  make_tensor_view %p, shape = [4, 4], strides = [4,
    // expected-error @below {{input stride dimension 1 does not match tensor_view type (expected 1, got 2)}}
    2] : tensor_view<4x4xf32, strides=[4,1]>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4x2xi32>, %i: tile<i32>) {
  // expected-error @below {{dimension 1 size (2) must be evenly divisible by}}
  extract %a[%i] : tile<4x2xi32> -> tile<2x4xi32>
} }
// -----
// Of two faults the sum of the lengths comes first.
cuda_tile.module @m { testing$func @f(%a: tile<2x2xf32>) {
  // expected-error @below {{invalid concat at position 1, expected: 4 but got: 8}}
  cat %a, %a dim = 1 : tile<2x2xf32>, tile<2x2xf32> -> tile<4x8xf32>
} }
