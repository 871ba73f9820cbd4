// A copy whose atom states no width takes as many elements at once as lie together on both sides, up to 128 bits: layouts, alignments and swizzles
// say how many. test/sim/copies.py has the numbers, of layouts at random.
// RUN: tessera-opt %s --cute-desugar --cute-expand-ops | FileCheck %s
// RUN: tessera-opt %s --cute-desugar --cute-desugar --cute-expand-ops | FileCheck %s

// As the epilogue of a grouped GEMM: runs of 16 bytes are what the swizzle leaves together.
// CHECK-LABEL: @swizzled(
// CHECK-COUNT-4: cute.ptr.store({{.*}}) {{.*}}smem{{.*}}, vector<4xi32>) ->
// CHECK-NOT: cute.ptr.store({{.*}}smem
// CHECK: return
!swizzled_atom = !cute_nvgpu.atom.universal_copy<f16>
!swizzled_src = !cute.memref<f16, rmem, align<32>, "((1,32),1):((0,1),0)">
!swizzled_dst = !cute.memref<f16, smem, align<64>, S<2,4,3>, "((1,32),1):((0,1),0)">
func.func @swizzled(%s: !swizzled_src, %d: !swizzled_dst) {
  %a = cute.make_atom() : () -> !swizzled_atom
  cute.copy(%a, %s, %d) : (!swizzled_atom, !swizzled_src, !swizzled_dst)
  return
}

// Eight bytes are.
// CHECK-LABEL: @swizzled_by_8_bytes(
// CHECK-COUNT-8: cute.ptr.store({{.*}}) {{.*}}smem{{.*}}, vector<2xi32>) ->
// CHECK-NOT: cute.ptr.store({{.*}}smem
// CHECK: return
!swizzled_by_8_bytes_atom = !cute_nvgpu.atom.universal_copy<f16>
!swizzled_by_8_bytes_src = !cute.memref<f16, rmem, align<32>, "((1,32),1):((0,1),0)">
!swizzled_by_8_bytes_dst = !cute.memref<f16, smem, align<64>, S<2,3,3>, "((1,32),1):((0,1),0)">
func.func @swizzled_by_8_bytes(%s: !swizzled_by_8_bytes_src, %d: !swizzled_by_8_bytes_dst) {
  %a = cute.make_atom() : () -> !swizzled_by_8_bytes_atom
  cute.copy(%a, %s, %d) : (!swizzled_by_8_bytes_atom, !swizzled_by_8_bytes_src, !swizzled_by_8_bytes_dst)
  return
}

// The same of a swizzle of elements in the layout: of four f16.
// CHECK-LABEL: @swizzled_layout(
// CHECK-COUNT-4: cute.ptr.store({{.*}}) {{.*}}smem{{.*}}, vector<2xi32>) ->
// CHECK-NOT: cute.ptr.store({{.*}}smem
// CHECK: return
!swizzled_layout_atom = !cute_nvgpu.atom.universal_copy<f16>
!swizzled_layout_src = !cute.memref<f16, rmem, align<32>, "((16),1):((1),0)">
!swizzled_layout_dst = !cute.memref<f16, smem, align<64>, "S<2,2,3> o 0 o ((16),1):((1),0)">
func.func @swizzled_layout(%s: !swizzled_layout_src, %d: !swizzled_layout_dst) {
  %a = cute.make_atom() : () -> !swizzled_layout_atom
  cute.copy(%a, %s, %d) : (!swizzled_layout_atom, !swizzled_layout_src, !swizzled_layout_dst)
  return
}

// A width that is stated is what one access takes.
// CHECK-LABEL: @stated(
// CHECK-COUNT-8: cute.ptr.store({{.*}}) {{.*}}gmem{{.*}}, f16) ->
// CHECK-NOT: cute.ptr.store({{.*}}gmem
// CHECK: return
!stated_atom = !cute_nvgpu.atom.universal_copy<f16, 16 b>
!stated_src = !cute.memref<f16, rmem, align<32>, "((8),1):((1),0)">
!stated_dst = !cute.memref<f16, gmem, align<16>, "((8),1):((1),0)">
func.func @stated(%s: !stated_src, %d: !stated_dst) {
  %a = cute.make_atom() : () -> !stated_atom
  cute.copy(%a, %s, %d) : (!stated_atom, !stated_src, !stated_dst)
  return
}

// The pointer is aligned to 4 bytes only.
// CHECK-LABEL: @pointer(
// CHECK-COUNT-4: cute.ptr.store({{.*}}) {{.*}}gmem{{.*}}, i32) ->
// CHECK-NOT: cute.ptr.store({{.*}}gmem
// CHECK: return
!pointer_atom = !cute_nvgpu.atom.universal_copy<f16>
!pointer_src = !cute.memref<f16, rmem, align<32>, "((8),1):((1),0)">
!pointer_dst = !cute.memref<f16, gmem, align<4>, "((8),1):((1),0)">
func.func @pointer(%s: !pointer_src, %d: !pointer_dst) {
  %a = cute.make_atom() : () -> !pointer_atom
  cute.copy(%a, %s, %d) : (!pointer_atom, !pointer_src, !pointer_dst)
  return
}

// Twelve elements are three runs of four.
// CHECK-LABEL: @twelve(
// CHECK-COUNT-3: cute.ptr.store({{.*}}) {{.*}}gmem{{.*}}, vector<2xi32>) ->
// CHECK-NOT: cute.ptr.store({{.*}}gmem
// CHECK: return
!twelve_atom = !cute_nvgpu.atom.universal_copy<f16>
!twelve_src = !cute.memref<f16, rmem, align<32>, "((12),1):((1),0)">
!twelve_dst = !cute.memref<f16, gmem, align<16>, "((12),1):((1),0)">
func.func @twelve(%s: !twelve_src, %d: !twelve_dst) {
  %a = cute.make_atom() : () -> !twelve_atom
  cute.copy(%a, %s, %d) : (!twelve_atom, !twelve_src, !twelve_dst)
  return
}

// Rows begin at any multiple of 2 elements, as far as is known.
// CHECK-LABEL: @pitch(
// CHECK-COUNT-8: cute.ptr.load({{.*}}) {{.*}}gmem{{.*}} -> vector<2xi32>{{$}}
// CHECK-NOT: cute.ptr.load({{.*}}gmem
// CHECK: return
!pitch_atom = !cute_nvgpu.atom.universal_copy<f32>
!pitch_src = !cute.memref<f32, gmem, align<16>, "((8),2):((1),?{div=2})">
!pitch_dst = !cute.memref<f32, rmem, align<32>, "((8),2):((1),8)">
func.func @pitch(%s: !pitch_src, %d: !pitch_dst) {
  %a = cute.make_atom() : () -> !pitch_atom
  cute.copy(%a, %s, %d) : (!pitch_atom, !pitch_src, !pitch_dst)
  return
}

// Nothing is known of the pitch.
// CHECK-LABEL: @unknown_pitch(
// CHECK-COUNT-8: cute.ptr.load({{.*}}) {{.*}}gmem{{.*}} -> f32{{$}}
// CHECK-NOT: cute.ptr.load({{.*}}gmem
// CHECK: return
!unknown_pitch_atom = !cute_nvgpu.atom.universal_copy<f32>
!unknown_pitch_src = !cute.memref<f32, gmem, align<16>, "((4),2):((1),?)">
!unknown_pitch_dst = !cute.memref<f32, rmem, align<32>, "((4),2):((1),4)">
func.func @unknown_pitch(%s: !unknown_pitch_src, %d: !unknown_pitch_dst) {
  %a = cute.make_atom() : () -> !unknown_pitch_atom
  cute.copy(%a, %s, %d) : (!unknown_pitch_atom, !unknown_pitch_src, !unknown_pitch_dst)
  return
}

// V has rows itself, eight elements long.
// CHECK-LABEL: @inner_pitch(
// CHECK-COUNT-2: cute.ptr.load({{.*}}) {{.*}}gmem{{.*}} -> vector<4xi32>{{$}}
// CHECK-NOT: cute.ptr.load({{.*}}gmem
// CHECK: return
!inner_pitch_atom = !cute_nvgpu.atom.universal_copy<f16>
!inner_pitch_src = !cute.memref<f16, gmem, align<16>, "((8,2),1):((1,?{div=8}),0)">
!inner_pitch_dst = !cute.memref<f16, rmem, align<32>, "((8,2),1):((1,8),0)">
func.func @inner_pitch(%s: !inner_pitch_src, %d: !inner_pitch_dst) {
  %a = cute.make_atom() : () -> !inner_pitch_atom
  cute.copy(%a, %s, %d) : (!inner_pitch_atom, !inner_pitch_src, !inner_pitch_dst)
  return
}

// Elements of the rest lie together, where those of V are alone.
// CHECK-LABEL: @rest(
// CHECK-COUNT-2: cute.ptr.load({{.*}}) {{.*}}gmem{{.*}} -> vector<4xi32>{{$}}
// CHECK-NOT: cute.ptr.load({{.*}}gmem
// CHECK: return
!rest_atom = !cute_nvgpu.atom.universal_copy<f32>
!rest_src = !cute.memref<f32, gmem, align<16>, "((1),(4,2)):((0),(1,64))">
!rest_dst = !cute.memref<f32, rmem, align<32>, "((1),(4,2)):((0),(1,4))">
func.func @rest(%s: !rest_src, %d: !rest_dst) {
  %a = cute.make_atom() : () -> !rest_atom
  cute.copy(%a, %s, %d) : (!rest_atom, !rest_src, !rest_dst)
  return
}

// In order of address, which is not that of coordinates.
// CHECK-LABEL: @by_rows(
// CHECK-COUNT-2: cute.ptr.store({{.*}}) {{.*}}smem{{.*}}, vector<4xi32>) ->
// CHECK-NOT: cute.ptr.store({{.*}}smem
// CHECK: return
!by_rows_atom = !cute_nvgpu.atom.universal_copy<f32>
!by_rows_src = !cute.memref<f32, gmem, align<16>, "((2,4),1):((64,1),0)">
!by_rows_dst = !cute.memref<f32, smem, align<16>, "((2,4),1):((4,1),0)">
func.func @by_rows(%s: !by_rows_src, %d: !by_rows_dst) {
  %a = cute.make_atom() : () -> !by_rows_atom
  cute.copy(%a, %s, %d) : (!by_rows_atom, !by_rows_src, !by_rows_dst)
  return
}

// Registers lie as anybody wants.
// CHECK-LABEL: @registers(
// CHECK-COUNT-2: cute.ptr.load({{.*}}) {{.*}}gmem{{.*}} -> vector<4xi32>{{$}}
// CHECK-NOT: cute.ptr.load({{.*}}gmem
// CHECK: return
!registers_atom = !cute_nvgpu.atom.universal_copy<f32>
!registers_src = !cute.memref<f32, gmem, align<16>, "((8),1):((1),0)">
!registers_dst = !cute.memref<f32, rmem, align<32>, "((8),1):((2),0)">
func.func @registers(%s: !registers_src, %d: !registers_dst) {
  %a = cute.make_atom() : () -> !registers_atom
  cute.copy(%a, %s, %d) : (!registers_atom, !registers_src, !registers_dst)
  return
}

// In one memory, which may overlap, elements are copied in order: none of them lie together.
// CHECK-LABEL: @same_memory(
// CHECK-COUNT-8: cute.ptr.store({{.*}}) {{.*}}gmem{{.*}}, f32) ->
// CHECK-NOT: cute.ptr.store({{.*}}gmem
// CHECK: return
!same_memory_atom = !cute_nvgpu.atom.universal_copy<f32>
!same_memory_src = !cute.memref<f32, gmem, align<16>, "((2,4),1):((4,1),0)">
!same_memory_dst = !cute.memref<f32, gmem, align<16>, "((2,4),1):((4,1),0)">
func.func @same_memory(%s: !same_memory_src, %d: !same_memory_dst) {
  %a = cute.make_atom() : () -> !same_memory_atom
  cute.copy(%a, %s, %d) : (!same_memory_atom, !same_memory_src, !same_memory_dst)
  return
}

// As here they do: a vector and another one are the same, or apart.
// CHECK-LABEL: @same_memory_in_order(
// CHECK-COUNT-2: cute.ptr.store({{.*}}) {{.*}}gmem{{.*}}, vector<4xi32>) ->
// CHECK-NOT: cute.ptr.store({{.*}}gmem
// CHECK: return
!same_memory_in_order_atom = !cute_nvgpu.atom.universal_copy<f32>
!same_memory_in_order_src = !cute.memref<f32, gmem, align<16>, "((4,2),1):((1,4),0)">
!same_memory_in_order_dst = !cute.memref<f32, gmem, align<16>, "((4,2),1):((1,4),0)">
func.func @same_memory_in_order(%s: !same_memory_in_order_src, %d: !same_memory_in_order_dst) {
  %a = cute.make_atom() : () -> !same_memory_in_order_atom
  cute.copy(%a, %s, %d) : (!same_memory_in_order_atom, !same_memory_in_order_src, !same_memory_in_order_dst)
  return
}

// Elements of less than a byte.
// CHECK-LABEL: @half_bytes(
// CHECK-COUNT-1: cute.ptr.load({{.*}}) {{.*}}gmem{{.*}} -> vector<2xi32>{{$}}
// CHECK-NOT: cute.ptr.load({{.*}}gmem
// CHECK: return
!half_bytes_atom = !cute_nvgpu.atom.universal_copy<f4E2M1FN>
!half_bytes_src = !cute.memref<f4E2M1FN, gmem, align<8>, "((16),1):((1),0)">
!half_bytes_dst = !cute.memref<f4E2M1FN, rmem, align<32>, "((16),1):((1),0)">
func.func @half_bytes(%s: !half_bytes_src, %d: !half_bytes_dst) {
  %a = cute.make_atom() : () -> !half_bytes_atom
  cute.copy(%a, %s, %d) : (!half_bytes_atom, !half_bytes_src, !half_bytes_dst)
  return
}

// One element lies alone.
// CHECK-LABEL: @once(
// CHECK-COUNT-4: cute.ptr.load({{.*}}) {{.*}}gmem{{.*}} -> f16{{$}}
// CHECK-NOT: cute.ptr.load({{.*}}gmem
// CHECK: return
!once_atom = !cute_nvgpu.atom.universal_copy<f16>
!once_src = !cute.memref<f16, gmem, align<16>, "((4),1):((2),0)">
!once_dst = !cute.memref<f16, rmem, align<32>, "((4),1):((1),0)">
func.func @once(%s: !once_src, %d: !once_dst) {
  %a = cute.make_atom() : () -> !once_atom
  cute.copy(%a, %s, %d) : (!once_atom, !once_src, !once_dst)
  return
}

// Each element under a predicate asks its own.
// CHECK-LABEL: @predicates(
// CHECK-COUNT-4: scf.if
// CHECK-NOT: scf.if
// CHECK: return
!predicates_atom = !cute_nvgpu.atom.universal_copy<f32>
!predicates_src = !cute.memref<f32, gmem, align<16>, "((4),1):((1),0)">
!predicates_dst = !cute.memref<f32, rmem, align<32>, "((4),1):((1),0)">
!predicates_mask = !cute.memref<i8, rmem, align<32>, "((4),1):((1),0)">
func.func @predicates(%s: !predicates_src, %d: !predicates_dst, %p: !predicates_mask) {
  %a = cute.make_atom() : () -> !predicates_atom
  cute.copy(%a, %s, %d, %p) : (!predicates_atom, !predicates_src, !predicates_dst, !predicates_mask)
  return
}

// A call of what lies together stays one; a call of more becomes several.
// CHECK-LABEL: @calls(
// CHECK-COUNT-3: cute.ptr.store({{.*}}) {{.*}}gmem{{.*}}, vector<4xi32>) ->
// CHECK-NOT: cute.ptr.store({{.*}}gmem
// CHECK: return
!calls_atom = !cute_nvgpu.atom.universal_copy<f32>
!calls_src = !cute.memref<f32, rmem, align<32>, "((4)):((1))">
!calls_dst = !cute.memref<f32, gmem, align<16>, "((4)):((1))">
!calls_two = !cute.memref<f32, rmem, align<32>, "((8)):((1))">
!calls_far = !cute.memref<f32, gmem, align<16>, "((8)):((1))">
func.func @calls(%s: !calls_src, %d: !calls_dst, %t: !calls_two, %f: !calls_far) {
  %a = cute.make_atom() : () -> !calls_atom
  cute.copy_atom_call(%a, %s, %d) : (!calls_atom, !calls_src, !calls_dst)
  cute.copy_atom_call(%a, %t, %f) : (!calls_atom, !calls_two, !calls_far)
  return
}
