// Types, attributes and literals of `cuda_tile` that are wrong.
// RUN: cuda-tile-opt %s -verify-diagnostics -split-input-file

// expected-error @below {{expected static shape}}
cuda_tile.module @m { testing$func @f(%a: tile<?xf32>) {} }
// -----
// expected-error @below {{F4E2M1FN tiles must have an even number of elements}}
cuda_tile.module @m { testing$func @f(%a: tile<1xf4E2M1FN>) {} }
// -----
// expected-error @below {{all dimensions must be positive constants, got 4, 0}}
cuda_tile.module @m { testing$func @f(%a: tile<4x0xf32>) {} }
// -----
// expected-error @below {{all dimensions must be powers of two, got 4, 6}}
cuda_tile.module @m { testing$func @f(%a: tile<4x6xf32>) {} }
// -----
// expected-error @below {{tile would exceed the maximum of 16777216 elements}}
cuda_tile.module @m { testing$func @f(%a: tile<8192x4096xf32>) {} }
// -----
// A product that no number of 64 bits holds.
// expected-error @below {{tile would exceed the maximum of 16777216 elements}}
cuda_tile.module @m { testing$func @f(%a: tile<4611686018427387904x4611686018427387904x4xf32>) {} }
// -----
// expected-error @below {{failed to verify 'elementType'}}
cuda_tile.module @m { testing$func @f(%a: tile<4xindex>) {} }
// -----
// expected-error @below {{failed to verify 'pointeeType'}}
cuda_tile.module @m { testing$func @f(%a: ptr<i4>) {} }
// -----
// expected-error @below {{unknown type: thing}}
cuda_tile.module @m { testing$func @f(%a: thing) {} }
// -----
// expected-error @below {{strides must not be provided for 0-d tiles}}
cuda_tile.module @m { testing$func @f(%a: tensor_view<f32, strides=[1]>) {} }
// -----
// expected-error @below {{unexpected token after element type in 0-d tensor_view}}
cuda_tile.module @m { testing$func @f(%a: tensor_view<f32, 4>) {} }
// -----
// expected-error @below {{expected 'strides'}}
cuda_tile.module @m { testing$func @f(%a: tensor_view<4xf32>) {} }
// -----
// expected-error @below {{expected either 64-bit integer or question mark}}
cuda_tile.module @m { testing$func @f(%a: tensor_view<4xf32, strides=[x]>) {} }
// -----
// expected-error @below {{expected strictly positive integer, got 0}}
cuda_tile.module @m { testing$func @f(%a: tensor_view<4xf32, strides=[0]>) {} }
// -----
// expected-error @below {{expected shape and stride to be of same rank but got shape of rank 2 and stride of rank 1}}
cuda_tile.module @m { testing$func @f(%a: tensor_view<4x4xf32, strides=[1]>) {} }
// -----
// expected-error @below {{dimensions must have strictly positive constant sizes but got [4, 0]}}
cuda_tile.module @m { testing$func @f(%a: tensor_view<4x0xf32, strides=[4,1]>) {} }
// -----
// expected-error @below {{dimensions must have strictly positive constant sizes but got [?, 0]}}
cuda_tile.module @m { testing$func @f(%a: tensor_view<?x0xf32, strides=[4,1]>) {} }
// -----
// Of two faults of a view, its rank comes before the lengths of its tiles.
// expected-error @below {{expected tensor_view rank and tile rank to match, got tensor_view of rank 1 and tiles of rank 2}}
cuda_tile.module @m { testing$func @f(%a: partition_view<tile=(3x4), tensor_view<4xf32, strides=[1]>>) {} }
// -----
// expected-error @below {{expected 'tensor_view' type, but got '!cuda_tile.tile<4xf32>'}}
cuda_tile.module @m { testing$func @f(%a: partition_view<tile=(4), tile<4xf32>>) {} }
// -----
// expected-error @below {{0-dimension tile shape is not supported}}
cuda_tile.module @m { testing$func @f(%a: partition_view<tile=(), tensor_view<f32>>) {} }
// -----
// expected-error @below {{tile dimension 1 exceeds i32 limitations (got 4294967296, expected strictly positive and less than or equal to 2147483647)}}
cuda_tile.module @m { testing$func @f(%a: partition_view<tile=(4x4294967296), tensor_view<4x4xf32, strides=[4,1]>>) {} }
// -----
// expected-error @below {{tile dimension 0 exceeds i32 limitations (got 0, expected strictly positive and less than or equal to 2147483647)}}
cuda_tile.module @m { testing$func @f(%a: strided_view<tile=(0), traversal_strides=[1], tensor_view<4xf32, strides=[1]>>) {} }
// -----
// expected-error @below {{tile shape dimensions must have power of two length but got [4, 3]}}
cuda_tile.module @m { testing$func @f(%a: partition_view<tile=(4x3), tensor_view<4x4xf32, strides=[4,1]>>) {} }
// -----
// expected-error @below {{expected tensor_view rank and tile rank to match, got tensor_view of rank 1 and tiles of rank 2}}
cuda_tile.module @m { testing$func @f(%a: partition_view<tile=(4x4), tensor_view<4xf32, strides=[1]>>) {} }
// -----
// expected-error @below {{tile would exceed the maximum of 16777216 elements}}
cuda_tile.module @m { testing$func @f(%a: partition_view<tile=(8192x4096), tensor_view<4x4xf32, strides=[4,1]>>) {} }
// -----
// expected-error @below {{expected dim_map to map exactly all 2 dimensions of the tile, got 1 mappings}}
cuda_tile.module @m { testing$func @f(%a: partition_view<tile=(4x4), tensor_view<4x4xf32, strides=[4,1]>, dim_map=[0]>) {} }
// -----
// expected-error @below {{target dimension must not be negative, got -1}}
cuda_tile.module @m { testing$func @f(%a: partition_view<tile=(4x4), tensor_view<4x4xf32, strides=[4,1]>, dim_map=[0, -1]>) {} }
// -----
// expected-error @below {{target dimension is outside of tensor view dimensions, expected strictly less than 2, got 2}}
cuda_tile.module @m { testing$func @f(%a: partition_view<tile=(4x4), tensor_view<4x4xf32, strides=[4,1]>, dim_map=[0, 2]>) {} }
// -----
// expected-error @below {{target dimension 1 mapped at least twice (for tile dimensions 0 and 1)}}
cuda_tile.module @m { testing$func @f(%a: strided_view<tile=(4x4), traversal_strides=[4,4], tensor_view<4x4xf32, strides=[4,1]>, dim_map=[1, 1]>) {} }
// -----
// expected-error @below {{expected 2 traversal strides, got 1}}
cuda_tile.module @m { testing$func @f(%a: strided_view<tile=(4x4), traversal_strides=[4], tensor_view<4x4xf32, strides=[4,1]>>) {} }
// -----
// expected-error @below {{traversal strides must be strictly positive but got [4, 0]}}
cuda_tile.module @m { testing$func @f(%a: strided_view<tile=(4x4), traversal_strides=[4,0], tensor_view<4x4xf32, strides=[4,1]>>) {} }
// -----
// expected-error @below {{gather dimension is outside of tensor view dimensions, expected strictly less than 2, got 2}}
cuda_tile.module @m { testing$func @f(%a: gather_scatter_view<tile=(4x4), tensor_view<4x4xf32, strides=[4,1]>, sparse_dim=2>) {} }
// -----
// expected-error @below {{padding_value nan can only be used with floating point element types, got 'i32'}}
cuda_tile.module @m { testing$func @f(%a: partition_view<tile=(4), padding_value = nan, tensor_view<4xi32, strides=[1]>>) {} }
// -----
// expected-error @below {{invalid padding_value attribute specification. Got "one" but expect one of: zero, neg_zero, nan, pos_inf, neg_inf}}
cuda_tile.module @m { testing$func @f(%a: partition_view<tile=(4), padding_value = one, tensor_view<4xi32, strides=[1]>>) {} }

// -----

cuda_tile.module @m { testing$func @f(%a: tile<4xi8>) {
  // expected-error @below {{'cuda_tile.div_by' divisor is too large}}
  assume div_by<9223372036854775808>, %a : tile<4xi8>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xi8>) {
  // expected-error @below {{'cuda_tile.div_by' divisor is too large}}
  assume div_by<36893488147419103232>, %a : tile<4xi8>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xi8>) {
  // expected-error @below {{'cuda_tile.div_by' divisor must be a power of 2}}
  assume div_by<12>, %a : tile<4xi8>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xi8>) {
  // expected-error @below {{'cuda_tile.div_by' divisor must be a power of 2}}
  assume div_by<-2>, %a : tile<4xi8>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: token) {
  // expected-error @below {{'cuda_tile.div_by' is valid only for tile of integer/pointer or tensor_view values}}
  assume div_by<2>, %a : token
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<i8>) {
  // expected-error @below {{'cuda_tile.div_by' 'every'/'along' cannot be used if the constrained value is a 0D tile}}
  assume div_by<2, every 1 along 0>, %a : tile<i8>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tensor_view<4xf32, strides=[1]>) {
  // expected-error @below {{'cuda_tile.div_by' 'every'/'along' cannot be used if the constrained value is a tensor_view}}
  assume div_by<2, every 1 along 0>, %a : tensor_view<4xf32, strides=[1]>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4x8xi8>) {
  // expected-error @below {{expected 'cuda_tile.div_by' every_dim to be within 0 and the size of the respective dimension (8)}}
  assume div_by<2, every 16 along 1>, %a : tile<4x8xi8>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4x8xi8>) {
  // expected-error @below {{'cuda_tile.div_by' every_dim (-1) must be >= 0 and < tile rank (2)}}
  assume div_by<2, every 1 along -1>, %a : tile<4x8xi8>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4x8xi8>) {
  // expected-error @below {{expected number of values in 'cuda_tile.same_elements' (1) to match rank of constrained tile (2)}}
  assume same_elements<[1]>, %a : tile<4x8xi8>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4xf32>) {
  // expected-error @below {{'cuda_tile.same_elements' is valid only for tile of integer/pointer values}}
  assume same_elements<[1]>, %a : tile<4xf32>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<4x8xi8>) {
  // expected-error @below {{expected 'cuda_tile.same_elements' value 1 to be within 0 and the size of the respective dimension (8)}}
  assume same_elements<[4, 9]>, %a : tile<4x8xi8>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<ptr<f32>>) {
  // expected-error @below {{'cuda_tile.bounded' is valid only for tile of integer values}}
  assume bounded<0, ?>, %a : tile<ptr<f32>>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<i16>) {
  // expected-error @below {{'cuda_tile.bounded' expects lower bound to be within [-32768, 32767]}}
  assume bounded<-32769, ?>, %a : tile<i16>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<i1>) {
  // expected-error @below {{'cuda_tile.bounded' expects upper bound to be within [-1, 0]}}
  assume bounded<?, 1>, %a : tile<i1>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<i16>) {
  // expected-error @below {{'cuda_tile.bounded' expects lower bound to be less than or equal to upper bound}}
  assume bounded<3, 2>, %a : tile<i16>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<i16>) {
  // expected-error @below {{expected assume predicate attribute}}
  assume 4 : i32, %a : tile<i16>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<i16>) {
  // expected-error @below {{unknown assume predicate attribute: signedness (expected 'div_by', 'same_elements', or 'bounded')}}
  assume signedness<signed>, %a : tile<i16>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<i16>) {
  // expected-error @below {{expected attribute name: 'div_by', 'same_elements' or 'bounded'}}
  assume <4>, %a : tile<i16>
} }
// -----
cuda_tile.module @m { testing$func @f(%a: tile<i16>) {
  // expected-error @below {{failed to parse parameter 'divisor' which is expected to be an integer}}
  assume div_by<a>, %a : tile<i16>
} }

// -----
// expected-error @below {{expected a debug info scope, di_subprogram or di_lexical_block, but got}}
#at = #cuda_tile.di_loc<loc("a":1:2) in 5 : i32>
// -----
#file = #cuda_tile.di_file<"a" in "b">
// expected-error @below {{expected a debug info scope, di_subprogram or di_lexical_block, but got}}
#block = #cuda_tile.di_lexical_block<scope = #file, file = #file, line = 1, column = 2>

// -----

cuda_tile.module @m { testing$func @f() {
  // expected-error @below {{mismatch between the element type: 'f32' and the tile element type '!cuda_tile.ptr<f32>'}}
  constant <f32: 1.0> : tile<ptr<f32>>
} }
// -----
cuda_tile.module @m { testing$func @f() {
  // expected-error @below {{mismatch between the element type: 'f32' and the tile element type 'f16'}}
  constant <f32: 1.0> : tile<f16>
} }
// -----
cuda_tile.module @m { testing$func @f() {
  // expected-error @below {{expect element type to be one of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN values, but got 'i4'}}
  constant <i4: 1> : tile<i4>
} }
// -----
cuda_tile.module @m { testing$func @f() {
  // expected-error @below {{expected integer value}}
  constant <i32: 1.5> : tile<i32>
} }
// -----
cuda_tile.module @m { testing$func @f() {
  // expected-error @below {{expected integer value}}
  constant <i32: true> : tile<i32>
} }
// -----
cuda_tile.module @m { testing$func @f() {
  // expected-error @below {{integer constant out of range for type: 256 does not fit into i8}}
  constant <i8: 256> : tile<i8>
} }
// -----
cuda_tile.module @m { testing$func @f() {
  // expected-error @below {{integer constant out of range for type: -129 does not fit into i8}}
  constant <i8: -129> : tile<i8>
} }
// -----
cuda_tile.module @m { testing$func @f() {
  // expected-error @below {{integer constant out of range for type: 2 does not fit into i1}}
  constant <i1: 2> : tile<i1>
} }
// -----
cuda_tile.module @m { testing$func @f() {
  // expected-error @below {{floating-point constant out of range for type: -1.0 does not fit into f8E8M0FNU, and a NaN is written as its bits, such as 0xFF}}
  constant <f8E8M0FNU: -1.0> : tile<f8E8M0FNU>
} }
// -----
cuda_tile.module @m { testing$func @f() {
  // expected-error @below {{floating-point constant out of range for type: 1.0e39 does not fit into f8E8M0FNU}}
  constant <f8E8M0FNU: [0xFF, 1.0e39]> : tile<2xf8E8M0FNU>
} }
// -----
cuda_tile.module @m { testing$func @f() {
  // expected-error @below {{floating-point constant out of range for type: 1000.0 does not fit into f8E4M3FN}}
  constant <f8E4M3FN: [448.0, 1000.0]> : tile<2xf8E4M3FN>
} }
// -----
cuda_tile.module @m { testing$func @f() {
  // expected-error @below {{inferred shape of elements literal ([4]) does not match type ([2, 2])}}
  constant <i32: [1, 2, 3, 4]> : tile<2x2xi32>
} }
// -----
cuda_tile.module @m { testing$func @f() {
  // expected-error @below {{tensor literal is invalid; ranks are not consistent between elements: all lists of one depth must have as many elements, and all either numbers or lists}}
  constant <i32: [[1, 2], [3]]> : tile<2x2xi32>
} }
// -----
cuda_tile.module @m { testing$func @f() {
  // expected-error @below {{tensor literal is invalid; ranks are not consistent between elements: all lists of one depth must have as many elements, and all either numbers or lists}}
  constant <i32: [[1, 2], 3]> : tile<2x2xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%p: tile<ptr<f32>>) {
  // expected-error @below {{integer value too large: it needs more than 64 bits, one of them for the sign}}
  // expected-error @below {{expected integer value}}
  constant <i64: 0xFFFFFFFFFFFFFFFF> : tile<i64>
} }
// -----
cuda_tile.module @m { testing$func @f(%p: tile<ptr<f32>>) {
  // expected-error @below {{expected integer value}}
  constant <i32: []> : tile<4xi32>
} }
// -----
cuda_tile.module @m { testing$func @f(%p: tile<ptr<f32>>) {
  // expected-error @below {{expected floating point literal}}
  constant <f32: [[], []]> : tile<2x2xf32>
} }
// -----
cuda_tile.module @m { testing$func @f(%p: tile<ptr<f32>>) {
  // expected-error @below {{unknown type: thing}}
  // expected-error @below {{expect element type to be one of i1 or i8}}
  constant <thing: 1> : tile<i32>
} }
// -----
cuda_tile.module @m { testing$func @f(%p: tile<ptr<f32>>) {
  // expected-error @below {{expect element type to be one of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN values, but got '!cuda_tile.tile<f32>'}}
  constant <tile<f32>: 1.0> : tile<f32>
} }
// -----
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>) {
  // expected-error @below {{expected valid keyword}}
  // expected-error @below {{invalid memory_ordering_semantics attribute specification. Got "" but expect one of}}
  load_view_tko %v[%i] : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
} }
// -----
cuda_tile.module @m { testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, %i: tile<i32>) {
  // expected-error @below {{operation specifies weak memory ordering semantics, but then provides "block" scope, expected no memory scope.}}
  load_view_tko weak block %v[%i] : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
} }
// -----
cuda_tile.module @m { testing$func @f() {
  // expected-error @below {{result #0 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN values, but got '!cuda_tile.token'}}
  constant <f32: 1.0> : token
} }
// -----
cuda_tile.module @m { testing$func @f() {
  // expected-error @below {{failed to verify that all of {value, result} have same type, but got 'tensor<2xi32>' and '!cuda_tile.tile<2xi32>'}}
  "cuda_tile.constant"() {value = dense<1> : tensor<2xi32>} : () -> !cuda_tile.tile<2xi32>
} }

// -----

cuda_tile.module @m {
  // expected-error @below {{duplicate optimization_hints key `sm_90`}}
  entry @f() optimization_hints=<sm_90 = {}, sm_90 = {}> { }
}
