// The verifiers of `cute_nvgpu` and `cuda`: atoms that no table has, architecture ops, fragments, fields, launches.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

// Types whose parameters pick no row of the tables: "NoSuchAtom".
// expected-error @below {{sm80.mma has no 16x8x15 with a = f16, b = f16, c = f32; shape may be 8x8x4, 16x8x8 or 16x8x16}}
func.func private @f(!cute_nvgpu.sm80.mma<16x8x15, elem_type = (f16, f16, f32)>)

// -----

// expected-error @below {{sm80.mma has no 16x8x16 with a = f32, b = f16, c = f32; a may be f16}}
func.func private @f(!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f32, f16, f32)>)

// -----

// expected-error @below {{sm80.mma has no 16x8x16 with a = f16, b = f16, c = f32, a major = mn; shape may be 8x8x4; a major may be k}}
func.func private @f(!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32), ab_major = (mn, k)>)

// -----

// expected-error @below {{sm80.mma has no 16x8x16 with a = f16, b = f16, c = f32, overflow = satfinite; overflow may be wrapped}}
func.func private @f(!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32), int_overflow = <satfinite>>)

// -----

// expected-error @below {{sm89.mma has no 16x8x32 with a = f16, b = f16, c = f32; a may be e4m3 or e5m2}}
func.func private @f(!cute_nvgpu.sm89.mma<16x8x32, elem_type = (f16, f16, f32)>)

// -----

// expected-error @below {{sm90.mma has no 64x12x16 with a = f16, b = f16, c = f32, a in = smem; shape may be 64x(8 to 256 in steps of 8)x16}}
func.func private @f(!cute_nvgpu.sm90.mma<64x12x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>)

// -----

// expected-error @below {{sm90.mma has no 64x8x32 with a = s8, b = s8, c = s32, a major = mn, a in = smem; a major may be k}}
func.func private @f(!cute_nvgpu.sm90.mma<64x8x32, ab_major = (mn, k), elem_type = (i8, i8, i32), frag_kind = ss>)

// -----

// Integers have fewer N than floats: above 32 only multiples of 16.
// expected-error @below {{sm90.mma has no 64x40x32 with a = s8, b = s8, c = s32, a in = smem; shape may be 64x(8, 16, 24, 32, then to 256 in steps of 16)x32}}
func.func private @f(!cute_nvgpu.sm90.mma<64x40x32, ab_major = (k, k), elem_type = (i8, i8, i32), frag_kind = ss>)

// -----

// expected-error @below {{sm90.mma has no 64x264x16 with a = f16, b = f16, c = f32, a in = rmem; shape may be 64x(8 to 256 in steps of 8)x16}}
func.func private @f(!cute_nvgpu.sm90.mma<64x264x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = rs>)

// -----

// A in registers is K-major.
// expected-error @below {{a major may be k}}
func.func private @f(!cute_nvgpu.sm90.mma<64x8x16, ab_major = (mn, k), elem_type = (f16, f16, f32), frag_kind = rs>)

// -----

// expected-error @below {{atom.simt_async_copy}}
func.func private @f(!cute_nvgpu.atom.simt_async_copy<f16, cache = streaming, 128 b>)

// -----

// expected-error @below {{atom.ldsm has no (8,8) with matrices = 3; matrices may be 1, 2 or 4}}
func.func private @f(!cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 3, n>)

// -----

// expected-error @below {{1, 2, 4, 8, 16, 32, 64 or 128 repetitions, but got 3}}
func.func private @f(!cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x3>)

// -----

// expected-error @below {{expects an MMA shape of three extents, MxNxK, but got 2}}
func.func private @f(!cute_nvgpu.sm80.mma<16x8, elem_type = (f16, f16, f32)>)

// -----

// expected-error @below {{expects an option of this atom, but got 'foo'}}
func.func private @f(!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32), foo = bar>)

// -----

// expected-error @below {{expects a repeat count such as x4}}
func.func private @f(!cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, y4>)

// -----

// Architecture ops.
func.func @f(%d: !cute.ptr<f16, smem>, %s: !cute.ptr<f16, gmem>) {
  // expected-error @+1 {{'cute_nvgpu.arch.copy.SM80.cp_async' op unsupported cp.async vector width: expects elements of 32, 64 or 128 bits, but got 16}}
  cute_nvgpu.arch.copy.SM80.cp_async(%d, %s) {cache_mode = #cute_nvgpu.load_cache_mode<always>} : (!cute.ptr<f16, smem>, !cute.ptr<f16, gmem>)
  return
}

// -----

func.func @f(%d: !cute.ptr<i32, gmem>, %s: !cute.ptr<i32, gmem>) {
  // expected-error @+1 {{'cute_nvgpu.arch.copy.SM80.cp_async' op expects a pointer to smem, but got !cute.ptr<i32, gmem>}}
  cute_nvgpu.arch.copy.SM80.cp_async(%d, %s) {cache_mode = #cute_nvgpu.load_cache_mode<always>} : (!cute.ptr<i32, gmem>, !cute.ptr<i32, gmem>)
  return
}

// -----

func.func @f(%p: !cute.ptr<f16, smem>) {
  // expected-error @+1 {{'cute_nvgpu.arch.copy.ldsm' op expects one 32-bit register for each of the 4 matrices, but got vector<2xi32>}}
  %0 = cute_nvgpu.arch.copy.ldsm(%p) {matrix_shape = #cute.shape<"(8,8)">, num_matrices = 4 : i32, sz_pattern = #cute_nvgpu.ldsm_sz_pattern<u16>} : (!cute.ptr<f16, smem>) -> vector<2xi32>
  return
}

// -----

func.func @f(%p: !cute.ptr<f16, gmem>) {
  // expected-error @+1 {{'cute_nvgpu.arch.copy.ldsm' op expects a pointer to smem, but got !cute.ptr<f16, gmem>}}
  %0 = cute_nvgpu.arch.copy.ldsm(%p) {matrix_shape = #cute.shape<"(8,8)">, num_matrices = 4 : i32, sz_pattern = #cute_nvgpu.ldsm_sz_pattern<u16>} : (!cute.ptr<f16, gmem>) -> vector<4xi32>
  return
}

// -----

func.func @f(%p: !cute.ptr<f16, smem>, %x: i32) {
  // expected-error @+1 {{'cute_nvgpu.arch.copy.stsm' op expects one 32-bit register for each of the 2 matrices, but got i32}}
  cute_nvgpu.arch.copy.stsm(%p, %x) {matrix_shape = #cute.shape<"(8,8)">, num_matrices = 2 : i32} : (!cute.ptr<f16, smem>, i32)
  return
}

// -----

func.func @f(%d: !cute.ptr<i8, generic, align<64>>, %s: !cute.ptr<f16, smem>, %b: !cute.ptr<i64, gmem>, %i: i32) {
  // expected-error @+1 {{'cute_nvgpu.arch.copy.SM100.tma_load' op mbarrier requires shared-memory operand}}
  cute_nvgpu.arch.copy.SM100.tma_load(%d, %s, %b, [%i]) {mode = #cute_nvgpu.tma_load_mode<tiled>, num_cta = 1 : i32} : !cute.ptr<i8, generic, align<64>>, !cute.ptr<f16, smem>, !cute.ptr<i64, gmem>
  return
}

// -----

func.func @f(%h: vector<2xf16>, %f: f32) {
  // expected-error @+1 {{'cute_nvgpu.arch.mma.SM80' op expects 4 registers of type b32 for operand A of SM80_16x8x16_F32F16F16F32_TN, but got 3}}
  %0:4 = cute_nvgpu.arch.mma.SM80 A[%h, %h, %h] B[%h, %h] C[%f, %f, %f, %f] {a_type = f16, b_type = f16, shape_MNK = #cute.shape<"(16,8,16)">} : (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, f32, f32, f32, f32) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @f(%h: vector<2xf16>, %f: f32) {
  // expected-error @+1 {{'cute_nvgpu.arch.mma.SM80' op expects 2 registers of type b32 for operand B of SM80_16x8x16_F32F16F16F32_TN, but got 3}}
  %0:4 = cute_nvgpu.arch.mma.SM80 A[%h, %h, %h, %h] B[%h, %h, %h] C[%f, %f, %f, %f] {a_type = f16, b_type = f16, shape_MNK = #cute.shape<"(16,8,16)">} : (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, f32, f32, f32, f32) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @f(%h: vector<2xf16>, %f: f32) {
  // expected-error @+1 {{'cute_nvgpu.arch.mma.SM80' op expects 4 registers of type f32 for operand C of SM80_16x8x16_F32F16F16F32_TN, but got 3}}
  %0:4 = cute_nvgpu.arch.mma.SM80 A[%h, %h, %h, %h] B[%h, %h] C[%f, %f, %f] {a_type = f16, b_type = f16, shape_MNK = #cute.shape<"(16,8,16)">} : (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, f32, f32, f32) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @f(%h: vector<4xf16>, %f: f32) {
  // expected-error @+1 {{expects 4 registers of type }}
  %0:4 = cute_nvgpu.arch.mma.SM80 A[%h, %h, %h, %h] B[%h, %h] C[%f, %f, %f, %f] {a_type = f16, b_type = f16, shape_MNK = #cute.shape<"(16,8,16)">} : (vector<4xf16>, vector<4xf16>, vector<4xf16>, vector<4xf16>, vector<4xf16>, vector<4xf16>, f32, f32, f32, f32) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @f(%h: vector<2xf16>, %f: f32) {
  // expected-error @+1 {{'cute_nvgpu.arch.mma.SM80' op sm80.mma has no 16x8x17 with a = f16, b = f16, c = f32; shape may be 8x8x4, 16x8x8 or 16x8x16}}
  %0:4 = cute_nvgpu.arch.mma.SM80 A[%h, %h, %h, %h] B[%h, %h] C[%f, %f, %f, %f] {a_type = f16, b_type = f16, shape_MNK = #cute.shape<"(16,8,17)">} : (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, f32, f32, f32, f32) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @f(%h: vector<2xf16>, %f: f32) {
  // expected-error @+1 {{'cute_nvgpu.arch.mma.SM80' op sm80.mma has no 16x8x16 with a = f64, b = f64, c = f32; c may be f64}}
  %0:4 = cute_nvgpu.arch.mma.SM80 A[%h, %h, %h, %h] B[%h, %h] C[%f, %f, %f, %f] {a_type = f64, b_type = f64, shape_MNK = #cute.shape<"(16,8,16)">} : (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, f32, f32, f32, f32) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @f(%h: vector<2xf16>, %f: f32, %e: i32) {
  // expected-error @+1 {{'cute_nvgpu.arch.mma.SM80.sparse' op expects a sparsity selector in [0, 2) for SM80_SPARSE_16x8x32_F32F16F16F32_TN_ORDERED, but got 7}}
  %0:4 = cute_nvgpu.arch.mma.SM80.sparse A[%h, %h, %h, %h] B[%h, %h, %h, %h] C[%f, %f, %f, %f] E[%e] {a_type = f16, b_type = f16, sparse_metadata_format = #cute_nvgpu.sparse_metadata_format<ordered>, selector = 7 : i32, shape_MNK = #cute.shape<"(16,8,32)">} : (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, f32, f32, f32, f32, i32) -> (f32, f32, f32, f32)
  return
}

// -----

// Fields, fragments.
func.func @f(%a: !cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, %t: i1) {
  // expected-error @+1 {{'cute_nvgpu.atom.set_value' op atom '!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>' has no field #cute_nvgpu.atom_mma_field_sm100<accum_c>}}
  %0 = cute_nvgpu.atom.set_value(%a, %t : i1) {field = #cute_nvgpu.atom_mma_field_sm100<accum_c>} : !cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>
  return
}

// -----

func.func @f(%a: f32) {
  // expected-error @+1 {{'cute_nvgpu.atom.get_value' op operand #0 must be an atom, but got 'f32'}}
  %0 = cute_nvgpu.atom.get_value(%a : f32) {field = #cute_nvgpu.atom_mma_field_sm90<accum_c>} : i1
  return
}

// -----

func.func @f(%m: !cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, %v: !cute.memref<f16, gmem, align<16>, "((64,16),1,1):((64,1),0,0)">) {
  // expected-error @+1 {{expects a tensor in shared memory, of which descriptors can be made, but got !cute.memref<f16, gmem, align<16>, "((64,16),1,1):((64,1),0,0)">}}
  %0 = cute.mma.make_fragment A (%m, %v) : (!cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, !cute.memref<f16, gmem, align<16>, "((64,16),1,1):((64,1),0,0)">)
  return
}

// -----

func.func @f(%m: !cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, %v: !cute.memref<f16, smem, align<1024>, "S<3,4,3> o 0 o ((64,16),1,1):((64,1),0,0)">) {
  // expected-error @+1 {{expects a tensor whose swizzle is that of its pointer, as a descriptor swizzles by the address, but got !cute.memref<f16, smem, align<1024>, "S<3,4,3> o 0 o ((64,16),1,1):((64,1),0,0)">}}
  %0 = cute.mma.make_fragment A (%m, %v) : (!cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, !cute.memref<f16, smem, align<1024>, "S<3,4,3> o 0 o ((64,16),1,1):((64,1),0,0)">)
  return
}

// -----

func.func @f(%m: !cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, %v: !cute.memref<f32, gmem, align<16>, "((2,2),1):((1,2),0)">) {
  // expected-error @+1 {{expects a partition of rank 3 or more, (V, M, K) or the like, but got ((2,2),1)}}
  %0 = cute.mma.make_fragment C (%m, %v) : (!cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, !cute.memref<f32, gmem, align<16>, "((2,2),1):((1,2),0)">)
  return
}

// -----

func.func @f(%m: !cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, %v: !cute.memref<f32, gmem, align<16>, "((2,2),?,1):((1,2),4,0)">) {
  // expected-error @+1 {{expects a partition of static shape, but got ((2,2),?,1)}}
  %0 = cute.mma.make_fragment C (%m, %v) : (!cute.tiled_mma<!cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, !cute.memref<f32, gmem, align<16>, "((2,2),?,1):((1,2),4,0)">)
  return
}

// -----

func.func @f(%m: !cute.tiled_mma<!cute_nvgpu.sm100.mma<128x128x16, num_cta = 2, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, %s: !cute.shape<"((16,128),1,1)">) {
  // expected-error @+1 {{no layout in tensor memory is known for SM100_MMA_F16BF16_2x1SM_SS<f16,f16,f32>}}
  %0 = cute.mma.make_fragment C (%m, %s) : (!cute.tiled_mma<!cute_nvgpu.sm100.mma<128x128x16, num_cta = 2, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, !cute.shape<"((16,128),1,1)">)
  return
}

// -----

// Four tiles of 256 columns; CUTLASS, tmem_frg: "Requesting more TMEM than is available".
func.func @f(%m: !cute.tiled_mma<!cute_nvgpu.sm100.mma<128x256x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>) {
  %s = cute.static : !cute.shape<"((128,256),2,2)">
  // expected-error @+1 {{expects a fragment of at most 512 columns of 32 bits, which tensor memory has, but ((128,256),2,2):((65536,1),256,512) takes 1024}}
  %0 = cute.mma.make_fragment C (%m, %s) : (!cute.tiled_mma<!cute_nvgpu.sm100.mma<128x256x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>, !cute.shape<"((128,256),2,2)">)
  return
}

// -----

func.func @f(%a: !cute_nvgpu.atom.universal_copy<f32>, %t: !cute.memref<f32, tmem, align<1>, "(128,64):(65536,1)">) {
  // expected-error @+1 {{expects an atom that copies to or from tensor memory, but got !cute_nvgpu.atom.universal_copy<f32>}}
  %0 = cute_nvgpu.atom.make_tmem_copy(%a, %t) : (!cute_nvgpu.atom.universal_copy<f32>, !cute.memref<f32, tmem, align<1>, "(128,64):(65536,1)">) -> !cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f32>, layout_copy_tv = <"(2,2):(1,2)">, tiler_mn = <"[2:1;2:1]">>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{expects cta_1 or cta_2, but got 'cta_3'}}
  cute_nvgpu.arch.sm100.relinquish_tmem_alloc_permit [cta_3]
  return
}

// -----

func.func @f(%a: !cute.memref<f16, gmem, "(8,8):(8,1)">) {
  // expected-error @+1 {{expects kind, num_multicast, tma_format or internal_type, but got 'foo'}}
  %0:2 = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%a, %a, %a) <{foo = 1}> : (i32) -> (i32)
  return
}

// -----

// Launches.
gpu.module @k {
  // expected-error @+1 {{'cuda.kernel' op Kernel functions do not support return with operands}}
  cuda.kernel @a() -> i32 {
    return
  }
}

// -----

func.func @f(%n: i32) {
  // expected-error @+1 {{'cuda.cast' op expects an integer on one side and a stream or result on the other, but got 'i32' and 'i64'}}
  %0 = cuda.cast %n : i32 -> i64
  return
}

// -----

func.func @f(%n: i32, %z: i64, %s: !cuda.stream) {
  // expected-error @+1 {{'cuda.launch_cfg.create' op expects max_attrs to be that of the result, 2, but got 1}}
  %0 = cuda.launch_cfg.create<max_attrs = 1 : i32> (blockDim = (%n, %n, %n), dynamicSmemBytes = %z, gridDim = (%n, %n, %n), stream = %s) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 2>
  return
}

// -----

func.func @f(%c: !cuda.launch_cfg<max_attrs = 0>) {
  // expected-error @+1 {{'cuda.launch_ex' op expects a kernel, but there is no @k::@missing}}
  %0 = cuda.launch_ex @k::@missing<%c> () : !cuda.launch_cfg<max_attrs = 0>, () -> !cuda.result
  return
}

// -----

gpu.module @k {}
func.func @f(%c: !cuda.launch_cfg<max_attrs = 0>) {
  // expected-error @+1 {{'cuda.launch_ex' op expects a kernel, but @k is a gpu.module}}
  %0 = cuda.launch_ex @k<%c> () : !cuda.launch_cfg<max_attrs = 0>, () -> !cuda.result
  return
}

// -----

gpu.module @k {
  cuda.kernel @a(%i: i32) { return }
}
func.func @f(%c: !cuda.launch_cfg<max_attrs = 0>, %x: i64) {
  // expected-error @+1 {{'cuda.launch_ex' op expects arguments of types ('i32') for @k::@a, but got ('i64')}}
  %0 = cuda.launch_ex @k::@a<%c> (%x) : !cuda.launch_cfg<max_attrs = 0>, (i64) -> !cuda.result
  return
}

// -----

// cp.async.cg copies 16 bytes only (PTX; copy_atoms.tsv has CACHEGLOBAL for uint128_t alone).
func.func @f(%d: !cute.ptr<i64, smem>, %s: !cute.ptr<i64, gmem>) {
  // expected-error @+1 {{'cute_nvgpu.arch.copy.SM80.cp_async' op cp.async with cache_mode global expects elements of 128 bits, but got 64}}
  cute_nvgpu.arch.copy.SM80.cp_async(%d, %s) {cache_mode = #cute_nvgpu.load_cache_mode<global>} : (!cute.ptr<i64, smem>, !cute.ptr<i64, gmem>)
  return
}

// -----

// Four registers of f32 are N = 8.
func.func @f(%s: !cute_nvgpu.smem_desc, %f: f32, %t: i1) {
  // expected-error @+1 {{expects 8 registers of type f32 for operand C of SM90_64xNx16_F32F16F16_SS, but got 4}}
  %2:4 = cute_nvgpu.arch.mma.SM90 A[%s] B[%s] C[%f, %f, %f, %f], %t {a_major = #cute_nvgpu.major<k>, a_type = f16, b_major = #cute_nvgpu.major<k>, b_type = f16, cd_type = f32, shapeMNK = #cute.shape<"(64,16,16)">} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, f32, f32, f32, f32, i1) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @f(%s: !cute_nvgpu.smem_desc, %f: f32, %t: i1) {
  // expected-error @+1 {{expects accumulators of cd_type, f16, but got f32}}
  %2:4 = cute_nvgpu.arch.mma.SM90 A[%s] B[%s] C[%f, %f, %f, %f], %t {a_major = #cute_nvgpu.major<k>, a_type = f16, b_major = #cute_nvgpu.major<k>, b_type = f16, cd_type = f16, shapeMNK = #cute.shape<"(64,8,16)">} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, f32, f32, f32, f32, i1) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @f(%s: !cute_nvgpu.smem_desc, %f: f32, %t: i1) {
  // expected-error @+1 {{expects A as one descriptor, or in registers, but got 2 operands with a descriptor among them}}
  %2:4 = cute_nvgpu.arch.mma.SM90 A[%s, %s] B[%s] C[%f, %f, %f, %f], %t {a_major = #cute_nvgpu.major<k>, a_type = f16, b_major = #cute_nvgpu.major<k>, b_type = f16, cd_type = f32, shapeMNK = #cute.shape<"(64,8,16)">} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, f32, f32, f32, f32, i1) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @f(%s: !cute_nvgpu.smem_desc, %f: f32, %h: vector<2xf16>, %t: i1) {
  // expected-error @+1 {{expects 4 registers of type b32 for operand A of SM90_64xNx16_F32F16F16_RS, but got 1}}
  %2:4 = cute_nvgpu.arch.mma.SM90 A[%h] B[%s] C[%f, %f, %f, %f], %t {a_major = #cute_nvgpu.major<k>, a_type = f16, b_major = #cute_nvgpu.major<k>, b_type = f16, cd_type = f32, shapeMNK = #cute.shape<"(64,8,16)">} : (vector<2xf16>, !cute_nvgpu.smem_desc, f32, f32, f32, f32, i1) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @f(%s: !cute_nvgpu.smem_desc, %f: f32, %t: i1) {
  // expected-error @+1 {{expects a shape of three extents, (M,N,K), but got (64,8)}}
  %2:4 = cute_nvgpu.arch.mma.SM90 A[%s] B[%s] C[%f, %f, %f, %f], %t {a_major = #cute_nvgpu.major<k>, a_type = f16, b_major = #cute_nvgpu.major<k>, b_type = f16, cd_type = f32, shapeMNK = #cute.shape<"(64,8)">} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, f32, f32, f32, f32, i1) -> (f32, f32, f32, f32)
  return
}

// -----

// cp.async, ldmatrix and stmatrix move 16 bytes that lie side by side: neither strides nor swizzles within them.
func.func @f(%a: !cute_nvgpu.atom.simt_async_copy<f16, cache = global, 128 b>, %g: !cute.memref<f16, gmem, align<16>, "((8,1)):((2,0))">, %s: !cute.memref<f16, smem, align<16>, "((8,1)):((1,0))">) {
  // expected-error @+1 {{src of atom '!cute_nvgpu.atom.simt_async_copy<f16, cache = global, 128 b>' must be a run of 8 contiguous elements, but got ((8,1)):((2,0))}}
  cute.copy_atom_call(%a, %g, %s) : (!cute_nvgpu.atom.simt_async_copy<f16, cache = global, 128 b>, !cute.memref<f16, gmem, align<16>, "((8,1)):((2,0))">, !cute.memref<f16, smem, align<16>, "((8,1)):((1,0))">)
  return
}

// -----

func.func @f(%a: !cute_nvgpu.atom.simt_async_copy<f16, cache = global, 128 b>, %g: !cute.memref<f16, gmem, align<16>, "((8,1)):((1,0))">, %s: !cute.memref<f16, smem, align<16>, "S<2,2,3> o 32 o ((8,1)):((1,0))">) {
  // expected-error @+1 {{dst of atom '!cute_nvgpu.atom.simt_async_copy<f16, cache = global, 128 b>' must be a run of 8 contiguous elements, but got S<2,2,3> o 32 o ((8,1)):((1,0))}}
  cute.copy_atom_call(%a, %g, %s) : (!cute_nvgpu.atom.simt_async_copy<f16, cache = global, 128 b>, !cute.memref<f16, gmem, align<16>, "((8,1)):((1,0))">, !cute.memref<f16, smem, align<16>, "S<2,2,3> o 32 o ((8,1)):((1,0))">)
  return
}

// -----

func.func @f(%a: !cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, n>, %s: !cute.memref<f16, smem, align<16>, "((2,4)):((1,4))">, %r: !cute.memref<f16, rmem, align<16>, "((8,1)):((1,0))">) {
  // expected-error @+1 {{must be a run of 8 contiguous elements, but got ((2,4)):((1,4))}}
  cute.copy_atom_call(%a, %s, %r) : (!cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, n>, !cute.memref<f16, smem, align<16>, "((2,4)):((1,4))">, !cute.memref<f16, rmem, align<16>, "((8,1)):((1,0))">)
  return
}

// -----

// The other side of ldmatrix and stmatrix is in registers, which lie as they like.
func.func @f(%a: !cute_nvgpu.atom.stsm<f16, mode = <"(8,8)">, num_matrices = 4, n>, %r: !cute.memref<f16, rmem, align<16>, "((2,4)):((1,4))">, %s: !cute.memref<f16, smem, align<16>, "((8,1)):((16,0))">) {
  // expected-error @+1 {{dst of atom '!cute_nvgpu.atom.stsm<f16, mode = <"(8,8)">, num_matrices = 4, n>' must be a run of 8 contiguous elements, but got ((8,1)):((16,0))}}
  cute.copy_atom_call(%a, %r, %s) : (!cute_nvgpu.atom.stsm<f16, mode = <"(8,8)">, num_matrices = 4, n>, !cute.memref<f16, rmem, align<16>, "((2,4)):((1,4))">, !cute.memref<f16, smem, align<16>, "((8,1)):((16,0))">)
  return
}

// -----

// A load from tensor memory reads the columns beside each other, and the lanes one after another.
func.func @f(%a: !cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x4>, %t: !cute.memref<f32, tmem, align<16>, "(((4,32),1)):(((2,65536),0))">, %r: !cute.memref<f32, rmem, align<16>, "((4,1)):((1,0))">) {
  // expected-error @+1 {{src of atom '!cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x4>' must be in tensor memory as the instruction goes through it, (4,32):(1,65536), but got (((4,32),1)):(((2,65536),0))}}
  cute.copy_atom_call(%a, %t, %r) : (!cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x4>, !cute.memref<f32, tmem, align<16>, "(((4,32),1)):(((2,65536),0))">, !cute.memref<f32, rmem, align<16>, "((4,1)):((1,0))">)
  return
}

// -----

// A swizzle of the layout moves columns too: 4 and 5 of eight come as 5 and 4.
func.func @f(%a: !cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x8>, %t: !cute.memref<f32, tmem, align<16>, "S<1,0,2> o 0 o (((8,32),1)):(((1,65536),0))">, %r: !cute.memref<f32, rmem, align<16>, "((8,1)):((1,0))">) {
  // expected-error @+1 {{must be in tensor memory as the instruction goes through it, (8,32):(1,65536), but got S<1,0,2> o 0 o (((8,32),1)):(((1,65536),0))}}
  cute.copy_atom_call(%a, %t, %r) : (!cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x8>, !cute.memref<f32, tmem, align<16>, "S<1,0,2> o 0 o (((8,32),1)):(((1,65536),0))">, !cute.memref<f32, rmem, align<16>, "((8,1)):((1,0))">)
  return
}

// -----

// Whatever the swizzle of the pointer, 16 bytes have to stay together: S<3,2,3> moves pieces of 4 bytes.
func.func @f(%a: !cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, n>, %s: !cute.memref<f16, smem, align<16>, S<3,2,3>, "((8,1)):((1,0))">, %r: !cute.memref<f16, rmem, align<16>, "((8,1)):((1,0))">) {
  // expected-error @+1 {{must be a run of 8 contiguous elements, but got !cute.memref<f16, smem, align<16>, S<3,2,3>, "((8,1)):((1,0))">}}
  cute.copy_atom_call(%a, %s, %r) : (!cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, n>, !cute.memref<f16, smem, align<16>, S<3,2,3>, "((8,1)):((1,0))">, !cute.memref<f16, rmem, align<16>, "((8,1)):((1,0))">)
  return
}

// -----

// TMA writes a box in order, and swizzles it by itself.
func.func @f(%a: !cute_nvgpu.atom.tma_load<f16, copy_bits = 65536, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,64):(1@1,1@0)">>, %box: !cute.coord_tensor<"(0,0)", "(((64,64),1)):(((1@0,1@1),0))">, %s: !cute.memref<f16, smem, align<1024>, "(((64,64),1)):(((64,1),0))">) {
  // expected-error @+1 {{must be a run of 4096 contiguous elements, but got (((64,64),1)):(((64,1),0))}}
  cute.copy_atom_call(%a, %box, %s) : (!cute_nvgpu.atom.tma_load<f16, copy_bits = 65536, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,64):(1@1,1@0)">>, !cute.coord_tensor<"(0,0)", "(((64,64),1)):(((1@0,1@1),0))">, !cute.memref<f16, smem, align<1024>, "(((64,64),1)):(((64,1),0))">)
  return
}

// -----

// So for every call of a copy: the second one takes elements 8 to 15.
func.func @f(%a: !cute_nvgpu.atom.simt_async_copy<f16, cache = global, 128 b>, %g: !cute.memref<f16, gmem, align<16>, "((12,2),1):((1,128),0)">, %s: !cute.memref<f16, smem, align<16>, "((24,1),1):((1,0),0)">) {
  // expected-error @+1 {{src of atom '!cute_nvgpu.atom.simt_async_copy<f16, cache = global, 128 b>' must be a run of 8 contiguous elements, but got ((12,2),1):((1,128),0)}}
  cute.copy(%a, %g, %s) : (!cute_nvgpu.atom.simt_async_copy<f16, cache = global, 128 b>, !cute.memref<f16, gmem, align<16>, "((12,2),1):((1,128),0)">, !cute.memref<f16, smem, align<16>, "((24,1),1):((1,0),0)">)
  return
}

// -----

// A call takes at least one element.
func.func @f(%a: !cute_nvgpu.atom.simt_async_copy<f32, cache = always, 32 b>, %g: !cute.memref<f64, gmem, align<16>, "((2,1)):((1,0))">, %s: !cute.memref<f64, smem, align<16>, "((2,1)):((1,0))">) {
  // expected-error @+1 {{src of atom '!cute_nvgpu.atom.simt_async_copy<f32, cache = always, 32 b>' has elements of 64 bits, of which its copy of 32 bits is a part: give elements of 32 bits or fewer}}
  cute.copy_atom_call(%a, %g, %s) : (!cute_nvgpu.atom.simt_async_copy<f32, cache = always, 32 b>, !cute.memref<f64, gmem, align<16>, "((2,1)):((1,0))">, !cute.memref<f64, smem, align<16>, "((2,1)):((1,0))">)
  return
}

// -----

// A thread's copy moves bits: half numbers do not become single ones. 4-bit numbers do not become the bytes that products of SM120 take.
func.func @f(%g: !cute.memref<f16, gmem, align<16>, "8:1">, %r: !cute.memref<f32, rmem, align<32>, "8:1">) {
  %a = cute.make_atom() : () -> !cute_nvgpu.atom.universal_copy<f16>
  // expected-error @+1 {{src and dst of atom '!cute_nvgpu.atom.universal_copy<f16>' must have elements of one width, as it moves bits and converts nothing, but got f16 and f32: copy to elements of the same type and convert in registers}}
  cute.copy(%a, %g, %r) : (!cute_nvgpu.atom.universal_copy<f16>, !cute.memref<f16, gmem, align<16>, "8:1">, !cute.memref<f32, rmem, align<32>, "8:1">)
  return
}

// -----

func.func @f(%g: !cute.memref<f4E2M1FN, gmem, align<16>, "8:1">, %r: !cute.memref<i8, rmem, align<16>, "8:1">) {
  %a = cute.make_atom() : () -> !cute_nvgpu.atom.universal_copy<f4E2M1FN>
  // expected-error @+1 {{must have elements of one width, as it moves bits and converts nothing, but got f4E2M1FN and i8}}
  cute.copy(%a, %g, %r) : (!cute_nvgpu.atom.universal_copy<f4E2M1FN>, !cute.memref<f4E2M1FN, gmem, align<16>, "8:1">, !cute.memref<i8, rmem, align<16>, "8:1">)
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'cute_nvgpu.arch.get_dyn_smem' op result #0 must be a pointer to shared memory, but got '!cute.ptr<f32, gmem, align<16>>'}}
  %0 = cute_nvgpu.arch.get_dyn_smem() : !cute.ptr<f32, gmem, align<16>>
  return
}

// -----

// A lane gets 8 numbers of 16 bits from ldmatrix x4, half of 8 of 32 bits.
func.func @f(%a: !cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, n>, %s: !cute.memref<f32, smem, align<16>, "((8,1)):((1,0))">, %r: !cute.memref<f32, rmem, align<32>, "((8,1)):((1,0))">) {
  // expected-error @+1 {{src and dst of atom '!cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, n>' must have elements as wide as f16, which it counts, but got f32: make an atom of that type, or recast the tensors}}
  cute.copy(%a, %s, %r) : (!cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, n>, !cute.memref<f32, smem, align<16>, "((8,1)):((1,0))">, !cute.memref<f32, rmem, align<32>, "((8,1)):((1,0))">)
  return
}

// -----

func.func @f(%a: !cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, n>, %s: !cute.memref<f16, smem, align<16>, "((8,1)):((1,0))">, %r: !cute.memref<f32, rmem, align<32>, "((8,1)):((1,0))">) {
  // expected-error @+1 {{must have elements of one width, as it moves bits and converts nothing, but got f16 and f32}}
  cute.copy(%a, %s, %r) : (!cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, n>, !cute.memref<f16, smem, align<16>, "((8,1)):((1,0))">, !cute.memref<f32, rmem, align<32>, "((8,1)):((1,0))">)
  return
}
