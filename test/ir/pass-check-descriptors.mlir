// Descriptors against the layouts they were made of, where an instruction takes them. What is right is PTX ISA 9.7.15.5.1: the
// canonical layouts, in units of 16 bytes. Each case keeps the rules before its own.
// RUN: tessera-opt %s --tessera-check-descriptors --split-input-file --verify-diagnostics

// A partition of f16, K-major, in 128 bytes: nothing to report, through slices too.
func.func @f(%m: !cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, %n: !cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, %a: !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((64,16),1,1):((64,1),0,0)">, %b: !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((8,16),1,1):((64,1),0,0)">, %s: !cute.memref<f32, rmem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">) {
  %fa = cute.mma.make_fragment A (%m, %a) : (!cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((64,16),1,1):((64,1),0,0)">) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">
  %fb = cute.mma.make_fragment B (%m, %b) : (!cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((8,16),1,1):((64,1),0,0)">) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">
  %c = cute.make_coord() : () -> !cute.coord<"(_,_,0)">
  %at = cute.slice(%fa, %c) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">, !cute.coord<"(_,_,0)">
  %bt = cute.slice(%fb, %c) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">, !cute.coord<"(_,_,0)">
  cute.gemm(%n, %s, %at, %bt, %s) : (!cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, !cute.memref<f32, rmem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute.memref<f32, rmem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">)
  return
}

// -----

// The element type and the swizzle of the tensor are not part of the view's type; the tensor that it was made of has them.
func.func @f(%m: !cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, %n: !cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, %a: !cute.memref<bf16, smem, align<1024>, S<3,4,3>, "((64,16),1,1):((64,1),0,0)">, %b: !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((8,16),1,1):((64,1),0,0)">, %s: !cute.memref<f32, rmem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">) {
  %fa = cute.mma.make_fragment A (%m, %a) : (!cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, !cute.memref<bf16, smem, align<1024>, S<3,4,3>, "((64,16),1,1):((64,1),0,0)">) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">
  %fb = cute.mma.make_fragment B (%m, %b) : (!cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((8,16),1,1):((64,1),0,0)">) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">
  %c = cute.make_coord() : () -> !cute.coord<"(_,_,0)">
  %at = cute.slice(%fa, %c) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">, !cute.coord<"(_,_,0)">
  %bt = cute.slice(%fb, %c) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">, !cute.coord<"(_,_,0)">
  // expected-error @below {{expects operand A to be a matrix of f16, but its descriptor describes one of bf16}}
  cute.gemm(%n, %s, %at, %bt, %s) : (!cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, !cute.memref<f32, rmem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute.memref<f32, rmem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">)
  return
}

// -----

func.func @f(%m: !cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, %n: !cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, %a: !cute.memref<f16, smem, align<1024>, S<2,4,3>, "((64,16),1,1):((64,1),0,0)">, %b: !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((8,16),1,1):((64,1),0,0)">, %s: !cute.memref<f32, rmem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">) {
  %fa = cute.mma.make_fragment A (%m, %a) : (!cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, !cute.memref<f16, smem, align<1024>, S<2,4,3>, "((64,16),1,1):((64,1),0,0)">) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">
  %fb = cute.mma.make_fragment B (%m, %b) : (!cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((8,16),1,1):((64,1),0,0)">) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">
  %c = cute.make_coord() : () -> !cute.coord<"(_,_,0)">
  %at = cute.slice(%fa, %c) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">, !cute.coord<"(_,_,0)">
  %bt = cute.slice(%fb, %c) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">, !cute.coord<"(_,_,0)">
  // expected-error @below {{expects operand A to have a layout that wgmma can read: Not a canonical GMMA_K Layout: Expected stride failure. Expects 4, but got 8}}
  cute.gemm(%n, %s, %at, %bt, %s) : (!cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, !cute.memref<f32, rmem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute.memref<f32, rmem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">)
  return
}

// -----

func.func @f(%m: !cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, %n: !cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, %a: !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((32,16),1,1):((64,1),0,0)">, %b: !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((8,16),1,1):((64,1),0,0)">, %s: !cute.memref<f32, rmem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">) {
  %fa = cute.mma.make_fragment A (%m, %a) : (!cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((32,16),1,1):((64,1),0,0)">) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">
  %fb = cute.mma.make_fragment B (%m, %b) : (!cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((8,16),1,1):((64,1),0,0)">) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">
  %c = cute.make_coord() : () -> !cute.coord<"(_,_,0)">
  %at = cute.slice(%fa, %c) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">, !cute.coord<"(_,_,0)">
  %bt = cute.slice(%fb, %c) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">, !cute.coord<"(_,_,0)">
  // expected-error @below {{expects operand A to have 1024 elements for one instruction, but its descriptor describes 512, laid out as (32,16):(64,1)}}
  cute.gemm(%n, %s, %at, %bt, %s) : (!cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, !cute.memref<f32, rmem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute.memref<f32, rmem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">)
  return
}

// -----

// A fragment made for one atom, used by another.
func.func @f(%m: !cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, %n: !cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (mn, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, %a: !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((64,16),1,1):((64,1),0,0)">, %b: !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((8,16),1,1):((64,1),0,0)">, %s: !cute.memref<f32, rmem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">) {
  %fa = cute.mma.make_fragment A (%m, %a) : (!cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((64,16),1,1):((64,1),0,0)">) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">
  %fb = cute.mma.make_fragment B (%m, %b) : (!cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, !cute.memref<f16, smem, align<1024>, S<3,4,3>, "((8,16),1,1):((64,1),0,0)">) -> !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">
  %c = cute.make_coord() : () -> !cute.coord<"(_,_,0)">
  %at = cute.slice(%fa, %c) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">, !cute.coord<"(_,_,0)">
  %bt = cute.slice(%fb, %c) : !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">, !cute.coord<"(_,_,0)">
  // expected-error @below {{expects operand A to be contiguous along mn, but its descriptor says k}}
  cute.gemm(%n, %s, %at, %bt, %s) : (!cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (mn, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, !cute.memref<f32, rmem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1):(0,0)">, !cute.memref<f32, rmem, align<16>, "((2,2,1),1,1):((1,2,0),0,0)">)
  return
}

// -----

// Architecture ops, after an offset.
func.func @f(%p: !cute.ptr<bf16, smem, align<1024>, S<3,4,3>>, %q: !cute.ptr<f16, smem, align<1024>, S<3,4,3>>, %f: f32, %t: i1, %o: !cute.int_tuple<"2">) {
  %a = cute_nvgpu.make_gmma_smem_desc(%p) {layout = #cute.layout<"((64,16),1):((64,1),0)">, major = #cute_nvgpu.major<k>} : (!cute.ptr<bf16, smem, align<1024>, S<3,4,3>>) -> !cute_nvgpu.smem_desc
  %next = cute.add_offset(%a, %o) : (!cute_nvgpu.smem_desc, !cute.int_tuple<"2">) -> !cute_nvgpu.smem_desc
  %b = cute_nvgpu.make_gmma_smem_desc(%q) {layout = #cute.layout<"((8,16),1):((64,1),0)">, major = #cute_nvgpu.major<k>} : (!cute.ptr<f16, smem, align<1024>, S<3,4,3>>) -> !cute_nvgpu.smem_desc
  // expected-error @below {{expects operand A to be a matrix of f16, but its descriptor describes one of bf16}}
  %d:4 = cute_nvgpu.arch.mma.SM90 A[%next] B[%b] C[%f, %f, %f, %f], %t {a_major = #cute_nvgpu.major<k>, a_type = f16, b_major = #cute_nvgpu.major<k>, b_type = f16, cd_type = f32, shapeMNK = #cute.shape<"(64,8,16)">}
    : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, f32, f32, f32, f32, i1) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @f(%p: !cute.ptr<f16, smem, align<1024>, S<3,4,3>>, %q: !cute.ptr<f16, smem, align<1024>, S<3,4,3>>, %f: f32, %t: i1, %o: !cute.int_tuple<"2">) {
  %a = cute_nvgpu.make_umma_smem_desc(%p) {layout = #cute.layout<"((64,16),1):((64,1),0)">, major = #cute_nvgpu.major<k>} : (!cute.ptr<f16, smem, align<1024>, S<3,4,3>>) -> !cute_nvgpu.smem_desc
  %next = cute.add_offset(%a, %o) : (!cute_nvgpu.smem_desc, !cute.int_tuple<"2">) -> !cute_nvgpu.smem_desc
  %b = cute_nvgpu.make_gmma_smem_desc(%q) {layout = #cute.layout<"((8,16),1):((64,1),0)">, major = #cute_nvgpu.major<k>} : (!cute.ptr<f16, smem, align<1024>, S<3,4,3>>) -> !cute_nvgpu.smem_desc
  // expected-error @below {{expects operand A to be a descriptor of wgmma, but it is one of tcgen05.mma, whose bits differ}}
  %d:4 = cute_nvgpu.arch.mma.SM90 A[%next] B[%b] C[%f, %f, %f, %f], %t {a_major = #cute_nvgpu.major<k>, a_type = f16, b_major = #cute_nvgpu.major<k>, b_type = f16, cd_type = f32, shapeMNK = #cute.shape<"(64,8,16)">}
    : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, f32, f32, f32, f32, i1) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @f(%p: !cute.ptr<f16, smem, align<1024>, S<3,4,3>>, %q: !cute.ptr<f16, smem, align<1024>, S<3,4,3>>, %f: f32, %t: i1, %o: !cute.int_tuple<"2">) {
  %a = cute_nvgpu.make_gmma_smem_desc(%p) {layout = #cute.layout<"((64,16),1):((64,1),0)">, major = #cute_nvgpu.major<k>} : (!cute.ptr<f16, smem, align<1024>, S<3,4,3>>) -> !cute_nvgpu.smem_desc
  %next = cute.add_offset(%a, %o) : (!cute_nvgpu.smem_desc, !cute.int_tuple<"2">) -> !cute_nvgpu.smem_desc
  %b = cute_nvgpu.make_gmma_smem_desc(%q) {layout = #cute.layout<"((8,16),1):((64,1),0)">, major = #cute_nvgpu.major<k>} : (!cute.ptr<f16, smem, align<1024>, S<3,4,3>>) -> !cute_nvgpu.smem_desc
  // expected-error @below {{expects operand A to be contiguous along mn, but its descriptor says k}}
  %d:4 = cute_nvgpu.arch.mma.SM90 A[%next] B[%b] C[%f, %f, %f, %f], %t {a_major = #cute_nvgpu.major<mn>, a_type = f16, b_major = #cute_nvgpu.major<k>, b_type = f16, cd_type = f32, shapeMNK = #cute.shape<"(64,8,16)">}
    : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, f32, f32, f32, f32, i1) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @f(%p: !cute.ptr<f16, smem, align<1024>, S<3,4,3>>, %q: !cute.ptr<f16, smem, align<1024>, S<3,4,3>>, %f: f32, %t: i1, %o: !cute.int_tuple<"2">) {
  %a = cute_nvgpu.make_gmma_smem_desc(%p) {layout = #cute.layout<"((128,16),1):((64,1),0)">, major = #cute_nvgpu.major<k>} : (!cute.ptr<f16, smem, align<1024>, S<3,4,3>>) -> !cute_nvgpu.smem_desc
  %next = cute.add_offset(%a, %o) : (!cute_nvgpu.smem_desc, !cute.int_tuple<"2">) -> !cute_nvgpu.smem_desc
  %b = cute_nvgpu.make_gmma_smem_desc(%q) {layout = #cute.layout<"((8,16),1):((64,1),0)">, major = #cute_nvgpu.major<k>} : (!cute.ptr<f16, smem, align<1024>, S<3,4,3>>) -> !cute_nvgpu.smem_desc
  // expected-error @below {{expects operand A to have 1024 elements for one instruction, but its descriptor describes 2048, laid out as (128,16):(64,1)}}
  %d:4 = cute_nvgpu.arch.mma.SM90 A[%next] B[%b] C[%f, %f, %f, %f], %t {a_major = #cute_nvgpu.major<k>, a_type = f16, b_major = #cute_nvgpu.major<k>, b_type = f16, cd_type = f32, shapeMNK = #cute.shape<"(64,8,16)">}
    : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, f32, f32, f32, f32, i1) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @f(%p: !cute.ptr<f16, smem, align<1024>, S<3,4,3>>, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %t: i1) {
  %a = cute_nvgpu.make_gmma_smem_desc(%p) {layout = #cute.layout<"((128,16),1):((64,1),0)">, major = #cute_nvgpu.major<k>} : (!cute.ptr<f16, smem, align<1024>, S<3,4,3>>) -> !cute_nvgpu.smem_desc
  %b = cute_nvgpu.make_umma_smem_desc(%p) {layout = #cute.layout<"((128,16),1):((64,1),0)">, major = #cute_nvgpu.major<k>} : (!cute.ptr<f16, smem, align<1024>, S<3,4,3>>) -> !cute_nvgpu.smem_desc
  // expected-error @below {{expects operand A to be a descriptor of tcgen05.mma, but it is one of wgmma, whose bits differ}}
  cute_nvgpu.arch.mma.SM100.umma(%a, %b, %d, %i, %t) {a_type = f16, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1)
  return
}

// -----

// MN-major elements of 32 bits: tcgen05 reads them in atoms of 32 bytes (S<2,5,2>) only, and no others so. PTX ISA, tcgen05, swizzling modes.
func.func @f(%p: !cute.ptr<tf32, smem, align<1024>, S<2,5,2>>, %q: !cute.ptr<tf32, smem, align<1024>, S<3,4,3>>, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %t: i1) {
  %a = cute_nvgpu.make_umma_smem_desc(%p) {layout = #cute.layout<"(((32,4),8),1):(((1,256),32),0)">, major = #cute_nvgpu.major<mn>} : (!cute.ptr<tf32, smem, align<1024>, S<2,5,2>>) -> !cute_nvgpu.smem_desc
  %b = cute_nvgpu.make_umma_smem_desc(%q) {layout = #cute.layout<"(((32,4),8),1):(((1,256),32),0)">, major = #cute_nvgpu.major<mn>} : (!cute.ptr<tf32, smem, align<1024>, S<3,4,3>>) -> !cute_nvgpu.smem_desc
  // expected-error @below {{expects operand B of tcgen05.mma to have the swizzle S<2,5,2> if its elements have 32 bits and are contiguous along mn, and only then, but got S<3,4,3> for elements of 32 bits}}
  cute_nvgpu.arch.mma.SM100.umma(%a, %b, %d, %i, %t) {a_type = tf32, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1)
  return
}

// -----

func.func @f(%p: !cute.ptr<f16, smem, align<1024>, S<2,5,2>>, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %t: i1) {
  %a = cute_nvgpu.make_umma_smem_desc(%p) {layout = #cute.layout<"(((64,2),16),1):(((1,1024),64),0)">, major = #cute_nvgpu.major<mn>} : (!cute.ptr<f16, smem, align<1024>, S<2,5,2>>) -> !cute_nvgpu.smem_desc
  // expected-error @below {{and only then, but got S<2,5,2> for elements of 16 bits}}
  cute_nvgpu.arch.mma.SM100.umma(%a, %a, %d, %i, %t) {a_type = f16, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1)
  return
}
